"""Read FBX: the bones and their motion, through the `fbx` extra in a separate process.

`_fbx_worker` evaluates the file's nodes at every frame; this module makes a clip of them. Bones are the nodes that
the file marks as bones; rotations are relative to a rest pose (the bind pose if the file has a fitting one), so that
rest rotations are the identity. A bone that also slides keeps the mean of its offsets, with a note on the slide.
"""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Bools, Floats, Positions
from segue.documents import decode_json
from segue.errors import FileError, MissingExtraError, SettingError
from segue.io import units
from segue.io._fbx_worker import REFUSED
from segue.io.animation_names import Animations, split_fragment
from segue.io.carrier import held_notes
from segue.io.fbx_body import Scene, body_of, chosen_joints, unscaled, with_above, world_of
from segue.io.naming import each_once
from segue.io.npz_arrays import open_arrays
from segue.io.text import read_bytes
from segue.motion.clip import Clip, SourceFormat
from segue.motion.skeleton import Skeleton

_SECONDS = 60.0
_SECONDS_PER_MB = 5.0
_SAMPLES = 400_000
"""Frames times nodes allowed for any file, plus one for each of its bytes."""
_FAR = 1e6
_SLIDE = 0.002
_OWN = "segue"
"""Creator of files that `segue.io.fbx_write` made."""
_BEYOND = 0.02


def read_fbx(
    path: Path,
    *,
    fps: float | None = None,
    unit: float | None = None,
    up: str | None = None,
) -> Clip:
    """Read a clip from an FBX file, binary or text.

    Parameters
    ----------
    path
        The file, or ``file.fbx#animation``; without a name, the only animation that moves anything.
    fps
        Rate to evaluate the curves at, by default the file's.
    unit
        Metres per file unit; by default the file's, unless it gives an impossible leg length.
    up
        Not for FBX, whose files state their axes.

    Raises
    ------
    MissingExtraError
        If the `fbx` extra is not installed.
    FileError
        If the file is broken, holds no bones or no animation.
    """
    unit, fps = units.checked_unit(unit), units.checked_fps(fps)
    if units.checked_up(up) is not None:
        msg = f"{path}: FBX states its axes; up= is for formats that do not"
        raise SettingError(msg)
    file, wanted = split_fragment(path)
    content = _content(file)
    found = None if wanted is None and _is_alone(content) else _animations(file, content)
    index = -1 if found is None else found.index(file, wanted)
    others = "" if found is None else found.others(index, wanted)
    scene, scaled = unscaled(_scene(file, content, fps or 0.0, index))
    world = world_of(scene)
    joints, left_out = chosen_joints(scene.names, scene.parents, scene.bones, _moves(scene.local))
    if not joints:
        raise FileError(file, "holds no bones and no moving nodes: no motion of a body")
    body = body_of(scene, world, joints)
    skeleton, above = body.skeleton, with_above(scene.parents, body.nodes)
    scale, note = _scale(skeleton, body.roots, unit, scene)
    source = SourceFormat(
        path=str(path),
        format="fbx",
        metres_per_unit=scene.unit * scale,
        up="Z" if scene.facts["up"] == 2 else "Y",
        digest=scene.digest,
        notes=(
            *_notes(scene, left_out, others),
            *held_notes([scene.names[node] for node in scaled if node in above]),
            *body.notes,
            note,
            *_slides(body.slide * scale, skeleton.names),
        ),
        extra={"animation": scene.facts["stack"] if found is None else found.names[index]},
    )
    return Clip(
        units.to_metres(skeleton, unit=scale, up="Y"),
        body.rotations,
        body.roots * scale,
        scene.rate,
        name=file.stem if found is None else found.clip_name(file, index),
        source=source,
    )


