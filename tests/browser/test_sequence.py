"""The Sequence tab of the studio in Debian's Chromium: edited with mouse and keys, undone, stored, reloaded."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import segue
from browser_pages import chromium, worked
from segue.app.demo import DEMO_ELEMENTS, DEMO_NAME, DEMO_SEQUENCE
from segue.library.element_files import kept_sequence
from shown import shown


def library_with_elements(path: Path) -> None:
    """A library of the embedded clips with elementary motions and a sequence of them."""
    with segue.Library.open(path) as library:
        library.add([segue.sample(name) for name in sorted({one.clip for one in DEMO_ELEMENTS})])
        library.add_elements(DEMO_ELEMENTS)
        library.add_sequence(kept_sequence(DEMO_NAME, DEMO_SEQUENCE))


@pytest.fixture(scope="module")
def arranged(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """Observations from one pass through the tab over a library, and the folder of both."""
    chromium()
    pytest.importorskip("starlette")
    room = tmp_path_factory.mktemp("sequence")
    library_with_elements(room / "moves.segue")
    with shown("_studio").studio_of(room / "moves.segue", room / "out") as studio:
        order = {"url": studio.url, "pictures": os.environ.get("SEGUE_PICTURES")}
        return worked("sequence.mjs", order), room


def test_a_motion_that_is_dragged_changes_the_stage(arranged) -> None:
    """A drag moves the core and gives other frames; undo restores exactly the old frames, redo the new ones."""
    seen, _ = arranged
    assert seen["motions"] == [one.motion for one in DEMO_SEQUENCE.motions]
    assert seen["elements"] == len(DEMO_ELEMENTS)
    assert seen["moved"] == pytest.approx(0.3, abs=0.05)
    assert seen["changed"]
    assert seen["undone"]
    assert seen["redone"] == pytest.approx(seen["moved"])
    assert "moves in" in seen["joined"]
    assert seen["milliseconds"] > 0


def test_a_rejected_motion_says_why_and_moves_to_the_nearest_time(arranged) -> None:
    """It stays in place, hatched, with a sentence; the button moves it to where it is executed."""
    seen, _ = arranged
    assert "Its core would begin within that of 'hurry'" in seen["rejected"]
    assert seen["hatched"] == 1
    assert seen["accepted"]


def test_a_motion_of_the_list_is_dragged_to_its_time(arranged) -> None:
    """The stage follows a held motion, Escape cancels it, undo removes it; Shift Enter adds one at the playhead."""
    seen, _ = arranged
    assert seen["given_up"]
    assert seen["carried"] == {"count": 1, "motion": "stride", "changed": True}
    assert seen["uncarried"]
    assert abs(seen["at_playhead"]) < 1e-3


def test_motions_are_added_moved_and_removed_by_keys(arranged) -> None:
    """Enter adds one, Shift and an arrow move it ten frames, Delete removes it."""
    seen, _ = arranged
    assert (seen["added"], seen["nudged"], seen["removed"]) == (1, 10, True)


def test_handles_set_cores_and_a_slider_sets_w(arranged) -> None:
    """The end of a core follows its handle, the start stays; the W of one pair is set separately."""
    seen, _ = arranged
    assert seen["core"][0] == pytest.approx(0.0, abs=1e-6)
    assert seen["core"][1] == pytest.approx(0.2, abs=0.05)
    assert seen["smoothness"] == pytest.approx(0.49)


def test_the_work_is_in_the_library_and_found_again(arranged) -> None:
    """A reload shows the same motions and frames, the library holds them, and the export is the motion."""
    seen, room = arranged
    assert seen["found"]
    with segue.Library.open(room / "moves.segue", mode="r") as library:
        (kept,) = library.sequences()
        core = library.element("turn left")
    assert len(kept.document["motions"]) == len(DEMO_SEQUENCE.motions)
    assert core.core_stop_frame > 140
    record = json.loads((room / "out" / "from the timeline.origin.json").read_text())
    assert record["command"] == "sequence"
    assert segue.load(room / "out" / "from the timeline.bvh").n_frames == record["motion"]["frames"]


def test_a_live_player_plays_what_is_clicked(arranged) -> None:
    """A clicked motion is planned and reports how; one planned for later is withdrawn."""
    seen, _ = arranged
    assert "stride" in seen["played"]
    assert "core at" in seen["played"]
