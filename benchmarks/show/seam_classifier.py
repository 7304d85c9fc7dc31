"""Can a classifier tell windows over our seams from captured windows? Area under the curve for each way across.

Clips are all of CMU subject 16 at 60 frames a second. Seams are the cheapest transition of every pair of clips that lie
up to eight apart from one another in the list, if it costs no more than three median next-frame costs. Captured windows
lie where the seams do: in each of both clips, untouched, around the frame left and the frame arrived at, so that
moments of a gait cannot be told from seams. Windows reach a quarter second to either side.

Clips are dealt into five folds. A seam between clips of two folds is judged by a learner that has seen no clip of
either; captured windows are judged by the same learners, and their scores averaged. Intervals resample seams and
captured windows.

Held feet are stiller than captured ones, which drift by centimetres while they stand, and are told by that alone: the
first line tells captured clips with held feet (`segue clean`), without any seam. The ways are therefore compared with
feet that drift as the clips' own do (`feet="captured"`), and the default, whose feet are held, also with captured
windows whose feet are held. Blends last 1/3 s unless it is said.

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
from segue.app.stages import read
from segue.costs.matrix import median_next_frame_cost, next_frame_costs
from segue.errors import SegueError
from segue.motion.clip import Clip
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world
from segue.motion.resample import resampled
from segue.synthesis.footplants import plant_feet

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
HELD, AS_CAPTURED = {"feet": "planted"}, {"feet": "captured"}
WAYS = (
    ("hard cut", {"length": "cut"}),
    ("crossfade, feet free", {}),
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
    held = captured_windows([plant_feet(clip).clip for clip in clips], points)
    verdicts.note(f"{len(clips)} clips, {len(points)} transitions, {len(captured)} captured windows")
    value, low, high = area(held, captured, len(clips))
    verdicts.note(f"{'no seam, feet held':22} area {value:.3f} ({low:.3f} to {high:.3f})")
    areas = {}
    for name, how in WAYS:
        seams = seam_windows(clips, points, how)
        value, low, high = area(seams, captured, len(clips))
        areas[name] = value
        line = f"{name:22} area {value:.3f} ({low:.3f} to {high:.3f}), {len(seams)} seams"
        if how is HELD:
            value, low, high = area(seams, held, len(clips))
            line += f"; of captured windows with held feet {value:.3f} ({low:.3f} to {high:.3f})"
        verdicts.note(line)
    verdicts.check("hard cuts are told apart, area", areas["hard cut"], ">= 0.9", areas["hard cut"] >= 0.9)
    value = areas["crossfade"]
    verdicts.check("crossfades whose feet drift as captured, area", value, "<= 0.6", value <= 0.6)
    value = areas["auto length"]
    verdicts.check("of lengths found, feet as captured, area", value, "<= 0.6", value <= 0.6)
    value = areas["crossfade, feet held"]
    verdicts.check("the default, whose feet are held, area", value, "<= 0.6", value <= 0.6)
    verdicts.finish()


if __name__ == "__main__":
    main()
