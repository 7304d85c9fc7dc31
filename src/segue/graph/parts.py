"""Playable frames of several clips, and the continuous parts between unusable frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Ints, frozen
from segue.motion.clip import Clip
from segue.motion.cyclic import period_played
from segue.motion.faults import carried_flags, unusable_frames


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of clips: stretches without unusable frames.

    Parts are numbered by clip, then by frame, with gaps.

    Parameters
    ----------
    before
        Running count of unusable frames over all clips, concatenated; one element longer than all frames together.
    starts
        (C,) index at which each clip begins in it.
    lengths
        (C,) frames of each clip.
    fps
        Frames a second of the clips.
    """

    before: Ints
    starts: Ints
    lengths: Ints
    fps: float = 1.0

    @staticmethod
    def of(clips: Sequence[Clip], sources: Sequence[Clip]) -> Parts:
        """Parts of clips that were resampled or retargeted from sources, clip by clip.

        Faults are detected in the sources: resampling spreads a jump over frames that look sound. A cyclic
        source that the clip repeats (its origin states a period) is flagged the same in every repetition.
        """
        flags = [_flags(clip, source) for clip, source in zip(clips, sources, strict=True)]
        return Parts.from_flags(flags, fps=clips[0].fps)

    @staticmethod
    def all_sound(clips: Sequence[Clip]) -> Parts:
        """Parts of clips in which every frame may be played."""
        return Parts.from_flags([np.zeros(clip.n_frames, dtype=bool) for clip in clips], fps=clips[0].fps)

    @staticmethod
    def from_flags(flags: Sequence[Bools], *, fps: float = 1.0) -> Parts:
        """Parts of clips given the unusable frames of each.

        Examples
        --------
        >>> import numpy as np
        >>> parts = Parts.from_flags([np.array([0, 0, 1, 0], bool), np.array([0, 0], bool)])
        >>> parts.number(np.array([0, 0, 0, 1]), np.array([0, 1, 3, 0])).tolist()
        [0, 0, 1, 2]
        """
        lengths = np.array([len(one) for one in flags], dtype=np.int64)
        together = np.concatenate([np.zeros(0, dtype=bool), *flags])
        before = np.concatenate([[0], np.cumsum(together)])
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        return Parts(frozen(before, np.int64), frozen(starts, np.int64), frozen(lengths, np.int64), fps)

    @property
    def unusable(self) -> Ints:
        """(C,) unusable frames of each clip."""
        out: Ints = self.before[self.starts + self.lengths] - self.before[self.starts]
        return out

    def number(self, clips: Ints, frames: Ints) -> Ints:
        """Part (K,) of each frame; frames [f, g) of a clip are all usable exactly if f and g have the same number."""
        inside = np.clip(frames, 0, self.lengths[clips])
        out: Ints = self.before[self.starts[clips] + inside] + clips
        return out

    def clip(self, numbers: Ints) -> Ints:
        """Clip (K,) of each part."""
        firsts = self.before[self.starts] + np.arange(len(self.starts))
        return np.asarray(np.searchsorted(firsts, numbers, side="right") - 1, dtype=np.int64)

    def clear(self, clips: Ints, start: Ints, stop: Ints) -> Bools:
        """Flags (K,): no frame in [start, stop) is unusable; ranges are clipped to the clip."""
        at = self.starts[clips]
        low, high = (at + np.clip(edge, 0, self.lengths[clips]) for edge in (start, stop))
        return np.asarray(self.before[low] == self.before[high])


def _flags(clip: Clip, source: Clip) -> Bools:
    """Unusable frames (F,) of a clip resampled or retargeted from a source, the same in every repetition of a cycle."""
    flags, ratio = unusable_frames(source), source.fps / clip.fps
    period = period_played(source) if any(clip.origin.periods) else None
    if period is not None:
        rounds = int(np.ceil(clip.n_frames * ratio / period.n_frames)) + 1
        flags = frozen(np.tile(flags[: period.n_frames], rounds), np.bool_)
    return carried_flags(flags, ratio=ratio, n_frames=clip.n_frames)
