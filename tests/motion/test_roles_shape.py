"""Roles by shape: bodies without names in many poses, axes and with extra joints; objects that are no bodies."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given as sampled
from hypothesis import strategies as st

from naive import tree as naive
from roles_schemes import SCHEMES, built
from roles_variants import KINDS, changed, nameless, turn, variant
from segue.motion.role_limbs import Tree
from segue.motion.role_shape import roles_by_shape
from segue.motion.roles import NEEDED, SIDES, roles
from segue.motion.samples import sample
from segue.motion.skeleton import EndSite, Skeleton


def counted(kind: str, rng: np.random.Generator) -> tuple[Counter[str], list[float], list[float]]:
    """Right, wrong and swapped limb roles of every scheme, and the confidence of right and wrong ones."""
    score: Counter[str] = Counter()
    sure: list[float] = []
    unsure: list[float] = []
    for label in SCHEMES:
        body, skeleton = variant(label, kind, rng)
        bare, place = nameless(skeleton, rng)
        found = roles(bare)
        for role, name in body.roles.items():
            side, _, part = role.partition("_")
            if side not in SIDES:
                continue
            want = place[skeleton.names.index(name)]
            right = found.get(role) == want
            score["right" if right else "wrong"] += 1
            score["swapped"] += found.get(f"{'right' if side == 'left' else 'left'}_{part}") == want
            if role in found:
                (sure if right else unsure).append(found.confidence[role])
    return score, sure, unsure


@pytest.mark.parametrize("kind", KINDS)
def test_limbs_are_found_without_names(kind: str, rng: np.random.Generator) -> None:
    """For any pose, axes, unit and extra joints, 95 % of limb roles are found and no side is swapped."""
    score, _, _ = counted(kind, rng)
    assert score["swapped"] == 0
    assert score["right"] >= 0.95 * (score["right"] + score["wrong"]), score


def test_confidence_is_lower_where_shape_errs(rng: np.random.Generator) -> None:
    """Right roles have higher confidence than wrong ones, and bodies with bones along an axis have low confidence."""
    sure: list[float] = []
    unsure: list[float] = []
    for kind in ("no bone tips", "every bone up to 15 % longer or shorter", "A-pose"):
        _, right, wrong = counted(kind, rng)
        sure += right
        unsure += wrong
    assert np.mean(sure) > np.mean(unsure) + 0.1
    _, laid, _ = counted("bones along Y", rng)
    assert np.mean(laid) < 0.6 < np.mean(sure)


@sampled(
    st.integers(0, 2**32 - 1),
    st.floats(0.0, 6.28),
    st.floats(1e-3, 1e3),
    st.sampled_from(["Unreal 5", "SMPL", "CMU"]),
)
def test_order_scale_and_heading_change_nothing(seed: int, angle: float, scale: float, label: str) -> None:
    """The same joints get the same roles and confidence in any sibling order, unit and heading."""
    body = built(label).skeleton()
    first = roles_by_shape(body)
    bare, place = nameless(changed(body, scale * turn(1, angle)), np.random.default_rng(seed))
    again = roles_by_shape(bare)
    assert again.joints == {role: place[joint] for role, joint in first.joints.items()}
    assert again.confidence == pytest.approx(first.confidence, abs=0.02)


def test_a_pose_without_a_face_leaves_the_side_a_guess() -> None:
    """Without feet, face and thumbs the body is assumed to face +Z, and that is reported."""
    body = built("DeepMimic")
    body.tips = {name: np.array([0.0, -0.1, 0.0]) for name in body.tips}
    for name in body.names:
        body.place[name][2] = 0.0
    bare, place = nameless(body.skeleton(), np.random.default_rng(1))
    found = roles(bare)
    assert found["left_hip"] == place[body.skeleton().names.index("left_hip")]
    assert found.confidence["left_hip"] <= 0.5
    assert any("guess" in cost for cost in found.costs)


def test_the_face_tells_the_side_where_feet_do_not() -> None:
    """Eyes in front of the head determine the facing of a body that has no feet."""
    body = built("SMPL-X")
    for side in SIDES:
        ankle, toe = (body.roles[f"{side}_{part}"] for part in ("ankle", "toe"))
        body.names.remove(toe)
        body.tips.pop(toe, None)
        body.tips[ankle] = np.array([0.0, -0.05, 0.0])
    turned = changed(body.skeleton(), turn(1, np.pi))
    bare, place = nameless(turned, np.random.default_rng(2))
    shape = roles_by_shape(bare)
    assert shape.facing is not None
    assert shape.facing.by == "face"
    assert shape.joints["left_knee"] == place[turned.names.index(body.roles["left_knee"])]


def hand() -> Skeleton:
    """A hand alone: four equal fingers and a thumb on a wrist."""
    names, parents, offsets = ["wrist"], [-1], [[0.0, 0.0, 0.0]]
    for finger in range(4):
        for bone, length in enumerate((0.09, 0.045, 0.03, 0.025)):
            parents.append(0 if bone == 0 else len(names) - 1)
            offsets.append([0.02 * (finger - 1.5) if bone == 0 else 0.0, -length, 0.0])
            names.append(f"{finger}{bone}")
    return Skeleton(names, parents, offsets)


def dog() -> Skeleton:
    """Four legs under a level spine, a head and a tail."""
    names, parents, offsets = ["pelvis", "back", "withers", "neck", "skull"], [-1, 0, 1, 2, 3], []
    offsets += [[0, 0.6, 0], [0, 0, 0.3], [0, 0, 0.3], [0, 0.15, 0.1], [0, 0.05, 0.15]]
    for trunk, sign in ((0, 1), (0, -1), (2, 1), (2, -1)):
        for bone, offset in enumerate(
            ([0.1 * sign, -0.05, 0], [0, -0.25, 0.02], [0, -0.22, -0.03], [0, -0.05, 0.06])
        ):
            parents.append(trunk if bone == 0 else len(names) - 1)
            offsets.append(offset)
            names.append(f"{trunk}{sign}{bone}")
    return Skeleton(names, parents, offsets)


def chain(count: int) -> Skeleton:
    """A rope."""
    return Skeleton(
        [f"b{n}" for n in range(count)], range(-1, count - 1), np.tile([0.0, -0.1, 0.0], (count, 1))
    )


@pytest.mark.parametrize("thing", [hand(), dog(), chain(1), chain(12)], ids=["hand", "dog", "ball", "rope"])
def test_what_is_no_person_gets_no_legs(thing: Skeleton) -> None:
    """A hand, a dog, a ball and a rope lack the roles that make a person, and the consequence is reported."""
    found = roles(thing)
    assert not set(NEEDED) <= set(found)
    assert "not aligned" in found.costs[0]


def test_legs_alone_are_found() -> None:
    """A body without arms has legs if they go down to the ground."""
    body = built("Xsens MVNX")
    gone = [
        name for role, name in body.roles.items() if role.endswith(("clavicle", "shoulder", "elbow", "wrist"))
    ]
    body.names = [name for name in body.names if name not in gone]
    body.tips = {name: tip for name, tip in body.tips.items() if name not in gone}
    bare, place = nameless(body.skeleton(), np.random.default_rng(3))
    found = roles(bare)
    assert found["right_knee"] == place[body.skeleton().names.index("RightLowerLeg")]
    assert any("shoulders" in cost for cost in found.costs)


@pytest.mark.parametrize("label", ["CMU", "MakeHuman", "Rigify DEF"])
def test_lengths_equal_a_walk_over_every_way(label: str) -> None:
    """Reach, longest path and size of a tree equal those found by trying every path."""
    skeleton = built(label).skeleton()
    tree = Tree(skeleton)
    parents, lengths = skeleton.parents.tolist(), np.linalg.norm(skeleton.offsets, axis=1).tolist()
    tips = [0.0] * skeleton.n_joints
    for site in skeleton.end_sites:
        tips[site.joint] = float(np.linalg.norm(site.offset))
    assert tree.size == pytest.approx(naive.size(parents, lengths, tips))
    for joint in range(1, skeleton.n_joints):
        length, joints = naive.longest_down(parents, lengths, tips, joint)
        assert tree.arm[joint] == pytest.approx(lengths[joint] + length)
        assert tree.reach(tree.path(joint)) == pytest.approx(lengths[joint] + length)
        assert tree.below[joint] == len(tree.subtree(joint))
        assert len(tree.path(joint)) >= len(joints)
    for a, b in ((3, 7), (0, 5), (9, 4)):
        meet = tree.meeting(a, b)
        assert meet == next(j for j in naive.ancestors(parents, a) if j in naive.ancestors(parents, b))
        distance = tree.distance(meet, a) + tree.distance(meet, b)
        assert distance == pytest.approx(naive.distance(parents, lengths, a, b))


def test_an_end_site_is_part_of_a_limb() -> None:
    """Where a file ends an arm at the elbow with a tip, there is no wrist, and hands stay in line."""
    body = built("Poser")
    for side in SIDES:
        wrist, elbow = body.roles[f"{side}_wrist"], body.roles[f"{side}_elbow"]
        body.names.remove(wrist)
        del body.tips[wrist]
        body.tips[elbow] = body.place[wrist] - body.place[elbow]
    bare, place = nameless(body.skeleton(), np.random.default_rng(4))
    found = roles(bare)
    assert "left_wrist" not in found
    assert found["left_elbow"] == place[body.skeleton().names.index("lForeArm")]
    assert any("hands stay in line" in cost for cost in found.costs)


def test_the_sample_body_is_known_by_shape_alone() -> None:
    """The embedded clips' body keeps its limb roles without its names."""
    body = sample("walk").skeleton
    bare, place = nameless(body, np.random.default_rng(5))
    limbs = {role: joint for role, joint in roles(body).items() if role.split("_")[0] in SIDES}
    assert {role: roles(bare).get(role) for role in limbs} == {
        role: place[joint] for role, joint in limbs.items()
    }


def test_a_zero_sized_body_is_no_body() -> None:
    """A body with all offsets zero has no role but the root's."""
    zero = Skeleton(
        [f"J{n}" for n in range(9)], [-1, 0, 1, 2, 0, 4, 5, 0, 7], np.zeros((9, 3)), [EndSite(3, np.zeros(3))]
    )
    assert dict(roles(zero)) == {"pelvis": 0}
