"""The engine: streamed minima are the stored matrix's, for every cost, whatever the blocks and threads."""

from __future__ import annotations

from functools import partial
from threading import Lock, get_ident
from time import sleep

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.costs.engine import streaming
from segue.costs.engine.crew import each
from segue.costs.engine.layout import lay
from segue.costs.engine.plan import Blocks, Count, Run, blocks_within
from segue.costs.engine.scratch import borrowed
from segue.costs.engine.stored import full_matrix
from segue.costs.engine.streaming import Found, local_minima, sector_minima
from segue.costs.engine.tiles import tiles_of
from segue.costs.registry import COSTS, cost
from segue.errors import SettingError, StoppedError
from segue.motion.resample import cut
from segue.motion.samples import sample
from segue.transitions import minima

BAND = 12


@pytest.fixture(scope="module", params=sorted(COSTS))
def prepared(request):
    """A cost of the registry, clips prepared by it, one too short for most windows, and their matrices."""
    made = cost(request.param)
    walk = sample("walk", 30.0)
    clips = [cut(walk, 0, 70), sample("stop"), cut(walk, 0, 4), cut(sample("run", 30.0), 0, 61)]
    ready = [made.prepare(clip) for clip in clips]
    return made, ready, stored(made, ready)


def stored(made, ready):
    """Matrix of each pair of clips, from the engine's whole matrix."""
    whole = full_matrix(ready, ready, cost=made, run=Run(threads=1))
    edge = np.cumsum([0, *(p.n for p in ready)])
    return {
        (a, b): whole[edge[a] : edge[a + 1], edge[b] : edge[b + 1]]
        for a in range(len(ready))
        for b in range(a, len(ready))
        if ready[a].n and ready[b].n
    }


def expected(matrices, search):
    """What searching the stored matrices finds: clip, clip, row, column and cost of each cell."""
    rows = []
    for (a, b), values in matrices.items():
        cells = search(values, BAND if a == b else None)
        rows += [(a, b, int(i), int(j), float(values[i, j])) for i, j in cells]
    return sorted(rows)


def listed(found: Found):
    """The same of streamed cells."""
    columns = found.a_clip, found.b_clip, found.cells[:, 0], found.cells[:, 1], found.cost
    return list(zip(*(column.tolist() for column in columns), strict=True))


def low(threshold):
    """Search for local minima under a threshold."""

    def search(values, least):
        cells = minima.local_minima(values, least=least)
        return cells[values[cells[:, 0], cells[:, 1]] <= threshold]

    return search


def test_the_whole_matrix_is_the_pairs_matrices(prepared):
    """Clip by clip, bit for bit."""
    made, ready, matrices = prepared
    for (a, b), values in matrices.items():
        np.testing.assert_array_equal(values, made.matrix(ready[a], ready[b]))


RUNS = [Run(threads=1), Run(threads=2), Run(threads=3, memory_budget=3_000_000)]


@pytest.mark.parametrize("run", RUNS, ids=["one", "two", "small"])
def test_streamed_minima_are_the_stored_ones(prepared, run):
    """Bit for bit, in one thread, two, and with blocks cut small."""
    made, ready, matrices = prepared
    threshold = float(np.quantile(matrices[0, 1], 0.1))
    found = local_minima(ready, cost=made, threshold=threshold, least=BAND, run=run)
    assert listed(found) == expected(matrices, low(threshold))
    assert len(found) > 10


@pytest.mark.parametrize("run", RUNS, ids=["one", "two", "small"])
@pytest.mark.parametrize("sector", [1, 7, 50])
def test_streamed_sector_minima_are_the_stored_ones(prepared, run, sector):
    """Bit for bit, sectors cut by strips too."""
    made, ready, matrices = prepared
    found = sector_minima(ready, cost=made, sector=sector, least=BAND, run=run)
    assert listed(found) == expected(
        matrices, lambda values, least: minima.sector_minima(values, sector, least=least)
    )


