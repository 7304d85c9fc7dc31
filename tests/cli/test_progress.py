"""Progress where stderr is a file or another program: a line once in a while."""

from __future__ import annotations

import json
import re

from segue.cli import output


def test_long_work_reports_itself_by_lines(segue, monkeypatch):
    """Stage, how much is done and since when; stdout holds the one document."""
    monkeypatch.setattr(output, "FIRST_LINE", 0.0)
    monkeypatch.setattr(output, "EACH_LINE", 0.0)
    done = segue("wander", "sample:walk", "sample:run", "--seconds", 3, "-o", "x.bvh", "--json")
    assert json.loads(done.out)["seconds"] == 3
    lines = [
        line
        for line in done.err.splitlines()
        if re.fullmatch(r"segue: [a-z ]+, \d+ of \d+ after \d+ s", line)
    ]
    assert any("comparing clips" in line for line in lines)


def test_lines_come_once_in_a_while(segue, monkeypatch):
    """However often work is reported; what is done at once has no line."""
    times = iter([0.0, 1.0, 9.0, 11.0, 12.0, 40.0, 41.5, 200.0])
    monkeypatch.setattr(output.time, "monotonic", lambda: next(times))
    said: list[str] = []
    monkeypatch.setattr(output, "note", said.append)
    tell = output._in_lines()
    for done in range(7):
        tell("comparing clips", done, 7)
    assert [re.search(r"after (\d+) s", line)[1] for line in said] == ["11", "42", "200"]
