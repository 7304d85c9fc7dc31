"""A person's word on examples: other names, other types, none at all, further parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from segue.errors import SettingError, nearest
from segue.locomotion.examples import PARAMETERS, Example

_KEYS = ("name", "kind", "drop", "parameters")


@dataclass(frozen=True)
class Edits:
    """What a person says of examples, by their names (clip and frames); a clip's name alone means all of its examples.

    Parameters
    ----------
    words
        For each name: ``name`` (another one), ``kind`` (another type), ``drop`` (true), ``parameters`` (further named
        numbers, or other values of measured ones).
    parameters
        Values of further parameters for examples that none is told for.

    Examples
    --------
    >>> Edits.of({"examples": {"16_21:37-153": {"kind": "march"}}}).words["16_21:37-153"]["kind"]
    'march'
    """

    words: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    parameters: Mapping[str, float] = field(default_factory=dict)

    @staticmethod
    def of(document: Mapping[str, Any]) -> Edits:
        """Edits of a document with the tables ``examples`` and ``parameters``, as in a TOML file.

        Raises
        ------
        SettingError
            If it says something that is not understood.
        """
        unknown = [key for key in document if key not in ("examples", "parameters")]
        if unknown:
            msg = f'{unknown[0]!r} is not understood; tables are [examples."NAME"] and [parameters]'
            raise SettingError(msg)
        words = dict(document.get("examples", {}))
        for name, word in words.items():
            if not isinstance(word, Mapping) or any(key not in _KEYS for key in word):
                msg = f"examples {name!r}: it can have {', '.join(_KEYS)}, not {word}"
                raise SettingError(msg)
            _numbers(f"examples {name!r}", word.get("parameters", {}))
        _numbers("parameters", document.get("parameters", {}))
        return Edits(words, dict(document.get("parameters", {})))

    def __call__(self, examples: Sequence[Example]) -> list[Example]:
        """Examples as edited.

        Raises
        ------
        SettingError
            If a name fits no example.
        """
        used: set[str] = set()
        out = []
        for example in examples:
            key = next((name for name in (example.name, _clip(example.name)) if name in self.words), None)
            word: Mapping[str, Any] = {} if key is None else self.words[key]
            if key is not None:
                used.add(key)
            if word.get("drop"):
                continue
            parameters = {**self.parameters, **example.parameters, **word.get("parameters", {})}
            out.append(
                example.with_(
                    name=word.get("name", example.name),
                    kind=word.get("kind", example.kind),
                    parameters=parameters,
                )
            )
        unused = [name for name in self.words if name not in used]
        if unused:
            names = [example.name for example in examples]
            msg = f"no example is called {unused[0]!r}; {nearest(unused[0], names)}"
            raise SettingError(msg)
        return out


def _clip(name: str) -> str:
    """Name of the clip of an example, mirrored or not."""
    return name.rpartition(":")[0].removesuffix(" (mirrored)")


def _numbers(where: str, values: Any) -> None:
    if not isinstance(values, Mapping) or not all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in values.values()
    ):
        msg = f"{where}: parameters are names with numbers, as speed = 1.3 (m/s; turn in rad/s), not {values}"
        raise SettingError(msg)


def as_toml(examples: Sequence[Example]) -> str:
    """All examples as a file that a person can edit; what is left as it is changes nothing."""
    lines = ['# Examples found; drop = true leaves one out, kind = "..." makes it another type.']
    for example in examples:
        lines += [f'\n[examples."{example.name}"]', f'kind = "{example.kind}"', "drop = false"]
        more = [name for name in example.parameters if name not in PARAMETERS]
        values = ", ".join(f"{name} = {example.parameters[name]:.4f}" for name in (*PARAMETERS, *more))
        lines.append(f"parameters = {{ {values} }}")
    return "\n".join(lines) + "\n"
