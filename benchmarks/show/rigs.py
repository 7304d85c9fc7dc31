"""Real clips on rigs with unusual rest poses: all results equal those on the rig they were captured on.

Shows: clips of subject 16 on a rig with all bones along X and on one whose root travels on the ground: read,
    mirrored, retargeted to five bodies and back, loops, cleaned feet, a minute of a graph, half a minute steered
Bars: joints as captured, headings within 2 degrees, heels within 6 cm, mirror images within 6 cm of the standing
    rig's; trunks within 8 degrees of the source's; the same cycles; no joint faster than 1.3 times the clips'
Needs: clips
Group: The parts

One rig has all bones along X, rolled about their axes; on the other the ROOT is a bone on the ground that travels.
Both are written as BVH and read again; results are compared with the same clips on their original, standing rig.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from _data import require_data
from _rigs import along_x, on_a_ground_root
from _runner import Show, run

import segue
from segue.app.steering import steer_script
from segue.arrays import Floats, Positions
from segue.locomotion.build import BuildSettings, build_locomotion
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.facing import heading
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world, world_positions
from segue.motion.roles import roles
from segue.runtime.steered.player import Command
from segue.synthesis.feet.planting import plant_feet

DEGREES = np.pi / 180
RIGS: dict[str, Callable[[Clip, Path], Clip]] = {
    "all bones along X": along_x,
    "a travelling root on the ground": on_a_ground_root,
}
BODIES = (
    "misc/geno/Geno_stance.bvh",
    "misc/deepmimic/humanoid3d_dance_a.txt",
    "misc/makehuman/walk1.bvh",
    "gltf/kaykit/Med_MovementAdvanced.glb#T-Pose",
    "fbx/motionbuilder/pab_walk.fbx",
)
SCRIPT = [
    (0.0, Command("stand")),
    (2.0, Command("walk", 1.2)),
    (6.0, Command("walk", 1.2, 40 * DEGREES)),
    (10.0, Command("walk", 1.2, -40 * DEGREES)),
    (14.0, Command("run", 2.8)),
    (18.0, Command("walk", 1.5)),
    (22.0, Command("stand")),
]
LIMBS = (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle"))


def main(verdicts: Show) -> None:
    folder = require_data() / "asf_amc" / "16"
    own = [segue.load(file) for file in sorted(folder.glob("*.amc"))[::2]]
    bodies = [segue.load(f"{require_data() / body}") for body in BODIES]
    for name, rig in RIGS.items():
        verdicts.note(name)
        with tempfile.TemporaryDirectory() as place:
            odd = [rig(clip, Path(place)) for clip in own]
        reading(verdicts, own, odd)
        mirrored(verdicts, own, odd)
        carried(verdicts, own[::5], odd[::5], bodies)
        cycles_and_feet(verdicts, own, odd)
        wandering(verdicts, own, odd)
        steering(verdicts, odd)


def same_joints(a: Clip, b: Clip) -> Floats:
    """Return metres (F, N) between the joints of equal names of two clips."""
    names = [name for name in a.skeleton.names if name in b.skeleton.names]
    one, other = (world_positions(clip)[:, [clip.skeleton.index(name) for name in names]] for clip in (a, b))
    out: Floats = np.linalg.norm(one - other, axis=2)
    return out


def reading(verdicts: Show, own: list[Clip], odd: list[Clip]) -> None:
    """Check positions, headings, heels and contacts."""
    places = max(float(same_joints(a, b).max()) for a, b in zip(own, odd, strict=True))
    verdicts.check("joints off the captured motion, worst", places, "<= 0.001", unit="m")
    turned = [(heading(a) - heading(b) + np.pi) % (2 * np.pi) - np.pi for a, b in zip(own, odd, strict=True)]
    off = float(np.degrees(max(np.abs(angles).max() for angles in turned)))
    verdicts.check("heading off, worst frame", off, "<= 2", unit="degrees")
    feet = [
        np.linalg.norm(
            foot_positions(a.skeleton, world(a)) - foot_positions(b.skeleton, world(b)), axis=2
        ).max()
        for a, b in zip(own, odd, strict=True)
    ]
    verdicts.check("heels and toes off, worst", float(max(feet)), "<= 0.06", unit="m")
    same = [float((contacts(a).flags == contacts(b).flags).mean()) for a, b in zip(own, odd, strict=True)]
    mean = float(np.mean(same))
    verdicts.check("frames and foot parts with the same contact", mean, ">= 0.95")


def mirrored(verdicts: Show, own: list[Clip], odd: list[Clip]) -> None:
    """Check mirror images, and mirror images of those."""
    off = max(
        float(same_joints(segue.mirror(a), segue.mirror(b)).max()) for a, b in zip(own, odd, strict=True)
    )
    verdicts.check("mirrored: joints off the standing rig's", off, "<= 0.06", unit="m")
    again = max(float(same_joints(segue.mirror(segue.mirror(b)), b).max()) for b in odd)
    verdicts.check("mirrored twice: joints off", again, "<= 1e-6", unit="m")


def directions(clip: Clip, neck: bool) -> dict[str, Positions]:
    """Return unit vectors (F, 3) along the trunk, to the neck or between the shoulders, and along the limbs."""
    found, at = roles(clip.skeleton), world_positions(clip)
    middle = 0.5 * (at[:, found["left_hip"]] + at[:, found["right_hip"]])
    top = ["neck"] if neck else ["left_shoulder", "right_shoulder"]
    bones = {"trunk": np.mean([at[:, found[role]] for role in top], axis=0) - middle}
    for side in ("left", "right"):
        for start, end in LIMBS:
            bones[f"{side}_{start}"] = at[:, found[f"{side}_{end}"]] - at[:, found[f"{side}_{start}"]]
    return {name: bone / np.linalg.norm(bone, axis=1, keepdims=True) for name, bone in bones.items()}


def off_source(clips: list[Clip], bodies: list[Clip]) -> dict[str, float]:
    """Return degrees between a source's trunk and limbs and those of the retargeted motion, for the worst pair.

    For the trunk the worst frame, for limbs 95 % of the frames.
    """
    worst = {"trunk": 0.0, "arm": 0.0, "leg": 0.0}
    for clip in clips:
        for body in bodies:
            made = segue.retarget(clip, body.skeleton)
            neck = all("neck" in roles(each.skeleton) for each in (clip, body))
            ours = directions(clip, neck)
            for name, there in directions(made, neck).items():
                angles = np.degrees(np.arccos(np.clip(np.sum(there * ours[name], axis=1), -1.0, 1.0)))
                part = name if name == "trunk" else "arm" if name.endswith(("shoulder", "elbow")) else "leg"
                worst[part] = max(worst[part], float(np.percentile(angles, 100 if part == "trunk" else 95)))
    return worst


def carried(verdicts: Show, own: list[Clip], odd: list[Clip], bodies: list[Clip]) -> None:
    """Retarget to five bodies, and from them."""
    theirs, ours = off_source(own, bodies), off_source(odd, bodies)
    trunk, arm, leg = ours["trunk"], ours["arm"], ours["leg"]
    verdicts.check("five bodies: trunk off the source's, worst", trunk, "<= 8", unit="degrees")
    verdicts.check("    arms, 95 %", arm, "<= 1", unit="degrees")
    bar = theirs["leg"] + 3.0
    verdicts.check("    legs, 95 %", leg, f"<= {bar:.1f}, own + 3", leg <= bar, "degrees")
    moving = [body for body in bodies if body.n_frames > 1]
    back = off_source(moving, odd[:1])["trunk"]
    verdicts.check("from them: trunk off the source's, worst", back, "<= 8", unit="degrees")


def cycles_and_feet(verdicts: Show, own: list[Clip], odd: list[Clip]) -> None:
    """Check loops and cleaned feet."""
    found, same, apart = 0, 0, []
    for a, b in zip(own, odd, strict=True):
        there, here = cycle_of(a), cycle_of(b)
        found += there is not None
        if there is not None and here is not None:
            same += max(abs(there[0] - here[0]), abs(there[1] - here[1])) <= 2
        apart.append(float(same_joints(plant_feet(a).clip, plant_feet(b).clip).max()))
    share = same / max(found, 1)
    verdicts.check(f"loops: of {found} cycles found again", share, ">= 0.9")
    off = float(np.median(apart))
    verdicts.check("cleaned: joints off, median of clips", off, "<= 0.03", unit="m")
    verdicts.note(f"cleaned, worst joint of all clips: {100 * max(apart):.1f} cm")


def cycle_of(clip: Clip) -> tuple[int, int] | None:
    """Return the first and last frame of a clip's cycle."""
    try:
        found = segue.loop(clip).cycle
    except segue.SegueError:
        return None
    return found.start, found.stop


