"""Ten captured clips as loops, each played ten times end to end: wraps compared with all other moments.

Shows: ten captured clips (walks, runs, a dance, sitting, standing) as loops played ten times end to end; `--pictures
    FOLDER` draws the three worst wraps
Bars: the last frame is the first to 1e-9; speed and acceleration at wraps within the 99th percentile of the clip's
    own windows; joint by joint at the 40th to 60th percentile on average; planted feet slide under 20 mm a cycle
Needs: clips
Group: The parts

The clips by a stated rule: the first three walks and the first three runs of CMU 16 in which a cycle is found, the
first walk of 02, a dance (60_12, a salsa), sitting down and standing up (14_31), and standing idle: the first
second of 127_03, a given range. Around each wrap, three frames on either side, the largest angular speed and
acceleration are compared with every window of that length in the clip, and joint by joint with the loop's other
windows.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _data import require_data
from _runner import PICTURES, Show, run

import segue
from segue.measures.foot_skate import foot_skate
from segue.measures.seams import accelerations, angular_speeds
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.kinematics import world_positions
from segue.synthesis.loop import Loop, repeated

TIMES, AROUND = 10, 3
WALKS = ("16_15", "16_16", "16_21", "16_22", "16_31", "16_32", "16_47", "16_58")
RUNS = ("16_35", "16_36", "16_45", "16_46", "16_55", "16_56")


def main(verdicts: Show) -> None:
    pictures = verdicts.options.pictures
    made = chosen()
    verdicts.check("clips with a cycle", len(made), "= 10")
    worst, joints = [], []
    for clip, loop in made:
        ten = repeated(loop, TIMES)
        speed, push = percentiles(clip, loop, ten)
        slide = slides(clip, loop, ten)
        strides = f"{loop.cycle.strides} strides" if loop.cycle.strides else "a phrase"
        verdicts.note(
            f"{clip.name:<14} {loop.seconds:5.2f} s, {strides:<10} wraps at the {speed[0]:3.0f}th percentile of the "
            f"clip's own speeds, {push[0]:3.0f}th of its accelerations; joint by joint {speed[1]:3.0f}, "
            f"{push[1]:3.0f} on average; planted feet slide {1000 * slide:.1f} mm at most; "
            f"{100 * loop.cycle.share:.1f} % added by closing"
        )
        worst.append((max(speed[2], push[2]), clip, loop))
        joints += [speed[1], push[1]]
        verdicts.check(f"{clip.name}: the last frame is the first", closing(loop), "<= 1e-9")
        verdicts.check(
            f"{clip.name}: fastest joint at a wrap, over the clip's 99th percentile",
            speed[2],
            "<= 1",
        )
        verdicts.check(
            f"{clip.name}: hardest push at a wrap, over the clip's 99th percentile",
            push[2],
            "<= 1",
        )
        verdicts.check(f"{clip.name}: planted feet slide", 1000 * slide, "<= 20", slide <= 0.02, "mm")
    joints = np.array(
        [percentiles(clip, loop, repeated(loop, TIMES))[k][1] for clip, loop in made for k in (0, 1)]
    )
    verdicts.check(
        "mean percentile of wraps, joint by joint",
        float(joints.mean()),
        "40 to 60",
        40 <= joints.mean() <= 60,
    )
    worst.sort(key=lambda row: -row[0])
    verdicts.note(
        "the three worst: " + ", ".join(f"{clip.name} ({share:.2f})" for share, clip, _ in worst[:3])
    )
    if pictures is not None:
        draw(worst[:3], pictures)


def chosen() -> list[tuple[Clip, Loop]]:
    """Return the clips by the rule above, with their loops."""
    data = require_data()
    out: list[tuple[Clip, Loop]] = []
    for names in (WALKS, RUNS):
        found = 0
        for name in names:
            clip = segue.load(data / "asf_amc" / "16" / f"{name}.amc")
            try:
                out.append((clip, segue.loop(clip, feet="locked")))
            except segue.SegueError:
                continue
            found += 1
            if found == 3:
                break
    for path in ("asf_amc/02/02_01.amc", "cmu/daz_scaled/60_12_scaled.bvh", "asf_amc/14/14_31.amc"):
        clip = segue.load(data / path)
        out.append((clip, segue.loop(clip, feet="locked")))
    standing = segue.load(data / "asf_amc" / "127" / "127_03.amc")
    out.append((standing, segue.loop(standing, feet="locked", start=0, stop=round(standing.fps))))
    return out


def windows(values: np.ndarray) -> np.ndarray:
    """Return the largest value of each joint in every window of six steps."""
    return np.lib.stride_tricks.sliding_window_view(values, 2 * AROUND, axis=0).max(axis=-1)


def percentiles(
    clip: Clip, loop: Loop, ten: Clip
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Return, for speed and for acceleration: percentile of the worst wrap among the clip's windows, the mean over
    joints of each joint's percentile within the loop, and the worst wrap over the clip's 99th percentile.
    """
    n = loop.clip.n_frames - 1
    at = np.arange(1, TIMES) * n
    out = []
    for measure, of in ((angular_speeds, lambda c: c.rotations), (accelerations, world_positions)):
        own = windows(measure(of(clip), clip.fps))
        mine = windows(measure(of(ten), ten.fps))
        wraps = mine[at - AROUND - (measure is accelerations)]
        inside = mine[n : n * (TIMES - 1)]
        by_joint = [
            100.0
            * (np.mean(inside[:, j] < wraps[:, j].max()) + np.mean(inside[:, j] <= wraps[:, j].max()))
            / 2
            for j in range(own.shape[1])
            if np.ptp(inside[:, j]) > 1e-9
        ]
        peak = float(wraps.max())
        out.append(
            (
                100.0 * float(np.mean(own.max(axis=1) < peak)),
                float(np.mean(by_joint)),
                peak / float(own.max()),
            )
        )
    return out[0], out[1]


