"""Records and stored graphs of earlier versions keep their meaning (`tests/formats`)."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

import segue
from segue.app import looping, replay
from segue.app.dance_floor import FloorJob
from segue.app.record import read_record
from segue.app.record_settings import recorded_settings, recorded_words
from segue.app.steer_record import job_of
from segue.errors import FileError
from segue.graph.walk import wander
from segue.library.matching import asked, graph_document, graph_settings
from segue.settings import BEFORE, DEFAULTS, Blend, SeamBounds, SearchSettings, Settings, feet_named

FORMATS = Path(__file__).resolve().parents[1] / "formats"
RECORDS = sorted((FORMATS / "records").glob("*.origin.json"))
GRAPHS = json.loads((FORMATS / "graphs.json").read_text("utf-8"))
MAKING = [path for path in RECORDS if path.name.startswith(("wander", "stitch", "walk", "floor"))]


def test_there_is_a_record_of_every_command() -> None:
    assert {read_record(path).command for path in RECORDS} == set(replay.COMMANDS)


@pytest.mark.parametrize("path", MAKING, ids=lambda path: path.name.split(".")[0])
def test_settings_of_a_record_are_those_it_holds(path: Path) -> None:
    """Settings in a record are read as written; missing ones take the value from before the setting existed."""
    record = read_record(path)
    document = json.loads(path.read_text("utf-8"))["settings"]["make"]
    if "feet" in document:
        document["feet"] = feet_named(document["feet"])
    settings = recorded_settings(record, path, Settings, "make", usual=BEFORE)
    for one in fields(Settings):
        expected = document.get(one.name, BEFORE.get(one.name, getattr(DEFAULTS, one.name)))
        assert getattr(settings, one.name) == (() if expected == [] else expected) or expected == []
    assert {**settings.document(), **document} == settings.document() | {
        "verdicts": document.get("verdicts", ())
    }


@pytest.mark.parametrize(
    "name",
    [
        "wander-8-libraries",
        "wander-8-settings",
        "stitch-8-libraries",
        "walk-8-frames",
    ],
)
def test_a_motion_is_made_again_from_its_record(name: str) -> None:
    """A replayed motion of embedded clips has the number of frames in its record."""
    path = FORMATS / "records" / f"{name}.origin.json"
    motion, _, record, _ = replay.replay(path)
    assert motion.n_frames == len(record.origin.clip)


@pytest.mark.parametrize("name", ["live-9-first", "cross-9-first"])
def test_live_runs_and_transitions_are_made_again(name: str, tmp_path: Path) -> None:
    """A replayed run and a replayed transition have the number of frames in their records."""
    path = FORMATS / "records" / f"{name}.origin.json"
    again = replay.write_again(path, tmp_path / "again.bvh")
    assert again.motion.n_frames == len(read_record(path).origin.clip)


def test_words_of_a_walk_are_those_of_the_function() -> None:
    """Length, seed, selection and start of a walk are read by the annotations of `wander`."""
    path = FORMATS / "records/wander-8-settings.origin.json"
    assert recorded_words(read_record(path), path, wander, "walk", more=True) == {
        "seconds": 3.0,
        "seed": 5,
        "by": "probability",
        "start": "walk",
    }


@pytest.mark.parametrize("name", ["loop-5-first", "loop-8-libraries", "mirror-5-first", "mirror-8-libraries"])
def test_loops_and_mirrored_motions_are_made_again(name: str, tmp_path: Path) -> None:
    """Frame counts and settings are those of the record."""
    path = FORMATS / "records" / f"{name}.origin.json"
    record = read_record(path)
    motion = looping.made_again(record, path, record.sources[0].path, tmp_path / "again.npz")
    assert motion.n_frames == len(record.origin.clip)
    expected = record.settings
    if "loop" in expected:
        expected["loop"]["feet"] = feet_named(expected["loop"]["feet"])
    assert read_record(tmp_path / "again.origin.json").settings == expected


@pytest.mark.parametrize("name", ["floor-5-first", "floor-8-libraries"])
def test_floors_are_read(name: str) -> None:
    path = FORMATS / "records" / f"{name}.origin.json"
    job = recorded_settings(read_record(path), path, FloorJob, "floor")
    assert (job.count, job.seconds) == (2, 2.0)


@pytest.mark.parametrize("name", ["steer-5-first", "steer-8-libraries"])
def test_steered_motions_are_read(name: str) -> None:
    """The record holds the text of the script."""
    path = FORMATS / "records" / f"{name}.origin.json"
    job = job_of(read_record(path), path)
    assert (job.how, job.fps) == ("script", 60.0)
    assert job.table.startswith("seconds,type,speed,turn")


def test_a_word_that_a_function_does_not_take_is_refused() -> None:
    """The error names the key."""
    path = FORMATS / "records/wander-8-libraries.origin.json"
    record = read_record(path)
    record.settings["walk"]["colour"] = "red"
    with pytest.raises(FileError, match=r"settings.walk: colour"):
        recorded_words(record, path, wander, "walk")
    record.settings["walk"] = {"seconds": "long"}
    with pytest.raises(FileError, match=r"settings.walk: seconds: expected a number"):
        recorded_words(record, path, wander, "walk")


def test_kept_graphs_are_read() -> None:
    """Settings and cost of a stored graph are those with which it was built."""
    plain = replace(DEFAULTS, way="crossfade", feet="locked")
    assert graph_settings(GRAPHS["plain"]) == (plain, segue.cost("point_cloud"))
    settings, cost = graph_settings(GRAPHS["all"])
    assert cost == segue.cost("joint_angle", nu=0.5)
    assert settings == Settings(
        threshold=0.25,
        quality=0.5,
        share=0.9,
        blend_seconds=0.25,
        way="registration",
        length="auto",
        search=SearchSettings("sectors", blend_seconds=0.25),
        bounds=SeamBounds(2.0),
        skeleton="walk",
        fps=30.0,
        check_seams=False,
        feet="locked",
    )


def test_a_kept_graph_comes_back() -> None:
    """A graph's document holds every setting, with any cost."""
    given = {"cost": "features", "blend": Blend(0.5), "feet": "free", "bridges": False, "share": None}
    settings, cost = asked(given)
    document = json.loads(json.dumps(graph_document(settings, cost)))
    assert graph_settings(document) == (replace(settings, cost=DEFAULTS.cost), cost)
    assert set(GRAPHS["plain"]) <= set(document)


@pytest.mark.parametrize("name", ["sequence-9-first", "sequence-live-9-first"])
def test_sequences_are_made_again(name: str, tmp_path: Path) -> None:
    """Frame counts and settings are those of the record."""
    path = FORMATS / "records" / f"{name}.origin.json"
    record = read_record(path)
    again = replay.write_again(path, tmp_path / "again.npz")
    assert again.motion.n_frames == len(record.origin.clip)
    assert read_record(tmp_path / "again.origin.json").settings == record.settings
