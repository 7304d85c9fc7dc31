"""Compiled steps of a steered character: its time, the poses of types and transitions, and the guide on the ground.

All inputs of a step are packed (`packing`): ``index`` (int) and ``data`` (float). All it changes is the ``state``, one
row a character. `segue.runtime.standing._kernels` defines the columns.

Time comes first: parameters that follow a command, weights, transitions between types; then `step` and its parts.
"""

import math

from segue.accel.compiler import kernel
from segue.accel.emitter import LANES
from segue.accel.formulas import (
    cos,
    do_if,
    for_range,
    formula,
    maximum,
    minimum,
    mod,
    sin,
    tanh,
    trunc,
    where,
    window,
)
from segue.accel.rotations import multiply_exp, sum_logs
from segue.arrays import Floats, Ints
from segue.locomotion._kernels import INTERVALS, ROW, WIDTH, blend_at, rate_at, weights_at
from segue.maths._kernels import damped_spring
from segue.runtime.standing._kernels import (
    AFTER,
    AHEAD,
    AT,
    BEFORE,
    BESIDE,
    BEYOND,
    BODY_AT,
    FEET,
    FROM_INTERVAL,
    GIVEN,
    GIVEN_HEADING,
    GIVEN_X,
    GIVEN_Z,
    HEADING,
    HOPS_AT,
    JOINTS,
    KEPT_NODE,
    KEPT_PLACE,
    KEPT_RATE,
    KIND,
    LEFT,
    LEFT_OVER,
    MODE,
    MOST,
    NODE,
    NODES,
    OTHER,
    PACE,
    PADDED,
    PARAMETERS,
    PLACE,
    PLACED,
    RATE,
    REACHED,
    ROOM,
    SECONDS,
    SET,
    SETS_AT,
    SHARE,
    SOURCE,
    STEPS_AT,
    TARGET,
    TO_INTERVAL,
    TRANSITION,
    TRANSITION_AT,
    TRANSITION_FROM,
    TRANSITION_POSE,
    TRANSITION_ROW,
    TRANSITION_WARP,
    TRANSITIONS,
    TRANSITIONS_AT,
    TURN,
    WANTED,
    X,
    Z,
    keep_fades,
    stand_on_ground,
)

STAYING, LEAVING, BETWEEN, ARRIVING = 0, 1, 2, 3  # modes


@formula
def set_at(index: Ints, number: int) -> int:
    """Where the row of a set begins in the index."""
    return index[SETS_AT] + number * ROW


@formula
def playing_at(index: Ints, state: Floats) -> int:
    """Where the row of the current type begins in the index."""
    return set_at(index, trunc(state[NODE]))


@formula
def _transition_row(index: Ints, number: int) -> int:
    """Where the row of a transition begins in the index."""
    return index[TRANSITIONS_AT] + number * TRANSITION_ROW


@formula
def _next_node(index: Ints, state: Floats, command: Floats) -> int:
    """Return the next type from the current to the commanded one; -1 if there is none."""
    node = trunc(state[NODE])
    hop = index[index[HOPS_AT] + node * index[NODES] + trunc(command[KIND])]
    return where(hop == node, -1, hop)


@formula
def _leads(index: Ints, state: Floats, number: int, hop: int) -> bool:
    """Whether a transition leads from the current type to ``hop``."""
    row_at = _transition_row(index, number)
    return (index[row_at + SOURCE] == trunc(state[NODE])) & (index[row_at + TARGET] == hop)


@formula
def _open_at(data: Floats, index: Ints, state: Floats, number: int) -> float:
    """Generic time at which a character would enter a transition now; -1 if it may not."""
    node, row_at = trunc(state[NODE]), _transition_row(index, number)
    intervals, before = index[set_at(index, node) + INTERVALS], index[row_at + BEFORE]
    at = mod(state[AT] - index[row_at + FROM_INTERVAL], 1.0 * intervals)
    at = where(index[index[STEPS_AT] + node] == 1, at, 0.0)
    left_over = minimum(data[index[BODY_AT] + LEFT_OVER], 1.0 * before)
    return where(at <= before - left_over, at, -1.0)


