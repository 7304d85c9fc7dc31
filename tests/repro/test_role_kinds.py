"""Bodies whose names and trees disagree: arms below a shoulder, robots' hips, bodies on four legs."""

from __future__ import annotations

import numpy as np
import pytest

from segue.errors import SkeletonError
from segue.motion.clip import Clip
from segue.motion.feet import leg_length
from segue.motion.kinematics import world_positions
from segue.motion.roles import roles
from segue.motion.samples import sample
from segue.motion.skeleton import EndSite, Skeleton
from segue.synthesis.retarget import retarget

WALK = sample("walk", fps=30.0)


def renamed(call: dict[str, str]) -> Clip:
    """The walk on a body with some joints renamed."""
    body = WALK.skeleton
    names = [call.get(name, name) for name in body.names]
    return WALK.with_skeleton(Skeleton(names, body.parents, body.offsets, body.end_sites))


def with_joint(clip: Clip, name: str, below: str, share: float) -> Clip:
    """Clip with a joint that does not rotate inserted into the bone that leads to ``below``."""
    body = clip.skeleton
    at = body.index(below)
    order = [*range(at), -1, *range(at, body.n_joints)]
    place = {old: new for new, old in enumerate(order)}
    names = [name if old < 0 else body.names[old] for old in order]
    parents, offsets = [], []
    for old in order:
        above = int(body.parents[at if old < 0 else old])
        parents.append(place[-1] if old == at else -1 if above < 0 else place[above])
        bone = body.offsets[at if old < 0 else old]
        offsets.append(share * bone if old < 0 else (1 - share) * bone if old == at else bone)
    sites = [EndSite(place[site.joint], site.offset) for site in body.end_sites]
    rotations = np.insert(clip.rotations, at, [1.0, 0.0, 0.0, 0.0], axis=1)
    return Clip(Skeleton(names, parents, offsets, sites), rotations, clip.root_positions, clip.fps)


ARMS = (
    "arm_stretch",
    "c_arm_fk",
    "bicep",
    "ArmRoll",
    "arm_twist",
    "upper",
    "ArmUpper",
    "brachium",
    "Joint12",
)


@pytest.mark.parametrize("word", ARMS)
@pytest.mark.parametrize("shoulder", ["shoulder_{}", "{}_Shoulder"])
def test_an_arm_of_unknown_name_hangs_on_the_collar_bone(word: str, shoulder: str) -> None:
    """A shoulder with an upper arm below it is the collar bone; its confidence shows that the tree decided."""
    call = {}
    for side, letter in (("Left", "l"), ("Right", "r")):
        call |= {f"{side}Shoulder": shoulder.format(letter), f"{side}Arm": f"{word}_{letter}"}
        call |= {f"{side}ForeArm": f"forearm_{letter}", f"{side}Hand": f"hand_{letter}"}
    clip = renamed(call)
    found = roles(clip.skeleton)
    names = {role: clip.skeleton.names[joint] for role, joint in found.items()}
    for side, letter in (("left", "l"), ("right", "r")):
        assert names[f"{side}_clavicle"] == shoulder.format(letter)
        assert names[f"{side}_shoulder"] == f"{word}_{letter}"
        assert found.confidence[f"{side}_shoulder"] < 1.0
    made = retarget(clip, WALK.skeleton)
    assert np.abs(world_positions(made) - world_positions(WALK)).max() < 1e-6


@pytest.mark.parametrize("fore", ["forearm_stretch", "Joint3", "lower"])
@pytest.mark.parametrize("word", ["arm_stretch", "Joint2", "upper"])
def test_the_collar_bone_is_found_where_the_elbow_has_no_known_name_either(word: str, fore: str) -> None:
    """With names such as Auto-Rig Pro's, or numbers below a shoulder, the tree identifies the joints."""
    call = {}
    for side, letter in (("Left", "l"), ("Right", "r")):
        call |= {f"{side}Shoulder": f"shoulder.{letter}", f"{side}Arm": f"{word}.{letter}"}
        call |= {f"{side}ForeArm": f"{fore}.{letter}", f"{side}Hand": f"hand.{letter}"}
        call |= {f"{side}UpLeg": f"thigh_stretch.{letter}", f"{side}Leg": f"leg_stretch.{letter}"}
    clip = renamed(call)
    found = roles(clip.skeleton)
    assert not found.unknown
    for side, letter in (("left", "l"), ("right", "r")):
        assert clip.skeleton.names[found[f"{side}_clavicle"]] == f"shoulder.{letter}"
        assert clip.skeleton.names[found[f"{side}_shoulder"]] == f"{word}.{letter}"


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
def test_a_twist_joint_below_a_shoulder_is_none(share: float) -> None:
    """If a joint is placed along the upper arm the shoulder stays the shoulder."""
    clip = renamed(
        {
            f"{side}{old}": f"{side}{new}"
            for side in ("Left", "Right")
            for old, new in (("Shoulder", "Thing"), ("Arm", "Shoulder"))
        }
    )
    for side in ("Left", "Right"):
        clip = with_joint(clip, f"{side}Extra", f"{side}ForeArm", share)
    found = roles(clip.skeleton)
    for side in ("left", "right"):
        assert clip.skeleton.names[found[f"{side}_shoulder"]] == f"{side.title()}Shoulder"


