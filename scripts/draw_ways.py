"""Draw one real transition with every blend method, and print the measurements of each.

`python scripts/draw_ways.py`. The transition is the one of lowest cost from a walk of CMU subject 16 into a run of
the same subject, and lasts 0.4 s. The real clips are read from ../shared/data, next to the project.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import segue
from segue.blending.ways import WAYS
from segue.io import load
from segue.maths.quaternions import half_angle
from segue.measures.foot_skate import carried_contacts
from segue.measures.quality import quality
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.resample import resampled
from segue.pictures.seam_strip import seam_strip

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
DATA = ROOT.parent / "shared" / "data" / "asf_amc" / "16"
SECONDS = 0.4
FPS = 60.0
AROUND = 0.45


def turning(clip: Clip, joint: int) -> np.ndarray:
    """Return the angular speed in degrees a second, one a frame."""
    q = clip.rotations[:, joint]
    return np.degrees(2 * half_angle(q[1:], q[:-1])) * clip.fps


def speeding(clip: Clip, joint: int) -> np.ndarray:
    """Return the world acceleration in m/s^2, without the first and the last frame."""
    return np.linalg.norm(np.diff(world_positions(clip)[:, joint], 2, axis=0), axis=-1) * clip.fps**2


def draw(name: str, made: Clip, sources: list[Clip], point: segue.TransitionPoint) -> Path:
    """Draw figures around the seam; below them, a knee and a wrist in the motion and in both clips."""
    found = segue.roles(made.skeleton)
    knee, wrist = found["right_knee"], found["left_wrist"]
    shift = point.a_frame - point.b_frame
    curves = {}
    for label, clip, moved in ((name, made, 0), ("left", sources[0], 0), ("arrived in", sources[1], shift)):
        for part, values, first in ((knee, turning(clip, knee), 0.5), (wrist, speeding(clip, wrist), 1.0)):
            seconds = (np.arange(len(values)) + first + moved) / FPS
            near = np.abs(seconds - point.a_frame / FPS) <= AROUND
            unit = "right knee, °/s" if part == knee else "left wrist, m/s²"
            curves[f"{label} [{unit}]"] = (seconds[near], values[near])
    picture = seam_strip(
        made,
        point.a_frame,
        half_seconds=AROUND,
        step=3,
        contacts=carried_contacts(made, sources),
        curves=curves,
        title=f"{name}: {sources[0].name} to {sources[1].name}, every third frame at {FPS:g} frames a second",
    )
    path = PICTURES / f"way-{name.replace(' ', '-')}.png"
    picture.save(path)
    Image.open(path).convert("RGB").quantize(48, method=2, dither=0).save(path, optimize=True)
    return path


def main() -> None:
    if not DATA.is_dir():
        print(f"the real clips are not next to the project ({DATA})")
        sys.exit(1)
    walk, run = (resampled(load(DATA / f"16_{k}.amc"), FPS) for k in (15, 35))
    points = segue.transition_points(walk, run, threshold=1e9)
    point = min(points, key=lambda p: p.cost)
    print(f"{walk.name} frame {point.a_frame} to {run.name} frame {point.b_frame}, cost {point.cost:.3g}")
    print("method, share of the seam bounds, skate along the path in cm, jerk and knees over the sources'")
    for name in [*WAYS, "hard cut"]:
        length = 0.0 if name == "hard cut" else SECONDS
        method = "crossfade" if name == "hard cut" else name
        free = segue.splice(walk, run, point, way=method, length=length, feet="free")
        held = segue.splice(walk, run, point, way=method, length=length, feet="locked")
        given = []
        for made in (free, held):
            found = segue.measure(made, sources=[walk, run])
            seam = quality(made, sources=[walk, run]).seams[0]
            near = [
                p.along_path
                for p in found.plants
                if p.start < point.a_frame + 20 and p.stop > point.a_frame - 20
            ]
            share = found.seams[0].badness(found.bounds)
            given.append(f"{share:5.0%} {100 * np.mean(near):6.2f} {seam.jerk:5.2f} {seam.knee:5.2f}")
        print(f"{name:16} free {given[0]}   held {given[1]}   {draw(name, free, [walk, run], point).name}")


if __name__ == "__main__":
    main()
