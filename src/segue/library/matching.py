"""Matching: each pair of a library's clips is compared once; graphs are built from the stored pairs.

Matching again computes only new results: pairs of added clips, and points that a higher threshold admits. The pairs of
a clip are deleted when it is removed or changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from segue.costs.engine.array_api import Device
from segue.costs.engine.plan import Run
from segue.costs.protocol import Cost
from segue.costs.registry import cost_from, cost_of
from segue.documents import as_kind, decode_json
from segue.errors import FileError, SettingError, nearest
from segue.graph.build import MotionGraph, graph_from
from segue.graph.matching import RULED_OUT
from segue.graph.workers import Threads, Workers
from segue.library.checking import read_clip
from segue.library.clips import entry
from segue.library.connection import Store
from segue.library.documents import as_bytes, to_json
from segue.library.pair_rows import LibraryPairs
from segue.library.points import carry_verdicts
from segue.library.rows import LAST, cost_document, hold_against, in_order, setting_row
from segue.settings import DEFAULTS, Blend, Settings, changed
from segue.settings.words import OLD_FEET
from segue.threads import Progress, silent

_ELSEWHERE = {"cost", "cost_settings", "roles", "verdicts"}
"""Settings that a library takes from its costs, clips and points instead."""
_BLEND = {"blend_seconds", "root", "way", "length"}
_BEFORE = {"feet": "locked"}
"""Values of settings missing from the document of a graph, because it is older than they are."""


def asked(given: Mapping[str, Any], settings: Settings = DEFAULTS) -> tuple[Settings, Cost]:
    """Return settings and cost for keyword arguments of `segue.graph.build.build_graph`; ``skeleton`` names a clip.

    Raises
    ------
    SettingError
        If a setting is unknown or not possible.
    """
    words = dict(given)
    cost = words.pop("cost", None)
    for name in _ELSEWHERE & words.keys():
        msg = f"no setting is called {name!r} here: clips and points of a library have it"
        raise SettingError(msg)
    settings = changed(settings, words)
    if isinstance(cost, str):
        settings = replace(settings, cost=cost, cost_settings={})
    return settings, cost_of(settings) if cost is None or isinstance(cost, str) else cost


def graph_document(settings: Settings, cost: Cost) -> dict[str, Any]:
    """Return the settings of a stored graph as a document; `graph_settings` reads it."""
    plain = {name: value for name, value in asdict(settings).items() if name not in _ELSEWHERE | _BLEND}
    return {"cost": cost_document(cost), "blend": asdict(settings.blend), **plain}


@dataclass(frozen=True)
class _Parts:
    """Parts of the document of a graph that `Settings` holds in another form."""

    cost: dict[str, Any]
    blend: Blend


def graph_settings(document: Mapping[str, Any], *, place: Path | None = None) -> tuple[Settings, Cost]:
    """Return settings and cost from the document of a graph.

    Raises
    ------
    SettingError
        If the document does not fit; a `FileError` if ``place`` gives its file.
    """
    what = "the settings of a graph:"
    parts = as_kind(document, _Parts, place, what=what)
    plain = _BEFORE | {name: value for name, value in document.items() if name not in ("cost", "blend")}
    plain["feet"] = OLD_FEET.get(plain["feet"], plain["feet"])
    return changed(as_kind(plain, Settings, place, what=what), {"blend": parts.blend}), cost_from(parts.cost)


@dataclass(frozen=True)
class Matched:
    """Result of matching.

    ``new_pairs`` were compared now, ``kept_pairs`` before; ``ruled_out`` pairs were not compared, because lower bounds
    show that they have no point under the given threshold. ``points`` is the number of verified points under
    ``threshold``, and ``threshold_found`` states how it was found; ``setting`` is the digest of the settings of these
    results. ``left_out`` maps clips that are in no pair, or lack transitions into or out of them, to the reason;
    ``copies`` are pairs of copies of one motion, which are not joined.
    """

    new_pairs: int
    kept_pairs: int
    points: int
    threshold: float
    threshold_found: str
    next_frame_cost: float
    setting: str
    left_out: Mapping[str, str]
    copies: tuple[tuple[str, str], ...]
    ruled_out: int = 0


@contextmanager
def workers_for(
    *,
    scheduler: str | None = None,
    processes: int | None = None,
    memory_budget: int | None = None,
    device: Device = "cpu",
) -> Iterator[Workers]:
    """Yield workers that compare: of a Dask scheduler, processes on this machine, or threads of this process.

    Raises
    ------
    MissingExtraError, SettingError
        As `segue.library.cluster.Cluster`; also if the memory budget is not positive, the device does not exist, or
        one is given for a cluster.
    """
    run = Run(memory_budget=1 << 30 if memory_budget is None else memory_budget, device=device)
    if scheduler is None and processes is None:
        yield Threads(run)
        return
    if device != "cpu":
        raise SettingError(
            f"device {device!r}: workers of a cluster compute on their CPUs; leave one of the two out"
        )
    from segue.library.cluster import Cluster

    with Cluster(scheduler, processes=processes, memory_budget=run.memory_budget) as cluster:
        yield cluster


def match(
    store: Store,
    settings: Settings,
    cost: Cost,
    *,
    workers: Workers | None = None,
    progress: Progress = silent,
) -> Matched:
    """Compare every pair of clips not yet compared under these settings, and check points by the threshold.

    Results are stored as they arrive, so that interrupted matching continues where it stopped.
    """
    settings = replace(settings, check_seams=True, bridges=False)  # bridges are not stored as points
    carry_verdicts(store)
    made, pairs, document = _built(store, settings, cost, progress, workers)
    threshold = made.report.threshold
    with store.writing() as db:
        row = setting_row(store, document)
        db.execute(
            "UPDATE setting SET threshold = ?, threshold_found = ? WHERE id = ?",
            (threshold.value, threshold.sentence, row.id),
        )
        db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (LAST, row.digest))
        hold_against(db, threshold.value, "setting_id", row.id)
        verified = store.value("SELECT count(*) FROM point WHERE setting_id = ? AND verified", row.id)
    return Matched(
        pairs.new_pairs,
        pairs.kept_pairs,
        verified,
        threshold.value,
        threshold.sentence,
        made.report.next_frame_cost,
        row.digest,
        made.report.dropped_clips,
        made.report.copies,
        made.report.steps.get(RULED_OUT, 0),
    )


def graph(
    store: Store, settings: Settings, cost: Cost, *, name: str | None = None, progress: Progress = silent
) -> MotionGraph:
    """Build a motion graph from all clips and their stored pairs; store its settings and report by name."""
    made, _, document = _built(store, settings, cost, progress)
    if name is not None:
        with store.writing() as db:
            given = {"settings": graph_document(settings, cost), "report": asdict(made.report)}
            db.execute(
                "INSERT OR REPLACE INTO graph (name, setting_id, document) VALUES (?, ?, ?)",
                (name, setting_row(store, document).id, to_json(given)),
            )
    return made


def graphs(store: Store) -> dict[str, dict[str, Any]]:
    """Return settings and report of each stored graph, by name."""
    with store.reading() as db:
        rows = db.execute("SELECT name, document FROM graph ORDER BY name").fetchall()
    what = "the row of a graph"
    return {
        name: decode_json(as_bytes(document), dict[str, dict[str, Any]], store.path, what=what, nan=True)
        for name, document in rows
    }


def kept_settings(store: Store, name: str) -> tuple[Settings, Cost]:
    """Return settings and cost of a stored graph.

    Raises
    ------
    SettingError
        If there is none of that name.
    """
    kept = graphs(store)
    if name not in kept:
        msg = f"no graph of {store.path.name} is called {name!r}; {nearest(name, kept)}"
        raise SettingError(msg)
    return graph_settings(kept[name].get("settings", {}), place=store.path)


def _built(
    store: Store, settings: Settings, cost: Cost, progress: Progress, workers: Workers | None = None
) -> tuple[MotionGraph, LibraryPairs, str]:
    """Return the graph of all clips, its store of pairs, and the document of its setting."""
    with store.reading():
        names = in_order(store)
        if not names:
            raise FileError(
                store.path, "holds no clips yet; add some with Library.add or `segue library add`"
            )
        if settings.skeleton is not None:
            entry(store, settings.skeleton)
        clips = []
        for done, name in enumerate(names):
            progress("reading clips", done, len(names))
            clips.append(read_clip(store, name))
        progress("reading clips", len(names), len(names))
        rows = {id(clip): entry(store, clip.name).id for clip in clips}
    body = None if settings.skeleton is None else clips[names.index(settings.skeleton)].skeleton
    with LibraryPairs(store, lambda clip: rows.get(id(clip))) as pairs:
        made = graph_from(
            clips, settings, cost=cost, skeleton=body, store=pairs, workers=workers, progress=progress
        )
    return made, pairs, pairs.document
