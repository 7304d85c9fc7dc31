"""Compiled moves of feet: held in a plant, steadied while they lie flat.

Number by number, in rooms that the caller gives: whole arrays take many times as long to compile.
"""

import math

from segue._jit import kernel
from segue.arrays import Floats, Ints, Quaternions


@kernel
def _centred(places: Floats, parts: Ints, moves: Floats, begin: int, end: int, back: float) -> float:
    """Turn the moves of a plant by what undoes their mean, shift them by theirs; the longest way that is left."""
    c, s = math.cos(back), math.sin(back)
    way_x = way_z = farthest = 0.0
    for row in range(begin, end):
        x, z, turn = moves[row, 0], moves[row, 1], moves[row, 2] + back
        x, z = c * x + s * z, c * z - s * x
        share = 0.5 if parts[row] == 3 else parts[row] - 1.0
        px = (1.0 - share) * places[row, 0] + share * places[row, 2]
        pz = (1.0 - share) * places[row, 1] + share * places[row, 3]
        cosine, sine = math.cos(turn), math.sin(turn)
        moves[row, 0], moves[row, 1], moves[row, 2] = x, z, turn
        x, z = cosine * px + sine * pz + x - px, cosine * pz - sine * px + z - pz
        moves[row, 3], moves[row, 4] = x, z
        way_x += x / (end - begin)
        way_z += z / (end - begin)
    for row in range(begin, end):
        moves[row, 0] -= way_x
        moves[row, 1] -= way_z
        x, z = moves[row, 3] - way_x, moves[row, 4] - way_z
        farthest = max(farthest, x * x + z * z)
    return math.sqrt(farthest)


@kernel
def hold_plants(places: Floats, parts: Ints, gone: Floats, begins: Ints, moves: Floats, most: Floats) -> None:
    """Fill moves along the ground that keep planted parts of feet in place, and the longest way of each plant (P,).

    Ground places (n, 4) of heel and toe at the frames of plants in turn, what is planted there (n,), 1 for the heel and
    2 for the toe, the ways (n, 4) they may go all the same, where each plant begins, and the end. Moves (n, 5) are
    shifts on x and z, turns, and room for the ways that they make.
    """
    for plant in range(len(begins) - 1):
        begin, end = begins[plant], begins[plant + 1]
        turn = x = z = heel_x = heel_z = toe_x = toe_z = toe = then = 0.0
        c, s = 1.0, 0.0
        before = first = last = 0
        back = 0.0
        for row in range(begin, end):
            hx, hz = places[row, 0], places[row, 1]
            tx, tz = places[row, 2], places[row, 3]
            free_hx, free_hz = gone[row, 0], gone[row, 1]
            free_tx, free_tz = gone[row, 2], gone[row, 3]
            now = parts[row]
            if now != before:
                # What stays planted, one part at most, says where the move goes on; what comes is anchored there.
                if before & now == 1:
                    x, z = heel_x + free_hx - (c * hx + s * hz), heel_z + free_hz - (c * hz - s * hx)
                elif before & now == 2:
                    x, z = toe_x + free_tx - (c * tx + s * tz), toe_z + free_tz - (c * tz - s * tx)
                if before != 1 and now != 2:
                    heel_x, heel_z = c * hx + s * hz + x - free_hx, c * hz - s * hx + z - free_hz
                if before != 2 and now != 1:
                    toe_x, toe_z = c * tx + s * tz + x - free_tx, c * tz - s * tx + z - free_tz
                first = last = row
                while last + 1 < end and parts[last + 1] == now:
                    last += 1
                toe = before - 1.0 if before > 0 else 0.5
                then = parts[last + 1] - 1.0 if last + 1 < end else 0.5
                before = now
            share = now - 1.0
            hold_x, hold_z = heel_x + free_hx, heel_z + free_hz
            on_x, on_z = toe_x + free_tx, toe_z + free_tz
            if now == 3:
                aside, ahead = c * (tx - hx) + s * (tz - hz), c * (tz - hz) - s * (tx - hx)
                want_x, want_z = on_x - hold_x, on_z - hold_z
                turn += math.atan2(want_x * ahead - want_z * aside, want_z * ahead + want_x * aside)
                c, s = math.cos(turn), math.sin(turn)
                # Both parts down: the one planted before hands over in the first third.
                t = min(3.0 * (row - first) / max(last - first, 1), 1.0)
                share = toe + (then - toe) * t * t * (3.0 - 2.0 * t)
            rest = 1.0 - share
            px, pz = rest * hx + share * tx, rest * hz + share * tz
            x = rest * hold_x + share * on_x - (c * px + s * pz)
            z = rest * hold_z + share * on_z - (c * pz - s * px)
            moves[row, 0], moves[row, 1], moves[row, 2] = x, z, turn
            back -= turn / (end - begin)
        most[plant] = _centred(places, parts, moves, begin, end, back)


@kernel
def steady_feet(
    turns: Quaternions,
    above: Quaternions,
    begins: Ints,
    bell: Floats,
    share: Floats,
    edge: float,
    out: Quaternions,
) -> None:
    """Fill local rotations (n, 4) of ankles that lie still in tilt, stretch of frames by stretch.

    World rotations (n, 4) of feet, on one side of the double cover, and of what is above them; where each stretch
    begins, and the end. A bell (2 r + 1,) that sums to 1 smooths them, the ends of a stretch standing for what lies
    beyond. How much is done comes in over ``edge`` frames, times a share (n,).
    """
    reach = len(bell) // 2
    for k in range(len(begins) - 1):
        begin, end = begins[k], begins[k + 1]
        for row in range(begin, end):
            w = x = y = z = 0.0
            for j in range(len(bell)):
                at = min(max(row + j - reach, begin), end - 1)
                w += bell[j] * turns[at, 0]
                x += bell[j] * turns[at, 1]
                y += bell[j] * turns[at, 2]
                z += bell[j] * turns[at, 3]
            a, b = turns[row, 0], turns[row, 1]
            c, d = turns[row, 2], turns[row, 3]
            # Spherical interpolation from the rotation as it is to the mean.
            size = math.sqrt(w * w + x * x + y * y + z * z)
            angle = math.acos(min((a * w + b * x + c * y + d * z) / size, 1.0))
            t = min(min(row - begin + 1, end - row) / edge, 1.0)
            t *= t * (3.0 - 2.0 * t) * share[row]
            stay, go, sine = 1.0 - t, t, math.sin(angle)
            if sine >= 1e-6:
                stay, go = math.sin(stay * angle) / sine, math.sin(go * angle) / sine
            go /= size
            w, x = stay * a + go * w, stay * b + go * x
            y, z = stay * c + go * y, stay * d + go * z
            a, b = above[row, 0], above[row, 1]
            c, d = above[row, 2], above[row, 3]
            out[row, 0] = a * w + b * x + c * y + d * z
            out[row, 1] = a * x - b * w - c * z + d * y
            out[row, 2] = a * y + b * z - c * w - d * x
            out[row, 3] = a * z - b * y + c * x - d * w
