"""Execution of the comparisons of a graph: tiles of pairs of clips are given to workers, by default threads.

A worker receives a tile and the data of its clips, and returns the points of each pair. It is independent of
the library and may process a tile twice with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import Protocol

from segue.arrays import Floats, frozen
from segue.costs.engine.array_api import Device
from segue.costs.engine.plan import Run
from segue.costs.protocol import Cost, Prepared
from segue.errors import StoppedError
from segue.graph.pairs import ClipMatch, Preparing
from segue.motion.clip import Clip
from segue.settings import SearchSettings
from segue.threads import each, silent
from segue.transitions.pruning import Candidates
from segue.transitions.tiles import Tile, tile_candidates


@dataclass(frozen=True, eq=False)
class Work:
    """Input of comparisons: clips on one body, prepared on first access, and the settings."""

    clips: Sequence[Clip]
    prepared: Preparing
    known: Sequence[ClipMatch]
    cost: Cost
    search: SearchSettings

    def next_frame(self, tile: Tile) -> dict[int, Floats]:
        """Next-frame costs of a tile's clips."""
        return {number: self.known[number].next_frame for number in tile.clips}


LEAST = 24 << 20
"""Bytes that a thread needs for a tile of usual size in one pass; smaller budgets use fewer threads."""

Compared = tuple[Tile, tuple[Candidates, ...]]


class Workers(Protocol):
    """Executor of comparisons; ``run`` limits the resources used by this process."""

    run: Run

    def compare(self, work: Work, tiles: Sequence[Tile]) -> Iterator[Compared]:
        """Return the points of each tile's pairs, each tile once, in any order."""


def compare_tile(
    tile: Tile,
    prepared: Mapping[int, Prepared],
    *,
    cost: Cost,
    search: SearchSettings,
    next_frame: Mapping[int, Floats],
    memory_budget: int = 1 << 30,
    device: Device = "cpu",
    count: Callable[[int], None] | None = None,
) -> tuple[Candidates, ...]:
    """Return the points of each pair of a tile, in order; as `segue.transitions.tiles.tile_candidates`.

    Each is identical to the result of `segue.transitions.candidates.candidates`; on a graphics processor the
    last digits of costs differ.
    """
    return tile_candidates(
        tile,
        prepared,
        cost=cost,
        settings=search,
        next_frame=next_frame,
        memory_budget=memory_budget,
        device=device,
        count=count or silent,
    )


class Threads:
    """Workers that are threads of this process.

    Parameters
    ----------
    run
        Number of threads, the bytes that all of them together may use in addition to the clips, and the device.
    """

    def __init__(self, run: Run | None = None) -> None:
        self.run = run or Run()

    def compare(self, work: Work, tiles: Sequence[Tile]) -> Iterator[Compared]:
        """Yield the points of each tile's pairs as they are finished.

        If the work is cancelled, as by Ctrl-C, the tiles in progress end within a moment.

        Raises
        ------
        SettingError
            If the memory budget does not suffice.
        """
        threads = max(1, min(self.run.workers, len(tiles), self.run.memory_budget // LEAST))
        halted = Event()
        jobs = (self._job(work, tile, threads, halted) for tile in tiles)
        yield from each(jobs, threads=threads, broken=halted.set)

    def _job(self, work: Work, tile: Tile, threads: int, halted: Event) -> Callable[[], Compared]:
        """Return the job for one tile; its clips are prepared here, so that threads only compare."""
        ready = {number: work.prepared[number] for number in tile.clips}
        steps = work.next_frame(tile)

        def count(_cells: int) -> None:
            if halted.is_set():
                raise StoppedError("stopped within a tile; nothing of it was kept")

        def job() -> Compared:
            points = compare_tile(
                tile,
                ready,
                cost=work.cost,
                search=work.search,
                next_frame=steps,
                memory_budget=self.run.memory_budget // threads,
                device=self.run.device,
                count=count,
            )
            return tile, points

        return job


def read_only(found: Candidates) -> Candidates:
    """Return the same points over read-only arrays, after transfer from another process."""
    return replace(
        found,
        cells=frozen(found.cells, found.cells.dtype),
        cost=frozen(found.cost),
        diagonal=frozen(found.diagonal),
        once=frozen(found.once),
    )
