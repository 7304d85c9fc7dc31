"""Words after ``End Site`` are the tip's name or a comment, and are skipped."""

from __future__ import annotations

from pathlib import Path

import pytest

import segue

BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 90 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Spine
  {
    OFFSET 0 20 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    END_SITE
    {
      OFFSET 0 30 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.04
0 90 0 0 0 0 0 0 10
0 90 1 0 0 0 0 0 20
"""


@pytest.mark.parametrize(
    "line",
    [
        "End Site",
        "End Site Nub07",
        "End\tSite\tNub07",
        'End Site "the tip of it"',
        "End Site Nub # a comment",
        "end site nub",
        "EndSite",
        "EndSite Nub",
        "End_Site",
        "EndSite07",
        "End Site:",
        "End Tip",
        "End",
    ],
)
def test_words_behind_end_site(tmp_path: Path, line: str) -> None:
    """The tip is the same whatever follows on its line."""
    path = tmp_path / "a.bvh"
    for text in (BVH.replace("END_SITE", line), BVH.replace("END_SITE\n    {", f"{line} {{")):
        path.write_text(text)
        clip = segue.load(path, unit=0.01, up="Y")
        assert clip.skeleton.names == ("Hips", "Spine")
        assert clip.skeleton.end_sites[0].offset.tolist() == pytest.approx([0, 0.3, 0])


def test_a_joint_called_like_a_tip_is_a_joint(tmp_path: Path) -> None:
    """JOINT Endurance and JOINT End are not end sites."""
    path = tmp_path / "a.bvh"
    for name in ("Endurance", "End", "EndSite"):
        path.write_text(BVH.replace("END_SITE", "End Site").replace("Spine", name))
        assert segue.load(path, unit=0.01, up="Y").skeleton.names == ("Hips", name)


def test_other_words_are_still_refused(tmp_path: Path) -> None:
    """Another statement that begins with End is refused with its line."""
    path = tmp_path / "a.bvh"
    path.write_text(BVH.replace("END_SITE", "Endless 3"))
    with pytest.raises(segue.FileError, match=r"a\.bvh:10: 'Endless 3' is not understood"):
        segue.load(path)
