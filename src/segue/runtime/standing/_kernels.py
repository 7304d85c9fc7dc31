"""Compiled standing: feet that stay where they are, and legs that reach them.

What the columns of a steered character's arrays are is said here, because every kernel that reads them must be compiled
anew when they change. Quaternions and places of single joints are tuples, which cost no memory.
"""

import math

import numpy as np

from segue._jit import kernel
from segue.arrays import Floats, Ints

# Head of the index: sizes, then where its parts begin, then where the body begins in the data.
JOINTS, PADDED, PARAMETERS, NODES, WAYS, MOST, SETS_AT, WAYS_AT, HOPS_AT, STEPS_AT, LEGS_AT, BODY_AT, HEAD = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
)  # fmt: skip
# Columns of a way's row, and of a leg's: hip, knee and ankle as places in the path, its length, the path.
SOURCE, TARGET, SET, BEFORE, AFTER, FROM_INTERVAL, TO_INTERVAL, WAY_ROW = 0, 1, 2, 3, 4, 5, 6, 8
HIP, KNEE, ANKLE, LENGTH, PATH, LEG_ROW = 0, 1, 2, 3, 4, 20
# Body in the data: settings, then offsets of heels and toes, their heights at rest, axes of the knees, all offsets.
RATE, BEYOND, LEFT_OVER, RELEASE, LANDING, SINKING, SOLES, HEIGHTS, AXES, OFFSETS = (
    0,
    1,
    2,
    3,
    4,
    5,
    8,
    20,
    24,
    30,
)
# State of a character.
X, Z, HEADING, MODE, NODE, AT, WAY, WAY_AT, WAY_FROM, REACHED, SECONDS, DROP, RAISED, LEFT, AHEAD, TURN = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
)  # fmt: skip
PLACE, PACE, WAY_POSE, WAY_WARP, FEET, BESIDE, OTHER, ROOM = 16, 24, 32, 48, 64, 112, 128, 144
FOOT_ROW = 24
WORKROOM = 14 * LEG_ROW + 8  # at the end of a state: both legs while they are bent
# State of a foot: how far it is held away from where the blend has it, how fast, and where its parts are held.
KNOWN, AWAY, DRIFT, YAW, SPIN, WAS, HELD, FACED, GOAL = 0, 1, 4, 7, 8, 9, 11, 17, 18
# A wish: type, whether the guide is told, where it is told, ground under both feet, parameters.
KIND, TOLD, TOLD_X, TOLD_Z, TOLD_HEADING, GROUND, WANTED = 0, 1, 2, 3, 4, 5, 8

Four = tuple[float, float, float, float]
Three = tuple[float, float, float]


