"""Blend lengths: against their formulas frame by frame, by their laws, and on captured clips."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from naive import blend_lengths as naive
from segue.blending.durations import LONGEST, METHODS, RATE, WEIGHTS, blend_length
from segue.blending.lengths import (
    centred_curve,
    geodesic_curve,
    is_periodic,
    timewarped_surface,
    unlikeness,
    velocity_length,
)
from segue.errors import SettingError, SkeletonError
from segue.maths.quaternions import exp, half_angle, multiply
from segue.motion.clip import Clip
from segue.motion.resample import resampled
from segue.motion.skeleton import Skeleton
from segue.synthesis.splice import blend_length_at

DATA = Path(__file__).parents[3] / "shared" / "data"
seeds = st.integers(0, 10_000)


def windows(seed: int, count: int, joints: int) -> list[np.ndarray]:
    """Two random-walk windows of joint rotations."""
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(2):
        q = [exp(rng.normal(size=(joints, 3)))]
        for _ in range(count - 1):
            q.append(multiply(q[-1], exp(0.2 * rng.normal(size=(joints, 3)))))
        out.append(np.array(q))
    return out


@given(seeds, st.integers(1, 9), st.integers(1, 3))
def test_geodesic_curve_is_the_formula(seed: int, count: int, joints: int) -> None:
    """Every length of one pass equals the mean along its own blend."""
    a, b = windows(seed, count, joints)
    found = geodesic_curve(a, b)
    for length in range(1, count + 1):
        assert found[length - 1] == pytest.approx(naive.geodesic(a.tolist(), b.tolist(), length), abs=1e-9)


@given(seeds, st.integers(1, 9), st.data())
def test_centred_curve_is_the_formula(seed: int, count: int, data: st.DataObject) -> None:
    """The same holds around two frames that meet; the curve ends where a window does."""
    centre = data.draw(st.integers(0, count - 1))
    a, b = windows(seed, count, 2)
    found = centred_curve(a, b, centre=centre)
    for length in range(1, len(found) + 1):
        expected = naive.centred(a.tolist(), b.tolist(), centre, centre, length)
        assert found[length - 1] == pytest.approx(expected, abs=1e-9)
    longer = len(found) + 1
    before = max(longer // 2 - 1, 0)
    assert centre - before < 0 or centre - before + longer > count


@given(seeds, st.integers(1, 7))
def test_timewarped_surface_is_the_formula(seed: int, count: int) -> None:
    """The law holds for every pair of lengths with a ratio of one half to two, and no other is finite."""
    a, b = windows(seed, count, 2)
    weights = np.array([1.0, 0.3])
    found = timewarped_surface(a, b, weights)
    for one in range(1, count + 1):
        for other in range(1, count + 1):
            if max(one, other) > 2 * min(one, other):
                assert np.isinf(found[one - 1, other - 1])
                continue
            expected = weights @ naive.timewarped(a.tolist(), b.tolist(), one, other)
            assert found[one - 1, other - 1] == pytest.approx(expected, abs=1e-9)


@given(seeds, st.integers(1, 8))
def test_the_diagonal_of_the_surface_is_the_curve(seed: int, count: int) -> None:
    """Equal lengths on both sides need no warp."""
    a, b = windows(seed, count, 3)
    weights = np.array([1.0, 0.5, 0.2])
    diagonal = np.diag(timewarped_surface(a, b, weights))
    assert diagonal == pytest.approx(geodesic_curve(a, b) @ weights, abs=1e-12)


@given(seeds)
def test_velocity_is_the_formula(seed: int) -> None:
    """The length is the distance of the joint farthest apart over the mean of its speeds."""
    rng = np.random.default_rng(seed)
    p, q = exp(rng.normal(size=(4, 3))), exp(rng.normal(size=(4, 3)))
    one, other = rng.uniform(0.1, 3, 4), rng.uniform(0.1, 3, 4)
    joint, seconds = velocity_length(half_angle(p, q), one, other)
    assert (joint, seconds) == pytest.approx(
        naive.velocity(p.tolist(), q.tolist(), one.tolist(), other.tolist())
    )
    assert velocity_length(half_angle(p, q), 0 * one, 0 * other)[1] == np.inf


@given(seeds, st.integers(2, 8))
def test_curves_do_not_see_the_double_cover(seed: int, count: int) -> None:
    a, b = windows(seed, count, 2)
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (count, 2, 1))
    assert geodesic_curve(signs * a, b) == pytest.approx(geodesic_curve(a, b), abs=1e-12)
    weights = np.ones(2)
    assert timewarped_surface(a, signs * b, weights) == pytest.approx(
        timewarped_surface(a, b, weights), abs=1e-9
    )


@pytest.mark.parametrize("fps", [24, 30, 60, 120])
def test_a_loop_of_walking_is_joined_over_whole_cycles(fps: float) -> None:
    """Leaving a walk and arriving in it a cycle later, the geodesic length is the one that meets in step."""
    walk = resampled(segue.sample("walk"), fps)
    # The frames are chosen so that a blend of `cycle` seconds lies on itself, not by the sample's own cycle.
    cycle = 1.0
    at = round(1.0 * fps)
    found = blend_length(
        walk, walk, a_frame=at, b_frame=at + round(cycle * fps) - 1, kind="start_end", method="geodesic"
    )
    assert found.seconds == pytest.approx(cycle, abs=2 / RATE)
    assert found.curve.min() < 1e-3


@pytest.mark.slow
def test_all_methods_speak_for_themselves() -> None:
    """Each gives seconds in range and a sentence that names it, and refuses the kinds it does not support."""
    walk, run = segue.sample("walk"), segue.sample("run")
    for method, kinds in METHODS.items():
        for kind in ("aligned", "start_end"):
            ask = {"a_frame": 40, "b_frame": 50, "kind": kind, "method": method}
            if kind in kinds:
                found = blend_length(walk, run, **ask)
                assert 0 <= found.seconds <= LONGEST
                assert found.method in found.why
                assert found.per_joint.shape[1:] in {(8,), (0,)}
            else:
                with pytest.raises(SettingError, match=f"'{method}' is for"):
                    blend_length(walk, run, **ask)


def test_periodic_says_why() -> None:
    """Two walks are periodic, standing is not."""
    walk, run, stand = (segue.sample(name) for name in ("walk", "run", "stand"))
    there = blend_length(walk, run, a_frame=60, b_frame=60, kind="start_end", method="periodic")
    assert (there.method, there.why.startswith("both motions repeat")) == ("geodesic", True)
    still = blend_length(walk, stand, a_frame=60, b_frame=40, kind="start_end", method="periodic")
    assert (still.method, still.why.startswith("only one motion repeats")) == ("velocity", True)


def test_a_joint_at_rest_takes_the_longest_and_says_so() -> None:
    """At a speed near zero the formula gives an unbounded length."""
    stand = segue.sample("stand")
    frozen_pose = stand.with_motion(
        np.repeat(stand.rotations[:1], 90, 0),
        np.repeat(stand.root_positions[:1], 90, 0),
        origin=stand.origin.take([0] * 90),
    )
    found = blend_length(frozen_pose, frozen_pose, a_frame=5, b_frame=80, kind="start_end", method="velocity")
    assert found.at_border
    assert "longest possible here" in found.why


def test_impossible_wishes_are_refused() -> None:
    """Unknown methods, frames outside the clip and bodies that differ are refused."""
    walk = segue.sample("walk")
    ask = {"a_frame": 3, "b_frame": 3, "kind": "aligned"}
    with pytest.raises(SettingError, match=r"'longst' is not known.*nearest: longest"):
        blend_length(walk, walk, **ask, method="longst")
    with pytest.raises(SettingError, match="has frames 0 to"):
        blend_length(walk, walk, a_frame=3, b_frame=walk.n_frames, kind="aligned")
    with pytest.raises(SettingError, match="longest=0"):
        blend_length(walk, walk, **ask, method="velocity", longest=0)
    stick = Skeleton(("a", "b"), (-1, 0), np.zeros((2, 3)))
    clip = Clip(stick, np.tile([1.0, 0, 0, 0], (9, 2, 1)), np.zeros((9, 3)), 30)
    with pytest.raises(SkeletonError, match="different skeletons"):
        blend_length(walk, clip, **ask)
    with pytest.raises(SkeletonError, match="none of the weighted joints"):
        blend_length(clip, clip, **ask, method="longest")
    assert blend_length(clip, clip, **ask, method="fixed").seconds == pytest.approx(1 / 3)


def test_the_weights_are_those_of_the_table() -> None:
    """The weights are those of Wang, table IV.1."""
    assert {role: WEIGHTS[f"left_{role}"] for role in ("hip", "knee", "shoulder", "elbow")} == {
        "hip": 1.0,
        "knee": 0.0901,
        "shoulder": 0.7884,
        "elbow": 0.0247,
    }


def test_a_schedule_has_a_length_for_each_joint() -> None:
    """Each joint's own curve is lowest at its own length."""
    walk, run = segue.sample("walk"), segue.sample("run")
    found = blend_length(walk, run, a_frame=30, b_frame=70, kind="start_end", method="geodesic")
    for k, (role, seconds) in enumerate(found.joint_seconds.items()):
        assert role == found.roles[k]
        assert seconds == found.lengths[np.argmin(found.per_joint[:, k])]


