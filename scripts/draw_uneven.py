"""Draw a steered character on a slope, on bumps and on steps, from the side, for the documentation.

python scripts/draw_uneven.py WALKER.segue OUT.png
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from segue.app.steering import steer_script, walker_of
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world
from segue.runtime.heights import bumps, slope, stairs
from segue.runtime.steered.player import Command

GROUNDS = (
    ("10 degrees up", slope(np.radians(10)), (1.2, 6.6)),
    ("10 degrees down", slope(np.radians(-10)), (1.2, 6.6)),
    ("bumps of 20 cm, 2 m apart", bumps(0.2, 2.0), (0.0, 6.0)),
    ("steps of 15 cm, 60 cm deep", stairs(0.15, 0.6), (0.6, 6.0)),
)
EVERY = 14  # frames


def main(walker: Path, out: Path) -> None:
    """Draw four rows, all at the same scale."""
    model = walker_of(walker)
    sheet, axes = plt.subplots(4, 1, figsize=(10, 12.5), layout="constrained")
    for axis, (name, ground, (begin, end)) in zip(axes, GROUNDS, strict=True):
        made = steer_script(
            model, [(0.0, Command("stand")), (0.2, Command("walk", 1.1))], seconds=8.0, ground=ground
        )
        at = world(made.clip).positions
        feet = foot_positions(made.clip.skeleton, world(made.clip))
        z = np.linspace(begin - 0.5, end + 0.7, 1000)
        axis.fill_between(z, [ground(0.0, float(one)) for one in z], -9.0, color="#d8dbe0", linewidth=0)
        for frame in range(0, len(at), EVERY):
            if not begin <= at[frame, 0, 2] <= end:
                continue
            for joint, parent in enumerate(made.clip.skeleton.parents):
                name_of = made.clip.skeleton.names[joint].lower()
                colour = (
                    "#c0392b"
                    if name_of.startswith("l")
                    else "#2471a3"
                    if name_of.startswith("r")
                    else "#555555"
                )
                if parent >= 0:
                    axis.plot(*at[frame, [parent, joint]][:, [2, 1]].T, color=colour, linewidth=1.1)
            for side, colour in enumerate(("#c0392b", "#2471a3")):
                heel, toe = feet[frame, 2 * side : 2 * side + 2]
                axis.plot([heel[2], toe[2]], [heel[1], toe[1]], color=colour, linewidth=2.2)
        heights = [ground(0.0, float(one)) for one in z]
        axis.set(
            xlim=(z[0], z[-1]), ylim=(min(heights) - 0.15, max(heights) + 1.85), aspect="equal", title=name
        )
    sheet.savefig(out, dpi=50)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
