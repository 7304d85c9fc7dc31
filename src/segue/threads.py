"""Threads of the package: parallel jobs with results in order, and long work in the background.

Compiled loops release the GIL, so threads suffice. Threads are kept between calls, because some jobs take less time
than starting a thread. The calling thread works too: one thread fewer is woken, and jobs may themselves call `each`
without deadlock.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import lru_cache
from importlib import import_module
from itertools import islice
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Called with the stage of a long job in words, the number of steps done, and their total."""

_PATIENCE = 0.1
"""Seconds between two calls of ``look`` while only other threads work."""
_MOST = 64
"""Most threads of the pool; each is started only when needed."""


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def one_thread(*libraries: str) -> AbstractContextManager[Any]:
    """Limit libraries to one thread: on small problems several only wait for one another.

    Parameters
    ----------
    libraries
        Modules to import first: only loaded libraries are limited.
    """
    for name in libraries:
        import_module(name)
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(1)
    return limits


def silent(*_: object) -> None:
    """Do nothing: the default callback."""


def each(
    jobs: Iterable[Callable[[], T]],
    *,
    threads: int | None = None,
    look: Callable[[], None] = silent,
    broken: Callable[[], None] = silent,
) -> Iterator[T]:
    """Yield the results of jobs in their order; with one thread, each job runs when its result is requested.

    Parameters
    ----------
    jobs
        Functions without arguments, drawn in the calling thread, at most twice as many ahead as threads.
    threads
        Number of threads, including the calling one; by default one per core.
    look
        Called in the calling thread between jobs and while it waits; an exception that it raises ends the work.
    broken
        Called once if the work ends early, before running jobs are awaited, so that long jobs can be stopped.

    Examples
    --------
    >>> list(each((lambda k=k: k * k for k in range(5)), threads=2))
    [0, 1, 4, 9, 16]
    """
    threads = usable_cores() if threads is None else threads
    if threads == 1:
        for job in jobs:
            look()
            yield job()
        return
    team, source, waiting = _Team(threads - 1), iter(jobs), deque[Future[T]]()
    try:
        while True:
            waiting.extend(team.offer(islice(source, 2 * threads - len(waiting))))
            look()
            if not waiting:
                return
            if not team.work_once():
                wait([waiting[0]], timeout=_PATIENCE)  # later jobs may finish long before it
            while waiting and waiting[0].done():
                yield waiting.popleft().result()
    except BaseException:
        broken()
        raise
    finally:
        team.end()


def background_thread(work: Callable[[], None], *, name: str) -> Thread:
    """Return a daemon thread for long work outside the pool, not yet started.

    Examples
    --------
    >>> thread = background_thread(lambda: None, name="segue-example")
    >>> thread.start()
    >>> thread.join()
    """
    return Thread(target=work, name=name, daemon=True)


@lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=_MOST, thread_name_prefix="segue")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a forked process has none of its parent's threads


class _Team:
    """Jobs of one call of `each` that have not begun, and the threads that run them."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.open: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self.helpers: list[Future[None]] = []
        self.process = os.getpid()

    def offer(self, jobs: Iterable[Callable[[], T]]) -> list[Future[T]]:
        """Queue jobs; threads are woken for all but one, which the caller runs itself."""
        new: list[tuple[Future[T], Callable[[], T]]] = [(Future(), job) for job in jobs]
        self.open.extend(new)
        self.helpers = [helper for helper in self.helpers if not helper.done()]
        for _ in range(min(len(self.open) - 1, self.most) - len(self.helpers)):
            self.helpers.append(_pool().submit(self._help))
        return [future for future, _ in new]

    def _help(self) -> None:
        """Run jobs until all have begun; store what they return or raise in their futures."""
        while self.open:
            try:
                future, job = self.open.popleft()
            except IndexError:
                return
            try:
                future.set_result(job())
            except BaseException as error:  # noqa: BLE001 - raised where the result is read
                future.set_exception(error)
            del future, job

    def work_once(self) -> bool:
        """Run the first job that has not begun in this thread, raising its errors; return False if all have begun."""
        try:
            future, job = self.open.popleft()
        except IndexError:
            return False
        future.set_result(job())
        return True

    def end(self) -> None:
        """Drop jobs that have not begun and wait for the running ones."""
        self.open.clear()
        if self.process == os.getpid():  # helpers run only in the parent of a forked process
            wait([helper for helper in self.helpers if not helper.cancel()])
