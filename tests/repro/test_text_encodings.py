"""Text that is not plain UTF-8: UTF-16 and UTF-32 are recognised by their mark, other encodings by their name."""

from __future__ import annotations

import codecs
import json
from pathlib import Path

import numpy as np
import pytest

import segue
from segue.io import motion_files
from segue.io.markers import Markers, read_markers, write_trc
from segue.texts import as_utf8, set_usual_encoding

MARKED = [
    ("utf-8-sig", b""),
    ("utf-16-le", codecs.BOM_UTF16_LE),
    ("utf-16-be", codecs.BOM_UTF16_BE),
    ("utf-32-le", codecs.BOM_UTF32_LE),
    ("utf-32-be", codecs.BOM_UTF32_BE),
]
ASF = """:version 1.10
:units
  length 1.0
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name schädel
    direction 0 1 0
    length 10
    axis 0 0 0 XYZ
    dof rx
  end
:hierarchy
  begin
    root schädel
  end
"""
AMC = ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 15 0 0 0 0\nschädel 4\n2\nroot 0 15 0 0 0 0\nschädel 5\n"


def files(folder: Path, encoding: str, mark: bytes) -> dict[str, object]:
    """One file of every kind of text with an umlaut in it, in an encoding, with its reader."""
    walk = segue.sample("walk", 10.0)
    names = ["Hüfte", *walk.skeleton.names[1:]]
    body = segue.Skeleton(names, walk.skeleton.parents, walk.skeleton.offsets, walk.skeleton.end_sites)
    clip = segue.Clip(body, walk.rotations[:3], walk.root_positions[:3], 10.0, name="m")
    segue.save(clip, folder / "m.bvh")
    write_trc(Markers(["Hüfte"], np.ones((3, 1, 3)), 10.0), folder / "m.trc")
    (folder / "m.asf").write_text(ASF, encoding="utf-8")
    (folder / "m.amc").write_text(AMC, encoding="utf-8")
    given = {"Loop": "none", "Frames": [[0.5] * 44] * 2, "Wer": "Müller"}
    (folder / "m.txt").write_text(json.dumps(given, ensure_ascii=False), encoding="utf-8")
    for path in folder.glob("m.*"):
        path.write_bytes(mark + path.read_text("utf-8").encode(encoding))
    return {"m.bvh": segue.load, "m.trc": read_markers, "m.amc": segue.load, "m.txt": segue.load}


@pytest.mark.parametrize(("encoding", "mark"), MARKED)
def test_a_mark_tells_the_encoding(tmp_path: Path, encoding: str, mark: bytes) -> None:
    """Every text file with a mark is read without an encoding setting."""
    for name, read in files(tmp_path, encoding, mark).items():
        read(tmp_path / name)
    assert len(motion_files([tmp_path])) == 3
    assert read_markers(tmp_path / "m.trc").names == ("Hüfte",)
    assert segue.load(tmp_path / "m.bvh").skeleton.names[0] == "Hüfte"
    assert segue.load(tmp_path / "m.amc").skeleton.names == ("root", "schädel")


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "cp850", "utf-16-le", "mac-roman"])
def test_an_encoding_that_is_named(tmp_path: Path, encoding: str) -> None:
    """Without a mark every text file is read with a named encoding, and refused with advice without one."""
    for name, read in files(tmp_path, encoding, b"").items():
        read(tmp_path / name, encoding=encoding)
        if name != "m.txt" and encoding != "utf-16-le":
            with pytest.raises(segue.FileError, match=r"not UTF-8; give the encoding, as --encoding cp1252"):
                read(tmp_path / name)
    assert read_markers(tmp_path / "m.trc", encoding=encoding).names == ("Hüfte",)


def test_a_mark_goes_before_a_name(tmp_path: Path) -> None:
    """In a folder of cp1252 files a UTF-16 file is still read by its mark."""
    files(tmp_path, "utf-16-le", codecs.BOM_UTF16_LE)
    assert segue.load(tmp_path / "m.bvh", encoding="cp1252").skeleton.names[0] == "Hüfte"


def test_the_usual_encoding_is_for_all_threads() -> None:
    """The command line sets it; an unknown one is refused."""
    import threading

    reported = []
    set_usual_encoding("cp1252")
    try:
        thread = threading.Thread(target=lambda: reported.append(as_utf8(b"H\xfcfte").decode()))
        thread.start()
        thread.join()
    finally:
        set_usual_encoding(None)
    assert reported == ["Hüfte"]
    with pytest.raises(LookupError):
        set_usual_encoding("klingon")
    with pytest.raises(UnicodeDecodeError):
        as_utf8(b"H\xfcfte")


@pytest.mark.parametrize("encoding", ["base64", "zip", "rot13", "a\0b", "klingon", "idna"])
def test_what_is_no_encoding_of_text(tmp_path: Path, encoding: str) -> None:
    """A codec of bytes, or an unknown name, gives one sentence."""
    (tmp_path / "a.bvh").write_bytes(b"HIERARCHY \xfc")
    with pytest.raises(segue.FileError, match=r"unknown|is not ascii"):
        segue.load(tmp_path / "a.bvh", encoding=encoding)


def test_half_a_letter_at_the_end(tmp_path: Path) -> None:
    """A truncated UTF-16 file gives a sentence with a line."""
    (tmp_path / "a.bvh").write_bytes("HIERARCHY\nROOT".encode("utf-16") + b"\0")
    with pytest.raises(segue.FileError, match=r"a\.bvh:2: byte 0x00 is not utf-16-le"):
        segue.load(tmp_path / "a.bvh")
