"""Assemble pieces of clips, blended where they meet, into one clip with the origin of each frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions, frozen, sealed
from segue.blending.crossfade import (
    context,
    crossfade_displacements,
    fast_band,
    frames_around,
    with_fast_band,
)
from segue.blending.ways import BEFORE, BlendMethod, Stretch, along
from segue.blending.ways import way as way_named
from segue.errors import SettingError, SkeletonError
from segue.maths.easing import ease_out
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import yaw
from segue.motion.clip import Clip, Origin, merged_periods
from segue.motion.resample import cut, origin_at, sampled
from segue.settings import Blend, RootMode
from segue.summaries import one_line

_NOWHERE = PlanarMotion()


@dataclass(frozen=True)
class Join:
    """One transition from clip to clip: ``length`` blended frames use ``a_start + t`` of A and ``b_start + t`` of B.

    ``alignment`` places B relative to A on the ground. ``used`` is the number of frames that the blend uses of A and
    of B where these are not ``length``: the side with fewer is played slower, both ends stay (Wang, eq. V.5).
    """

    a_clip: int
    a_start: int
    b_clip: int
    b_start: int
    length: int
    alignment: PlanarMotion
    used: tuple[int, int] | None = None

    @property
    def a_stop(self) -> int:
        """Frame of A after the last blended one."""
        return self.a_start + (self.length if self.used is None else self.used[0])

    @property
    def arrival(self) -> int:
        """First frame of B that plays alone."""
        return self.b_start + (self.length if self.used is None else self.used[1])


@one_line
@dataclass(frozen=True)
class Plan:
    """A motion to be made: start in a clip at a frame, take the joins in order, stop before ``end_frame``."""

    clip: int
    start_frame: int
    joins: tuple[Join, ...]
    end_frame: int

    def pieces(self) -> list[tuple[int, int, int]]:
        """Unblended stretches (clip, first frame, frame after the last) between the joins, in order."""
        rows = []
        clip, at = self.clip, self.start_frame
        for join in self.joins:
            rows.append((clip, at, join.a_start))
            clip, at = join.b_clip, join.arrival
        rows.append((clip, at, self.end_frame))
        return rows

    @property
    def n_frames(self) -> int:
        """Number of frames of the motion."""
        return sum(stop - start for _, start, stop in self.pieces()) + sum(join.length for join in self.joins)


def assemble(
    clips: Sequence[Clip],
    plan: Plan,
    *,
    root: RootMode = Blend.root,
    way: str = Blend.way,
    name: str = "motion",
) -> Clip:
    """Make the motion of a plan.

    Position and heading continue through every join: each clip is moved along the ground to where the previous one
    ends.

    Parameters
    ----------
    clips
        Clips of one skeleton at one frame rate.
    plan
        What to play.
    root
        How the root is blended (`segue.blending.methods.Blend`).
    way
        Blend method, a name of `segue.blending.ways.WAYS`.
    name
        Name of the result.

    Raises
    ------
    SettingError
        If a piece or a blend lies outside its clip, the frame rates differ or there is nothing to play.
    SkeletonError
        If the skeletons differ.
    """
    _check(clips, plan)
    out = Reel(clips, root, way_named(way))
    placed = PlanarMotion()
    pieces = plan.pieces()
    for k, (clip, start, stop) in enumerate(pieces):
        out.play(clip, start, stop, placed)
        if k < len(plan.joins):
            placed = out.blend(plan.joins[k], placed)
    return out.finish(name)


class Reel:
    """Frames assembled so far; a live player removes them as they come."""

    def __init__(self, clips: Sequence[Clip], root: RootMode, way: BlendMethod) -> None:
        self.clips, self.root, self.way = clips, root, way
        self.rotations: list[Quaternions] = []
        self.roots: list[Positions] = []
        self.origin: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self.names = tuple(dict.fromkeys(name for clip in clips for name in clip.origin.clips))
        index = {name: k for k, name in enumerate(self.names)}
        self.periods = merged_periods(self.names, [clip.origin for clip in clips])
        # Clip -1, meaning none, indexes the last entry.
        self.renumber = [np.array([*(index[name] for name in clip.origin.clips), -1]) for clip in clips]

    def _side(
        self, clip: int, start: int, stop: int, length: int, placed: PlanarMotion
    ) -> tuple[tuple[Quaternions, Positions], tuple[int, Clip, slice]]:
        """Frames of one side of a blend, played slower if there are fewer than needed, with their clip and rows."""
        part = self.clips[clip]
        if stop - start != length:
            part = cut(part, start, stop)
            at = np.linspace(0.0, part.n_frames - 1.0, length)
            part = part.with_motion(*sampled(part, at), origin=origin_at(part.origin, at))
            start, stop = 0, length
        rows = slice(start, stop)
        return _placed(part, rows, placed), (clip, part, rows)

    def _sources(self, side: tuple[int, Clip, slice], times: Floats | None) -> tuple[np.ndarray, np.ndarray]:
        """Source (n,) and source frame (n,) of one side of a blend, at ``times`` where these are not its frames."""
        clip, part, rows = side
        origin = part.origin
        if times is not None:
            origin = origin_at(origin, np.clip(rows.start + times, 0.0, part.n_frames - 1.0))
            rows = slice(0, len(times))
        first = origin.weight[rows, 0] >= origin.weight[rows, 1]
        number, frame = (
            np.where(first, each[rows, 0], each[rows, 1]) for each in (origin.clip, origin.frame)
        )
        return self.renumber[clip][number], frame

    def play(self, clip: int, start: int, stop: int, placed: PlanarMotion) -> None:
        """Append an unblended stretch."""
        if stop <= start:
            return
        rows = slice(start, stop)
        rotations, roots = _placed(self.clips[clip], rows, placed)
        self.rotations.append(rotations)
        self.roots.append(roots)
        origin = self.clips[clip].origin
        self.origin.append((self.renumber[clip][origin.clip[rows]], origin.frame[rows], origin.weight[rows]))

    def blend(self, join: Join, placed: PlanarMotion) -> PlanarMotion:
        """Append a blend; return the placement of the motion arrived in from then on."""
        arrived = join.alignment.then(placed)
        if join.length == 0:
            return arrived
        a, a_side = self._side(join.a_clip, join.a_start, join.a_stop, join.length, placed)
        b, b_side = self._side(join.b_clip, join.b_start, join.arrival, join.length, arrived)
        times: tuple[Floats | None, Floats | None] = (None, None)
        weights = ease_out(join.length)
        edges = [
            _before(self.clips[clip], start, at)
            for clip, start, at in ((join.a_clip, join.a_start, placed), (join.b_clip, join.b_start, arrived))
        ]
        fps = self.clips[0].fps
        around = [
            _around(part, rows, at) if self.way.keeps_band else None
            for (_, part, rows), at in ((a_side, placed), (b_side, arrived))
        ]
        if self.root == "position":
            left, arriving = (
                _joined(edge, side, fps, wide) for edge, side, wide in zip(edges, (a, b), around, strict=True)
            )
            if self.way.times is None:
                rotations, roots = self.way.across(left, arriving)
            else:
                times = sampled = self.way.times(left, arriving)
                rotations, roots = along(left, arriving, sampled)
        else:
            before = ((edges[0][0][-1, 0], edges[0][1][-1]), (edges[1][0][-1, 0], edges[1][1][-1]))
            rotations, roots = crossfade_displacements(a, b, weights=weights, before=before)
            bands = [fast_band(wide, fps=fps) for wide in around if wide is not None]
            if bands:
                for band in bands:
                    band[:, -1, [0, 2]] = 0.0  # the root's path does not depend on where B is placed
                rotations, roots = with_fast_band((rotations, roots), bands[0], bands[1], weights=weights)
            arrived = arrived.then(_from_to(b[0][-1, 0], b[1][-1], rotations[-1, 0], roots[-1]))
        self.rotations.append(rotations)
        self.roots.append(roots)
        a_source, b_source = self._sources(a_side, times[0]), self._sources(b_side, times[1])
        numbers, frames = (np.array(pair).T for pair in zip(a_source, b_source, strict=True))
        self.origin.append((numbers, frames, np.array([weights, 1.0 - weights]).T))
        return arrived

    def taken(self) -> tuple[Quaternions, Positions, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Rotations (n, J, 4), roots (n, 3) and origin rows since the last call; the reel is empty afterwards."""
        origin = tuple(np.concatenate(part) for part in zip(*self.origin, strict=True))
        out = np.concatenate(self.rotations), np.concatenate(self.roots), (origin[0], origin[1], origin[2])
        self.rotations, self.roots, self.origin = [], [], []
        return out

    def finish(self, name: str) -> Clip:
        """Concatenate the frames."""
        numbers, frames, weights = (sealed(np.concatenate(part)) for part in zip(*self.origin, strict=True))
        origin = Origin(self.names, frozen(numbers, np.int64), frozen(frames), frozen(weights), self.periods)
        first = self.clips[0]
        return Clip(
            first.skeleton,
            sealed(np.concatenate(self.rotations)),
            sealed(np.concatenate(self.roots)),
            first.fps,
            name=name,
            origin=origin,
            source=first.source,
        )


