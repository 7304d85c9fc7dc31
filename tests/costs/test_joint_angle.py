"""The joint-angle cost against its twin written from the thesis, table IV.1, and bodies with other rest poses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import naive.joint_angle as naive  # not "from": what imports twins that way runs with kernels interpreted too
from segue.costs.joint_angle.cost import JointAngleCost, angle_terms
from segue.costs.joint_angle.turns import above, inwards
from segue.costs.joint_angle.weights import NAMED, by_role, joint_weights
from segue.costs.matrix import cost_matrix, prepare_all
from segue.errors import FileError, SettingError, SkeletonError
from segue.io import load
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import conjugate, from_axis_angle, multiply, rotate
from segue.motion.body import stature
from segue.motion.clip import Clip
from segue.motion.facing import moved, rest_heading
from segue.motion.kinematics import world
from segue.motion.resample import cut, resampled
from segue.motion.roles import roles
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton


def for_twin(clip: Clip) -> dict:
    """The clip in the twin's form."""
    return {
        "rotations": clip.rotations.tolist(),
        "roots": clip.root_positions.tolist(),
        "parents": clip.skeleton.parents.tolist(),
        "roles": dict(roles(clip.skeleton)),
        "facing": rest_heading(clip.skeleton),
        "scale": 1.75 / stature(clip.skeleton),
    }


def by_twin(a: Clip, b: Clip, rows, columns, **settings) -> np.ndarray:
    """Costs by the twin; row r is frame r + 1."""
    here, there = for_twin(a), for_twin(b)
    return np.array(
        [naive.joint_angle(here, there, i + 1, j + 1, **settings) for i, j in zip(rows, columns, strict=True)]
    )


