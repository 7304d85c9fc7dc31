"""Feet that stay where they are: each planted heel and toe is held at one place, legs and root follow.

After joint-relative-distance motion graphs, §6: contacts say when a foot is planted; while it is, the foot is moved
along the ground so that the planted part does not slide; before and after, the move fades. The leg reaches by analytic
inverse kinematics, and where it cannot the root comes down a little, smoothly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions, Quaternions, sealed
from segue.errors import SettingError
from segue.maths.quaternions import yawed
from segue.measures.foot_skate import PARTS, PlantSlide, foot_skate
from segue.motion.clip import Clip
from segue.motion.contacts import runs, without_short
from segue.motion.floors import Floor, find_floor, levelled
from segue.motion.kinematics import World, attached_points, forward
from segue.motion.limb_ik import reach_ankles
from segue.motion.stance import stance
from segue.synthesis.fading import faded
from segue.synthesis.heights import Grounding, grounded, plants_near
from segue.synthesis.holding import Hold, held
from segue.synthesis.legs import LegsAlone, legs_alone
from segue.synthesis.lowering import smooth_above, too_far
from segue.synthesis.steadying import steadied

Feet: TypeAlias = Literal["free", "planted"]
"""Whether feet stay as they were blended, or are held where they are planted around each seam."""
Heights: TypeAlias = Literal["floor", "captured"]
"""Whether planted feet are put on a floor that is given or found, or keep their heights."""

EASE = 0.15
GENTLE = 8.0
"""m/s^2: a foot's move that would need more to fade in `EASE` seconds takes longer."""
SHORTEST = 0.05
"""Seconds: shorter plants are not held."""
_STILL = 0.001


