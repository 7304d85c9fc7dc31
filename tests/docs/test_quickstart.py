"""What the quickstart tells a newcomer to type is typed, and what it says is printed is compared with what is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from segue.cli import app

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
CHOOSING = {"wander", "measure", "stitch", "compare"}
"""Commands that choose transitions, or measure chosen ones: last digits, which processors differ in, may decide."""
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


def worded(line: str) -> str:
    """A line with # for each number, and one blank for many."""
    return re.sub(r"\s+", " ", NUMBER.sub("#", line)).strip()


def near(said: str, printed: str, exact: bool) -> bool:
    """The same digits; or within a quarter, of three digits and more within a twentieth, or both next to nothing."""
    one, other = float(said), float(printed)
    share = 0.05 if abs(one) >= 100 else 0.25
    return said == printed if exact else other == pytest.approx(one, rel=share, abs=0.001)


def alike(said: str, printed: str, exact: bool) -> bool:
    """The same words and numbers."""
    if worded(said) != worded(printed):
        return False
    pairs = zip(NUMBER.findall(said), NUMBER.findall(printed), strict=True)
    return all(near(*pair, exact) for pair in pairs)


def compare(said: list[str], printed: list[str], *, exact: bool) -> None:
    """Every line that is said is printed, in that order; ``...`` stands for any lines, no line for none."""
    rest, anything = [line for line in printed if line.strip()], False
    for line in said:
        if line == "...":
            anything = True
            continue
        assert rest, f"nothing more is printed, where the page says: {line}"
        found = [k for k, one in enumerate(rest) if alike(line, one, exact)] if anything else []
        at = found[0] if found else 0
        assert alike(line, rest[at], exact), f"the page says: {line}\nprinted: {rest}"
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
        compare(lines, result.stdout.splitlines(), exact=words[0] not in CHOOSING)
    assert (tmp_path / "endless.bvh").exists()


def test_comparing_sees_a_difference() -> None:
    """Other words, other numbers, a missing line and a line too many are seen; a little more or less where allowed."""
    compare(["a 2", "...", "c 2e-06"], ["a  2.1", "b", "", "c 2.5e-6"], exact=False)
    compare(["a 1", "...", "b 30", "..."], ["a 1", "b 20", "b 31", "c"], exact=False)
    compare(["a 2", "b"], ["a  2", "b"], exact=True)
    for said in (["a 2", "c"], ["a 2", "...", "d"], ["x 2", "..."], ["a 2", "b"], ["a 3", "b", "c"]):
        with pytest.raises(AssertionError):
            compare(said, ["a 2", "b", "c"], exact=False)
    for number in ("2.1", "3", "2.0"):
        with pytest.raises(AssertionError):
            compare([f"a {number}"], ["a 2"], exact=True)
    with pytest.raises(AssertionError):
        compare(["a 1801"], ["a 1701"], exact=False)
