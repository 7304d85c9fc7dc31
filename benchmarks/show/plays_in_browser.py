"""The browser plays segue's files: three.js in headless Chromium puts every joint at segue's position.

Shows: three.js plays GLB, the library of VRM's authors plays VRM animations; `--pictures FOLDER` saves pictures
Bars: joints within 1 mm, rotations of bones within 1e-5, length within 1e-5 s
Needs: clips; Chromium installed; a network once for the packages
Group: Other programs and long runs

VRM animations are read by the three.js add-on of VRM's authors. Both packages come from npm once, into a cache
folder; Chromium must be installed. ``--pictures FOLDER`` saves a picture of each clip.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import tempfile
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from _browser import chromium
from _data import require_data
from _npm import package
from _runner import PICTURES, Show, run

from segue.io import load, save
from segue.io.tpose import in_t_pose
from segue.io.vrma_write import BONES
from segue.maths.quaternions import multiply
from segue.motion.clip import Clip
from segue.motion.kinematics import world, world_positions
from segue.motion.roles import roles
from segue.motion.samples import sample

PAGE = Path(__file__).with_suffix(".html")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
BAR = 1e-3


class Server(ThreadingHTTPServer):
    """Serve the page, the packages and the files, and wait for the page's answer."""

    def __init__(self, folder: Path) -> None:
        self.roots = {"three": package("three", "0.187.0"), "files": folder}
        self.roots["vrm-animation"] = package("@pixiv/three-vrm-animation", "3.5.5")
        self.answer: dict[str, Any] = {}
        self.answered = threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)


