"""FBX as Autodesk's own library reads it (through the fbx2gltf package): everything moves and is in its place."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from _data import require_data
from _glb import Glb
from _npm import package
from _verdict import Verdicts

from segue.io import load
from segue.io.fbx_write import write_fbx
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.resample import resampled
from segue.motion.samples import sample

_FOLDERS = {"linux": "Linux", "darwin": "Darwin"}


def converter() -> Path:
    """Path of the converter's program, made executable (the package leaves that out)."""
    folder = _FOLDERS.get(sys.platform)
    if folder is None:
        sys.exit(f"fbx2gltf has no program for {sys.platform} here")
    program = package("fbx2gltf", "0.9.7") / "bin" / folder / "FBX2glTF"
    program.chmod(0o755)
    return program


def compare(verdicts: Verdicts, program: Path, clip: Clip, folder: Path) -> None:
    """One clip at 30 frames a second, a rate at which the converter can sample."""
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
    verdicts.check(f"{clip.name}: animated properties", len(channels), "> 10", len(channels) > 10)
    if not channels:
        return
    ours = world_positions(clip)
    index = [glb.names.index(name) for name in clip.skeleton.names]
    far = max(
        float(np.abs(glb.world(frame / clip.fps)[index, :3, 3] - ours[frame]).max())
        for frame in range(0, clip.n_frames, 5)
    )
    verdicts.check(f"{clip.name}: joints' world positions", far, 1e-3, far <= 1e-3, "m")
    last = float(glb.times()[-1])
    verdicts.check(
        f"{clip.name}: last key", last, clip.seconds, abs(last - clip.seconds) < 0.5 / clip.fps, "s"
    )


def main() -> None:
    """Run on captured and made clips."""
    data = require_data()
    verdicts = Verdicts("FBX read by Autodesk's library (fbx2gltf)")
    program = converter()
    clips = [load(data / "asf_amc/16/16_11.amc"), load(data / "misc/bvhtoolbox/walk01.bvh"), sample("walk")]
    with tempfile.TemporaryDirectory() as name:
        for clip in clips:
            compare(verdicts, program, resampled(clip, 30), Path(name))
    verdicts.finish()


if __name__ == "__main__":
    main()
