"""The file of a small space: one JSON document, bounded and checked when it is read.

All numbers are restored bit for bit. The clips that the space was fitted to are listed with digests, as in a record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np

from segue._version import __version__
from segue.app.record_document import Head, Source, read_layout
from segue.arrays import Floats, frozen
from segue.errors import FileError, SegueError
from segue.io.library_mark import is_library
from segue.io.text import write_whole
from segue.library.documents import skeleton_document, skeleton_of
from segue.manifold.embedding import By
from segue.manifold.network import Network
from segue.manifold.pose_code import PoseCode
from segue.manifold.space import Fit, HeldOut, Space
from segue.manifold.training import SplitBy

FORMAT = 1
"""Version of the layout; raised when it changes."""
_HINT = "it is no small space, as segue manifold fit writes one"
_LARGEST = 1 << 26
"""Most bytes of the file of a space."""
T = TypeVar("T")

_Number = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]
_Positive = Annotated[float, msgspec.Meta(gt=0.0, le=1e9)]
_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
_Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
_Few = Annotated[int, msgspec.Meta(ge=1, le=10)]
_Metres = Annotated[float, msgspec.Meta(ge=0.0, le=1e6)]
_Row = Annotated[list[_Number], msgspec.Meta(max_length=1 << 16)]
_Table = Annotated[list[_Row], msgspec.Meta(min_length=1, max_length=1 << 16)]


@dataclass(frozen=True)
class _Fit:
    by: By
    variances: Annotated[list[_Share], msgspec.Meta(min_length=1, max_length=10)]
    knee: _Few
    parts: _Count = 1


@dataclass(frozen=True)
class _HeldOut:
    by: SplitBy
    poses: _Count
    decoder: _Metres
    linear: _Metres
    training: _Metres


@dataclass(frozen=True)
class _Code:
    means: Annotated[list[tuple[_Number, _Number, _Number, _Number]], msgspec.Meta(max_length=10_000)]
    levers: Annotated[list[_Positive], msgspec.Meta(max_length=10_000)]
    pace: _Positive


@dataclass(frozen=True)
class _Network:
    weights: Annotated[list[_Table], msgspec.Meta(min_length=1, max_length=16)]
    biases: Annotated[list[_Row], msgspec.Meta(min_length=1, max_length=16)]
    centre: _Row
    scale: _Positive
    mean: _Row
    spread: _Positive


@dataclass(frozen=True)
class _Poses:
    clip: Annotated[list[_Count], msgspec.Meta(min_length=1, max_length=1 << 16)]
    frame: Annotated[list[_Count], msgspec.Meta(min_length=1, max_length=1 << 16)]
    coordinates: _Table


@dataclass(frozen=True)
class _SpaceDocument(Head):
    kind: str
    skeleton: str
    fps: _Positive
    by: By
    neighbours: _Count
    fits: Annotated[list[_Fit], msgspec.Meta(min_length=1, max_length=10)]
    held_out: Annotated[list[_HeldOut], msgspec.Meta(max_length=10)]
    clips: Annotated[list[str], msgspec.Meta(min_length=1, max_length=10_000)]
    sources: Annotated[list[Source], msgspec.Meta(max_length=10_000)]
    settings: dict[str, Any]
    poses: _Poses
    code: _Code
    network: _Network


@dataclass(frozen=True, eq=False)
class SpaceFile:
    """Contents of the file of a space: the space, the clips it was fitted to, and the settings of the fit."""

    space: Space
    sources: tuple[Source, ...]
    settings: Mapping[str, Any]


def write_space(path: Path, kept: SpaceFile) -> None:
    """Write a space, atomically.

    Raises
    ------
    FileError
        If it cannot be written.
    """
    space = kept.space
    document = {
        "segue": __version__,
        "format": FORMAT,
        "kind": "space",
        "settings": dict(kept.settings),
        "sources": [asdict(source) for source in kept.sources],
        "by": space.by,
        "neighbours": space.neighbours,
        "fits": [asdict(fit) for fit in space.fits],
        "held_out": [asdict(one) for one in space.held_out],
        "fps": space.fps,
        "clips": space.clips,
        "skeleton": skeleton_document(space.skeleton),
        "code": {
            "means": space.code.means.tolist(),
            "levers": space.code.levers.tolist(),
            "pace": space.code.pace,
        },
        "network": {
            "weights": [one.tolist() for one in space.network.weights],
            "biases": [one.tolist() for one in space.network.biases],
            "centre": space.network.centre.tolist(),
            "scale": space.network.scale,
            "mean": space.network.mean.tolist(),
            "spread": space.network.spread,
        },
        "poses": {
            "clip": space.clip.tolist(),
            "frame": space.frame.tolist(),
            "coordinates": space.coordinates.tolist(),
        },
    }
    write_whole(path, (json.dumps(document, ensure_ascii=True) + "\n").encode())


def read_space(path: Path) -> SpaceFile:
    """Read a space written by `write_space`.

    Raises
    ------
    FileError
        If the file is missing, is no space, holds inconsistent numbers, or has a later layout.
    """
    if is_library(path):
        raise FileError(path, "is a library of clips; segue manifold fit makes a space of them")
    if path.is_file() and path.stat().st_size > _LARGEST:
        raise FileError(path, f"is larger than {_LARGEST >> 20} MB; no space is")
    document = read_layout(path, _SpaceDocument, newest=FORMAT, hint=_HINT)
    if document.kind != "space":
        raise FileError(path, f"holds a {document.kind!r}; {_HINT}")
    try:
        return SpaceFile(_space_of(path, document), tuple(document.sources), document.settings)
    except FileError:
        raise
    except SegueError as error:
        raise FileError(path, str(error)) from None


def _space_of(path: Path, document: _SpaceDocument) -> Space:
    """Space of a document; shapes of arrays are checked here, their consistency by the classes that take them."""
    network = document.network
    coordinates = _table(path, "poses.coordinates", document.poses.coordinates)
    code = PoseCode(
        frozen(np.array(document.code.means).reshape(-1, 4)),
        frozen(document.code.levers),
        document.code.pace,
        coordinates.shape[1],
    )
    return Space(
        skeleton_of(document.skeleton, place=path, what="its skeleton"),
        document.fps,
        tuple(document.clips),
        frozen(document.poses.clip, np.int64),
        frozen(document.poses.frame, np.int64),
        coordinates,
        code,
        Network(
            tuple(
                _table(path, f"network.weights[{number}]", rows)
                for number, rows in enumerate(network.weights)
            ),
            tuple(frozen(one) for one in network.biases),
            frozen(network.centre),
            network.scale,
            frozen(network.mean),
            network.spread,
        ),
        document.by,
        document.neighbours,
        tuple(Fit(fit.by, tuple(fit.variances), fit.knee, fit.parts) for fit in document.fits),
        tuple(HeldOut(one.by, one.poses, one.decoder, one.linear, one.training) for one in document.held_out),
    )


def _table(path: Path, where: str, rows: list[list[float]]) -> Floats:
    if len({len(row) for row in rows}) > 1 or not rows[0]:
        raise FileError(path, f"{where} has rows of different lengths, or empty ones")
    out: Floats = frozen(rows)
    return out
