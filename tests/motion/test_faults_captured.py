"""Faults of captured clips, as listed by their publishers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segue
from segue.motion.clip import Clip
from segue.motion.faults import fall_acceleration, find_faults
from segue.motion.resample import resampled


def kinds(clip: Clip) -> list[tuple[str, int, int]]:
    """Kind and frames of every fault found."""
    return [(fault.kind, fault.start, fault.stop) for fault in find_faults(clip).found]


def slowed(clip: Clip, factor: float) -> Clip:
    """The same frames at another rate."""
    return clip.with_motion(fps=clip.fps * factor)


LISTED = {
    "05_01": ("dropout", 0, 1),
    "16_15": ("dropout", 0, 7),
    "16_23": ("dropout", 0, 3),
    "16_28": ("dropout", 0, 6),
    "16_33": ("dropout", 0, 2),
}


@pytest.mark.parametrize("name", LISTED)
def test_known_dropouts_are_found(data: Path, name: str) -> None:
    """Dropouts at the start of captured clips are found as listed, with at most one frame of settling added."""
    (fault,) = find_faults(segue.load(data / f"asf_amc/{name[:2]}/{name}.amc")).of("dropout", "glitch")
    kind, start, stop = LISTED[name]
    assert (fault.kind, fault.start) == (kind, start)
    assert stop <= fault.stop <= stop + 1


@pytest.mark.parametrize(("name", "frame"), [("05_06", 146), ("05_16", 466)])
def test_known_glitches_are_found(data: Path, name: str, frame: int) -> None:
    """A leg that jumps in one frame is a glitch."""
    found = find_faults(segue.load(data / f"asf_amc/05/{name}.amc"))
    assert any(fault.start <= frame < fault.stop for fault in found.of("glitch"))
    assert not found.of("dropout")


@pytest.mark.parametrize(("file", "frames"), [("mb2/01_01", 1), ("daz_scaled/60_12_scaled", 3)])
def test_known_rest_poses_are_found(data: Path, file: str, frames: int) -> None:
    """The T-pose frame of cgspeed's files, and a T-pose eased into the motion, are rest poses."""
    assert [row for row in kinds(segue.load(data / f"cmu/{file}.bvh")) if row[0] != "floor"] == [
        ("rest_pose", 0, frames)
    ]


@pytest.mark.parametrize("name", ["16_01", "16_03", "16_05", "02_04", "127_25"])
def test_captured_jumps_fall_with_gravity(data: Path, name: str) -> None:
    """The centre of mass of a jumping person falls at 9.81 m/s2 to 10 %; at a wrong rate a fault is reported."""
    jump = segue.load(data / f"asf_amc/{name.split('_', maxsplit=1)[0]}/{name}.amc")
    assert fall_acceleration(jump) == pytest.approx(9.81, rel=0.1)
    for factor in (0.25, 0.5, 2.0):
        (fault,) = find_faults(slowed(jump, factor)).of("rate")
        assert "falls at" in fault.sentence


def test_resampled_dropouts_are_found(data: Path) -> None:
    """At other rates the frames of a dropout, and those interpolated with it, are still found."""
    clip = segue.load(data / "asf_amc/16/16_15.amc")
    for fps in (24.0, 29.97, 60.0, 240.0):
        other = resampled(clip, fps)
        (fault,) = find_faults(other).of("dropout")
        assert fault.start == 0
        assert fault.stop >= np.floor(6 * fps / 120.0) + 1 or fps < 60
        assert not find_faults(other).of("glitch")
