"""The nearest transition out of a clip agrees with a scan of all points, whoever writes meanwhile."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.nearest import nearest as scanned
from segue.errors import SettingError
from segue.library.library import Library
from segue.maths.planar import PlanarMotion
from segue.motion.resample import cut
from segue.motion.samples import sample
from segue.transitions.transition import TransitionPoint

NAMES = ("walk", "run", "stop")


def point(a: str, b: str, a_frame: int, b_frame: int, *, verified: bool = True) -> TransitionPoint:
    """A point given by the user."""
    nowhere = PlanarMotion(0.1, 1.0, -2.0)
    return TransitionPoint(a, b, a_frame, b_frame, 0.5, "aligned", nowhere, 0.25, verified)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Three short clips and no point."""
    with Library.open(tmp_path_factory.mktemp("nearest") / "moves.segue") as made:
        made.add([cut(sample(name, fps=30.0), 0, 40).with_motion(name=name) for name in NAMES])
        yield made


def cleared(library: Library) -> Library:
    """The same library without points."""
    with library.store.writing() as db:
        for table in ("pair", "verdict", "setting"):
            db.execute(f"DELETE FROM {table}")
    return library


PLACES = st.tuples(
    st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(0, 12), st.integers(0, 12), st.booleans()
)


@settings(max_examples=30)
@given(
    places=st.lists(PLACES, min_size=1, max_size=40, unique_by=lambda place: place[:4]),
    asked=st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 14)), min_size=1, max_size=12),
)
def test_every_answer_is_that_of_a_scan(library, places, asked):
    """For any points and any query: clip, frame, clip to enter or any, verified points or all."""
    given_values = [point(*place[:4], verified=place[4]) for place in places]
    assert cleared(library).tell(given_values, by="a test") == len(given_values)
    rows = [vars(one) for one in given_values]
    for clip, frame in asked:
        for to in (None, *NAMES):
            for verified in (True, False):
                found = library.nearest(clip, frame, to=to, verified=verified)
                got = None if found is None else (found.a_frame, found.b_frame)
                assert got == scanned(rows, clip, frame, to=to, verified=verified)
                assert found is None or found in given_values


def test_a_point_comes_back_as_it_was_told(library):
    """Every field comes back, unknown numbers too."""
    given_values = point("walk", "run", 3, 4)
    blank = TransitionPoint("walk", "run", 9, 4, np.nan, "start_end", PlanarMotion(), np.nan, True)
    cleared(library).tell([given_values, blank], by="a test")
    assert library.nearest("walk", 0) == given_values
    back = library.nearest("walk", np.int64(4))
    assert back.kind == "start_end"
    assert np.isnan([back.cost, back.diagonal_cost]).all()


def test_what_others_write_is_seen_at_once(library):
    """Points added or judged, and clips removed, through another connection change the next answer."""
    cleared(library).tell([point("walk", "run", 5, 5), point("walk", "stop", 8, 2)], by="a test")
    assert library.nearest("walk", 0).a_frame == 5
    with Library.open(library.path) as other:
        other.tell([point("walk", "run", 2, 7)], by="a test")
        assert library.nearest("walk", 0).a_frame == 2
        other.verify(point("walk", "run", 2, 7), "bad")
        assert library.nearest("walk", 0).a_frame == 5
        assert other.nearest("walk", 0).a_frame == 5
        other.add(cut(sample("start", fps=30.0), 0, 40).with_motion(name="jump"))
        other.tell([point("walk", "jump", 0, 0)], by="a test")
        assert library.nearest("walk", 0).b_clip == "jump"
        other.remove("jump")
    assert library.nearest("walk", 0).a_frame == 5
    with pytest.raises(SettingError, match="is called 'jump'"):
        library.nearest("jump", 0)


def test_a_changed_clip_has_no_points_of_its_old_frames(library):
    """They are removed in the step that makes another version current."""
    cleared(library).tell([point("walk", "run", 5, 5), point("walk", "stop", 8, 2)], by="a test")
    library.add(cut(sample("run", fps=30.0), 5, 44).with_motion(name="run"))
    assert library.nearest("walk", 0).b_clip == "stop"
    assert library.points("walk", "run", verified=None) == ()


def test_questions_that_make_no_sense_are_answered_with_a_sentence(library):
    """An unknown clip, half a frame, an unknown setting and an empty library each give a sentence."""
    cleared(library)
    with pytest.raises(SettingError, match=r"nothing in .* was compared yet"):
        library.nearest("walk", 0)
    library.tell([point("walk", "run", 5, 5)], by="a test")
    assert library.nearest("walk", 6) is None
    for ask, words in (
        (lambda: library.nearest("wallk", 0), "nearest: walk"),
        (lambda: library.nearest("walk", 0, to="rum"), "nearest: run"),
        (lambda: library.nearest("walk", 0.5), "a whole number"),
        (lambda: library.nearest("walk", 0, setting="abc"), "was compared yet"),
    ):
        with pytest.raises(SettingError, match=words):
            ask()
