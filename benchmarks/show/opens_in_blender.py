"""Blender opens segue's files: joints at the right positions, at the right rate, from the right frame.

Shows: Blender opens BVH, GLB, USD and FBX (both importers) of captured and made clips at 24 to 120 frames a second,
    29.97 and 90 among them
Bars: joints within 1 mm in sampled frames, the first frame first, the right rate and length
Needs: clips; Blender's Python module, 840 MB, fetched once; Python 3.11 or 3.13
Group: Other programs and long runs

Blender's Python module is GPL and 840 MB large: it is fetched once into a separate environment in a cache folder
and runs in its own process.
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import numpy as np
from _data import require_data
from _npm import cache
from _runner import Show, run

from segue.io import load, save
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.samples import sample

BPY = {(3, 11): "5.0.1", (3, 13): "5.3.0"}
"""Version of Blender's module for each Python version it was built for."""
FORMATS = {"BVH": ".bvh", "GLB": ".glb", "USD": ".usdc", "FBX": ".fbx", "FBX (Python importer)": ".fbx"}
BAR = 1e-3


def blender() -> Path:
    """Return the Python of the environment that holds Blender, made if missing."""
    version = BPY.get(sys.version_info[:2])
    if version is None:
        sys.exit(f"Blender's module exists for Python {', '.join('.'.join(map(str, k)) for k in BPY)} only")
    home = cache() / "bpy-venv"
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    ready = python.exists() and subprocess.run([python, "-c", "import bpy"], capture_output=True, check=False)
    if not ready or ready.returncode:
        print(f"fetching Blender {version} once (about 840 MB) into {home}", flush=True)
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", f"bpy=={version}"], check=True)
    return python


def answers(jobs: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    """Return Blender's answers to all jobs."""
    (folder / "jobs.json").write_text(json.dumps(jobs), encoding="utf-8")
    worker = Path(__file__).with_name("_blender_worker.py")
    command = [blender(), worker, folder / "jobs.json", folder / "answers.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    if not (folder / "answers.json").is_file():
        sys.exit(f"Blender did not answer:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads((folder / "answers.json").read_text(encoding="utf-8"))
    return found


def jobs_of(clip: Clip, folder: Path) -> list[dict[str, Any]]:
    """Write a clip in every format; one job each."""
    frames = sorted({*range(0, clip.n_frames, max(clip.n_frames // 12, 1)), clip.n_frames - 1})
    out = []
    for how, suffix in FORMATS.items():
        if how == "FBX (Python importer)" and clip.fps != round(clip.fps):
            # It reads 29.97 and then counts 30 frames a second; Blender's newer importer does not.
            continue
        path = folder / f"{clip.name}{suffix}"
        settings = {"unit": 1.0, "up": "Y"} if suffix == ".bvh" else {}
        save(clip, path, **settings)
        names = list(clip.skeleton.names)
        out.append({"file": str(path), "how": how, "fps": clip.fps, "frames": frames, "names": names})
    return out


def judge(verdicts: Show, clip: Clip, job: dict[str, Any], document: dict[str, Any]) -> None:
    """Compare one answer with the clip."""
    label = f"{clip.name}, {job['how']}"
    if "error" in document:
        verdicts.check(f"{label}: {document['error'][:120]}", "error", "imported", ok=False)
        return
    x, y, z = np.moveaxis(world_positions(clip)[job["frames"]], -1, 0)
    wanted = np.stack([x, -z, y], axis=-1)
    far = np.abs(np.array(document["positions"]) - wanted).max(axis=(1, 2))
    verdicts.check(f"{label}: joints' world positions", float(far.max()), f"<= {BAR}", unit="m")
    verdicts.check(f"{label}: first frame", float(far[0]), f"<= {BAR}", unit="m")
    # BVH and FBX set the scene's rate; GLB's key times are seconds and must fall on frames at the rate set before;
    # USD's time codes are frames, and Blender does not read their rate from the file.
    fps = _usd_rate(job["file"]) if job["how"] == "USD" else document["fps"]
    verdicts.check(f"{label}: frame rate", fps, clip.fps, abs(fps - clip.fps) < 1e-5 * clip.fps)
    keys = document["keys"]
    span = keys[1] - keys[0] if keys else float("nan")
    wanted_span = clip.n_frames - 1
    verdicts.check(
        f"{label}: frames from first to last key", span, wanted_span, abs(span - wanted_span) < 0.01
    )
    verdicts.note(f"keys {keys}, scene {document['range']}, meshes {document['meshes']}")


def _usd_rate(file: str) -> float:
    from pxr import Usd

    return float(Usd.Stage.Open(file).GetTimeCodesPerSecond())


def main(verdicts: Show) -> None:
    data = require_data()
    walk = sample("walk")
    clips = [load(data / "asf_amc/16/16_11.amc"), load(data / "misc/bvhtoolbox/walk01.bvh"), walk]
    # A rate that is not an integer, and one without an FBX name.
    clips.append(walk.with_motion(fps=30000 / 1001, name="walk at 29.97"))
    clips.append(walk.with_motion(fps=90, name="walk at 90"))
    pairs = [(clip, job) for clip in clips for job in jobs_of(clip, verdicts.folder)]
    found = answers([job for _, job in pairs], verdicts.folder)
    verdicts.note(f"Blender {found['version']}")
    for (clip, job), given in zip(pairs, found["answers"], strict=True):
        judge(verdicts, clip, job, given)


if __name__ == "__main__":
    run(main, "Blender opens segue's files")
