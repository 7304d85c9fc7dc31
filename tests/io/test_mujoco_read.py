"""Tables of qpos and their model: read as MuJoCo places the bodies, and written back number by number."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import mjcf as naive
from random_clips import SEEDS
from random_clips import body as any_body
from random_clips import clip as any_clip
from segue.app import convert
from segue.errors import FileError
from segue.io import load, motion_files, save
from segue.io.mujoco_model import read_model
from segue.io.mujoco_read import resting_model
from segue.maths.quaternions import half_angle
from segue.motion.kinematics import world, world_positions
from segue.motion.samples import sample


def leg(side: str, sign: int) -> str:
    """A leg of six hinges: hip pitch, roll and yaw, knee, ankle pitch and roll."""
    return f"""<body name="{side}_hip_pitch_link" pos="0 {0.06 * sign} -0.1" quat="0.995004165278 0 -0.099833416647 0">
<joint name="{side}_hip_pitch_joint" axis="0 1 0" range="-2.5 2.8"/>
<body name="{side}_hip_roll_link" pos="0 {0.05 * sign} -0.03" quat="0.995004165278 0 0.099833416647 0">
<joint name="{side}_hip_roll_joint" axis="1 0 0"/>
<body name="{side}_hip_yaw_link" pos="0.02 0 -0.12"><joint name="{side}_hip_yaw_joint" axis="0 0 2"/>
<body name="{side}_knee_link" pos="-0.02 0 -0.18"><joint name="{side}_knee_joint" axis="0 1 0" pos="0 0 0.01"/>
<body name="{side}_ankle_pitch_link" pos="0 0 -0.3"><joint name="{side}_ankle_pitch_joint" axis="0 1 0"/>
<body name="{side}_ankle_roll_link" pos="0 0 -0.02"><joint name="{side}_ankle_roll_joint" axis="1 0 0"/>
<geom type="capsule" size=".02" fromto="-0.05 0 -0.04 0.14 0 -0.04"/></body></body></body></body></body></body>"""


def arm(side: str, sign: int) -> str:
    """An arm of five hinges."""
    return f"""<body name="{side}_shoulder_pitch_link" pos="0 {0.1 * sign} 0.24">
<joint name="{side}_shoulder_pitch_joint" axis="0 1 0"/>
<body name="{side}_shoulder_roll_link" pos="0 {0.04 * sign} -0.01">
<joint name="{side}_shoulder_roll_joint" axis="1 0 0"/>
<body name="{side}_shoulder_yaw_link" pos="0 0 -0.1"><joint name="{side}_shoulder_yaw_joint"/>
<body name="{side}_elbow_link" pos="0.015 0 -0.08"><joint name="{side}_elbow_joint" axis="0 1 0"/>
<body name="{side}_wrist_roll_link" pos="0.1 0 -0.01"><joint name="{side}_wrist_roll_joint" axis="1 0 0"/>
<geom type="capsule" size=".02" fromto="0 0 0 0.1 0 0"/></body></body></body></body></body>"""


ROBOT = f"""<mujoco model="robot"><compiler angle="radian"/><worldbody>
<geom type="plane" size="1 1 0.1"/>
<body name="pelvis" pos="0 0 0.79"><freejoint name="base"/>
{leg("left", 1)}{leg("right", -1)}
<body name="torso_link" pos="0 0 0.15"><joint name="waist_yaw_joint"/>
<body name="head_link" pos="0 0 0.4"><geom type="capsule" size=".05" fromto="0 0 0 0 0 0.15"/></body>
{arm("left", 1)}{arm("right", -1)}</body></body></worldbody></mujoco>"""
N = 7 + 23


def rows(seed: int, count: int = 8) -> np.ndarray:
    """Rows of qpos, hinges within a radian."""
    rng = np.random.default_rng(seed)
    out = rng.uniform(-1.0, 1.0, (count, N))
    out[:, 3:7] /= np.linalg.norm(out[:, 3:7], axis=1, keepdims=True)
    return out


def written(
    folder: Path, table: np.ndarray, *, fps: float | None = 50.0, head: str = "", mark: str = ","
) -> Path:
    """Model and table in a folder; the first column is seconds if there is a rate."""
    (folder / "walk.xml").write_text(ROBOT)
    if fps is not None:
        table = np.column_stack([np.arange(len(table)) / fps, table])
    lines = [mark.join(f"{value:.12f}" for value in row) for row in table]
    (folder / "walk.qpos.csv").write_text("\n".join([head, *lines] if head else lines) + "\n")
    return folder / "walk.qpos.csv"


@given(st.integers(0, 10**6))
def test_bodies_stand_where_a_twin_puts_them(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """Nested rotations about axes and pivots give the same positions, in metres with Y up."""
    table = rows(seed, 3)
    clip = load(written(tmp_path_factory.mktemp("mj"), table))
    assert clip.fps == 50.0
    at = world_positions(clip)
    for frame, row in enumerate(table):
        for name, (x, y, z) in naive.places(ROBOT, row.tolist()).items():
            assert at[frame, clip.skeleton.index(name)] == pytest.approx([x, z, -y], abs=1e-8)


@given(st.integers(0, 10**6))
def test_what_is_read_is_written_back(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """The numbers agree to nine decimals, apart from the sign of the root's quaternion."""
    folder, table = tmp_path_factory.mktemp("mj"), rows(seed)
    save(load(written(folder, table)), folder / "back.qpos.csv")
    back = np.genfromtxt(folder / "back.qpos.csv", delimiter=",", skip_header=1)[:, 1:]
    table[:, 3:7] *= np.sign((table[:, 3:7] * back[:, 3:7]).sum(axis=1, keepdims=True))
    assert back == pytest.approx(table, abs=2e-9)
    head = (folder / "back.qpos.csv").read_text().split("\n", 1)[0].split(",")
    assert head[:9] == ["time", "root_x", "root_y", "root_z", "base_qw", "base_qx", "base_qy", "base_qz",
                        "left_hip_pitch_joint"]  # fmt: skip


