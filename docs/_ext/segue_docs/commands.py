"""Pages of the commands: a list of all commands, and the text of each page, from the help and from a run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from typer.main import get_command

from segue.cli import app as command_line
from segue.cli.helps import PANELS, default_of, examples_of, rows_of, usage_pieces
from segue_docs.before import BEFORE
from segue_docs.printed import Step, at_home, difference, steps

WRITTEN = "<!-- Written by scripts/command_pages.py from the help and from a run of the examples. -->\n"
_MOST, _HEAD, _TAIL = 16, 11, 2
_CODE = re.compile(
    r"(?<![\w-])(?:--?[a-z][\w-]*(?:=\w+)?|sample:\w*|[A-Z]{2,}:[A-Z]{2,}|\.[a-z]{2,5}\b"
    r"|[\w-]+\.(?:segue|glb|toml|csv|bvh|svg)(?:#\w+)?\b)"
)


@cache
def tree() -> tuple[tuple[tuple[str, ...], Any, Any], ...]:
    """Return every command with its words and a context for its help: groups before their members."""

    def below(
        words: tuple[str, ...], command: Any, parent: Any
    ) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
        context = type(command).context_class(command, info_name=words[-1], parent=parent)
        context.help_option_names = ["-h", "--help"]
        yield words, command, context
        for name, member in getattr(command, "commands", {}).items():
            if not member.hidden:
                yield from below((*words, name), member, context)

    return tuple(below(("segue",), get_command(command_line), None))


@cache
def names() -> frozenset[str]:
    """Anchors of all commands, as `segue-library-add`."""
    return frozenset("-".join(words) for words, _, _ in tree())


def file_of(words: tuple[str, ...]) -> str:
    """Return the name of a command's page: ``library-add.md``, and ``index.md`` for segue itself."""
    return f"{'-'.join(words[1:]) or 'index'}.md"