@pytest.mark.slow
def test_a_timewarped_splice_plays_both_sides_whole() -> None:
    """The blend begins at the frame left and ends at the frame arrived at, for any two lengths."""
    walk, run = segue.sample("walk"), segue.sample("run")
    point = segue.transition_points(walk, run, threshold=1e9, mode="source")[0]
    found = blend_length_at(walk, run, point, method="timewarped")
    made = segue.splice(walk, run, point, length="timewarped")
    both = np.flatnonzero(made.origin.clip[:, 1] >= 0)
    used = made.origin.frame[both]
    assert used[0, 0] == point.a_frame
    assert used[-1, 1] == point.b_frame
    assert used[-1, 0] - used[0, 0] + 1 == round(found.from_seconds * walk.fps)
    assert used[-1, 1] - used[0, 1] + 1 == round(found.to_seconds * run.fps)


@pytest.mark.data
def test_captured_motion_is_told_apart() -> None:
    """Walks of one subject are periodic, jumps and a fight are not, without reading any name."""
    folder = DATA / "asf_amc"
    if not folder.is_dir():
        pytest.skip("the real clips are not beside the project")
    found = {path.stem: path for path in folder.rglob("*.amc")}
    for name, periodic in (
        ("16_15", True),
        ("16_22", True),
        ("16_02", False),
        ("02_05", False),
        ("17_10", False),
    ):
        clip = segue.load(found[name])
        frames = (np.linspace(0.2, 0.8, 5) * clip.n_frames).astype(int)
        values = [unlikeness(clip, int(frame)) for frame in frames]
        assert (np.median(values) < 0.3) == periodic, (name, values)
        assert is_periodic(clip, int(frames[2])) == (values[2] <= 0.3)
