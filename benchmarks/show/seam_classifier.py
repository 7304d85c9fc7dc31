"""Can a classifier tell windows over our seams from captured windows? Area under the curve for each way across.

Clips are all of CMU subject 16 at 60 frames a second. Seams are the cheapest transition of every pair of clips that lie
up to eight apart from one another in the list, if it costs no more than three median next-frame costs. Captured windows
lie where the seams do: in each of both clips, untouched, around the frame left and the frame arrived at, so that
moments of a gait cannot be told from seams. Windows reach a quarter second to either side.

Clips are dealt into five folds. A seam between clips of two folds is judged by a learner that has seen no clip of
either; captured windows are judged by the same learners, and their scores averaged. Intervals resample seams and
captured windows.

Held feet are stiller than captured ones, which drift by centimetres while they stand, and are told by that alone: the
first lines tell captured clips with held feet (`segue clean`), without any seam, and with feet that keep a share of
their drift, beside how far plants then slip. The ways are therefore compared with feet that drift as the clips' own do
(`feet="captured"`). The default, whose feet are held, is compared with three kinds of windows without a seam:

- captured ones as they are: can made motion be told from captured motion?
- captured ones whose feet are held: is the seam to be seen where feet are held anyway?
- those of our own walks, feet held throughout, where a walk passes a place it might have left at or arrived at: can
  the seams be found within one motion?

Blends last 1/3 s unless it is said.

Needs scikit-learn. An area of 0.5 means that it cannot tell, 1.0 that it always can.
"""

from __future__ import annotations

import itertools
import os
import sys
from typing import NamedTuple

import numpy as np
from _data import subject_16
from _verdict import Verdicts

import segue
from segue.app.stages import Collection, make_graph, read
from segue.costs.matrix import median_next_frame_cost, next_frame_costs
from segue.errors import SegueError
from segue.measures.foot_skate import carried_contacts, foot_skate
from segue.measures.seams import seam_ranges
from segue.motion.clip import Clip, Origin
from segue.motion.contacts import contacts
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world
from segue.motion.resample import resampled
from segue.settings import Settings
from segue.synthesis.feet.planting import plant_feet

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small trees: threads would only wait for one another
try:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score
except ImportError:
    print("scikit-learn is not installed: pip install scikit-learn")
    sys.exit(1)

FPS = 60.0
HALF = round(0.25 * FPS)
FOLDS = 5
NEXT = 8
WALKS = 8
SHARES = (0.05, 0.5)
"""How much of their captured drift held feet may keep, besides none."""
HELD, AS_CAPTURED = {"feet": "planted"}, {"feet": "captured"}
WAYS = (
    ("hard cut", {"length": "cut", "feet": "free"}),
    ("crossfade, feet free", {"feet": "free"}),
    ("crossfade, feet held", HELD),
    ("crossfade", AS_CAPTURED),
    ("crossfade 0.2 s", {"length": 0.2, **AS_CAPTURED}),
    ("sigmoid", {"way": "sigmoid", **AS_CAPTURED}),
    ("timewarped", {"way": "timewarped", **AS_CAPTURED}),
    ("registration", {"way": "registration", **AS_CAPTURED}),
    ("inertialization", {"way": "inertialization", **AS_CAPTURED}),
    ("dead", {"way": "dead", **AS_CAPTURED}),
    ("auto length", {"length": "auto", **AS_CAPTURED}),
)


class Window(NamedTuple):
    """Features of half a second and the clips it comes from."""

    features: np.ndarray
    clips: tuple[int, int]


def features(clip: Clip, middle: int) -> np.ndarray:
    """What a viewer could notice: how fast joints move, speed up and jerk, and how feet slide and sink."""
    rows = slice(middle - HALF, middle + HALF + 1)
    at = world(clip)
    places = at.positions[rows]
    feet = foot_positions(clip.skeleton, at)[rows]
    parts = []
    for order in (1, 2, 3):
        values = np.linalg.norm(np.diff(places, order, axis=0), axis=-1) * FPS**order
        around = values[HALF - 5 : HALF + 5]
        share = around.mean(axis=0) / (values.mean(axis=0) + 1e-9)
        parts += [values.max(axis=0), values.mean(axis=0), around.max(axis=0), share]
    sliding = np.linalg.norm(np.diff(feet[..., [0, 2]], axis=0), axis=-1) * FPS
    low = feet[1:, :, 1] - feet[:, :, 1].min(axis=0) < 0.02
    slid = np.where(low, sliding, 0.0)
    parts += [slid.max(axis=0), slid.sum(axis=0), feet[:, :, 1].min(axis=0)]
    return np.concatenate(parts)


