"""Can a classifier tell windows over our seams from captured windows? Area under the curve for each way across.

Clips are all of CMU subject 16 at 60 frames a second. Seams are the cheapest transition of every pair of clips that lie
up to eight apart from one another in the list, if it costs no more than three median next-frame costs.
Captured windows are cut around as many places of the same clips, chosen by a seed. Windows reach a quarter second to
either side. Folds hold out whole clips: a seam is judged only where neither of its clips was learnt from.

Needs scikit-learn. An area of 0.5 means that it cannot tell, 1.0 that it always can.
"""

from __future__ import annotations

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

try:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score
except ImportError:
    print("scikit-learn is not installed: pip install scikit-learn")
    sys.exit(1)

FPS = 60.0
HALF = round(0.25 * FPS)
FOLDS = 3
NEXT = 8
WAYS = (
    ("hard cut", {"length": "cut"}),
    ("crossfade 1/3 s, feet free", {}),
    ("crossfade 1/3 s, feet held", {"feet": "planted"}),
    ("sigmoid, feet held", {"way": "sigmoid", "feet": "planted"}),
    ("registration, feet held", {"way": "registration", "feet": "planted"}),
    ("inertialization, feet held", {"way": "inertialization", "feet": "planted"}),
    ("dead, feet held", {"way": "dead", "feet": "planted"}),
    ("auto length, feet held", {"length": "auto", "feet": "planted"}),
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


def captured_windows(clips: list[Clip], count: int, seed: int) -> list[Window]:
    """As many windows of untouched clips."""
    rng = np.random.default_rng(seed)
    places = [(k, f) for k, clip in enumerate(clips) for f in range(HALF + 3, clip.n_frames - HALF - 3)]
    chosen = rng.choice(len(places), size=count, replace=False)
    return [Window(features(clips[places[c][0]], places[c][1]), (places[c][0], places[c][0])) for c in chosen]


def area(seams: list[Window], captured: list[Window], n_clips: int) -> tuple[float, float, float, int]:
    """Area under the curve over all folds with a bootstrap interval, and how many seams were judged."""
    fold = np.random.default_rng(0).permutation(n_clips) % FOLDS
    windows = [*seams, *captured]
    x = np.array([w.features for w in windows])
    y = np.array([1] * len(seams) + [0] * len(captured))
    clips = np.array([w.clips for w in windows])
    truth, score = [], []
    for k in range(FOLDS):
        inside = fold[clips] == k
        test, train = inside.all(axis=1), ~inside.any(axis=1)
        if len(set(y[train])) < 2 or not test.any():
            continue
        model = HistGradientBoostingClassifier(max_iter=100, random_state=0).fit(x[train], y[train])
        truth.append(y[test])
        score.append(model.predict_proba(x[test])[:, 1])
    t, s = np.concatenate(truth), np.concatenate(score)
    rng = np.random.default_rng(1)
    again = []
    for _ in range(500):
        rows = rng.integers(0, len(t), len(t))
        if 0 < t[rows].sum() < len(rows):
            again.append(roc_auc_score(t[rows], s[rows]))
    low, high = np.percentile(again, [2.5, 97.5])
    return float(roc_auc_score(t, s)), float(low), float(high), int(t.sum())


def main() -> None:
    verdicts = Verdicts("a classifier looks for our seams")
    clips = [resampled(clip, FPS) for clip in read(subject_16()).clips]
    points = transitions(clips)
    captured = captured_windows(clips, 2 * len(points), seed=7)
    verdicts.note(f"{len(clips)} clips, {len(points)} transitions, {len(captured)} captured windows")
    areas = {}
    for name, how in WAYS:
        seams = seam_windows(clips, points, how)
        value, low, high, judged = area(seams, captured, len(clips))
        areas[name] = value
        verdicts.note(
            f"{name:32} area {value:.3f} ({low:.3f} to {high:.3f}), {len(seams)} seams, {judged} judged"
        )
    verdicts.check("hard cuts are told apart, area", areas["hard cut"], ">= 0.9", areas["hard cut"] >= 0.9)
    ours = areas["crossfade 1/3 s, feet held"]
    verdicts.check("the default way, area", ours, "<= 0.6", ours <= 0.6)
    verdicts.finish()


if __name__ == "__main__":
    main()
