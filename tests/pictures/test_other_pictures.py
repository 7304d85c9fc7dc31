"""Seam strips, cost matrix pictures and timelines."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest

from segue.costs.matrix import CostMatrix
from segue.costs.registry import cost
from segue.errors import SettingError
from segue.motion.clip import Clip, Origin
from segue.motion.samples import sample
from segue.pictures.canvas import Picture
from segue.pictures.matrix import CHOSEN, MINIMA, cost_picture, grey_levels
from segue.pictures.seam_strip import seam_strip
from segue.pictures.timeline import timeline


def pixels(picture: Picture) -> np.ndarray:
    from matplotlib.image import imread

    return np.rint(imread(io.BytesIO(picture.png), format="png")[..., :3] * 255).astype(int)


def count(picture: Picture, colour: str) -> int:
    wanted = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)])
    return int(np.all(pixels(picture) == wanted, axis=-1).sum())


def cut_walk(at: int = 60) -> tuple[Clip, list[Clip]]:
    """A walk that jumps to a run at a frame, and both sources."""
    walk, run = sample("walk"), sample("run")
    rotations = np.concatenate([walk.rotations[:at], run.rotations[30:90]])
    roots = np.concatenate([walk.root_positions[:at], run.root_positions[30:90]])
    n = len(roots)
    clip = np.column_stack([(np.arange(n) >= at).astype(int), np.full(n, -1)])
    frame = np.column_stack([np.concatenate([np.arange(at), np.arange(30, 90)]), np.zeros(n)]).astype(float)
    weight = np.tile([1.0, 0.0], (n, 1))
    origin = Origin((walk.name, run.name), clip, frame, weight)
    return Clip(walk.skeleton, rotations, roots, walk.fps, name="cut", origin=origin), [walk, run]


def some_matrix(rows: int = 40, columns: int = 25) -> CostMatrix:
    values = np.linspace(0.5, 2.0, rows)[:, None] + np.linspace(0.0, 1.0, columns)[None]
    frames_a, frames_b = 10 + 4 * np.arange(rows), 10 + 4 * np.arange(columns)
    return CostMatrix(values, frames_a, frames_b, 30.0, cost("point_cloud"), "a", "b")


def test_seam_strip_draws_every_frame_within_half_a_second():
    """61 frames at 60 frames a second, the seam in the middle."""
    clip, _ = cut_walk()
    notes = seam_strip(clip, 60, contacts=()).notes
    assert notes["frames"] == tuple(range(30, 91))
    assert (notes["step"], notes["seams"]) == (1, (60,))
    assert seam_strip(clip, 60, half_seconds=0.2, contacts=()).notes["frames"] == tuple(range(48, 73))


def test_seam_strip_steps_so_that_the_seam_is_among_the_frames():
    """A given step keeps the seam's frame; too many figures give an automatic step."""
    clip, _ = cut_walk()
    frames = seam_strip(clip, 60, step=10, contacts=()).notes["frames"]
    assert frames == (30, 40, 50, 60, 70, 80, 90)
    fast = Clip(clip.skeleton, clip.rotations, clip.root_positions, 240.0, origin=clip.origin)
    assert seam_strip(fast, 60, half_seconds=0.2, contacts=()).notes["step"] == 2


def test_pictures_load_matplotlib_only_to_draw():
    """Importing every picture module does not import it."""
    modules = "filmstrip, seam_strip, matrix, timeline"
    code = f"import sys; from segue.pictures import {modules}; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_seam_strip_shows_the_joints_a_cut_treats_worst(tmp_path):
    """Three joints a panel, with or without sources; the file is written and is the same each time."""
    clip, sources = cut_walk()
    plain = seam_strip(clip, 60, step=8, contacts=())
    known = seam_strip(clip, 60, tmp_path / "seam.png", step=8, sources=sources, contacts=())
    assert len(plain.notes["curves"]) == len(known.notes["curves"]) == 6
    assert (tmp_path / "seam.png").read_bytes() == known.png
    assert seam_strip(clip, 60, step=8, sources=sources, contacts=()).png == known.png
    assert known.png != plain.png


def test_seam_strip_draws_curves_it_is_given():
    """Labels and units come from the caller; more than two units do not fit."""
    clip, _ = cut_walk()
    times = np.linspace(0.5, 1.5, 10)
    given = {"knee [m/s²]": (times, times), "hip [m/s²]": (times, times), "knee [°/s]": (times, times)}
    assert seam_strip(clip, 60, step=16, contacts=(), curves=given).notes["curves"] == ("knee", "hip", "knee")
    with pytest.raises(SettingError, match="room for two"):
        seam_strip(clip, 60, contacts=(), curves={**given, "x [kg]": (times, times)})
    with pytest.raises(SettingError, match="as many times"):
        seam_strip(clip, 60, contacts=(), curves={"x": (times, times[1:])})