def slides(clip: Clip, loop: Loop, ten: Clip) -> float:
    """Return the longest path in metres a cycle of any planted heel or toe, across wraps too."""
    flags = contacts(clip).flags[loop.cycle.start : loop.cycle.stop]
    planted = np.concatenate([np.tile(flags, (TIMES, 1)), flags[:1]])
    rounds = loop.clip.n_frames - 1
    plants = foot_skate(ten, planted=planted)
    return max(plant.along_path / max((plant.stop - plant.start) / rounds, 1.0) for plant in plants)


def closing(loop: Loop) -> float:
    """Return the distance between the last frame and the first, moved on by a cycle."""
    first, last = loop.clip.pose(0), loop.clip.pose(-1)
    joints = np.abs(np.abs(np.sum(first.rotations[1:] * last.rotations[1:], -1)) - 1.0).max()
    root = np.abs(loop.step.apply(first.root_position) - last.root_position).max()
    return float(max(joints, root))


def draw(worst: list[tuple[float, Clip, Loop]], folder: Path) -> None:
    """Draw two cycles of each, with the wrap marked."""
    from segue.pictures.filmstrip import filmstrip

    folder.mkdir(parents=True, exist_ok=True)
    for number, (_, clip, loop) in enumerate(worst, start=1):
        two = repeated(loop, 2)
        n = loop.clip.n_frames - 1
        span = min(n // 2, round(0.6 * clip.fps))
        frames = np.rint(np.linspace(n - span, n + span, 17)).astype(int).tolist()
        title = f"{clip.name}: the wrap of a loop of {loop.seconds:.2f} s, {span / clip.fps:.2f} s before and after"
        filmstrip(two, folder / f"loop-worst-{number}.png", frames=frames, seam_frames=[n], title=title)


if __name__ == "__main__":
    run(main, "ten clips as loops, ten cycles each", PICTURES)