@kernel
def _times(a: Four, b: Four) -> Four:
    """Product of two rotations."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel
def _turned(q: Four, v: Three) -> Three:
    """Vector turned by a rotation."""
    tx = 2.0 * (q[2] * v[2] - q[3] * v[1])
    ty = 2.0 * (q[3] * v[0] - q[1] * v[2])
    tz = 2.0 * (q[1] * v[1] - q[2] * v[0])
    return (
        v[0] + q[0] * tx + q[2] * tz - q[3] * ty,
        v[1] + q[0] * ty + q[3] * tx - q[1] * tz,
        v[2] + q[0] * tz + q[1] * ty - q[2] * tx,
    )


@kernel
def spring(value: float, speed: float, target: float, rate: float, dt: float) -> tuple[float, float]:
    """Value and speed after dt of a critically damped spring that is drawn to a target; exact for any dt."""
    gap = value - target
    pull = speed + rate * gap
    fade = np.exp(-rate * dt)
    return target + (gap + pull * dt) * fade, (speed - rate * pull * dt) * fade


@kernel
def _about_up(angle: float) -> Four:
    """Turn about the vertical."""
    return (np.cos(0.5 * angle), 0.0, np.sin(0.5 * angle), 0.0)


@kernel
def _swing(a: Three, b: Three) -> Four:
    """Shortest rotation that carries direction a onto direction b; neither is zero nor are they opposite."""
    size = np.sqrt((a[0] ** 2 + a[1] ** 2 + a[2] ** 2) * (b[0] ** 2 + b[1] ** 2 + b[2] ** 2))
    w = size + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    length = 1.0 / max(np.sqrt(w * w + x * x + y * y + z * z), 1e-12)
    return (w * length, x * length, y * length, z * length)


@kernel
def _hold_foot(
    data: Floats, index: Ints, state: Floats, wish: Floats, dt: float, side: int, foot: Four
) -> Four:
    """Hold what of a foot is on the ground, or let it go back to where the blend has it.

    ``foot`` is the ankle's rotation in the blend; its place there stands in the state and is changed. Returns the
    rotation it is to have. A heel or toe that was on the ground and still is stays exactly where it was, and a flat
    foot keeps its direction; a foot in the air loses what it was held away by as a critically damped spring does.
    """
    at, body = FEET + side * FOOT_ROW, index[BODY_AT]
    row, soles = state[at : at + FOOT_ROW], data[body + SOLES + 6 * side : body + SOLES + 6 * side + 6]
    down = (state[BESIDE + 12 + 2 * side] > 0.5, state[BESIDE + 13 + 2 * side] > 0.5)
    ground, release = wish[GROUND + side], data[body + RELEASE]
    along = _turned(foot, (soles[3] - soles[0], soles[4] - soles[1], soles[5] - soles[2]))
    faces = np.arctan2(along[0], along[2])
    known = row[KNOWN] != 0.0
    part = -1
    if down[0] or down[1]:
        if down[0] and down[1] and row[WAS] != 0.0 and row[WAS + 1] != 0.0 and known:
            change = faces - row[FACED]
            row[YAW] -= np.arctan2(np.sin(change), np.cos(change))
        if down[1] and row[WAS + 1] != 0.0:
            part = 1
        elif down[0] and row[WAS] != 0.0:
            part = 0
        row[SPIN] = row[DRIFT] = row[DRIFT + 2] = 0.0
        if part < 0:
            row[DRIFT + 1] = 0.0
    elif known:
        row[YAW], row[SPIN] = spring(row[YAW], row[SPIN], 0.0, release, dt)
        for c in range(3):
            to = ground - state[RAISED] if c == 1 else 0.0
            row[AWAY + c], row[DRIFT + c] = spring(row[AWAY + c], row[DRIFT + c], to, release, dt)
    held = _times(_about_up(row[YAW]), foot)
    if down[0] or down[1]:
        lower = part if part >= 0 else (1 if down[1] else 0)
        reach = _turned(held, (soles[3 * lower], soles[3 * lower + 1], soles[3 * lower + 2]))
        if part >= 0 and known:
            row[AWAY] = row[HELD + 3 * part] - row[GOAL] - reach[0]
            row[AWAY + 2] = row[HELD + 3 * part + 2] - row[GOAL + 2] - reach[2]
        level = ground + data[body + HEIGHTS + 2 * side + lower]
        natural = row[GOAL + 1] + reach[1]
        if not known:
            row[AWAY + 1] = level - natural
        elif part >= 0:
            lies = row[HELD + 3 * part + 1]
            # No file holds a heel: where it lies above the ground is a guess and stays, below it is wrong.
            level = max(level, lies) if part == 0 else level
            lies, row[DRIFT + 1] = spring(lies, row[DRIFT + 1], level, data[body + LANDING], dt)
            row[AWAY + 1] = lies - natural
    for c in range(3):
        row[GOAL + c] += row[AWAY + c]
    for p in range(2):
        reach = _turned(held, (soles[3 * p], soles[3 * p + 1], soles[3 * p + 2]))
        for c in range(3):
            row[HELD + 3 * p + c] = row[GOAL + c] + reach[c]
        row[WAS + p] = 1.0 if down[p] else 0.0
    row[FACED] = faces
    row[KNOWN] = 1.0
    return held


@kernel
def _bend_leg(
    above: Four,
    thigh_turn: Four,
    shank_above: Four,
    shank_turn: Four,
    thigh: Three,
    shank: Three,
    axis: Three,
    goal: Three,
) -> tuple[Four, Four, Four]:
    """Local rotations of hip and knee that bring the ankle to a goal, and the world rotation of the shank then.

    ``above``, ``shank_above`` are world rotations of the parents of hip and knee, ``thigh_turn`` and ``shank_turn`` of
    both; ``thigh`` and ``shank`` are world vectors; ``axis`` the knee's hinge in the thigh's frame, which counts
    where the leg is nearly straight; ``goal`` is seen from the hip. A goal out of reach is approached.
    """
    a = np.sqrt(thigh[0] ** 2 + thigh[1] ** 2 + thigh[2] ** 2)
    b = np.sqrt(shank[0] ** 2 + shank[1] ** 2 + shank[2] ** 2)
    far = np.sqrt(goal[0] ** 2 + goal[1] ** 2 + goal[2] ** 2)
    wanted = min(max(far, abs(a - b) + 1e-9), (a + b) * (1.0 - 1e-6))
    hinge = _turned(thigh_turn, axis)
    hx = thigh[1] * shank[2] - thigh[2] * shank[1] + 0.05 * a * b * hinge[0]
    hy = thigh[2] * shank[0] - thigh[0] * shank[2] + 0.05 * a * b * hinge[1]
    hz = thigh[0] * shank[1] - thigh[1] * shank[0] + 0.05 * a * b * hinge[2]
    size = 1.0 / max(np.sqrt(hx * hx + hy * hy + hz * hz), 1e-12)
    hx, hy, hz = hx * size, hy * size, hz * size
    bend = 0.0
    reached = (thigh[0] + shank[0], thigh[1] + shank[1], thigh[2] + shank[2])
    turn = (1.0, 0.0, 0.0, 0.0)
    for _ in range(3):  # once where the hinge is square to both bones; near a straight leg it is not quite
        now = np.sqrt(reached[0] ** 2 + reached[1] ** 2 + reached[2] ** 2)
        inside = np.arccos(min(max((a * a + b * b - now * now) / (2.0 * a * b), -1.0), 1.0))
        meant = np.arccos(min(max((a * a + b * b - wanted * wanted) / (2.0 * a * b), -1.0), 1.0))
        bend += inside - meant
        s = np.sin(0.5 * bend)
        turn = (np.cos(0.5 * bend), s * hx, s * hy, s * hz)
        bent = _turned(turn, shank)
        reached = (thigh[0] + bent[0], thigh[1] + bent[1], thigh[2] + bent[2])
    lift = _swing(reached, goal)
    back = (above[0], -above[1], -above[2], -above[3])
    hip = _times(back, _times(lift, thigh_turn))
    back = (shank_above[0], -shank_above[1], -shank_above[2], -shank_above[3])
    knee = _times(back, _times(turn, shank_turn))
    return hip, knee, _times(lift, turn)


@kernel
def _apart(a: Floats, b: Floats) -> float:
    """Distance of two places."""
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)


@kernel
def _walk_down(data: Floats, index: Ints, out: Floats, side: int, turns: Floats, places: Floats) -> None:
    """World rotations (L, 4) and places (L, 3) of the joints from the root to an ankle."""
    at, body = index[LEGS_AT] + side * LEG_ROW, index[BODY_AT]
    last = 4 * index[JOINTS]
    turn, place = (out[0], out[1], out[2], out[3]), (out[last], out[last + 1], out[last + 2])
    for k in range(index[at + LENGTH]):
        j = index[at + PATH + k]
        if k > 0:
            o = body + OFFSETS + 3 * j
            step = _turned(turn, (data[o], data[o + 1], data[o + 2]))
            place = (place[0] + step[0], place[1] + step[1], place[2] + step[2])
            turn = _times(turn, (out[4 * j], out[4 * j + 1], out[4 * j + 2], out[4 * j + 3]))
        turns[k, 0], turns[k, 1], turns[k, 2], turns[k, 3] = turn
        places[k, 0], places[k, 1], places[k, 2] = place


@kernel
def stand_on_ground(data: Floats, index: Ints, state: Floats, wish: Floats, dt: float, out: Floats) -> None:
    """Put a blended pose beside its guide, hold its feet, lower the root where a leg would not reach, bend the legs."""
    body, root = index[BODY_AT], 4 * index[JOINTS]
    s, c = np.sin(state[HEADING]), np.cos(state[HEADING])
    facing = _about_up(state[HEADING])
    out[0], out[1], out[2], out[3] = _times(facing, (out[0], out[1], out[2], out[3]))
    lower = min(wish[GROUND], wish[GROUND + 1])
    state[RAISED] += (lower - state[RAISED]) * (1.0 - np.exp(-data[body + SINKING] * dt))
    out[root] = state[X] + c * state[BESIDE] + s * state[BESIDE + 2]
    out[root + 1] = state[BESIDE + 1] + state[RAISED]
    out[root + 2] = state[Z] - s * state[BESIDE] + c * state[BESIDE + 2]
    room = state[
        state.shape[0] - WORKROOM :
    ]  # arrays made anew at every step would cost more than what is in them
    turns = room[: 8 * LEG_ROW].reshape((2, LEG_ROW, 4))
    places = room[8 * LEG_ROW : 14 * LEG_ROW].reshape((2, LEG_ROW, 3))
    feet = room[14 * LEG_ROW : 14 * LEG_ROW + 8].reshape((2, 4))
    need = 0.0
    for side in range(2):
        leg = index[LEGS_AT] + side * LEG_ROW
        _walk_down(data, index, out, side, turns[side], places[side])
        row = state[FEET + side * FOOT_ROW : FEET + (side + 1) * FOOT_ROW]
        ankle, end = BESIDE + 6 + 3 * side, index[leg + LENGTH] - 1
        row[GOAL] = state[X] + c * state[ankle] + s * state[ankle + 2]
        row[GOAL + 1] = state[ankle + 1] + state[RAISED]
        row[GOAL + 2] = state[Z] - s * state[ankle] + c * state[ankle + 2]
        turn = turns[side, end]
        feet[side, 0], feet[side, 1], feet[side, 2], feet[side, 3] = _hold_foot(
            data, index, state, wish, dt, side, (turn[0], turn[1], turn[2], turn[3])
        )
        if row[WAS] != 0.0 or row[WAS + 1] != 0.0:
            hip, knee = places[side, index[leg + HIP]], places[side, index[leg + KNEE]]
            reach = _apart(hip, knee) + _apart(knee, places[side, end])
            flat = (row[GOAL] - hip[0]) ** 2 + (row[GOAL + 2] - hip[2]) ** 2
            high = np.sqrt(max((0.999 * reach) ** 2 - flat, 0.0))
            need = max(need, hip[1] - row[GOAL + 1] - high)
    state[DROP] = max(need, state[DROP] * np.exp(-data[body + SINKING] * dt))
    out[root + 1] -= state[DROP]
    for side in range(2):
        _reach_foot(data, index, state, side, turns[side], places[side], feet[side], out)


@kernel
def _reach_foot(
    data: Floats,
    index: Ints,
    state: Floats,
    side: int,
    turns: Floats,
    places: Floats,
    foot: Floats,
    out: Floats,
) -> None:
    """Write the local rotations of one leg's hip, knee and ankle that put the foot where it is held."""
    leg, body = index[LEGS_AT] + side * LEG_ROW, index[BODY_AT]
    row = state[FEET + side * FOOT_ROW : FEET + (side + 1) * FOOT_ROW]
    h, k, e = index[leg + HIP], index[leg + KNEE], index[leg + LENGTH] - 1
    thigh = (places[k, 0] - places[h, 0], places[k, 1] - places[h, 1], places[k, 2] - places[h, 2])
    bone = (places[e, 0] - places[k, 0], places[e, 1] - places[k, 1], places[e, 2] - places[k, 2])
    axis = data[body + AXES + 3 * side : body + AXES + 3 * side + 3]
    goal = (
        row[GOAL] - places[h, 0],
        row[GOAL + 1] - places[h, 1] + state[DROP],
        row[GOAL + 2] - places[h, 2],
    )
    above, own = turns[h - 1], turns[h]
    shank, shin = turns[k - 1], turns[k]
    hip, knee, moved = _bend_leg(
        (above[0], above[1], above[2], above[3]),
        (own[0], own[1], own[2], own[3]),
        (shank[0], shank[1], shank[2], shank[3]),
        (shin[0], shin[1], shin[2], shin[3]),
        thigh,
        bone,
        (axis[0], axis[1], axis[2]),
        goal,
    )
    before = turns[e - 1]
    carried = _times(moved, (before[0], before[1], before[2], before[3]))
    back = (carried[0], -carried[1], -carried[2], -carried[3])
    ankle = _times(back, (foot[0], foot[1], foot[2], foot[3]))
    for k_, q in (
        (index[leg + PATH + h], hip),
        (index[leg + PATH + k], knee),
        (index[leg + PATH + e], ankle),
    ):
        out[4 * k_], out[4 * k_ + 1], out[4 * k_ + 2], out[4 * k_ + 3] = q
