"""Names of joints, clips and files may hold anything; files with such names are written and read."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import segue
from segue.errors import FileError
from segue.io.files import load_folder
from segue.io.gltf_write import write_floor
from segue.io.mannequin import mannequin
from segue.texts import shown, well_formed

ODD = [
    "Leg{L}",
    "Leg\nL",
    "Channels 3 x",
    "a }",
    "",
    "a\x00b",
    "a\x1b[31mb",
    '"q"',
    " lead",
    "\ud800x",
    "Hüfte",
]
ODD += ["日本", "x\u2028y", "End Site", "MOTION", "<&>", "#", "'"]
FORMATS = ["bvh", "glb", "fbx", "npz", "csv", "xml"]
raw_names = pytest.mark.skipif(sys.platform != "linux", reason="names of files are text on this system")


def named(*names: str) -> segue.Clip:
    """A walk whose first joints below the root have these names."""
    walk = segue.sample("walk", 10.0)
    given = list(walk.skeleton.names)
    given[1 : 1 + len(names)] = names
    body = segue.Skeleton(given, walk.skeleton.parents, walk.skeleton.offsets, walk.skeleton.end_sites)
    return segue.Clip(body, walk.rotations[:4], walk.root_positions[:4], walk.fps, name="m\x1b\n\udcff")


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", ODD)
def test_every_format_holds_every_name(tmp_path: Path, kind: str, name: str) -> None:
    """What is written is read by segue again, joint for joint."""
    clip = named(name)
    path = tmp_path / f"a.{kind}"
    segue.save(clip, path)
    if kind == "csv":
        return
    again = segue.load(path)
    order = [again.skeleton.index(other) for other in clip.skeleton.names if other in again.skeleton.names]
    assert len(order) >= clip.skeleton.n_joints - 1
    if kind == "bvh":
        assert again.skeleton.n_joints == clip.skeleton.n_joints
    if kind == "xml":
        assert ET.parse(path).getroot().tag == "mujoco"


def test_a_name_that_is_nothing_but_nul_comes_back(tmp_path: Path) -> None:
    """Strings in numpy arrays end before a NUL, so the name came back empty."""
    clip = named("\0", "hip\0")
    assert clip.skeleton.names[1:3] == ("\\x00", "hip\\x00")
    segue.save(clip, tmp_path / "a.npz")
    assert segue.load(tmp_path / "a.npz").skeleton.names == clip.skeleton.names


def _still(parents: Sequence[int]) -> segue.Clip:
    """A motionless body with joints a centimetre apart."""
    count = len(parents)
    body = segue.Skeleton([f"j{k}" for k in range(count)], parents, np.full((count, 3), 0.01))
    still = np.tile([1.0, 0.0, 0.0, 0.0], (3, count, 1))
    return segue.Clip(body, still, np.zeros((3, 3)), 30.0, name="still")


_WIDE = [-1, *(max(k - 100, 0) for k in range(1, 1001))]


@pytest.mark.parametrize(
    ("parents", "sentence"),
    [
        (range(-1, 299), "stand 300 deep; a glTF is read up to 256"),
        (_WIDE, "has 1001 joints; a glTF is read up to 1000"),
    ],
    ids=["deep", "many"],
)
def test_no_glb_is_written_that_is_refused(parents: Sequence[int], sentence: str, tmp_path: Path) -> None:
    """BVH holds joints of any depth and number; glTF readers do not."""
    clip = _still(parents)
    with pytest.raises(FileError, match=sentence):
        segue.save(clip, tmp_path / "still.glb")
    with pytest.raises(FileError, match=sentence):
        write_floor([clip], tmp_path / "floor.glb", colours=["#6a51a3"], names=["a"])
    assert not list(tmp_path.iterdir())
    segue.save(clip, tmp_path / "still.bvh")
    assert segue.load(tmp_path / "still.bvh").skeleton.n_joints == len(parents)


def test_a_figure_of_a_thousand_bones_is_no_more_than_three_of_a_hundred(tmp_path: Path) -> None:
    """The more bones, the fewer points around each: such a figure took 100 MB while it was written."""
    few, many = _still(_WIDE[:130]), _still(_WIDE[:1000])
    sizes = [len(mannequin(clip.skeleton).positions) for clip in (few, many)]
    assert sizes[1] < 3 * sizes[0]
    segue.save(many, tmp_path / "many.glb")
    assert segue.load(tmp_path / "many.glb").skeleton.n_joints == 1000


def test_names_of_a_bvh_file_stand_on_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Each name is one word, unique and without braces; changed names are reported."""
    clip = named(*ODD, "Leg_L_")
    segue.save(clip, tmp_path / "a.bvh")
    heads = [line.split() for line in (tmp_path / "a.bvh").read_text("utf-8").split("\n") if "JOINT" in line]
    assert all(len(words) == 2 for words in heads)
    assert len({words[1] for words in heads}) == len(heads) == clip.skeleton.n_joints - 1
    assert "'Leg{L}' as 'Leg_L_'" in caplog.text
    assert "\x1b" not in caplog.text


