"""How far supporting feet slide in a transition, and how active the joined moments are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from segue.arrays import Floats, frozen
from segue.measures.foot_skate import carried_contacts, foot_skate
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.resample import cut
from segue.synthesis.splice import splice
from segue.transitions.transition import TransitionPoint

_AROUND = 2  # unblended frames on either side of a measured blend


@dataclass(frozen=True)
class TransitionSkate:
    """Slide in metres of each heel or toe that supports the body during one blend."""

    start_to_end: tuple[float, ...]
    along_path: tuple[float, ...]


@dataclass(frozen=True)
class Skate:
    """Mean slide in metres over all supporting heels and toes of several transitions, and how many there are."""

    start_to_end: float
    along_path: float
    supports: int

    @property
    def words(self) -> tuple[str, str]:
        """Slide start to end and along the path in centimetres, for a table."""
        if not self.supports:
            return "no foot contacts", "-"
        return f"{100 * self.start_to_end:.2f} cm", f"{100 * self.along_path:.2f} cm"

    @classmethod
    def mean(cls, skates: Sequence[TransitionSkate]) -> Skate:
        """Mean over the supports of several transitions; NaN if there are none."""
        ends = [slide for skate in skates for slide in skate.start_to_end]
        paths = [slide for skate in skates for slide in skate.along_path]
        if not ends:
            return cls(float("nan"), float("nan"), 0)
        return cls(float(np.mean(ends)), float(np.mean(paths)), len(ends))


def transition(a: Clip, b: Clip, point: TransitionPoint, *, seconds: float, around: float) -> Clip:
    """Blend two clips at an aligned point, eased in and out, with ``around`` seconds of each clip on either side."""
    pieces = []
    for clip, frame in ((a, point.a_frame), (b, point.b_frame)):
        reach = round((seconds / 2 + around) * clip.fps) + _AROUND
        first = max(frame - reach, 0)
        pieces.append((cut(clip, first, min(frame + reach + 1, clip.n_frames)), frame - first))
    (one, a_frame), (two, b_frame) = pieces
    near = replace(point, a_frame=a_frame, b_frame=b_frame)
    return splice(one, two, near, length="fixed", feet="free")


def transition_skate(a: Clip, b: Clip, point: TransitionPoint, *, seconds: float) -> TransitionSkate:
    """Slide of every supporting heel and toe over the blended frames of a transition, with no clean-up.

    A heel or toe supports in those frames in which the clip with the larger blend weight has it on the ground. Source:
    dynamics-weighted point clouds, table 1.
    """
    motion = transition(a, b, point, seconds=seconds, around=0.0)
    planted = carried_contacts(motion, [a] if b is a else [a, b])
    mixed = np.flatnonzero((motion.origin.weight > 0).all(axis=1))
    if mixed.size:
        outside = np.ones(motion.n_frames, dtype=bool)
        outside[max(mixed[0] - 1, 0) : mixed[-1] + 2] = False
        planted = planted & ~outside[:, None]
    slides = [slide for slide in foot_skate(motion, planted=planted) if slide.stop - slide.start > 1]
    return TransitionSkate(
        tuple(slide.start_to_end for slide in slides), tuple(slide.along_path for slide in slides)
    )


@lru_cache(maxsize=256)
def activity(clip: Clip) -> Floats:
    """Mean speed (F,) of a clip's joints about its root, over the median of all frames."""
    places = world_positions(clip)
    about = places - places[:, :1]
    if clip.n_frames < 2:
        return frozen(np.zeros(clip.n_frames))
    speed = np.linalg.norm(np.gradient(about, axis=0), axis=-1).mean(axis=1)
    usual = float(np.median(speed))
    return frozen(speed / usual if usual > 0 else speed)
