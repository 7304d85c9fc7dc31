"""Joint positions to rotations: least squares, twists that do not jump, gaps, noise, grown skeletons."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from naive import positions as naive
from random_clips import SEEDS, body, clip
from segue.errors import SkeletonError
from segue.io import load
from segue.io.smpl_body import smpl_skeleton
from segue.maths.quaternions import exp, half_angle, multiply
from segue.motion.kinematics import forward, world_positions
from segue.motion.positions import turning
from segue.motion.positions.fit import bridged, fitted, noise_of, prepared, smoothed
from segue.motion.positions.growing import bone_lengths, grown
from segue.motion.positions.layouts import LAYOUTS, layouts_of
from segue.motion.positions.trees import tree_of
from segue.motion.positions.turning import Aim, hinge_axis, kabsch, turned
from segue.motion.roles import ROLES, roles
from segue.motion.samples import sample


@given(st.integers(0, SEEDS), st.integers(2, 6))
def test_least_squares_turns_are_those_of_the_definition(seed: int, count: int) -> None:
    """The rotation of vectors onto targets fits as well as the naive twin's, which solves an eigenvalue problem."""
    rng = np.random.default_rng(seed)
    rest, targets = rng.normal(0.0, 0.3, (2, 1, count, 3))
    twin = naive.best_turn(targets[0].tolist(), rest[0].tolist())
    both = [
        np.square(targets[0] - rest[0] @ np.array(turn).T).sum() for turn in (twin, kabsch(targets, rest)[0])
    ]
    assert both[1] == pytest.approx(both[0], abs=1e-9)


@given(st.integers(0, SEEDS), st.integers(1, 30))
def test_followed_angles_are_those_of_the_definition(seed: int, frames: int) -> None:
    """Angles carried through frames with weak evidence are the dense solution of the same least squares."""
    rng = np.random.default_rng(seed)
    evidence = rng.uniform(0, 1, frames) ** 4 * np.exp(1j * rng.uniform(-3, 3, frames))
    carried = np.cumsum(rng.normal(0.0, 0.2, frames))
    stiffness = turning._BENT * (turning._SECONDS * 30.0) ** 2
    twin = naive.followed(
        evidence.tolist(), carried.tolist(), stiffness=stiffness, shortest=turning._SHORTEST
    )
    found = turning._followed(evidence, carried, fps=30.0)
    assert np.exp(1j * found) == pytest.approx(np.exp(1j * np.array(twin)), abs=1e-6)


@given(st.integers(0, SEEDS), st.integers(2, 25))
def test_positions_of_any_pose_of_any_body_are_met(seed: int, joints: int) -> None:
    """Exact positions of random poses of a random rig give a motion with the same positions on it."""
    rng = np.random.default_rng(seed)
    skeleton = body(rng, joints)
    half = rng.normal(0.0, 1.0, (6, joints, 3))
    roots = rng.normal(0.0, 2.0, (6, 3))
    places = forward(skeleton, exp(half), roots).positions
    rotations, found = turned(skeleton, Aim(places, np.ones(joints, dtype=bool)), fps=30.0)
    assert np.abs(forward(skeleton, rotations, found).positions - places).max() < 1e-6


@given(st.integers(0, SEEDS))
def test_turning_the_world_turns_the_fit(seed: int) -> None:
    """Positions turned about the vertical and shifted give the same local rotations below the root."""
    rng = np.random.default_rng(seed)
    walk = sample("walk")
    made = clip(rng, walk.skeleton, 12)
    places = world_positions(made)
    angle, shift = rng.uniform(-3, 3), rng.normal(0.0, 2.0, 3)
    c, s = np.cos(angle), np.sin(angle)
    turned_places = places @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]).T + shift
    known = np.ones(walk.skeleton.n_joints, dtype=bool)
    one, other = (turned(walk.skeleton, Aim(each, known), fps=30.0)[0] for each in (places, turned_places))
    assert half_angle(one[:, 1:], other[:, 1:]).max() < 1e-5


def test_joints_that_are_not_known_share_the_rest() -> None:
    """With every second trunk joint and the collar bones unknown, the known joints are met within millimetres."""
    walk = sample("walk")
    places = world_positions(walk)
    found = roles(walk.skeleton)
    known = np.ones(walk.skeleton.n_joints, dtype=bool)
    known[[found["chest"], found["left_clavicle"], found["right_clavicle"]]] = False
    rotations, roots = turned(walk.skeleton, Aim(places, known), fps=walk.fps)
    away = np.linalg.norm(forward(walk.skeleton, rotations, roots).positions - places, axis=-1)
    assert np.median(away[:, known]) < 0.003
    assert away[:, known].max() < 0.03


