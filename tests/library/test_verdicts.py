"""A person's verdict on a point outlives matching, follows frames, and comes along into other libraries."""

from __future__ import annotations

from dataclasses import replace

import pytest

from library_clips import filled, short
from segue.errors import SettingError
from segue.library.exchange import import_library


def test_a_persons_word_outlives_every_matching(tmp_path):
    """Bad points leave graphs and answers and good ones enter, also after a new match of everything."""
    with filled(tmp_path / "moves.segue", [short(name, 0, 100) for name in ("walk", "walk_left")]) as library:
        library.match(threshold=0.05)
        bad = library.points("walk", "walk_left")[0]
        failed = [p for p in library.points(verified=False) if max(p.cost, p.diagonal_cost) <= 0.05]
        good = failed[0]
        before = len(library.graph(threshold=0.05).joins)
        library.verify(bad, "bad", by="Ann")
        assert len(library.graph(threshold=0.05).joins) == before - 1
        library.verify(good, "good")
        assert len(library.graph(threshold=0.05).joins) == before
        for threshold in (0.01, 0.05):
            library.match(threshold=threshold)
            assert bad.a_frame not in {
                p.a_frame for p in library.points("walk", "walk_left") if p.b_frame == bad.b_frame
            }
            assert (good.a_frame, good.b_frame) in {(p.a_frame, p.b_frame) for p in library.points()}
        with library.store.writing() as db:
            db.execute("DELETE FROM pair")
        assert library.match(threshold=0.05).new_pairs == 3
        assert len(library.graph(threshold=0.05).joins) == before
        again = library.points("walk", "walk_left", verified=False)
        assert (bad.a_frame, bad.b_frame) in {(p.a_frame, p.b_frame) for p in again}
        with pytest.raises(
            SettingError, match="no point from frame 0 of 'walk' to frame 0 of 'walk_left'; nearest: frame"
        ):
            library.verify(
                type(bad)("walk", "walk_left", 0, 0, *(0.1, "aligned", bad.alignment, 0.1, True)), "bad"
            )
        with pytest.raises(SettingError, match="'good' or 'bad'"):
            library.verify(bad, "ugly")


def test_a_persons_word_follows_frames_that_moved(tmp_path):
    """With twenty frames cut from the start the verdict holds at the frame of the same pose, not at its old number."""
    with filled(tmp_path / "moves.segue", [short(name, 0, 100) for name in ("walk", "walk_left")]) as library:
        library.match(threshold=0.05)
        bad = next(p for p in library.points("walk", "walk_left") if p.a_frame >= 40)
        library.verify(bad, "bad")
        library.add(short("walk", 20, 100))
        library.match(threshold=0.05)
        refused = library.points("walk", "walk_left", verified=False)
        assert (bad.a_frame - 20, bad.b_frame) in {(p.a_frame, p.b_frame) for p in refused}
        accepted = library.points("walk", "walk_left")
        assert (bad.a_frame - 20, bad.b_frame) not in {(p.a_frame, p.b_frame) for p in accepted}


def test_a_persons_word_goes_along_into_another_library(tmp_path):
    """It is imported with the clips; verdicts already there are kept."""
    clips = [short(name, 0, 100) for name in ("walk", "walk_left")]
    with filled(tmp_path / "a.segue", clips) as here, filled(tmp_path / "b.segue", clips[:1]) as there:
        here.match(threshold=0.05)
        there.match(threshold=0.05)
        inside, across = here.points("walk", "walk")[0], here.points("walk", "walk_left")[0]
        here.verify(inside, "bad")
        here.verify(across, "bad", by="Ann")
        there.verify(inside, "good")
        import_library(there, here)
        assert there.match(threshold=0.05).new_pairs == 2
        assert replace(across, verified=False) in there.points("walk", "walk_left", verified=False)
        assert inside in there.points("walk", "walk")
        assert there.store.value("SELECT by FROM verdict WHERE a_clip <> b_clip") == "Ann"
