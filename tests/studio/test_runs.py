"""Live runs and transitions of the studio are recorded: replayed, stored as clips, reproduced from their records."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segue
from segue.app.record import read_record
from segue.app.replay import write_again
from segue.app.stages import motion_digest
from segue.errors import FileError, SettingError
from segue.studio import calls_of_graphs, calls_of_motions, calls_of_transitions, runs
from segue.studio.characters import seated
from segue.studio.messages import Nothing
from segue.studio.motion_messages import ExportAsk, GraphAsk
from segue.studio.pair_messages import CompareAsk, CrossAsk
from segue.studio.project import Project
from segue.studio.run_messages import KeepAsk, RunAsk
from segue.studio.socket_messages import Begin, Chase, Steer, Take
from segue.studio.state import Studio

CLIPS = ["walk", "walk_fast", "walk_slow"]


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    """A studio over a library of three walks, with their graph."""
    room = tmp_path_factory.mktemp("runs")
    with segue.Library.open(room / "moves.segue") as library:
        library.add([segue.sample(name) for name in CLIPS])
    made = Studio(Project(room / "moves.segue", room / "out"))
    job = calls_of_graphs.build(made, GraphAsk())
    while made.jobs.statuses[0].state == "running":
        time.sleep(0.05)
    assert job.job
    return made


def steered(studio: Studio, controller: Any) -> Any:
    """A character after two seconds with changed commands."""
    one = seated(studio, Begin(controller, clips=CLIPS, graph=1, seed=3))
    for tick in range(120):
        if tick == 40:
            one.command(Take() if controller == "graph" else Steer("walk", 1.4, 0.5))
        if tick == 80 and controller != "graph":
            one.command(Chase(2.0, 3.0))
        one.tick(1 / 60)
    return one


@pytest.mark.parametrize("controller", ["locomotion", "matcher", "graph"])
def test_a_live_run_is_made_again_from_its_record(studio, tmp_path, controller) -> None:
    """A finished run is listed, played and exported, and `replay` reproduces its frames from its record."""
    one = steered(studio, controller)
    number = studio.runs.add(one)
    listed = runs.runs(studio, Nothing()).runs[0]
    assert (listed.run, listed.controller, round(listed.seconds, 1)) == (number, controller, 2.0)
    motion = runs.play_run(studio, RunAsk(number))
    assert motion.frames == 120
    calls_of_motions.export(studio, ExportAsk(motion.word, controller, ".bvh"))
    record = studio.project.export_folder / f"{controller}.origin.json"
    assert set(read_record(record).origin.clips) <= set(CLIPS)
    again = write_again(record, tmp_path / "again.bvh")
    assert again.same
    assert motion_digest(again.motion) == motion_digest(studio.motion(motion.word))
    assert read_record(tmp_path / "again.origin.json").settings == read_record(record).settings


def test_a_transition_is_made_again_from_its_record(studio, tmp_path) -> None:
    """A transition made at two frames is reproduced from its record, including its cost."""
    pair = calls_of_transitions.compare(studio, CompareAsk("walk", "walk_fast", "joint_angle", {}, "auto"))
    made = calls_of_transitions.crossing(studio, CrossAsk(pair.id, 100, 90, "auto", "crossfade", "planted"))
    calls_of_motions.export(studio, ExportAsk(made.motion.word, "crossing", ".glb"))
    again = write_again(studio.project.export_folder / "crossing.origin.json", tmp_path / "again.glb")
    assert again.same


def test_a_run_is_kept_as_a_clip(studio) -> None:
    """A made motion becomes a clip of the library under a free name, with its own frames as source."""
    word = studio.keep(steered(studio, "graph").made()).word
    assert calls_of_motions.keep(studio, KeepAsk(word, "live walk")).added == ["live walk"]
    assert calls_of_motions.keep(studio, KeepAsk(word, "live walk")).added == ["live walk (2)"]
    kept = Studio(Project(studio.project.path, Path("out"))).project.clip("live walk")
    assert np.array_equal(kept.rotations, studio.motion(word).rotations)
    assert kept.origin.clips == ("live walk",)
    with pytest.raises(SettingError, match="no name"):
        calls_of_motions.keep(studio, KeepAsk(word, "../live"))


def test_a_record_that_was_edited_says_what_is_wrong(studio, tmp_path) -> None:
    """More steps than a run can have, and an invalid wish, are refused with the place in the record."""
    word = studio.keep(steered(studio, "graph").made()).word
    calls_of_motions.export(studio, ExportAsk(word, "edited", ".bvh"))
    path = studio.project.export_folder / "edited.origin.json"
    record = json.loads(path.read_text())
    for row in ([10**12, 1 / 60, None], [-5, 1 / 60, None], [1, 1 / 60, {"fly": True}]):
        record["settings"]["rows"] = [row]
        path.write_text(json.dumps(record))
        with pytest.raises(FileError, match="rows"):
            write_again(path, tmp_path / "again.bvh")
