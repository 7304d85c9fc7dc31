"""Prepare clips for a graph: add root motion, and mirror images where they connect more clips."""

from __future__ import annotations

from dataclasses import replace

from segue.app.in_place import mirror_of, travelling
from segue.app.stages import Collection, doubled, make_graph
from segue.graph.build import MotionGraph
from segue.settings import Settings
from segue.threads import Progress, silent

MOST_MIRRORED = 120
"""Most clips for which mirror images are tried by default: they make four times as many pairs."""
_NAMED = 3


def with_root_motion(
    collection: Collection, *, progress: Progress = silent
) -> tuple[Collection, tuple[str, ...]]:
    """Add root motion to clips in place, with a note that names them.

    Examples
    --------
    >>> from segue.app.stages import read
    >>> with_root_motion(read(["sample:walk"]))[1]
    ()
    """
    clips, changed = travelling(
        collection.clips, progress=lambda done, total: progress("finding feet and ground", done, total)
    )
    if not changed:
        return collection, ()
    named = ", ".join(changed[:_NAMED]) + (
        f" and {len(changed) - _NAMED} more" if len(changed) > _NAMED else ""
    )
    return replace(collection, clips=clips), (f"root motion restored from the feet: {named}",)


def graph_of(
    collection: Collection, settings: Settings, *, mirror: bool | None = None, progress: Progress = silent
) -> tuple[Collection, MotionGraph, tuple[str, ...]]:
    """Build the graph of a collection; return the collection it was built from, the graph, and notes for the user.

    Parameters
    ----------
    collection
        Clips as they were read.
    settings
        Settings of the graph.
    mirror
        Whether mirror images are used; None tries them if clips are left out, and keeps them if more of the original
        clips are connected.
    progress
        Called with stage, done, total.
    """
    if mirror:
        collection = doubled(collection)
    graph = make_graph(collection, settings, progress=progress)
    if mirror is not None or not _may_connect_more(graph):
        return collection, graph, ()
    both = doubled(collection)
    mirrored = make_graph(both, settings, progress=progress)
    before, after = len(_read_and_reached(graph, collection)), len(_read_and_reached(mirrored, both))
    if after <= before:
        return collection, graph, ()
    return (
        both,
        mirrored,
        (f"mirror images are used; clips in the graph with them: {after}, without: {before}",),
    )


def _may_connect_more(graph: MotionGraph) -> bool:
    left_out = graph.report.dropped_clips.keys() - graph.report.short_clips.keys()
    return bool(left_out) and 1 < len(graph.clips) <= MOST_MIRRORED


def _read_and_reached(graph: MotionGraph, collection: Collection) -> set[str]:
    """Names of the original clips in a graph, directly or as mirror images."""
    reached = set(graph.clips_reached)
    return {mirror_of(clip) or clip.name for clip in collection.clips if clip.name in reached}