def test_a_straightened_knee_keeps_its_side() -> None:
    """A leg that straightens and bends again turns its thigh at most 1.5 times as fast as the original motion."""
    walk = sample("walk")
    found = roles(walk.skeleton)
    knee = found["left_knee"]
    half = np.zeros((60, walk.skeleton.n_joints, 3))
    half[:, knee, 0] = 0.5 * np.abs(np.sin(np.linspace(0, 4 * np.pi, 60)))  # bends back, to straight and back
    half[:, found["left_hip"]] = 0.2 * np.sin(np.linspace(0, 2, 60))[:, None]
    places = forward(walk.skeleton, exp(half), np.zeros((60, 3))).positions
    rotations, _ = turned(walk.skeleton, Aim(places, np.ones(walk.skeleton.n_joints, dtype=bool)), fps=30.0)
    hip = found["left_hip"]
    steps = half_angle(rotations[1:, hip], rotations[:-1, hip])
    assert steps.max() < 1.5 * half_angle(exp(half[1:, hip]), exp(half[:-1, hip])).max() + 1e-3


def test_hinges_bend_as_bodies_do() -> None:
    """Elbows bend forwards and knees backwards, whether the arms of the rest pose hang or are held out."""
    for arm in ([1.0, 0, 0], [0, -1.0, 0]):
        limb = np.cumsum([[0, 0, 0], arm, arm], axis=0)
        lower = np.cross(hinge_axis(limb, forward=True), limb[2] - limb[1])
        assert lower[2] > 0.99
    leg = np.array([[0, 0.9, 0], [0, 0.5, 0], [0, 0.1, 0]])
    assert np.cross(hinge_axis(leg, forward=False), [0, -1.0, 0])[2] < -0.99


@given(st.integers(0, SEEDS))
def test_gaps_are_bridged_as_defined(seed: int) -> None:
    """In a gap the offset of a joint from its parent is interpolated evenly; known frames do not change."""
    rng = np.random.default_rng(seed)
    places = rng.normal(0.0, 1.0, (20, 2, 3))
    gone = rng.random(20) < 0.4
    gone[int(rng.integers(20))] = False
    broken = np.array(places)
    broken[gone, 1] = np.nan
    full, unseen = bridged(broken, np.array([-1, 0]))
    offsets = [None if gone[t] else (places[t, 1] - places[t, 0]).tolist() for t in range(20)]
    twin = places[:, 0] + np.array(naive.bridged(offsets))
    assert full[:, 1] == pytest.approx(twin, abs=1e-12)
    assert (unseen[:, 1] == gone).all()
    assert (full[~gone, 1] == places[~gone, 1]).all()


def test_a_root_that_is_lost_follows_the_body() -> None:
    """A pelvis missing for a second of a walk lies within 10 cm of where it was."""
    walk = sample("walk")
    places = world_positions(walk)
    broken = np.array(places)
    broken[20:50, 0] = np.nan
    full, _ = bridged(broken, walk.skeleton.parents)
    assert np.linalg.norm(full[:, 0] - places[:, 0], axis=-1).max() < 0.1


def test_bone_lengths_are_medians(rng: np.random.Generator) -> None:
    """Lengths are the median over the frames that have both ends."""
    places = rng.normal(0.0, 1.0, (31, 3, 3))
    places[3:9, 2] = np.nan
    twin = [naive.median_length(places[:, 0].tolist(), places[:, k].tolist()) for k in (1, 2)]
    assert bone_lengths(places, np.array([-1, 0, 0]))[1:] == pytest.approx(twin, abs=1e-12)


def test_noise_is_measured_and_smoothed(rng: np.random.Generator) -> None:
    """Noise of 1 cm is found within a quarter and reduced below 60 %; a clean walk has almost none."""
    walk = sample("walk")
    places, parents = world_positions(walk), walk.skeleton.parents
    assert np.median(noise_of(places, parents)) < 1e-6
    noisy = places + rng.normal(0.0, 0.01, places.shape)
    found = noise_of(noisy, parents)
    assert np.median(found) == pytest.approx(0.01, rel=0.25)
    quiet, window = smoothed(noisy, found, fps=walk.fps)
    left, before = (np.sqrt(np.square(each - places).mean()) for each in (quiet, noisy))
    assert left < 0.6 * before
    assert 0.05 < window < 0.3


