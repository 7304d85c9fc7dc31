"""A Dask cluster in this process compares tiles bit for bit like threads, whichever worker is lost; else one sentence.

Threads of this process are the reference; `benchmarks/show` kills real worker processes.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from library_clips import filled, short
from segue.costs.registry import cost
from segue.errors import SettingError
from segue.graph.matching import match
from segue.library import cluster as scale
from segue.library.cluster import Cluster
from segue.settings import Blend, SearchSettings
from segue.transitions import tiles

distributed = pytest.importorskip("distributed", reason="needs the scale extra")

NAMES = ("walk", "stop", "start", "walk_left")


@pytest.fixture
def cluster():
    """Two workers within this process."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    ) as made:
        yield made


@pytest.fixture
def workers(cluster):
    """The same workers, for a comparison."""
    with Cluster(cluster.scheduler_address) as made:
        yield made


@pytest.fixture(autouse=True)
def _small_tiles(monkeypatch):
    monkeypatch.setattr(tiles, "CELLS", 2000)


def compared(name="relative_distance", **how):
    """Four short clips compared."""
    clips = [short(part, 0, 50) for part in NAMES]
    return match(clips, cost=cost(name), blend=Blend(seconds=0.2), search=SearchSettings(), **how)


def same(one, other):
    """Assert that two sets of matches are equal bit for bit."""
    for name in ("cost", "lowest", "cells", "once", "a_frames", "b_frames", "starts"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert (one.steps, one.pairs, one.copies) == (other.steps, other.pairs, other.copies)


@pytest.mark.parametrize("name", ["relative_distance", "point_cloud"])
def test_a_cluster_finds_what_threads_find(workers, name):
    """Results are equal bit for bit, and arrays are read-only."""
    plain = compared(name)
    assert len(plain.cost) > 0
    same(compared(name, workers=workers), plain)


def test_a_worker_that_is_lost_is_made_up_for(cluster, workers):
    """One of two workers is lost after the first tile, with the data it held."""
    lost = []

    def lose(stage, done, total):
        if 0 < done < total and not lost:
            lost.append(next(iter(cluster.scheduler.workers)))
            cluster.sync(cluster.scheduler.remove_worker, lost[0], stimulus_id="lost")

    same(compared(workers=workers, progress=lose), compared())
    assert lost


def test_a_library_is_matched_by_a_cluster(cluster, tmp_path):
    """An interrupted match stores the same pairs as threads; afterwards nothing is left to compare."""
    clips = [short(name) for name in NAMES]
    query = "SELECT a_clip, b_clip, minima, copies, cells, costs, diagonal, once FROM pair ORDER BY a_clip, b_clip"

    def stop(stage, done, total):
        if stage == "comparing clips" and done >= 3:
            raise KeyboardInterrupt

    with filled(tmp_path / "plain.segue", clips) as library:
        plain = library.match(threshold=0.05)
        rows = library.store.db.execute(query).fetchall()
    with filled(tmp_path / "scaled.segue", clips) as library:
        where = {"scheduler": cluster.scheduler_address, "threshold": 0.05}
        with pytest.raises(KeyboardInterrupt):
            library.match(progress=stop, **where)
        scaled = library.match(**where)
        assert scaled.kept_pairs >= 3
        assert scaled.new_pairs + scaled.kept_pairs == 10
        assert (scaled.points, scaled.threshold) == (plain.points, plain.threshold)
        assert library.store.db.execute(query).fetchall() == rows
        assert library.match(**where).new_pairs == 0


def test_another_version_is_refused(workers, monkeypatch):
    """Another version could give other bits; any other failure of a worker is one sentence too."""
    check = scale._check
    monkeypatch.setattr(scale, "_check", lambda made_by: check("segue 0.0.0"))
    with pytest.raises(
        SettingError, match=r"a worker runs segue .* numba .*, this is segue 0\.0\.0: install"
    ):
        compared(workers=workers)

    def broken(made_by):
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(scale, "_check", broken)
    with pytest.raises(SettingError, match="cannot compare: ZeroDivisionError: by nothing"):
        compared(workers=workers)


def test_no_worker_left_is_said(cluster, workers, monkeypatch):
    """The error follows the waiting time, after all earlier results were returned."""
    monkeypatch.setattr(scale, "ALONE", 0.0)
    monkeypatch.setattr(scale, "_LOOK", 0.05)

    def lose(stage, done, total):
        if done:
            cluster.scale(0)

    with pytest.raises(
        SettingError, match=r"every worker of the scheduler at .* is gone; what was compared is kept"
    ):
        compared(workers=workers, progress=lose)


@pytest.mark.parametrize("address", ["nonsense", "", "tcp://:x", "10.0.0.5"])
def test_nonsense_is_no_address(address):
    """The address is refused before any connection."""
    with pytest.raises(SettingError, match=r"is no address of a Dask scheduler; .* tcp://HOST:8786"):
        Cluster(address)


def test_who_works_is_said_once(monkeypatch, cluster):
    """Either an address or a number of processes is given; the scheduler must answer and have a worker."""
    monkeypatch.setattr(scale, "ANSWER", 0.2)
    for how in ({}, {"address": "tcp://localhost:1", "processes": 2}):
        with pytest.raises(SettingError, match="give either the address of a scheduler or"):
            Cluster(**how)
    with pytest.raises(SettingError, match="0 processes compare nothing"):
        Cluster(processes=0)
    with pytest.raises(SettingError, match=r"the scheduler at tcp://127.0.0.1:1 does not answer"):
        Cluster("tcp://127.0.0.1:1")
    cluster.scale(0)
    with pytest.raises(SettingError, match="has no worker; start one with: dask worker"):
        Cluster(cluster.scheduler_address)


def test_without_dask_it_is_one_sentence(tmp_path):
    """A missing extra gives no traceback, and exit code 2."""
    filled(tmp_path / "moves.segue", [short("walk")]).close()
    code = "import sys; sys.modules['distributed'] = None; sys.argv[0] = 'segue'; from segue.cli import main; main()"
    words = ["library", "match", str(tmp_path / "moves.segue"), "--workers", "2"]
    ended = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "segue: comparing on a Dask cluster needs dask: pip install 'dask[distributed]'\n"
