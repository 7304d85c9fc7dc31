"""One motion written at other scales, axes and rates comes back as the same motion.

Shows: one motion written at other scales, axes and rates, without options for the reader
Bars: equal to 1e-6 rad and 1e-3 cm, at a cost of at most 0.01 next-frame costs; exact rates; at other rates and back
    99 % of positions within 1 cm
Needs: clips
Group: Files
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _data import require_data
from _runner import Show, run

from segue.costs.matrix import cost_matrix
from segue.costs.registry import cost
from segue.io import load, save
from segue.maths.quaternions import half_angle
from segue.motion.clip import Clip
from segue.motion.feet import leg_length
from segue.motion.kinematics import forward, world_positions
from segue.motion.resample import resampled, sampled

CLIPS = ("asf_amc/16/16_11.amc", "asf_amc/127/127_04.amc", "cmu/max_friendly/131_03.bvh", "cmu/mb2/01_01.bvh")
RATES = {"24": 24.0, "29.97": 30000 / 1001, "120": 120.0}


def in_order(clip: Clip, names: tuple[str, ...]) -> list[int]:
    """Return joints by name: a BVH file lists them depth first."""
    return [clip.skeleton.index(name) for name in names]


def apart(clip: Clip, again: Clip) -> tuple[float, float]:
    """Return the largest difference of rotations (radians) and of world positions, in cm for a leg of 85 cm."""
    order = in_order(again, clip.skeleton.names)
    turned = 2 * half_angle(clip.rotations, again.rotations[:, order]).max()
    a = world_positions(clip) / leg_length(clip.skeleton)
    b = world_positions(again)[:, order] / leg_length(again.skeleton)
    return float(turned), 85 * float(np.abs(a - b).max())


def scales_and_axes(verdicts: Show, clip: Clip, folder: Path) -> None:
    """Write 0.3 and 40 times as large, rotated to Z up, and all together; the reader gets no options."""
    own = clip.source.metres_per_unit
    next_frame = float(np.median(np.diag(cost_matrix(clip, clip, cost=cost("point_cloud")).values, 1)))
    for label, unit, up in (
        ("0.3 x", own / 0.3, "Y"),
        ("40 x", own / 40, "Y"),
        ("Z up", own, "Z"),
        ("40 x and Z up", own / 40, "Z"),
    ):
        path = folder / "other.bvh"
        save(clip, path, unit=unit, up=up)
        again = load(path)
        turned, moved = apart(clip, again)
        leg = leg_length(again.skeleton)
        good = (
            turned < 1e-6
            and moved < 1e-3
            and 0.5 <= leg <= 1.15
            and again.source.up == up
            and again.fps == clip.fps
        )
        shown = f"{turned:.0e} rad {moved:.0e} cm"
        verdicts.check(f"{clip.name}, {label}: apart (leg {leg:.2f} m)", shown, "1e-6 rad, 1e-3 cm", good)
        far = float(np.diag(cost_matrix(clip, again, cost=cost("point_cloud")).values).max()) / next_frame
        verdicts.check(
            f"{clip.name}, {label}: cost of a frame to itself", far, "0.01 next-frame costs", far < 0.01
        )


def rates(verdicts: Show, clip: Clip, folder: Path) -> None:
    """Resample, write, read: at each frame time the file holds the clip's pose at that time."""
    for label, rate in RATES.items():
        made = resampled(clip, rate)
        save(made, folder / "rate.bvh")
        again = load(folder / "rate.bvh", unit=clip.source.metres_per_unit)
        at = np.arange(again.n_frames) * (clip.fps / again.fps)
        pose = forward(clip.skeleton, *sampled(clip, np.minimum(at, clip.n_frames - 1)))
        order = in_order(again, clip.skeleton.names)
        far = 100 * float(np.abs(world_positions(again)[:, order] - pose.positions).max())
        good = far < 1e-4 and again.fps == rate and 0 <= clip.seconds - again.seconds < 1 / rate
        verdicts.check(
            f"{clip.name} at {label} fps: apart at equal times", far, "1e-4 cm, exact rate", good, "cm"
        )
        back = resampled(again, clip.fps)
        count = min(back.n_frames, clip.n_frames)
        lost = 100 * np.abs(world_positions(back)[:count, order] - world_positions(clip)[:count])
        p99 = float(np.percentile(lost, 99))
        verdicts.check(
            f"{clip.name} at {label} fps and back: 99 % of places within", p99, "< 1 cm", unit="cm"
        )


def main(verdicts: Show) -> None:
    data = require_data()
    for file in CLIPS:
        clip = load(data / file)
        scales_and_axes(verdicts, clip, verdicts.folder)
        rates(verdicts, clip, verdicts.folder)


if __name__ == "__main__":
    run(main, "The same clip at other scales, axes and rates")
