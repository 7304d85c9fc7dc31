"""USD: results of USD's own skeleton library and validators for the file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from segue.errors import FileError, MissingExtraError
from segue.io import load, save
from segue.io.mannequin import mannequin
from segue.io.usd_write import write_usd
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton

pxr = pytest.importorskip("pxr")


def places(path: Path, frame: float) -> np.ndarray:
    """World positions (J, 3) of the joints at a time code, computed by USD."""
    from pxr import Usd, UsdSkel

    stage = Usd.Stage.Open(str(path))
    cache = UsdSkel.Cache()
    query = cache.GetSkelQuery(UsdSkel.Skeleton(stage.GetPrimAtPath("/Motion/Skeleton")))
    return np.array(query.ComputeJointSkelTransforms(frame))[:, 3, :3]


def faults(path: Path) -> list[str]:
    """Messages of every validator in usd-core."""
    from pxr import Usd

    UsdValidation = pytest.importorskip("pxr.UsdValidation", reason="usd-core of 2024 brings no validators")
    registry = UsdValidation.ValidationRegistry()
    context = UsdValidation.ValidationContext(registry.GetOrLoadAllValidators())
    stage = Usd.Stage.Open(str(path))
    return [f"{error.GetName()}: {error.GetMessage()}" for error in context.Validate(stage)]


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd"])
def test_usd_finds_every_joint_in_its_place(data: Path, tmp_path: Path, suffix: str) -> None:
    """As text and binary, joints, rate, length, unit, axis and positions agree in every frame sampled, none shifted."""
    from pxr import Usd, UsdGeom

    made = load(data / "misc" / "bvhtoolbox" / "walk01.bvh")
    save(made, tmp_path / f"a{suffix}")
    stage = Usd.Stage.Open(str(tmp_path / f"a{suffix}"))
    assert UsdGeom.GetStageUpAxis(stage) == "Y"
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert stage.GetTimeCodesPerSecond() == made.fps
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, made.n_frames - 1)
    for frame in (0, 1, 50, made.n_frames - 1):
        wanted = world_positions(made)[frame]
        assert places(tmp_path / f"a{suffix}", frame) == pytest.approx(wanted, abs=1e-5)


def test_validators_find_nothing(data: Path, tmp_path: Path) -> None:
    """Captured, made, one-joint and one-frame clips pass, with and without a body."""
    one = Clip(Skeleton(("a",), [-1], [[0, 1, 0]]), [[[1.0, 0, 0, 0]]], [[0.0, 1, 0]], 30)
    captured = load(data / "asf_amc" / "16" / "16_11.amc")
    for made in (captured, sample("walk"), one):
        for body in (True, False):
            write_usd(made, tmp_path / "a.usda", body=body)
            assert faults(tmp_path / "a.usda") == []


def test_validators_do_find_faults(tmp_path: Path) -> None:
    """A stage without units is reported."""
    write_usd(sample("walk"), tmp_path / "a.usda")
    text = (tmp_path / "a.usda").read_text()
    (tmp_path / "b.usda").write_text(text.replace("metersPerUnit = 1", ""))
    assert faults(tmp_path / "b.usda")


def test_the_skin_follows_the_skeleton(tmp_path: Path) -> None:
    """USD's own skinning keeps each vertex at its distance from its joint."""
    from pxr import Gf, Usd, UsdSkel, Vt

    walk = sample("walk")
    write_usd(walk, tmp_path / "a.usdc")
    stage = Usd.Stage.Open(str(tmp_path / "a.usdc"))
    cache, root = UsdSkel.Cache(), UsdSkel.Root(stage.GetPrimAtPath("/Motion"))
    cache.Populate(root, Usd.TraverseInstanceProxies())
    query = cache.GetSkinningQuery(stage.GetPrimAtPath("/Motion/Mannequin"))
    skel = cache.GetSkelQuery(UsdSkel.Skeleton(stage.GetPrimAtPath("/Motion/Skeleton")))
    figure = mannequin(walk.skeleton)
    points = Vt.Vec3fArray.FromNumpy(figure.positions.astype(np.float32))
    assert query.ComputeSkinnedPoints(skel.ComputeSkinningTransforms(100), points, 100)
    rest, moved = walk.skeleton.rest_positions(), world_positions(walk)[100]
    rigid = figure.weights[:, 0] == 1
    joints = figure.joints[rigid, 0]
    before = np.linalg.norm(figure.positions[rigid] - rest[joints], axis=1)
    after = np.linalg.norm(np.array(points)[rigid] - moved[joints], axis=1)
    assert rigid.mean() > 0.5
    assert after == pytest.approx(before, abs=1e-5)
    assert Gf.IsClose(query.GetGeomBindTransform(), Gf.Matrix4d(1.0), 1e-12)


def test_names_that_usd_cannot_hold(tmp_path: Path) -> None:
    """Paths get unique names that USD can hold; the original names are stored as well."""
    from pxr import Usd, UsdSkel

    skeleton = Skeleton(("mixamorig:Hips", "a b", "a.b", "背骨"), [-1, 0, 0, 2], np.eye(4)[:, :3])
    made = Clip(skeleton, np.tile([1.0, 0, 0, 0], (2, 4, 1)), np.zeros((2, 3)), 30, name="ü b")
    write_usd(made, tmp_path / "a.usda")
    stage = Usd.Stage.Open(str(tmp_path / "a.usda"))
    given = UsdSkel.Skeleton(stage.GetPrimAtPath("/Motion/Skeleton"))
    joints = list(given.GetJointsAttr().Get())
    assert len(set(joints)) == 4
    assert UsdSkel.Topology(joints).Validate()[0]
    assert list(UsdSkel.Topology(joints).GetParentIndices()) == [-1, 0, 0, 2]
    assert list(given.GetJointNamesAttr().Get()) == list(skeleton.names)
    assert places(tmp_path / "a.usda", 0) == pytest.approx(world_positions(made)[0], abs=1e-6)


def test_equal_clips_give_equal_bytes(tmp_path: Path) -> None:
    """Text and binary contain no time stamp and no random value."""
    for suffix in (".usda", ".usdc"):
        write_usd(sample("walk"), tmp_path / f"a{suffix}")
        write_usd(sample("walk"), tmp_path / f"b{suffix}")
        assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


def test_what_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong extension, a zero quaternion and a missing package are reported; no file is left."""
    walk = sample("walk")
    with pytest.raises(FileError, match=r"\.usda"):
        write_usd(walk, tmp_path / "a.usdz")
    rotations = np.array(walk.rotations)
    rotations[3, 2] = 0.0
    with pytest.raises(FileError, match="frame 3"):
        write_usd(walk.with_motion(rotations), tmp_path / "a.usda")
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(MissingExtraError, match="pip install usd-core"):
        write_usd(walk, tmp_path / "a.usda")
    assert list(tmp_path.iterdir()) == []


def test_loading_segue_does_not_load_usd() -> None:
    """The package is large, so it is imported only when a file is written."""
    code = "import sys, segue.io.files, segue.io.usd_write; print('pxr' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
