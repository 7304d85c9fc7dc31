"""Read GLB and glTF: the body that an animation moves, its frames, and the properties the file does not state.

`segue.io.gltf_joints` chooses the joints, `segue.io.gltf_rest` the rest pose, `segue.io.gltf_channels` the
rate. World transforms are computed from the nodes with all scales and all ancestors of the root, relative to
the rest pose: rest rotations are the identity, offsets metres. `Clip.source.notes` lists the choices made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from segue.arrays import Floats, Positions, Quaternions
from segue.errors import FileError
from segue.io import units
from segue.io.animation_names import Animations, split_fragment
from segue.io.carrier import held, held_notes, varies
from segue.io.gltf_channels import Animation, animations_of_document, frame_rate, read_animation, sample
from segue.io.gltf_document import Document, read_document
from segue.io.gltf_joints import OWN, Joints, find_joints
from segue.io.gltf_nodes import Local, NodeTree, Placed, place, read_tree, rest_local, uneven
from segue.io.gltf_rest import Rest, find_rest
from segue.maths.quaternions import conjugate, from_matrix, multiply, normalise, rotate, unroll
from segue.motion.clip import Clip, SourceFormat
from segue.motion.skeleton import EndSite, Skeleton

_CHUNK = 512
_FREE = 400_000
"""Joint transforms (frames times nodes) allowed for any file, and …"""
_PER_BYTE = 0.5
"""… how many more for each of its bytes: two keys an hour apart do not justify a gigabyte."""
_STILL = 1e-4
"""Metres, and share of the body's size, by which a constant offset may vary."""


@dataclass(frozen=True, eq=False)
class _WorldMotion:
    """Motion relative to the rest pose: local rotations (F, J, 4), root (F, 3), positions in parents (F, J, 3)."""

    rotations: Quaternions
    roots: Positions
    places: Positions


def animations(path: str | Path) -> list[str]:
    """List the animations of a .glb, .gltf or .vrma by their names in the file, as for ``load("file.glb#name")``.

    Examples
    --------
    >>> import segue, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "walk.glb"
    >>> segue.save(segue.sample("walk"), path)
    >>> animations(path)
    ['walk']
    """
    return list(animations_in(split_fragment(path)[0]).names)


def animations_in(file: Path) -> Animations:
    """List the animations of a file, their names and which of them move anything.

    Raises
    ------
    FileError
        If it cannot be read, or holds none.
    """
    return animations_of_document(read_document(file))


def read_gltf(
    path: Path, *, fps: float | None = None, unit: float | None = None, up: str | None = None
) -> Clip:
    """Read one animation of a .glb or .gltf: the one named after ``#``, else the only one that moves a body.

    Parameters
    ----------
    path
        ``file.glb`` or ``file.glb#animation``.
    fps
        Frames a second to sample at; by default inferred from the keys.
    unit
        Metres per file unit; by default 1, as in the format, unless the size of the body is then impossible.
    up
        ``"Y"`` by the format, or another.

    Raises
    ------
    FileError
        With the JSON path or the byte, the fault there and a remedy.
    """
    unit, up, fps = units.checked_unit(unit), units.checked_up(up), units.checked_fps(fps)
    file, wanted = split_fragment(path)
    document = read_document(file)
    found = animations_of_document(document)
    index, names = found.index(file, wanted), found.shown
    tree = read_tree(document)
    joints = find_joints(document, tree, index)
    order = _evaluated(tree, joints)
    still = {node: rest_local(tree, node) for node in order}
    animation = _unscaled(tree, still, read_animation(document, index, only=set(order)))
    skewed = _skewed(tree, order, still, animation)
    start, fps, count, notes = _frames(document, animation, fps, len(order))
    with np.errstate(over="ignore", invalid="ignore"):  # place() rejects values that overflow
        rest = find_rest(document, tree, joints, place(tree, order, still, skewed))
        motion = _motion(tree, joints, order, still, skewed, animation, rest, (start, fps, count))
    which = [f"animation {names[index]!r}{others}"] if (others := found.others(index, wanted)) else []
    notes = [*which, *notes, *tree.notes, *joints.notes, *animation.notes, rest.note]
    given = _GltfSource(document, path, found.names[index], found.clip_name(file, index), notes)
    return _clip(given, tree, joints, still, rest, motion, fps=fps, unit=unit, up=up)


