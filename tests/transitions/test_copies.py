"""Copies of one motion: exact, cut, out of step, on another skeleton; and motions that are merely similar."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from naive import minima as naive
from segue.costs.matrix import next_frame_costs
from segue.costs.registry import cost
from segue.io import load
from segue.maths.quaternions import yawed
from segue.motion.clip import Clip
from segue.motion.resample import resampled
from segue.motion.samples import sample
from segue.settings import SearchSettings
from segue.transitions import copies
from segue.transitions.candidates import candidates
from segue.transitions.copies import longer_run, longest_run, same_postures, shared_motion

COST = cost("point_cloud")


def compared(a, b):
    """Candidates of two clips, with the search for copies."""
    pa, pb = COST.prepare(a), COST.prepare(b)
    steps = next_frame_costs(pa, COST), next_frame_costs(pb, COST)
    return candidates(pa, pb, cost=COST, settings=SearchSettings(), next_frame=steps)


def cut(clip, start, stop):
    """Frames of a clip as a clip of its own."""
    return Clip(
        clip.skeleton, clip.rotations[start:stop], clip.root_positions[start:stop], clip.fps, name="cut"
    )


@given(
    arrays(np.float64, st.tuples(st.integers(1, 7), st.integers(1, 7)), elements=st.sampled_from([0.0, 1.0])),
    st.integers(1, 7),
)
def test_the_longest_run_is_that_of_the_twin(values, height):
    """Sorted ends and plain loops find the same line for any limits per row and any number of rows held in memory."""
    limits = np.where(np.arange(len(values)) % 3 == 2, 2.0, 0.5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(copies, "_CELLS", 1)
        patch.setattr(copies, "_ROWS", height)
        got = longest_run(values, limits)
    assert list(got) == naive.longest_run(values.tolist(), limits.tolist())


@given(
    values=arrays(
        np.float64, st.tuples(st.integers(1, 7), st.integers(1, 7)), elements=st.sampled_from([0.0, 1.0])
    ),
    height=st.integers(1, 4),
)
def test_runs_go_on_from_band_to_band(values, height):
    """The longest diagonal line is the twin's for any band height."""
    limits = np.where(np.arange(len(values)) % 3 == 2, 2.0, 0.5)
    run, best = np.zeros(values.shape[1] + 1, dtype=np.int64), (0, 0, 0)
    for first in range(0, len(values), height):
        band = slice(first, first + height)
        best = longer_run(values[band], limits[band], first, run, best)
    assert list(best) == naive.longest_run(values.tolist(), limits.tolist())


def test_a_clip_at_another_rate_is_a_copy():
    """The same walk at 24 fps is recognised; no candidates are left."""
    walk = sample("walk")
    late = resampled(walk, 24.0)
    found = compared(walk, late)
    assert found.shared is not None
    assert found.shared.whole
    assert len(found) == 0


def test_a_part_cut_out_of_a_clip_is_a_copy(data):
    """Part of a boxing clip (6 of 23 s) is found at its position; other boxing is not."""
    boxing, other = load(data / "asf_amc/17/17_10.amc"), load(data / "asf_amc/02/02_05.amc")
    part = cut(boxing, 600, 1400)
    found = compared(boxing, part)
    assert found.shared is not None
    assert found.shared.whole
    assert (found.shared.a, found.shared.b) == (150, 0)
    assert compared(boxing, other).shared is None


def test_clips_that_share_a_part_are_joined():
    """A walk that continues and the same walk that stops are reported, and joined: they end differently."""
    found = compared(sample("walk"), sample("stop"))
    assert found.shared is not None
    assert not found.shared.whole
    assert len(found)


def test_the_same_steps_along_another_path_are_no_copy():
    """Straight on and in a curve, limbs move alike; the path on the ground distinguishes the clips."""
    assert compared(sample("walk"), sample("walk_left")).shared is None
    assert compared(sample("run_left"), sample("run_right")).shared is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("asf_amc/02/02_01.amc", "cmu/from_amc/02_01.bvh"),
        ("asf_amc/02/02_01.amc", "cmu/bvhacker/02_01.bvh"),
        ("asf_amc/01/01_01.amc", "cmu/mb2/01_01.bvh"),
        ("cmu/max_friendly/131_01.bvh", "cmu/bvhacker/scaled_131_01.bvh"),
    ],
)
def test_one_motion_in_two_formats_is_a_copy(data, one, other):
    """The law also holds where the converter left out bones and moved the upper body by about 10 cm."""
    found = compared(load(data / one), load(data / other))
    assert found.shared is not None
    assert found.shared.whole
    assert len(found) == 0


@pytest.mark.parametrize(
    ("one", "other"), [("16_01", "16_02"), ("16_15", "16_16"), ("16_47", "16_58"), ("16_25", "16_26")]
)
def test_two_takes_of_one_action_are_no_copies(data, one, other):
    """Similar jumps, walks and runs of one person remain two motions and are joined."""
    found = compared(load(data / f"asf_amc/16/{one}.amc"), load(data / f"asf_amc/16/{other}.amc"))
    assert found.shared is None
    assert len(found)


def test_standing_still_is_no_copy():
    """Two stretches without motion cost nothing against each other, which is no evidence."""
    still = np.full(60, 1e-9)
    values = np.full((61, 61), 1e-8)
    assert shared_motion(values, next_frame_a=still, next_frame_b=still, rate=30.0) is None


def test_short_clips_are_not_judged_by_posture():
    """Under a second, similar postures are no evidence."""
    short = COST.prepare(cut(sample("walk"), 0, 50))
    assert same_postures(short, short) is None


def held(clip, frame, count):
    """One frame of a clip, held for `count` frames."""
    frames = np.full(count, frame)
    return Clip(clip.skeleton, clip.rotations[frames], clip.root_positions[frames], clip.fps, name="held")


@pytest.mark.parametrize("count", [90, 1000, 3600])
def test_a_posture_held_still_is_its_own_copy(count):
    """The law holds despite rounding of the heights; another posture held still is no copy."""
    walk = sample("walk")
    first, same, other = (COST.prepare(held(walk, frame, count)) for frame in (10, 10, 30))
    shared = same_postures(first, same)
    assert shared is not None
    assert (shared.a, shared.b, shared.share) == (0, 0, 1.0)
    assert same_postures(first, other) is None
    longer = same_postures(first, COST.prepare(held(walk, 10, 2 * count)))
    assert longer is not None
    assert longer.whole


def test_turning_on_the_spot_is_no_standing_still():
    """On a turntable no part rises or falls, but one that turns faster is another motion."""
    still = held(sample("walk"), 10, 200)
    angle = np.linspace(0.0, 2.0, 200)
    turning = []
    for speed in (1.0, 1.0, 3.0):
        rotations = still.rotations.copy()
        rotations[:, 0] = yawed(speed * angle, rotations[:, 0])
        turning.append(COST.prepare(Clip(still.skeleton, rotations, still.root_positions, still.fps)))
    assert same_postures(turning[0], turning[1]) is not None
    assert same_postures(turning[0], turning[2]) is None
