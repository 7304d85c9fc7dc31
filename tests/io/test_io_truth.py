"""External references: positions that other programs computed, and every captured file."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from naive import kinematics as naive
from segue.errors import FileError
from segue.io import load, motion_files, save
from segue.maths.quaternions import rotate
from segue.motion.kinematics import world, world_positions


def test_walk_equals_another_programs_table(data: Path) -> None:
    """World positions of a BVH walk, including end sites, agree to the table's digits."""
    clip = load(data / "misc" / "bvhtoolbox" / "walk01.bvh")
    with (data / "misc" / "bvhtoolbox" / "walk01_pos.csv").open() as stream:
        rows = list(csv.reader(stream))
    table = np.array(rows[1:], dtype=float)
    assert len(table) == clip.n_frames
    at = world(clip)
    for index, head in enumerate(rows[0][1::3]):
        joint = clip.skeleton.index(head[:-2].removesuffix("_End"))
        position = at.positions[:, joint]
        if head[:-2].endswith("_End"):
            tip = clip.skeleton.tip(joint)
            assert tip is not None
            position = position + rotate(at.rotations[:, joint], tip)
        assert np.abs(100 * position - table[:, 1 + 3 * index : 4 + 3 * index]).max() < 1e-5


@pytest.mark.parametrize("stem", ["02_04", "05_01", "16_17", "17_03", "127_21"])
def test_amc_equals_its_converted_bvh(stem: str, data: Path) -> None:
    """Joint positions agree with a conversion by another program, to its four decimals."""
    amc = load(data / "asf_amc" / stem.split("_", maxsplit=1)[0] / f"{stem}.amc")
    bvh = load(data / "cmu" / "from_amc" / f"{stem}.bvh")
    assert amc.source is not None
    assert bvh.source is not None
    assert amc.source.metres_per_unit == pytest.approx(bvh.source.metres_per_unit)
    apart = np.abs(world_positions(amc) - world_positions(bvh)).max() / amc.source.metres_per_unit
    assert apart < 1e-4


TAKEN = {
    "cmu/bvhacker/02_01.bvh": (120.0, "CMU", "Y"),
    "cmu/bvhacker/scaled_131_01.bvh": (120.0, "metres", "Y"),
    "cmu/daz_scaled/60_12_scaled.bvh": (120.0, "metres", "Y"),
    "cmu/max_friendly/131_01.bvh": (120.0, "CMU", "Y"),
    "cmu/mb2/01_01.bvh": (120.0, "CMU", "Y"),
    "misc/assimp/Boxing_Toes.bvh": (100.0, "centimetres", "Y"),
    "misc/bvhtoolbox/walk01.bvh": (24.0, "centimetres", "Y"),
    "misc/bvhtools/test3.bvh": (24.0, "metres", "Y"),
    "misc/geno/Geno_stance.bvh": (60.0, "centimetres", "Y"),
    "misc/makehuman/dance1.bvh": (24.0, "decimetres", "Z"),
    "misc/makehuman/tpose.bvh": (24.0, "decimetres", "Z"),
    "misc/makehuman/walk1.bvh": (24.0, "decimetres", "Z"),
    "misc/olympe/root.bvh": (24.0, "inches", "Y"),
    "misc/pybvh/bvh_test1.bvh": (30.0, "inches", "Z"),
    "misc/pybvh/bvh_test2.bvh": (120.0, "centimetres", "Y"),
    "misc/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh": (120.0, "inches", "Y"),
}


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_taken_from_each_exporter(name: str, data: Path) -> None:
    """Rate, unit and up axis are as expected for files of known exporters."""
    clip = load(data / name)
    rate, unit, up = TAKEN[name]
    assert clip.source is not None
    reported = next(note for note in clip.source.notes if note.startswith("unit:"))
    assert (clip.fps, clip.source.up) == (rate, up)
    assert unit in reported, reported


@pytest.mark.parametrize("name", ["misc/makehuman/walk1.bvh", "misc/bvhtools/test3.bvh"])
def test_displaced_roots_stand_on_the_ground(name: str, data: Path) -> None:
    """Files whose root positions are displacements are recognised."""
    clip = load(data / name)
    assert clip.source is not None
    assert clip.source.extra.get("root_position") == "displacement"
    lowest = world_positions(clip)[..., 1].min(axis=1)
    assert -0.25 < float(np.median(lowest)) < 0.25


def test_every_captured_file_loads(data: Path) -> None:
    """One file of each folder is read here (all of them in the benchmark); only the AMC without skeleton is refused."""
    firsts: dict[Path, Path] = {}
    for path in motion_files([data]):
        firsts.setdefault(path.parent, path)
    refused = []
    for path in firsts.values():
        try:
            load(path)
        except FileError:
            refused.append(path.name)
    assert refused == ["zeros.amc"]


def test_saved_captured_files_read_the_same_by_a_twin(data: Path, tmp_path: Path) -> None:
    """A naive reader finds the original positions in a saved real file."""
    path = data / "misc" / "olympe" / "root.bvh"
    save(load(path), tmp_path / "again.bvh")
    old, new = (
        naive.bvh_positions(path.read_text()),
        naive.bvh_positions((tmp_path / "again.bvh").read_text()),
    )
    for before, after in zip(old, new, strict=True):
        for name, position in before.items():
            assert after[name] == pytest.approx(position, abs=1e-6)
