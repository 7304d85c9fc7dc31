"""On-line motion blending for locomotion (Park, Shin, Kim & Shin 2004): tables 1 to 3 and the properties behind them.

Shows: tables 1 to 3 and figure 9 of Park et al. 2004; properties over a million parameters; parameters outside the
    examples
Bars: weights within 0.05 with their signs; time never goes backwards; joint angles a frame within 0.1° of the
    eigenvector scheme at half its time, both compiled; time of a blend and of a step linear in 2 to 40 examples;
    parameters beyond the limit are clamped, and the frame reports it
Needs: clips
Group: Steering
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path

import _eigenvectors as eigenvectors
import numpy as np
from _runner import Show, run
from _walkers import clips, walker

from segue.app.steering import steer_chase
from segue.locomotion import _kernels as k
from segue.locomotion.build import BuildSettings, build_locomotion
from segue.locomotion.model import Locomotion
from segue.maths.quaternions import conjugate, exp, half_angle, log, multiply
from segue.maths.scattered import hull, pose_weights, scattered, timewarp_weights
from segue.motion.limb_ik import Leg
from segue.runtime.steered.packing import SteerSettings, in_blocks, packed
from segue.runtime.steered.player import Command, LocomotionPlayer, mean_rotations

RUNS = np.array(
    [(0.3, 3), (0.1, -56), (0.3, 55), (2.6, 6), (2.6, -97), (2.6, 97), (5.2, 4), (5.3, -124), (5.3, 129)]
)
PRINTED = np.array([-0.19, -0.18, -0.18, 0.11, 0.10, 0.09, 0.45, 0.40, 0.40])
MANY = 1_000_000
SIZES = range(2, 41, 2)  # numbers of examples
ROUNDS = 80
REPEATED = 5  # repetitions of a frame of table 3, so that a clock can measure it


def table_2(verdicts: Show) -> None:
    """Check the weights of nine runs at 7.4 m/s straight ahead, and the time step of both schemes."""
    fitted = scattered(RUNS)
    pose, warp = pose_weights(fitted, (7.4, 0.0)), timewarp_weights(fitted, (7.4, 0.0))
    verdicts.note(f"pose weights at (7.4, 0): {pose.round(2).tolist()}, printed {PRINTED.tolist()}")
    off = float(np.abs(pose - PRINTED).max())
    verdicts.check("table 2: largest difference from the printed weights", off, "<= 0.05")
    verdicts.check("table 2: all signs are the printed ones", bool(np.all(np.sign(pose) == np.sign(PRINTED))), True,
                   np.all(np.sign(pose) == np.sign(PRINTED)))  # fmt: skip
    # The source does not print its runs' rates. In flight, rates fall with speed: flight lasts longer in faster
    # runs.
    rates = np.interp(RUNS[:, 0], [0.0, 5.5], [0.105, 0.02])
    older, ours = float(pose @ rates), float(warp @ rates)
    verdicts.check("table 2: the older scheme's time step is negative", older, "< 0")
    verdicts.check("table 2: ours is positive", ours, "> 0")


def always_forward(verdicts: Show) -> None:
    """Check that timewarp weights are not negative and time moves forwards, for a million random inputs."""
    chance = np.random.default_rng(1)
    fitted = scattered(RUNS, scale=(1.0, 20.0))
    lowest, slowest, backward = np.inf, np.inf, 0
    for _ in range(20):
        asked = chance.uniform([-2, -250], [12, 250], (MANY // 20, 2))
        rates = chance.uniform(0.02, 0.1, (MANY // 20, len(RUNS)))
        warp = timewarp_weights(fitted, asked)
        lowest = min(lowest, float(warp.min()))
        slowest = min(slowest, float((warp * rates).sum(axis=1).min()))
        backward += int(np.sum((pose_weights(fitted, asked) * rates).sum(axis=1) < 0))
    verdicts.check("lowest timewarp weight of a million parameters", lowest, ">= 0")
    verdicts.check("smallest time step of a million parameters", slowest, "> 0")
    verdicts.check("steps in which the older scheme goes backwards", backward, "> 0")


def table_3(verdicts: Show) -> None:
    """Compare joint angles a frame of the incremental scheme with those of the eigenvector scheme, and both times.

    The other scheme is compiled as well (`_eigenvectors`), and checked against one in numpy. Ours also blends more
    than the joint rotations, the other one only these.
    """
    model = walker()
    node = model.nodes[model.index("run")].set
    laid = packed(model, SteerSettings())
    at = int(laid.index[6]) + 16 * model.index("run")
    row = laid.index[at : at + 16]
    frames = 1200
    chance = np.random.default_rng(2)
    low, high = np.percentile(node.parameters, [10, 90], axis=0)
    knots = chance.uniform(low, high, (8, 2))
    stream = np.column_stack(
        [np.interp(np.linspace(0, 7, frames), np.arange(8), knots[:, c]) for c in range(2)]
    )
    times, reference = 0.0, None
    work, beside = np.empty(3 * laid.padded), np.empty(16)
    incremental, eigen, spent, apart = [], [], np.zeros(2), 0.0
    joints = model.skeleton.n_joints
    room, by_eigen = np.empty((len(node.parameters) + 9, 4)), np.empty((joints, 4))
    for number, parameters in enumerate(stream):
        pose, warp = pose_weights(node.weights, parameters), timewarp_weights(node.weights, parameters)
        sample = times * k.PER_INTERVAL
        eigenvectors.pose(
            node.rotations, sample, pose, room, by_eigen
        )  # also loads the data of both into the cache
        start = time.perf_counter()
        for _ in range(REPEATED):
            eigenvectors.pose(node.rotations, sample, pose, room, by_eigen)
        spent[1] += (time.perf_counter() - start) / REPEATED
        if number % 40 == 0:
            turn = 2 * half_angle(eigenvector_pose(node.rotations, times, pose), by_eigen)
            apart = max(apart, float(np.degrees(turn.max())))
        if reference is None:
            reference = in_blocks(mean_rotations(node.rotations[0], pose), laid.padded).ravel()
        before = reference.copy()
        k.blend_at(laid.data, row, times, pose, warp, reference, work, beside)
        reference[:] = before
        start = time.perf_counter()
        for _ in range(REPEATED):
            reference[:] = before
            k.blend_at(laid.data, row, times, pose, warp, reference, work, beside)
        spent[0] += (time.perf_counter() - start) / REPEATED
        blocks = reference.reshape(-1, 4, k.LANES)
        incremental.append(np.moveaxis(blocks, 1, 2).reshape(-1, 4)[:joints].copy())
        eigen.append(by_eigen.copy())
        times = (times + k.rate_at(laid.data, row, times, warp) / 30) % node.n_intervals
    one, two = np.array(incremental), np.array(eigen)
    for side in ("right", "left"):
        leg = Leg.of(model.skeleton, side)
        for name, joint in (("hip", leg.hip), ("knee", leg.knee)):
            a, b = (np.degrees(2 * half_angle(q[1:, joint], q[:-1, joint])) for q in (one, two))
            off = max(abs(float(a.mean() - b.mean())), abs(float(a.std() - b.std())))
            verdicts.note(
                f"{side} {name}: degrees a frame, eigenvectors {b.min():.2f} to {b.max():.2f}, mean {b.mean():.2f} "
                f"deviation {b.std():.2f}; ours {a.min():.2f} to {a.max():.2f}, {a.mean():.2f}, {a.std():.2f}"
            )
            verdicts.check(
                f"table 3: {side} {name}, mean and deviation differ by", off, "<= 0.1", unit="degrees"
            )
    verdicts.check(
        "table 3: compiled eigenvector scheme off the one in numpy",
        apart,
        "<= 1e-5",
        unit="degrees",
    )
    ours, theirs = 1e6 * spent / frames
    ratio = float(ours / theirs)
    verdicts.note(
        f"{len(node.parameters)} examples, {joints} joints: ours {ours:.1f}, theirs {theirs:.1f} us a frame"
    )
    verdicts.check("table 3: our time over its time, both compiled", ratio, "<= 0.5")


def eigenvector_pose(rotations: np.ndarray, at: float, weights: np.ndarray) -> np.ndarray:
    """Return the pose about the reference nearest to all examples: an eigenvector problem a joint and frame."""
    sample = at * k.PER_INTERVAL
    low = min(int(sample), len(rotations) - 2)
    between = sample - low
    q = (1 - between) * rotations[low] + between * rotations[low + 1]
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    reference = mean_rotations(q, np.full(len(q), 1 / len(q))).T
    moved = log(multiply(conjugate(reference), np.moveaxis(q, 1, 2)))
    return np.asarray(multiply(reference, exp(np.tensordot(weights, moved, axes=1))))


def outside(verdicts: Show) -> None:
    """Check speeds up to 12 m/s: exact inside and slightly outside the examples, clamped and reported beyond."""
    model, settings = walker(), SteerSettings()
    node = model.nodes[model.index("run")].set
    player = LocomotionPlayer(model, settings, start=Command("run", 3.0))
    document: dict[str, float] = {}
    off, farthest = 0.0, -np.inf
    for speed in np.linspace(3.0, 12.0, 91):
        for _ in range(90):
            player.step(1 / 60, Command("run", float(speed)))
        now = player.standing
        document.setdefault(now.reached, float(speed))
        if now.reached != "clamped":
            off = max(off, abs(now.speed - float(speed)))
        followed = np.array([now.speed, now.turn]) / node.weights.scale
        farthest = max(farthest, float(np.max(node.around.normals @ followed - node.around.limits)))
    verdicts.note(
        f"run, examples to {node.parameters[:, 0].max():.2f} m/s: "
        + ", ".join(f"{word} from {speed:.1f} m/s" for word, speed in document.items())
    )
    order = list(document) == ["inside", "outside", "clamped"]
    verdicts.check(
        "outside: reports of frames for growing commands", " ".join(document), "in this order", order
    )
    verdicts.check("outside: error of the speed until it is clamped", off, "<= 0.01", unit="m/s")
    far = settings.beyond
    verdicts.check(
        "outside: farthest from the hull of the examples",
        farthest,
        f"<= {far:g}",
        farthest <= far + 1e-6,
        "deviations",
    )


def chase(verdicts: Show) -> None:
    """Chase a pointer that walks, runs, turns round and rests (experiment 5): how far behind the character is."""
    seconds = np.arange(0.0, 40.01, 0.5)
    speed = np.interp(seconds, [0, 2, 3, 14, 16, 27, 29, 40], [0, 0, 1.2, 1.2, 3.0, 3.0, 0.0, 0.0])
    path = np.cumsum(0.35 * np.sin(seconds * 0.5)) * 0.5
    places = np.cumsum(np.column_stack([np.sin(path), np.cos(path)]) * speed[:, None] * 0.5, axis=0)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "points.csv"
        rows = (f"{t:g},{x:.4f},{z:.4f}\n" for t, (x, z) in zip(seconds, places, strict=True))
        file.write_text("seconds,x,z\n" + "".join(rows))
        made = steer_chase(walker(), file, fps=60.0)
    times = np.arange(made.clip.n_frames) / 60.0
    pointer = np.column_stack([np.interp(times, seconds, places[:, c]) for c in range(2)])
    away = np.linalg.norm(made.clip.root_positions[:, [0, 2]] - pointer, axis=1)
    behind = [
        float(np.median(away[(times > start) & (times < end)])) / moving
        for start, end, moving in ((6, 14, 1.2), (20, 27, 3.0))
    ]
    kinds = sorted({now.kind for now in made.standing})
    verdicts.note(
        f"chase: {behind[0]:.2f} s behind a walking pointer, {behind[1]:.2f} s behind a running one"
    )
    verdicts.check("chase: types chosen", " ".join(kinds), "all three", len(kinds) == 3)
    slowest = max(behind)
    verdicts.check("chase: seconds behind a moving pointer, median", slowest, "<= 1.5", unit="s")
    verdicts.check("chase: distance from the pointer at rest", float(away[-1]), "<= 1", unit="m")


def with_examples(model: Locomotion, count: int) -> Locomotion:
    """Return the walk of a model with its first examples only."""
    node = model.nodes[model.index("walk")]
    one = node.set
    fitted = scattered(one.parameters[:count], scale=one.weights.scale)
    part = replace(
        one,
        names=one.names[:count],
        rotations=one.rotations[:, :count],
        beside=one.beside[:, :count],
        rates=one.rates[:, :count],
        parameters=one.parameters[:count],
        weights=fitted,
        around=hull(fitted.places),
        pieces=one.pieces[:count],
    )
    return replace(model, nodes=(replace(node, set=part),), transitions=())


def linear_cost(verdicts: Show) -> None:
    """Check that the time of a blend and of a complete step is linear in the number of examples (fig. 9)."""
    model = build_locomotion(clips(), settings=BuildSettings(most=SIZES[-1], spacing=0.0))
    blends, steps = [], []
    for count in SIZES:
        walking = with_examples(model, count)
        laid = packed(walking, SteerSettings())
        row = np.array(laid.index[int(laid.index[6]) :][: k.ROW])
        weights, moment = np.full(count, 1 / count), round(1.3 * k.PER_INTERVAL)
        reference = mean_rotations(walking.nodes[0].set.rotations[moment], weights)
        blends.append((laid, row, weights, in_blocks(reference, laid.padded).ravel(),
                       np.empty(3 * laid.padded), np.empty(k.WIDTH)))  # fmt: skip
        steps.append(LocomotionPlayer(walking))
    spent: dict[str, list[list[float]]] = {word: [[] for _ in SIZES] for word in ("blend", "step")}
    chance, command = np.random.default_rng(3), Command("walk", 1.3)
    for _ in range(
        ROUNDS
    ):  # in a different order each time: a busy moment of the machine affects any of them
        for number in chance.permutation(len(SIZES)):
            laid, row, weights, reference, work, beside = blends[number]
            start = time.process_time()
            for _ in range(200):
                k.blend_at(laid.data, row, 1.3, weights, weights, reference, work, beside)
            spent["blend"][number].append(1e6 * (time.process_time() - start) / 200)
            start = time.process_time()
            for _ in range(100):
                steps[number].step(1 / 60, command)
            spent["step"][number].append(1e6 * (time.process_time() - start) / 100)
    for word, rounds in spent.items():
        typical = np.median(rounds, axis=1)  # the minimum is noisy on a busy machine
        slope, base = np.polyfit(SIZES, typical, 1)
        left = typical - (slope * np.array(SIZES) + base)
        share = 1 - float(np.var(left) / np.var(typical))
        verdicts.note(
            f"microseconds a {word} of {SIZES[0]}, {SIZES[1]} ... {SIZES[-1]} examples: "
            + " ".join(f"{value:.2f}" for value in typical)
            + f" (median of {ROUNDS}); {base:.2f} + {1000 * slope:.0f} ns an example"
        )
        verdicts.check(f"fig. 9: share of the variance of a {word} that a line explains", share, ">= 0.97")


def main(verdicts: Show) -> None:
    table_2(verdicts)
    always_forward(verdicts)
    table_3(verdicts)
    outside(verdicts)
    chase(verdicts)
    linear_cost(verdicts)


if __name__ == "__main__":
    run(main, "On-line motion blending for locomotion: the source's own numbers")
