"""Planted feet: moves compared with their definition frame by frame, laws, and captured motion."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from naive import feet as naive
from segue.errors import SettingError
from segue.maths.quaternions import half_angle
from segue.measures.foot_skate import carried_contacts, foot_skate
from segue.measures.seams import seam_ranges
from segue.motion.contacts import contacts
from segue.motion.kinematics import World, world, world_positions
from segue.motion.limb_ik import Leg
from segue.motion.resample import cut
from segue.synthesis.feet import reaching
from segue.synthesis.feet.lowering import reach_of, smooth_above, too_far
from segue.synthesis.feet.planting import plant_feet
from segue.synthesis.feet.steps import LOCKED, PlantMotion

SHARED = Path(__file__).parents[3] / "shared"
seeds = st.integers(0, 10_000)


def slid(name: str = "walk", *, by: float = 0.1) -> tuple[segue.Clip, np.ndarray]:
    """A sample whose root travels too far, and the sample's plants."""
    clip = segue.sample(name)
    return clip.with_motion(root_positions=clip.root_positions * [1 + by, 1, 1 + by]), contacts(clip).flags


@given(seeds, st.integers(1, 4))
def test_hips_come_down_as_their_twin(seed: int, ease: int) -> None:
    """The drop needed by legs of any bend to reach their targets, then the smooth curve above it."""
    rng = np.random.default_rng(seed)
    legs, bent = [Leg(0, 2, 4), Leg(1, 3, 5)], np.array([[0, 0.9, 0], [0.1, 0.5, 0], [0, 0.1, 0]])
    places = np.repeat(bent, 2, axis=0) + 0.05 * rng.normal(size=(12, 6, 3))
    targets = places[:, 4:].swapaxes(0, 1) + 0.2 * rng.normal(size=(2, 12, 3))
    moved = rng.random((2, 12)) < 0.5
    expected = [
        max(
            naive.hip_down(*places[t, k::2].tolist(), targets[k, t].tolist()) if moved[k, t] else 0.0
            for k in (0, 1)
        )
        for t in range(12)
    ]
    needed = too_far(World(np.zeros((12, 6, 4)), places), legs, targets, moved)
    assert needed == pytest.approx(expected, abs=1e-12)
    bell = np.hanning(2 * ease + 3)[1:-1]
    smooth = naive.smooth_over(expected, (bell / bell.sum()).tolist())
    assert smooth_above(needed, ease) == pytest.approx(smooth, abs=2e-9)
    assert not smooth_above(np.zeros(5), ease).any()


@given(seeds)
def test_feet_give_way_where_a_leg_would_straighten_suddenly(seed: int) -> None:
    """With the root held up no leg is longer than allowed, and a foot within reach keeps its target."""
    rng = np.random.default_rng(seed)
    legs, bent = [Leg(0, 2, 4), Leg(1, 3, 5)], np.array([[0, 0.9, 0], [0.1, 0.5, 0], [0, 0.1, 0]])
    places = np.repeat(bent, 2, axis=0) + 0.05 * rng.normal(size=(12, 6, 3))
    at = World(np.zeros((12, 6, 4)), places)
    hips, was = places[:, :2].swapaxes(0, 1), places[:, 4:].swapaxes(0, 1)
    targets = was + 0.2 * rng.normal(size=was.shape)
    found = reaching._within_reach(at, legs, hips, targets)
    length, asked, own = (np.linalg.norm(to - hips, axis=-1) for to in (found, targets, was))
    allowed, _ = reach_of(at, legs, asked)
    assert (length <= np.maximum(np.minimum(asked, allowed), own) + 1e-8).all()
    assert np.array_equal(found[asked <= allowed], targets[asked <= allowed])


@given(seeds)
def test_rotations_keep_the_sign_of_those_they_replace(seed: int) -> None:
    """Two joints at two frames; the others are unchanged."""
    rng = np.random.default_rng(seed)
    before, local = rng.normal(size=(4, 3, 4)), rng.normal(size=(2, 2, 4))
    after = before.copy()
    reaching._lay_in(after, np.array([[3], [1]]), np.array([2, 0]), local)
    for k, row in enumerate((3, 1)):
        for j, joint in enumerate((2, 0)):
            expected = naive.laid_in(before[row, joint].tolist(), local[k, j].tolist())
            assert after[row, joint].tolist() == expected
    assert np.array_equal(after[:, 1], before[:, 1])
    assert np.array_equal(after[[0, 2]], before[[0, 2]])


