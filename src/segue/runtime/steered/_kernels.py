"""Compiled steps of a steered character: the poses of types and ways, and the guide on the ground.

Everything a step reads is packed (`packing`): ``index`` of whole numbers, ``data`` of real ones. Everything it changes
is the ``state``, one row a character. What the columns are is said in `segue.runtime.standing._kernels`.
"""

from segue.accel.compiler import kernel
from segue.accel.emitter import (
    LANES,
)
from segue.accel.formulas import (
    cos,
    do_if,
    for_range,
    formula,
    sin,
    tanh,
    window,
)
from segue.accel.rotations import (
    multiply_exp,
    sum_logs,
)
from segue.arrays import (
    Floats,
    Ints,
)
from segue.locomotion._kernels import (
    ROW,
    WIDTH,
    blend_at,
)
from segue.runtime.advancing._kernels import (
    BETWEEN,
    STAYING,
    copy_pose,
    follow,
    go_on,
    node_share,
    over_at,
    playing_at,
    refs_at,
)
from segue.runtime.standing._kernels import (
    AHEAD,
    AT,
    BESIDE,
    FEET,
    HEADING,
    JOINTS,
    LEFT,
    MODE,
    MOST,
    OTHER,
    PADDED,
    PARAMETERS,
    ROOM,
    SECONDS,
    SHARE,
    TOLD,
    TOLD_HEADING,
    TOLD_X,
    TOLD_Z,
    TURN,
    WAY_AT,
    WAY_POSE,
    WAY_WARP,
    X,
    Z,
    keep_fades,
    stand_on_ground,
)


@formula
def _mix(c: int, state: Floats, share: float) -> None:
    """Mix one column of what lies beside the guide."""
    state[BESIDE + c] = share * state[BESIDE + c] + (1.0 - share) * state[OTHER + c]


@formula
def _read_out(j: int, index: Ints, state: Floats, out: Floats) -> None:
    """Write a joint's rotation: blocks of w of all joints, then x, y, z are read."""
    block = j - _lane(j)
    for c in range(4):
        out[4 * j + c] = state[refs_at(index, 2) + 4 * block + _lane(j) + c * LANES]


