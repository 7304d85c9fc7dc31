"""Awkward inputs from public threads: every BVH and ASF/AMC case with machine-readable expectations."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from segue.errors import FileError
from segue.io import load
from segue.io.units import from_y_up
from segue.maths.quaternions import rotate
from segue.motion.clip import Clip
from segue.motion.kinematics import world

INDEX = Path(__file__).resolve().parents[3] / "shared" / "cases" / "index.csv"


def _rows() -> list[dict[str, str]]:
    if not INDEX.is_file():
        return []
    with INDEX.open(encoding="utf-8") as stream:
        return [
            row
            for row in csv.DictReader(stream)
            if row["kind"].startswith(("bvh-", "asf-amc"))
            and json.loads(row["check_json"])["outcome"] != "procedure"
        ]


ROWS = _rows()


def place(clip: Clip, frame: int, name: str, *, ends: bool) -> np.ndarray:
    """Position in file units and axes: of a joint, of ``joint/End``, or (``ends``) of a bone's far end."""
    assert clip.source is not None
    at = world(clip)
    joint_name, _, site = name.partition("/")
    joint = clip.skeleton.index(joint_name)
    position = at.positions[frame, joint]
    if site or (ends and joint > 0):
        tip = clip.skeleton.tip(joint)
        if tip is None:
            tip = clip.skeleton.offsets[clip.skeleton.children[joint][0]]
        position = position + rotate(at.rotations[frame, joint], tip)
    return from_y_up(position, up=clip.source.up) / clip.source.metres_per_unit


def check(clip: Clip, wanted: dict[str, Any]) -> None:
    """Compare everything that a case states."""
    assert clip.n_frames == wanted["frames"]
    if "fps" in wanted:
        assert clip.fps == pytest.approx(wanted["fps"], abs=wanted.get("fps_tol", 0.01))
    names = clip.skeleton.names
    if "joints" in wanted:
        assert list(names) == wanted["joints"]
    if "parents" in wanted:
        parents = [None if p < 0 else names[p] for p in clip.skeleton.parents]
        assert parents == wanted["parents"]
    ends = "end points" in wanted.get("positions", "")
    for entry in wanted.get("world", []):
        found = place(clip, entry["frame"], entry["joint"], ends=ends)
        assert found == pytest.approx(entry["pos"], abs=wanted["tol"]), entry["joint"]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['id']}-{row['kind']}" for row in ROWS])
def test_case(row: dict[str, str], cases: Path) -> None:
    """Readable cases are read; the others are refused with the line and words expected."""
    wanted = json.loads(row["check_json"])
    path = next(cases / name for name in row["file"].split(";") if name.endswith((".bvh", ".amc")))
    # Roots are absolute by the cases' own convention; every toy body here has Y up.
    if wanted["outcome"] == "ok":
        check(load(path), wanted)
        return
    with pytest.raises(FileError) as caught:
        load(path)
    assert caught.value.line == wanted["error_line"]
    for word in wanted["error_mentions"]:
        assert word.lower() in str(caught.value).lower()


def test_names_in_another_encoding(cases: Path) -> None:
    """Shift-JIS names are read when the encoding is given."""
    row = next(row for row in ROWS if row["id"] == "case065")
    wanted = json.loads(row["check_json"])["alternative"]
    check(load(cases / row["file"], encoding=wanted["encoding"]), wanted)


def test_frame_time_of_zero_reads_with_a_rate(cases: Path) -> None:
    """A frame time of zero is accepted when the caller gives the rate."""
    clip = load(cases / "case193-bvh-time-frame-time-zero.bvh", fps=30)
    assert (clip.n_frames, clip.fps) == (3, 30.0)


def test_end_sites_are_kept_apart(cases: Path) -> None:
    """Four joints and two end sites stay separate where joint names contain 'End'."""
    body = load(cases / "case145-bvh-names-end-in-name.bvh").skeleton
    assert (body.n_joints, len(body.end_sites)) == (4, 2)


def test_rate_override(cases: Path) -> None:
    """case166: the rate is the file's 24 fps by default, or the caller's 120 with the same frames."""
    path = cases / "case166-bvh-time-fps-override.bvh"
    assert load(path).fps == 24.0
    taken = load(path, fps=120)
    assert (taken.fps, taken.n_frames, taken.seconds) == (120.0, 3, 2 / 120)


def test_acclaim_end_points(cases: Path) -> None:
    """case115: world end points of tilted bones agree in both frames, including the root."""
    wanted = json.loads((cases / "case115-asf-amc-asf-to-bvh.json").read_text())["expect"]
    clip = load(cases / "case115-asf-amc-asf-to-bvh.amc")
    for frame in (0, 1):
        for name, position in wanted[f"frame{frame}"].items():
            assert place(clip, frame, name, ends=True) == pytest.approx(position, abs=wanted["tol"])
