"""Clips of one cycle were refused everywhere as too short for a window, a blend or a second strike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segue
from segue.io import load, save
from segue.locomotion.build import build_locomotion
from segue.maths.quaternions import exp, multiply
from segue.motion.clip import Clip, Origin
from segue.motion.cyclic import find_period, unrolled
from segue.motion.resample import cut
from segue.synthesis.loop import repeated

FOUND = Path(__file__).resolve().parents[3] / "shared" / "found" / "f08-one-cycle-of-a-walk.bvh"


@pytest.fixture(scope="module")
def one_cycle() -> Clip:
    """One stride of the sample walk, closed: its last frame repeats the first."""
    clip = segue.loop(segue.sample("walk")).clip
    return clip.with_motion(name="one_cycle", origin=Origin.of("one_cycle", clip.n_frames))


@pytest.fixture(scope="module")
def one_run() -> Clip:
    """One stride of the sample run, closed."""
    clip = segue.loop(segue.sample("run")).clip
    return clip.with_motion(name="one_run", origin=Origin.of("one_run", clip.n_frames))


def test_one_cycle_of_a_walk_is_the_loop_itself(one_cycle: Clip) -> None:
    """A clip of one cycle had "no cycle"; it is the loop itself, with its frames bit for bit unchanged."""
    made = segue.loop(one_cycle)
    assert (made.cycle.start, made.cycle.stop, made.cycle.strides) == (0, 66, 1)
    assert np.array_equal(made.clip.rotations, one_cycle.rotations)
    assert np.array_equal(made.clip.root_positions, one_cycle.root_positions)
    assert made.step.z == pytest.approx(1.43, abs=0.01)
    ten = repeated(made, 10)
    assert np.array_equal(ten.rotations[66 * 9 + 5, 1:], one_cycle.rotations[5, 1:])


def test_a_cycle_without_its_last_row_gets_it(one_cycle: Clip) -> None:
    """If the file omits the repeated frame, the loop adds it: it ends on its first pose, one stride further on."""
    made = segue.loop(cut(one_cycle, 0, 66))
    assert made.clip.n_frames == 67
    assert np.array_equal(made.clip.rotations[:66], one_cycle.rotations[:66])
    assert np.allclose(made.clip.root_positions[-1], one_cycle.root_positions[-1], atol=2e-3)


def test_the_file_in_which_it_was_found(tmp_path: Path, one_cycle: Clip) -> None:
    """The file that showed the fault has one cycle of 72 frames, 1.2 s and 1.15 m; a saved walk is tested always."""
    save(one_cycle, tmp_path / "cycle.bvh")
    assert segue.loop(load(tmp_path / "cycle.bvh")).clip.n_frames == 67
    if FOUND.is_file():
        made = segue.loop(load(FOUND))
        assert (made.cycle.start, made.cycle.stop, made.clip.n_frames) == (0, 72, 73)
        assert made.seconds == pytest.approx(1.2)
        assert np.hypot(made.step.x, made.step.z) == pytest.approx(1.15, abs=0.005)


def test_in_place_and_longest_still_hold(one_cycle: Clip) -> None:
    """The ground motion of a complete cycle can be removed, and a cycle longer than allowed is not used."""
    assert segue.loop(one_cycle, in_place=True).stays
    with pytest.raises(segue.SegueError):
        segue.loop(one_cycle, longest=0.8)


def test_a_walker_is_built_of_one_cycle_each(one_cycle: Clip, one_run: Clip) -> None:
    """A walk and a run of one stride each held no complete cycle from strike to strike."""
    walker = build_locomotion([one_cycle, one_run])
    assert [node.kind for node in walker.nodes] == ["walk", "run"]


def test_a_cycle_with_open_ends_by_the_files_word_is_closed(data: Path) -> None:
    """DeepMimic's walk states that it wraps, but its ends are 28 degrees apart: the loop is closed and reports it."""
    clip = load(data / "misc" / "deepmimic" / "humanoid3d_walk.txt")
    period = find_period(clip)
    assert period is not None
    assert np.degrees(period.gap) > 20
    made = segue.loop(clip)
    assert made.turned > 0
    assert made.cycle.share > 0
    assert np.abs(made.clip.rotations[0, 1:] - made.clip.rotations[-1, 1:]).max() < 1e-9


@pytest.mark.parametrize("ends", ["held", "breathing"])
@pytest.mark.parametrize("rounds", [1, 2])
def test_a_cycle_that_runs_into_a_hold_is_none(one_cycle: Clip, ends: str, rounds: int) -> None:
    """The held pose equals the first pose, but the motion does not. `loop` finds the stride inside."""
    n = one_cycle.n_frames - 1
    walked = unrolled(one_cycle, seconds=rounds * n / one_cycle.fps)
    rows = np.minimum(np.arange(walked.n_frames + 90), walked.n_frames - 1)
    rotations, roots = walked.rotations[rows].copy(), walked.root_positions[rows]
    if ends == "breathing":
        late = np.maximum(np.arange(len(rows)) - walked.n_frames, 0) / one_cycle.fps
        chest = walked.skeleton.names.index("Spine") if "Spine" in walked.skeleton.names else 1
        rotations[:, chest] = multiply(
            rotations[:, chest], exp(np.column_stack([0.004 * np.sin(late), 0 * late, 0 * late]))
        )
    stops = walked.with_motion(rotations, roots, origin=Origin.of("stops", len(rows)))
    assert find_period(stops) is None
    assert find_period(walked) is not None
