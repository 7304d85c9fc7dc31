"""Hold planted feet: heels and toes keep their places except for a small creep and their tremor.

As in joint-relative-distance motion graphs, §6: contacts determine when a foot is planted; while it is, the foot is
moved along the ground so that the planted part does not slide; before and after, the move fades
(`segue.synthesis.feet.moves`). The leg reaches by analytic inverse kinematics, and where it cannot the root is
lowered slightly and smoothly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from segue.arrays import Bools, Floats, sealed
from segue.errors import SettingError
from segue.measures.foot_skate import PARTS, PlantSlide, foot_skate
from segue.motion.clip import Clip
from segue.motion.flags import runs, without_short
from segue.motion.floors import Floor, find_floor, levelled
from segue.motion.stance import stance
from segue.summaries import one_line
from segue.synthesis.feet.heights import Grounding, grounded, plants_near
from segue.synthesis.feet.moves import FootSteps
from segue.synthesis.feet.reaching import LegMotion, reached
from segue.synthesis.feet.steadying import steadied
from segue.synthesis.feet.steps import LOCKED, NATURAL, PlantMotion, bounded

Heights: TypeAlias = Literal["floor", "captured"]
"""Whether planted feet are put on a given or found floor, or keep their heights."""

EASE = 0.15
"""Seconds over which a foot's move fades."""
SHORTEST = 0.05
"""Seconds: shorter plants are not held."""
_STILL = 0.001


@one_line
@dataclass(frozen=True, eq=False)
class PlantedFeet:
    """A motion with its feet held, and how far each plant slid before and after.

    Parameters
    ----------
    clip
        The motion; frames that needed no change are bit for bit those given.
    given
        The motion before correction.
    held
        (F, 4) flags of the foot parts that were held.
    changed
        (F,) flags of the frames that differ.
    lowered
        (F,) metres by which the root was lowered.
    floor
        The given or found floor; None for a level floor wherever the feet rest.
    grounding
        Planted feet relative to that floor, before and after; None where heights are as captured.
    contacts
        (F, 4) flags of all planted foot parts, held or not.
    """

    clip: Clip
    given: Clip
    held: Bools
    changed: Bools
    lowered: Floats
    floor: Floor | None = None
    grounding: Grounding | None = None
    contacts: Bools = field(default_factory=lambda: np.zeros((0, 4), dtype=bool))

    @cached_property
    def before(self) -> tuple[PlantSlide, ...]:
        """One `PlantSlide` for each held plant and foot part, before correction."""
        return self._slides(self.given)

    @cached_property
    def after(self) -> tuple[PlantSlide, ...]:
        """The same plants, in the same order, with the feet held."""
        return self._slides(self.clip)

    def _slides(self, motion: Clip) -> tuple[PlantSlide, ...]:
        flat = motion if self.floor is None else levelled(motion, self.floor)
        return tuple(foot_skate(flat, planted=self.held))


