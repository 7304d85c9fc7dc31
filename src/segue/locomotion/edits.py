"""Edits of examples by the user: other names or types, omission, further parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec

from segue.documents import as_kind, toml_text
from segue.errors import SettingError, nearest
from segue.locomotion.examples import PARAMETERS, Example

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]
Number = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]
_HINT = (
    'tables are [examples."NAME"] with name, kind, drop and parameters, and [parameters] with numbers, as speed = 1.3 '
    "(m/s; turn in rad/s)"
)


class Word(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The user's edit of one example; None leaves a field unchanged."""

    name: Name | None = None
    kind: Name | None = None
    drop: bool = False
    parameters: dict[str, Number] = {}  # a copy for each


class _GivenEdits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    examples: dict[str, Word] = {}
    parameters: dict[str, Number] = {}


@dataclass(frozen=True)
class Edits:
    """The user's edits by name of an example (clip and frames); a clip's name alone means all of its examples.

    Parameters
    ----------
    words
        For each name: ``name`` (another one), ``kind`` (another type), ``drop`` (true), ``parameters`` (further named
        numbers, or other values of measured ones).
    parameters
        Values of further parameters for examples without one of their own.

    Examples
    --------
    >>> Edits.of({"examples": {"16_21:37-153": {"kind": "march"}}}).words["16_21:37-153"].kind
    'march'
    """

    words: Mapping[str, Word] = field(default_factory=dict)
    parameters: Mapping[str, float] = field(default_factory=dict)

    @staticmethod
    def of(document: Mapping[str, Any], *, file: Path | None = None) -> Edits:
        """Return the edits of a document with the tables ``examples`` and ``parameters``, as in a TOML file.

        Raises
        ------
        SettingError
            If an entry is not understood; a `FileError` where it comes from a ``file``.
        """
        content = as_kind(document, _GivenEdits, file, hint=_HINT)
        return Edits(content.examples, content.parameters)

    def __call__(self, examples: Sequence[Example]) -> list[Example]:
        """Apply the edits to examples.

        Raises
        ------
        SettingError
            If a name fits no example.
        """
        used: set[str] = set()
        out = []
        for example in examples:
            key = next((name for name in (example.name, clip_of(example.name)) if name in self.words), None)
            word = Word() if key is None else self.words[key]
            if key is not None:
                used.add(key)
            if word.drop:
                continue
            parameters = {**self.parameters, **example.parameters, **word.parameters}
            out.append(
                example.with_(
                    name=word.name or example.name,
                    kind=word.kind or example.kind,
                    parameters=parameters,
                )
            )
        unused = [name for name in self.words if name not in used]
        if unused:
            names = [example.name for example in examples]
            msg = f"no example is called {unused[0]!r}; {nearest(unused[0], names)}"
            raise SettingError(msg)
        return out


def clip_of(name: str) -> str:
    """Return the name of the clip in the name of an example or a transition, mirrored or not.

    Examples
    --------
    >>> clip_of("16_21 (mirrored):37-153")
    '16_21'
    """
    return name.rpartition(":")[0].removesuffix(" (mirrored)")


def as_toml(examples: Sequence[Example]) -> str:
    """Return all examples as TOML for editing; unedited entries change nothing."""
    lines = ['# Examples found; drop = true leaves one out, kind = "..." makes it another type.']
    for example in examples:
        lines += [
            f"\n[examples.{toml_text(example.name)}]",
            f"kind = {toml_text(example.kind)}",
            "drop = false",
        ]
        more = [name for name in example.parameters if name not in PARAMETERS]
        values = ", ".join(f"{_key(name)} = {example.parameters[name]:.4f}" for name in (*PARAMETERS, *more))
        lines.append(f"parameters = {{ {values} }}")
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_text(name)
