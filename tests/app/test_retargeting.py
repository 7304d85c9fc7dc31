"""Retargeting files to one body: output, report of each file, and errors that do not stop the others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segue
from segue.app.convert import body_of, plan
from segue.app.retargeting import retarget_all
from segue.io import load, save
from segue.measures.foot_skate import foot_skate
from segue.motion.kinematics import world_positions
from segue.motion.resample import cut
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton


@pytest.fixture
def child() -> segue.Clip:
    """A rest pose of a smaller body with shorter shins."""
    body = sample("walk").skeleton
    offsets = body.offsets * 0.7
    for name in ("LeftFoot", "RightFoot"):
        offsets[body.index(name)] *= 0.9
    skeleton = Skeleton(body.names, body.parents, offsets)
    return segue.Clip(
        skeleton, np.tile([1.0, 0, 0, 0], (1, body.n_joints, 1)), np.zeros((1, 3)), 30.0, name="child"
    )


def test_each_file_is_written_with_what_became_of_its_feet(tmp_path: Path, child: segue.Clip) -> None:
    """The file holds the retargeted motion; plants and slides are those of the clips."""
    walk = cut(sample("walk", 30.0), 0, 60)
    save(walk, tmp_path / "walk.npz")
    (done,) = retarget_all(plan([str(tmp_path / "walk.npz")], tmp_path / "out"), child)
    assert done.target == tmp_path / "out/walk.bvh"
    assert not done.own_body
    expected = segue.retarget(walk, child.skeleton)
    written = load(done.target)
    order = [
        written.skeleton.index(name) for name in child.skeleton.names
    ]  # files list one limb after the other
    np.testing.assert_allclose(world_positions(written)[:, order], world_positions(expected), atol=1e-5)
    planted = segue.contacts(walk).flags
    before, after = (
        float(np.median([plant.along_path for plant in foot_skate(clip, planted=planted)]))
        for clip in (walk, expected)
    )
    assert done.fit is not None
    assert (done.plants, done.fit.scale) == (
        len(segue.contacts(walk).plants),
        pytest.approx(0.665, abs=0.001),
    )
    assert done.slid_before == pytest.approx(done.fit.scale * before, abs=1e-6)
    assert done.slid_after == pytest.approx(after, abs=1e-6)


def test_a_bad_file_stops_no_other(tmp_path: Path, child: segue.Clip) -> None:
    """A motion without legs is reported, one on the target body is copied, and existing files are kept."""
    save(sample("stand"), tmp_path / "stand.npz")
    (tmp_path / "snake.bvh").write_text(
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
        "End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n0 0 9\n"
    )
    jobs = plan([str(tmp_path)], tmp_path / "out", to="glb")
    done = {Path(one.source).name: one for one in retarget_all(jobs, sample("walk"))}
    assert "no joint fills the role" in done["snake.bvh"].error
    assert done["stand.npz"].own_body
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["stand.glb"]
    again = {Path(one.source).name: one for one in retarget_all(jobs, sample("walk"))}
    assert "exists already" in again["stand.npz"].error


def test_settings_and_bodies_are_checked_before_any_file(tmp_path: Path, child: segue.Clip) -> None:
    """The error comes first and nothing is written."""
    jobs = plan(["sample:walk"], tmp_path / "out.bvh")
    with pytest.raises(segue.SettingError, match="feet='glued'"):
        retarget_all(jobs, child, feet="glued")  # type: ignore[arg-type]
    with pytest.raises(segue.SettingError, match="hands=-1"):
        retarget_all(jobs, child, hands=-1.0)
    stick = segue.Clip(
        Skeleton(("a", "b"), [-1, 0], [[0, 0, 0], [0, 1, 0]]), [[[1, 0, 0, 0]] * 2], [[0, 0, 0]], 30.0
    )
    with pytest.raises(segue.SkeletonError, match="cannot be a retarget target"):
        retarget_all(jobs, stick)
    assert not list(tmp_path.iterdir())


def test_a_skeleton_file_of_its_own_is_a_body(data: Path) -> None:
    """An .asf has no motion and is the body of its .amc files."""
    body = body_of(str(data / "asf_amc/16/16.asf"), [])
    assert body.skeleton.same_as(load(data / "asf_amc/16/16_15.amc").skeleton)
    assert body.n_frames == 1
