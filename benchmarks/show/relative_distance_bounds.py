"""Why relative distances are not searched with bounds: the work that two known bounds leave on captured clips.

Shows: why relative distances are not searched with bounds: the share that balls of four frames and sums of groups of
    columns leave of 31 captured clips
Bars: bounds are below costs; at 20 and 30 mm balls leave more than a quarter of the tiles
Needs: clips
Group: The parts
"""

from __future__ import annotations

import numpy as np
from _data import require_data
from _runner import Show, run
from scipy.cluster.vq import kmeans2

from segue.costs.registry import cost
from segue.io import load
from segue.motion.resample import resampled

THRESHOLDS = (0.01, 0.02, 0.03)
COLUMNS, GROUPS, EVERY = 60, 8, 3


def vectors() -> list[np.ndarray]:
    """Return weighted distances (F, 60) of every third captured clip, F a multiple of four."""
    made, out = cost("relative_distance"), []
    for path in sorted((require_data() / "asf_amc").glob("*/*.amc"))[::EVERY]:
        rows = made.prepare(resampled(load(path), 30.0)).features["rows"]
        if rows.shape[1] == COLUMNS and len(rows) >= 8:
            out.append(rows[: len(rows) // 4 * 4])
    return out


def grouped(rows: np.ndarray) -> np.ndarray:
    """Return sums (F, groups) of columns that move alike."""
    _, sizes, axes = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    alike = axes[:6].T * sizes[:6]
    alike /= np.linalg.norm(alike, axis=1, keepdims=True)
    _, group = kmeans2(alike, GROUPS, seed=1, minit="++")
    return np.stack([rows[:, group == k].sum(axis=1) for k in range(GROUPS)], axis=1)


def apart(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return sums of absolute differences."""
    return np.abs(rows[:, None] - columns).sum(axis=2)


def main(show: Show) -> None:
    """Measure steps, balls of four frames, sums of groups."""
    clips = vectors()
    rng = np.random.default_rng(0)
    rows = np.concatenate(clips)
    steps = np.concatenate([np.abs(np.diff(one, axis=0)).sum(axis=1) for one in clips])
    tiles = rows.reshape(-1, 4, COLUMNS)
    hearts = tiles[:, 1]
    radii = np.abs(tiles - hearts[:, None]).sum(axis=2).max(axis=1)
    show.note(
        f"{len(clips)} clips, {len(rows)} frames: a frame's step {1000 * np.median(steps):.1f} mm, "
        f"the radius of four frames {1000 * np.median(radii):.1f} mm in the median"
    )
    a, b = rng.integers(0, len(hearts), (2, 400))
    bound = apart(hearts[a], hearts[b]) - radii[a][:, None] - radii[b]
    i, j = rng.integers(0, len(rows), (2, 600))
    sums, costs = grouped(rows), apart(rows[i], rows[j])
    low = apart(sums[i], sums[j])
    show.check("no bound above its cost", float((low - costs).max()), "< 1e-6")
    for threshold in THRESHOLDS:
        left, cells = float((bound <= threshold).mean()), float((low <= threshold).mean())
        show.note(
            f"at {1000 * threshold:.0f} mm {(costs <= threshold).mean():.1%} of the pairs cost no more; balls leave "
            f"{left:.0%} of the tiles of four by four, {GROUPS} sums {cells:.1%} of the cells"
        )
        if threshold >= 0.02:
            show.check(f"at {1000 * threshold:.0f} mm balls leave too many tiles", left, "> 0.25")


if __name__ == "__main__":
    run(main, "Bounds of relative distances")
