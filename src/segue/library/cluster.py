"""Comparison of pairs of clips by the workers of a Dask cluster, remote or of processes on this machine.

Each tile is one task, and so is the preparation of each clip. Tasks depend only on their arguments, so that another
worker can repeat those of a lost one. Results equal those of this process bit for bit on the same kind of processor.
Only this process writes to the library.
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
"""Seconds to wait for a scheduler to answer and to have a worker."""
ALONE = 60.0
"""Seconds without any worker after which the work is abandoned."""
_LOOK = 0.5
"""Seconds between checks of the cluster while no results arrive."""
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Linear algebra in one thread per worker: several workers on one machine would wait for each other."""


def _program() -> str:
    """Return what results depend on: versions of segue, numpy and numba, and a digest of segue's sources at import."""
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
        Address of a scheduler, such as ``tcp://10.0.0.5:8786``. Either side can run any program as the other's user,
        because Dask exchanges pickled Python objects.
    processes
        Instead of an address: the number of workers to run on this machine while the cluster is open.
    memory_budget
        Most bytes of the costs of one tile on a worker.

    Raises
    ------
    MissingExtraError
        If Dask is not installed.
    SettingError
        If not exactly one of address and processes is given, no scheduler answers, or it has no worker.
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
        """Return a client of the scheduler once it has a worker."""
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
                    dashboard_address="127.0.0.1:0",  # any free port: Dask binds 8787 even without a dashboard
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
        """Disconnect from the scheduler and end the processes started here."""
        self._open.close()

    def compare(self, work: Work, tiles: Sequence[Tile]) -> Iterator[Compared]:
        """Yield the points of the pairs of each tile as workers return them; each worker has a few tiles queued.

        Raises
        ------
        SettingError
            If a task fails, a tile kills several workers, or there is no worker for a minute. Results already yielded
            are not lost.
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
    """Return a plugin by which worker processes ignore Ctrl-C of the terminal: this process ends them."""
    from distributed import WorkerPlugin

    class Deaf(WorkerPlugin):  # type: ignore[misc]
        name = "segue-deaf-to-ctrl-c"

        def setup(self, worker: Any) -> None:
            """Ignore SIGINT, if this is the worker's main thread."""
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
        """Return the number of tiles to keep submitted."""
        return 2 + 2 * int(sum(self.client.nthreads().values()))

    def ask(self, tile: Tile) -> None:
        """Submit a tile, and the preparation of its clips that no earlier tile needed."""
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
        """Yield the finished tiles; none if no task finishes within the timeout."""
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
        """Return the result of a task, or raise its failure as one sentence; Dask repeats a lost task."""
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
        except Exception as error:  # any error on another machine
            msg = f"a worker of {self.cluster.where} cannot compare: {type(error).__name__}: {error}"
            raise SettingError(msg) from error
        return found

    def _look(self) -> None:
        """Raise if the scheduler is gone, or there has been no worker for too long."""
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
        """Cancel the remaining tasks."""
        with suppress(Exception):
            self.client.cancel([*self.asked, *self._ready.values()], force=True)
        self.asked.clear()
        self._ready.clear()


def made_ready(made_by: str, cost: Cost, clip: Clip) -> Prepared:
    """Prepare one clip for a cost; a Dask task."""
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
    """Compute the points of the pairs of one tile; a Dask task."""
    _check(made_by)
    return compare_tile(
        tile, prepared, cost=cost, search=search, next_frame=next_frame, memory_budget=memory_budget
    )


def _check(made_by: str) -> None:
    """Refuse to compute for another version of the program, whose results may differ."""
    if made_by != PROGRAM:
        msg = f"a worker runs {PROGRAM}, this is {made_by}: install the same everywhere and start the workers anew"
        raise SettingError(msg)
