"""Draw the pictures of the page about sequences: each method on a real pair, and an example fight and dance.

`python scripts/draw_sequences.py`. The real clips are read from ../shared/data, next to the project.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks" / "show"))

from _sequences import DANCE, FIGHT, elements_toml  # noqa: E402  # in benchmarks/show

from segue.app.elements import Elements, read_motions  # noqa: E402
from segue.app.sequence_report import phases_in_words  # noqa: E402
from segue.pictures.filmstrip import filmstrip  # noqa: E402
from segue.pictures.sequence_timeline import PlacedSequence, sequence_timeline  # noqa: E402
from segue.sequencing.script import Placement, SequenceScript  # noqa: E402
from segue.sequencing.sequence import MotionSequence, make_sequence  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
PAIRS = (
    ("transition", "duck_cross", "lunge"),
    ("connection", "cross", "jab"),
    ("adaptation with step", "dodge", "bounce"),
    ("adaptation without step", "straight", "double"),
)
"""A real pair for each method; the second motion begins as the first ends."""
EXAMPLES = {
    "fight": ("guard", "hook", "dodge", "bounce", "step_in", "duck_cross", "lunge", "straight", "double"),
    "dance": ("salute", "close", "lead_1", "lead_2", "lead_3", "follow_2", "turn", "spin"),
}
OVERLAP = 0.6


def sequence(elements: Elements, names: tuple[str, ...]) -> MotionSequence:
    """Return motions one after another, each beginning before the previous one ends."""
    placed, begins = [], 0.0
    for name in names:
        one = elements.motions[name]
        placed.append(Placement(name, round(begins + one.core[0] / one.clip.fps, 2)))
        begins += one.clip.seconds - min(OVERLAP, (one.clip.n_frames - one.core[1]) / one.clip.fps / 2)
    return make_sequence(elements.motions, SequenceScript(tuple(placed), smoothness=0.7), name="sequence")


def methods(elements: Elements) -> None:
    """Draw the four methods on real pairs, one below the other."""
    pictures = []
    for method, first, second in PAIRS:
        made = sequence(elements, (first, second))
        found = made.pairs[0]
        words = phases_in_words(found, -made.first_frame, made.fps)
        if found.method != method:
            sys.exit(f"{first} to {second} is joined by {found.method}, not by {method}")
        picture = sequence_timeline(made.clip, [PlacedSequence(made)], title=f"{found.method}: {words}")
        pictures.append(Image.open(io.BytesIO(picture.png)).convert("RGB"))
    height = sum(picture.height for picture in pictures)
    sheet = Image.new("RGB", (pictures[0].width, height), "white")
    at = 0
    for picture in pictures:
        sheet.paste(picture, (0, at))
        at += picture.height
    saved(sheet, "sequence-methods.png", 1250)


def example(name: str, elements: Elements) -> None:
    """Draw the timeline and filmstrip of an example, and print the reason for the method of each pair."""
    made = sequence(elements, EXAMPLES[name])
    for pair in made.pairs:
        lost = "; ".join(f"{one.method}: {one.reason}" for one in pair.lost[:3])
        print(f"| {pair.previous} to {pair.following} | {pair.method} | "
              f"{phases_in_words(pair, -made.first_frame, made.fps)} | {lost} |")  # fmt: skip
    clip = made.clip.with_motion(name=f"example {name}")
    timeline = sequence_timeline(clip, [PlacedSequence(made)])
    saved(Image.open(io.BytesIO(timeline.png)), f"sequence-{name}.png", 1250)
    strip = filmstrip(clip, count=24)
    saved(Image.open(io.BytesIO(strip.png)), f"sequence-{name}-film.png", 1100)


def saved(picture: Image.Image, name: str, width: int) -> None:
    """Save a picture at a width, with few colours."""
    small = picture.convert("RGB").resize(
        (width, round(picture.height * width / picture.width)), Image.Resampling.LANCZOS
    )
    small.quantize(128).save(PICTURES / name, optimize=True)
    print(name, (PICTURES / name).stat().st_size)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in (("fight", FIGHT), ("dance", DANCE)):
            path = Path(folder) / f"{name}.toml"
            path.write_text(elements_toml(rows), encoding="utf-8")
            elements = read_motions([path])
            if name == "fight":
                methods(elements)
            example(name, elements)


if __name__ == "__main__":
    main()