class Handler(SimpleHTTPRequestHandler):
    """Map the first part of a path to a folder."""

    server: Server
    extensions_map: ClassVar = {**SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}

    def translate_path(self, path: str) -> str:
        """Return the page at the root, else a file below a known folder."""
        parts = path.split("?", maxsplit=1)[0].strip("/").split("/")
        if parts == [""]:
            return str(PAGE)
        if parts == ["jobs.json"]:
            return str(self.server.roots["files"] / "jobs.json")
        root = self.server.roots.get(parts[0])
        found = (root or Path("/nowhere")).joinpath(*parts[1:]).resolve()
        return str(found) if root and found.is_relative_to(root.resolve()) else "/nowhere"

    def do_POST(self) -> None:
        """Store the page's answer."""
        self.server.answer = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        self.server.answered.set()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def answers(jobs: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    """Run the page over the jobs."""
    (folder / "jobs.json").write_text(json.dumps(jobs), encoding="utf-8")
    server = Server(folder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            chromium(),
            *FLAGS,
            f"--user-data-dir={profile}",
            f"http://127.0.0.1:{server.server_port}/",
        ]
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            if not server.answered.wait(180):
                sys.exit("the page did not answer within three minutes")
        finally:
            running.terminate()
            running.wait(30)
            server.shutdown()
    if "error" in server.answer:
        sys.exit(f"the page failed: {server.answer['error']}")
    return server.answer


def judge_glb(verdicts: Show, clip: Clip, job: dict[str, Any], document: dict[str, Any]) -> None:
    """Compare the motion played by three.js with the clip."""
    ours = world_positions(clip)[job["frames"]]
    far = np.abs(np.array(document["positions"]) - ours).max(axis=(1, 2))
    verdicts.check(f"{clip.name}, GLB: joints' world positions", float(far.max()), f"<= {BAR}", unit="m")
    verdicts.check(f"{clip.name}, GLB: first frame", float(far[0]), f"<= {BAR}", unit="m")
    off = abs(document["duration"] - clip.seconds)
    verdicts.check(f"{clip.name}, GLB: length off by", off, "<= 1e-5", unit="s")
    if verdicts.options.pictures:
        picture = base64.b64decode(document["picture"].split(",")[1])
        (verdicts.options.pictures / f"{clip.name}.png").write_bytes(picture)


def parent_of(bone: str, known: dict[str, Any]) -> str | None:
    """Return the nearest known bone above one in VRM's tree."""
    trunk = ("hips", "spine", "chest", "upperChest", "neck", "head")
    side = next((side for side in ("left", "right") if bone.startswith(side)), "")
    part = bone.removeprefix(side)
    chains = (
        [*trunk[:4], *(f"{side}{name}" for name in ("Shoulder", "UpperArm", "LowerArm", "Hand"))],
        ["hips", *(f"{side}{name}" for name in ("UpperLeg", "LowerLeg", "Foot", "Toes"))],
    )
    chain = next((chain for chain in chains if side and f"{side}{part}" in chain), list(trunk))
    above = [name for name in chain[: chain.index(bone)] if name in known]
    return above[-1] if above else None


def judge_vrma(verdicts: Show, clip: Clip, document: dict[str, Any]) -> None:
    """Compare with VRM's own reader: rotations of bones relative to the T-pose, the hips' path and rest position."""
    made, found = in_t_pose(clip), roles(clip.skeleton)
    joints = [made.skeleton.index(clip.skeleton.names[joint]) for joint in found.values()]
    turned = {
        bone: np.roll(np.reshape(values, (-1, 4)), 1, axis=1)
        for bone, values in document["rotations"].items()
    }
    verdicts.check(f"{clip.name}, VRMA: bones read", len(turned), f">= {len(joints)}")
    # Bone rotations multiplied along VRM's tree are the clip's world rotations relative to the T-pose.
    wanted = world(made).rotations
    worst = 0.0
    for role, joint in zip(found, joints, strict=True):
        bone = "upperChest" if role == "chest" and "upperChest" in turned else BONES[role]
        chain = turned[bone]
        above = parent_of(bone, turned)
        while above is not None:
            chain = multiply(turned[above], chain)
            above = parent_of(above, turned)
        off = np.minimum(
            np.abs(chain - wanted[:, joint]).max(axis=1), np.abs(chain + wanted[:, joint]).max(axis=1)
        )
        worst = max(worst, float(off.max()))
    verdicts.check(f"{clip.name}, VRMA: world rotations of bones", worst, "<= 1e-5")
    moved = float(np.abs(np.array(document["hips"]).reshape(-1, 3) - made.root_positions).max())
    verdicts.check(f"{clip.name}, VRMA: path of the hips off by", moved, f"<= {BAR}", unit="m")
    rest = abs(document["rest"][1] - made.skeleton.offsets[0, 1])
    verdicts.check(f"{clip.name}, VRMA: height of the hips at rest off by", rest, "<= 1e-5", unit="m")


def main(verdicts: Show) -> None:
    data = require_data()
    clips = [load(data / "asf_amc/16/16_11.amc"), load(data / "misc/bvhtoolbox/walk01.bvh"), sample("walk")]
    jobs = []
    with tempfile.TemporaryDirectory() as name:
        for clip in clips:
            frames = sorted({*range(0, clip.n_frames, max(clip.n_frames // 12, 1)), clip.n_frames - 1})
            common = {"frames": frames, "times": [frame / clip.fps for frame in frames]}
            for kind in ("glb", "vrma"):
                save(clip, Path(name) / f"{clip.name}.{kind}")
                joints = clip.skeleton.n_joints
                jobs.append({"kind": kind, "file": f"/files/{clip.name}.{kind}", "joints": joints, **common})
        given = answers(jobs, Path(name))
    verdicts.note(f"three.js r{given['three']}")
    for clip, job, answer in zip([c for c in clips for _ in range(2)], jobs, given["answers"], strict=True):
        if job["kind"] == "glb":
            judge_glb(verdicts, clip, job, answer)
        else:
            judge_vrma(verdicts, clip, answer)


if __name__ == "__main__":
    run(main, "three.js in headless Chromium plays segue's files", PICTURES)