def plant_feet(
    clip: Clip,
    *,
    planted: Bools | None = None,
    within: Sequence[tuple[int, int]] | None = None,
    ease: float = EASE,
    strength: Floats | None = None,
    floor: Floor | float | Literal["found"] | None = None,
    heights: Heights = "floor",
    steps: Floats | None = None,
    keep: PlantMotion = NATURAL,
) -> PlantedFeet:
    """Hold every planted foot; it keeps its small movements, and is put on a floor where one is given.

    Parameters
    ----------
    clip
        Any motion with known hips, knees and ankles.
    planted
        (F, 4) flags in the order of `segue.measures.foot_skate.PARTS`; by default found in the clip itself. For a made
        motion `segue.measures.foot_skate.carried_contacts` returns the contacts of its sources.
    within
        Frame ranges (half open): only plants that touch one of them are held; all by default.
    ease
        Seconds over which a foot's move fades before and after its plant, at least.
    strength
        (F,) share of the move that is made in each frame, 0 to 1; 1 everywhere by default.
    floor
        The floor: a level floor wherever feet rest (by default), a height in metres, a `Floor` that may slope, or
        ``"found"``: the plane estimated from the motion. Feet are moved along it; their heights above it are
        corrected only where a floor is given or found (`segue.synthesis.feet.heights`).
    heights
        With a floor: ``"floor"`` puts planted heels and toes on it and raises what is below it; ``"captured"`` leaves
        heights as they are.
    steps
        (F, 4, 2) metres on x and z that heels and toes should go from the previous frame, to follow another motion;
        their own by default.
    keep
        How much of that motion planted feet keep: by default a centimetre from end to end, tremor included.

    Raises
    ------
    SettingError
        If flags are not (F, 4), the ease is not 0.02 to 1 s, no floor is found, or the word for heights is
        unknown.
    SkeletonError
        If the legs are unknown.

    Examples
    --------
    >>> import segue
    >>> from segue.synthesis.feet.steps import LOCKED
    >>> walk = segue.sample("walk")
    >>> slid = walk.with_motion(root_positions=walk.root_positions * [1.0, 1.0, 1.1])
    >>> found = plant_feet(slid, planted=segue.contacts(walk).flags, keep=LOCKED)
    >>> max(plant.along_path for plant in found.before) > 0.02
    True
    >>> max(plant.start_to_end for plant in found.after) < 0.001
    True
    """
    _check(ease, heights)
    if floor is not None:
        return _on_floor(
            clip,
            _floor_of(clip, floor),
            planted,
            found=floor == "found",
            heights=heights,
            within=within,
            ease=ease,
            strength=strength,
            steps=steps,
            keep=keep,
        )
    flags = stance(clip).flags if planted is None else np.asarray(planted, dtype=bool)
    if flags.shape != (clip.n_frames, len(PARTS)):
        msg = f"planted must be ({clip.n_frames}, {len(PARTS)}) flags, one a frame and foot part; got {flags.shape}"
        raise SettingError(msg)
    flags = without_short(flags, SHORTEST * clip.fps)
    legs = LegMotion.of(clip)
    own = np.diff(legs.ground, axis=0, prepend=legs.ground[:1])
    # The slide is visible from end to end: half of it is on either side of the mean place.
    half = replace(keep, creep=0.5 * keep.creep)
    wanted = bounded(own if steps is None else steps, flags, half, fps=clip.fps)
    held = _slides(flags, own, wanted, within)
    calm = steadied(clip, held.parts) if keep == LOCKED and strength is None else clip
    if calm is not clip:
        legs = LegMotion.of(calm)
        own = np.diff(legs.ground, axis=0, prepend=legs.ground[:1])
    return _made((clip, calm), legs, flags, held, own, ease=ease, strength=strength)


def _made(
    motions: tuple[Clip, Clip],
    legs: LegMotion,
    flags: Bools,
    held: _Slides,
    own: Floats,
    *,
    ease: float,
    strength: Floats | None,
) -> PlantedFeet:
    """Feet held in the second motion, which is the first or one with steadied feet."""
    clip, calm = motions
    wanted = np.where(held.parts[..., None], held.steps, own)
    # The step that puts a foot down is kept as it is.
    firm = (flags & np.roll(flags, 1, axis=0)).astype(np.float64)
    reach, frames = round(2 * ease * clip.fps), max(round(ease * clip.fps), 1)
    shift, turn = np.zeros((2, clip.n_frames, 2)), np.zeros((2, clip.n_frames))
    inside = np.zeros(clip.n_frames, dtype=bool)
    for foot in (0, 1):
        parts = slice(2 * foot, 2 * foot + 2)
        near = widened(np.asarray(held.parts[:, parts].any(axis=1)), reach)
        inside |= near
        steps = FootSteps.of(
            legs.ground[:, parts], legs.ankles[:, foot], wanted[:, parts], firm[:, parts], fps=clip.fps
        )
        shift[foot], turn[foot] = steps.moves(runs(near))
    if strength is not None:
        shift, turn = shift * strength[:, None], turn * strength
    rotations, roots, changed, lowered = reached(
        legs, shift, turn, ease=frames, within=inside, strength=strength
    )
    made = calm
    if changed.any():
        every = np.array(calm.rotations)
        every[:, legs.body.joints] = rotations
        made = calm.with_motion(sealed(every), sealed(roots))
    if calm is not clip:
        changed = changed | (calm.rotations != clip.rotations).any(axis=(1, 2))
    return PlantedFeet(made, clip, held.parts, changed, lowered, contacts=flags)


class _Slides(NamedTuple):
    """Parts (F, 4) in plants that need correction, and their wanted steps (F, 4, 2)."""

    parts: Bools
    steps: Floats


def _slides(flags: Bools, own: Floats, wanted: Floats, within: Sequence[tuple[int, int]] | None) -> _Slides:
    """Plants that touch the ranges and deviate from the wanted steps by a visible amount."""
    parts = np.zeros_like(flags)
    for foot, spans in enumerate(_plants(flags, within)):
        both = slice(2 * foot, 2 * foot + 2)
        for start, stop in spans:
            down = flags[start + 1 : stop, both] & flags[start : stop - 1, both]
            missed = np.where(down[..., None], (own - wanted)[start + 1 : stop, both], 0.0)
            if np.linalg.norm(np.cumsum(missed, axis=0), axis=-1).max(initial=0.0) > _STILL:
                parts[start:stop, both] = flags[start:stop, both]
    return _Slides(parts, wanted)


