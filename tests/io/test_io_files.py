"""Reading and writing by extension, and folders with the files skipped and the reasons."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from segue.errors import FileError, SettingError
from segue.io import load, load_folder, motion_files, save
from segue.motion.samples import sample


def test_unknown_extensions_name_the_known_ones(tmp_path: Path) -> None:
    """The message lists the formats that can be read and written."""
    with pytest.raises(FileError, match=r"\.bvh"):
        load(tmp_path / "a.xyz")
    with pytest.raises(FileError, match=r"\.glb"):
        save(sample("walk"), tmp_path / "a.xyz")
    with pytest.raises(FileError, match="cannot be read yet"):
        load(tmp_path / "a.usda")
    with pytest.raises(FileError, match="cannot be written yet"):
        save(sample("walk"), tmp_path / "a.amc")


def test_a_skeleton_alone_is_no_motion(data: Path) -> None:
    """The message for an .asf names the file to load."""
    with pytest.raises(FileError, match="skeleton="):
        load(data / "asf_amc" / "16" / "16.asf")


def test_missing_files_and_folders(tmp_path: Path) -> None:
    """A missing file and a folder give different messages."""
    with pytest.raises(FileError, match="no such file"):
        load(tmp_path / "none.bvh")
    (tmp_path / "folder.bvh").mkdir()
    with pytest.raises(FileError, match="is a folder"):
        load(tmp_path / "folder.bvh")
    with pytest.raises(FileError, match="no such file or folder"):
        load_folder([tmp_path / "none"])


def test_settings_of_other_formats_are_refused(data: Path) -> None:
    """A setting that a format cannot use is refused, not ignored."""
    with pytest.raises(SettingError, match=r"a \.bvh file cannot use skeleton="):
        load(data / "misc" / "olympe" / "root.bvh", skeleton="a.asf")
    with pytest.raises(SettingError, match="root_position"):
        load(data / "asf_amc" / "16" / "16_11.amc", root_position="absolute")
    with pytest.raises(SettingError, match="frame rate"):
        load(data / "asf_amc" / "16" / "16_11.amc", fps=0)


def test_unknown_encoding(data: Path) -> None:
    """The message names an encoding that Python does not know."""
    with pytest.raises(FileError, match="'klingon'"):
        load(data / "misc" / "olympe" / "root.bvh", encoding="klingon")


def test_a_folder_gives_clips_and_what_was_skipped(tmp_path: Path) -> None:
    """Recursive and sorted, each file once; broken files are listed with the reason; equal names are made distinct."""
    walk = sample("walk")
    for name in ("b/walk.bvh", "a/walk.bvh", "a/turn.bvh", "c/a/walk.bvh"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        save(walk, tmp_path / name)
    (tmp_path / "b" / "broken.bvh").write_text("not one")
    (tmp_path / "b" / "notes.txt").write_text("ignored")
    seen = []
    clips, skipped = load_folder(
        [tmp_path, tmp_path / "a" / "turn.bvh"],
        on_file=lambda path, index, count: seen.append((path.name, index, count)),
    )
    assert [clip.name for clip in clips] == ["turn", f"{tmp_path.name}/a/walk", "b/walk", "c/a/walk"]
    assert all(clip.origin.clips == (clip.name,) for clip in clips)
    assert [path.name for path, _ in skipped] == ["broken.bvh"]
    assert "HIERARCHY" in skipped[0][1]
    assert seen[-1][1:] == (4, 5)


def test_one_path_is_enough(data: Path) -> None:
    """A single folder need not be in a list."""
    assert len(motion_files(data / "asf_amc" / "16")) == 58


def test_a_loaded_clip_knows_its_file(data: Path) -> None:
    """The source has name, path, format and digest."""
    clip = load(data / "misc" / "olympe" / "root.bvh")
    assert clip.source is not None
    assert (clip.name, clip.source.format, len(clip.source.digest)) == ("root", "bvh", 64)
    assert np.array_equal(clip.origin.frame[:, 0], np.arange(clip.n_frames))
