"""Small FBX files for tests: the project's own writer, with takes, times, units and curves that it never writes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from segue.io import fbx_write
from segue.io.fbx_nodes import FbxRecord, double, encode, long, text
from segue.motion.clip import Clip

Records = tuple[FbxRecord, ...]
Curves = Mapping[tuple[int, str], np.ndarray]
"""Values (F, 3) by joint and property, ``"Lcl Scaling"`` for one."""


def fbx_of(
    path: Path,
    takes: Sequence[Clip],
    *,
    starts: Sequence[float] = (),
    curves: Curves | None = None,
    edit: Callable[[Records], Records] = lambda records: records,
) -> Path:
    """Write takes of one body into a file.

    Parameters
    ----------
    starts
        Second of each take's first key.
    curves
        More curves of the first take.
    edit
        Changes the records before they are written.
    """
    scene = fbx_write._Scene()
    joints = fbx_write._add_skeleton(scene, takes[0])
    stop = 0
    for number, take in enumerate(takes):
        start = round((starts[number] if starts else 0.0) * fbx_write.TICKS)
        times = fbx_write._key_times(take) + start
        fbx_write._add_animation(scene, take, joints, times)
        layer = _identity(next(r for r in reversed(scene.objects) if r.name == "AnimationLayer"))
        if start:
            _begin_at(scene, start)
        for (joint, prop), values in (curves or {}).items() if number == 0 else ():
            fbx_write._add_curves(scene, (layer, joints[joint]), prop, fbx_write._key_records(times), values)
        stop = max(stop, int(times[-1]))
    path.write_bytes(encode(edit(fbx_write._document(takes[0], scene, stop))))
    return path


def _identity(record: FbxRecord) -> int:
    return int(struct.unpack("<q", record.properties[0][1:])[0])


def _begin_at(scene: fbx_write._Scene, start: int) -> None:
    at = max(k for k, record in enumerate(scene.objects) if record.name == "AnimationStack")
    scene.objects[at] = changed(scene.objects[at], {"LocalStart": long(start), "ReferenceStart": long(start)})


def changed(record: FbxRecord, values: Mapping[str, bytes | None]) -> FbxRecord:
    """Record with another last value for properties of some names, or without them (None)."""
    children = []
    for child in record.children:
        name = child.properties[0][5:].decode() if child.name == "P" else ""
        if name in values:
            value = values[name]
            if value is not None:
                children.append(replace(child, properties=(*child.properties[:4], value)))
        else:
            children.append(changed(child, values))
    return replace(record, children=tuple(children))


def without_times(records: Records) -> Records:
    """Remove all times from stacks and takes."""
    gone = dict.fromkeys(("LocalStart", "LocalStop", "ReferenceStart", "ReferenceStop"))
    kept = tuple(changed(record, gone) for record in records)
    return tuple(replace(record, children=()) if record.name == "Takes" else record for record in kept)


def with_times(begin: float, end: float) -> Callable[[Records], Records]:
    """Set these times in all stacks, whatever their keys are."""
    first, last = (long(round(second * fbx_write.TICKS)) for second in (begin, end))
    given = {"LocalStart": first, "ReferenceStart": first, "LocalStop": last, "ReferenceStop": last}
    return lambda records: tuple(changed(record, given) for record in records if record.name != "Takes")


def with_unit(centimetres: float) -> Callable[[Records], Records]:
    """Set the unit of the file in centimetres."""
    given = {"UnitScaleFactor": double(centimetres), "OriginalUnitScaleFactor": double(centimetres)}
    return lambda records: tuple(changed(record, given) for record in records)


def made_by(name: str) -> Callable[[Records], Records]:
    """Set the name of the program that wrote the file."""

    def renamed(record: FbxRecord) -> FbxRecord:
        children = tuple(renamed(child) for child in record.children)
        return replace(
            record,
            children=children,
            properties=(text(name),) if record.name == "Creator" else record.properties,
        )

    return lambda records: tuple(renamed(record) for record in records)


def both(*edits: Callable[[Records], Records]) -> Callable[[Records], Records]:
    """Apply one edit after the other."""

    def run(records: Records) -> Records:
        for edit in edits:
            records = edit(records)
        return records

    return run
