"""Who compares the pairs of clips of a graph: tiles of them are handed to workers, by default threads of this process.

A worker is given a tile and what it needs of its clips, and gives back the points of each pair. It knows of no library
and may do a tile twice: the same points come out.
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
    """What tiles are made of: clips on one body, made ready when first asked for, and how they are compared."""

    clips: Sequence[Clip]
    prepared: Preparing
    known: Sequence[ClipMatch]
    cost: Cost
    search: SearchSettings

    def next_frame(self, tile: Tile) -> dict[int, Floats]:
        """Next-frame costs of a tile's clips."""
        return {number: self.known[number].next_frame for number in tile.clips}


LEAST = 24 << 20
"""Bytes with which a thread compares a tile of usual size at once; fewer threads work in a smaller budget."""

Compared = tuple[Tile, tuple[Candidates, ...]]


class Workers(Protocol):
    """Whoever compares tiles; ``run`` says what this process may take for what is done here."""

    run: Run

    def compare(self, work: Work, tiles: Sequence[Tile]) -> Iterator[Compared]:
        """Points of the pairs of each tile, once, tiles in any order."""


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
    """Points of each pair of a tile, in its order; as `segue.transitions.tiles.tile_candidates`.

    Each is bit for bit what `segue.transitions.candidates.candidates` finds; on a graphics processor the last digits
    of costs differ.
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
        How many threads, the bytes that all of them together may take beside the clips, and the device.
    """

    def __init__(self, run: Run | None = None) -> None:
        self.run = run or Run()

    def compare(self, work: Work, tiles: Sequence[Tile]) -> Iterator[Compared]:
        """Points of the pairs of each tile, as they are done.

        When the work is broken off, as by Ctrl-C, the tiles in work end within a moment.

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
        """One tile, its clips made ready here: threads compare and do nothing else."""
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
    """The same points over read-only arrays, after they came from another process."""
    return replace(
        found,
        cells=frozen(found.cells, found.cells.dtype),
        cost=frozen(found.cost),
        diagonal=frozen(found.diagonal),
        once=frozen(found.once),
    )
