"""Sample clips: planted feet, human proportions of the motion, exact courses."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.errors import SettingError
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import rotate
from segue.motion.clip import Clip
from segue.motion.facing import heading
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world, world_positions
from segue.motion.roles import roles
from segue.motion.samples import SAMPLES, ground_truth, sample
from segue.motion.samples.courses import Changing, CourseArc, Ramp, SideToSide, Stages
from segue.motion.samples.curves import running, walking
from segue.motion.samples.plans import plan
from segue.motion.samples.swings import SamplePlant

ARCS = ["walk_left", "walk_right", "walk_bend_left", "walk_bend_right"]
STEADY = ["walk_slow", "walk", "walk_fast", "run", *ARCS]
TURNS = {"walk_turn_left": 90, "walk_turn_right": -90, "run_left": 60, "run_right": -60}
CHANGES = ["speed_up", "slow_down"]
STRIDING = [*STEADY, *TURNS, *CHANGES]
WALKS = [name for name in STRIDING if name.startswith("walk")]
RUNS = [name for name in STRIDING if name.startswith("run")]


def stays(flags: np.ndarray) -> list[tuple[int, int]]:
    """Half-open runs of true flags."""
    edges = np.flatnonzero(np.diff(flags.astype(int), prepend=0, append=0))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def ahead(clip: Clip, joint: str) -> np.ndarray:
    """Distance of a joint ahead of the hips, along the course's heading."""
    p = world_positions(clip)
    travelled = p[:, clip.skeleton.index(joint)] - p[:, 0]
    turn = plan(clip.name, None).course.place(np.arange(clip.n_frames) / clip.fps)[:, 2]
    return travelled[:, 0] * np.sin(turn) + travelled[:, 2] * np.cos(turn)


def knee(clip: Clip, side: str) -> np.ndarray:
    """Knee flexion in degrees."""
    p = world_positions(clip)
    hip, middle, ankle = (p[:, clip.skeleton.index(side + part)] for part in ("UpLeg", "Leg", "Foot"))
    a, b = hip - middle, ankle - middle
    cos = np.sum(a * b, axis=-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)
    return 180 - np.degrees(np.arccos(cos))


@pytest.mark.parametrize("name", SAMPLES)
def test_planted_feet_stay(name: str) -> None:
    """Heel and toe move less than a millimetre from their first to their last frame on the ground."""
    clip, truth = sample(name), ground_truth(name)
    places = foot_positions(clip.skeleton, world(clip))
    for part in range(4):
        for start, stop in stays(truth.contacts[:, part]):
            moved = np.linalg.norm(places[start:stop, part] - places[start, part], axis=-1)
            assert moved.max() < 1e-3


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_goes_below_the_ground(name: str) -> None:
    """Heel, ball and toe tip are at most 2 mm below the ground."""
    clip = sample(name)
    at = world(clip)
    tips = [
        at.positions[:, site.joint] + rotate(at.rotations[:, site.joint], site.offset)
        for site in clip.skeleton.end_sites
    ]
    lowest = [points[..., 1].min() for points in (foot_positions(clip.skeleton, at), *tips)]
    assert min(lowest) > -0.002


@pytest.mark.parametrize("name", SAMPLES)
def test_motion_is_smooth(name: str) -> None:
    """No joint accelerates by more than a foot does when it strikes the ground, about 120 m/s² at 60 Hz."""
    clip = sample(name)
    acceleration = np.linalg.norm(np.diff(world_positions(clip), 2, axis=0), axis=-1) * clip.fps**2
    assert acceleration.max() < 120
    np.testing.assert_allclose(np.linalg.norm(clip.rotations, axis=-1), 1.0, atol=1e-12)
    assert (np.sum(clip.rotations[1:] * clip.rotations[:-1], axis=-1) > 0).all()


