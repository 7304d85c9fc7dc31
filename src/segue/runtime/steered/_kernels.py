"""Compiled steps of a steered character: time, ways between types, and the guide on the ground.

Everything a step reads is packed (`packing`): ``index`` of whole numbers, ``data`` of real ones. Everything it changes
is the ``state``, one row a character. What the columns are is said in `segue.runtime.standing._kernels`.
"""

import math

from segue._jit import kernel
from segue._vector_turns import sum_turns
from segue._vector_words import LANES
from segue.arrays import Floats, Ints
from segue.locomotion._kernels import (
    INTERVALS,
    ROW,
    blend_at,
    rate_at,
    turn_by,
    weights_at,
)
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
    TOLD,
    TOLD_HEADING,
    TOLD_X,
    TOLD_Z,
    TURN,
    WANTED,
    WAY,
    WAY_AT,
    WAY_FROM,
    WAY_POSE,
    WAY_ROW,
    WAY_WARP,
    WAYS,
    WAYS_AT,
    X,
    Z,
    keep_fades,
    pulled,
    stand_on_ground,
)

STAYING, LEAVING, BETWEEN, ARRIVING = 0, 1, 2, 3  # modes


@kernel
def _begin_way(data: Floats, index: Ints, state: Floats, wish: Floats) -> bool:
    """Begin a way to the wished type, or to the next on the way there, if one may be begun now (Park et al., eq. 19).

    It may where it shares intervals with the type that plays, as long as enough of them is left to blend over. Of
    several, the one that is farthest on is taken. Its weights are those of the parameters of both ends.
    """
    node, count = int(state[NODE]), index[NODES]
    hop = index[index[HOPS_AT] + node * count + int(wish[KIND])]
    if hop < 0 or hop == node:
        return False
    row = index[index[SETS_AT] + node * ROW : index[SETS_AT] + (node + 1) * ROW]
    best, best_at = -1, -1.0
    for w in range(index[WAYS]):
        way = index[index[WAYS_AT] + w * WAY_ROW : index[WAYS_AT] + (w + 1) * WAY_ROW]
        if way[SOURCE] != node or way[TARGET] != hop:
            continue
        at = 0.0
        if index[index[STEPS_AT] + node] == 1:
            at = (state[AT] - way[FROM_INTERVAL]) % row[INTERVALS]
        body = index[BODY_AT]
        if at <= way[BEFORE] - min(data[body + LEFT_OVER], 1.0 * way[BEFORE]) and at > best_at:
            best, best_at = w, at
    if best < 0:
        return False
    way = index[index[WAYS_AT] + best * WAY_ROW : index[WAYS_AT] + (best + 1) * WAY_ROW]
    row = index[index[SETS_AT] + way[SET] * ROW : index[SETS_AT] + (way[SET] + 1) * ROW]
    width = index[PARAMETERS]
    for p in range(width):
        state[PLACED + p] = state[PLACE + p]
        state[PLACED + width + p] = wish[WANTED + p]
    weights_at(data, row, state[PLACED:ROOM], state[WAY_POSE:WAY_WARP], state[WAY_WARP:FEET], 0.0)
    state[MODE], state[WAY], state[WAY_AT], state[WAY_FROM] = LEAVING, best, best_at, best_at
    return True


@kernel
def _weigh(data: Floats, index: Ints, state: Floats, row: Ints) -> None:
    """Weights of the type that plays, at the parameters that are followed, unless they stand there already."""
    most, width, node = index[MOST], index[PARAMETERS], state[NODE] + 1.0
    same = state[KEPT_NODE] == node
    for p in range(width):
        same &= state[KEPT_PLACE + p] == state[PLACE + p]
    if same:
        return
    for p in range(width):
        state[PLACED + p] = state[KEPT_PLACE + p] = state[PLACE + p]
    state[KEPT_NODE] = node
    pose, warp = state[ROOM : ROOM + most], state[ROOM + most : ROOM + 2 * most]
    state[REACHED] = weights_at(data, row, state[PLACED:ROOM], pose, warp, data[index[BODY_AT] + BEYOND])


@kernel
def _follow(data: Floats, index: Ints, state: Floats, wish: Floats, dt: float) -> None:
    """Let the parameters follow the wish, and be it where a billionth is left."""
    rate = data[index[BODY_AT] + RATE]
    for p in range(index[PARAMETERS]):
        want = wish[WANTED + p]
        value, pace = pulled(state[PLACE + p], state[PACE + p], want, rate, dt, state[KEPT_RATE])
        if abs(value - want) < 1e-9 and abs(pace) < 1e-9:
            value, pace = want, 0.0
        state[PLACE + p], state[PACE + p] = value, pace