def pages(printed: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the text of every page by its name.

    Parameters
    ----------
    printed
        By page, what each example prints; what it lacks is shown without output.
    """
    return {
        file_of(words): _verb(words, command, context, printed.get(file_of(words), {}))
        if not hasattr(command, "commands")
        else _family(words)
        for words, command, context in tree()
    }


def kept(folder: Path) -> dict[str, dict[str, str]]:
    """Return the output that the pages of a folder show, by page and command."""
    return {
        path.name: {
            step.words: "\n".join(step.lines)
            for step in steps(path.read_text("utf-8"))
            if step.lines is not None
        }
        for path in sorted(folder.glob("*.md"))
    }


def shortened(command: str, printed: str) -> str:
    """Return the part of a command's output shown on its page: all of it, or its first lines and its last."""
    lines = [line.rstrip() for line in at_home(printed).splitlines() if line.strip()]
    lines = ["..." if line.startswith("planning: ") else line for line in lines]  # times of one machine
    if "recognised by" in lines:  # joints, and seams, which depend on the classifier
        return "\n".join([*lines[: lines.index("recognised by")], "..."])
    if len(lines) <= _MOST:
        return "\n".join(lines)
    for tail in () if "--json" in command else (_TAIL, 1):
        text = "\n".join([*lines[:_HEAD], "...", *lines[-tail:]])
        if not difference(Step(command, tuple(text.splitlines())), printed):
            return text
    return "\n".join([*lines[:_HEAD], "..."])


def _verb(words: tuple[str, ...], command: Any, context: Any, printed: Mapping[str, str]) -> str:
    name = " ".join(words)
    examples = examples_of(command)
    parts = [f"{WRITTEN}({'-'.join(words)})=\n# {name}", _prose(command.help or "")]
    parts.append("```text\n" + " ".join([name, *usage_pieces(command)]) + "\n```")
    parts.append("## Examples")
    if before := BEFORE.get(" ".join(words[1:]), BEFORE["clips"] if "clips/" in " ".join(examples) else ""):
        parts.append("Files to begin with:\n\n" + before.strip())
    shown = ["\n".join(part for part in (f"$ {one}", printed.get(one, "")) if part) for one in examples]
    parts += [f"```console\n{one}\n```" for one in shown]
    for title, rows in rows_of(command, context).items():
        parts.append(f"## {title}\n\n" + _table(rows, arguments=title == "Arguments"))
    return "\n\n".join(part for part in parts if part) + "\n"


def _family(words: tuple[str, ...]) -> str:
    """Return the page of segue itself, or of a group of verbs: a line for each verb."""
    own = next(command for other, command, _ in tree() if other == words)
    members = [one for one in tree() if len(one[0]) == len(words) + 1 and one[0][: len(words)] == words]
    title = "Commands" if len(words) == 1 else " ".join(words)
    parts = [f"{WRITTEN}({'-'.join(words)})=\n# {title}"]
    parts.append(BEFORE["commands"].strip() if len(words) == 1 else _prose(own.help or ""))
    panels: dict[str, list[str]] = {name: [] for name in (PANELS if len(words) == 1 else [""])}
    for other, command, _ in members:
        row = f"| [`{' '.join(other)}`]({file_of(other)}) | {_escaped(command.short_help or '')} |"
        panels[command.rich_help_panel if len(words) == 1 else ""].append(row)
    for panel, rows in panels.items():
        head = f"## {panel}: {PANELS[panel]}\n\n" if panel else ""
        parts.append(head + "\n".join(["| verb | what it does |", "| --- | --- |", *rows]))
    if len(words) > 1:
        parts.append(f"In the terminal `{' '.join(words)} --help`, or `-h`, prints the same.")
    if len(words) == 1:
        rows = [row for group in rows_of(own, tree()[0][2]).values() for row in group]
        parts.append(f"## Options of segue itself\n\n{_table(rows)}")
    if len(words) == 1:
        members.sort(key=lambda one: list(panels).index(one[1].rich_help_panel))
    inside = [file_of(other).removesuffix(".md") for other, _, _ in members]
    parts.append("```{toctree}\n:hidden:\n\n" + "\n".join(inside) + "\n```")
    return "\n\n".join(parts) + "\n"


def _table(rows: list[tuple[Any, str, str]], *, arguments: bool = False) -> str:
    """Return a table of options with their descriptions, and their defaults if any of them has one."""
    cells = [
        [
            f"`{typed}`".replace("|", "\\|"),
            _worded((one.help or "").strip()),
            "" if arguments else _default(one),
        ]
        for one, typed, _ in rows
    ]
    columns = ["argument" if arguments else "option", "what it does", "default"]
    if not any(default for *_, default in cells):
        columns, cells = columns[:2], [row[:2] for row in cells]
    lines = [columns, ["---"] * len(columns), *cells]
    return "\n".join(f"| {' | '.join(line)} |".replace("  |", " |") for line in lines)


def _default(parameter: Any) -> str:
    """Return a default as text, without the word itself: ``0.33 s``, ``on``, ``required``."""
    words = default_of(parameter).removeprefix("Default: ").removesuffix(".")
    return _worded(
        words.removesuffix(" by default").lower() if words.endswith(("by default", "Required")) else words
    )


def _prose(text: str) -> str:
    """Return the paragraphs of a help text, with options set as code."""
    parts = re.split(r"\n\s*\n", text.partition("\f")[0].strip())
    return "\n\n".join(_worded(re.sub(r"\s+", " ", part)) for part in parts)


def _worded(text: str) -> str:
    """Return a paragraph in which options, file names with an extension and samples are set as code."""
    out, last = "", 0
    for match in _CODE.finditer(text):
        out += _escaped(text[last : match.start()]) + f"`{match.group()}`"
        last = match.end()
    return out + _escaped(text[last:])


def _escaped(text: str) -> str:
    return re.sub(r"([\\*_<>|$\[\]`])", r"\\\1", text)
