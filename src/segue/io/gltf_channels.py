"""glTF animations: key times and values of nodes, and their values at any time.

STEP holds a key until the next; LINEAR interpolates vectors linearly and rotations by slerp; CUBICSPLINE is
the Hermite curve of keys and tangents, with rotations normalised (glTF 2.0, appendix C).

glTF files state no frame rate; it is inferred from the key times in seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Quaternions
from segue.errors import FileError
from segue.io.animation_names import Animations
from segue.io.gltf_accessors import accessor
from segue.io.gltf_document import At, Document, distinct_names
from segue.io.rates import KNOWN
from segue.maths.quaternions import normalise, slerp

USUAL = 30.0
"""Rate if the keys determine none."""
_SLOWEST = 5.0
"""Lowest rate per second of keys that are frames; sparser keys are key poses."""
_SLOWEST_CURVE = 24.0
_OFF = 0.02
"""Frames by which a key may be off the grid: times rounded to milliseconds still fit."""
_SAME = 1e-5
_FIRST = (30, 24, 25, 60, 50, 120, 100, 72, 90, 240)


def frame_rate(times: Iterable[Floats], *, given: float | None, curved: bool) -> tuple[float, str]:
    """Infer the frame rate from key times; return it with a note on its source.

    Parameters
    ----------
    times
        Key times of each channel, seconds.
    given
        The rate stored by the exporter; taken if all keys lie on its frames.
    curved
        Whether keys are joined by splines, which frames at the keys alone would not reproduce.

    Examples
    --------
    >>> import numpy as np
    >>> frame_rate([np.float32(np.arange(90) * 1001 / 30000)], given=None, curved=False)[0]
    29.97002997002997
    """
    keys = np.unique(np.concatenate(list(times)).astype(np.float64))
    keys = keys[np.concatenate([[True], np.diff(keys) > _SAME])]
    after = keys - keys[0]
    if given is not None and _fits(after, given, keys):
        return given, f"rate: {given:.6g} frames a second, as its maker wrote down"
    if keys.size == 1:
        return USUAL, f"rate: {USUAL:g} frames a second, the usual one; there is one key only"
    step = _step(after)
    slowest = _SLOWEST_CURVE if curved else _SLOWEST
    if 1.0 / step <= 1000.0 and _fits(after, 1.0 / step, keys):
        rate = _exact(after, step)
        if rate >= slowest * (1 - 1e-9):
            return rate, f"rate: {rate:.6g} frames a second, by the keys' spacing"
    fitting = next((float(rate) for rate in _FIRST if _fits(after, float(rate), keys)), None)
    if fitting is None:
        return USUAL, f"rate: {USUAL:g} frames a second, the usual one; the keys follow no rate"
    return fitting, f"rate: {fitting:g} frames a second; all keys fall on its frames"


def _fits(after: Floats, rate: float, keys: Floats) -> bool:
    """Whether all keys lie on frames, within the rounding of 32-bit times."""
    frames = after * rate
    slack = _OFF + 2.4e-7 * np.abs(keys).max() * rate
    return bool(np.abs(frames - np.rint(frames)).max() <= min(slack, 0.2))


def _step(after: Floats) -> float:
    """Shortest spacing, refined over ever longer stretches so that its rounding error never adds up to a frame."""
    gaps = np.diff(after)
    step = float(gaps[gaps < 1.5 * gaps.min()].mean())
    reach = 8
    while True:
        part = after[:reach]
        frames = np.rint(part / step)
        step = float(part @ frames / (frames @ frames))
        if reach >= after.size:
            return step
        reach *= 2


def _exact(after: Floats, step: float) -> float:
    """Known rate that fits the keys as well as the fitted step does; else the fitted rate."""
    frames = np.rint(after / step)
    own = float(np.abs(after - frames * step).max())
    bound = 1.5 * own + 2.4e-7 * max(float(after[-1]), 1.0)
    rates = [float(n) for n in KNOWN] + [n * 1000 / 1001 for n in KNOWN] + [round(1.0 / step, 3)]
    misses = [float(np.abs(after - frames / rate).max()) if rate > 0 else np.inf for rate in rates]
    best = int(np.argmin(misses[:-1]))
    if misses[best] <= bound:
        return rates[best]
    return rates[-1] if misses[-1] <= bound else 1.0 / step


_PATHS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3"}
_STILL = 1e-6
"""Largest difference of keys that move nothing."""
_LATEST = 1e9
"""Largest time in seconds; beyond it the precision of key times is too low."""
_INTERPOLATIONS = ("LINEAR", "STEP", "CUBICSPLINE")


@dataclass(frozen=True, eq=False)
class Channel:
    """Motion of one node: key times (K,) in seconds, and values (K, n), or (K, 3, n) with in- and out-tangents."""

    node: int
    path: str
    times: Floats
    values: Floats
    interpolation: str

    @property
    def keys(self) -> Floats:
        """Return the values (K, n) at the keys; rotations are wxyz."""
        return self.values[:, 1] if self.interpolation == "CUBICSPLINE" else self.values


@dataclass(frozen=True, eq=False)
class Animation:
    """One animation: its channels by node and path, and the frame rate stored by the exporter, if any."""

    name: str
    channels: dict[tuple[int, str], Channel]
    fps: float | None
    notes: list[str]


def animation_names(document: Document) -> list[str]:
    """Return unique names of the animations; unnamed ones are ``animation0``, ``animation1`` and so on."""
    return distinct_names([at.get("name").text() for at in document.list("animations")], "animation")


def animations_of_document(document: Document) -> Animations:
    """List the animations of a file, and which move a body: more than a one-key pose, morph weights or a camera.

    Raises
    ------
    FileError
        If there is none.
    """
    names = animation_names(document)
    if not names:
        raise FileError(document.path, "holds no animation, only still objects")
    takes = document.list("animations")
    skinned, seeing = _skinned(document), _seeing(document)
    moving = [_moves(document, at, lambda node: node in skinned) for at in takes]
    if not any(moving):
        moving = [_moves(document, at, lambda node: node not in seeing) for at in takes]
    if not any(moving):  # still poses are clips too
        moving = [_reads(document, at) for at in takes]
    return Animations(tuple(names), tuple(moving))


def _moves(document: Document, animation: At, wanted: Callable[[int], bool]) -> bool:
    """Whether an animation translates or rotates a wanted node; a faulty one counts and is reported when read."""
    try:
        for channel, node, path in targets(document, animation):
            if path == "scale" or not wanted(node):
                continue
            keys = read_channel(document, animation, channel).keys
            if len(keys) > 1 and np.ptp(keys, axis=0).max() > _STILL:
                return True
    except FileError:
        return True
    return False


def _reads(document: Document, animation: At) -> bool:
    try:
        return bool(targets(document, animation))
    except FileError:
        return True


def _skinned(document: Document) -> set[int]:
    """Joints of all skins and their ancestors; faults in them are reported when they are read."""
    above: dict[int, int] = {}
    out: set[int] = set()
    try:
        for index, node in enumerate(document.list("nodes")):
            above |= {child.integer(): index for child in node.get("children").items()}
        for skin in document.list("skins"):
            for joint in skin.get("joints").items():
                at: int | None = joint.integer()
                while at is not None and at not in out:
                    out.add(at)
                    at = above.get(at)
    except FileError:
        pass
    return out


def _seeing(document: Document) -> set[int]:
    """Nodes that are cameras or lights and have no children."""
    out = set()
    for index, node in enumerate(document.list("nodes")):
        extensions = node.get("extensions").value
        lit = isinstance(extensions, dict) and "KHR_lights_punctual" in extensions
        if (lit or node.get("camera").value is not None) and not node.get("children").value:
            out.add(index)
    return out


def targets(document: Document, animation: At) -> list[tuple[At, int, str]]:
    """Return the channels that move a node: channel, node and path; morph weights and other paths are excluded."""
    known: list[tuple[At, int, str]] | None = document.moving.get(animation.where)
    if known is not None:
        return known
    count = len(document.list("nodes"))
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
    """Read the channels of an animation that move the given nodes.

    Raises
    ------
    FileError
        With the faulty sampler.
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
    return Animation(animation_names(document)[index], channels, _given_fps(animation), notes)


