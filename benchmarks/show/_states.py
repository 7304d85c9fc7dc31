"""States in which the studio is empty or something went wrong, with the expected messages, for show and test.

A visit is an input of ``client/browser/steps.mjs``; with it, for each look, words that must be on the page.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

TABS = ("clips", "transitions", "graph", "sequence", "steer", "study")
NO_CLIP = "There is no clip here yet. Drop motion files on this page"
LEGS = "no joint fills the role 'left_hip'"
ROLES = "set the roles of its joints in the tab Clips"
GONE = "The server does not answer. This page reconnects automatically"
OPENED = {"see": "[data-tab]"}

Visit = tuple[dict[str, Any], Mapping[str, Sequence[str]]]


def _visit(
    name: str, url: str, steps: Sequence[Mapping[str, Any]], words: Mapping[str, Sequence[str]]
) -> Visit:
    return {"name": name, "url": url, "steps": [OPENED, *steps]}, words


def _every() -> list[dict[str, Any]]:
    there = {"sequence": ".elements .empty", "study": ".right .fact"}  # loaded from the server
    return [
        step for tab in TABS for step in ({"tab": tab}, {"see": there.get(tab, ".right > *")}, {"look": tab})
    ]


def empty_library(url: str) -> Visit:
    """A library without a clip, on every tab."""
    words = {tab: [NO_CLIP, "Import files"] for tab in TABS[:-1]}
    words["sequence"] += ["Elementary motions are cut from clips, and there is no clip yet"]
    return _visit("empty", url, _every(), words | {"study": ["Motions of a design play here"]})


def one_clip(url: str) -> Visit:
    """A library of one clip, on every tab before anything is made."""
    words = {
        "transitions": ["Choose clip A on the left. One clip may be both"],
        "graph": ["There is no graph yet; build one on the right", "Build the graph of 1 clip"],
        "sequence": ["There are no elementary motions yet", "propose some from a clip, on the left"],
    }
    return _visit("one", url, _every(), words)


def write_tail(folder: Path) -> None:
    """Write a body of four joints in a row without legs, and a truncated file."""
    folder.mkdir(parents=True)
    rows = ["HIERARCHY", "ROOT a", "{", "OFFSET 0 0 0", "CHANNELS 6 Xposition Yposition Zposition"]
    rows[-1] += " Zrotation Xrotation Yrotation"
    for joint in "bcd":
        rows += [f"JOINT {joint}", "{", "OFFSET 0 0 20", "CHANNELS 3 Zrotation Xrotation Yrotation"]
    rows += ["End Site", "{", "OFFSET 0 0 10", "}", *"}" * 4, "MOTION", "Frames: 90", "Frame Time: 0.0333333"]
    for k in range(90):
        bends = [0.0, 10 * math.sin(k / 5), 0.0] * 3
        values = [0.0, 50.0, float(k), 0.0, 5 * math.sin(k / 7), 0.0, *bends]
        rows.append(" ".join(f"{value:.3f}" for value in values))
    (folder / "tail.bvh").write_text("\n".join(rows) + "\n")
    (folder / "broken.bvh").write_text("HIERARCHY\nROOT a\n{\n")


def no_legs(url: str) -> Visit:
    """Visit the folder of `write_tail`: what needs legs reports it, including a failed job, and a file that cannot
    be read.
    """
    steps: list[dict[str, Any]] = [
        {"click": '[data-clip="tail"]'},
        {"see": ".missing"},
        {"look": "clips"},
        {"click": '[data-clip="broken"]'},
        {"see": ".problem"},
        {"look": "unread"},
        {"tab": "transitions"},
        {"click": '[data-clip="tail"]'},
        {"click": '[data-clip="tail"]'},
        {"see": ".problem"},
        {"look": "transitions"},
        {"tab": "graph"},
        {"click": ".right button.wide"},
        {"see": ".problem"},
        {"look": "graph"},
        {"tab": "sequence"},
        {"click": ".propose button"},
        {"see": ".toast.bad"},
        {"look": "sequence"},
        {"tab": "steer"},
        {"see": ".problem"},
        {"look": "steer"},
        {"tab": "study"},
        {"choose": ["[aria-label='Clips']", "open"]},
        {"click": "text=Show the motions"},
        {"see": ".problem"},
        {"look": "study"},
    ]
    words = {
        "clips": ["Peak acceleration", f"Feet are not measured: {LEGS}", ROLES],
        "unread": ["the file ends without a MOTION part", "The clip broken cannot be shown", "Try again"],
        "transitions": [LEGS, ROLES, "Try again"],
        "graph": ["No graph was built; see the inspector for the reason", LEGS, ROLES, "Try again"],
        "sequence": ["No joint fills the role 'left_hip'", ROLES],
        "steer": ["None of these clips has known legs", "set their roles in the tab Clips", "Try again"],
        "study": ["has no clip of a body with legs", "Try again"],
    }
    return _visit("legless", url, steps, words)


def not_motion(url: str) -> Visit:
    """Drop files that are not motion."""
    files = {"holiday.txt": b"hello", "walk.bvh": b"not a motion", "picture.png": b"\x89PNG\r\n"}
    dropped = [[name, base64.b64encode(content).decode()] for name, content in files.items()]
    steps: list[dict[str, Any]] = [
        {"see": ".clip"},
        {"drop": dropped},
        {"see": ".toast:nth-child(3)"},
        {"look": "dropped"},
    ]
    words = ["Not taken: holiday.txt:1", "Not taken: walk.bvh:1: a BVH file starts with HIERARCHY"]
    return _visit(
        "dropped", url, steps, {"dropped": [*words, "picture.png holds no motion that segue reads"]}
    )


def wrong_token(url: str) -> Visit:
    """Open the address of another run, or a truncated one."""
    words = ["This address has no valid token; open the one that the terminal shows"]
    visit = {"name": "token", "url": f"{url.split('=', maxsplit=1)[0]}=wrong", "steps": [{"look": "wrong"}]}
    return visit, {"wrong": words}


def stopped(url: str, process: int, tab: str) -> Visit:
    """Kill the server of a tab, then send a request."""
    steps = [
        {"see": ".clip"},
        {"tab": tab},
        {"wait": 1500},
        {"kill": process},
        {"see": ".notice"},
        *([] if tab == "sequence" else [{"click": ".clip >> nth=3"}]),
        {"wait": 800},
        {"look": tab},
    ]
    return _visit(
        f"stopped-{tab}", url, steps, {tab: [GONE, "start it again and open the address that it prints"]}
    )


def missing_sentences(visits: Sequence[Visit], words: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return words missing from the page, and words that no user should see."""
    out = []
    for visit, wanted in visits:
        looks = words.get(visit["name"], {})
        for look, sentences in wanted.items():
            on_page = " ".join(looks.get(look, "").split())
            out += [f"{visit['name']}, {look}: {one}" for one in sentences if one not in on_page]
        for look, text in looks.items():
            strange = (
                "undefined",
                "NaN",
                "[object",
                "Traceback",
                "unexpected error",
                "Unexpected error",
                "null",
            )
            out += [f"{visit['name']}, {look}: {one} is read" for one in strange if one in text]
    return out
