"""Write FBX: binary 7.4 with a skeleton of limb nodes and one key per frame, in centimetres with Y up.

Models hold the rest pose: a translation and no rotation. One animation stack of the clip's name moves them:
rotation curves for every joint, translation curves for the root, linear between keys. Angles are Euler angles
in FBX's default order (X is applied first), continuous over time. Bone tips become limb nodes ``<joint>_End``
without animation, because a limb node without a child has no length in other tools.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats
from segue.errors import FileError
from segue.io.channels import angles_of, check_rotations
from segue.io.fbx_nodes import (
    CREATION_TIME,
    FILE_ID,
    VERSION,
    FbxRecord,
    array,
    double,
    encode,
    long,
    raw,
    text,
    truth,
    whole,
)
from segue.io.naming import written_names
from segue.io.text import write_whole
from segue.maths.quaternions import normalise
from segue.motion.clip import Clip
from segue.motion.skeleton import Skeleton

TICKS = 46_186_158_000
"""FBX's time units per second; every usual frame rate divides it."""
_PER_METRE = 100.0
_MODES = {120.0: 1, 100.0: 2, 60.0: 3, 50.0: 4, 48.0: 5, 30.0: 6, 25.0: 10, 24.0: 11, 96.0: 15, 72.0: 16}
_MODES |= {30000 / 1001: 9, 24000 / 1001: 13, 60000 / 1001: 17}
"""FBX's enumeration value for each frame rate that has one."""
_CUSTOM = 14
_LINEAR = 4
_AXES = "XYZ"
_REFUSED = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
"""Control characters: they separate a name from its class in FBX, or cannot be displayed."""
_MAX_BYTES = 2**32 - 1


@dataclass(frozen=True)
class _Bone:
    """A limb node: a joint, or the tip of a bone (``joint`` is -1)."""

    name: str
    parent: int
    offset: Floats
    joint: int


class _Scene:
    """Objects with their identities, and their connections."""

    def __init__(self) -> None:
        self.objects: list[FbxRecord] = []
        self.links: list[FbxRecord] = []
        self._last = 1_000_000

    def add(self, kind: str, name: str, what: str, children: tuple[FbxRecord, ...]) -> int:
        """Add an object; return its identity."""
        self._last += 1
        tag = {"AnimationStack": "AnimStack", "AnimationLayer": "AnimLayer", "AnimationCurve": "AnimCurve"}
        tag |= {"AnimationCurveNode": "AnimCurveNode"}
        label = text(f"{name}\0\x01{tag.get(kind, kind)}")
        self.objects.append(FbxRecord(kind, (long(self._last), label, text(what)), children))
        return self._last

    def link(self, child: int, parent: int, prop: str = "") -> None:
        """Connect an object to another, or to a property of it."""
        extra = (text(prop),) if prop else ()
        self.links.append(FbxRecord("C", (text("OP" if prop else "OO"), long(child), long(parent), *extra)))


def write_fbx(clip: Clip, path: Path, *, overwrite: bool = True) -> None:
    """Write a clip as binary FBX 7.4.

    Equal clips give equal bytes. Keys are stored as 32-bit floats in degrees and centimetres: 1e-5 degrees,
    and 0.01 cm for a root a kilometre away.

    Parameters
    ----------
    clip
        The motion.
    path
        A name that ends in ``.fbx``.
    overwrite
        Whether an existing file may be replaced.

    Raises
    ------
    FileError
        If a rotation is no unit quaternion, the file would pass 4 GB, or it cannot be written.

    Examples
    --------
    >>> import segue, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "walk.fbx"
    >>> write_fbx(segue.sample("walk"), path)
    >>> path.read_bytes()[:18]
    b'Kaydara FBX Binary'
    """
    check_rotations(clip, path)
    clip = _plainly_named(clip, path)
    times = _key_times(clip)
    scene = _Scene()
    joints = _add_skeleton(scene, clip)
    _add_animation(scene, clip, joints, times)
    content = encode(_document(clip, scene, int(times[-1])))
    if len(content) > _MAX_BYTES:
        raise FileError(path, "would pass 4 GB, which FBX 7.4 cannot hold; trim the clip or lower its rate")
    write_whole(path, content, overwrite=overwrite)


def _plainly_named(clip: Clip, path: Path) -> Clip:
    """Clip whose names have control characters replaced."""
    body = clip.skeleton
    names = written_names(body.names, _REFUSED, path=path)
    plain = Skeleton(names, body.parents, body.offsets, body.end_sites)
    return clip.with_skeleton(plain).with_motion(name=_REFUSED.sub("_", clip.name))


