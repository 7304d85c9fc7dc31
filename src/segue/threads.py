"""The threads of the whole package: jobs done side by side with results in order, and long work in the background.

Compiled loops let other Python code run, so threads are enough. Threads are kept between calls, because some jobs take
less time than a new thread takes to begin. The calling thread works as well: one thread fewer is woken, and jobs may
themselves ask for threads without waiting for one another.
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
"""Takes the stage of a long job in words, how much of it is done, and how much there is."""

_PATIENCE = 0.1
"""Seconds between two calls of ``look`` while only other threads work."""
_MOST = 64
"""Threads of the pool; one is started only when it is needed."""


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def one_thread(*libraries: str) -> AbstractContextManager[Any]:
    """Let libraries work in one thread: on small problems more would only wait for one another.

    Parameters
    ----------
    libraries
        Modules to load first: only those that are loaded are limited.
    """
    for name in libraries:
        import_module(name)
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(1)
    return limits


def silent(*_: object) -> None:
    """Report to nobody."""


def each(
    jobs: Iterable[Callable[[], T]],
    *,
    threads: int | None = None,
    look: Callable[[], None] = silent,
    broken: Callable[[], None] = silent,
) -> Iterator[T]:
    """Yield the results of jobs in their order; with one thread each is done when it is asked for.

    Parameters
    ----------
    jobs
        Functions without arguments, drawn in the calling thread: twice as many as threads are drawn ahead.
    threads
        Jobs done at once, the calling thread's among them; by default one for each core.
    look
        Called in the calling thread between jobs and while it waits; what it raises ends the work.
    broken
        Called once when the work ends early, before running jobs are waited for: a long job can ask whether it was.

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
                wait([waiting[0]], timeout=_PATIENCE)  # later ones may be done long before it is
            while waiting and waiting[0].done():
                yield waiting.popleft().result()
    except BaseException:
        broken()
        raise
    finally:
        team.end()


def background_thread(work: Callable[[], None], *, name: str) -> Thread:
    """Return a thread for long work outside the pool, not yet started; it ends with the process at the latest.

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
    """Jobs of one call that nobody has begun, and the threads that help with them."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.open: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self.helpers: list[Future[None]] = []
        self.process = os.getpid()

    def offer(self, jobs: Iterable[Callable[[], T]]) -> list[Future[T]]:
        """Let jobs be begun; the caller does one itself, for the others threads are woken."""
        new: list[tuple[Future[T], Callable[[], T]]] = [(Future(), job) for job in jobs]
        self.open.extend(new)
        self.helpers = [helper for helper in self.helpers if not helper.done()]
        for _ in range(min(len(self.open) - 1, self.most) - len(self.helpers)):
            self.helpers.append(_pool().submit(self._help))
        return [future for future, _ in new]

    def _help(self) -> None:
        """Do jobs until all have been begun, keeping what they return or raise."""
        while self.open:
            try:
                future, job = self.open.popleft()
            except IndexError:
                return
            try:
                future.set_result(job())
            except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
                future.set_exception(error)
            del future, job

    def work_once(self) -> bool:
        """Do the first job that nobody has begun, in this thread; False if all have been. Errors are raised at once."""
        try:
            future, job = self.open.popleft()
        except IndexError:
            return False
        future.set_result(job())
        return True

    def end(self) -> None:
        """Drop what nobody has begun and wait for what somebody has."""
        self.open.clear()
        if self.process == os.getpid():  # helpers stayed in the process that was forked
            wait([helper for helper in self.helpers if not helper.cancel()])
