"""A body is as large as its file states, in every format: children, robots and giants are read as they were written."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segue
from fbx_files import both, fbx_of, made_by, with_unit
from gltf_files import packed, unpacked
from segue.io import units
from segue.maths.quaternions import to_matrix
from segue.motion.clip import Clip
from segue.motion.kinematics import world, world_positions
from segue.motion.resample import cut
from segue.motion.samples import sample
from segue.motion.skeleton import EndSite, Skeleton

needs_fbx = pytest.mark.skipif(importlib.util.find_spec("ufbx") is None, reason="needs the fbx extra")
LEG = units.limbs(sample("walk").skeleton).leg


def walker(leg: float) -> Clip:
    """A second of the sample walk on legs of this length."""
    walk, scale = cut(sample("walk", 30.0), 0, 31), leg / LEG
    body = units.to_metres(walk.skeleton, unit=scale, up="Y")
    return Clip(body, walk.rotations, scale * walk.root_positions, walk.fps, name="walk")


def with_head(clip: Clip, times: float) -> Clip:
    """Clip with its head scaled."""
    body = clip.skeleton
    sites = [
        EndSite(site.joint, site.offset * (times if body.names[site.joint] == "Head" else 1.0))
        for site in body.end_sites
    ]
    return clip.with_skeleton(Skeleton(body.names, body.parents, body.offsets, sites))


@pytest.mark.parametrize("leg", [0.2, 0.31, 0.35, 0.43, 0.6, 1.1, 1.5, 2.2, 3.0])
@pytest.mark.parametrize("suffix", [".bvh", ".fbx", ".glb", ".npz", ".vrma"])
def test_what_save_writes_comes_back_in_its_own_size(leg: float, suffix: str, tmp_path: Path) -> None:
    """Every joint is in its place to a tenth of a millimetre, whatever the body's size."""
    if suffix == ".fbx":
        pytest.importorskip("ufbx")
    made = walker(leg)
    segue.save(made, tmp_path / f"a{suffix}")
    again = segue.load(tmp_path / f"a{suffix}")
    order = [again.skeleton.index(name) for name in made.skeleton.names]
    assert np.abs(world_positions(again)[:, order] - world_positions(made)).max() < 1e-4


@pytest.mark.parametrize(
    ("leg", "unit"),
    [
        *((leg, 0.01) for leg in (0.22, 0.41, 0.43, 0.6, 1.15, 1.6, 2.4)),
        *((leg, 1.0) for leg in (0.1, 0.3, 1.0, 1.8)),
        *((leg, 0.001) for leg in (0.5, 0.9)),
        *((leg, 0.1) for leg in (0.6, 1.0)),
        *((leg, unit) for unit in (0.0254, 0.3048, units.CMU_UNIT) for leg in (0.75, 0.85, 0.95)),
    ],
)
def test_units_of_the_field_are_found(leg: float, unit: float, tmp_path: Path) -> None:
    """Metres, centimetres, millimetres and decimetres are found for every body they fit, other units for adults."""
    segue.save(walker(leg), tmp_path / "a.bvh", unit=unit)
    found = segue.load(tmp_path / "a.bvh")
    assert found.source is not None
    assert found.source.metres_per_unit == unit
    assert units.limbs(found.skeleton).leg == pytest.approx(leg, abs=1e-6)


def test_inches_are_for_people_of_usual_build(tmp_path: Path) -> None:
    """A large-headed figure with legs of 33 units is not an adult in inches; it is 33 cm."""
    small = with_head(walker(0.33), 8.0)
    segue.save(small, tmp_path / "a.bvh", unit=0.01)
    found = segue.load(tmp_path / "a.bvh")
    assert units.limbs(found.skeleton).leg == pytest.approx(0.33, abs=1e-6)
    segue.save(walker(0.33), tmp_path / "b.bvh", unit=0.01)
    reported = segue.load(tmp_path / "b.bvh").source
    assert reported is not None
    assert any("as centimetres 0.33 m, unit= overrides" in note for note in reported.notes)


@needs_fbx
@pytest.mark.parametrize("leg", [0.6, 0.8, 0.96])
@pytest.mark.parametrize(
    ("says", "unit"), [(1.0, 100.0), (100.0, 1.0), (1.0, 0.1), (0.1, 1.0), (2.54, 100.0)]
)
def test_a_wrong_unit_of_an_fbx_is_found_in_its_own_numbers(
    leg: float, says: float, unit: float, tmp_path: Path
) -> None:
    """Metres declared as centimetres and the like are corrected to a known unit, never to legs of a usual length."""
    made = walker(leg)
    numbers = Clip(
        units.to_metres(made.skeleton, unit=1.0 / unit, up="Y"),
        made.rotations,
        made.root_positions / unit,
        30.0,
    )
    path = fbx_of(tmp_path / "a.fbx", [numbers], edit=both(made_by("another"), with_unit(says)))
    found = segue.load(path)
    assert units.limbs(found.skeleton).leg == pytest.approx(leg, abs=1e-5)
    assert found.source is not None
    assert any(f"the file states {says:g} cm" in note for note in found.source.notes)


