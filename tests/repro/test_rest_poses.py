"""Rest poses that do not stand: everything that needs a standing body uses a reference found in the motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rerigged import along_x, as_frame, posed
from segue.arrays import Floats, Positions
from segue.io import load, save
from segue.motion.clip import Clip
from segue.motion.facing import heading
from segue.motion.faults import find_faults
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world, world_positions
from segue.motion.mirror import mirror
from segue.motion.reference import standing, stands, stood, unstood, with_reference
from segue.motion.roles import roles
from segue.motion.samples import sample
from segue.synthesis.feet.planting import plant_feet
from segue.synthesis.loop import loop
from segue.synthesis.retarget import retarget

KINDS = {
    "all bones along X": along_x,
    "along X and rolled": lambda clip: along_x(clip, roll=2.0),
    "bows": lambda clip: posed(clip, ("Spine", (1.0, 0.0, 0.0), 40.0)),
    "bends back": lambda clip: posed(clip, ("Hips", (1.0, 0.0, 0.0), -35.0)),
    "lies": lambda clip: posed(clip, ("Hips", (1.0, 0.0, 0.0), -90.0)),
    "lies on its side": lambda clip: posed(clip, ("Hips", (0.0, 0.0, 1.0), 90.0)),
    "stands on its head": lambda clip: posed(clip, ("Hips", (1.0, 0.0, 0.0), 180.0)),
    "sits": lambda clip: posed(
        clip, ("LeftUpLeg", (1.0, 0.0, 0.0), -80.0), ("RightUpLeg", (1.0, 0.0, 0.0), -80.0)
    ),
    "a frame of the motion": lambda clip: as_frame(clip, 40),
    "a frame of a turn": lambda clip: as_frame(posed(clip, ("Hips", (0.0, 1.0, 0.0), 70.0)), 40),
}


def trunk(clip: Clip) -> Positions:
    """Unit vectors (F, 3) from the middle of the hips to the neck."""
    found, at = roles(clip.skeleton), world_positions(clip)
    up = at[:, found["neck"]] - 0.5 * (at[:, found["left_hip"]] + at[:, found["right_hip"]])
    out: Positions = up / np.linalg.norm(up, axis=1, keepdims=True)
    return out


def apart(a: Clip, b: Clip) -> float:
    """Largest angle in degrees between the trunks of two motions, frame by frame."""
    cos: Floats = np.sum(trunk(a) * trunk(b), axis=1)
    return float(np.degrees(np.arccos(np.clip(cos, -1.0, 1.0))).max())


@pytest.fixture(scope="module", params=list(KINDS))
def pair(request: pytest.FixtureRequest) -> tuple[Clip, Clip]:
    """A walk, and the same walk on a body with another rest pose and its found reference."""
    walk = sample("walk")
    odd = KINDS[request.param](walk)
    assert not stands(odd.skeleton)
    return walk, with_reference(odd)


def test_the_stance_stands_and_the_motion_is_as_it_was(pair: tuple[Clip, Clip]) -> None:
    """The reference body stands, facing +Z, and every joint of the motion on it is where it was."""
    walk, odd = pair
    assert odd.skeleton.reference is not None
    assert stands(standing(odd.skeleton))
    assert np.abs(world_positions(stood(odd)) - world_positions(walk)).max() < 1e-9
    back = unstood(stood(odd), odd.skeleton)
    assert np.abs(world(back).rotations - world(odd).rotations).max() < 1e-9


def test_heels_toes_and_headings_are_those_of_the_standing_rig(pair: tuple[Clip, Clip]) -> None:
    """Heels agree within 2 cm, toes exactly, and the heading within a degree, with those of the standing rig."""
    walk, odd = pair
    ours, theirs = (foot_positions(clip.skeleton, world(clip)) for clip in (odd, walk))
    away = np.linalg.norm(ours - theirs, axis=2).max(axis=0)
    assert away[[0, 2]].max() < 0.02
    assert away[[1, 3]].max() < 1e-6
    turned = heading(odd) - heading(walk)
    assert np.abs((turned + np.pi) % (2 * np.pi) - np.pi).max() < np.radians(1.0)


def test_the_mirror_image_is_that_of_the_standing_rig(pair: tuple[Clip, Clip]) -> None:
    """No mirrored joint is farther than 2 cm from the standing rig's; mirrored twice the motion is the original."""
    walk, odd = pair
    away = np.linalg.norm(world_positions(mirror(odd)) - world_positions(mirror(walk)), axis=2)
    assert away.max() < 0.02
    assert np.abs(world_positions(mirror(mirror(odd))) - world_positions(odd)).max() < 1e-6
    assert mirror(odd).skeleton is odd.skeleton


