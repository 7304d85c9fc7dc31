"""Figure 5 for a dance and a fight with all three methods, and a jump that is blended in the air.

Shows: speed of the lower and the upper body through a dance and a fight of eight motions each by three methods, as a
    table and, with `--pictures`, a plot; jumps with a blended flight keep their highest pose
Bars: feet skate less than by pose similarity; speeds change less than by constraints only; the highest pose of a jump
    as captured to 1e-6 rad
Needs: clips
Group: The main job

Speeds are those of the source: the mean of both feet and the pelvis, and of both hands, chest and head. Cores are
left out.
"""

from __future__ import annotations

from pathlib import Path

import _elements as made_of
import numpy as np
from _runner import PICTURES, Show, run

from segue.maths.quaternions import half_angle
from segue.measures.curves import half_speeds
from segue.sequencing.elements import ElementaryMotion
from segue.sequencing.script import Placement, SequenceMethod, SequenceScript
from segue.sequencing.sequence import MotionSequence, make_sequence

METHODS: tuple[SequenceMethod, ...] = ("optimal", "pose-similarity", "constraint-only")
SCENES = {
    "dance": ("05_02:2", "61_12:1", "05_02:3", "60_12:1", "05_16:2", "61_12:2", "05_02:1", "05_16:1"),
    "fight": (
        "17_10:1",
        "Boxing_Toes:2",
        "17_10:2",
        "Boxing_Toes:4",
        "17_10:3",
        "Boxing_Toes:1",
        "14_27:1",
        "17_10:1",
    ),
}
GAP = 0.6


def main(show: Show) -> None:
    """Compare both scenes, then jumps."""
    elements = made_of.elements()
    for word, names in SCENES.items():
        scene(show, word, names, elements)
    jumps(show, elements)


def scene(show: Show, word: str, names: tuple[str, ...], elements: dict[str, ElementaryMotion]) -> None:
    """Compare one scene by three methods."""
    at, placements = 1.0, []
    for name in names:
        placements.append(Placement(name, at=at))
        at += elements[name].core_seconds + GAP
    made = {
        method: make_sequence(
            elements,
            SequenceScript(tuple(placements), method=method),
            skeleton=made_of.body(),
            fps=made_of.FPS,
        )
        for method in METHODS
    }
    rows = {method: facts(one) for method, one in made.items()}
    show.note(f"{word}: {', '.join(pair.method for pair in made['optimal'].pairs)}")
    show.table(
        ["method", "skate (mm)", "lower change", "upper change", "peak lower", "peak upper (m/s^2)"],
        [(method, *row) for method, row in rows.items()],
    )
    show.check(
        f"{word}: skate over that by pose similarity", rows["optimal"][0] / rows["pose-similarity"][0], "< 1"
    )
    for half, column in (("lower", 1), ("upper", 2)):
        ratio = rows["optimal"][column] / rows["constraint-only"][column]
        show.check(f"{word}: mean change of {half} speed over that by constraints", ratio, "< 1")
    if show.options.pictures is not None:
        plot(made, word, show.options.pictures)


def facts(made: MotionSequence) -> tuple[float, float, float, float, float]:
    """Return skate in mm, mean and largest change of both speeds in m/s^2, between the cores."""
    speeds = half_speeds(made.clip)
    slides, changes = 0.0, []
    for number in range(len(made.pairs)):
        rows = made_of.between(made, number)
        slides += 1e3 * made_of.skate(made, rows)
        changes.append([np.abs(np.diff(curve[rows])) * made.fps for curve in (speeds.lower, speeds.upper)])
    means = [float(np.mean([pair[half].max() for pair in changes])) for half in (0, 1)]
    peaks = [float(max(pair[half].max() for pair in changes)) for half in (0, 1)]
    return slides, means[0], means[1], peaks[0], peaks[1]


def plot(made: dict[SequenceMethod, MotionSequence], word: str, folder: Path) -> None:
    """Plot both speeds over time, a row per half, a line per method; cores in grey."""
    import matplotlib.pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    figure, axes = plt.subplots(2, 1, figsize=(13, 6), sharex=True, layout="constrained")
    for method, one in made.items():
        speeds = half_speeds(one.clip)
        seconds = (np.arange(one.clip.n_frames) + one.first_frame) / one.fps
        for axis, curve in zip(axes, (speeds.lower, speeds.upper), strict=True):
            axis.plot(seconds, curve, label=method, linewidth=1.6 if method == "optimal" else 0.9)
    for axis, half in zip(axes, ("lower body", "upper body"), strict=True):
        for core in made["optimal"].cores:
            axis.axvspan(core.begin_frame / made_of.FPS, core.end_frame / made_of.FPS, color="0.9", zorder=0)
        axis.set_ylabel(f"{half}, m/s")
    axes[0].legend(loc="upper right", ncols=3)
    axes[0].set_title(f"speeds of a {word}; cores in grey")
    axes[1].set_xlabel("seconds")
    figure.savefig(folder / f"sequence-speeds-{word}.png", dpi=90)
    plt.close(figure)


def jumps(show: Show, elements: dict[str, ElementaryMotion]) -> None:
    """Check jumps whose core ends on the ground, so that the flight is blended."""
    worst, count = 0.0, 0
    for name in ("05_16:1", "05_16:2", "127_25:1"):
        whole = elements[name]
        rate = whole.clip.fps / made_of.FPS
        for other in elements.values():
            found = flight(whole, other, rate)
            if found is not None:
                worst, count = max(worst, found), count + 1
    show.note(f"{count} pairs blend the flight of a jump")
    show.check("radians of the highest pose from the captured one", worst, "<= 1e-6")


def flight(jump: ElementaryMotion, other: ElementaryMotion, rate: float) -> float | None:
    """Return the error of a flight's highest pose, all joints except the root; None without a flight."""
    from segue.sequencing.prepared import ready

    motion = ready(jump, made_of.body(), made_of.FPS)
    phase = max((p for p in motion.phases if p.foot == "both"), key=lambda p: p.n_frames, default=None)
    if phase is None or phase.begin_frame < 12:
        return None
    early = ElementaryMotion(
        "jump", jump.clip, (round((phase.begin_frame - 10) * rate), round((phase.begin_frame - 2) * rate))
    )
    made = made_of.pair(early, other, gap=0.8)
    (pair,) = made.pairs
    if pair.previous_phase is None or pair.previous_phase.foot != "both":
        return None
    heights = motion.pelvis[phase.begin_frame : phase.end_frame, 1]
    top = phase.begin_frame + int(np.argmax(heights))
    shown = made.clip.rotations[top + made.placed[0].start - made.first_frame, 1:]
    return float(2.0 * half_angle(shown, motion.clip.rotations[top, 1:]).max())


if __name__ == "__main__":
    run(main, "speeds of a dance and a fight", PICTURES)
