"""MuJoCo model and qpos table: read naively, and by MuJoCo itself where it is installed."""

from __future__ import annotations

import csv
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import quaternions as naive
from random_clips import SEEDS, body, clip
from segue.errors import FileError
from segue.io import save
from segue.io.mujoco_write import write_mujoco
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.samples import sample


def placed(element: ET.Element, values: list[float], at: tuple[list[float], list[float]] | None) -> dict:
    """World positions by body name: each body takes its numbers from the front of the list, as MuJoCo does."""
    offset = [float(word) for word in element.attrib["pos"].split()]
    if at is None:
        assert element.find("freejoint") is not None
        place = [values.pop(0) for _ in range(3)]
        turn = [values.pop(0) for _ in range(4)]
    else:
        assert element.find("joint").attrib["type"] == "ball"
        turn = naive.product(at[1], [values.pop(0) for _ in range(4)])
        place = [a + b for a, b in zip(at[0], naive.rotated(at[1], offset), strict=True)]
    out = {element.attrib["name"]: place}
    for inside in element.findall("body"):
        out |= placed(inside, values, (place, turn))
    return out


@pytest.mark.slow
def test_a_plain_reading_finds_every_joint_in_its_place(tmp_path: Path) -> None:
    """Nested bodies and a row of numbers give the clip's world positions, with Z up."""
    walk = sample("walk")
    save(walk, tmp_path / "a.xml")
    root = ET.parse(tmp_path / "a.xml").getroot().find("worldbody/body")
    with (tmp_path / "a.qpos.csv").open(encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    for frame in (0, 200):
        numbers = [float(word) for word in rows[1 + frame][1:]]
        found = placed(root, numbers, None)
        assert not numbers
        for joint, name in enumerate(walk.skeleton.names):
            x, y, z = world_positions(walk)[frame, joint]
            assert found[name] == pytest.approx([x, -z, y], abs=1e-7)


@settings(max_examples=10)
@given(seed=st.integers(0, SEEDS), joints=st.integers(1, 7))
def test_mujoco_agrees(tmp_path_factory: pytest.TempPathFactory, seed: int, joints: int) -> None:
    """MuJoCo's kinematics of any clip agree with segue's."""
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(seed)
    made = clip(rng, body(rng, joints), 3)
    folder = tmp_path_factory.mktemp("mujoco")
    write_mujoco(made, folder / "a.xml", folder / "a.npz")
    model = mujoco.MjModel.from_xml_path(str(folder / "a.xml"))
    state = mujoco.MjData(model)
    with np.load(folder / "a.npz", allow_pickle=False) as held:
        rows, fps = held["qpos"], float(held["fps"])
    assert fps == made.fps == model.numeric("fps").data[0]
    assert np.abs(model.key_qpos[0] - rows[0]).max() < 1e-12
    for frame, row in enumerate(rows):
        state.qpos[:] = row
        mujoco.mj_kinematics(model, state)
        for joint, name in enumerate(made.skeleton.names):
            x, y, z = world_positions(made)[frame, joint]
            assert state.body(name).xpos == pytest.approx([x, -z, y], abs=1e-9)


def test_both_files_or_none(tmp_path: Path) -> None:
    """An existing table prevents the model from being written, too."""
    walk = sample("walk")
    (tmp_path / "a.qpos.csv").write_text("mine")
    with pytest.raises(FileError, match="exists already"):
        save(walk, tmp_path / "a.xml", overwrite=False)
    assert not (tmp_path / "a.xml").exists()
    with pytest.raises(FileError, match=r"\.csv or \.npz"):
        write_mujoco(walk, tmp_path / "a.xml", tmp_path / "a.txt")


def test_names_that_xml_must_escape(tmp_path: Path) -> None:
    """Brackets, ampersands and quotes are restored."""
    walk = sample("walk")
    made = Clip(walk.skeleton, walk.rotations, walk.root_positions, walk.fps, name='<a & "b">')
    save(made, tmp_path / "a.xml")
    assert ET.parse(tmp_path / "a.xml").getroot().attrib["model"] == made.name
