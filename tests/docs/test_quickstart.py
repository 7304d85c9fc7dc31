"""What the quickstart tells a newcomer to type is typed, and what it says is printed is compared with what is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from segue.cli import app

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def told(page: str) -> list[tuple[str, list[str]]]:
    """Commands of a page in order, each with the lines that are said to be printed."""
    out: list[tuple[str, list[str]]] = []
    for line in "".join(BLOCK.findall(page)).splitlines():
        if line.startswith("$ "):
            out.append((line[2:], []))
        else:
            out[-1][1].append(line)
    return out


def loosely(line: str) -> str:
    """A line with any number for a number, and one blank for many."""
    return re.sub(r"\s+", " ", NUMBER.sub("#", line)).strip()


def compare(said: list[str], printed: list[str]) -> None:
    """Every line that is said is printed, in that order; ``...`` stands for any lines, no line for none."""
    rest, anything = [loosely(line) for line in printed if line.strip()], False
    for line in said:
        if line == "...":
            anything = True
            continue
        wanted = loosely(line)
        assert rest, f"nothing more is printed, where the page says: {line}"
        at = rest.index(wanted) if anything and wanted in rest else 0
        assert rest[at] == wanted, f"the page says: {line}\nprinted: {rest}"
        rest, anything = rest[at + 1 :], False
    assert anything or not rest, f"printed beyond what the page says: {rest}"


@pytest.mark.slow
def test_the_commands_print_what_the_page_says(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command of the quickstart runs in one folder, one after the other, and prints what the page shows."""
    monkeypatch.chdir(tmp_path)
    commands = told((docs / "quickstart.md").read_text("utf-8"))
    assert len(commands) >= 12
    for command, lines in commands:
        program, *words = shlex.split(command)
        assert program == "segue"
        result = CliRunner().invoke(app, words, env={"COLUMNS": "200", "TERM": "dumb"})
        assert result.exit_code == 0, f"{command}\n{result.output}\n{result.exception}"
        compare(lines, result.stdout.splitlines())
    assert (tmp_path / "endless.bvh").exists()


def test_comparing_sees_a_difference() -> None:
    """Other words, a missing line and a line too many are seen; other numbers are not."""
    compare(["a 1", "...", "c"], ["a  2.5e-3", "b", "", "c"])
    for said in (["a 1", "c"], ["a 1", "...", "d"], ["x 1", "..."], ["a 1", "b"]):
        with pytest.raises(AssertionError):
            compare(said, ["a 2", "b", "c"])
