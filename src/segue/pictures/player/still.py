"""One small still picture of a motion, shown where no script runs and until the player starts."""

from __future__ import annotations

import numpy as np

from segue.motion.clip import Clip
from segue.motion.facing import heading
from segue.motion.roles import NEEDED, roles
from segue.pictures.bodies import body, outline
from segue.pictures.canvas import Sheet

_WIDTH, _HEIGHT = 960, 300
_FIGURES = 9
_EDGE = 24  # margin in pixels around the figures
_GROUND = "#c9ced6"


def still(clip: Clip, *, figures: int = _FIGURES) -> bytes:
    """Draw figures of a motion in a row, seen from their side, and return the PNG.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> import segue
    >>> still(segue.sample("walk"))[1:4]
    b'PNG'
    """
    sheet = Sheet(_WIDTH, _HEIGHT, what="a still picture")
    frames = np.unique(np.rint(np.linspace(0, clip.n_frames - 1, figures)).astype(int))
    few = clip.with_motion(
        clip.rotations[frames], clip.root_positions[frames], origin=clip.origin.take(frames)
    )
    grown = body(few)
    human = all(role in roles(clip.skeleton) for role in NEEDED)
    angles = heading(clip)[frames] if human else np.zeros(len(frames))
    points = grown.points - few.root_positions[:, None] * [1.0, 0.0, 1.0]
    low, high = float(grown.points[..., 1].min()), float(grown.points[..., 1].max())
    scale = (_HEIGHT - 2.5 * _EDGE) / max(high - low, 1e-6)
    scale = min(scale, (_WIDTH - 2 * _EDGE) / (max(len(frames), 2) * 0.62 * max(high - low, 1e-6)))
    step = (_WIDTH - 2 * _EDGE) / len(frames)
    sheet.lines([np.array([[_EDGE, _EDGE], [_WIDTH - _EDGE, _EDGE]])], _GROUND, width=1.0, z=1.0)
    for k, angle in enumerate(angles):
        # Seen from the right of the body, so that it faces right in the picture; its parts are sorted by depth.
        ahead = np.array([np.sin(angle), 0.0, np.cos(angle)])
        aside = np.array([np.cos(angle), 0.0, -np.sin(angle)])
        flat = np.column_stack([points[k] @ ahead, points[k][:, 1] - low]) * scale
        flat += [_EDGE + (k + 0.5) * step, _EDGE]
        depth = points[k] @ aside
        parts = sorted(
            grown.parts,
            key=lambda part: -float(np.mean([depth[list(hull.points)].mean() for hull in part.hulls])),
        )
        shapes, colours = [], []
        for part in parts:
            for hull in part.hulls:
                shapes.append(outline(flat[list(hull.points)], [radius * scale for radius in hull.radii]))
                colours.append(part.colour)
        sheet.polygons(shapes, colours, colours, width=0.0, z=2.0 + k)
    return sheet.finish(None, notes={}).png
