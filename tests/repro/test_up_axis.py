"""Files whose up axis is not the usual one, and bodies that lie: all six axes, any root."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from segue import load, save, world_positions
from segue.arrays import Positions
from segue.cli import app
from segue.io.units import UP_AXES
from segue.maths.quaternions import from_axis_angle, multiply, rotate
from segue.motion.clip import Clip, SourceFormat
from segue.motion.faults import find_faults
from segue.motion.roles import roles
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton


def written(clip: Clip, path: Path, *, up: str, rest: str) -> Path:
    """Write a BVH file with ``up`` up in its world and ``rest`` up in its rest pose."""
    save(clip.with_source(SourceFormat(format="bvh", up=up, extra={"rest_up": rest})), path)
    return path


def shifted(clip: Clip, by: tuple[float, float, float]) -> Clip:
    """Clip moved by a shift."""
    return clip.with_motion(root_positions=clip.root_positions + np.array(by))


def turned(clip: Clip, axis: tuple[float, float, float], degrees: float) -> Clip:
    """Clip rotated about the origin."""
    turn = from_axis_angle(np.array(axis), np.radians(degrees))
    rotations = np.array(clip.rotations)
    rotations[:, 0] = multiply(turn, rotations[:, 0])
    return clip.with_motion(rotations, rotate(turn, clip.root_positions))


def apart(a: Clip, b: Clip) -> float:
    """Largest distance in metres between joints of one name; files order joints differently."""
    first, second = (world_positions(clip)[:, np.argsort(np.array(clip.skeleton.names))] for clip in (a, b))
    return float(np.abs(first - second).max())


def offsets(clip: Clip) -> Positions:
    """Offsets of the joints below the root, in the order of their names."""
    found: Positions = clip.skeleton.offsets[1:]
    return found[np.argsort(np.array(clip.skeleton.names[1:]))]


def heights(clip: Clip, role: str) -> Positions:
    """Heights (F,) of the joint of a role."""
    return world_positions(clip)[:, roles(clip.skeleton)[role], 1]


@pytest.mark.parametrize("rest", UP_AXES)
@pytest.mark.parametrize("up", UP_AXES)
def test_every_pair_of_axes_is_read_upright_and_comes_back(tmp_path: Path, up: str, rest: str) -> None:
    """For any up axis of world and rest pose, a walk is upright when read, and the same file when written."""
    walk = sample("walk", 30.0)
    path = written(walk, tmp_path / "walk.bvh", up=up, rest=rest)
    clip = load(path)
    assert clip.source is not None
    assert clip.source.up == up, clip.source.notes
    assert apart(clip, walk) < 1e-5
    assert offsets(clip) == pytest.approx(offsets(walk), abs=1e-6)
    save(clip, tmp_path / "again.bvh")
    first, again = (
        np.array((tmp_path / name).read_text().split("Frame Time:")[1].split(), float)
        for name in ("walk.bvh", "again.bvh")
    )
    assert again == pytest.approx(first, abs=1e-6)


@pytest.mark.parametrize("place", [(0, 0, 0), (0, -0.92, 0), (0, -0.45, 0), (3, -2, 1), (0, 1.4, 0)])
@pytest.mark.parametrize(("up", "rest"), [("Y", "Z"), ("Z", "Y"), ("-Y", "Y"), ("X", "Y"), ("-Z", "Y")])
def test_height_of_joint_0_says_nothing(
    tmp_path: Path, up: str, rest: str, place: tuple[float, float, float]
) -> None:
    """A walk whose root starts at the origin, half a leg down or in the air stands along the axis of its legs."""
    walk = shifted(sample("walk", 30.0), place)
    clip = load(written(walk, tmp_path / "walk.bvh", up=up, rest=rest), root_position="absolute")
    assert clip.source is not None
    assert clip.source.up == up
    assert apart(clip, walk) < 1e-5


@pytest.mark.parametrize("name", ["run", "walk", "walk_turn_left", "step_touch"])
@pytest.mark.parametrize(("up", "rest"), [("Y", "Z"), ("Z", "Y"), ("-Y", "Y"), ("-X", "Z")])
def test_ground_root_above_the_hips(tmp_path: Path, name: str, up: str, rest: str) -> None:
    """A root that travels on the ground below the hips does not hide where the legs stand."""
    walk = sample(name, 30.0)
    skeleton = walk.skeleton
    ground = Skeleton(
        ("Ground", *skeleton.names),
        (-1, *(int(parent) + 1 for parent in skeleton.parents)),
        np.vstack([np.zeros((1, 3)), [[0.0, 0.9, 0.0]], skeleton.offsets[1:]]),
    )
    still = np.zeros((walk.n_frames, 1, 4))
    still[..., 0] = 1.0
    roots = walk.root_positions * [1.0, 0.0, 1.0]
    made = Clip(ground, np.concatenate([still, walk.rotations], axis=1), roots, walk.fps)
    clip = load(written(made, tmp_path / "g.bvh", up=up, rest=rest))
    assert clip.source is not None
    assert clip.source.up == up, clip.source.notes
    assert heights(clip, "head").min() > heights(clip, "left_hip").max()


@pytest.mark.parametrize("z", [-1.2, -0.6, 0.6, 0.8, 0.85, 1.5, 1.9])
@pytest.mark.parametrize("travel", [0.0, 0.35, 2.0])
@pytest.mark.parametrize("side", [90.0, -90.0])
def test_lying_bodies_stay_on_the_floor(tmp_path: Path, z: float, travel: float, side: float) -> None:
    """A body that lies still or crawls along its legs keeps the axis of its rest pose, wherever it is."""
    stand = sample("stand", 30.0)
    lying = turned(stand, (1, 0, 0), side)
    along = np.linspace(0.0, travel, lying.n_frames)[:, None] * [0.0, 0.0, 1.0]
    root = np.array(lying.root_positions) * 0.0 + [0.0, 0.15, z] + along
    made = lying.with_motion(root_positions=root)
    clip = load(written(made, tmp_path / "lying.bvh", up="Y", rest="Y"), root_position="absolute")
    assert clip.source is not None
    assert clip.source.up == "Y", clip.source.notes
    assert apart(clip, made) < 1e-5


@pytest.mark.parametrize("up", ["Y", "Z", "X"])
def test_standing_on_the_hands_is_upright(tmp_path: Path, up: str) -> None:
    """A handstand keeps its axis: the hands are below the head in the frames in which the feet are above the hips."""
    walk = sample("stand", 30.0)
    rotations = np.array(walk.rotations)
    for side in ("Left", "Right"):
        arm = walk.skeleton.index(f"{side}Arm")
        rotations[:, arm] = multiply(from_axis_angle(np.array([1.0, 0.0, 0.0]), np.pi), rotations[:, arm])
    made = turned(walk.with_motion(rotations), (1, 0, 0), 180.0)
    made = shifted(made, (0.0, 2.0, 0.0))
    clip = load(written(made, tmp_path / "hands.bvh", up=up, rest=up), root_position="absolute")
    assert clip.source is not None
    assert clip.source.up == up, clip.source.notes


@pytest.mark.parametrize("height", [0.0, 0.3, 1.5, 1.9])
def test_standing_on_the_head_is_no_other_axis(tmp_path: Path, height: float) -> None:
    """A body that stands on its head, arms at its sides, is read unchanged, and info doubts it."""
    made = turned(sample("stand", 30.0), (1, 0, 0), 180.0)
    made = shifted(made, (0.0, float(-made.root_positions[0, 1]) + height, 0.0))
    clip = load(written(made, tmp_path / "head.bvh", up="Y", rest="Y"), root_position="absolute")
    assert clip.source is not None
    assert clip.source.up == "Y", clip.source.notes
    assert find_faults(clip).of("never_upright")[0].severity == "warning"


@pytest.mark.parametrize(("up", "rest"), [("Y", "Z"), ("Z", "Y"), ("X", "Y")])
def test_half_of_the_frames_low_down(tmp_path: Path, up: str, rest: str) -> None:
    """A walk that is a crouch in two frames of five stands along the axis of the others."""
    walk = sample("walk", 30.0)
    rotations = np.array(walk.rotations)
    low = np.arange(walk.n_frames) % 5 < 2
    across = np.array([1.0, 0.0, 0.0])
    for side in ("Left", "Right"):
        for name, bend in (("UpLeg", -1.9), ("Leg", 2.0)):
            joint = walk.skeleton.index(side + name)
            rotations[low, joint] = multiply(from_axis_angle(across, bend), rotations[low, joint])
    made = walk.with_motion(rotations)
    clip = load(written(made, tmp_path / "low.bvh", up=up, rest=rest))
    assert clip.source is not None
    assert clip.source.up == up, clip.source.notes


def smpl(clip_up: str, tmp_path: Path, place: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Path:
    """Write a walk of an SMPL-like body as an archive with another axis up in its world."""
    from segue.io.smpl_body import smpl_skeleton
    from segue.io.units import _TURN, from_y_up
    from segue.maths.quaternions import conjugate, log
    from segue.synthesis.retarget import retarget

    walk = retarget(sample("walk", 30.0), smpl_skeleton(22))
    rotations = np.array(walk.rotations)
    rotations[:, 0] = multiply(conjugate(np.array(_TURN[clip_up])), rotations[:, 0])
    np.savez(
        tmp_path / "walk.npz",
        poses=(2.0 * log(rotations)).reshape(walk.n_frames, -1),
        trans=from_y_up(walk.root_positions, up=clip_up) + np.array(place),
        mocap_framerate=30.0,
    )
    return tmp_path / "walk.npz"


@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (0.3, -0.2, 4.0), (0.0, 0.9, 0.0)])
@pytest.mark.parametrize("up", UP_AXES)
def test_archives_of_poses_are_upright(tmp_path: Path, up: str, place: tuple[float, float, float]) -> None:
    """Poses in the axes of a camera, a game or AMASS have head over hips over feet, and the same path."""
    clip = load(smpl(up, tmp_path, place))
    assert clip.source is not None
    assert clip.source.up == up
    assert (heights(clip, "head") > heights(clip, "pelvis") + 0.3).all()
    assert (heights(clip, "pelvis") > heights(clip, "left_ankle") + 0.3).all()


@pytest.mark.parametrize("up", UP_AXES)
def test_archives_of_world_places_are_upright(tmp_path: Path, up: str) -> None:
    """World rotations and positions of joints in any axes give the same path, and are upright."""
    from segue.io.units import _TURN, from_y_up
    from segue.maths.quaternions import conjugate, to_matrix
    from segue.motion.kinematics import world

    walk = sample("walk", 30.0)
    at = world(walk)
    np.savez(
        tmp_path / "walk.npz",
        global_rot_mats=to_matrix(multiply(conjugate(np.array(_TURN[up])), at.rotations)),
        posed_joints=from_y_up(at.positions, up=up),
    )
    clip = load(tmp_path / "walk.npz")
    assert clip.source is not None
    assert clip.source.up == up
    assert np.abs(world_positions(clip) - at.positions).max() < 1e-6


@pytest.mark.parametrize("word", ["-Y", "x", "+z", "-Z"])
def test_commands_take_signed_axes(tmp_path: Path, word: str) -> None:
    """The up axis of the files, and of the output, is given with a sign and as X too."""
    written(sample("walk", 30.0), tmp_path / "walk.bvh", up="Y", rest="Y")
    args = [
        "convert",
        str(tmp_path / "walk.bvh"),
        "-o",
        str(tmp_path / "out.bvh"),
        "--in-up",
        word,
        "--up",
        word,
    ]
    made = CliRunner().invoke(app, args)
    assert made.exit_code == 0, made.output
    axis = word.upper().removeprefix("+")
    again = load(tmp_path / "out.bvh", up=axis)
    assert apart(again, load(tmp_path / "walk.bvh", up=axis)) < 1e-5


def test_given_axes_are_taken(tmp_path: Path) -> None:
    """A given axis counts, with a sign and X too, for the world alone."""
    path = written(sample("walk", 30.0), tmp_path / "walk.bvh", up="Y", rest="Y")
    clip = load(path, up="-x")
    assert clip.source is not None
    assert clip.source.up == "-X"
    assert offsets(clip) == pytest.approx(offsets(sample("walk")), abs=1e-6)


@pytest.mark.parametrize("up", ["Z", "-Y", "X", "Y", "-Z"])
def test_what_is_written_from_archives_is_y_up_in_centimetres(tmp_path: Path, up: str) -> None:
    """A BVH file made from an archive has Y up and centimetres by default, whatever the archive has."""
    clip = load(smpl(up, tmp_path))
    save(clip, tmp_path / "out.bvh")
    again = load(tmp_path / "out.bvh")
    assert again.source is not None
    assert (again.source.up, again.source.metres_per_unit) == ("Y", 0.01)
    assert apart(again, clip) < 1e-5
    save(clip, tmp_path / "asked.bvh", up="-Z", unit=1.0)
    asked = load(tmp_path / "asked.bvh")
    assert asked.source is not None
    assert (asked.source.up, asked.source.metres_per_unit) == ("-Z", 1.0)


def test_a_walk_downhill_starts_on_the_ground(tmp_path: Path) -> None:
    """Root positions of a walk that descends two metres are absolute, although its OFFSET is a leg long."""
    walk = sample("walk", 30.0)
    offsets = np.array(walk.skeleton.offsets)
    offsets[0] = [0.0, 0.92, 0.0]
    body = Skeleton(walk.skeleton.names, walk.skeleton.parents, offsets, walk.skeleton.end_sites)
    roots = walk.root_positions - np.linspace(0.0, 2.0, walk.n_frames)[:, None] * [0.0, 1.0, 0.0]
    made = walk.with_skeleton(body).with_motion(root_positions=roots)
    clip = load(written(made, tmp_path / "down.bvh", up="Y", rest="Y"))
    assert np.abs(clip.root_positions - roots).max() < 1e-5