@kernel
def _go_on(data: Floats, index: Ints, state: Floats, wish: Floats, dt: float, refs: Floats) -> None:
    """Advance generic time by dt seconds, through keytimes, ways and types; ``refs`` (3, 4J) are references, pose."""
    most = index[MOST]
    warp = state[ROOM + most : ROOM + 2 * most]
    left = dt
    for _ in range(1000):  # a step crosses few keytimes; a bound for all events
        node = int(state[NODE])
        row = index[index[SETS_AT] + node * ROW : index[SETS_AT] + (node + 1) * ROW]
        _weigh(data, index, state, row)
        if state[MODE] == STAYING:
            if _begin_way(data, index, state, wish):
                _copy(refs, 2, 1)
                continue
            if left <= 0.0:
                break
            speed = rate_at(data, row, state[AT], warp)
            edge = math.floor(state[AT]) + 1.0
            if (edge - state[AT]) > left * speed:
                state[AT] += left * speed
                break
            left -= (edge - state[AT]) / speed
            state[AT] = edge % row[INTERVALS]
            continue
        way = index[
            index[WAYS_AT] + int(state[WAY]) * WAY_ROW : index[WAYS_AT] + (int(state[WAY]) + 1) * WAY_ROW
        ]
        over = index[index[SETS_AT] + way[SET] * ROW : index[SETS_AT] + (way[SET] + 1) * ROW]
        steps = index[index[STEPS_AT] + node] == 1
        ending = 1.0 * (over[INTERVALS] - way[AFTER])
        if state[MODE] == LEAVING and state[WAY_AT] >= way[BEFORE]:
            state[MODE] = BETWEEN
        if state[MODE] == BETWEEN and state[WAY_AT] >= ending:
            state[MODE], state[NODE], state[AT] = ARRIVING, way[TARGET], 0.0
            _copy(refs, 2, 0)
            continue
        if steps and state[MODE] == LEAVING:
            state[AT] = (way[FROM_INTERVAL] + state[WAY_AT]) % row[INTERVALS]
        if steps and state[MODE] == ARRIVING:
            state[AT] = (way[TO_INTERVAL] + state[WAY_AT] - ending) % row[INTERVALS]
        if state[MODE] == ARRIVING and state[WAY_AT] >= over[INTERVALS]:
            state[MODE] = STAYING
            continue
        if left <= 0.0:
            break
        share = _node_share(state, way, over[INTERVALS])
        own = rate_at(data, row, state[AT], warp)
        speed = rate_at(data, over, state[WAY_AT], state[WAY_WARP:FEET])
        if steps:
            speed = share * own + (1.0 - share) * speed
        edge = math.floor(state[WAY_AT]) + 1.0
        gone = min(left, (edge - state[WAY_AT]) / speed)
        if not steps and state[MODE] != BETWEEN:  # a stand has no keytimes to meet: it goes by its own clock
            state[AT] = (state[AT] + gone * own) % row[INTERVALS]
        state[WAY_AT] = edge if gone < left else state[WAY_AT] + gone * speed
        left -= gone


@kernel
def _node_share(state: Floats, way: Ints, intervals: int) -> float:
    """Weight of the type beside the way: 1/2 cos(b pi) + 1/2 while it is left (eq. 16 and 18)."""
    if state[MODE] == LEAVING:
        b = (state[WAY_AT] - state[WAY_FROM]) / max(way[BEFORE] - state[WAY_FROM], 1e-9)
        return 0.5 * math.cos(min(b, 1.0) * math.pi) + 0.5
    if state[MODE] == ARRIVING:
        e = (state[WAY_AT] - (intervals - way[AFTER])) / way[AFTER]
        return 0.5 - 0.5 * math.cos(min(e, 1.0) * math.pi)
    return 1.0 if state[MODE] == STAYING else 0.0


@kernel
def _copy(refs: Floats, source: int, goal: int) -> None:
    """Copy a row: an assignment of rows takes longer to compile."""
    for i in range(refs.shape[1]):
        refs[goal, i] = refs[source, i]


