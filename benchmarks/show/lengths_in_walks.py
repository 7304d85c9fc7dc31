"""Blends of a third of a second compared with lengths computed per transition (`auto`), in complete walks.

Shows: blends of 1/3 s compared with lengths computed per transition, in six walks each over CMU 16, and 16 + 127 +
    131: slide, acceleration and jerk of seams, with feet free and corrected
Bars: at most 5 % of the seams out of bounds; the rest is measured and decides the default
Needs: clips
Group: The parts

One graph of each set of clips (CMU 16; CMU 16, 127 and 131), as `segue wander` makes it, once with each kind of
length; a minute of walk for every seed. The seams of all walks count together, with feet as blended and with feet
corrected.

Skate is the slide of heels and toes planted in the heavier clip beyond that clip, the mean of the four, in
millimetres a seam; acceleration and jerk are those a seam adds to any joint beyond both clips mixed with the same
weights, as shares of the largest within half a second. Medians, 95 % intervals of a bootstrap over walks, and the
ratio of both lengths.

The result decides whether transitions of a graph last a third of a second by default (docs/decisions.md). ``--seeds
N`` for more or fewer walks than six. A minute and a half of processor time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from _data import mixed_subjects, subject_16
from _runner import Show, run

import segue
from segue.app.stages import make_graph, read
from segue.measures.foot_skate import carried_contacts
from segue.measures.seams import seam_ranges, seams, source_rows
from segue.motion.clip import Clip
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world
from segue.settings import SeamBounds, Settings
from segue.synthesis.feet.seams import with_feet

AROUND = 0.1
"""Seconds measured before and after a blend."""
LENGTHS = ("fixed", "auto")
NAMES = ("skate, mm", "acceleration", "jerk", "worst joint / allowed")


@dataclass(frozen=True, eq=False)
class Own:
    """A clip's own values: steps of its feet (F, 4), second and third differences of its joints (F, J)."""

    steps: np.ndarray
    differences: dict[int, np.ndarray]

    @classmethod
    def of(cls, clip: Clip) -> Own:
        at = world(clip)
        out = {}
        for order in (2, 3):
            size = np.linalg.norm(np.diff(at.positions, order, axis=0), axis=-1)
            out[order] = np.concatenate([np.repeat(size[:1], order, axis=0), size])
        return cls(steps(clip, at), out)


def steps(clip: Clip, at: object) -> np.ndarray:
    """Return metres (F, 4) that heels and toes moved along the ground since the previous frame."""
    feet = foot_positions(clip.skeleton, at)[..., [0, 2]]  # type: ignore[arg-type]
    size = np.linalg.norm(np.diff(feet, axis=0), axis=-1)
    return np.concatenate([size[:1], size])


def of_walk(motion: Clip, clips: Sequence[Clip], owns: dict[str, Own]) -> np.ndarray:
    """Return the measurements (S, 4) of every seam."""
    at = world(motion)
    by_name = {clip.name: clip for clip in clips}
    origin = motion.origin
    slid, usual = steps(motion, at), np.zeros((motion.n_frames, 4))
    mixed = {n: np.zeros((motion.n_frames, motion.skeleton.n_joints)) for n in (2, 3)}
    largest = {n: np.zeros(motion.n_frames) for n in (2, 3)}
    heavier = np.argmax(origin.weight, axis=1)
    half = round(0.5 * motion.fps)
    for k, name in enumerate(origin.clips):
        for column in (0, 1):
            mine = np.flatnonzero(origin.clip[:, column] == k)
            if not mine.size:
                continue
            rows = source_rows(by_name[name], name, origin.frame[mine, column])
            own, first = owns[name], heavier[mine] == column
            usual[mine[first]] = own.steps[rows[first]]
            for n in (2, 3):
                mixed[n][mine] += origin.weight[mine, column, None] * own.differences[n][rows]
                most = own.differences[n].max(axis=1)
                around = [float(most[max(r - half, 0) : r + half].max()) for r in rows]
                largest[n][mine] = np.maximum(largest[n][mine], around)
    skate = np.where(carried_contacts(motion, clips), np.maximum(slid - usual, 0.0), 0.0).mean(axis=1)
    wide = round(AROUND * motion.fps)
    bad = [seam.badness(SeamBounds()) for seam in seams(motion, clips)]
    out = []
    for (start, stop), worst in zip(seam_ranges(origin), bad, strict=True):
        rows = slice(max(start - wide, 3), stop + wide)
        added = [
            float(
                (np.maximum(made - mixed[n][n:], 0.0).max(axis=1) / largest[n][n:])[
                    rows.start - n : rows.stop - n
                ].max()
            )
            for n in (2, 3)
            for made in [np.linalg.norm(np.diff(at.positions, n, axis=0), axis=-1)]
        ]
        out.append((1e3 * float(skate[rows].sum()), *added, worst))
    return np.array(out)


