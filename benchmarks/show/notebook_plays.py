"""A notebook run without a screen: clip, graph walk, loop, steered run and sequence play under their cells.

Shows: the notebook's saved output of each, played in headless Chromium; `--pictures FOLDER` saves a picture
Bars: every cell plays and holds a still picture; under 1 MB a cell; `import segue` loads neither numpy nor the player
Needs: nbclient and ipykernel; Chromium installed
Group: Other programs and long runs
"""

from __future__ import annotations

import os
import subprocess
import sys

from _browser import READY, ROOT, built, visited
from _runner import PICTURES, Show, run

CELLS = {
    "a clip": 'import segue\nsegue.sample("walk")',
    "a walk": 'clips = [segue.sample(name) for name in ("walk", "walk_left", "start", "stop", "stand")]\n'
    "segue.MotionGraph.build(clips).wander(seconds=8, seed=1)",
    "a loop": 'segue.loop(segue.sample("walk"))',
    "a steered run": "from segue.app.steering import steer_script\n"
    "from segue.locomotion.build import build_locomotion\n"
    "from segue.runtime.steered.player import Command\n"
    'walker = build_locomotion([segue.sample(name) for name in ("walk", "walk_slow", "walk_left", "start", "stop")])\n'
    'steer_script(walker, [(0.0, Command("stand")), (1.0, Command("walk", 1.2)), (5.0, Command("stand"))], fps=30)',
    "a sequence": "from segue.sequencing.elements import ElementaryMotion\n"
    "from segue.sequencing.script import Placement, SequenceScript\n"
    "from segue.sequencing.sequence import make_sequence\n"
    'motions = {"walk": ElementaryMotion("walk", segue.sample("walk"), (60, 120)),'
    ' "stop": ElementaryMotion("stop", segue.sample("stop"), (110, 150))}\n'
    'make_sequence(motions, SequenceScript((Placement("walk", at=1.0), Placement("stop"))))',
}
LIGHT = (
    "import segue, sys; print(sorted({'numpy', 'scipy', 'matplotlib', 'segue.pictures'} & set(sys.modules)))"
)


def main(show: Show) -> None:
    try:
        import nbformat
        from nbclient import NotebookClient
    except ModuleNotFoundError:
        msg = "a notebook is run with nbclient and ipykernel: pip install nbclient ipykernel"
        raise RuntimeError(msg) from None

    built()
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in CELLS.values()])
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH")))
    )
    NotebookClient(notebook, timeout=180, kernel_name="python3").execute()
    page = show.folder / "notebook.html"
    shown = [cell.outputs[-1]["data"].get("text/html", "") for cell in notebook.cells]
    page.write_text("<!doctype html><body style='margin:16px'>" + "<hr>".join(shown) + "</body>", "utf-8")
    rows = [
        (name, f"{len(html) / 1e3:.0f} kB", "data:image/png" in html)
        for name, html in zip(CELLS, shown, strict=True)
    ]
    show.table(("cell", "HTML", "still picture"), rows)
    show.check("cells without a still picture", sum("data:image/png" not in html for html in shown), "= 0")
    show.check("largest cell", max(map(len, shown)) / 1e6, "< 1 MB", unit="MB")
    visit = {"url": page.as_uri(), "steps": [{"frames": READY}], "width": 760, "height": 560}
    if show.options.pictures is not None:
        show.options.pictures.mkdir(parents=True, exist_ok=True)
        visit["picture"] = str(show.options.pictures / "player-notebook.png")
    answer = visited([visit])[0]
    played = sum(answer["values"][0]) if answer["values"] else 0
    show.check("cells that play", played, f"= {len(CELLS)}")
    show.check("requests to a network", len(answer["requests"]), "= 0")
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True)
    loaded = done.stdout.strip()
    show.check("numpy, scipy, matplotlib, pictures loaded by import segue", loaded, "none", loaded == "[]")


if __name__ == "__main__":
    run(main, "motions under the cells of a notebook", PICTURES)