@dataclass(frozen=True, eq=False)
class PlantedFeet:
    """A motion with its feet held, and how far each plant slid before and after.

    Parameters
    ----------
    clip
        The motion; frames in which nothing had to be done are bit for bit those given.
    given
        The motion as it was.
    held
        (F, 4) flags of the foot parts that were held.
    changed
        (F,) flags of the frames that differ.
    lowered
        (F,) metres by which the root was lowered.
    floor
        What the feet stand on, if that was given or found; None for a level floor wherever they rest.
    grounding
        How planted feet lay against that floor, and how they lie; None where heights are as captured.
    contacts
        (F, 4) flags of the foot parts that are planted at all.
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
        """One `PlantSlide` a plant and foot part that was held, in the motion as it was."""
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
    drift: Floats | None = None,
    still: Bools | None = None,
    heights: Heights = "floor",
) -> PlantedFeet:
    """Hold every planted foot at one place, and put it on the floor where one is given.

    Parameters
    ----------
    clip
        Any motion with known hips, knees and ankles.
    planted
        (F, 4) flags in the order of `segue.measures.foot_skate.PARTS`; by default found in the clip itself. For a made
        motion `segue.measures.foot_skate.carried_contacts` tells what its sources had planted.
    within
        Frame ranges (half open): only plants that touch one of them are held; all by default.
    ease
        Seconds over which a foot's move fades before and after its plant.
    strength
        (F,) share of the move that is made in each frame, 0 to 1; 1 everywhere by default.
    floor
        What feet stand on: a level floor wherever they rest (by default), a height in metres, a `Floor` that may
        slope, or ``"found"``: the plane that the motion shows. Feet are moved along it; by its height they are
        moved only where one is given or found (`segue.synthesis.heights`).
    drift
        (F, 4, 2) ways along the floor on x and z that planted parts may go all the same; none by default.
    still
        (F, 4) flags of the parts that also lie still in tilt while heel and toe are planted; by default all where there
        is no drift, and none where there is.
    heights
        With a floor: ``"floor"`` puts planted heels and toes on it and lifts what is below it; ``"captured"`` leaves
        heights as they are.

    Raises
    ------
    SettingError
        If flags are not (F, 4), the ease is not 0.02 to 1 s, no floor is to be found, or the word for heights is
        not known.
    SkeletonError
        If the legs are unknown.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> slid = walk.with_motion(root_positions=walk.root_positions * [1.0, 1.0, 1.1])
    >>> found = plant_feet(slid, planted=segue.contacts(walk).flags)
    >>> max(plant.along_path for plant in found.before) > 0.02
    True
    >>> max(plant.along_path for plant in found.after) < 0.001
    True
    """
    _check(ease, heights)
    if floor is not None:
        return _on_floor(
            clip,
            _told(clip, floor),
            planted,
            found=floor == "found",
            heights=heights,
            within=within,
            ease=ease,
            strength=strength,
            drift=drift,
            still=still,
        )
    flags = stance(clip).flags if planted is None else np.asarray(planted, dtype=bool)
    if flags.shape != (clip.n_frames, len(PARTS)):
        msg = f"planted must be ({clip.n_frames}, {len(PARTS)}) flags, one a frame and foot part; got {flags.shape}"
        raise SettingError(msg)
    flags = without_short(flags, SHORTEST * clip.fps)
    plants = _plants(flags, within)
    frames = max(round(ease * clip.fps), 1)
    kept, changed, lowered = (
        np.zeros_like(flags),
        np.zeros(clip.n_frames, dtype=bool),
        np.zeros(clip.n_frames),
    )
    rows = _around(plants, clip.n_frames, frames)
    if rows.start == rows.stop:
        return PlantedFeet(clip, clip, kept, changed, lowered, contacts=flags)
    rotations, roots = np.array(clip.rotations), np.array(clip.root_positions)
    body = legs_alone(clip.skeleton)
    part = _Part(
        body,
        clip.fps,
        rotations[rows].take(body.joints, 1),
        roots[rows],
        flags[rows],
        None if strength is None else strength[rows],
        None if drift is None else drift[rows],
        (np.full_like(flags, drift is None) if still is None else still)[rows],
    )
    spans = [[(start - rows.start, stop - rows.start) for start, stop in spans] for spans in plants]
    kept[rows], changed[rows], lowered[rows] = _planted(part, spans, frames)
    rotations[rows, body.joints] = part.rotations
    made = clip.with_motion(sealed(rotations), sealed(roots)) if changed.any() else clip
    return PlantedFeet(made, clip, kept, changed, lowered, contacts=flags)


@dataclass(frozen=True, eq=False)
class _Part:
    """Frames of a motion around its plants, legs alone; rotations and roots are changed in place."""

    body: LegsAlone
    fps: float
    rotations: Quaternions
    roots: Positions
    flags: Bools
    strength: Floats | None
    drift: Floats | None
    still: Bools


def _around(plants: list[list[tuple[int, int]]], n_frames: int, ease: int) -> slice:
    """Frames that holding plants can change: their fades, and the root that comes down for these."""
    edges = [edge for spans in plants for span in spans for edge in span]
    if not edges:
        return slice(0, 0)
    reach = 5 * ease + 2
    return slice(max(min(edges) - reach, 0), min(max(edges) + reach, n_frames))


def _planted(part: _Part, plants: list[list[tuple[int, int]]], ease: int) -> tuple[Bools, Bools, Floats]:
    """Hold the plants of both feet; which parts were held (n, 4), what changed (n,), how far the root came down."""
    at = forward(part.body.skeleton, part.rotations, part.roots)
    spans = [[hold for hold in holds if hold.moves > _STILL] for holds in _holds(part, at, plants)]
    kept = np.zeros_like(part.flags)
    for side, holds in enumerate(spans):
        for hold in holds:
            rows, columns = slice(hold.start, hold.stop), slice(2 * side, 2 * side + 2)
            kept[rows, columns] = part.flags[rows, columns]
    if not kept.any():
        return kept, np.zeros(len(kept), dtype=bool), np.zeros(len(kept))
    steady = _steadied(part, at, kept & part.still)
    if steady.any():
        spans = _holds(part, at, [[(h.start, h.stop) for h in holds] for holds in spans])
    ankles = at.positions[:, [leg.ankle for leg in part.body.legs], ::2]
    moves = faded(spans, ankles, ease=ease, gentle=GENTLE / part.fps**2, strength=part.strength)
    changed, lowered = _reached(part, at, moves, ease, steady)
    return kept, changed, lowered


def _plants(flags: Bools, within: Sequence[tuple[int, int]] | None) -> list[list[tuple[int, int]]]:
    """Stretches of either foot in which heel or toe is planted, if they touch the ranges."""
    found = [runs(flags[:, k] | flags[:, k + 1]) for k in (0, 2)]
    return found if within is None else [touching(spans, within) for spans in found]


def touching(spans: Sequence[tuple[int, int]], ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans of frames that touch any of some ranges, both half open; a range without frames is touched from both sides.

    Examples
    --------
    >>> touching([(0, 4), (4, 9), (12, 20)], [(15, 16), (5, 5)])
    [(4, 9), (12, 20)]
    """
    if not len(spans) or not len(ranges):
        return []
    first, last = np.array(sorted(ranges), dtype=np.int64).T
    start, stop = np.array(spans, dtype=np.int64).T
    # Of the ranges that begin before a span ends, does the one that ends last end behind its start?
    before = np.searchsorted(first, stop, side="left")
    ends = np.maximum.accumulate(last)[np.maximum(before - 1, 0)]
    return [spans[k] for k in np.flatnonzero((before > 0) & (ends > start)).tolist()]


