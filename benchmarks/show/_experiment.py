"""Transitions of the transition experiment, and the measurements of one transition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from _data import require_data

import segue
from segue.app.stages import read
from segue.arrays import Bools, Floats
from segue.blending.durations import BlendLength, blend_length
from segue.blending.lengths import is_periodic
from segue.blending.methods import Kind, blend_starts
from segue.errors import SegueError
from segue.graph.build import unified
from segue.maths.easing import ease_out
from segue.maths.planar import PlanarMotion, fit
from segue.maths.quaternions import slerp
from segue.measures.intersection import intersections
from segue.motion.clip import Clip, Origin
from segue.motion.contacts import contacts
from segue.motion.feet import foot_positions
from segue.motion.kinematics import World, world
from segue.motion.resample import sampled
from segue.motion.roles import roles
from segue.synthesis.assemble import Join, Plan, assemble
from segue.synthesis.feet.seams import with_feet

FPS = 60.0
AROUND = 6
"""Frames of either motion measured around a blend."""
ROOM = 0.6
"""Seconds of either clip that an aligned point needs before and after it; a start-end point needs twice as much."""
APART = 0.5
"""Minimum distance in seconds between points of one pair of clips."""
PER_PAIR = 12
"""Maximum number of points of one pair."""
MOST = 60
"""Maximum number of points of each kind from a group."""


def clips_of(group: str) -> tuple[Clip, ...]:
    """Return the clips of a group on one skeleton at 60 frames a second.

    ``"tempo"``: the first eight clips of subject 16 of 3 s or more with periodic leg motion in the middle, each
    played forwards and backwards to four times its length, with its speed varying from 0.7 to 1.3 every 2 s.
    """
    data = require_data()
    files: dict[str, list[Path]] = {
        "16": [data / "asf_amc" / "16"],
        "tempo": [data / "asf_amc" / "16"],
        "127": [data / "asf_amc" / "127"],
        "131": sorted((data / "cmu" / "max_friendly").glob("131_*.bvh")),
        "05": [data / "asf_amc" / "05"],
        "fighting": [
            data / "asf_amc" / "02" / "02_05.amc",
            data / "asf_amc" / "17" / "17_10.amc",
            data / "misc" / "assimp" / "Boxing_Toes.bvh",
        ],
    }
    clips = unified(read([str(path) for path in files[group]]).clips, fps=FPS)
    if group == "tempo":
        clips = tuple(_swinging(c) for c in clips if c.seconds >= 3 and is_periodic(c, c.n_frames // 2))[:8]
    return tuple(clip.with_motion(origin=Origin.of(clip.name, clip.n_frames)) for clip in clips)


def _swinging(clip: Clip) -> Clip:
    """Play a clip at a varying speed, forwards and backwards so that it is long enough."""
    whole = 2.0 * (clip.n_frames - 1)
    t = np.arange(round(2 * whole)) / FPS
    passed = np.cumsum(1.0 + 0.3 * np.sin(np.pi * t + len(clip.name))) % whole
    at = np.where(passed > whole / 2, whole - passed, passed)
    return clip.with_motion(*sampled(clip, at), origin=Origin.of(clip.name, len(at)))


@dataclass(eq=False)
class Source:
    """A clip with its own measurements."""

    clip: Clip
    planted: Bools = field(init=False)
    foot_speed: Floats = field(init=False)
    differences: dict[int, Floats] = field(init=False)
    limbs: Floats = field(init=False)
    positions: Floats = field(init=False)

    def __post_init__(self) -> None:
        at = world(self.clip)
        self.positions = at.positions
        self.planted = contacts(self.clip).flags
        self.foot_speed = speeds(foot_positions(self.clip.skeleton, at))
        self.differences = {n: np.linalg.norm(np.diff(at.positions, n, axis=0), axis=-1) for n in (2, 3)}
        self.limbs = intersections(self.clip).depth.max(axis=0)


def speeds(feet: Floats) -> Floats:
    """Return ground speed (F, 4) of foot parts in m/s; the first frame repeats the second."""
    step = np.linalg.norm(np.diff(feet[..., [0, 2]], axis=0), axis=-1) * FPS
    return np.concatenate([step[:1], step])


@dataclass(frozen=True, eq=False)
class Crossing:
    """A transition point between two sources of a group."""

    group: str
    a: Source
    b: Source
    a_frame: int
    b_frame: int
    kind: Kind
    place: PlanarMotion | None

    def fits(self, count: int) -> bool:
        """Return whether a blend of that many frames, with the frames measured around it, is inside both clips."""
        starts = blend_starts(self.a_frame, self.b_frame, length=count, kind=self.kind)
        return all(
            start >= AROUND and start + count + AROUND <= source.clip.n_frames
            for start, source in zip(starts, (self.a, self.b), strict=True)
        )

    def found(self, method: str) -> BlendLength:
        at = {"a_frame": self.a_frame, "b_frame": self.b_frame}
        return blend_length(self.a.clip, self.b.clip, **at, kind=self.kind, method=method)  # type: ignore[arg-type]

    def shortened(self, seconds: float) -> int:
        """Return the frames of a length, or as many as fit."""
        wanted = round(seconds * FPS)
        return next(k for k in range(wanted, -1, -1) if self.fits(k))

    def join(self, count: int) -> Join:
        """Return a blend of that many frames."""
        a_start, b_start = blend_starts(self.a_frame, self.b_frame, length=count, kind=self.kind)
        place = self.place
        if place is None:
            middle, near = count // 2, 5
            sides = [
                source.positions[max(at + middle - near, 0) : at + middle + near + 1]
                for source, at in ((self.a, a_start), (self.b, b_start))
            ]
            rows = min(len(side) for side in sides)
            one, other = (side[:rows].reshape(-1, 3) for side in sides)
            place = fit(one, other, np.ones(len(one)))
        return Join(0, a_start, 1, b_start, count, place)

    def warped(self, found: BlendLength) -> Join:
        """Return a blend that covers more of one side than of the other, in step with `segue.splice`."""
        used = [
            max(min(round(seconds * FPS), room), 2)
            for seconds, room in (
                (found.from_seconds, self.a.clip.n_frames - self.a_frame - AROUND),
                (found.to_seconds, self.b_frame - AROUND),
            )
        ]
        count = max(used)
        join = self.join(self.shortened(count / FPS))
        return replace(join, b_start=self.b_frame + 1 - used[1], length=count, used=(used[0], used[1]))

    def made(self, join: Join, *, method: str = "crossfade", feet: str = "free") -> Clip:
        """Return the blend and a few frames of either motion around it; half a second where feet are held."""
        around = AROUND if feet == "free" else 30
        first = max(join.a_start - around, 0)
        last = min(join.arrival + around, self.b.clip.n_frames)
        clips = (self.a.clip, self.b.clip)
        motion = assemble(clips, Plan(0, first, (join,), last), way=method)
        return with_feet(motion, clips, feet).clip if feet != "free" else motion  # type: ignore[arg-type]

    def by_joint(self) -> Clip:
        """Blend each joint over the length of its own curve, all centred in the longest."""
        found = self.found("geodesic")
        known = roles(self.a.clip.skeleton)
        each = {known[role]: self.shortened(seconds) for role, seconds in found.joint_seconds.items()}
        whole = self.shortened(found.seconds)
        join = self.join(max([whole, *each.values()]))
        motion = self.made(join)
        first = join.a_start - min(AROUND, join.a_start)
        start, n = join.a_start - first, join.length
        rotations = np.array(motion.rotations)
        for joint in range(1, motion.skeleton.n_joints):
            length = each.get(joint, whole)
            before = (n - length) // 2
            w = np.concatenate([np.ones(before), ease_out(length), np.zeros(n - length - before)])
            a = self.a.clip.rotations[join.a_start : join.a_start + n, joint]
            b = self.b.clip.rotations[join.b_start : join.b_start + n, joint]
            rotations[start : start + n, joint] = slerp(a, b, 1.0 - w)
        return motion.with_motion(rotations, motion.root_positions, origin=motion.origin)

    def measured(self, motion: Clip) -> tuple[float, float, float]:
        """Return skate in mm, and acceleration and jerk added by the blend, over the sources' largest."""
        at = world(motion)
        frame, from_a, heavier = self._shown(motion)
        added = []
        for order in (2, 3):
            made = np.linalg.norm(np.diff(at.positions, order, axis=0), axis=-1)
            own = np.zeros_like(made)
            for column in (0, 1):
                for source, mine in ((self.a, from_a[:, column]), (self.b, ~from_a[:, column])):
                    rows = np.flatnonzero(mine[order - 1 : -1])
                    share = motion.origin.weight[rows + order - 1, column, None]
                    own[rows] += (
                        share * source.differences[order][frame[rows + order - 1, column] - order + 1]
                    )
            point = self.a.differences[order], self.b.differences[order]
            half = round(0.5 * FPS)
            most = max(
                float(d[max(f - half, 0) : f + half].max())
                for d, f in zip(point, (self.a_frame, self.b_frame), strict=True)
            )
            added.append(float(np.maximum(made - own, 0.0).max()) / most)
        return 1000 * self._skate(motion, at, (frame, from_a, heavier)), added[0], added[1]

    def _shown(self, motion: Clip) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Frame (F, 2) and whether it is one of A (F, 2), of both columns; the heavier column (F,)."""
        origin = motion.origin
        names = np.array(origin.clips)
        from_a = names[origin.clip] == self.a.clip.name
        if self.a is self.b:
            from_a[:] = True
        sources = np.where(from_a, self.a.clip.n_frames, self.b.clip.n_frames)
        frame = np.clip(np.round(origin.frame).astype(int), 0, sources - 1)
        return frame, from_a, np.argmax(origin.weight, axis=1)

    def deeper(self, motions: Sequence[Clip]) -> list[float]:
        """Return millimetres by which limbs of each motion penetrate the body beyond their maximum in the sources."""
        most = np.maximum(self.a.limbs, self.b.limbs)
        together = self.a.clip.with_motion(
            np.concatenate([m.rotations[AROUND::2] for m in motions]),
            np.concatenate([m.root_positions[AROUND::2] for m in motions]),
            origin=Origin.of("all", sum(len(m.rotations[AROUND::2]) for m in motions)),
        )
        deep = np.maximum(intersections(together).depth - most, 0.0).max(axis=1)
        edges = np.cumsum([len(m.rotations[AROUND::2]) for m in motions])[:-1]
        return [1000 * float(part.max()) for part in np.split(deep, edges)]

    def _skate(self, motion: Clip, at: World, shown: tuple[np.ndarray, np.ndarray, np.ndarray]) -> float:
        """Metres that a planted heel or toe slides beyond its source, the mean of the four."""
        every = np.arange(motion.n_frames)
        frame, from_a = shown[0][every, shown[2]], shown[1][every, shown[2]]
        mine = speeds(foot_positions(motion.skeleton, at))
        planted, own = np.zeros_like(mine, dtype=bool), np.zeros_like(mine)
        for source, rows in ((self.a, from_a), (self.b, ~from_a)):
            planted[rows], own[rows] = source.planted[frame[rows]], source.foot_speed[frame[rows]]
        return float(np.where(planted, np.maximum(mine - own, 0.0), 0.0).sum(axis=0).mean()) / FPS


def crossings(name: str, sources: Sequence[Source], kind: Kind) -> list[Crossing]:
    """Return the points of a group: of each ordered pair in turn the one of lowest cost, then the next."""
    by_pair = _aligned(sources) if kind == "aligned" else _random(sources)
    out: list[Crossing] = []
    turn = 0
    while any(len(points) > turn for _, points in by_pair):
        out += [
            Crossing(name, sources[i], sources[j], *points[turn][:2], kind, points[turn][2])
            for (i, j), points in by_pair
            if len(points) > turn
        ]
        turn += 1
        if len(out) >= MOST:
            break
    step = max(len(out) / MOST, 1.0)
    return [out[int(k * step)] for k in range(min(len(out), MOST))]


Found = list[tuple[tuple[int, int], list[tuple[int, int, PlanarMotion | None]]]]


def _aligned(sources: Sequence[Source]) -> Found:
    cost = segue.PointCloudCost()
    return _each(sources, lambda a, b: _points(a, b, cost))


def _points(a: Clip, b: Clip, cost: segue.PointCloudCost) -> list[tuple[int, int, PlanarMotion | None]]:
    room, apart = round(ROOM * FPS), round(APART * FPS)
    try:
        found = segue.transition_points(a, b, cost=cost, threshold=1e3)
    except SegueError:
        return []
    out: list[tuple[int, int, PlanarMotion | None]] = []
    for point in found:
        at = point.a_frame, point.b_frame
        inside = all(room <= f < c.n_frames - room for f, c in zip(at, (a, b), strict=True))
        if inside and all(max(abs(at[0] - p[0]), abs(at[1] - p[1])) >= apart for p in out):
            out.append((*at, point.alignment))
        if len(out) == PER_PAIR:
            break
    return out


def _random(sources: Sequence[Source]) -> Found:
    rng = np.random.default_rng(6)
    room = round(2 * ROOM * FPS)

    def drawn(a: Clip, b: Clip) -> list[tuple[int, int, PlanarMotion | None]]:
        if min(a.n_frames, b.n_frames) < room + 2 * AROUND + 1:
            return []
        return [
            (int(rng.integers(AROUND, a.n_frames - room)), int(rng.integers(room, b.n_frames - AROUND)), None)
            for _ in range(PER_PAIR)
        ]

    return _each(sources, drawn)


def _each(
    sources: Sequence[Source], points: Callable[[Clip, Clip], list[tuple[int, int, PlanarMotion | None]]]
) -> Found:
    """Yield every ordered pair of different clips at most two apart in a ring."""
    count = len(sources)
    reach = min(2, count - 1)
    pairs = [(i, (i + d) % count) for i in range(count) for d in range(1, reach + 1)]
    return [((i, j), points(sources[i].clip, sources[j].clip)) for i, j in pairs]
