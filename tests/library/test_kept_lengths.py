"""Blend lengths are stored with every point."""

from __future__ import annotations

import contextlib
import sqlite3

import numpy as np
import pytest

from library_clips import filled
from segue.graph import checking
from segue.graph.build import build_graph
from segue.library.library import Library
from segue.motion.samples import sample
from segue.settings import Blend

CLIPS = [sample(name, fps=30.0) for name in ("walk", "stop")]


def test_lengths_lie_with_the_points_and_are_taken_from_there(tmp_path, monkeypatch):
    """After one match the graph is built without computing lengths, and equals that of the clips alone."""
    wanted, path = Blend(length="auto"), tmp_path / "moves.segue"
    with filled(path, CLIPS) as library:
        library.match(blend=wanted)
        direct = build_graph([library.clip(clip.name) for clip in CLIPS], blend=wanted)

    def no_more(*_: object, **__: object) -> None:
        pytest.fail("a length that is kept was computed again")

    monkeypatch.setattr(checking, "blend_length", no_more)
    with Library.open(path, mode="r") as library:
        kept = library.graph(blend=wanted)
    np.testing.assert_array_equal(kept.joins.each, direct.joins.each)
    np.testing.assert_array_equal(kept.joins.a_start, direct.joins.a_start)
    with contextlib.closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT DISTINCT blend_seconds FROM point").fetchall()
    assert len(rows) > 1
    stored = np.array([seconds for (seconds,) in rows]) * kept.fps
    assert set(kept.joins.each[~kept.bridges].tolist()) <= set(np.rint(stored).astype(int).tolist())


def test_lengths_that_are_all_the_same_are_kept_as_before(tmp_path):
    """The setting of a library matched before other length methods existed is found again."""
    with filled(tmp_path / "moves.segue", CLIPS) as library:
        first = library.match()
        assert library.match(blend=Blend(seconds=1 / 3, length="fixed")).setting == first.setting
        assert library.match(blend=Blend(length="velocity")).setting != first.setting
