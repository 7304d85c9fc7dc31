"""Formulas of standing: planted feet that stay in place, and legs that reach them.

The layout of a steered character's arrays is defined here, because every kernel that reads them must be compiled again
when it changes. Quaternions and positions of single joints are tuples, which need no memory.
"""

import numpy as np

from segue.accel.formulas import (
    atan2,
    do_if,
    exp,
    for_range,
    formula,
    maximum,
    minimum,
    sqrt,
    where,
)
from segue.accel.layouts import columns, width
from segue.arrays import Floats, Ints
from segue.maths._kernels import (
    Four,
    Three,
    conjugate,
    damped_spring,
    distance,
    dot,
    from_to,
    multiply,
    rotate,
    square,
    tilt_rotation,
    yaw_rotation,
)
from segue.motion._kernels import reach

_REAL, _WHOLE = "f8", "i8"
INDEX = np.dtype([(name, _WHOLE) for name in (
    "joints", "padded", "parameters", "nodes", "transitions", "most", "sets_at", "transitions_at", "hops_at",
    "steps_at", "legs_at", "body_at",
)])  # fmt: skip
"""Head of the index: sizes, then where its parts begin, then where the body begins in the data."""
TRANSITION_LAYOUT = np.dtype([(name, _WHOLE) for name in (
    "source", "target", "set", "before", "after", "from_interval", "to_interval", "spare",
)])  # fmt: skip
"""Row of a transition."""
LEG_LAYOUT = np.dtype([
    ("hip", _WHOLE), ("knee", _WHOLE), ("ankle", _WHOLE), ("length", _WHOLE), ("path", _WHOLE, 16),
])  # fmt: skip
"""Row of a leg: hip, knee and ankle as indices into the chain from the root; its length; the chain."""
BODY = np.dtype([
    *((name, _REAL) for name in ("rate", "beyond", "left_over", "release", "landing", "sinking")), ("spare", _REAL, 2),
    ("soles", _REAL, (2, 2, 3)), ("heights", _REAL, (2, 2)), ("axes", _REAL, (2, 3)),
])  # fmt: skip
"""Body in the data: settings, offsets of heels and toes, their heights at rest, knee axes; then all joint offsets."""
FOOT = np.dtype([
    ("known", _REAL), ("away", _REAL, 3), ("drift", _REAL, 3), ("yaw", _REAL), ("spin", _REAL), ("was", _REAL, 2),
    ("held", _REAL, (2, 3)), ("faced", _REAL, 2), ("goal", _REAL, 3), ("tilt", _REAL), ("tip", _REAL),
])  # fmt: skip
"""State of a foot: its offset from the blend and the rate of that (also of yaw), which parts were planted, where they
are held, the direction it faced, the goal of its ankle, how much its toe is tilted up, and how fast that changes."""
STATE = np.dtype([
    *((name, _REAL) for name in (
        "x", "z", "heading", "mode", "node", "at", "transition", "transition_at", "transition_from", "reached",
        "seconds", "drop", "raised", "left", "ahead", "turn",
    )),
    ("place", _REAL, 8), ("pace", _REAL, 8), ("transition_pose", _REAL, 16), ("transition_warp", _REAL, 16),
    ("feet", FOOT, 2),
    ("beside", _REAL, 16), ("other", _REAL, 16), ("share", _REAL), ("kept_dt", _REAL), ("kept_rate", _REAL),
    ("kept_release", _REAL), ("kept_landing", _REAL), ("kept_sinking", _REAL), ("kept_node", _REAL), ("rising", _REAL),
    ("kept_place", _REAL, 8), ("placed", _REAL, 16),
])  # fmt: skip
"""State of a character. ``place`` and ``pace`` are the followed parameters and their rates; ``beside`` and ``other``
are the values relative to the guide, of the type and of the transition; ``share`` is a weight of one pose. Values
that begin with ``kept`` are not computed again at every step: factors of the springs over ``kept_dt`` seconds, the type
(from 1) and the parameters whose weights are in the state. ``rising`` is the rate of ``raised``. Weights and poses
follow, as long as the model needs them."""
COMMAND = np.dtype([
    *((name, _REAL) for name in ("kind", "given", "given_x", "given_z", "given_heading")),
    ("ground", _REAL, 2), ("grade", _REAL, 2), ("base", _REAL),
])  # fmt: skip
"""A command: type, whether the guide's place is given, that place; for both feet, the ground and the angle at which it
rises ahead; the ground level for the body. The parameters follow."""

