"""BVH reading: the meaning of position channels, what is detected and reported, and refusals with their line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from naive import kinematics as naive
from segue.errors import FileError, SettingError
from segue.io import load, save
from segue.io.units import to_metres
from segue.maths.quaternions import rotate
from segue.motion.kinematics import world, world_positions

HEAD = """HIERARCHY
ROOT Hips
{{
  OFFSET {root}
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT LeftUpLeg
  {{
    OFFSET 10 0 0
    CHANNELS {channels}
    JOINT LeftLeg
    {{
      OFFSET 0 -42 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      JOINT LeftFoot
      {{
        OFFSET 0 -43 0
        CHANNELS 3 Zrotation Xrotation Yrotation
        End Site
        {{
          OFFSET 0 -8 12
        }}
      }}
    }}
  }}
}}
MOTION
Frames: {frames}
Frame Time: {time}
{rows}
"""
THREE = "3 Zrotation Xrotation Yrotation"
SIX = "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"


@pytest.fixture
def bvh(tmp_path: Path) -> Callable[..., Path]:
    """Write a one-legged body with the given rows."""

    def write(
        rows: list[str], *, root: str = "0 0 0", channels: str = THREE, time: str = "0.0333333"
    ) -> Path:
        path = tmp_path / "leg.bvh"
        text = HEAD.format(root=root, channels=channels, frames=len(rows), time=time, rows="\n".join(rows))
        path.write_text(text)
        return path

    return write


def row(root: str, leg: str = "") -> str:
    """One frame: root position, the leg joint's extra channels, the rest constant."""
    return f"{root} 5 10 20 {leg} 1 2 3 0 -4 0 0 7 0"


def test_channels_replace_the_offset(bvh: Callable[..., Path]) -> None:
    """The root's positions are absolute; all positions equal a naive reading of the text."""
    path = bvh([row("1 92 3"), row("2 93 4")], root="0 90 0")
    clip = load(path)
    assert clip.root_positions[0].tolist() == pytest.approx([0.01, 0.92, 0.03])
    for frame, wanted in enumerate(naive.bvh_positions(path.read_text())):
        for joint, name in enumerate(clip.skeleton.names):
            assert 100 * world_positions(clip)[frame, joint] == pytest.approx(wanted[name], abs=1e-9)


def test_root_below_ground_is_a_displacement(bvh: Callable[..., Path]) -> None:
    """Feet half a leg below the ground mean that positions are added to OFFSET; this is reported and written back."""
    path = bvh([row("1 2 3"), row("2 1 4")], root="0 90 0")
    clip = load(path)
    assert clip.root_positions[0].tolist() == pytest.approx([0.01, 0.92, 0.03])
    assert any("displacement" in note for note in (clip.source.notes if clip.source else ()))
    save(clip, path)
    assert path.read_text().splitlines()[-2].startswith("1 2 3 5 10 20")
    assert load(path).root_positions == pytest.approx(clip.root_positions, abs=1e-9)


def test_root_rule_can_be_overridden(bvh: Callable[..., Path]) -> None:
    """The caller's setting for root positions takes precedence over detection; an unknown one is refused."""
    path = bvh([row("1 2 3")], root="0 90 0")
    assert load(path, root_position="absolute").root_positions[0, 1] == pytest.approx(0.02)
    with pytest.raises(SettingError, match="displacement"):
        load(path, root_position="relative")


def test_zero_positions_count_as_absent(bvh: Callable[..., Path]) -> None:
    """All-zero position channels on another joint leave its OFFSET unchanged."""
    clip = load(bvh([row("0 92 0", "0 0 0"), row("1 92 0", "0 0 0")], channels=SIX))
    assert clip.skeleton.offsets[1].tolist() == pytest.approx([0.1, 0, 0])


def test_constant_positions_become_the_offset(bvh: Callable[..., Path]) -> None:
    """A constant channel replaces the joint's OFFSET, which is written and read back."""
    path = bvh([row("0 92 0", "9 1 -1"), row("1 92 0", "9 1 -1")], channels=SIX)
    clip = load(path)
    assert clip.skeleton.offsets[1].tolist() == pytest.approx([0.09, 0.01, -0.01])
    save(clip, path)
    assert load(path).skeleton.offsets == pytest.approx(clip.skeleton.offsets, abs=1e-12)


def test_varying_positions_become_their_mean(bvh: Callable[..., Path]) -> None:
    """A stretching joint gets its mean offset; the note reports the deviation in centimetres."""
    clip = load(bvh([row("0 92 0", "9 0 0"), row("1 92 0", "11 0 0")], channels=SIX))
    assert clip.skeleton.offsets[1].tolist() == pytest.approx([0.1, 0, 0])
    assert any(
        "'LeftUpLeg'" in note and "1 cm" in note for note in (clip.source.notes if clip.source else ())
    )


def test_still_root_carries_the_hips(cases: Path, tmp_path: Path) -> None:
    """A root without channels takes over the motion of the hips below it; when written, the root is at rest again."""
    path = cases / "case140-bvh-channels-zero-channels-root.bvh"
    clip = load(path)
    wanted = naive.bvh_positions(path.read_text())
    for frame in range(3):
        for name in ("Hips", "Spine", "Head"):
            found = 100 * world_positions(clip)[frame, clip.skeleton.index(name)]
            assert found == pytest.approx(wanted[frame][name], abs=1e-9)
    save(clip, tmp_path / "again.bvh")
    assert naive.bvh_positions((tmp_path / "again.bvh").read_text())[2]["Head/End"] == pytest.approx(
        wanted[2]["Head/End"], abs=1e-6
    )
    assert "CHANNELS 0" in (tmp_path / "again.bvh").read_text()


