"""Text and C3D files with structural faults: only `SegueError`, and what is read can be written again."""

from __future__ import annotations

import contextlib
import os
import re
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from naive import c3d as naive_c3d
from segue.errors import SegueError
from segue.io import load, save
from segue.io.markers import Markers, read_markers, write_trc
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.samples import sample

COUNT = int(os.environ.get("SEGUE_FUZZ", "300"))
"""Corrupted files per kind; the environment variable of that name sets another number."""
NUMBERS = [
    "nan",
    "-inf",
    "1e999",
    "1e308",
    "1e30",
    "1.1e30",
    "1e-320",
    "-0",
    "00",
    "٣",
    "²",
    "1_0",
    "0x10",
    "9" * 5000,
]
NUMBERS += ["9" * 25, "1e5000000", "", "1,5", "1.", "-.5e1", "e", "--1", "\0", "65536", "-1", "0.5", "2"]
WORDS = [
    "root",
    "X",
    "",
    "{",
    "}",
    "#",
    "\t",
    ",",
    ";",
    "End Site x",
    "JOINT",
    "ROOT a b",
    "MOTION",
    "begin",
    "end",
    ":bonedata",
]
WORDS += [
    ":hierarchy",
    "dof rx",
    "axis 0 0 0 XYZ",
    "l",
    "CHANNELS 1 Xrotation",
    "OFFSET 1 2 3",
    "\x1b[31m",
    "\ufeff",
    "a" * 3000,
]
WORDS += [
    "\x0c",
    "\u2028",
    "Frame#",
    "X1",
    "DataRate",
    "PathFileType",
    "name root",
    "length 1",
    "order",
    ":units",
    "angle rad",
    "1",
]
ASF = """:version 1.10
:units
  length 0.45
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name spine
    direction 0 1 0
    length 10
    axis 0 0 0 XYZ
    dof rx ry rz
    limits (-180 180)
  end
  begin
    id 2
    name head
    direction 0 1 0.1
    length 5
    axis 10 20 30 XYZ
    dof rx
  end
:hierarchy
  begin
    root spine
    spine head
  end
"""
AMC = ":FULLY-SPECIFIED\n:DEGREES\n" + "".join(
    f"{k}\nroot 0.1 15.2 {0.1 * k} 0 4 0\nspine 1 2 {-k}\nhead {3 * k}\n" for k in range(1, 5)
)


def changed(rng: np.random.Generator, lines: list[str]) -> list[str]:
    """Lines with one word, number or line changed."""
    at = int(rng.integers(min(len(lines), 120)))
    odd = NUMBERS if rng.random() < 0.7 else WORDS
    word = odd[int(rng.integers(len(odd)))]
    match int(rng.integers(0, 8)):
        case 0 | 1 | 2:
            parts = re.split(r"(\s+|,)", lines[at])
            parts[int(rng.integers(len(parts)))] = word
            lines[at] = "".join(parts)
        case 3:
            del lines[at]
        case 4:
            lines.insert(int(rng.integers(len(lines))), lines[at])
        case 5:
            other = int(rng.integers(len(lines)))
            lines[at], lines[other] = lines[other], lines[at]
        case 6:
            lines.insert(at, f"{WORDS[int(rng.integers(len(WORDS)))]} {word}")
        case _:
            lines[at] += f" {word}"
    return lines or [""]


def broken(rng: np.random.Generator, text: str) -> bytes:
    """One to four changes; sometimes another encoding, line end or byte order mark."""
    lines = text.split("\n")
    for _ in range(min(int(rng.geometric(0.6)), 4)):
        lines = changed(rng, lines)
    content = "\n".join(lines)
    odd = [
        content.encode("utf-16", "surrogatepass"),
        content.replace("\n", "\r").encode(),
        content.encode("latin-1", "replace"),
        content.replace("\t", ";").encode(),
    ]
    k = int(rng.integers(0, 30))
    return odd[k] if k < len(odd) else content.encode()