def transitions(clips: list[Clip]) -> list[tuple[int, int, segue.TransitionPoint]]:
    """One a pair, by the rule above."""
    cost = segue.PointCloudCost()
    limit = 3 * median_next_frame_cost([next_frame_costs(cost.prepare(clip), cost) for clip in clips])
    found = []
    for i in range(len(clips)):
        for j in range(i + 1, i + 1 + NEXT):
            if j >= len(clips):
                continue
            try:
                points = segue.transition_points(clips[i], clips[j], cost=cost, threshold=limit)
            except SegueError:
                continue
            if len(points):
                found.append((i, j, points[0]))
    return found


def seam_windows(
    clips: list[Clip], points: list[tuple[int, int, segue.TransitionPoint]], how: dict
) -> list[Window]:
    """Windows in the middle of every seam."""
    out = []
    for i, j, point in points:
        try:
            made = segue.splice(clips[i], clips[j], point, **how)
        except SegueError:
            continue
        middle = int(np.argmin(np.abs(made.origin.weight[:, 0] - 0.5) + (made.origin.clip[:, 1] < 0)))
        if how.get("length") == "cut":
            middle = point.a_frame
        if HALF + 3 <= middle < made.n_frames - HALF - 3:
            out.append(Window(features(made, middle), (i, j)))
    return out


def captured_windows(clips: list[Clip], points: list[tuple[int, int, segue.TransitionPoint]]) -> list[Window]:
    """Both clips of every transition, untouched, around its frames."""
    places = {(i, point.a_frame) for i, _, point in points} | {(j, point.b_frame) for _, j, point in points}
    return [
        Window(features(clips[k], frame), (k, k))
        for k, frame in sorted(places)
        if HALF + 3 <= frame < clips[k].n_frames - HALF - 3
    ]


def held(clips: list[Clip], share: float) -> list[Clip]:
    """Captured clips whose feet are held, but for a share of their own drift."""
    out = []
    for clip in clips:
        ground = foot_positions(clip.skeleton, world(clip))[..., [0, 2]]
        out.append(plant_feet(clip, drift=share * ground if share else None).clip)
    return out


def slips(made: list[Clip], clips: list[Clip]) -> np.ndarray:
    """Millimetres along the path of every plant of the captured clips, in the clips made of them."""
    pairs = zip(made, clips, strict=True)
    plants = [foot_skate(motion, planted=contacts(clip).flags) for motion, clip in pairs]
    return 1e3 * np.array([plant.along_path for each in plants for plant in each])


def walked(clips: list[Clip]) -> tuple[list[Window], list[Window]]:
    """Windows with and without a seam of walks whose feet are held throughout; of equal ones the first."""
    clips = [clip.with_motion(origin=Origin.of(clip.name, clip.n_frames)) for clip in clips]
    graph = make_graph(Collection(tuple(clips)), Settings())
    number = {clip.name: k for k, clip in enumerate(clips)}
    nodes = {
        clip.name: graph.node_frame[(graph.node_clip == k) & graph.kept] for k, clip in enumerate(graph.clips)
    }
    seams: dict[tuple, Window] = {}
    others: dict[tuple, Window] = {}
    for seed in range(1, WALKS + 1):
        free = segue.render(graph.wander(seconds=60, seed=seed), feet="free")
        motion = plant_feet(free, planted=carried_contacts(free, graph.clips)).clip
        origin = motion.origin
        inside = range(HALF + 3, motion.n_frames - HALF - 3)
        near = np.zeros(motion.n_frames, dtype=bool)
        for start, stop in seam_ranges(origin):
            near[max(start - HALF, 0) : stop + HALF] = True
            middle = (start + stop) // 2
            names = [origin.clips[c] for c in origin.clip[middle]]
            key = (*names, *np.round(origin.frame[middle]))
            if middle in inside and key not in seams:
                seams[key] = Window(features(motion, middle), (number[names[0]], number[names[1]]))
        for row in np.flatnonzero(~near):
            name = origin.clips[origin.clip[row, 0]]
            key = (name, round(origin.frame[row, 0]))
            if row in inside and key not in others and key[1] in nodes[name]:
                others[key] = Window(features(motion, row), (number[name], number[name]))
    return list(seams.values()), list(others.values())


