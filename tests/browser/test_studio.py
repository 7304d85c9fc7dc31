"""The studio's page in Debian's Chromium: one pass with mouse and keys."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segue
from browser_pages import chromium, worked
from shown import shown

ASF = """:version 1.10
:name one
:units
  mass 1.0
  length 0.45
  angle deg
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name lfemur
     direction 0.6 -0.8 0
     length 7.0
     axis 0 0 0 XYZ
    dof rx ry rz
  end
:hierarchy
  begin
    root lfemur
  end
"""
AMC = ":FULLY-SPECIFIED\n:DEGREES\n" + "".join(
    f"{frame}\nroot 1.0 16.5 {frame} 3 30 5\nlfemur -20 5 {frame}\n" for frame in range(1, 60)
)
NASTY = "<img src=x onerror=document.title=1>"


def _dropped(room: Path) -> list[tuple[str, bytes]]:
    """Files dropped together: a BVH, a GLB, and an AMC before the ASF that it needs."""
    segue.save(segue.sample("run"), room / "dropped.bvh")
    segue.save(segue.sample("walk_turn_right"), room / "turned.glb")
    (room / "captured.amc").write_text(AMC)
    (room / "captured.asf").write_text(ASF)
    return [
        (name, (room / name).read_bytes())
        for name in ("dropped.bvh", "turned.glb", "captured.amc", "captured.asf")
    ]


@pytest.fixture(scope="module")
def seen_and_out(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """Observations from one pass through the studio over a library, and its export folder."""
    chromium()
    pytest.importorskip("starlette")
    room = tmp_path_factory.mktemp("browser")
    names = ("walk", "walk_fast", "walk_slow", "stop", "start")
    with segue.Library.open(room / "moves.segue") as library:
        library.add([segue.sample(name) for name in names])
        library.add(segue.sample("walk_turn_left").with_motion(name=NASTY))
        library.label(NASTY, "<script>1</script>")
    files = [[name, base64.b64encode(content).decode()] for name, content in _dropped(room)]
    with shown("_studio").studio_of(room / "moves.segue", room / "out") as studio:
        order = {"url": studio.url, "pictures": os.environ.get("SEGUE_PICTURES"), "files": files}
        return worked("studio.mjs", order), room / "out"


def test_the_page_does_what_a_person_asks(seen_and_out) -> None:
    """Play, hover, click, walk, steer, take the nearest transition, drop, export and reload are all observed."""
    seen, _ = seen_and_out
    assert seen["stepped_frames"] == 20
    assert seen["step_changes_picture"]
    assert "→" in seen["hover"]
    assert seen["seams"] == 1
    assert seen["lanes"] == 4
    assert any("nearest transition" in toast for toast in seen["taken"])
    assert "ms" in seen["delay"]
    assert seen["after_reload"] == {"a": "walk", "b": "walk_fast", "tab": "clips"}


def test_nothing_is_fetched_from_elsewhere_and_names_are_text(seen_and_out) -> None:
    """The page requests only this server, its address holds no token, and markup in names is displayed as text."""
    seen, _ = seen_and_out
    assert seen["foreign"] == []
    assert "token" not in seen["address"]
    assert NASTY in seen["clips"]
    assert (seen["title"], seen["markup"]) == ("segue studio", 0)


def test_contacts_are_edited_and_undone(seen_and_out) -> None:
    """A dragged end makes a contact longer, undone and redone; Delete removes one; the library holds the rest."""
    seen, out = seen_and_out
    edited = seen["contacts"]
    assert edited["longer"][0] == edited["first"][0]
    assert edited["longer"][1] > edited["first"][1]
    with segue.Library.open(out.parent / "moves.segue", mode="r") as library:
        plants, by_person = library.contacts(seen["clips"][0])
    assert by_person
    assert sum(plant.foot_part == "left_toe" for plant in plants) == edited["left"] == edited["count"] - 1


def test_a_live_run_is_kept_as_a_clip(seen_and_out) -> None:
    """A run that was steered and replayed is in the library, and its root moved."""
    seen, out = seen_and_out
    assert "steered walk" in seen["kept"]
    with segue.Library.open(out.parent / "moves.segue", mode="r") as library:
        run = library.clip("steered walk")
    assert np.ptp(run.root_positions[:, [0, 2]], axis=0).max() > 0.5


def test_the_exported_file_passes_the_validator(seen_and_out) -> None:
    """Khronos' validator finds neither error nor warning in the GLB that the page exported."""
    path = seen_and_out[1] / "from the page.glb"
    report = shown("_gltf_validator").validate([path])[path]
    assert report["errors"] == report["warnings"] == 0, report["messages"]


def test_the_exported_file_is_whole(seen_and_out) -> None:
    """The GLB that the page exported is read back as the transition, with its record next to it."""
    _, out = seen_and_out
    motion = segue.load(out / "from the page.glb")
    record = json.loads((out / "from the page.origin.json").read_text())
    assert record["command"] == "cross"
    assert record["motion"]["frames"] == motion.n_frames
