"""Settings read from a record and checked against the fields of a dataclass or the arguments of a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, field, fields, make_dataclass
from inspect import signature
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar, get_type_hints

from segue.app.record import Record
from segue.documents import as_kind
from segue.errors import FileError, SettingError
from segue.settings.words import OLD_FEET

T = TypeVar("T")


def recorded_settings(
    record: Record,
    record_file: Path,
    kind: type[T],
    *keys: str,
    usual: Mapping[str, Any] | None = None,
    more: bool = False,
) -> T:
    """Settings of a record as an instance of ``kind``, checked because people edit records.

    Parameters
    ----------
    record, record_file
        The record and its file.
    kind
        Dataclass of the settings.
    keys
        Path of keys to them in the record's settings.
    usual
        Values for missing entries, instead of the defaults of ``kind``.
    more
        Whether unknown entries are allowed, which are for people.

    Raises
    ------
    FileError
        If they are missing, or contain an unknown or invalid setting.
    """
    where = ".".join(("settings", *keys))
    given: Any = record.settings
    for key in keys:
        given = given.get(key) if isinstance(given, dict) else None
    feet = given.get("feet") if isinstance(given, dict) else None
    if isinstance(feet, str) and feet in OLD_FEET:
        given = {**given, "feet": OLD_FEET[feet]}
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # a dataclass
    unknown = [key for key in given if key not in names] if isinstance(given, dict) else ["no settings"]
    if unknown and not (more and isinstance(given, dict)):
        why = f"holds settings this version does not know ({where}: {unknown[0]})"
        raise FileError(record_file, f"{why}; it was written by segue {record.version}")
    try:
        return as_kind({**(usual or {}), **given}, kind, record_file, what=f"{where}:")
    except SettingError as error:
        raise FileError(record_file, f"{where}: {error}") from None


def recorded_words(
    record: Record, record_file: Path, function: Callable[..., Any], *keys: str, more: bool = False
) -> dict[str, Any]:
    """Keyword arguments of a function from a record, typed by its annotations.

    Raises
    ------
    FileError
        As `recorded_settings`.
    """
    given = [one for one in signature(function).parameters.values() if one.kind is one.KEYWORD_ONLY]
    types = SimpleNamespace(__annotations__={one.name: one.annotation for one in given})
    hints = get_type_hints(types, globalns=function.__globals__, include_extras=True)
    kind = make_dataclass(
        function.__name__,
        [
            (one.name, hints[one.name], field(default=MISSING if one.default is one.empty else one.default))
            for one in given
        ],
    )
    made: Any = recorded_settings(record, record_file, kind, *keys, more=more)
    settings: Any = record.settings
    for key in keys:
        settings = settings[key]
    return {one.name: getattr(made, one.name) for one in given if one.name in settings}
