"""Jobs: progress, cancelling and errors."""

from __future__ import annotations

from threading import Event

import pytest

import segue
from segue.app.jobs import Jobs, JobStatus
from segue.errors import SettingError


def test_a_job_reports_and_ends() -> None:
    """The listener receives every change; the last status holds the result."""
    heard: list[JobStatus] = []
    jobs = Jobs(heard.append)

    def work(progress) -> str:
        progress("half", 1, 2)
        return "made:1"

    number = jobs.start("a job", work)
    assert jobs.wait(number, 5).result == "made:1"
    assert [(one.state, one.stage) for one in heard] == [
        ("running", ""),
        ("running", "half"),
        ("done", "half"),
    ]


def test_a_graph_is_cancelled_between_two_pairs() -> None:
    """Building a graph stops at its next progress report."""
    begun, cancelled = Event(), Event()
    jobs = Jobs()

    def work(progress) -> str:
        def report(stage: str, done: int, total: int) -> None:
            begun.set()
            cancelled.wait(5)
            progress(stage, done, total)

        segue.MotionGraph.build([segue.sample("walk"), segue.sample("run")], progress=report)
        return "built"

    number = jobs.start("graph", work)
    assert begun.wait(20)
    jobs.cancel(number)
    cancelled.set()
    status = jobs.wait(number, 20)
    assert (status.state, status.result) == ("cancelled", "")


def test_failures_are_sentences(caplog: pytest.LogCaptureFixture) -> None:
    """A user error is reported by its message; any other error refers to the terminal and is logged."""
    jobs = Jobs()

    def wrong(_progress) -> str:
        raise SettingError("this cannot be; choose another")

    def broken(_progress) -> str:
        raise ZeroDivisionError

    assert jobs.wait(jobs.start("wrong", wrong), 5).error == "this cannot be; choose another"
    status = jobs.wait(jobs.start("broken", broken), 5)
    assert status.state == "failed"
    assert "terminal" in status.error
    assert "ZeroDivisionError" in caplog.text


def test_no_more_jobs_than_may_run() -> None:
    """A job over the limit is refused with the names of the running ones; old jobs are discarded."""
    go = Event()
    jobs = Jobs(most=1, kept=2)
    number = jobs.start("first", lambda _progress: str(go.wait(5)))
    with pytest.raises(SettingError, match="first"):
        jobs.start("second", lambda _progress: "")
    go.set()
    jobs.wait(number, 5)
    for _ in range(4):
        jobs.wait(jobs.start("more", lambda _progress: ""), 5)
    with pytest.raises(SettingError, match="no job 1"):
        jobs.status(number)
    jobs.close()
