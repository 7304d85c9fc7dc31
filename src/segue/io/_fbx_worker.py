"""Read an FBX file in a separate process: ``python _fbx_worker.py INPUT OUTPUT FPS MOST [STACK]``.

The library that parses FBX is native code with known crashes, which must not end segue's process. This file imports
nothing of segue. It writes the local transform of every node at every frame as plain arrays; the caller interprets
them. ``FPS`` 0 takes the rate of the file; ``MOST`` is the upper bound of frames times nodes. ``STACK`` is the index
of the animation to read, by default the first that moves anything; ``list`` lists the animations and reads none.

Every object the library returns is kept alive (`_kept`): a node or curve whose owner was collected is a
dangling pointer.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

_KEPT: list[Any] = []
_TRIES = 8
_STACKS = 10_000
_PROBED = 33
"""Evenly spaced frames sampled from an animation to find out whether it moves anything."""
_ON_A_FRAME = 1e-2
_STILL = 1e-6
"""Largest change, in metres or quaternion components, of an animation that moves nothing."""
REFUSED = 3
"""Exit code after an error message on stderr about the file."""


class _Take(NamedTuple):
    """An animation: its curves, its time range in seconds, frame count, and the times of its first and last key."""

    name: str
    anim: Any
    begin: float
    end: float
    frames: int
    keys: tuple[float, float]


class _RefusedError(Exception):
    """The file holds no usable motion; the message gives the reason."""


def _kept(thing: Any) -> Any:
    _KEPT.append(thing)
    return thing


def _each(things: Any) -> Iterator[Any]:
    _kept(things)
    for index in range(len(things)):
        yield _kept(things[index])


def _load(path: str) -> Any:
    import ufbx

    options = {
        "ignore_geometry": True,
        "ignore_embedded": True,
        "load_external_files": False,
        "node_depth_limit": 512,
        "target_axes": ufbx.axes_right_handed_y_up,
        "target_unit_meters": 1.0,
        "space_conversion": ufbx.SpaceConversion.ADJUST_TRANSFORMS,
        "inherit_mode_handling": ufbx.InheritModeHandling.COMPENSATE,
    }
    try:
        return _kept(ufbx.load_memory(Path(path).read_bytes(), **options))
    except ufbx.UfbxError as error:
        raise _RefusedError(f"cannot be read as FBX: {str(error).strip() or type(error).__name__}") from None


def _transform(local: Any) -> list[float]:
    place, turn, scale = local.translation, local.rotation, local.scale
    return [place.x, place.y, place.z, turn.w, turn.x, turn.y, turn.z, scale.x, scale.y, scale.z]


def _stacks(scene: Any, rate: float) -> list[_Take]:
    """Animations in the file's order; the range of the keys replaces a missing or empty time range."""
    out = []
    for stack in _each(scene.anim_stacks):
        begin, end = float(stack.time_begin), float(stack.time_end)
        given, keys = math.isfinite(begin) and math.isfinite(end), _key_range(stack)
        if not given or end < begin or (end == begin and keys[1] > keys[0]):
            begin, end = keys
        if not (math.isfinite(begin) and math.isfinite(end)):
            continue
        count = math.floor(min((end - begin) * rate, 1e9) + _ON_A_FRAME) + 1
        out.append(_Take(str(stack.name), _kept(stack.anim), begin, end, count, keys))
        if len(out) >= _STACKS:
            break
    if not out:
        raise _RefusedError("holds no animation")
    return out


def _bounded(stacks: list[_Take], rate: float, most: int, n_nodes: int) -> None:
    for take in stacks:
        if take.frames * n_nodes > most:
            raise _RefusedError(
                f"animation {take.name!r} claims {take.end - take.begin:g} seconds at {rate:g} frames a second for "
                f"{n_nodes} nodes, more than a file of this size can mean; pass a lower fps="
            )


def _chosen(
    stacks: list[_Take], nodes: list[Any], rate: float, wanted: int
) -> tuple[int, np.ndarray[Any, Any]]:
    """Index of the animation wanted, or (-1) of the first that moves anything, and its transforms."""
    tried = [wanted] if wanted >= 0 else list(range(min(len(stacks), _TRIES)))
    taken, local = 0, np.zeros((0, 0, 0))
    for index in tried:
        take = stacks[index]
        found = _sampled(nodes, take.anim, take.begin + np.arange(take.frames) / rate)
        moves = np.ptp(found, axis=0).max(initial=0.0) > _STILL
        if moves or index == tried[0]:
            taken, local = index, found
        # Exporters add empty animations: take the first that moves anything.
        if moves:
            break
    return taken, local


