"""The plan of a study: the moments of the clips that it shows, and the length of each blend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from segue.app.stages import read
from segue.app.studies.design import Design, Given, Part
from segue.blending.durations import blend_length
from segue.blending.lengths import is_periodic
from segue.blending.methods import METHODS, Kind
from segue.documents import as_kind
from segue.errors import NoTransitionError, SegueError, SettingError, nearest
from segue.library.weights import cost_of_words
from segue.motion.body import is_human
from segue.motion.clip import Clip
from segue.motion.faults import unusable_frames
from segue.motion.resample import resampled
from segue.synthesis.retarget import retarget
from segue.threads import Progress, silent
from segue.transitions.optimum import optimal_transition
from segue.transitions.selection import transition_points

_TRIES = 40  # moments drawn for a pair of clips before another pair is tried


@dataclass(frozen=True)
class Stimulus:
    """One motion that is shown.

    Parameters
    ----------
    name
        Name in answers and of its file.
    motion, part
        Motion of the study that it belongs to, and the study's part of that motion.
    condition
        Name of the condition; in a study of differences the blend length, as ``k10``.
    a, b
        Names of the clips left and arrived in.
    a_frame, b_frame
        Frames of those clips at the design's rate.
    kind
        Kind of the transition point.
    frames
        Blended frames; 0 is a hard cut.
    method
        Method of the blend length.
    """

    name: str
    motion: str
    part: str
    condition: str
    a: str
    b: str
    a_frame: int
    b_frame: int
    kind: Kind
    frames: int
    method: str


@dataclass(frozen=True)
class StudyPlan:
    """A design with its motions: everything that trials and analysis need, without the clips."""

    design: Design
    stimuli: tuple[Stimulus, ...]

    def __post_init__(self) -> None:
        """Refuse an impossible plan.

        Raises
        ------
        SettingError
            If it has no stimulus, a name twice, or a wrong number of conditions for its kind.
        """
        if not self.stimuli or len({one.name for one in self.stimuli}) < len(self.stimuli):
            raise SettingError("a study shows one stimulus or more, each under a name of its own")
        if any(";" in one.name or "|" in one.name for one in self.stimuli):
            raise SettingError(
                "names of stimuli hold neither ; nor |, by which answers part them: rename the clips"
            )
        counts = {len(self.of(motion)) for motion in self.motions}
        if self.design.kind in ("preference", "likert") and counts != {2}:
            raise SettingError("every motion of a study of two conditions has two stimuli")
        if self.design.kind == "jnd" and (min(counts) < 2 or any(one.frames < 1 for one in self.stimuli)):
            raise SettingError(
                "every motion of a study of differences has a reference and other lengths, of 1 frame or more"
            )

    @property
    def motions(self) -> tuple[str, ...]:
        """Names of the motions."""
        return tuple(dict.fromkeys(one.motion for one in self.stimuli))

    @property
    def conditions(self) -> tuple[str, ...]:
        """Names of the conditions in the design's order."""
        return tuple(dict.fromkeys(one.condition for one in self.stimuli))

    def of(self, motion: str) -> dict[str, Stimulus]:
        """Stimuli of a motion by condition."""
        return {one.condition: one for one in self.stimuli if one.motion == motion}

    def part_of(self, motion: str) -> str:
        """Part of the study that a motion belongs to."""
        return next(one.part for one in self.stimuli if one.motion == motion)

    def reference(self, motion: str) -> int:
        """Frames of the reference of a motion in a study of differences, which is its first stimulus."""
        return next(one.frames for one in self.stimuli if one.motion == motion)

    def levels(self, motion: str, track: str) -> tuple[float, ...]:
        """Differences in frames of one direction, ``"longer"`` or ``"shorter"``, in rising order."""
        sign = 1 if track == "longer" else -1
        k = self.reference(motion)
        steps = [sign * (one.frames - k) for one in self.of(motion).values()]
        return tuple(float(step) for step in sorted(steps) if step > 0)

    def document(self) -> dict[str, Any]:
        """The plan as stored in a library."""
        return {"design": asdict(self.design), "stimuli": [asdict(one) for one in self.stimuli]}


def plan_of(document: dict[str, Any], *, place: str) -> StudyPlan:
    """Plan from its document."""
    return as_kind(document, StudyPlan, place, what="the plan of a study:")


