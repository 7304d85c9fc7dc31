"""Joint positions back to motion: every CMU clip's positions, exact and with noise, on its own body and on others.

Shows: joint positions of every CMU clip back to motion: on the same skeleton, with 1 cm of noise, on an estimated
    skeleton, on four other bodies; `--pictures FOLDER` saves filmstrips
Bars: median joint error under 5 mm, with noise under 15 mm, in the worst clip; 99.9 % of angular speed at most 1.5 ×
    the original's; plants of other bodies within 1 cm of the floor, slip under 3 mm in the median and 8 mm for 95 %;
    10,000 noisy frames in 10 s of processor time
Needs: clips
Group: The parts

The rule: all .amc files of the clips, and the BVH files of CMU's motions in other flavours (3ds Max, bvhacker, Daz,
mb2). Only their joint positions are used, and a motion is made from them:

- on the same skeleton, exact: joint errors, and angular speed compared with the original;
- on the same skeleton, with 1 cm of noise in every coordinate (standard deviation);
- on a skeleton estimated from the exact positions, given with the file's joint names, without the tree;
- on bodies of other sizes: height of planted heels and toes over the floor, and slide of plants.

``--pictures FOLDER`` saves filmstrips of the same body, noisy positions and another body.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from _data import DATA, require_data
from _runner import PICTURES, Show, run, seconds

import segue
from segue.errors import SegueError
from segue.maths.quaternions import half_angle
from segue.measures.foot_skate import foot_skate
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.feet import foot_points, foot_positions
from segue.motion.flags import runs
from segue.motion.kinematics import world, world_positions
from segue.motion.skeleton import Skeleton
from segue.synthesis.feet.planting import plant_feet

NOISE = 0.01
BODIES = {
    "3ds Max": "cmu/max_friendly/131_01.bvh",
    "Mixamo": "misc/bvhtoolbox/walk01.bvh",
    "MakeHuman": "misc/makehuman/walk1.bvh",
    "DeepMimic": "misc/deepmimic/humanoid3d_walk.txt",
}
WALKS = ("asf_amc/16/16_15.amc", "asf_amc/16/16_01.amc", "asf_amc/16/16_35.amc", "asf_amc/127/127_04.amc")
"""A walk, a jump, and two runs: the clips whose feet are measured on other bodies."""
ROUND = 1e-3  # degrees a second below which a joint counts as still


def main(verdicts: Show) -> None:
    """Measure, print, exit with a verdict."""
    require_data()
    rng = np.random.default_rng(1)
    rows = [row for file in files() if (row := of_file(file, rng)) is not None]
    table = np.array([row[1:] for row in rows])
    exact, noisy, grown, fast, fast_grown, slow = (table[:, k] for k in range(6))
    verdicts.check("clips by the rule", len(rows), ">= 100")
    for label, values, bar in (
        ("same body, exact: median joint error, worst clip", exact, 5.0),
        ("same body, 1 cm of noise: median joint error, worst clip", noisy, 15.0),
        ("grown body, exact: median joint error, worst clip", grown, 5.0),
    ):
        verdicts.check(label, 1e3 * values.max(), f"< {bar:g}", values.max() < 1e-3 * bar, "mm")
    verdicts.note(f"with noise, the median of all clips: {1e3 * np.median(noisy):.1f} mm")
    verdicts.check("99.9 % of angular speed / the original's, worst clip", fast.max(), "<= 1.5")
    most = fast_grown.max()
    verdicts.check("the same on a grown body, worst clip", most, "<= 1.5")
    worst = rows[int(np.argmax(fast))][0]
    verdicts.note(f"the worst is {worst}; the median of all clips {np.median(fast):.2f}")
    on_others(verdicts)
    long_input(verdicts, rng)
    verdicts.note(f"seconds a 1,000 frames, exact: {1e3 * np.median(slow):.2f}")
    if verdicts.options.pictures:
        pictures(verdicts.options.pictures)


def files() -> list[Path]:
    """Return every CMU motion, in folder order; BVH files converted from the AMC files are left out."""
    bvh = [path for path in sorted((DATA / "cmu").rglob("*.bvh")) if "from_amc" not in path.parts]
    return [*sorted((DATA / "asf_amc").rglob("*.amc")), *bvh]


def of_file(
    file: Path, rng: np.random.Generator
) -> tuple[str, float, float, float, float, float, float] | None:
    """Return median errors (exact, noisy, estimated), speed ratios (exact, estimated), seconds a frame; or None."""
    try:
        clip = segue.load(file)
    except SegueError as error:
        print(f"  {file.name}: {error}")
        return None
    places, names, fps = world_positions(clip), clip.skeleton.names, clip.fps
    start = time.perf_counter()
    same = segue.from_positions(places, names, fps=fps, skeleton=clip.skeleton)
    taken = (time.perf_counter() - start) / clip.n_frames
    noisy = segue.from_positions(
        places + rng.normal(0.0, NOISE, places.shape), names, fps=fps, skeleton=clip.skeleton
    )
    grown = segue.from_positions(places, names, fps=fps)
    order = [names.index(name) for name in grown.skeleton.names]
    errors = [
        float(np.median(np.linalg.norm(world_positions(each) - there, axis=-1)))
        for each, there in ((same, places), (noisy, places), (grown, places[:, order]))
    ]
    own = max(speed(clip), ROUND)
    return (file.name, errors[0], errors[1], errors[2], speed(same) / own, speed(grown) / own, taken)


def speed(clip: Clip) -> float:
    """Return the 99.9th percentile of the joints' angular speed relative to their parents, in degrees a second."""
    if clip.n_frames < 2:
        return ROUND
    steps = 2.0 * half_angle(clip.rotations[1:], clip.rotations[:-1]) * clip.fps
    return float(np.degrees(np.percentile(steps, 99.9)))


