"""MuJoCo's kinematics on the written model and table: every joint is at segue's position.

Shows: MuJoCo's kinematics on the written model and table
Bars: joints within 1e-6 m by the CSV, 1e-12 by the NPZ; rate and keyframe
Needs: clips; `mujoco` installed
Group: Other programs and long runs
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from _runner import Show, run

from segue.io import load
from segue.io.mujoco_write import write_mujoco
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.samples import sample

try:
    import mujoco
except ImportError:
    sys.exit("MuJoCo is not installed: pip install mujoco")


def positions(model: mujoco.MjModel, names: tuple[str, ...], rows: np.ndarray) -> np.ndarray:
    """Return positions (F, J, 3) of bodies by name, converted to Y up."""
    state = mujoco.MjData(model)
    index = [model.body(name).id for name in names]
    out = np.zeros((len(rows), len(names), 3))
    for frame, row in enumerate(rows):
        state.qpos[:] = row
        mujoco.mj_kinematics(model, state)
        out[frame] = state.xpos[index]
    return np.stack([out[..., 0], out[..., 2], -out[..., 1]], axis=-1)


def compare(verdicts: Show, clip: Clip, folder: Path) -> None:
    """Write, read with MuJoCo, compare."""
    write_mujoco(clip, folder / "clip.xml")
    write_mujoco(clip, folder / "clip.xml", folder / "clip.npz")
    model = mujoco.MjModel.from_xml_path(str(folder / "clip.xml"))
    with (folder / "clip.qpos.csv").open(encoding="utf-8") as stream:
        text = np.array(list(csv.reader(stream))[1:], dtype=float)
    exact = np.load(folder / "clip.npz", allow_pickle=False)["qpos"]
    ours = world_positions(clip)
    for label, rows, bar in (("CSV", text[:, 1:], 1e-6), ("NPZ", exact, 1e-12)):
        far = float(np.abs(positions(model, clip.skeleton.names, rows) - ours).max())
        verdicts.check(f"{clip.name}, {label}: joints' world positions", far, f"<= {bar}", unit="m")
    fps = float(model.numeric("fps").data[0])
    verdicts.check(f"{clip.name}: frame rate", fps, f"= {clip.fps}")
    key = float(np.abs(model.key_qpos[0] - exact[0]).max())
    verdicts.check(f"{clip.name}: keyframe is frame 0", key, "<= 1e-9")
    verdicts.note(f"{clip.n_frames} frames, {model.nbody - 1} bodies, {model.body_mass.sum():.1f} kg")


def main(verdicts: Show) -> None:
    files = ("asf_amc/16/16_11.amc", "misc/geno/Geno_stance.bvh", "cmu/max_friendly/131_01.bvh")
    for clip in [*(load(verdicts.clips / file) for file in files), sample("walk")]:
        compare(verdicts, clip, verdicts.folder)


if __name__ == "__main__":
    run(main, f"MuJoCo {mujoco.__version__}")
