"""Tiles as array expressions: every cost, on every available library, within the error stated for float32."""

from __future__ import annotations

import builtins
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from segue.costs.engine import array_api
from segue.costs.engine.array_api import ArrayTiles, Place, formula_of, numpy_place
from segue.costs.engine.plan import Run
from segue.costs.engine.tiles import FeatureTiles, sides, tiles_of
from segue.costs.point_cloud import PointCloudCost
from segue.costs.registry import COSTS, cost
from segue.errors import SettingError
from segue.io import load
from segue.maths.planar import PlanarMotion
from segue.motion.facing import moved
from segue.motion.resample import cut
from segue.motion.samples import sample

ALL = {
    **{name: cost(name) for name in COSTS},
    "dense": PointCloudCost(points_per_segment=24),
    "dynamics": PointCloudCost(weighting="dynamics"),
    "source": PointCloudCost(weighting="dynamics", weights_of="source"),
    "hand_set": PointCloudCost(weighting="hand_set"),
    "one_frame": PointCloudCost(window_seconds=0.0),
    "everywhere": cost("joint_angle", root="global"),
    "float64": PointCloudCost(dtype="float64"),
}
STATED = {
    "dynamics": 1e-5,
    "source": 1e-5,
    "hand_set": 1e-5,
    "features": 2e-4,
    "joint_angle": 1.4e-5,
    "everywhere": 1.4e-5,
    "float64": 1e-12,
}

EPS = (0.0, 2.0**-23)


def strict_place() -> Place:
    """Arrays that offer only the standard."""
    xp = pytest.importorskip("array_api_strict")

    def fetch(array, out):
        out[:] = np.asarray(array)

    return Place(xp, lambda array: xp.asarray(np.array(array)), fetch, 640, "strict")


def torch_place() -> Place:
    """Tensors in this machine's memory."""
    pytest.importorskip("torch", reason="the gpu extra is not installed")
    return array_api.torch_place("cpu")


PLACES = {"numpy": numpy_place, "strict": strict_place, "torch": torch_place}


@pytest.fixture(scope="module")
def clips():
    """Short clips, the last one a kilometre away."""
    far = moved(cut(sample("run", 30.0), 0, 60), PlanarMotion(1.0, 800.0, -600.0))
    return [cut(sample("walk", 30.0), 0, 75), sample("stop"), far]


def block(tiles, a, b):
    """Costs of all rows against all columns."""
    wide = b.size + -b.size % 64
    out = np.full((a.size, wide), np.nan, dtype=tiles.dtype)
    tiles.strip(0, wide)(0, a.size, out)
    return out


@pytest.fixture(scope="module")
def known(clips):
    """Sides of each cost and some of its cells from the definition, computed once."""
    made = {}

    def of(name):
        if name not in made:
            one = ALL[name]
            made[name] = [
                (side, *chosen(one, side)) for side in sides([one.prepare(clip) for clip in clips], one)
            ]
        return made[name]

    return of


def chosen(one, side):
    """Slots of some cells of every two clips, and their costs."""
    slots = np.flatnonzero(side.live)
    i, j = (part.ravel() for part in np.meshgrid(slots[::17], slots[::13], indexing="ij"))
    price = np.empty(i.size)
    for a, b in np.ndindex(len(side.clips), len(side.clips)):
        mine = (side.owner[i] == a) & (side.owner[j] == b)
        cells = i[mine] - side.starts[a], j[mine] - side.starts[b]
        price[mine] = one.pairs(side.clips[a], side.clips[b], *cells)
    return i, j, price


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", ALL)
def test_the_costs_are_those_of_the_definition(known, name, place):
    """The law also holds a kilometre away; no cell is NaN or negative, in gaps neither."""
    one, where = ALL[name], PLACES[place]()
    for side, i, j, price in known(name):
        tiles = tiles_of(one, side, side)
        seen = block(ArrayTiles(formula_of(tiles), where, tiles.dtype), side, side)
        assert np.isfinite(seen).all()
        assert (seen >= 0).all()
        # Costs that compare places in the world are large here: squared kilometres in float32.
        np.testing.assert_allclose(
            seen[i, j], price, atol=STATED.get(name, 1e-6), rtol=EPS[name == "everywhere"]
        )


