"""Predicted measures of a blend at its seam, by loops over lengths, moments and joints. Imports nothing from segue."""

import itertools
import math


def _ease(t, n):
    x = t / n
    return 2 * x**3 - 3 * x**2 + 1


def _turned(point, turn):
    x, y, z = point
    return [math.cos(turn) * x + math.sin(turn) * z, y, -math.sin(turn) * x + math.cos(turn) * z]


def _product(p, q):
    a, b, c, d = p
    w, x, y, z = q
    return [
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    ]


def _slerp(p, q, share):
    """Slerp from q to p (``share`` 1 is p), along the shorter arc."""
    dot = sum(u * v for u, v in zip(p, q, strict=True))
    p = [-v for v in p] if dot < 0 else p
    angle = math.acos(min(abs(dot), 1.0))
    if angle < 1e-9:
        return q
    one, other = (math.sin(t * angle) / math.sin(angle) for t in (share, 1.0 - share))
    return [one * u + other * v for u, v in zip(p, q, strict=True)]


def _stand(turns, root, parents, offsets):
    """World positions of the joints and of points fixed to joints, the root first."""
    world, places = [turns[0]], [root]
    for k in range(1, len(parents)):
        above = world[parents[k]]
        back = [above[0], -above[1], -above[2], -above[3]]
        turned = _product(_product(above, [0.0, *offsets[k]]), back)[1:]
        places.append([u + v for u, v in zip(places[parents[k]], turned, strict=True)])
        if k < len(turns):
            world.append(_product(above, turns[k]))
    return places


def _differences(points, order):
    for _ in range(order):
        points = [[b[k] - a[k] for k in range(3)] for a, b in itertools.pairwise(points)]
    return [math.sqrt(sum(v * v for v in p)) for p in points]


def place(p, q):
    """Turn and shift (x, z) that align the points q best with the points p."""
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


def seam(a, b, n, body, *, around=3):
    """Skate, acceleration and jerk of a blend of one length.

    a and b hold `turns`, `roots` and `planted` for each moment and `start`, the first blended moment; the body gives
    the parent of each joint and foot part, and its offset there. Four foot parts come last.
    """
    w = [1.0] * around + [_ease(t, n) for t in range(1, n + 1)] + [0.0] * around
    at = [(a["start"] + k - around, b["start"] + k - around) for k in range(len(w))]
    joints = len(a["turns"][0])
    own = [
        [_stand(*pose, *body) for pose in zip(side["turns"], side["roots"], strict=True)] for side in (a, b)
    ]
    middle = around + max(n // 2 - 1, 0)
    turn, x, z = place(own[0][at[middle][0]][:joints], own[1][at[middle][1]][:joints])
    about = [math.cos(turn / 2), 0.0, math.sin(turn / 2), 0.0]
    made = []
    for share, (i, k) in zip(w, at, strict=True):
        other = [_product(about, b["turns"][k][0]), *b["turns"][k][1:]]
        root = _turned(b["roots"][k], turn)
        root = [root[0] + x, root[1], root[2] + z]
        turns = [_slerp(p, q, share) for p, q in zip(a["turns"][i], other, strict=True)]
        mixed = [share * p + (1 - share) * q for p, q in zip(a["roots"][i], root, strict=True)]
        made.append(_stand(turns, mixed, *body))
    shaken = []
    for order in (2, 3):
        worst = most = 0.0
        for joint in range(joints):
            mine = [_differences([frame[joint] for frame in side], order) for side in own]
            most = max(most, *mine[0], *mine[1])
            for k, size in enumerate(_differences([frame[joint] for frame in made], order)):
                share = w[k + order - 1]
                usual = share * mine[0][at[k][0]] + (1 - share) * mine[1][at[k][1]]
                worst = max(worst, size - usual)
        shaken.append(worst / most)
    slid = 0.0
    for part in range(4):
        feet = [[frame[joints + part][0], frame[joints + part][2]] for frame in made]
        for k in range(1, len(w)):
            side, rows = (0, at[k][0]) if w[k] >= 0.5 else (1, at[k][1])
            if (a, b)[side]["planted"][rows][part]:
                now, before = (own[side][row][joints + part] for row in (rows, rows - 1))
                usual = math.hypot(now[0] - before[0], now[2] - before[2])
                slid += max(math.dist(feet[k], feet[k - 1]) - usual, 0.0)
    return slid / 4, shaken[0], shaken[1]
