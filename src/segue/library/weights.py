"""Learnt weights of costs, stored in a library by name; ``moves.segue#NAME`` is accepted wherever weights are set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from segue.costs.protocol import Cost
from segue.costs.registry import cost as cost_named
from segue.costs.registry import cost_in_words
from segue.documents import decode_json
from segue.errors import FileError, SettingError, nearest
from segue.io.library_mark import mark_of
from segue.library.connection import REMEDY, Store
from segue.library.documents import as_bytes, seal, to_json
from segue.library.library import Library


def write_weights(store: Store, name: str, *, cost: str, weights: object, about: Mapping[str, Any]) -> None:
    """Store weights of a cost under a name, replacing those of that name.

    Raises
    ------
    SettingError
        If the name is empty, or the cost cannot take such weights.
    """
    if not name.strip() or "#" in name:
        raise SettingError(f"weights are kept under a name without #, not {name!r}")
    cost_named(cost, weights=weights)
    document = to_json({"weights": weights, "about": dict(about)})
    with store.writing() as db:
        db.execute("DELETE FROM weights WHERE name = ?", (name,))
        db.execute(
            "INSERT INTO weights VALUES (?, ?, ?, ?)", (name, cost, document, seal(name, cost, document))
        )


def weight_names(store: Store) -> list[str]:
    """Return the names of the weights in a library."""
    with store.reading() as db:
        return [str(name) for (name,) in db.execute("SELECT name FROM weights ORDER BY name")]


def read_weights(store: Store, name: str) -> tuple[str, tuple[tuple[Any, ...], ...]]:
    """Return cost and weights of a name: rows of one or two joints and a number.

    Raises
    ------
    FileError
        If there are none of that name, or they are damaged.
    """
    with store.reading() as db:
        row = db.execute("SELECT cost, document, seal FROM weights WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise FileError(store.path, f"holds no weights {name!r}; {nearest(name, weight_names(store))}")
    cost, document, stamp = row
    if stamp != seal(name, cost, document):
        raise FileError(store.path, f"is damaged: the weights {name!r} do not fit their seal. {REMEDY}")
    content = decode_json(as_bytes(document), dict[str, Any], store.path, what=f"the weights {name!r}")
    return str(cost), tuple(tuple(pair) for pair in content["weights"])


def weights_named(value: object, *, cost: str) -> object:
    """Return the weights of ``FILE#NAME`` of a library; any other value unchanged.

    Raises
    ------
    FileError
        If the library holds none of that name.
    SettingError
        If they are of another cost.
    """
    file, mark, name = str(value).rpartition("#") if isinstance(value, str) else ("", "", "")
    if not mark or not Path(file).is_file() or not mark_of(Path(file)).is_database:
        return value
    with Library.open(file, mode="r") as library:
        kind, weights = read_weights(library.store, name)
    if kind != cost:
        raise SettingError(f"the weights {name!r} of {file} are of the cost {kind!r}, not of {cost!r}")
    return weights


def cost_of_words(words: str) -> Cost:
    """Return the cost for text such as ``joint_angle:weights=FILE#NAME``; see `segue.costs.registry.cost_in_words`."""
    return cost_in_words(words, weights=weights_named)
