"""Files of joint positions: keys, layouts, columns, axes, units, gaps, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segue
from segue.errors import FileError, SettingError
from segue.io import load, motion_files, save
from segue.io.joint_positions import clip_of
from segue.io.markers import Markers, write_marker_csv
from segue.io.npz_positions import KEYS
from segue.motion.clip import Clip
from segue.motion.feet import leg_length
from segue.motion.kinematics import world_positions
from segue.motion.positions.layouts import LAYOUTS
from segue.motion.roles import NEEDED, roles
from segue.motion.samples import sample

WALK = sample("walk")
PLACES = world_positions(WALK)
NAMES = np.array(WALK.skeleton.names)
SMPL = LAYOUTS[0].names


def met(clip: Clip, *, places: np.ndarray = PLACES) -> bool:
    """Return whether the joints of the sample walk are at the expected positions, in metres with Y up."""
    order = [WALK.skeleton.index(name) for name in clip.skeleton.names]
    return bool(np.percentile(np.linalg.norm(world_positions(clip) - places[:, order], axis=-1), 95) < 2e-3)


def smpl_places() -> np.ndarray:
    """The sample walk as SMPL's 22 joints."""
    found = roles(WALK.skeleton)
    words = {"collar": "clavicle", "foot": "toe"}
    low, high = PLACES[:, found["pelvis"]], PLACES[:, found["neck"]]
    shares = {"spine1": 0.25, "spine2": 0.5, "spine3": 0.8}
    out = []
    for called in SMPL:
        name = called
        for a, b in words.items():
            name = name.replace(a, b)
        out.append(low + shares[name] * (high - low) if name in shares else PLACES[:, found[name]])
    return np.stack(out, axis=1)


@pytest.mark.parametrize("key", KEYS)
def test_every_key_is_read(tmp_path: Path, key: str) -> None:
    """Positions under any of the usual keys, with names and rate, give a clip of that rate."""
    path = tmp_path / "walk.npz"
    np.savez(path, **{key: PLACES, "joint_names": NAMES, "fps": WALK.fps})
    clip = load(path)
    assert clip.fps == WALK.fps
    assert met(clip)
    assert clip.source is not None
    assert clip.source.notes[-1].startswith("error: joints lie 0.0 mm (median)")


@pytest.mark.parametrize(
    ("turn", "up"),
    [
        ("xyz", "Y"),
        ("x-zy", "Z"),
        ("x-y-z", "-Y"),
        ("xz-y", "-Z"),
        ("y-xz", "X"),
        ("-yxz", "-X"),
    ],
)
@pytest.mark.parametrize(
    ("unit", "message"), [(1.0, "metres"), (100.0, "centimetres"), (1000.0, "millimetres")]
)
def test_axes_and_units_are_found(tmp_path: Path, turn: str, up: str, unit: float, message: str) -> None:
    """Six up axes and three units are found from the body and reported."""
    signs, axes, sign = [], [], 1.0
    for letter in turn:
        if letter == "-":
            sign = -1.0
            continue
        signs.append(sign)
        axes.append("xyz".index(letter))
        sign = 1.0
    path = tmp_path / "walk.npz"
    np.savez(path, joints=unit * PLACES[..., axes] * signs, names=NAMES, fps=30)
    clip = load(path)
    assert clip.source is not None
    assert met(clip)
    assert f"up: {up}, from feet to shoulders over the motion" in clip.source.notes
    assert any(note.startswith(f"unit: {message}") for note in clip.source.notes)


def _variants() -> dict[str, dict[str, Any]]:
    """Array shapes and companion arrays found in files."""
    children = np.arange(WALK.skeleton.n_joints)
    table = np.array([np.where(WALK.skeleton.parents < 0, 2**32 - 1, WALK.skeleton.parents), children])
    sure = np.concatenate([PLACES, np.ones((*PLACES.shape[:2], 1))], axis=-1)
    return {
        "one batch": {"joints": PLACES[None]},
        "flat rows": {"joints": PLACES.reshape(len(PLACES), -1)},
        "float32": {"joints": PLACES.astype(np.float32)},
        "confidence": {"keypoints3d": sure},
        "bytes as names": {"joints": PLACES, "joint_names": NAMES.astype("S")},
        "parents": {"joints": PLACES, "parents": WALK.skeleton.parents},
        "SMPL's table of parents": {"joints": PLACES, "kintree_table": table.astype(np.uint32)},
        "frame time": {"joints": PLACES, "frame_time": 1.0 / WALK.fps, "fps": None},
    }


