"""Windows around the seams of made motions, and in captured clips around the same moments.

Captured windows are placed around the frames left and arrived at of every seam, so that the phase of a gait does not
identify seams. Clips are divided into folds (complete clips, or stretches of them where there are few), and a window
records the folds of all frames in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions, frozen
from segue.errors import SettingError
from segue.measures.seams import seam_ends, seam_ranges, source_rows, sources_by_name
from segue.measures.window_features import HALF_SECONDS, Feature, reach_frames, window_features
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions

FOLDS = 5
MOST_NOISE = 0.1
"""Metres: more noise than this hides every difference."""
_BLOCK_SECONDS = 4.0  # length of the stretches into which few clips are divided
_ONE = 0.25  # seconds: seams between two clips that are nearer than this at both ends count as one
_APART = 1.0 / 16.0  # seconds: minimum distance of captured windows of one clip


class WindowPlace(NamedTuple):
    """Place of a window: number of its motion or clip, its middle frame, name and frame of a seam's ends."""

    number: int
    frame: int
    ends: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows with a seam in the middle, and captured ones.

    Parameters
    ----------
    numbers
        (N, M) features.
    what
        The M features.
    seam
        (N,) whether a window has a seam in its middle.
    folds
        (N, K) folds of the clips that occur in a window.
    seen
        Place of each window.
    """

    numbers: Floats
    what: tuple[Feature, ...]
    seam: Bools
    folds: Bools
    seen: tuple[WindowPlace, ...]

    def columns(self, groups: Iterable[str]) -> Bools:
        """Return flags (M,) of the features of some parts of the body."""
        wanted = set(groups)
        return np.array([feature.group in wanted for feature in self.what])

    def take(self, rows: Bools | Ints, *, seam: Bools | None = None) -> Windows:
        """Return chosen windows; ``seam`` replaces their flags if given."""
        index = np.arange(len(self.seam))[rows]
        flags = self.seam[index] if seam is None else seam
        return Windows(
            self.numbers[index], self.what, flags, self.folds[index], tuple(self.seen[k] for k in index)
        )


def dealt(clips: Sequence[Clip], *, seed: int = 0, same: Mapping[str, str] | None = None) -> dict[str, Ints]:
    """Assign a fold to each frame of each clip, by name.

    Parameters
    ----------
    clips
        Ten or more clips are assigned as a whole, fewer in stretches of about four seconds.
    seed
        Decides which clip or stretch is in which fold.
    same
        For a clip that shows another one (its mirror image), the name of that clip: they share a fold.

    Examples
    --------
    >>> import segue
    >>> [len(set(folds)) for folds in dealt([segue.sample("stand")]).values()]
    [1]
    """
    rng = np.random.default_rng([seed, 1])
    shown = {clip.name: (same or {}).get(clip.name, clip.name) for clip in clips}
    names = sorted(set(shown.values()))
    longest = {name: max(clip.seconds for clip in clips if shown[clip.name] == name) for name in names}
    pieces = {
        name: 1 if len(names) >= 2 * FOLDS else max(1, round(longest[name] / _BLOCK_SECONDS))
        for name in names
    }
    order = rng.permutation(sum(pieces.values())) % FOLDS
    first = dict(zip(names, np.cumsum([0, *pieces.values()]), strict=False))
    out = {}
    for clip in clips:
        name = shown[clip.name]
        block = np.arange(clip.n_frames) * pieces[name] // clip.n_frames
        out[clip.name] = order[first[name] + block]
    return out


def seam_windows(
    motions: Sequence[Clip],
    clips: Sequence[Clip],
    *,
    noise: float = 0.0,
    seed: int = 0,
    same: Mapping[str, str] | None = None,
) -> Windows:
    """Collect a window around every seam, and captured ones around the same moments.

    Parameters
    ----------
    motions
        Made motions with their origins. Seams within a quarter of a second of each other at both ends count once; seams
        too near an end of their motion for a window do not count.
    clips
        The original clips from which they were made, on their body and at their rate.
    noise
        Metres: standard deviation of noise on every coordinate of every joint in every frame, captured or made.
    seed
        Seed of the folds and of the noise.
    same
        As in `dealt`.

    Raises
    ------
    SettingError
        If a clip is missing or of another rate or body, noise or seed are impossible, or there is no seam.
    SkeletonError
        If the legs are unknown.
    """
    check_judging(noise, seed)
    _check(motions, clips)
    rng = np.random.default_rng([seed, 2])
    by_name = {clip.name: clip for clip in clips}
    fold = dealt(clips, seed=seed, same=same)
    gathered = _Gathered()
    known: dict[tuple[str, str], list[tuple[float, float]]] = {}
    moments: dict[str, set[int]] = {}
    for number, motion in enumerate(motions):
        sources = sources_by_name(motion, clips)
        found = [WindowPlace(number, middle, ends) for middle, ends in _seams(motion, known)]
        shown = [_shown(motion, one.frame, sources, fold) for one in found]
        gathered.add(motion, found, shown, _positions(motion, noise, rng))
        for one in found:
            for name, frame in one.ends:
                row = int(source_rows(sources[name], name, np.array([frame]))[0])
                moments.setdefault(sources[name].name, set()).add(row)
    if not gathered.seen:
        msg = "there is no seam to judge: nothing is blended, or only within half a second of an end"
        raise SettingError(msg)
    for number, clip in enumerate(clips):
        rows = list(_apart(sorted(moments.get(clip.name, ())), clip))
        shown = [_touched(fold[clip.name][_around(row, clip)]) for row in rows]
        gathered.add(
            by_name[clip.name],
            [WindowPlace(number, row) for row in rows],
            shown,
            _positions(clip, noise, rng),
        )
    return gathered.windows()


class _Gathered:
    def __init__(self) -> None:
        self.numbers: list[Floats] = []
        self.folds: list[Bools] = []
        self.seen: list[WindowPlace] = []
        self.what: tuple[Feature, ...] = ()

    def add(self, clip: Clip, seen: list[WindowPlace], folds: list[Bools], positions: Positions) -> None:
        """Add windows of one motion or clip."""
        if not seen:
            return
        numbers, self.what = window_features(
            clip.skeleton, positions, clip.fps, middles=[one.frame for one in seen]
        )
        self.numbers.append(numbers)
        self.folds += folds
        self.seen += seen

    def windows(self) -> Windows:
        """Return all windows."""
        seam = np.array([bool(one.ends) for one in self.seen])
        return Windows(
            frozen(np.concatenate(self.numbers)), self.what, seam, np.array(self.folds), tuple(self.seen)
        )


def check_judging(noise: float, seed: int) -> None:
    """Raise an error for noise in metres or a seed that is not possible.

    Raises
    ------
    SettingError
        If the noise is not 0 to 10 cm, or the seed is negative.

    Examples
    --------
    >>> check_judging(0.001, 0)
    """
    if not 0.0 <= noise <= MOST_NOISE:
        msg = f"noise of {noise:g} m is not possible; give 0 to {MOST_NOISE:g} m"
        raise SettingError(msg)
    if seed < 0:
        msg = f"seed {seed} is not possible; give a whole number from 0"
        raise SettingError(msg)


def _check(motions: Sequence[Clip], clips: Sequence[Clip]) -> None:
    body = motions[0] if motions else None
    for clip in (*motions, *clips):
        if body is not None and (clip.fps != body.fps or clip.skeleton.names != body.skeleton.names):
            msg = (
                f"clip {clip.name!r} has {clip.skeleton.n_joints} joints at {clip.fps:g} frames a second, motion "
                f"{body.name!r} {body.skeleton.n_joints} at {body.fps:g}: bring all to one body and rate"
            )
            raise SettingError(msg)


def _positions(clip: Clip, noise: float, rng: np.random.Generator) -> Positions:
    at = world_positions(clip)
    return at + noise * rng.standard_normal(at.shape) if noise else at


def _seams(
    motion: Clip, known: dict[tuple[str, str], list[tuple[float, float]]]
) -> Iterator[tuple[int, tuple[tuple[str, float], ...]]]:
    """Middle frame and both ends of every seam that is not in ``known``; each is added to it."""
    reach, near = reach_frames(motion.fps), _ONE * motion.fps
    for start, stop in seam_ranges(motion.origin):
        middle = (start + max(stop - 1, start)) // 2
        if not reach <= middle < motion.n_frames - reach:
            continue
        (a, a_frame), (b, b_frame) = ends = seam_ends(motion.origin, start, stop)
        others = known.setdefault((a, b), [])
        if any(abs(a_frame - one) < near and abs(b_frame - other) < near for one, other in others):
            continue
        others.append((a_frame, b_frame))
        yield middle, tuple(ends)


def _apart(rows: Iterable[int], clip: Clip) -> Iterator[int]:
    """Rows of a clip whose windows lie inside it, at a minimum distance from one another."""
    reach, last = reach_frames(clip.fps), -np.inf
    for row in rows:
        if reach <= row < clip.n_frames - reach and row - last >= _APART * clip.fps:
            last = row
            yield row


def _around(row: int, clip: Clip) -> slice:
    half = round(HALF_SECONDS * clip.fps)
    return slice(max(row - half, 0), row + half + 1)


def _touched(folds: Ints) -> Bools:
    out = np.zeros(FOLDS, dtype=bool)
    out[np.unique(folds)] = True
    return out


def _shown(motion: Clip, middle: int, sources: Mapping[str, Clip], fold: Mapping[str, Ints]) -> Bools:
    """Folds (K,) of all frames in a window of a made motion."""
    rows, origin = _around(middle, motion), motion.origin
    played, frames = origin.clip[rows], origin.frame[rows]
    out = np.zeros(FOLDS, dtype=bool)
    for number in np.unique(played[played >= 0]):
        name = origin.clips[number]
        source = sources[name]
        out |= _touched(fold[source.name][source_rows(source, name, frames[played == number])])
    return out