@formula
def _leave(index: Ints, state: Floats, command: Floats, number: int, at: float) -> None:
    """Begin a transition; its parameters are those of both ends."""
    for_range(0, index[PARAMETERS], _both_ends, index, state, command)
    state[MODE], state[TRANSITION], state[TRANSITION_AT], state[TRANSITION_FROM] = LEAVING, number, at, at


@formula
def _both_ends(p: int, index: Ints, state: Floats, command: Floats) -> None:
    """Set one parameter of both ends of a transition."""
    state[PLACED + p] = state[PLACE + p]
    state[PLACED + index[PARAMETERS] + p] = command[WANTED + p]


@kernel
def _begin_transition(data: Floats, index: Ints, state: Floats, command: Floats) -> bool:
    """Begin a transition to the commanded type, or to the next one there, if one may begin now (Park et al., eq. 19).

    It may begin while it shares intervals with the current type and enough of them are left to blend over. Of several,
    the one that is farthest on is taken. Its weights are those of the parameters of both ends.
    """
    hop = _next_node(index, state, command)
    if hop < 0:
        return False
    best, best_at = -1, -1.0
    for w in range(index[TRANSITIONS]):
        if _leads(index, state, w, hop):
            at = _open_at(data, index, state, w)
            if at > best_at:
                best, best_at = w, at
    if best < 0:
        return False
    _leave(index, state, command, best, best_at)
    row = window(index, over_at(index, state), ROW)
    pose = window(state, TRANSITION_POSE, TRANSITION_WARP - TRANSITION_POSE)
    warp = window(state, TRANSITION_WARP, FEET - TRANSITION_WARP)
    weights_at(data, row, window(state, PLACED, ROOM - PLACED), pose, warp, 0.0)
    return True


@formula
def _is_kept(index: Ints, state: Floats) -> bool:
    """Whether the state holds the weights of the current type at its parameters; otherwise lay the parameters out."""
    kept = state[KEPT_NODE] == state[NODE] + 1.0
    for p in range(PACE - PLACE):  # parameters that a model lacks are 0 in both
        kept = kept & (state[KEPT_PLACE + p] == state[PLACE + p])
    do_if(where(kept, False, True), _lay_out, index, state)
    return kept


@formula
def _lay_out(index: Ints, state: Floats) -> None:
    for_range(0, index[PARAMETERS], _keep_one, state)
    state[KEPT_NODE] = state[NODE] + 1.0


@formula
def _keep_one(p: int, state: Floats) -> None:
    state[PLACED + p] = state[PLACE + p]
    state[KEPT_PLACE + p] = state[PLACE + p]


@kernel
def _weigh(data: Floats, index: Ints, state: Floats, row: Ints) -> None:
    """Compute the weights of the current type at the followed parameters, unless the state holds them."""
    if not _is_kept(index, state):
        most = index[MOST]
        pose, warp = window(state, ROOM, most), window(state, ROOM + most, most)
        place = window(state, PLACED, ROOM - PLACED)
        state[REACHED] = weights_at(data, row, place, pose, warp, data[index[BODY_AT] + BEYOND])


@formula
def follow(p: int, data: Floats, index: Ints, state: Floats, command: Floats, dt: float) -> None:
    """Let a parameter follow the command, and set it to the command once within a billionth."""
    want, rate = command[WANTED + p], data[index[BODY_AT] + RATE]
    value, pace = damped_spring(state[PLACE + p], state[PACE + p], want, rate, dt, state[KEPT_RATE])
    there = (abs(value - want) < 1e-9) & (abs(pace) < 1e-9)
    state[PLACE + p], state[PACE + p] = where(there, want, value), where(there, 0.0, pace)


@formula
def _to_edge(at: float) -> float:
    """Intervals to the next keytime."""
    return trunc(at) + 1.0 - at