def test_a_grown_body_stands(data: Path) -> None:
    """A skeleton grown from a captured walk is on the floor with legs down, arms out, and lengths as captured."""
    walk = load(data / "asf_amc/16/16_15.amc")
    places = world_positions(walk)
    tree = tree_of(walk.skeleton.names, places)
    skeleton = grown(tree, places)
    found, rest = roles(skeleton), skeleton.rest_positions()
    assert set(ROLES) == set(found)
    assert rest[:, 1].min() == pytest.approx(0.0, abs=1e-9)
    leg = rest[found["left_ankle"]] - rest[found["left_hip"]]
    arm = rest[found["left_wrist"]] - rest[found["left_shoulder"]]
    assert leg[1] / np.linalg.norm(leg) < -0.99
    assert arm[0] / np.linalg.norm(arm) > 0.99
    trunk = rest[found["neck"]] - rest[found["pelvis"]]
    assert trunk[1] / np.linalg.norm(trunk) > 0.95
    own = np.linalg.norm(walk.skeleton.offsets, axis=1)
    lengths = {name: own[joint] for joint, name in enumerate(walk.skeleton.names) if name != "lfemur"}
    for joint in (found["left_knee"], found["right_elbow"], found["head"]):
        assert np.linalg.norm(skeleton.offsets[joint]) == pytest.approx(
            lengths[skeleton.names[joint]], abs=1e-6
        )


def test_a_tree_is_found_from_names_in_any_order(data: Path, rng: np.random.Generator) -> None:
    """Shuffled joints of a captured body get the same tree as in their own order."""
    walk = load(data / "misc/bvhtoolbox/walk01.bvh")
    places, names = world_positions(walk), walk.skeleton.names
    order = rng.permutation(len(names))
    shuffled = [names[k] for k in order]
    tree = tree_of(shuffled, places[:, order])
    above = {name: tree.names[tree.parents[k]] if k else "" for k, name in enumerate(tree.names)}
    own = {name: names[walk.skeleton.parents[k]] if k else "" for k, name in enumerate(names)}
    assert above == own


@pytest.mark.parametrize("joints", [22, 24, 52, 55])
def test_trees_of_models_are_found_from_their_names(joints: int) -> None:
    """Bodies with fingers and faces get the tree of their models from the names alone."""
    model = smpl_skeleton(joints)
    tree = tree_of(model.names, np.stack([model.rest_positions()] * 3))
    above = {name: tree.names[tree.parents[k]] for k, name in enumerate(tree.names) if k}
    assert above == {name: model.names[model.parents[k]] for k, name in enumerate(model.names) if k}
    assert tree.made == ()


@pytest.mark.parametrize("spelt", ["left_foot_index", "LEFT_FOOT_INDEX", "LeftFootIndex"])
def test_key_points_hang_where_they_belong(spelt: str) -> None:
    """Heels and toes are children of ankles, fingers of wrists, faces of a head between the ears, in any spelling."""
    layout = next(each for each in LAYOUTS if each.label == "MediaPipe")
    names = [name.replace("toe", "foot_index") for name in layout.names]
    if spelt.isupper():
        names = [name.upper() for name in names]
    elif "_" not in spelt:
        names = ["".join(word.title() for word in name.split("_")) for name in names]
    tree = tree_of(names, in_layout(layout))
    above = {
        name.lower().replace("_", ""): tree.names[tree.parents[k]].lower().replace("_", "")
        for k, name in enumerate(tree.names)
    }
    for joint, parent in (("leftpinky", "leftwrist"), ("rightheel", "rightankle"), ("nose", "head")):
        assert above.get(joint, "") == parent
    assert tree.roles["left_toe"] == spelt
    assert tree.made == ("pelvis", "chest", "head")


@pytest.mark.parametrize("layout", LAYOUTS, ids=[each.label for each in LAYOUTS])
def test_layouts_tell_themselves_apart(layout: object, rng: np.random.Generator) -> None:
    """A walk in the order of a layout, with 1 cm of noise and any axes, is recognised as that layout only."""
    from segue.motion.positions.layouts import Layout

    assert isinstance(layout, Layout)
    points = in_layout(layout) + rng.normal(0.0, 0.01, (1, 1, 1))
    noisy = points + rng.normal(0.0, 0.01, points.shape)
    for axes in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        assert [each.label for each in layouts_of(1000.0 * noisy[..., axes])] == [layout.label]
    tree = tree_of(layout.names, noisy)
    made = fitted(prepared(tree, noisy, fps=30.0))
    found = roles(made.skeleton)
    assert {"pelvis", "left_hip", "left_ankle", "right_knee", "left_wrist", "right_elbow"} <= set(found)


