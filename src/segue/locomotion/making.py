"""Transitions between types that no clip holds: made from the best transition between clips of the two types."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.errors import SegueError
from segue.locomotion.cutting import transition_examples
from segue.locomotion.examples import LeftOut, TransitionExample
from segue.locomotion.phases import GaitPhases, Phase, gait_phases, mirrored
from segue.motion.clip import Clip
from segue.motion.mirror import mirror
from segue.motion.resample import cut
from segue.synthesis.splice import splice
from segue.transitions.selection import transition_points
from segue.transitions.transition import TransitionPoint

_STRETCHES = 4  # stretches tried for each type
_POINTS = 6  # transitions tried between two stretches
_MOST_TRIES = 48  # transitions rendered for a pair of types, lowest cost first
_WANTED = 2  # transitions made for each pair, each with its mirror image
_ANY = 1e9  # a threshold above every cost: the transition of lowest cost is used, however high that is
_EDGE = 0.3  # seconds kept beyond a phase, so that its last events are found


def made_transitions(
    seen: Sequence[GaitPhases], missing: Sequence[tuple[str, str]]
) -> tuple[list[TransitionExample], list[LeftOut]]:
    """Make transitions for pairs of types.

    Stretches of the two types are joined at their transitions of lowest cost, with feet held; the result is cut like a
    captured motion, so it is used only if it has the structure of one.

    Returns
    -------
    tuple
        The transitions, marked as made, and the pairs for which none could be made.
    """
    out: list[TransitionExample] = []
    left: list[LeftOut] = []
    for source, target in missing:
        made = _made(seen, source, target)
        out += made
        if not made:
            reason = "no clip holds it, and none could be made from stretches of both types"
            left.append(LeftOut("made", f"{source} to {target}", reason))
    return out, left


def _made(seen: Sequence[GaitPhases], source: str, target: str) -> list[TransitionExample]:
    tries: list[tuple[Clip, Clip, TransitionPoint]] = []
    speeds = {kind: _speed(seen, kind) for kind in (source, target)}
    for a in _stretches(seen, source, near=speeds[target]):
        for b in _stretches(seen, target, near=speeds[source]):
            try:
                points = transition_points(a, b, threshold=_ANY)
            except SegueError:  # a stretch shorter than the cost's window
                continue
            tries += [(a, b, point) for point in points[:_POINTS]]
    out: list[TransitionExample] = []
    for a, b, point in sorted(tries, key=lambda one: one[2].cost)[:_MOST_TRIES]:
        try:
            motion = splice(a, b, point, length="auto", feet="locked")
        except SegueError:  # a blend that does not fit
            continue
        motion = motion.with_motion(name=f"{a.name} to {b.name}")
        one = gait_phases(motion)
        found = _between(one, source, target)
        if found:
            other = mirror(motion)
            same = other if other.skeleton is motion.skeleton else other.with_skeleton(motion.skeleton)
            out += [*found, *_between(mirrored(one, same), source, target)]
        if len(out) >= 2 * _WANTED:
            break
    return out


def _between(one: GaitPhases, source: str, target: str) -> list[TransitionExample]:
    return [
        example
        for example in transition_examples(one, made=True)[0]
        if (example.source, example.target) == (source, target)
    ]


def _speed(seen: Sequence[GaitPhases], kind: str) -> float:
    """Speed of a type: the median of its stretches."""
    speeds = [
        float(one.root_speed[phase.start : phase.stop + 1].mean())
        for one in seen
        for phase in one.phases
        if phase.kind == kind
    ]
    return float(np.median(speeds)) if speeds else 0.0


def _stretches(seen: Sequence[GaitPhases], kind: str, *, near: float) -> list[Clip]:
    """Stretches of a type, sorted by difference from a speed, with a margin before and after each."""
    found: list[tuple[float, Clip]] = []
    for one in seen:
        if one.mirrored:
            continue
        for phase in one.phases:
            if phase.kind != kind:
                continue
            start, stop = _with_edges(one, phase)
            if not one.usable[start:stop].all():
                continue
            speed = float(one.root_speed[phase.start : phase.stop + 1].mean())
            found.append((abs(speed - near), cut(one.clip, start, stop)))
    found.sort(key=lambda pair: pair[0])
    long = [clip for _, clip in found if clip.seconds >= 2 * _EDGE]
    return (long or [clip for _, clip in found])[:_STRETCHES]


def _with_edges(one: GaitPhases, phase: Phase) -> tuple[int, int]:
    more = round(_EDGE * one.clip.fps)
    return max(0, phase.start - more), min(one.clip.n_frames, phase.stop + 1 + more)
