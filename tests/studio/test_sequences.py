"""Sequences over HTTP: arranged, changed, stored in a library and exported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import segue
from segue.app.demo import DEMO_NAME
from segue.studio.packing import packed_poses, unpacked
from shown import shown


def _arranged(studio: Any, script: dict[str, Any], base: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    status, body, _ = studio.ask(
        "POST", "/api/arrange", json.dumps({"script": script, "base": base}).encode()
    )
    assert status == 200, body
    return unpacked(body)


def _frames(studio: Any, word: str) -> np.ndarray:
    return unpacked(studio.ask("GET", f"/api/motion/{word}")[1])[1]["poses"]


def test_the_embedded_clips_come_with_a_sequence(studio) -> None:
    """The embedded clips have elementary motions and one sequence, all of whose motions are executed."""
    view = studio.call("sequences")
    assert [one["name"] for one in view["sequences"]] == [DEMO_NAME]
    assert not view["kept"]
    script = studio.call("sequence", name=DEMO_NAME)
    made, arrays = _arranged(studio, script)
    assert (made["rejected"], len(made["joins"])) == ([], len(script["motions"]) - 1)
    assert made["poses"] == [[0, made["frames"]]]
    assert np.abs(arrays["poses"] - _frames(studio, made["word"])).max() < 1e-6
    assert studio.ask("GET", "/api/thumbnail/element:stride")[1].startswith(b"<svg")
    assert all(join["because"] and join["segments"] for join in made["joins"])


@pytest.mark.parametrize("moved", [(4, 0.35), (0, 0.4), (9, -0.5), (5, -3.0)])
def test_an_edit_sends_the_frames_that_changed(studio, moved) -> None:
    """Old frames with the changed ones inserted are the frames of the new sequence, wherever a motion is moved."""
    script = studio.call("sequence", name=DEMO_NAME)
    before, arrays = _arranged(studio, script)
    number, seconds = moved
    script["motions"][number]["at"] += seconds
    view, changed = _arranged(studio, script, before["number"])
    assert view["base"] == before["number"]
    assert sum(stop - start for start, stop in view["poses"]) < 0.6 * view["frames"]
    page = shown("_studio").patched(arrays["poses"], before, view, changed)
    assert np.abs(page - _frames(studio, view["word"])).max() < 1e-6


def test_what_overlaps_is_rejected_with_the_nearest_time(studio) -> None:
    """A core within another's is not executed; at the time that the message names it is."""
    script = studio.call("sequence", name=DEMO_NAME)
    script["motions"][3]["at"] = script["motions"][2]["at"] + 0.05
    (lost,) = _arranged(studio, script)[0]["rejected"]
    assert lost["number"] == 3
    assert "within that of 'stride'" in lost["reason"]
    script["motions"][3]["at"] = lost["nearest"]
    assert not _arranged(studio, script)[0]["rejected"]


def test_a_core_that_is_set_goes_before_the_element_s_own(studio) -> None:
    """The core that a script names is executed; one outside its motion is refused with a sentence."""
    script = studio.call("sequence", name=DEMO_NAME)
    script["cores"] = [{"motion": "stride", "start": 40, "stop": 60}]
    placed = next(one for one in _arranged(studio, script)[0]["placed"] if one["motion"] == "stride")
    assert placed["core"][1] - placed["core"][0] == pytest.approx(20 / 60)
    script["cores"][0]["stop"] = 400
    status, body, _ = studio.ask("POST", "/api/arrange", json.dumps({"script": script}).encode())
    assert status == 422
    assert "core of 'stride'" in json.loads(body)["error"]


@pytest.mark.parametrize(
    "change",
    [
        {"motions": []},
        {"smoothness": 2.0},
        {"motions": [{"motion": "none"}]},
        {"motions": [{"motion": "run", "at": -1.0}]},
    ],
)
def test_a_script_that_is_none_is_one_sentence(studio, change) -> None:
    """No motions, a smoothness beyond 1, an unknown motion and a time before 0 are each refused with a sentence."""
    script = {**studio.call("sequence", name=DEMO_NAME), **change}
    status, body, _ = studio.ask("POST", "/api/arrange", json.dumps({"script": script}).encode())
    assert status == 422
    assert len(json.loads(body)["error"]) > 20


