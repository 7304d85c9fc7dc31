"""The joint-angle cost: table IV.1, agreement with its twin, the effect of nu on real clips, ranges, speed.

Shows: the joint-angle cost on captured walks, runs, dances, boxing and salsa: table IV.1, its twin, 1 km away, ranges
    of dances compared with the source's, place of the transition of lowest cost for nu from 0 to 100, nanoseconds a
    pair compared with a matrix product's peak
Bars: printed weights exactly; 1.2e-6 (1 + sum of weights) and 1e-12 of that from its twin; at most 6 ns a pair on one
    thread with 21 joints and velocities, and with 24 joints' angles alone
Needs: clips
Group: The parts
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one thread for the reference peak

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from _data import DATA, require_data
from _runner import Show, rounds, run

from naive import joint_angle as naive
from segue.arrays import aligned
from segue.costs._kernels import joint_angles
from segue.costs.engine.tiles import lay
from segue.costs.joint_angle.cost import JointAngleCost
from segue.costs.joint_angle.weights import NAMED, PARTS, by_role
from segue.costs.matrix import cost_matrix
from segue.costs.protocol import Prepared
from segue.io import load
from segue.maths.planar import PlanarMotion
from segue.motion.body import stature
from segue.motion.clip import Clip
from segue.motion.facing import heading, moved, rest_heading
from segue.motion.resample import resampled
from segue.motion.roles import roles

RUNS, BAR = 20, 6.0
NUS = (0.0, 0.1, 1.0, 10.0, 100.0)
DANCES = ("05/05_02", "05/05_03", "05/05_06", "05/05_16")


def captured(name: str) -> Clip:
    """Load a captured clip at 30 frames a second."""
    return resampled(load(DATA / name), 30.0)


def amc(name: str) -> Clip:
    """Load a CMU capture by subject and number."""
    return captured(f"asf_amc/{name}.amc")


def backwards(clip: Clip) -> Clip:
    """Return the clip reversed in time."""
    return clip.with_motion(
        clip.rotations[::-1], clip.root_positions[::-1], name=f"{clip.name} played backwards"
    )


def table(show: Show) -> None:
    """Print table IV.1 by name."""
    printed = {"hip": 1.0, "knee": 0.0901, "shoulder": 0.7884, "elbow": 0.0247}
    show.check(
        "optimised weights are table IV.1",
        dict(NAMED["optimised"]),
        printed,
        dict(NAMED["optimised"]) == printed,
    )
    others = {role for role, weight in by_role("optimised").items() if role.partition("_")[2] not in printed}
    show.check("all other joints weigh zero", len(others), "= 0")
    ones = set(by_role("original").values())
    show.check(
        "original weights: ten joints of weight 1",
        len(by_role("original")),
        10,
        len(by_role("original")) == 10 and ones == {1.0},
    )


def for_twin(clip: Clip) -> dict:
    """Return the clip as input of the twin."""
    return {
        "rotations": clip.rotations.tolist(),
        "roots": clip.root_positions.tolist(),
        "parents": clip.skeleton.parents.tolist(),
        "roles": dict(roles(clip.skeleton)),
        "facing": rest_heading(clip.skeleton),
        "scale": 1.75 / stature(clip.skeleton),
    }


def twin(show: Show, a: Clip, b: Clip) -> float:
    """Compare both types with the twin on real clips; return the twin's seconds a cell."""
    rng = np.random.default_rng(3)
    here, there = for_twin(a), for_twin(b)
    each = 0.0
    for name, weights in (("original", naive.ORIGINAL), ("optimised", naive.OPTIMISED)):
        rows, columns = rng.integers(0, a.n_frames - 2, 300), rng.integers(0, b.n_frames - 2, 300)
        start = time.process_time()
        expected = [
            naive.joint_angle(here, there, i + 1, j + 1, weights=weights)
            for i, j in zip(rows, columns, strict=True)
        ]
        each = (time.process_time() - start) / len(rows)
        total = 1 + sum(by_role(name).values())
        for dtype, bar in (("float32", 1.2e-6 * total), ("float64", 1e-12 * total)):
            values = cost_matrix(a, b, cost=JointAngleCost(weights=name, dtype=dtype)).values[rows, columns]
            worst = float(np.abs(values - expected).max())
            show.check(f"{name}, {dtype}: largest deviation from the twin", worst, f"< {bar}")
    return each


