"""Clips of five kinds of skeletons on each other's bodies: feet stay planted, limbs point in the same direction.

Shows: walks of five families of skeletons on each other's bodies, then 42 bodies onto CMU's; `--pictures FOLDER`
    saves filmstrips
Bars: slip of a plant under 3 mm in the median and 8 mm for 95 %, plants within 1 cm of the floor, nothing 1 cm deeper
    than in the source; arms within 2 and 10 degrees of the source's, legs within 5 and 15; no knee bent backwards,
    the fastest at most 1.3 × the source's; with `--hands 1` half the error of wrists near each other; on its own body
    the clip is unchanged
Needs: clips
Group: The parts

Feet are locked: natural ones slide as their sources do. Every ordered pair of five families by rule: of each the
first clip in folder order whose notes say walk, of the 3ds Max one the first, which walks in the middle.
MakeHuman's walk is in place and plants no foot. Then every other body of the clips onto CMU's.

``--pictures FOLDER`` saves filmstrips, source above target, of the three pairs with the most slip and of five more.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import NamedTuple

import numpy as np
from _data import DATA, require_data
from _runner import PICTURES, Show, run

import segue
from segue.errors import SegueError
from segue.maths.quaternions import half_angle
from segue.measures.foot_skate import foot_skate
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.feet import foot_points, foot_positions, leg_length
from segue.motion.flags import runs
from segue.motion.kinematics import attached_points, world
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton
from segue.pictures.canvas import Picture
from segue.synthesis.feet.planting import plant_feet
from segue.synthesis.feet.steps import LOCKED

FAMILIES = {
    "CMU": "asf_amc/16/16_15.amc",
    "3ds Max": "cmu/max_friendly/131_01.bvh",
    "Mixamo": "misc/bvhtoolbox/walk01.bvh",
    "MakeHuman": "misc/makehuman/walk1.bvh",
    "DeepMimic": "misc/deepmimic/humanoid3d_walk.txt",
}
ARMS = (("shoulder", "elbow"), ("elbow", "wrist"))
LEGS = (("hip", "knee"), ("knee", "ankle"))
SHOWN = (
    ("CMU", "DeepMimic"),
    ("DeepMimic", "CMU"),
    ("3ds Max", "MakeHuman"),
    ("MakeHuman", "CMU"),
    ("CMU", "MakeHuman"),
)


class Found(NamedTuple):
    """Measures of one clip on one body: millimetres and degrees."""

    slips: np.ndarray
    held: np.ndarray
    off_floor: np.ndarray
    deeper: float
    arms: np.ndarray
    legs: np.ndarray
    backwards: int
    knees: float


def main(verdicts: Show) -> None:
    """Measure every pair, then every body."""
    require_data()
    clips = {name: segue.load(DATA / file) for name, file in FAMILIES.items()}
    found = {
        (a, b): measured(clips[a], segue.retarget(clips[a], clips[b].skeleton, feet="locked"))
        for a, b in itertools.permutations(clips, 2)
    }
    table(found)
    bars(verdicts, found)
    itself(verdicts, clips)
    hands(verdicts, clips)
    every_body(verdicts, clips["CMU"].skeleton)
    if verdicts.options.pictures:
        pictures(verdicts.options.pictures, clips, found)


def measured(clip: Clip, made: Clip) -> Found:
    """Measure feet by the contacts of the source, limbs by their world directions."""
    flags = contacts(clip).flags
    slips, held = (
        1e3 * np.array([plant.along_path for plant in foot_skate(each, planted=flags)])
        for each in (made, plant_feet(clip, keep=LOCKED).clip)
    )
    high = foot_positions(made.skeleton, world(made))[..., 1] - foot_points(made.skeleton).rest_heights
    off = [abs(float(np.median(high[a:b, k]))) for k in range(4) for a, b in runs(flags[:, k])]
    scale = leg_length(made.skeleton) / leg_length(clip.skeleton)
    deeper = float((depth(made) - scale * depth(clip)).max())
    bends = [hinges(each) for each in (clip, made)]
    bent = np.linalg.norm(bends[0], axis=-1) > np.sin(np.radians(15.0))
    backwards = int(((bends[0] * bends[1]).sum(axis=-1)[bent] < 0).sum())
    return Found(
        slips,
        held,
        1e3 * np.array(off),
        1e3 * deeper,
        angles(clip, made, ARMS),
        angles(clip, made, LEGS),
        backwards,
        knee_speed(made) / max(knee_speed(clip), 1e-9),
    )


def depth(clip: Clip) -> np.ndarray:
    """Return metres (F,) by which the lowest joint, bone tip or heel is below the ground."""
    at = world(clip)
    sites = clip.skeleton.end_sites
    tips = attached_points(
        at, [site.joint for site in sites], np.array([site.offset for site in sites]).reshape(-1, 3)
    )
    feet = foot_positions(clip.skeleton, at)
    lowest = np.concatenate([at.positions, tips, feet], axis=1)[..., 1].min(axis=1)
    return np.maximum(-lowest, 0.0)


def directions(clip: Clip, bones: tuple[tuple[str, str], ...]) -> np.ndarray | None:
    """Return unit vectors (B, F, 3) of bones of both sides."""
    at, which = world(clip).positions, roles(clip.skeleton)
    ends = [(f"{side}_{a}", f"{side}_{b}") for side in ("left", "right") for a, b in bones]
    if any(role not in which for pair in ends for role in pair):
        return None
    along = np.stack([at[:, which[b]] - at[:, which[a]] for a, b in ends])
    return along / np.linalg.norm(along, axis=-1, keepdims=True)


def angles(clip: Clip, made: Clip, bones: tuple[tuple[str, str], ...]) -> np.ndarray:
    """Return degrees between bones of both bodies, for every frame."""
    before, after = (directions(each, bones) for each in (clip, made))
    if before is None or after is None:
        return np.zeros(0)
    half = np.clip(np.linalg.norm(before - after, axis=-1) / 2.0, 0.0, 1.0)
    return np.degrees(2.0 * np.arcsin(half)).ravel()


def hinges(clip: Clip) -> np.ndarray:
    """Return the cross product (2, F, 3) of thigh and shin directions: the axis about which each knee bends."""
    bones = directions(clip, LEGS)
    return np.cross(bones[[0, 2]], bones[[1, 3]])


def knee_speed(clip: Clip) -> float:
    """Return the largest angular speed of a knee in degrees a second."""
    which = roles(clip.skeleton)
    q = clip.rotations[:, [which["left_knee"], which["right_knee"]]]
    return float(np.degrees(2 * half_angle(q[1:], q[:-1]).max(initial=0.0)) * clip.fps)


def share(values: np.ndarray, percent: float) -> float:
    """Return a percentile, 0 for no values."""
    return float(np.percentile(values, percent)) if values.size else 0.0


def table(found: dict[tuple[str, str], Found]) -> None:
    """Print a line per pair."""
    print(
        f"  {'':24} {'plants':>6} {'slip mm':>13} {'its own held':>13} {'off floor':>9} {'deeper':>7}", end=""
    )
    print(f" {'arms deg':>13} {'legs deg':>13} {'knees':>6}")
    for (a, b), one in found.items():
        print(
            f"  {a + ' on ' + b:24} {one.slips.size:6} {two(one.slips)} {two(one.held)}"
            f" {share(one.off_floor, 100):9.1f} {one.deeper:7.1f} {two(one.arms)} {two(one.legs)} {one.knees:6.2f}"
        )


def two(values: np.ndarray) -> str:
    """Format median and 95 %."""
    return f"{share(values, 50):6.1f} {share(values, 95):6.1f}"


def bars(verdicts: Show, found: dict[tuple[str, str], Found]) -> None:
    """Check the worst pair of each measure."""
    worst = {
        "slip of a plant, median of the worst pair": (50, 3.0, "slips"),
        "slip of a plant, 95 % of the worst pair": (95, 8.0, "slips"),
        "a plant off the floor, the farthest of all": (100, 10.0, "off_floor"),
    }
    for label, (percent, bar, field) in worst.items():
        value = max(share(getattr(one, field), percent) for one in found.values())
        verdicts.check(label, value, f"< {bar:g}", value < bar, "mm")
    deeper = max(one.deeper for one in found.values())
    verdicts.check("under the ground, more than in the source, any frame", deeper, "< 10", unit="mm")
    for field, percent, bar in (("arms", 50, 2.0), ("arms", 95, 10.0), ("legs", 50, 5.0), ("legs", 95, 15.0)):
        value = max(share(getattr(one, field), percent) for one in found.values())
        name = "median" if percent == 50 else f"{percent} %"
        verdicts.check(
            f"{field} against the source's, {name} of the worst pair", value, f"< {bar:g}", value < bar, "deg"
        )
    backwards = sum(one.backwards for one in found.values())
    verdicts.check("frames with a knee bent backwards", backwards, "= 0")
    knees = max(one.knees for one in found.values())
    verdicts.check("fastest knee / the source's fastest", knees, "<= 1.3")


def itself(verdicts: Show, clips: dict[str, Clip]) -> None:
    """Retarget to its own body, to the same body under other names, and there and back."""
    exact = all(segue.retarget(clip, clip.skeleton) is clip for clip in clips.values())
    verdicts.check("on its own body every clip is unchanged", exact, "true", exact)
    worst = 0.0
    for clip in clips.values():
        body = clip.skeleton
        names = [f"x{joint}" for joint in range(body.n_joints)]
        given = [(role, names[joint]) for role, joint in roles(body).items()]
        again = Skeleton(names, body.parents, body.offsets, body.end_sites, roles_given=given)
        made = segue.retarget(clip, again)
        worst = max(worst, float(np.abs(world(made).positions - world(clip).positions).max()))
    verdicts.check("onto the same body under other names, any joint", worst, "< 1e-12", unit="m")
    arms, legs = [], []
    for a, b in itertools.permutations(clips, 2):
        back = segue.retarget(segue.retarget(clips[a], clips[b].skeleton), clips[a].skeleton)
        arms.append(share(angles(clips[a], back, ARMS), 100))
        legs.append(share(angles(clips[a], back, LEGS), 95))
    verdicts.check("there and back, arms, any frame", max(arms), "< 1e-4", unit="deg")
    verdicts.check("there and back, legs, 95 % of the worst pair", max(legs), "< 15", unit="deg")


def hands(verdicts: Show, clips: dict[str, Clip]) -> None:
    """Retarget a boxer whose wrists are within half an arm of each other to every body, and measure the deviation."""
    boxer = segue.load(DATA / "misc/assimp/Boxing_Toes.bvh")
    there = between_wrists(boxer)
    near = np.linalg.norm(there, axis=1) < 0.5 * arm_length(boxer.skeleton)
    for name, clip in clips.items():
        scale = leg_length(clip.skeleton) / leg_length(boxer.skeleton)
        off = []
        for weight in (0.0, 1.0):
            made = segue.retarget(boxer, clip.skeleton, hands=weight)
            off.append(
                1e3 * float(np.median(np.linalg.norm(between_wrists(made) - scale * there, axis=1)[near]))
            )
        label = f"{name}: wrists off by {off[1]:.0f} mm with hands, {off[0]:.0f} without; ratio"
        verdicts.check(label, off[1] / off[0], "<= 0.5", off[1] <= 0.5 * off[0])


def between_wrists(clip: Clip) -> np.ndarray:
    """Return metres (F, 3) from the right wrist to the left one."""
    at, which = world(clip).positions, roles(clip.skeleton)
    return at[:, which["left_wrist"]] - at[:, which["right_wrist"]]


def arm_length(body: Skeleton) -> float:
    """Return metres from shoulder to elbow to wrist of the left arm."""
    rest, which = body.rest_positions(), roles(body)
    shoulder, elbow, wrist = (rest[which[f"left_{part}"]] for part in ("shoulder", "elbow", "wrist"))
    return float(np.linalg.norm(elbow - shoulder) + np.linalg.norm(wrist - elbow))


def every_body(verdicts: Show, body: Skeleton) -> None:
    """Retarget every humanoid BVH, FBX, glTF, NPZ and DeepMimic file to CMU's body."""
    print(
        f"  {'file':46} {'plants':>6} {'slip mm':>13} {'its own held':>13} {'arms':>5} {'legs':>5} {'deeper':>7}"
    )
    count, slips, held = 0, [], []
    for path in sorted(
        itertools.chain(
            (DATA / "cmu").rglob("*.bvh"), *((DATA / folder).rglob("*") for folder in ("misc", "fbx", "gltf"))
        )
    ):
        if "from_amc" in path.parts or not path.is_file():
            continue
        try:
            clip = segue.load(path)
            made = segue.retarget(clip, body, feet="locked")
        except SegueError:
            continue  # no motion, several, or no body with legs: files_and_cases.py lists the reason
        one = measured(clip, made)
        count += 1
        slips.extend(one.slips)
        held.extend(one.held)
        print(
            f"  {str(path.relative_to(DATA))[-46:]:46} {one.slips.size:6} {two(one.slips)} {two(one.held)}"
            f" {share(one.arms, 95):5.1f} {share(one.legs, 95):5.1f} {one.deeper:7.1f}"
        )
    verdicts.check("bodies retargeted to CMU's", count, ">= 25")
    for percent, bar in ((50, 3.0), (95, 8.0)):
        value = share(np.array(slips), percent)
        own = share(np.array(held), percent)
        label = f"slip of all their plants, {'median' if percent == 50 else '95 %'}"
        verdicts.check(label, value, f"< {max(bar, own):.3g}", value < max(bar, own), "mm")


