"""Place and length of each transition chosen by its finished seam."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import random_clips as chance
import segue
from naive import around as naive
from segue.costs.point_cloud import PointCloudCost
from segue.errors import SettingError
from segue.graph import around
from segue.graph.build import MotionGraph, build_graph
from segue.graph.matching import Matches, match
from segue.graph.parts import Parts
from segue.library.library import Library
from segue.measures.seams import seams
from segue.motion.clip import Clip
from segue.settings import Blend, SeamBounds, SeamSettings, SearchSettings
from segue.settings.words import EFFORTS
from segue.synthesis.feet.alignment import feet_met
from segue.synthesis.joins import JoinArrays
from segue.synthesis.seam_price import SeamPricer
from segue.synthesis.transition_check import check_joins

FPS = 30.0
NAMES = ("walk", "walk_slow", "start", "stop")


@pytest.fixture(scope="module")
def clips() -> tuple[Clip, ...]:
    return tuple(segue.sample(name, FPS) for name in NAMES)


@pytest.fixture(scope="module")
def graphs(clips) -> dict[str, MotionGraph]:
    """Graphs of these clips, one for each effort."""
    return {effort: build_graph(clips, effort=effort) for effort in EFFORTS}


def _matches(clips: tuple[Clip, ...], flags: list[np.ndarray] | None = None) -> Matches:
    parts = None if flags is None else Parts.from_flags(flags, fps=FPS)
    return match(clips, cost=PointCloudCost(), blend=Blend(), search=SearchSettings(), parts=parts)


@pytest.fixture(scope="module")
def matches(clips) -> Matches:
    """Matches of these clips."""
    return _matches(clips)


@pytest.fixture(scope="module")
def tried_of(clips, matches) -> Callable[[], tuple[tuple[Clip, ...], Matches]]:
    """Clips and matches, behind a function with a name that hypothesis can print."""
    return lambda: (clips, matches)


@given(seed=st.integers(0, chance.SEEDS), length=st.integers(2, 14))
@settings(max_examples=20)
def test_what_is_tried_is_what_the_twin_tries(tried_of, seed: int, length: int) -> None:
    """Places and lengths around a join match the twin's, wherever the join lies in its clips."""
    clips, matches = tried_of()
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, len(clips), 2)
    starts = [int(rng.integers(2, clips[n].n_frames - length - 2)) for n in (a, b)]
    columns = [np.array([value]) for value in (a, starts[0], b, starts[1])]
    found = around.around(JoinArrays(*columns, np.zeros((1, 3)), length), clips, matches)

    def fits(a_at: int, b_at: int, n: int) -> bool:
        left = 2 <= a_at <= clips[a].n_frames - n
        return left and 0 <= b_at <= clips[b].n_frames - n - 2

    expected = naive.around(
        *starts,
        length,
        later=sorted({round(seconds * FPS) for seconds in around.LATER}),
        apart=sorted({round(seconds * FPS) for seconds in around.APART}),
        lengths=[max(round(length * ratio), 2) for ratio in around.RATIOS],
        fits=fits,
    )
    made = np.column_stack([found.joins.a_start, found.joins.b_start, found.joins.each, found.moved])
    same = sorted(set(map(tuple, made.tolist()))) == sorted(set(expected))
    assert same


def test_no_faulty_frame_is_touched(clips) -> None:
    """Near a transition beside faulty frames only joins clear of them are tried."""
    flags = [np.zeros(clip.n_frames, dtype=bool) for clip in clips]
    flags[0][60] = True
    found = around.around(
        JoinArrays(*(np.array([v]) for v in (0, 44, 1, 44)), np.zeros((1, 3)), 10),
        clips,
        _matches(clips, flags),
    )
    assert len(found.joins)
    assert (found.joins.a_start + found.joins.each + 2 <= 60).all()