def clips_of(design: Design, *, clips: Sequence[str] = (), progress: Progress = silent) -> tuple[Clip, ...]:
    """Clips of a design, or the given ones instead, all on the first one's body and at the design's rate.

    Raises
    ------
    FileError
        If one cannot be read.
    SettingError
        If no clip has legs.
    """
    found = [
        clip
        for clip in read(list(clips) or list(design.clips), progress=progress).clips
        if is_human(clip.skeleton)
    ]
    if not found:
        raise SettingError(f"the study {design.name!r} has no clip of a body with legs")
    return tuple(resampled(retarget(clip, found[0].skeleton), design.fps) for clip in found)


def make_plan(design: Design, clips: Sequence[Clip], *, progress: Progress = silent) -> StudyPlan:
    """Choose the motions of a study and the length of each blend.

    Raises
    ------
    SettingError
        If the clips have fewer transitions of a kind than the design asks for.
    """
    stimuli: list[Stimulus] = []
    if design.motions:
        for given in design.motions:
            pair = _called(given.a, clips), _called(given.b, clips)
            stimuli += _stimuli(
                design, pair, given, name=f"{pair[0].name} to {pair[1].name} at {given.a_frame}"
            )
        return StudyPlan(design, tuple(stimuli))
    rng = np.random.default_rng(design.seed)
    wanted = sum(part.count for part in design.parts)
    for part in design.parts:
        found = 0
        for pair in _pairs(clips, rng):
            if found == part.count:
                break
            progress("choosing motions", len({one.motion for one in stimuli}), wanted)
            some = _of_pair(design, part, pair, rng, {one.motion for one in stimuli})
            stimuli += some
            found += bool(some)
        if found < part.count:
            kind = "" if part.category == "any" else f" of {part.category}"
            msg = (
                f"the clips offer {found} of the {part.count} transitions{kind} that part {part.name!r} of the study "
                f"{design.name!r} asks for; give more clips with --clips, or shorter stimuli{_longest(design, clips)}"
            )
            raise SettingError(msg)
    return StudyPlan(design, tuple(stimuli))


def _longest(design: Design, clips: Sequence[Clip]) -> str:
    """Explanation if the clips are too short for a study; else empty."""
    longest = max(clip.seconds for clip in clips)
    if longest >= design.seconds:
        return ""
    return f": stimuli of {design.seconds:g} s need clips as long, and the longest lasts {longest:.1f} s"


def _called(name: str, clips: Sequence[Clip]) -> Clip:
    for clip in clips:
        if clip.name == name.removeprefix("sample:"):
            return clip
    msg = f"no clip of the study is called {name!r}; {nearest(name, [clip.name for clip in clips])}"
    raise SettingError(msg)


def _pairs(clips: Sequence[Clip], rng: np.random.Generator) -> Iterator[tuple[Clip, Clip]]:
    """Ordered pairs of different clips in random order, three times; a single clip is paired with itself."""
    every = [(a, b) for a in clips for b in clips if a is not b] or [(clips[0], clips[0])]
    for _ in range(3):
        for k in rng.permutation(len(every)):
            yield every[int(k)]


def _of_pair(
    design: Design, part: Part, pair: tuple[Clip, Clip], rng: np.random.Generator, taken: set[str]
) -> list[Stimulus]:
    """Stimuli of a transition between two clips that fits the design; empty if there is none."""
    half = round(design.seconds * design.fps / 2)
    for given in _moments(design, part, pair, rng, half):
        if _is_faulty(pair[0], given.a_frame, half) or _is_faulty(pair[1], given.b_frame, half):
            continue
        repetitive = is_periodic(pair[0], given.a_frame) and is_periodic(pair[1], given.b_frame)
        if part.category != "any" and repetitive != (part.category == "locomotion"):
            continue
        plain = f"{pair[0].name} to {pair[1].name}"
        name = plain if plain not in taken else f"{plain} ({sum(one.startswith(plain) for one in taken) + 1})"
        try:
            return _stimuli(design, pair, given, name=name)
        except SegueError:
            continue
    return []


def _is_faulty(clip: Clip, frame: int, half: int) -> bool:
    return bool(unusable_frames(clip)[max(frame - half, 0) : frame + half + 1].any())


