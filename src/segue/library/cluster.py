"""Pairs of clips compared by the workers of a Dask cluster: of a scheduler somewhere, or processes of this machine.

Each tile is one task and each clip made ready is one; both only depend on what they are given, so a task of a worker
that is lost is done again by another. What comes out is bit for bit what this process would compute on the same kind of
processor. Results come back to this process, which alone writes.
"""

from __future__ import annotations

import hashlib
import logging
import re
import signal
import time
import uuid
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from segue._version import __version__
from segue.arrays import Floats
from segue.costs.engine.plan import Run
from segue.costs.protocol import Cost, Prepared
from segue.errors import MissingExtraError, SettingError
from segue.graph.workers import Compared, Work, compare_tile, read_only
from segue.motion.clip import Clip
from segue.settings import SearchSettings
from segue.transitions.pruning import Candidates
from segue.transitions.tiles import Tile

if TYPE_CHECKING:
    from distributed import Client, Future

ANSWER = 15.0
"""Seconds in which a scheduler answers and has a worker."""
ALONE = 60.0
"""Seconds without any worker after which the work is given up."""
_LOOK = 0.5
"""Seconds between looks at the cluster while nothing comes back."""
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Linear algebra in one thread a worker: several workers on one machine would wait for each other."""


def _program() -> str:
    """What results depend on: segue with a digest of its sources, as they were when it was imported, numpy, numba."""
    sources = sorted(Path(__file__).parents[1].rglob("*.py"))
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:8]
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba"))
    return f"segue {__version__} ({digest}), {libraries}"


PROGRAM = _program()


class Cluster:
    """Workers of a Dask cluster; a `segue.graph.workers.Workers`.

    Parameters
    ----------
    address
        Of a scheduler, as ``tcp://10.0.0.5:8786``. Whoever it belongs to can run any program as you, and the other way
        round: Dask sends Python objects to and fro.
    processes
        Instead: so many workers on this machine, for as long as this is open.
    memory_budget
        Bytes that the costs of one tile may take on a worker.

    Raises
    ------
    MissingExtraError
        If Dask is not installed.
    SettingError
        If not exactly one of address and processes is given, no scheduler answers or it has no worker.
    """

    def __init__(
        self, address: str | None = None, *, processes: int | None = None, memory_budget: int = 1 << 30
    ) -> None:
        if (address is None) == (processes is None):
            raise SettingError("give either the address of a scheduler or a number of processes")
        if processes is not None and processes < 1:
            raise SettingError(f"{processes} processes compare nothing; give at least 1")
        self.memory_budget = memory_budget
        self.run = Run(memory_budget=memory_budget)
        self.where = f"the scheduler at {address}" if address else "the cluster on this machine"
        self._open = ExitStack()
        try:
            self.client = self._joined(address, processes)
        except BaseException:
            self._open.close()
            raise

    def _joined(self, address: str | None, processes: int | None) -> Client:
        """Client of the scheduler, once it has a worker."""
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            raise MissingExtraError("comparing on a Dask cluster", "scale") from None
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        if address is not None and not re.fullmatch(r"(\w+://)?[^\s/]+:\d+(/\S*)?|inproc://\S+", address):
            raise SettingError(
                f"{address!r} is no address of a Dask scheduler; it is given as tcp://HOST:8786"
            )
        target: Any = address
        if processes is not None:
            target = self._open.enter_context(
                LocalCluster(
                    n_workers=processes,
                    threads_per_worker=1,
                    dashboard_address="127.0.0.1:0",  # any free port: Dask takes 8787 also for no dashboard
                    scheduler_kwargs={"dashboard": False},
                    silence_logs=logging.CRITICAL,
                    env=_ONE_THREAD,
                )
            )
        try:
            client: Client = self._open.enter_context(Client(target, timeout=ANSWER, set_as_default=False))
        except (OSError, ValueError, TypeError) as error:
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise SettingError(
                f"{self.where} does not answer: {why}; it is given as tcp://HOST:8786"
            ) from None
        try:
            client.wait_for_workers(1, timeout=ANSWER)
        except TimeoutError:
            msg = f"{self.where} has no worker; start one with: dask worker {address or ''}".rstrip()
            raise SettingError(msg) from None
        if processes is not None:
            client.register_plugin(_deaf_to_ctrl_c())
        return client

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the scheduler, and end processes that were started here."""
        self._open.close()

    def compare(self, work: Work, tiles: Sequence[Tile]) -> Iterator[Compared]:
        """Points of the pairs of each tile, as workers return them; each worker has a few tiles queued.

        Raises
        ------
        SettingError
            If a worker cannot do its work, tiles killed one worker after the other, or all workers are gone for a
            minute. What came back before is not lost.
        """
        run = _Run(self, work)
        left = iter(tiles)
        try:
            while True:
                for tile in islice(left, max(0, run.ahead() - len(run.asked))):
                    run.ask(tile)
                if not run.asked:
                    return
                yield from run.done()
        finally:
            run.forget()


