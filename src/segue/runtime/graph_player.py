"""A motion graph played live: an endless walk, one pose a step, that follows requests.

The walk is that of `segue.graph.walk.wander` and its frames are those of `segue.graph.walk.render`, bit for bit. Only
the end differs: a walk of a given length takes no more transitions when a blend would be cut off, and its feet are
planted afterwards. Between frames rotations are interpolated by slerp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segue.arrays import Bools, Floats, Positions, Quaternions
from segue.blending.ways import way
from segue.errors import SettingError, nearest
from segue.graph.build import MotionGraph
from segue.graph.walk import check_walk, first_node
from segue.graph.walker import By, NextStep, Walker
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import slerp
from segue.motion.clip import Clip
from segue.motion.cyclic import in_first_round
from segue.motion.pose import Pose
from segue.motion.resample import ON_A_FRAME
from segue.motion.skeleton import Skeleton
from segue.runtime.protocol import check_step
from segue.runtime.toward import Toward
from segue.settings.words import SEED
from segue.synthesis.assemble import Join, Reel

ANOTHER = 0.5
"""Seconds that a transition within one clip must at least skip to count as leading to another stretch."""

Ranges = Mapping[str, Sequence[tuple[str, int, int]]]
"""Stretches of each label: clip name, first frame, frame after the last, at the graph's rate."""


@dataclass(frozen=True)
class Request:
    """Target of a live walk, by the shortest path: a clip, one frame of it, or a label.

    Where all are None the character wanders. With ``stay`` it stays within the target, as far as transitions lead back
    there; otherwise it wanders on from there.
    With ``leave`` it takes the nearest transition instead: the next one that leads to another stretch; of several at
    one frame, the one that arrives at the smallest frame. It wanders on from there.

    Examples
    --------
    >>> Request(clip="walk", stay=True).frame is None
    True
    """

    clip: str | None = None
    frame: int | None = None
    label: str | None = None
    stay: bool = False
    leave: bool = False


