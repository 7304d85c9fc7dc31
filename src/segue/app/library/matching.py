"""Pairs of a library compared, each once; graphs from what is kept.

Matching again computes what is new and no more: pairs of clips that were added, points that a higher threshold lets
through. A clip's pairs go with it when it is removed or changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from segue.app.library.clips import entry, read_clip
from segue.app.library.comparisons import LAST, cost_document, in_order, setting_row
from segue.app.library.connection import Store
from segue.app.library.documents import as_bytes, to_json
from segue.app.library.pair_rows import LibraryPairs
from segue.app.library.point_rows import hold_against
from segue.app.library.verdicts import carry_verdicts
from segue.blending.methods import Blend
from segue.costs.engine.devices import Device
from segue.costs.engine.plan import Run
from segue.costs.protocol import Cost
from segue.costs.registry import cost as cost_by_name
from segue.costs.registry import cost_from
from segue.documents import as_kind, decode_json
from segue.errors import FileError, SettingError, nearest
from segue.graph.around import Effort, check_effort
from segue.graph.build import build_graph, check_quality, check_share
from segue.graph.motion_graph import MotionGraph
from segue.graph.pairs import Progress, silent
from segue.graph.workers import Threads, Workers
from segue.measures.seams import SeamBounds
from segue.transitions.candidates import SearchSettings
from segue.transitions.threshold import SHARE, given_threshold

Limit = float | Literal["auto", "knee"]


@dataclass(frozen=True)
class Wish:
    """How a graph is to be built, as `segue.graph.build.build_graph` takes it; ``skeleton`` names a clip."""

    cost: Cost = field(default_factory=lambda: cost_by_name("point_cloud"))
    threshold: Limit = "auto"
    quality: float = 1.0
    share: float = SHARE
    blend: Blend = field(default_factory=Blend)
    search: SearchSettings = field(default_factory=SearchSettings)
    bounds: SeamBounds = field(default_factory=SeamBounds)
    skeleton: str | None = None
    fps: float | None = None
    check_seams: bool = True
    effort: Effort = "standard"

    def __post_init__(self) -> None:
        """Refuse what is impossible before anything is compared."""
        if not isinstance(self.threshold, str):
            given_threshold(self.threshold)
        elif self.threshold not in ("auto", "knee"):
            msg = f"threshold={self.threshold!r} is not known; give a number, 'auto' or 'knee'"
            raise SettingError(msg)
        check_quality(self.quality)
        check_share(self.share)
        check_effort(self.effort, check_seams=self.check_seams)

    @staticmethod
    def of(settings: Mapping[str, Any]) -> Wish:
        """Wish from what was given; None stands for what is usual.

        Raises
        ------
        SettingError
            If a setting is not known.
        """
        given = {name: value for name, value in settings.items() if value is not None}
        for name in given:
            if name not in Wish.__dataclass_fields__:
                known = tuple(Wish.__dataclass_fields__)
                msg = f"no setting is called {name!r}; {nearest(name, known)}"
                raise SettingError(msg)
        if isinstance(given.get("cost"), str):
            given["cost"] = cost_by_name(given["cost"])
        return Wish(**given)

    def document(self) -> dict[str, Any]:
        """What `wish_of` makes a wish of again."""
        parts = {name: asdict(getattr(self, name)) for name in ("blend", "search", "bounds")}
        names = ("threshold", "quality", "share", "skeleton", "fps", "check_seams", "effort")
        plain = {name: getattr(self, name) for name in names}
        return {"cost": cost_document(self.cost), **parts, **plain}


@dataclass(frozen=True)
class _Wish:
    """Document of a wish."""

    cost: dict[str, Any]
    blend: Blend
    search: SearchSettings
    bounds: SeamBounds
    threshold: float | Literal["auto", "knee"]
    quality: float
    share: float
    skeleton: str | None
    fps: float | None
    check_seams: bool
    effort: Effort = "standard"  # older graphs have none


def wish_of(document: Mapping[str, Any], *, place: Path | None = None) -> Wish:
    """Wish of its document.

    Raises
    ------
    SettingError
        If it is none; a `FileError` where it comes from a file, ``place``.
    """
    told = as_kind(document, _Wish, place, what="the settings of a graph:")
    names = [field.name for field in fields(told)]
    return Wish(**{name: getattr(told, name) for name in names} | {"cost": cost_from(told.cost)})


@dataclass(frozen=True)
class Matched:
    """What matching did.

    ``new_pairs`` were compared now and ``kept_pairs`` before; ``points`` are verified now, under ``threshold``, which
    was found as ``threshold_found`` says; ``setting`` is the digest under which all that lies. ``left_out`` maps clips
    that are in no pair, or that no way leads into and out of, to the reason; ``copies`` are pairs of copies of one
    motion, which are not joined.
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


