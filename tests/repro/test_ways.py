"""Fixed faults of graphs, records and commands."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import segue
from segue.app import stages
from segue.app.measuring import measure_file
from segue.errors import SegueError, SettingError
from segue.graph.stitch import stitch
from segue.motion.clip import Clip
from segue.settings import Settings


def at30(name: str) -> Clip:
    """A sample at 30 frames a second."""
    return segue.sample(name, 30.0)


def test_no_threshold_at_all_gives_a_graph() -> None:
    """An infinite threshold let in blends that do not fit into their clips, and broke."""
    graph = segue.MotionGraph.build([at30("walk"), at30("run")], threshold=np.inf)
    assert graph.joins.fit(graph.clips).all()


def test_a_negative_seed_is_a_sentence() -> None:
    """A negative seed ended in numpy's own error."""
    graph = segue.MotionGraph.build([at30("walk")])
    with pytest.raises(SettingError, match="from 0"):
        graph.wander(seconds=5, seed=-1)


def test_a_clip_left_out_is_not_unknown() -> None:
    """Starting in a clip that the graph had dropped reported an unknown clip, not the reason."""
    short = at30("run")
    clips = [
        at30("walk"),
        short.with_motion(
            *(part[:12] for part in (short.rotations, short.root_positions)),
            origin=short.origin.take(range(12)),
            name="short",
        ),
    ]
    graph = segue.MotionGraph.build(clips)
    assert graph.clips_reached == ("walk",)
    with pytest.raises(SettingError, match="clip 'short' is not in the graph: "):
        graph.wander(seconds=5, start="short")


def test_a_walk_that_starts_elsewhere_stays_in_that_part_of_the_graph() -> None:
    """A walk that starts in a clip of another component stays in that component."""
    graph = segue.MotionGraph.build([at30("walk"), at30("run")], bridges=False, quality=4.0)
    (other,) = {"walk", "run"} - set(graph.clips_reached)
    assert graph.wander(seconds=5, start=other).clips_played == (other,)


def test_a_second_is_not_shaved_for_a_cheaper_join() -> None:
    """A clip slightly too short alone was cheaper than a costlier join that leaves it long enough."""
    clips = [at30("start"), at30("walk"), at30("stop")]
    for seconds in (1.0, 1.5, 2.0, 2.5):
        pieces = stitch(clips, least_seconds=seconds).walk.plan.pieces()
        assert min(stop - start for _, start, stop in pieces) >= 30 * seconds


def test_two_clips_of_one_name_are_not_one(tmp_path: Path) -> None:
    """Stitching took two files of one name for the same clip and played the first one twice."""
    segue.save(at30("run"), tmp_path / "walk.bvh")
    collection = stages.read_in_order(["sample:walk", str(tmp_path / "walk.bvh")])
    assert len({clip.name for clip in collection.clips}) == 2
    made, _ = stages.make_stitch(collection, Settings())
    assert len(set(made.walk.clips_played)) == 2
    walk, run = segue.sample("walk"), segue.sample("run").with_motion(name="walk")
    with pytest.raises(SettingError, match="two different clips are called 'walk'"):
        stitch([walk, run])


def test_the_first_clip_named_gives_the_body(tmp_path: Path, data: Path) -> None:
    """Samples were read before files, so they gave the skeleton wherever they were named."""
    segue.save(at30("walk"), tmp_path / "first.bvh")
    captured = data / "asf_amc/16/16_47.amc"
    clips = stages.read([str(captured), "sample:stop", str(tmp_path / "first.bvh")]).clips
    assert [clip.name for clip in clips] == ["16_47", "stop", "first"]


def test_sources_are_measured_under_their_own_names(tmp_path: Path) -> None:
    """A file before a sample swapped names in measuring; a file stitched twice broke it."""
    segue.save(at30("stop"), tmp_path / "stop.bvh")
    settings = Settings()
    collection = stages.read_in_order([str(tmp_path / "stop.bvh"), "sample:walk", str(tmp_path / "stop.bvh")])
    _, motion = stages.make_stitch(collection, settings)
    out = tmp_path / "made.bvh"
    stages.write(motion, out, collection=collection, command="stitch", settings={"make": settings.document()})
    assert [clip.name for clip in measure_file(out).sources] == ["stop", "walk"]


def test_a_file_is_named_once_in_its_error(tmp_path: Path) -> None:
    """The file was named twice: ``x.bvh: x.bvh:1: ...``."""
    (tmp_path / "x.bvh").write_text("hello\n")
    for read in (stages.read, stages.read_in_order):
        with pytest.raises(SegueError) as caught:
            read([str(tmp_path / "x.bvh")])
        assert str(caught.value).count("x.bvh") == 1


def test_all_samples_at_once_have_no_order() -> None:
    """``stitch sample:`` raised a KeyError."""
    with pytest.raises(SegueError, match="name them one by one"):
        stages.read_in_order(["sample:"])


def test_infinity_is_no_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Costs that are infinite or NaN were printed as words that are not JSON."""
    from segue.cli.output import result

    result({"best": float("inf"), "all": [float("nan"), (1.5, {"x": -float("inf")})]}, "", as_json=True)
    assert json.loads(capsys.readouterr().out) == {"best": None, "all": [None, [1.5, {"x": None}]]}


def test_short_clips_alone_have_no_cost_that_is_no_number() -> None:
    """The sentence gave the threshold as nan."""
    from segue.motion.resample import cut

    graph = segue.MotionGraph.build([cut(at30("walk"), 0, 5)])
    assert "nan" not in graph.obstacle
    assert "the window needs" in graph.obstacle