def _evaluated(tree: NodeTree, joints: Joints) -> list[int]:
    """Nodes whose transforms are needed: joints, bone ends, meshes of the skin, and their ancestors; parents first."""
    wanted = {*joints.nodes, *(tip for _, tip in joints.tips)}
    wanted |= {node for skin in joints.skins for node in skin.meshes[:4]}
    need = {above for node in wanted for above in tree.above(node)}
    return sorted(need, key=lambda node: (len(tree.above(node)), node))


def _unscaled(tree: NodeTree, still: dict[int, Local], animation: Animation) -> Animation:
    """Remove animated scales; ``still`` gets a constant scale for each."""
    animated = [
        node
        for (node, path), channel in animation.channels.items()
        if path == "scale" and varies(channel.keys)
    ]
    channels = dict(animation.channels)
    for node in animated:
        scale = held(still[node].scale[0], channels.pop((node, "scale")).keys)
        still[node] = still[node]._replace(scale=scale[None])
    notes = [*animation.notes, *held_notes([tree.names[node] for node in animated])]
    return replace(animation, channels=channels, notes=notes)


def _skewed(tree: NodeTree, order: list[int], still: dict[int, Local], animation: Animation) -> set[int]:
    """Nodes with a non-uniform or mirroring scale, or an ancestor with one, at rest or in any key."""
    out: set[int] = set()
    for node in order:
        scaling = animation.channels.get((node, "scale"))
        own = uneven(still[node].scale) or (scaling is not None and uneven(scaling.keys))
        if own or tree.parents[node] in out:
            out.add(node)
    return out


def _frames(
    document: Document, animation: Animation, fps: float | None, n_nodes: int
) -> tuple[float, float, int, list[str]]:
    """First time, rate, number of frames, notes."""
    channels = list(animation.channels.values())
    if not channels:
        raise FileError(document.path, f"animation {animation.name!r} moves no joint")
    start = min(float(channel.times[0]) for channel in channels)
    end = max(float(channel.times[-1]) for channel in channels)
    notes = []
    if fps is None:
        curved = any(channel.interpolation == "CUBICSPLINE" for channel in channels)
        different = {id(channel.times): channel.times for channel in channels}
        fps, note = frame_rate(different.values(), given=animation.fps, curved=curved)
        notes.append(note)
    if start < 0:
        notes.append(f"the first key is at a negative time, {start:.6g} s; the clip begins there")
    elif start > 0:
        notes.append(f"the first key is at {start:.6g} s; the clip begins there")
    spanned = (end - start) * fps
    if (spanned + 1) * n_nodes > _FREE + _PER_BYTE * document.size:
        message = (
            f"animation {animation.name!r} runs from {start:.6g} to {end:.6g} s: {spanned + 1:.3g} frames at {fps:g} "
            f"a second out of {document.size} bytes; are its times in seconds? fps= takes fewer frames"
        )
        raise FileError(document.path, message)
    count = int(np.floor(spanned + 0.02)) + 1
    lost = (spanned - (count - 1)) / fps
    if lost > 0.02 / fps:
        notes.append(
            f"the last {lost * 1000:.3g} ms do not fill a frame at {fps:g} a second; they were left out"
        )
    return start, fps, count, notes


def _motion(
    tree: NodeTree,
    joints: Joints,
    order: list[int],
    still: dict[int, Local],
    skewed: set[int],
    animation: Animation,
    rest: Rest,
    timing: tuple[float, float, int],
) -> _WorldMotion:
    """Sample the animation in chunks, relative to the rest pose."""
    start, fps, count = timing
    n_joints = len(joints.nodes)
    rotations, places = np.empty((count, n_joints, 4)), np.zeros((count, n_joints, 3))
    roots = np.empty((count, 3))
    back = conjugate(from_matrix(rest.turns))
    for first in range(0, count, _CHUNK):
        rows = slice(first, min(first + _CHUNK, count))
        times = start + np.arange(rows.start, rows.stop) / fps
        locals_ = {node: _local(animation, node, still[node], times, 0.02 / fps) for node in order}
        placed = place(tree, order, locals_, skewed)
        turned = [_turn(placed[node], back[k], rest.turns[k]) for k, node in enumerate(joints.nodes)]
        for k, (node, parent) in enumerate(zip(joints.nodes, joints.parents, strict=True)):
            if parent < 0:
                rotations[rows, k], roots[rows] = turned[k], placed[node].position
                continue
            above = conjugate(turned[parent])
            rotations[rows, k] = multiply(above, turned[k])
            apart = placed[node].position - placed[joints.nodes[parent]].position
            places[rows, k] = rotate(above, apart)
    return _WorldMotion(unroll(normalise(rotations)), roots, places)


