"""Filmstrips: what is drawn, tinted, marked, and written."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

from segue.errors import FileError, MissingExtraError, SettingError
from segue.motion.clip import Clip, Origin
from segue.motion.facing import moved
from segue.motion.samples import ground_truth, sample
from segue.pictures.bodies import body, cameras, outline, project
from segue.pictures.canvas import Picture, shortened, text_width
from segue.pictures.filmstrip import filmstrip
from segue.pictures.origins import blended, joins, pieces
from segue.pictures.palette import PLANTED, SEAM, TINT, readable_on, source_colours


def pixels(picture: Picture) -> np.ndarray:
    """RGB (H, W, 3) of a picture."""
    from matplotlib.image import imread

    return np.rint(imread(io.BytesIO(picture.png), format="png")[..., :3] * 255).astype(int)


def rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)])


def count(picture: Picture, colour: str) -> int:
    """Pixels of exactly one colour."""
    return int(np.all(pixels(picture) == rgb(colour), axis=-1).sum())


def joined(*, soft: bool = True) -> Clip:
    """A clip whose origin is walk, twenty blended frames (or a cut), run."""
    walk = sample("walk")
    frames = np.arange(100)
    weight = np.clip((frames - 39) / 21, 0, 1) if soft else (frames >= 50).astype(float)
    both = (weight > 0) & (weight < 1)
    second = weight >= 1
    clip = np.column_stack([np.where(second, 1, 0), np.where(both, 1, -1)])
    frame = np.column_stack([np.where(second, frames + 200, frames), np.where(both, frames + 200, 0)])
    share = np.column_stack([np.where(both, 1 - weight, 1.0), np.where(both, weight, 0.0)])
    origin = Origin(("walk", "run"), clip, frame.astype(float), share)
    return walk.with_motion(walk.rotations[:100], walk.root_positions[:100], origin=origin)


def test_picture_has_the_size_it_says_and_holds_the_frames_asked_for(tmp_path):
    """The PNG decodes to width x height and the file holds the same bytes."""
    picture = filmstrip(sample("walk"), tmp_path / "walk.png", frames=[0, 10, 20], contacts=())
    assert pixels(picture).shape == (picture.height, picture.width, 3)
    assert (tmp_path / "walk.png").read_bytes() == picture.png
    assert picture.notes["frames"] == (0, 10, 20)
    assert [path.name for path in tmp_path.iterdir()] == ["walk.png"]


def test_two_calls_give_the_same_bytes():
    """A picture depends neither on the time nor on earlier pictures."""
    clip = joined()
    assert filmstrip(clip, count=6).png == filmstrip(clip, count=6).png


def test_blended_frames_are_tinted_and_others_are_not():
    """The tint covers one cell for each blended frame, and almost nothing elsewhere."""
    clip = joined()
    assert count(filmstrip(clip, frames=[0, 20, 80], contacts=(), seam_frames=[]), TINT) < 1500  # path's halo
    one = filmstrip(clip, frames=[0, 50, 80], contacts=(), seam_frames=[])
    two = filmstrip(clip, frames=[0, 50, 55], contacts=(), seam_frames=[])
    assert one.notes["tinted"] == (50,)
    assert two.notes["tinted"] == (50, 55)
    assert count(one, TINT) > 10_000
    assert 1.8 < count(two, TINT) / count(one, TINT) < 2.2


def test_seams_are_marked_where_the_origin_has_them():
    """A blend's middle and a cut's first frame are marked; given frames replace them."""
    assert filmstrip(joined(), count=5, contacts=()).notes["seams"] == (50,)
    assert filmstrip(joined(soft=False), count=5, contacts=()).notes["seams"] == (50,)
    assert filmstrip(sample("walk"), count=5, contacts=()).notes["seams"] == ()
    given = filmstrip(sample("walk"), count=5, contacts=(), seam_frames=[30])
    assert given.notes["seams"] == (30,)
    assert count(given, SEAM) > 100


def test_one_dot_for_every_foot_that_is_down():
    """The number of dots is the number of true flags among the drawn frames, and dots are drawn."""
    walk = sample("walk")
    truth = ground_truth("walk").contacts
    frames = [0, 15, 30, 45]
    picture = filmstrip(walk, frames=frames, contacts=truth)
    assert picture.notes["planted"] == int(truth[frames].sum())
    none = filmstrip(walk, frames=frames, contacts=())
    assert none.notes["planted"] == 0
    # The legend's own dot appears only with planted feet; each dot adds its area.
    assert count(picture, PLANTED) > 25 * picture.notes["planted"]
    assert count(none, PLANTED) == 0


def test_contacts_are_detected_when_none_are_given():
    """A standing body has both feet down."""
    assert filmstrip(sample("stand"), frames=[60]).notes["planted"] == 4


def test_missing_matplotlib_is_one_sentence(monkeypatch):
    """The error names the extra."""
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match="a filmstrip needs matplotlib: pip install matplotlib"):
        filmstrip(sample("walk"), count=2)


@pytest.mark.parametrize(
    ("settings", "reported"),
    [
        ({"frames": [0, 9999]}, "not 9999"),
        ({"frames": []}, "empty"),
        ({"count": 0}, "at least 1"),
        ({"every_seconds": 0.0}, "above 0"),
        ({"view": "sied"}, "side"),
        ({"seam_frames": [-1]}, "not -1"),
        ({"contacts": np.ones((3, 4))}, "left_heel"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, reported):
    """Each error gives the possible settings."""
    with pytest.raises(SettingError, match=reported):
        filmstrip(sample("walk"), **settings)


def test_only_png_into_a_folder_that_exists(tmp_path):
    """Another ending or a missing folder is refused and leaves no file."""
    with pytest.raises(FileError, match=r"\.png"):
        filmstrip(sample("walk"), tmp_path / "walk.jpg", count=1, contacts=())
    with pytest.raises(FileError, match="does not exist"):
        filmstrip(sample("walk"), tmp_path / "no" / "walk.png", count=1, contacts=())
    assert list(tmp_path.iterdir()) == []


def test_frames_are_spread_or_counted_in_seconds():
    """The default covers the clip; every_seconds steps through it."""
    walk = sample("walk")
    spread = filmstrip(walk, count=5, contacts=()).notes["frames"]
    assert (spread[0], spread[-1], len(spread)) == (0, walk.n_frames - 1, 5)
    stepped = filmstrip(walk, every_seconds=0.5, contacts=()).notes["frames"]
    assert set(np.diff(stepped)) == {round(0.5 * walk.fps)}


def test_a_sideways_step_is_seen_from_the_front():
    """auto chooses the view by the direction of travel."""
    assert filmstrip(sample("step_touch"), count=2, contacts=()).notes["view"] == "front"
    assert filmstrip(sample("walk_turn_left"), count=2, contacts=()).notes["view"] == "side"


def test_from_the_side_a_body_walks_to_the_right_and_shows_its_right_arm():
    """Toes are right of heels on average, right limbs nearer, however the clip is turned."""
    from segue.maths.planar import PlanarMotion

    for turn in (0.0, 2.0, -1.0):
        clip = moved(sample("walk"), PlanarMotion(turn=turn, x=5.0, z=-3.0))
        drawn, angles = body(clip), cameras(clip, "side")
        ahead, near = [], []
        for frame in range(0, clip.n_frames, 20):
            flat, depth = project(drawn.points[frame], clip.root_positions[frame], angles[frame], "side")
            ahead.append(flat[drawn.feet["left_toe"], 0] - flat[drawn.feet["left_heel"], 0])
            near.append(depth[drawn.feet["right_toe"]] - depth[drawn.feet["left_toe"]])
        assert np.mean(ahead) > 0.1
        assert np.mean(near) > 0.05


def test_turning_and_moving_a_clip_changes_no_figure():
    """The camera follows: projected positions agree to a nanometre."""
    from segue.maths.planar import PlanarMotion

    a = sample("walk_turn_left")
    b = moved(a, PlanarMotion(turn=1.0, x=100.0, z=7.0))
    for view in ("side", "front", "travel"):
        for frame in (0, 100, 200):
            seen = [
                project(body(c).points[frame], c.root_positions[frame], cameras(c, view)[frame], view)[0]
                for c in (a, b)
            ]
            assert np.abs(seen[0] - seen[1]).max() < 1e-9


def test_outline_is_the_hull_of_its_circles():
    """All points of the circles are inside or on the outline, which is convex and counter-clockwise."""
    centres = np.array([[0.0, 0.0], [2.0, 1.0], [0.5, 2.0]])
    radii = (0.5, 0.2, 0.3)
    shape = outline(centres, radii)
    edges = np.roll(shape, -1, axis=0) - shape
    turns = edges[:, 0] * np.roll(edges, -1, axis=0)[:, 1] - edges[:, 1] * np.roll(edges, -1, axis=0)[:, 0]
    assert np.all(turns > 0)
    angle = np.arange(14) * 2 * np.pi / 14
    for centre, radius in zip(centres, radii, strict=True):
        for point in centre + radius * np.column_stack([np.cos(angle), np.sin(angle)]):
            away = point - shape
            assert np.all(edges[:, 0] * away[:, 1] - edges[:, 1] * away[:, 0] > -1e-9)


def test_pieces_and_joins_tell_the_origin():
    """A blend and a cut give one seam and two pieces each; an unprocessed clip is one piece."""
    soft, hard = joined(), joined(soft=False)
    assert [(j.start, j.stop) for j in joins(soft)] == [(40, 60)]
    assert [(j.start, j.stop) for j in joins(hard)] == [(50, 50)]
    assert [(p.name, p.start, p.stop) for p in pieces(hard)] == [("walk", 0, 50), ("run", 50, 100)]
    assert pieces(hard)[1].first == 250.0
    assert blended(soft).sum() == 20
    assert len(pieces(sample("walk"))) == 1


def test_a_skeleton_without_known_parts_is_drawn_as_bones():
    """A chain of three bones has no feet, and is drawn."""
    from segue.motion.skeleton import EndSite, Skeleton

    arm = Skeleton(
        ("a", "b", "c"), [-1, 0, 1], [[0, 0, 0], [0, 1, 0], [0, 1, 0]], [EndSite(2, np.array([0, 0.5, 0]))]
    )
    rotations = np.tile([1.0, 0, 0, 0], (4, 3, 1))
    clip = Clip(arm, rotations, np.zeros((4, 3)), 30)
    drawn = body(clip)
    assert (len(drawn.parts), drawn.feet) == (3, {})
    assert filmstrip(clip, count=2).notes["planted"] == 0


def test_one_frame_makes_a_picture():
    """A clip of a single frame has no speed and no path, and still a strip."""
    walk = sample("walk")
    still = Clip(walk.skeleton, walk.rotations[:1], walk.root_positions[:1], walk.fps)
    assert filmstrip(still, contacts=()).notes["frames"] == (0,)


def test_colours_are_one_a_clip_and_text_on_them_is_readable():
    """Fifty clips have fifty colours; words are shortened to fit."""
    names = [f"clip {k}" for k in range(50)]
    assert len(set(source_colours(names).values())) == 50
    assert readable_on("#000000") == "#ffffff"
    assert readable_on("#ffffff") != "#ffffff"
    short = shortened("a_very_long_clip_name", 8, 60)
    assert text_width(short, 8) <= 60
    assert short.startswith("a_")
    assert "…" in short


def test_faulty_frames_are_marked_and_stay_in_their_row() -> None:
    """Faulty frames are listed in the notes, and a frame below the ground is drawn on it."""
    walk = sample("walk")
    roots, rotations = np.array(walk.root_positions), np.array(walk.rotations)
    roots[100:104, 1] -= 0.95
    rotations[100:104, 0] = [0, 0, 1, 0]
    strip = filmstrip(walk.with_motion(rotations, roots), frames=[90, 101, 110])
    assert strip.notes["faulty"] == (101,)
    assert filmstrip(walk, frames=[90, 101]).notes["faulty"] == ()
