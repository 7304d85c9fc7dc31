"""Bridges connect clips that no direct transition connects, and are otherwise ordinary transitions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import segue
from segue.app import replay, stages
from segue.app.record import bridges_of, read_record
from segue.graph import bridges
from segue.graph.build import MotionGraph, build_graph
from segue.graph.goals import Goals
from segue.graph.search.directed import direct
from segue.graph.walk import render
from segue.io import load, save
from segue.measures.seams import seam_ranges
from segue.motion.clip import Clip, Origin
from segue.motion.resample import sampled
from segue.runtime.crowd import GraphCrowd
from segue.runtime.graph_player import GraphPlayer, Request
from segue.runtime.protocol import played
from segue.settings import Blend, Settings
from segue.synthesis.transition_check import check_joins

QUALITY = 2.0


def _slow(walk: Clip) -> Clip:
    """The same walk at 0.7 of its speed."""
    at = np.arange(0.0, walk.n_frames - 1.0, 0.7)
    return Clip(walk.skeleton, *sampled(walk, at), walk.fps, name="slow", origin=Origin.of("slow", len(at)))


@pytest.fixture(scope="module")
def pair() -> tuple[Clip, Clip]:
    """A walk and its slower self."""
    walk = segue.sample("walk", fps=30.0)
    return walk, _slow(walk)


@pytest.fixture(scope="module")
def bridged(pair) -> MotionGraph:
    """Their graph."""
    return build_graph(pair, quality=QUALITY)


def test_only_bridges_connect_two_clips(pair, bridged: MotionGraph) -> None:
    """No plain blend of a walk and its slower self has this quality; bridges lead both ways."""
    alone = build_graph(pair, quality=QUALITY, bridges=False)
    assert len(alone.clips_reached) == 1
    assert not alone.bridges.any()
    assert "bridges" not in alone.report.steps
    assert set(bridged.clips_reached) == {"walk", "slow"}
    assert bridged.report.steps["bridges"] == bridged.bridges.sum() > 0
    between = bridged.joins.a_clip != bridged.joins.b_clip
    np.testing.assert_array_equal(between, bridged.bridges)


def test_bridges_are_as_good_as_was_asked_for(pair, bridged: MotionGraph) -> None:
    """Each bridge, made and measured again, is within the quality, lies in its clips, and arrives at a node."""
    joins = bridged.joins
    rows = np.flatnonzero(bridged.bridges)
    assert joins.take(rows).fit(bridged.clips).all()
    again = check_joins(bridged.clips, joins.take(rows), blend=Blend()).share
    np.testing.assert_allclose(again, bridged.shares[rows], rtol=1e-9)
    assert again.max() <= 1.0 / QUALITY
    np.testing.assert_array_equal(bridged.node_frame[bridged.arrives], joins.arrivals)


def test_nothing_is_tried_where_everything_is_reached() -> None:
    """A graph that reaches every clip is the same with and without bridges, and none is made."""
    clips = [segue.sample(name, fps=30.0) for name in ("walk", "walk_fast")]
    with_them, without = (build_graph(clips, bridges=on) for on in (True, False))
    assert with_them.report.steps == without.report.steps
    np.testing.assert_array_equal(with_them.joins.alignment, without.joins.alignment)
    assert with_them.joins.used is None


def test_trials_are_bounded(pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more bridges are made in a build than `MOST`."""
    monkeypatch.setattr(bridges, "MOST", 7)
    assert build_graph(pair, quality=QUALITY).report.steps["bridges tried"] <= 7


def test_walks_cross_bridges_live_and_ahead_of_time_alike(bridged: MotionGraph) -> None:
    """A walk plays each bridge as one seam of its length, and the live player shows the same frames."""
    walk = bridged.wander(seconds=20, seed=3)
    motion = render(walk, feet="free")
    given = bridges_of(walk)
    assert given
    ranges = set(seam_ranges(motion.origin))
    for one in given:
        start = round(one["seconds"] * bridged.fps)
        stop = start + round(one["length"] * bridged.fps)
        assert stop > motion.n_frames or (start, stop) in ranges
        assert {one["from"], one["to"]} == {"walk", "slow"}
    player = GraphPlayer(bridged)
    player.reset(3)
    ours = played(player, seconds=17.0)
    np.testing.assert_array_equal(ours.root_positions, motion.root_positions[: ours.n_frames])
    np.testing.assert_array_equal(ours.rotations, motion.rotations[: ours.n_frames])


def test_a_crowd_crosses_bridges_too(bridged: MotionGraph) -> None:
    """Each character shows the frames of its own walk, including bridges."""
    crowd = GraphCrowd(bridged, 3)
    crowd.reset(4)
    roots = [crowd.step(0.0)[1], *(crowd.step(1.0 / 30.0)[1] for _ in range(360))]
    crossed = 0
    for which in range(3):
        walk = crowd.walk(which, seconds=12.0)
        crossed += len(bridges_of(walk))
        made = render(walk, feet="free")
        np.testing.assert_allclose(made.root_positions, np.array(roots)[:, which], atol=1e-9)
    assert crossed


def test_a_request_comes_as_soon_as_it_is_foreseen(bridged: MotionGraph) -> None:
    """The number of frames until a clip is shown, as predicted at a choice point, is the actual number."""
    player = GraphPlayer(bridged)
    player.reset(5)
    for name in ("slow", "walk", "slow"):
        came = None
        for k in range(900):
            player.step(1.0 / 30.0, Request(clip=name) if k == 0 else None)
            if player.source[0] == name:
                came = k
                break
        assert came is not None


def test_a_directed_walk_crosses_bridges(bridged: MotionGraph) -> None:
    """The rendered frames from one clip to the other are the planned ones."""
    goals = Goals(start=("walk", 30), end=("slow", 120))
    made = direct(bridged, goals, budget=2.0)
    assert bridges_of(made.walk)
    assert render(made.walk).n_frames == made.walk.n_frames


def test_a_record_with_bridges_replays_the_same_motion(tmp_path: Path) -> None:
    """The record lists the bridges played and replays the same motion; older records are read."""
    walk = segue.sample("walk", fps=30.0)
    (tmp_path / "clips").mkdir()
    for clip in (walk, _slow(walk)):
        save(clip, tmp_path / "clips" / f"{clip.name}.bvh")
    collection = stages.read([str(tmp_path / "clips")])
    settings = Settings(quality=QUALITY)
    graph = stages.make_graph(collection, settings)
    how_walked = {"seconds": 20.0, "seed": 3, "by": "cost", "start": None}
    made = graph.wander(seconds=20.0, seed=3)
    given = bridges_of(made)
    assert given
    path = stages.write(
        render(made),
        tmp_path / "out.bvh",
        collection=collection,
        command="wander",
        settings={"make": settings.document(), "walk": how_walked},
        bridges=given,
    )
    assert [dict(one) for one in read_record(path).bridges] == list(given)
    assert replay.write_again(path, tmp_path / "again.bvh").same
    assert read_record(tmp_path / "again.origin.json").bridges == read_record(path).bridges
    document = json.loads(path.read_text())
    del document["bridges"], document["settings"]["make"]["bridges"]
    path.write_text(json.dumps(document))
    old = read_record(path)
    assert old.bridges == ()
    assert len(replay.replay(path)[1].clips) == 2


def test_real_clips_are_reached(data: Path) -> None:
    """Bridges reach one more of one dancer's clips."""
    clips = [load(path) for path in sorted((data / "asf_amc/05").glob("*.amc"))]
    before, after = (build_graph(clips, bridges=on) for on in (False, True))
    assert set(before.clips_reached) < set(after.clips_reached)