# Columns for the kernels.
JOINTS, PADDED, PARAMETERS, NODES, TRANSITIONS, MOST = columns(
    INDEX, "joints padded parameters nodes transitions most"
)
SETS_AT, TRANSITIONS_AT, HOPS_AT, STEPS_AT, LEGS_AT, BODY_AT = columns(
    INDEX, "sets_at transitions_at hops_at steps_at legs_at body_at"
)
SOURCE, TARGET, SET, BEFORE, AFTER, FROM_INTERVAL, TO_INTERVAL = columns(
    TRANSITION_LAYOUT, "source target set before after from_interval to_interval"
)
HIP, KNEE, ANKLE, LENGTH, PATH = columns(LEG_LAYOUT, "hip knee ankle length path")
RATE, BEYOND, LEFT_OVER, RELEASE, LANDING, SINKING, SOLES, HEIGHTS, AXES = columns(
    BODY, "rate beyond left_over release landing sinking soles heights axes"
)
X, Z, HEADING, MODE, NODE, AT, TRANSITION, TRANSITION_AT, TRANSITION_FROM = columns(
    STATE, "x z heading mode node at transition transition_at transition_from"
)
REACHED, SECONDS, DROP, RAISED, LEFT, AHEAD, TURN = columns(
    STATE, "reached seconds drop raised left ahead turn"
)
PLACE, PACE, TRANSITION_POSE, TRANSITION_WARP, FEET, BESIDE, OTHER, SHARE = columns(
    STATE, "place pace transition_pose transition_warp feet beside other share"
)
KEPT_DT, KEPT_RATE, KEPT_RELEASE, KEPT_LANDING, KEPT_SINKING, KEPT_NODE, RISING, KEPT_PLACE, PLACED = columns(
    STATE, "kept_dt kept_rate kept_release kept_landing kept_sinking kept_node rising kept_place placed"
)
KNOWN, AWAY, DRIFT, YAW, SPIN, WAS, HELD, FACED, GOAL, TILT, TIP = columns(
    FOOT, "known away drift yaw spin was held faced goal tilt tip"
)
KIND, GIVEN, GIVEN_X, GIVEN_Z, GIVEN_HEADING, GROUND, GRADE, BASE = columns(
    COMMAND, "kind given given_x given_z given_heading ground grade base"
)
HEAD, TRANSITION_ROW, LEG_ROW, OFFSETS, FOOT_ROW, ROOM, WANTED = map(
    width, (INDEX, TRANSITION_LAYOUT, LEG_LAYOUT, BODY, FOOT, STATE, COMMAND)
)
LINK = 7  # numbers of a joint of a leg while it is bent: rotation and position in the world
LEG_ROOM = LINK * LEG_ROW + 4  # at the end of a state, for each leg: its joints, its foot's rotation
WORKROOM = 2 * LEG_ROOM


@formula
def keep_fades(data: Floats, index: Ints, state: Floats, dt: float) -> None:
    """Keep the decay factors of a character's springs for dt, unless the last step was as long."""
    do_if((state[KEPT_DT] != dt) | (state[KEPT_RATE] == 0.0), _keep_fades, data, index[BODY_AT], state, dt)


@formula
def _keep_fades(data: Floats, body: int, state: Floats, dt: float) -> None:
    state[KEPT_DT] = dt
    state[KEPT_RATE] = exp(-data[body + RATE] * dt)
    state[KEPT_RELEASE] = exp(-data[body + RELEASE] * dt)
    state[KEPT_LANDING] = exp(-data[body + LANDING] * dt)
    state[KEPT_SINKING] = exp(-data[body + SINKING] * dt)


@formula
def _sole(data: Floats, index: Ints, side: int, part: int) -> Three:
    """Heel (0) or toe (1) seen from the ankle."""
    at = index[BODY_AT] + SOLES + 6 * side + 3 * part
    return (data[at], data[at + 1], data[at + 2])


