"""A small picture of a clip as SVG: its body at three moments from the side, without a library."""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats
from segue.motion.clip import Clip
from segue.motion.resample import sampled
from segue.pictures.bodies import body, cameras, outline, project

WIDTH, HEIGHT = 88, 60
_MOMENTS = (0.2, 0.5, 0.8)
_APART = 0.62  # metres between two bodies
_TRUNK = "#8d97a6"


def thumbnail(clip: Clip) -> bytes:
    """Draw a clip in a few shapes, left limbs orange and right ones blue.

    Examples
    --------
    >>> import segue
    >>> thumbnail(segue.sample("walk"))[:4]
    b'<svg'
    """
    frames = np.array(_MOMENTS) * (clip.n_frames - 1)
    rotations, roots = sampled(clip, frames)
    few = Clip(clip.skeleton, rotations, roots, 1.0, name=clip.name)
    made = body(few)
    angles = cameras(few, "side")
    shapes: list[tuple[str, Floats, float]] = []
    for number in range(len(frames)):
        flat, depth = project(made.points[number], roots[number], float(angles[number]), "side")
        flat = flat + np.array([(number - 1) * _APART, 0.0])
        faint = 1.0 if number == 1 else 0.45
        parts = sorted(
            made.parts, key=lambda part: float(np.mean([depth[list(h.points)].mean() for h in part.hulls]))
        )
        shapes += [
            (_colour(part.colour), outline(flat[list(hull.points)], hull.radii), faint)
            for part in parts
            for hull in part.hulls
        ]
    # The moment in the middle is drawn on top.
    shapes.sort(key=lambda shape: shape[2])
    return _svg(shapes)


def _colour(colour: str) -> str:
    return {"#d9632f": "#e57339", "#2b6ea6": "#3f8bd0"}.get(colour, _TRUNK)


def _svg(shapes: list[tuple[str, Floats, float]]) -> bytes:
    every = np.concatenate([points for _, points, _ in shapes])
    low, high = every.min(axis=0), every.max(axis=0)
    scale = min((WIDTH - 6) / max(high[0] - low[0], 1e-6), (HEIGHT - 6) / max(high[1] - low[1], 1e-6))
    middle = (low + high) / 2.0
    drawn = []
    for colour, points, faint in shapes:
        at = (points - middle) * scale
        words = " ".join(f"{WIDTH / 2 + x:.1f},{HEIGHT / 2 - y:.1f}" for x, y in at)
        drawn.append(f'<polygon points="{words}" fill="{colour}" opacity="{faint:g}"/>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">'
    return (head + "".join(drawn) + "</svg>").encode()
