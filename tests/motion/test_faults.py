"""Faults of a clip: frames without motion, a wrong frame rate, a misplaced floor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from naive.faults import glitch_steps, parabola_acceleration, second_largest_around, zero_runs
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import from_axis_angle, multiply, slerp
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.faults import (
    Fault,
    carried_flags,
    falls,
    find_faults,
    longest_usable,
    mass_centre,
    unusable_frames,
    usable_ranges,
    walk_ratio,
)
from segue.motion.frame_faults import AT_REST, _glitch_steps
from segue.motion.ground import slide
from segue.motion.resample import cut
from segue.motion.samples import SAMPLES
from segue.motion.skeleton import Skeleton
from segue.motion.turns import Turns, finger_joints, trunk_joints, usual_around

RATES = (24.0, 29.97, 60.0, 120.0, 240.0)
X = np.array([1.0, 0.0, 0.0])


def kinds(clip: Clip) -> list[tuple[str, int, int]]:
    """Kind and frames of every fault found."""
    return [(fault.kind, fault.start, fault.stop) for fault in find_faults(clip).found]


def with_rotations(clip: Clip, joint: str, rows: slice | int, rotation: np.ndarray) -> Clip:
    """Set the rotation of one joint in some frames."""
    rotations = clip.rotations.copy()
    rotations[rows, clip.skeleton.index(joint)] = rotation
    return clip.with_motion(rotations)


def slowed(clip: Clip, factor: float) -> Clip:
    """The same frames at another rate."""
    return clip.with_motion(fps=clip.fps * factor)


@pytest.mark.parametrize("fps", RATES)
@pytest.mark.parametrize("name", SAMPLES)
def test_sound_clips_have_no_faults(name: str, fps: float) -> None:
    """Walks, runs, turns, a stand and a dance have no faults at any usual rate."""
    assert not find_faults(segue.sample(name, fps)).found


@pytest.mark.parametrize("fps", RATES)
@pytest.mark.parametrize("length", [1, 2, 5])
def test_a_dropout_at_the_start_is_found(fps: float, length: int) -> None:
    """An arm that holds zeros in the first frames and then jumps is a dropout, at any rate."""
    broken = with_rotations(segue.sample("walk", fps), "LeftArm", slice(0, length), [1.0, 0, 0, 0])
    assert kinds(broken) == [("dropout", 0, length)]
    assert "LeftArm" in find_faults(broken).found[0].joints


@pytest.mark.parametrize("fps", RATES)
def test_a_dropout_inside_and_at_the_end_is_found(fps: float) -> None:
    walk = segue.sample("walk", fps)
    middle = with_rotations(walk, "LeftArm", slice(50, 54), [1.0, 0, 0, 0])
    end = with_rotations(walk, "LeftArm", slice(walk.n_frames - 3, None), [1.0, 0, 0, 0])
    assert kinds(middle) == [("dropout", 50, 54)]
    assert kinds(end) == [("dropout", walk.n_frames - 3, walk.n_frames)]


def test_passing_through_zero_is_no_dropout() -> None:
    """A joint that comes to exact rest smoothly, or stays at its limit, has no fault."""
    walk = segue.sample("walk", 120.0)
    joint = walk.skeleton.index("LeftArm")
    rotations = walk.rotations.copy()
    t = np.clip(np.abs(np.arange(walk.n_frames) - 300) / 300, 0, 1)
    rotations[:, joint] = slerp(np.array([1.0, 0, 0, 0]), rotations[:, joint], t**2)
    assert np.all(rotations[300, joint] == [1, 0, 0, 0])
    assert not kinds(walk.with_motion(rotations))
    knee = walk.skeleton.index("LeftLeg")  # one axis: clamped at zero it leaves zero with a jump
    bend = np.maximum(np.sin(np.arange(walk.n_frames) / 9.0), 0.0) ** 0.5
    rotations = walk.rotations.copy()
    rotations[:, knee] = from_axis_angle(X, bend)
    assert not find_faults(walk.with_motion(rotations)).of("dropout", "glitch")


@pytest.mark.parametrize("fps", [50.0, 60.0, 120.0, 240.0])
@pytest.mark.parametrize("degrees", [100.0, 179.0])
def test_a_glitch_is_found_where_it_is(fps: float, degrees: float) -> None:
    """A glitch of one frame (out and back) and a flip that stays are found at their frames."""
    walk = segue.sample("walk", fps)
    joint = walk.skeleton.index("RightUpLeg")
    flip = from_axis_angle(X, np.radians(degrees))
    spike, flipped = walk.rotations.copy(), walk.rotations.copy()
    spike[70, joint] = multiply(spike[70, joint], flip)
    flipped[70:, joint] = multiply(flipped[70:, joint], flip)
    assert kinds(walk.with_motion(spike)) == [("glitch", 69, 72)]
    assert kinds(walk.with_motion(flipped))[0] == ("glitch", 69, 71)
    assert find_faults(walk.with_motion(spike)).found[0].joints == ("RightUpLeg",)


def test_two_flips_near_each_other_do_not_hide_one_another() -> None:
    """If a leg flips and flips back a few frames later, both flips and the frames between them are unusable."""
    walk = segue.sample("walk", 120.0)
    joint = walk.skeleton.index("RightUpLeg")
    rotations = walk.rotations.copy()
    rotations[70:76, joint] = multiply(rotations[70:76, joint], from_axis_angle(X, 3.0))
    assert kinds(walk.with_motion(rotations)) == [("glitch", 69, 77)]


def test_fast_movement_is_no_glitch() -> None:
    """A kick that rotates 40 degrees a frame at its fastest, accelerating over three frames, is no glitch."""
    walk = segue.sample("stand", 60.0)
    angle = 2.2 / (1 + np.exp(-(np.arange(walk.n_frames) - 150) / 0.75))
    rotations = walk.rotations.copy()
    joint = walk.skeleton.index("RightUpLeg")
    rotations[:, joint] = multiply(from_axis_angle(X, -angle), rotations[:, joint])
    assert np.degrees(np.diff(angle).max()) > 35
    assert not find_faults(walk.with_motion(rotations)).of("glitch")


def test_fingers_are_left_out_of_glitches() -> None:
    """Joints beyond the wrist, whatever their names, and joints named after fingers are finger joints."""
    body = segue.sample("walk").skeleton
    wrist = body.index("LeftHand")
    names = (*body.names, "Mitten", "LeftThumb")
    parents = [*body.parents, wrist, body.index("LeftForeArm")]
    bigger = Skeleton(names, parents, np.vstack([body.offsets, [[0, 0.1, 0], [0, 0.1, 0]]]))
    assert np.flatnonzero(finger_joints(bigger)).tolist() == [body.n_joints, body.n_joints + 1]


def test_a_teleport_is_found() -> None:
    """A root moved by half a metre in one frame is a glitch."""
    walk = segue.sample("walk", 60.0)
    roots = walk.root_positions.copy()
    roots[200:, 0] += 0.5
    assert kinds(walk.with_motion(root_positions=roots)) == [("glitch", 199, 201)]


@pytest.mark.parametrize("fps", RATES)
@pytest.mark.parametrize("frames", [1, 2])
def test_a_rest_pose_before_the_take_is_found(fps: float, frames: int) -> None:
    """T-pose frames before a walk, as some converters write them, and after it are unusable."""
    walk = segue.sample("walk", fps)
    rest = np.zeros((frames, walk.skeleton.n_joints, 4))
    rest[..., 0] = 1.0
    rotations = np.concatenate([rest, walk.rotations])
    roots = np.concatenate([np.repeat(walk.root_positions[:1], frames, axis=0), walk.root_positions])
    clip = Clip(walk.skeleton, rotations, roots, fps)
    back = Clip(walk.skeleton, rotations[::-1], roots[::-1], fps)
    assert find_faults(clip).of("rest_pose", "lead_in")[0].start == 0
    assert unusable_frames(clip)[: frames + 3].tolist() == [True] * frames + [False] * 3
    assert unusable_frames(back)[-frames - 3 :].tolist() == [False] * 3 + [True] * frames


def test_two_takes_in_one_file_are_told() -> None:
    """The complete body jumps where a run follows a stand without a bridge."""
    a, b = segue.sample("stand", 120.0), segue.sample("run", 120.0)
    clip = Clip(
        a.skeleton,
        np.concatenate([a.rotations[:200], b.rotations[37:237]]),
        np.concatenate([a.root_positions[:200], b.root_positions[37:237]]),
        120.0,
    )
    assert ("cut", 199, 201) in kinds(clip)


def test_frozen_ends_are_found_and_a_hold_is_not() -> None:
    """Equal frames after movement are frozen; a clip that stands still throughout is a pose."""
    walk = segue.sample("walk", 60.0)
    rows = np.r_[np.arange(200), np.full(12, 199)]
    tail = Clip(walk.skeleton, walk.rotations[rows], walk.root_positions[rows], 60.0)
    assert kinds(tail) == [("frozen", 200, 212)]
    still = np.zeros(100, dtype=int)
    pose = Clip(walk.skeleton, walk.rotations[still], walk.root_positions[still], 60.0)
    assert not find_faults(pose).of("frozen")


def test_repeated_frames_tell_the_true_rate() -> None:
    """A 30 fps capture written at 60 fps with each frame twice has its true rate reported."""
    walk = segue.sample("walk", 30.0)
    rows = np.repeat(np.arange(walk.n_frames), 2)
    doubled = Clip(walk.skeleton, walk.rotations[rows], walk.root_positions[rows], 60.0)
    (fault,) = find_faults(doubled).of("repeats")
    assert "about 30" in fault.sentence
    assert not unusable_frames(doubled).any()


def test_an_arm_held_still_is_found() -> None:
    """In a gap filled with the last value the arm is exactly still and then catches up in one frame."""
    walk = segue.sample("walk_fast", 120.0)
    joint = walk.skeleton.index("LeftArm")
    rotations = walk.rotations.copy()
    rotations[200:230, joint] = rotations[200, joint]
    assert kinds(walk.with_motion(rotations)) == [("held", 200, 230)]


def test_keyed_motion_that_sets_in_at_once_is_sound() -> None:
    """An arm at exact rest, moved by linear interpolation between keys at 30 fps, has no fault."""
    stand = segue.sample("stand", 30.0)
    rotations = stand.rotations.copy()
    angle = np.interp(np.arange(stand.n_frames), [10, 20, 40, 60], [0.0, 1.5, 1.5, 0.0])
    axis = np.array([np.cos(angle), np.sin(angle), 0 * angle]).T
    rotations[:, stand.skeleton.index("LeftArm")] = from_axis_angle(axis, angle)
    assert not kinds(stand.with_motion(rotations))


@pytest.mark.parametrize("factor", [0.25, 0.5, 2.0, 4.0])
def test_a_wrong_clock_is_told_by_the_gait(factor: float) -> None:
    """A walk read at another rate than its own gets a rate warning that names the rate it has."""
    (fault,) = find_faults(slowed(segue.sample("walk", 60.0), factor)).of("rate")
    assert fault.severity == "warning"
    assert f"not {60 * factor:g}" in fault.sentence
    assert walk_ratio(segue.sample("walk", 60.0)) == pytest.approx(1.0, abs=0.1)


def test_a_floor_out_of_place_is_noted() -> None:
    """A clip lifted by 20 cm gets a floor note."""
    walk = segue.sample("walk")
    lifted = walk.with_motion(root_positions=walk.root_positions + np.array([0, 0.2, 0]))
    (fault,) = find_faults(lifted).found
    assert (fault.kind, fault.severity) == ("floor", "note")
    assert "20 cm above" in fault.sentence


@pytest.mark.parametrize(("scale", "word"), [(0.0, "in place"), (0.5, "scale"), (1.6, "scale")])
def test_sliding_feet_are_told(scale: float, word: str) -> None:
    """A walk whose root travels another distance than its legs step is reported as sliding."""
    walk = segue.sample("walk")
    roots = walk.root_positions * np.array([scale, 1.0, scale])
    (fault,) = find_faults(walk.with_motion(root_positions=roots)).of("sliding")
    assert word in fault.sentence
    assert slide(walk)[1] < 0.02


def test_the_mass_centre_lies_in_the_body() -> None:
    """The centre of mass of a standing body is near its pelvis: at 53 to 60 % of the height."""
    stand = segue.sample("stand")
    centre = mass_centre(stand)
    assert centre.shape == (stand.n_frames, 3)
    assert np.all(np.linalg.norm((centre - stand.root_positions)[:, [0, 2]], axis=1) < 0.1)
    assert np.all(np.abs(centre[:, 1] - stand.root_positions[:, 1]) < 0.15)


# -- laws --------------------------------------------------------------------------------------------------------


@given(turn=st.floats(-3, 3), x=st.floats(-1000, 1000), scale=st.sampled_from([0.01, 1.0, 40.0]))
def test_place_heading_and_size_change_nothing(turn: float, x: float, scale: float) -> None:
    """Ground motions and the unit do not change the faults."""
    walk = segue.sample("walk", 60.0)
    broken = with_rotations(walk, "LeftArm", slice(0, 3), [1.0, 0, 0, 0])
    broken = with_rotations(broken, "RightUpLeg", 70, [0.0, 1.0, 0, 0])
    body = walk.skeleton
    bigger = Skeleton(body.names, body.parents, body.offsets * scale)
    other = Clip(bigger, broken.rotations, broken.root_positions * scale, 60.0)
    there = moved(other, PlanarMotion(turn, x, -x))
    wanted = [row for row in kinds(broken) if row[0] in ("dropout", "glitch")]
    found = [(f.kind, f.start, f.stop) for f in find_faults(there).of("dropout", "glitch")]
    assert wanted == found == [("dropout", 0, 3), ("glitch", 69, 72)]


@given(st.integers(0, 50), st.integers(1, 6), st.floats(0.3, 5.0))
def test_carried_flags_see_both_neighbours(first: int, length: int, ratio: float) -> None:
    """A frame between a good and a bad one is bad; frames that coincide with good ones are good."""
    flags = np.zeros(60, dtype=bool)
    flags[first : first + length] = True
    count = int(59 / ratio) + 1
    out = carried_flags(flags, ratio=ratio, n_frames=count)
    for k in range(count):
        at = k * ratio
        sides = {int(np.floor(at + 1e-6)), min(int(np.ceil(at - 1e-6)), 59)}
        assert out[k] == any(flags[s] for s in sides)


def test_usable_ranges_and_flags_agree() -> None:
    """Ranges cover exactly the frames that are not flagged; the longest is cut out with its origin."""
    walk = segue.sample("walk", 60.0)
    broken = with_rotations(walk, "LeftArm", slice(0, 3), [1.0, 0, 0, 0])
    broken = with_rotations(broken, "RightUpLeg", 70, [0.0, 1.0, 0, 0])
    ranges = usable_ranges(broken)
    assert ranges == ((3, 69), (72, walk.n_frames))
    longest = longest_usable(broken)
    assert longest.origin.frame[0, 0] == 72
    assert longest.n_frames == walk.n_frames - 72
    assert longest_usable(walk) is walk


@pytest.mark.parametrize("n_frames", [1, 2, 3, 5, 8])
def test_very_short_clips_do_not_break_it(n_frames: int) -> None:
    """Too few frames to judge give no fault."""
    assert not find_faults(cut(segue.sample("walk"), 0, n_frames)).of("glitch", "dropout", "held", "cut")


# -- twins -------------------------------------------------------------------------------------------------------


def test_the_neighbourhood_equals_its_twin(rng: np.random.Generator) -> None:
    """The second largest value around every span is the twin's, also at the ends."""
    values = rng.random((40, 3))
    for width in (1, 2):
        fast = usual_around(values, 5, width=width)
        for k in range(len(fast)):
            for j in range(3):
                slow = second_largest_around(values[:, j].tolist(), k, k + width - 1, 5)
                assert fast[k, j] == slow


