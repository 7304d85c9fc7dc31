"""Arrays of joins between clips, and their frames: each blend, and frames of either motion around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions, Quaternions
from segue.blending.crossfade import context, crossfade, fast_band, frames_around, with_fast_band
from segue.blending.ways import way
from segue.maths.easing import ease_out
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import from_yaw, multiply
from segue.motion.clip import Clip
from segue.motion.resample import frames_at
from segue.settings import Blend
from segue.settings.words import CROSSFADES
from segue.summaries import one_line
from segue.synthesis.assemble import Join, Plan, assemble

JOIN_MARGIN = 2
"""Frames of either motion around a blend that accelerations at its ends need."""


@one_line
@dataclass(frozen=True, eq=False)
class JoinArrays:
    """Many joins as columns: see `segue.synthesis.assemble.Join`; ``alignment`` (P, 3) is turn, x, z.

    ``length`` is that of every blend, or the longest where each has its own in ``lengths`` (P,). Where some joins
    are bridges, ``used`` (P, 2) is the number of frames of A and of B that each bridge uses, and 0 for other joins.
    """

    a_clip: Ints
    a_start: Ints
    b_clip: Ints
    b_start: Ints
    alignment: Floats
    length: int
    lengths: Ints | None = None
    used: Ints | None = None

    @staticmethod
    def of(join: Join) -> JoinArrays:
        """Return one join as arrays."""
        at = join.alignment
        return JoinArrays(
            np.array([join.a_clip]),
            np.array([join.a_start]),
            np.array([join.b_clip]),
            np.array([join.b_start]),
            np.array([[at.turn, at.x, at.z]]),
            join.length,
            used=None if join.used is None else np.array([join.used]),
        )

    @cached_property
    def each(self) -> Ints:
        """(P,) frames of each blend."""
        return np.full(len(self), self.length, dtype=np.int64) if self.lengths is None else self.lengths

    @cached_property
    def bridges(self) -> Bools:
        """(P,) flags of the bridges: blends that use a given number of frames of A and of B."""
        return np.zeros(len(self), dtype=bool) if self.used is None else self.used[:, 0] > 0

    @cached_property
    def usual(self) -> int:
        """Frames of the longest blend that is no bridge."""
        if self.used is None:
            return self.length
        return int(np.max(self.each[~self.bridges], initial=0))

    @cached_property
    def uses(self) -> Ints:
        """(P, 2) frames of A and of B that each blend uses."""
        same = np.repeat(self.each[:, None], 2, axis=1)
        return same if self.used is None else np.where(self.bridges[:, None], self.used, same)

    @cached_property
    def heads(self) -> Ints:
        """(P,) frames of A that count as shown: those of the first half of each blend."""
        out: Ints = self.uses[:, 0] // 2
        return out

    @cached_property
    def tails(self) -> Ints:
        """(P,) frames of B that count as shown: those of the second half of each blend."""
        out: Ints = self.uses[:, 1] - self.uses[:, 1] // 2
        return out

    @cached_property
    def stops(self) -> Ints:
        """(P,) frame of A after the last blended one."""
        return self.a_start + self.uses[:, 0]

    @cached_property
    def arrivals(self) -> Ints:
        """(P,) first frame of B that plays alone."""
        return self.b_start + self.uses[:, 1]

    def played(self, side: int, margin: int = 0) -> Floats:
        """Frames (P, n + 2 margin) of A, side 0, or B, side 1, that play in blends of one length, and around them."""
        n, uses = self.length, self.uses[:, side : side + 1]
        start = (self.b_start if side else self.a_start)[:, None]
        t = np.arange(-margin, n + margin)
        in_step = np.where(t < n, t, t - n + uses)
        slower = t * ((uses - 1) / max(n - 1, 1))
        out: Floats = start.astype(np.float64) + np.where(
            (t < 0) | (t >= n) | (uses == n), in_step.astype(np.float64), slower
        )
        return out

    def join(self, k: int) -> Join:
        """Return join k."""
        return Join(
            int(self.a_clip[k]),
            int(self.a_start[k]),
            int(self.b_clip[k]),
            int(self.b_start[k]),
            int(self.each[k]),
            PlanarMotion(*(float(v) for v in self.alignment[k])),
            (int(self.uses[k, 0]), int(self.uses[k, 1])) if self.bridges[k] else None,
        )

    def take(self, rows: Ints | np.ndarray) -> JoinArrays:
        """Chosen joins."""
        return JoinArrays(
            self.a_clip[rows],
            self.a_start[rows],
            self.b_clip[rows],
            self.b_start[rows],
            self.alignment[rows],
            self.length,
            None if self.lengths is None else self.lengths[rows],
            None if self.used is None else self.used[rows],
        )

    def tight(self) -> JoinArrays:
        """Return these joins; if they have individual lengths, ``length`` becomes the longest among them."""
        if self.lengths is None:
            return self
        used = self.used if self.bridges.any() else None
        return replace(self, length=int(np.max(self.each, initial=0)), used=used)

    def followed_by(self, more: JoinArrays) -> JoinArrays:
        """Return these joins followed by ``more``."""
        both = (self, more)
        own = any(one.lengths is not None for one in both) or (
            len(self) > 0 and len(more) > 0 and self.length != more.length
        )
        warped = any(one.used is not None for one in both)
        return JoinArrays(
            np.concatenate([one.a_clip for one in both]),
            np.concatenate([one.a_start for one in both]),
            np.concatenate([one.b_clip for one in both]),
            np.concatenate([one.b_start for one in both]),
            np.concatenate([one.alignment for one in both]),
            max(self.length, more.length),
            np.concatenate([one.each for one in both]) if own else None,
            np.concatenate([one._used_or_none for one in both]) if warped else None,
        )

    @property
    def _used_or_none(self) -> Ints:
        return np.zeros((len(self), 2), dtype=np.int64) if self.used is None else self.used

    def alike(self) -> list[tuple[Ints, JoinArrays]]:
        """Group the joins by length: rows and joins of each group."""
        if self.lengths is None:
            return [(np.arange(len(self)), self)]
        return [
            (rows, replace(self.take(rows), length=int(length), lengths=None))
            for length in np.unique(self.lengths)
            for rows in (np.flatnonzero(self.lengths == length),)
        ]

    def __len__(self) -> int:
        return len(self.a_clip)

    def fit(self, clips: Sequence[Clip]) -> np.ndarray:
        """Return flags (P,) of joins whose blend and two frames around it lie inside both clips."""
        frames = np.array([clip.n_frames for clip in clips])
        return (
            (self.a_start >= JOIN_MARGIN)
            & (self.b_start >= 0)
            & (self.stops <= frames[self.a_clip])
            & (self.arrivals + JOIN_MARGIN <= frames[self.b_clip])
        )


class JoinFrames:
    """Frames of all clips concatenated, so that the frames around many joins are gathered in one batch."""

    def __init__(self, clips: Sequence[Clip]) -> None:
        self.clips = clips
        self.counts = np.array([clip.n_frames for clip in clips], dtype=np.int64)
        self.starts = np.concatenate([[0], np.cumsum(self.counts)])
        self.rotations = np.concatenate([clip.rotations for clip in clips])
        self.roots = np.concatenate([clip.root_positions for clip in clips])

    def rows(self, clip: Ints, start: Ints, count: int) -> tuple[Ints, Bools]:
        """Rows (P, count) from a frame of each clip on, and flags of those inside it; edge frames are repeated."""
        frames = start[:, None] + np.arange(count)
        last = self.counts[clip][:, None] - 1
        return self.starts[clip][:, None] + np.clip(frames, 0, last), (frames >= 0) & (frames <= last)

    def around(self, joins: JoinArrays, blend: Blend) -> tuple[Quaternions, Positions]:
        """Frames of blends of one length, and two of either motion around each.

        Returns
        -------
        Local rotations (P, n + 4, J, 4) and root positions (P, n + 4, 3).
        """
        if not _as_values(blend):
            made = [_assembled(self.clips, joins.join(k), blend) for k in range(len(joins))]
            return np.stack([clip.rotations for clip in made]), np.stack(
                [clip.root_positions for clip in made]
            )
        n, margin = joins.length, JOIN_MARGIN
        a_rows, _ = self.rows(joins.a_clip, joins.a_start - margin, n + margin)
        b_rows, _ = self.rows(joins.b_clip, joins.arrivals - n, n + margin)
        a, b = ((self.rotations[rows], self.roots[rows]) for rows in (a_rows, b_rows))
        slower = [self._slower(joins, side) for side in (0, 1)]
        for (mine, *frames), columns, first in zip(slower, (a, b), (margin, 0), strict=True):
            for part, column in zip(frames, columns, strict=True):
                column[mine, first : first + n] = part
        b = placed(b, joins.alignment)
        weights = ease_out(n)
        middle = crossfade((a[0][:, margin:], a[1][:, margin:]), (b[0][:, :n], b[1][:, :n]), weights=weights)
        if n and way(blend.way).keeps_band:
            bands = [self._band(joins, side, slower[side]) for side in (0, 1)]
            middle = with_fast_band(middle, bands[0], bands[1], weights=weights)
        return (
            np.concatenate([a[0][:, :margin], middle[0], b[0][:, n:]], axis=1),
            np.concatenate([a[1][:, :margin], middle[1], b[1][:, n:]], axis=1),
        )

    def wider(
        self, joins: JoinArrays, blend: Blend, made: tuple[Quaternions, Positions], *, margin: int
    ) -> tuple[Quaternions, Positions]:
        """Extend frames already made by more of either motion around each blend.

        Returns
        -------
        Local rotations (P, n + 2 margin, J, 4) and root positions (P, n + 2 margin, 3).
        """
        n = joins.length
        before, _ = self.rows(joins.a_clip, joins.a_start - margin, margin)
        after, _ = self.rows(joins.b_clip, joins.arrivals, margin)
        b = placed((self.rotations[after], self.roots[after]), joins.alignment)
        if not _as_values(blend):
            b = _continued(b, made, n)
        inner = slice(JOIN_MARGIN, JOIN_MARGIN + n)
        return (
            np.concatenate([self.rotations[before], made[0][:, inner], b[0]], axis=1),
            np.concatenate([self.roots[before], made[1][:, inner], b[1]], axis=1),
        )

    def _band(self, joins: JoinArrays, side: int, slower: tuple[Ints, Quaternions, Positions]) -> Floats:
        """Fast band (P, n, J + 1, 3) of the motions left, side 0, or arrived in, side 1, placed by the alignment."""
        n, fps = joins.length, self.clips[0].fps
        clip, start = (joins.b_clip, joins.b_start) if side else (joins.a_clip, joins.a_start)
        m = context(fps)
        first = self.starts[clip][:, None]
        rows = first + start[:, None] + np.arange(-m, n + m)
        motion = self.rotations, self.roots
        around = frames_around(motion, rows, first=first, last=first + self.counts[clip][:, None] - 1)
        mine, rotations, roots = slower
        if mine.size:
            block = rotations.reshape(-1, *rotations.shape[2:]), roots.reshape(-1, 3)
            first = n * np.arange(len(mine))[:, None]
            wide = frames_around(block, first + np.arange(-m, n + m), first=first, last=first + n - 1)
            around[0][mine], around[1][mine] = wide
        band = fast_band(around, fps=fps)  # for joints it does not depend on the placement
        if side:
            turn = joins.alignment * [1.0, 0.0, 0.0]
            band[:, :, -1] = moved_points(band[:, :, -1], turn)
        return band

    def _slower(self, joins: JoinArrays, side: int) -> tuple[Ints, Quaternions, Positions]:
        """Rows (K,) of bridges that play a side slower, and its frames (K, n), as in `segue.synthesis.assemble`."""
        clip, start = (joins.b_clip, joins.b_start) if side else (joins.a_clip, joins.a_start)
        mine = np.flatnonzero(joins.bridges & (joins.uses[:, side] != joins.length))
        first, used = (self.starts[clip] + start)[mine, None], joins.uses[mine, side]
        at = np.linspace(np.zeros(len(mine)), used - 1.0, joins.length, axis=1)
        return mine, *frames_at((self.rotations, self.roots), at, first=first, last=first + used[:, None] - 1)


def _as_values(blend: Blend) -> bool:
    """Whether the blend is computed frame by frame from values, so that many joins are made in one batch."""
    return blend.root == "position" and blend.way in CROSSFADES


def placed(frames: tuple[Quaternions, Positions], alignment: Floats) -> tuple[Quaternions, Positions]:
    """Frames (P, n, J, 4) and (P, n, 3), each of P stretches moved along the ground by turn, x, z (P, 3)."""
    rotations, roots = np.array(frames[0]), np.array(frames[1])
    rotations[:, :, 0] = multiply(from_yaw(alignment[:, :1]), rotations[:, :, 0])
    return rotations, moved_points(roots, alignment)


def moved_points(points: Positions, alignment: Floats) -> Positions:
    """Points (P, ..., 3), each of P sets moved along the ground by turn, x, z (P, 3)."""
    turn, x, z = (alignment[:, k].reshape(-1, *[1] * (points.ndim - 2)) for k in range(3))
    c, s = np.cos(turn), np.sin(turn)
    out = np.array(points)
    out[..., 0] = c * points[..., 0] + s * points[..., 2] + x
    out[..., 2] = -s * points[..., 0] + c * points[..., 2] + z
    return out


def _continued(
    b: tuple[Quaternions, Positions], whole: tuple[Quaternions, Positions], n: int
) -> tuple[Quaternions, Positions]:
    """The motion after a blend, moved along the ground to where an assembled join left it."""
    from segue.maths.quaternions import yaw

    at = n + JOIN_MARGIN  # first frame that plays alone, in the assembled frames
    turn = yaw(whole[0][:, at, 0]) - yaw(b[0][:, 0, 0])
    alignment = np.zeros((len(turn), 3))
    alignment[:, 0] = turn
    there = moved_points(b[1][:, :1], alignment)[:, 0]
    alignment[:, 1:] = (whole[1][:, at] - there)[:, [0, 2]]
    return placed(b, alignment)


def _assembled(clips: Sequence[Clip], join: Join, blend: Blend) -> Clip:
    """One blend and two frames of either motion around it."""
    alone = replace(join, a_clip=0, b_clip=1)
    return assemble(
        [clips[join.a_clip], clips[join.b_clip]],
        Plan(0, join.a_start - JOIN_MARGIN, (alone,), join.arrival + JOIN_MARGIN),
        root=blend.root,
        way=blend.way,
    )