def _deaf_to_ctrl_c() -> Any:
    """Plugin of worker processes: a terminal sends Ctrl-C to them too, and it is this process that ends them."""
    from distributed import WorkerPlugin

    class Deaf(WorkerPlugin):  # type: ignore[misc]
        name = "segue-deaf-to-ctrl-c"

        def setup(self, worker: Any) -> None:
            """Ignore it, where this is the worker's main thread."""
            del worker
            with suppress(ValueError):
                signal.signal(signal.SIGINT, signal.SIG_IGN)

    return Deaf()


class _Run:
    """Tasks of one comparison."""

    def __init__(self, cluster: Cluster, work: Work) -> None:
        self.cluster, self.client, self.work = cluster, cluster.client, work
        self.asked: dict[Future, Tile] = {}
        self._ready: dict[int, Future] = {}
        self._name = f"segue-{uuid.uuid4().hex[:12]}"
        self._alone_since: float | None = None

    def ahead(self) -> int:
        """Tiles to have asked for at once."""
        return 2 + 2 * int(sum(self.client.nthreads().values()))

    def ask(self, tile: Tile) -> None:
        """Ask for a tile, and for the clips that no tile needed before."""
        how = (PROGRAM, self.work.cost)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")
            for number in tile.clips:
                if number not in self._ready:
                    self._ready[number] = self.client.submit(
                        made_ready,
                        *how,
                        self.work.clips[number],
                        key=f"{self._name}-clip-{number}",
                    )
            future = self.client.submit(
                compared,
                *how,
                self.work.search,
                tile,
                {number: self._ready[number] for number in tile.clips},
                self.work.next_frame(tile),
                self.cluster.memory_budget,
                key=f"{self._name}-tile-{'-'.join(map(str, tile.pairs[0]))}",
            )
        self.asked[future] = tile

    def done(self) -> Iterator[Compared]:
        """Tiles that are done; none if nothing came back for a moment."""
        from distributed import wait

        try:
            with self.client.as_current():
                finished = wait(list(self.asked), timeout=_LOOK, return_when="FIRST_COMPLETED").done
        except TimeoutError:
            self._look()
            return
        self._alone_since = None
        for future in finished:
            tile = self.asked.pop(future)
            yield tile, tuple(read_only(one) for one in self._result(future))
            future.release()

    def _result(self, future: Future) -> Sequence[Candidates]:
        """What a task gave, its failure as one sentence; if it is lost on the way it is done again."""
        from distributed import KilledWorker

        try:
            while True:
                with suppress(TimeoutError):
                    found: Sequence[Candidates] = future.result(timeout=_LOOK)
                    break
                self._look()
        except SettingError:
            raise
        except KilledWorker:
            msg = (
                f"several workers of {self.cluster.where} were lost over one tile, perhaps for want of memory; "
                "what was compared is kept"
            )
            raise SettingError(msg) from None
        except Exception as error:  # whatever can go wrong on another machine
            msg = f"a worker of {self.cluster.where} cannot compare: {type(error).__name__}: {error}"
            raise SettingError(msg) from error
        return found

    def _look(self) -> None:
        """Give up once there has been no worker for too long, or no scheduler."""
        now = time.monotonic()
        gone = self.client.status != "running"
        if not gone and self.client.nthreads():
            self._alone_since = None
            return
        self._alone_since = self._alone_since or now
        if gone or now - self._alone_since > ALONE:
            who = "the scheduler itself" if gone else "every worker"
            msg = f"{who} of {self.cluster.where} is gone; what was compared is kept, and matching goes on from there"
            raise SettingError(msg)

    def forget(self) -> None:
        """Have the cluster drop what is left."""
        with suppress(Exception):
            self.client.cancel([*self.asked, *self._ready.values()], force=True)
        self.asked.clear()
        self._ready.clear()


def made_ready(made_by: str, cost: Cost, clip: Clip) -> Prepared:
    """Task: one clip made ready for a cost."""
    _check(made_by)
    return cost.prepare(clip)


def compared(
    made_by: str,
    cost: Cost,
    search: SearchSettings,
    tile: Tile,
    prepared: Mapping[int, Prepared],
    next_frame: Mapping[int, Floats],
    memory_budget: int,
) -> tuple[Candidates, ...]:
    """Task: points of the pairs of one tile."""
    _check(made_by)
    return compare_tile(
        tile, prepared, cost=cost, search=search, next_frame=next_frame, memory_budget=memory_budget
    )


def _check(made_by: str) -> None:
    """Refuse to compute for another program: it may give other bits."""
    if made_by != PROGRAM:
        msg = f"a worker runs {PROGRAM}, this is {made_by}: install the same everywhere and start the workers anew"
        raise SettingError(msg)