@formula
def _let_go(data: Floats, index: Ints, state: Floats, command: Floats, dt: float, side: int) -> None:
    """Return a foot in the air to where the blend has it, above the ground there, and tilt it like that ground."""
    at, ground = FEET + side * FOOT_ROW, command[GROUND + side]
    spring = data[index[BODY_AT] + RELEASE], dt, state[KEPT_RELEASE]
    state[at + YAW], state[at + SPIN] = damped_spring(state[at + YAW], state[at + SPIN], 0.0, *spring)
    for c in range(3):
        to = ground - state[RAISED] if c == 1 else 0.0
        state[at + AWAY + c], state[at + DRIFT + c] = damped_spring(
            state[at + AWAY + c], state[at + DRIFT + c], to, *spring
        )
    state[at + TILT], state[at + TIP] = damped_spring(
        state[at + TILT], state[at + TIP], command[GRADE + side], *spring
    )


@formula
def _hold_foot(
    data: Floats, index: Ints, state: Floats, command: Floats, dt: float, side: int, room: int
) -> None:
    """Hold the planted parts of a foot, or return it to where the blend has it.

    The ankle's rotation in the blend is stored after the leg's joints, its position among the foot's numbers; both are
    replaced by their goals. A heel or toe that was on the ground and still is stays exactly where it was, and a flat
    foot keeps its direction; a foot in the air is released.
    """
    at, foot = FEET + side * FOOT_ROW, room + LINK * LEG_ROW
    heel, toe = _sole(data, index, side, 0), _sole(data, index, side, 1)
    down = (state[BESIDE + 12 + 2 * side] > 0.5, state[BESIDE + 13 + 2 * side] > 0.5)
    was = (state[at + WAS] != 0.0, state[at + WAS + 1] != 0.0)
    known, planted = state[at + KNOWN] != 0.0, down[0] | down[1]
    along = rotate(_turn_of(state, foot), from_to(heel, toe))
    part = where(down[1] & was[1], 1, where(down[0] & was[0], 0, -1))
    do_if(down[0] & down[1] & was[0] & was[1] & known, _keep_facing, state, at, along)
    do_if(planted, _rest, state, at, part)
    do_if(where(planted, False, known), _let_go, data, index, state, command, dt, side)
    state[at + TILT] = where(known, state[at + TILT], command[GRADE + side])
    _set_turn(state, foot, multiply(yaw_rotation(state[at + YAW]), _turn_of(state, foot)))
    do_if(state[at + TILT] != 0.0, _tilt_foot, state, at, foot, from_to(heel, toe))
    held = _turn_of(state, foot)
    reach = (rotate(held, heel), rotate(held, toe))
    on_toe = (part == 1) | ((part < 0) & down[1])
    firm = [where(on_toe, there, here) for here, there in zip(*reach, strict=True)]
    level = command[GROUND + side] + data[index[BODY_AT] + HEIGHTS + 2 * side + where(on_toe, 1, 0)]
    spring = data[index[BODY_AT] + LANDING], dt, state[KEPT_LANDING]
    do_if(planted, _plant, state, at, (part, known), firm, level, spring)
    for c in range(3):
        state[at + GOAL + c] = state[at + GOAL + c] + state[at + AWAY + c]
    for p in range(2):
        for c in range(3):
            state[at + HELD + 3 * p + c] = state[at + GOAL + c] + reach[p][c]
        state[at + WAS + p] = where(down[p], 1.0, 0.0)
    state[at + FACED], state[at + FACED + 1] = along[0], along[2]
    state[at + KNOWN] = 1.0


@formula
def _keep_facing(state: Floats, at: int, along: Three) -> None:
    """Turn a flat foot back to the direction it faced."""
    x, z = state[at + FACED], state[at + FACED + 1]
    turned = atan2(along[0] * z - along[2] * x, along[0] * x + along[2] * z)
    state[at + YAW] = state[at + YAW] - turned


@formula
def _rest(state: Floats, at: int, part: int) -> None:
    """Stop the motion of a foot on the ground; one that just came down does not sink either."""
    for speed in (SPIN, DRIFT, DRIFT + 2, TIP):
        state[at + speed] = 0.0
    state[at + DRIFT + 1] = where(part < 0, 0.0, state[at + DRIFT + 1])


@formula
def _tilt_foot(state: Floats, at: int, foot: int, ahead: Three) -> None:
    held = _turn_of(state, foot)
    _set_turn(state, foot, multiply(tilt_rotation(rotate(held, ahead), state[at + TILT]), held))


