"""Weights learnt from labels: planted weights are recovered, and the influence of single labels on real clips.

Shows: weights from 16 good and 26 bad transitions labelled by a stated rule, compared with the source's table IV.1;
    planted weights; each label left out in turn
Bars: planted weights to 1e-6; 90 % of the labels on their side of one threshold; with a label left out, its clips'
    best transition stays within a frame in 90 %, and the old place costs under 5 % more; that of unrelated dances
    stays in 41 of 42
Needs: clips
Group: The parts

Labels of real clips follow a stated rule, since nobody has judged them: in pairs of clips of one kind the pair of
moments with the lowest windowed point-cloud cost is good, random pairs of moments above the median cost of their
clips are bad. The numbers are those of the source: 16 good, 26 bad.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from _data import DATA, require_data
from _runner import Show, run

from segue.costs.matrix import cost_matrix
from segue.costs.registry import cost
from segue.io import load
from segue.learning import Label, Learnt, examples, learn, leave_one_out
from segue.learning.weights import Examples, solve
from segue.motion.clip import Clip

GOOD, BAD, SEED = 16, 26, 11
KINDS = (
    ("02/02_01", "02/02_02", "16/16_15", "16/16_16", "16/16_31", "16/16_32", "16/16_47"),
    ("02/02_03", "16/16_36", "16/16_45", "127/127_03", "127/127_06"),
    ("127/127_17", "127/127_18", "127/127_19"),
    ("02/02_05", "17/17_10"),
)
UNRELATED = ("05/05_02", "05/05_03")
"""Dances of another performer, without labels."""
TABLE = {"hip": 1.0, "shoulder": 0.7884, "knee": 0.0901, "elbow": 0.0247}
"""The source's table IV.1."""


def clips_by_kind() -> list[list[Clip]]:
    """Load walks, runs, runs with stops, boxing."""
    return [[load(DATA / "asf_amc" / f"{name}.amc") for name in kind] for kind in KINDS]


def labelled(kinds: list[list[Clip]]) -> list[Label]:
    """Return labels by the rule above."""
    rng = np.random.default_rng(SEED)
    cloud = cost("point_cloud")
    best: list[tuple[float, Label]] = []
    for kind in kinds:
        for k, a in enumerate(kind):
            for b in kind[k + 1 :]:
                matrix = cost_matrix(a, b, cost=cloud)
                i, j = np.unravel_index(int(matrix.values.argmin()), matrix.values.shape)
                where = int(matrix.a_frames[i]), int(matrix.b_frames[j])
                best.append((float(matrix.values.min()), Label(a.name, where[0], b.name, where[1], True)))
    best.sort(key=lambda pair: pair[0])
    labels = [label for _, label in best[:GOOD]]
    every = [clip for kind in kinds for clip in kind]
    while len(labels) < GOOD + BAD:
        a, b = (every[int(n)] for n in rng.choice(len(every), 2, replace=False))
        matrix = cost_matrix(a, b, cost=cloud)
        i, j = (int(rng.integers(n)) for n in matrix.values.shape)
        if matrix.values[i, j] > np.median(matrix.values):
            labels.append(Label(a.name, int(matrix.a_frames[i]), b.name, int(matrix.b_frames[j]), False))
    return labels


def planted(show: Show, found: Examples) -> None:
    """Check that labels made by a weighted sum give back the weights; also good and bad labels by known weights."""
    rng = np.random.default_rng(5)
    count = len(found.terms.columns)
    worst = 0.0
    for _ in range(50):
        weights = rng.uniform(0.05, 1.0, count) * (rng.random(count) < 0.5)
        weights[int(rng.integers(count))] = 1.0
        worst = max(worst, float(np.abs(solve(replace(found, bad=found.table @ weights)) - weights).max()))
    show.check("planted weights, 50 sets: largest error", worst, "< 1e-6")