def _holds(part: _Part, at: World, plants: list[list[tuple[int, int]]]) -> list[list[Hold]]:
    """Moves that keep the planted parts of both feet in place, plant by plant."""
    places = attached_points(at, part.body.points.joints, part.body.points.offsets)[..., ::2]
    return held(places, part.flags, plants, drift=part.drift)


def _steadied(part: _Part, at: World, kept: Bools) -> Bools:
    """Let feet lie still in tilt while they lie flat in a plant; the frames that this changes."""
    joints = [(leg.ankle, int(part.body.skeleton.parents[leg.ankle])) for leg in part.body.legs]
    flat = kept[:, ::2] & kept[:, 1::2]
    rows, foot, local = steadied(at, flat, joints=joints, fps=part.fps, share=part.strength)
    _lay_in(part.rotations, rows, np.array([ankle for ankle, _ in joints])[foot], local)
    steady = np.zeros(len(kept), dtype=bool)
    steady[rows] = True
    rows = np.flatnonzero(steady)
    for array, changed in zip(
        at, forward(part.body.skeleton, part.rotations[rows], part.roots[rows]), strict=True
    ):
        array[rows] = changed
    return steady


def _lay_in(rotations: Quaternions, rows: Ints, joints: Ints, local: Quaternions) -> None:
    """Put local rotations (..., 4) of joints at frames with the sign of those (F, J, 4), contiguous, that they replace.

    q and -q are one rotation, but files unroll angles.
    """
    every, new = rotations.reshape(-1, 4), local.reshape(-1, 4)
    at = (rows * rotations.shape[1] + joints).ravel()
    away = np.einsum("nc,nc->n", every.take(at, 0), new) < 0.0
    every[at] = np.where(away[:, None], -new, new)


def _told(clip: Clip, floor: Floor | float | str) -> Floor:
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
    """Lay the motion level, put its feet on the floor and hold them, and lay it back."""
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


def check_feet(feet: str) -> None:
    """Refuse a word that says nothing about feet."""
    if feet not in ("free", "planted"):
        msg = f"feet={feet!r} is not known; choose 'planted' (held in place at seams) or 'free'"
        raise SettingError(msg)


def _reached(part: _Part, at: World, moves: list[Hold], ease: int, steady: Bools) -> tuple[Bools, Floats]:
    """Let legs and root follow the feet; frames that nothing asks for stay as they are."""
    legs = part.body.legs
    joints = np.array([[leg.hip, leg.knee, leg.ankle] for leg in legs])
    shift, turn = np.array([move.shift for move in moves]), np.array([move.turn for move in moves])
    ankles = at.positions[:, joints[:, 2]].swapaxes(0, 1)
    ankles[..., ::2] += shift
    moved: Bools = (shift[..., 0] != 0) | (shift[..., 1] != 0)
    lowered = smooth_above(too_far(at, legs, ankles, moved), ease)
    if part.strength is not None:
        lowered = lowered * part.strength
    changed = steady | (moved | (turn != 0)).any(axis=0) | (lowered > 0)
    rows = np.flatnonzero(changed)
    part.roots[rows, 1] -= lowered[rows]
    hips = at.positions[rows, joints[:, :1]]
    hips[..., 1] -= lowered[rows]
    feet = yawed(turn[:, rows], at.rotations[rows, joints[:, 2:]])
    found = reach_ankles(
        part.body.skeleton, at, legs, hips=hips, ankles=ankles[:, rows], feet=feet, rows=rows
    )
    _lay_in(part.rotations, rows[:, None], joints[:, None], found)
    return changed, lowered
