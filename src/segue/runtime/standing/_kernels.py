"""Compiled standing: feet that stay where they are, and legs that reach them.

What the columns of a steered character's arrays are is said here, because every kernel that reads them must be compiled
anew when they change. Quaternions and places of single joints are tuples, which cost no memory.
"""

import math

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
    0, 1, 2, 3, 4, 5, 8, 20, 24, 30,
)  # fmt: skip
# State of a character.
X, Z, HEADING, MODE, NODE, AT, WAY, WAY_AT, WAY_FROM, REACHED, SECONDS, DROP, RAISED, LEFT, AHEAD, TURN = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
)  # fmt: skip
PLACE, PACE, WAY_POSE, WAY_WARP, FEET, BESIDE, OTHER, ROOM = 16, 24, 32, 48, 64, 112, 128, 176
# What need not be computed anew at every step: a weight of one pose, what springs keep over a step of so many seconds,
# the type whose weights stand in the state (from 1) and the parameters they were computed at.
SHARE, KEPT_DT, KEPT_RATE, KEPT_RELEASE, KEPT_LANDING, KEPT_SINKING, KEPT_NODE, KEPT_PLACE, PLACED = (
    144, 145, 146, 147, 148, 149, 150, 152, 160,
)  # fmt: skip
RISING = 151  # how fast what the body is raised by changes
FOOT_ROW = 24
LINK = 7  # numbers of a joint of a leg while it is bent: rotation and place in the world
LEG_ROOM = LINK * LEG_ROW + 4  # at the end of a state, for each leg: its joints, its foot's rotation
WORKROOM = 2 * LEG_ROOM
# State of a foot: how far it is held away from where the blend has it, how fast, where its parts are held, and by how
# much it is tilted up at its toe, and how fast.
KNOWN, AWAY, DRIFT, YAW, SPIN, WAS, HELD, FACED, GOAL, TILT, TIP = 0, 1, 4, 7, 8, 9, 11, 17, 19, 22, 23
# A wish: type, whether the guide is told, where it is told, for both feet the ground and by what angle it rises ahead,
# the ground that the body is to be above, parameters.
KIND, TOLD, TOLD_X, TOLD_Z, TOLD_HEADING, GROUND, GRADE, BASE, WANTED = 0, 1, 2, 3, 4, 5, 7, 9, 10

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
def pulled(
    value: float, speed: float, target: float, rate: float, dt: float, fade: float
) -> tuple[float, float]:
    """Value and speed after dt of a critically damped spring that is drawn to a target; ``fade`` is exp(-rate dt)."""
    gap = value - target
    pull = speed + rate * gap
    return target + (gap + pull * dt) * fade, (speed - rate * pull * dt) * fade


@kernel
def keep_fades(data: Floats, index: Ints, state: Floats, dt: float) -> None:
    """Keep what the springs of a character leave after dt, unless the last step was as long."""
    if state[KEPT_DT] == dt and state[KEPT_RATE] != 0.0:
        return
    body = index[BODY_AT]
    state[KEPT_DT] = dt
    state[KEPT_RATE] = math.exp(-data[body + RATE] * dt)
    state[KEPT_RELEASE] = math.exp(-data[body + RELEASE] * dt)
    state[KEPT_LANDING] = math.exp(-data[body + LANDING] * dt)
    state[KEPT_SINKING] = math.exp(-data[body + SINKING] * dt)


@kernel
def _about_up(angle: float) -> Four:
    """Turn about the vertical."""
    return (math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0)


@kernel
def _swing(a: Three, b: Three) -> Four:
    """Shortest rotation that carries direction a onto direction b; neither is zero nor are they opposite."""
    size = math.sqrt((a[0] ** 2 + a[1] ** 2 + a[2] ** 2) * (b[0] ** 2 + b[1] ** 2 + b[2] ** 2))
    w = size + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    length = 1.0 / max(math.sqrt(w * w + x * x + y * y + z * z), 1e-12)
    return (w * length, x * length, y * length, z * length)


@kernel
def _back(q: Four) -> Four:
    """Inverse of a rotation."""
    return (q[0], -q[1], -q[2], -q[3])