def _moments(
    design: Design, part: Part, pair: tuple[Clip, Clip], rng: np.random.Generator, half: int
) -> Iterator[Given]:
    a, b = pair
    most_a, most_b = a.n_frames - 1 - half, b.n_frames - 1 - half
    if min(most_a, most_b) < half:
        return
    if design.point == "start_end":
        for _ in range(_TRIES):
            yield Given(
                a.name,
                b.name,
                int(rng.integers(half, most_a + 1)),
                int(rng.integers(half, most_b + 1)),
                part.name,
            )
        return
    if design.point == "optimum":
        yield Given(a.name, b.name, half, half, part.name)  # each condition finds its own
        return
    points = transition_points(a, b, threshold=1e9)  # the best minimum, at any cost
    for point in sorted(points, key=lambda one: one.cost):
        if half <= point.a_frame <= most_a and half <= point.b_frame <= most_b:
            yield Given(a.name, b.name, point.a_frame, point.b_frame, part.name)


def _stimuli(design: Design, pair: tuple[Clip, Clip], given: Given, *, name: str) -> list[Stimulus]:
    """Stimuli of one transition: all conditions, or the reference and all differences.

    Raises
    ------
    SegueError
        If one of them cannot be made, or two are too similar.
    """
    kind: Kind = "start_end" if design.point == "start_end" else "aligned"
    first = Stimulus(
        "", name, given.part, "", pair[0].name, pair[1].name, given.a_frame, given.b_frame, kind, 0, ""
    )
    if design.kind == "jnd":
        return _lengths(design, pair, first)
    out = []
    for condition, how in design.conditions.items():
        one = replace(first, condition=condition, name=f"{name}, {condition}", method=str(how.length))
        if how.cost:
            half = design.seconds / 2
            found = optimal_transition(*pair, cost=cost_of_words(how.cost), before=half, after=half)
            one = replace(one, a_frame=found.a_frame, b_frame=found.b_frame, kind="aligned")
        out.append(replace(one, frames=_frames(design, pair, one, how.length)))
    _check_apart(design, out)
    return out


def _check_apart(design: Design, stimuli: Sequence[Stimulus]) -> None:
    lengths = [one.frames for one in stimuli]
    same = len({(one.a_frame, one.b_frame, one.frames, one.method) for one in stimuli}) < len(stimuli)
    if (
        design.point != "optimum"
        and design.differ_frames
        and max(lengths) - min(lengths) < design.differ_frames
    ):
        raise NoTransitionError("the blends of the conditions are too much alike")
    if same and len(stimuli) > 1:
        raise NoTransitionError("two conditions make the same transition")


def _lengths(design: Design, pair: tuple[Clip, Clip], first: Stimulus) -> list[Stimulus]:
    k = design.levels.reference
    reference = k if isinstance(k, int) else _frames(design, pair, first, k)
    room = round(design.seconds * design.fps / 2) - 1
    lengths = [
        reference,
        *(reference + step for step in design.levels.steps if 1 <= reference + step <= room),
    ]
    if not 1 <= reference <= room:
        raise NoTransitionError("the reference is longer than what is shown")
    return [
        replace(first, name=f"{first.motion}, k{n}", condition=f"k{n}", frames=n, method="fixed")
        for n in lengths
    ]


def _frames(design: Design, pair: tuple[Clip, Clip], one: Stimulus, length: float | str) -> int:
    """Blended frames from a length in seconds or by name.

    Raises
    ------
    SettingError
        If the name is unknown or does not apply to the kind of point.
    NoTransitionError
        If it lies at the border of its range, where it means nothing.
    """
    if not isinstance(length, str):
        return round(length * design.fps)
    if length not in METHODS:
        raise SettingError(f"length={length!r} is not known; {nearest(length, METHODS)}")
    found = blend_length(*pair, a_frame=one.a_frame, b_frame=one.b_frame, kind=one.kind, method=length)
    room = round(design.seconds * design.fps / 2) - 1
    frames = round(found.seconds * design.fps)
    if length in ("geodesic", "timewarped", "velocity") and (found.at_border or frames > room):
        raise NoTransitionError("the blend length came out at its border")
    return frames
