"""A file of many animations, named directly, gives the same clips as its folder."""

from __future__ import annotations

from pathlib import Path

import pytest

import segue
from segue.io import load_folder


def test_a_pack_named_directly_is_not_its_first_animation_alone(data: Path) -> None:
    """All animations are read, as from its folder; a request for one clip lists their names."""
    pack = data / "gltf/kaykit/Med_General.glb"
    direct, _ = load_folder([pack])
    folder, _ = load_folder([pack.parent])
    assert [clip.name for clip in direct] == [clip.name for clip in folder if "Med_General" in clip.name]
    assert len(direct) == 15
    with pytest.raises(segue.FileError, match=r"holds 15 animations; name one of them, as .* and 9 more$"):
        segue.load(pack)
    assert segue.load(f"{pack}#Idle_A").name == segue.load(f"{pack}#Rig_Medium|Idle_A").name
