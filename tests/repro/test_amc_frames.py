"""An error in an AMC file is reported with its frame and its line."""

from __future__ import annotations

from pathlib import Path

import pytest

import segue

ASF = """:version 1.10
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
    dof rx ry
  end
  begin
    id 2
    name head
    direction 0 1 0
    length 5
    axis 0 0 0 XYZ
    dof rx
  end
:hierarchy
  begin
    root spine
    spine head
  end
"""


def amc(first: int = 1, **changes: str) -> str:
    """Four frames, with some lines changed; ``spine_2`` is the spine line of the second frame."""
    lines = [":FULLY-SPECIFIED", ":DEGREES"]
    for k in range(4):
        given = {"root": "root 0 15 0 0 0 0", "spine": "spine 1 2", "head": "head 3"}
        given |= {name.split("_")[0]: line for name, line in changes.items() if name.endswith(f"_{k + 1}")}
        lines += [str(first + k), *(line for line in given.values() if line)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (amc(head_1=""), 3, "frame 1: bone 'head' is not in every frame; this one has no values"),
        (amc(head_3=""), 11, "frame 3: bone 'head' is not in every frame; this one has no values"),
        (amc(head_1="", head_3="", head_4=""), 6, "frame 2: bone 'head' is not in every frame; this one has values"),
        (amc(spine_1="", head_2=""), 3, "frame 1: bone 'spine'"),
        (amc(first=200, head_2=""), 7, "frame 201: bone 'head'"),
        (amc(spine_2="spine 1"), 9, "frame 2: bone 'spine' has 1 values"),
        (amc(spine_2="spine 1 x"), 9, "frame 2: spine: 'x' is not a number"),
        (amc(spine_2="tail 1 2"), 9, "frame 2: bone 'tail' is not in"),
        (amc(head_4="head 3\nhead 3"), 19, "frame 4: bone 'head' occurs twice"),
        (amc(root_3="root 0 1e31 0 0 0 0"), 11, "frame 3: bone 'root' is moved by more"),
        (amc().replace("\n3\n", "\n5\n"), 11, "frame number 5 follows frame 2"),
    ],
)  # fmt: skip
def test_the_frame_and_its_line(tmp_path: Path, content: str, line: int, message: str) -> None:
    """The error names the frame that is wrong, not the one at which the reader noticed."""
    (tmp_path / "a.asf").write_text(ASF)
    (tmp_path / "a.amc").write_text(content)
    with pytest.raises(segue.FileError) as caught:
        segue.load(tmp_path / "a.amc")
    assert message in str(caught.value)
    assert caught.value.line == line, str(caught.value)
