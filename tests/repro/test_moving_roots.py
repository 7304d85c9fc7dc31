"""A root that travels on the ground above bobbing hips is folded into the hips, in BVH, FBX and glTF."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

import segue
from fbx_files import fbx_of
from segue.io import units
from segue.maths.quaternions import IDENTITY, conjugate, from_axis_angle, multiply, rotate
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.resample import cut
from segue.motion.samples import sample
from segue.motion.skeleton import EndSite, Skeleton

WALK = cut(sample("walk", 30.0), 0, 31)


def with_roots(count: int, *, beside: int = 0) -> tuple[Clip, int]:
    """The walk below ``count`` joints on the ground, and the index of its hips.

    The last ground joint is the parent of the hips; joints next to the hips are children of the first ground joint.
    """
    body = WALK.skeleton
    names = [f"Ground{k}" for k in range(count)] + [f"Beside{k}" for k in range(beside)] + list(body.names)
    first = count + beside
    parents = [
        *range(-1, count - 1),
        *([0] * beside),
        *(p + first if p >= 0 else count - 1 for p in body.parents),
    ]
    offsets = np.vstack([np.zeros((count, 3)), np.full((beside, 3), 0.1), body.offsets])
    sites = [EndSite(site.joint + first, site.offset) for site in body.end_sites]
    rotations = np.tile(IDENTITY, (WALK.n_frames, first, 1))
    rotations = np.concatenate([rotations, WALK.rotations], axis=1)
    skeleton = Skeleton(names, parents, offsets, sites)
    return Clip(skeleton, rotations, np.zeros((WALK.n_frames, 3)), 30.0, name="walk"), first


def bvh_of(path: Path, clip: Clip, moves: dict[int, np.ndarray], *, up: str = "Y") -> Path:
    """Write a BVH in centimetres in which some joints have their own position channels (F, 3) in metres, Y up."""
    segue.save(clip, path, unit=0.01, up=up)
    head, rows = path.read_text().split("MOTION\n")
    lines, columns, joint = head.split("\n"), [], 0
    for k, line in enumerate(lines):
        if line.strip().startswith(("ROOT", "JOINT")):
            joint = clip.skeleton.index(line.split()[1])
        if "CHANNELS" in line and joint > 0 and joint in moves:
            lines[k] = re.sub("CHANNELS 3", "CHANNELS 6 Xposition Yposition Zposition", line)
    order = [clip.skeleton.index(m[1]) for m in re.finditer(r"(?:ROOT|JOINT) (\S+)", head)]
    table = np.array([row.split() for row in rows.strip().split("\n")[2:]], dtype=float)
    at = 3
    for place, joint in enumerate(order):
        given = 100.0 * units.from_y_up(moves[joint], up=up) if joint in moves else None
        if place == 0:
            columns.append(given if given is not None else table[:, :3])
        elif given is not None:
            columns.append(given)
        columns.append(table[:, at : at + 3])
        at += 3
    text = "\n".join(" ".join(f"{v:.9f}" for v in row) for row in np.concatenate(columns, axis=1))
    start = "\n".join(rows.split("\n")[:2])
    path.write_text("\n".join(lines) + f"MOTION\n{start}\n{text}\n")
    return path


def check(found: Clip, *, tolerance: float = 1e-5) -> None:
    """All joints of the walk are where they are in the walk, and joint 0 follows the hips."""
    order = [found.skeleton.index(name) for name in WALK.skeleton.names]
    wanted = world_positions(WALK)
    assert np.abs(world_positions(found)[:, order] - wanted).max() < tolerance
    assert np.abs(found.root_positions - wanted[:, 0]).max() < tolerance
    assert found.source is not None
    assert any("folded into" in note and repr(WALK.skeleton.names[0]) in note for note in found.source.notes)


def split() -> tuple[np.ndarray, np.ndarray]:
    """Split the root positions into the path on the ground and the hips above it."""
    roots = np.array(WALK.root_positions)
    ground = roots * [1.0, 0.0, 1.0]
    return ground, roots - ground


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_a_bvh_root_that_travels_above_hips_that_bob(up: str, tmp_path: Path) -> None:
    """Neither motion is lost."""
    clip, hips = with_roots(1)
    ground, above = split()
    check(segue.load(bvh_of(tmp_path / "a.bvh", clip, {0: ground, hips: above}, up=up)))


@pytest.mark.parametrize(
    ("axis", "angle"),
    [
        ((1, 0, 0), np.pi / 2),
        ((0, 0, 1), np.pi / 2),
        ((0, 0, 1), -np.pi / 2),
        ((1, 0, 0), -np.pi / 2),
        ((1, 0, 0), 3.0),
    ],
)
def test_bones_along_any_axis_at_rest(axis: tuple[int, int, int], angle: float, tmp_path: Path) -> None:
    """The rest pose is horizontal or upside down; the motion is upright."""
    clip, hips = with_roots(1)
    ground, above = split()
    turn = from_axis_angle(np.array(axis, dtype=float), angle)
    back, body = conjugate(turn), clip.skeleton
    sites = [EndSite(site.joint, rotate(back, np.asarray(site.offset))) for site in body.end_sites]
    turned = multiply(back, multiply(np.array(clip.rotations), turn))
    turned[:, hips] = multiply(np.array(clip.rotations[:, hips]), turn)
    turned[:, 0] = IDENTITY
    lying = Skeleton(body.names, body.parents, rotate(back, np.array(body.offsets)), sites)
    moved = clip.with_skeleton(lying).with_motion(turned)
    check(segue.load(bvh_of(tmp_path / "a.bvh", moved, {0: ground, hips: above}), up="Y"))


def test_two_joints_above_the_hips(tmp_path: Path) -> None:
    """A static reference, a travelling root, bobbing hips."""
    clip, hips = with_roots(2)
    ground, above = split()
    check(segue.load(bvh_of(tmp_path / "a.bvh", clip, {0: 0.2 * ground, 1: 0.8 * ground, hips: above})))


def test_a_root_that_turns_too(tmp_path: Path) -> None:
    """Hips are placed in the frame of a rotating root."""
    clip, hips = with_roots(1)
    ground, above = split()
    turn = from_axis_angle(np.array([0.0, 1.0, 0.0]), np.linspace(0.0, 1.5, WALK.n_frames))
    rotations = np.array(clip.rotations)
    rotations[:, 0], rotations[:, hips] = turn, multiply(conjugate(turn), rotations[:, hips])
    moved = {0: ground, hips: rotate(conjugate(turn), above)}
    check(segue.load(bvh_of(tmp_path / "a.bvh", clip.with_motion(rotations), moved)))


def test_props_beside_the_hips_keep_their_turn(tmp_path: Path) -> None:
    """A ground joint next to the hips is a child of the folded root, and a note reports that this moves it."""
    clip, hips = with_roots(1, beside=1)
    ground, above = split()
    found = segue.load(bvh_of(tmp_path / "a.bvh", clip, {0: ground, hips: above}))
    check(found)
    beside = found.skeleton.index("Beside0")
    assert np.abs(found.rotations[:, beside, 0]).min() > 0.9
    assert any("Beside0" in note for note in found.source.notes)


def test_joints_that_slide_are_not_the_body(tmp_path: Path) -> None:
    """A spine, an arm or a toe that stretches is baked as before, and joint 0 stays the root."""
    for joint in ("Spine", "LeftArm", "LeftToeBase"):
        k = WALK.skeleton.index(joint)
        places = np.array(WALK.skeleton.offsets[k]) + 0.02 * np.sin(np.arange(31))[:, None]
        found = segue.load(bvh_of(tmp_path / "a.bvh", WALK, {0: WALK.root_positions, k: places}))
        assert found.root_positions == pytest.approx(WALK.root_positions, abs=1e-6)
        assert any(f"positions of {joint!r} vary" in note for note in found.source.notes)


def test_what_was_folded_is_written_so_that_it_comes_back(tmp_path: Path) -> None:
    """BVH and GLB give the same positions."""
    clip, hips = with_roots(1)
    ground, above = split()
    found = segue.load(bvh_of(tmp_path / "a.bvh", clip, {0: ground, hips: above}))
    for name in ("again.bvh", "again.glb"):
        segue.save(found, tmp_path / name)
        again = segue.load(tmp_path / name)
        order = [again.skeleton.index(joint) for joint in WALK.skeleton.names]
        assert np.abs(world_positions(again)[:, order] - world_positions(WALK)).max() < 1e-5


@pytest.mark.skipif(importlib.util.find_spec("ufbx") is None, reason="needs the fbx extra")
@pytest.mark.parametrize("roots", [1, 2])
@pytest.mark.parametrize("travels", [True, False])
def test_an_fbx_root_above_hips_that_move(roots: int, travels: bool, tmp_path: Path) -> None:
    """Either the root travels and the hips bob, or the root rests and the hips do both."""
    clip, hips = with_roots(roots)
    ground, above = split()
    if not travels:
        ground, above = 0.0 * ground, ground + above
    moved = clip.with_motion(root_positions=ground)
    path = fbx_of(tmp_path / "a.fbx", [moved], curves={(hips, "Lcl Translation"): 100.0 * above})
    check(segue.load(path))