def test_z_up_becomes_y_up(bvh: Callable[..., Path], tmp_path: Path) -> None:
    """A body with Z up is read as the same motion, and written with Z up again."""
    clip = load(bvh([row("1 92 3"), row("2 93 4")]))
    save(clip, tmp_path / "z.bvh", up="Z", unit=1.0)
    again = load(tmp_path / "z.bvh")
    assert again.source is not None
    assert (again.source.up, again.source.metres_per_unit) == ("Z", 1.0)
    assert world_positions(again) == pytest.approx(world_positions(clip), abs=1e-9)
    assert again.rotations == pytest.approx(clip.rotations, abs=1e-9)
    raw = naive.bvh_positions((tmp_path / "z.bvh").read_text())[1]["LeftFoot"]
    x, y, z = world_positions(clip)[1, 3]
    assert raw == pytest.approx([x, -z, y], abs=1e-9)


@pytest.mark.parametrize("scale", [0.3, 0.5, 1.0, 1.4, 2.54, 3.5])
def test_a_body_of_any_size_is_read_as_it_was_saved(
    scale: float, bvh: Callable[..., Path], tmp_path: Path
) -> None:
    """Children and giants are read at the saved size, and the unit is reported."""
    clip = load(bvh([row("1 92 3"), row("2 93 4")]))
    made = clip.with_skeleton(to_metres(clip.skeleton, unit=scale, up="Y"))
    save(made, tmp_path / "scaled.bvh")
    again = load(tmp_path / "scaled.bvh")
    assert again.skeleton.offsets == pytest.approx(scale * clip.skeleton.offsets, abs=1e-9)
    assert again.source is not None
    assert any(note.startswith("unit:") for note in again.source.notes)


def test_header_count_may_be_wrong(bvh: Callable[..., Path]) -> None:
    """The number of rows is used, and the difference is reported."""
    path = bvh([row("0 92 0")] * 3)
    path.write_text(path.read_text().replace("Frames: 3", "Frames: 2"))
    clip = load(path)
    assert clip.n_frames == 3
    assert clip.source is not None
    assert any("the file holds 3" in note for note in clip.source.notes)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("5 10 20", "5 nan 20", 29, "'nan'"),
        ("5 10 20", "5 1_0 20", 29, "'1_0'"),
        ("OFFSET 10 0 0", "OFFSET 10 0", 8, "3 numbers"),
        ("Zrotation Xrotation Yrotation\n  JOINT", "Zrotation Xrotation Wrotation\n  JOINT", 5, "Wrotation"),
        ("Frames: 1", "Frames 1", 27, "Frames:"),
        ("      }\n    }\n  }\n}\nMOTION", "      }\n    }\n  }\nMOTION", 25, "'Hips'"),
        ("MOTION", "MOVEMENT", 26, "MOVEMENT"),
        ("End Site", "Ende", 18, "Ende"),
    ],
)
def test_refusals_name_the_line(old: str, new: str, line: int, words: str, bvh: Callable[..., Path]) -> None:
    path = bvh([row("0 92 0")])
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(FileError) as caught:
        load(path)
    assert caught.value.line == line, str(caught.value)
    assert words in str(caught.value)


def test_no_rows_is_an_error(bvh: Callable[..., Path]) -> None:
    with pytest.raises(FileError, match="no frames"):
        load(bvh([]))


def test_crlf_and_a_byte_order_mark_do_not_matter(bvh: Callable[..., Path]) -> None:
    path = bvh([row("1 92 3")])
    plain = load(path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert np.array_equal(load(path).rotations, plain.rotations)


def test_two_joints_of_one_name_stay_apart(bvh: Callable[..., Path]) -> None:
    """The second joint of the same name gets a number, and this is reported."""
    path = bvh([row("1 92 3")])
    path.write_text(path.read_text().replace("JOINT LeftFoot", "JOINT LeftLeg"))
    clip = load(path)
    assert clip.skeleton.names[2:] == ("LeftLeg", "LeftLeg_2")
    assert clip.source is not None
    assert any("LeftLeg_2" in note for note in clip.source.notes)


def test_a_deep_chain_is_no_recursion(tmp_path: Path) -> None:
    """A chain of three thousand joints is read and written."""
    depth = 3000
    lines = ["HIERARCHY"]
    for joint in range(depth):
        lines += [f"{'JOINT' if joint else 'ROOT'} j{joint}", "{", "OFFSET 0 1 0", "CHANNELS 1 Xrotation"]
    lines += ["}"] * depth + ["MOTION", "Frames: 1", "Frame Time: 0.04", " ".join(["0"] * depth)]
    path = tmp_path / "deep.bvh"
    path.write_text("\n".join(lines))
    clip = load(path)
    save(clip, path)
    assert load(path).skeleton.n_joints == depth


def test_end_sites_turn_with_their_joint(bvh: Callable[..., Path]) -> None:
    """The tip of the foot equals the naive reading."""
    path = bvh([row("1 92 3")])
    clip = load(path)
    at, foot = world(clip), clip.skeleton.index("LeftFoot")
    tip = clip.skeleton.tip(foot)
    assert tip is not None
    found = at.positions[0, foot] + rotate(at.rotations[0, foot], tip)
    assert 100 * found == pytest.approx(naive.bvh_positions(path.read_text())[0]["LeftFoot/End"], abs=1e-9)