def spread(walks: list[np.ndarray], other: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return medians (4,) over all seams, and the bootstrap interval over walks of their ratio to another's."""
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(300):
        mine, its = (
            np.median(np.concatenate([w[k] for k in rng.integers(0, len(w), len(w))]), axis=0)
            for w in (walks, other)
        )
        ratios.append(mine / np.maximum(its, 1e-9))
    low, high = np.percentile(ratios, [2.5, 97.5], axis=0)
    return np.median(np.concatenate(walks), axis=0), low, high


def show(verdicts: Show, label: str, inputs: list[str], seeds: int) -> None:
    """Measure all walks of one set."""
    collection = read(inputs)
    found: dict[tuple[str, str], list[np.ndarray]] = {}
    for length in LENGTHS:
        graph = make_graph(collection, Settings(length=length))
        owns = {clip.name: Own.of(clip) for clip in graph.clips}
        lasting: list[int] = []
        for seed in range(1, seeds + 1):
            free = segue.render(graph.wander(seconds=60, seed=seed), feet="free")
            lasting += [stop - start for start, stop in seam_ranges(free.origin)]
            for feet in ("free", "planted"):
                motion = with_feet(free, graph.clips, feet).clip  # type: ignore[arg-type]
                found.setdefault((feet, length), []).append(of_walk(motion, graph.clips, owns))
        seconds = np.array(lasting) / graph.clips[0].fps
        verdicts.note(
            f"{label}, {length}: {seeds} walks, {len(seconds)} seams of {seconds.mean():.2f} s on average "
            f"({seconds.min():.2f} to {seconds.max():.2f})"
        )
    for feet, words in (("free", "feet as blended"), ("planted", "feet held")):
        fixed, found_one = found[feet, "fixed"], found[feet, "auto"]
        mine, low, high = spread(found_one, fixed)
        other = np.median(np.concatenate(fixed), axis=0)
        for k, name in enumerate(NAMES):
            ratio = (
                f"ratio {mine[k] / other[k]:.3f} ({low[k]:.3f} to {high[k]:.3f})"
                if other[k] > 1e-2
                else "none"
            )
            verdicts.note(f"{label}, {words}, {name:22} 1/3 s {other[k]:8.3f}, auto {mine[k]:8.3f}, {ratio}")
        for length, walks in ((LENGTHS[0], fixed), (LENGTHS[1], found_one)):
            over = float(np.mean(np.concatenate(walks)[:, 3] > 1))
            verdicts.check(f"{label}, {words}, {length}: seams out of bounds", over, "<= 0.05")


def main(verdicts: Show) -> None:
    seeds = verdicts.options.seeds
    for label, inputs in (("CMU 16", subject_16()), ("CMU 16 + 127 + 131", mixed_subjects())):
        show(verdicts, label, inputs, seeds)


if __name__ == "__main__":
    run(
        main,
        "lengths in complete walks",
        {"--seeds": {"type": int, "default": 6, "help": "walks of each set"}},
    )