def test_an_exported_sequence_is_made_again_from_its_record(studio) -> None:
    """The record holds the script, the decisions and the upper body's sources, and reproduces the motion."""
    made, _ = _arranged(studio, studio.call("sequence", name=DEMO_NAME))
    studio.call("export", word=made["word"], name="arranged", format=".bvh")
    record = json.loads((studio.exports / "arranged.origin.json").read_text())
    assert record["command"] == "sequence"
    assert len(record["decided"]["pairs"]) == len(made["joins"])
    from segue.app.replay import write_again

    assert write_again(studio.exports / "arranged.origin.json", studio.exports / "again.bvh").same
    for word in (".json", ".glb"):
        studio.call("export", word=made["word"], name="also", format=word, replace=True)
    lanes = studio.call("measures", word=made["word"])
    assert len(lanes["seams"]) > 3


def test_a_library_keeps_elements_cores_and_sequences(tmp_path: Path) -> None:
    """Proposed, arranged and stored items are in the reopened library; an empty sequence is removed."""
    from segue.studio.calls import CALLS
    from segue.studio.project import Project
    from segue.studio.state import Studio

    with segue.Library.open(tmp_path / "moves.segue") as library:
        library.add([segue.sample("walk"), segue.sample("run")])

    def call(studio: Studio, word: str, /, **ask: Any) -> Any:
        return CALLS[word].function(studio, msgspec.convert(ask, CALLS[word].ask))

    studio = Studio(Project(tmp_path / "moves.segue", tmp_path))
    assert call(studio, "sequences").elements == []
    view = call(studio, "propose_elements", clips=["walk", "run"])
    assert view.kept
    assert len(view.elements) > 3
    name = view.elements[0].name
    script = {"name": "go", "motions": [{"motion": name, "at": 3.0}]}
    call(studio, "keep_sequence", script={**script, "cores": [{"motion": name, "start": 5, "stop": 20}]})
    again = Studio(Project(tmp_path / "moves.segue", tmp_path))
    assert call(again, "sequence", name="go").motions[0].at == 3.0
    assert next(one for one in call(again, "sequences").elements if one.name == name).core == (5, 20)
    with pytest.raises(segue.SegueError, match="is played by"):
        call(again, "remove_element", name=name)
    assert call(again, "keep_sequence", script={**script, "motions": []}).sequences == []
    left = call(again, "remove_element", name=name)
    assert name not in {one.name for one in left.elements}
    for one in (studio, again):
        one.close()


def test_the_frames_of_a_page_are_those_of_the_clip() -> None:
    """Frames packed in one batch are those of the rendered clip, and moving feet are off the ground."""
    from segue.app.arranging import arrange
    from segue.app.demo import demo_sequence

    made = arrange(demo_sequence())
    clip = made.sequence.clip
    assert np.abs(packed_poses(clip.rotations, clip.root_positions) - made.poses).max() < 2e-6
    both = made.moving & made.planted.reshape(-1, 2, 2).all(axis=2)
    assert both.mean() < 0.02


def test_a_live_player_plays_what_it_is_asked_and_its_run_is_made_again(tmp_path: Path) -> None:
    """Requests are answered, the stored run equals the displayed one bit for bit, and its record reproduces it."""
    from segue.studio.project import Project
    from segue.studio.sequence_characters import live_player
    from segue.studio.socket_messages import Begin, Play, Steer, Withdraw
    from segue.studio.state import Studio

    own = Studio(Project(None, tmp_path))
    player = live_player(own, Begin("sequence", idle="stand"))
    seen, news, shown = [], [], set()
    for tick in range(200):
        if tick in (30, 31):
            player.command(Play("stride") if tick == 30 else Play("halt", at=9.0))
        if tick == 150:
            player.command(Withdraw("halt"))
        seen.append(player.tick(1 / 60))
        news.append(player.news())
        shown.add(player.live.shown)
    last = [one for one in news if one is not None][-1].answers
    assert [(one.motion, one.outcome) for one in last][:1] == [("stride", "planned")]
    assert {one.outcome for one in last[1:]} == {"withdrawn"}
    assert last[0].method
    made = player.made()
    assert np.array_equal(made.clip.root_positions, [pose.root_position for pose in seen])
    assert np.array_equal(made.clip.rotations, [pose.rotations for pose in seen])
    assert shown == {-1, list(player.elements.motions).index("stride")}
    word = own.keep(made).word
    assert _made_again(own, word, tmp_path)
    for wrong in (Play("none"), Steer("walk", 1.0, 0.0)):
        with pytest.raises(segue.SegueError):
            player.command(wrong)


def _made_again(studio: Any, word: str, folder: Path) -> bool:
    """Whether replay reproduces an exported motion from its record."""
    from segue.app.replay import write_again
    from segue.studio.calls import CALLS
    from segue.studio.motion_messages import ExportAsk

    CALLS["export"].function(studio, ExportAsk(word, "live", ".bvh"))
    return write_again(folder / "live.origin.json", folder / "again.bvh").same