@formula
def _plant(state: Floats, at: int, how: tuple[int, bool], firm: Three, level: float, spring: Three) -> None:
    """Put a foot where its heel or toe is held and settle its height; ``firm`` is that part relative to the ankle."""
    part, known = how
    held = (part >= 0) & known
    for c in (0, 2):
        away = state[at + HELD + 3 * part + c] - state[at + GOAL + c] - firm[c]
        state[at + AWAY + c] = where(held, away, state[at + AWAY + c])
    natural, lies = state[at + GOAL + 1] + firm[1], state[at + HELD + 3 * part + 1]
    # No file holds a heel: its height above the ground is a guess and stays; below the ground it is wrong.
    settled = where(part == 0, maximum(level, lies), level)
    lies, drift = damped_spring(lies, state[at + DRIFT + 1], settled, *spring)
    state[at + DRIFT + 1] = where(held, drift, state[at + DRIFT + 1])
    away = where(held, lies - natural, state[at + AWAY + 1])
    state[at + AWAY + 1] = where(known, away, level - natural)


@formula
def _link(n: int, data: Floats, index: Ints, state: Floats, out: Floats, side: int) -> None:
    """Write the world rotation and position of the n-th joint of the chain from the root to an ankle."""
    link = _room(state, side) + LINK * n
    j = index[index[LEGS_AT] + side * LEG_ROW + PATH + n]
    o = index[BODY_AT] + OFFSETS + 3 * j
    turn, place = _turn_of(state, link - LINK), _place_of(state, link - LINK)
    step = rotate(turn, (data[o], data[o + 1], data[o + 2]))
    _set_turn(state, link, multiply(turn, _turn_of(out, 4 * j)))
    for c in range(3):
        state[link + 4 + c] = place[c] + step[c]


@formula
def _room(state: Floats, side: int) -> int:
    """Where the joints of a leg begin in the state."""
    return state.shape[0] - WORKROOM + side * LEG_ROOM


@formula
def _turn_of(state: Floats, link: int) -> Four:
    """World rotation of a joint of a leg."""
    return (state[link], state[link + 1], state[link + 2], state[link + 3])


@formula
def _set_turn(state: Floats, link: int, turn: Four) -> None:
    for c in range(4):
        state[link + c] = turn[c]


@formula
def _place_of(state: Floats, link: int) -> Three:
    """World position of a joint of a leg."""
    return (state[link + 4], state[link + 5], state[link + 6])


@formula
def _goal(state: Floats, at: int) -> Three:
    """World goal of a foot's ankle."""
    return (state[at + GOAL], state[at + GOAL + 1], state[at + GOAL + 2])


@formula
def stand_on_ground(
    data: Floats, index: Ints, state: Floats, command: Floats, dt: float, out: Floats
) -> None:
    """Place a blended pose at its guide, hold its feet, lower the root where a leg would not reach, bend the legs."""
    last = 4 * index[JOINTS]
    facing = yaw_rotation(state[HEADING])
    _set_turn(out, 0, multiply(facing, _turn_of(out, 0)))
    do_if((command[BASE] != state[RAISED]) | (state[RISING] != 0.0), _rise, data, index, state, command, dt)
    for c, value in enumerate(_beside(state, facing, BESIDE)):
        out[last + c] = value
    for_range(0, 2, _stand, data, index, state, command, dt, out, facing)
    need = 0.0
    for side in range(2):
        at = FEET + side * FOOT_ROW
        planted = (state[at + WAS] != 0.0) | (state[at + WAS + 1] != 0.0)
        need = where(planted, maximum(need, _lack(index, state, side)), need)
    drop = state[DROP] * state[KEPT_SINKING]
    drop = where(drop > 1e-9, drop, 0.0)  # a decay over minutes reaches denormal numbers, which are slow
    state[DROP] = maximum(need, drop)
    out[last + 1] = out[last + 1] - state[DROP]
    for_range(0, 2, _reach_foot, data, index, state, out)


