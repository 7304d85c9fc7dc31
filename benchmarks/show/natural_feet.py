"""Feet at seams stand as in the clips: slip added by blends is removed, and frames away from blends stay unchanged.

Shows: slip at seams beyond the clips' own by contacts and by the plain rule, frames identical to the clips' to the
    bit, creep of corrected plants, knees, seams of every folder of the real clips, and the time; `--pictures FOLDER`
    draws the ten seams at which a plant slips farthest
Bars: slip beyond the clips' own 2 mm in the median and 5 mm for 95 %, by both rules; 60 % of the frames of one body
    equal; creep 11 mm within blends, and over complete plants 1 mm more than the clips' own; no knee over 1.5 × at a
    seam; no more fast knees than the clips have (0.1 %); all seams within their bounds; a minute over 58 clips in 1 s
Needs: clips
Group: The main job

60 s of `segue wander` with three seeds over all clips of CMU subject 16, over 16, 127 and 131, and over 127, with
the defaults. A plant is at a seam if it touches its blend or an adjacent frame; it was corrected if it moved by
more than 0.1 mm. A frame equals its source if the rotations of all joints except the root and the root's height
have the same bits and the root has the same lean; its ground position and heading may differ. Creep is the largest
distance of a plant from its mean position on the ground, tremor included. Within blends it is compared with its
bound. A complete plant also has frames outside blends, which are identical to the clips': it is compared with its
creep in the clips, or with the bound if that is larger.

Then one walk of a minute over every folder below the real clips that holds several (``--no-folders`` leaves them
out). Seams out of bounds are listed, with their measurements before foot correction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from _any_folder_made import built
from _any_folder_sets import folders_below
from _data import DATA, mixed_subjects, subject_16
from _runner import PICTURES, Show, best, run

import segue
from segue.app.stages import make_graph, read
from segue.arrays import Bools, Floats
from segue.errors import SegueError
from segue.graph.walk import Walk, finished
from segue.measures.foot_skate import carried_contacts
from segue.measures.seams import seam_ends, seam_ranges, seams, source_rows, sources_by_name
from segue.measures.slip import Slip, slips
from segue.measures.slip import source_lengths as own_steps
from segue.measures.smoothness import knee_bends, knee_ratios
from segue.motion.clip import Clip
from segue.motion.feet import FOOT_PARTS, foot_positions
from segue.motion.flags import runs
from segue.motion.kinematics import world
from segue.settings import SeamBounds, Settings
from segue.synthesis.feet.levels import REACH
from segue.synthesis.feet.planting import touching
from segue.synthesis.feet.steps import NATURAL, farthest, source_steps

SEEDS = (1, 2, 3)
SECONDS = 60.0
TOLERANCE = 1e-3
MOVED = 1e-4
WORST = 10
USUAL = 99.9
RULES = ("contacts", "plain rule")


@dataclass(frozen=True, eq=False)
class Made:
    """One walk, as blended and with corrected feet."""

    label: str
    seed: int
    clips: tuple[Clip, ...]
    free: Clip
    clip: Clip
    treatment: tuple[tuple[str, str], ...]
    ranges: list[tuple[int, int]]

    @staticmethod
    def of(label: str, seed: int, walk: Walk) -> Made:
        free, found = segue.render(walk, feet="free"), finished(walk)
        return Made(label, seed, walk.clips, free, found.clip, found.treatment, seam_ranges(free.origin))

    def at_seams(self, found: Sequence[Slip]) -> list[Slip]:
        """Return the plants that touch a seam or an adjacent frame."""
        near = [(start - 1, stop + 1) for start, stop in self.ranges]
        spans = set(touching(sorted({(one.start, one.stop) for one in found}), near))
        return [one for one in found if (one.start, one.stop) in spans]


def main(verdicts: Show) -> None:
    sets = {
        "CMU 16": subject_16(),
        "CMU 16 + 127 + 131": mixed_subjects(),
        "CMU 127": [str(DATA / "asf_amc" / "127")],
    }
    worst: list[tuple[float, Made, Slip, str]] = []
    for label, paths in sets.items():
        graph = make_graph(read(paths), Settings())
        walks = [graph.wander(seconds=SECONDS, seed=seed) for seed in SEEDS]
        made = [Made.of(label, seed, walk) for seed, walk in zip(SEEDS, walks, strict=True)]
        verdicts.note(f"{label}: {len(graph.clips)} clips, {sum(len(one.ranges) for one in made)} seams")
        worst += slip(verdicts, label, made)
        equal(verdicts, label, made, one_body="+" not in label)
        creep(verdicts, label, made)
        knees(verdicts, label, made)
        if label == "CMU 16":
            spent = best(partial(segue.render, walks[0]), 3)
            verdicts.check(f"{label}: a minute rendered, processor time", spent, "<= 1 s", unit="s")
    if not verdicts.options.no_folders:
        folders(verdicts)
    named(verdicts, worst)


def slip(verdicts: Show, label: str, made: list[Made]) -> list[tuple[float, Made, Slip, str]]:
    """Measure slip of plants at seams beyond their sources', by both rules; return the plants with their excess."""
    out = []
    for rule, word in enumerate(RULES):
        every = {
            when: [
                [(one, plant) for plant in one.at_seams(slips(clip, one.clips)[rule])] for one, clip in each
            ]
            for when, each in (
                ("blended", [(one, one.free) for one in made]),
                ("corrected", [(one, one.clip) for one in made]),
            )
        }
        was, now = (
            1e3 * np.percentile([plant.beyond for each in every[when] for _, plant in each], [50, 95])
            for when in ("blended", "corrected")
        )
        verdicts.note(f"{label}, {word}: as blended {was[0]:.1f} mm, 95 % {was[1]:.1f} mm beyond the clips'")
        verdicts.check(f"{label}, {word}: slip beyond, median", float(now[0]), "<= 2 mm", unit="mm")
        verdicts.check(f"{label}, {word}: slip beyond, 95 %", float(now[1]), "<= 5 mm", unit="mm")
        out += [(plant.beyond, one, plant, word) for each in every["corrected"] for one, plant in each]
    return out