def test_a_mirrored_body_is_a_reflection(pair: tuple[Clip, Clip]) -> None:
    """With the body mirrored too every position is the partner's reflection: distances between joints are kept."""
    _, odd = pair
    there, here = world_positions(mirror(odd, body="mirrored")), world_positions(odd)
    for joint in (3, 9, odd.skeleton.n_joints - 1):
        gaps = [np.linalg.norm(at - at[:, [joint]], axis=2) for at in (there, here)]
        assert np.abs(gaps[0] - gaps[1]).max() < 1e-9


def test_the_trunk_is_carried_over(pair: tuple[Clip, Clip]) -> None:
    """Retargeted from and to such a body, the trunk stays within 3 degrees of the source's."""
    walk, odd = pair
    other = posed(sample("run"), ("LeftArm", (0.0, 0.0, 1.0), -45.0))
    assert stands(other.skeleton)
    assert apart(odd, retarget(odd, other.skeleton)) < 3.0
    assert apart(other, retarget(other, odd.skeleton)) < 3.0
    assert apart(walk, retarget(walk, odd.skeleton)) < 3.0


def test_loop_and_clean_do_as_on_the_standing_rig(pair: tuple[Clip, Clip]) -> None:
    """The same cycle is cut, and held feet are within 1 cm of the standing rig's."""
    walk, odd = pair
    ours, theirs = loop(odd).cycle, loop(walk).cycle
    assert (ours.start, ours.stop) == (theirs.start, theirs.stop)
    held = [world_positions(plant_feet(clip).clip) for clip in (odd, walk)]
    assert np.abs(held[0] - held[1]).max() < 0.01


def test_a_file_is_read_and_written_as_it_is(pair: tuple[Clip, Clip], tmp_path: Path) -> None:
    """A file with such a rest pose comes back unchanged, whichever axes each pose has in memory."""
    _, odd = pair
    save(odd, tmp_path / "odd.bvh")
    again = load(tmp_path / "odd.bvh", up="Y", unit=0.01)
    rows = [again.skeleton.index(name) for name in odd.skeleton.names]  # files list joints depth first
    long = [
        np.linalg.norm(offsets, axis=1) for offsets in (again.skeleton.offsets[rows], odd.skeleton.offsets)
    ]
    assert np.abs(long[0] - long[1])[1:].max() < 1e-6
    assert np.abs(world_positions(again)[:, rows] - world_positions(odd)).max() < 1e-6
    assert stands(again.skeleton) or again.skeleton.reference is not None
    save(again, tmp_path / "again.bvh")
    assert (tmp_path / "again.bvh").read_text() == (tmp_path / "odd.bvh").read_text()


@pytest.mark.parametrize("kind", ["a frame of the motion", "the first and last frame", "two frames"])
def test_zeros_of_a_rest_pose_in_the_motion_are_no_dropout(kind: str) -> None:
    """A frame equal to the rest pose has zeros in every joint, and is not a fault."""
    run = sample("run", fps=30.0)
    frame = 12 if kind == "a frame of the motion" else 0
    odd = with_reference(as_frame(run, frame))
    rows = np.arange(odd.n_frames)
    if kind != "a frame of the motion":
        rows = np.append(rows[: loop(run).cycle.stop - loop(run).cycle.start], [0])
    rotations = odd.rotations[rows]
    if kind == "two frames":
        rotations[1] = rotations[0]
    clip = Clip(odd.skeleton, rotations, odd.root_positions[: len(rows)], odd.fps)
    assert not find_faults(clip).of("dropout")


def test_a_dropout_of_all_joints_is_one_still() -> None:
    """Zeros of every joint in the middle of a walk are found, whatever the rest pose."""
    for clip in (sample("walk", fps=60.0), along_x(sample("walk", fps=60.0))):
        rotations = np.array(clip.rotations)
        rotations[60:63] = [1.0, 0.0, 0.0, 0.0]
        assert find_faults(clip.with_motion(rotations)).of("dropout", "cut", "glitch")