@pytest.mark.parametrize("name", SAMPLES)
def test_every_rate_shows_the_same_motion(name: str) -> None:
    """Every other frame at 60 Hz is the 30 Hz clip, and a clip made twice is the same."""
    fast, slow = sample(name, 60), sample(name, 30)
    np.testing.assert_allclose(fast.rotations[::2][: slow.n_frames] * 1.0, slow.rotations, atol=1e-9)
    np.testing.assert_allclose(fast.root_positions[::2][: slow.n_frames], slow.root_positions, atol=1e-9)
    assert sample(name, 60) is fast
    assert 4.0 <= fast.seconds <= 8.0


@pytest.mark.parametrize("name", STEADY)
def test_speed_and_turning_over_whole_cycles_are_the_courses(name: str) -> None:
    """The pelvis sways about its course, and after each cycle it is exactly where speed and turning rate put it."""
    period = plan(name, None).gait.period
    fps = 60 / period  # sixty frames a cycle
    clip, truth = sample(name, fps), ground_truth(name, fps)
    turned = heading(clip)[60:] - heading(clip)[:-60]
    np.testing.assert_allclose(turned, truth.turning[0] * period, atol=1e-9)
    # The motion that maps a frame onto the same one a cycle later maps the origin along the course's arc.
    onwards = PlanarMotion(truth.turning[0] * period)
    shift = clip.root_positions[60:] - onwards.apply(clip.root_positions[:-60])
    arc = np.hypot(shift[:, 0], shift[:, 2]) / np.sinc(truth.turning[0] * period / (2 * np.pi))
    np.testing.assert_allclose(arc, truth.speed[0] * period, atol=1e-9)


