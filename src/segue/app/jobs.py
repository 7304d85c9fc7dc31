"""Long work in the background: jobs with progress that can be cancelled.

A job runs in its own thread and reports its progress through the `Progress` that it is given. Cancelling raises
`StoppedError` at the next report, which ends every long operation of this package without leaving anything behind.
"""

from __future__ import annotations

import itertools
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from threading import Event, Lock, Thread
from typing import Any, Literal

from segue.errors import SegueError, SettingError, StoppedError
from segue.threads import Progress, background_thread, silent

JobState = Literal["running", "done", "failed", "cancelled"]
_log = logging.getLogger("segue.jobs")
_UNEXPECTED = "failed with an unexpected error; see the terminal of the studio"


@dataclass(frozen=True)
class JobStatus:
    """Progress of a job.

    Parameters
    ----------
    id
        Number of the job, from 1.
    title
        Description of the work.
    state
        ``"running"``, ``"done"``, ``"failed"`` or ``"cancelled"``.
    stage, done, total
        Its last report.
    error
        Reason of the failure or cancellation, one sentence; else empty.
    result
        Name under which the caller finds the result; empty until the job is done.
    """

    id: int
    title: str
    state: JobState = "running"
    stage: str = ""
    done: int = 0
    total: int = 0
    error: str = ""
    result: str = ""


Changed = Callable[[JobStatus], None]


class Jobs:
    """Jobs of one process, the newest last.

    Parameters
    ----------
    changed
        Called with the new status after every change, in the job's thread.
    most
        Most jobs that may run at the same time.
    kept
        Number of finished jobs to remember.

    Examples
    --------
    >>> jobs = Jobs()
    >>> def work(progress):
    ...     progress("counting", 1, 2)
    ...     return "two"
    >>> number = jobs.start("count", work)
    >>> jobs.wait(number).result
    'two'
    """

    def __init__(self, changed: Changed = silent, *, most: int = 4, kept: int = 50) -> None:
        self._changed, self._most, self._kept = changed, most, kept
        self._lock = Lock()
        self._numbers = itertools.count(1)
        self._statuses: OrderedDict[int, JobStatus] = OrderedDict()
        self._stops: dict[int, Event] = {}
        self._threads: dict[int, Thread] = {}

    @property
    def statuses(self) -> tuple[JobStatus, ...]:
        """Status of every stored job."""
        with self._lock:
            return tuple(self._statuses.values())

    def status(self, number: int) -> JobStatus:
        """Status of a job by number.

        Raises
        ------
        SettingError
            If there is no such job.
        """
        with self._lock:
            if number not in self._statuses:
                raise SettingError(f"there is no job {number}; it may be long over")
            return self._statuses[number]

    def start(self, title: str, work: Callable[[Progress], str]) -> int:
        """Start a job and return its number; ``work`` receives a `Progress` to report to and returns the result.

        Raises
        ------
        SettingError
            If the most jobs allowed are running.
        """
        with self._lock:
            running = [one.title for one in self._statuses.values() if one.state == "running"]
            if len(running) >= self._most:
                msg = f"{len(running)} jobs are running ({', '.join(running)}); wait for one, or cancel it"
                raise SettingError(msg)
            number = next(self._numbers)
            self._statuses[number] = JobStatus(number, title)
            self._stops[number] = Event()
            over = [key for key, one in self._statuses.items() if one.state != "running"]
            for key in over[: max(len(over) - self._kept, 0)]:
                del self._statuses[key], self._stops[key], self._threads[key]
            thread = background_thread(partial(self._run, number, work), name=f"segue-job-{number}")
            self._threads[number] = thread
        self._changed(self.status(number))
        thread.start()
        return number

    def cancel(self, number: int) -> None:
        """Ask a job to end at its next report; a finished job is unchanged."""
        self.status(number)
        self._stops[number].set()

    def wait(self, number: int, seconds: float | None = None) -> JobStatus:
        """Wait until a job ends, at most a number of seconds; return its status then."""
        self.status(number)
        self._threads[number].join(seconds)
        return self.status(number)

    def close(self, seconds: float = 5.0) -> None:
        """Cancel all jobs and wait for each, at most a number of seconds."""
        for stop in self._stops.values():
            stop.set()
        for thread in list(self._threads.values()):
            thread.join(seconds)

    def _update(self, number: int, **fields: Any) -> None:
        with self._lock:
            self._statuses[number] = replace(self._statuses[number], **fields)
            status = self._statuses[number]
        self._changed(status)

    def _run(self, number: int, work: Callable[[Progress], str]) -> None:
        stop = self._stops[number]

        def progress(stage: str, done: int, total: int) -> None:
            if stop.is_set():
                raise StoppedError(f"cancelled while {stage}, {done} of {total}; nothing was saved")
            self._update(number, stage=stage, done=done, total=total)

        try:
            result = work(progress)
        except StoppedError as error:
            self._update(number, state="cancelled", error=str(error))
        except SegueError as error:
            self._update(number, state="failed", error=str(error))
        except Exception:  # noqa: BLE001  # a last resort, so that the caller gets a sentence
            _log.exception("job %d failed", number)
            self._update(number, state="failed", error=_UNEXPECTED)
        else:
            self._update(number, state="done", result=result)