def widened(flags: Bools, frames: int) -> Bools:
    """Return flags (F,) extended by a number of frames before and after.

    Examples
    --------
    >>> widened(np.array([False, False, True, False, False, False]), 1).astype(int).tolist()
    [0, 1, 1, 1, 0, 0]
    """
    from scipy.ndimage import maximum_filter1d

    out: Bools = maximum_filter1d(flags.astype(np.uint8), 2 * frames + 1, mode="constant").astype(bool)
    return out


def _plants(flags: Bools, within: Sequence[tuple[int, int]] | None) -> list[list[tuple[int, int]]]:
    """Stretches of either foot in which heel or toe is planted, if they touch the ranges."""
    found = [runs(flags[:, k] | flags[:, k + 1]) for k in (0, 2)]
    return found if within is None else [touching(spans, within) for spans in found]


def touching(spans: Sequence[tuple[int, int]], ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans of frames that touch any of some ranges, half open; empty ranges are touched from both sides.

    Examples
    --------
    >>> touching([(0, 4), (4, 9), (12, 20)], [(15, 16), (5, 5)])
    [(4, 9), (12, 20)]
    """
    if not len(spans) or not len(ranges):
        return []
    first, last = np.array(sorted(ranges), dtype=np.int64).T
    start, stop = np.array(spans, dtype=np.int64).T
    # Does the latest-ending range that begins before the span's end also end after its start?
    before = np.searchsorted(first, stop, side="left")
    ends = np.maximum.accumulate(last)[np.maximum(before - 1, 0)]
    return [spans[k] for k in np.flatnonzero((before > 0) & (ends > start)).tolist()]


def _floor_of(clip: Clip, floor: Floor | float | str) -> Floor:
    if isinstance(floor, Floor):
        return floor
    if isinstance(floor, str):
        if floor == "found":
            return find_floor(clip)
        msg = f"floor={floor!r} is not known; give a height in metres, a Floor, or 'found'"
        raise SettingError(msg)
    return Floor(height=floor)


def _on_floor(
    clip: Clip,
    floor: Floor,
    planted: Bools | None,
    *,
    found: bool,
    heights: Heights,
    within: Sequence[tuple[int, int]] | None,
    ease: float,
    strength: Floats | None,
    **how: Any,
) -> PlantedFeet:
    """Level the motion, put its feet on the floor and hold them, and undo the levelling."""
    level = levelled(clip, floor)
    flags = plants_near(level) if planted is None else np.asarray(planted, dtype=bool)
    done, put = None, level
    if heights == "floor" and flags.shape == (clip.n_frames, len(PARTS)):
        frames = max(round(ease * clip.fps), 1)
        put, done = grounded(
            level,
            _of_plants(without_short(flags, SHORTEST * clip.fps), within),
            ease=frames,
            own_height=found,
            strength=strength,
            carry=within is None,
        )
    held = plant_feet(put, planted=flags, within=within, ease=ease, strength=strength, **how)
    raised = np.zeros(clip.n_frames) if done is None else done.raised
    changed = held.changed.copy()
    if put is not level:
        changed |= (put.rotations != level.rotations).any(axis=(1, 2)) | (raised != 0.0)
    rotations = np.array(clip.rotations)
    rotations[changed, 1:] = held.clip.rotations[changed, 1:]
    roots = clip.root_positions + (raised - held.lowered)[:, None] * floor.normal
    made = clip.with_motion(rotations, roots) if changed.any() else clip
    return replace(held, clip=made, given=clip, changed=changed, floor=floor, grounding=done)


def _of_plants(flags: Bools, within: Sequence[tuple[int, int]] | None) -> Bools:
    """Flags (F, 4) of the plants that touch the ranges."""
    if within is None:
        return flags
    out = np.zeros_like(flags)
    for foot, spans in enumerate(_plants(flags, within)):
        for start, stop in spans:
            out[start:stop, 2 * foot : 2 * foot + 2] = flags[start:stop, 2 * foot : 2 * foot + 2]
    return out


def _check(ease: float, heights: str) -> None:
    if not 0.02 <= ease <= 1.0:
        msg = f"feet cannot be eased over {ease:g} s; choose 0.02 to 1"
        raise SettingError(msg)
    if heights not in ("floor", "captured"):
        msg = f"heights={heights!r} is not known; choose 'floor' (planted feet are put on it) or 'captured'"
        raise SettingError(msg)
