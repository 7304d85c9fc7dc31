"""FBX read by Autodesk's own library (through the fbx2gltf package): everything moves and is in its place.

Shows: Autodesk's own library reads FBX, through `fbx2gltf`
Bars: joints within 1 mm, everything moves, the right length
Needs: clips; a network once for the package; Linux or macOS
Group: Other programs and long runs
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
from _data import require_data
from _glb import Glb
from _npm import package
from _runner import Show, run

from segue.io import load
from segue.io.fbx_write import write_fbx
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.resample import resampled
from segue.motion.samples import sample

_FOLDERS = {"linux": "Linux", "darwin": "Darwin"}


def converter() -> Path:
    """Return the path of the converter's program, made executable (the package does not)."""
    folder = _FOLDERS.get(sys.platform)
    if folder is None:
        sys.exit(f"fbx2gltf has no program for {sys.platform} here")
    program = package("fbx2gltf", "0.9.7") / "bin" / folder / "FBX2glTF"
    program.chmod(0o755)
    return program


def compare(verdicts: Show, program: Path, clip: Clip, folder: Path) -> None:
    """Compare one clip at 30 frames a second, a rate at which the converter can sample."""
    write_fbx(clip, folder / "clip.fbx")
    command = [
        program,
        "-i",
        folder / "clip.fbx",
        "-o",
        folder / "out",
        "--binary",
        "--anim-framerate",
        "bake30",
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    glb = Glb(folder / "out.glb")
    channels = glb.document.get("animations", [{"channels": []}])[0]["channels"]
    verdicts.check(f"{clip.name}: animated properties", len(channels), "> 10")
    if not channels:
        return
    ours = world_positions(clip)
    index = [glb.names.index(name) for name in clip.skeleton.names]
    far = max(
        float(np.abs(glb.world(frame / clip.fps)[index, :3, 3] - ours[frame]).max())
        for frame in range(0, clip.n_frames, 5)
    )
    verdicts.check(f"{clip.name}: joints' world positions", far, "<= 1e-3", unit="m")
    last = float(glb.times()[-1])
    verdicts.check(
        f"{clip.name}: last key", last, clip.seconds, abs(last - clip.seconds) < 0.5 / clip.fps, "s"
    )


def main(verdicts: Show) -> None:
    data = require_data()
    program = converter()
    clips = [load(data / "asf_amc/16/16_11.amc"), load(data / "misc/bvhtoolbox/walk01.bvh"), sample("walk")]
    for clip in clips:
        compare(verdicts, program, resampled(clip, 30), verdicts.folder)


if __name__ == "__main__":
    run(main, "FBX read by Autodesk's library (fbx2gltf)")
