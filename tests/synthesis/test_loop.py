"""Loops closed in pose, speed, heading and feet: a naive twin, laws, awkward files, captured strides."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import random_clips
import segue
from naive.loop import closed as naive_closed
from segue.errors import NoTransitionError, SettingError, SkeletonError
from segue.maths.planar import PlanarMotion, partial_motion, wrapped
from segue.maths.quaternions import conjugate, from_yaw, log, multiply
from segue.measures.foot_skate import foot_skate
from segue.measures.seams import accelerations, angular_speeds
from segue.motion.clip import Clip
from segue.motion.closing import _closed_values
from segue.motion.contacts import contacts
from segue.motion.facing import heading, moved
from segue.motion.kinematics import world_positions
from segue.motion.resample import cut, resampled
from segue.synthesis.cycles import Cycle, find_cycle, given_cycle
from segue.synthesis.loop import Loop, closed, loop, on_the_spot, repeated, there_and_back

SEEDS = st.integers(0, random_clips.SEEDS)


def cycle(start: int, stop: int) -> Cycle:
    """A range without costs."""
    return Cycle(start, stop, 0.0, 0.0, 0.0, 0)


def wandering(seed: int, frames: int = 40) -> Clip:
    """A smooth motion of a body with legs."""
    return random_clips.clip(np.random.default_rng(seed), random_clips.legged(), frames)


def end_on_first(made: Loop) -> float:
    """Distance of the last frame from the moved first one."""
    back = moved(cut(made.clip, 0, 1), made.step)
    turn = random_clips.apart(back.rotations[0], made.clip.rotations[-1])
    return max(turn, float(np.abs(back.root_positions[0] - made.clip.root_positions[-1]).max()))


@settings(max_examples=25)
@given(SEEDS, st.integers(2, 12), st.integers(25, 36))
def test_any_range_ends_as_it_began(seed: int, start: int, stop: int) -> None:
    """Whatever the ends, the last frame is the first one moved by the ground motion of a round."""
    for turn in ("auto", "keep", "none"):
        assert end_on_first(closed(wandering(seed), cycle(start, stop), turn=turn)) < 1e-12


@settings(max_examples=25)
@given(SEEDS, st.integers(2, 12), st.integers(25, 36))
def test_across_the_wrap_joints_go_on_as_fast(seed: int, start: int, stop: int) -> None:
    """The step change across the wrap is at most the largest within the clip plus the share of the ends' difference
    in speed that the ease leaves to its first frame: 1 - (1 - 1/m)^2 for an ease of m frames."""
    clip = wandering(seed)
    made = closed(clip, cycle(start, stop))
    n = stop - start
    ease = max(min(10, n // 2), 2)
    turns = [log(multiply(q[1:], conjugate(q[:-1]))) for q in (clip.rotations, repeated(made, 2).rotations)]
    natural = np.abs(np.diff(turns[0], axis=0)).max()
    unlike = np.abs(turns[0][start] - turns[0][stop - 1]).max() + np.abs(turns[0]).max() * made.turned
    left = 1.0 - (1.0 - 1.0 / ease) ** 2
    assert np.abs(turns[1][n] - turns[1][n - 1]).max() <= natural + left * unlike + 2e-3


@given(st.lists(st.floats(-5, 5), min_size=20, max_size=20), st.integers(1, 5), st.integers(12, 18))
def test_values_close_as_the_naive_twin_says(values: list[float], first: int, last: int) -> None:
    """Values match the twin's, column by column and frame by frame."""
    ease = (last - first) // 2
    found = _closed_values(np.array([values, values[::-1]]).T, first, last, ease)
    assert np.allclose(found[:, 0], naive_closed(values, first, last, ease), atol=1e-12)


@settings(max_examples=20)
@given(SEEDS, st.integers(1, 8))
def test_rounds_follow_each_other(seed: int, times: int) -> None:
    """Each round is the first moved by as many steps; rounds follow without a repeated frame."""
    made = closed(wandering(seed), cycle(3, 33), turn="keep")
    long, n = repeated(made, times), made.clip.n_frames - 1
    assert long.n_frames == times * n + 1
    step = PlanarMotion()
    for k in range(times):
        part = cut(long, k * n, (k + 1) * n + 1)
        there = moved(made.clip, step)
        assert np.allclose(world_positions(part), world_positions(there), atol=1e-9)
        step = step.then(made.step)


