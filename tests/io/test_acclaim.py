"""ASF/AMC: equality with a naive twin, equality of the fast and the slow reader, and refusals with their line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from naive import kinematics as naive
from segue.errors import FileError
from segue.io import amc, load, save
from segue.maths.quaternions import rotate
from segue.motion.kinematics import world

ASF = """# a comment
:version 1.10
:name one
:units
  mass 1.0
  length {length}
  angle {angle}
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name lfemur
     direction 0.6 -0.8 0
     length 7.0
     axis {tilt} XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
  begin
     id 2
     name ltibia
     direction 0 -1 0
     length 7.5
     axis 0 0 0 XYZ
    dof rx rz
  end
:hierarchy
  begin
    root lfemur
    lfemur ltibia
  end
"""
AMC = """:FULLY-SPECIFIED
1
root 1.0 16.5 2.0 3 30 5
lfemur -20 5 3
ltibia 35 2
2
root 1.2 16.4 2.5 2 31 -1
lfemur -25 5 3
ltibia 45 1
"""


@pytest.fixture
def pair(tmp_path: Path) -> Callable[..., Path]:
    """Write a two-bone pair."""

    def write(motion: str = AMC, *, tilt: str = "10 20 30", angle: str = "deg", length: str = "0.45") -> Path:
        (tmp_path / "one.asf").write_text(ASF.format(tilt=tilt, angle=angle, length=length))
        (tmp_path / "one_01.amc").write_text(motion)
        return tmp_path / "one_01.amc"

    return write


def test_end_points_equal_the_naive_twin(pair: Callable[..., Path]) -> None:
    """Bone ends are those of C R C^-1 by matrices, bone by bone."""
    path = pair()
    clip = load(path)
    at = world(clip)
    wanted = naive.acclaim_ends((path.parent / "one.asf").read_text(), AMC)
    shin = clip.skeleton.index("ltibia")
    tip = clip.skeleton.tip(shin)
    assert tip is not None
    for frame in range(2):
        knee, ankle = (
            at.positions[frame, shin],
            at.positions[frame, shin] + rotate(at.rotations[frame, shin], tip),
        )
        assert knee / (0.0254 / 0.45) == pytest.approx(wanted[frame]["lfemur"], abs=1e-9)
        assert ankle / (0.0254 / 0.45) == pytest.approx(wanted[frame]["ltibia"], abs=1e-9)


def test_a_captured_clip_equals_the_naive_twin(data: Path) -> None:
    """Every joint of a few real frames is at the bone end that the twin computes."""
    path = data / "asf_amc" / "16" / "16_11.amc"
    clip = load(path)
    text = path.read_text().splitlines()
    wanted = naive.acclaim_ends((data / "asf_amc" / "16" / "16.asf").read_text(), "\n".join(text[:95]))
    at = world(clip)
    assert clip.source is not None
    for frame in range(2):
        for joint, parent in enumerate(clip.skeleton.parents):
            if parent > 0:
                found = at.positions[frame, joint] / clip.source.metres_per_unit
                assert found == pytest.approx(wanted[frame][clip.skeleton.names[parent]], abs=1e-9)


def test_radians(pair: Callable[..., Path]) -> None:
    """The skeleton's angle unit is used unless the motion names another."""
    degrees = load(pair())
    turns = []
    for line in AMC.splitlines():
        words = line.split()
        if words[0] in {"lfemur", "ltibia"}:
            words[1:] = [repr(float(np.radians(float(word)))) for word in words[1:]]
        elif words[0] == "root":
            words[4:] = [repr(float(np.radians(float(word)))) for word in words[4:]]
        turns.append(" ".join(words))
    tilt = " ".join(repr(float(value)) for value in np.radians([10, 20, 30]))
    radians = load(pair("\n".join(turns), tilt=tilt, angle="rad"))
    assert radians.rotations == pytest.approx(degrees.rotations, abs=1e-12)
    again = load(pair("\n".join([":RADIANS", *turns])))
    assert again.rotations == pytest.approx(degrees.rotations, abs=1e-12)


