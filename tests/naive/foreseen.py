"""What a blend would show at its seam, length by length, moment by moment, joint by joint."""

import itertools
import math


def _ease(t, n):
    x = t / n
    return 2 * x**3 - 3 * x**2 + 1


def _turned(point, turn):
    x, y, z = point
    return [math.cos(turn) * x + math.sin(turn) * z, y, -math.sin(turn) * x + math.cos(turn) * z]


def _differences(points, order):
    for _ in range(order):
        points = [[b[k] - a[k] for k in range(3)] for a, b in itertools.pairwise(points)]
    return [math.sqrt(sum(v * v for v in p)) for p in points]


def place(p, q):
    """Turn and shift (x, z) that lay the points q on the points p best."""
    n = len(p)
    pm = [sum(v[k] for v in p) / n for k in range(3)]
    qm = [sum(v[k] for v in q) / n for k in range(3)]
    same = across = 0.0
    for u, v in zip(p, q, strict=True):
        ux, uz, vx, vz = u[0] - pm[0], u[2] - pm[2], v[0] - qm[0], v[2] - qm[2]
        same += ux * vx + uz * vz
        across += ux * vz - uz * vx
    turn = math.atan2(across, same)
    moved = _turned(qm, turn)
    return turn, pm[0] - moved[0], pm[2] - moved[2]


def seam(a, b, n, *, around=3):
    """Skate, acceleration and jerk of one length.

    a and b hold `joints`, `feet` and `planted` moment by moment and `start`, the first moment that is blended.
    """
    w = [1.0] * around + [_ease(t, n) for t in range(1, n + 1)] + [0.0] * around
    at = [(a["start"] + k - around, b["start"] + k - around) for k in range(len(w))]
    middle = around + max(n // 2 - 1, 0)
    turn, x, z = place(a["joints"][at[middle][0]], b["joints"][at[middle][1]])

    def placed(point):
        moved = _turned(point, turn)
        return [moved[0] + x, moved[1], moved[2] + z]

    def mixed(what, joint):
        out = []
        for share, (i, j) in zip(w, at, strict=True):
            p, q = a[what][i][joint], placed(b[what][j][joint])
            out.append([share * p[k] + (1 - share) * q[k] for k in range(3)])
        return out

    shaken = []
    for order in (2, 3):
        worst = most = 0.0
        for joint in range(len(a["joints"][0])):
            own = [_differences([frame[joint] for frame in side["joints"]], order) for side in (a, b)]
            most = max(most, *own[0], *own[1])
            for k, size in enumerate(_differences(mixed("joints", joint), order)):
                share = w[k + order - 1]
                usual = share * own[0][at[k][0]] + (1 - share) * own[1][at[k][1]]
                worst = max(worst, size - usual)
        shaken.append(worst / most)
    slid = 0.0
    for part in range(4):
        feet = [[p[0], 0.0, p[2]] for p in mixed("feet", part)]
        for k in range(1, len(w)):
            side, row = (a, at[k][0]) if w[k] >= 0.5 else (b, at[k][1])
            if side["planted"][row][part]:
                ground = [[p[part][0], 0.0, p[part][2]] for p in side["feet"][row - 1 : row + 1]]
                slid += max(math.dist(feet[k], feet[k - 1]) - math.dist(*ground), 0.0)
    return slid / 4, shaken[0], shaken[1]
