"""Calls about motion graphs: build in a job, view, walk at random or along a path, fill a dance floor."""

from __future__ import annotations

import numpy as np

from segue.app.record import bridges_of
from segue.app.stages import make_graph, require_walkable
from segue.errors import SettingError, SkeletonError
from segue.graph.goals import Goals, check_path
from segue.graph.search.directed import direct
from segue.graph.walk import Walk, render
from segue.maths.paths import GroundPath
from segue.measures.seams import seam_ends, seam_ranges
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.runtime.floor import put, scattered, seeds
from segue.settings import Settings
from segue.studio.messages import JobRef
from segue.studio.motion_messages import (
    FloorAsk,
    FloorView,
    GraphAsk,
    GraphEdge,
    GraphNode,
    GraphRef,
    GraphView,
    SeamView,
    WalkAsk,
    WalkStretch,
    WalkView,
)
from segue.studio.packing import origin_spans
from segue.studio.project import MadeMotion
from segue.studio.sentences import with_remedy
from segue.studio.state import MadeGraph, Studio
from segue.threads import Progress

_LONGEST, _MOST = 600.0, 60
"""Most seconds of a walk, and most characters on a floor, at which a page stays responsive."""
_PATIENCE = 4.0
"""Most seconds of search for a walk along a path."""
_EDGES = 6000


def build(studio: Studio, ask: GraphAsk) -> JobRef:
    """Start a job that builds a graph; its result is the graph's number."""
    names = ask.clips or [one.name for one in studio.project.listed()]
    settings = Settings(quality=ask.quality, cost=ask.cost, cost_settings=dict(ask.settings))

    def work(progress: Progress) -> str:
        progress("reading clips", 0, len(names))
        collection, _ = studio.project.readable(names)
        try:
            graph = make_graph(collection, settings, progress=progress)
        except SkeletonError as error:
            raise SettingError(with_remedy(error)) from None
        return str(studio.graphs.add(MadeGraph(graph, collection, settings)))

    count = f"{len(names)} clips" if len(names) != 1 else names[0]
    return JobRef(studio.jobs.start(f"graph of {count}", work))


def graph(studio: Studio, ask: GraphRef) -> GraphView:
    """Return a graph for display."""
    it = studio.graph(ask.graph).graph
    order = np.argsort(it.costs)[:_EDGES]
    report = it.report
    sentence = it.obstacle or (
        f"{len(it.clips_reached)} of {len(it.clips)} clips reached, {len(it.joins)} transitions"
    )
    return GraphView(
        ask.graph,
        [clip.name for clip in it.clips],
        [clip.n_frames for clip in it.clips],
        it.fps,
        [
            GraphNode(int(clip), int(frame), bool(kept))
            for clip, frame, kept in zip(it.node_clip, it.node_frame, it.kept, strict=True)
        ],
        [GraphEdge(int(it.leaves[k]), int(it.arrives[k]), float(it.costs[k])) for k in order],
        list(it.clips_reached),
        dict(report.dropped_clips),
        report.share,
        sentence,
        dict(report.steps),
    )


def walk(studio: Studio, ask: WalkAsk) -> WalkView:
    """Walk a graph at random, or along a path."""
    made = studio.graph(ask.graph)
    require_walkable(made.graph)
    if ask.path:
        path = GroundPath.through(np.round(np.array(ask.path, dtype=np.float64), 6))
        check_path(path)
        found = direct(made.graph, Goals(path), budget=_PATIENCE).walk
        settings: dict[str, object] = {"path": [list(point) for point in ask.path]}
        command = "path"
    else:
        found = made.graph.wander(seconds=_seconds(ask.seconds), seed=ask.seed)
        settings = {
            "make": made.settings.document(),
            "walk": {"seconds": ask.seconds, "seed": ask.seed, "by": "cost", "start": None},
        }
        command = "wander"
    motion = render(found, feet=made.settings.feet, creep=made.settings.creep)
    kept = MadeMotion(motion, made.graph.clips, command, settings, made.collection.clips, bridges_of(found))
    return WalkView(studio.keep(kept), seam_views(motion), _stretches(found, motion))


def _seconds(seconds: float) -> float:
    if not 0 < seconds <= _LONGEST:
        raise SettingError(f"a walk of {seconds:g} s is not shown here; give up to {_LONGEST:g} s")
    return seconds


def seam_views(motion: Clip) -> list[SeamView]:
    """Return the seams of a motion, each with the clips left and entered."""
    out = []
    for start, stop in seam_ranges(motion.origin):
        (a, _), (b, _) = seam_ends(motion.origin, start, stop)
        out.append(SeamView(start, stop, a, b))
    return out


def _stretches(found: Walk, motion: Clip) -> list[WalkStretch]:
    del found
    origin = motion.origin
    out = []
    for number, start, stop in origin_spans(origin):
        column = int(np.argmax(origin.weight[start]))
        last = int(np.argmax(origin.weight[stop - 1]))
        out.append(
            WalkStretch(
                origin.clips[number],
                float(origin.frame[start, column]),
                float(origin.frame[stop - 1, last]),
                start / motion.fps,
            )
        )
    return out


def floor(studio: Studio, ask: FloorAsk) -> FloorView:
    """Make many characters, each on its own walk."""
    made = studio.graph(ask.graph)
    require_walkable(made.graph)
    if not 1 <= ask.count <= _MOST:
        raise SettingError(f"{ask.count} characters are not shown here; give 1 to {_MOST}")
    out = []
    places = scattered(ask.count, seed=ask.seed)
    for number, (seed, place) in enumerate(zip(seeds(ask.seed, ask.count), places, strict=True), start=1):
        found = made.graph.wander(seconds=_seconds(min(ask.seconds, 60.0)), seed=seed)
        motion = render(found, feet=made.settings.feet, creep=made.settings.creep)
        motion = moved(motion, put(motion, place)).with_motion(name=f"character {number}")
        settings = {"make": made.settings.document(), "walk": {"seconds": ask.seconds, "seed": seed}}
        kept = MadeMotion(motion, made.graph.clips, "floor", settings, made.collection.clips)
        out.append(studio.keep(kept))
    return FloorView(out)
