"""Pairs of a library: only new clips are compared, results equal those of the clips alone, and no verdict is lost.

The plain build without a library is the naive reference; no history may change the result;
another process is killed in the middle.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counted_calls import counted_calls
from library_clips import filled, short
from segue.costs.point_cloud import PointCloudCost
from segue.errors import FileError, SettingError
from segue.graph.build import MotionGraph, build_graph
from segue.io import load
from segue.library import pair_rows
from segue.library.library import Library
from segue.library.pair_rows import LibraryPairs
from segue.motion.resample import cut
from segue.motion.samples import sample
from segue.settings import Blend, SeamBounds, SearchSettings
from segue.transitions import tiles

NAMES = ("walk", "stop", "start", "walk_left")


def same_graph(one: MotionGraph, other: MotionGraph) -> None:
    """Assert that two graphs are equal bit by bit."""
    for name in ("costs", "a_frames", "b_frames", "node_clip", "node_frame", "leaves", "arrives", "kept"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    for name in ("a_clip", "a_start", "b_clip", "b_start", "alignment"):
        np.testing.assert_array_equal(getattr(one.joins, name), getattr(other.joins, name), err_msg=name)
    assert repr(one.report) == repr(other.report)


@pytest.fixture
def calls(monkeypatch):
    """Number of calls of the expensive functions."""
    return counted_calls(monkeypatch)


def test_real_clips_give_the_graph_that_their_folder_gives(tmp_path, data, calls):
    """Added, reopened, or open for reading: edges, costs and report equal those without a library, computed once."""
    files = [data / f"asf_amc/16/{name}.amc" for name in ("16_11", "16_21", "16_31", "16_47", "16_58")]
    plain = build_graph([load(file) for file in files])
    with Library.open(tmp_path / "moves.segue") as library:
        library.add(files)
        matched = library.match()
        assert (matched.new_pairs, matched.kept_pairs) == (15, 0)
        assert matched.points >= len(plain.joins)
        assert matched.threshold == plain.report.threshold.value
        same_graph(library.graph(), plain)
    calls.clear()
    with Library.open(tmp_path / "moves.segue", mode="r") as library:
        same_graph(library.graph(), plain)
        transitions_of = zip(
            plain.joins.a_clip, plain.joins.b_clip, plain.a_frames, plain.b_frames, plain.costs, strict=True
        )
        names = [clip.name for clip in plain.clips]
        wanted = {(names[a], names[b], *rest) for a, b, *rest in transitions_of}
        found = library.points()
        assert wanted <= {(p.a_clip, p.b_clip, p.a_frame, p.b_frame, p.cost) for p in found}
        assert all(point.verified and point.diagonal_cost <= matched.threshold for point in found)
        assert [point.cost for point in found] == sorted(point.cost for point in found)
    assert not calls


def test_only_pairs_with_a_new_clip_are_compared(tmp_path, calls):
    """One more clip adds n + 1 pairs, the others are kept; a removed or changed clip removes its own pairs."""
    clips = [short(name) for name in NAMES]
    with filled(tmp_path / "moves.segue", clips[:3]) as library:
        assert (library.match().new_pairs, library.match().new_pairs) == (6, 0)
        library.add(clips[3])
        calls.clear()
        grown = library.match()
        assert (grown.new_pairs, grown.kept_pairs, calls["compared"]) == (4, 6, 4)
        library.remove("stop")
        assert library.store.value("SELECT count(*) FROM pair") == 6
        left = library.match()
        assert (left.new_pairs, left.kept_pairs) == (0, 6)
        library.add(short("walk", 10, 90))
        assert library.store.value("SELECT count(*) FROM pair") == 3
        changed = library.match()
        assert (changed.new_pairs, changed.kept_pairs) == (3, 3)


def test_another_threshold_computes_nothing(tmp_path, calls):
    """With a lower threshold and back, verified points are those of the threshold, and nothing expensive is called."""
    with filled(tmp_path / "moves.segue", [short(name) for name in NAMES]) as library:
        most = library.match(threshold=0.05)
        calls.clear()
        for threshold in (0.01, "auto", "knee", 0.05):
            matched = library.match(threshold=threshold)
            assert len(library.points()) == matched.points
            for point in library.points():
                assert max(point.cost, point.diagonal_cost) <= matched.threshold
        assert matched.points == most.points
        assert not calls


def test_other_settings_are_kept_apart(tmp_path):
    """Each cost has its own points, found by its digest; the last match is the one that is read."""
    with filled(tmp_path / "moves.segue", [short(name) for name in NAMES[:2]]) as library:
        cloud = library.match(threshold=0.05)
        distance = library.match(cost="relative_distance", threshold=0.05)
        assert (cloud.new_pairs, distance.new_pairs) == (3, 3)
        assert cloud.setting != distance.setting
        for matched in (cloud, distance):
            assert len(library.points(setting=matched.setting[:12])) == matched.points
        assert library.points() == library.points(setting=distance.setting)
        assert library.match(cost=PointCloudCost(), threshold=0.05).new_pairs == 0
        with pytest.raises(SettingError, match="more than one setting"):
            library.points(setting="")


@pytest.mark.parametrize(
    "other",
    [
        {"blend": Blend(seconds=0.2)},
        {"blend": Blend(root="displacement")},
        {"cost": PointCloudCost(window_seconds=0.2)},
        {"search": SearchSettings(method="sectors", mode="source")},
        {"bounds": SeamBounds(speed_factor=1.0)},
        {"fps": 24.0},
    ],
    ids=lambda other: next(iter(other)),
)
def test_nothing_is_taken_that_was_compared_otherwise(tmp_path, other):
    """Whatever a comparison depends on: the graph is the plain one although another was stored before."""
    clips = [short(name) for name in NAMES[:2]]
    with filled(tmp_path / "moves.segue", clips) as library:
        library.match(threshold=0.05)
        same_graph(library.graph(threshold=0.05, **other), build_graph(clips, threshold=0.05, **other))


def test_pairs_asked_for_the_other_way_round_are_turned(tmp_path):
    """With clips in another order nothing is compared again; verdicts hold for one direction."""
    clips = [short(name, 0, 100) for name in ("walk", "walk_left", "stop")]
    with filled(tmp_path / "moves.segue", clips) as library:
        library.match(threshold=0.0003)
        rows = {entry.name: entry.id for entry in library.clips()}
        for threshold in (0.0003, 0.05):
            pairs = LibraryPairs(library.store, lambda clip: rows[clip.name])
            with pairs:
                turned = build_graph(clips[::-1], threshold=threshold, store=pairs)
            assert (pairs.new_pairs, pairs.kept_pairs) == (0, 6)
            assert transitions_of(turned) == transitions_of(build_graph(clips[::-1], threshold=threshold))
        same_graph(library.graph(threshold=0.05), build_graph(clips, threshold=0.05))
        library.match(threshold=0.05)
        bad = library.points("walk", "walk_left")[0]
        library.verify(bad, "bad")
        refused = {("walk", "walk_left", bad.a_frame, bad.b_frame)}
        fewer = build_graph(
            clips[::-1], threshold=0.05, store=LibraryPairs(library.store, lambda c: rows[c.name])
        )
        assert transitions_of(fewer) == transitions_of(turned) - refused


def transitions_of(graph: MotionGraph) -> set[tuple[str, str, int, int]]:
    """Clips and frames of a graph's transitions."""
    joins, names = graph.joins, [clip.name for clip in graph.clips]
    columns = joins.a_clip.tolist(), joins.b_clip.tolist(), graph.a_frames.tolist(), graph.b_frames.tolist()
    return {(names[a], names[b], i, j) for a, b, i, j in zip(*columns, strict=True)}


