"""`segue sequence make`: a fight and a dance of a minute, from unrelated takes.

Shows: a fight of 60 s (Boxing_Toes, CMU 17_10 and 02_05) and a dance of 60 s (CMU 05_02, 60_12 and 61_12) from
    scripts of motions with times; filmstrips, timelines and every seam frame by frame with `--pictures FOLDER`
Bars: a minute of each; every motion placed is executed; planted feet drift under 2 mm after IK in every pair; the
    body is never frozen; joints and root at most 1.5 times as fast as in the takes; replay has the same digest
Needs: clips
Group: The main job
"""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import numpy as np
from _runner import PICTURES, Show, run, segue_json
from _sequences import DANCE, FIGHT, MINUTE, elements_toml, names

from segue.app.elements import Elements, read_motions
from segue.app.record import with_record
from segue.io import load
from segue.maths.quaternions import half_angle
from segue.measures.seams import seam_ranges
from segue.motion.clip import Clip
from segue.pictures.canvas import check_target
from segue.pictures.filmstrip import filmstrip

ORDERS = {"fight": FIGHT, "dance": DANCE}
SMOOTHNESS = 0.7
WIDE = 720  # pixels of a seam where all are on one picture
OVERLAP = 0.6  # seconds by which a motion begins before the end of the previous one


def script(rows: str, elements: Elements) -> str:
    """Repeat the file's motions in order for a minute; each begins before the previous one ends."""
    lines = ['sources = ["moves.toml"]', f"smoothness = {SMOOTHNESS}"]
    begins = 0.0
    for name in cycle(names(rows)):
        one = elements.motions[name]
        at = begins + one.core[0] / one.clip.fps
        lines.append(f'[[motions]]\nmotion = "{name}"\nat = {at:.2f}')
        after = (one.clip.n_frames - one.core[1]) / one.clip.fps
        begins += one.clip.seconds - min(OVERLAP, after / 2)
        if begins > MINUTE:
            return "\n".join(lines) + "\n"
    raise AssertionError


def turning(clip: Clip) -> np.ndarray:
    """Return the angular speed of the fastest joint at every step, radians a second."""
    return 2 * half_angle(clip.rotations[1:], clip.rotations[:-1]).max(axis=1) * clip.fps


def travelling(clip: Clip) -> np.ndarray:
    """Return the speed of the root at every step, metres a second."""
    return np.linalg.norm(np.diff(clip.root_positions, axis=0), axis=1) * clip.fps


def frozen(motion: Clip) -> int:
    """Count frames equal to the previous frame."""
    still = np.diff(motion.rotations, axis=0).any(axis=(1, 2)) | np.diff(motion.root_positions, axis=0).any(
        axis=1
    )
    return int((~still).sum())


def seams(name: str, motion: Clip, folder: Path, *, count: int) -> None:
    """Draw figures around every seam, twelve frames each; the first ones, until pairs repeat, on one picture."""
    strips: list[Path] = []
    ranges = [pair for pair in seam_ranges(motion.origin) if pair[1] > pair[0]]
    for number, (start, stop) in enumerate(ranges, 1):
        low, high = max(start - 12, 0), min(stop + 12, motion.n_frames - 1)
        frames = np.unique(np.linspace(low, high, 12).astype(int)).tolist()
        at = f"{start / motion.fps:.2f} to {stop / motion.fps:.2f} s"
        title = f"{name}, seam {number} of {len(ranges)}: {at}"
        target = check_target(folder / f"{name}-seam-{number:02d}.png")
        filmstrip(motion, target, frames=frames, title=title)
        strips.append(target)
    sheet(strips[:count], folder / f"{name}-seams.png")


def sheet(strips: list[Path], path: Path) -> None:
    """Combine the figures of seams in one picture, in two columns, without the paths."""
    from PIL import Image

    parts = []
    for file in strips:
        with Image.open(file) as picture:
            pixels = np.asarray(picture.convert("RGB"))
        # The path panel begins at the first row that has its colour across the full width.
        inner = pixels[:, 40:-40]
        panel = np.flatnonzero((inner == inner[-40, 0]).all(axis=(1, 2)) & (inner[:, 0] != 255).any(axis=1))
        whole = Image.fromarray(pixels[: panel[0]] if panel.size else pixels)
        parts.append(whole.resize((WIDE, round(whole.height * WIDE / whole.width)), Image.Resampling.LANCZOS))
    rows = [parts[k : k + 2] for k in range(0, len(parts), 2)]
    heights = [max(part.height for part in row) for row in rows]
    out = Image.new("RGB", (2 * WIDE, sum(heights)), "white")
    for row, top in zip(rows, np.cumsum([0, *heights[:-1]]).tolist(), strict=True):
        for column, part in enumerate(row):
            out.paste(part, (column * WIDE, top))
    out.quantize(64).save(path, optimize=True)


def one(show: Show, name: str, rows: str) -> None:
    """Make a minute of one kind."""
    folder = show.folder / name
    folder.mkdir()
    (folder / "moves.toml").write_text(elements_toml(rows))
    elements = read_motions([folder / "moves.toml"])
    (folder / f"{name}.toml").write_text(script(rows, elements))
    out = folder / f"{name}.npz"
    pictures: Path | None = show.options.pictures
    more = []
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
        more = ["--report", pictures / f"{name}.html", "--film", pictures / f"{name}.png", "--force"]
    made = segue_json("sequence", "make", folder / f"{name}.toml", "-o", out, *more)
    counts: dict[str, int] = {}
    for pair in made["pairs"]:
        counts[pair["method"]] = counts.get(pair["method"], 0) + 1
    show.note(f"{name}: {len(made['motions'])} motions, {', '.join(f'{m} {n}' for m, n in counts.items())}")
    show.check(f"{name}: seconds", made["seconds"], f">= {MINUTE:g}")
    show.check(f"{name}: motions not executed", len(made["rejected"]), "= 0")
    slips = [pair["slip_after_mm"] for pair in made["pairs"]]
    before = [pair["slip_before_mm"] for pair in made["pairs"]]
    show.note(f"{name}: planted feet slide up to {max(before):.0f} mm before IK")
    show.check(f"{name}: planted feet drift after IK, the worst pair", max(slips), "<= 2", unit="mm")
    motion, _ = with_record(load(out), out)
    show.check(f"{name}: frames in which the body is frozen", frozen(motion), "= 0")
    sources = [motion_.clip for motion_ in elements.motions.values()]
    # A take may hold a frame in which a joint flips: its fastest hundredth is left out.
    joints = max(float(np.percentile(turning(clip), 99)) for clip in sources)
    roots = max(float(travelling(clip).max()) for clip in sources)
    show.check(
        f"{name}: fastest joint over the takes' fastest", float(turning(motion).max()) / joints, "<= 1.5"
    )
    show.check(
        f"{name}: fastest root over the takes' fastest", float(travelling(motion).max()) / roots, "<= 1.5"
    )
    again = segue_json("replay", folder / f"{name}.origin.json", "-o", folder / "again.npz")
    show.check(f"{name}: replay gives the same digest", again["same"], True, again["same"])
    if pictures is not None:
        seams(name, motion, pictures, count=len(names(rows)))


def main(show: Show) -> None:
    for name, rows in ORDERS.items():
        one(show, name, rows)


if __name__ == "__main__":
    run(main, "segue sequence make: a minute of fight and a minute of dance", PICTURES)
