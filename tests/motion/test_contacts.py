"""Contacts of heel and toe: twins, laws, ground truth of the samples, edge cases and real clips."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import contacts as naive
from segue.errors import SettingError, SkeletonError
from segue.io import load
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.motion.contacts import contacts, floor_heights, part_speeds
from segue.motion.facing import moved
from segue.motion.feet import foot_points, foot_positions, leg_length
from segue.motion.flags import column_runs, hysteresis, runs, without_short
from segue.motion.kinematics import world
from segue.motion.samples import SAMPLES, ground_truth, sample
from segue.motion.skeleton import EndSite, Skeleton

flags = st.lists(st.booleans(), min_size=1, max_size=60)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_hysteresis_equals_twin(rows: list[tuple[bool, bool]]) -> None:
    """Runs that contain a strong frame are those that a state machine run forwards and backwards marks."""
    strong = np.array([s for s, _ in rows])
    weak = np.array([s or w for s, w in rows])
    assert hysteresis(strong, weak).tolist() == naive.hysteresis(strong.tolist(), weak.tolist())


@given(flags, st.floats(0.0, 8.0))
def test_without_short_equals_twin(values: list[bool], frames: float) -> None:
    """Gaps and blips are removed as by the frame-by-frame twin, also for several columns."""
    assert without_short(np.array(values), frames).tolist() == naive.without_short(values, frames)
    parts = np.array([values, values[::-1]])
    twin = [naive.without_short(each.tolist(), frames) for each in parts]
    assert without_short(parts.T, frames).T.tolist() == twin


@pytest.mark.parametrize("shape", [(0,), (0, 4), (5, 0)])
def test_no_flags_have_no_gaps(shape: tuple[int, ...]) -> None:
    assert without_short(np.zeros(shape, dtype=bool), 3.0).shape == shape


@pytest.mark.parametrize("fps", [24.0, 60.0, 120.0])
def test_part_speeds_equal_twin(fps: float, rng: np.random.Generator) -> None:
    """The speed of a frame is the smaller of those to its two neighbours, also at the ends."""
    places = rng.normal(size=(17, 4, 3))
    np.testing.assert_allclose(part_speeds(places, fps), naive.part_speeds(places.tolist(), fps), rtol=1e-12)


@given(flags)
def test_runs_cover_the_true_frames_and_no_others(values: list[bool]) -> None:
    """Half-open ranges put back together give the flags."""
    out = np.zeros(len(values), dtype=bool)
    for start, stop in runs(np.array(values)):
        assert not out[start:stop].any()
        out[start:stop] = True
    assert out.tolist() == values


@given(st.integers(1, 4), st.lists(st.booleans(), max_size=60))
def test_runs_of_columns_are_those_of_each_alone(columns: int, values: list[bool]) -> None:
    """The law also holds where one column ends with a true flag and the next begins with one, and without frames."""
    table = np.array(values, dtype=bool)[: len(values) // columns * columns].reshape(-1, columns)
    expected = [(k, *run) for k in range(columns) for run in runs(table[:, k])]
    assert column_runs(table) == expected


@given(st.floats(-np.pi, np.pi), st.floats(-1000, 1000), st.floats(-1000, 1000))
def test_ground_motions_change_no_contact(turn: float, x: float, z: float) -> None:
    """Rotating and moving a clip along the ground keeps its contacts."""
    clip = sample("walk", 30, seconds=2.0)
    found = contacts(moved(clip, PlanarMotion(turn, x, z)))
    np.testing.assert_array_equal(found.flags, contacts(clip).flags)


@pytest.mark.parametrize("scale", [0.01, 0.5, 2.54, 100.0])
def test_contacts_do_not_depend_on_the_unit(scale: float) -> None:
    """A body k times as large has the same contacts and k times the floor height."""
    clip = sample("run", 60, seconds=2.0)
    body = clip.skeleton
    big = Skeleton(
        body.names,
        body.parents,
        body.offsets * scale,
        [EndSite(site.joint, np.array(site.offset) * scale) for site in body.end_sites],
    )
    lifted = clip.root_positions + np.array([0.0, 0.3, 0.0])
    found = contacts(Clip(big, clip.rotations, lifted * scale, clip.fps))
    np.testing.assert_array_equal(found.flags, contacts(clip).flags)
    np.testing.assert_allclose(found.floor, (contacts(clip).floor + 0.3) * scale, atol=1e-9 * scale)


def disagreements(name: str, fps: float) -> list[tuple[str, int, int]]:
    """Plant starts and ends of one without a counterpart in the other within two frames, except cut-off plants."""
    clip, truth = sample(name, fps), ground_truth(name, fps)
    found = contacts(clip)
    shortest, out = 0.05 * fps, []
    for column in range(4):
        both = [runs(truth.contacts[:, column]), runs(found.flags[:, column])]
        for mine, theirs in (both, both[::-1]):
            for start, stop in mine:
                cut = (start == 0 or stop == clip.n_frames) and stop - start < shortest
                if start > 0 and not cut and not any(abs(start - other) <= 2 for other, _ in theirs):
                    out.append(("start", column, start))
                if (
                    stop < clip.n_frames
                    and not cut
                    and not any(abs(stop - other) <= 2 for _, other in theirs)
                ):
                    out.append(("stop", column, stop))
    return out


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0])
@pytest.mark.parametrize("name", SAMPLES)
def test_samples_agree_with_ground_truth_within_two_frames(name: str, fps: float) -> None:
    assert disagreements(name, fps) == []


@pytest.mark.parametrize("fps", [90.0, 120.0, 240.0])
def test_contacts_hold_at_high_rates(fps: float) -> None:
    """At high rates at least 97 of 100 frames agree with the ground truth."""
    for name in ("walk", "run", "stop", "step_touch"):
        agree = contacts(sample(name, fps)).flags == ground_truth(name, fps).contacts
        assert agree.mean() > 0.97, name


def test_a_jump_does_not_lift_the_floor(cases) -> None:
    """For standing, a 30 cm jump and standing, the floor is that of the standing, without contacts in the air."""
    clip = load(cases / "case071-foot-jump-ground.bvh")
    found = contacts(clip)
    ankles = world(clip).positions[:, clip.skeleton.index("LeftFoot"), 1]
    assert abs(found.floor[0] + 0.08 - 0.08) < 0.005
    assert abs(ankles[0] - found.floor[0] - 0.08) < 0.005
    for side in ("left", "right"):
        on = found.foot(side)
        assert on[:9].all()
        assert on[22:31].all()
        assert not on[10:21].any()


def test_planted_feet_are_found_to_the_frame(cases) -> None:
    """Two cycles with exactly planted feet: the ranges agree within one frame."""
    found = contacts(load(cases / "case136-foot-contacts-plain.bvh"))
    for side, expected in (("left", [(0, 15), (30, 45)]), ("right", [(15, 30), (45, 60)])):
        stays = [(start, stop) for start, stop in runs(found.foot(side)) if stop - start > 1]
        np.testing.assert_allclose(stays, expected, atol=1)


def test_a_sliding_foot_is_no_contact(cases) -> None:
    """A rigid stance moved along the floor at 1 m/s has no contact; the floor is still found."""
    found = contacts(load(cases / "case177-foot-skate-is-not-contact.bvh"))
    assert found.plants == []
    np.testing.assert_allclose(found.floor, 0.0, atol=0.005)


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "stance", "air"),
    [
        ("asf_amc/16/16_15.amc", (0.40, 0.68), (0.0, 0.12)),  # walk
        ("asf_amc/02/02_01.amc", (0.38, 0.68), (0.0, 0.12)),  # walk
        ("asf_amc/16/16_35.amc", (0.12, 0.40), (0.35, 0.75)),  # run
    ],
)
def test_real_walks_and_runs_stand_and_fly(data, file: str, stance: tuple[float, float], air) -> None:
    """The stance share of each foot and the share of frames without contact fit walking and running."""
    found = contacts(load(data / file))
    for side in ("left", "right"):
        assert stance[0] < found.foot(side).mean() < stance[1]
    assert air[0] <= (~found.flags.any(axis=1)).mean() <= air[1]


def test_a_part_that_never_rests_takes_the_other_foots_floor() -> None:
    """A foot held in the air for a complete clip does not get a floor height of its own."""
    heights = np.tile([0.0, 0.02, 0.3, 0.32], (40, 1))
    speeds = np.zeros((40, 4))
    np.testing.assert_allclose(floor_heights(heights, speeds, 0.25), [0.0, 0.02, 0.0, 0.02])
    speeds[:, 2:] = 9.0
    np.testing.assert_allclose(floor_heights(heights, speeds, 0.25), [0.0, 0.02, 0.0, 0.02])


def test_plants_list_parts_and_half_open_ranges() -> None:
    """Plants are the runs of the flags, named by part."""
    found = contacts(sample("stand"))
    assert [tuple(plant) for plant in found.plants] == [
        (part, 0, 301) for part in ("left_heel", "left_toe", "right_heel", "right_toe")
    ]
    assert found.left_heel.all()
    assert found.left_toe.all()
    assert found.right_heel.all()
    assert found.right_toe.all()


def test_one_frame_is_enough() -> None:
    """A clip of a single frame has its feet on the ground."""
    clip = sample("stand", seconds=0.5)
    one = clip.with_motion(clip.rotations[:1], clip.root_positions[:1], origin=clip.origin.take([0]))
    assert contacts(one).flags.all()


def test_impossible_limits_are_refused() -> None:
    """Limits that cross, and a side that does not exist, are refused with the allowed values."""
    with pytest.raises(SettingError, match="enter <= leave"):
        contacts(sample("stand"), enter_speed=1.0)
    with pytest.raises(SettingError, match="'left' or 'right'"):
        contacts(sample("stand")).foot("middle")


def body_without(*lost: str) -> Skeleton:
    """The sample body without the named joints and their tips."""
    body = sample("stand").skeleton
    kept = [joint for joint, name in enumerate(body.names) if name not in lost]
    parents = [-1 if body.parents[joint] < 0 else kept.index(int(body.parents[joint])) for joint in kept]
    tips = [EndSite(kept.index(site.joint), site.offset) for site in body.end_sites if site.joint in kept]
    return Skeleton([body.names[joint] for joint in kept], parents, body.offsets[kept], tips)


def test_heel_lies_on_the_rest_floor_behind_the_ankle() -> None:
    """At rest the heel is on the floor, behind the ankle, and the toe is the toe joint."""
    body = sample("stand").skeleton
    points = foot_points(body)
    rest = body.rest_positions()[points.joints] + points.offsets
    np.testing.assert_allclose(rest[[0, 2], 1], 0.0, atol=1e-9)
    assert (points.offsets[[0, 2], 2] < -0.02).all()
    np.testing.assert_allclose(points.offsets[[1, 3]], 0.0)
    np.testing.assert_allclose(points.rest_heights, [0.0, 0.02, 0.0, 0.02], atol=1e-9)
    np.testing.assert_allclose(leg_length(body), 0.855)


def test_feet_without_toes_have_toes_ahead() -> None:
    """A skeleton that ends at the ankle gets a heel behind it and a toe ahead of it, both on the floor."""
    points = foot_points(body_without("LeftToeBase", "RightToeBase"))
    assert points.joints[0] == points.joints[1]
    assert (points.offsets[[1, 3], 2] > 0.1).all()
    assert (points.offsets[[0, 2], 2] < -0.02).all()
    np.testing.assert_allclose(points.offsets[:, 1], points.offsets[0, 1])


def test_feet_need_legs() -> None:
    """A body without legs is refused with the name of the missing role."""
    with pytest.raises(SkeletonError, match="left_hip"):
        foot_points(Skeleton(("Hips", "Spine"), [-1, 0], [[0, 1, 0], [0, 0.2, 0]]))


def test_foot_positions_move_with_the_foot() -> None:
    """The heel keeps its distance to the ankle in every frame."""
    clip = sample("run")
    at = world(clip)
    heel, ankle = foot_positions(clip.skeleton, at)[:, 0], at.positions[:, clip.skeleton.index("LeftFoot")]
    apart = np.linalg.norm(heel - ankle, axis=-1)
    np.testing.assert_allclose(apart, np.linalg.norm(foot_points(clip.skeleton).offsets[0]), rtol=1e-12)
