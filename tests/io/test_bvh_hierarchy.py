"""The fast reader of a BVH file's hierarchy reads nothing differently from the general reader."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutants import mutant
from segue.errors import FileError
from segue.io.bvh_hierarchy import read_any_hierarchy, read_usual_hierarchy
from segue.io.digests import Digest
from segue.io.text import TextFile, read_text

CORPUS = Path(__file__).parent / "corpus"
HEADER = b"""HIERARCHY
ROOT Hips
{
  OFFSET 0 1.5 -2
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Chest:1
  {
    OFFSET 0 1e-1 +.5
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -1.25E0 0
    }
  }
}
MOTION
Frames: 1
"""


def agree(content: bytes) -> bool:
    """Whether the fast reader reads it; if so, the general reader reads the same."""
    quick = read_usual_hierarchy(content)
    if quick is not None:
        assert read_any_hierarchy(TextFile(Path("a.bvh"), content, Digest(content))) == quick
    return quick is not None


def test_a_usual_header_is_read_quickly() -> None:
    """Names, parents, lines, offsets, channels, end sites and the start of the motion are read."""
    assert agree(HEADER)
    found = read_usual_hierarchy(HEADER)
    assert found is not None
    assert [(joint.name, joint.parent, joint.line) for joint in found.joints] == [
        ("Hips", -1, 2),
        ("Chest:1", 0, 6),
    ]
    assert found.joints[1].end_sites == [(0.0, -1.25, 0.0)]
    assert found.motion_index == 15
    assert agree(HEADER.replace(b"\n", b"\n\n\t \n"))


UNUSUAL = {
    "lower case": (b"OFFSET", b"offset"),
    "a brace on the name's line": (b"Hips\n{", b"Hips {"),
    "a blank in a name": (b"Hips", b"My Hips"),
    "other letters": (b"Hips", "Hüfte".encode()),
    "a name twice": (b"Chest:1", b"Hips"),
    "a second root": (b"JOINT", b"ROOT"),
    "a joint first": (b"ROOT", b"JOINT"),
    "no name": (b"ROOT Hips", b"ROOT"),
    "two numbers": (b"OFFSET 0 1.5 -2", b"OFFSET 0 1.5"),
    "no number": (b"1.5", b"1.5.2"),
    "no length": (b"1.5", b"1e31"),
    "infinite": (b"1.5", b"1e999"),
    "a wrong count": (b"CHANNELS 3", b"CHANNELS 2"),
    "a count with a zero": (b"CHANNELS 3", b"CHANNELS 03"),
    "an unknown channel": (b"Zposition", b"Wposition"),
    "a channel twice": (b"3 Zrotation Xrotation", b"3 Zrotation Zrotation"),
    "an end site with channels": (b"E0 0\n", b"E0 0\n CHANNELS 0\n"),
    "a joint in an end site": (b"E0 0\n", b"E0 0\nJOINT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n"),
    "one brace more": (b"MOTION", b"}\nMOTION"),
    "one brace less": (b"}\nMOTION", b"MOTION"),
    "no joints": (HEADER[10:-17], b""),
    "no motion": (b"MOTION", b""),
    "something else": (b"End Site", b"Start Site"),
    "no header": (b"HIERARCHY", b""),
}


@pytest.mark.parametrize("what", UNUSUAL)
def test_what_is_unusual_is_left_to_the_careful_way(what: str) -> None:
    """The fast reader declines every header that needs a repair or a refusal."""
    old, new = UNUSUAL[what]
    assert old in HEADER
    assert read_usual_hierarchy(HEADER.replace(old, new, 1)) is None


@pytest.mark.parametrize("name", ["walk.bvh", "run_metres_z_up.bvh"])
def test_mutants_are_read_alike(name: str) -> None:
    """Corrupted headers are read as the general reader reads them, or left to it."""
    rng = np.random.default_rng(20240613)
    content = (CORPUS / name).read_bytes()
    header = content[: content.index(b"Frame Time")]
    quick = sum(agree(mutant(rng, header).decode("latin-1").encode()) for _ in range(400))
    assert 0 < quick < 400


@given(
    parts=st.lists(
        st.sampled_from([line + b"\n" for line in HEADER.split(b"\n")] + [b"}", b"{", b" ", b"\n"]),
        max_size=24,
    )
)
def test_lines_in_any_order_are_read_alike(parts: list[bytes]) -> None:
    """Lines of a header in any order and number are read alike, or left to the general reader."""
    content = b"HIERARCHY\n" + b"".join(parts)
    quick = read_usual_hierarchy(content)
    try:
        careful = read_any_hierarchy(TextFile(Path("a.bvh"), content, Digest(content)))
    except FileError:
        careful = None
    assert quick is None or quick == careful


def test_captured_headers_are_read_quickly(data: Path) -> None:
    """The header of every captured file is read by the fast reader, and alike."""
    found = [agree(read_text(path).content) for path in sorted(data.rglob("*.bvh"))]
    assert len(found) >= 45
    assert all(found)
