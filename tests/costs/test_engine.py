"""The engine: the matrix of a set is that of its pairs, for every cost, block size and number of threads."""

from __future__ import annotations

from functools import partial
from threading import Lock, get_ident
from time import sleep

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.costs.engine.plan import Blocks, Run, borrowed, full_matrix
from segue.costs.registry import COSTS, cost
from segue.errors import SettingError, StoppedError
from segue.motion.resample import cut
from segue.motion.samples import sample
from segue.threads import each


@pytest.fixture(scope="module", params=sorted(COSTS))
def prepared(request):
    """A cost of the registry, clips prepared by it, one too short for most windows, and their matrices."""
    made = cost(request.param)
    walk = sample("walk", 30.0)
    clips = [cut(walk, 0, 70), sample("stop"), cut(walk, 0, 4), cut(sample("run", 30.0), 0, 61)]
    ready = [made.prepare(clip) for clip in clips]
    return made, ready, stored(made, ready)


def stored(made, ready):
    """Matrix of each pair of clips, from the engine's complete matrix."""
    whole = full_matrix(ready, ready, cost=made, run=Run(threads=1))
    edge = np.cumsum([0, *(p.n for p in ready)])
    return {
        (a, b): whole[edge[a] : edge[a + 1], edge[b] : edge[b + 1]]
        for a in range(len(ready))
        for b in range(a, len(ready))
        if ready[a].n and ready[b].n
    }


def test_the_whole_matrix_is_the_pairs_matrices(prepared):
    """The matrices agree bit for bit."""
    made, ready, matrices = prepared
    for (a, b), values in matrices.items():
        np.testing.assert_array_equal(values, made.matrix(ready[a], ready[b]))


RUNS = [Run(threads=1), Run(threads=2), Run(threads=3, memory_budget=3_000_000)]


@pytest.mark.parametrize("run", RUNS, ids=["one", "two", "small"])
def test_however_it_is_cut_the_matrix_is_the_same(prepared, run):
    """The result is bit-identical with one thread, two, and small blocks."""
    made, ready, matrices = prepared
    whole = full_matrix(ready, ready, cost=made, run=run)
    edge = np.cumsum([0, *(p.n for p in ready)])
    for (a, b), values in matrices.items():
        np.testing.assert_array_equal(whole[edge[a] : edge[a + 1], edge[b] : edge[b + 1]], values)


def test_progress_counts_every_cell_once(prepared):
    """Progress increases to the number of cells of the matrix."""
    made, ready, _ = prepared
    seen = []
    run = Run(threads=1, progress=lambda done, total: seen.append((done, total)))
    cells = full_matrix(ready, ready, cost=made, run=run).size
    assert seen == sorted(seen)
    assert seen[-2] == seen[-1] == (cells, cells)


@pytest.mark.parametrize("threads", [1, 2])
def test_work_can_be_stopped(prepared, threads):
    """Both the stop callback and an exception of the progress callback stop the work."""
    made, ready, _ = prepared
    with pytest.raises(StoppedError, match="stopped after"):
        full_matrix(ready, ready, cost=made, run=Run(threads=threads, stop=lambda: True))

    def fall(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        full_matrix(ready, ready, cost=made, run=Run(threads=threads, progress=fall))


@given(st.integers(1, 6000), st.sampled_from([1, 2, 4, 8]))
def test_strips_cover_all_slots_and_hold_about_as_many_cells(size, strips):
    """No strip is wider than the limit."""
    edges = np.array(Blocks(1344, 192, strips, 1).edges(size))
    wide = np.diff(edges)
    assert (edges[0], edges[-1]) == (0, size)
    assert wide.min() > 0
    assert wide.max() <= 1344
    same = (wide > 128) & (wide < 1344)  # neither the narrowest nor the widest
    same[-1] = False
    assert np.all(np.abs(wide[same] - size / strips) <= 1)


def test_little_memory_lets_fewer_threads_work_at_once():
    """Only as many threads work in parallel as fit into memory."""
    at_once, most, lock = [0], [0], Lock()

    def job():
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        sleep(0.002)
        with lock:
            at_once[0] -= 1
        return True

    run = Run(threads=4)
    for fit in (1, 2):
        blocks = Blocks(1344, 192, 8, fit)
        most[0] = 0
        assert all(each((blocks.guarded(job, run) for _ in range(8)), threads=4))
        assert most[0] == fit


def test_results_come_in_the_order_of_jobs():
    """The order holds for any duration of a job and any thread."""

    def job(number):
        sleep(0.001 * (number % 3))
        return number, get_ident()

    done = list(each((partial(job, k) for k in range(20)), threads=3))
    assert [number for number, _ in done] == list(range(20))
    assert get_ident() in {thread for _, thread in done}
    assert 1 < len({thread for _, thread in done}) <= 10


def test_rooms_are_lent_again():
    """A buffer is reused unless a larger one is needed; two borrowers get two buffers."""
    with borrowed((4, 16), "float32") as first, borrowed((4, 16), "float32") as second:
        assert not np.shares_memory(first, second)
    with borrowed((2, 16), "float64") as again:
        assert np.shares_memory(again, first) or np.shares_memory(again, second)
    with borrowed((4096, 16), "float64") as large:
        assert large.shape == (4096, 16)


def test_budgets_that_do_not_suffice_are_refused():
    """The error states the bytes needed."""
    made = cost("relative_distance")
    ready = [made.prepare(sample("walk"))]
    with pytest.raises(SettingError, match="smallest blocks"):
        full_matrix(ready, ready, cost=made, run=Run(memory_budget=4 * ready[0].n ** 2 + 1000))
    with pytest.raises(SettingError, match="fewer clips at once"):
        full_matrix(ready, ready, cost=made, run=Run(memory_budget=1000))


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"threads": 0}, "at least one thread"), ({"memory_budget": 0}, "bytes"), ({"threads": -1}, "thread")],
)
def test_impossible_runs_are_refused(settings, words):
    """The error states the requirement."""
    with pytest.raises(SettingError, match=words):
        Run(**settings)


def test_no_clips_give_no_cells():
    """Nor does a clip shorter than the window."""
    made = cost("point_cloud")
    stub = made.prepare(cut(sample("walk", 30.0), 0, 5))
    for clips in ([], [stub], [stub, stub]):
        assert full_matrix(clips, clips, cost=made).shape == (0, 0)
