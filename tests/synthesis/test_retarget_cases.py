"""Difficult bodies: other rest poses, other legs, missing joints; and moved clips."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import segue
from segue.io import load
from segue.maths.planar import PlanarMotion
from segue.measures.foot_skate import foot_skate
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.motion.kinematics import world_positions
from segue.motion.skeleton import Skeleton


def _case(cases: Path, number: str, what: str = "*") -> Path:
    return next(cases.glob(f"case{number}-*{what}"))


def _expected(cases: Path, number: str) -> dict[str, float]:
    out: dict[str, float] = json.loads(_case(cases, number, ".json").read_text())["expect"]
    return out


def test_arms_of_a_t_pose_on_an_a_pose(cases: Path) -> None:
    """Arms keep their directions between rest poses with arms out and arms half down."""
    walk = load(_case(cases, "012", "walk.bvh"))
    target = load(_case(cases, "012", "target.bvh")).skeleton
    out = segue.retarget(walk, target)

    def arm(clip: Clip, side: str) -> np.ndarray:
        places = world_positions(clip)
        along = places[:, clip.skeleton.index(f"{side}Hand")] - places[:, clip.skeleton.index(f"{side}Arm")]
        return along / np.linalg.norm(along, axis=-1, keepdims=True)

    for side in ("Left", "Right"):
        cos = np.sum(arm(walk, side) * arm(out, side), axis=-1)
        assert np.degrees(np.arccos(np.clip(cos, -1, 1))).max() < _expected(cases, "012")["max_angle"]


def test_shorter_legs_travel_less_on_the_same_floor(cases: Path) -> None:
    """Travel is scaled by the legs, ankles in stance have their own height, and standing feet stay."""
    walk = load(_case(cases, "109", "walk.bvh"))
    target = load(_case(cases, "109", "target.bvh")).skeleton
    out = segue.retarget(walk, target)
    given = _expected(cases, "109")
    travel = 100 * np.linalg.norm(out.root_positions[-1] - out.root_positions[0])
    assert abs(travel - given["travel_per_cycle"]) < given["tol"]
    lowest = 100 * world_positions(out)[:, out.skeleton.index("LeftFoot"), 1].min()
    assert abs(lowest - given["ankle"]) < given["tol"]
    slides = foot_skate(out, planted=segue.contacts(walk).flags)
    assert max(slide.along_path for slide in slides) < 0.01


def test_ankles_by_another_name_are_found_or_named(cases: Path) -> None:
    """The shins point as before, or the error names joint, role and nearest joint."""
    walk = load(_case(cases, "107", "walk.bvh"))
    target = load(_case(cases, "107", "target.bvh")).skeleton
    if "left_ankle" not in segue.roles(target):
        with pytest.raises(
            segue.SkeletonError, match=r"'LeftFoot' has no partner.*'left_ankle'; nearest: LeftAnkle"
        ):
            segue.retarget(walk, target)
        return
    out = segue.retarget(walk, target)
    for side in ("Left", "Right"):
        shins = [
            np.diff(
                world_positions(clip)[
                    :, [clip.skeleton.index(side + "Leg"), clip.skeleton.index(side + end)]
                ],
                axis=1,
            )
            for clip, end in ((walk, "Foot"), (out, "Ankle"))
        ]
        np.testing.assert_allclose(shins[0], shins[1], atol=1e-9)


def test_a_missing_ankle_is_named_on_both_sides() -> None:
    """Where one leg ends at its knee the error names the joint without a partner and the unfilled role."""
    walk = segue.sample("walk")
    body = walk.skeleton
    kept = [k for k, name in enumerate(body.names) if name not in {"LeftFoot", "LeftToeBase"}]
    renumbered = {old: new for new, old in enumerate(kept)} | {-1: -1}
    stump = Skeleton(
        [body.names[k] for k in kept], [renumbered[int(body.parents[k])] for k in kept], body.offsets[kept]
    )
    with pytest.raises(
        segue.SkeletonError, match=r"'walk'.*'LeftFoot' has no partner.*role 'left_ankle'; nearest: "
    ):
        segue.retarget(walk, stump)


def test_a_source_without_legs_is_named() -> None:
    """The error names the clip with the role and the nearest joints."""
    body = Skeleton(("Hips", "LeftLeg1", "Tail"), [-1, 0, 0], [[0, 1, 0], [0, -0.4, 0], [0, 0, -0.3]])
    snake = Clip(body, np.tile([1.0, 0, 0, 0], (3, 3, 1)), np.zeros((3, 3)), 30.0, name="snake")
    with pytest.raises(segue.SkeletonError, match=r"clip 'snake' cannot be retargeted: no joint fills"):
        segue.retarget(snake, segue.sample("walk").skeleton)
    with pytest.raises(segue.SkeletonError, match=r"'walk'.*joint 'LeftUpLeg' has no partner.*nearest: "):
        segue.retarget(segue.sample("walk"), body)


def test_moving_a_clip_moves_every_joint_once(cases: Path, tmp_path: Path) -> None:
    """Every joint moves by exactly the shift, also through a file, and moving back restores it."""
    clip = load(_case(cases, "146", ".bvh"))
    shift = np.array([0.1, 0.0, -0.05])  # 10 and -5 cm
    placing = PlanarMotion(0.0, shift[0], shift[2])
    there = moved(clip, placing)
    tolerance = _expected(cases, "146")["tol"] / 100
    np.testing.assert_allclose(
        world_positions(there) - world_positions(clip), 0 * world_positions(clip) + shift, atol=1e-12
    )
    segue.save(there, tmp_path / "moved.bvh")
    again = load(tmp_path / "moved.bvh")
    np.testing.assert_allclose(
        world_positions(again) - world_positions(clip), 0 * world_positions(clip) + shift, atol=tolerance
    )
    back = moved(there, placing.inverse())
    np.testing.assert_allclose(world_positions(back), world_positions(clip), atol=1e-12)
