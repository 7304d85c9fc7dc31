"""Cut clips into example motions: cycles of walking and running, stretches of standing, transitions."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from segue.arrays import Bools, Floats, frozen
from segue.locomotion.arcs import Arc, fit_arc
from segue.locomotion.examples import (
    CYCLES,
    STAND,
    Events,
    Example,
    ExampleQuality,
    LeftOut,
    TransitionExample,
    frozen_keytimes,
)
from segue.locomotion.phases import GaitPhases, Phase
from segue.maths.planar import wrapped
from segue.maths.quaternions import from_yaw, half_angle, multiply, rotate
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.facing import heading, without_sway
from segue.motion.feet import foot_points, leg_length
from segue.motion.resample import cut

_SHORTEST, _LONGEST = 0.35, 2.5  # seconds of a cycle
_BRIEFEST = 0.03  # seconds between keytimes: a shorter one is neither a flight nor a double support
_SLOWEST = 0.35  # leg lengths a second: slower steps are shuffles
_UNSTEADY = 0.3  # change of speed between the halves of a cycle, as a share
_SIDEWAYS = np.radians(40.0)  # between travel and facing: more is side-stepping or walking backwards
_OFF_ARC = 0.07  # leg lengths
_OPEN = 0.45  # radians a joint between the ends of a cycle
_STAND_SECONDS = 2.0
_STAND_SHARED = 0.5  # seconds of standing that belong to a start or a stop
_LONGEST_TRANSITION = 2.2  # seconds between two types: longer is another motion
_PAUSE = 0.8  # seconds between two steps of a transition: longer is a stand that was not still enough
_EASED = 0.3  # least seconds in which a guide turns from one type's heading to the other's
_ROUNDS = 4  # passes that remove turning
_SHARED = 4  # intervals of a cycle that a transition shares with it, if there are as many


def cycles(seen: GaitPhases) -> tuple[list[Example], list[LeftOut]]:
    """Cut every complete cycle that begins with a strike of the left foot.

    Returns
    -------
    tuple
        The examples, and the stretches left out, each with the reason.
    """
    kept: list[Example] = []
    left: list[LeftOut] = []
    for phase in seen.phases:
        if phase.kind == STAND:
            continue
        cycle = CYCLES[phase.kind]
        for first in range(phase.first, phase.last - len(cycle) + 1):
            if seen.events[first] != cycle[0]:
                continue
            frames = seen.frames[first : first + len(cycle) + 1]
            name = _named(seen, int(frames[0]), int(frames[-1]))
            reason, example = _cycle(seen, phase.kind, name, frames)
            if example is None:
                left.append(LeftOut(name, phase.kind, reason))
            else:
                kept.append(example)
    return kept, left


def _cycle(seen: GaitPhases, kind: str, name: str, frames: Floats) -> tuple[str, Example | None]:
    """Return an empty reason and the example of one cycle, or the reason why there is none."""
    start, stop = int(frames[0]), int(frames[-1])
    if not seen.usable[start : stop + 1].all():
        return "holds frames that are not motion", None
    piece = cut(seen.clip, start, stop + 1)
    leg = leg_length(piece.skeleton)
    if not _SHORTEST <= piece.seconds <= _LONGEST:
        return f"lasts {piece.seconds:.2f} s", None
    briefest = float(np.min(np.diff(frames))) / piece.fps
    if briefest < _BRIEFEST:
        return f"{1000 * briefest:.0f} ms between two keytimes: between walking and running", None
    arc = ground_arc(piece)
    if arc.speed < _SLOWEST * leg:
        return f"shuffles at {arc.speed:.2f} m/s", None
    quality = ExampleQuality(_closure(piece), arc.residual, _unsteady(piece))
    away = _away(piece, arc)
    for bad, reason in (
        (away > _SIDEWAYS, f"travels {np.degrees(away):.0f} degrees away from where it faces"),
        (quality.steadiness > _UNSTEADY, f"speed changes by {quality.steadiness:.0%} within it"),
        (quality.residual > _OFF_ARC * leg, f"strays {100 * quality.residual:.0f} cm from any arc"),
        (quality.closure > _OPEN, f"ends in another pose than it began: {quality.closure:.2f} rad a joint"),
    ):
        if bad:
            return reason, None
    events = (*CYCLES[kind], CYCLES[kind][0])
    parameters = {"speed": arc.speed, "turn": arc.turn}
    planted, floor = _ground(seen, start, stop)
    return "", Example(
        name, kind, piece, frozen_keytimes(frames), events, parameters, planted, floor, quality
    )


def stands(seen: GaitPhases) -> list[Example]:
    """Cut the stillest part of every stretch of standing."""
    out = []
    for phase in seen.phases:
        if phase.kind != STAND:
            continue
        length = min(round(_STAND_SECONDS * seen.clip.fps), phase.stop - phase.start)
        moving = np.concatenate([[0.0], np.cumsum(_motion(seen.clip)[phase.start : phase.stop])])
        start = phase.start + int(np.argmin(moving[length:] - moving[: -length or None]))
        if not seen.usable[start : start + length + 1].all():
            continue
        piece = cut(seen.clip, start, start + length + 1)
        quality = ExampleQuality(_closure(piece), float(moving[-1] / len(moving)) * piece.fps, 0.0)
        name = _named(seen, start, start + length)
        parameters = {"speed": 0.0, "turn": 0.0}
        keytimes = frozen_keytimes([0.0, float(length)])
        planted, floor = _ground(seen, start, start + length)
        out.append(
            Example(name, STAND, piece, keytimes, ("rest", "rest"), parameters, planted, floor, quality)
        )
    return out


def transition_examples(
    seen: GaitPhases, *, made: bool = False
) -> tuple[list[TransitionExample], list[LeftOut]]:
    """Cut every transition from one type to another.

    It begins with the last cycle of the type it leaves (or the last part of its standing), and ends with the first of
    the type it arrives in, as far as the clip holds them.
    """
    kept: list[TransitionExample] = []
    left: list[LeftOut] = []
    for one, two in zip(seen.phases, seen.phases[1:], strict=False):
        if one.kind == two.kind:
            continue
        name = _named(seen, one.stop, two.start)
        word = f"{one.kind} to {two.kind}"
        if (two.start - one.stop) / seen.clip.fps > _LONGEST_TRANSITION:
            left.append(
                LeftOut(name, word, f"the two are {(two.start - one.stop) / seen.clip.fps:.1f} s apart")
            )
            continue
        found = _transition_example(seen, one, two, made=made)
        if isinstance(found, str):
            left.append(LeftOut(name, word, found))
        else:
            kept.append(found)
    return kept, left


def _transition_example(seen: GaitPhases, one: Phase, two: Phase, *, made: bool) -> TransitionExample | str:
    """Transition between two consecutive phases, or the reason why there is none."""
    shared = round(_STAND_SHARED * seen.clip.fps)
    if one.kind == STAND:
        first = one.first + 1  # the first event after standing
        if first >= len(seen.events):
            return "no step follows"
        off = int(seen.frames[first])
        head_frames, head_words = [float(max(one.start, off - shared))], ["rest"]
        before, from_interval = 1, 0
    else:
        before = min(_SHARED, one.last - one.first)
        first = one.last - before
        head_frames, head_words = [], []
        from_interval = _place(seen.events[first], one.kind)
    if two.kind == STAND:
        last = two.first
        if last < 0:
            return "no step goes before"
        settle = max(float(two.start), float(seen.frames[last]) + 3.0)
        end = min(float(two.stop), settle + shared)
        tail_frames, tail_words = [settle, end], ["rest", "rest"]
        after, to_interval = 1, 0
    else:
        after = min(_SHARED, two.last - two.first)
        last = two.first + after
        tail_frames, tail_words = [], []
        to_interval = _place(seen.events[two.first], two.kind)
    frames = [*head_frames, *(float(f) for f in seen.frames[first : last + 1]), *tail_frames]
    words = [*head_words, *seen.events[first : last + 1], *tail_words]
    unfit = _unfit(seen, frames, steps=seen.frames[first : last + 1], least=before + after)
    if unfit:
        return unfit
    start, stop = int(frames[0]), int(frames[-1])
    piece = cut(seen.clip, start, stop + 1)
    keytimes = frozen_keytimes(frames)
    ends = []
    for kind, shared_piece in (
        (one.kind, cut(piece, 0, int(keytimes[before]) + 1)),
        (two.kind, cut(piece, int(keytimes[-1 - after]), piece.n_frames)),
    ):
        unfit, measured = _measured(shared_piece, kind)
        if unfit:
            return unfit
        ends.append(measured)
    return TransitionExample(
        _named(seen, start, stop),
        one.kind,
        two.kind,
        piece,
        keytimes,
        tuple(words),
        before,
        after,
        from_interval,
        to_interval,
        np.array(ends),
        *_ground(seen, start, stop),
        made,
    )


def _unfit(seen: GaitPhases, frames: list[float], *, steps: Floats, least: int) -> str:
    """Reason why a transition's keytimes are unfit, empty if they are fit; ``steps`` are those that are foot events."""
    if len(frames) <= least or np.any(np.diff(frames) < _BRIEFEST / 2 * seen.clip.fps):
        return "its keytimes do not follow one another"
    pause = float(np.max(np.diff(steps), initial=0.0)) / seen.clip.fps
    if pause > _PAUSE:  # decision 103
        return f"pauses for {pause:.1f} s between two steps"
    if not seen.usable[int(frames[0]) : int(frames[-1]) + 1].all():
        return "holds frames that are not motion"
    return ""