@formula
def _meet(state: Floats, intervals: int) -> None:
    """Advance to the next keytime of a type."""
    state[AT] = mod(trunc(state[AT]) + 1.0, 1.0 * intervals)


@formula
def over_at(index: Ints, state: Floats) -> int:
    """Where the row of the transition's set begins in the index."""
    return set_at(index, index[_transition_row(index, trunc(state[TRANSITION])) + SET])


@formula
def _arrives(index: Ints, state: Floats) -> bool:
    """Whether the target type of a transition begins to blend in now."""
    row_at, over = _transition_row(index, trunc(state[TRANSITION])), over_at(index, state)
    done = (state[MODE] == LEAVING) & (state[TRANSITION_AT] >= index[row_at + BEFORE])
    state[MODE] = where(done, 1.0 * BETWEEN, state[MODE])
    ending = 1.0 * (index[over + INTERVALS] - index[row_at + AFTER])
    arrives = (state[MODE] == BETWEEN) & (state[TRANSITION_AT] >= ending)
    for column, value in ((MODE, 1.0 * ARRIVING), (NODE, 1.0 * index[row_at + TARGET]), (AT, 0.0)):
        state[column] = where(arrives, value, state[column])
    return arrives


@formula
def _keep_step(index: Ints, state: Floats) -> None:
    """Keep a type that has steps in step with the transition."""
    steps = index[index[STEPS_AT] + trunc(state[NODE])] == 1
    do_if(steps & (state[MODE] == LEAVING), _in_step, index, state, FROM_INTERVAL)
    do_if(steps & (state[MODE] == ARRIVING), _in_step, index, state, TO_INTERVAL)


@formula
def _in_step(index: Ints, state: Floats, column: int) -> None:
    """Set the generic time of a type from that of its transition."""
    row_at, over = _transition_row(index, trunc(state[TRANSITION])), over_at(index, state)
    at = index[row_at + column] + state[TRANSITION_AT]
    if column == TO_INTERVAL:
        at = at - 1.0 * (index[over + INTERVALS] - index[row_at + AFTER])
    state[AT] = mod(at, 1.0 * index[playing_at(index, state) + INTERVALS])


@formula
def _go_over(index: Ints, state: Floats, own: float, over: float, left: float) -> float:
    """Advance along a transition, at most to its next keytime, at intervals a second; return the seconds used."""
    node = trunc(state[NODE])
    steps, share = index[index[STEPS_AT] + node] == 1, node_share(index, state)
    speed = where(steps, share * own + (1.0 - share) * over, over)
    gone = minimum(left, _to_edge(state[TRANSITION_AT]) / speed)
    # A standing type has no keytimes to meet: it advances by its own clock.
    do_if(where(steps, False, state[MODE] != BETWEEN), _stand_on, index, state, gone * own)
    edge = trunc(state[TRANSITION_AT]) + 1.0
    state[TRANSITION_AT] = where(gone < left, edge, state[TRANSITION_AT] + gone * speed)
    return gone


@formula
def _stand_on(index: Ints, state: Floats, gone: float) -> None:
    """Advance a type without steps."""
    intervals = index[playing_at(index, state) + INTERVALS]
    state[AT] = mod(state[AT] + gone, 1.0 * intervals)


@kernel
def go_on(data: Floats, index: Ints, state: Floats, command: Floats, dt: float) -> None:
    """Advance generic time by dt seconds, through keytimes, transitions and types."""
    most = index[MOST]
    warp = window(state, ROOM + most, most)
    transition_warp = window(state, TRANSITION_WARP, FEET - TRANSITION_WARP)
    left = dt
    for _ in range(1000):  # a step crosses few keytimes; the bound excludes an endless loop
        row = window(index, playing_at(index, state), ROW)
        _weigh(data, index, state, row)
        if state[MODE] == STAYING:
            if _begin_transition(data, index, state, command):
                copy_pose(index, state, 2, 1)
                continue
            if left <= 0.0:
                break
            speed = rate_at(data, row, state[AT], warp)
            rest = _to_edge(state[AT])
            if rest > left * speed:
                state[AT] += left * speed
                break
            left -= rest / speed
            _meet(state, row[INTERVALS])
            continue
        if _arrives(index, state):
            copy_pose(index, state, 2, 0)
            continue
        _keep_step(index, state)
        over = window(index, over_at(index, state), ROW)
        if state[MODE] == ARRIVING and state[TRANSITION_AT] >= over[INTERVALS]:
            state[MODE] = STAYING
            continue
        if left <= 0.0:
            break
        own = rate_at(data, row, state[AT], warp)
        left -= _go_over(index, state, own, rate_at(data, over, state[TRANSITION_AT], transition_warp), left)