ROBOTS = {
    "pitch first": ("hip_pitch", "hip_roll", "hip_yaw"),
    "pitch last": ("hip_yaw", "hip_roll", "hip_pitch"),
    "pitch between": ("hip_yaw", "hip_pitch", "hip_roll"),
    "links": ("hip_pitch_link", "hip_roll_link", "hip_yaw_link"),
    "joints": ("hip_pitch_joint", "hip_roll_joint", "hip_yaw_joint"),
    "in one word": ("HipPitch", "HipRoll", "HipYaw"),
    "without yaw": ("hip_roll", "hip_pitch", "thigh_lower"),
}


@pytest.mark.parametrize("kind", ROBOTS)
def test_robots_hips_are_where_the_thigh_pitches(kind: str) -> None:
    """Of hips split into axes the pitch joint is the hip, whatever joints are above or below it."""
    words = ROBOTS[kind]
    clip = renamed({f"{side}UpLeg": f"{side.lower()}_{words[0]}" for side in ("Left", "Right")})
    for side in ("Left", "Right"):
        clip = with_joint(clip, f"{side.lower()}_{words[1]}", f"{side}Leg", 0.1)
        clip = with_joint(clip, f"{side.lower()}_{words[2]}", f"{side}Leg", 0.2)
    found = roles(clip.skeleton)
    pitch = next(word for word in words if "itch" in word)
    names = [clip.skeleton.names[found[f"{side}_hip"]] for side in ("left", "right")]
    assert names == [f"{side}_{pitch}" for side in ("left", "right")]
    assert leg_length(clip.skeleton) > 0.7 * leg_length(WALK.skeleton)
    made = retarget(clip, WALK.skeleton)
    grown = leg_length(WALK.skeleton) / leg_length(clip.skeleton)
    free = retarget(clip, WALK.skeleton, feet="free")
    assert np.abs(made.root_positions[:, 1] - free.root_positions[:, 1]).max() < 0.04 * grown


def beast(*, back: float = 0.7, leg: float = 0.5, slope: float = 0.0, head: float = 0.3) -> Skeleton:
    """A body on four legs with a person's names: hips behind, shoulders in front, all limbs down."""
    turn = np.array([0.0, np.sin(slope), np.cos(slope)])
    names = ["Hips", "Spine", "Chest", "Neck", "Head"]
    parents, offsets = (
        [-1, 0, 1, 2, 3],
        [[0, leg, 0], 0.5 * back * turn, 0.5 * back * turn, [0, 0.1, head], [0, 0, 0.1]],
    )
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        for words, top, reach in (
            (("UpLeg", "Leg", "Foot", "ToeBase"), 0, leg),
            (("Arm", "ForeArm", "Hand"), 2, leg + back * np.sin(slope)),
        ):
            bones = [
                [sign * 0.08, 0, 0],
                [0, -0.5 * reach, 0.06],
                [0, -0.45 * reach, -0.06],
                [0, -0.05 * reach, 0.08],
            ]
            for k, word in enumerate(words):
                names.append(side + word)
                parents.append(top if k == 0 else len(names) - 2)
                offsets.append(bones[k])
    return Skeleton(names, parents, offsets, [EndSite(4, np.array([0, 0, 0.1]))])


BEASTS = {
    "dog": {},
    "horse": {"back": 1.4, "leg": 1.2, "head": 0.7},
    "weasel": {"back": 0.6, "leg": 0.12},
    "giraffe": {"back": 1.2, "leg": 1.6, "slope": 0.35},
    "rabbit": {"back": 0.3, "leg": 0.2, "slope": -0.2},
}


@pytest.mark.parametrize("kind", BEASTS)
@pytest.mark.parametrize("up", ["Y", "Z"])
@pytest.mark.parametrize("named", [True, False])
def test_bodies_on_four_legs_are_nobody(kind: str, up: str, named: bool) -> None:
    """No joint of an animal has a person's role, with a person's names or without; the cost is reported."""
    body = beast(**BEASTS[kind])
    offsets = np.array(body.offsets)
    if up == "Z":
        offsets = np.stack([offsets[:, 0], -offsets[:, 2], offsets[:, 1]], axis=1)
    names = body.names if named else [f"Joint{k}" for k in range(body.n_joints)]
    body = Skeleton(names, body.parents, offsets)
    found = roles(body)
    assert set(found) <= {"pelvis"}
    assert not named or "four legs" in found.costs[0]
    still = Clip(body, np.tile([1.0, 0, 0, 0], (9, body.n_joints, 1)), np.zeros((9, 3)), 30.0)
    with pytest.raises(SkeletonError, match="cannot be retargeted"):
        retarget(still, WALK.skeleton)


def test_limbs_of_no_lengths_that_a_body_has_are_doubted() -> None:
    """Leg names are followed although the bones are nothing like a leg, and reported as unsure."""
    body = WALK.skeleton
    offsets = np.array(body.offsets)
    for side in ("Left", "Right"):
        offsets[body.index(f"{side}Leg")] *= 0.15
    found = roles(Skeleton(body.names, body.parents, offsets, body.end_sites))
    assert found.confidence["left_knee"] < 0.5
    assert any("unsure of" in sentence and "left_knee" in sentence for sentence in found.costs)