def test_blanks_of_a_bvh_file_come_back(tmp_path: Path) -> None:
    """Names read with blanks are written with them: the file comes back unchanged."""
    segue.save(named("A"), tmp_path / "a.bvh")
    text = (tmp_path / "a.bvh").read_text().replace("JOINT A\n", "JOINT Bip01 L Thigh\n")
    (tmp_path / "a.bvh").write_text(text)
    segue.save(segue.load(tmp_path / "a.bvh"), tmp_path / "b.bvh")
    assert (tmp_path / "b.bvh").read_text() == text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("walk", "walk"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("w\udcff", "w\\xff"),
        ("\ud800", "\\ud800"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\x9b2J", "\\x9b2J"),
        ("a\u202eb", "a\\u202eb"),
        ("Hüfte 日本", "Hüfte 日本"),
    ],
)
def test_names_as_they_are_shown(text: str, wanted: str) -> None:
    """No control character reaches the terminal, not even in errors, and letters of all languages are kept."""
    assert shown(text) == wanted
    assert shown(wanted) == wanted
    assert "\x1b" not in str(FileError(text, f"{text} is odd"))
    well_formed(text).encode()


@raw_names
@pytest.mark.parametrize("kind", [*FORMATS, "usda", "vrma"])
def test_a_file_name_that_is_no_text(tmp_path: Path, kind: str) -> None:
    """A name that is not text is read, and written with its own bytes."""
    path = tmp_path / os.fsdecode(b"w\xff.bvh")
    segue.save(segue.sample("walk", 10.0), path)
    clip = segue.load(path)
    assert clip.name == "w\\xff"
    assert clip.source is not None
    assert clip.source.path == str(path)
    if kind == "usda":
        pytest.importorskip("pxr")
    segue.save(clip, path.with_suffix(f".{kind}"))
    assert os.fsencode(path.with_suffix(f".{kind}").name) in map(
        os.fsencode, (file.name for file in tmp_path.iterdir())
    )


@raw_names
def test_a_library_keeps_such_a_path(tmp_path: Path) -> None:
    """The file is found again, also after a rename, and the clip is replaced by its new bytes."""
    folder = tmp_path / os.fsdecode(b"f\xfe")
    folder.mkdir()
    path = folder / os.fsdecode(b"w\xff.bvh")
    segue.save(segue.sample("walk", 10.0), path)
    with segue.Library.open(tmp_path / "a.segue") as library:
        assert library.add(folder).new == ("w\\xff",)
        assert library.clips()[0].path == str(path.resolve())
        assert library.add(folder).same == ("w\\xff",)
        segue.save(segue.sample("run", 10.0), path)
        assert library.add(folder).changed == ("w\\xff",)
        shutil.move(path, folder / os.fsdecode(b"v\xff.bvh"))
        library.add(folder)
        assert [entry.name for entry in library.clips()] == ["v\\xff"]
        assert library.clip("v\\xff").n_frames == segue.sample("run", 10.0).n_frames


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["walk.bvh", "walk.npz"], ["walk.bvh", "walk.npz"]),
        (["walk.bvh", "walk.npz", "run.bvh"], ["run", "walk.bvh", "walk.npz"]),
        (["a/walk.bvh", "b/walk.bvh"], ["a/walk", "b/walk"]),
        (["a/walk.bvh", "a/walk.npz", "b/walk.bvh"], ["walk.bvh", "walk.npz", "walk"]),
        (["a/walk.bvh", "a/walk.npz", "b/walk.bvh", "b/walk.npz"],
         ["a/walk.bvh", "a/walk.npz", "b/walk.bvh", "b/walk.npz"]),
    ],
)  # fmt: skip
def test_formats_of_one_clip_are_told_apart(tmp_path: Path, files: list[str], names: list[str]) -> None:
    """The extension distinguishes them in one folder, subfolders in several; the parent folder does not matter."""
    walk = segue.sample("walk", 10.0)
    for deep in (tmp_path / "x", tmp_path / "far/away/y"):
        for name in files:
            (deep / name).parent.mkdir(parents=True, exist_ok=True)
            segue.save(walk, deep / name)
        clips, skipped = load_folder([deep])
        assert not skipped
        assert [clip.name for clip in clips] == names
        assert [clip.origin.clips for clip in clips] == [(name,) for name in names]
    with segue.Library.open(tmp_path / "a.segue") as library:
        added = library.add(tmp_path / "x").new
    assert added == ("walk", "walk.npz") or files != ["walk.bvh", "walk.npz"]


def test_poses_come_whole(tmp_path: Path) -> None:
    """Renaming changes no position."""
    clip = named(*ODD)
    for kind in ("npz", "glb"):
        segue.save(clip, tmp_path / f"a.{kind}")
        again = segue.load(tmp_path / f"a.{kind}")
        assert np.abs(segue.world_positions(again) - segue.world_positions(clip)).max() < 1e-5


@raw_names
@pytest.mark.parametrize("kind", ["bvh", "npz", "xml"])
def test_a_clip_of_a_library_whose_source_names_such_files_is_read(tmp_path: Path, kind: str) -> None:
    """Other file names that a source stores, such as a model's, come back too."""
    folder = tmp_path / os.fsdecode(b"f\xfe")
    folder.mkdir()
    path = folder / os.fsdecode(b"w\xff." + kind.encode())
    segue.save(segue.sample("walk", 10.0), path)
    given = segue.load(path)
    with segue.Library.open(tmp_path / "a.segue") as library:
        library.add(folder)
        clip = library.clip(library.clips()[0].name)
    assert clip.source is not None
    assert given.source is not None
    assert dict(clip.source.extra) == dict(given.source.extra)
    segue.save(clip, tmp_path / "out.npz")


@raw_names
def test_labels_of_pictures_show_such_names(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    """Only letters of a font are drawn."""
    from segue.pictures.matrix import cost_picture

    walk = named("A")
    cost_picture(segue.cost_matrix(walk, walk, cost=segue.cost("joint_angle")), path=tmp_path / "matrix.png")
    assert not [warning for warning in recwarn if "Glyph" in str(warning.message)]
