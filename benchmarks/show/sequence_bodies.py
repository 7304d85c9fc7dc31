"""The split into halves on bodies with different names, and pairs of motions retargeted to each.

Shows: every joint of seven bodies (CMU AMC, two BVH namings, glTF, FBX, the 43-joint salsa, one with a tail and a
    third arm) belongs to one half; pairs of motions retargeted to each body are joined by the same method
Bars: every joint in exactly one half; the same method in seven of ten pairs on every body, a reason for every other
Needs: clips
Group: The main job
"""

from __future__ import annotations

import _elements as made_of
import numpy as np
from _runner import Show, run

import segue
from segue.errors import SegueError
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton
from segue.sequencing.decisions import PairDecision
from segue.sequencing.halves import body_halves
from segue.sequencing.script import Placement, SequenceScript
from segue.sequencing.sequence import make_sequence

FILES = {
    "CMU AMC": "asf_amc/16/16_15.amc",
    "Boxing_Toes": "misc/assimp/Boxing_Toes.bvh",
    "salsa, 43 joints": "cmu/daz_scaled/60_12_scaled.bvh",
    "glTF": "gltf/khronos/cesium_man.gltf",
    "FBX": "fbx/cmu_blender",
    "BVH of geno": "misc/geno",
}
PAIRS = (
    ("60_12:1", "17_10:1"),
    ("17_10:1", "Boxing_Toes:2"),
    ("05_02:3", "61_12:1"),
    ("05_02:1", "17_10:2"),
    ("Boxing_Toes:3", "05_02:2"),
    ("61_12:2", "60_12:1"),
    ("14_27:1", "127_19:1"),
    ("127_19:1", "05_02:3"),
    ("Boxing_Toes:4", "61_12:2"),
    ("05_16:1", "17_10:3"),
)


def main(show: Show) -> None:
    """Split every body, then join the pairs on it."""
    elements = made_of.elements()
    wanted = {pair: joined_on(made_of.body(), pair, elements) for pair in PAIRS}
    for name, body in bodies(show).items():
        halves, found = body_halves(body), roles(body)
        legs = [
            joint for role, joint in found.items() if role.split("_")[-1] in ("hip", "knee", "ankle", "toe")
        ]
        arms = [
            joint
            for role, joint in found.items()
            if role.split("_")[-1] in ("shoulder", "elbow", "wrist", "head")
        ]
        wrong = int(
            (~halves.lower[legs]).sum() + halves.lower[arms].sum() + (halves.lower == halves.upper).sum()
        )
        show.check(
            f"{name}: {body.n_joints} joints, {int(halves.lower.sum())} lower, in a wrong half", wrong, "= 0"
        )
        other = {pair: joined_on(body, pair, elements) for pair in PAIRS}
        same = [pair for pair in PAIRS if other[pair].method == wanted[pair].method]
        show.check(f"{name}: pairs joined by the same method", len(same) / len(PAIRS), ">= 0.7")
        for pair in PAIRS:
            if pair not in same:
                why = reason(wanted[pair], other[pair])
                show.check(
                    f"  {' and '.join(pair)}: {other[pair].method}, for", why, "a reason", ok=bool(why)
                )


def reason(wanted: PairDecision, found: PairDecision) -> str:
    """Explain why a body uses another method: its reason against it, or a phase found only on this body."""
    lost = [one.reason for one in found.lost if one.method == wanted.method]
    if lost:
        return lost[-1]
    phase = found.previous_phase or found.following_phase
    return (
        ""
        if phase is None
        else f"{phase.foot} moves for {phase.n_frames / made_of.FPS:.2f} s only on this body"
    )


def bodies(show: Show) -> dict[str, Skeleton]:
    """Return bodies with different names, and one with non-human limbs."""
    out = {}
    for name, path in FILES.items():
        place = show.clips / path
        files = (
            sorted(p for p in place.rglob("*") if p.suffix in (".fbx", ".bvh", ".glb"))
            if place.is_dir()
            else [place]
        )
        for file in files[:6]:
            try:
                body = segue.load(file).skeleton
                body_halves(body)
            except SegueError:
                continue
            out[name] = body
            break
        else:
            show.note(f"{name}: no file with legs under {path}")
    out["with a tail and a third arm"] = with_more_limbs(out["CMU AMC"])
    return out


def with_more_limbs(body: Skeleton) -> Skeleton:
    """Return a body with a tail at its pelvis and a third arm at its chest."""
    found, count = roles(body), body.n_joints
    names = (*body.names, "TailBase", "TailTip", "ThirdArm", "ThirdHand")
    parents = [*body.parents.tolist(), found["pelvis"], count, found["chest"], count + 2]
    more = np.array([[0.0, 0.0, -0.1], [0.0, 0.0, -0.2], [0.0, 0.1, 0.1], [0.0, 0.0, 0.2]])
    return Skeleton(names, parents, np.concatenate([body.offsets, more]), body.end_sites)


def joined_on(
    body: Skeleton, pair: tuple[str, str], elements: dict[str, segue.ElementaryMotion]
) -> PairDecision:
    """Return the decision for a pair on a body."""
    first, second = (elements[name] for name in pair)
    script = SequenceScript(
        (Placement(pair[0], at=1.0), Placement(pair[1], at=1.0 + first.core_seconds + 0.6))
    )
    made = make_sequence({pair[0]: first, pair[1]: second}, script, skeleton=body, fps=made_of.FPS)
    return made.pairs[0]


if __name__ == "__main__":
    run(main, "bodies of sequences")
