"""Goals from option texts and files."""

from __future__ import annotations

from pathlib import Path

import pytest

import segue
from segue.app import stages
from segue.app.directing import DirectRequest, labels_of, read_asked, with_clips
from segue.errors import FileError
from segue.graph.goals import Pass, Show


def test_words_become_goals(tmp_path: Path) -> None:
    """Consecutive segments of one label merge; a colon gives frames; points have times."""
    file = tmp_path / "p.csv"
    file.write_text("0,0,go\n0,1,go\n0,2\n0,3,turn\n1,3\n", "utf-8")
    goals, note = read_asked(
        DirectRequest(path=str(file), start="a:b:12", through=["1,-2@3s"], show=["big jump@0-1.5"])
    )
    assert note == "4.00 m"
    assert goals.start == ("a:b", 12)
    assert goals.passes == (Pass(1.0, -2.0, 3.0),)
    assert goals.shows == (
        Show("big jump", 0.0, 1.5),
        Show("go", 0.0, 2.0, along=True),
        Show("turn", 3.0, 4.0, along=True),
    )


def test_labels_of_a_library_and_of_a_file_come_at_the_rate_of_the_graph(tmp_path: Path) -> None:
    """A label range at 60 frames a second has half as many frames at 30."""
    segue.save(segue.sample("walk"), tmp_path / "walk.bvh")
    with segue.Library.open(tmp_path / "moves.segue") as library:
        library.add(tmp_path / "walk.bvh")
        library.label("walk", "stride", start_frame=60, stop_frame=120)
    clips = stages.read([str(tmp_path / "moves.segue")]).clips
    file = tmp_path / "l.toml"
    file.write_text('stride = ["walk:0-30"]\n', "utf-8")
    assert labels_of(clips, file) == {"stride": [("walk", 60, 120), ("walk", 0, 30)]}
    graph = segue.MotionGraph.build(clips, fps=30)
    asked = DirectRequest(show=["stride@0-1"], labels=file, start="walk.bvh:20")
    goals = with_clips(read_asked(asked)[0], asked, clips, graph)
    assert goals.labels == {"stride": [("walk", 30, 60), ("walk", 0, 15)]}
    assert goals.start == ("walk", 10)


@pytest.mark.parametrize(
    "text", ["a = 1", 'a = ["wlak"]', 'a = ["walk:9-5"]', "a = [", 'a = ["walk:0-99999"]']
)
def test_wrong_labels_are_refused(tmp_path: Path, text: str) -> None:
    """The error names the file."""
    file = tmp_path / "l.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(FileError, match=r"l\.toml"):
        labels_of([segue.sample("walk")], file)