@pytest.mark.parametrize("name", ["relative_distance", "joint_angle"])
@pytest.mark.parametrize("sector", [1, 2])
def test_more_sectors_than_a_block_has_rows_to_a_look(name, sector):
    """A short clip in tiny sectors: hundreds of them in few rows."""
    made = cost(name)
    ready = [made.prepare(cut(sample("walk", 30.0), 0, 150))]
    found = sector_minima(ready, cost=made, sector=sector, least=1)
    assert listed(found) == expected(
        stored(made, ready), lambda values, least: minima.sector_minima(values, sector, least=1)
    )
    assert len(found) > 2000


@pytest.mark.parametrize("threads", [1, 2])
def test_sectors_wider_than_strips_are_found_once(threads):
    """Each is the cheapest cell of the parts that strips hold."""
    made = cost("relative_distance", rate=60.0)
    ready = [made.prepare(sample("walk")), made.prepare(sample("stop"))]
    run = Run(threads=threads, memory_budget=sum(2 * p.features["rows"].nbytes for p in ready) + 150_000)
    side = lay(ready)
    blocks = blocks_within(tiles_of(made, side, side), run, width=side.size, half=True)
    assert blocks.columns < 350
    found = sector_minima(ready, cost=made, sector=350, least=BAND, run=run)
    assert listed(found) == expected(
        stored(made, ready), lambda values, least: minima.sector_minima(values, 350, least=least)
    )


def test_unusable_frames_are_walls(prepared):
    """As if the stored matrix were infinite wherever a window touches one."""
    made, ready, matrices = prepared
    usable = [np.ones(p.n + p.needed_frames - 1, dtype=bool) for p in ready]
    usable[0][[20, 21, 40]] = False
    usable[3][0] = False
    sound = [
        np.array([flags[i : i + p.needed_frames].all() for i in range(p.n)], dtype=bool)
        for flags, p in zip(usable, ready, strict=True)
    ]
    walled = {
        (a, b): np.where(sound[a][:, None] & sound[b], values, np.inf) for (a, b), values in matrices.items()
    }
    threshold = float(np.quantile(matrices[0, 1], 0.2))
    found = local_minima(ready, cost=made, threshold=threshold, least=BAND, usable=usable)
    assert listed(found) == expected(walled, low(threshold))
    sectors = sector_minima(ready, cost=made, sector=9, least=BAND, usable=usable)
    assert listed(sectors) == expected(
        walled, lambda values, least: minima.sector_minima(values, 9, least=least)
    )


def test_progress_counts_every_pair_once(prepared):
    """It rises to the number of cells that may be chosen."""
    made, ready, matrices = prepared
    seen = []
    run = Run(threads=1, progress=lambda done, total: seen.append((done, total)))
    found = local_minima(ready, cost=made, threshold=0.0, least=BAND, run=run)
    upper = {
        pair: np.triu(np.ones(v.shape), BAND if pair[0] == pair[1] else -(10**6)).sum()
        for pair, v in matrices.items()
    }
    assert found.pairs == sum(upper.values())
    assert seen == sorted(seen)
    assert seen[-2] == seen[-1] == (found.pairs, found.pairs)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_cells_are_counted_once_however_strips_are_cut(prepared, threads, monkeypatch):
    """Neither padding nor a strip's neighbours count."""
    made, ready, _ = prepared
    counts = []

    class Kept(Count):
        def finish(self):
            counts.append(self.done)
            super().finish()

    monkeypatch.setattr(streaming, "Count", Kept)
    run = Run(threads=threads)
    found = [
        local_minima(ready, cost=made, threshold=0.0, least=BAND, run=run),
        *(sector_minima(ready, cost=made, sector=sector, least=BAND, run=run) for sector in (7, 500)),
    ]
    assert counts == [one.pairs for one in found]