@given(SEEDS)
def test_part_way_again_and_again_is_the_whole_way(seed: int) -> None:
    """A seventh of a ground motion, seven times, is that motion, also where it turns all round."""
    motion = random_clips.ground_motion(np.random.default_rng(seed))
    turns, shifts = partial_motion(motion, np.array([1 / 7]))
    small, all_of_it = PlanarMotion(float(turns[0]), *(float(v) for v in shifts[0])), PlanarMotion()
    for _ in range(7):
        all_of_it = all_of_it.then(small)
    found = np.array([wrapped(all_of_it.turn - motion.turn), all_of_it.x - motion.x, all_of_it.z - motion.z])
    assert np.abs(found).max() < 1e-7 * (1 + 10 / max(abs(wrapped(motion.turn)), 1e-3))


@pytest.mark.parametrize(("name", "period", "speed"), [("walk", 1.1, 1.3), ("run", 22 / 30, 3.0)])
def test_a_stride_of_a_sample_is_the_one_it_was_made_of(name: str, period: float, speed: float) -> None:
    """Ground truth: samples consist of strides of known length; hardly anything is left to close."""
    clip = segue.sample(name)
    made = segue.loop(clip, feet="locked")
    assert made.cycle.strides == 1
    assert made.seconds == pytest.approx(period, abs=0.5 / clip.fps)
    assert np.hypot(made.step.x, made.step.z) == pytest.approx(speed * period, rel=0.02)
    assert made.cycle.share < 0.01
    assert np.abs(made.clip.rotations - clip.rotations[made.cycle.start : made.cycle.stop + 1]).max() < 0.05


def test_a_breath_stays_where_it_is() -> None:
    """Standing gives the longest phrase without a step, with feet in one place in every round."""
    made = segue.loop(segue.sample("stand"))
    assert made.stays
    assert made.cycle.strides == 0
    assert made.seconds > 3.0
    three = repeated(made, 3)
    ankle = made.clip.skeleton.index("LeftFoot")
    assert np.ptp(world_positions(three)[:, ankle], axis=0).max() < 1e-3


def test_turning_is_kept_and_drift_is_not() -> None:
    """A walk that turns at 0.3 rad/s goes round in a circle; one that turns by drift goes straight."""
    left = segue.loop(segue.sample("walk_left"))
    assert left.step.turn == pytest.approx(0.33, abs=0.02)
    assert loop(segue.sample("walk_left"), turn="none").step.turn == 0.0
    walk = segue.sample("walk")
    rotations = np.array(walk.rotations)
    drift = np.radians(5) * np.arange(walk.n_frames) / 66
    rotations[:, 0] = multiply(from_yaw(drift), rotations[:, 0])
    steps = np.diff(walk.root_positions, axis=0)
    c, s = np.cos(drift[:-1]), np.sin(drift[:-1])
    turned = np.column_stack(
        [c * steps[:, 0] + s * steps[:, 2], steps[:, 1], -s * steps[:, 0] + c * steps[:, 2]]
    )
    roots = walk.root_positions[0] + np.vstack([np.zeros(3), np.cumsum(turned, axis=0)])
    bent = walk.with_motion(rotations, roots)
    made = segue.loop(bent)
    assert made.step.turn == 0.0
    assert np.degrees(made.slid[1]) == pytest.approx(5.0, abs=0.5)
    ten = repeated(made, 10)
    assert abs(heading(ten)[-1] - heading(ten)[0]) < 1e-9
    far = ten.root_positions[-1] - ten.root_positions[0]
    assert abs(np.arctan2(far[0], far[2]) - heading(bent)[made.cycle.start : made.cycle.stop].mean()) < 0.1


def test_on_the_spot_nothing_goes_away() -> None:
    """In place the root returns exactly; pose and height are those of the travelling loop."""
    goes = segue.loop(segue.sample("walk_left"))
    made = on_the_spot(goes)
    assert made.stays
    assert np.array_equal(made.clip.root_positions[0], made.clip.root_positions[-1])
    assert np.ptp(made.clip.root_positions[:, [0, 2]], axis=0).max() < 0.2
    assert np.array_equal(made.clip.rotations[:, 1:-1], goes.clip.rotations[:, 1:-1])
    assert np.array_equal(made.clip.root_positions[:-1, 1], goes.clip.root_positions[:-1, 1])
    assert abs(np.diff(heading(made.clip)).sum()) < 1e-9


def test_where_there_is_no_cycle_it_is_said() -> None:
    """The error gives the nearest range, its distance, and what to do."""
    clip = cut(segue.sample("walk"), 0, 58)  # not a complete stride
    with pytest.raises(NoTransitionError, match=r"'walk' has no cycle: .*--from, --to"):
        segue.loop(clip)
    made = loop(clip, start=5, stop=50)
    assert end_on_first(made) < 1e-12
    with pytest.raises(
        SettingError, match=r"0\.\d\d s that can be compared, the shortest cycle lasts 0\.4 s"
    ):
        segue.loop(cut(clip, 0, 35))