@pytest.mark.parametrize(
    ("frame", "settings", "reported"),
    [(5000, {}, "not 5000"), (60, {"step": 0}, "at least 1"), (60, {"half_seconds": 0.0}, "above 0")],
)
def test_seam_strip_refuses_what_cannot_be(frame, settings, reported):
    """Frames outside and non-positive steps and lengths are refused."""
    clip, _ = cut_walk()
    with pytest.raises(SettingError, match=reported):
        seam_strip(clip, frame, contacts=(), **settings)


def test_grey_levels_run_from_black_at_the_least_to_white_at_the_most(rng):
    """Linear between minimum and maximum; a constant matrix is black; non-finite cells are white."""
    values = rng.normal(size=(7, 5))
    grey = grey_levels(values)
    assert grey[np.unravel_index(values.argmin(), values.shape)] == 0
    assert grey[np.unravel_index(values.argmax(), values.shape)] == 255
    low, high = values.min(), values.max()
    for (i, j), value in np.ndenumerate(values):
        assert abs(grey[i, j] - (value - low) / (high - low) * 255) <= 0.5
    assert np.array_equal(grey_levels(3 * values + 8), grey)
    assert not grey_levels(np.ones((2, 2))).any()
    assert grey_levels([[np.nan, 1.0], [2.0, np.inf]]).tolist() == [[255, 0], [255, 255]]


def test_a_runs_left_to_right_and_b_top_to_bottom():
    """Costs that grow with both frames are dark at the upper left and bright at the lower right."""
    matrix = some_matrix()
    picture = cost_picture(matrix)
    image = pixels(picture)
    inside = image[140 : picture.height - 70, 100 : picture.width - 160].mean(axis=-1)
    assert inside[0, 0] < 20
    assert inside[-1, -1] > 235
    assert np.all(np.diff(inside.mean(axis=0)) >= -0.6)
    assert picture.notes["low"] == 0.5
    assert picture.notes["high"] == 3.0


def test_minima_and_chosen_points_have_two_colours_and_their_counts(tmp_path):
    """Points and pairs of frames are both accepted; each set has its own colour."""
    from segue.maths.planar import PlanarMotion
    from segue.transitions.transition import TransitionPoint

    matrix = some_matrix()
    point = TransitionPoint("a", "b", 30, 50, 0.1, "aligned", PlanarMotion(), 0.2, verified=True)
    plain = cost_picture(matrix)
    marked = cost_picture(
        matrix, tmp_path / "m.png", minima=[(20, 30), (50, 60)], chosen=[point], threshold=1.5
    )
    assert (marked.notes["minima"], marked.notes["chosen"]) == (2, 1)
    assert count(plain, MINIMA) == count(plain, CHOSEN) == 0
    assert count(marked, MINIMA) > 10
    assert count(marked, CHOSEN) > 10
    assert (tmp_path / "m.png").stat().st_size == len(marked.png) > 0
    assert cost_picture(matrix, minima=[(20, 30), (50, 60)], chosen=[point], threshold=1.5).png == marked.png
    with pytest.raises(SettingError, match="chosen"):
        cost_picture(matrix, chosen=[(1, 2, 3)])


def test_an_empty_matrix_is_refused_and_a_single_cell_drawn():
    """A clip shorter than the window has no picture; a single window has one."""
    with pytest.raises(SettingError, match="empty"):
        cost_picture(some_matrix(0, 5))
    assert cost_picture(some_matrix(1, 1)).notes["low"] == 0.5


def test_timeline_counts_pieces_seams_and_clips(tmp_path):
    """One cut: two pieces, one seam, two clips; the same bytes each time."""
    clip, _ = cut_walk()
    picture = timeline(clip, tmp_path / "line.png")
    assert picture.notes == {"pieces": 2, "seams": 1, "clips": 2}
    assert pixels(picture).shape == (picture.height, picture.width, 3)
    assert timeline(clip).png == picture.png == (tmp_path / "line.png").read_bytes()


def test_timeline_of_a_long_motion_wraps():
    """A minute takes more rows than ten seconds."""
    walk = sample("walk")
    rows = np.arange(60 * int(walk.fps) + 1) % walk.n_frames
    long = walk.with_motion(walk.rotations[rows], walk.root_positions[rows], origin=walk.origin.take(rows))
    picture = timeline(long)
    assert picture.height > timeline(walk).height
    assert picture.notes["seams"] == (long.n_frames - 1) // walk.n_frames
