"""Help of every command: panel, two examples that parse, option groups, and lines wrapped to the terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from segue.cli import app
from segue.cli.helps import GROUPS, OWN, PANELS, examples_of, help_text, rows_of

MOST = 12  # rows of a group that is still readable


def verbs() -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Yield every command with its words and a context."""

    def below(
        words: tuple[str, ...], command: Any, parent: Any
    ) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
        context = type(command).context_class(command, info_name=words[-1], parent=parent)
        yield words, command, context
        for name, member in getattr(command, "commands", {}).items():
            yield from below((*words, name), member, context)

    yield from below(("segue",), get_command(app), None)


VERBS = [one for one in verbs() if not hasattr(one[1], "commands")]
NAMES = [" ".join(words) for words, _, _ in VERBS]


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("one", list(verbs()), ids=lambda one: " ".join(one[0]))
def test_no_line_is_wider_than_the_terminal(one: tuple[tuple[str, ...], Any, Any], columns: int) -> None:
    _, command, context = one
    lines = help_text(command, context, columns).splitlines()
    assert not [line for line in lines if len(line.replace("\x1b[1m", "").replace("\x1b[0m", "")) > columns]


@pytest.mark.parametrize("one", VERBS, ids=NAMES)
def test_a_verb_has_a_panel_and_two_examples_that_parse(
    one: tuple[tuple[str, ...], Any, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each top-level command is in a panel; both examples begin with the command and use its options."""
    words, command, _ = one
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clips").mkdir()
    for name in ("wishes.csv", "route.csv", "path.csv", "labels.csv"):
        (tmp_path / name).touch()
    if len(words) == 2:
        assert command.rich_help_panel in PANELS
    assert command.short_help
    assert len(examples_of(command)) == 2
    for example in examples_of(command):
        typed = shlex.split(example)
        assert tuple(typed[: len(words)]) == words
        command.make_context(words[-1], typed[len(words) :], resilient_parsing=False)


@pytest.mark.parametrize("one", VERBS, ids=NAMES)
def test_options_stand_in_groups(one: tuple[tuple[str, ...], Any, Any]) -> None:
    """Every group is short, and is the command's own, a shared one or one named by an option."""
    _, command, context = one
    groups = rows_of(command, context)
    assert all(len(rows) <= MOST for rows in groups.values()), {
        name: len(rows) for name, rows in groups.items()
    }
    assert all(sentence for rows in groups.values() for _, _, sentence in rows)
    assert set(groups) <= {"Arguments", OWN, *GROUPS} | {
        panel for one in command.params if (panel := getattr(one, "rich_help_panel", None))
    }


def test_help_of_a_group_reads_no_verb() -> None:
    """The options of a command are built from its function on request, not for a list of commands."""
    group: Any = get_command(app)
    help_text(group, type(group).context_class(group, info_name="segue"), 80)
    made = {
        name: "_made" in vars(one) for name, one in group.commands.items() if not hasattr(one, "commands")
    }
    assert len(made) > 20
    assert not any(made.values())
    assert group.commands["wander"].params
    assert "_made" in vars(group.commands["wander"])