@pytest.mark.parametrize(("name", "degrees"), TURNS.items())
def test_turns_begin_and_end_straight(name: str, degrees: float) -> None:
    """Before and after the turn, cycles repeat straight on at the course's speed; the body turns by the angle."""
    made = plan(name, 10.0)
    fps = 60 / made.gait.period  # sixty frames a cycle
    clip, truth = sample(name, fps, seconds=10.0), ground_truth(name, fps, seconds=10.0)
    facing, straight = heading(clip), np.flatnonzero(truth.turning == 0)
    assert (np.diff(straight) > 1).sum() == 1
    # Half a cycle away from the turn, swings and reach are no longer affected by it.
    before, after = (
        straight[straight < clip.n_frames // 2][:-30],
        straight[straight > clip.n_frames // 2][30:],
    )
    for k in (before, after):
        first, again = k[:-60], k[:-60] + 60
        assert first.size > 0
        np.testing.assert_allclose(facing[again], facing[first], atol=1e-9)
        travelled = clip.root_positions[again][:, [0, 2]] - clip.root_positions[first][:, [0, 2]]
        course = made.course.place(first / fps)[:, 2]
        ahead = np.stack([np.sin(course), np.cos(course)], axis=-1)
        np.testing.assert_allclose(travelled, truth.speed[0] * made.gait.period * ahead, atol=1e-9)
    turned = facing[after[:60]].mean() - facing[before[:60]].mean()
    np.testing.assert_allclose((turned + np.pi) % (2 * np.pi) - np.pi, np.radians(degrees), atol=1e-9)
    np.testing.assert_allclose(
        np.ptp(made.course.place(np.array([-5.0, 20.0]))[:, 2]), np.radians(abs(degrees))
    )


def test_changes_go_from_a_walk_to_a_run_and_back() -> None:
    """Speed only rises or only falls, flight occurs at the fast end only, and the ends are the steady gaits'."""
    for name, slow, fast in (
        ("speed_up", slice(0, 50), slice(-50, None)),
        ("slow_down", slice(-50, None), slice(0, 50)),
    ):
        truth = ground_truth(name)
        rising = np.diff(truth.speed) * (1 if name == "speed_up" else -1)
        assert rising.min() > -1e-12
        np.testing.assert_allclose(truth.speed[slow], 0.8, atol=1e-12)
        np.testing.assert_allclose(truth.speed[fast], 3.0, atol=1e-12)
        flying = ~truth.contacts.any(axis=1)
        assert 0.15 < flying[fast].mean() < 0.4
        assert truth.speed[flying].min() > 1.85
        low = sample(name).root_positions[:, 1]
        assert low.min() > sample("run").root_positions[:, 1].min() - 0.01


@pytest.mark.parametrize("name", CHANGES)
def test_changes_are_where_their_course_is(name: str) -> None:
    """The pelvis stays within the sway of a gait of its course, and every strike is at its phase."""
    clip, made = sample(name), plan(name, None)
    away = clip.root_positions[:, [0, 2]] - made.course.place(np.arange(clip.n_frames) / clip.fps)[:, :2]
    assert np.abs(away).max() < 0.04
    for plants, offset in ((made.left, 0.0), (made.right, 0.5)):
        phases = made.rhythm.phase(np.array([plant.strike for plant in plants])) - offset
        np.testing.assert_allclose(phases, np.round(phases), atol=1e-9)


@pytest.mark.parametrize("name", STRIDING)
def test_heel_strikes_first_and_toe_leaves_last(name: str) -> None:
    """In every stance the order is strike, flat, heel off, toe off."""
    events = ground_truth(name).events
    order = ["strike", "flat", "heel off", "toe off"]
    for side in ("left", "right"):
        kinds = [order.index(event.kind) for event in events if event.side == side]
        assert all((b - a) % 4 == 1 for a, b in pairwise(kinds))
    truth = ground_truth(name).contacts
    for heel, toe in ((0, 1), (2, 3)):
        for start, stop in stays(truth[:, heel] | truth[:, toe]):
            if start > 0:
                assert truth[start, heel]
                assert not truth[start, toe]
            if stop < truth.shape[0]:
                assert truth[stop - 1, toe]
                assert not truth[stop - 1, heel]


@pytest.mark.parametrize("name", STRIDING)
def test_arms_swing_against_legs(name: str) -> None:
    """The left hand moves with the right foot, by 12 cm or more."""
    clip = sample(name)
    for hand, foot in (("LeftHand", "RightFoot"), ("RightHand", "LeftFoot")):
        assert np.corrcoef(ahead(clip, hand), ahead(clip, foot))[0, 1] > 0.8
        assert np.ptp(ahead(clip, hand)) > 0.12


@pytest.mark.parametrize("name", WALKS)
def test_walks_always_touch_the_ground_and_bend_the_knee(name: str) -> None:
    """Stance lasts 57 to 66 % of the cycle, both feet are down in between, the swing knee bends 55 to 80 degrees."""
    clip, truth = sample(name), ground_truth(name)
    gait = plan(name, None).gait
    assert 0.57 < gait.duty < 0.66
    assert truth.contacts.any(axis=1).all()
    for side in ("Left", "Right"):
        assert 55 < knee(clip, side).max() < 80
        assert 4 < knee(clip, side).min() < 24  # the inner leg of a tight turn stays bent


@pytest.mark.parametrize("name", RUNS)
def test_runs_fly(name: str) -> None:
    """A run has flight, falls freely in it, bends the knee beyond 85 and the elbow to about 90 degrees."""
    clip, truth = sample(name, 240), ground_truth(name, 240)
    in_air = ~truth.contacts.any(axis=1)
    assert 0.15 < in_air.mean() < 0.4
    falling = np.diff(clip.root_positions[:, 1], 2) * clip.fps**2
    inside = np.array([in_air[k - 1 : k + 2].all() for k in range(1, clip.n_frames - 1)])
    np.testing.assert_allclose(np.median(falling[inside]), -9.81, atol=1.5)
    assert knee(clip, "Left").max() > 85
    p = world_positions(clip)
    arm, fore, hand = (p[:, clip.skeleton.index("Left" + part)] for part in ("Arm", "ForeArm", "Hand"))
    cos = np.sum((arm - fore) * (hand - fore), axis=-1) / (0.29 * 0.26)
    assert 75 < np.degrees(np.arccos(cos)).mean() < 105


def test_pelvis_bobs_and_sways_over_the_stance_leg() -> None:
    """Twice a cycle the pelvis is lowest in double support; once a cycle it is over the left and the right leg."""
    clip, truth = sample("walk"), ground_truth("walk")
    both = (truth.contacts[:, :2].any(axis=1)) & (truth.contacts[:, 2:].any(axis=1))
    height = clip.root_positions[:, 1]
    assert height[both].mean() < height[~both].mean() - 0.01
    assert 0.03 < np.ptp(height) < 0.06
    left_only = truth.contacts[:, :2].any(axis=1) & ~both
    right_only = truth.contacts[:, 2:].any(axis=1) & ~both
    assert clip.root_positions[left_only, 0].mean() > 0.01
    assert clip.root_positions[right_only, 0].mean() < -0.01


def test_start_and_stop_stand_at_one_end() -> None:
    """A start begins as the standing clip, a stop ends as it, and both are walks at the other end."""
    stand = sample("stand").root_positions[:, 1].mean()
    for name, still, going in (
        ("start", slice(0, 30), slice(-30, None)),
        ("stop", slice(-30, None), slice(0, 30)),
    ):
        clip, truth = sample(name), ground_truth(name)
        assert truth.speed[still].max() < 1e-9
        np.testing.assert_allclose(truth.speed[going], 1.3, atol=1e-9)
        assert truth.contacts[still].all()
        np.testing.assert_allclose(clip.root_positions[still, 1], stand, atol=0.004)
        ankles = world_positions(clip)[still][:, [clip.skeleton.index(s + "Foot") for s in ("Left", "Right")]]
        assert np.ptp(ankles[..., 2]) < 1e-6


def test_standing_ends_are_the_standing_clip() -> None:
    """Starts and dances begin, stops and dances end with moments of the standing clip, so that they join it."""
    stand = sample("stand")

    def same(name: str, frames: slice, stands: slice) -> None:
        clip = sample(name)
        np.testing.assert_allclose(clip.rotations[frames], stand.rotations[stands], atol=1e-9)
        np.testing.assert_allclose(
            clip.root_positions[frames, :2], stand.root_positions[stands, :2], atol=1e-9
        )

    same("start", slice(0, 54), slice(0, 54))
    same("step_touch", slice(0, 18), slice(0, 18))
    same("step_touch", slice(-18, None), slice(415 - 240, 433 - 240))  # four seconds of sway later
    same("stop", slice(258, 331), slice(0, 73))


def test_step_touch_touches_with_the_toe_only() -> None:
    """Every second plant of a foot has no heel contact, and the body moves from side to side."""
    clip, truth = sample("step_touch"), ground_truth("step_touch")
    for heel, toe in ((0, 1), (2, 3)):
        with_heel = [truth.contacts[a:b, heel].any() for a, b in stays(truth.contacts[:, toe]) if b - a > 3]
        assert True in with_heel
        assert False in with_heel
    assert np.ptp(clip.root_positions[:, 0]) > 0.4
    assert np.ptp(clip.root_positions[:, 2]) < 0.05


def test_body_is_human_and_known() -> None:
    """The body is 1.75 m tall, faces +Z, and fills every role."""
    body = sample("stand").skeleton
    assert roles(body).unknown == ()
    rest = body.rest_positions()
    head = body.index("Head")
    np.testing.assert_allclose(rest[head, 1] + body.tip(head)[1], 1.745, atol=0.02)
    assert body.offsets[body.index("LeftToeBase"), 2] > 0
    assert rest[body.index("LeftUpLeg"), 0] > 0


COURSES = [
    CourseArc(1.3),
    CourseArc(1.0, 0.9),
    CourseArc(3.0, -0.4),
    Ramp(1.3, 1.0, 2.5),
    Ramp(1.3, 1.0, 2.5, stopping=True),
]
COURSES += [
    SideToSide(0.4, 0.6, 0.5, 2.9),
    Changing(Stages((0.5, 1.4), (0.9, 0.7)), (1.3, 1.0, 1.4), (0.0, 0.85, 0.0)),
    Changing(Stages((0.5, 1.1), (1.0, 1.2)), (3.0, 2.0, 1.5), (0.0, 0.0, 0.0)),
]


@given(st.sampled_from(COURSES), st.floats(0.0, 4.0))
def test_course_speed_is_the_slope_of_its_place(course, at: float) -> None:
    """Speed and turning rate are the derivatives of place and heading."""
    step = 1e-5
    before, after = course.place(np.array([at - step, at + step]))
    speed = np.hypot(*(after - before)[:2]) / (2 * step)
    np.testing.assert_allclose(course.speed(np.array([at])), speed, atol=1e-4)
    np.testing.assert_allclose(course.turning(np.array([at])), (after - before)[2] / (2 * step), atol=1e-8)
    assert 0.0 <= course.weight(np.array([at]))[0] <= 1.0


def test_changing_places_are_the_integral_of_speed_and_heading() -> None:
    """Places of a turn equal adaptive quadrature of its speed along its heading, to 1e-10 m."""
    from scipy.integrate import quad

    course = COURSES[-2]
    start, end = course.place(np.array([-0.7, 3.3]))

    def part(t: float, trend) -> float:
        at = np.array([t])
        return float(course.speed(at)[0] * trend(course.place(at)[0, 2]))

    for column, trend in ((0, np.sin), (1, np.cos)):
        travelled = quad(part, -0.7, 3.3, args=(trend,), points=[0.5, 1.4, 2.1], epsabs=1e-12, limit=200)[0]
        np.testing.assert_allclose(end[column] - start[column], travelled, atol=1e-10)


@given(st.floats(-0.5, 0.5), st.floats(-1.2, -0.1), st.floats(-3.0, 3.0), st.floats(0.0, 1.0))
def test_plants_keep_heel_or_ball(strike: float, off: float, yaw: float, share: float) -> None:
    """The ankle keeps its distance to the heel while the toe is up, and to the ball while the heel is up."""
    plant = SamplePlant(0.3, -0.2, yaw, 0.0, 0.1, 0.4, 0.7, strike_pitch=strike, off_pitch=off)
    t = np.array([0.7 * share, 0.2])
    ankle, flat = plant.ankle(t)
    along = np.array([np.sin(yaw), 0.0, np.cos(yaw)])
    ground = np.array([0.3, 0.0, -0.2])
    heel, ball = ground - 0.0435 * along, ground + 0.145 * along + np.array([0.0, 0.02, 0.0])
    fixed = heel if plant.pitch(t)[0] > 0 else ball
    np.testing.assert_allclose(np.linalg.norm(ankle - fixed), np.linalg.norm(flat - fixed), rtol=1e-9)


def test_gait_curves_follow_their_tables() -> None:
    """The harmonic series match the published extremes to a few degrees."""
    phase = np.linspace(0, 1, 200, endpoint=False)
    hip, bent, ankle = (np.degrees(angle) for angle in walking(1.3).leg_angles(phase))
    assert 60 < bent.max() < 66
    assert 0.68 < phase[bent.argmax()] < 0.76
    assert -13 < hip.min() < -9
    assert -21 < ankle.min() < -15
    assert 90 < np.degrees(running(3.0).leg_angles(phase)[1]).max() < 97


def test_wrong_names_rates_and_lengths_are_refused() -> None:
    """Messages name the nearest clips and the possible range."""
    with pytest.raises(SettingError, match="walk_slow"):
        sample("walk_slo")
    with pytest.raises(SettingError, match="10 to 1000"):
        sample("walk", 5)
    with pytest.raises(SettingError, match="10 to 1000"):
        ground_truth("walk", float("nan"))
    with pytest.raises(SettingError, match="can last 4"):
        sample("stop", seconds=1.0)


@pytest.mark.parametrize("name", SAMPLES)
def test_lengths_can_be_chosen(name: str) -> None:
    """A longer clip spans the requested seconds with the body still upright."""
    clip = sample(name, 30, seconds=10.0)
    assert clip.n_frames == 301
    assert ground_truth(name, 30, seconds=10.0).speed.shape == (301,)
    assert clip.root_positions[:, 1].min() > 0.8
