"""Kinds of inputs: the files each begins with, how it is mutated, and how it is used."""

from __future__ import annotations

import subprocess
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import _fuzz_uses as uses
import numpy as np
from _data import ROOT
from _fuzz_files import glb_mutant, json_mutant, library_mutant, npz_mutant, toml_mutant, walker_mutant
from _fuzz_mutations import LONGEST, binary_mutant, drawing_mutant, rows_mutant, text_mutant

CORPUS = ROOT / "tests" / "io" / "corpus"
Mutate = Callable[[np.random.Generator, bytes], bytes]
words_mutant: Mutate = partial(rows_mutant, mark=" ")
cells_mutant: Mutate = partial(rows_mutant, mark="\t")


@dataclass(frozen=True)
class Kind:
    """One kind of inputs.

    Parameters
    ----------
    name
        Its name on the command line.
    files
        Files that are mutated in turn, in the folder of seeds.
    structure, raw
        Mutations by structure and by bytes, used in turn.
    use
        The function that uses it (`_fuzz_uses`).
    share
        Share of the count that a sample runs, because an input takes long.
    """

    name: str
    files: tuple[str, ...]
    structure: Mutate
    raw: Mutate
    use: Callable[[Path, Path], float]
    share: float = 1.0

    def mutant(self, seed: int, number: int, folder: Path) -> tuple[str, bytes]:
        """Return the name and content of an input; the same for the same numbers."""
        rng = np.random.default_rng([seed, zlib.crc32(self.name.encode()), number])
        name = self.files[(number // 2) % len(self.files)]
        content = (folder / name).read_bytes()
        mutate = self.raw if number % 2 else self.structure
        return name, mutate(rng, content)[: max(4 * LONGEST, 2 * len(content))]


def _kind(
    name: str,
    files: str,
    structure: Mutate,
    raw: Mutate,
    use: Callable[[Path, Path], float],
    share: float = 1.0,
) -> Kind:
    return Kind(name, tuple(files.split()), structure, raw, use, share)


_TEXT, _BYTES = text_mutant, binary_mutant
KINDS = {
    one.name: one
    for one in (
        _kind("bvh", "walk.bvh run_metres_z_up.bvh", words_mutant, _TEXT, uses.motion, 0.5),
        _kind("amc", "small.amc", words_mutant, _TEXT, uses.acclaim, 0.5),
        _kind("asf", "small.asf", words_mutant, _TEXT, uses.acclaim, 0.5),
        _kind("trc", "made.trc", cells_mutant, _TEXT, uses.markers),
        _kind("c3d", "intel.c3d dec.c3d", _BYTES, _TEXT, uses.markers),
        _kind("npz", "segue.npz", npz_mutant, _BYTES, uses.motion, 0.5),
        _kind("npz-smpl", "smpl.npz joints.npz", npz_mutant, _BYTES, uses.motion, 0.5),
        _kind("glb", "made.glb", glb_mutant, _BYTES, uses.motion, 0.5),
        _kind("gltf", "nod.gltf", json_mutant, _TEXT, uses.motion, 0.5),
        _kind("vrma", "made.vrma", glb_mutant, _BYTES, uses.motion, 0.5),
        _kind("fbx", "made.fbx", _BYTES, _BYTES, uses.motion, 0.1),
        _kind("deepmimic", "standing.txt", json_mutant, _TEXT, uses.motion, 0.5),
        _kind("mujoco", "robot.xml", words_mutant, _TEXT, uses.motion, 0.25),
        _kind("qpos", "robot.qpos.csv", rows_mutant, _TEXT, uses.motion, 0.25),
        _kind("positions-table", "joints.csv", rows_mutant, _TEXT, uses.motion, 0.1),
        _kind("positions-array", "joints.npy", _BYTES, _TEXT, uses.motion, 0.1),
        _kind("library", "made.segue", library_mutant, _BYTES, uses.library, 0.15),
        _kind("walker", "walker.segue", walker_mutant, _BYTES, uses.walker, 0.15),
        _kind("space", "space.segue", json_mutant, _BYTES, uses.small_space, 0.15),
        _kind(
            "record",
            "mirrored.origin.json wandered.origin.json steered.origin.json",
            json_mutant,
            _TEXT,
            uses.record,
        ),
        _kind(
            "replay",
            "mirrored.origin.json wandered.origin.json steered.origin.json stitched.origin.json walked.origin.json "
            "looped.origin.json",
            json_mutant,
            _TEXT,
            uses.replayed,
            0.15,
        ),
        _kind("roles", "roles.toml", toml_mutant, _TEXT, uses.roles),
        _kind("edits", "edits.toml", toml_mutant, _TEXT, uses.edits),
        _kind("weights", "weights.toml", toml_mutant, _TEXT, uses.weights),
        _kind("pairs", "pairs.toml", toml_mutant, _TEXT, uses.pairs),
        _kind("labels", "labels.toml", toml_mutant, _TEXT, uses.labels),
        _kind("elements", "elements.toml", toml_mutant, _TEXT, uses.elements, 0.25),
        _kind("requests", "requests.csv", rows_mutant, _TEXT, uses.requests),
        _kind("path-table", "path.csv", rows_mutant, _TEXT, uses.ground_path),
        _kind("drawing", "path.svg", drawing_mutant, _TEXT, uses.ground_path),
        _kind("script", "script.csv", rows_mutant, _TEXT, uses.script, 0.5),
        _kind("steer-path", "steer_path.csv", rows_mutant, _TEXT, uses.steer_path, 0.25),
        _kind("chase", "chase.csv", rows_mutant, _TEXT, uses.chase, 0.25),
        _kind("ground", "ground.csv", rows_mutant, _TEXT, uses.ground),
        _kind("label-table", "labels.csv seconds.csv", rows_mutant, _TEXT, uses.label_table),
        _kind("learn-labels", "learn.csv", rows_mutant, _TEXT, uses.learn_labels),
        _kind("mogra", "MoGra.transitions", words_mutant, _TEXT, uses.mogra),
    )
}

_TEXTS = {
    "roles.toml": '[roles]\nleft_knee = "LeftLeg"\nright_knee = "RightLeg"\nhead = ""\n',
    "edits.toml": '[examples."walk"]\nkind = "march"\nparameters = {mood = 1.0}\n[examples."start:0-93"]\nname = "m"\n'
    '[examples."stop:66-131"]\ndrop = true\n[parameters]\nmood = 0.5\n',
    "weights.toml": "[joints]\nhip = 1.0\nknee = 0.5\nshoulder = 0.25\n",
    "pairs.toml": 'pairs = [["left_knee", "right_ankle", 0.5], ["left_ankle", "right_knee", 1]]\n',
    "labels.toml": 'steady = ["walk", "start:10-20"]\nslow = ["stop:0-5"]\n',
    "elements.toml": 'smoothness = 0.4\n[[elements]]\nname = "go"\nclip = "sample:walk"\nseconds = [1.0, 3.0]\n'
    'core = [1.5, 2.0]\ntags = ["a"]\n[[elements]]\nname = "turn"\nclip = "sample:walk_left"\nframes = [60, 200]\n'
    '[[motions]]\nmotion = "go"\nat = 0.5\n[[motions]]\nmotion = "turn"\npriority = 1\nsmoothness = 0.2\n',
    "requests.csv": "seconds,command,motion,at,priority\n0.5,play,go,,1\n1,play,turn,2.5,\n1.5,withdraw,turn,,\n",
    "path.csv": "x,z,label\n0,0,walk\n0,3,\n1.5,4.25,turn\n# half way\n3,4\n",
    "path.svg": '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><g id="all"><path id="a" '
    'd="M 0 0 h 100 v 50 L 20 30 C 1 2 3 4 5 6 S 7 8 9 10 Q 1 2 3 4 T 5 6 A 9 8 30 1 0 50 60 z m 5 5 l 7 7"/></g>'
    "</svg>",
    "script.csv": "seconds,type,speed,turn\n0,walk,1.2,0\n1,walk,1.0,20\n2,stand,0,0\n",
    "steer_path.csv": "x,z,type,speed\n0,0,walk,1.2\n0,2,walk,1.0\n1,4,walk,1.1\n",
    "chase.csv": "seconds,x,z\n0,0,1\n1,0,2\n3,2,3\n",
    "ground.csv": "x,z,height\n0,0,0\n0,1,0\n1,0,0.5\n1,1,0.5\n",
    "labels.csv": 'clip,start_frame,stop_frame,label\nwalk,3,20,steady\nstart,,10,"a, b"\nstop,5,,x\n',
    "seconds.csv": "clip;start_seconds;stop_seconds;label\nwalk;0,5;1;steady\nstart;;0,25;first\n",
    "learn.csv": "clip,frame,clip,frame,good|bad\nwalk,12,run,30,good\nrun,5,walk,7,bad\n",
    "MoGra.transitions": 'MoGra.transitions:\nTransitions: 2 walk "run fast"\n40 12\n95 3\n\n'
    "Transitions: 1 walk walk\n3 80\n",
}


def make_seeds(folder: Path) -> None:
    """Write the files that inputs are mutated from; commands make a walker and records."""
    make_files(folder)
    make_walker(folder)
    make_space(folder)
    walked = ("sample:walk", "sample:start", "sample:stop")
    for command in (
        ("mirror", "sample:walk", "-o", "mirrored.bvh"),
        ("loop", "sample:walk", "-o", "looped.bvh"),
        ("wander", *walked, "--seconds", "3", "-o", "wandered.bvh"),
        ("stitch", "sample:walk", "sample:start", "-o", "stitched.bvh"),
        ("walk", *walked, "--seconds", "3", "--budget", "1", "-o", "walked.bvh"),
        ("steer", "walker.segue", "--script", "script.csv", "--seconds", "2", "-o", "steered.bvh"),
    ):
        words = [sys.executable, "-m", "segue", *command]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stderr}")


def make_walker(folder: Path) -> None:
    """Build the walker that tables steer."""
    import segue
    from segue.app.walkers import keep_walker
    from segue.locomotion.build import build_locomotion

    model = build_locomotion([segue.sample(name) for name in ("walk", "walk_slow", "start", "stop")])
    keep_walker(folder / "walker.segue", model, name="walker")


def make_space(folder: Path) -> None:
    """Fit a small space to few poses."""
    import segue
    from segue.app.space_document import SpaceFile, write_space
    from segue.manifold.space import fit_space

    space = fit_space([segue.sample("walk")], by="pca", dimensions=2, fps=5.0)
    write_space(folder / "space.segue", SpaceFile(space, (), {}))


def make_files(folder: Path) -> None:
    """Write motions, tables, documents and a library."""
    import segue
    from segue.io.markers import Markers, write_trc
    from segue.motion.resample import cut, resampled

    sys.path.insert(0, str(ROOT / "tests"))
    from naive import c3d

    for path in [*CORPUS.iterdir(), *(ROOT / "tests" / "io" / "corpus_gltf").iterdir()]:
        (folder / path.name).write_bytes(path.read_bytes())
    for name, text in _TEXTS.items():
        (folder / name).write_text(text, "utf-8")
    short = cut(resampled(segue.sample("walk"), 10), 0, 6)
    for name in ("segue.npz", "made.glb", "made.vrma", "made.fbx", "robot.xml"):
        segue.save(short, folder / name)
    places = segue.world_positions(short)
    names = [f"{joint}_{axis}" for joint in short.skeleton.names for axis in "xyz"]
    rows = [",".join(f"{value:.5f}" for value in row) for row in places.reshape(len(places), -1)]
    (folder / "joints.csv").write_text("\n".join([",".join(names), *rows]), "utf-8")
    rng = np.random.default_rng(1)
    np.savez(
        folder / "smpl.npz", poses=rng.normal(0, 0.1, (8, 66)), trans=np.zeros((8, 3)), mocap_framerate=30.0
    )
    np.save(folder / "joints.npy", segue.world_positions(segue.load(folder / "smpl.npz")))
    turns = np.tile(np.eye(3, dtype=np.float32), (8, 4, 1, 1))
    np.savez(folder / "joints.npz", posed_joints=np.zeros((8, 4, 3), dtype=np.float32), global_rot_mats=turns)
    write_trc(Markers(["A", "B"], np.arange(36.0).reshape(6, 2, 3) / 60, 50.0), folder / "made.trc")
    rows = [[(k + 1.0, 2.0, 3.0, 0.0), (4.0, 5.0, k + 6.0, 0.0)] for k in range(8)]
    for kind in ("intel", "dec"):
        made = c3d.file(kind, rows, scale=-1.0, labels=["A", "B"], analog=2)
        (folder / f"{kind}.c3d").write_bytes(made)
    with segue.Library.open(folder / "made.segue") as held:
        held.add(short.with_motion(name="walk"))
        held.add(cut(segue.sample("start"), 0, 8).with_motion(name="start"))
        held.label("walk", "steady", start_frame=1, stop_frame=5)
        held.tag("walk", "slow")
