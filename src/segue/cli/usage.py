"""Parsing of the arguments of a verb; a wrong call prints one sentence: the wrong word and its correction.

`help` and options of every command are accepted in front of the verb and behind it: ``segue help wander``,
``segue -v wander clips/`` and ``segue wander clips/ -v``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from segue.cli.common import common_options
from segue.cli.helps import examples_of, help_text, spelled, usage_pieces, value_of, width
from segue.cli.output import running
from segue.errors import SettingError

_WRONG: Any = typer.BadParameter.__base__
"""Base class of typer's errors for wrong calls."""
FUNCTION = "function_of_verb"
"""Attribute of a verb's stand-in that holds the verb's function."""
ANYWHERE = "-v", "--verbose", "-q", "--quiet", "-h", "--help"
"""Options of every command that are also accepted in front of the verb."""
_NEAR = 0.6  # least similarity (difflib ratio) of a suggested word


def behind_the_verb(group: Any, words: list[str]) -> list[str]:
    """Return the words typed, with leading `help` and options of every command moved behind the verb."""
    lead = list(takewhile(lambda word: word in ("help", *ANYWHERE), words))
    rest = words[len(lead) :]
    lead = ["--help" if word == "help" else word for word in lead]
    if rest and rest[0] in group.commands:
        return [rest[0], *lead, *rest[1:]]
    return rest or [word for word in lead if word in ("-h", "--help")]


@contextmanager
def one_sentence(context: Any, words: list[str], examples: Callable[[], list[str]]) -> Iterator[None]:
    """Convert typer's error for a wrong call to one sentence.

    Parameters
    ----------
    context
        Typer's context of the verb.
    words
        Words typed behind the verb.
    examples
        Returns example commands of the verb.

    Raises
    ------
    SettingError
        In place of typer's own error.
    """
    words = list(words)
    try:
        yield
    except _WRONG as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # no arguments: typer prints the help
            raise
        raise SettingError(_sentence(error, context, words, examples)) from None


def no_such_verb(context: Any, word: str) -> SettingError:
    """Return the error for a word that is not a verb of a group."""
    group, path = context.command, context.command_path
    every = f"{path} --help lists all verbs"
    if any(f"--{word}" in one.opts for one in group.params):
        return SettingError(f"{word!r} is not a verb; it is an option: {path} --{word}")
    if (file := Path(word)).exists() or "/" in word or "\\" in word or file.suffix:
        return SettingError(f"{word} is not a verb; the verb comes first: {path} VERB {word}; {every}")
    close = nearest_words(word, dict(_verbs(group, "")))
    return SettingError(f"{_lacking(context)} verb {word!r}; {_meant(close)}{every}")


def nearest_words(word: str, known: Iterable[str]) -> list[str]:
    """Return at most three known words similar to a misspelt one, the nearest first.

    Examples
    --------
    >>> nearest_words("--sed", ["--seconds", "--seed", "--feet"])
    ['--seed', '--seconds']
    >>> nearest_words("export", ["wander", "library export"])
    ['library export']
    """
    names = list(known)
    same = [one for one in names if one.split()[-1] == word.lower()]
    return same or difflib.get_close_matches(word.lower(), names, n=3, cutoff=_NEAR)


def _verbs(group: Any, before: str) -> Iterator[tuple[str, Any]]:
    """Yield the verbs of a group and of its subgroups, with all words typed before and for them."""
    for name, command in group.commands.items():
        yield before + name, command
        if hasattr(command, "commands"):
            yield from _verbs(command, f"{before}{name} ")


def _called(context: Any) -> str:
    """Return the words of a verb without ``segue``, which begins every message."""
    return str(context.command_path).partition(" ")[2] or str(context.command_path)


def _lacking(context: Any) -> str:
    return f"{_called(context)} has no" if context.parent else "there is no"


def _meant(close: list[str]) -> str:
    return f"nearest: {', '.join(close)}; " if close else ""