def test_a_graph_is_kept_by_name(tmp_path):
    """Without settings it is built as before; with settings it is stored anew."""
    clips = [short(name) for name in NAMES]
    with filled(tmp_path / "moves.segue", clips) as library:
        first = library.graph("evening", threshold=0.02, cost=PointCloudCost(window_seconds=0.2))
        same_graph(library.graph("evening"), first)
        assert library.graphs()["evening"]["settings"]["threshold"] == 0.02
        assert library.graphs()["evening"]["report"]["frames"] == first.report.frames
        library.graph("evening", threshold=0.01)
        assert library.graphs()["evening"]["settings"]["threshold"] == 0.01
        body = library.graph(skeleton="stop", threshold=0.02)
    same_graph(body, build_graph(clips, skeleton=clips[1].skeleton, threshold=0.02))


def test_told_points_lie_beside_computed_ones(tmp_path):
    """They are found with them and separately, and matching keeps them; a point given twice is there once."""
    with filled(tmp_path / "moves.segue", [short(name) for name in NAMES[:2]]) as library:
        computed = library.match(threshold=0.05).points
        one = library.points()[0]
        given_values = [one, type(one)("stop", "walk", 7, 9, 0.3, "start_end", one.alignment, 0.2, False)]
        assert (library.tell(given_values, by="mogra"), library.tell(given_values, by="mogra")) == (2, 0)
        library.match(threshold=0.05)
        assert len(library.points()) == computed + 1
        assert set(library.points(told=True, verified=None)) == set(given_values)
        assert len(library.points(told=False)) == computed
        with pytest.raises(SettingError, match="frames 0 to 79, not 80"):
            library.tell(
                [type(one)("stop", "walk", 80, 9, 0.3, "aligned", one.alignment, 0.2, True)], by="me"
            )


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 3), st.integers(0, 1)),
        st.tuples(st.just("remove"), st.integers(0, 3), st.just(0)),
        st.tuples(st.just("match"), st.sampled_from([0.01, 0.05, "auto"]), st.just(0)),
    ),
    min_size=2,
    max_size=7,
)


