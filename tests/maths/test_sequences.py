"""Time warping against an exhaustive search, springs against small steps, and edge cases."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segue
from naive import sequences as naive
from segue.errors import SettingError
from segue.maths.easing import decay, no_overshoot, rate_for
from segue.maths.sequences import time_warp, warp_of
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world

CASES = Path(__file__).parents[3] / "shared" / "cases"
seeds = st.integers(0, 10_000)


@given(seeds, st.integers(1, 6), st.integers(1, 6), st.integers(1, 5))
def test_the_way_is_the_cheapest_of_all(seed: int, rows: int, columns: int, limit: int) -> None:
    """The cost of the path is that of its cells, no other path costs less, and the path keeps the limit."""
    cost = np.random.default_rng(seed).random((rows, columns))
    expected = naive.cheapest(cost.tolist(), limit)
    if not np.isfinite(expected):
        with pytest.raises(SettingError, match="cannot be aligned"):
            warp_of(cost, limit=limit)
        return
    found = warp_of(cost, limit=limit)
    assert found.cost == pytest.approx(expected, rel=1e-12)
    assert cost[found.path[:, 0], found.path[:, 1]].sum() == pytest.approx(found.cost, rel=1e-12)
    steps = np.diff(found.path, axis=0)
    assert found.path[0].tolist() == [0, 0]
    assert found.path[-1].tolist() == [rows - 1, columns - 1]
    assert set(map(tuple, steps.tolist())) <= {(1, 0), (0, 1), (1, 1)}
    for side in ((1, 0), (0, 1)):
        turns = 0
        for step in steps.tolist():
            turns = turns + 1 if tuple(step) == side else 0
            assert turns <= limit


@given(seeds, st.integers(1, 9), st.integers(1, 9), st.none() | st.integers(0, 9))
def test_within_a_band_no_way_is_cheaper(seed: int, rows: int, columns: int, band: int | None) -> None:
    """The law also holds without a band; where the band is disconnected the error names one that is not."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(rows, 2)), rng.normal(size=(columns, 2))
    cost = np.linalg.norm(x[:, None] - y[None], axis=-1)
    wide = columns if band is None else min(2 * band + 1, columns)
    firsts = [
        min(max(round(i * ((columns - 1) / max(rows - 1, 1))) - (wide - 1) // 2, 0), columns - wide)
        for i in range(rows)
    ]
    inside = [[first <= j < first + wide for j in range(columns)] for first in firsts]
    expected = naive.cheapest_in_band(cost.tolist(), inside)
    if not np.isfinite(expected):
        with pytest.raises(SettingError, match=r"allow band=(\d+)") as refused:
            time_warp(x, y, band=band)
        time_warp(x, y, band=int(str(refused.value).rpartition("band=")[2]))
        return
    found = time_warp(x, y, band=band)
    assert found.cost == pytest.approx(expected, rel=1e-12)
    assert cost[found.path[:, 0], found.path[:, 1]].sum() == pytest.approx(found.cost, rel=1e-12)
    assert set(map(tuple, np.diff(found.path, axis=0).tolist())) <= {(1, 0), (0, 1), (1, 1)}
    if band is None:
        assert warp_of(cost).cost == pytest.approx(found.cost, rel=1e-12)


@pytest.mark.parametrize("limit", [None, 3])
def test_long_sequences_are_refused_before_memory_is_taken(limit: int | None) -> None:
    """The error states the size, and a band that fits where there is one."""
    long = np.zeros(300_000)
    with pytest.raises(SettingError, match="GiB"):
        time_warp(long, long, limit=limit)
    some = np.sin(np.linspace(0, 99, 12_000))
    with pytest.raises(SettingError, match="GiB") as refused:
        time_warp(some, some)
    fits = int(str(refused.value).partition("band=")[2].split()[0])
    assert 12_000 * 9 * (2 * fits + 1) <= 1 << 30


@pytest.mark.slow
def test_a_wide_sequence_takes_no_more_memory_than_a_narrow_one() -> None:
    """Distances are summed component by component: 66 numbers a frame do not need 66 matrices."""
    import tracemalloc

    rng = np.random.default_rng(0)
    x = rng.normal(size=(1000, 66))
    tracemalloc.start()
    time_warp(x, x[::2], band=200)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 4 * 9 * 1000 * 401


@given(seeds, st.integers(1, 9), st.integers(1, 3))
def test_a_sequence_lies_on_itself(seed: int, n: int, width: int) -> None:
    """A sequence against itself costs nothing, and the order of the two does not matter."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, width)), rng.normal(size=(n + 2, width))
    assert time_warp(x, x).cost == pytest.approx(0, abs=1e-12)
    assert time_warp(x, y).cost == pytest.approx(time_warp(y, x).cost, rel=1e-12)


@settings(max_examples=20)
@given(st.floats(-2, 2), st.floats(-9, 9), st.floats(0.05, 1), st.floats(1, 25))
def test_a_spring_is_its_equation(offset: float, speed: float, seconds: float, rate: float) -> None:
    """The closed form solves x'' = -2 rate x' - rate^2 x."""
    found = decay(np.array([offset]), np.array([speed]), np.array([seconds]), rate=rate)[0, 0]
    assert found == pytest.approx(naive.spring(offset, speed, seconds, rate), abs=1e-5)


@given(seeds, st.floats(0.05, 2))
def test_a_guarded_spring_does_not_swing_over(seed: int, seconds: float) -> None:
    """At any speed of return, the component along the initial offset never changes its sign."""
    rng = np.random.default_rng(seed)
    rate = rate_for(seconds)
    offset, speed = rng.normal(size=(5, 3)), 100 * rng.normal(size=(5, 3))
    t = np.linspace(0, 3 * seconds, 100)
    x = decay(offset, no_overshoot(offset, speed, rate=rate), t, rate=rate)
    assert (np.sum(x * offset, axis=-1) >= -1e-12).all()
    slow = 0.5 * rate * offset
    assert no_overshoot(offset, slow, rate=rate) == pytest.approx(slow, abs=1e-12)


def _case(number: int) -> dict:
    found = sorted(CASES.glob(f"case{number:03}-*.json"))
    if not found:
        pytest.skip("the cases are not beside the project")
    return json.loads(found[0].read_text("utf-8"))


@pytest.mark.data
def test_widths_that_differ_are_refused() -> None:
    """The error names both widths, in either order."""
    case = _case(38)
    shapes = [np.zeros(shape) for shape in case["inputs"]["shapes"]]
    for pair in (shapes, shapes[::-1]):
        with pytest.raises(SettingError) as error:
            time_warp(*pair)
        for word in case["expect"]["error_mentions"]:
            assert word in str(error.value)


@pytest.mark.data
def test_plain_numbers_are_a_sequence_of_width_one() -> None:
    """One-dimensional lists need no extra axis."""
    case = _case(105)
    found = time_warp(case["inputs"]["x"], case["inputs"]["y"])
    assert found.cost == case["expect"]["cost"]
    assert found.path[-1].tolist() == case["expect"]["path_end"]


@pytest.mark.data
def test_gait_cycles_of_other_lengths_meet_step_by_step() -> None:
    """The path is monotone, has fixed ends, and matches the moments at which a foot lands."""
    case = _case(110)
    clips = [segue.load(CASES / f"case110-time-warp-steps-monotone-{side}.bvh") for side in "ab"]
    heights = [foot_positions(clip.skeleton, world(clip))[:, :, 1] for clip in clips]
    found = time_warp(*heights, limit=3)
    assert found.path[0].tolist() == case["expect"]["path_start"]
    assert found.path[-1].tolist() == case["expect"]["path_end"]
    assert (np.diff(found.path, axis=0) >= 0).all()
    for part in range(4):
        lowest = [int(np.argmin(height[:, part])) for height in heights]
        beside = found.path[found.path[:, 0] == lowest[0], 1]
        away = np.abs(heights[1][beside, part] - heights[1][:, part].min()).min()
        assert np.abs(beside - lowest[1]).min() <= 2 or away < 0.01


def test_nonsense_is_refused() -> None:
    """Empty sequences and impossible limits and bands are refused."""
    with pytest.raises(SettingError, match="without values"):
        time_warp([], [])
    with pytest.raises(SettingError, match="limit=0"):
        time_warp([1, 2], [1, 2], limit=0)
    with pytest.raises(SettingError, match="band=-1"):
        time_warp([1, 2], [1, 2], band=-1)
    with pytest.raises(SettingError, match="not both"):
        time_warp([1, 2], [1, 2], band=1, limit=1)
