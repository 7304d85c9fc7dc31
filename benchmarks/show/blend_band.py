"""What averaging two captures removes: motion above 6 Hz in the middle of blends, compared with the sources.

Shows: motion above 6 Hz in the middle of blends over that of the sources, by the crossfade and by the crossfade that
    keeps the fast band, on CMU 16 and 127 + 131; `--pictures FOLDER` saves the three seams that differ most
Bars: 0.85 to 1.15 of the sources in every part of the body, on CMU 16; frames outside blends identical to the bit; a
    transition of two walks in 5 ms
Needs: clips
Group: The parts

60 s of `segue wander` over every clip of CMU subject 16, and over 127 and 131, three seeds each, feet free. Each
walk is made twice with the same transitions: by the crossfade, and by the crossfade that keeps the fast band.
Around the middle of every seam the mean square of velocities above 6 Hz (Butterworth, forwards and back) of a part
of the body is compared with the mean of both sources' amplitudes at that moment; seams whose sources end within
half a second are left out. Frames outside blends must be identical to the bit. ``--pictures FOLDER`` saves both
versions of the three seams that differ most, for `segue film`. On 127 and 131, blends between different speeds
already contain more fast motion than their sources before any is restored: this is reported without a bar.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from _data import DATA, subject_16
from _runner import PICTURES, Show, run
from scipy.signal import butter, sosfiltfilt

import segue
from segue.app.stages import make_graph, read
from segue.graph.walk import Walk
from segue.measures.seams import seam_ranges, source_rows, sources_by_name
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.resample import cut
from segue.motion.roles import roles
from segue.settings import Settings

SEEDS = (1, 2, 3)
METHODS = {"before": "crossfade", "after": "equal_power"}
_HERTZ = 6.0
_MIDDLE, _CLEAR = 1.0 / 12.0, 0.5  # seconds on either side: measured range, range required in the sources
_LIMIT = 5e-3


def main(verdicts: Show) -> None:
    sets = {
        "CMU 16": subject_16(),
        "127 + 131": [
            str(DATA / "asf_amc" / "127"),
            *(str(path) for path in sorted((DATA / "cmu" / "max_friendly").glob("131_*.bvh"))),
        ],
    }
    for label, paths in sets.items():
        graph = make_graph(read(paths), Settings())
        walks = [graph.wander(seconds=60, seed=seed) for seed in SEEDS]
        made = {
            when: [segue.render(replace(walk, way=method), feet="free") for walk in walks]
            for when, method in METHODS.items()
        }
        show(verdicts, label, graph.clips, made)
        if verdicts.options.pictures is not None:
            film(label, made, verdicts.options.pictures)
        if label == "CMU 16":
            speed(verdicts, walks[0])


def show(verdicts: Show, label: str, clips: tuple[Clip, ...], made: dict[str, list[Clip]]) -> None:
    """Check the ratio of each part of the body, and the frames outside blends."""
    fast = {clip.name: squares(clip) for clip in clips}
    parts = groups(clips[0])
    ratios = {when: np.concatenate([of_seams(one, clips, fast) for one in made[when]]) for when in METHODS}
    for part, joints in parts.items():
        was, now = (float(np.exp(np.log(ratios[w][:, joints]).mean())) for w in ("before", "after"))
        verdicts.note(f"{label}, {part}: before {was:.2f}, after {now:.2f} ({len(ratios['after'])} seams)")
        if label == "CMU 16":
            verdicts.check(f"{label}, {part}: as captured", now, "0.85 to 1.15", 0.85 <= now <= 1.15)
    same = [
        bool(
            np.array_equal(a.rotations[alone], b.rotations[alone])
            and np.array_equal(a.root_positions[alone], b.root_positions[alone])
        )
        for a, b in zip(made["before"], made["after"], strict=True)
        for alone in [a.origin.clip[:, 1] < 0]
    ]
    verdicts.check(
        f"{label}: walks whose frames outside blends are the same", sum(same), len(same), all(same)
    )


def squares(clip: Clip) -> np.ndarray:
    """Return the squared velocity (F, J) above 6 Hz of each joint, relative to the floor origin."""
    velocity = np.gradient(world_positions(clip), axis=0) * clip.fps
    high = butter(4, _HERTZ, "highpass", fs=clip.fps, output="sos")
    out: np.ndarray = (sosfiltfilt(high, velocity, axis=0) ** 2).sum(axis=-1)
    return out


def groups(clip: Clip) -> dict[str, list[int]]:
    """Return the joints by part of the body: the root, knees, and joints above the hips."""
    found, parents = roles(clip.skeleton), clip.skeleton.parents
    legs: set[int] = set()
    for joint in range(clip.skeleton.n_joints):
        if joint in (found["left_hip"], found["right_hip"]) or int(parents[joint]) in legs:
            legs.add(joint)
    return {
        "root": [0],
        "knees": [found["left_knee"], found["right_knee"]],
        "upper body": [j for j in range(1, clip.skeleton.n_joints) if j not in legs],
    }


def of_seams(made: Clip, clips: tuple[Clip, ...], fast: dict[str, np.ndarray]) -> np.ndarray:
    """Return the ratio (S, J) of fast power at each seam to that of the mean of both sources' amplitudes."""
    own, sources, out = squares(made), sources_by_name(made, clips), []
    half, clear = round(_MIDDLE * made.fps), round(_CLEAR * made.fps)
    for start, stop in seam_ranges(made.origin):
        middle = (start + stop - 1) // 2
        sides = []
        for side in (0, 1):
            number = int(made.origin.clip[middle, side])
            if number < 0:
                break
            name = made.origin.clips[number]
            source = sources[name]
            row = int(source_rows(source, name, made.origin.frame[middle, side : side + 1])[0])
            if clear <= row < source.n_frames - clear:
                sides.append(fast[source.name][row - half : row + half + 1].mean(axis=0))
        if len(sides) == 2 and clear <= middle < made.n_frames - clear:
            captured = ((np.sqrt(sides[0]) + np.sqrt(sides[1])) / 2) ** 2
            out.append(own[middle - half : middle + half + 1].mean(axis=0) / np.maximum(captured, 1e-12))
    return np.maximum(np.array(out), 1e-6)