@settings(max_examples=12)
@given(steps=STEPS, threshold=st.sampled_from([0.02, "auto"]))
def test_no_history_changes_what_is_found(tmp_path_factory, steps, threshold):
    """Clips added, changed, removed and matched in any order end with the points of matching all together."""
    folder = tmp_path_factory.mktemp("history")
    with Library.open(folder / "lived.segue") as lived:
        lived.add(short("stand"))
        for kind, what, start in steps:
            there = {entry.name for entry in lived.clips()}
            if kind == "add":
                lived.add(short(NAMES[what], 10 * start, 60 + 10 * start))
            elif kind == "remove" and NAMES[what] in there:
                lived.remove(NAMES[what])
            elif kind == "match":
                lived.match(threshold=what)
        matched = lived.match(threshold=threshold)
        order = [entry.name for entry in sorted(lived.clips(), key=lambda entry: _first(lived, entry.name))]
        with filled(folder / "fresh.segue", [lived.clip(name) for name in order]) as fresh:
            anew = fresh.match(threshold=threshold)
            assert fresh.points() == lived.points()
            assert (anew.points, anew.threshold, anew.copies) == (
                matched.points,
                matched.threshold,
                matched.copies,
            )
            pairs = "SELECT a.name, b.name, cells, costs, diagonal, once, minima, copies FROM pair "
            pairs += "JOIN clip a ON a.id = a_clip JOIN clip b ON b.id = b_clip ORDER BY a.name, b.name"
            assert fresh.store.db.execute(pairs).fetchall() == lived.store.db.execute(pairs).fetchall()


def _first(library: Library, name: str) -> int:
    """When a name was first added."""
    return library.store.value("SELECT min(id) FROM clip WHERE name = ?", name)