@pytest.mark.parametrize("name", ["walk", "run", "walk_turn_left", "step_touch", "run_right"])
def test_sliding_feet_are_held(name: str) -> None:
    """Where the ground moves under a motion nearly all sliding is removed, and knees bend at most twice as fast."""
    clip, planted = slid(name)
    found = plant_feet(clip, planted=planted, keep=LOCKED)
    before = sum(plant.along_path for plant in foot_skate(clip, planted=planted))
    after = sum(plant.along_path for plant in foot_skate(found.clip, planted=planted))
    assert after < 0.1 * before
    assert knee_speed(found.clip) < 2 * knee_speed(clip)


def knee_speed(clip: segue.Clip) -> float:
    """Largest angular speed of a knee, in radians a second."""
    joints = [Leg.of(clip.skeleton, side).knee for side in ("left", "right")]
    q = clip.rotations[:, joints]
    return float(2 * half_angle(q[1:], q[:-1]).max() * clip.fps)


@settings(max_examples=10)
@given(seeds)
def test_bones_keep_their_length_and_other_joints_their_turns(seed: int) -> None:
    """Only hips, knees, ankles and the root's height change; frames without need are bit for bit the same."""
    rng = np.random.default_rng(seed)
    clip, planted = slid(by=float(rng.uniform(-0.2, 0.2)))
    found = plant_feet(clip, planted=planted, within=[(100, 140)])
    made = found.clip
    legs = [Leg.of(clip.skeleton, side) for side in ("left", "right")]
    others = sorted(
        set(range(clip.skeleton.n_joints)) - {j for leg in legs for j in (leg.hip, leg.knee, leg.ankle)}
    )
    assert np.array_equal(made.rotations[:, others], clip.rotations[:, others])
    assert np.array_equal(made.root_positions[:, [0, 2]], clip.root_positions[:, [0, 2]])
    assert (made.root_positions[:, 1] <= clip.root_positions[:, 1]).all()
    same = ~found.changed
    assert same.any()
    assert np.array_equal(made.rotations[same], clip.rotations[same])
    assert np.array_equal(made.root_positions[same], clip.root_positions[same])
    assert np.linalg.norm(made.rotations, axis=-1) == pytest.approx(1, abs=1e-12)


@settings(max_examples=5)
@given(seeds, st.floats(-3, 3))
def test_it_does_not_matter_where_on_the_ground(seed: int, angle: float) -> None:
    """A motion moved and turned along the ground gets the same result."""
    rng = np.random.default_rng(seed)
    whole, flags = slid()
    clip, planted = cut(whole, 0, 150), flags[:150]
    placing = segue.PlanarMotion(angle, *(float(v) for v in rng.normal(size=2) * 10))
    rotations = np.array(clip.rotations)
    rotations[:, 0] = placing.rotate(rotations[:, 0])
    moved = clip.with_motion(rotations, placing.apply(clip.root_positions))
    here, there = (plant_feet(c, planted=planted).clip for c in (clip, moved))
    assert placing.apply(world_positions(here)) == pytest.approx(world_positions(there), abs=1e-7)


def test_still_feet_stay_as_they_are() -> None:
    """A clip that does not slide is returned as the same object."""
    for name in ("walk", "stand", "run"):
        clip = segue.sample(name)
        found = plant_feet(clip)
        assert found.clip is clip or not found.changed.all()
        assert len(found.before) == 0 or max(plant.along_path for plant in found.before) > 0.001


def test_ankles_reach_their_targets() -> None:
    """The ankle keeps its height, and the foot keeps its tilt apart from its trembling."""
    clip, planted = slid()
    made = plant_feet(clip, planted=planted, keep=LOCKED).clip
    before, after = world(clip), world(made)
    for side in ("left", "right"):
        ankle = Leg.of(clip.skeleton, side).ankle
        assert after.positions[:, ankle, 1] == pytest.approx(before.positions[:, ankle, 1], abs=1e-6)
        up = [rotated_up(at.rotations[:, ankle]) for at in (before, after)]
        assert up[0][:, 1] == pytest.approx(up[1][:, 1], abs=1e-4)