def described(learnt: Learnt) -> str:
    """Format weights, the largest first."""
    order = np.argsort(-learnt.weights)
    shown = []
    for k in order:
        name = learnt.columns[k] if isinstance(learnt.columns[k], str) else " - ".join(learnt.columns[k])
        if learnt.weights[k] > 0:
            shown.append(f"{name} {learnt.weights[k]:.3f}")
    return ", ".join(shown[:10]) + (f" and {len(shown) - 10} more" if len(shown) > 10 else "")


def beside_the_source(show: Show, learnt: Learnt) -> None:
    """Compare with the source's table IV.1, without a bar: its labels are people's, of other clips."""
    found = dict(zip(map(str, learnt.columns), learnt.weights.tolist(), strict=True))
    show.note("learnt and table IV.1 (0 for all others there)")
    for name in [*TABLE, *sorted(set(found) - set(TABLE), key=lambda one: -found[one])]:
        ours = f"{found[name]:.4f}" if name in found else "never moves"
        if name in TABLE or found[name] > 0:
            show.note(f"    {name:<16}{ours:>12}{TABLE.get(name, 0.0):>10.4f}")
    mine, theirs = (max(weights, key=lambda name: weights[name]) for weights in (found, TABLE))
    both = np.array([(found.get(name, 0.0), TABLE.get(name, 0.0)) for name in {*found, *TABLE}])
    alike = float(both[:, 0] @ both[:, 1] / np.prod(np.linalg.norm(both, axis=0)))
    show.note(
        f"the largest is of the {mine}, in the source of the {theirs}; cosine of both tables {alike:.2f}"
    )


def deviations(show: Show, found: Examples, unrelated: tuple[Clip, Clip], *, ridge: float = 0.0) -> None:
    """Leave out each label in turn."""
    name = found.terms.name + (f", ridge {ridge:g}" if ridge else "")
    learnt = learn(found, ridge=ridge)
    show.note(f"{name}: {described(learnt)}")
    if found.terms.name == "joint_angle":
        beside_the_source(show, learnt)
    negative = int(np.sum(learnt.pseudo_inverse < 0))
    show.note(f"{name}: without the bound at zero {negative} of {len(learnt.columns)} weights are negative")
    show.check(f"{name}: labels on their side of one threshold", learnt.right, "> 0.9")
    left = leave_one_out(found, ridge=ridge, unrelated=unrelated)
    show.note(f"{name}: {left.sentence()}")
    gone, within = left.dropped, int(np.sum(left.dropped <= 1))
    show.note(
        f"{name}: mean {np.nanmean(gone):.2f} frames (the source's own labels gave less than 1): {within} of "
        f"{gone.size} stay within a frame, the others go to another step that costs nearly the same"
    )
    median = float(np.nanmedian(gone))
    show.check(f"{name}: dropped pair, median deviation", median, "= 0", unit="frames")
    show.check(
        f"{name}: dropped pair, within a frame", f"{within} of {gone.size}", "90 %", within >= 0.9 * gone.size
    )
    most = float(np.nanmax(left.excess))
    show.check(f"{name}: the old place costs more by at most", most, "< 0.05")
    same = int(np.sum(left.unrelated == 0))
    text = f"{same} of {left.unrelated.size}"
    if name == "joint_angle":
        show.check(f"{name}: unrelated pair, the same optimum", text, "41 of 42 in the source", same >= 41)
    else:
        show.note(f"{name}: unrelated pair, the same optimum in {text}")


def main(verdicts: Show) -> None:
    require_data()
    kinds = clips_by_kind()
    clips = [clip for kind in kinds for clip in kind]
    labels = labelled(kinds)
    pair = tuple(load(DATA / "asf_amc" / f"{name}.amc") for name in UNRELATED)
    by_angle = examples(labels, clips)
    planted(verdicts, by_angle)
    deviations(verdicts, by_angle, pair)
    deviations(verdicts, examples(labels, clips, cost="relative_distance"), pair)


if __name__ == "__main__":
    run(main, f"Weights from {GOOD} good and {BAD} bad transitions of real clips")