@kernel
def step(data: Floats, index: Ints, state: Floats, wish: Floats, dt: float, out: Floats) -> None:
    """One character goes on by dt seconds; ``out`` (4J + 3) is its pose: local rotations by joint, then the root."""
    joints, padded, most = index[JOINTS], index[PADDED], index[MOST]
    at = ROOM + 2 * most
    refs = state[at : at + 12 * padded].reshape((3, 4 * padded))
    work = state[at + 12 * padded : at + 15 * padded]
    pose, warp = state[ROOM : ROOM + most], state[ROOM + most : ROOM + 2 * most]
    beside, other = state[BESIDE:OTHER], state[OTHER:SHARE]
    keep_fades(data, index, state, dt)
    _follow(data, index, state, wish, dt)
    _go_on(data, index, state, wish, dt, refs)
    share = 1.0
    if state[MODE] != STAYING:
        w = int(state[WAY])
        way = index[index[WAYS_AT] + w * WAY_ROW : index[WAYS_AT] + (w + 1) * WAY_ROW]
        over = index[index[SETS_AT] + way[SET] * ROW : index[SETS_AT] + (way[SET] + 1) * ROW]
        share = _node_share(state, way, over[INTERVALS])
        blend_at(
            data, over, state[WAY_AT], state[WAY_POSE:WAY_WARP], state[WAY_WARP:FEET], refs[1], work, other
        )
    if state[MODE] != BETWEEN:
        node = int(state[NODE])
        row = index[index[SETS_AT] + node * ROW : index[SETS_AT] + (node + 1) * ROW]
        blend_at(data, row, state[AT], pose, warp, refs[0], work, beside)
    if state[MODE] == STAYING:
        _copy(refs, 0, 2)
    elif state[MODE] == BETWEEN:
        _copy(refs, 1, 2)
        for c in range(beside.shape[0]):
            beside[c] = other[c]
    else:
        state[SHARE] = share
        sum_turns(state, at, 0.0, state[SHARE : SHARE + 1], refs[1], work)
        turn_by(refs[1], work, refs[2])
        for c in range(beside.shape[0]):
            beside[c] = share * beside[c] + (1.0 - share) * other[c]
    _move_guide(state, wish, dt)
    for j in range(joints):
        first = at + 8 * padded + 4 * j - 3 * (j % LANES)  # blocks of w of all joints, then x, y, z
        for c in range(4):
            out[4 * j + c] = state[first + c * LANES]
    stand_on_ground(data, index, state, wish, dt, out)
    state[SECONDS] += dt


@kernel
def _move_guide(state: Floats, wish: Floats, dt: float) -> None:
    """Move the guide along the ground by the mean of its speeds before and after, or put it where it is told."""
    left, ahead, turn = state[BESIDE + 3], state[BESIDE + 4], state[BESIDE + 5]
    sideways, forward = 0.5 * (left + state[LEFT]) * dt, 0.5 * (ahead + state[AHEAD]) * dt
    angle = 0.5 * (turn + state[TURN]) * dt
    state[LEFT], state[AHEAD], state[TURN] = left, ahead, turn
    if wish[TOLD] != 0.0:
        state[X], state[Z], state[HEADING] = wish[TOLD_X], wish[TOLD_Z], wish[TOLD_HEADING]
        state[BESIDE] = 0.008 * math.tanh(
            state[BESIDE] / 0.008
        )  # the root is to be on the path: its sway goes
        return
    middle = state[HEADING] + 0.5 * angle
    s, c = math.sin(middle), math.cos(middle)
    state[X] += c * sideways + s * forward
    state[Z] += -s * sideways + c * forward
    state[HEADING] += angle


@kernel
def step_many(data: Floats, index: Ints, states: Floats, wishes: Floats, dt: float, outs: Floats) -> None:
    """Many characters go on by dt seconds, one after the other, each as by `step`."""
    for c in range(states.shape[0]):
        step(data, index, states[c], wishes[c], dt, outs[c])


@kernel
def step_apart(
    data: Floats, index: Ints, state: Floats, wish: Floats, dt: float, turns: Floats, root: Floats
) -> None:
    """As `step`, with rotations (J, 4) and root (3,) in arrays of their own: views of one would take longer to make."""
    last = 4 * index[JOINTS]
    at = ROOM + 2 * index[MOST] + 15 * index[PADDED]
    out = state[at : at + last + 3]
    step(data, index, state, wish, dt, out)
    for j in range(index[JOINTS]):
        for c in range(4):
            turns[j, c] = out[4 * j + c]
    for c in range(3):
        root[c] = out[last + c]