def _sentence(error: Any, context: Any, words: list[str], examples: Callable[[], list[str]]) -> str:
    name, message = _called(context), error.format_message().rstrip(".")
    kind, parameter = type(error).__name__, getattr(error, "param", None)
    if kind == "NoSuchOption":
        return _no_such_option(error.option_name, context)
    if kind == "BadOptionUsage":
        return f"{name}: {_value_wanted(error.option_name, context.command, message)}"
    if kind == "MissingParameter" and parameter is not None:
        return f"{name} needs {spelled(parameter)}{_as_in(parameter, examples())}"
    if kind == "BadParameter" and parameter is not None:
        return f"{name}: {_not_possible(parameter, context, words, message)}"
    if extra := re.search(r"unexpected extra arguments?(?:\(s\))? \((.*)\)", message):
        usage = " ".join([context.command_path, *usage_pieces(context.command)])
        return f"{name} does not take {extra[1]!r}; it is typed as: {usage}"
    return f"{name}: {message[0].lower()}{message[1:]}"


def _no_such_option(word: str, context: Any) -> str:
    """Return the sentence on an unknown option: similar ones, or that options follow the verb."""
    group, path = context.command, context.command_path
    if hasattr(group, "commands") and any(
        word in one.opts for _, verb in _verbs(group, "") for one in verb.params
    ):
        return f"{word} must follow the verb: {path} VERB ... {word}"
    options = [known for one in group.params for known in (*one.opts, *one.secondary_opts)]
    close = nearest_words(word, [known for known in options if known.startswith("--")])
    return f"{_lacking(context)} option {word}; {_meant(close)}{path} --help lists all options"


def _as_in(parameter: Any, examples: list[str]) -> str:
    named = [line for line in examples if set(line.split()) & set(parameter.opts)]
    shown = (named or examples)[:1]
    return f", as in: {shown[0]}" if shown else ""


def _value_wanted(name: str, command: Any, message: str) -> str:
    """Return whether an option needs a value or takes none, as a sentence."""
    option = next((one for one in command.params if name in (*one.opts, *one.secondary_opts)), None)
    if option is None or "not take" in message:
        return f"{name} takes no value"
    return f"{name} needs a value: {name} {value_of(option)}"


def _not_possible(parameter: Any, context: Any, words: list[str], message: str) -> str:
    """Return the sentence on an invalid value: what was typed and what is expected."""
    typed = context.command.make_parser(context).parse_args(words)[0].get(parameter.name)
    name = next((word for word in parameter.opts if word.startswith("--")), spelled(parameter))
    text = message.lower()
    if bound := re.search(r"(?:less|greater) than .*", message):
        return f"{name} {typed} is not possible; give a number {bound[0]}"
    for word, kind in (("integer", "a whole number"), ("number", "a number"), ("float", "a number")):
        if word in text:
            return f"{name} takes {kind}; {typed!r} is none"
    return f"{name} {typed!r}: {message.partition(': ')[2] or message}"


class _OwnHelp:
    """Help and usage from `segue.cli.helps`."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        formatter.write(help_text(self, ctx, width()))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words that follow the name in the usage."""
        del ctx
        return usage_pieces(self)


class HelpCommand(_OwnHelp, TyperCommand):
    """A verb with segue's own help, whose messages name its options.

    Its options, including those of `segue.cli.common`, are created on first access: reading them from the signatures of
    fifty functions takes longer than everything else that ``segue --help`` does.
    """

    def __init__(self, *given: Any, callback: Any, **settings: Any) -> None:
        super().__init__(*given, callback=callback, **settings)
        self._function = vars(callback)[FUNCTION]
        del self.params, self.callback  # belong to the stand-in; the properties below replace them

    @cached_property
    def _made(self) -> Any:
        alone = typer.Typer(add_completion=False)
        alone.command()(self._function)
        return typer.main.get_command(alone)

    @cached_property
    def params(self) -> list[Any]:  # type: ignore[override]
        """Arguments and options of the verb, and the options of every command."""
        own = self._made.params
        return [*own, *common_options(one.name for one in own)]

    @cached_property
    def callback(self) -> Callable[..., Any]:  # type: ignore[override]
        """Function that runs the verb."""
        return self._made.callback  # type: ignore[no-any-return]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words typed, and convert errors to one sentence."""
        running(word for one in self.params for word in one.opts)
        with one_sentence(ctx, args, lambda: examples_of(self)):
            return super().parse_args(ctx, args)


class HelpGroup(_OwnHelp, TyperGroup):
    """A group of verbs with segue's own help, which accepts options of every command in front of the verb."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words typed up to the verb."""
        args = behind_the_verb(self, args)
        with one_sentence(ctx, args, list):
            return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the verb that was typed."""
        if args and args[0] not in self.commands and not ctx.resilient_parsing:
            raise no_such_verb(ctx, args[0])
        return super().resolve_command(ctx, args)