@kernel
def _dot(a: Three, b: Three) -> float:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def _cross(a: Three, b: Three) -> Three:
    """Vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def _apart(a: Three, b: Three) -> float:
    """Distance of two places."""
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)


@kernel
def _sole(data: Floats, index: Ints, side: int, part: int) -> Three:
    """Heel (0) or toe (1) seen from the ankle."""
    at = index[BODY_AT] + SOLES + 6 * side + 3 * part
    return (data[at], data[at + 1], data[at + 2])


@kernel
def _from_to(a: Three, b: Three) -> Three:
    """Vector from a to b."""
    return (b[0] - a[0], b[1] - a[1], b[2] - a[2])


@kernel
def _tilted(ahead: Three, angle: float) -> Four:
    """Rotation that raises what points ahead by an angle, about the level axis square to it."""
    s = math.sin(0.5 * angle) / max(math.sqrt(ahead[0] * ahead[0] + ahead[2] * ahead[2]), 1e-9)
    return (math.cos(0.5 * angle), -s * ahead[2], 0.0, s * ahead[0])


@kernel
def _let_go(state: Floats, at: int, ground: float, grade: float, release: float, dt: float) -> None:
    """A foot in the air goes back to where the blend has it, over the ground it comes to, and tilts as that does."""
    fade = state[KEPT_RELEASE]
    state[at + YAW], state[at + SPIN] = pulled(state[at + YAW], state[at + SPIN], 0.0, release, dt, fade)
    for c in range(3):
        to = ground - state[RAISED] if c == 1 else 0.0
        state[at + AWAY + c], state[at + DRIFT + c] = pulled(
            state[at + AWAY + c], state[at + DRIFT + c], to, release, dt, fade
        )
    state[at + TILT], state[at + TIP] = pulled(state[at + TILT], state[at + TIP], grade, release, dt, fade)


@kernel
def _hold_foot(
    data: Floats, index: Ints, state: Floats, wish: Floats, dt: float, side: int, foot: Four
) -> Four:
    """Hold what of a foot is on the ground, or let it go back to where the blend has it.

    ``foot`` is the ankle's rotation in the blend; its place there stands in the state and is changed. Returns the
    rotation it is to have. A heel or toe that was on the ground and still is stays exactly where it was, and a flat
    foot keeps its direction; a foot in the air is let go.
    """
    at, body = FEET + side * FOOT_ROW, index[BODY_AT]
    heel, toe = _sole(data, index, side, 0), _sole(data, index, side, 1)
    down = (state[BESIDE + 12 + 2 * side] > 0.5, state[BESIDE + 13 + 2 * side] > 0.5)
    was = (state[at + WAS] != 0.0, state[at + WAS + 1] != 0.0)
    ground, release = wish[GROUND + side], data[body + RELEASE]
    along = _turned(foot, _from_to(heel, toe))
    known = state[at + KNOWN] != 0.0
    part = -1
    if down[0] or down[1]:
        if down[0] and down[1] and was[0] and was[1] and known:
            x, z = state[at + FACED], state[at + FACED + 1]
            state[at + YAW] -= math.atan2(along[0] * z - along[2] * x, along[0] * x + along[2] * z)
        if down[1] and was[1]:
            part = 1
        elif down[0] and was[0]:
            part = 0
        state[at + SPIN] = state[at + DRIFT] = state[at + DRIFT + 2] = state[at + TIP] = 0.0
        if part < 0:
            state[at + DRIFT + 1] = 0.0
    elif known:
        _let_go(state, at, ground, wish[GRADE + side], release, dt)
    if not known:
        state[at + TILT] = wish[GRADE + side]
    held = _times(_about_up(state[at + YAW]), foot)
    if state[at + TILT] != 0.0:
        held = _times(_tilted(_turned(held, _from_to(heel, toe)), state[at + TILT]), held)
    reach = (_turned(held, heel), _turned(held, toe))
    firm = reach[1] if (part == 1 or (part < 0 and down[1])) else reach[0]
    if down[0] or down[1]:
        lower = part if part >= 0 else (1 if down[1] else 0)
        if part >= 0 and known:
            state[at + AWAY] = state[at + HELD + 3 * part] - state[at + GOAL] - firm[0]
            state[at + AWAY + 2] = state[at + HELD + 3 * part + 2] - state[at + GOAL + 2] - firm[2]
        level = ground + data[body + HEIGHTS + 2 * side + lower]
        natural = state[at + GOAL + 1] + firm[1]
        if not known:
            state[at + AWAY + 1] = level - natural
        elif part >= 0:
            lies = state[at + HELD + 3 * part + 1]
            # No file holds a heel: where it lies above the ground is a guess and stays, below it is wrong.
            level = max(level, lies) if part == 0 else level
            lies, state[at + DRIFT + 1] = pulled(
                lies, state[at + DRIFT + 1], level, data[body + LANDING], dt, state[KEPT_LANDING]
            )
            state[at + AWAY + 1] = lies - natural
    for c in range(3):
        state[at + GOAL + c] += state[at + AWAY + c]
    for p in range(2):
        for c in range(3):
            state[at + HELD + 3 * p + c] = state[at + GOAL + c] + reach[p][c]
        state[at + WAS + p] = 1.0 if down[p] else 0.0
    state[at + FACED], state[at + FACED + 1] = along[0], along[2]
    state[at + KNOWN] = 1.0
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

    Turned by b about the hinge h, the shank s has the product A cos b + B sin b + C with the thigh t, where
    C = (t h)(h s), A = t s - C and B = t (h x s): the length of the leg gives b, without a trigonometric function.
    """
    aa = _dot(thigh, thigh)
    bb = _dot(shank, shank)
    a, b = math.sqrt(aa), math.sqrt(bb)
    far = math.sqrt(_dot(goal, goal))
    wanted = min(max(far, abs(a - b) + 1e-9), (a + b) * (1.0 - 1e-6))
    hinge = _turned(thigh_turn, axis)
    square = _cross(thigh, shank)
    lean = 0.05 * a * b
    hinge = (square[0] + lean * hinge[0], square[1] + lean * hinge[1], square[2] + lean * hinge[2])
    size = 1.0 / max(math.sqrt(_dot(hinge, hinge)), 1e-12)
    hinge = (hinge[0] * size, hinge[1] * size, hinge[2] * size)
    along = _dot(thigh, hinge) * _dot(hinge, shank)
    ca, cb = _dot(thigh, shank) - along, _dot(thigh, _cross(hinge, shank))
    wide = 1.0 / max(math.sqrt(ca * ca + cb * cb), 1e-12)
    open_ = min(max((0.5 * (wanted * wanted - aa - bb) - along) * wide, -1.0), 1.0)
    lift = math.sqrt(1.0 - open_ * open_)
    cosine, sine = (open_ * ca - lift * cb) * wide, (lift * ca + open_ * cb) * wide
    if cosine > 0.0:
        c = math.sqrt(0.5 + 0.5 * cosine)
        s = 0.5 * sine / c
    else:
        s = math.sqrt(0.5 - 0.5 * cosine)
        c = 0.5 * sine / s
    turn = (c, s * hinge[0], s * hinge[1], s * hinge[2])
    bent = _turned(turn, shank)
    raised = _swing((thigh[0] + bent[0], thigh[1] + bent[1], thigh[2] + bent[2]), goal)
    hip = _times(_back(above), _times(raised, thigh_turn))
    knee = _times(_back(shank_above), _times(turn, shank_turn))
    return hip, knee, _times(raised, turn)