def _placed(clip: Clip, rows: slice | Ints, placed: PlanarMotion) -> tuple[Quaternions, Positions]:
    return _carried(np.array(clip.rotations[rows]), np.array(clip.root_positions[rows]), placed)


def _carried(rotations: Quaternions, roots: Positions, placed: PlanarMotion) -> tuple[Quaternions, Positions]:
    """Frames moved along the ground, in place: the arrays are reused for the result."""
    if placed == _NOWHERE:
        return rotations, roots
    rotations[:, 0] = placed.rotate(rotations[:, 0])
    return rotations, placed.apply(roots)


def _before(clip: Clip, start: int, placed: PlanarMotion) -> tuple[Quaternions, Positions]:
    """Two frames before a blend, placed; before the clip begins its first frame is repeated."""
    rows = (
        slice(start - BEFORE, start) if start >= BEFORE else np.maximum(np.arange(start - BEFORE, start), 0)
    )
    return _placed(clip, rows, placed)


def _around(clip: Clip, rows: slice, placed: PlanarMotion) -> tuple[Quaternions, Positions]:
    """Frames of one side of a blend and around it, placed; beyond its ends the clip is mirrored."""
    m = context(clip.fps)
    wide = np.arange(rows.start - m, rows.stop + m)
    motion = clip.rotations, clip.root_positions
    return _carried(*frames_around(motion, wide, first=0, last=clip.n_frames - 1), placed)