def test_the_cheapest_is_the_cheapest_of_all_tried(clips, graphs, matches, monkeypatch) -> None:
    """Where all are made, brute force finds the same; where a few are made, at least 70 % of the gain is kept."""
    joins = graphs["standard"].joins
    joins = joins.take(np.flatnonzero(~joins.bridges)[:: max(len(joins) // 4, 1)])
    pricer, cost = SeamPricer(clips, SeamSettings(Blend())), PointCloudCost()
    few = around.cheapest_around(joins, clips, matches, pricer, cost)
    monkeypatch.setattr(around, "MADE", 10**6)
    best, price, own = around.cheapest_around(joins, clips, matches, pricer, cost)
    for k in range(len(joins)):
        tried = around.around(joins.take(np.array([k])), clips, matches).joins
        prices = [
            float(pricer.price(feet_met(clips, around.aligned(tried.take(np.array([n])), matches, cost)))[0])
            for n in range(len(tried))
        ]
        assert own[k] == pytest.approx(pricer.price(joins.take(np.array([k])))[0], rel=1e-9)
        mine = np.flatnonzero(best.of == k)
        assert len(mine) == (min(prices) < own[k])
        if len(mine):
            assert price[mine[0]] == pytest.approx(min(prices), rel=1e-9)
    gained = [(own[found.of] - cheap).sum() for found, cheap in ((few[0], few[1]), (best, price))]
    assert gained[0] >= 0.7 * gained[1] > 0.0


def _no_worse(graph: MotionGraph, matches: Matches) -> float:
    """Check that the best join around each transition costs less, and return the remaining share of the total price."""
    pricer = SeamPricer(graph.clips, SeamSettings(graph.blend))
    joins = graph.joins.take(np.flatnonzero(~graph.bridges))
    best, price, own = around.cheapest_around(joins, graph.clips, matches, pricer, graph.cost)
    assert (price < own[best.of]).all()
    assert len(np.unique(best.of)) == len(best.of)
    left = own.copy()
    left[best.of] = price
    return float(left.sum() / own.sum())


def test_no_choice_is_worse_by_its_own_measure(graphs, matches) -> None:
    """Each join that replaces a transition costs less."""
    assert _no_worse(graphs["standard"], matches) < 0.9


def test_a_graph_of_choices_reaches_what_the_plain_one_does(graphs) -> None:
    """Every clip and nearly all seconds are reached; each transition lies in its clips and passes as made."""
    plain, high = graphs["standard"], graphs["high"]
    assert set(high.clips_reached) >= set(plain.clips_reached)
    assert high.report.kept_frames >= 0.9 * plain.report.kept_frames
    changed = high.report.steps["made elsewhere or at another length"]
    assert 0 < changed <= len(high.joins)
    assert "made elsewhere or at another length" not in plain.report.steps
    assert high.joins.fit(high.clips).all()
    shares = check_joins(high.clips, high.joins, blend=high.blend, bounds=SeamBounds()).share
    np.testing.assert_allclose(shares, high.shares, rtol=1e-9)
    assert shares.max() <= 1.0
    back = np.maximum(high.joins.each // 2 - 1, 0)
    np.testing.assert_array_equal(high.joins.a_start + back, high.a_frames)
    np.testing.assert_array_equal(high.joins.b_start + back, high.b_frames)


def test_lengths_stay_between_a_fifth_and_six_tenths_of_a_second(graphs) -> None:
    """Lengths are chosen around a third of a second."""
    lengths = graphs["high"].joins.each[~graphs["high"].bridges]
    assert len(np.unique(lengths)) > 1
    assert lengths.min() >= 0.2 * FPS
    assert lengths.max() <= 0.6 * FPS


def test_a_walk_plays_what_was_chosen(graphs) -> None:
    """The walk has the given length, its seams are within bounds in the finished frames, and it is repeatable."""
    high = graphs["high"]
    motion = segue.render(high.wander(seconds=20, seed=3))
    assert motion.n_frames == 20 * FPS + 1
    assert max(seam.badness(SeamBounds()) for seam in seams(motion, high.clips)) <= 1.0
    again = build_graph(high.clips, effort="high")
    np.testing.assert_array_equal(again.joins.a_start, high.joins.a_start)
    np.testing.assert_array_equal(again.joins.alignment, high.joins.alignment)


def test_real_clips_reach_as_much_and_show_less(data: Path) -> None:
    """Walks and turns of one person: the same clips, seams within bounds, a lower price of admitted joins."""
    names = ("16_47", "16_58", "16_31", "16_21", "16_11")
    real = [segue.load(data / f"asf_amc/16/{name}.amc", fps=FPS) for name in names]
    plain, high = (build_graph(real, fps=FPS, effort=effort) for effort in EFFORTS)
    assert set(high.clips_reached) == set(plain.clips_reached)
    assert high.report.kept_frames >= 0.95 * plain.report.kept_frames
    prices = [
        SeamPricer(graph.clips, SeamSettings(graph.blend)).price(
            graph.joins.take(np.flatnonzero(~graph.bridges))
        )
        for graph in (plain, high)
    ]
    assert np.median(prices[1]) < 0.9 * np.median(prices[0])
    motion = segue.render(high.wander(seconds=30, seed=1))
    assert max(seam.badness(SeamBounds()) for seam in seams(motion, high.clips)) <= 1.0


def test_a_library_keeps_the_same_pairs_for_either_effort(tmp_path: Path, clips) -> None:
    """The other effort compares no pair again, and the graph is that of the clips without a library."""
    with Library.open(tmp_path / "moves.segue") as library:
        for clip in clips:
            library.add(clip)
        first = library.match()
        assert library.match(effort="high").new_pairs == 0 < first.new_pairs
        kept = library.graph(effort="high", name="chosen")
        alone = build_graph(kept.clips, effort="high")
        np.testing.assert_array_equal(kept.joins.a_start, alone.joins.a_start)
        np.testing.assert_array_equal(kept.joins.each, alone.joins.each)
        assert library.graphs()["chosen"]["settings"]["effort"] == "high"


def test_nothing_is_moved_to_beside_what_a_person_calls_bad() -> None:
    """This applies within a few frames in both clips, and only between the same two clips."""
    columns = [np.array(part) for part in ([0, 0, 0, 1], [20, 30, 20, 20], [1, 1, 1, 1], [40, 40, 44, 40])]
    joins = JoinArrays(*columns, np.zeros((4, 3)), 10)
    assert around._near(joins, joins.take(np.array([0])), 3.0).tolist() == [True, False, False, False]
    assert not around._near(joins, joins.take(np.zeros(0, dtype=np.int64)), 3.0).any()


@pytest.mark.parametrize("effort", ["", "hgih", "2", "High"])
def test_a_word_that_is_no_effort_is_refused(clips, effort: str) -> None:
    """The error lists both efforts."""
    with pytest.raises(SettingError, match=r"choose 'standard' .* or 'high'"):
        build_graph(clips, effort=effort)  # type: ignore[arg-type]


def test_nothing_can_be_chosen_where_no_seam_is_checked(clips) -> None:
    """The choice needs finished seams, so they must be made."""
    with pytest.raises(SettingError, match="seams are not checked"):
        build_graph(clips, effort="high", check_seams=False)