def _ground(seen: GaitPhases, start: int, stop: int) -> tuple[Bools, float]:
    """Flags of foot parts on the ground in frames ``start`` to ``stop``, both inclusive, and the ground height.

    The lower of heel and toe counts: a runner's heel may never come down.
    """
    found = contacts(seen.clip)
    heights = found.floor - foot_points(seen.clip.skeleton).rest_heights
    return frozen(found.flags[start : stop + 1], np.bool_), float(heights.reshape(2, 2).min(axis=1).mean())


def ground_arc(piece: Clip) -> Arc:
    """Fit an arc to a stretch's root along the ground."""
    return fit_arc(piece.root_positions[:, [0, 2]], piece.seconds)


def guide_heading(transition: TransitionExample) -> Floats:
    """Compute the heading (F,) in radians of a transition's guide in each frame.

    Over the part shared with a type it is that of the type's own guide: of its arc, or of a stand its facing. In
    between it is the body's facing without sway, plus an offset interpolated between the two ends. So neither a body
    that faces away from its path, nor its sway, turns a character at either end.
    """
    clip, keytimes = transition.clip, transition.keytimes
    smooth = without_sway(heading(clip), clip.fps)
    first = math.ceil(keytimes[transition.before])
    last = max(math.floor(keytimes[-1 - transition.after]), first + 1)
    away = np.zeros(clip.n_frames)
    for kind, shared, piece in (
        (transition.source, transition.before, slice(0, first + 1)),
        (transition.target, transition.after, slice(last, clip.n_frames)),
    ):
        # An arc over less than a cycle leans to the side of the sway: there the facing is used.
        if kind == STAND or shared >= _SHARED:
            away[piece] = _goes_beside(kind, cut(clip, *piece.indices(clip.n_frames)[:2]), smooth[piece])
    missing = max(math.ceil(_EASED * clip.fps - (last - first)), 0)  # the turn extends into the steps
    begin = first if transition.source == STAND else max(first - missing, 0)
    end = last if transition.target == STAND else min(last + missing, clip.n_frames - 1)
    between = np.arange(begin, end + 1)
    away[between] = np.interp(between, [begin, end], [away[begin], away[end]])
    return smooth + away