@pytest.mark.parametrize("threads", [1, 2])
def test_work_can_be_stopped(prepared, threads):
    """By a word or by an exception of a callback, at once."""
    made, ready, _ = prepared
    with pytest.raises(StoppedError, match="stopped after"):
        local_minima(ready, cost=made, threshold=0.1, run=Run(threads=threads, stop=lambda: True))

    def fall(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sector_minima(ready, cost=made, sector=50, run=Run(threads=threads, progress=fall))


@given(st.integers(1, 6000), st.sampled_from([1, 2, 4, 8]), st.booleans(), st.integers(0, 2**32 - 1))
def test_strips_cover_all_slots_and_hold_about_as_many_cells(size, strips, half, seed):
    """None is wider than it may be, and sectors are whole where one begins near enough."""
    blocks = Blocks(1344, 192, strips, 1)
    rng = np.random.default_rng(seed)
    begins = np.unique([0, *rng.integers(0, size, size // 60)])
    for cuts in (None, begins):
        edges = blocks.edges(size, most=1344, half=half, begins=cuts)
        assert edges[0] == 0
        assert edges[-1] == size
        widths = np.diff(edges)
        assert widths.min() > 0
        assert widths.max() <= 1344
        if cuts is not None and np.diff([*begins, size]).max() <= 128:
            assert set(edges[1:-1]) <= set(begins.tolist())
    edges = np.array(blocks.edges(size, most=1344, half=half))
    cells = np.diff(edges**2 / 2 if half else edges * size)
    wide = np.diff(edges)
    same = (wide > 128) & (wide < 1344)  # neither the narrowest nor the widest
    same[-1] = False
    assert np.all(np.abs(cells[same] - cells.sum() / strips) <= (size + 1))


def test_little_memory_lets_fewer_threads_work_at_once():
    """As many as were found to fit, whatever threads there are."""
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
    count = Count(run, 0, inline=False)
    for fit in (1, 2):
        blocks = Blocks(1344, 192, 8, fit)
        most[0] = 0
        assert all(each((blocks.guarded(job, run) for _ in range(8)), count, threads=4))
        assert most[0] == fit


def test_results_come_in_the_order_of_jobs():
    """However long each takes, and whoever does it."""
    run = Run(threads=3)

    def job(number):
        sleep(0.001 * (number % 3))
        return number, get_ident()

    done = list(each((partial(job, k) for k in range(20)), Count(run, 0, inline=False), threads=3))
    assert [number for number, _ in done] == list(range(20))
    assert get_ident() in {thread for _, thread in done}
    assert 1 < len({thread for _, thread in done}) <= 3


def test_rooms_are_lent_again():
    """The same memory, unless more is asked for; two borrowers have two rooms."""
    with borrowed((4, 16), "float32") as first, borrowed((4, 16), "float32") as second:
        assert not np.shares_memory(first, second)
    with borrowed((2, 16), "float64") as again:
        assert np.shares_memory(again, first) or np.shares_memory(again, second)
    with borrowed((4096, 16), "float64") as large:
        assert large.shape == (4096, 16)


def test_budgets_that_do_not_suffice_are_refused():
    """With the bytes that would."""
    made = cost("relative_distance")
    ready = [made.prepare(sample("walk"))]
    with pytest.raises(SettingError, match="smallest blocks"):
        local_minima(ready, cost=made, threshold=0.1, run=Run(memory_budget=1000))
    with pytest.raises(SettingError, match="stream its minima"):
        full_matrix(ready, ready, cost=made, run=Run(memory_budget=1000))


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"threads": 0}, "at least one thread"), ({"memory_budget": 0}, "bytes"), ({"threads": -1}, "thread")],
)
def test_impossible_runs_are_refused(settings, words):
    """With what would work."""
    with pytest.raises(SettingError, match=words):
        Run(**settings)


def test_impossible_searches_are_refused():
    """Thresholds that are no numbers, sectors without cells, bands that are none, flags of another length."""
    made = cost("relative_distance")
    ready = [made.prepare(sample("walk"))]
    with pytest.raises(SettingError, match="number"):
        local_minima(ready, cost=made, threshold=float("nan"))
    with pytest.raises(SettingError, match="at least 1"):
        sector_minima(ready, cost=made, sector=0)
    with pytest.raises(SettingError, match="at least 1"):
        local_minima(ready, cost=made, threshold=0.1, least=0)
    with pytest.raises(SettingError, match="flags"):
        lay(ready, usable=[np.ones(3, dtype=bool)])


def test_no_clips_give_no_cells():
    """Nor does a clip shorter than the window."""
    made = cost("point_cloud")
    stub = made.prepare(cut(sample("walk", 30.0), 0, 5))
    for clips in ([], [stub], [stub, stub]):
        assert len(local_minima(clips, cost=made, threshold=1.0)) == 0
        assert len(sector_minima(clips, cost=made, sector=5)) == 0
        assert full_matrix(clips, clips, cost=made).shape == (0, 0)