def test_mujoco_agrees(tmp_path: Path) -> None:
    """Bodies are where MuJoCo's own kinematics place them."""
    mujoco = pytest.importorskip("mujoco")
    table = rows(4)
    clip = load(written(tmp_path, table))
    model = mujoco.MjModel.from_xml_string(
        ROBOT.replace('angle="radian"', 'angle="radian" boundmass="0.1" boundinertia="0.01"')
    )
    data = mujoco.MjData(model)
    at = world_positions(clip)
    for frame, row in enumerate(table):
        data.qpos[:] = row
        mujoco.mj_kinematics(model, data)
        for joint, body in enumerate(read_model(tmp_path / "walk.xml").bodies):
            hinge = body.joints and body.joints[0].kind == "hinge"
            x, y, z = (
                data.xanchor[model.joint(body.joints[0].name).id]
                if hinge
                else data.xpos[model.body(body.name).id]
            )
            assert at[frame, joint] == pytest.approx([x, z, -y], abs=1e-8)


@given(st.integers(0, SEEDS), st.integers(1, 12))
def test_segues_own_model_closes_the_circle(
    tmp_path_factory: pytest.TempPathFactory, seed: int, joints: int
) -> None:
    """Any body written as a model is restored: positions, names, rate and bone tips."""
    rng = np.random.default_rng(seed)
    clip = any_clip(rng, any_body(rng, joints), 4)
    path = tmp_path_factory.mktemp("mj") / "a.xml"
    save(clip, path)
    again = load(path)
    order = [again.skeleton.index(name) for name in clip.skeleton.names]
    size = max(1.0, float(np.abs(world_positions(clip)).max()))
    assert np.abs(world_positions(again)[:, order] - world_positions(clip)).max() < 1e-6 * size
    assert again.fps == pytest.approx(clip.fps, rel=1e-12)


@pytest.mark.parametrize("mark", [",", ";", "\t", " "])
@pytest.mark.parametrize("head", ["", "head"])
@pytest.mark.parametrize("fps", [None, 30.0])
def test_tables_as_others_write_them(tmp_path: Path, mark: str, head: str, fps: float | None) -> None:
    """Tables are read with or without seconds, with or without a header, with any separator."""
    names = [f"q{k}" for k in range(N)]
    line = mark.join((["time"] if fps else []) + names) if head else ""
    path = written(tmp_path, rows(1), fps=fps, head=line, mark=mark)
    assert load(path, fps=None if fps else 30.0).fps == 30.0
    assert load(path, fps=30.0).n_frames == 8


def test_a_walk_on_a_robot(tmp_path: Path) -> None:
    """A walk carried over is written as angles within their ranges; thighs, shins and hands point the same way."""
    (tmp_path / "robot.xml").write_text(ROBOT)
    body = convert.body_of(str(tmp_path / "robot.xml"), [])
    moved = convert.on_body(sample("walk", 30.0), body)
    save(moved, tmp_path / "walk.qpos.csv")
    again = load(tmp_path / "walk.qpos.csv", skeleton=tmp_path / "robot.xml")
    pitch = np.genfromtxt(tmp_path / "walk.qpos.csv", delimiter=",", names=True)["left_hip_pitch_joint"]
    assert -2.5 <= pitch.min() < pitch.max() <= 2.8
    # The three hinges of a hip share its rotation: below the last of them it is the thigh's.
    for link, most in (("hip_yaw", 0.1), ("knee", 10), ("wrist_roll", 6)):
        for side in ("left", "right"):
            joint = again.skeleton.index(f"{side}_{link}_link")
            turns = [world(one).rotations[:, joint] for one in (moved, again)]
            assert np.degrees(2 * half_angle(*turns)).max() < most, link


