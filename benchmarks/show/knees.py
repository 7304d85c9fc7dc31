"""Knee acceleration at the seams of a minute's walk, compared with its source clips: straight legs must not pop.

Shows: knee acceleration at the seams of a minute's walk, over CMU 16, 16 + 127 + 131 and 16 on two other rigs,
    compared with the source clips; `--table` tries other shares of the leg's length
Bars: at most 1 % of the seams over 1.5 × the sources' largest, none over 2 ×
Needs: clips
Group: The parts

Complete sets by rule: 60 s of `segue wander` over every clip of CMU subject 16, over 16, 127 and 131, and over 16
on two other rigs, with three seeds. At each seam the largest angular acceleration of a knee is compared with the
largest within half a second in both sources (`segue.measures.smoothness.knee_ratios`). ``--table`` tries four
values of the share of the leg's length up to which a knee is straightened.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from _data import mixed_subjects, subject_16
from _rigs import along_x, on_a_ground_root
from _runner import Show, run

import segue
from segue.app.stages import Collection, make_graph, read
from segue.measures.foot_skate import carried_contacts, foot_skate
from segue.measures.seams import seam_ranges
from segue.measures.smoothness import knee_ratios
from segue.motion.clip import Clip
from segue.settings import Settings
from segue.synthesis.feet import lowering

SEEDS = (1, 2, 3)
RIGS = {"all bones along X": along_x, "a root on the ground": on_a_ground_root}
TRIED = (0.999, 0.995, 0.99, 0.98)


def main(verdicts: Show) -> None:
    sets = {
        "CMU 16": read(subject_16()),
        "CMU 16 + 127 + 131": read(mixed_subjects()),
        **{f"CMU 16, {rig}": rerigged(make, verdicts.folder) for rig, make in RIGS.items()},
    }
    for label, clips in sets.items():
        for share in TRIED if verdicts.options.table else (lowering._SOFT,):
            judge(verdicts, label, clips, share)


def rerigged(make: Callable[[Clip, Path], Clip], folder: Path) -> Collection:
    """Read clips of subject 16 on a rig with an unusual rest pose, or with its root on the ground."""
    return Collection(tuple(make(clip, folder) for clip in read(subject_16()).clips))


def judge(verdicts: Show, label: str, clips: Collection, share: float) -> None:
    """Walk over clips, with knees straightened up to a share of the leg's length."""
    chosen, lowering._SOFT = lowering._SOFT, share
    graph = make_graph(clips, Settings())
    motions = [graph.wander(seconds=60, seed=seed) for seed in SEEDS]
    free = [segue.render(walk, feet="free") for walk in motions]
    held = [segue.render(walk, feet="planted") for walk in motions]
    blended, made = (np.concatenate([ratios(one, graph.clips) for one in each]) for each in (free, held))
    before, after = (1e3 * np.concatenate([slips(one, graph.clips) for one in each]) for each in (free, held))
    lowering._SOFT = chosen
    over = float((made > 1.5).mean())
    verdicts.note(f"{label}, straightened up to {share:g} of the leg: {len(made)} seams")
    verdicts.note(f"blended alone: over 1.5 x at {(blended > 1.5).mean():.1%}, most {blended.max():.2f}")
    verdicts.note(
        f"slip at seams along the path: median {np.median(before):.2f} to {np.median(after):.2f} mm, "
        f"95 % {np.percentile(before, 95):.1f} to {np.percentile(after, 95):.1f} mm"
    )
    verdicts.check(f"{label}: knees over 1.5 x, share of seams", over, "<= 0.01")
    verdicts.check(f"{label}: the hardest knee", float(made.max()), "<= 2")


def ratios(motion: Clip, sources: tuple[Clip, ...]) -> np.ndarray:
    """Return the larger knee ratio of each seam."""
    return knee_ratios(motion, sources).max(axis=1)


def slips(motion: Clip, sources: tuple[Clip, ...]) -> np.ndarray:
    """Return metres along the path of every plant that touches a seam."""
    near = np.zeros(motion.n_frames, dtype=bool)
    for start, stop in seam_ranges(motion.origin):
        near[max(start - 1, 0) : stop + 1] = True
    found = foot_skate(motion, planted=carried_contacts(motion, sources))
    return np.array([slide.along_path for slide in found if near[slide.start : slide.stop].any()])


if __name__ == "__main__":
    run(
        main,
        "knees at seams against the sources'",
        {"--table": {"action": "store_true", "help": "also with other shares of the leg's length"}},
    )
