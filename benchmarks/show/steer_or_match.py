"""The steered character compared with a motion matcher over the same clips, with the same commands.

Shows: the same commands to a motion matcher over the same clips: response, slide, sharpness, time and memory side by
    side
Bars: the steered character makes every change of speed, with half the slide and a tenth of the time; the matcher
    makes all but one, with no larger peaks than the clips
Needs: clips
Group: Steering
"""

from __future__ import annotations

import itertools
import time
from typing import Any

import numpy as np
from _runner import Show, run
from _walkers import clips, walker

import segue
from segue.maths.quaternions import half_angle
from segue.measures.foot_skate import foot_skate
from segue.motion.resample import resampled
from segue.motion.turns import finger_joints
from segue.runtime.motion_matcher import MotionMatcher
from segue.runtime.steered.player import Command, LocomotionPlayer

FPS = 60.0
SCRIPT = [
    (0.0, Command("stand")),
    (2.0, Command("walk", 1.2)),
    (8.0, Command("walk", 1.6)),
    (13.0, Command("walk", 1.0)),
    (18.0, Command("walk", 1.2, 0.6)),
    (24.0, Command("run", 2.8)),
    (32.0, Command("walk", 1.2)),
    (40.0, Command("stand")),
]
END = 45.0
SETTLED = 1.5  # seconds after a command


def played(controller: Any) -> tuple[segue.Clip, float]:
    """Play the script; return a clip, and microseconds of processor time a frame."""
    controller.reset()
    rotations, roots, row = [], [], 0
    controller.step(0.0, SCRIPT[0][1])
    spent = []
    for frame in range(round(END * FPS)):
        while row + 1 < len(SCRIPT) and SCRIPT[row + 1][0] <= frame / FPS:
            row += 1
        start = time.process_time()
        pose = controller.step(1 / FPS, SCRIPT[row][1])
        spent.append(time.process_time() - start)
        rotations.append(pose.rotations)
        roots.append(pose.root_position)
    clip = segue.Clip(controller.skeleton, np.array(rotations), np.array(roots), FPS, name="played")
    return clip, 1e6 * float(np.median(spent))


def speeds(clip: segue.Clip) -> np.ndarray:
    """Return the ground speed, the mean over half a second around each frame."""
    step = np.diff(clip.root_positions[:, [0, 2]], axis=0, append=clip.root_positions[-1:, [0, 2]])
    window = round(0.5 * FPS)
    smooth = np.column_stack(
        [np.convolve(step[:, c], np.ones(window) / window, mode="same") for c in range(2)]
    )
    return np.asarray(np.linalg.norm(smooth, axis=1) * FPS)


def response(clip: segue.Clip, start: float, end: float, old: float, new: float) -> float:
    """Return the seconds until nine tenths of a change of speed are made; infinite if never."""
    found = speeds(clip)[round(start * FPS) : round(end * FPS)]
    done = (found - old) / (new - old) >= 0.9
    return float(np.argmax(done) / FPS) if done.any() else float("inf")


def steady(clip: segue.Clip) -> float:
    """Return the largest relative error of a stretch's mean speed, from 1.5 s after its command."""
    found, off = speeds(clip), []
    for (start, command), (end, _) in zip(SCRIPT, [*SCRIPT[1:], (END, None)], strict=True):
        if command.speed > 0:
            mean = float(found[round((start + SETTLED) * FPS) : round((end - 0.25) * FPS)].mean())
            off.append(abs(mean / command.speed - 1))
    return max(off)


def sharpest(clip: segue.Clip) -> float:
    """Return the largest change of joint speed in radians a second squared, the 99.9th percentile of frames.

    Fingers and thumbs are left out, as they were not captured: in these clips a thumb jumps by itself.
    """
    known = ~finger_joints(clip.skeleton)
    turned = 2 * half_angle(clip.rotations[1:, known], clip.rotations[:-1, known]) * clip.fps
    return float(np.percentile(np.abs(np.diff(turned, axis=0)).max(axis=1) * clip.fps, 99.9))


def main(verdicts: Show) -> None:
    model = walker()
    matcher = MotionMatcher(clips(), fps=FPS)
    player = LocomotionPlayer(model)
    sizes = {"steered": player._packed.data.nbytes, "matched": matcher.nbytes}
    rows = {}
    for name, controller in (("steered", player), ("matched", matcher)):
        clip, micro = played(controller)
        times = [
            response(clip, start, end, old.speed, new.speed)
            for (_, old), (start, new), (end, _) in zip(
                SCRIPT, SCRIPT[1:], [*SCRIPT[2:], (END, None)], strict=False
            )
            if new.speed != old.speed
        ]
        slides = [100 * slide.start_to_end for slide in foot_skate(clip)]
        rows[name] = (
            times,
            float(np.median(slides)),
            sharpest(clip),
            micro,
            sizes[name] / 1e6,
            100 * steady(clip),
        )
    changes = [
        f"{old.speed:g} to {new.speed:g}"
        for (_, old), (_, new) in itertools.pairwise(SCRIPT)
        if old.speed != new.speed
    ]
    for number, change in enumerate(changes):
        verdicts.note(
            f"seconds to nine tenths of {change} m/s: "
            + ", ".join(f"{n} {r[0][number]:.2f}" for n, r in rows.items())
        )
    for number, words in enumerate(
        (
            "foot slide a plant, median, cm",
            "sharpest joint, rad/s2, 99.9 %",
            "microseconds a step",
            "megabytes",
            "steady speed off the command at most, %",
        )
    ):
        verdicts.note(f"{words}: " + ", ".join(f"{name} {row[number + 1]:.3g}" for name, row in rows.items()))
    captured = float(np.median([sharpest(resampled(clip, FPS)) for clip in clips()]))
    verdicts.note(f"sharpest joint, rad/s2, 99.9 %, of the clips themselves, their median: {captured:.3g}")
    ours, theirs = rows["steered"], rows["matched"]
    verdicts.check(
        "changes of speed that the steered one makes",
        sum(np.isfinite(ours[0])),
        len(changes),
        np.isfinite(ours[0]).all(),
    )
    verdicts.check(
        "changes of speed that the matcher makes",
        sum(np.isfinite(theirs[0])),
        ">= 6",
    )
    verdicts.check(
        "sharpest joint of the matcher over the clips'",
        theirs[2] / captured,
        "<= 1.3",
        theirs[2] <= 1.3 * captured,
    )
    verdicts.check("steady speed of ours off the command, %", ours[5], "<= 10")
    verdicts.check(
        "our foot slide over the matcher's", ours[1] / theirs[1], "<= 0.5", ours[1] <= 0.5 * theirs[1]
    )
    verdicts.check(
        "our time a step over the matcher's", ours[3] / theirs[3], "<= 0.1", ours[3] <= 0.1 * theirs[3]
    )


if __name__ == "__main__":
    run(main, "Steering and matching: CMU 16, 127_03, 127_04 and 131; one script of commands")