def far_away(show: Show, a: Clip, b: Clip) -> None:
    """Move one clip by a kilometre."""
    gone = moved(b, PlanarMotion(2.1, 700.0, -714.0))
    for dtype, bar in (("float32", 1.32e-5), ("float64", 1e-9)):
        made = JointAngleCost(dtype=dtype)
        change = float(
            np.abs(cost_matrix(a, gone, cost=made).values - cost_matrix(a, b, cost=made).values).max()
        )
        show.check(f"{dtype}: change when a clip is turned and moved 1 km", change, f"< {bar}")


def ranges(show: Show) -> None:
    """Compare least and largest costs of dances with those of figure IV.1."""
    made = JointAngleCost()
    seen = []
    for k, one in enumerate(DANCES):
        for other in DANCES[k + 1 :]:
            values = cost_matrix(amc(one), amc(other), cost=made).values
            seen.append((float(values.min()), float(values.max())))
            show.note(
                f"{one[3:]} to {other[3:]}: {seen[-1][0]:.3f} to {seen[-1][1]:.2f}, median {np.median(values):.2f}"
            )
    low, high = np.array(seen).T
    # The figure's two dances are not among the clips: only costs of similar size can be expected.
    show.check(
        "least cost of two dances, a fifth to five times fig. IV.1's 0.099",
        float(np.median(low)),
        "0.02 to 0.5",
        0.02 <= np.median(low) <= 0.5,
    )
    show.check(
        "largest cost, a fifth to five times fig. IV.1's 20.1",
        float(np.median(high)),
        "4 to 100",
        4 <= np.median(high) <= 100,
    )


def optima(a: Clip, b: Clip) -> tuple[list[int], list[float]]:
    """Return, for each nu, the frames to the transition of lowest cost at nu = 1, and the extra cost of that one."""
    matrices = [cost_matrix(a, b, cost=JointAngleCost(nu=nu, dtype="float64")).values for nu in NUS]
    places = [np.unravel_index(int(values.argmin()), values.shape) for values in matrices]
    home = places[NUS.index(1.0)]
    moves = [int(np.abs(np.subtract(place, home)).max()) for place in places]
    return moves, [float(values[home] / values.min() - 1.0) for values in matrices]


def nu_sweep(show: Show) -> None:
    """Find the transition of lowest cost for nu from 0 to 100: on the source's clips it did not move."""
    salsa = [captured(f"cmu/daz_scaled/{name}_12_scaled.bvh") for name in ("60", "61")]
    walks = {name: amc(f"16/16_{name}") for name in ("15", "31", "32", "47")}
    strides = captured_backwards()
    kinds: dict[str, list[tuple[Clip, Clip]]] = {
        "dances": [(amc(a), amc(b)) for k, a in enumerate(DANCES) for b in DANCES[k + 1 :]],
        "boxing": [(amc("02/02_05"), amc("17/17_10"))],
        "salsa, a quarter of it backwards": [(salsa[0], salsa[1])],
        "walks": [(walks["15"], walks["31"]), (walks["31"], walks["32"]), (walks["32"], walks["47"])],
        "walk to run": [(walks["31"], amc("16/16_36")), (amc("02/02_01"), amc("02/02_03"))],
        "walk to a walk played backwards": [
            (walks["31"], backwards(walks["32"])),
            (walks["15"], backwards(walks["47"])),
        ],
        "walk to the backward steps of salsa": [(walks["31"], strides), (amc("02/02_01"), strides)],
    }
    text = ", ".join(f"{nu:g}" for nu in NUS)
    show.note(f"frames from the transition of lowest cost at nu = 1, for nu = {text}:")
    every: list[list[int]] = []
    dearer: list[list[float]] = []
    for kind, pairs in kinds.items():
        for a, b in pairs:
            moves, more = optima(a, b)
            show.note(f"  {kind}: {a.name} to {b.name}: {', '.join(map(str, moves))}")
            every.append(moves)
            dearer.append(more)
    for k, nu in enumerate(NUS):
        near = sum(row[k] <= 1 for row in every)
        more = np.array([row[k] for row in dearer])
        show.note(
            f"nu = {nu:g}: {near} of {len(every)} pairs within a frame; the place of nu = 1 costs "
            f"{np.median(more):.1%} more in the median, {more.max():.0%} at most"
        )