def wandering(verdicts: Show, own: list[Clip], odd: list[Clip]) -> None:
    """Walk for a minute on a graph."""
    graphs = [segue.MotionGraph.build(clips) for clips in (own, odd)]
    reached = [len(graph.clips_reached) for graph in graphs]
    enough = reached[1] >= 0.9 * reached[0]
    verdicts.check(f"wander: clips reached, of {reached[0]}", reached[1], ">= 90 %", enough)
    made = segue.render(graphs[1].wander(seconds=60.0, seed=1))
    ratio = speed_ratio(made, odd)
    verdicts.check("    fastest joint, times the clips'", ratio, "<= 1.3")


def steering(verdicts: Show, odd: list[Clip]) -> None:
    """Steer for half a minute: stand, walk, turn to both sides and run."""
    model = build_locomotion(odd, settings=BuildSettings(most=12))
    made = steer_script(model, SCRIPT, fps=60.0, seconds=25.0).clip
    ratio = speed_ratio(made, odd)
    verdicts.check("steer: fastest joint, times the clips'", ratio, "<= 1.3")
    roots = made.root_positions[[0, -1]]
    verdicts.check("    body upright at the end", float(roots[1, 1]), ">= 0.7", unit="m")


def speed_ratio(made: Clip, clips: list[Clip]) -> float:
    """Return the largest ratio of joint speeds between a motion and its clips, joint by joint."""
    top = np.max([speeds(clip).max(axis=0) for clip in clips], axis=0)
    return float((speeds(made).max(axis=0) / np.maximum(top, 1e-3)).max())


def speeds(clip: Clip) -> Floats:
    """Return the speed (F-1, J) of each joint in metres a second."""
    out: Floats = np.linalg.norm(np.diff(world_positions(clip), axis=0), axis=2) * clip.fps
    return out


if __name__ == "__main__":
    run(main, "rigs with unusual rest poses")