def _key_times(clip: Clip) -> npt.NDArray[np.int64]:
    """Time of each frame in ticks, each rounded separately: no drift at rates that do not divide a second."""
    return np.round(np.arange(clip.n_frames) * (TICKS / clip.fps)).astype(np.int64)


def _bones(clip: Clip) -> list[_Bone]:
    skeleton = clip.skeleton
    bones = [
        _Bone(name, int(skeleton.parents[joint]), skeleton.offsets[joint], joint)
        for joint, name in enumerate(skeleton.names)
    ]
    taken = set(skeleton.names)
    for site in skeleton.end_sites:
        name = f"{skeleton.names[site.joint]}_End"
        while name in taken:
            name += "_"
        taken.add(name)
        bones.append(_Bone(name, site.joint, site.offset, -1))
    return bones


def _add_skeleton(scene: _Scene, clip: Clip) -> list[int]:
    """Add a limb node for each joint and tip; return the identities of the joints' models."""
    models: list[int] = []
    for bone in _bones(clip):
        length = max((float(np.linalg.norm(bone.offset)) * _PER_METRE, 1.0)[bone.parent < 0], 0.1)
        attribute = scene.add(
            "NodeAttribute",
            bone.name,
            "LimbNode",
            (
                FbxRecord("TypeFlags", (text("Skeleton"),)),
                _properties(_property("Size", "double", "Number", "", double(length))),
            ),
        )
        place = [double(_PER_METRE * float(value)) for value in bone.offset]
        model = scene.add(
            "Model",
            bone.name,
            "LimbNode",
            (
                FbxRecord("Version", (whole(232),)),
                _properties(
                    _property("InheritType", "enum", "", "", whole(1)),
                    _property("DefaultAttributeIndex", "int", "Integer", "", whole(0)),
                    _property("Lcl Translation", "Lcl Translation", "", "A", *place),
                    _property("Lcl Rotation", "Lcl Rotation", "", "A", *[double(0.0)] * 3),
                    _property("Lcl Scaling", "Lcl Scaling", "", "A", *[double(1.0)] * 3),
                ),
                FbxRecord("Shading", (truth(True),)),
                FbxRecord("Culling", (text("CullingOff"),)),
            ),
        )
        scene.link(model, models[bone.parent] if bone.parent >= 0 else 0)
        scene.link(attribute, model)
        models.append(model)
    return models[: clip.skeleton.n_joints]


def _add_animation(scene: _Scene, clip: Clip, joints: list[int], times: npt.NDArray[np.int64]) -> None:
    """Add one stack, one layer, one curve node for each moving property, three curves each."""
    start, stop = long(0), long(int(times[-1]))
    span = _properties(
        *(_property(name, "KTime", "Time", "", start) for name in ("LocalStart", "ReferenceStart")),
        *(_property(name, "KTime", "Time", "", stop) for name in ("LocalStop", "ReferenceStop")),
    )
    stack = scene.add("AnimationStack", clip.name, "", (span,))
    layer = scene.add("AnimationLayer", "BaseLayer", "", ())
    scene.link(layer, stack)
    keys = _key_records(times)
    _add_curves(
        scene, (layer, joints[0]), "Lcl Translation", keys, _PER_METRE * np.asarray(clip.root_positions)
    )
    rotations = normalise(clip.rotations)
    for joint, model in enumerate(joints):
        # FBX applies X first, so it is innermost: order ZYX in segue, with the columns reversed.
        degrees = np.degrees(angles_of(rotations[:, joint], "ZYX"))[:, ::-1]
        _add_curves(scene, (layer, model), "Lcl Rotation", keys, degrees)


def _key_records(times: npt.NDArray[np.int64]) -> tuple[tuple[FbxRecord, ...], tuple[FbxRecord, ...]]:
    """Records before and after the values of a curve; built once, since all curves share them."""
    before = (FbxRecord("KeyVer", (whole(4008),)), FbxRecord("KeyTime", (array(times),)))
    after = (
        FbxRecord("KeyAttrFlags", (array(np.array([_LINEAR], np.int32)),)),
        FbxRecord("KeyAttrDataFloat", (array(np.zeros(4, np.float32)),)),
        FbxRecord("KeyAttrRefCount", (array(np.array([len(times)], np.int32)),)),
    )
    return before, after


def _add_curves(
    scene: _Scene,
    owner: tuple[int, int],
    prop: str,
    keys: tuple[tuple[FbxRecord, ...], tuple[FbxRecord, ...]],
    values: Floats,
) -> None:
    """Add the curve node of a property (owner: its layer and model) with a curve (F,) for each axis."""
    layer, model = owner
    defaults = [
        _property(f"d|{axis}", "Number", "", "A", double(float(values[0, k]))) for k, axis in enumerate(_AXES)
    ]
    node = scene.add("AnimationCurveNode", prop[4], "", (_properties(*defaults),))
    scene.link(node, layer)
    scene.link(node, model, prop)
    before, after = keys
    for k, axis in enumerate(_AXES):
        given = FbxRecord("KeyValueFloat", (array(values[:, k].astype(np.float32)),))
        default = FbxRecord("Default", (double(float(values[0, k])),))
        curve = scene.add("AnimationCurve", "", "", (default, *before, given, *after))
        scene.link(curve, node, f"d|{axis}")


