"""Root motion recovered from the feet of captured walks and runs whose travel was removed; also clips of a game pack.

Shows: the walks and runs of CMU 16, 02 and 05 with their ground travel removed and recovered from their feet, a third
    held out of tuning; also 76 other captured clips and the clips of a game pack
Bars: distance within 5 % and slip of planted feet under 1 cm, in the median of the walks of each part; every clip
    without its travel recognised as in place, no captured one; of the pack the walks and runs only
Needs: clips
Group: The parts

Walks by a stated rule: clips of CMU 16, 02 and 05 whose root goes at 0.5 to 1.8 m/s over the ground and rises by 11
cm at most; runs are those that go faster or rise by 25 cm at most; jumps are neither. The sets are complete,
without selection. The travel is removed by subtracting the root's smooth path: a Gaussian mean of its x and z with
a deviation of 0.25 s, the ends continued by point reflection. Heading, sway and height are kept. Distance is the
length of that smooth path. Slip is the ground distance of a heel or toe between the start and the end of a plant;
the plants are those of the captured clip. It is printed with the result for a root held over the origin.

Some of the clips were used to choose constants (`SEEN`); a third of all is drawn by a seed from the rest. Bars
apply to walks, runs are only reported. The true speed of the pack's clips is unknown: they are only reported.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from _data import require_data
from _runner import Show, run
from scipy.ndimage import gaussian_filter1d

import segue
from segue.app.convert import in_place
from segue.io import motion_files
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.feet import FOOT_PARTS, foot_positions, leg_length
from segue.motion.kinematics import world
from segue.motion.support import passing
from segue.synthesis.root_motion import is_in_place, with_root_motion

SEEN = {
    *(f"16_{k:02d}" for k in range(1, 59, 3)),
    *(
        "16_08",
        "16_11",
        "16_15",
        "16_17",
        "16_27",
        "16_33",
        "16_35",
        "16_38",
        "16_47",
        "02_01",
        "02_03",
        "05_01",
    ),
}
"""Clips used to choose constants."""
SEED = 7
SPAN = 0.25  # seconds: standard deviation of the Gaussian of the smooth path
PACE, WALKS, RISE, RUNS = (
    0.5,
    1.8,
    0.11,
    0.25,
)  # speed range of a walk in m/s, largest rise of the root in a walk and in a run in metres
PACK = ("Walking", "Running", "Sneaking", "Crouching")


@dataclass(frozen=True)
class Found:
    """One clip with its travel removed and recovered: metres, and relative errors of the distance."""

    name: str
    distance: float
    off: float
    off_held: float
    slips: np.ndarray
    own: np.ndarray
    found: bool


def main(verdicts: Show) -> None:
    clips = captured()
    kinds = {kind: [clip for clip in clips if kind_of(clip) == kind] for kind in ("walks", "runs")}
    names = sorted(c.name for group in kinds.values() for c in group)
    unseen = [name for name in names if name not in SEEN]
    drawn = np.random.default_rng(SEED).permutation(unseen)[: round(len(names) / 3)]
    left_out = set(drawn.tolist())
    verdicts.note(f"{len(names)} clips, {len(left_out)} of them left out while tuning")
    for kind, group in kinds.items():
        rows = [brought_back(clip) for clip in group]
        for row in rows:
            mark = "left out" if row.name in left_out else ""
            verdicts.note(
                f"{row.name:<8} {row.distance:5.2f} m, {100 * row.off:+5.1f} %; planted feet slip "
                f"{1000 * np.median(row.slips):4.1f} mm in the median, {1000 * row.slips.max():4.1f} at most "
                f"(captured {1000 * np.median(row.own):4.1f} and {1000 * row.own.max():4.1f}) {mark}"
            )
        check(verdicts, f"{kind}, seen", [row for row in rows if row.name not in left_out])
        check(verdicts, f"{kind}, left out", [row for row in rows if row.name in left_out])
    others(verdicts, {c.name for group in kinds.values() for c in group}, clips)
    pack(verdicts)


def captured() -> list[Clip]:
    """Load all clips of the three subjects."""
    folder = require_data() / "asf_amc"
    return [
        segue.load(path)
        for subject in ("02", "05", "16")
        for path in sorted((folder / subject).glob("*.amc"))
    ]


def smooth_path(clip: Clip) -> np.ndarray:
    """Return the smooth path (F, 2) of the root along the ground."""
    path = clip.root_positions[:, [0, 2]]
    reach = min(round(4 * SPAN * clip.fps), len(path) - 1)
    before, after = 2 * path[0] - path[reach:0:-1], 2 * path[-1] - path[-2 : -2 - reach : -1]
    out = gaussian_filter1d(np.concatenate([before, path, after]), SPAN * clip.fps, axis=0)
    return out[reach : reach + len(path)]


def distance(clip: Clip) -> float:
    """Return the length of the smooth path in metres."""
    return float(np.linalg.norm(np.diff(smooth_path(clip), axis=0), axis=1).sum())


def pace(clip: Clip) -> float:
    """Return the speed in m/s along the smooth path."""
    return distance(clip) / clip.seconds


def kind_of(clip: Clip) -> str:
    """Classify walks and runs by the rule above."""
    rise = float(np.ptp(clip.root_positions[:, 1]))
    if pace(clip) < PACE or rise > RUNS:
        return ""
    return "walks" if pace(clip) <= WALKS and rise <= RISE else "runs"


def without_travel(clip: Clip) -> Clip:
    """Subtract the smooth path."""
    root = np.array(clip.root_positions)
    path = smooth_path(clip)
    root[:, [0, 2]] -= path - path[0]
    return clip.with_motion(root_positions=root)


def slips(clip: Clip, plants: Clip) -> np.ndarray:
    """Return ground metres from the start to the end of each plant of another clip of equal length."""
    places = foot_positions(clip.skeleton, world(clip))[..., [0, 2]]
    return np.array(
        [
            np.linalg.norm(places[plant.stop - 1, part] - places[plant.start, part])
            for plant in contacts(plants).plants
            for part in [FOOT_PARTS.index(plant.foot_part)]
        ]
    )


def brought_back(clip: Clip) -> Found:
    """Remove the travel of a clip and recover it."""
    spot = without_travel(clip)
    made = with_root_motion(spot)
    off, held = (distance(again) / distance(clip) - 1.0 for again in (made, with_root_motion(in_place(clip))))
    found = is_in_place(spot) and is_in_place(in_place(clip)) and not is_in_place(clip)
    return Found(clip.name, distance(clip), off, held, slips(made, clip), slips(clip, clip), found)


def check(verdicts: Show, label: str, rows: list[Found]) -> None:
    """Print medians of a part, with bars if it is one of walks, and the worst."""
    off = np.abs([row.off for row in rows])
    slip = np.concatenate([row.slips for row in rows])
    own = np.concatenate([row.own for row in rows])
    worst = rows[int(np.argmax(off))]
    middle, slid = 100 * float(np.median(off)), 1000 * float(np.median(slip))
    if label.startswith("walks"):
        verdicts.check(f"{label}: distance off, median of {len(rows)}", middle, "<= 5", unit="%")
        verdicts.check(f"{label}: planted feet slip, median of {len(slip)}", slid, "< 10", unit="mm")
    else:
        verdicts.note(
            f"{label}: distance off by {middle:.1f} % in the median, planted feet slip {slid:.1f} mm"
        )
    verdicts.note(
        f"{label}: {np.sum(off <= 0.05)} of {len(rows)} within 5 %, worst {worst.name} {100 * worst.off:+.1f} %; "
        f"{100 * np.mean(slip < 0.01):.0f} % of the plants slip less than 10 mm, worst {1000 * slip.max():.0f} "
        f"(captured: {100 * np.mean(own < 0.01):.0f} %, median {1000 * np.median(own):.1f}, "
        f"worst {1000 * own.max():.0f})"
    )
    held = np.abs([row.off_held for row in rows])
    verdicts.note(
        f"{label}: with the root held over the origin off by {100 * np.median(held):.1f} % in the median, "
        f"{100 * held.max():.1f} at most"
    )
    found = sum(row.found for row in rows)
    verdicts.check(f"{label}: in place without their travel only", found, f"= {len(rows)}")


def others(verdicts: Show, named: set[str], clips: list[Clip]) -> None:
    """Check that no other captured clip is recognised as in place: standing, dances, jumps, boxing, climbing."""
    rest = [clip for clip in clips if clip.name not in named]
    folders = [require_data() / "asf_amc" / subject for subject in ("01", "14", "17", "127")]
    rest += [segue.load(path) for folder in folders for path in sorted(folder.glob("*.amc"))]
    rest += [segue.load(path) for path in motion_files([str(require_data() / "cmu")])]
    wrong = [clip.name for clip in rest if is_in_place(clip)]
    verdicts.check(f"other captured clips called in place, of {len(rest)}", len(wrong), "= 0")


def pack(verdicts: Show) -> None:
    """Report a game pack whose clips are in place, without bars, since its true speed is unknown."""
    wrong = []
    for path in motion_files([str(require_data() / "gltf" / "kaykit")]):
        name = str(path).rpartition("#")[2].rpartition("|")[2]
        clip = segue.load(path)
        goes = name.startswith(PACK)
        if is_in_place(clip) != goes:
            wrong.append(name)
        if not goes:
            continue
        made, leg = with_root_motion(clip), leg_length(clip.skeleton)
        found = passing(clip)
        speed = float(np.hypot(*found.velocity.mean(axis=0)))
        steps = np.diff(foot_positions(clip.skeleton, world(made))[..., [0, 2]], axis=0) * clip.fps
        down = found.weights[: len(steps)]
        left = float((down * np.linalg.norm(steps, axis=-1)).sum() / down.sum())
        verdicts.note(
            f"{name:<22} {speed:5.2f} m/s ({speed / leg:4.1f} leg lengths a second); feet in stance still slide at "
            f"{left:.2f} m/s, {100 * left / speed:3.0f} % of what they did"
        )
    verdicts.check("clips of the pack taken wrongly, in place or not", len(wrong), "= 0")


if __name__ == "__main__":
    run(main, "root motion recovered")
