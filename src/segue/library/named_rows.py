"""Reading of one named row of a library: walkers and studies."""

from __future__ import annotations

from typing import Any

from segue.errors import FileError, nearest
from segue.library.connection import Store
from segue.library.documents import seal


def named_row(
    store: Store,
    table: str,
    columns: str,
    *,
    name: str | None,
    plural: str,
    maker: str,
    option: str,
    repair: str,
) -> tuple[str, tuple[Any, ...]]:
    """Return name and columns of the row of a name, or of the only row of a table; its seal is checked.

    Parameters
    ----------
    store
        The library.
    table
        The table, whose name is used in errors.
    columns
        Columns to read, separated by commas, without ``seal``.
    name
        Name of the row; by default the table must have only one.
    plural, maker, option, repair
        Words for errors: the plural of a row, the command that makes one, the option that names one, and the remedy
        for a damaged one.

    Raises
    ------
    FileError
        If there is none, none of that name, several and no name given, or it is damaged.
    """
    with store.reading() as db:
        names = [str(one) for (one,) in db.execute(f"SELECT name FROM {table} ORDER BY name")]
        if not names:
            raise FileError(store.path, f"holds no {table}; {maker}")
        if name is None and len(names) > 1:
            several = f"holds {len(names)} {plural} ({', '.join(names)}); choose one with {option}"
            raise FileError(store.path, several)
        wanted = names[0] if name is None else name
        row = db.execute(f"SELECT {columns}, seal FROM {table} WHERE name = ?", (wanted,)).fetchone()
    if row is None:
        raise FileError(store.path, f"holds no {table} {wanted!r}; {nearest(wanted, names)}")
    *values, kept = row
    if seal(wanted, *values) != kept:
        raise FileError(store.path, f"is damaged: the {table} {wanted!r} does not fit its seal. {repair}")
    return wanted, tuple(values)
