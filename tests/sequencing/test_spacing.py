"""Distances between cores: naive twin, law, and the reported conflict."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from naive.sequencing import core_fits, nearest_fit
from segue.sequencing.decisions import PlacedCore
from segue.sequencing.spacing import conflicting, nearest_free, reason_of, room_between

FPS = 60.0
SPANS = st.lists(st.tuples(st.integers(0, 150), st.integers(1, 30)), min_size=1, max_size=5)


def placed(begin: int, length: int, number: int = 0) -> PlacedCore:
    """A core of the given number of frames."""
    return PlacedCore(f"m{number}", number, begin, begin, begin + length, length)


@given(spans=SPANS, begin=st.integers(0, 200), length=st.integers(1, 30), soonest=st.integers(0, 120))
def test_the_nearest_free_frame_is_the_naive_one(
    spans: list[tuple[int, int]], begin: int, length: int, soonest: int
) -> None:
    """A search over every frame finds the same nearest one, and nothing conflicts there."""
    cores = [placed(at, count, k) for k, (at, count) in enumerate(spans)]
    ends = [(core.begin_frame, core.end_frame - 1) for core in cores]
    room = room_between(FPS)
    at = nearest_free(cores, begin, length, fps=FPS, soonest=soonest)
    assert at == nearest_fit(ends, begin, length, room, soonest)
    assert conflicting(cores, at, at + length, fps=FPS) is None
    free = core_fits(ends, begin, begin + length - 1, room)
    assert (conflicting(cores, begin, begin + length, fps=FPS) is None) == free


def test_the_core_that_is_overlapped_most_is_named() -> None:
    """Of two overlapping cores the one that overlaps more is named, with its times; a near core by its distance."""
    cores = [placed(10, 20, 1), placed(40, 30, 2)]
    other = conflicting(cores, 25, 60, fps=FPS)
    assert other is cores[1]
    assert "overlap that of 'm2', 0.67 to 1.17 s" in reason_of(cores[1], 25, 60, fps=FPS)
    near = conflicting(cores, 71, 90, fps=FPS)
    assert near is cores[1]
    assert "0.03 s after that of 'm2'" in reason_of(cores[1], 71, 90, fps=FPS)
    assert "within that of 'm1'" in reason_of(cores[0], 12, 20, fps=FPS)
