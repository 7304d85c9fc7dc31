"""Procedures show the levels of their rules, and converge where they should."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import psychometric as naive
from segue.errors import SettingError
from segue.perception.estimators import ESTIMATORS, converge, estimate, reversals, run_track
from segue.perception.observers import Observer, looked_up, varied
from segue.perception.procedures import PROCEDURES, Procedure, Track, of_seed, procedure
from segue.perception.psychometric import Psychometric

LEVELS = np.arange(0.5, 24.1, 0.5)
ANSWERS = st.lists(st.booleans(), min_size=1, max_size=60)


def places(rule: Procedure, right: list[bool], count: int) -> list[int]:
    """Levels that a rule shows."""
    track = Track()
    for hit in right:
        place = rule.next_place(range(1, count + 1), track)
        assert place is not None
        track = track.answered(place, right=hit)
    return list(track.places)


@given(ANSWERS, st.integers(2, 12))
def test_the_rule_of_wang(right: list[bool], count: int) -> None:
    """Down at every trial after two right answers, up at every trial from a wrong one until two are right again."""
    rule = procedure("wang", visits=1000, most=1000)
    assert places(rule, right, count) == naive.wang_places(right, count)


@given(ANSWERS, st.integers(2, 12), st.integers(1, 3))
def test_up_down_rules(right: list[bool], count: int, down: int) -> None:
    """Up after a wrong answer, down after a given number of consecutive right answers at one level."""
    name = ("1-up-1-down", "2-down-1-up", "3-down-1-up")[down - 1]
    rule = procedure(name, visits=1000, most=1000)
    assert rule.name == name
    assert places(rule, right, count) == naive.row_places(right, count, down)


@given(st.lists(st.integers(0, 5), max_size=40))
def test_reversals(shown: list[int]) -> None:
    """A track reverses where the directions before and after differ."""
    found = reversals(Track(tuple(shown), (True,) * len(shown)))
    assert len(found) == len(naive.reversals(shown))


def test_a_track_ends_with_the_tenth_visit(rng: np.random.Generator) -> None:
    """Some level was shown ten times, none more often."""
    share = Psychometric(8.0, 3.0).share(LEVELS)
    for name in ("wang", "2-down-1-up"):
        track = run_track(procedure(name), LEVELS, share, rng)
        assert max(Counter(track.places).values()) == 10


def test_constant_stimuli_show_each_level_equally_often(rng: np.random.Generator) -> None:
    """The order depends on the seed."""
    share = Psychometric(8.0, 3.0).share(LEVELS)
    one = run_track(of_seed(procedure("constant", each=3), 1), LEVELS, share, rng)
    two = run_track(of_seed(procedure("constant", each=3), 2), LEVELS, share, rng)
    assert set(Counter(one.places).values()) == {3}
    assert one.places != two.places


@pytest.mark.parametrize(
    ("name", "target"), [("2-down-1-up", 0.7071), ("3-down-1-up", 0.7937), ("wang", 0.7071)]
)
def test_long_tracks_converge_where_steps_balance(name: str, target: float, rng: np.random.Generator) -> None:
    """p to the power of the number of right answers required is one half."""
    rule = procedure(name, visits=1000, most=1000)
    assert rule.target == pytest.approx(target, abs=1e-4)
    found = converge(
        rule,
        Psychometric(8.0, 3.5),
        LEVELS,
        tracks=12,
        rng=rng,
        estimators=["mean of levels", "mean of reversals"],
    )
    for name in found.estimates:
        assert found.share(name) == pytest.approx(target, abs=0.02)


def test_the_bayesian_method_finds_the_threshold(rng: np.random.Generator) -> None:
    """It finds it in eighty trials, within a tenth on average."""
    found = converge(
        procedure("bayesian", trials=80), Psychometric(8.0, 3.5, 0.02), LEVELS, tracks=40, rng=rng,
        estimators=["fitted function"],
    )  # fmt: skip
    assert np.mean(found.estimates["fitted function"]) == pytest.approx(8.0, rel=0.1)


@pytest.mark.parametrize("name", PROCEDURES)
def test_every_procedure_goes_on_from_its_answers(name: str, rng: np.random.Generator) -> None:
    """The next level depends on the answers alone, is one of the levels, and the procedure ends."""
    rule = procedure(name)
    assert isinstance(rule, Procedure)
    track = run_track(rule, LEVELS[:12], Psychometric(3.0, 2.0).share(LEVELS[:12]), rng)
    again = Track()
    for place, right in zip(track.places, track.right, strict=True):
        assert rule.next_place(LEVELS[:12], again) == place
        again = again.answered(place, right=right)
    assert rule.next_place(LEVELS[:12], again) is None
    assert all(0 < estimate(LEVELS[:12], track, by=by) < 60 for by in ESTIMATORS)


def test_what_is_no_procedure_is_refused() -> None:
    """The error gives the nearest name."""
    with pytest.raises(SettingError, match="nearest: wang"):
        procedure("wong")
    with pytest.raises(SettingError, match="no such settings"):
        procedure("wang", trials=4)
    with pytest.raises(SettingError, match="visits=0"):
        procedure("wang", visits=0)


def test_observers_answer_as_planted(rng: np.random.Generator) -> None:
    """Shares of right answers, preferences by Bradley and Terry, ratings around their mean, a spread of thresholds."""
    robot = Observer(
        {"longer": Psychometric(6.0, 3.0), "run/longer": Psychometric(3.0, 3.0)}, {"a": 1.0}, {"real/a": 4.0}
    )
    assert np.mean([robot.is_right("walk/longer", 6.0, rng) for _ in range(4000)]) == pytest.approx(
        0.75, abs=0.03
    )
    assert np.mean([robot.is_right("run/longer", 6.0, rng) for _ in range(400)]) > 0.9
    assert np.mean([robot.prefers_first("a", "b", rng) for _ in range(4000)]) == pytest.approx(
        0.731, abs=0.03
    )
    assert np.mean([robot.rating("real", "a", (1, 5), rng) for _ in range(500)]) == pytest.approx(
        4.0, abs=0.2
    )
    assert looked_up({"longer": 1}, "shorter") is None
    own = {varied(robot, 0.2, rng).functions["longer"].threshold for _ in range(3)}
    assert len(own) == 3