def test_a_folder_counts_the_table_and_not_the_model(tmp_path: Path) -> None:
    """Other tables are not motion."""
    written(tmp_path, rows(1))
    (tmp_path / "path.csv").write_text("x,z\n0,0\n")
    assert [path.name for path in motion_files([tmp_path])] == ["walk.qpos.csv"]


def test_a_model_at_rest(tmp_path: Path) -> None:
    """The body is as the model is with all angles zero."""
    (tmp_path / "robot.xml").write_text(ROBOT)
    clip = resting_model(tmp_path / "robot.xml")
    zero = [0.0, 0.0, 0.79, 1.0] + [0.0] * (N - 4)
    for name, (x, y, z) in naive.places(ROBOT, zero).items():
        assert world_positions(clip)[0, clip.skeleton.index(name)] == pytest.approx([x, z, -y], abs=1e-8)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<worldbody>", "<worldbdy>", "is no XML"),
        ('<mujoco model="robot">', "<!DOCTYPE a><mujoco>", "declares entities"),
        ('axis="0 1 0"', 'axis="0 0 0"', "has no direction"),
        ('axis="0 1 0"', 'axis="0 1"', "3 numbers"),
        ('axis="0 1 0"', 'axis="0 nan 0"', "3 numbers"),
        ('<freejoint name="base"/>', '<joint type="free" name="base"/><joint type="screw"/>', "type 'screw'"),
        ('<freejoint name="base"/>', '<include file="x.xml"/>', "one file"),
        ('quat="0.995004165278 0 -0.099833416647 0"', 'quat="0 0 0 0"', "no direction"),
    ],
)
def test_models_that_cannot_be_followed(tmp_path: Path, old: str, new: str, message: str) -> None:
    """Each is refused with one sentence about the model."""
    path = written(tmp_path, rows(1))
    (tmp_path / "walk.xml").write_text(ROBOT.replace(old, new, 1))
    with pytest.raises(FileError, match=message) as caught:
        load(path)
    assert caught.value.path.name == "walk.xml"


def test_tables_that_do_not_fit(tmp_path: Path) -> None:
    """The message names the line, and what the model needs."""
    path = written(tmp_path, rows(1))
    whole = path.read_text().splitlines()
    for lines, note in (
        ([whole[0], whole[1] + ",1"], r"csv:2: frame 1 has 32 columns; it needs 31"),
        (["1,2,3"], r"csv:1: has 3 columns; the model walk.xml needs 30"),
        ([whole[0].replace(whole[0].split(",")[9], "x")], r"frame 0: 'x' is not a number"),
        ([",".join(["0"] * 31)], r"csv:1: frame 0: the turn of body 'pelvis' is no unit quaternion"),
        (["time,a"], "no frames under its head line"),
        ([""], "is empty"),
        ([whole[0]], "states no frame rate"),
    ):
        path.write_text("\n".join(lines) + "\n")
        with pytest.raises(FileError, match=note):
            load(path)
    (tmp_path / "walk.xml").unlink()
    with pytest.raises(FileError, match=r"save it as walk\.xml in the same folder"):
        load(path)
    with pytest.raises(FileError, match="is for the body of a MuJoCo model"):
        save(sample("walk"), tmp_path / "b.qpos.csv")


def test_a_motion_of_a_table_is_replayed(tmp_path: Path) -> None:
    """The record stores the table and its model, a library both; a changed model is named."""
    from segue.app.record import source_of
    from segue.app.replay import found_source
    from segue.library.library import Library

    source = source_of(load(written(tmp_path, rows(1))))
    assert found_source(source, None) == str(tmp_path / "walk.qpos.csv")
    with Library.open(tmp_path / "a.segue") as library:
        assert library.add(tmp_path).new == ("walk",)
        assert library.add(tmp_path).same == ("walk",)
        (tmp_path / "walk.xml").write_text(ROBOT.replace("0.79", "0.80"))
        assert library.add(tmp_path).changed == ("walk",)
    with pytest.raises(FileError, match=r"this skeleton of walk\.qpos\.csv has changed"):
        found_source(source, None)


def test_a_folder_becomes_tables(tmp_path: Path) -> None:
    """``--to qpos.csv`` writes one table per clip."""
    (tmp_path / "robot.xml").write_text(ROBOT)
    body = convert.body_of(str(tmp_path / "robot.xml"), [])
    jobs = convert.plan(["sample:walk", "sample:run"], tmp_path / "out", to="qpos.csv")
    done = convert.convert(jobs, convert.Changes(body=body, fps=20.0))
    assert [one.error for one in done] == ["", ""]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["run.qpos.csv", "walk.qpos.csv"]
