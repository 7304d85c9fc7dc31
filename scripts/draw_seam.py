"""Draw docs/pictures/seam-beside-cut.webp: one transition as segue makes it, beside a hard cut.

Run it with the environment's Python. A walk goes over into a turn on either side; on the right the second clip begins
at once and a third of a second late, where a file that is simply appended would have it: no blend, and a step aside.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import segue

OUT = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "seam-beside-cut.webp"
WIDE, HIGH, SCALE, RATE = 420, 260, 95.0, 20
BEFORE, AFTER = 1.4, 1.8
"""Seconds shown on either side of the seam."""
INK, BLEND, CUT, GROUND = (36, 48, 66), (201, 138, 0), (196, 48, 43), (200, 205, 212)


def made() -> tuple[segue.Clip, segue.Clip, float]:
    """The transition blended, and the same cut, both at 60 frames a second; and where the seam is in seconds."""
    walk, turn = segue.sample("walk"), segue.sample("walk_turn_left")
    points = segue.transition_points(walk, turn, threshold=1e9)
    middle = [point for point in points if 120 < point.a_frame < 240 and 60 < point.b_frame < 200]
    point = min(middle or list(points), key=lambda one: one.cost)
    blended = segue.splice(walk, turn, point)
    a, b = point.a_frame, point.b_frame + 22  # cut where the legs do not meet, and the body stands elsewhere
    aside = [0.25, 0.0, walk.root_positions[a, 2] - turn.root_positions[b, 2]]
    cut = walk.with_motion(
        rotations=np.concatenate([walk.rotations[:a], turn.rotations[b:]]),
        root_positions=np.concatenate([walk.root_positions[:a], turn.root_positions[b:] + np.array(aside)]),
        origin=segue.Origin.of("cut", a + turn.n_frames - b),
        name="cut",
    )
    return blended, cut, a / walk.fps


def figure(
    draw: ImageDraw.ImageDraw, clip: segue.Clip, frame: int, left: int, colour: tuple[int, int, int]
) -> None:
    """One figure seen from its right side, the ground under it moving by."""
    places = segue.world_positions(clip)[frame]
    centre = places[0, 2]
    at = [(left + WIDE / 2 + SCALE * (z - centre) + 20 * x, HIGH - 42 - SCALE * y) for x, y, z in places]
    for k in range(-4, 5):
        mark = left + WIDE / 2 + SCALE * (np.floor(centre) + 0.5 * k - centre)
        draw.line([(mark, HIGH - 36), (mark - 8, HIGH - 28)], fill=GROUND, width=2)
    draw.line([(left + 12, HIGH - 38), (left + WIDE - 12, HIGH - 38)], fill=GROUND, width=2)
    for joint, parent in enumerate(clip.skeleton.parents.tolist()):
        if parent >= 0:
            draw.line([at[parent], at[joint]], fill=colour, width=6)
    head = at[clip.skeleton.index("Head")]
    draw.ellipse([head[0] - 11, head[1] - 24, head[0] + 11, head[1] - 2], fill=colour)


def main() -> None:
    """Draw every frame and write the picture."""
    blended, cut, seam = made()
    pictures = []
    for k in range(round((BEFORE + AFTER) * RATE)):
        seconds = seam - BEFORE + k / RATE
        page = Image.new("RGB", (2 * WIDE, HIGH), "white")
        draw = ImageDraw.Draw(page)
        near = abs(seconds - seam) < 1 / 6
        figure(draw, blended, round(60 * seconds), 0, BLEND if near else INK)
        figure(draw, cut, round(60 * seconds), WIDE, CUT if 0 <= seconds - seam < 0.25 else INK)
        draw.text((14, 12), "a seam of segue's", fill=INK, font_size=17)
        draw.text((WIDE + 14, 12), "the same clips, cut anywhere", fill=INK, font_size=17)
        draw.line([(WIDE, 14), (WIDE, HIGH - 14)], fill=GROUND, width=1)
        pictures.append(page)
    pictures[0].save(
        OUT, save_all=True, append_images=pictures[1:], duration=1000 // RATE, loop=0, quality=70, method=6
    )
    print(f"{OUT}: {len(pictures)} frames, {OUT.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