@kernel
def _walk_down(data: Floats, index: Ints, state: Floats, out: Floats, side: int) -> int:
    """Write rotation and place in the world of the joints from the root to an ankle; return where they begin."""
    at, body = index[LEGS_AT] + side * LEG_ROW, index[BODY_AT]
    room: int = state.shape[0] - WORKROOM + side * LEG_ROOM
    last = 4 * index[JOINTS]
    turn, place = (out[0], out[1], out[2], out[3]), (out[last], out[last + 1], out[last + 2])
    for n in range(index[at + LENGTH]):
        if n > 0:
            j = index[at + PATH + n]
            o = body + OFFSETS + 3 * j
            step = _turned(turn, (data[o], data[o + 1], data[o + 2]))
            place = (place[0] + step[0], place[1] + step[1], place[2] + step[2])
            turn = _times(turn, (out[4 * j], out[4 * j + 1], out[4 * j + 2], out[4 * j + 3]))
        link = room + LINK * n
        state[link], state[link + 1], state[link + 2], state[link + 3] = turn
        state[link + 4], state[link + 5], state[link + 6] = place
    return room


@kernel
def _turn_of(state: Floats, link: int) -> Four:
    """Rotation of a joint of a leg in the world."""
    return (state[link], state[link + 1], state[link + 2], state[link + 3])


@kernel
def _place_of(state: Floats, link: int) -> Three:
    """Place of a joint of a leg in the world."""
    return (state[link + 4], state[link + 5], state[link + 6])