@contextmanager
def workers_for(
    *,
    scheduler: str | None = None,
    processes: int | None = None,
    memory_budget: int | None = None,
    device: Device = "cpu",
) -> Iterator[Workers]:
    """Who compares: workers of a Dask scheduler, processes of this machine, or else threads of this process.

    Raises
    ------
    MissingExtraError, SettingError
        As `segue.app.scale.Cluster`, and if the memory budget is not positive, there is no such device, or one is asked
        of a cluster.
    """
    run = Run(memory_budget=1 << 30 if memory_budget is None else memory_budget, device=device)
    if scheduler is None and processes is None:
        yield Threads(run)
        return
    if device != "cpu":
        raise SettingError(
            f"device {device!r}: workers of a cluster compute on their CPUs; leave one of the two out"
        )
    from segue.app.scale import Cluster

    with Cluster(scheduler, processes=processes, memory_budget=run.memory_budget) as cluster:
        yield cluster


def match(
    store: Store, wish: Wish, *, workers: Workers | None = None, progress: Progress = silent
) -> Matched:
    """Compare every pair of clips that was not compared yet under these settings, and verify points by the threshold.

    Results are kept as they come, so that matching that was broken off goes on where it was.
    """
    # What is kept of a pair is the same whatever the effort: places and lengths are chosen after it, graph by graph.
    wish = replace(wish, check_seams=True, effort="standard")
    carry_verdicts(store)
    made, pairs, document = _built(store, wish, progress, workers, bridges=False)  # these lie at no point
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
    )


def graph(store: Store, wish: Wish, *, name: str | None = None, progress: Progress = silent) -> MotionGraph:
    """Build a motion graph from all clips and what is kept of their pairs; keep its settings and report by name."""
    made, _, document = _built(store, wish, progress)
    if name is not None:
        with store.writing() as db:
            told = {"settings": wish.document(), "report": asdict(made.report)}
            db.execute(
                "INSERT OR REPLACE INTO graph (name, setting_id, document) VALUES (?, ?, ?)",
                (name, setting_row(store, document).id, to_json(told)),
            )
    return made


def graphs(store: Store) -> dict[str, dict[str, Any]]:
    """Settings and report of each graph that was kept by name."""
    with store.reading() as db:
        rows = db.execute("SELECT name, document FROM graph ORDER BY name").fetchall()
    what = "the row of a graph"
    return {
        name: decode_json(as_bytes(document), dict[str, dict[str, Any]], store.path, what=what, nan=True)
        for name, document in rows
    }


def kept_wish(store: Store, name: str) -> Wish:
    """How a graph that was kept by name is built.

    Raises
    ------
    SettingError
        If there is none of that name.
    """
    kept = graphs(store)
    if name not in kept:
        msg = f"no graph of {store.path.name} is called {name!r}; {nearest(name, kept)}"
        raise SettingError(msg)
    return wish_of(kept[name].get("settings", {}), place=store.path)


def _built(
    store: Store, wish: Wish, progress: Progress, workers: Workers | None = None, *, bridges: bool = True
) -> tuple[MotionGraph, LibraryPairs, str]:
    """Graph of all clips, the pairs it asked and the document of its setting."""
    with store.reading():
        names = in_order(store)
        if not names:
            raise FileError(
                store.path, "holds no clip yet; Library.add or `segue library add` puts some into it"
            )
        if wish.skeleton is not None:
            entry(store, wish.skeleton)
        clips = []
        for done, name in enumerate(names):
            progress("reading clips", done, len(names))
            clips.append(read_clip(store, name))
        progress("reading clips", len(names), len(names))
        rows = {id(clip): entry(store, clip.name).id for clip in clips}
    body = None if wish.skeleton is None else clips[names.index(wish.skeleton)].skeleton
    with LibraryPairs(store, lambda clip: rows.get(id(clip))) as pairs:
        made = build_graph(
            clips,
            cost=wish.cost,
            threshold=wish.threshold,
            quality=wish.quality,
            share=wish.share,
            blend=wish.blend,
            search=wish.search,
            bounds=wish.bounds,
            skeleton=body,
            fps=wish.fps,
            check_seams=wish.check_seams,
            bridges=bridges,
            effort=wish.effort,
            store=pairs,
            workers=workers,
            progress=progress,
        )
    return made, pairs, pairs.document
