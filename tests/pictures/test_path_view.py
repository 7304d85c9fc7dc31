"""A walk from above."""

from __future__ import annotations

import io

import numpy as np
from matplotlib.image import imread

import segue
from segue.maths.paths import GroundPath
from segue.pictures.path_view import path_view


def test_a_path_drawn_to_scale_shows_beside_the_walk() -> None:
    """A pale band marks the path and is missing without one; wide ground gives a low picture."""
    walk = segue.sample("walk")
    path = GroundPath.through([[-4, 0], [4, 0]])
    wide, none = path_view(walk, path, points=[(1.0, 2.0, 1.0)], off=[0.1]), path_view(walk, None)
    assert wide.notes["metre"] < none.notes["metre"]
    pale = [
        int(
            (
                np.abs(imread(io.BytesIO(one.png))[..., :3] - np.array([0xD5, 0xDB, 0xE3]) / 255).max(-1)
                < 0.01
            ).sum()
        )
        for one in (wide, none)
    ]
    assert pale[0] > 1000
    assert pale[1] < 10