def in_layout(layout: object) -> np.ndarray:
    """Positions (F, P, 3) of the sample walk in the order of a layout, with plausible faces and hands added."""
    from segue.motion.positions.layouts import Layout

    assert isinstance(layout, Layout)
    walk = sample("walk")
    at, found = world_positions(walk), roles(walk.skeleton)
    left = at[:, found["left_hip"]] - at[:, found["right_hip"]]
    left /= np.linalg.norm(left, axis=-1, keepdims=True)
    up = np.broadcast_to([0.0, 1.0, 0.0], left.shape)
    front = np.cross(left, up)
    words = {"clavicle": "collar", "toe": "foot"}
    by_name = {role: at[:, joint] for role, joint in found.items()}
    by_name |= {
        role.replace(a, b): place
        for role, place in list(by_name.items())
        for a, b in words.items()
        if a in role
    }
    trunk = at[:, found["pelvis"]], at[:, found["neck"]]
    for k, share in ((1, 0.25), (2, 0.5), (3, 0.8)):
        by_name[f"spine{k}"] = trunk[0] + share * (trunk[1] - trunk[0])
    by_name["spine"], by_name["chest"] = by_name["spine2"], trunk[1]
    head = by_name["head"] + 0.1 * up
    by_name["neck"] = trunk[1] + 0.1 * up + 0.03 * front
    by_name["head"], by_name["nose"] = head, head + 0.1 * front
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for k, word in enumerate(("eye_inner", "eye", "eye_outer")):
            by_name[f"{side}_{word}"] = head + 0.09 * front + sign * (0.02 + 0.015 * k) * left + 0.03 * up
        by_name[f"{side}_ear"] = head + sign * 0.07 * left
        by_name[f"{side}_mouth"] = head + 0.09 * front + sign * 0.02 * left - 0.05 * up
        wrist, elbow = by_name[f"{side}_wrist"], by_name[f"{side}_elbow"]
        along = (wrist - elbow) / np.linalg.norm(wrist - elbow, axis=-1, keepdims=True)
        for word, aside in (("pinky", -0.03), ("index", 0.03), ("thumb", 0.05), ("hand", 0.0)):
            by_name[f"{side}_{word}"] = wrist + 0.08 * along + aside * front
        ankle = by_name[f"{side}_ankle"]
        by_name[f"{side}_heel"] = ankle - 0.05 * up - 0.04 * front
        by_name[f"{side}_foot_mid"] = 0.5 * (ankle + by_name[f"{side}_toe"])
    return np.stack([by_name[name] for name in layout.names], axis=1)


@pytest.mark.parametrize(
    ("names", "parents", "words"),
    [
        (["a", "b", "c"], None, "no joint is named like a left hip"),
        (["a", "b", "c"], [-1, -1, 0], "the parents give 2 roots"),
        (["a", "b", "c", "d"], [-1, 2, 3, 1], "form a cycle at 'b'"),
        (["a", "b", "c"], [-1, 0], "need as many whole numbers"),
    ],
)
def test_what_is_no_tree_is_refused(names: list[str], parents: list[int] | None, words: str) -> None:
    """Names without legs and parents that are no tree are refused."""
    with pytest.raises(SkeletonError, match=words):
        tree_of(names, np.zeros((2, len(names), 3)), parents=parents)


def test_captured_motion_comes_back(data: Path) -> None:
    """Positions of a captured run give its joints on a body grown from them, without faster rotations."""
    run = load(data / "asf_amc/16/16_35.amc")
    places = world_positions(run)
    made = fitted(prepared(tree_of(run.skeleton.names, places), places, fps=run.fps))
    order = [run.skeleton.index(name) for name in made.skeleton.names]
    assert np.linalg.norm(world_positions(made) - places[:, order], axis=-1).max() < 2e-3

    def fastest(q: np.ndarray) -> float:
        return float(np.percentile(half_angle(q[1:], q[:-1]), 99.9))

    assert fastest(made.rotations) < 1.5 * fastest(run.rotations)


def test_a_twist_of_the_trunk_is_shared() -> None:
    """A chest rotated against the pelvis rotates the spine between them by a share of the angle."""
    walk = sample("walk")
    found = roles(walk.skeleton)
    half = np.zeros((3, walk.skeleton.n_joints, 3))
    half[:, found["chest"], 1] = 0.3
    rotations = multiply(exp(half), exp(0 * half))
    places = forward(walk.skeleton, rotations, np.zeros((3, 3))).positions
    made, _ = turned(walk.skeleton, Aim(places, np.ones(walk.skeleton.n_joints, dtype=bool)), fps=30.0)
    turn = 2.0 * half_angle(made[0, found["spine"]], np.array([1.0, 0, 0, 0]))
    assert 0.1 < turn < 0.5


def test_public_door() -> None:
    """`segue.from_positions` is the documented function."""
    assert segue.from_positions.__module__ == "segue.synthesis.from_positions"
