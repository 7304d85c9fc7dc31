"""The page of commands holds every command and option that the help prints."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from segue.cli import app


def helps(words: tuple[str, ...] = ()) -> dict[tuple[str, ...], str]:
    """What ``--help`` prints for every command, found by going down the commands that each help lists."""
    shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert shown.exit_code == 0
    out = {words: shown.output}
    if "VERB --help" in shown.output:
        for name in re.findall(r"^  ([a-z]\S*)  +[A-Z]", shown.output, re.MULTILINE):
            out |= helps((*words, name))
    return out


@pytest.fixture(scope="module")
def page(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Text of the page, built alone."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace

    at = tmp_path_factory.mktemp("page")
    (at / "conf.py").write_text('extensions = ["segue_docs.commands"]\nhtml_theme = "basic"\n', "utf-8")
    (at / "index.rst").write_text((docs / "reference/commands.rst").read_text("utf-8"), "utf-8")
    with docutils_namespace():
        Sphinx(at, at, at / "out", at / "trees", "html", status=None, warningiserror=True).build()
    return (at / "out/index.html").read_text("utf-8")


def _section(page: str, words: tuple[str, ...]) -> str:
    """Source of a command's section up to the next command's."""
    anchor = "-".join(("segue", *words))
    begin = page.index(f'<section id="{anchor}">')
    end = page.find('<section id="segue', begin + 1)
    return html.unescape(re.sub(r"<[^>]+>", "", page[begin : end if end > 0 else None]))


def test_every_command_and_option_is_there(page: str) -> None:
    """Whatever the help of a command lists stands in that command's own section."""
    found = helps()
    assert len(found) > 10
    for words, text in found.items():
        section = _section(page, words)
        heads = [line.strip().split("  ")[0] for line in text.splitlines() if line.startswith("  -")]
        options = {option for head in heads for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", head)}
        assert options
        assert not {option for option in options if option not in section}, words
        for argument in re.findall(r"^Arguments:\n((?:  .*\n?)+)", text, re.MULTILINE):
            assert all(name in section for name in re.findall(r"^  ([A-Z]\S*)", argument, re.MULTILINE)), (
                words
            )


def test_nothing_is_made_up(page: str, docs: Path) -> None:
    """No section names a command that does not run."""
    anchors = re.findall(r'<section id="(segue[\w-]*)">', page)
    assert sorted(anchors) == sorted("-".join(("segue", *words)) for words in helps())
    assert len(set(anchors)) == len(anchors)
    assert (docs / "reference/commands.rst").exists()
