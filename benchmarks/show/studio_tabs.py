"""Every tab of the studio over captured clips: dark and light, and at tablet size.

Shows: pictures of all tabs at 1280 x 720 in both themes and at 1024 x 768, in the folder of `--pictures`; Transitions
    next to its draft (`studio_sequence --pictures` does this for Sequence)
Bars: no page error; nothing overflows the page sideways, at any size
Needs: clips; Chromium installed
Group: Other programs and long runs
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from _browser import worked
from _runner import PICTURES, Show, run
from _studio import studio_of
from _walkers import clips

import segue

RUNNING = 2.2  # metres a second above which a clip is tagged as a run
SESSION = 22  # clips used for the graph and the walker
VIEW = "segueStudio.view"
MADE = f"{VIEW}.main?.word.startsWith('made:')"
WIDE, TABLET = [1280, 720], [1024, 768]
OUT = (
    "[...document.querySelectorAll('#studio button, #studio select, #studio input, #studio canvas')].filter(one => {"
    " const { left, right, width } = one.getBoundingClientRect();"
    " return width && (left < -1 || right > innerWidth + 1) && !one.closest('.tl-motions, .tags'); }).length"
)
"""Code that counts elements overflowing the page sideways."""


def library(path: Path) -> None:
    """Make a library of one subject's clips with tags."""
    with segue.Library.open(path) as made:
        for number, clip in enumerate(clips(only_16=True)):
            made.add(clip)
            length = np.linalg.norm(np.diff(clip.root_positions[:, [0, 2]], axis=0), axis=1).sum()
            made.tag(clip.name, "run" if length / clip.seconds > RUNNING else "walk")
            if number < SESSION:
                made.tag(clip.name, "session 1")


def looks(name: str) -> list[dict[str, Any]]:
    """Return steps that show a tab dark, light, and at tablet size, counting overflowing elements."""
    out = {"do": f"globalThis.outside = (globalThis.outside ?? 0) + {OUT}"}
    wide = [{"wait": 900}, out, {"look": name}]
    light = [{"do": "segueStudio.store.set({ theme: 'light' })"}, {"wait": 900}, {"look": f"{name}-light"}]
    dark = {"do": "segueStudio.store.set({ theme: 'dark' })"}
    tablet = [{"size": TABLET}, {"wait": 1200}, out, {"look": f"{name}-tablet"}, {"size": WIDE}]
    return [*wide, *light, dark, *tablet]


def still(seconds: str) -> list[dict[str, Any]]:
    """Return steps that stop the motion at a time."""
    return [{"do": f"{VIEW}.toggle(false), {VIEW}.seek({seconds})"}]


def steps() -> list[dict[str, Any]]:
    """Return the steps of all tabs, one after the other."""
    seam = f"(({VIEW}.main.head.seams[0][0] + {VIEW}.main.head.seams[0][1]) / 2 / {VIEW}.fps)"
    return [
        {"click": '[data-clip="16_16"]'},
        {"until": f"{VIEW}.main?.word === 'clip:16_16'"},
        {"see": ".lane-canvas"},
        *still("1.7"),
        *looks("clips"),
        {"click": '[data-lane="contacts"]'},
        {"see": ".contact"},
        {"do": "document.querySelectorAll('.contact')[1].focus()"},
        {"wait": 600},
        {"look": "contacts"},
        {"click": '[data-lane="measures"]'},
        {"tab": "transitions"},
        {"click": '[data-clip="16_16"]'},
        {"click": '[data-clip="16_17"]'},
        {"until": MADE},
        {"see": ".lane-canvas"},
        *still(seam),
        *looks("transitions"),
        {"tab": "graph"},
        {"click": '.tag:has-text("session 1")'},
        {"click": ".right button.wide"},
        {"until": f"{MADE} && {VIEW}.main.head.sources.length > 1"},
        {"see": ".lane-canvas"},
        *still("6.2"),
        *looks("graph"),
        {"click": "text=Dance floor"},
        {"until": f"{VIEW}.players.length === 12"},
        {"wait": 2500},
        {"look": "floor"},
        {"tab": "steer"},
        {"until": f"{VIEW}.mode === 'live' && document.querySelector('.keys')"},
        *({move: key} for _ in range(8) for key in "wa" for move in ("down", "up")),
        {"down": "w"},
        {"down": "a"},
        {"wait": 2500},
        *looks("steer"),
        {"up": "a"},
        {"up": "w"},
        {"tab": "study"},
        {"choose": ['[aria-label="Design"]', "weights"]},
        {"click": "text=Show the motions"},
        {"until": f"{MADE} && {VIEW}.main.head.name.endsWith('original')"},
        {"see": ".lane-canvas"},
        *still("1.0"),
        *looks("study"),
        {"do": "document.body.append(`outside: ${globalThis.outside}`)"},
        {"look": "end"},
    ]


def main(show: Show) -> None:
    from _drafts import beside, make_small

    library(show.folder / "moves.segue")
    folder = (show.options.pictures or show.folder / "pictures").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with studio_of(show.folder / "moves.segue", show.folder / "out") as studio:
        visit = {"url": studio.url, "name": "studio", "steps": [{"see": ".clip"}, *steps()]}
        seen = worked("steps.mjs", {"visits": [visit], "pictures": str(folder)})
    (folder / "studio-end.png").unlink(missing_ok=True)
    make_small(folder, "studio-*.png")
    beside("transitions.png", folder / "studio-transitions.png")
    for fault in seen["faults"]:
        show.note(fault)
    outside = seen["words"]["studio"].get("end", "outside: not checked").rsplit("outside: ", 1)[1].strip()
    show.check("faults of the page", len(seen["faults"]), "= 0")
    show.check("buttons, fields and drawings that overflow the page", outside, "none", outside == "0")
    show.note(f"{len(seen['words']['studio']) - 1} pictures in {folder}")


if __name__ == "__main__":
    run(main, "every tab of the studio", PICTURES)
