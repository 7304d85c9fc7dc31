"""Stretches whose feet are settled in a batch: each as if alone, and not again once it is done."""

from __future__ import annotations

import numpy as np
import pytest

import segue
from segue.arrays import Bools, Floats, Ints
from segue.settings import SeamSettings
from segue.synthesis.feet import stretches
from segue.synthesis.feet.steps import NATURAL
from segue.synthesis.feet.stretches import Stretches, settle_stretches
from segue.synthesis.joins import JoinArrays
from segue.synthesis.transition_check import TransitionChecker


@pytest.fixture(scope="module")
def graph() -> segue.MotionGraph:
    """Unchecked transitions: many slide, and exceed their bounds when feet are held."""
    names = ("walk", "walk_turn_left", "walk_fast", "stop", "run")
    clips = [segue.sample(name, fps=30.0) for name in names]
    return segue.MotionGraph.build(clips, check_seams=False, threshold=0.02)


def some(graph: segue.MotionGraph, count: int) -> JoinArrays:
    """A number of its transitions, evenly spread."""
    return graph.joins.take(np.linspace(0, len(graph.joins) - 1, count).astype(np.int64))


@pytest.mark.parametrize("feet", ["natural", "captured"])
def test_together_they_show_what_each_shows_alone(graph: segue.MotionGraph, feet: str) -> None:
    """Every measure of forty joins checked in one batch is that of each join checked separately."""
    joins = some(graph, 40)
    checker = TransitionChecker(graph.clips, SeamSettings(feet=feet))  # type: ignore[arg-type]
    together = checker.check(joins)
    assert (together.share > 1.0).any()
    assert (together.share <= 1.0).any()
    for k in range(len(joins)):
        alone = checker.check(joins.take(np.array([k])))
        for name in ("badness", "excess", "slip", "standing", "creep"):
            assert getattr(together, name)[k] == pytest.approx(getattr(alone, name)[0], abs=1e-9), (k, name)


def test_who_is_done_is_left_out(graph: segue.MotionGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer stretches are made in each round, and the results are those of settling all of them together."""
    counts: list[int] = []
    whole = Stretches.take

    def take(self: Stretches, rows: Ints) -> Stretches:
        counts.append(len(rows))
        return whole(self, rows)

    monkeypatch.setattr(Stretches, "take", take)
    joins, checker = some(graph, 60), TransitionChecker(graph.clips, SeamSettings())
    shares = checker.check(joins).share
    first, *more = counts
    assert more
    assert counts == sorted(counts, reverse=True)
    assert more[-1] < 0.3 * first
    monkeypatch.setattr(stretches, "_FEWER", 0.0)  # no stretch is left out before all are done
    np.testing.assert_allclose(checker.check(joins).share, shares, rtol=1e-9)


def test_stretches_that_show_nothing_keep_their_feet_and_those_that_always_do_are_let_go() -> None:
    """Of two walks that slide, one never exceeds its bounds and the other always does."""
    walk = segue.sample("walk", fps=30.0)
    rotations = np.stack([walk.rotations[:60]] * 2)
    roots = np.stack([walk.root_positions[:60]] * 2)
    roots[:, 20:35, 0] += np.linspace(0.0, 0.03, 15)
    roots[:, 35:, 0] += 0.03
    firm = np.repeat(segue.contacts(walk).flags[None, :60].astype(np.float64), 2, axis=0)
    given = Stretches(walk, rotations, roots, np.zeros((2, 60, 4, 2)), firm, (20, 15), 30)

    def over(rows: Ints):
        def shows(rotations: Floats, roots: Floats) -> Bools:
            del roots
            return np.repeat(rows[:, None] == 1, rotations.shape[2], axis=1)

        return shows

    made, places = settle_stretches(given, over, NATURAL)
    assert (made[0] != rotations[0]).any()
    np.testing.assert_array_equal(made[1], rotations[1])
    np.testing.assert_array_equal(places[1], roots[1])
