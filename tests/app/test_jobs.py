"""Jobs: progress, cancelling, and what goes wrong."""

from __future__ import annotations

from threading import Event

import pytest

import segue
from segue.app.jobs import Jobs, JobStatus
from segue.errors import SettingError


def test_a_job_reports_and_ends() -> None:
    """Whoever listens hears of every change; the last is the result."""
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
    """Building a graph ends at its next report and leaves nothing."""
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
    """An error of the user's is its sentence; any other says where to look, and the log has it."""
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
    """One job too many is refused with the names of those that run; old ones are forgotten."""
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
