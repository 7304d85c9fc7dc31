"""What each weight of a cost would be multiplied with: the columns that weights are learnt from.

Left and right of the body share a column, so that they share a weight.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from segue.arrays import Bools, Floats
from segue.costs.joint_angle.cost import JointAngleCost
from segue.costs.joint_angle.weights import PARTS, by_role
from segue.costs.joint_pairs import symmetric_pairs
from segue.costs.protocol import Prepared
from segue.costs.registry import cost
from segue.errors import SettingError
from segue.learning.pose_pairs import differences, pose_distances
from segue.motion.clip import Clip
from segue.motion.resample import resampled
from segue.motion.roles import roles

STIFF = 0.01
"""Metres: a pair of joints whose distance spreads by less over every clip is a bone."""


class Terms(ABC):
    """Columns of one cost, over a set of clips.

    Parameters
    ----------
    clips
        Every clip that a label names.
    settings
        Of the cost, its weights left out.
    """

    name: str
    columns: tuple[Any, ...]

    def __init__(self, clips: Sequence[Clip], **settings: Any) -> None:
        self.settings = settings
        self.rate = float(settings.get("rate", 30.0))
        self.clips = tuple(clips)

    @abstractmethod
    def rows(self, a: int, b: int, a_row: int, b_row: int) -> Floats:
        """Columns (D,) of one transition: numbers of its clips, and their rows in the cost."""

    def keep(self, chosen: Bools) -> None:
        """Leave out columns that are not chosen (D,)."""
        self.columns = tuple(column for column, kept in zip(self.columns, chosen, strict=True) if kept)

    @abstractmethod
    def row_range(self, clip: int) -> tuple[int, int]:
        """First cost frame that is a row, and how many rows follow from there."""

    @abstractmethod
    def weights(self, learnt: Floats) -> tuple[Any, ...]:
        """Learnt numbers (D,) as the setting ``weights`` of the cost."""

    def cost(self, learnt: Floats) -> Any:
        """Return the cost with learnt weights."""
        return cost(self.name, **self.settings, weights=self.weights(learnt))


class JointAngleTerms(Terms):
    """Pose and velocity terms of joints, one column a part that every clip knows."""

    name = "joint_angle"

    def __init__(self, clips: Sequence[Clip], **settings: Any) -> None:
        super().__init__(clips, **settings)
        every = JointAngleCost(**{**settings, "weights": dict.fromkeys(PARTS, 1.0)})
        self.measured = every
        self.prepared: tuple[Prepared, ...] = tuple(every.prepare(clip) for clip in clips)
        wanted = by_role(every.weights)
        self.roles = tuple(role for role in wanted if all(role in roles(clip.skeleton) for clip in clips))
        parts = {role.partition("_")[2] or role for role in self.roles}
        self.columns = tuple(part for part in PARTS if part in parts)
        self._place()

    def _place(self) -> None:
        """Column of each role."""
        at = [self.columns.index(role.partition("_")[2] or role) for role in self.roles]
        self.place = np.array(at, dtype=np.int64)

    def rows(self, a: int, b: int, a_row: int, b_row: int) -> Floats:
        """Pose and velocity terms of one transition, left and right added."""
        at = np.array([a_row]), np.array([b_row])
        names, terms = self.measured.joint_terms(self.prepared[a], self.prepared[b], *at)
        chosen = [names.index(role) for role in self.roles]
        out: Floats = np.zeros(len(self.columns))
        np.add.at(out, self.place, terms[0, chosen])
        return out

    def keep(self, chosen: Bools) -> None:
        """Leave out joints that are not chosen."""
        kept = {column for column, stays in zip(self.columns, chosen, strict=True) if stays}
        self.roles = tuple(role for role in self.roles if (role.partition("_")[2] or role) in kept)
        super().keep(chosen)
        self._place()

    def row_range(self, clip: int) -> tuple[int, int]:
        """All frames but the first and the last, which have no velocity."""
        return self.prepared[clip].first, self.prepared[clip].n

    def weights(self, learnt: Floats) -> tuple[tuple[str, float], ...]:
        """(part, weight) pairs."""
        return tuple((part, float(w)) for part, w in zip(self.columns, learnt, strict=True) if w > 0)


class RelativeDistanceTerms(Terms):
    """Joint relative distances, one column a symmetric pair of joints."""

    name = "relative_distance"

    def __init__(self, clips: Sequence[Clip], **settings: Any) -> None:
        super().__init__(clips, **settings)
        self.poses = [pose_distances(resampled(clip, self.rate), self.rate) for clip in clips]
        every = symmetric_pairs()
        # A pair that some body lacks has no column, nor has a bone: rounding would tell poses apart by its length.
        means = [poses.mean(axis=0) for poses in self.poses]
        spread = [
            np.sqrt(np.mean(differences(poses, mean) ** 2, axis=0))
            for poses, mean in zip(self.poses, means, strict=True)
        ]
        self.kept = np.flatnonzero(np.max(spread, axis=0) > STIFF)
        self.columns = tuple(every[k] for k in self.kept)

    def rows(self, a: int, b: int, a_row: int, b_row: int) -> Floats:
        """Distances of one transition's two poses, mirror images averaged."""
        here, there = self.poses[a][a_row : a_row + 1], self.poses[b][b_row : b_row + 1]
        out: Floats = differences(here, there)[0, self.kept]
        return out

    def keep(self, chosen: Bools) -> None:
        """Leave out pairs that are not chosen."""
        super().keep(chosen)
        self.kept = self.kept[chosen]

    def row_range(self, clip: int) -> tuple[int, int]:
        """Every frame."""
        return 0, len(self.poses[clip])

    def weights(self, learnt: Floats) -> tuple[tuple[str, str, float], ...]:
        """(role, role, weight) triples."""
        return tuple((*pair, float(w)) for pair, w in zip(self.columns, learnt, strict=True) if w > 0)


def terms_of(name: str, clips: Sequence[Clip], **settings: Any) -> Terms:
    """Columns of the cost called ``name`` over some clips.

    Raises
    ------
    SettingError
        If the weights of that cost cannot be learnt.
    """
    kinds: dict[str, type[Terms]] = {kind.name: kind for kind in (JointAngleTerms, RelativeDistanceTerms)}
    if name not in kinds:
        msg = f"the weights of {name!r} cannot be learnt; those of {' and '.join(kinds)} can"
        raise SettingError(msg)
    return kinds[name](clips, **settings)