def area(seams: list[Window], captured: list[Window], n_clips: int) -> tuple[float, float, float]:
    """Area under the curve with a bootstrap interval."""
    fold = np.random.default_rng(0).permutation(n_clips) % FOLDS
    windows = [*seams, *captured]
    x = np.array([w.features for w in windows])
    y = np.array([1] * len(seams) + [0] * len(captured))
    folds = fold[np.array([w.clips for w in windows])]
    total, count = np.zeros(len(y)), np.zeros(len(y))
    for one, other in itertools.combinations_with_replacement(range(FOLDS), 2):
        held_out = np.isin(folds, (one, other))
        same = np.sort(folds, axis=1) == (one, other)
        test = held_out.all(axis=1) & (same.all(axis=1) | (y == 0))
        if not test.any():
            continue
        train = ~held_out.any(axis=1)
        model = HistGradientBoostingClassifier(max_iter=100, random_state=0).fit(x[train], y[train])
        total[test] += model.predict_proba(x[test])[:, 1]
        count[test] += 1
    score = total / count
    rng = np.random.default_rng(1)
    again = []
    for _ in range(500):
        rows = rng.integers(0, len(y), len(y))
        if 0 < y[rows].sum() < len(rows):
            again.append(roc_auc_score(y[rows], score[rows]))
    low, high = np.percentile(again, [2.5, 97.5])
    return float(roc_auc_score(y, score)), float(low), float(high)


def main() -> None:
    verdicts = Verdicts("a classifier looks for our seams")
    clips = [resampled(clip, FPS) for clip in read(subject_16()).clips]
    points = transitions(clips)
    captured = captured_windows(clips, points)
    verdicts.note(f"{len(clips)} clips, {len(points)} transitions, {len(captured)} captured windows")

    def told(name: str, seams: list[Window], others: list[Window]) -> float:
        value, low, high = area(seams, others, len(clips))
        count = f"{len(seams)} and {len(others)} windows"
        verdicts.note(f"{name:52} area {value:.3f} ({low:.3f} to {high:.3f}), {count}")
        return value

    still = held(clips, 0.0)
    for share, made in ((0.0, still), *((share, held(clips, share)) for share in SHARES)):
        median, most = np.percentile(slips(made, clips), [50, 95])
        name = f"no seam, feet held but for {share:.0%} of their drift"
        told(name, captured_windows(made, points), captured)
        verdicts.note(f"{'':52} plants slip {median:.1f} mm in the median, {most:.1f} mm at 95 %")
    areas = {}
    for name, how in WAYS:
        seams = seam_windows(clips, points, how)
        areas[name] = told(name, seams, captured)
        if how is HELD:
            areas["cleaned"] = told(
                "  beside captured windows with held feet", seams, captured_windows(still, points)
            )
    areas["walks"] = told("  in our own walks, beside moments without a seam", *walked(clips))
    verdicts.check("hard cuts are told apart, area", areas["hard cut"], ">= 0.9", areas["hard cut"] >= 0.9)
    for name, words in (
        ("crossfade", "crossfades whose feet drift as captured"),
        ("auto length", "of lengths found, feet as captured"),
        ("cleaned", "the default, its feet held, beside captured feet held"),
        ("walks", "the default in our own walks, beside no seam"),
        ("crossfade, feet held", "the default, its feet held, beside captured as it is"),
    ):
        verdicts.check(f"{words}, area", areas[name], "<= 0.6", areas[name] <= 0.6)
    verdicts.finish()


if __name__ == "__main__":
    main()