def broken_c3d(rng: np.random.Generator, content: bytes) -> bytes:
    """One to four fields of the header, the parameters or the samples with other numbers; sometimes cut off."""
    out = bytearray(content)
    for _ in range(int(rng.integers(1, 5))):
        match int(rng.integers(0, 3)):
            case 0:
                at = int(rng.integers(0, 24))
                out[at : at + 2] = struct.pack("<H", int(rng.choice([0, 1, 255, 32768, 65535])))
            case 1:
                at = 512 + int(rng.integers(0, 300))
                out[at] = int(rng.choice([0, 1, 4, 127, 128, 255]))
            case _:
                at = int(rng.integers(0, len(out) - 8))
                out[at : at + 4] = struct.pack("<f", float(rng.choice([np.nan, np.inf, 1e38, 0.0])))
    return bytes(out[: int(rng.integers(len(out)))] if rng.random() < 0.1 else out)


def check_clip(clip: Clip, folder: Path) -> None:
    """Check that the clip is finite and can be written and read as BVH."""
    assert np.isfinite(clip.rotations).all()
    places = world_positions(clip)
    assert np.isfinite(places).all()
    save(clip, folder / "back.bvh")
    assert clip.source is not None
    how = clip.source.extra.get("root_position", "absolute")
    again = load(folder / "back.bvh", unit=clip.source.metres_per_unit, up=clip.source.up, root_position=how)
    assert (again.n_frames, again.skeleton.n_joints) == (clip.n_frames, clip.skeleton.n_joints)


def check_markers(markers: Markers, folder: Path) -> None:
    """Check that the markers can be written and read as TRC."""
    write_trc(markers, folder / "back.trc")
    again = read_markers(folder / "back.trc")
    assert (again.n_frames, len(again.names)) == (markers.n_frames, len(markers.names))
    assert np.isnan(again.positions).sum() == np.isnan(markers.positions).sum()


def whole(folder: Path) -> dict[str, str]:
    """Texts of intact files."""
    save(sample("walk", 10.0).with_motion(), folder / "walk.bvh")
    bvh = (folder / "walk.bvh").read_text().split("\n")
    places = np.array([[[0.1, 1.0, 0.2], [0.3, np.nan, 0.1]], [[0.1, 1.0, 0.2], [0.3, 0.2, 0.1]]])
    write_trc(Markers(["C7", "T10"], places, 100.0), folder / "walk.trc")
    head = next(k for k, line in enumerate(bvh) if line.startswith("Frames:"))
    bvh = [*bvh[:head], "Frames: 3", *bvh[head + 1 : head + 5], ""]
    return {"bvh": "\n".join(bvh), "asf": ASF, "amc": AMC, "trc": (folder / "walk.trc").read_text()}


@pytest.mark.parametrize("kind", ["bvh", "asf", "amc", "trc"])
def test_broken_text(tmp_path: Path, kind: str) -> None:
    """Every corrupted file gives a sentence, or a motion that can be written again."""
    texts = whole(tmp_path)
    rng = np.random.default_rng(11)
    read: Callable[[Path], object] = read_markers if kind == "trc" else load
    path = tmp_path / f"a.{'amc' if kind == 'asf' else kind}"
    (tmp_path / "a.asf").write_text(ASF)
    path.write_text(texts["amc" if kind == "asf" else kind])
    read(path)
    for _ in range(COUNT):
        (tmp_path / f"a.{kind}").write_bytes(broken(rng, texts[kind]))
        made = None
        with contextlib.suppress(SegueError):
            made = read(path)
        if isinstance(made, Clip):
            check_clip(made, tmp_path)
        elif isinstance(made, Markers):
            check_markers(made, tmp_path)


@pytest.mark.parametrize("kind", ["intel", "mips", "dec"])
def test_broken_fields_of_c3d(tmp_path: Path, kind: str) -> None:
    """Headers, parameters and samples with inconsistent numbers give a sentence, or writable markers."""
    rng = np.random.default_rng(12)
    rows = [[(1.0 + k, 2.0, 3.0, 0.0), (4.0, 5.0, 6.0, 0.0)] for k in range(6)]
    content = naive_c3d.file(kind, rows, scale=-1.0, labels=["A", "B"], screen="+Y")
    for _ in range(COUNT):
        (tmp_path / "a.c3d").write_bytes(broken_c3d(rng, content))
        made = None
        with contextlib.suppress(SegueError):
            made = read_markers(tmp_path / "a.c3d")
        if made is not None:
            check_markers(made, tmp_path)