def captured_backwards() -> Clip:
    """Return the longest stretch of the salsa lead in which the body steps backwards."""
    clip = captured("cmu/daz_scaled/60_12_scaled.bvh")
    facing = heading(clip)[:-1]
    step = 30.0 * np.diff(clip.root_positions, axis=0)
    ahead = step[:, 0] * np.sin(facing) + step[:, 2] * np.cos(facing)
    back = np.flatnonzero(np.diff(np.concatenate([[0], ahead < -0.2, [0]]).astype(int)))
    starts, stops = back[::2], back[1::2]
    longest = int(np.argmax(stops - starts))
    from segue.motion.resample import cut

    low, high = max(int(starts[longest]) - 2, 0), min(int(stops[longest]) + 2, clip.n_frames)
    return cut(clip, low, high).with_motion(name=f"60_12 frames {low} to {high - 1}")


def cpu(function: Callable[[], object]) -> tuple[float, float]:
    """Return least and median CPU seconds of some runs."""
    took = rounds({"": function}, RUNS)[""]
    return min(took), statistics.median(took)


def speed(show: Show, each: float) -> None:
    """Print nanoseconds a pair on one thread, the twin, and the peak of a matrix product in the same run."""
    a, b = amc("17/17_10"), amc("02/02_05")
    square = np.random.default_rng(1).normal(size=(1536, 1536)).astype(np.float32)
    least, _ = cpu(lambda: square @ square)
    show.note(f"matrix product of 1536 x 1536 in float32, one thread: {2e-9 * 1536**3 / least:.0f} GFLOP/s")
    every = dict.fromkeys(PARTS, 1.0)
    for label, weights in (
        ("optimised", "optimised"),
        ("original", "original"),
        ("all 21 joints weighed", every),
    ):
        made = JointAngleCost(weights=weights)
        here, there = made.prepare(a), made.prepare(b)
        least, median, pairs = timed(made, here, there)
        show.note(f"{label}: {1e9 * median / pairs:.2f} ns a pair in the median of {RUNS} runs")
        ok = 1e9 * least / pairs <= BAR
        show.check(f"{label}, with velocities: best CPU time a pair", 1e9 * least / pairs, BAR, ok, "ns")
    least, median, pairs = angles_alone(24)
    show.note(f"24 joints, angles alone: {1e9 * median / pairs:.2f} ns a pair in the median of {RUNS} runs")
    show.check(
        "24 joints, angles alone: best CPU time a pair",
        1e9 * least / pairs,
        f"<= {BAR}",
        unit="ns",
    )
    made = JointAngleCost()
    least, _, pairs = timed(made, made.prepare(a), made.prepare(b))
    ratio = each / (least / pairs)
    show.check("times faster than the twin", ratio, "> 1000")


def timed(made: JointAngleCost, a: Prepared, b: Prepared) -> tuple[float, float, int]:
    """Return least and median CPU seconds of a block of costs, and its pairs; clips are repeated to fill it."""
    rows, columns = lay([a] * 2), lay([b] * 3)
    width, height = 960, rows.size
    fill = made.tiles(rows, columns).strip(0, width)
    out = aligned((height, width), made.dtype)

    def run() -> None:
        for start in range(0, height, 128):
            fill(start, min(start + 128, height), out[start : min(start + 128, height)])

    run()
    return *cpu(run), height * width


def angles_alone(joints: int) -> tuple[float, float, int]:
    """Time the kernel on random unit quaternions."""
    rng = np.random.default_rng(2)
    height, width = 1300, 1344
    sides = []
    for count in (height, width):
        q = rng.normal(size=(count, joints, 4))
        sides.append((q / np.linalg.norm(q, axis=-1, keepdims=True)).reshape(count, -1).astype(np.float32))
    columns = aligned((4 * joints, width), "float32")
    columns[...] = sides[1].T
    terms = np.ones((joints, 7), dtype=np.float32)
    out, nothing = aligned((height, width), "float32"), np.zeros((height, 1), dtype=np.float32)
    across, none = aligned((1, width), "float32"), np.zeros((height, 0))
    theirs = across, columns, across, np.zeros((0, width))

    def run() -> None:
        for start in range(0, height, 100):
            part = slice(start, start + 100)
            mine = nothing[part], sides[0][part], nothing[part], none[part]
            joint_angles(mine, theirs, terms, np.zeros(25, np.int64), out[part], (0, 0, 100, width))

    run()
    return *cpu(run), height * width


def main(verdicts: Show) -> None:
    require_data()
    table(verdicts)
    seconds = twin(verdicts, amc("16/16_31"), amc("16/16_36"))
    far_away(verdicts, amc("16/16_31"), amc("05/05_02"))
    ranges(verdicts)
    nu_sweep(verdicts)
    speed(verdicts, seconds)


if __name__ == "__main__":
    run(main, "The joint-angle cost on real clips, 30 frames a second")
