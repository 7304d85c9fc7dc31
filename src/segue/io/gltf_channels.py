"""glTF animations: key times and values of nodes, and their values at any time.

STEP holds a key until the next; LINEAR is straight for vectors and slerp for rotations; CUBICSPLINE is the Hermite
curve of keys and tangents, rotations brought back to unit length (glTF 2.0, appendix C).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Quaternions
from segue.errors import FileError
from segue.io.animation_names import Animations
from segue.io.gltf_accessors import accessor
from segue.io.gltf_document import At, Document, told_apart
from segue.maths.quaternions import normalise, slerp

_PATHS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3"}
_INTERPOLATIONS = ("LINEAR", "STEP", "CUBICSPLINE")


@dataclass(frozen=True, eq=False)
class Channel:
    """What one node does: key times (K,) seconds, and values (K, n), or (K, 3, n) with tangents around them."""

    node: int
    path: str
    times: Floats
    values: Floats
    interpolation: str

    @property
    def keys(self) -> Floats:
        """Values (K, n) at the keys; rotations are wxyz."""
        return self.values[:, 1] if self.interpolation == "CUBICSPLINE" else self.values


@dataclass(frozen=True, eq=False)
class Animation:
    """One animation: its channels by node and path, and the frame rate its maker wrote down, if any."""

    name: str
    channels: dict[tuple[int, str], Channel]
    fps: float | None
    notes: list[str]


def animation_names(document: Document) -> list[str]:
    """Names of the animations, each once; what lacks a name is ``animation0``, ``animation1`` and so on."""
    return told_apart([at.get("name").text() for at in document.list("animations")], "animation")


def animations_of_document(document: Document) -> Animations:
    """Animations of a file; one that moves no node (morph weights, empty) moves no body.

    Raises
    ------
    FileError
        If there is none.
    """
    names = animation_names(document)
    if not names:
        raise FileError(document.path, "holds no animation, only still objects")
    return Animations(tuple(names), tuple(_moves(document, at) for at in document.list("animations")))


def _moves(document: Document, animation: At) -> bool:
    try:
        return bool(targets(document, animation))
    except FileError:
        return True  # what is wrong with it is told when it is read


def targets(document: Document, animation: At) -> list[tuple[At, int, str]]:
    """Channels that move a node: the channel, the node, the path; morph weights and others are not among them."""
    known: list[tuple[At, int, str]] | None = document.moving.get(animation.where)
    if known is not None:
        return known
    count = sum(1 for _ in document.root.get("nodes").items())
    out = []
    for channel in animation.get("channels").items():
        target = channel.get("target")
        path = target.get("path").text()
        if path not in _PATHS or target.get("node").value is None:
            continue
        node = target.get("node").integer()
        if node >= count:
            raise target.get("node").error(f"is {node}; there are {count} nodes")
        out.append((channel, node, path))
    document.moving[animation.where] = out
    return out


def read_animation(document: Document, index: int, *, only: set[int]) -> Animation:
    """Read the channels of an animation that move some nodes.

    Raises
    ------
    FileError
        Naming the sampler whose keys are wrong.
    """
    animation = document.root.get("animations").item(index)
    channels: dict[tuple[int, str], Channel] = {}
    notes: list[str] = []
    moving = targets(document, animation)
    for channel, node, path in moving:
        if node not in only:
            continue
        if (node, path) in channels:
            raise channel.error(f"moves the {path} of node {node}, which another channel moves already")
        channels[node, path] = read_channel(document, animation, channel)
    skipped = len(animation.get("channels").value) - len(moving)
    if skipped:
        notes.append(f"{skipped} channels move no node's place, turn or size (morph weights and the like)")
    return Animation(animation_names(document)[index], channels, _told_fps(animation), notes)


def read_channel(document: Document, animation: At, channel: At) -> Channel:
    """Read one channel that `targets` found."""
    target = channel.get("target")
    node, path = target.get("node").integer(), target.get("path").text()
    sampler = animation.get("samplers").item(channel.get("sampler").integer())
    told = sampler.get("interpolation").text("LINEAR")
    if told not in _INTERPOLATIONS:
        raise sampler.get("interpolation").error(
            f"is {told!r}; it must be one of {', '.join(_INTERPOLATIONS)}"
        )
    known = document.known
    source = ("times", sampler.get("input").integer())
    if source not in known:
        known[source] = _times(document, sampler.get("input"))
    times = known[source]
    drain = ("values", sampler.get("output").integer(), told, path)
    if drain not in known:
        known[drain] = _values(document, sampler, len(times), told, path)
    if len(known[drain]) != len(times):
        raise sampler.get("output").error(f"has {len(known[drain])} values for {len(times)} keys")
    return Channel(node, path, times, known[drain], told)


def _values(document: Document, sampler: At, n_keys: int, told: str, path: str) -> Floats:
    """Values at the keys, rotations wxyz; with tangents around them for splines."""
    curved = told == "CUBICSPLINE"
    values = accessor(document, sampler.get("output"), kind=_PATHS[path], count=n_keys * (3 if curved else 1))
    if path == "rotation":
        values = values[:, [3, 0, 1, 2]]
    if curved:
        return values.reshape(n_keys, 3, -1)
    return _unit(values, sampler) if path == "rotation" else values


def _told_fps(animation: At) -> float | None:
    extras = animation.get("extras").value
    told = extras.get("fps") if isinstance(extras, dict) else None
    if isinstance(told, int | float) and not isinstance(told, bool) and 0 < told <= 1000:
        return float(told)
    return None


def _times(document: Document, at: At) -> Floats:
    """Key times, which never run backwards."""
    times = accessor(document, at, kind="SCALAR")[:, 0]
    back = np.flatnonzero(np.diff(times) < 0)
    if back.size:
        key = int(back[0]) + 1
        raise at.error(
            f"runs backwards in time: key {key} at {times[key]:.6g} s after {times[key - 1]:.6g} s"
        )
    return times


def _unit(values: Quaternions, sampler: At) -> Quaternions:
    """Rotations of unit length; a key near zero is no rotation."""
    length = np.linalg.norm(values, axis=1)
    if length.min() < 1e-6:
        key = int(np.argmin(length))
        raise sampler.get("output").error(
            f"has no rotation in key {key}: a quaternion of length {length[key]:.2g}"
        )
    return normalise(values)


def sample(channel: Channel, at: Floats, *, snap: float = 0.0) -> Floats:
    """Values (F, n) of a channel at times (F,) in seconds; a time within ``snap`` of a key is that key's."""
    times = channel.times
    count = len(times)
    if count == 1:
        first = channel.keys[:1]
        return normalise(first) if channel.path == "rotation" else first
    after = np.clip(np.searchsorted(times, at, side="left"), 0, count - 1)
    before = np.maximum(after - 1, 0)
    near = np.where(np.abs(times[before] - at) < np.abs(times[after] - at), before, after)
    at = np.where(np.abs(times[near] - at) <= snap, times[near], at)
    low = np.clip(np.searchsorted(times, at, side="right") - 1, 0, count - 1)
    if channel.interpolation == "STEP":
        return channel.values[low]
    low = np.minimum(low, count - 2)
    span = times[low + 1] - times[low]
    u = np.clip((at - times[low]) / np.where(span > 0, span, 1.0), 0.0, 1.0)
    u = np.where(span > 0, u, 1.0)
    if channel.interpolation == "CUBICSPLINE":
        return _hermite(channel, low, u, span)
    a, b = channel.values[low], channel.values[low + 1]
    if channel.path == "rotation":
        return slerp(a, b, u)
    out: Floats = (1.0 - u)[:, None] * a + u[:, None] * b
    return out


def _hermite(channel: Channel, low: np.ndarray, u: Floats, span: Floats) -> Floats:
    """Curve from key to key: in-tangent, value and out-tangent stand together in each key."""
    u, span = u[:, None], span[:, None]
    start, leaving = channel.values[low, 1], channel.values[low, 2]
    end, arriving = channel.values[low + 1, 1], channel.values[low + 1, 0]
    square, cube = u * u, u * u * u
    out: Floats = (
        (2 * cube - 3 * square + 1) * start
        + span * (cube - 2 * square + u) * leaving
        + (3 * square - 2 * cube) * end
        + span * (cube - square) * arriving
    )
    return normalise(out) if channel.path == "rotation" else out
