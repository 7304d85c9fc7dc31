"""Errors in options come before any file is read and name options of the command."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from typer.main import get_command

from segue.cli import app, output
from segue.cli.output import worded

SOURCES = Path(output.__file__).parents[1]
EARLY = [
    ("wander missing --seconds -5", "seconds"),
    ("wander missing -o nowhere/x.bvh", "nowhere"),
    ("wander missing --component 0", "--component 0"),
    ("walk missing --seconds -5", "--seconds -5"),
    ("walk missing --seconds 5 --labels nothing.csv", "--labels"),
    ("walk missing --budget nan --seconds 4", "--budget nan"),
    ("compare missing missing --mode middle", "--mode 'middle' is not known; choose 'centre' or 'source'"),
    ("film missing.bvh --view above", "--view 'above'"),
    ("film missing.bvh --seam 0", "--seam 0 is not possible; give 1 or more"),
    ("film missing.bvh --every 0", "give above 0"),
    ("clean missing.bvh --cutoff 0", "--cutoff"),
    ("clean missing.bvh --heights low", "--heights"),
    ("loop missing.bvh --turn twice", "--turn"),
    ("loop missing.bvh --times 0", "--times 0 is not possible; give 1 or more"),
    ("mirror missing.bvh --body both", "--body"),
    ("replace missing.bvh --at 1:2 --with missing.bvh --blend 3", "--blend 3 is not possible; give 0 to 2"),
    ("retarget missing.bvh --body missing.bvh -o x.bvh --hands 2", "--hands 2"),
    ("retarget missing.bvh --body missing.bvh -o x.bvh --feet fast", "--feet"),
    ("convert missing.bvh -o x.bvh --root-position here", "--root-position"),
    ("replay missing.origin.json --sources nowhere", "--sources"),
    ("library export missing.segue --format docx", "docx"),
    ("library match missing.segue --device tpu", "--device"),
    ("steer missing.segue --script nothing.csv", "--script"),
]


@pytest.mark.parametrize(("words", "text"), EARLY, ids=[words for words, _ in EARLY])
def test_an_option_is_checked_before_a_file_is_read(segue, words: str, text: str) -> None:
    """The error is about the option, although the file is missing too."""
    result = segue(*words.split())
    assert (result.code, result.out) == (2, "")
    assert text in result.err
    assert "no such file or folder" not in result.err


def test_a_start_that_is_no_clip_is_refused_before_the_graph_is_built(segue, monkeypatch) -> None:
    """The name is checked as soon as the clips are read."""

    def built(*_args, **_settings):
        raise AssertionError("the graph is built")

    monkeypatch.setattr("segue.app.material.graph_of", built)
    result = segue("wander", "sample:walk", "sample:stop", "--start", "wolk")
    assert (result.code, result.err) == (2, "segue: no clip is called 'wolk'; nearest: walk\n")
    assert "'wolk'" in segue("walk", "sample:walk", "sample:stop", "--from", "wolk", "--to", "stop").err


def messages() -> list[str]:
    """Return all messages in the package, without docstrings, with X for each value."""
    out = []
    for path in set(SOURCES.rglob("*.py")) - {Path(output.__file__)}:
        tree = ast.parse(path.read_text("utf-8"))
        plain = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
        inner = {id(part) for one in ast.walk(tree) if isinstance(one, ast.JoinedStr) for part in one.values}
        for one in ast.walk(tree):
            if isinstance(one, ast.JoinedStr):
                out.append("".join(str(p.value) if isinstance(p, ast.Constant) else "X" for p in one.values))
            elif (
                isinstance(one, ast.Constant)
                and isinstance(one.value, str)
                and not {id(one)} & (plain | inner)
            ):
                out.append(one.value)
    return [text for text in out if " " in text and "\n" not in text and "<" not in text]


def test_advice_is_the_command_lines() -> None:
    """No message advises a keyword argument or a Python function where the command has an option."""
    options = {word for words, command in _verbs() for one in command.params for word in one.opts}
    output.running(options)
    bare = [
        text
        for message in messages()
        for text in [worded(message)]
        if re.search(
            r"\b(?:pass|give|with|or) [a-z_]+=(?![\w'\"X{(])|load\(|segue\.(?:runtime|io|graph)\b", text
        )
        or re.search(r"\b(?:fps|unit|up|root_position)=(?!X)", text)
    ]
    output.running([])
    assert [text for text in bare if "names=" not in text and "limit=" not in text] == []


def test_advised_options_exist() -> None:
    """Each option named in a message belongs to some command."""
    options = {
        word for _, command in _verbs() for one in command.params for word in (*one.opts, *one.secondary_opts)
    }
    named = {word for text in messages() for word in re.findall(r"(?<![\w-])--[a-z][a-z-]+", worded(text))}
    assert named - options <= {"--help", "--version", "--install-completion"}


def _verbs():
    def below(words, command):
        for name, member in getattr(command, "commands", {}).items():
            yield from below((*words, name), member)
        if not hasattr(command, "commands"):
            yield words, command

    yield from below((), get_command(app))
