"""Draw the pictures of the docs again: `python scripts/draw_pictures.py`.

Everything runs on the command line, as a user would do it. The real clips are read from ../shared/data, next to the
project; without them only the pictures of embedded clips are drawn.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
DATA = ROOT.parent / "shared" / "data" / "asf_amc"
COSTS = {
    "cost-point-cloud": ("--cost", "point_cloud"),
    "cost-dynamics": ("--cost", "point_cloud", "--set", "weighting=dynamics"),
    "cost-joint-angle": ("--cost", "joint_angle"),
    "cost-joint-angle-optimised": ("--cost", "joint_angle", "--set", "weights=optimised"),
    "cost-features": ("--cost", "features"),
}
FOLDERS = {
    "127": ("asf_amc/127", "6"),
    "game-pack": ("gltf/kaykit", "2"),
    "boxing": ("misc/assimp/Boxing_Toes.bvh", "5"),
    "humanoid": ("misc/deepmimic", "2"),
    "figure-of-eight": ("misc/pymo", "6"),
}
"""Other kinds of folders and files, and the spacing in frames of the figures of their worst seams."""
SAMPLES = ("walk", "run", "walk_turn_left", "start", "stop", "step_touch")


def segue(*arguments: str) -> str:
    """Run the command line and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "segue", *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout


def film(motion: str, name: str, *options: str) -> None:
    segue("film", motion, "-o", str(PICTURES / f"{name}.png"), "--force", *options)
    print(PICTURES / f"{name}.png")


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    for name in SAMPLES:
        film(f"sample:{name}", f"sample-{name.replace('_', '-')}")
    for name, options in COSTS.items():
        picture = str(PICTURES / f"{name}.png")
        segue("compare", "sample:walk", "sample:walk_turn_left", *options, "-o", picture, "--force")
        print(picture)
    with tempfile.TemporaryDirectory() as folder:
        demo = Path(folder)
        segue("demo", "--folder", str(demo), "--seconds", "20")
        film(str(demo / "demo.bvh"), "demo", "--count", "24")
        if not DATA.is_dir():
            print("the real clips are not next to the project: their pictures are unchanged")
            return
        wander = str(demo / "wander-16.bvh")
        segue("wander", str(DATA / "16"), "--seconds", "60", "--seed", "1", "-o", wander)
        film(wander, "wander-16", "--count", "36")
        film(wander, "wander-16-timeline", "--timeline")
        measured = json.loads(segue("measure", wander, "--json"))
        for rank, seam in enumerate(measured["worst_seams"], start=1):
            film(wander, f"worst-seam-{rank}", "--seam", str(seam["number"]))
            print(f"  seam {seam['number']}, {seam['seconds']:.2f} s, {seam['from']} to {seam['to']}")
        pack = DATA.parent / "gltf" / "kaykit" / "Med_MovementBasic.glb"
        any_folder(demo)
        run = str(demo / "Running_A.glb")
        segue("convert", f"{pack}#Running_A", "--root-motion", "-o", run)
        film(run, "root-motion-run", "--count", "13")
        stitch = str(demo / "stitch.bvh")
        order = [str(DATA / clip) for clip in ("02/02_01.amc", "16/16_17.amc", "127/127_04.amc")]
        segue("stitch", *order, "-o", stitch)
        film(stitch, "stitch", "--count", "36")
        pair = [str(DATA / "16" / clip) for clip in ("16_15.amc", "16_16.amc")]
        segue("compare", *pair, "-o", str(PICTURES / "compare.png"), "--force")
        print(PICTURES / "compare.png")


def any_folder(folder: Path) -> None:
    """Draw a minute of some other folders, with the defaults, and the three seams with the worst measure."""
    for name, (inputs, step) in FOLDERS.items():
        made = str(folder / f"{name}.glb")
        segue("wander", str(DATA.parent / inputs), "-o", made)
        measured = json.loads(segue("measure", made, "--json"))
        for rank, seam in enumerate(measured["worst_seams"], start=1):
            film(made, f"any-folder-{name}-{rank}", "--seam", str(seam["number"]), "--step", step)
            print(f"  seam {seam['number']}, {seam['seconds']:.2f} s, {seam['from']} to {seam['to']}")


if __name__ == "__main__":
    main()