def read_channel(document: Document, animation: At, channel: At) -> Channel:
    """Read one channel of `targets`."""
    target = channel.get("target")
    node, path = target.get("node").integer(), target.get("path").text()
    sampler = animation.get("samplers").item(channel.get("sampler").integer())
    text = sampler.get("interpolation").text("LINEAR")
    if text not in _INTERPOLATIONS:
        raise sampler.get("interpolation").error(
            f"is {text!r}; it must be one of {', '.join(_INTERPOLATIONS)}"
        )
    known = document.known
    source = ("times", sampler.get("input").integer())
    if source not in known:
        known[source] = _times(document, sampler.get("input"))
    times = known[source]
    drain = ("values", sampler.get("output").integer(), text, path)
    if drain not in known:
        known[drain] = _values(document, sampler, len(times), text, path)
    if len(known[drain]) != len(times):
        raise sampler.get("output").error(f"has {len(known[drain])} values for {len(times)} keys")
    return Channel(node, path, times, known[drain], text)


def _values(document: Document, sampler: At, n_keys: int, text: str, path: str) -> Floats:
    """Values at the keys, rotations wxyz; with in- and out-tangents for splines."""
    curved = text == "CUBICSPLINE"
    values = accessor(document, sampler.get("output"), kind=_PATHS[path], count=n_keys * (3 if curved else 1))
    if path == "rotation":
        values = values[:, [3, 0, 1, 2]]
    if curved:
        return values.reshape(n_keys, 3, -1)
    return _unit(values, sampler) if path == "rotation" else values


def _given_fps(animation: At) -> float | None:
    extras = animation.get("extras").value
    given = extras.get("fps") if isinstance(extras, dict) else None
    if isinstance(given, int | float) and not isinstance(given, bool) and 0 < given <= 1000:
        return float(given)
    return None


def _times(document: Document, at: At) -> Floats:
    """Key times, checked not to decrease."""
    times = accessor(document, at, kind="SCALAR")[:, 0]
    if np.abs(times).max() > _LATEST:
        raise at.error(
            f"holds a key at {times[np.argmax(np.abs(times))]:.3g} s, which is no time of a motion"
        )
    back = np.flatnonzero(np.diff(times) < 0)
    if back.size:
        key = int(back[0]) + 1
        raise at.error(
            f"runs backwards in time: key {key} at {times[key]:.6g} s after {times[key - 1]:.6g} s"
        )
    return times


def _unit(values: Quaternions, sampler: At) -> Quaternions:
    """Normalise rotations; a quaternion near zero is an error."""
    length = np.linalg.norm(values, axis=1)
    if length.min() < 1e-6:
        key = int(np.argmin(length))
        raise sampler.get("output").error(
            f"has no rotation in key {key}: a quaternion of length {length[key]:.2g}"
        )
    return normalise(values)


def sample(channel: Channel, at: Floats, *, snap: float = 0.0) -> Floats:
    """Values (F, n) of a channel at times (F,) in seconds; a time within ``snap`` of a key gets the key's value."""
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
    """Hermite curve between keys; each key holds in-tangent, value and out-tangent."""
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
