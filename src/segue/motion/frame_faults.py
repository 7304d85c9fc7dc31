"""Detection of frames without motion: dropouts, glitches, poses before and after the take, frozen and held frames."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.maths.quaternions import half_angle
from segue.motion.body import is_human
from segue.motion.clip import Clip
from segue.motion.fault import Fault, frames_in_words, joints_in_words
from segue.motion.feet import leg_length
from segue.motion.flags import runs
from segue.motion.turns import Turns, finger_joints, trunk_joints, usual_around

AT_REST = 1e-5
"""Radians: a joint this near its rest rotation is exactly zero, given the digits of a file."""
SAME = 1e-6
"""Radians (and body sizes): a frame this near the one before repeats it."""
GLITCH = np.radians(60.0)
"""Rotation in one frame, in excess of the frames around, that is no movement. At 120 frames a second it is the speed of
the fastest joint of a baseball pitcher (7,000 degrees a second), reached from and returning to a standstill."""
UNANNOUNCED = np.radians(3600.0)
"""Radians a second: at low rates a fast limb moves far in a frame, and only a faster rotation is a glitch."""
TRUNK_GLITCH = np.radians(25.0)
"""`GLITCH` of the joints from the hips to the head. They carry most of the body's mass: in sound captures the excess of
a trunk joint over the frames around is less than half of this (5 to 11 degrees at 120 frames a second)."""
TRUNK_UNANNOUNCED = np.radians(1000.0)
"""`UNANNOUNCED` of these joints."""
TELEPORT = 0.25
"""Leg lengths by which the root may move in one frame in excess of the frames around."""
JUMP = np.radians(3.0)
"""Rotation, or change of rotation, in excess of three times those around, of a jump out of an exact value."""
HELD_JUMP = np.radians(5.0)
"""The same for a jump out of a value that is not zero."""
_CAPTURE_RATE = 120.0  # frames a second below which jump limits of the whole body and held limbs are raised
_TURN_FACTOR = 1.5  # times the neighbours' rotation that the step out of zeros must exceed
_FACTOR = 3.0  # times the neighbours' rotation that a jump must exceed
_GLITCH_FACTOR = 2.0
_BACK_SECONDS = 0.1  # time within which a limb that jumps back has not moved: a flip in capture from video
_BACK = 0.5  # largest difference of the poses before and after, as a share of the smaller jump
_BODY = 0.5  # share of the moving joints that jump together if the whole body does
_RUSH = np.radians(8.0)  # least mean joint angle by which a rest pose is left
_FROZEN_SECONDS = 0.4  # an end that is still for this long is no motion, even if reached gently
_FROZEN_FRAMES = 8  # and this many frames, because a few repeats may be due to rounding
_EDGE_SECONDS = 0.25  # poses before or after the take lie this near the ends
_ISLAND_SECONDS = 0.25  # frames between two glitches nearer than this are unusable too
_HELD_STEPS = 3
_WHOLE = 0.9  # share of the moving joints at rest if the whole body is
_SOME = 1 / 3  # upper limit of the share of joints that jump when the body moves out of its rest pose
_FAST = 0.75  # quantile of the speed of the other joints
_FEW = 3  # steps needed around a step before it can be judged


def frame_faults(clip: Clip) -> list[Fault]:
    """Find the faults of single frames and stretches of a clip."""
    if clip.n_frames < 2:
        return []
    turns = Turns.of(clip)
    found = _still(turns)
    if clip.n_frames - 1 < _FEW + 2:
        return found
    taken = np.zeros(clip.n_frames - 1, dtype=bool)  # steps that are explained already
    for search in (_other_poses, _dropouts, _held, _glitches):
        rows = search(turns, taken)
        found += rows
        for row in rows:
            taken[max(row.start - 1, 0) : row.stop] = True
    return found


def _jumps(turns: Turns, least: float = JUMP) -> Bools:
    """Flags (F-1, J) of steps out of proportion to those around."""
    return np.asarray(turns.angles > _FACTOR * turns.around + least)


def _at_rate(turn: float, fps: float) -> float:
    """Jump limit ``turn`` at a frame rate: raised at low rates, at which keyed motion may begin within one frame."""
    return turn * max(1.0, _CAPTURE_RATE / fps)


def _other_poses(turns: Turns, taken: Bools) -> list[Fault]:
    """Find poses before or after the take, and steps at which the whole body jumps: two takes in one file."""
    del taken
    clip = turns.clip
    joints = turns.moving & ~finger_joints(clip.skeleton)
    if not joints.any():
        return []
    jumps = _jumps(turns, _at_rate(JUMP, clip.fps))
    steps = np.flatnonzero(jumps[:, joints].mean(axis=1) >= _BODY)
    edge = max(1, round(_EDGE_SECONDS * clip.fps))
    first = max((int(t) + 1 for t in steps if t < edge), default=0)
    last = min((int(t) + 1 for t in steps if t >= clip.n_frames - 1 - edge), default=clip.n_frames)
    joints[0] = False
    if not joints.any():
        joints[0] = True
    away, pace = turns.from_rest[:, joints].mean(axis=1), turns.angles[:, joints].mean(axis=1)
    first = max(first, _near_rest(away, pace, edge))
    last = min(last, clip.n_frames - _near_rest(away[::-1], pace[::-1], edge))
    out = []
    if first:
        out.append(_edge_pose(away, 0, first, "begins"))
    if last < clip.n_frames and last > first:
        out.append(_edge_pose(away, last, clip.n_frames, "ends"))
    for t in map(int, steps):
        if first <= t and t + 1 < last:
            sentence = f"the whole body jumps between {frames_in_words(t, t + 2)}: two takes in one file"
            out.append(Fault("cut", t, t + 2, (), sentence))
    return out


def _near_rest(away: Floats, pace: Floats, edge: int) -> int:
    """Number of frames at the start in which the body leaves a pose half as far from rest (F,) as all later ones.

    Zero unless it leaves the pose at twice the largest speed (F-1,) of all later frames.
    """
    if len(away) < 3 * edge:
        return 0
    inside = float(away[edge:].min())
    if away[0] > 0.5 * inside or inside - away[0] < _RUSH or pace[:edge].max() < 2.0 * pace[edge:].max():
        return 0
    return int(np.argmax(away >= inside))


def _edge_pose(away: Floats, start: int, stop: int, verb: str) -> Fault:
    others = np.delete(away, np.s_[start:stop])
    at_rest = away[start:stop].min() < 0.5 * others.min(initial=np.inf)
    kind, what = ("rest_pose", "the rest pose") if at_rest else ("lead_in", "another pose")
    sentence = f"the clip {verb} with {what} in {frames_in_words(start, stop)}, which is no motion"
    return Fault(kind, start, stop, (), sentence)


def _dropouts(turns: Turns, taken: Bools) -> list[Fault]:
    """Find stretches in which a joint with several axes is exactly zero and jumps out of or into them."""
    spans = []
    at_rest = turns.from_rest < AT_REST
    for joint in np.flatnonzero(turns.free & at_rest.any(axis=0) & ~at_rest.all(axis=0)):
        spans += [
            (start, stop, int(joint))
            for start, stop in runs(at_rest[:, joint])
            if _leaves(turns, int(joint), start, stop) and not taken[start : max(stop - 1, start + 1)].any()
        ]
    out = []
    for start, end, joints in _merged(spans, 0):
        if _in_rest_pose(turns, start, end, joints) or _with_all(turns, start, end, joints):
            continue
        stop = end + int(_goes_on(turns.angles[:, joints].mean(axis=1), end, turns.reach))
        others = at_rest[start] & turns.moving & _jumps(turns)[max(start - 1, 0) : stop].any(axis=0)
        names = _names(turns, [*joints, *np.flatnonzero(others)])
        sentence = f"{joints_in_words(names, 'hold')} zeros in {frames_in_words(start, stop)}, next to a jump"
        out.append(Fault("dropout", start, stop, names, sentence))
    return out


def _in_rest_pose(turns: Turns, start: int, stop: int, joints: list[int]) -> bool:
    """Return whether the whole body is in its rest pose in [start, stop), and few of its joints leave it in a jump.

    If the rest pose is a frame of the motion, zeros are valid there; in a dropout of all joints all of them jump.
    """
    moving = np.flatnonzero(turns.moving)
    resting = (turns.from_rest[start:stop, moving] < AT_REST).all(axis=0)
    return bool(resting.mean() >= _WHOLE and len(joints) < _SOME * moving.size)


def _with_all(turns: Turns, start: int, stop: int, joints: list[int]) -> bool:
    """Return whether joints leave zeros in [start, stop) more slowly than the fastest non-zero joints move then.

    In hand-keyed motion a key may be zero; joints that drop out jump alone.
    """
    resting = (turns.from_rest[start:stop] < AT_REST).any(axis=0)
    others = np.flatnonzero(turns.moving & ~resting & ~finger_joints(turns.clip.skeleton))
    if 2 * others.size < turns.moving.sum():
        return False
    steps = turns.angles[max(start - 2, 0) : stop + 1]
    return bool(steps[:, joints].max() < np.quantile(steps[:, others].max(axis=0), _FAST))


def _leaves(turns: Turns, joint: int, start: int, stop: int) -> bool:
    """Return whether a joint jumps out of exact zeros in [start, stop), or into them."""
    changes, angles = turns.changes[:, joint], turns.angles[:, joint]
    edge = len(angles) + 1 - start
    return _jumps_out(changes, angles, stop, turns.reach) or _jumps_out(
        changes[::-1], angles[::-1], edge, turns.reach
    )


def _goes_on(angles: Floats, edge: int, reach: int) -> bool:
    """Return whether a jump to frame ``edge`` continues for one more step, as in resampled clips."""
    later = angles[edge + 1 : edge + 1 + reach]
    return bool(later.size >= _FEW and angles[edge] > _FACTOR * _second(later) + JUMP)


def _jumps_out(changes: Floats, angles: Floats, edge: int, reach: int) -> bool:
    """Return whether a joint jumps at frame ``edge``, compared with the frames after it.

    Its rotation (F-1,) and the change of its rotation (F-2,) must both be out of proportion: a keyed motion may begin
    abruptly, but continues at that speed. Two steps are checked, because a jump may take two in a resampled clip.
    """
    later, after = changes[edge + 1 : edge + 1 + reach], angles[edge + 1 : edge + 1 + reach]
    if later.size < _FEW:
        return False
    sudden = changes[edge - 1 : edge + 1].max() > _FACTOR * _second(later) + JUMP
    return bool(sudden and angles[edge - 1 : edge + 1].max() > _TURN_FACTOR * _second(after) + JUMP)


def _second(values: Floats) -> float:
    """Second largest of some values; 0 if there are fewer than two."""
    return float(np.sort(values)[-2]) if values.size > 1 else 0.0


def _held(turns: Turns, taken: Bools) -> list[Fault]:
    """Find stretches in which a joint is exactly still while the body moves, with a jump before or after."""
    clip = turns.clip
    still = turns.angles < SAME
    joints = turns.free & ~finger_joints(clip.skeleton)
    body_moves = ~still[:, turns.moving].all(axis=1)
    jumps = _jumps(turns, _at_rate(HELD_JUMP, clip.fps))
    spans = []
    for joint in np.flatnonzero(joints & still.any(axis=0)):
        if _rests(turns, still[:, joint], int(joint)):
            continue
        for start, stop in runs(still[:, joint] & body_moves):
            if stop - start < _HELD_STEPS or taken[start:stop].any():
                continue
            after = stop < len(still) and jumps[stop, joint]
            before = start > 0 and jumps[start - 1, joint]
            if after or before:
                spans.append((start, stop + 1, int(joint)))
    out = []
    for start, stop, found in _merged(spans, 0):
        names = _names(turns, found)
        who = joints_in_words(names, "stand")
        sentence = f"{who} exactly still in {frames_in_words(start, stop)}, next to a jump"
        out.append(Fault("held", start, stop, names, sentence))
    return out


def _rests(turns: Turns, still: Bools, joint: int) -> bool:
    """Return whether a joint has one rotation throughout except for moments: these jump, and nothing is held."""
    poses = turns.clip.rotations[:, joint]
    usual = poses[:-1][still][still.sum() // 2]
    away = 2.0 * half_angle(poses, usual[None]) > AT_REST
    longest = max((stop - start for start, stop in runs(away)), default=0)
    return bool(away.mean() <= 1.0 - _WHOLE and longest <= max(2, _EDGE_SECONDS * turns.clip.fps))


def _glitches(turns: Turns, taken: Bools) -> list[Fault]:
    """Find steps (or pairs of steps, in resampled clips) in which a joint rotates as no body can."""
    clip = turns.clip
    watched = np.flatnonzero(turns.moving & ~finger_joints(clip.skeleton))
    spans = []
    for width, flags in zip((1, 2), _glitch_steps(turns), strict=True):
        for step, column in np.argwhere(flags[:, watched]):
            if not taken[step : step + width].any():
                spans.append((int(step), int(step) + width + 1, int(watched[column])))
    spans += [(t, t + 2, 0) for t in _teleports(turns) if not taken[t]]
    out = []
    for start, stop, joints in _merged(spans, round(_ISLAND_SECONDS * clip.fps)):
        names = _names(turns, joints)
        most = float(np.degrees(turns.angles[start : stop - 1][:, list(joints)].max()))
        who = joints_in_words(names, "jump")
        sentence = f"{who} by up to {most:.0f} degrees a frame in {frames_in_words(start, stop)}"
        out.append(Fault("glitch", start, stop, names, sentence))
    return out


def _glitch_steps(turns: Turns) -> tuple[Bools, Bools]:
    """Flags (F-1, J) of single steps and (F-2, J) of pairs of steps that no body makes.

    A jump may take two steps in a resampled clip; a pair is not flagged next to a step that is a jump alone.
    """
    trunk = trunk_joints(turns.clip.skeleton)
    least = np.where(trunk, float(TRUNK_GLITCH), float(GLITCH))
    fastest = np.where(trunk, float(TRUNK_UNANNOUNCED), float(UNANNOUNCED))
    limit = np.maximum(least, fastest / turns.clip.fps)
    beyond = (
        turns.angles - _GLITCH_FACTOR * turns.around
    )  # relative to its neighbours, not a speed (decision 36)
    single = (beyond > limit) | _taken_back(turns, beyond > least)
    q = turns.clip.rotations
    usual = usual_around(turns.angles, turns.reach, width=2)
    double = 2.0 * half_angle(q[:-2], q[2:]) - 2 * _GLITCH_FACTOR * usual > 2 * limit - least
    padded = np.pad(single, ((1, 1), (0, 0)))
    near = padded[:-2] | padded[1:-1] | padded[2:]
    return single, np.asarray(double & ~(near[:-1] | near[1:]))


def _taken_back(turns: Turns, jumps: Bools) -> Bools:
    """Flags (F-1, J) of jumps out of a pose and, shortly after, back into it: no limb is that fast twice."""
    q, out = turns.clip.rotations, np.zeros_like(jumps)
    for away in range(2, max(round(_BACK_SECONDS * turns.clip.fps), 2) + 1):
        count = len(q) - away
        if count < 1:
            break
        there, back = jumps[:count], jumps[away - 1 : away - 1 + count]
        least = np.minimum(turns.angles[:count], turns.angles[away - 1 : away - 1 + count])
        both = there & back & (2.0 * half_angle(q[:count], q[away:]) < _BACK * least)
        out[:count] |= both
        out[away - 1 : away - 1 + count] |= both
    return out


def _teleports(turns: Turns) -> Ints:
    """Steps in which the root moves too far, compared with the steps around."""
    clip = turns.clip
    if not is_human(clip.skeleton):
        return np.zeros(0, dtype=np.int64)
    moved = np.linalg.norm(np.diff(clip.root_positions, axis=0), axis=1)[:, None] / leg_length(clip.skeleton)
    around = usual_around(moved, turns.reach)
    return np.flatnonzero(moved[:, 0] > _GLITCH_FACTOR * around[:, 0] + TELEPORT)


def _still(turns: Turns) -> list[Fault]:
    """Find frames that repeat the one before: a frozen start, end or middle, or too high a frame rate."""
    clip = turns.clip
    moved = np.linalg.norm(np.diff(clip.root_positions, axis=0), axis=1)
    size = max(float(np.ptp(clip.skeleton.rest_positions(), axis=0).max()), 1e-9)
    still = (turns.angles.max(axis=1) < SAME) & (moved < SAME * size)
    if still.all() or not still.any():
        return []
    found = runs(still)
    if len(found) >= 3 and still.mean() > 0.15 and max(b - a for a, b in found) <= 8:
        kept = (1 - still.mean()) * clip.fps
        sentence = (
            f"{still.sum()} of {still.size} frames repeat the one before: "
            f"the motion has about {kept:.0f} frames a second and not {clip.fps:g}"
        )
        return [Fault("repeats", 0, clip.n_frames, (), sentence, "warning")]
    fastest = turns.angles.max(axis=1)
    usual = float(np.median(fastest[~still]))
    jumps: Bools = np.any(_jumps(turns, _at_rate(JUMP, clip.fps)), axis=1)
    out = []
    for start, stop in found:
        at_start, at_end = start == 0, stop == len(still)
        before, after = fastest[start - 1] if start else 0.0, 0.0 if at_end else fastest[stop]
        if at_start or at_end:
            long = stop - start >= max(_FROZEN_SECONDS * clip.fps, _FROZEN_FRAMES)
            wrong = long or max(before, after) >= 0.25 * usual
        else:
            wrong = stop - start >= max(2, 0.1 * clip.fps) and (jumps[stop] or jumps[start - 1])
        if not wrong:
            continue
        first, last = (start, stop) if at_start and not at_end else (start + 1, stop + 1)
        where = "at the start" if at_start else "at the end" if at_end else "inside"
        sentence = f"the body is frozen {where}, in {frames_in_words(first, last)}"
        out.append(Fault("frozen", first, last, (), sentence))
    return out


def _merged(spans: Iterable[tuple[int, int, int]], gap: int) -> list[tuple[int, int, list[int]]]:
    """Merge spans (start, stop, joint) that overlap or lie within ``gap`` frames, with all their joints."""
    out: list[tuple[int, int, list[int]]] = []
    for start, stop, joint in sorted(spans):
        if out and start <= out[-1][1] + gap:
            out[-1] = (out[-1][0], max(out[-1][1], stop), [*out[-1][2], joint])
        else:
            out.append((start, stop, [joint]))
    return out


def _names(turns: Turns, joints: Iterable[int]) -> tuple[str, ...]:
    return tuple(turns.clip.skeleton.names[joint] for joint in sorted({int(j) for j in joints}))