def _property(name: str, kind: str, label: str, flags: str, *values: bytes) -> FbxRecord:
    return FbxRecord("P", (text(name), text(kind), text(label), text(flags), *values))


def _properties(*entries: FbxRecord) -> FbxRecord:
    return FbxRecord("Properties70", (), entries)


def _document(clip: Clip, scene: _Scene, stop: int) -> tuple[FbxRecord, ...]:
    """Top-level records in the order that readers expect."""
    counts: dict[str, int] = {"GlobalSettings": 1}
    for record in scene.objects:
        counts[record.name] = counts.get(record.name, 0) + 1
    kinds = [
        FbxRecord("ObjectType", (text(kind),), (FbxRecord("Count", (whole(count),)),))
        for kind, count in counts.items()
    ]
    take = (
        FbxRecord("FileName", (text("Take_001.tak"),)),
        FbxRecord("LocalTime", (long(0), long(stop))),
        FbxRecord("ReferenceTime", (long(0), long(stop))),
    )
    document = (
        _properties(
            _property("SourceObject", "object", "", ""),
            _property("ActiveAnimStackName", "KString", "", "", text(clip.name)),
        ),
        FbxRecord("RootNode", (long(0),)),
    )
    return (
        _header(),
        FbxRecord("FileId", (raw(FILE_ID),)),
        FbxRecord("CreationTime", (text(CREATION_TIME),)),
        FbxRecord("Creator", (text("segue"),)),
        _settings(clip.fps, stop),
        FbxRecord(
            "Documents",
            (),
            (
                FbxRecord("Count", (whole(1),)),
                FbxRecord("Document", (long(1_000_000), text("Scene"), text("Scene")), document),
            ),
        ),
        FbxRecord("References"),
        FbxRecord(
            "Definitions",
            (),
            (FbxRecord("Version", (whole(100),)), FbxRecord("Count", (whole(sum(counts.values())),)), *kinds),
        ),
        FbxRecord("Objects", (), tuple(scene.objects)),
        FbxRecord("Connections", (), tuple(scene.links)),
        FbxRecord(
            "Takes",
            (),
            (FbxRecord("Current", (text(clip.name),)), FbxRecord("Take", (text(clip.name),), take)),
        ),
    )


def _header() -> FbxRecord:
    stamp = [("Version", 1000), ("Year", 1970), ("Month", 1), ("Day", 1)]
    stamp += [("Hour", 10), ("Minute", 0), ("Second", 0), ("Millisecond", 0)]
    return FbxRecord(
        "FBXHeaderExtension",
        (),
        (
            FbxRecord("FBXHeaderVersion", (whole(1003),)),
            FbxRecord("FBXVersion", (whole(VERSION),)),
            FbxRecord("EncryptionType", (whole(0),)),
            FbxRecord(
                "CreationTimeStamp", (), tuple(FbxRecord(name, (whole(value),)) for name, value in stamp)
            ),
            FbxRecord("Creator", (text("segue"),)),
        ),
    )


def _settings(fps: float, stop: int) -> FbxRecord:
    """Y up, Z to the front, X to the side, centimetres, and the frame rate as an enumeration value or a number."""
    mode = next((code for rate, code in _MODES.items() if abs(rate - fps) < 1e-9 * rate), _CUSTOM)
    axes = [("UpAxis", 1), ("UpAxisSign", 1), ("FrontAxis", 2), ("FrontAxisSign", 1)]
    axes += [("CoordAxis", 0), ("CoordAxisSign", 1), ("OriginalUpAxis", 1), ("OriginalUpAxisSign", 1)]
    return FbxRecord(
        "GlobalSettings",
        (),
        (
            FbxRecord("Version", (whole(1000),)),
            _properties(
                *(_property(name, "int", "Integer", "", whole(value)) for name, value in axes),
                _property("UnitScaleFactor", "double", "Number", "", double(1.0)),
                _property("OriginalUnitScaleFactor", "double", "Number", "", double(1.0)),
                _property("TimeMode", "enum", "", "", whole(mode)),
                _property("TimeSpanStart", "KTime", "Time", "", long(0)),
                _property("TimeSpanStop", "KTime", "Time", "", long(stop)),
                _property("CustomFrameRate", "double", "Number", "", double(fps)),
            ),
        ),
    )