def straightened(transition: TransitionExample) -> TransitionExample:
    """Remove the turn of a transition: its guide keeps one heading, and the body sways about it as before.

    A captured transition turns as its clip does, but without a command to turn the character must not. Each step of the
    root is rotated back by the guide's turn up to then. Arcs are then fitted again, until the result is straight.
    """
    for _ in range(_ROUNDS):
        clip, guide = transition.clip, guide_heading(transition)
        back = guide[0] - guide
        rotations = np.array(clip.rotations)
        rotations[:, 0] = multiply(from_yaw(back), rotations[:, 0])
        between = 0.5 * (back[1:] + back[:-1])
        steps = rotate(from_yaw(between), np.diff(clip.root_positions, axis=0))
        roots = clip.root_positions[0] + np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
        transition = replace(transition, clip=clip.with_motion(rotations, roots))
    # No turning rate is left (decision 129).
    return replace(transition, parameters=transition.parameters * [1.0, 0.0])


def _goes_beside(kind: str, piece: Clip, faces: Floats) -> Floats:
    """Angle (n,) in radians from the facing of a piece to the heading of its type's own guide."""
    if kind == STAND:
        return float(np.mean(faces)) - faces
    arc = ground_arc(piece)
    goes = arc.heading + arc.turn * np.arange(piece.n_frames) / piece.fps
    middle = float(np.mean(goes - faces))
    return goes - faces + (float(wrapped(middle)) - middle)


