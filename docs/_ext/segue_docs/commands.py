"""The commands and their options, taken from the help they print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive
from typer.main import get_command

from segue.cli import app as command_line
from segue.cli.helps import examples_of, rows_of, usage_pieces

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def tree() -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Every command with its words and a context to ask its help with: groups before what they hold."""
    root = get_command(command_line)

    def below(
        words: tuple[str, ...], command: Any, parent: Any
    ) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
        context = type(command).context_class(command, info_name=words[-1], parent=parent)
        context.help_option_names = ["-h", "--help"]
        yield words, command, context
        for name, member in getattr(command, "commands", {}).items():
            if not member.hidden:
                yield from below((*words, name), member, context)

    yield from below(("segue",), root, None)


@cache
def names() -> frozenset[str]:
    """Anchors of all commands, as `segue-library-add`."""
    return frozenset("-".join(words) for words, _, _ in tree())


class Commands(Directive):
    """A section for each command: usage, what it does, arguments and options."""

    has_content: ClassVar[bool] = False

    def run(self) -> list[nodes.Node]:
        """Sections of the second level, sub-commands inside their group's."""
        out: list[nodes.Node] = []
        sections: dict[tuple[str, ...], nodes.section] = {}
        for words, command, context in tree():
            anchor = "-".join(words)
            section = nodes.section("", nodes.title("", " ".join(words)), ids=[anchor], names=[anchor])
            section += [
                *_usage(command, context),
                *_described(command),
                *_parameters(command, context, anchor),
            ]
            self.state.document.note_explicit_target(section, section)
            sections[words] = section
            if len(words) > 2:
                sections[words[:-1]] += section
            else:
                out.append(section)
        return out


def _usage(command: Any, context: Any) -> list[nodes.Node]:
    line = " ".join([context.command_path, *usage_pieces(command)])
    return [nodes.literal_block(line, line, language="text", classes=["usage"])]


def _described(command: Any) -> list[nodes.Node]:
    text = (command.help or "").strip()
    return [_worded(re.sub(r"\s+", " ", part)) for part in re.split(r"\n\s*\n", text) if part]


def _parameters(command: Any, context: Any, anchor: str) -> list[nodes.Node]:
    out: list[nodes.Node] = []
    for title, rows in rows_of(command, context).items():
        items = [_row((words, note), f"{anchor}-{parameter.name}") for parameter, words, note in rows]
        out += [nodes.rubric("", title), nodes.definition_list("", *items, classes=["parameters"])]
    if examples := "\n".join(examples_of(command)):
        out += [nodes.rubric("", "Examples"), nodes.literal_block(examples, examples, language="sh")]
    return out


def _row(record: tuple[str, str], anchor: str) -> nodes.definition_list_item:
    term = nodes.term("", "", nodes.literal("", record[0]), ids=[anchor.replace("_", "-")])
    return nodes.definition_list_item("", term, nodes.definition("", _worded(record[1])))


def _worded(text: str) -> nodes.paragraph:
    """A paragraph in which options, file names with an ending and samples are set as code."""
    code = r"(?<![\w-])(?:--?[a-z][\w-]*(?:=\w+)?|sample:\w*|[A-Z]{2,}:[A-Z]{2,}|\.[a-z]{2,5}\b)"
    out, last = nodes.paragraph(), 0
    for match in re.finditer(code, text):
        out += [nodes.Text(text[last : match.start()]), nodes.literal("", match.group())]
        last = match.end()
    out += nodes.Text(text[last:])
    return out


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("segue-commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