@needs_fbx
@pytest.mark.parametrize("leg", [0.15, 0.31, 0.85, 1.3, 2.0, 4.0])
def test_a_possible_unit_of_an_fbx_is_believed(leg: float, tmp_path: Path) -> None:
    """Toys and giants keep their declared size."""
    path = fbx_of(tmp_path / "a.fbx", [walker(leg)], edit=made_by("another"))
    assert units.limbs(segue.load(path).skeleton).leg == pytest.approx(leg, abs=1e-5)


@pytest.mark.parametrize(("leg", "unit"), [(0.85, 0.01), (0.5, 0.01), (0.85, 0.001), (2.0, 1.0), (0.12, 1.0)])
def test_a_gltf_in_another_unit_than_metres(leg: float, unit: float, tmp_path: Path) -> None:
    """Centimetres and millimetres written as metres are found; toys and giants are kept."""
    made = walker(leg)
    numbers = Clip(
        units.to_metres(made.skeleton, unit=1.0 / unit, up="Y"),
        made.rotations,
        made.root_positions / unit,
        30.0,
    )
    segue.save(numbers, tmp_path / "a.glb")
    document, binary = unpacked(tmp_path / "a.glb")
    document["asset"]["generator"] = "another"
    (tmp_path / "a.glb").write_bytes(packed(document, binary))
    assert units.limbs(segue.load(tmp_path / "a.glb").skeleton).leg == pytest.approx(leg, rel=1e-5)


def smpl(**more: Any) -> dict[str, Any]:
    """A body that stands and walks along Z at 1.2 m/s, Y up."""
    frames = 61
    trans = np.column_stack([np.zeros(frames), np.full(frames, 0.9), 0.02 * np.arange(frames)])
    return {"smpl_poses": np.zeros((frames, 72)), "smpl_trans": trans, "fps": np.array(60), **more}


@pytest.mark.parametrize("factor", [1.0, 10.0, 39.37, 93.78, 100.0, 1000.0])
@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("up", ["Y", "Z"])
def test_a_translation_in_another_unit_than_the_body(
    factor: float, given: bool, up: str, tmp_path: Path
) -> None:
    """The unit comes from the number next to it, or from the pelvis height of a known body."""
    arrays = smpl()
    turned = {"Y": lambda v: v, "Z": lambda v: np.stack([v[:, 0], -v[:, 2], v[:, 1]], axis=1)}[up]
    arrays["smpl_trans"] = factor * turned(arrays["smpl_trans"])
    if up == "Z":
        arrays["smpl_poses"][:, :3] = [np.pi / 2, 0.0, 0.0]
    if given:
        arrays["smpl_scaling"] = np.array([factor])
    np.savez(tmp_path / "a.npz", **arrays)
    clip = segue.load(tmp_path / "a.npz")
    near = 0.02 if given or factor != 93.78 else 0.08
    assert np.median(clip.root_positions[:, 1]) == pytest.approx(0.9, rel=near)
    travel = np.linalg.norm(clip.root_positions[-1] - clip.root_positions[0])
    assert travel == pytest.approx(1.2, rel=near)


@pytest.mark.parametrize(
    ("made", "unit"),
    [
        (lambda t: 100.0 * (t - t[0]), 0.01),
        (lambda t: 1000.0 * (t - t[0]), 0.001),
        (lambda t: t - t[0], 1.0),
        (lambda t: t + np.array([0.0, 2.5, 0.0]), 1.0),
        (lambda t: 0.1 * t, 1.0),
        (lambda t: 1e-3 * (t - t[0]), 1.0),
    ],
)
def test_a_translation_is_metres_where_a_body_could_move_so(
    made: Callable[[np.ndarray], np.ndarray], unit: float, tmp_path: Path
) -> None:
    """Translations from the first frame, up a floor, or with little motion are metres; impossible ones are not."""
    arrays = smpl()
    arrays["smpl_trans"] = made(arrays["smpl_trans"])
    np.savez(tmp_path / "a.npz", **arrays)
    source = segue.load(tmp_path / "a.npz").source
    assert source is not None
    assert source.metres_per_unit == unit


def test_a_scaling_that_is_none_is_refused(tmp_path: Path) -> None:
    """Zero, several numbers and non-numbers are refused."""
    for wrong in (0.0, -1.0, np.nan, [1.0, 2.0]):
        np.savez(tmp_path / "a.npz", **smpl(smpl_scaling=np.array(wrong)))
        with pytest.raises(segue.FileError, match="smpl_scaling"):
            segue.load(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("factor", "leg"), [(1.0, 0.85), (100.0, 0.85), (1000.0, 0.6), (1.0, 0.3), (1.0, 3.0)]
)
def test_world_rotations_and_positions_in_another_unit(factor: float, leg: float, tmp_path: Path) -> None:
    """Centimetres and millimetres are found from the legs; children and giants in metres are kept."""
    made = walker(leg)
    moved = world(made)
    arrays = {
        "global_rot_mats": to_matrix(moved.rotations),
        "posed_joints": factor * np.asarray(moved.positions),
    }
    np.savez(tmp_path / "a.npz", **arrays)
    found = segue.load(tmp_path / "a.npz")
    assert np.abs(world_positions(found) - moved.positions).max() < 1e-6