class GraphPlayer:
    """A live character that walks a motion graph and follows a `Request`; a `segue.runtime.protocol.Controller`.

    Parameters
    ----------
    graph
        The graph.
    by
        How transitions are chosen, as in `segue.graph.walk.wander`.
    start
        Name of the clip to start in; any clip by default.
    labels
        Stretches of clips of each label, for requests.

    Raises
    ------
    NoTransitionError
        If the graph allows no endless walk.
    SettingError
        If the start clip is not in the graph, or a label names a clip that is not.

    Examples
    --------
    >>> import numpy as np
    >>> import segue
    >>> graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("walk_fast")])
    >>> player = GraphPlayer(graph)
    >>> player.reset(seed=1)
    >>> live = [player.step(k and 1 / graph.fps).root_position for k in range(100)]
    >>> ahead = segue.render(graph.wander(seconds=5, seed=1), feet="free")
    >>> bool(np.array_equal(live, ahead.root_positions[:100]))
    True
    >>> for _ in range(120):
    ...     pose = player.step(1 / 50, Request(clip="walk", stay=True))
    >>> player.source[0]
    'walk'
    """

    def __init__(
        self,
        graph: MotionGraph,
        *,
        by: By = "cost",
        start: str | None = None,
        labels: Ranges | None = None,
    ) -> None:
        check_walk(seconds=1.0, seed=0, by=by)
        self.graph, self.by, self.start = graph, by, start
        self._labels = dict(labels or {})
        for label in self._labels:
            self._wanted(Request(label=label))
        self.reset()

    def __repr__(self) -> str:
        if not len(self._roots):
            return f"<GraphPlayer at its beginning, {self.fps:g} fps>"
        name, frame = self.source
        return f"<GraphPlayer in {name!r} at frame {frame:.0f}, {self.fps:g} fps>"

    @property
    def skeleton(self) -> Skeleton:
        """Body of the graph's clips."""
        return self.graph.clips[0].skeleton

    @property
    def fps(self) -> float:
        """Frame rate of the graph's clips."""
        return self.graph.fps

    @property
    def source(self) -> tuple[str, float]:
        """Name of the clip with the largest weight at this moment, and its frame.

        Raises
        ------
        SettingError
            If no pose has been made yet.
        """
        if not len(self._roots):
            msg = "no pose has been made yet; step(0) gives the first"
            raise SettingError(msg)
        numbers, frames, weights = (part[self._frame - self._first] for part in self._origin)
        heavier = int(np.argmax(weights))
        return self._reel.names[int(numbers[heavier])], float(frames[heavier])

    def reset(self, seed: int = SEED) -> None:
        """Restart the walk of a seed at its first frame."""
        check_walk(seconds=1.0, seed=seed, by=self.by)
        node = first_node(self.graph, seed, self.start)
        self._walker = Walker(self.graph, np.random.default_rng(seed), self.by, node)
        self._reel = Reel(self.graph.clips, self.graph.blend.root, way(self.graph.blend.way))
        self._placed = PlanarMotion()
        self._toward: Toward | None = None
        self._request: Request | None = None
        self._first = self._frame = 0
        self._part = 0.0
        n = self.skeleton.n_joints
        self._rotations: Quaternions = np.empty((0, n, 4))
        self._roots: Positions = np.empty((0, 3))
        self._origin = (np.empty((0, 2), np.int64), np.empty((0, 2)), np.empty((0, 2)))

    def step(self, dt: float, intent: Request | None = None) -> Pose:
        """Advance by ``dt`` seconds and return the pose; a request takes effect at the next choice point.

        Raises
        ------
        SettingError
            If the time is not possible, or the request names something that the graph lacks.
        """
        check_step(dt)
        if intent is not None:
            self._ask(intent)
        self._part += dt * self.fps
        if abs(self._part - round(self._part)) < ON_A_FRAME:
            self._part = float(round(self._part))
        self._frame += int(self._part)
        self._part -= int(self._part)
        needed = self._frame + (self._part > 0)
        while self._first + len(self._roots) <= needed:
            self._more()
        row = self._frame - self._first
        if not self._part:
            return Pose(self.skeleton, _still(self._rotations[row]), _still(self._roots[row]))
        a, b = self._rotations[row], self._rotations[row + 1]
        root = (1.0 - self._part) * self._roots[row] + self._part * self._roots[row + 1]
        return Pose(self.skeleton, _still(slerp(a, b, self._part)), _still(root))

    def save(self) -> dict[str, Any]:
        """Return the state for `restore` of a player on the same graph."""
        return {
            "walker": self._walker.save(),
            "placed": self._placed,
            "request": self._request,
            "time": (self._first, self._frame, self._part),
            "frames": (self._rotations, self._roots, self._origin),  # replaced, never changed in place
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a state that `save` returned; the walk continues as before."""
        self._walker.restore(state["walker"])
        self._placed = state["placed"]
        self._first, self._frame, self._part = state["time"]
        self._rotations, self._roots, self._origin = state["frames"]
        self._request, self._toward = state["request"], None
        if self._request is not None and not self._request.leave:
            self._toward = Toward(self._walker.ahead, self._wanted(self._request))

    # -- advancing -------------------------------------------------------------------------------------------

    def _more(self) -> None:
        """Choose the next option and make its frames."""
        graph, node = self.graph, self._walker.here.node
        option = self._choose()
        clip, start = int(graph.node_clip[node]), int(graph.node_frame[node])
        if option.transition >= 0:
            join = graph.joins.join(option.transition)
            self._placed = self._reel.blend(join, self._placed)
            clip, start = join.b_clip, join.arrival
        self._reel.play(clip, start, int(graph.node_frame[option.place.node]), self._placed)
        if not option.frames:
            return
        rotations, roots, origin = self._reel.taken()
        behind = min(max(self._frame - self._first, 0), len(self._roots))
        self._rotations = np.concatenate([self._rotations[behind:], rotations])
        self._roots = np.concatenate([self._roots[behind:], roots])
        old = self._origin
        self._origin = (
            np.concatenate([old[0][behind:], origin[0]]),
            np.concatenate([old[1][behind:], origin[1]]),
            np.concatenate([old[2][behind:], origin[2]]),
        )
        self._first += behind

    def _choose(self) -> NextStep:
        """Next option: at random, the nearest transition, or the one that reaches the request soonest."""
        if self._request is not None and self._request.leave:
            return self._leaving()
        if self._toward is None or self._request is None:
            return self._walker.step()
        options = self._walker.options()
        frames = np.array([self._toward.frames(self.graph, self._walker.here, option) for option in options])
        if not self._request.stay:
            option = options[int(np.argmin(frames))]
            if frames.min() < option.frames:  # it is shown before the next choice
                self._request = self._toward = None
            return self._walker.take(option)
        inside = np.array([self._toward.share(self.graph, self._walker.here, option) for option in options])
        best = np.flatnonzero(inside > 1.0 - 1e-9)
        if best.size:  # all that stay are equally good
            return self._walker.take(options[int(self._walker.rng.choice(best))])
        return self._walker.take(options[int(np.lexsort((-inside, frames))[0])])

    def _leaving(self) -> NextStep:
        """Take a transition to another stretch as soon as there is one; continue the clip until then."""
        joins, options = self.graph.joins, self._walker.options()
        elsewhere = [
            option
            for option in options
            if option.transition >= 0 and leads_elsewhere(joins.join(option.transition), self.fps)
        ]
        if not elsewhere:
            return self._walker.take(options[-1])
        self._request = None
        return self._walker.take(
            min(elsewhere, key=lambda option: (joins.arrivals[option.transition], option.transition))
        )

    def _ask(self, request: Request) -> None:
        if request == Request():
            self._request = self._toward = None
        elif request.leave:
            self._request, self._toward = request, None
        elif request != self._request:
            self._toward = Toward(self._walker.ahead, self._wanted(request))
            self._request = request

    def _wanted(self, request: Request) -> Bools:
        """Flags of the frames of all clips, concatenated, that a request names and a walk can reach, at least one."""
        clips = self.graph.clips
        flags = [np.zeros(clip.n_frames, dtype=bool) for clip in clips]
        if request.label is not None:
            if request.label not in self._labels:
                near = nearest(request.label, self._labels)
                msg = f"no frame is labelled {request.label!r}; {near}"
                raise SettingError(msg)
            for name, start, stop in self._labels[request.label]:
                number = self._number(name)
                frames = in_first_round(clips[number])  # a cycle carries its labels in every round
                flags[number] |= (frames >= start) & (frames < stop)
        elif request.clip is not None:
            number = self._number(request.clip)
            if request.frame is None:
                flags[number][:] = True
            elif 0 <= request.frame < clips[number].n_frames:
                flags[number][request.frame] = True
            else:
                msg = (
                    f"clip {request.clip!r} has frames 0 to {clips[number].n_frames - 1} at {self.fps:g} a second, "
                    f"not {request.frame}"
                )
                raise SettingError(msg)
        else:
            msg = "a request names a clip or a label; Request() lets the walk wander"
            raise SettingError(msg)
        wanted = np.concatenate(flags) & self._reachable()
        if not wanted.any():
            msg = f"no walk of this graph reaches {_words(request)}; see its report"
            raise SettingError(msg)
        return wanted

    def _number(self, name: str) -> int:
        names = [clip.name for clip in self.graph.clips]
        if name not in names:
            msg = f"the graph has no clip {name!r}; {nearest(name, self.graph.clips_reached)}"
            raise SettingError(msg)
        return names.index(name)

    def _reachable(self) -> Bools:
        """Flags of the frames of all clips, concatenated, that some walk shows outside a blend."""
        graph = self.graph
        starts = np.concatenate([[0], np.cumsum([clip.n_frames for clip in graph.clips])])
        out = np.zeros(int(starts[-1]), dtype=bool)
        for node in np.flatnonzero(graph.next_node >= 0):
            base = starts[graph.node_clip[node]]
            out[base + graph.node_frame[node] : base + graph.node_frame[graph.next_node[node]] + 1] = True
        return out


def leads_elsewhere(join: Join, fps: float) -> bool:
    """Return whether a transition leads to another stretch: another clip, or another part of the same one.

    Examples
    --------
    >>> leads_elsewhere(Join(0, 40, 0, 42, 10, PlanarMotion()), 60.0)
    False
    >>> leads_elsewhere(Join(0, 40, 0, 240, 10, PlanarMotion()), 60.0)
    True
    """
    return join.a_clip != join.b_clip or abs(join.b_start - join.a_start) > ANOTHER * fps


def _words(request: Request) -> str:
    if request.label is not None:
        return f"label {request.label!r}"
    return f"clip {request.clip!r}" + ("" if request.frame is None else f", frame {request.frame}")


def _still(array: Floats) -> Floats:
    out = array.view()
    out.flags.writeable = False
    return out


def labelled_frames(
    clips: Sequence[Clip], ranges: Mapping[str, Sequence[tuple[str, float, float]]], *, fps: float
) -> dict[str, list[tuple[str, int, int]]]:
    """Convert label ranges in seconds (clip, from, to) to frames of clips at a rate, for a player's ``labels``.

    Examples
    --------
    >>> import segue
    >>> labelled_frames([segue.sample("walk")], {"go": [("walk", 0.5, 1.0)]}, fps=60)
    {'go': [('walk', 30, 60)]}
    """
    known = {clip.name for clip in clips}
    return {
        label: [(name, round(a * fps), round(b * fps)) for name, a, b in rows if name in known]
        for label, rows in ranges.items()
    }
