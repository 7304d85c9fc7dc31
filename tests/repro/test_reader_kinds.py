"""Files whose parts do not fit each other give a motion or one sentence: cases found with mutated files."""

from __future__ import annotations

import io
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segue
from gltf_files import chain, turned

POSES, TRANS = np.zeros((4, 66)), np.tile([0.0, 0.9, 0.0], (4, 1))
SMPL: dict[str, Any] = {"poses": POSES, "trans": TRANS, "fps": 30.0}
PARTS: dict[str, Any] = {
    "root_orient": POSES[:, :3], "pose_body": POSES[:, 3:], "trans": TRANS, "fps": 30.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("whole", "key"),
    [(SMPL, key) for key in ("poses", "trans", "fps", "smpl_scaling")]
    + [(PARTS, key) for key in ("root_orient", "pose_body", "pose_hand", "trans")],
)
@pytest.mark.parametrize(
    "wrong", [np.array(0.0), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 0, 3)), np.array([[[]]])]
)
def test_arrays_without_rows_or_axes(
    whole: dict[str, Any], key: str, wrong: np.ndarray, tmp_path: Path
) -> None:
    """A single number, an empty array and empty rows."""
    np.savez(tmp_path / "a.npz", **{**whole, key: wrong})
    with pytest.raises(segue.FileError, match=r"a\.npz: "):
        segue.load(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("described", "message"),
    [
        ("'<a8'", "cannot be unpacked"),
        ("'<M8'", "cannot be unpacked"),
        ("'<V8'", "cannot be unpacked"),
        ("'<f7'", "cannot be unpacked"),
        ("[('x', '<f8')]", "cannot be unpacked"),
        ("{'a': 1}", "cannot be unpacked"),
        ("None", "cannot be unpacked"),
        ("1j", "cannot be unpacked"),
        ("'|O8'", "is a pickle"),
        ("[('x', '|O8')]", "is a pickle"),
    ],
)
def test_types_that_are_no_numbers(described: str, message: str, tmp_path: Path) -> None:
    """Dates, records, objects and types that numpy loads with a warning; nothing is printed."""
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        for key, value in SMPL.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.asarray(value))
            text = content.getvalue()
            archive.writestr(
                f"{key}.npy", text.replace(b"'<f8'", described.encode(), 1) if key == "poses" else text
            )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(segue.FileError, match=message):
            segue.load(tmp_path / "a.npz")


@pytest.mark.parametrize("scale", [1e200, 1e300, -1e300, 1e160, 5.0])
def test_rotations_beyond_numbers(scale: float, tmp_path: Path) -> None:
    """Quaternions whose length overflows are not unit quaternions; nothing is printed."""
    segue.save(segue.sample("walk"), tmp_path / "a.npz")
    arrays = dict(np.load(tmp_path / "a.npz"))
    arrays["rotations"] = arrays["rotations"] * scale
    np.savez(tmp_path / "a.npz", **arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(segue.FileError, match="not a unit quaternion"):
            segue.load(tmp_path / "a.npz")


@pytest.mark.parametrize(
    "times",
    [[-1e38, 0, 0.5, 1], [0, 1, 2, 1e38], [-3e38, 3e38, 3e38, 3e38], [0, 1e10, 2e10, 3e10], [-1e12, 1, 2, 3]],
)
def test_key_times_beyond_time(times: list[float], tmp_path: Path) -> None:
    """Keys so far apart that their differences vanish."""
    file = chain()
    file.move(1, "rotation", times, turned("x", [0, 10, 20, 30]))
    with pytest.raises(segue.FileError, match="which is no time of a motion"):
        segue.load(file.glb(tmp_path / "a.glb"))
