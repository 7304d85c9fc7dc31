"""Dance floors: places and seeds, several bodies in one file, the picture."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

import segue
from segue.errors import SettingError
from segue.io.gltf_write import write_floor
from segue.maths.planar import PlanarMotion, wrapped
from segue.motion.facing import heading, moved
from segue.pictures.floor import floor_picture
from segue.runtime.floor import check_spacing, put, scattered, seeds


@pytest.mark.parametrize("count", [1, 12, 60])
def test_places_are_apart_and_inside(count: int) -> None:
    """Places are about the spacing apart; everybody is in the square; headings cover all directions."""
    places = scattered(count, seed=5, spacing=2.0)
    at = np.array([[place.x, place.z] for place in places])
    assert np.abs(at).max() <= np.sqrt(count)
    if count > 1:
        away = np.linalg.norm(at[:, None] - at, axis=-1) + 1e9 * np.eye(count)
        assert away.min() > 1.0
        assert places != scattered(count, seed=6, spacing=2.0)
    assert places == scattered(count, seed=5, spacing=2.0)
    assert len(set(seeds(5, count))) == count


def test_a_clip_is_put_where_a_place_says() -> None:
    """The root and heading of its first frame are those of the place."""
    clip = moved(segue.sample("walk"), PlanarMotion(1.0, 5.0, -3.0))
    made = moved(clip, put(clip, PlanarMotion(-2.0, 0.5, 0.25)))
    assert np.allclose(made.root_positions[0, [0, 2]], [0.5, 0.25], atol=1e-12)
    assert abs(wrapped(heading(made)[0] + 2.0)) < 1e-12


def test_nonsense_is_refused() -> None:
    """A floor that is too small, zero bodies and incompatible bodies are refused."""
    for wrong in (-1.0, 101.0, float("nan")):
        with pytest.raises(SettingError, match="0 to 100 m"):
            check_spacing(wrong)
    with pytest.raises(SettingError, match="0 places"):
        scattered(0)
    walk = segue.sample("walk", 30)
    with pytest.raises(SettingError, match="one of each a body"):
        write_floor([walk], Path("x.glb"), colours=[], names=["a"])
    with pytest.raises(SettingError, match="another skeleton or rate"):
        write_floor([walk, segue.sample("walk")], Path("x.glb"), colours=["#000000"] * 2, names=["a", "b"])
    with pytest.raises(SettingError, match="one motion or more"):
        floor_picture([], {})


def document(path: Path) -> tuple[dict, bytes]:  # type: ignore[type-arg]
    """JSON and binary chunk of a GLB."""
    content = path.read_bytes()
    size = struct.unpack("<I", content[12:16])[0]
    return json.loads(content[20 : 20 + size]), content[28 + size :]


def test_one_file_holds_every_body(tmp_path: Path) -> None:
    """Each body's joints follow its own motion, in its own colour, in one animation."""
    walk = segue.sample("walk", 30)
    motions = [moved(walk, PlanarMotion(0.5 * k, 2.0 * k, 0.0)) for k in range(3)]
    path = tmp_path / "floor.glb"
    write_floor(motions, path, colours=["#ff0000", "#0000ff", "#ff0000"], names=["a", "b", "a"])
    given, binary = document(path)
    joints = walk.skeleton.n_joints
    assert len(given["skins"]) == 3
    assert [len(given[key]) for key in ("animations", "materials", "meshes")] == [1, 2, 2]
    assert [node.get("mesh") for node in given["nodes"] if "mesh" in node] == [0, 1, 0]
    assert given["materials"][1]["pbrMetallicRoughness"]["baseColorFactor"] == [0.0, 0.0, 1.0, 1.0]
    assert len({node["name"] for node in given["nodes"]}) == len(given["nodes"])
    animation = given["animations"][0]
    for number, motion in enumerate(motions):
        first = number * (joints + 1)
        assert given["skins"][number]["joints"] == list(range(first, first + joints))
        for channel in animation["channels"]:
            target = channel["target"]
            if target["path"] == "translation" and target["node"] == first:
                accessor = given["accessors"][animation["samplers"][channel["sampler"]]["output"]]
                view = given["bufferViews"][accessor["bufferView"]]
                rows = np.frombuffer(binary, "<f4", view["byteLength"] // 4, view["byteOffset"]).reshape(
                    -1, 3
                )
                assert np.allclose(rows, motion.root_positions, atol=1e-5)
    targets = [(c["target"]["node"], c["target"]["path"]) for c in animation["channels"]]
    assert len(set(targets)) == len(targets) == 3 * (joints + 1)


def test_the_picture_shows_everybody(tmp_path: Path) -> None:
    """The notes list frames, bodies and clips, and the picture has the colours of the clips shown."""
    walk, fast = segue.sample("walk", 30, seconds=2), segue.sample("walk_fast", 30, seconds=2)
    picture = floor_picture(
        [walk, moved(fast, PlanarMotion(1.0, 3.0, 0.0))],
        {"walk": "#ff0000", "walk_fast": "#0000ff", "other": "#00ff00"},
        tmp_path / "floor.png",
        moments=3,
    )
    assert picture.notes["frames"] == [0, 30, 60]
    assert (picture.notes["bodies"], picture.notes["clips"]) == (2, ["walk", "walk_fast"])
    from matplotlib.image import imread

    shown = np.round(imread(tmp_path / "floor.png")[:, :, :3] * 255).astype(int).reshape(-1, 3)
    counts = [np.all(shown == colour, axis=1).sum() for colour in ([255, 0, 0], [0, 0, 255], [0, 255, 0])]
    assert counts[0] > 2000
    assert counts[1] > 2000
    assert counts[2] == 0