def _joined(
    before: tuple[Quaternions, Positions],
    side: tuple[Quaternions, Positions],
    fps: float,
    around: tuple[Quaternions, Positions] | None,
) -> Stretch:
    rotations, roots = np.concatenate([before[0], side[0]]), np.concatenate([before[1], side[1]])
    return Stretch(rotations, roots, fps, around)


def _from_to(q0: Quaternions, p0: Positions, q1: Quaternions, p1: Positions) -> PlanarMotion:
    """Ground motion that carries heading and place 0 to heading and place 1."""
    turn = float(yaw(q1) - yaw(q0))
    moved = PlanarMotion(turn).apply(p0)
    return PlanarMotion(turn, float(p1[0] - moved[0]), float(p1[2] - moved[2]))


def _check(clips: Sequence[Clip], plan: Plan) -> None:
    first = clips[0]
    for clip in clips[1:]:
        if clip.fps != first.fps:
            msg = f"clips {first.name!r} and {clip.name!r} have {first.fps} and {clip.fps} fps; resample one"
            raise SettingError(msg)
        if clip.skeleton is not first.skeleton and not clip.skeleton.same_as(first.skeleton):
            msg = f"clips {first.name!r} and {clip.name!r} have different skeletons; retarget one"
            raise SkeletonError(msg)
    wanted = plan.pieces()
    at = plan.clip
    for join in plan.joins:
        if join.a_clip != at:
            msg = f"the plan plays clip {clips[at].name!r} but the next join leaves clip {clips[join.a_clip].name!r}"
            raise SettingError(msg)
        at = join.b_clip
        wanted.append((join.a_clip, join.a_start, join.a_stop))
        wanted.append((join.b_clip, join.b_start, join.arrival))
    for number, start, stop in wanted:
        if not 0 <= start <= stop <= clips[number].n_frames:
            msg = (
                f"clip {clips[number].name!r} has frames 0 to {clips[number].n_frames - 1}; "
                f"the plan needs [{start}, {stop})"
            )
            raise SettingError(msg)
    if plan.n_frames == 0:
        msg = f"a plan from frame {plan.start_frame} to {plan.end_frame} of {clips[plan.clip].name!r} has no frames"
        raise SettingError(msg)
