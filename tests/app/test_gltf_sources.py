"""Sources that are animations inside glTF files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gltf_files import chain, pack_of, turned
from segue.app.called import called
from segue.app.record import source_of
from segue.app.replay import found_source, write_again
from segue.app.stages import Collection, doubled, make_stitch, read, read_in_order, write
from segue.errors import FileError
from segue.io import load
from segue.io.formats import as_kept
from segue.library import adding
from segue.library.library import Library
from segue.motion.clip import Origin
from segue.motion.samples import sample
from segue.settings import Settings


@pytest.fixture
def moves(tmp_path: Path) -> Path:
    file = chain()
    file.move(1, "rotation", [0, 1], turned("z", [0, 30]))
    file.json["animations"].append({"name": "Rig|Nod", "channels": [], "samplers": []})
    file.move(2, "rotation", [0, 2], turned("x", [0, 30]))
    return file.glb(tmp_path / "moves.glb")


def test_a_folder_gives_every_animation(moves: Path) -> None:
    """The folder and the file give each animation as a clip; where one clip is needed, it has to be named."""
    assert [clip.name for clip in read([str(moves.parent)]).clips] == ["moves#move", "moves#Rig|Nod"]
    assert [clip.name for clip in read([str(moves)]).clips] == ["moves#move", "moves#Rig|Nod"]
    in_order = read_in_order([f"{moves}#Nod", f"{moves}#move", f"{moves}#Rig|Nod"]).clips
    assert [clip.seconds for clip in in_order] == [2.0, 1.0, 2.0]
    with pytest.raises(FileError, match="holds 2 animations"):
        read_in_order([f"{moves}#Nod", str(moves)])


def test_a_source_is_found_again_and_checked(moves: Path) -> None:
    """The digest is that of the file, which may move but not change."""
    source = source_of(read([str(moves.parent)]).clips[1])
    assert source.path == f"{moves}#Rig|Nod"
    assert found_source(source, None) == source.path
    (moves.parent / "other").mkdir()
    moved = moves.rename(moves.parent / "other" / "moves.glb")
    assert found_source(source, moves.parent) == f"{moved}#Rig|Nod"
    moved.write_bytes(moved.read_bytes() + b"\0")
    with pytest.raises(FileError, match="has changed"):
        found_source(source, moves.parent)


def test_records_written_with_whole_names_or_none_are_played_again(tmp_path: Path) -> None:
    """Earlier versions wrote an animation's full name, or only the file for its first animation."""
    pack = pack_of(("start", "walk", "stop"), tmp_path / "pack.glb")
    names = {"start": "Rig|start", "stop": "Rig|stop"}
    clips = [load(f"{pack}#{name}") for name in names]
    old = [
        clip.with_motion(name=f"pack#{full}", origin=Origin.of(f"pack#{full}", clip.n_frames)).with_source(
            path=f"{pack}#{full}"
        )
        for clip, full in zip(clips, names.values(), strict=True)
    ]
    collection = Collection((old[0].with_source(path=str(pack)), old[1]))
    settings = Settings(skeleton="pack#Rig|stop")
    _, motion = make_stitch(collection, settings)
    record = write(
        motion,
        tmp_path / "a.bvh",
        collection=collection,
        command="stitch",
        settings={"make": settings.document()},
    )
    document = json.loads(record.read_text())
    assert [source["path"] for source in document["sources"]] == ["pack.glb", "pack.glb#Rig|stop"]
    again = write_again(record, tmp_path / "b.bvh")
    assert again.same
    assert again.motion.n_frames == motion.n_frames


def test_a_clip_is_called_by_its_animation(tmp_path: Path) -> None:
    """Short and full names work unless ambiguous; a mirror image is not found by its clip's name."""
    one, two = (pack_of(("start", "walk"), tmp_path / f"{name}.glb") for name in ("one", "two"))
    clips = doubled(read([str(one)])).clips
    for word in ("walk", "Rig|walk", "one#walk", "one#Rig|walk", "one.glb#walk", f"{one}#Rig|walk"):
        assert called(word, clips) == "one#walk"
    assert called("walk (mirrored)", clips) == "one#walk (mirrored)"
    both = read([str(one), str(two)]).clips
    assert called("walk", both) == "walk"
    assert called("two#Rig|walk", both) == "two#walk"
    assert called("start.bvh", [sample("start")]) == "start"


def test_a_library_of_an_earlier_version_knows_its_animations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clip added by its file name alone is the first animation and is not added again."""
    pack = pack_of(("start", "walk"), tmp_path / "pack.glb")
    with Library.open(tmp_path / "l.segue", mode="w", create=True) as library:
        with monkeypatch.context() as before:
            before.setattr(adding, "motion_files", lambda paths: [Path(path) for path in paths])
            before.setattr(adding, "load", lambda path: load(as_kept(path)))
            library.add(pack)
        assert [entry.path for entry in library.clips()] == [str(pack)]
        added = library.add(pack)
        assert (added.new, added.same) == (("pack#walk",), ("pack#start",))
        assert [entry.path for entry in library.clips()] == [str(pack), f"{pack}#Rig|walk"]
