"""Write USD: a UsdSkel skeleton, its animation and a skinned mannequin, in metres with Y up (extra ``usd``).

One time code is one frame: ``timeCodesPerSecond`` is the clip's rate and frame k is at time code k, from 0.
The skeleton's bind and rest pose is the clip's rest pose.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from segue.errors import FileError, MissingExtraError
from segue.io.channels import check_rotations
from segue.io.mannequin import Mannequin, mannequin
from segue.io.text import write_whole
from segue.maths.quaternions import normalise, unroll
from segue.motion.clip import Clip
from segue.motion.skeleton import Skeleton

SUFFIXES = (".usd", ".usda", ".usdc")
"""Text for ``.usda``, binary for the others."""
_COLOUR = (0.55, 0.62, 0.70)


def write_usd(clip: Clip, path: Path, *, body: bool = True, overwrite: bool = True) -> None:
    """Write a clip as USD.

    Joint names that USD cannot hold (with blanks, dots, colons) are changed in the joints' paths;
    ``jointNames`` holds the original names. Rotations and positions are 32-bit floats.

    Parameters
    ----------
    clip
        The motion.
    path
        ``.usda`` text, ``.usdc`` or ``.usd`` binary.
    body
        Whether to write the skinned mannequin too; many tools show a skeleton only with a skinned mesh.
    overwrite
        Whether an existing file may be replaced.

    Raises
    ------
    MissingExtraError
        If ``usd-core`` is not installed.
    FileError
        If the extension is no USD one, a rotation is no unit quaternion, or the file cannot be written.

    Examples
    --------
    >>> import segue, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "walk.usda"
    >>> write_usd(segue.sample("walk"), path)
    >>> path.read_text().splitlines()[0]
    '#usda 1.0'
    """
    if path.suffix.lower() not in SUFFIXES:
        raise FileError(path, f"USD files end in {', '.join(SUFFIXES)}")
    check_rotations(clip, path)
    pxr = _Pxr()
    stage = _stage(pxr, clip)
    skeleton = _add_skeleton(pxr, stage, clip.skeleton)
    _add_animation(pxr, stage, clip, skeleton)
    if body:
        _add_mannequin(pxr, stage, mannequin(clip.skeleton), skeleton)
    # USD writes files by name only: it writes into a temporary folder, and its bytes are then written like
    # any format's.
    with tempfile.TemporaryDirectory(prefix="segue-usd-") as folder:
        made = Path(folder) / f"clip{path.suffix.lower()}"
        stage.GetRootLayer().Export(str(made))
        content = made.read_bytes()
    write_whole(path, content, overwrite=overwrite)


class _Pxr:
    """Modules of usd-core."""

    def __init__(self) -> None:
        try:
            from pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdSkel, Vt
        except ImportError:
            raise MissingExtraError("writing USD", "usd") from None
        self.gf, self.sdf, self.tf, self.vt = Gf, Sdf, Tf, Vt
        self.usd, self.geom, self.skel = Usd, UsdGeom, UsdSkel


def _stage(pxr: _Pxr, clip: Clip) -> Any:
    """Make an empty stage with units, axes, time and the root prim."""
    stage = pxr.usd.Stage.CreateInMemory()
    pxr.geom.SetStageUpAxis(stage, pxr.geom.Tokens.y)
    pxr.geom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(clip.fps)
    stage.SetFramesPerSecond(clip.fps)
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(clip.n_frames - 1)
    root = pxr.skel.Root.Define(stage, "/Motion")
    stage.SetDefaultPrim(root.GetPrim())
    pxr.usd.ModelAPI(root).SetKind("component")
    root.GetPrim().SetDisplayName(clip.name)
    return stage


def joint_paths(pxr: Any, skeleton: Skeleton) -> list[str]:
    """Return the path of each joint from the root, with names that are valid in USD and unique among siblings."""
    paths: list[str] = []
    for joint, name in enumerate(skeleton.names):
        parent = int(skeleton.parents[joint])
        plain = pxr.tf.MakeValidIdentifier(name)
        above = f"{paths[parent]}/" if parent >= 0 else ""
        while above + plain in paths:
            plain += "_"
        paths.append(above + plain)
    return paths


def _add_skeleton(pxr: _Pxr, stage: Any, skeleton: Skeleton) -> Any:
    made = pxr.skel.Skeleton.Define(stage, "/Motion/Skeleton")
    made.CreateJointsAttr(joint_paths(pxr, skeleton))
    made.CreateJointNamesAttr(list(skeleton.names))
    made.CreateBindTransformsAttr(_shifts(pxr, skeleton.rest_positions()))
    made.CreateRestTransformsAttr(_shifts(pxr, skeleton.offsets))
    return made


def _shifts(pxr: _Pxr, places: Any) -> Any:
    """Translation matrices for positions (J, 3)."""
    matrices = np.tile(np.eye(4), (len(places), 1, 1))
    matrices[:, 3, :3] = places
    return pxr.vt.Matrix4dArray.FromNumpy(matrices)


def _add_animation(pxr: _Pxr, stage: Any, clip: Clip, skeleton: Any) -> None:
    made = pxr.skel.Animation.Define(stage, "/Motion/Animation")
    made.CreateJointsAttr(skeleton.GetJointsAttr().Get())
    rotations = made.CreateRotationsAttr()
    translations = made.CreateTranslationsAttr()
    made.CreateScalesAttr(pxr.vt.Vec3hArray(clip.skeleton.n_joints, pxr.gf.Vec3h(1, 1, 1)))
    # USD stores a quaternion's real part last in memory.
    turns = unroll(normalise(clip.rotations))[..., [1, 2, 3, 0]].astype(np.float32)
    places = np.array(clip.skeleton.offsets, dtype=np.float32)
    for frame in range(clip.n_frames):
        places[0] = clip.root_positions[frame]
        rotations.Set(pxr.vt.QuatfArray.FromNumpy(turns[frame]), frame)
        translations.Set(pxr.vt.Vec3fArray.FromNumpy(places), frame)
    binding = pxr.skel.BindingAPI.Apply(skeleton.GetPrim())
    binding.CreateAnimationSourceRel().SetTargets([made.GetPath()])


def _add_mannequin(pxr: _Pxr, stage: Any, figure: Mannequin, skeleton: Any) -> None:
    """Add the mesh; every vertex is skinned to at most two joints."""
    mesh = pxr.geom.Mesh.Define(stage, "/Motion/Mannequin")
    points = figure.positions.astype(np.float32)
    mesh.CreatePointsAttr(pxr.vt.Vec3fArray.FromNumpy(points))
    mesh.CreateFaceVertexCountsAttr(pxr.vt.IntArray(len(figure.triangles), 3))
    indices = figure.triangles.astype(np.int32).ravel()
    mesh.CreateFaceVertexIndicesAttr(pxr.vt.IntArray.FromNumpy(indices))
    mesh.CreateNormalsAttr(pxr.vt.Vec3fArray.FromNumpy(figure.normals.astype(np.float32)))
    mesh.SetNormalsInterpolation(pxr.geom.Tokens.vertex)
    mesh.CreateSubdivisionSchemeAttr(pxr.geom.Tokens.none)
    mesh.CreateExtentAttr(pxr.vt.Vec3fArray.FromNumpy(np.stack([points.min(axis=0), points.max(axis=0)])))
    mesh.CreateDisplayColorAttr([pxr.gf.Vec3f(*_COLOUR)])
    binding = pxr.skel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    joints = pxr.vt.IntArray.FromNumpy(figure.joints.astype(np.int32).ravel())
    binding.CreateJointIndicesPrimvar(constant=False, elementSize=2).Set(joints)
    weights = pxr.vt.FloatArray.FromNumpy(figure.weights.astype(np.float32).ravel())
    binding.CreateJointWeightsPrimvar(constant=False, elementSize=2).Set(weights)
    binding.CreateGeomBindTransformAttr(pxr.gf.Matrix4d(1.0))