def film(label: str, made: dict[str, list[Clip]], folder: Path) -> None:
    """Save both versions of the three seams that differ most, as motion for `segue film`."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for number, (a, b) in enumerate(zip(made["before"], made["after"], strict=True)):
        apart = np.linalg.norm(world_positions(a) - world_positions(b), axis=-1).max(axis=1)
        for start, stop in seam_ranges(a.origin):
            found.append((float(apart[start:stop].max()), number, start, stop))
    for rank, (size, number, start, stop) in enumerate(sorted(found, reverse=True)[:3]):
        for when in METHODS:
            one = made[when][number]
            path = folder / f"{label.replace(' ', '_')}_{rank}_{when}.bvh"
            segue.save(cut(one, max(start - 20, 0), min(stop + 20, one.n_frames)), path, overwrite=True)
        at = start / made["before"][number].fps
        print(f"  {label}: seam at {at:.2f} s of seed {SEEDS[number]} differs by {1e3 * size:.1f} mm")


def speed(verdicts: Show, walk: Walk) -> None:
    """Time the rendering of a transition, feet free."""
    count = len(walk.plan.joins)
    best = dict.fromkeys(METHODS.values(), np.inf)
    for _ in range(5):
        for method in METHODS.values():
            began = time.perf_counter()
            segue.render(replace(walk, way=method), feet="free")
            best[method] = min(best[method], (time.perf_counter() - began) / count)
    verdicts.note(f"crossfade: {1e3 * best['crossfade']:.2f} ms a transition, its part of the walk included")
    verdicts.check(
        "keeping the fast band: one transition",
        1e3 * best["equal_power"],
        "<= 5 ms",
        best["equal_power"] <= _LIMIT,
        "ms",
    )


if __name__ == "__main__":
    run(main, "fast motion in the middle of blends, over that of the sources (1 = as captured)", PICTURES)
