"""Rows of a library that stand under a name, one of them at a time: walkers and studies."""

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
    """Name and columns of the only row of a table, or of the one of a name; the last column is its seal.

    Parameters
    ----------
    store
        The library.
    table
        The table, named as what a row holds is.
    columns
        Columns to read, separated by commas; ``seal`` follows them.
    name
        Name of the row; by default there must be one only.
    plural, maker, option, repair
        Words for the sentence of an error: several of them, what makes one, which option names one, what to do with a
        damaged one.

    Raises
    ------
    FileError
        If there is none, none of that name, several and no name, or it was damaged.
    """
    with store.reading() as db:
        names = [str(one) for (one,) in db.execute(f"SELECT name FROM {table} ORDER BY name")]
        if not names:
            raise FileError(store.path, f"holds no {table}; {maker}")
        if name is None and len(names) > 1:
            several = f"holds {len(names)} {plural} ({', '.join(names)}); say which with {option}"
            raise FileError(store.path, several)
        wanted = names[0] if name is None else name
        row = db.execute(f"SELECT {columns}, seal FROM {table} WHERE name = ?", (wanted,)).fetchone()
    if row is None:
        raise FileError(store.path, f"holds no {table} {wanted!r}; {nearest(wanted, names)}")
    *values, kept = row
    if seal(wanted, *values) != kept:
        raise FileError(store.path, f"is damaged: the {table} {wanted!r} does not fit its seal. {repair}")
    return wanted, tuple(values)