def test_nonsense_is_refused() -> None:
    """Half a range, a range outside, unknown words and a body without legs are refused."""
    walk = segue.sample("walk")
    with pytest.raises(SettingError, match="both ends of the range"):
        loop(walk, start=3)
    with pytest.raises(SettingError, match="frames 0 to 360; cannot loop 3 to 361"):
        loop(walk, start=3, stop=361)
    with pytest.raises(SettingError, match="too short"):
        given_cycle(walk, 3, 6)
    with pytest.raises(SettingError, match="'auto', 'keep' or 'none'"):
        loop(walk, turn="left")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="0 times"):
        repeated(loop(walk, start=30, stop=96), 0)
    with pytest.raises(SettingError, match="5 to 2 s"):
        find_cycle(walk, shortest=5, longest=2)
    rng = np.random.default_rng(1)
    legless = random_clips.clip(rng, random_clips.body(rng, 4), 60)
    with pytest.raises(SkeletonError, match="left_hip"):
        find_cycle(legless)


def test_an_hour_is_looked_through_in_pieces() -> None:
    """Searching in pieces finds the same as searching everything in one pass."""
    clip = segue.sample("step_touch", 30.0)
    whole, pieces = find_cycle(clip, longest=7.0), find_cycle(clip, longest=3.0)
    assert (whole.start, whole.stop) == (pieces.start, pieces.stop) or pieces.share < 0.01
    assert abs(whole.n_frames - pieces.n_frames) <= 1


def case_of(cases: Path, number: str) -> tuple[Clip, dict]:  # type: ignore[type-arg]
    """Clip and numbers of a case."""
    path = next(cases.glob(f"case{number}-*.json"))
    return segue.load(path.with_suffix(".bvh")), json.loads(path.read_text("utf-8"))


def test_case001_forwards_and_back_ends_where_it_began(cases: Path) -> None:
    """The root returns to its start."""
    clip, case = case_of(cases, "001")
    made = there_and_back(clip).clip
    n = clip.n_frames
    assert np.array_equal(made.rotations[n - 1 :], clip.rotations[::-1])
    gone = np.linalg.norm(made.root_positions[-1] - made.root_positions[0]) * 100
    assert abs(gone - case["expect"]["net_travel"]) <= case["expect"]["tol"]


def test_case067_ten_rounds_leave_no_heading_error(cases: Path) -> None:
    """A turn by 166 degrees and back, ten times, leaves no heading error."""
    clip, case = case_of(cases, "067")
    ten = repeated(there_and_back(clip), case["inputs"]["repeats"])
    off = np.degrees(wrapped(heading(ten)[-1] - heading(ten)[0]))
    assert abs(off) < case["expect"]["heading_error"]


def test_case155_a_loop_at_another_rate_does_not_hitch(cases: Path) -> None:
    """Second differences of all joint angles at the wrap are compared with the largest inside."""
    clip, case = case_of(cases, "155")
    made = loop(clip, start=0, stop=clip.n_frames - 1, feet="free")
    two = resampled(repeated(made, 2), case["inputs"]["fps"])
    second = np.abs(np.diff(two.rotations, 2, axis=0)).max(axis=(1, 2))
    at = (two.n_frames - 1) // 2
    seam = second[at - 3 : at + 2]
    inside = np.concatenate([second[4 : at - 6], second[at + 5 : -4]])
    assert seam.max() <= case["expect"]["factor"] * inside.max()


@pytest.mark.parametrize("name", ["16_15.bvh", "16_35.bvh", "02_01.bvh"])
def test_a_captured_stride_played_ten_times_has_no_seam(data: Path, name: str) -> None:
    """At the wraps no rotation or acceleration exceeds the largest of the clip, and no planted foot slides."""
    clip = segue.load(next((data / "cmu" / "from_amc").rglob(name)))
    made = segue.loop(clip, feet="locked")
    assert made.cycle.strides == 1
    assert end_on_first(made) < 1e-12
    ten, n = repeated(made, 10), made.clip.n_frames - 1
    around = (np.arange(1, 10)[:, None] * n + np.arange(-3, 3)).ravel()
    speeds = [angular_speeds(c.rotations, c.fps) for c in (ten, clip)]
    pushes = [accelerations(world_positions(c), c.fps) for c in (ten, clip)]
    for ours, own in (speeds, pushes):
        assert ours[around].max() <= own.max()
    flags = contacts(clip).flags[made.cycle.start : made.cycle.stop]
    planted = np.concatenate([np.tile(flags, (10, 1)), flags[:1]])
    slides = [plant.along_path for plant in foot_skate(ten, planted=planted)]
    assert max(slides) < 0.006