def _local(animation: Animation, node: int, still: Local, times: Floats, snap: float) -> Local:
    """Transform of a node at the given times; parts without a channel keep their rest values."""
    parts = []
    for path, rest in zip(("translation", "rotation", "scale"), still, strict=True):
        channel = animation.channels.get((node, path))
        parts.append(rest if channel is None else sample(channel, times, snap=snap))
    return Local(*parts)


def _turn(placed: Placed, back: Quaternions, rest: Floats) -> Quaternions:
    """World rotation relative to the rest pose; without a pure rotation, that nearest to the linear part."""
    if placed.rotation is not None:
        return multiply(placed.rotation, back)
    u, _, v = np.linalg.svd(placed.linear)
    turn = u @ v @ rest.T
    # A zero scale leaves the sign undetermined: take the nearest proper rotation.
    u[..., -1] *= np.sign(np.linalg.det(turn))[..., None]
    return from_matrix(u @ v @ rest.T)


@dataclass(frozen=True, eq=False)
class _GltfSource:
    document: Document
    path: Path
    animation: str
    name: str
    notes: list[str]


def _clip(
    given: _GltfSource,
    tree: NodeTree,
    joints: Joints,
    still: dict[int, Local],
    rest: Rest,
    motion: _WorldMotion,
    *,
    fps: float,
    unit: float | None,
    up: str | None,
) -> Clip:
    offsets = motion.places.mean(axis=0)
    offsets[0] = rest.root
    names = [tree.names[node] for node in joints.nodes]
    skeleton = Skeleton(names, joints.parents, offsets, _end_sites(tree, joints, still, rest))
    notes = list(given.notes)
    up = up or "Y"
    if unit is None:
        unit, note = _unit(given.document, skeleton, motion.roots, up)
        notes.append(note)
    notes += _baked(names, motion.places, offsets, unit, skeleton)
    source = SourceFormat(
        path=str(given.path),
        format="gltf",
        metres_per_unit=unit,
        up=up,
        digest=given.document.digest,
        notes=tuple(notes),
        extra={"animation": given.animation},
    )
    return Clip(
        units.to_metres(skeleton, unit=unit, up=up),
        units.rotations_to_y_up(motion.rotations, up=up),
        units.to_y_up(motion.roots, up=up) * unit,
        fps,
        name=given.name,
        source=source,
    )


def _baked(
    names: list[str], places: Positions, offsets: Positions, unit: float, skeleton: Skeleton
) -> list[str]:
    """Notes on joints below the root that move in their parent, which a skeleton cannot represent, and how far."""
    bound = max(_STILL, _STILL * _size(skeleton) * unit)
    notes = []
    for k in range(1, len(names)):
        far = unit * float(np.linalg.norm(places[:, k] - offsets[k], axis=1).max())
        if far > bound:
            what = f"places of {names[k]!r} in its parent vary by up to {100 * far:.3g} cm from their mean"
            notes.append(f"{what}; the mean was taken")
    return notes


def _end_sites(tree: NodeTree, joints: Joints, still: dict[int, Local], rest: Rest) -> list[EndSite]:
    """Bone ends, rotated into the rest pose and scaled by the rest scales of their ancestors."""
    out = []
    for joint, tip in joints.tips:
        scale = np.prod([still[node].scale[0] for node in tree.above(tip)[1:]], axis=0)
        out.append(EndSite(joint, rest.turns[joint] @ (np.abs(scale) * still[tip].translation[0])))
    return out


def _size(skeleton: Skeleton) -> float:
    """Largest extent of the rest pose."""
    return float(np.ptp(skeleton.rest_positions(), axis=0).max())


def _unit(document: Document, skeleton: Skeleton, roots: Positions, up: str) -> tuple[float, str]:
    """Metres per unit: 1 by the format unless the body's size is impossible; always 1 for segue's own files."""
    own = document.root.get("asset").get("generator").value == OWN
    height = float(np.median(units.to_y_up(roots, up=up)[:, 1]))
    unit, note = (1.0, "") if own else units.given_unit(skeleton, 1.0, height)
    if not note:
        return 1.0, "unit: metres, by the format"
    return unit, f"{note}; by the format they are metres, and no body measures {_size(skeleton):.4g} m"