def rotated_up(q: np.ndarray) -> np.ndarray:
    """Direction of the joint's own vertical."""
    from segue.maths.quaternions import rotate

    return rotate(q, np.array([0.0, 1.0, 0.0]))


def test_the_knee_bends_as_search_finds() -> None:
    """The angle inside the knee is the one at which the ankle reaches."""
    clip, planted = slid()
    made = plant_feet(clip, planted=planted, keep=LOCKED).clip
    at = world_positions(made)
    leg = Leg.of(clip.skeleton, "left")
    for row in range(0, made.n_frames, 40):
        hip, knee, ankle = (at[row, joint] for joint in (leg.hip, leg.knee, leg.ankle))
        thigh, shank = knee - hip, ankle - knee
        lengths = np.linalg.norm(thigh), np.linalg.norm(shank)
        bend = np.arccos(np.clip(thigh @ shank / lengths[0] / lengths[1], -1, 1))
        assert bend == pytest.approx(naive.knee_bend(*lengths, float(np.linalg.norm(ankle - hip))), abs=1e-6)


def test_impossible_wishes_are_refused() -> None:
    """Flags of another clip and an ease of zero are refused."""
    clip = segue.sample("walk")
    with pytest.raises(SettingError, match="planted must be"):
        plant_feet(clip, planted=np.zeros((3, 4), dtype=bool))
    with pytest.raises(SettingError, match="eased over 0 s"):
        plant_feet(clip, ease=0)


@pytest.mark.data
def test_span_edges_do_not_pop() -> None:
    """A stance that slides by 6 cm is held without a joint that accelerates more than twice as much as before."""
    path = SHARED / "cases" / "case087-foot-span-edges.bvh"
    if not path.is_file():
        pytest.skip("the cases are not beside the project")
    walk = segue.load(path)
    drift = np.arange(walk.n_frames)[:, None] * np.array([0, 0, 0.002])
    clip = walk.with_motion(root_positions=walk.root_positions + drift)
    found = plant_feet(clip, planted=contacts(walk).flags, keep=LOCKED)
    accelerations = [
        np.linalg.norm(np.diff(world_positions(c), 2, axis=0), axis=-1) for c in (clip, found.clip)
    ]
    assert found.changed.any()
    assert accelerations[1].max() <= 2.0 * accelerations[0].max()
    after = foot_skate(found.clip, planted=contacts(walk).flags)
    assert max(plant.start_to_end for plant in after) < 0.002


@pytest.mark.data
def test_seams_of_captured_walks() -> None:
    """Feet at the seams of a walk over captured clips slide 3 mm in the median and 5 mm in 95 of 100 cases."""
    folder = SHARED / "data" / "asf_amc"
    if not folder.is_dir():
        pytest.skip("the real clips are not beside the project")
    names = ("16_15", "16_31", "16_22", "16_47", "16_58", "16_16")
    clips = [segue.load(next(folder.rglob(f"{name}.amc"))) for name in names]
    before, after = [], []
    for a, b in itertools.pairwise(clips):
        motion = segue.splice(a, b, segue.transition_points(a, b, threshold=np.inf)[0], feet="free")
        planted = carried_contacts(motion, (a, b))
        found = plant_feet(motion, planted=planted, within=seam_ranges(motion.origin), keep=LOCKED)
        before += [plant.along_path for plant in found.before]
        after += [plant.along_path for plant in found.after]
        assert knee_speed(found.clip) < 1.3 * max(knee_speed(clip) for clip in (a, b))
    assert np.median(after) < 0.003
    assert np.percentile(after, 95) < 0.005
    assert sum(after) < 0.1 * sum(before)


@pytest.mark.slow
@given(st.floats(0.0, 0.03))
@settings(max_examples=10)
def test_a_plant_creeps_no_farther_than_it_may(creep: float) -> None:
    """A plant moves no farther from start to end than the creep and its tremor."""
    clip, planted = slid()
    made = plant_feet(clip, planted=planted, keep=PlantMotion(creep)).clip
    for plant in foot_skate(made, planted=planted):
        assert plant.start_to_end < creep + 0.015  # and its tremor


def test_what_is_kept_is_checked() -> None:
    """A negative creep and a band of zero are refused."""
    with pytest.raises(SettingError, match=r"cannot creep -0\.01 m"):
        PlantMotion(-0.01)
    with pytest.raises(SettingError, match="above 0 Hz"):
        PlantMotion(0.01, 0.0)