def equal(verdicts: Show, label: str, made: list[Made], *, one_body: bool) -> None:
    """Check frames that equal their source's to the bit, apart from their place on the ground."""
    blended = np.mean(np.concatenate([one.clip.origin.clip[:, 1] >= 0 for one in made]))
    as_blended, same = (
        float(np.mean(np.concatenate([same_bits(clip, one.clips) for one, clip in each])))
        for each in ([(one, one.free) for one in made], [(one, one.clip) for one in made])
    )
    verdicts.note(f"{label}: {blended:.0%} of the frames are blended, {as_blended:.0%} equal with feet free")
    if one_body:
        verdicts.check(f"{label}: frames equal to their source", same, ">= 0.6")
    else:
        verdicts.note(f"{label}: frames equal to their retargeted source {same:.2f}")


def same_bits(clip: Clip, sources: Sequence[Clip]) -> Bools:
    """Return flags (F,) of the frames that equal those of their heavier source, moved along the ground and turned."""
    by_name, origin, every = sources_by_name(clip, sources), clip.origin, np.arange(clip.n_frames)
    heavier = np.argmax(origin.weight, axis=1)
    number, frame = origin.clip[every, heavier], origin.frame[every, heavier]
    out = np.zeros(clip.n_frames, dtype=bool)
    for k, name in enumerate(origin.clips):
        mine = np.flatnonzero(number == k)
        if mine.size:
            source = by_name[name]
            rows = source_rows(source, name, frame[mine])
            joints = (clip.rotations[mine, 1:] == source.rotations[rows, 1:]).all(axis=(1, 2))
            height = clip.root_positions[mine, 1] == source.root_positions[rows, 1]
            lean = np.abs(up(clip.rotations[mine, 0]) - up(source.rotations[rows, 0])).max(axis=1) < 1e-12
            out[mine] = joints & height & lean
    return out


def up(q: Floats) -> Floats:
    """Return the direction (F, 3) of the world's Y axis for roots rotated by quaternions (F, 4)."""
    w, x, y, z = q.T
    return np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=1)