def _listed(stacks: list[_Take], nodes: list[Any], target: str, most: int, bones: set[int]) -> None:
    """Write the animations' names and whether each moves the body: a bone or an ancestor of a bone."""
    body = _with_above(nodes, bones)
    nodes = [node for node in nodes if int(node.typed_id) in body] or nodes
    probed = max(2, min(_PROBED, most // (len(stacks) * max(len(nodes), 1))))
    moving = []
    for take in stacks:
        found = _sampled(nodes, take.anim, np.linspace(take.begin, take.end, probed))
        moving.append(bool(np.ptp(found, axis=0).max(initial=0.0) > _STILL))
    given = {"stacks": [take.name for take in stacks], "moving": moving}
    np.savez(target, facts=np.frombuffer(json.dumps(given).encode("utf-8"), dtype=np.uint8))


def _with_above(nodes: list[Any], bones: set[int]) -> set[int]:
    above = {int(node.typed_id): _kept(node.parent) for node in nodes}
    out: set[int] = set()
    for bone in bones:
        at: int | None = bone
        while at is not None and at not in out:
            out.add(at)
            parent = above.get(at)
            at = None if parent is None else int(parent.typed_id)
    return out


def _sampled(nodes: list[Any], anim: Any, times: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    import ufbx

    evaluate = ufbx.evaluate_transform
    out = np.empty((len(times), len(nodes), 10))
    for row, time in enumerate(times):
        for column, node in enumerate(nodes):
            out[row, column] = _transform(evaluate(anim, node, float(time)))
    return out


def _bones(scene: Any) -> set[int]:
    return {int(node.typed_id) for bone in _each(scene.bones) for node in _each(bone.instances)}


def _bind(scene: Any, n_nodes: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """World matrices (N, 3, 4) of the bind pose, and the nodes it includes (N,)."""
    matrices, given = np.zeros((n_nodes, 3, 4)), np.zeros(n_nodes, dtype=bool)
    for pose in _each(scene.poses):
        if not pose.is_bind_pose:
            continue
        for bone in _each(pose.bone_poses):
            index = int(_kept(bone.bone_node).typed_id)
            columns = bone.bone_to_world
            if 0 <= index < n_nodes:
                matrices[index] = np.array([list(column) for column in columns]).T
                given[index] = True
    return matrices, given


def _key_range(stack: Any) -> tuple[float, float]:
    """First and last time of any key of an animation; zeros if it has none."""
    first, last = math.inf, -math.inf
    for layer in _each(stack.layers):
        for value in _each(layer.anim_values):
            for curve in _each(value.curves):
                keys = None if curve is None else _kept(curve.keyframes)
                if keys is not None and len(keys):
                    first = min(first, float(_kept(keys[0]).time))
                    last = max(last, float(_kept(keys[len(keys) - 1]).time))
    return (first, last) if first <= last else (0.0, 0.0)


def _rate(scene: Any, fps: float) -> float:
    rate = fps or float(_kept(scene.settings).frames_per_second)
    if not (math.isfinite(rate) and 0 < rate < 1e5):
        raise _RefusedError(f"declares a frame rate of {rate:g}; pass fps=")
    return rate


def main(source: str, target: str, fps: float, most: int, wanted: str = "-1") -> None:
    """Read ``source`` and write its nodes and their motion to ``target``, an .npz of plain arrays."""
    import ufbx

    scene = _load(source)
    nodes = sorted(_each(scene.nodes), key=lambda node: int(node.typed_id))
    if len(nodes) > 20_000:
        raise _RefusedError(f"holds {len(nodes)} nodes; a body has some hundreds")
    parents = [_kept(node.parent) for node in nodes]
    rate = _rate(scene, fps)
    stacks = _stacks(scene, rate)
    if wanted == "list":
        _listed(stacks, nodes, target, most, _bones(scene))
        return
    number = int(wanted)
    _bounded(stacks[number : number + 1] if number >= 0 else stacks[:_TRIES], rate, most, len(nodes))
    taken, local = _chosen(stacks, nodes, rate, number)
    bones = _bones(scene)
    bind, given = _bind(scene, len(nodes))
    settings = _kept(scene.settings)
    facts = {
        "stack": stacks[taken].name,
        "stacks": [take.name for take in stacks],
        "begin": stacks[taken].begin,
        "end": stacks[taken].end,
        "keys": stacks[taken].keys,
        "rate": rate,
        "unit": float(settings.unit_meters),
        "creator": str(_kept(scene.metadata).creator),
        "up": int(ufbx.find_int(_kept(settings.props), "UpAxis", 1)),
        "names": [str(node.name) for node in nodes],
    }
    np.savez(
        target,
        facts=np.frombuffer(json.dumps(facts).encode("utf-8"), dtype=np.uint8),
        parents=np.array([-1 if parent is None else int(parent.typed_id) for parent in parents]),
        bones=np.array([int(node.typed_id) in bones for node in nodes]),
        rest=np.array([_transform(node.local_transform) for node in nodes]),
        local=local,
        bind=bind,
        bind_given=given,
    )


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:])
    except _RefusedError as refusal:
        sys.stderr.write(str(refusal))
        sys.exit(REFUSED)