def test_matching_that_was_broken_off_goes_on(tmp_path, monkeypatch):
    """After Ctrl-C four pairs are kept, and the next match compares the rest, with the same result."""
    monkeypatch.setattr(pair_rows, "BATCH", 60.0)
    monkeypatch.setattr(tiles, "CELLS", 1)
    clips = [short(name) for name in NAMES]

    def stop(stage: str, done: int, total: int) -> None:
        if stage == "comparing clips" and done == 4:
            raise KeyboardInterrupt

    with filled(tmp_path / "moves.segue", clips) as library:
        with pytest.raises(KeyboardInterrupt):
            library.match(progress=stop)
        matched = library.match()
        assert (matched.new_pairs, matched.kept_pairs) == (6, 4)
        same_graph(library.graph(), build_graph(clips))


KILLED = """
import os, signal, sys
from segue.library import pair_rows
from segue.library.library import Library
from segue.transitions import tiles
pair_rows.BATCH = 0.0
tiles.CELLS = 1

def kill(stage, done, total):
    if stage == sys.argv[2] and done >= int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

Library.open(sys.argv[1]).match(progress=kill, threshold=0.05)
"""


@pytest.mark.parametrize(
    ("stage", "done", "pairs"), [("comparing clips", 5, 4), ("checking transitions", 64, 10)]
)
@pytest.mark.skipif(os.name != "posix", reason="kills a process as POSIX does")
def test_a_killed_process_loses_little(tmp_path, stage, done, pairs):
    """After SIGKILL during comparison or seam checks, everything written is intact and used."""
    clips = [short(name) for name in NAMES]
    path = tmp_path / "moves.segue"
    filled(path, clips).close()
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path), stage, str(done)], check=False)
    assert killed.returncode == -signal.SIGKILL
    with Library.open(path) as library:
        assert library.store.value("PRAGMA integrity_check") == "ok"
        matched = library.match(threshold=0.05)
        assert matched.kept_pairs >= pairs
        assert matched.new_pairs + matched.kept_pairs == 10
        same_graph(library.graph(threshold=0.05), build_graph(clips, threshold=0.05))


def test_what_cannot_be_is_said(tmp_path):
    """An empty library, an unknown setting and a library opened for reading are reported."""
    with Library.open(tmp_path / "moves.segue") as library:
        with pytest.raises(FileError, match="holds no clips yet"):
            library.match()
        library.add(short("walk"))
        with pytest.raises(SettingError, match="no setting is called 'treshold'; nearest: threshold"):
            library.match(treshold=0.1)
        with pytest.raises(SettingError, match="nearest: walk"):
            library.match(skeleton="wlak")
        with pytest.raises(SettingError, match="was compared yet"):
            library.points(told=False)
        assert library.points() == ()
    with Library.open(tmp_path / "moves.segue", mode="r") as library:
        assert library.graph(threshold=0.05).report.frames == 80
        with pytest.raises(FileError, match="opened for reading"):
            library.match()


def test_clips_of_other_rates_tell_points_in_their_own_frames(tmp_path):
    """Frames of a clip at 60 frames a second in a graph at 30 are those of its file."""
    fast = cut(sample("walk_left", fps=60.0), 0, 200)
    clips = [short("walk"), short("stop"), fast.with_motion(name="fast")]
    with filled(tmp_path / "moves.segue", clips) as library:
        library.match(threshold=0.05, fps=30.0)
        graph = library.graph(threshold=0.05, fps=30.0)
        mine = [
            k for k in range(len(graph.joins)) if graph.joins.b_clip[k] == 2 and graph.joins.a_clip[k] == 0
        ]
        wanted = sorted((int(graph.a_frames[k]), 2 * int(graph.b_frames[k])) for k in mine)
        found = {(p.a_frame, p.b_frame) for p in library.points("walk", "fast")}
        assert wanted
        assert found >= set(wanted)  # a graph leaves out what enters a clip just before it must be left
        assert {b % 2 for _, b in found} == {0}
