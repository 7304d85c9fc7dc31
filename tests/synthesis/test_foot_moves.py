"""Moves of a foot: compared with their definition, and their laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from naive import foot_moves as naive
from segue.maths.planar import turned
from segue.synthesis.feet._kernels import creeps, slips
from segue.synthesis.feet.moves import _HOME, _LEVER, FIRM, FootSteps

seeds = st.integers(0, 10_000)
FPS = 30.0


def foot_moves(
    *given_foot: np.ndarray, windows: list[tuple[int, int]], fps: float, tau: float = FIRM
) -> tuple[np.ndarray, np.ndarray]:
    """Shifts and turns of a foot within windows."""
    return FootSteps.of(*given_foot, fps=fps).moves(windows, tau)


def foot(seed: int, n: int, *, tilt: float = 0.01) -> tuple[np.ndarray, ...]:
    """Heel and toe of a wandering foot, its ankle, its target steps, and its firmness."""
    rng = np.random.default_rng(seed)
    ankle = np.cumsum(0.01 * rng.normal(size=(n, 2)), axis=0)
    parts = ankle[:, None] + np.array([[0.0, -0.06], [0.02, 0.16]]) + tilt * rng.normal(size=(n, 2, 2))
    return parts, ankle, 0.003 * rng.normal(size=(n, 2, 2)), rng.random((n, 2)) * (rng.random((n, 2)) < 0.7)


@settings(max_examples=8)
@given(seeds, st.sampled_from([(2, 8), (0, 6), (4, 11), (0, 11)]), st.sampled_from([0.005, 0.05]))
def test_moves_are_their_definition(seed: int, window: tuple[int, int], tau: float) -> None:
    """For windows in the middle, at either end and over all frames no general solver finds a lower minimum.

    Turns of half a radian and more, which no foot on the ground makes, have several minima.
    """
    parts, ankle, steps, weights = foot(seed, 11, tilt=0.003)
    shift, turn = foot_moves(parts, ankle, steps, weights, windows=[window], fps=FPS, tau=tau)
    how = (parts.tolist(), ankle.tolist(), steps.tolist(), weights.tolist(), window, FPS, tau, _HOME, _LEVER)
    expected = naive.moves(*how)
    assume(np.abs(expected[:, 2]).max() < 0.5)
    found = np.column_stack([shift, turn])[slice(*window)]
    costs = [float(np.sum(naive.residuals(values, *how) ** 2)) for values in (found, expected)]
    assert costs[0] <= 1.1 * costs[1] + 1e-9


@given(seeds, st.sampled_from([(2, 8), (0, 6), (4, 11), (0, 11), (5, 5)]))
def test_slips_are_their_definition(seed: int, span: tuple[int, int]) -> None:
    """For both feet and any span: the larger of heel and toe, including the frames before and after."""
    feet = [foot(seed + k, 11) for k in (0, 1)]
    ground, ankles, steps, firm = (np.stack(part, axis=1) for part in zip(*feet, strict=True))
    rng = np.random.default_rng(seed)
    shift, turn = 0.02 * rng.normal(size=(2, 11, 2)), 0.1 * rng.normal(size=(2, 11))
    places, found = np.empty((11, 4, 2)), np.empty((1, 2))
    flat = (ground.reshape(11, 4, 2), ankles), (shift, turn), (steps.reshape(11, 4, 2), firm.reshape(11, 4))
    slips(*flat, np.array([[span, span]]), places, found)
    for k, foot_places in enumerate((ankles[:, 0], ankles[:, 1])):
        lever = turned(turn[k][:, None], ground[:, k] - foot_places[:, None])
        assert np.allclose(
            places[:, 2 * k : 2 * k + 2], (foot_places + shift[k])[:, None] + lever, atol=1e-12
        )
    for k, (parts, ankle, wanted, firmly) in enumerate(feet):
        moved = (shift[k].tolist(), turn[k].tolist())
        expected = naive.slides(parts.tolist(), ankle.tolist(), wanted.tolist(), firmly.tolist(), moved, span)
        assert found[0, k] == pytest.approx(expected, abs=1e-12)


@given(seeds, st.integers(0, 3), st.integers(0, 8), st.integers(1, 12))
def test_creeps_are_their_definition(seed: int, part: int, start: int, count: int) -> None:
    """For any part and frames, one frame alone and no frames included."""
    places = np.random.default_rng(seed).normal(size=(20, 4, 2))
    found = np.empty(2)
    creeps(places, np.array([[part, start, start + count], [0, 5, 5]]), found)
    expected = naive.farthest(places[start : start + count, part].tolist())
    assert found.tolist() == pytest.approx([expected, 0.0], abs=1e-12)


@given(seeds, st.integers(0, 8), st.integers(12, 20))
def test_nothing_moves_outside_the_windows(seed: int, start: int, stop: int) -> None:
    """Nor where steps are already as required, or where no part stands."""
    parts, ankle, steps, weights = foot(seed, 24)
    shift, turn = foot_moves(parts, ankle, steps, weights, windows=[(start, stop)], fps=FPS)
    assert not np.delete(shift, np.s_[start:stop], axis=0).any()
    assert not np.delete(turn, np.s_[start:stop]).any()
    own = np.diff(parts, axis=0, prepend=parts[:1])
    for wanted, firm in ((own, weights), (steps, np.zeros_like(weights))):
        shift, turn = foot_moves(parts, ankle, wanted, firm, windows=[(start, stop)], fps=FPS)
        assert np.abs(shift).max() < 1e-12
        assert np.abs(turn).max() < 1e-12


@settings(max_examples=20)
@given(seeds)
def test_a_planted_part_makes_its_steps(seed: int) -> None:
    """A part that stands for a third of a second, with free frames around it, makes its steps within 1 mm of noise."""
    parts, ankle, steps, _ = foot(seed, 40, tilt=0.002)
    weights = np.zeros((40, 2))
    weights[15:26, 1] = 1.0
    shift, turn = foot_moves(parts, ankle, steps, weights, windows=[(2, 38)], fps=FPS)
    after = ankle + shift + turned(turn, parts[:, 1] - ankle)
    assert np.diff(after, axis=0)[14:25] == pytest.approx(steps[15:26, 1], abs=1e-3)


@given(seeds, st.floats(-3.0, 3.0))
def test_it_does_not_matter_where_on_the_ground(seed: int, angle: float) -> None:
    """Turning and shifting everything gives the same turns, and turned shifts."""
    parts, ankle, steps, weights = foot(seed, 20)
    shift, turn = foot_moves(parts, ankle, steps, weights, windows=[(3, 17)], fps=FPS)
    other = foot_moves(
        turned(np.array(angle), parts) + 3.0,
        turned(np.array(angle), ankle) + 3.0,
        turned(np.array(angle), steps),
        weights,
        windows=[(3, 17)],
        fps=FPS,
    )
    assert other[0] == pytest.approx(turned(np.array(angle), shift), abs=1e-8)
    assert other[1] == pytest.approx(turn, abs=1e-7)


def test_windows_do_not_see_each_other() -> None:
    """Two windows in one call are each as alone."""
    parts, ankle, steps, weights = foot(5, 30)
    both = foot_moves(parts, ankle, steps, weights, windows=[(2, 10), (14, 28)], fps=FPS)
    for start, stop in ((2, 10), (14, 28)):
        alone = foot_moves(parts, ankle, steps, weights, windows=[(start, stop)], fps=FPS)
        assert np.array_equal(both[0][start:stop], alone[0][start:stop])
        assert np.array_equal(both[1][start:stop], alone[1][start:stop])


def test_no_windows_are_no_moves() -> None:
    parts, ankle, steps, weights = foot(1, 10)
    shift, turn = foot_moves(parts, ankle, steps, weights, windows=[], fps=FPS)
    assert not shift.any()
    assert not turn.any()
