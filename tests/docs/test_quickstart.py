"""What pages for newcomers tell to type is typed, from an empty folder, and what they say is printed is compared."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from segue.cli import app

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
CHOOSING = {"wander", "measure", "stitch", "compare", "steer", "locomotion", "walk", "floor", "demo"}
"""Commands that choose transitions, or measure chosen ones: last digits, which processors differ in, may decide."""
BLOCK = re.compile(r"^```(console|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_DOCS = "quickstart", "tutorials/animator", "tutorials/game", "tutorials/research"
PAGES = ("README.md", *(f"docs/{name}.md" for name in _DOCS))
INSTALLING = ("pip ", "python3 ", "make ", "segue --install-completion")


def commands_of(page: str) -> list[tuple[str, list[str] | None]]:
    """Commands of a page in order, each with the lines that are said to be printed, or None where a page shows none."""
    out: list[tuple[str, list[str] | None]] = []
    for kind, block in BLOCK.findall(page):
        for line in block.splitlines():
            if kind == "sh":
                out.append((re.sub(r"\s+# .*", "", line), None))
            elif line.startswith("$ "):
                out.append((line[2:], []))
            else:
                out[-1][1].append(line)
    return [one for one in out if one[0] and not one[0].startswith(INSTALLING)]


def worded(line: str) -> str:
    """A line with # for each number, and one blank for many."""
    return re.sub(r"\s+", " ", NUMBER.sub("#", line)).strip()


def near(message: str, printed: str, exact: bool) -> bool:
    """The same digits; or within a quarter, of three digits and more within a twentieth, or both next to nothing."""
    one, other = float(message), float(printed)
    share = 0.05 if abs(one) >= 100 else 0.25
    return message == printed if exact else other == pytest.approx(one, rel=share, abs=0.001)


def alike(message: str, printed: str, exact: bool) -> bool:
    """The same words and numbers."""
    if worded(message) != worded(printed):
        return False
    pairs = zip(NUMBER.findall(message), NUMBER.findall(printed), strict=True)
    return all(near(*pair, exact) for pair in pairs)


def compare(messages: list[str], printed: list[str], *, exact: bool) -> None:
    """Every line that is said is printed, in that order; ``...`` stands for any lines, no line for none."""
    rest, anything = [line for line in printed if line.strip()], False
    for line in messages:
        if line == "...":
            anything = True
            continue
        assert rest, f"nothing more is printed, where the page says: {line}"
        found = [k for k, one in enumerate(rest) if alike(line, one, exact)] if anything else []
        at = found[0] if found else 0
        assert alike(line, rest[at], exact), f"the page says: {line}\nprinted: {rest}"
        rest, anything = rest[at + 1 :], False
    assert anything or not rest, f"printed beyond what the page says: {rest}"


def typed(command: str) -> tuple[str, str]:
    """What a command prints on stdout, and the verb."""
    program, *words = shlex.split(command)
    if program == "printf":
        text, arrow, file = words
        assert arrow == ">"
        Path(file).write_text(text.encode().decode("unicode_escape"), "utf-8")
        return "", "printf"
    assert program == "segue", command
    result = CliRunner().invoke(app, words, env={"COLUMNS": "200", "TERM": "dumb"})
    assert result.exit_code == 0, f"{command}\n{result.output}\n{result.exception}"
    return result.stdout, words[0]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_the_commands_print_what_the_page_says(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    """Every command of the page runs in one folder, one after the other, and prints what the page shows."""
    monkeypatch.chdir(tmp_path)
    commands = commands_of((docs.parent / page).read_text("utf-8"))
    assert len(commands) >= 5
    for command, lines in commands:
        printed, verb = typed(command)
        if lines is not None:
            compare(lines, printed.splitlines(), exact=verb not in CHOOSING)
