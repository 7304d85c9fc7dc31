"""User-set roles, the cost of missing ones, and names that do not match between two bodies."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from roles_schemes import built
from segue.errors import FileError, SkeletonError
from segue.io import load
from segue.motion.clip import Clip
from segue.motion.roles import NEEDED, given, roles, roles_from_toml
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton
from segue.synthesis.retarget import retarget


def anonymous() -> Skeleton:
    """A leg and a stump whose names and positions identify nothing."""
    return Skeleton(["A", "B", "C", "D", "E"], [-1, 0, 1, 2, 0], np.zeros((5, 3)))


def test_a_given_role_goes_before_names() -> None:
    """A user-set role takes precedence over a name, has confidence 1, and leaves the original skeleton unchanged."""
    body = sample("walk").skeleton
    ours = given(
        body, {"left_toe": "LeftFoot", "left_ankle": "LeftLeg", "left_knee": "LeftUpLeg", "left_hip": ""}
    )
    found = roles(ours)
    assert body.names[found["left_ankle"]] == "LeftLeg"
    assert (found.how["left_ankle"], found.confidence["left_ankle"]) == ("given", 1.0)
    assert "left_hip" not in found
    assert roles(body).how["left_ankle"] == "name"
    assert body.roles_given == ()


def test_given_roles_add_up() -> None:
    """A second call changes the roles it names and keeps the rest."""
    body = given(given(anonymous(), {"left_hip": "B", "left_knee": "C"}), {"left_knee": "D"})
    found = roles(body)
    assert (found["left_hip"], found["left_knee"], found["pelvis"]) == (1, 3, 0)
    assert found.scheme == "given"


def test_the_trunk_follows_given_limbs() -> None:
    """Where legs and arms are given, pelvis and chest are where they meet."""
    body = built("SMPL")
    skeleton = body.skeleton()
    bare = Skeleton([f"J{n}" for n in range(skeleton.n_joints)], skeleton.parents, 0.0 * skeleton.offsets)
    limbs = {
        r: f"J{skeleton.names.index(n)}" for r, n in body.roles.items() if r.startswith(("left", "right"))
    }
    found = roles(given(bare, limbs))
    assert skeleton.names[found["chest"]] == "Spine3"
    assert skeleton.names[found["pelvis"]] == "Pelvis"


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"left_kne": "A"}, "'left_kne' is no role; nearest: left_knee"),
        ({"left_knee": "Aa"}, "no joint is called 'Aa'; nearest: A"),
        (
            {"left_knee": "A", "right_knee": "A"},
            "joint 'A' is given to the roles 'left_knee' and 'right_knee'",
        ),
    ],
)
def test_wrong_roles_are_refused(mapping: dict[str, str], message: str) -> None:
    """A role or joint that does not exist, and one joint for two roles, are reported with a suggestion."""
    with pytest.raises(SkeletonError, match=message):
        given(anonymous(), mapping)


@pytest.mark.parametrize("head", ["", "[roles]\n"])
def test_roles_come_from_a_file(tmp_path: Path, head: str) -> None:
    """A file of roles is read with or without a heading."""
    path = tmp_path / "roles.toml"
    path.write_text(f'{head}left_hip = "B"\nleft_knee = "C"\nhead = ""\n', "utf-8")
    body = roles_from_toml(path, anonymous())
    assert body.roles_given == (("head", ""), ("left_hip", "B"), ("left_knee", "C"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("left_knee = C", "is no TOML"),
        ("left_knee = 3", "left_knee: expected text, got 3; a role takes one joint name in quotes"),
        ("roles = 3", "a role takes one joint name"),
        ('left_knee = "F"', "no joint is called 'F'"),
        ('knee_left = "C"', "'knee_left' is no role"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    """The message names the file, the error and a fix."""
    path = tmp_path / "roles.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(FileError, match=message) as caught:
        roles_from_toml(path, anonymous())
    assert caught.value.path == path


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        roles_from_toml(tmp_path / "none.toml", anonymous())


@pytest.mark.parametrize(
    ("none", "cost"),
    [
        (("left_toe", "right_toe"), "no toes: the tip of the foot bone stands in"),
        (("left_knee",), "no left_knee: the clip can be viewed and converted, but not aligned"),
        (("right_shoulder",), "no right_shoulder: that arm is left out of costs"),
        (("left_wrist", "right_wrist"), "no wrists: hands stay in line"),
        (("left_clavicle", "right_clavicle"), "no clavicles: shoulder shrugs"),
        (("head",), "no head: it is placed"),
    ],
)
def test_what_is_missing_has_a_price(none: tuple[str, ...], cost: str) -> None:
    """Each missing role is reported with its consequence; a complete body has no costs."""
    body = sample("walk").skeleton
    assert roles(body).costs == ()
    assert any(reported.startswith(cost) for reported in roles(given(body, dict.fromkeys(none, ""))).costs)


def test_without_toes_and_tips_only_heels_are_trusted() -> None:
    """A body that ends at its ankles has heel contacts only, and reports that."""
    body = built("DeepMimic")
    body.tips.clear()
    assert any("heel contacts only" in cost for cost in roles(body.skeleton()).costs)


def test_a_joint_called_otherwise_is_carried_over(cases: Path) -> None:
    """A body whose feet are called ankles takes over a walk; a map is not needed and does not change the result."""
    case = json.loads((cases / "case107-retarget-missing-joint.json").read_text("utf-8"))
    walk = load(cases / "case107-retarget-missing-joint-walk.bvh")
    target = load(cases / "case107-retarget-missing-joint-target.bvh").skeleton
    carried = retarget(walk, target)
    assert carried.n_frames == walk.n_frames
    to = {"LeftFoot": "left_ankle", "RightFoot": "right_ankle"}
    mapped = given(target, {to[theirs]: ours for theirs, ours in case["inputs"]["map"].items()})
    assert np.allclose(retarget(walk, mapped).rotations, carried.rotations)


def test_a_joint_without_partner_is_named_with_candidates(cases: Path) -> None:
    """Where no joint of the target is the ankle, the error names LeftFoot and similar names."""
    walk = load(cases / "case107-retarget-missing-joint-walk.bvh")
    target = load(cases / "case107-retarget-missing-joint-target.bvh").skeleton
    with pytest.raises(SkeletonError, match=r"'LeftFoot' has no partner.*'left_ankle'.*LeftAnkle"):
        retarget(walk, given(target, {"left_ankle": ""}))


def test_given_roles_make_a_nameless_clip_usable() -> None:
    """A clip whose joint names identify nothing is retargeted once its roles are given."""
    walk = sample("walk")
    body = walk.skeleton
    names = [f"J{n}" for n in range(body.n_joints)]
    limbs = {role: f"J{joint}" for role, joint in roles(body).items()}
    nameless = Clip(
        given(Skeleton(names, body.parents, body.offsets, body.end_sites), limbs),
        walk.rotations,
        walk.root_positions,
        walk.fps,
    )
    assert set(NEEDED) <= set(roles(nameless.skeleton))
    assert set(roles(nameless.skeleton).how.values()) == {"given"}
    carried = retarget(nameless, body)
    assert np.allclose(carried.root_positions, walk.root_positions, atol=1e-6)
