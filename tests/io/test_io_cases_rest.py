"""Awkward inputs whose check is a procedure, and that no case of the kinds tested here is left out."""

from __future__ import annotations

import csv
import json
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from io_long_file import long_file
from segue.io import load, save
from segue.io.text import number_rows, read_text
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.resample import cut, sampled
from segue.motion.role_names import mirror_name
from segue.motion.samples import sample

KINDS = ("asf-amc", "axes-units", "root-motion", "resample")


def case_of(cases: Path, number: str) -> dict:
    """Inputs and expectations of a case."""
    return json.loads(next(cases.glob(f"{number}-*.json")).read_text("utf-8"))


def test_no_case_is_left_out(cases: Path) -> None:
    """Every case of these kinds is read from the index by a test, or named in the test of its procedure."""
    with (cases / "index.csv").open(encoding="utf-8") as stream:
        rows = [r for r in csv.DictReader(stream) if r["kind"].startswith("bvh-") or r["kind"] in KINDS]
    text = "".join(path.read_text("utf-8") for path in Path(__file__).parents[1].rglob("test_*.py"))
    by_hand = [r["id"] for r in rows if json.loads(r["check_json"])["outcome"] == "procedure"]
    assert len(rows) > 50
    assert [number for number in by_hand if number not in text] == []
    read = [r for r in rows if json.loads(r["check_json"])["outcome"] != "procedure"]
    assert all(r["kind"].startswith(("bvh-", "asf-amc")) for r in read)  # run by test_io_cases


@pytest.mark.parametrize("rate", [24, 25, 30000 / 1001, 50, 60000 / 1001, 120000 / 1001])
def test_time_becomes_frame_with_the_clips_rate(cases: Path, tmp_path: Path, rate: float) -> None:
    """case003: at the clip's end, slightly after and far after it the frame is the last one."""
    wanted = case_of(cases, "case003")
    walk = cut(sample("walk"), 0, wanted["inputs"]["frames"])
    save(Clip(walk.skeleton, walk.rotations, walk.root_positions, rate), tmp_path / "clip.bvh")
    clip = load(tmp_path / "clip.bvh")
    assert clip.fps == rate
    last = wanted["expect"]["last_frame"]
    assert clip.n_frames == last + 1
    for seconds in (clip.seconds, clip.seconds + 1e-9, 10 * clip.seconds):
        rotations, roots = sampled(clip, np.array([seconds * clip.fps]))
        assert rotations[0] == pytest.approx(clip.rotations[last], abs=1e-12)
        assert roots[0] == pytest.approx(clip.root_positions[last], abs=1e-12)
    assert np.array_equal(sampled(clip, np.zeros(1))[0][0], clip.rotations[0])


def test_scaling_scales_offsets_and_root(cases: Path) -> None:
    """case103: read at 1.5 times the unit, every joint of every frame is exactly 1.5 times as far away."""
    wanted = case_of(cases, "case103")
    path = next(cases.glob("case103-*.bvh"))
    plain, larger = load(path, unit=0.01), load(path, unit=0.01 * wanted["inputs"]["scale"])
    ratio = wanted["expect"]["ratio"]
    assert world_positions(larger) == pytest.approx(
        ratio * world_positions(plain), rel=wanted["expect"]["tol"]
    )
    lowest = world_positions(plain)[..., 1].min()
    assert world_positions(larger)[..., 1].min() == pytest.approx(ratio * lowest, abs=1e-12)


def test_mirror_partners_by_name(cases: Path) -> None:
    """case141: prefix, suffix and dot styles have partners; a word that only begins with 'Left' has none but itself."""
    wanted = case_of(cases, "case141")
    names = wanted["inputs"]["names"]
    for name, partner in wanted["expect"]["pairs"].items():
        assert mirror_name(name, names) == partner
        assert mirror_name(partner, names) == name


def test_long_files_stay_cheap(cases: Path, tmp_path: Path) -> None:
    """case174, a tenth as long: under 6 s, under 8 times the numbers' memory; export writes every row requested."""
    wanted = case_of(cases, "case174")
    frames, joints = wanted["inputs"]["frames"] // 10, wanted["inputs"]["joints"]
    path = tmp_path / "long.bvh"
    long_file(path, joints=joints, frames=frames, fps=wanted["inputs"]["fps"])
    load(path)  # once to compile
    tracemalloc.start()
    begun = time.perf_counter()
    clip = load(path)
    taken, peak = time.perf_counter() - begun, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (clip.n_frames, clip.skeleton.n_joints, clip.fps) == (frames, joints, 120.0)
    assert taken < 6.0
    assert peak < 8 * 8 * frames * (3 + 3 * joints)
    file = read_text(path)
    start = next(k for k, line in enumerate(file.lines) if line.startswith("Frame Time")) + 1
    values = number_rows(file, start=start, columns=3 + 3 * joints)
    assert values[-1, 4] == pytest.approx(30 * np.sin(0.01 * frames), abs=1e-6)
    rows = wanted["expect"]["export_rows"]
    save(cut(clip, 0, rows), tmp_path / "part.bvh")
    assert len((tmp_path / "part.bvh").read_text().split("Frame Time")[1].splitlines()) == 1 + rows