def on_others(verdicts: Show) -> None:
    """Measure feet of some clips on bodies of other sizes, planted where the source's are."""
    print(f"  {'':34} {'plants':>6} {'off floor mm':>13} {'slip mm':>13} {'its own held':>13}")
    off, slips, held = [], [], []
    for file in WALKS:
        clip = segue.load(DATA / file)
        flags = contacts(clip).flags
        own = [1e3 * plant.along_path for plant in foot_skate(plant_feet(clip).clip, planted=flags)]
        for name, other in BODIES.items():
            body = segue.load(DATA / other).skeleton
            made = segue.from_positions(
                world_positions(clip), clip.skeleton.names, fps=clip.fps, skeleton=body
            )
            high, slid = feet(made, body, flags)
            off += high
            slips += slid
            held += own
            print(f"  {Path(file).stem + ' on ' + name:34} {len(slid):6} {two(high)} {two(slid)} {two(own)}")
    most = max(off)
    verdicts.check("a plant off the floor of another body, the farthest of all", most, "< 10", unit="mm")
    for percent, bar in ((50, 3.0), (95, 8.0)):
        value = float(np.percentile(slips, percent))
        label = f"slip of a plant on another body, {'median' if percent == 50 else '95 %'}"
        verdicts.check(label, value, f"< {bar:g}", value < bar, "mm")


def feet(made: Clip, body: Skeleton, flags: np.ndarray) -> tuple[list[float], list[float]]:
    """Return, for each plant, millimetres over or under the floor (median), and its slip."""
    high = foot_positions(body, world(made))[..., 1] - foot_points(body).rest_heights
    off = [1e3 * abs(float(np.median(high[a:b, k]))) for k in range(4) for a, b in runs(flags[:, k])]
    return off, [1e3 * plant.along_path for plant in foot_skate(made, planted=flags)]


def two(values: list[float]) -> str:
    """Format median and 95 %."""
    return f"{np.percentile(values, 50):6.1f} {np.percentile(values, 95):6.1f}"


def long_input(verdicts: Show, rng: np.random.Generator) -> None:
    """Measure processor time of 10,000 noisy frames, which take the longest."""
    clip = segue.load(DATA / "asf_amc/01/01_01.amc")
    places = np.tile(world_positions(clip), (4, 1, 1))[:10_000]
    noisy = places + rng.normal(0.0, NOISE, places.shape)
    spent = seconds(lambda: segue.from_positions(noisy, clip.skeleton.names, fps=clip.fps))
    verdicts.check("10,000 noisy frames of 31 joints", spent, "< 10", unit="s")


def pictures(folder: Path) -> None:
    """Draw filmstrips of a run as captured, and made from its positions in three variants."""
    from retargeting import below

    from segue.pictures.filmstrip import filmstrip

    folder.mkdir(parents=True, exist_ok=True)
    run = segue.load(DATA / "asf_amc/16/16_35.amc")
    places, names = world_positions(run), run.skeleton.names
    noisy = places + np.random.default_rng(1).normal(0.0, NOISE, places.shape)
    body = segue.load(DATA / BODIES["MakeHuman"]).skeleton
    made = {
        "as captured": run,
        "of its joint positions": segue.from_positions(places, names, fps=run.fps),
        "of positions with 1 cm of noise": segue.from_positions(noisy, names, fps=run.fps),
        "of its positions, on MakeHuman's body": segue.from_positions(
            places, names, fps=run.fps, skeleton=body
        ),
    }
    frames = np.linspace(0, run.n_frames - 1, 9).astype(int).tolist()
    flags = contacts(run).flags
    strips = [filmstrip(each, frames=frames, contacts=flags, title=name) for name, each in made.items()]
    below(strips, folder / "positions.png")
    print(f"  wrote {folder / 'positions.png'}")


if __name__ == "__main__":
    run(main, "joint positions to motion", PICTURES)