def creep(verdicts: Show, label: str, made: list[Made]) -> None:
    """Check the creep of every corrected plant, complete and within its blends."""
    whole, own = [], []
    inside: list[tuple[float, str]] = []
    for one in made:
        ground, blended = (foot_positions(c.skeleton, world(c))[..., [0, 2]] for c in (one.clip, one.free))
        steps, _ = source_steps(one.clip, one.clips)
        planted = carried_contacts(one.clip, one.clips)
        for part in range(len(FOOT_PARTS)):
            for start, stop in touching(runs(planted[:, part]), one.ranges):
                rows = slice(start, stop)
                apart = ground[rows, part] - blended[rows, part]
                if np.abs(apart - apart[0]).max() <= MOVED:
                    continue
                whole.append(farthest(ground[rows, part]))
                own.append(farthest(np.cumsum(steps[rows, part], axis=0)))
                inside += [
                    (farthest(ground[max(start, first) : min(stop, last), part]), both[part // 2])
                    for (first, last), both in zip(one.ranges, one.treatment, strict=True)
                    if min(stop, last) - max(start, first) > 1
                ]
    most = NATURAL.creep + TOLERANCE
    over = Counter(word for value, word in inside if value > most)
    by = ", ".join(f"{count} {word}" for word, count in over.most_common())
    verdicts.note(
        f"{label}, within blends: {len(inside)} corrected, {sum(over.values()) / len(inside):.1%} creep more than "
        f"11 mm{f': {by}' if by else ''}"
    )
    verdicts.check(
        f"{label}, within blends: the most creep", 1e3 * max(v for v, _ in inside), "<= 11 mm", unit="mm"
    )
    more = 1e3 * (np.array(whole) - np.maximum(own, NATURAL.creep))
    verdicts.note(
        f"{label}, complete plants: creep {1e3 * np.median(whole):.1f} mm in the median, in the clips "
        f"{1e3 * np.median(own):.1f} mm and up to {1e3 * max(own):.1f} mm; {np.mean(more > 1e3 * TOLERANCE):.1%} "
        "creep more than 11 mm and 1 mm more than there"
    )
    verdicts.check(f"{label}, complete plants: largest creep beyond", float(more.max()), "<= 1 mm", unit="mm")


def knees(verdicts: Show, label: str, made: list[Made]) -> None:
    """Check angular acceleration and speed of knees."""
    blended, hard = (
        np.concatenate([knee_ratios(clip, one.clips, ranges=one.ranges).max(axis=1) for one, clip in each])
        for each in ([(one, one.free) for one in made], [(one, one.clip) for one in made])
    )
    verdicts.note(
        f"{label}: hardest knee {hard.max():.2f} x, blended alone {blended.max():.2f} x, "
        f"over 1.5 x at {int((blended > 1.5).sum())} of {len(hard)} seams"
    )
    verdicts.check(f"{label}: seams with a knee over 1.5 x", int((hard > 1.5).sum()), "= 0")
    usual = np.percentile(np.concatenate([knee_speeds(clip) for clip in made[0].clips]), USUAL)
    was, now = (
        float(np.mean(np.concatenate([knee_speeds(clip) for clip in each]) > usual))
        for each in ([one.free for one in made], [one.clip for one in made])
    )
    verdicts.note(f"{label}: with feet free a knee is faster than {np.degrees(usual):.0f} deg/s in {was:.2%}")
    verdicts.check(f"{label}: frames with a faster knee, %", 100 * now, "<= 0.1 %", unit="%")


def knee_speeds(clip: Clip) -> Floats:
    """Return the angular speed (F-1,) in rad/s of the faster knee."""
    speeds: Floats = np.abs(np.diff(knee_bends(clip), axis=0)).max(axis=1) * clip.fps
    return speeds


def folders(verdicts: Show) -> None:
    """Walk for a minute over every folder that holds several clips."""
    bounds, count, beyond, by_feet = SeamBounds(), 0, 0, 0
    for one in folders_below(verdicts.clips):
        found = built(one.path)
        if found.graph is None or found.refused:
            verdicts.note(f"{one.name}: {found.refused}")
            continue
        try:
            made = Made.of(one.name, 1, found.graph.wander(seconds=SECONDS, seed=1))
            after, before = (seams(clip, made.clips, ranges=made.ranges) for clip in (made.clip, made.free))
        except SegueError as error:
            verdicts.note(f"{one.name}: {error}")
            continue
        count += len(after)
        most = max((seam.badness(bounds) for seam in after), default=0.0)
        verdicts.note(
            f"{one.name}: {len(found.graph.clips)} clips, {len(after)} seams, worst {most:.2f} of its bounds"
        )
        for seam, was in zip(after, before, strict=True):
            now, then = seam.badness(bounds), was.badness(bounds)
            if now > 1.0:
                beyond, by_feet = beyond + 1, by_feet + int(then <= 1.0)
                verdicts.note(
                    f"{one.name}: {seam.a_clip} to {seam.b_clip} at {seam.seconds:.2f} s uses {now:.2f} of its "
                    f"bounds, {then:.2f} as blended"
                )
    verdicts.check(f"seams out of bounds, of {count} in every folder", beyond, "= 0")
    verdicts.check("of them within bounds before their feet were corrected", by_feet, "= 0")


def named(verdicts: Show, found: list[tuple[float, Made, Slip, str]]) -> None:
    """List the ten seams at which a plant slips farthest beyond its source, and draw them if requested."""
    seen: set[tuple[tuple[str, float], ...]] = set()
    worst: list[tuple[Made, Slip, int]] = []
    for beyond, one, plant, rule in sorted(found, key=lambda each: -each[0]):
        seam, share = shown_by(one, plant)
        ends = seam_ends(one.clip.origin, *one.ranges[seam])
        if tuple(ends) in seen:
            continue
        seen.add(tuple(ends))
        (a, a_frame), (b, b_frame) = ends
        verdicts.note(
            f"{len(seen)}: {one.label}, seed {one.seed}, seam {seam + 1}, {a} {a_frame:.0f} to {b} {b_frame:.0f}: "
            f"{plant.part} slips {1e3 * beyond:.1f} mm beyond its source, by {rule}, {1e3 * share:.1f} mm of it here"
        )
        worst.append((one, plant, seam))
        if len(worst) == WORST:
            break
    if verdicts.options.pictures is not None:
        pictures(verdicts.options.pictures, worst)


def shown_by(one: Made, plant: Slip) -> tuple[int, float]:
    """Return, of the seams that a plant touches, the one with the largest slip beyond its source, and that slip."""
    part = [name.replace("_", " ") for name in FOOT_PARTS].index(plant.part)
    ground = foot_positions(one.clip.skeleton, world(one.clip))[:, part][:, [0, 2]]
    made = np.linalg.norm(np.diff(ground, axis=0, prepend=ground[:1]), axis=1)
    more = made - own_steps(one.clip, one.clips)[:, part]
    reach = round(REACH * one.clip.fps)
    sums = {
        k: float(more[max(a - reach, plant.start + 1) : min(b + reach, plant.stop)].sum())
        for k, (a, b) in enumerate(one.ranges)
        if a - 1 < plant.stop and plant.start < b + 1
    }
    return max(sums.items(), key=lambda each: each[1])


def pictures(folder: Path, worst: list[tuple[Made, Slip, int]]) -> None:
    """Draw a strip of each seam, as blended and with corrected feet, and all plants from above."""
    import matplotlib.pyplot as plt

    from segue.pictures.seam_strip import seam_strip

    folder.mkdir(parents=True, exist_ok=True)
    figure, axes = plt.subplots(2, WORST // 2, figsize=(12, 5.2), constrained_layout=True)
    for number, (axis, (one, plant, seam)) in enumerate(zip(axes.ravel(), worst, strict=False), 1):
        start, stop = one.ranges[seam]
        for when, clip in (("before", one.free), ("after", one.clip)):
            seam_strip(
                clip,
                (start + max(stop - 1, start)) // 2,
                folder / f"{number:02}_{when}.png",
                sources=one.clips,
                title=f"{number}: {one.label}, seed {one.seed}, {plant.part}, {when}",
            )
        part = [name.replace("_", " ") for name in FOOT_PARTS].index(plant.part)
        rows = slice(plant.start, plant.stop)
        paths = [foot_positions(c.skeleton, world(c))[rows, part][:, [0, 2]] for c in (one.free, one.clip)]
        paths.append(np.cumsum(source_steps(one.clip, one.clips)[0][rows, part], axis=0))
        for path, colour, word in zip(
            paths, ("0.6", "C0", "C2"), ("blended", "corrected", "clips"), strict=True
        ):
            at = 1e3 * (path - path[0])
            axis.plot(at[:, 0], at[:, 1], ".-", color=colour, markersize=2, linewidth=0.8, label=word)
        axis.set_title(
            f"{number}: {plant.part}, {(plant.stop - plant.start) / one.clip.fps:.2f} s", fontsize=8
        )
        axis.set_aspect("equal", adjustable="datalim")
        axis.tick_params(labelsize=7)
    axes[0, 0].legend(fontsize=7)
    figure.savefig(folder / "from_above.png", dpi=90)
    plt.close(figure)


if __name__ == "__main__":
    run(
        main,
        "feet at seams compared with the clips",
        {**PICTURES, "--no-folders": {"action": "store_true", "help": "leave out every folder of the clips"}},
    )
