"""The engine: streamed minima are the stored matrix's, for every cost, whatever the blocks and threads."""

from __future__ import annotations

import numpy as np
import pytest

from segue.costs.engine.layout import lay
from segue.costs.engine.plan import Run
from segue.costs.engine.stored import full_matrix
from segue.costs.engine.streaming import Found, local_minima, sector_minima
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