def test_fast_and_slow_reading_agree(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading line by line gives exactly the same numbers as reading in one pass."""
    path = data / "asf_amc" / "05" / "05_01.amc"
    fast = load(path)
    monkeypatch.setattr(amc, "_frames_fast", lambda *_: None)
    slow = load(path)
    assert np.array_equal(fast.rotations, slow.rotations)
    assert np.array_equal(fast.root_positions, slow.root_positions)


def test_unit_rate_and_channels_are_said(pair: Callable[..., Path]) -> None:
    """The unit comes from the file's length, the rate is nominally 120 frames a second; the notes report both."""
    clip = load(pair())
    assert clip.fps == 120.0
    assert clip.source is not None
    assert clip.source.metres_per_unit == pytest.approx(0.0254 / 0.45)
    assert any("nominal" in note for note in clip.source.notes)
    assert any("stated by the .asf" in note for note in clip.source.notes)
    assert load(pair(), fps=60).fps == 60.0


def test_a_length_of_one_says_nothing(pair: Callable[..., Path]) -> None:
    """Where the file has the neutral length 1, the unit is found from the body."""
    clip = load(pair(length="1.0"))
    assert clip.source is not None
    assert not any("stated by the .asf" in note for note in clip.source.notes)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("lfemur -25 5 3", "lfemur -25 5", 8, ["lfemur", "2", "3"]),
        ("lfemur -25 5 3", "lfemer -25 5 3", 8, ["lfemer", "nearest: lfemur"]),
        ("lfemur -25 5 3", "lfemur -25 x 3", 8, ["'x'"]),
        ("lfemur -25 5 3", "lfemur -25 nan 3", 8, ["'nan'"]),
        ("lfemur -25 5 3\n", "", 6, ["lfemur", "every frame"]),
        ("2\nroot", "4\nroot", 6, ["consecutive"]),
        ("ltibia 45 1", "ltibia 45 1\nltibia 45 1", 10, ["twice"]),
        ("1\nroot", "one\nroot", 2, ["one"]),
    ],
)
def test_motion_refusals(old: str, new: str, line: int, words: list[str], pair: Callable[..., Path]) -> None:
    """A fault in the motion is named with its line."""
    with pytest.raises(FileError) as caught:
        load(pair(AMC.replace(old, new, 1)))
    assert caught.value.line == line, str(caught.value)
    assert all(word in str(caught.value) for word in words), str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("lfemur ltibia", "lfemur ltibla", "ltibla"),
        ("dof rx rz", "dof rx rq", "rq"),
        ("axis XYZ", "axis XXZ", "permutation"),
        ("direction 0 -1 0", "direction 0 -1", "3 numbers"),
        (":hierarchy", ":nothing", "not connected to the root"),
        ("root lfemur", "root lfemur ltibia", "two parents"),
        ("name ltibia", "name lfemur", "twice"),
    ],
)
def test_skeleton_refusals(old: str, new: str, words: str, pair: Callable[..., Path]) -> None:
    """A fault in the skeleton is named with its file and line."""
    path = pair()
    asf = path.parent / "one.asf"
    assert old in asf.read_text()
    asf.write_text(asf.read_text().replace(old, new, 1))
    with pytest.raises(FileError) as caught:
        load(path)
    assert words in str(caught.value)
    assert caught.value.path == asf
    assert caught.value.line is not None


def test_the_skeleton_is_found_or_asked_for(pair: Callable[..., Path], tmp_path: Path) -> None:
    """It has the subject's number, the same stem, or is the only one; otherwise the message asks for skeleton=."""
    path = pair()
    (tmp_path / "two.asf").write_text("not this one")
    assert amc.find_asf(path).name == "one.asf"
    (tmp_path / "one.asf").rename(tmp_path / "three.asf")
    with pytest.raises(FileError, match="skeleton="):
        load(path)
    assert load(path, skeleton=tmp_path / "three.asf").n_frames == 2
    (tmp_path / "two.asf").unlink()
    assert amc.find_asf(path).name == "three.asf"


def test_without_any_skeleton_the_error_says_so(data: Path) -> None:
    with pytest.raises(FileError, match=r"there is none: put .* as .*\.asf, or name it in Python"):
        load(data / "misc" / "dm_control" / "zeros.amc")


def test_clips_of_one_skeleton_share_it(data: Path) -> None:
    """Two motions of one .asf hold one skeleton object."""
    a, b = (load(data / "asf_amc" / "16" / f"16_{number}.amc") for number in (11, 12))
    assert a.skeleton is b.skeleton


def test_written_as_bvh_it_comes_back(pair: Callable[..., Path], tmp_path: Path) -> None:
    """An AMC clip written as BVH has the same motion in the same unit."""
    clip = load(pair())
    save(clip, tmp_path / "one.bvh")
    assert clip.source is not None
    again = load(tmp_path / "one.bvh", unit=clip.source.metres_per_unit)
    assert world(again).positions == pytest.approx(world(clip).positions, abs=1e-9)
    assert (
        "CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation"
        in (tmp_path / "one.bvh").read_text()
    )