@formula
def node_share(index: Ints, state: Floats) -> float:
    """Weight of the type against the transition: 1/2 cos(b pi) + 1/2 while it is left (eq. 16 and 18)."""
    row_at, over = _transition_row(index, trunc(state[TRANSITION])), over_at(index, state)
    leaving, at = state[MODE] == LEAVING, state[TRANSITION_AT]
    before, after = index[row_at + BEFORE], index[row_at + AFTER]
    b = (at - state[TRANSITION_FROM]) / maximum(before - state[TRANSITION_FROM], 1e-9)
    e = (at - (index[over + INTERVALS] - after)) / after
    turned = cos(minimum(where(leaving, b, e), 1.0) * math.pi)
    share = where(state[MODE] == ARRIVING, 0.5 - 0.5 * turned, where(state[MODE] == STAYING, 1.0, 0.0))
    return where(leaving, 0.5 * turned + 0.5, share)


@formula
def refs_at(index: Ints, number: int) -> int:
    """Where in the state a pose in blocks begins: reference of the type (0), of the transition (1), or the pose (2)."""
    return ROOM + 2 * index[MOST] + number * (4 * index[PADDED])


@formula
def copy_pose(index: Ints, state: Floats, source: int, goal: int) -> None:
    """Copy a pose within the state; poses are numbered as in `refs_at`."""
    for_range(0, 4 * index[PADDED], _copy_one, state, refs_at(index, source), refs_at(index, goal))


@formula
def _copy_one(n: int, state: Floats, source: int, goal: int) -> None:
    state[goal + n] = state[source + n]


@formula
def _mix(c: int, state: Floats, share: float) -> None:
    """Blend one column of the values relative to the guide."""
    state[BESIDE + c] = share * state[BESIDE + c] + (1.0 - share) * state[OTHER + c]


@formula
def _read_out(j: int, index: Ints, state: Floats, out: Floats) -> None:
    """Write a joint's rotation; the state holds blocks of w of several joints, then x, y, z."""
    block = j - _lane(j)
    for c in range(4):
        out[4 * j + c] = state[refs_at(index, 2) + 4 * block + _lane(j) + c * LANES]