def animations_in(file: Path) -> Animations:
    """Return the names of an FBX file's animations, and which of them move anything.

    Raises
    ------
    MissingExtraError
        If the `fbx` extra is not installed.
    FileError
        If it cannot be read, or holds none.
    """
    content = _content(file)
    # A file with one animation needs no list: the reader finds what it moves.
    return Animations((file.stem,), (True,)) if _is_alone(content) else _animations(file, content)


def _is_alone(content: bytes) -> bool:
    """Whether a file of version 7 holds one animation, without parsing: each is an object of class AnimStack."""
    return content.count(b"\0\1AnimStack") + content.count(b'"AnimStack::') == 1


_known: dict[str, Animations] = {}
"""Lists of animations by the digest of their file, the newest last."""
_KNOWN = 64


def _animations(file: Path, content: bytes) -> Animations:
    digest = hashlib.sha256(content).hexdigest()
    found = _known.get(digest)
    if found is None:
        parts = _answer(file, content, 30.0, "list")
        try:
            given = _facts(file, parts)
            names = each_once([str(name) for name in given["stacks"]], otherwise="animation")
            found = Animations(tuple(names), tuple(bool(moves) for moves in given["moving"]))
        except (KeyError, ValueError, TypeError):
            raise FileError(file, _BROKEN) from None
        if not names or len(found.moving) != len(names):
            raise FileError(file, _BROKEN)
        if len(_known) >= _KNOWN:
            _known.clear()
        _known[digest] = found
    return found


def _content(path: Path) -> bytes:
    content = read_bytes(path)
    if not content:
        raise FileError(path, "is empty")
    return content


def _scene(path: Path, content: bytes, fps: float, index: int) -> Scene:
    parts = _answer(path, content, fps, str(index))
    return _checked(path, parts, hashlib.sha256(content).hexdigest())


def _answer(path: Path, content: bytes, fps: float, wanted: str) -> dict[str, npt.NDArray[Any]]:
    """Run the worker and return the arrays it writes."""
    if importlib.util.find_spec("ufbx") is None:
        raise MissingExtraError("reading FBX", "fbx")
    with tempfile.TemporaryDirectory(prefix="segue-fbx-") as folder:
        target = Path(folder) / "scene.npz"
        _run(path, target, fps, len(content), wanted)
        try:
            arrays = open_arrays(target, trusted=True)
            return {key: arrays.array(key) for key in arrays.keys}
        except FileError:
            raise FileError(path, _BROKEN) from None


_BROKEN = "the FBX library gave no usable answer for it; the file is broken, or of a kind that library does not read"


def _run(path: Path, target: Path, fps: float, size: int, wanted: str) -> None:
    """Run the worker; every failure becomes a `FileError`."""
    worker = Path(__file__).with_name("_fbx_worker.py")
    # -P: the worker's folder must not precede the standard library on the path.
    command = [
        sys.executable,
        "-P",
        str(worker),
        str(path.resolve()),
        str(target),
        repr(fps),
        str(_SAMPLES + size),
        wanted,
    ]
    limit = _SECONDS + _SECONDS_PER_MB * size / 1e6
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=limit, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise FileError(path, f"the FBX library did not finish within {limit:.0f} seconds") from None
    except OSError as error:
        raise FileError(
            path, f"the process that reads FBX could not be started: {error.strerror or error}"
        ) from None
    if done.returncode == REFUSED:
        raise FileError(path, done.stderr.decode("utf-8", "replace").strip()[:400] or _BROKEN)
    if done.returncode < 0:
        message = (
            f"the FBX library crashed on it (signal {-done.returncode}); convert it to BVH or GLB elsewhere"
        )
        raise FileError(path, message)
    if done.returncode != 0 or not target.is_file():
        raise FileError(path, _BROKEN)


def _facts(path: Path, parts: dict[str, npt.NDArray[Any]]) -> dict[str, Any]:
    """Facts that the worker writes with its arrays; names in a file may be any text."""
    try:
        return decode_json(bytes(parts["facts"]), dict[str, Any], path, lone=True, nan=True, nul=True)
    except FileError:
        raise FileError(path, _BROKEN) from None