def test_strips_begin_and_end_anywhere(clips):
    """Blocks cut at other columns hold the same costs within rounding; unwanted columns are not written."""
    one = PointCloudCost()
    side = sides([one.prepare(clip) for clip in clips], one)[0]
    tiles = ArrayTiles(formula_of(tiles_of(one, side, side)), numpy_place(), "float32")
    whole = block(tiles, side, side)
    part = np.full((8, 128), -1.0, dtype=np.float32)
    tiles.strip(64, 192)(16, 24, part, np.array([70, 90]))
    np.testing.assert_allclose(part[:, 64:], whole[16:24, 128:192], atol=1e-6)
    assert (part[:, :64] == -1.0).all()
    tiles.strip(64, 192)(16, 24, part, np.array([128, 128]))
    assert (part[:, :64] == -1.0).all()


@pytest.fixture
def on_arrays(monkeypatch):
    """Simulates a GPU by NumPy."""
    used = []

    def found(device):
        used.append(device)
        return None if device == "cpu" else numpy_place()

    monkeypatch.setattr(array_api, "place_for", found)
    return used


def test_without_a_gpu_the_cpu_computes_and_says_so(monkeypatch, capsys):
    """One sentence, once, states what is missing; the automatic choice prints nothing."""
    monkeypatch.setattr(array_api, "why_no_gpu", lambda: "PyTorch is not installed")
    array_api._looked_up.cache_clear()
    assert array_api.place_for("auto") is None
    assert capsys.readouterr().err == ""
    with ThreadPoolExecutor(4) as pool:  # printed once, also for simultaneous calls
        assert set(pool.map(array_api.place_for, ["gpu"] * 8)) == {None}
    assert capsys.readouterr().err == "segue: computing on the CPU: PyTorch is not installed\n"
    array_api._looked_up.cache_clear()


def test_a_missing_library_is_named(monkeypatch):
    """The message includes the command that installs it."""
    monkeypatch.setattr(array_api.importlib.util, "find_spec", lambda name: None)
    assert "pip install torch" in array_api.why_no_gpu()


def test_the_cpu_loads_no_tensor_library(monkeypatch):
    """A run on the CPU does not import PyTorch."""
    real = builtins.__import__

    def guarded(name, *rest, **more):
        assert name != "torch"
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", guarded)
    array_api._looked_up.cache_clear()
    assert array_api.place_for("cpu") is None


def test_a_device_that_is_none_is_refused():
    """The error names the device when the run is created."""
    with pytest.raises(SettingError, match="'tpu' is not known; it can be cpu, gpu, auto"):
        Run(device="tpu")


def test_tiles_without_a_formula_stay_on_the_cpu(on_arrays):
    """A custom kernel is never replaced by a formula."""
    features = np.zeros((8, 3), dtype=np.float32)
    tiles = FeatureTiles(features, features, lambda *_: None)
    assert formula_of(tiles) is None
    assert array_api.tiles_at(tiles, "gpu") is tiles
    assert on_arrays == ["gpu"]


@pytest.mark.data
def test_real_clips_of_two_bodies_agree(data):
    """Every cost of the registry agrees on clips of two bodies."""
    files = ("asf_amc/16/16_01.amc", "cmu/bvhacker/02_01.bvh")
    clips = [cut(clip, 0, min(clip.n_frames, 240)) for clip in (load(data / file) for file in files)]
    for name, one in ALL.items():
        first, *rest = sides([one.prepare(clip) for clip in clips], one)
        for other in (first, *rest):
            tiles = tiles_of(one, first, other)
            seen = block(ArrayTiles(formula_of(tiles), numpy_place(), tiles.dtype), first, other)
            want = block(tiles, first, other)
            live = np.ix_(first.live, np.pad(other.live, (0, want.shape[1] - other.size)))
            np.testing.assert_allclose(seen[live], want[live], atol=2 * STATED.get(name, 1e-6), rtol=0)
