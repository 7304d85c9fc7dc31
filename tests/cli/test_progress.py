"""Progress without a terminal: a line at intervals."""

from __future__ import annotations

import json
import re
import time

from segue.cli import output


def test_long_work_reports_itself_by_lines(segue, monkeypatch):
    """A line gives stage, share done and elapsed time; stdout holds only the document."""
    monkeypatch.setattr(output, "EACH_LINE", 0.01)
    done = segue("wander", "sample:walk", "sample:run", "--seconds", 3, "-o", "x.bvh", "--json")
    assert json.loads(done.out)["seconds"] == 3
    lines = [
        line
        for line in done.err.splitlines()
        if re.fullmatch(r"segue: [a-z ,]+, \d+ of \d+ after \d+ s", line)
    ]
    assert any("comparing clips" in line for line in lines)


def test_lines_come_once_in_a_while(monkeypatch):
    """The interval holds for frequent and for missing reports; short work prints no line."""
    messages: list[str] = []
    monkeypatch.setattr(output, "note", messages.append)
    monkeypatch.setattr(output.VERBOSITY, "quiet", False)
    with output.progress() as tell:
        tell("comparing clips", 1, 7)
    assert not messages
    monkeypatch.setattr(output, "EACH_LINE", 0.05)
    with output.progress() as tell:
        for done in range(100):
            tell("comparing clips", done, 7)
        time.sleep(0.12)
        tell.status("searching", "best none yet")
        time.sleep(0.06)
    assert messages[0].startswith("segue: comparing clips, 99 of 7 after ")
    assert messages[-1].startswith("segue: searching, best none yet after ")
    assert len(messages) <= 4


def test_quiet_reports_nothing(segue, clips, monkeypatch):
    """With -q neither progress nor notes are printed, only the result."""
    monkeypatch.setattr(output, "EACH_LINE", 0.01)
    done = segue("wander", clips, "--seconds", 3, "-o", "x.bvh", "-q")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("x.bvh: 3 s")