def _checked(path: Path, parts: dict[str, npt.NDArray[Any]], digest: str) -> Scene:
    """Scene of the worker's arrays, all checked: a crashing library may have written anything."""
    try:
        facts = _facts(path, parts)
        names = [str(name) for name in facts["names"]]
        count = len(names)
        local = np.asarray(parts["local"], dtype=np.float64)
        scene = Scene(
            names, parts["parents"].astype(np.int64), parts["bones"].astype(bool),
            np.asarray(parts["rest"], dtype=np.float64), local, np.asarray(parts["bind"], dtype=np.float64),
            parts["bind_given"].astype(bool), facts, float(facts["rate"]), float(facts["unit"]), digest,
        )  # fmt: skip
        shapes = (scene.parents.shape, scene.bones.shape, scene.rest.shape, local.shape[1:], scene.bind.shape)
        fits = shapes == ((count,), (count,), (count, 10), (count, 10), (count, 3, 4)) and len(local) > 0
    except (KeyError, ValueError, TypeError, IndexError):
        fits = False
    if not fits:
        raise FileError(path, _BROKEN)
    for values in (scene.local, scene.rest[None]):
        bad = np.flatnonzero(~(np.abs(values) <= _FAR).all(axis=(1, 2)))
        if bad.size:
            raise FileError(
                path, f"frame {bad[0]} holds values that are no motion (not finite, or beyond 1e6)"
            )
    if not 1e-6 < scene.unit < 1e6:
        raise FileError(path, f"declares a unit of {scene.unit:g} metres; pass unit=")
    return scene


def _moves(local: Floats) -> Bools:
    """(N,) whether a node's position or rotation changes."""
    out: Bools = np.ptp(local[:, :, :7], axis=0).max(axis=1) > 1e-7
    return out


def _slides(slide: Floats, names: Sequence[str]) -> list[str]:
    """Note on joints that move in their parent's frame, in metres (J,)."""
    loose = int(np.sum(slide > _SLIDE))
    if not loose:
        return []
    worst = int(np.argmax(slide))
    far = f"up to {100 * slide[worst]:.1f} cm ({names[worst]})"
    return [f"{loose} joints slide or stretch, by {far}; their mean offsets are kept"]


def _scale(body: Skeleton, roots: Positions, unit: float | None, scene: Scene) -> tuple[float, str]:
    """Factor on the file's metres, and a note; the unit of segue's own files is always accepted."""
    given = scene.unit
    if unit is not None:
        return unit / given, f"unit: {100 * unit:.6g} cm, as asked (the file states {100 * given:.6g} cm)"
    own = scene.facts.get("creator") == _OWN
    found, note = (given, "") if own else units.given_unit(body, given, float(np.median(roots[:, 1])))
    if not note:
        return 1.0, f"unit: {100 * given:.6g} cm, stated by the file"
    size = float(np.ptp(body.rest_positions(), axis=0).max())
    return found / given, f"{note}; the file states {100 * given:.6g} cm, which makes a body of {size:.3g} m"


def _notes(scene: Scene, left_out: list[str], others: str) -> list[str]:
    facts = scene.facts
    notes = [f"animation: {facts['stack']!r}, {facts['begin']:g} to {facts['end']:g} s{others}"]
    first, last = facts["keys"]
    if first < facts["begin"] - _BEYOND or last > facts["end"] + _BEYOND:
        notes[0] += f" (keys stand from {first:g} to {last:g} s; the file plays this part)"
    notes.append(f"rate: {scene.rate:g} frames a second, the curves evaluated at each")
    axes = {0: "X", 1: "Y", 2: "Z"}.get(int(facts["up"]), "Y")
    notes.append(f"up: {axes}, stated by the file")
    if left_out:
        notes.append(f"left out, apart from the body: {', '.join(left_out[:6])}")
    return notes
