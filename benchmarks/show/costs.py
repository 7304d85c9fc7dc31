"""Cost matrices: invariance, closed form, and two 1,000-frame clips compared with their naive twins.

Shows: cost matrices of two boxers, 1,000 frames each, compared with their naive twins
Bars: no change beyond the stated float error (1e-6, 1e-12) when a clip is turned and moved, also by 1 km; closed form
    equal to direct minimisation to 1e-8; over 100 × faster than the twins
Needs: clips
Group: The parts
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from _runner import Show, run, seconds
from scipy.optimize import minimize

from segue.costs.matrix import cost_matrix
from segue.costs.protocol import Prepared
from segue.costs.registry import cost
from segue.costs.relative_distance import pair_weights
from segue.io import load
from segue.maths.planar import PlanarMotion, fit
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.resample import cut, resampled
from segue.motion.standard_body import standard_body

PROJECT = Path(__file__).resolve().parents[2]
DATA = PROJECT.parent / "shared" / "data" / "asf_amc"
sys.path.insert(0, str(PROJECT / "tests"))

from naive import costs as naive  # noqa: E402

STATED = {"float32": 1e-6, "float64": 1e-12}
FRAMES, RUNS, TWIN_ROWS, TWIN_COLUMNS = 1000, 9, 8, 40


def tiled(name: str, frames: int) -> Clip:
    """Return a real clip at 30 frames a second, repeated to a given length."""
    clip = resampled(load(DATA / name), 30.0)
    rounds = -(-frames // clip.n_frames)
    rows = np.tile(np.arange(clip.n_frames), rounds)[:frames]
    return clip.with_motion(clip.rotations[rows], clip.root_positions[rows], origin=clip.origin.take(rows))


def invariance(show: Show, a: Clip, b: Clip) -> None:
    """Check the largest change of any cell when one clip is turned and moved."""
    moves = [PlanarMotion(2.1, 3.0, -4.0), PlanarMotion(-0.7, 700.0, 714.0)]
    for name in ("point_cloud", "relative_distance"):
        for dtype, bar in STATED.items():
            made = cost(name, dtype=dtype)
            before = cost_matrix(a, b, cost=made).values
            for move in moves:
                after = cost_matrix(a, moved(b, move), cost=made).values
                away = np.hypot(move.x, move.z)
                # At a kilometre a double resolves 1e-13 m: the bar for float64 is ten times larger.
                limit = bar * (10 if dtype == "float64" and away > 100 else 1)
                change = float(np.abs(after - before).max())
                unit = "m^2" if name == "point_cloud" else "m"
                show.check(f"{name} {dtype}: moved {away:.0f} m, change", change, f"< {limit}", unit=unit)
                if name == "relative_distance" and dtype == "float64":
                    relative = float(np.max(np.abs(after - before) / before))
                    show.check(f"{name} {dtype}: relative change", relative, "< 1e-9")


def closed_form(show: Show, count: int = 40) -> None:
    """Compare the closed form with minimisation over turn and shift, on random clouds and weights."""
    rng = np.random.default_rng(7)
    worst = 0.0
    for _ in range(count):
        a, b = rng.normal(size=(2, 60, 3)) * rng.uniform(0.1, 2.0)
        weights = rng.uniform(0.01, 1.0, 60)

        def total(t: np.ndarray, a: np.ndarray = a, b: np.ndarray = b, w: np.ndarray = weights) -> float:
            return float(np.sum(w[:, None] * (a - PlanarMotion(*t).apply(b)) ** 2))

        best = fit(a, b, weights)
        direct = min(minimize(total, [start, 0.0, 0.0]).fun for start in (0.0, 2.1, 4.2))
        worst = max(worst, abs(total(np.array([best.turn, best.x, best.z])) - direct) / direct)
    show.check(f"closed form against direct minimisation, {count} clouds", worst, "< 1e-8")


def twins(show: Show, a: Clip, b: Clip) -> None:
    """Time both matrices and their twins; a twin computes a block of cells and is extrapolated."""
    poses = [scaled_poses(clip) for clip in (a, b)]
    pairs = pair_weights("default")
    for name in ("point_cloud", "relative_distance"):
        made = cost(name)
        pa, pb = made.prepare(a), made.prepare(b)
        made.matrix(pa, pb)  # compile
        took = [seconds(lambda made=made, pa=pa, pb=pb: made.matrix(pa, pb)) for _ in range(RUNS)]
        whole = statistics.median(took)
        preparing = statistics.median(seconds(lambda made=made: made.prepare(a)) for _ in range(5))
        rows = np.linspace(0, pa.n - 1, TWIN_ROWS).astype(int)
        columns = np.linspace(0, pb.n - 1, TWIN_COLUMNS).astype(int)
        cell = (
            cloud_cell(pa, pb)
            if name == "point_cloud"
            else lambda i, j: naive.relative_distance(poses[0][i], poses[1][j], pairs)
        )
        start = time.perf_counter()
        twin = np.array([[cell(i, j) for j in columns] for i in rows])
        each = (time.perf_counter() - start) / twin.size
        report(show, name, (pa, pb), times=(whole, preparing, each))
        deviation(show, name, (a, b), twin=(rows, columns, twin))


def cloud_cell(a: Prepared, b: Prepared) -> Callable[[int, int], float]:
    """Return the twin of the point-cloud cost on two prepared clips."""
    points = [(p.cloud.points * p.cloud.scale).tolist() for p in (a, b)]
    half = a.half_window
    return lambda i, j: naive.point_cloud(
        points[0], points[1], i + half, j + half, half=half, part_of=a.cloud.segments
    )


def scaled_poses(clip: Clip) -> list[dict[str, list[float]]]:
    """Return joint positions of every frame on the mean body."""
    body = standard_body(clip)
    assert body is not None
    places = {role: (at * 1.75 / body.stature).tolist() for role, at in body.joints.items()}
    return [{role: at[f] for role, at in places.items()} for f in range(clip.n_frames)]


def report(show: Show, name: str, clips: tuple[Prepared, Prepared], *, times: tuple[float, ...]) -> None:
    whole, preparing, each = times
    cells = clips[0].n * clips[1].n
    show.note(
        f"{name}: {clips[0].n} x {clips[1].n} cells in {1000 * whole:.1f} ms (median of {RUNS}), "
        f"{1e9 * whole / cells:.1f} ns a cell; preparing a clip {1000 * preparing:.0f} ms"
    )
    show.note(
        f"{name}: the twin takes {1e6 * each:.0f} us a cell on {TWIN_ROWS * TWIN_COLUMNS} cells, "
        f"{each * cells:.0f} s for all (extrapolated)"
    )
    ratio = each * cells / whole
    show.check(f"{name}: times faster than its twin", ratio, "> 100")


def deviation(show: Show, name: str, clips: tuple[Clip, Clip], *, twin: tuple[np.ndarray, ...]) -> None:
    """Return the largest difference between the matrix and its twin's cells."""
    rows, columns, values = twin
    for dtype, bar in STATED.items():
        matrix = cost_matrix(*clips, cost=cost(name, dtype=dtype)).values
        worst = float(np.abs(matrix[np.ix_(rows, columns)] - values).max())
        show.check(f"{name} {dtype}: largest deviation from its twin", worst, f"< {bar}")


def main(verdicts: Show) -> None:
    boxers = (tiled("02/02_05.amc", FRAMES), tiled("17/17_10.amc", FRAMES))
    invariance(verdicts, *(cut(clip, 0, 300) for clip in boxers))
    closed_form(verdicts)
    twins(verdicts, *boxers)


if __name__ == "__main__":
    run(main, "Costs of two boxers, 30 frames a second")
