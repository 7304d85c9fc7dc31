"""Walkers in a library: what a character needs to be steered, built once from clips.

A walker is kept as one JSON document and one block of numbers: a blend set's arrays come back bit for bit; its weights
are fitted again from the parameters, which takes no time and cannot disagree with them.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from segue.app.library.connection import Store
from segue.app.library.documents import digest, seal, skeleton_document, skeleton_of, to_json
from segue.arrays import Floats, frozen
from segue.errors import FileError, nearest
from segue.locomotion.blend_set import BlendSet
from segue.locomotion.examples import LeftOut
from segue.locomotion.model import Locomotion, Node, Tally, Way
from segue.locomotion.traces import Piece
from segue.maths.hulls import hull
from segue.maths.scattered import scattered

DEFAULT = "walker"
"""Name of a walker that is given none."""

_WAY_NUMBERS = ("source", "target", "before", "after", "from_interval", "to_interval", "made")


@dataclass
class _Block:
    """Arrays, one after the other."""

    data: bytes = b""

    def put(self, values: Floats) -> list[Any]:
        """Append an array; where it is and what shape it has."""
        place = [len(self.data), list(values.shape)]
        self.data += np.ascontiguousarray(values, dtype="<f8").tobytes()
        return place

    def get(self, place: list[Any]) -> Floats:
        """Return an array that was put."""
        start, shape = place
        count = int(np.prod(shape))
        return frozen(np.frombuffer(self.data, "<f8", count, start).reshape(shape))


def write_walker(store: Store, model: Locomotion, *, name: str = DEFAULT) -> None:
    """Keep a walker, in the place of one of that name; one step, whole or not at all."""
    block = _Block()
    document = to_json(
        {
            "skeleton": skeleton_document(model.skeleton),
            "parameters": model.parameters,
            "nodes": [
                {
                    "kind": node.kind,
                    "events": node.events,
                    "set": _set_document(node.set, block),
                    "tally": astuple(node.tally),
                }
                for node in model.nodes
            ],
            "ways": [
                {key: getattr(way, key) for key in _WAY_NUMBERS}
                | {"events": way.events, "set": _set_document(way.set, block)}
                for way in model.ways
            ],
            "left_out": [[one.name, one.kind, one.reason] for one in model.left_out],
        }
    )
    arrays = zlib.compress(block.data, 1)
    with store.writing() as db:
        db.execute("DELETE FROM walker WHERE name = ?", (name,))
        db.execute(
            "INSERT INTO walker (name, document, arrays, seal) VALUES (?, ?, ?, ?)",
            (name, document, arrays, seal(name, document, arrays)),
        )


def walker_names(store: Store) -> list[str]:
    """Names of the walkers in a library."""
    with store.reading() as db:
        return [name for (name,) in db.execute("SELECT name FROM walker ORDER BY name")]


def read_walker(store: Store, *, name: str | None = None) -> Locomotion:
    """Read a walker; without a name the only one.

    Raises
    ------
    FileError
        If there is none, none of that name, several and no name, or it was damaged.
    """
    names = walker_names(store)
    if not names:
        raise FileError(store.path, "holds no walker; segue locomotion build makes one from clips")
    if name is None and len(names) > 1:
        raise FileError(store.path, f"holds {len(names)} walkers ({', '.join(names)}); say which with --name")
    wanted = names[0] if name is None else name
    with store.reading() as db:
        row = db.execute("SELECT document, arrays, seal FROM walker WHERE name = ?", (wanted,)).fetchone()
    if row is None:
        raise FileError(store.path, f"holds no walker {wanted!r}; {nearest(wanted, names)}")
    document, arrays, kept = row
    if seal(wanted, document, arrays) != kept:
        raise FileError(store.path, f"the walker {wanted!r} was damaged; build it again")
    block = _Block(zlib.decompress(arrays))
    told = json.loads(document)
    return Locomotion(
        skeleton_of(told["skeleton"]),
        tuple(told["parameters"]),
        tuple(
            Node(
                node["kind"],
                tuple(node["events"]),
                _set_of(node["set"], block),
                Tally(*node.get("tally", ())),  # not counted before it was told
            )
            for node in told["nodes"]
        ),
        tuple(
            Way(
                **{key: way[key] for key in _WAY_NUMBERS},
                events=tuple(way["events"]),
                set=_set_of(way["set"], block),
            )
            for way in told["ways"]
        ),
        tuple(LeftOut(*one) for one in told["left_out"]),
    )


def walker_digest(store: Store, *, name: str) -> str:
    """SHA-256 of what a walker is; the same walker kept in another file has the same.

    Raises
    ------
    FileError
        If the library holds no walker of that name.
    """
    with store.reading() as db:
        row = db.execute("SELECT document, arrays FROM walker WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise FileError(store.path, f"holds no walker {name!r}; {nearest(name, walker_names(store))}")
    return digest(row[0], zlib.decompress(row[1]))


def _set_document(one: BlendSet, block: _Block) -> dict[str, Any]:
    """Document of a blend set; its arrays go into the block."""
    return {
        "names": one.names,
        "cyclic": one.cyclic,
        "scale": one.weights.scale.tolist(),
        "parameters": one.parameters.tolist(),
        "rotations": block.put(one.rotations),
        "beside": block.put(one.beside),
        "rates": block.put(one.rates),
        "pieces": [[[p.clip, p.begins, p.seconds] for p in pieces] for pieces in one.pieces],
    }


def _set_of(document: dict[str, Any], block: _Block) -> BlendSet:
    """Blend set of its document."""
    parameters = frozen(np.array(document["parameters"], dtype=np.float64))
    fitted = scattered(parameters, scale=np.array(document["scale"]))
    return BlendSet(
        tuple(document["names"]),
        document["cyclic"],
        block.get(document["rotations"]),
        block.get(document["beside"]),
        block.get(document["rates"]),
        parameters,
        fitted,
        hull(fitted.places),
        tuple(tuple(Piece(*piece) for piece in pieces) for pieces in document.get("pieces", [])),
    )
