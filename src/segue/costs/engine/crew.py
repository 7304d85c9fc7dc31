"""Jobs done side by side by threads that are kept: some costs take less time than a new thread takes to begin."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from threading import Condition, Lock, Thread
from typing import Any, Generic, TypeVar

from segue.costs.engine.plan import Count

T = TypeVar("T")

_PATIENCE = 0.1
"""Seconds between looks at progress and stopping while threads work."""
_AT_REST: list[_Worker] = []
_LOCK = Lock()
"""Held while tasks, and threads at rest, are handed on."""


def each(jobs: Iterable[Callable[[], T]], count: Count, *, threads: int) -> Iterator[T]:
    """Results of jobs in their order; with one thread each is done when it is asked for.

    The calling thread works as well as the others, so that one thread fewer is woken and waited for.
    """
    if count.inline:
        for job in jobs:
            yield job()
        return
    crew, source, waiting = _Crew(threads - 1), iter(jobs), deque[_Task[T]]()
    try:
        while True:
            crew.offer(_put(waiting, islice(source, 2 * threads - len(waiting))))
            count.look()
            if not waiting:
                return
            if not crew.work_once():
                crew.wait_for(waiting[0])  # later ones may be done long before it is
            while waiting and waiting[0].done:
                yield waiting.popleft().outcome()
    except BaseException:
        count.halted.set()
        raise
    finally:
        crew.end()


def _put(waiting: deque[_Task[T]], jobs: Iterable[Callable[[], T]]) -> list[_Task[T]]:
    """Tasks made of jobs, put at the end of those that wait."""
    more = [_Task(job) for job in jobs]
    waiting.extend(more)
    return more


class _Task(Generic[T]):
    """A job and what came of it."""

    def __init__(self, job: Callable[[], T]) -> None:
        self.job = job
        self.done = False
        self.results: list[T] = []
        self.error: BaseException | None = None

    def do(self) -> None:
        """Keep the result, or what a worker met: it is raised where the result is asked for."""
        try:
            self.results.append(self.job())
        except BaseException as error:  # noqa: BLE001
            self.error = error

    def outcome(self) -> T:
        """Return the result, or raise."""
        if self.error is not None:
            raise self.error
        return self.results[0]


class _Worker(Thread):
    """A thread that does tasks of one crew after another and rests between them."""

    def __init__(self, crew: _Crew) -> None:
        super().__init__(name="segue-costs", daemon=True)
        self.crew = crew
        self.resting = True
        self.woken = Lock()
        self.woken.acquire()
        self.start()

    def run(self) -> None:
        """Do tasks whenever there are some."""
        while True:
            self.woken.acquire()
            task = self.crew.taken(self, None)
            while task is not None:
                task.do()
                task = self.crew.taken(self, task)


class _Crew:
    """Tasks of one call, handed to whoever is free: the caller, and workers who are called as they are needed."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.workers: list[_Worker] = []
        self.open: deque[_Task[Any]] = deque()
        self.told = Condition(_LOCK)
        self.process = os.getpid()

    def offer(self, tasks: list[_Task[T]]) -> None:
        """Let tasks be taken; the caller takes one himself, for the others workers are woken."""
        with _LOCK:
            self.open.extend(tasks)
            wanted = min(len(self.open) - 1, self.most)
            while len(self.workers) < wanted and _AT_REST:
                self.workers.append(_AT_REST.pop())
                self.workers[-1].crew = self
            for worker in [worker for worker in self.workers if worker.resting][: max(wanted, 0)]:
                worker.resting = False
                worker.woken.release()
            lacking = wanted - len(self.workers)
        for _ in range(lacking):
            worker = _Worker(self)
            self.workers.append(worker)
            worker.resting = False
            worker.woken.release()

    def taken(self, worker: _Worker, done: _Task[Any] | None) -> _Task[Any] | None:
        """Take note of what a worker has done and give him the next task, if there is one; else he rests."""
        with _LOCK:
            if done is not None:
                done.done = True
            task = self.open.popleft() if self.open else None
            worker.resting = task is None
            self.told.notify()
            return task

    def work_once(self) -> bool:
        """Do the first task that nobody has begun, in this thread; False if all have been.

        What it raises is raised at once: it may be somebody's wish to break off.
        """
        with _LOCK:
            if not self.open:
                return False
            task = self.open.popleft()
        task.results.append(task.job())
        task.done = True
        return True

    def wait_for(self, task: _Task[T]) -> None:
        """Wait until a task is done, or a moment."""
        with _LOCK:
            if not task.done:
                self.told.wait(_PATIENCE)

    def end(self) -> None:
        """Take back what nobody has begun, wait for what somebody has, and let the workers go."""
        with _LOCK:
            self.open.clear()
            if self.process != os.getpid():  # its workers stayed in the process that was forked
                self.workers.clear()
            while not all(worker.resting for worker in self.workers):
                self.told.wait()
            _AT_REST.extend(self.workers)
            self.workers.clear()


def _alone() -> None:
    """A forked process has none of its parent's threads."""
    _AT_REST.clear()
    _LOCK.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_alone)
