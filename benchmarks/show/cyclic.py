"""Clips that are exactly one cycle: recognised, used as loops, and repeated for 30 s without a seam.

Shows: clips of exactly one cycle: all 31 loops of KayKit, ten own loops written and read back, DeepMimic's motions
    whose files state a wrap, a walk of 1.2 s
Bars: all recognised and accepted by `segue loop`, its output recognised again; no capture of CMU recognised as a
    cycle; poses a period apart equal to 1e-9; in 30 s no wrap recognised as a seam; largest joint speed and
    acceleration at any wrap within 1.5 × those of the cycle within half a second
Needs: clips
Group: The parts

Every loop of KayKit's animations, ten loops of segue's own samples written and read back, DeepMimic's motions whose
files state that they wrap, and a walk of one cycle found elsewhere. At every wrap in 30 s the largest joint speed
and acceleration are compared with the clip's largest within half a second in the rest of the cycle. No capture of
CMU may be recognised as a cycle.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from _data import require_data
from _runner import Show, run

import segue
from segue.app.looping import make_loop
from segue.io import load, load_folder, save
from segue.io.gltf_read import animations
from segue.maths.quaternions import half_angle
from segue.measures.seams import accelerations, angular_speeds, seam_ranges
from segue.motion.clip import Clip
from segue.motion.cyclic import ROUNDING, find_period, unrolled
from segue.motion.kinematics import world_positions

SECONDS, NEAR, MOST = 30.0, 0.5, 1.5
ONE_SHOTS = ("Death", "Dodge", "Spawn", "T-Pose", "Jump_Land", "Jump_Start", "StandUp", "Down", "Pose")
"""Words in the names of KayKit's animations that are not meant to loop; all others are."""
OWN = (
    "walk", "walk_fast", "walk_slow", "walk_left", "walk_right", "walk_turn_left",
    "run", "run_left", "run_right", "stand",
)  # fmt: skip
"""Samples whose cycles are made into loops."""


def main(verdicts: Show) -> None:
    data = require_data()
    with tempfile.TemporaryDirectory() as folder:
        groups = {
            "KayKit": kaykit(data),
            "own loops, read back": own(Path(folder)),
            "DeepMimic, stated": deepmimic(data),
            "found": [
                str(path)
                for path in [data.parent / "found" / "f08-one-cycle-of-a-walk.bvh"]
                if path.is_file()
            ],
        }
        for name, words in groups.items():
            show(verdicts, name, words, Path(folder))
    clips, _ = load_folder([data / "asf_amc", data / "cmu"])
    taken = [clip.name for clip in clips if find_period(clip) is not None]
    verdicts.check(f"captures of CMU taken for a cycle, of {len(clips)}", len(taken), "= 0")


def kaykit(data: Path) -> list[str]:
    """Return every animation that is meant to loop, as `load` arguments."""
    return [
        f"{path}#{name}"
        for path in sorted((data / "gltf" / "kaykit").glob("*.glb"))
        for name in animations(path)
        if not any(word in name for word in ONE_SHOTS)
    ]


def own(folder: Path) -> list[str]:
    """Return ten loops of samples, written in three formats in turn."""
    out: list[str] = []
    for number, name in enumerate(OWN):
        path = folder / f"own_{name}{('.bvh', '.glb', '.npz')[number % 3]}"
        save(segue.loop(segue.sample(name)).clip, path)
        out.append(str(path))
    return out


def deepmimic(data: Path) -> list[str]:
    """Return every motion whose file states that it wraps."""
    files = sorted((data / "misc" / "deepmimic").glob("*.txt"))
    return [str(path) for path in files if '"wrap"' in path.read_text(encoding="utf-8")]


def show(verdicts: Show, group: str, words: list[str], folder: Path) -> None:
    """Check all bars of a group of clips."""
    clips = [load(word) for word in words]
    found = [find_period(clip) for clip in clips]
    there = [(w, c, p) for w, c, p in zip(words, clips, found, strict=True) if p is not None]
    verdicts.check(f"{group}: recognised", len(there), f"= {len(clips)}", len(there) == len(clips) > 0)
    taken, closing, speeds, pushes, again, cuts = 0, [], [], [], 0, 0
    for word, clip, period in there:
        out = folder / ("loop.glb" if ".glb#" in word else "loop.bvh")
        made, _ = make_loop(word, out)
        taken += made.cycle.n_frames == period.n_frames
        again += find_period(load(out)) is not None
        closing.append(period.gap)
        played = unrolled(clip, seconds=SECONDS)
        cuts += len(seam_ranges(played.origin))
        speed, push = at_wraps(played, period.n_frames)
        speeds.append(speed)
        pushes.append(push)
        verdicts.note(
            f"{clip.name.split('|')[-1]:<24} {period.n_frames:4d} frames, {period.n_frames / clip.fps:5.2f} s, end "
            f"{f'{np.degrees(period.gap):.2g} degrees off' if period.closed else 'left out':<20} at wraps speed "
            f"{speed:.2f}, acceleration {push:.2f} x the cycle's own"
        )
    n = len(there)
    verdicts.check(f"{group}: accepted by segue loop unchanged", taken, f"= {n}")
    verdicts.check(f"{group}: output of segue loop recognised", again, f"= {n}")
    exact = [gap for gap in closing if gap <= ROUNDING]
    verdicts.note(
        f"{group}: {len(exact)} ends agree within {max(exact, default=0.0):.2g} rad, {n - len(exact)} are closed first"
    )
    worst = max(
        (wrap_error(unrolled(clip, seconds=SECONDS), period.n_frames) for _, clip, period in there),
        default=1.0,
    )
    verdicts.check(f"{group}: pose a period later, off the first by", worst, "<= 1e-9", unit="rad")
    verdicts.check(f"{group}: wraps of 30 s taken for seams", cuts, "= 0")
    verdicts.check(f"{group}: fastest joint at a wrap", max(speeds), f"<= {MOST}", unit="x")
    verdicts.check(f"{group}: hardest push at a wrap", max(pushes), f"<= {MOST}", unit="x")


def wrap_error(played: Clip, period: int) -> float:
    """Return the largest angle in radians between frames a period apart, of all joints except the root."""
    q = played.rotations[:, 1:]
    return float(2 * half_angle(q[:-period], q[period:]).max())


def at_wraps(played: Clip, period: int) -> tuple[float, float]:
    """Return the largest joint speed and acceleration at any wrap, over the cycle's within half a second."""
    near = min(round(NEAR * played.fps), (period - 1) // 2)
    ratios = []
    for values, first in (
        (angular_speeds(played.rotations, played.fps).max(axis=1), 1),
        (accelerations(world_positions(played), played.fps).max(axis=1), 1),
    ):
        # Value k belongs to the step to frame k + 1, or the acceleration there: a wrap covers two of them, or
        # three.
        wide = 1 if values.size == played.n_frames - 1 else 2
        of_wraps = []
        for wrap in range(period, played.n_frames - period, period):
            at = np.arange(wrap - first - (wide - 1), wrap - first + 2)
            rest = np.concatenate([np.arange(at[0] - near, at[0]), np.arange(at[-1] + 1, at[-1] + 1 + near)])
            of_wraps.append(values[at].max() / max(values[rest].max(), 1e-9))
        ratios.append(float(max(of_wraps)))
    return ratios[0], ratios[1]


if __name__ == "__main__":
    run(main, "clips of exactly one cycle")
