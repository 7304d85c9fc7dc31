"""Motions and matrices packed for the page: a JSON header followed by float32.

The first four bytes, little-endian, are the length of the header, which is padded with blanks to a multiple of four.
The arrays that it names follow one after the other, in row-major order.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from segue.arrays import Bools, Floats, Positions, Quaternions
from segue.errors import SkeletonError
from segue.measures.seams import seam_ranges
from segue.motion.clip import Clip, Origin
from segue.motion.feet import FOOT_PARTS
from segue.motion.flags import runs
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton
from segue.motion.stance import stance


def packed(head: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Pack arrays behind a header, whose entry ``arrays`` holds the shape of each by name.

    Examples
    --------
    >>> import numpy as np
    >>> body = packed({"name": "one"}, {"values": np.ones((2, 2))})
    >>> unpacked(body)[1]["values"].tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    rows = {name: np.ascontiguousarray(values, dtype="<f4") for name, values in arrays.items()}
    text = msgspec.json.encode({**head, "arrays": {name: list(row.shape) for name, row in rows.items()}})
    text += b" " * (-len(text) % 4)
    return b"".join([struct.pack("<I", len(text)), text, *(row.tobytes() for row in rows.values())])


def unpacked(body: bytes) -> tuple[dict[str, Any], dict[str, Floats]]:
    """Return header and arrays of packed bytes."""
    (size,) = struct.unpack_from("<I", body)
    head: dict[str, Any] = msgspec.json.decode(body[4 : 4 + size])
    at, out = 4 + size, {}
    for name, shape in head["arrays"].items():
        count = int(np.prod(shape))
        out[name] = np.frombuffer(body, "<f4", count, at).reshape(shape).astype(np.float64)
        at += 4 * count
    return head, out


def packed_motion(clip: Clip) -> bytes:
    """Pack a motion as poses (F, 3 + 4 J): the root's position, then each joint's local rotation (wxyz).

    The header holds the body (names, parents, offsets in metres, the joint of each role), the rate, the frames in which
    each foot part bears the body, the seams, and the source clip of each stretch.
    """
    body = clip.skeleton
    head = {
        "name": clip.name,
        "body": body_key(body),
        "fps": clip.fps,
        "frames": clip.n_frames,
        "names": list(body.names),
        "parents": [int(parent) for parent in body.parents],
        "offsets": np.round(body.offsets, 6).ravel().tolist(),
        "roles": {role: int(joint) for role, joint in roles(body).items()},
        "contacts": contact_spans(clip),
        "seams": [[int(start), int(stop)] for start, stop in seam_ranges(clip.origin)],
        "origin": origin_spans(clip.origin),
        "sources": list(clip.origin.clips),
    }
    return packed(head, {"poses": packed_poses(clip.rotations, clip.root_positions)})


def body_key(body: Skeleton) -> str:
    """Return a key of a body, so that a page fetches the figure of each body once."""
    text = repr((body.names, body.parents.tolist(), np.round(body.offsets, 6).tolist()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def packed_poses(rotations: Quaternions, roots: Positions) -> Floats:
    """Return poses (F, 3 + 4 J) of rotations (F, J, 4) and root positions (F, 3)."""
    out: Floats = np.concatenate([roots, rotations.reshape(len(rotations), -1)], axis=1)
    return out


def contact_spans(clip: Clip) -> dict[str, list[list[int]]]:
    """Return the frames [start, stop) in which each foot part bears the body; none if the legs are unknown."""
    try:
        flags: Bools = stance(clip).flags
    except SkeletonError:
        return {}
    return {
        part: [[int(start), int(stop)] for start, stop in runs(flags[:, k])]
        for k, part in enumerate(FOOT_PARTS)
    }


def origin_spans(origin: Origin) -> list[list[int]]:
    """Return stretches of a motion by the clip shown most: number of the clip, first frame, frame after the last."""
    heavier = np.argmax(origin.weight, axis=1)
    numbers = origin.clip[np.arange(len(origin.clip)), heavier]
    edges = np.flatnonzero(np.diff(numbers)) + 1
    starts = [0, *edges.tolist()]
    stops = [*edges.tolist(), len(numbers)]
    return [[int(numbers[start]), start, stop] for start, stop in zip(starts, stops, strict=True)]