@pytest.mark.parametrize(
    ("settings", "twin"),
    [
        ({}, {"weights": naive.ORIGINAL}),
        ({"weights": "optimised"}, {"weights": naive.OPTIMISED}),
        ({"nu": 0.0}, {"weights": naive.ORIGINAL, "nu": 0.0}),
        ({"nu": 7.5, "root": "global"}, {"weights": naive.ORIGINAL, "nu": 7.5, "root": "global"}),
        ({"weights": {"wrist": 2.0, "neck": 0.5}}, {"weights": {"wrist": 2.0, "neck": 0.5}}),
        ({"rate": 15.0}, {"weights": naive.ORIGINAL, "fps": 15.0}),
        ({"rate": 60.0}, {"weights": naive.ORIGINAL, "fps": 60.0}),
    ],
)
def test_every_cell_is_the_twins(rng, settings, twin):
    """Pose and velocity terms, weights, nu, both root terms and other rates equal the definition."""
    made = JointAngleCost(dtype="float64", **settings)
    a, b = (resampled(sample(name, 120.0), made.rate) for name in ("walk_turn_left", "step_touch"))
    pa, pb = prepare_all([a, b], made)
    rows, columns = rng.integers(0, pa.n, 25), rng.integers(0, pb.n, 25)
    expected = by_twin(a, b, rows, columns, **twin)
    np.testing.assert_allclose(made.pairs(pa, pb, rows, columns), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(made.matrix(pa, pb)[rows, columns], expected, rtol=1e-9, atol=1e-12)
    fast = JointAngleCost(**settings)
    bound = 1.2e-6 * (1 + sum(by_role(made.weights).values())) * max(1.0, made.nu)
    assert np.abs(fast.matrix(*prepare_all([a, b], fast))[rows, columns] - expected).max() < bound


@pytest.mark.data
def test_every_cell_is_the_twins_on_real_clips(rng, data):
    """A captured skeleton has joints between those with roles, and bones that rest at an angle."""
    a, b = (resampled(load(data / "asf_amc" / name), 30.0) for name in ("16/16_31.amc", "16/16_36.amc"))
    made = JointAngleCost(dtype="float64")
    pa, pb = prepare_all([a, b], made)
    rows, columns = rng.integers(0, pa.n, 40), rng.integers(0, pb.n, 40)
    expected = by_twin(a, b, rows, columns, weights=naive.ORIGINAL)
    np.testing.assert_allclose(made.pairs(pa, pb, rows, columns), expected, rtol=1e-9)


def test_table_iv_1_by_name():
    """The optimised weights are the printed ones, the original ones those of Lee et al.; others are zero."""
    assert dict(NAMED["optimised"]) == {"hip": 1.0, "knee": 0.0901, "shoulder": 0.7884, "elbow": 0.0247}
    assert dict(NAMED["original"]) == naive.ORIGINAL
    assert (
        by_role("optimised")
        == {f"{side}_{part}": weight for side in ("left", "right") for part, weight in NAMED["optimised"]}
        | {}
    )
    assert len(by_role("original")) == 10


@hypothesis_settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.floats(0.0, np.pi))
def test_one_joint_turned_costs_half_the_angle_squared(seed, angle):
    """A pose against itself with one knee rotated about any axis costs its weight times half the angle squared."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    clip = cut(sample("stand", 30.0), 0, 3)
    rotations = np.array(clip.rotations)
    rotations[:] = rotations[1]
    still = clip.with_motion(rotations, np.repeat(clip.root_positions[1:2], 3, axis=0))
    knee = roles(clip.skeleton)["left_knee"]
    rotations[:, knee] = multiply(rotations[:, knee], from_axis_angle(axis / np.linalg.norm(axis), angle))
    other = still.with_motion(rotations)
    for dtype, error in (("float64", 1e-12), ("float32", 2e-6)):
        made = JointAngleCost(weights={"knee": 0.5, "hip": 1.0}, dtype=dtype)
        value = cost_matrix(still, other, cost=made).values
        assert float(value[0, 0]) == pytest.approx(0.5 * (angle / 2) ** 2, abs=error)


@hypothesis_settings(max_examples=12)
@given(st.integers(0, 2**32 - 1))
def test_every_clip_is_compared_the_same_wherever_it_stands(seed):
    """Turn and place of either clip change nothing; with root="global" only moving both together changes nothing."""
    rng = np.random.default_rng(seed)
    a, b = cut(sample("walk", 30.0), 0, 12), cut(sample("run_left", 30.0), 20, 32)
    move = PlanarMotion(*(float(v) for v in (rng.uniform(-np.pi, np.pi), *rng.normal(0.0, 300.0, 2))))
    made = JointAngleCost(dtype="float64")
    before = cost_matrix(a, b, cost=made).values
    np.testing.assert_allclose(cost_matrix(a, moved(b, move), cost=made).values, before, atol=1e-9)
    letter = JointAngleCost(dtype="float64", root="global")
    before = cost_matrix(a, b, cost=letter).values
    after = cost_matrix(moved(a, move), moved(b, move), cost=letter).values
    np.testing.assert_allclose(after, before, atol=1e-9)
    assert np.abs(cost_matrix(a, moved(b, move), cost=letter).values - before).max() > 1.0


def test_global_costs_place_nothing():
    """With root="global", clips are compared where they are: the alignment is the identity."""
    made = JointAngleCost(root="global")
    a, b = prepare_all([sample("walk"), sample("run")], made)
    assert made.alignment(a, b, 3, 4) == PlanarMotion()


def resting_otherwise(clip: Clip, turns: dict[str, np.ndarray]) -> Clip:
    """The same motion of the same bones from another rest pose: the rest frames of some joints are rotated."""
    skeleton, found = clip.skeleton, roles(clip.skeleton)
    own = np.tile([1.0, 0.0, 0.0, 0.0], (skeleton.n_joints, 1))
    for role, turn in turns.items():
        own[found[role]] = turn
    for joint in range(skeleton.n_joints):  # descendants rotate along at rest
        parent = int(skeleton.parents[joint])
        if parent >= 0:
            own[joint] = multiply(own[parent], own[joint])
    offsets = np.array(skeleton.offsets)
    for joint in range(1, skeleton.n_joints):
        offsets[joint] = rotate(own[int(skeleton.parents[joint])], offsets[joint])
    at = world(clip)
    spun = multiply(at.rotations, conjugate(own)[None])
    local = np.array(spun)
    for joint in range(1, skeleton.n_joints):
        local[:, joint] = multiply(conjugate(spun[:, int(skeleton.parents[joint])]), spun[:, joint])
    return Clip(Skeleton(skeleton.names, skeleton.parents, offsets), local, clip.root_positions, clip.fps)


def test_bodies_that_rest_otherwise_cost_nothing():
    """Rest poses with hanging and with stretched arms, and with legs apart, give the same costs."""
    walk = sample("walk", 30.0)
    ahead = np.array([0.0, 0.0, 1.0])
    other = resting_otherwise(
        walk,
        {
            "left_shoulder": from_axis_angle(ahead, -1.2),
            "right_shoulder": from_axis_angle(ahead, 1.2),
            "left_hip": from_axis_angle(ahead, 0.3),
        },
    )
    np.testing.assert_allclose(world(other).positions, world(walk).positions, atol=1e-9)
    assert np.abs(other.skeleton.offsets - walk.skeleton.offsets).max() > 0.1
    made = JointAngleCost(dtype="float64")
    a, b = prepare_all([walk, other], made)
    rows = np.arange(a.n)
    literal = by_twin(walk, other, rows[:5], rows[:5], weights=naive.ORIGINAL)
    assert literal.min() > 0.5  # joint by joint the files differ considerably
    assert made.pairs(a, b, rows, rows).max() < 1e-3
    np.testing.assert_allclose(made.matrix(a, b), made.matrix(a, a), atol=0.1)


def test_polynomial_of_the_squared_angle():
    """The error is that stated in the docstring, and zero angles cost exactly zero."""
    u = np.linspace(0.0, 1.0, 20_001)
    for degree, low, high in ((6, 5e-7, 8.4e-7), (7, 5e-8, 1.2e-7)):
        near = sum(c * u ** (n + 1) for n, c in enumerate(angle_terms(degree)))
        assert low < np.abs(near - np.arccos(1.0 - u) ** 2).max() < high
        assert near[0] == 0.0


def test_roles_above():
    """Limbs are children of the trunk, the trunk of the pelvis; unknown joints are skipped."""
    assert inwards("right_wrist") == (
        "right_elbow",
        "right_shoulder",
        "right_clavicle",
        "chest",
        "spine",
        "pelvis",
    )
    assert above("left_knee", ("pelvis", "left_knee")) == "pelvis"
    assert above("pelvis", ("pelvis",)) is None


def test_weights_as_told(tmp_path):
    """Names, mappings, pairs and files are accepted; a joint of one side takes precedence over its part."""
    assert joint_weights("optimized") == "optimised"
    assert joint_weights({"knee": 1, "hip": 0}) == (("knee", 1.0),)
    assert joint_weights({"pelvis": 1, "spine": 2}) == (
        ("pelvis", 1.0),
        ("spine", 2.0),
    )  # parts and roles together
    assert joint_weights([["hip", 1.0], ["knee", 0.5]]) == (("hip", 1.0), ("knee", 0.5))
    file = tmp_path / "weights.toml"
    file.write_text("[joints]\nhip = 1.0\nleft_elbow = 0.25\n")
    made = JointAngleCost(weights=str(file))
    assert made.weights == (("hip", 1.0), ("left_elbow", 0.25))
    assert made == JointAngleCost(weights=file)
    assert by_role(made.weights) == {"left_hip": 1.0, "right_hip": 1.0, "left_elbow": 0.25}
    assert hash(made) == hash(JointAngleCost(weights={"left_elbow": 0.25, "hip": 1}))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("orginal", "'original', 'optimised'"),
        ({"nose": 1.0}, "'nose' is no joint"),
        ({"knees": 1.0}, "nearest: knee"),
        ({"knee": -1.0}, "0 or more"),
        ({"knee": np.nan}, "0 or more"),
        ({"knee": "much"}, "give a joint and a number"),
        ({"knee": 0.0}, "all be zero"),
        ([("knee", 1.0), ("knee", 2.0)], "twice"),
        (3, "not known"),
        ([3], "no weight"),
    ],
)
def test_weights_that_cannot_be(weights, message):
    """Each error states what is allowed."""
    with pytest.raises(SettingError, match=message):
        JointAngleCost(weights=weights)


def test_weight_files_that_cannot_be(tmp_path):
    """The error names the file and its fault."""
    file = tmp_path / "w.toml"
    with pytest.raises(FileError, match="cannot be read"):
        JointAngleCost(weights=file)
    for text, message in (
        ("joints = [", "no TOML"),
        ("x = 1", r"under \[joints\]"),
        ("[joints]\nnose = 1", "nose"),
    ):
        file.write_text(text)
        with pytest.raises(FileError, match=message):
            JointAngleCost(weights=file)


def test_settings_that_cannot_be():
    """Unknown words and numbers out of range are refused."""
    for settings, message in (
        ({"nu": -1.0}, "nu"),
        ({"nu": np.nan}, "nu"),
        ({"root": "local"}, "'height', 'global'"),
    ):
        with pytest.raises(SettingError, match=message):
            JointAngleCost(**settings)


def test_bodies_of_which_nothing_is_known_are_refused():
    """A tree of joints without known names has no angle to compare."""
    body = Skeleton(["a", "b"], [-1, 0], [[0.0, 1.0, 0.0], [0.0, 0.3, 0.0]])
    clip = Clip(body, np.tile([1.0, 0.0, 0.0, 0.0], (9, 2, 1)), np.zeros((9, 3)), 30.0, name="thing")
    with pytest.raises(SkeletonError, match="thing"):
        JointAngleCost(weights="optimised").prepare(clip)
