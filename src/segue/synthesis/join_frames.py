"""Frames of many joins at once: each blend, and frames of either motion around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions, Quaternions
from segue.blending.band import context, fast_band, frames_around, with_fast_band
from segue.blending.crossfade import crossfade
from segue.blending.ways import way
from segue.maths.easing import ease_out
from segue.maths.quaternions import from_yaw, multiply
from segue.motion.clip import Clip
from segue.motion.resample import cut, sampled
from segue.settings import Blend
from segue.settings.words import CROSSFADES
from segue.synthesis.assemble import Join, Plan, assemble
from segue.synthesis.joins import JOIN_MARGIN, JoinArrays


class JoinFrames:
    """Frames of all clips in one block, so that the frames around many joins are gathered at once."""

    def __init__(self, clips: Sequence[Clip]) -> None:
        self.clips = clips
        self.counts = np.array([clip.n_frames for clip in clips], dtype=np.int64)
        self.starts = np.concatenate([[0], np.cumsum(self.counts)])
        self.rotations = np.concatenate([clip.rotations for clip in clips])
        self.roots = np.concatenate([clip.root_positions for clip in clips])

    def rows(self, clip: Ints, start: Ints, count: int) -> tuple[Ints, Bools]:
        """Rows (P, count) of the block from a frame of each clip on, and which lie in it; edge frames are repeated."""
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
        for k in np.flatnonzero(joins.bridges):
            for frames, clip, start, used, first in (
                (a, joins.a_clip, joins.a_start, joins.uses[k, 0], margin),
                (b, joins.b_clip, joins.b_start, joins.uses[k, 1], 0),
            ):
                if used != n:
                    slower = self._slower(int(clip[k]), int(start[k]), int(used), n)
                    for part, column in zip(slower, frames, strict=True):
                        column[k, first : first + n] = part
        b = placed(b, joins.alignment)
        weights = ease_out(n)
        middle = crossfade((a[0][:, margin:], a[1][:, margin:]), (b[0][:, :n], b[1][:, :n]), weights=weights)
        if n and way(blend.way).keeps_band:
            bands = [self._band(joins, side) for side in (0, 1)]
            middle = with_fast_band(middle, bands[0], bands[1], weights=weights)
        return (
            np.concatenate([a[0][:, :margin], middle[0], b[0][:, n:]], axis=1),
            np.concatenate([a[1][:, :margin], middle[1], b[1][:, n:]], axis=1),
        )

    def wider(
        self, joins: JoinArrays, blend: Blend, made: tuple[Quaternions, Positions], *, margin: int
    ) -> tuple[Quaternions, Positions]:
        """The same frames, made already, with more of either motion around each blend.

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

    def _band(self, joins: JoinArrays, side: int) -> Floats:
        """Fast band (P, n, J + 1, 3) of the motions left, side 0, or arrived in, side 1, placed beside them."""
        n, fps = joins.length, self.clips[0].fps
        clip, start = (joins.b_clip, joins.b_start) if side else (joins.a_clip, joins.a_start)
        m = context(fps)
        first = self.starts[clip][:, None]
        rows = first + start[:, None] + np.arange(-m, n + m)
        motion = self.rotations, self.roots
        around = frames_around(motion, rows, first=first, last=first + self.counts[clip][:, None] - 1)
        for k in np.flatnonzero(joins.bridges):
            used = int(joins.uses[k, side])
            if used != n:
                slower = self._slower(int(clip[k]), int(start[k]), used, n)
                wide = frames_around(slower, np.arange(-m, n + m), first=0, last=n - 1)
                around[0][k], around[1][k] = wide
        band = fast_band(around, fps=fps)  # of joints it is the same wherever the motion lies
        if side:
            turn = joins.alignment * [1.0, 0.0, 0.0]
            band[:, :, -1] = moved_points(band[:, :, -1], turn)
        return band

    def _slower(self, clip: int, start: int, used: int, n: int) -> tuple[Quaternions, Positions]:
        """Some frames of a clip in the time of n, as `segue.synthesis.assemble.Reel` plays them."""
        return sampled(cut(self.clips[clip], start, start + used), np.linspace(0.0, used - 1.0, n))


def _as_values(blend: Blend) -> bool:
    """Whether frames are blended one by one as values, so that many joins are made at once."""
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
    """The motion behind a blend, moved along the ground to where an assembled join left it."""
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