@formula
def _lane(j: int) -> int:
    """Where in its block a joint is."""
    return j - LANES * (j // LANES)


@formula
def _begin(data: Floats, index: Ints, state: Floats, wish: Floats, dt: float) -> None:
    """What a step begins with."""
    keep_fades(data, index, state, dt)
    for_range(0, index[PARAMETERS], follow, data, index, state, wish, dt)


@formula
def _end(data: Floats, index: Ints, state: Floats, wish: Floats, dt: float, out: Floats) -> None:
    """What a step ends with: the guide moves, and the pose stands beside it."""
    _move_guide(state, wish, dt)
    for_range(0, index[JOINTS], _read_out, index, state, out)
    stand_on_ground(data, index, state, wish, dt, out)
    state[SECONDS] = state[SECONDS] + dt


@formula
def _mix_beside(state: Floats, share: float) -> None:
    """Mix what lies beside the guide of a type and of a way."""
    for_range(0, WIDTH, _mix, state, share)


@formula
def _take_beside(state: Floats) -> None:
    """Take what lies beside the guide from the way."""
    for c in range(WIDTH):
        state[BESIDE + c] = state[OTHER + c]


@kernel
def step(data: Floats, index: Ints, state: Floats, wish: Floats, dt: float, out: Floats) -> None:
    """One character goes on by dt seconds; ``out`` (4J + 3) is its pose: local rotations by joint, then the root."""
    size, most = 4 * index[PADDED], index[MOST]
    work = window(state, refs_at(index, 3), 3 * index[PADDED])
    way_ref = window(state, refs_at(index, 1), size)
    _begin(data, index, state, wish, dt)
    go_on(data, index, state, wish, dt)
    if state[MODE] != STAYING:
        over = window(index, over_at(index, state), ROW)
        pose, warp = window(state, WAY_POSE, WAY_WARP - WAY_POSE), window(state, WAY_WARP, FEET - WAY_WARP)
        blend_at(data, over, state[WAY_AT], pose, warp, way_ref, work, window(state, OTHER, WIDTH))
    if state[MODE] != BETWEEN:
        row = window(index, playing_at(index, state), ROW)
        pose, warp = window(state, ROOM, most), window(state, ROOM + most, most)
        own = window(state, refs_at(index, 0), size)
        blend_at(data, row, state[AT], pose, warp, own, work, window(state, BESIDE, WIDTH))
    if state[MODE] == STAYING:
        copy_pose(index, state, 0, 2)
    elif state[MODE] == BETWEEN:
        copy_pose(index, state, 1, 2)
        _take_beside(state)
    else:
        state[SHARE] = node_share(index, state)
        sum_logs(state, refs_at(index, 0), 0.0, window(state, SHARE, 1), way_ref, work)
        multiply_exp(way_ref, work, window(state, refs_at(index, 2), size))
        _mix_beside(state, state[SHARE])
    _end(data, index, state, wish, dt, out)


@formula
def _move_guide(state: Floats, wish: Floats, dt: float) -> None:
    """Move the guide along the ground by the mean of its speeds before and after, or put it where it is told."""
    left, ahead, turn = state[BESIDE + 3], state[BESIDE + 4], state[BESIDE + 5]
    sideways, forward = 0.5 * (left + state[LEFT]) * dt, 0.5 * (ahead + state[AHEAD]) * dt
    angle = 0.5 * (turn + state[TURN]) * dt
    state[LEFT], state[AHEAD], state[TURN] = left, ahead, turn
    do_if(wish[TOLD] != 0.0, _be_told, state, wish)
    do_if(wish[TOLD] == 0.0, _move_by, state, sideways, forward, angle)


@formula
def _be_told(state: Floats, wish: Floats) -> None:
    """Be where it is told; the root is to be on the path: its sway goes."""
    state[X], state[Z], state[HEADING] = wish[TOLD_X], wish[TOLD_Z], wish[TOLD_HEADING]
    state[BESIDE] = 0.008 * tanh(state[BESIDE] / 0.008)


@formula
def _move_by(state: Floats, sideways: float, forward: float, angle: float) -> None:
    """Move and turn."""
    middle = state[HEADING] + 0.5 * angle
    s, c = sin(middle), cos(middle)
    state[X] = state[X] + (c * sideways + s * forward)
    state[Z] = state[Z] + (-s * sideways + c * forward)
    state[HEADING] = state[HEADING] + angle


@kernel
def step_many(data: Floats, index: Ints, states: Floats, wishes: Floats, dt: float, outs: Floats) -> None:
    """Many characters go on by dt seconds, one after the other, each as by `step`."""
    for c in range(states.shape[0]):
        step(data, index, states[c], wishes[c], dt, outs[c])


@formula
def _hand_over(index: Ints, out: Floats, turns: Floats, root: Floats) -> None:
    """Write a pose into arrays of its own."""
    for_range(0, index[JOINTS], _hand_joint, out, turns)
    for c in range(3):
        root[c] = out[4 * index[JOINTS] + c]


@formula
def _hand_joint(j: int, out: Floats, turns: Floats) -> None:
    """Write the rotation of one joint."""
    for c in range(4):
        turns[j, c] = out[4 * j + c]


@kernel
def step_apart(
    data: Floats, index: Ints, state: Floats, wish: Floats, dt: float, turns: Floats, root: Floats
) -> None:
    """As `step`, with rotations (J, 4) and root (3,) in arrays of their own: views of one would take longer to make."""
    last = 4 * index[JOINTS]
    out = window(state, refs_at(index, 3) + 3 * index[PADDED], last + 3)
    step(data, index, state, wish, dt, out)
    _hand_over(index, out, turns, root)
