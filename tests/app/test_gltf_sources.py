"""Motions made from animations inside glTF files: their sources are found again."""

from __future__ import annotations

from pathlib import Path

import pytest

from gltf_files import chain, turned
from segue.app.record import source_of
from segue.app.replay import found_source
from segue.app.stages import read, read_in_order
from segue.errors import FileError


@pytest.fixture
def moves(tmp_path: Path) -> Path:
    """A file of two animations."""
    file = chain()
    file.move(1, "rotation", [0, 1], turned("z", [0, 30]))
    file.json["animations"].append({"name": "Rig|Nod", "channels": [], "samplers": []})
    file.move(2, "rotation", [0, 2], turned("x", [0, 30]))
    return file.glb(tmp_path / "moves.glb")


def test_a_folder_gives_every_animation(moves: Path) -> None:
    """Each is a clip of its own; the file alone is its first, and a name picks one."""
    assert [clip.name for clip in read([str(moves.parent)]).clips] == ["moves#move", "moves#Rig|Nod"]
    assert [clip.name for clip in read([str(moves)]).clips] == ["moves#move"]
    in_order = read_in_order([f"{moves}#Nod", str(moves), f"{moves}#Nod"]).clips
    assert [clip.seconds for clip in in_order] == [2.0, 1.0, 2.0]


def test_a_source_is_found_again_and_checked(moves: Path) -> None:
    """Its digest is the file's; it may have moved with the file, and a changed file is refused."""
    source = source_of(read([str(moves.parent)]).clips[1])
    assert source.path == f"{moves}#Rig|Nod"
    assert found_source(source, None) == source.path
    (moves.parent / "other").mkdir()
    moved = moves.rename(moves.parent / "other" / "moves.glb")
    assert found_source(source, moves.parent) == f"{moved}#Rig|Nod"
    moved.write_bytes(moved.read_bytes() + b"\0")
    with pytest.raises(FileError, match="has changed"):
        found_source(source, moves.parent)