@pytest.mark.parametrize("kind", _variants())
def test_shapes_and_companions(tmp_path: Path, kind: str) -> None:
    """A batch of one, flat rows, a confidence, names as bytes, both forms of parents and a frame time are read."""
    arrays = {"joint_names": NAMES, "fps": WALK.fps} | _variants()[kind]
    path = tmp_path / "walk.npz"
    np.savez(path, **{key: value for key, value in arrays.items() if value is not None})
    clip = load(path)
    assert clip.fps == pytest.approx(WALK.fps)
    assert met(clip)


def test_unnamed_layouts_are_said(tmp_path: Path) -> None:
    """22 joints without names, in an .npz or a single array, are read as HumanML3D's, at its rate."""
    places = smpl_places()
    np.savez(tmp_path / "a.npz", joints=places)
    np.save(tmp_path / "b.npy", places)
    for name in ("a.npz", "b.npy"):
        clip = load(tmp_path / name)
        assert clip.skeleton.n_joints == 22
        assert clip.fps == 20.0
        assert clip.source is not None
        assert "layout: HumanML3D (SMPL body), 22 joints, by count and proportions" in clip.source.notes
        assert set(NEEDED) <= set(roles(clip.skeleton))
    assert load(tmp_path / "b.npy", fps=30).fps == 30.0


def test_names_that_say_nothing_leave_it_to_the_layout(tmp_path: Path) -> None:
    """Numbered names of 22 joints are read as the layout that fits; for a count without a layout they are refused."""
    np.savez(tmp_path / "a.npz", joints=smpl_places(), names=np.array([f"joint{k}" for k in range(22)]))
    assert "left_knee" in load(tmp_path / "a.npz").skeleton.names
    places = smpl_places()[:, :20]
    np.savez(tmp_path / "b.npz", joints=places, names=np.array([f"joint{k}" for k in range(20)]))
    with pytest.raises(FileError, match="names do not identify a body"):
        load(tmp_path / "b.npz")


def test_zeros_and_nothing_are_not_seen(tmp_path: Path) -> None:
    """Joints at exactly 0 in some frames, or not a number, are bridged and counted."""
    places = np.array(PLACES)
    places[10:20, 4] = 0.0
    places[30:33, 7] = np.nan
    np.savez(tmp_path / "walk.npz", joints=places, names=NAMES, fps=30)
    clip = load(tmp_path / "walk.npz")
    assert clip.source is not None
    assert "zeros: 10 joint positions of exactly 0, taken as not seen" in clip.source.notes
    assert any(note.startswith("gaps: 13 joint positions") for note in clip.source.notes)
    order = [WALK.skeleton.index(name) for name in clip.skeleton.names]
    assert np.median(np.linalg.norm(world_positions(clip) - PLACES[:, order], axis=-1)) < 1e-3


def test_a_root_that_never_moves_is_said(tmp_path: Path) -> None:
    """Positions relative to the pelvis contain no travel, and the notes report it."""
    np.savez(tmp_path / "walk.npz", joints=PLACES - PLACES[:, :1], names=NAMES, fps=30)
    clip = load(tmp_path / "walk.npz")
    assert clip.source is not None
    assert any(note.startswith("root: never moves") for note in clip.source.notes)


def _table(kind: str) -> str:
    """A table of the sample walk in one notation."""
    rows = PLACES[:40].reshape(40, -1)
    times = np.arange(40) / WALK.fps
    writings = {
        "dots": ("time", ",", "{n}.{a}", "."),
        "underscores": ("seconds", ",", "{n}_{a}", "."),
        "blanks": ("t", ",", '"{n} {A}"', "."),
        "semicolons": ("time", ";", "{n}_{a}", ","),
        "tabs": ("Time (s)", "\t", "{n}:{a}", "."),
        "positions": ("timestamp", ",", "{n}_pos_{a}", "."),
        "before": ("time", ",", "{a}_{n}", "."),
        "run together": ("time", ",", "{n}{A}", "."),
        "units": ("time", ",", "{n}.{a} [m]", "."),
    }
    head, mark, pattern, point = writings[kind]
    names = [pattern.format(n=name, a=axis, A=axis.upper()) for name in NAMES for axis in "xyz"]
    lines = [mark.join([head, *names])]
    for time, row in zip(times, rows, strict=True):
        lines.append(mark.join(f"{value:.6f}".replace(".", point) for value in (time, *row)))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "kind",
    ["dots", "underscores", "blanks", "semicolons", "tabs", "positions", "before", "run together", "units"],
)
def test_tables_are_read(tmp_path: Path, kind: str) -> None:
    """Columns in any of the usual notations, with commas or points, give the clip, and the times its rate."""
    (tmp_path / "walk.csv").write_text(_table(kind))
    clip = load(tmp_path / "walk.csv")
    assert clip.fps == WALK.fps
    assert met(clip, places=PLACES[:40])


