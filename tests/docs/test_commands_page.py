"""The pages of commands hold the printed help, and show the examples of the help with their output."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from segue_docs.commands import file_of, kept, pages, shortened, tree
from segue_docs.printed import Step, difference, steps
from typer.testing import CliRunner

from segue.cli import app
from segue.cli.helps import examples_of


def helps(words: tuple[str, ...] = ()) -> dict[tuple[str, ...], str]:
    """Output of ``--help`` for every command, found recursively through the commands that each help lists."""
    shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert shown.exit_code == 0
    out = {words: shown.output}
    if "VERB --help" in shown.output:
        for name in re.findall(r"^  ([a-z]\S*)  +[A-Z]", shown.output, re.MULTILINE):
            out |= helps((*words, name))
    return out


def test_the_pages_are_what_the_script_writes(docs: Path) -> None:
    """Written again with the output stored in them, the pages are identical, and there are no others."""
    folder = docs / "commands"
    there = {path.name: path.read_text("utf-8") for path in folder.glob("*.md")}
    written = pages(kept(folder))
    assert set(there) == set(written), "python scripts/command_pages.py --run writes them"
    for name, text in written.items():
        assert there[name] == text, f"{name}: python scripts/command_pages.py --run {name[:-3]} writes it"


def test_every_example_was_run(docs: Path) -> None:
    """Both examples of each verb are on its page as commands with stored output."""
    for words, command, _ in tree():
        if not hasattr(command, "commands"):
            found = steps((docs / "commands" / file_of(words)).read_text("utf-8"))
            shown = {one.words: one.lines for one in found if one.lines is not None}
            assert list(shown) == examples_of(command), words
            assert all(shown.values()), (
                f"python scripts/command_pages.py --run {file_of(words)[:-3]} runs them"
            )


def test_every_command_and_option_is_there(docs: Path) -> None:
    """Everything listed in a command's help is on its page."""
    found = helps()
    assert len(found) > 40
    for words, text in found.items():
        page = (docs / "commands" / file_of(("segue", *words))).read_text("utf-8")
        heads = [line.strip().split("  ")[0] for line in text.splitlines() if line.startswith("  -")]
        options = {option for head in heads for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", head)}
        assert options
        assert not {option for option in options if option not in page}, words
        for argument in re.findall(r"^Arguments:\n((?:  .*\n?)+)", text, re.MULTILINE):
            assert all(name in page for name in re.findall(r"^  ([A-Z]\S*)", argument, re.MULTILINE)), words


def test_long_output_is_shortened_to_what_can_be_compared() -> None:
    """Short output is kept; of long output the first lines, dots and the last line remain if they can be found."""
    assert shortened("segue info clips/", "a\n\nb \n") == "a\nb"
    long = "\n".join(f"clip-{chr(97 + k)} word-{chr(97 + k)}" for k in range(24)) + "\nwritten: 24 files\n"
    text = shortened("segue samples -o clips/", long)
    assert text.splitlines()[-1] == "written: 24 files"
    assert len(text.splitlines()) < 16
    assert not difference(Step("segue samples -o clips/", tuple(text.splitlines())), long)
    assert shortened("segue info --json", "{\n" * 30).endswith("...")


@pytest.mark.parametrize("name", ["wander.md", "library-add.md", "index.md"])
def test_pages_read_well_without_help(docs: Path, name: str) -> None:
    """A page has a title, an anchor for links, and tables whose rows have as many cells as their heads."""
    text = (docs / "commands" / name).read_text("utf-8")
    assert re.search(r"^\(segue[\w-]*\)=\n# ", text, re.MULTILINE)
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1