@kernel
def stand_on_ground(data: Floats, index: Ints, state: Floats, wish: Floats, dt: float, out: Floats) -> None:
    """Put a blended pose beside its guide, hold its feet, lower the root where a leg would not reach, bend the legs."""
    keep_fades(data, index, state, dt)
    root = 4 * index[JOINTS]
    facing = _about_up(state[HEADING])
    s, c = 2.0 * facing[0] * facing[2], 1.0 - 2.0 * facing[2] * facing[2]
    out[0], out[1], out[2], out[3] = _times(facing, (out[0], out[1], out[2], out[3]))
    if wish[BASE] != state[RAISED] or state[RISING] != 0.0:
        before = state[RAISED]
        state[RAISED], state[RISING] = pulled(
            before, state[RISING], wish[BASE], data[index[BODY_AT] + SINKING], dt, state[KEPT_SINKING]
        )
        for side in range(2):  # a foot is not carried along by the body that rises
            state[FEET + side * FOOT_ROW + AWAY + 1] -= state[RAISED] - before
    out[root] = state[X] + c * state[BESIDE] + s * state[BESIDE + 2]
    out[root + 1] = state[BESIDE + 1] + state[RAISED]
    out[root + 2] = state[Z] - s * state[BESIDE] + c * state[BESIDE + 2]
    need = 0.0
    for side in range(2):
        leg, at = index[LEGS_AT] + side * LEG_ROW, FEET + side * FOOT_ROW
        room = _walk_down(data, index, state, out, side)
        ankle, end = BESIDE + 6 + 3 * side, room + LINK * (index[leg + LENGTH] - 1)
        state[at + GOAL] = state[X] + c * state[ankle] + s * state[ankle + 2]
        state[at + GOAL + 1] = state[ankle + 1] + state[RAISED]
        state[at + GOAL + 2] = state[Z] - s * state[ankle] + c * state[ankle + 2]
        foot = room + LINK * LEG_ROW
        state[foot], state[foot + 1], state[foot + 2], state[foot + 3] = _hold_foot(
            data, index, state, wish, dt, side, _turn_of(state, end)
        )
        if state[at + WAS] != 0.0 or state[at + WAS + 1] != 0.0:
            hip = _place_of(state, room + LINK * index[leg + HIP])
            knee = _place_of(state, room + LINK * index[leg + KNEE])
            reach = 0.999 * (_apart(hip, knee) + _apart(knee, _place_of(state, end)))
            flat = (state[at + GOAL] - hip[0]) ** 2 + (state[at + GOAL + 2] - hip[2]) ** 2
            high = math.sqrt(max(reach * reach - flat, 0.0))
            need = max(need, hip[1] - state[at + GOAL + 1] - high)
    drop = state[DROP] * state[KEPT_SINKING]
    state[DROP] = max(need, drop if drop > 1e-9 else 0.0)  # what fades for minutes gets too small to be fast
    out[root + 1] -= state[DROP]
    for side in range(2):
        _reach_foot(data, index, state, side, out)


@kernel
def _reach_foot(data: Floats, index: Ints, state: Floats, side: int, out: Floats) -> None:
    """Write the local rotations of one leg's hip, knee and ankle that put the foot where it is held."""
    leg, at = index[LEGS_AT] + side * LEG_ROW, FEET + side * FOOT_ROW
    room = state.shape[0] - WORKROOM + side * LEG_ROOM
    h, k, e = (
        room + LINK * index[leg + HIP],
        room + LINK * index[leg + KNEE],
        room + LINK * (index[leg + LENGTH] - 1),
    )
    hip, knee, ankle = _place_of(state, h), _place_of(state, k), _place_of(state, e)
    axis = index[BODY_AT] + AXES + 3 * side
    hip_turn, knee_turn, moved = _bend_leg(
        _turn_of(state, h - LINK),
        _turn_of(state, h),
        _turn_of(state, k - LINK),
        _turn_of(state, k),
        (knee[0] - hip[0], knee[1] - hip[1], knee[2] - hip[2]),
        (ankle[0] - knee[0], ankle[1] - knee[1], ankle[2] - knee[2]),
        (data[axis], data[axis + 1], data[axis + 2]),
        (
            state[at + GOAL] - hip[0],
            state[at + GOAL + 1] - hip[1] + state[DROP],
            state[at + GOAL + 2] - hip[2],
        ),
    )
    carried = _times(moved, _turn_of(state, e - LINK))
    ankle_turn = _times(_back(carried), _turn_of(state, room + LINK * LEG_ROW))
    _write(out, index[leg + PATH + index[leg + HIP]], hip_turn)
    _write(out, index[leg + PATH + index[leg + KNEE]], knee_turn)
    _write(out, index[leg + PATH + index[leg + LENGTH] - 1], ankle_turn)


@kernel
def _write(out: Floats, joint: int, turn: Four) -> None:
    """Local rotation of a joint."""
    out[4 * joint], out[4 * joint + 1], out[4 * joint + 2], out[4 * joint + 3] = turn