def _measured(piece: Clip, kind: str) -> tuple[str, tuple[float, float]]:
    """Reason why the part shared with a type does not fit, or nothing; its speed and turning rate."""
    if kind == STAND:
        return "", (0.0, 0.0)
    arc = ground_arc(piece)
    reason = ""
    if arc.speed < _SLOWEST * leg_length(piece.skeleton):
        reason = f"shuffles at {arc.speed:.2f} m/s"
    elif (away := _away(piece, arc)) > _SIDEWAYS:
        reason = f"travels {np.degrees(away):.0f} degrees away from where it faces"
    return reason, (arc.speed, arc.turn)


def _away(piece: Clip, arc: Arc) -> float:
    """Angle between travel and facing in the middle of a stretch."""
    return float(np.abs(wrapped(arc.heading + arc.turn * piece.seconds / 2 - _facing(piece))))


def _place(event: str, kind: str) -> int:
    words: Events = CYCLES[kind]
    return words.index(event)


def _named(seen: GaitPhases, start: int, stop: int) -> str:
    return f"{seen.clip.name}:{start}-{stop}"


def _closure(piece: Clip) -> float:
    """Root mean square of the rotation angles in radians of all joints but the root between both ends."""
    angles = 2.0 * half_angle(piece.rotations[0, 1:], piece.rotations[-1, 1:])
    return float(np.sqrt(np.mean(angles**2)))


def _unsteady(piece: Clip) -> float:
    """Change of speed between the halves, as a share of their mean."""
    middle = piece.n_frames // 2
    ground = piece.root_positions[:, [0, 2]]
    one = float(np.linalg.norm(ground[middle] - ground[0])) / middle
    two = float(np.linalg.norm(ground[-1] - ground[middle])) / (piece.n_frames - 1 - middle)
    return abs(two - one) / max((one + two) / 2, 1e-9)


def _facing(piece: Clip) -> float:
    return float(np.mean(heading(piece)))


def _motion(clip: Clip) -> Floats:
    """Radians (F-1,) by which the joints rotate from frame to frame, root mean square."""
    angles = 2.0 * half_angle(clip.rotations[:-1, 1:], clip.rotations[1:, 1:])
    out: Floats = np.sqrt(np.mean(angles**2, axis=1))
    return out