def test_columns_in_any_order_and_others_beside(tmp_path: Path) -> None:
    """Columns are found by their names; confidences, frame numbers and rotations are ignored."""
    order = np.random.default_rng(1).permutation(3 * len(NAMES))
    heads = [f"{name}.{axis}" for name in NAMES for axis in "xyz"]
    lines = ["frame," + ",".join(heads[k] for k in order) + ",Hips_conf,Hips.rot.x,Hips.rot.y,Hips.rot.z"]
    for frame, row in enumerate(PLACES.reshape(len(PLACES), -1)[:, order]):
        lines.append(f"{frame}," + ",".join(f"{v:.6f}" for v in row) + ",1,0,0,0")
    (tmp_path / "walk.csv").write_text("\n".join(lines))
    clip = load(tmp_path / "walk.csv", fps=WALK.fps)
    assert met(clip)


def test_what_segue_writes_of_positions_is_read(tmp_path: Path) -> None:
    """A table that `write_marker_csv` writes, with gaps as empty cells, is read as a clip."""
    places = np.array(PLACES)
    places[3:6, 5] = np.nan
    write_marker_csv(Markers(tuple(NAMES), places, WALK.fps), tmp_path / "walk.csv")
    clip = load(tmp_path / "walk.csv")
    assert clip.fps == WALK.fps
    assert clip.source is not None
    assert any(note.startswith("gaps: 3 joint positions") for note in clip.source.notes)


def test_another_tools_table(data: Path) -> None:
    """World positions that another program computed from a BVH file give its joints within a millimetre."""
    clip = load(data / "misc/bvhtoolbox/walk01_pos.csv")
    truth = load(data / "misc/bvhtoolbox/walk01.bvh")
    at, wanted = world_positions(clip), world_positions(truth)
    for name in truth.skeleton.names:
        away = at[:, clip.skeleton.index(name)] - wanted[:, truth.skeleton.index(name)]
        assert np.linalg.norm(away, axis=-1).max() < 1e-3
    assert clip.fps == truth.fps


def test_bvh_of_positions_is_read_back(tmp_path: Path) -> None:
    """A clip made from positions is written as BVH, Y up, in metres, and read at the same size."""
    np.savez(tmp_path / "walk.npz", joints=1000 * PLACES[..., [0, 2, 1]] * [1, -1, 1], names=NAMES, fps=30)
    clip = load(tmp_path / "walk.npz")
    save(clip, tmp_path / "walk.bvh")
    again = load(tmp_path / "walk.bvh")
    assert np.abs(world_positions(again) - world_positions(clip)).max() < 1e-4
    assert leg_length(again.skeleton) == pytest.approx(leg_length(WALK.skeleton), rel=1e-4)