@formula
def _lane(j: int) -> int:
    """Index of a joint in its block."""
    return j - LANES * (j // LANES)


@formula
def _begin(data: Floats, index: Ints, state: Floats, command: Floats, dt: float) -> None:
    """Update spring factors and followed parameters at the start of a step."""
    keep_fades(data, index, state, dt)
    for_range(0, index[PARAMETERS], follow, data, index, state, command, dt)


@formula
def _end(data: Floats, index: Ints, state: Floats, command: Floats, dt: float, out: Floats) -> None:
    """Move the guide and place the pose at it, at the end of a step."""
    _move_guide(state, command, dt)
    for_range(0, index[JOINTS], _read_out, index, state, out)
    stand_on_ground(data, index, state, command, dt, out)
    state[SECONDS] = state[SECONDS] + dt


@formula
def _mix_beside(state: Floats, share: float) -> None:
    """Blend the values relative to the guide of a type and of a transition."""
    for_range(0, WIDTH, _mix, state, share)


@formula
def _take_beside(state: Floats) -> None:
    """Take the values relative to the guide from the transition."""
    for c in range(WIDTH):
        state[BESIDE + c] = state[OTHER + c]


@kernel
def step(data: Floats, index: Ints, state: Floats, command: Floats, dt: float, out: Floats) -> None:
    """Advance one character by dt seconds; ``out`` (4J + 3) is its pose: local rotations by joint, then the root."""
    size, most = 4 * index[PADDED], index[MOST]
    work = window(state, refs_at(index, 3), 3 * index[PADDED])
    transition_ref = window(state, refs_at(index, 1), size)
    _begin(data, index, state, command, dt)
    go_on(data, index, state, command, dt)
    if state[MODE] != STAYING:
        over = window(index, over_at(index, state), ROW)
        pose = window(state, TRANSITION_POSE, TRANSITION_WARP - TRANSITION_POSE)
        warp = window(state, TRANSITION_WARP, FEET - TRANSITION_WARP)
        blend_at(
            data, over, state[TRANSITION_AT], pose, warp, transition_ref, work, window(state, OTHER, WIDTH)
        )
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
        sum_logs(state, refs_at(index, 0), 0.0, window(state, SHARE, 1), transition_ref, work)
        multiply_exp(transition_ref, work, window(state, refs_at(index, 2), size))
        _mix_beside(state, state[SHARE])
    _end(data, index, state, command, dt, out)


@formula
def _move_guide(state: Floats, command: Floats, dt: float) -> None:
    """Move the guide by the mean of its old and new velocity, or put it where the command places it."""
    left, ahead, turn = state[BESIDE + 3], state[BESIDE + 4], state[BESIDE + 5]
    sideways, forward = 0.5 * (left + state[LEFT]) * dt, 0.5 * (ahead + state[AHEAD]) * dt
    angle = 0.5 * (turn + state[TURN]) * dt
    state[LEFT], state[AHEAD], state[TURN] = left, ahead, turn
    do_if(command[GIVEN] != 0.0, _place_guide, state, command)
    do_if(command[GIVEN] == 0.0, _move_by, state, sideways, forward, angle)


@formula
def _place_guide(state: Floats, command: Floats) -> None:
    """Put the guide where a command places it; limit the root's sway to 8 mm, so that it stays on the path."""
    state[X], state[Z], state[HEADING] = command[GIVEN_X], command[GIVEN_Z], command[GIVEN_HEADING]
    state[BESIDE] = 0.008 * tanh(state[BESIDE] / 0.008)


@formula
def _move_by(state: Floats, sideways: float, forward: float, angle: float) -> None:
    middle = state[HEADING] + 0.5 * angle
    s, c = sin(middle), cos(middle)
    state[X] = state[X] + (c * sideways + s * forward)
    state[Z] = state[Z] + (-s * sideways + c * forward)
    state[HEADING] = state[HEADING] + angle


@kernel
def step_many(data: Floats, index: Ints, states: Floats, commands: Floats, dt: float, outs: Floats) -> None:
    """Advance many characters by dt seconds, one after the other, each as by `step`."""
    for c in range(states.shape[0]):
        step(data, index, states[c], commands[c], dt, outs[c])


@formula
def _hand_over(index: Ints, out: Floats, turns: Floats, root: Floats) -> None:
    for_range(0, index[JOINTS], _hand_joint, out, turns)
    for c in range(3):
        root[c] = out[4 * index[JOINTS] + c]


@formula
def _hand_joint(j: int, out: Floats, turns: Floats) -> None:
    for c in range(4):
        turns[j, c] = out[4 * j + c]


@kernel
def step_apart(
    data: Floats, index: Ints, state: Floats, command: Floats, dt: float, turns: Floats, root: Floats
) -> None:
    """Do the same as `step`, with rotations (J, 4) and root (3,) in arrays of their own: making views takes longer."""
    last = 4 * index[JOINTS]
    out = window(state, refs_at(index, 3) + 3 * index[PADDED], last + 3)
    step(data, index, state, command, dt, out)
    _hand_over(index, out, turns, root)
