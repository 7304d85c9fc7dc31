"""Pairs ruled out under a threshold: same points and graph, and what a library keeps of it."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest

from library_clips import filled, short
from segue.costs.engine.plan import Run
from segue.costs.registry import cost
from segue.graph import matching
from segue.graph.build import build_graph
from segue.graph.workers import Threads
from segue.io import load
from segue.library.library import Library
from segue.motion.resample import cut
from segue.motion.samples import sample

NAMES = ("walk", "stop", "start", "walk_left", "run", "stand")
LIMIT = 0.02


@pytest.fixture
def always(monkeypatch):
    """Bounds are computed however few pairs there are."""
    monkeypatch.setattr(matching, "WORTHWHILE", 0)


def points(graph):
    """Edges of a graph with clips, frames, costs and alignments."""
    joins = graph.joins
    columns = joins.a_clip, joins.a_start, joins.b_clip, joins.b_start, graph.costs, *joins.alignment.T
    return np.column_stack(columns)


@pytest.mark.parametrize("limit", [0.003, LIMIT])
def test_a_graph_is_the_same(limit, monkeypatch):
    """Edges are bit for bit the same, whatever was ruled out; the report counts the pairs."""
    clips = [cut(sample(name, 30.0), 0, 80) for name in ("walk", "stop", "run")]
    clips += [sample(name) for name in ("walk_turn_left", "stand")]
    plain = build_graph(clips, threshold=limit)
    monkeypatch.setattr(matching, "WORTHWHILE", 0)
    found = build_graph(clips, threshold=limit)
    np.testing.assert_array_equal(points(found), points(plain))
    assert len(points(plain)) > 0
    assert "pairs ruled out" not in plain.report.steps
    assert 0 < found.report.steps["pairs ruled out"] < 15


def test_only_a_number_and_a_cost_with_bounds_rule_out(always):
    """The automatic threshold, another cost and insufficient memory rule out nothing."""
    clips = [cut(sample(name, 30.0), 0, 60) for name in ("walk", "run")]
    small = Threads(Run(memory_budget=30 << 10))
    for settings in (
        {},
        {"threshold": "knee"},
        {"threshold": 0.02, "cost": cost("joint_angle")},
        {"threshold": 0.02, "cost": cost("point_cloud", weighting="dynamics")},
    ):
        assert "pairs ruled out" not in build_graph(clips, **settings).report.steps
    ready = [cost("point_cloud").prepare(clip) for clip in clips]
    assert matching.low_pairs(ready, cost=cost("point_cloud"), threshold=0.02, run=small.run) is None


def points_of(library):
    return [(p.a_clip, p.a_frame, p.b_clip, p.b_frame, p.cost, p.diagonal_cost) for p in library.points()]


def test_a_library_remembers_what_was_ruled_out(tmp_path, always, monkeypatch):
    """Matching again computes nothing, a new clip only its pairs; a higher threshold checks again, a lower does not."""
    looked = []
    low_pairs = matching.low_pairs
    monkeypatch.setattr(
        matching, "low_pairs", lambda *args, **how: looked.append(how["fresh"]) or low_pairs(*args, **how)
    )
    clips = [short(name) for name in NAMES]
    with filled(tmp_path / "moves.segue", clips[:-1]) as library:
        first = library.match(threshold=LIMIT)
        assert first.ruled_out > 0
        assert first.new_pairs + first.ruled_out == 15
        again = library.match(threshold=LIMIT)
        assert (again.new_pairs, again.kept_pairs, again.ruled_out) == (0, first.new_pairs, first.ruled_out)
        library.match(threshold=LIMIT / 2)
        assert looked == [None]
        library.add(clips[-1])
        library.match(threshold=LIMIT)
        assert looked == [None, [5]]
        mine = points_of(library)
        higher = library.match(threshold=2 * LIMIT)
        assert looked == [None, [5], None]
        assert higher.points >= len(mine)
    with filled(tmp_path / "plain.segue", clips) as library:
        monkeypatch.setattr(matching, "WORTHWHILE", 10**12)
        library.match(threshold=LIMIT)
        assert points_of(library) == mine


def test_without_a_threshold_everything_is_compared_after_all(tmp_path, always):
    """Without a threshold the ruled-out pairs are compared; a changed clip is compared again."""
    clips = [short(name) for name in ("walk", "stop", "run", "stand")]
    with filled(tmp_path / "moves.segue", clips) as library:
        first = library.match(threshold=0.002)
        assert first.ruled_out > 0
        library.add(short("stop", 4, 70))
        changed = library.match(threshold=0.002)
        assert changed.new_pairs + changed.kept_pairs + changed.ruled_out == 10
        whole = library.match()
        assert whole.new_pairs + whole.kept_pairs == 10
        assert whole.ruled_out == 0


def test_a_damaged_word_of_it_is_no_word(tmp_path, always):
    """A damaged record of ruled-out pairs is ignored, and the pairs are ruled out again."""
    path = tmp_path / "moves.segue"
    with filled(path, [short(name) for name in NAMES[:4]]) as library:
        first = library.match(threshold=0.002)
    with sqlite3.connect(path) as db:
        assert db.execute("UPDATE meta SET value = '[]' WHERE key LIKE 'ruled out %'").rowcount == 1
    with Library.open(path) as library:
        again = library.match(threshold=0.002)
        assert (again.new_pairs, again.ruled_out) == (0, first.ruled_out)


@pytest.mark.data
def test_real_clips_the_same(data, monkeypatch):
    """Points and alignments of walks, runs and turns are bit for bit the same."""
    clips = [load(file) for file in sorted((data / "asf_amc/16").glob("*.amc"))[::4]]
    plain = build_graph(clips, threshold=0.0016)
    monkeypatch.setattr(matching, "WORTHWHILE", 0)
    found = build_graph(clips, threshold=0.0016)
    np.testing.assert_array_equal(points(found), points(plain))
    assert found.report.steps["pairs ruled out"] > 30