@formula
def _rise(data: Floats, index: Ints, state: Floats, command: Floats, dt: float) -> None:
    """Follow the ground level for the body; planted and swinging feet do not rise with it."""
    before, spring = state[RAISED], data[index[BODY_AT] + SINKING]
    state[RAISED], state[RISING] = damped_spring(
        before, state[RISING], command[BASE], spring, dt, state[KEPT_SINKING]
    )
    for side in range(2):
        away = FEET + side * FOOT_ROW + AWAY + 1
        state[away] = state[away] - (state[RAISED] - before)


@formula
def _beside(state: Floats, facing: Four, at: int) -> Three:
    """World position of a point given relative to the guide."""
    s, c = 2.0 * facing[0] * facing[2], 1.0 - 2.0 * facing[2] * facing[2]
    return (
        state[X] + c * state[at] + s * state[at + 2],
        state[at + 1] + state[RAISED],
        state[Z] - s * state[at] + c * state[at + 2],
    )


@formula
def _stand(
    side: int, data: Floats, index: Ints, state: Floats, command: Floats, dt: float, out: Floats, facing: Four
) -> None:
    """Compute the joints of one leg and the goal of its foot."""
    room, last, at = _room(state, side), 4 * index[JOINTS], FEET + side * FOOT_ROW
    length = index[index[LEGS_AT] + side * LEG_ROW + LENGTH]
    _set_turn(state, room, _turn_of(out, 0))
    for c in range(3):
        state[room + 4 + c] = out[last + c]
    for_range(1, length, _link, data, index, state, out, side)
    _set_turn(state, room + LINK * LEG_ROW, _turn_of(state, room + LINK * (length - 1)))
    for c, value in enumerate(_beside(state, facing, BESIDE + 6 + 3 * side)):
        state[at + GOAL + c] = value
    _hold_foot(data, index, state, command, dt, side, room)


@formula
def _lack(index: Ints, state: Floats, side: int) -> float:
    """Height by which the root is too high for the leg to reach its foot."""
    room, leg, at = _room(state, side), index[LEGS_AT] + side * LEG_ROW, FEET + side * FOOT_ROW
    hip, knee, ankle = (
        _place_of(state, room + LINK * place)
        for place in (index[leg + HIP], index[leg + KNEE], index[leg + LENGTH] - 1)
    )
    reach = 0.999 * (distance(hip, knee) + distance(knee, ankle))
    flat = square(state[at + GOAL] - hip[0]) + square(state[at + GOAL + 2] - hip[2])
    return hip[1] - state[at + GOAL + 1] - sqrt(maximum(reach * reach - flat, 0.0))


@formula
def _reach_foot(side: int, data: Floats, index: Ints, state: Floats, out: Floats) -> None:
    """Write the local rotations of one leg's hip, knee and ankle that put the foot where it is held."""
    leg, at = index[LEGS_AT] + side * LEG_ROW, FEET + side * FOOT_ROW
    room = _room(state, side)
    h, k, e = (
        room + LINK * index[leg + HIP],
        room + LINK * index[leg + KNEE],
        room + LINK * (index[leg + LENGTH] - 1),
    )
    hip, knee, ankle = _place_of(state, h), _place_of(state, k), _place_of(state, e)
    axis = index[BODY_AT] + AXES + 3 * side
    thigh, shank, goal = from_to(hip, knee), from_to(knee, ankle), from_to(hip, _goal(state, at))
    goal = (goal[0], goal[1] + state[DROP], goal[2])
    a, b = sqrt(dot(thigh, thigh)), sqrt(dot(shank, shank))
    length = minimum(maximum(sqrt(dot(goal, goal)), abs(a - b) + 1e-9), (a + b) * (1.0 - 1e-6))
    hip_turn, knee_turn, moved = reach(
        (thigh, shank),
        rotate(_turn_of(state, h), (data[axis], data[axis + 1], data[axis + 2])),
        goal,
        length * length,
        (_turn_of(state, h - LINK), _turn_of(state, h), _turn_of(state, k - LINK), _turn_of(state, k)),
    )
    carried = multiply(moved, _turn_of(state, e - LINK))
    ankle_turn = multiply(conjugate(carried), _turn_of(state, room + LINK * LEG_ROW))
    for place, turn in (
        (index[leg + HIP], hip_turn),
        (index[leg + KNEE], knee_turn),
        (index[leg + LENGTH] - 1, ankle_turn),
    ):
        _set_turn(out, 4 * index[leg + PATH + place], turn)