def test_folders_take_positions_and_leave_other_tables(tmp_path: Path) -> None:
    """Tables and arrays of a folder that hold joints are motion; the others are left out silently."""
    (tmp_path / "a.csv").write_text(_table("dots"))
    (tmp_path / "path.csv").write_text("x,z\n0,0\n1,1\n")
    save(WALK, tmp_path / "rotations.csv")
    np.save(tmp_path / "b.npy", smpl_places())
    np.save(tmp_path / "mean.npy", np.zeros(263))
    assert [path.name for path in motion_files([tmp_path])] == ["a.csv", "b.npy"]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "two dimensions": ({"joints": PLACES[..., :2]}, "two values"),
    "features": ({"motion": np.zeros((9, 263)), "joints": None, "joint_names": None}, "HumanML3D's features"),
    "few joints": (
        {"joints": PLACES[:, :4], "joint_names": NAMES[:4]},
        r"joint positions are \(frames, joints, 3\)",
    ),
    "no names": ({"joints": PLACES[:, :-1], "joint_names": None}, "without names fit no layout"),
    "names of another count": ({"joint_names": NAMES[:-1]}, "joint names for"),
    "far away": ({"joints": PLACES * 1e9}, "which is no position"),
    "infinite": ({"joints": np.where(PLACES > 1.0, np.inf, PLACES)}, "which is no position"),
    "never seen": ({"joints": np.full_like(PLACES, np.nan)}, "no frame with a joint that is seen"),
    "no body": ({"joints": np.random.default_rng(0).normal(size=PLACES.shape)}, "no positions of one body"),
    "words": ({"joints": NAMES}, "where numbers are expected"),
    "parents of another count": ({"parents": np.array([-1, 0])}, "need as many parents"),
    "parents in a circle": ({"parents": np.roll(np.arange(len(NAMES)), 1)}, "roots"),
    "no rate": ({"fps": np.array([np.nan])}, "no frame rate"),
    "a hand": ({"joints": np.zeros((5, 21, 3)), "joint_names": None}, "without names fit no layout"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_motion_is_refused(tmp_path: Path, kind: str) -> None:
    """Arrays that are not positions of a body, or do not identify the joints, are refused with a sentence."""
    changes, words = REFUSED[kind]
    arrays = {"joints": PLACES, "joint_names": NAMES, "fps": 30.0} | changes
    np.savez(tmp_path / "walk.npz", **{key: value for key, value in arrays.items() if value is not None})
    with pytest.raises(FileError, match=words):
        load(tmp_path / "walk.npz")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no table"),
        ("x,z\n0,0\n", "x, y, z of 0 joints"),
        (_table("dots").splitlines()[0] + "\n", "holds no frames"),
        (_table("dots") + "1,2,3\n", ":42: has 3 cells"),
        (_table("dots").replace("0.033333", "soon", 1), ":4: 'soon' is not a number"),
        (_table("dots").replace("0.033333", "1e999", 1), ":4: '1e999' is not a finite number"),
    ],
)
def test_tables_that_are_none_are_refused(tmp_path: Path, text: str, words: str) -> None:
    """A table without joints, frames or numbers is refused; the message names the line or a remedy."""
    (tmp_path / "walk.csv").write_text(text)
    with pytest.raises(FileError, match=words):
        load(tmp_path / "walk.csv")


def test_rotations_of_another_tool_are_no_positions(data: Path) -> None:
    """A table of Euler angles under the same column names is refused: its limbs change length."""
    with pytest.raises(FileError, match="no positions of one body"):
        load(data / "misc/bvhtoolbox/walk01_rot.csv")


def test_poses_go_before_positions(tmp_path: Path) -> None:
    """An archive with SMPL poses and joints is read by its poses."""
    poses = np.tile([np.pi / 2, *[0.0] * 65], (len(PLACES), 1))
    trans = np.zeros((len(PLACES), 3))
    np.savez(tmp_path / "walk.npz", poses=poses, trans=trans, fps=30.0, joints=smpl_places())
    clip = load(tmp_path / "walk.npz")
    assert clip.source is not None
    assert any("'poses'" in note for note in clip.source.notes)


def test_settings_that_do_not_apply(tmp_path: Path) -> None:
    """A skeleton is for SMPL-like motion, an encoding for text; both are refused with a reason."""
    np.savez(tmp_path / "walk.npz", joints=PLACES, names=NAMES, fps=30)
    with pytest.raises(FileError, match="its body is grown from them"):
        load(tmp_path / "walk.npz", skeleton=tmp_path / "model.npz")
    with pytest.raises(SettingError, match="cannot use encoding="):
        load(tmp_path / "walk.npz", encoding="utf-8")


def test_one_home() -> None:
    """Every reader of positions uses one function."""
    assert clip_of.__module__ == "segue.io.joint_positions"
    assert segue.load is load


@pytest.mark.parametrize("stop", [15, None])
@pytest.mark.parametrize(("axes", "signs"), [([0, 1, 2], [1, 1, 1]), ([0, 2, 1], [1, -1, 1])])
def test_somebody_who_lies_is_not_stood_up(
    data: Path, tmp_path: Path, stop: int | None, axes: list[int], signs: list[int]
) -> None:
    """A body that lies on a floor, throughout or until it gets up, keeps its orientation, with Y and with Z up."""
    clip = load(data / "misc/deepmimic/humanoid3d_getup_facedown.txt")
    places = world_positions(clip)[:stop]
    names = np.array(clip.skeleton.names)
    np.savez(tmp_path / "a.npz", joints=places[..., axes] * signs, joint_names=names, fps=clip.fps)
    made = load(tmp_path / "a.npz")
    order = [clip.skeleton.index(name) for name in made.skeleton.names]
    assert np.median(np.linalg.norm(world_positions(made) - places[:, order], axis=-1)) < 1e-3
