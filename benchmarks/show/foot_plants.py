"""Locked feet that are planted in the sources stay in place through every seam; knees do not pop; no other joint moves.

Complete sets by rule: 60 s of `segue wander` (seed 1) over every clip of CMU subject 16, and over 16, 127 and 131;
then `segue clean` on every humanoid BVH of the real clips. The ten plants that slip farthest afterwards are listed;
a folder as argument saves a picture of their paths along the ground.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from _data import DATA, mixed_subjects, subject_16
from _verdict import Verdicts

import segue
from segue.app.stages import make_graph, read
from segue.errors import SegueError
from segue.io import load
from segue.maths.quaternions import half_angle
from segue.measures.foot_skate import PlantSlide, carried_contacts
from segue.measures.seams import seam_ranges
from segue.motion.clip import Clip
from segue.motion.feet import FOOT_PARTS, foot_positions
from segue.motion.flags import runs
from segue.motion.kinematics import world
from segue.motion.limb_ik import Leg
from segue.settings import Settings
from segue.synthesis.feet.planting import PlantedFeet, plant_feet
from segue.synthesis.feet.steps import LOCKED


def main() -> None:
    verdicts = Verdicts("locked feet stay where they are")
    for label, inputs in (("CMU 16", subject_16()), ("CMU 16 + 127 + 131", mixed_subjects())):
        seams(verdicts, label, inputs)
    every_file(verdicts)
    verdicts.finish()


def seams(verdicts: Verdicts, label: str, inputs: list[str]) -> None:
    """Check one minute of walk: slip before and after, knees, and the frames outside blends."""
    graph = make_graph(read(inputs), Settings())
    motion = segue.render(graph.wander(seconds=60, seed=1), feet="free")
    planted = carried_contacts(motion, graph.clips)
    ranges = seam_ranges(motion.origin)
    found = plant_feet(motion, planted=planted, within=ranges, keep=LOCKED)
    print(f"{label}: {len(ranges)} seams, {len(found.before)} plants of a heel or toe touch one")
    slip(verdicts, label, found)
    worst_ten(verdicts, label, found)
    knees = [knee_speed(clip) for clip in (*graph.clips, motion, found.clip)]
    fastest = max(knees[:-2])
    ratio = knees[-1] / fastest
    verdicts.note(f"knees: sources {fastest:.0f}, blended {knees[-2]:.0f}, held {knees[-1]:.0f} deg/s")
    verdicts.check("fastest knee / the sources' fastest", ratio, "<= 1.3", ratio <= 1.3)
    same = ~found.changed
    equal = np.array_equal(found.clip.rotations[same], motion.rotations[same]) and np.array_equal(
        found.clip.root_positions[same], motion.root_positions[same]
    )
    verdicts.check(f"{same.sum()} of {motion.n_frames} frames are the same bits", equal, "true", equal)
    shrunk = shrinkage(found.clip, planted, ranges)
    verdicts.check("plants of the sources shorter by more than a frame at an end", shrunk, "0", shrunk == 0)
    verdicts.note(f"root lowered by up to {1e3 * found.lowered.max():.1f} mm")


def slip(verdicts: Verdicts, label: str, found: PlantedFeet) -> None:
    """Compare slip along the path with the bars."""
    before, after = (np.array([p.along_path for p in plants]) for plants in (found.before, found.after))
    was = 1e3 * np.median(before), 1e3 * np.percentile(before, 95)
    verdicts.note(f"slip along the path before: median {was[0]:.1f} mm, 95 % {was[1]:.1f} mm")
    median, most = 1e3 * np.median(after), 1e3 * np.percentile(after, 95)
    verdicts.check(f"{label}: slip after, median", float(median), "< 2", median < 2, "mm")
    verdicts.check(f"{label}: slip after, 95 %", float(most), "< 5", most < 5, "mm")
    gone = 1 - after.sum() / before.sum()
    verdicts.check(f"{label}: share of slip removed", float(gone), ">= 0.9", gone >= 0.9)


def worst_ten(verdicts: Verdicts, label: str, found: PlantedFeet) -> None:
    """List the plants that slip farthest after correction, and draw them if a folder is given."""
    worst = sorted(zip(found.after, found.before, strict=True), key=lambda pair: -pair[0].along_path)[:10]
    origin = found.clip.origin
    for after, before in worst:
        shown = dict.fromkeys(
            origin.clips[c] for c in origin.clip[after.start : after.stop].ravel().tolist() if c >= 0
        )
        start, lasts = (n / found.clip.fps for n in (after.start, after.stop - after.start))
        verdicts.note(
            f"{after.part} at {start:.2f} s for {lasts:.2f} s, "
            f"{' to '.join(shown)}: {1e3 * before.along_path:.1f} mm before, {1e3 * after.along_path:.1f} mm after"
        )
    if len(sys.argv) > 1:
        draw(Path(sys.argv[1]) / f"worst-plants-{label.replace(' ', '').replace('+', '-')}.png", found, worst)


def draw(path: Path, found: PlantedFeet, worst: Sequence[tuple[PlantSlide, PlantSlide]]) -> None:
    """Draw the ground paths of plants, millimetres about their centres: before in grey, after in blue."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 5, figsize=(10, 4.4), constrained_layout=True)
    ground = [1e3 * foot_positions(c.skeleton, world(c))[..., [0, 2]] for c in (found.given, found.clip)]
    for axis, (plant, _) in zip(axes.ravel(), worst, strict=False):
        part = [name.replace("_", " ") for name in FOOT_PARTS].index(plant.part)
        for places, colour in zip(ground, ("0.6", "C0"), strict=True):
            at = places[plant.start : plant.stop, part] - np.median(
                ground[1][plant.start : plant.stop, part], axis=0
            )
            axis.plot(at[:, 0], at[:, 1], ".-", color=colour, markersize=2, linewidth=0.8)
        axis.set_title(f"{plant.part}, {plant.start / found.clip.fps:.1f} s", fontsize=8)
        axis.set_aspect("equal", adjustable="datalim")
        axis.tick_params(labelsize=7)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90)
    plt.close(figure)