def test_glitches_and_zeros_equal_their_twins(rng: np.random.Generator) -> None:
    """A sample walk with random jumps and zeros gives the glitches and zero runs of the twins."""
    walk = segue.sample("walk", 60.0)
    rotations = walk.rotations.copy()
    for frame in rng.integers(0, walk.n_frames, 12):
        joint = int(rng.integers(0, walk.skeleton.n_joints))
        rotations[frame, joint] = from_axis_angle(X, rng.uniform(0.5, 3.0))
        rotations[(frame + 40) % walk.n_frames, joint] = [1, 0, 0, 0]
    turns = Turns.of(walk.with_motion(rotations))
    single, _ = _glitch_steps(turns)
    trunk = trunk_joints(walk.skeleton)
    for joint in range(walk.skeleton.n_joints):
        own = rotations[:, joint].tolist()
        assert np.flatnonzero(single[:, joint]).tolist() == glitch_steps(own, 60.0, bool(trunk[joint]))
        flags = turns.from_rest[:, joint] < AT_REST
        assert [k for a, b in zero_runs(own) for k in range(a, b)] == np.flatnonzero(flags).tolist()


def test_falls_equal_the_least_squares_twin(data: Path) -> None:
    """The downward acceleration of a captured jump is that of the normal equations."""
    jump = segue.load(data / "asf_amc/16/16_01.amc")
    height = mass_centre(jump)[:, 1]
    assert falls(jump)
    for start, stop, acceleration in falls(jump):
        assert acceleration == pytest.approx(
            parabola_acceleration(height[start:stop].tolist(), jump.fps), rel=1e-6
        )


def test_a_fault_is_plain_data() -> None:
    """Faults with equal fields are equal; the default severity is "unusable"."""
    assert Fault("glitch", 1, 2, (), "x") == Fault("glitch", 1, 2, (), "x", "unusable")
