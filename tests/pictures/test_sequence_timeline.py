"""The timeline of a sequence."""

from __future__ import annotations

import segue
from segue.motion.resample import cut
from segue.pictures.sequence_timeline import NotExecuted, PlacedSequence, sequence_timeline
from segue.sequencing.elements import ElementaryMotion
from segue.sequencing.script import Placement, SequenceScript
from segue.sequencing.sequence import make_sequence


def test_a_timeline_holds_every_motion_pair_and_segment(tmp_path) -> None:
    """It counts what it draws, is byte for byte repeatable, and wraps long motions."""
    clips = {"go": segue.sample("walk", 30.0), "stay": segue.sample("stand", 30.0)}
    elements = {name: ElementaryMotion(name, cut(clip, 0, 120), (50, 70)) for name, clip in clips.items()}
    placed = tuple(Placement(name) for name in ("go", "stay", "go", "go"))
    made = make_sequence(elements, SequenceScript(placed))
    lost = [NotExecuted("stay", 2.0, "its core would overlap"), NotExecuted("go", 99.0, "it comes too late")]
    picture = sequence_timeline(made.clip, [PlacedSequence(made)], tmp_path / "a.png", rejected=lost)
    segments = sum(len(pair.segments) for pair in made.pairs)
    assert picture.notes == {"motions": 4, "pairs": 3, "segments": segments, "rejected": 2}
    assert (tmp_path / "a.png").read_bytes() == picture.png
    again = sequence_timeline(made.clip, [PlacedSequence(made)], rejected=lost)
    assert again.png == picture.png
    two = [PlacedSequence(made, 0, 60), PlacedSequence(made, 60)]
    assert sequence_timeline(made.clip, two).notes["motions"] > 4