def knee_speed(clip: Clip) -> float:
    """Return the largest angular speed of a knee in degrees a second."""
    joints = [Leg.of(clip.skeleton, side).knee for side in ("left", "right")]
    q = clip.rotations[:, joints]
    return float(np.degrees(2 * half_angle(q[1:], q[:-1]).max()) * clip.fps)


def shrinkage(clip: Clip, planted: np.ndarray, ranges: list[tuple[int, int]]) -> int:
    """Count the plants touching a seam in which the part moves between its second and its last frame but one."""
    ground = foot_positions(clip.skeleton, world(clip))[:, :, [0, 2]]
    count = 0
    for part in range(4):
        for start, stop in runs(planted[:, part]):
            if stop - start < 0.05 * clip.fps or not any(start < b and a < stop for a, b in ranges):
                continue
            at = ground[start + 1 : stop - 1, part]
            if len(at) and np.linalg.norm(at - np.median(at, axis=0), axis=1).max() > 0.01:
                count += 1
    return count


def every_file(verdicts: Verdicts) -> None:
    """Print a table of every humanoid BVH, and check that feet that do not slide come back unchanged."""
    rows, unchanged_wrong = 0, 0
    shares = []
    print(f"  {'file':44} {'plants':>6} {'before':>9} {'after':>9} {'gone':>6}")
    for path in sorted(DATA.rglob("*.bvh")):
        try:
            clip = load(path)
            found = plant_feet(clip, keep=LOCKED)
        except SegueError:
            continue  # no body with legs, or not a motion file: files_and_cases.py lists the reason
        rows += 1
        name = str(path.relative_to(DATA))
        if not found.before:
            unchanged_wrong += found.clip is not clip
            print(f"  {name[-44:]:44} {0:6} {'does not slide':>19}")
            continue
        before, after = (1e3 * np.array([p.along_path for p in ps]) for ps in (found.before, found.after))
        gone = 1 - after.sum() / before.sum()
        shares.append(gone)
        print(
            f"  {name[-44:]:44} {len(before):6} {np.median(before):6.1f} mm {np.median(after):6.2f} mm {gone:6.0%}"
        )
    verdicts.check("humanoid BVH files cleaned", rows, ">= 1", rows >= 1)
    verdicts.check("files without slide that were changed", unchanged_wrong, "0", unchanged_wrong == 0)
    share = float(np.median(shares))
    verdicts.check("share of slip removed, median over files", share, ">= 0.9", share >= 0.9)


if __name__ == "__main__":
    main()
