"""Walkers in a library: models for steered characters, built once from clips.

A walker is stored as one JSON document and one block of arrays. The arrays of a blend set are restored bit for bit; its
weights are fitted again from the parameters, which is fast and keeps the two consistent.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import astuple, dataclass, field
from typing import Annotated, Any

import msgspec
import numpy as np

from segue.arrays import Floats, frozen
from segue.documents import as_kind, decode_json
from segue.errors import FileError, SettingError, nearest
from segue.library.connection import Store
from segue.library.documents import as_bytes, digest, seal, skeleton_document, skeleton_of, to_json
from segue.library.named_rows import named_row
from segue.locomotion.blend_set import BlendSet
from segue.locomotion.examples import LeftOut
from segue.locomotion.model import Locomotion, Node, Tally, TransitionSet
from segue.locomotion.traces import Piece
from segue.maths.scattered import hull, scattered

DEFAULT = "walker"
"""Default name of a walker."""

_SET_NUMBERS = ("source", "target", "before", "after", "from_interval", "to_interval", "made")


_SPARE, _EXPANSION = 8 << 20, 8
"""Limit of unpacked arrays: `_SPARE` bytes plus `_EXPANSION` times their packed size."""
_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
_Number = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]
_Place = tuple[_Count, Annotated[list[_Count], msgspec.Meta(max_length=4)]]
_Piece = tuple[str, _Number, _Number]
_Words = Annotated[list[str], msgspec.Meta(max_length=1000)]


@dataclass(frozen=True)
class _Set:
    """Document of a blend set; ``rotations``, ``beside`` and ``rates`` give offset and shape of arrays in the block."""

    names: Annotated[list[str], msgspec.Meta(min_length=1, max_length=1000)]
    cyclic: bool
    scale: list[Annotated[float, msgspec.Meta(ge=1e-9, le=1e6)]]
    parameters: Annotated[list[list[_Number]], msgspec.Meta(min_length=1, max_length=1000)]
    rotations: _Place
    beside: _Place
    rates: _Place
    pieces: list[Annotated[list[_Piece], msgspec.Meta(min_length=1)]] = field(default_factory=list)


@dataclass(frozen=True)
class _Node:
    kind: str
    events: _Words
    set: _Set
    tally: tuple[_Count, _Count, _Number] = (0, 0, 0.0)  # missing from older documents


@dataclass(frozen=True)
class _TransitionSet:
    source: _Count
    target: _Count
    before: _Count
    after: _Count
    from_interval: _Count
    to_interval: _Count
    made: bool
    events: _Words
    set: _Set


@dataclass(frozen=True)
class _Walker:
    skeleton: str
    parameters: _Words
    nodes: Annotated[list[_Node], msgspec.Meta(min_length=1, max_length=1000)]
    ways: Annotated[list[_TransitionSet], msgspec.Meta(max_length=10_000)]
    left_out: list[tuple[str, str, str]]


@dataclass
class _ArrayBlock:
    """Arrays stored one after the other as bytes."""

    data: bytes = b""
    taken: int = 0

    def put(self, values: Floats) -> list[Any]:
        """Append an array; return its offset and shape."""
        place = [len(self.data), list(values.shape)]
        self.data += np.ascontiguousarray(values, dtype="<f8").tobytes()
        return place

    def get(self, place: _Place) -> Floats:
        """Return the array of an offset and shape.

        Raises
        ------
        SettingError
            If it is outside the block, or the arrays read so far are larger than the block.
        """
        start, shape = place
        size = 8 * math.prod(shape)
        self.taken += size
        if start + size > len(self.data) or self.taken > len(self.data):
            msg = f"an array of shape {shape} at byte {start} is not among its {len(self.data)} bytes of numbers"
            raise SettingError(msg)
        return frozen(np.frombuffer(self.data, "<f8", size // 8, start).reshape(shape))


def write_walker(store: Store, model: Locomotion, *, name: str = DEFAULT) -> None:
    """Store a walker, replacing one of that name, in one transaction."""
    block = _ArrayBlock()
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
                {key: getattr(one, key) for key in _SET_NUMBERS}
                | {"events": one.events, "set": _set_document(one.set, block)}
                for one in model.transitions
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
    """Return the names of the walkers in a library."""
    with store.reading() as db:
        return [
            name
            for (name,) in db.execute("SELECT name FROM walker WHERE typeof(name) = 'text' ORDER BY name")
        ]


def read_walker(store: Store, *, name: str | None = None) -> Locomotion:
    """Read a walker; without a name the only one.

    Raises
    ------
    FileError
        If there is none, none of that name, several and no name given, or it is damaged.
    """
    wanted, (document, arrays) = named_row(
        store,
        "walker",
        "document, arrays",
        name=name,
        plural="walkers",
        maker="segue locomotion build makes one from clips",
        option="--name",
        repair="Build it again",
    )
    place, what = store.path, f"the walker {wanted!r}"
    content = decode_json(as_bytes(document), _Walker, place, what=what, nul=True)
    block = _ArrayBlock(_unpacked(store, arrays))
    try:
        return Locomotion(
            skeleton_of(content.skeleton, place=place, what=f"the skeleton of {what}"),
            tuple(content.parameters),
            tuple(
                Node(node.kind, tuple(node.events), _set_of(node.set, block), Tally(*node.tally))
                for node in content.nodes
            ),
            tuple(
                TransitionSet(
                    **{key: getattr(one, key) for key in _SET_NUMBERS},
                    events=tuple(one.events),
                    set=_set_of(one.set, block),
                )
                for one in content.ways
            ),
            tuple(LeftOut(*one) for one in content.left_out),
        )
    except SettingError as error:
        raise FileError(place, f"{what} is invalid: {error}") from None


def _unpacked(store: Store, arrays: object) -> bytes:
    """Return the unpacked block of arrays; raise if it is far larger than the packed one."""
    packed = as_kind(arrays, bytes, store.path, what="the numbers of a walker:")
    unpacking = zlib.decompressobj()
    most = _SPARE + _EXPANSION * len(packed)
    try:
        data = unpacking.decompress(packed, most)
    except zlib.error:
        raise FileError(store.path, "the numbers of a walker cannot be unpacked; build it again") from None
    if not unpacking.eof:
        raise FileError(store.path, f"the numbers of a walker are cut short, or more than {most} bytes")
    return data


def walker_digest(store: Store, *, name: str) -> str:
    """Return the SHA-256 of a walker's content, which is the same in every library that holds it.

    Raises
    ------
    FileError
        If the library holds no walker of that name.
    """
    with store.reading() as db:
        row = db.execute("SELECT document, arrays FROM walker WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise FileError(store.path, f"holds no walker {name!r}; {nearest(name, walker_names(store))}")
    return digest(row[0], _unpacked(store, row[1]))


def _set_document(one: BlendSet, block: _ArrayBlock) -> dict[str, Any]:
    """Return the document of a blend set; its arrays are appended to the block."""
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


def _set_of(given: _Set, block: _ArrayBlock) -> BlendSet:
    parameters = _rows(given.parameters)
    fitted = scattered(parameters, scale=np.array(given.scale))
    return BlendSet(
        tuple(given.names),
        given.cyclic,
        block.get(given.rotations),
        block.get(given.beside),
        block.get(given.rates),
        parameters,
        fitted,
        hull(fitted.places),
        tuple(tuple(Piece(*piece) for piece in pieces) for pieces in given.pieces),
    )


def _rows(parameters: list[list[float]]) -> Floats:
    if len({len(row) for row in parameters}) != 1:
        msg = "its examples have different numbers of parameters"
        raise SettingError(msg)
    return frozen(np.array(parameters))