def pictures(folder: Path, clips: dict[str, Clip], found: dict[tuple[str, str], Found]) -> None:
    """Draw filmstrips of some pairs, source above target."""
    from segue.pictures.filmstrip import filmstrip

    folder.mkdir(parents=True, exist_ok=True)
    worst = sorted(found, key=lambda pair: -share(found[pair].slips, 95))[:3]
    for a, b in dict.fromkeys([*worst, *SHOWN]):
        clip = clips[a]
        frames = np.linspace(0, clip.n_frames - 1, 8).astype(int).tolist()
        flags = contacts(clip).flags
        both = [clip, segue.retarget(clip, clips[b].skeleton)]
        strips = [
            filmstrip(each, frames=frames, contacts=flags, title=name)
            for each, name in zip(both, (f"{a} walks", f"on {b}'s body"), strict=True)
        ]
        path = folder / f"retarget-{a}-on-{b}.png".replace(" ", "-").lower()
        below(strips, path)
        print(f"  wrote {path}")


def below(strips: list[Picture], path: Path) -> None:
    """Save pictures one below the other, in few colours."""
    from io import BytesIO

    from PIL import Image

    images = [Image.open(BytesIO(strip.png)).convert("RGB") for strip in strips]
    sheet = Image.new("RGB", (max(i.width for i in images), sum(i.height for i in images)), "white")
    top = 0
    for image in images:
        sheet.paste(image, (0, top))
        top += image.height
    sheet.quantize(64).save(path, optimize=True)


if __name__ == "__main__":
    run(main, "clips on other bodies", PICTURES)
