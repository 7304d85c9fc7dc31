"""Damaged or hostile settings files and motion documents give one sentence, in little memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segue
from refused import DEEP, LONG, refused
from segue.app.directing import labels_of
from segue.app.walkers import read_edits
from segue.costs.joint_angle.weights import read_weights
from segue.costs.relative_distance import read_pairs
from segue.io import load, save
from segue.io.smpl_body import read_rest
from segue.motion.roles import roles_in_toml

Change = Callable[[dict[str, Any]], object]


ANY_TOML = [
    f"a = {DEEP}",
    f"a = {LONG}",
    "a = 0x" + "f" * 4000,
    "a = " + "1" + "0" * 400,
    ".".join("a" * 50_000) + " = 1",
    'a = "\\u0000"',
    "a = nan",
    "a = [",
    "a = 1\na = 2",
    "\ufffe",
    "[a]\n[a]",
]
READERS: dict[str, tuple[Callable[[Path], object], tuple[str, ...]]] = {
    "roles": (
        roles_in_toml,
        ('roles = "left_knee"', "roles = 3", "left_knee = 3", "left_knee = ['a']", "[roles.left_knee]\na = 1", ""),
    ),
    "edits": (
        read_edits,
        (
            "examples = [1]",
            "examples = 3",
            "[[examples]]\nkind = 'x'",
            "[examples.walk]\nname = 3",
            "[examples.walk]\nkind = [1]",
            "[examples.walk]\nkind = ''",
            "[examples.walk]\ndrop = 1",
            "[examples.walk]\nparameters = { speed = 'fast' }",
            "[examples.walk]\nparameters = { speed = 1e300 }",
            "[parameters]\nmood = true",
            "[other]\nmood = 1",
        ),
    ),
    "weights": (
        read_weights,
        ("hip = 1", "joints = 3", "[joints]\nhip = 'x'", "[joints]\nhip = true", "[joints]\nnose = 1",
         "[joints]\nhip = 0"),
    ),
    "pairs": (
        read_pairs,
        (
            "pairs = 3",
            "pairs = []",
            "pairs = [1]",
            'pairs = [["head"]]',
            'pairs = [["head", "neck", "x"]]',
            'pairs = [["head", "head", 1.0]]',
            'pairs = [["head", "neck", 1.0, 2]]',
        ),
    ),
    "labels": (
        lambda path: labels_of([segue.sample("walk")], path),
        ("a = 1", "a = [1]", 'a = "walk"', "[a]\nb = 1", 'a = ["wlak"]', f'a = ["walk:0-{LONG}"]', 'a = ["walk:0-٣"]'),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", READERS)
def test_no_settings_file_ends_in_another_error(tmp_path: Path, kind: str) -> None:
    """Deep, long, doubled and unsuitable TOML is refused with the name of the file, by every reader."""
    read, own = READERS[kind]
    path = tmp_path / f"{kind}.toml"
    for text in (*ANY_TOML, *own):
        path.write_bytes(text.encode("utf-16" if text == "\ufffe" else "utf-8"))
        assert refused(lambda: read(path)).startswith(str(path)), text
    refused(lambda: read(tmp_path / "none.toml"))
    refused(lambda: read(tmp_path))


def test_what_is_offered_for_editing_can_be_read(tmp_path: Path) -> None:
    """Names with quotes, backslashes, line ends and letters of any script come back unchanged."""
    from types import SimpleNamespace

    from segue.locomotion.edits import as_toml

    names = ['say "hi":1-2', "back\\slash", "two\nlines", "ñ 歩く 🚶", "\x7f\x1b[31m", "a.b", "half \udcff"]
    examples = [
        SimpleNamespace(name=n, kind=n, parameters={"speed": 1.0, "turn": 0.0, "my mood": 2.0}) for n in names
    ]
    path = tmp_path / "all.toml"
    path.write_text(as_toml(examples), "utf-8")  # type: ignore[arg-type]
    words = read_edits(path).words
    assert list(words) == [*names[:-1], "half ?"]
    assert words["a.b"].kind == "a.b"
    assert words["a.b"].parameters["my mood"] == 2.0


ROW = [0.03, 0, 0.9, 0, *([1, 0, 0, 0] * 4), 0.2, *[1, 0, 0, 0], *[1, 0, 0, 0], 0.1, *[1, 0, 0, 0], 0.2,
       *[1, 0, 0, 0], *[1, 0, 0, 0], 0.1]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        json.dumps({"Frames": 3}),
        json.dumps({"Frames": []}),
        json.dumps({"Frames": [ROW[:-1]]}),
        json.dumps({"Frames": [[*ROW[:-1], True]]}),
        json.dumps({"Frames": [[*ROW[:-1], "x"]]}),
        json.dumps({"Frames": [[*ROW[:-1], float("inf")]]}),
        json.dumps({"Frames": [ROW, ROW], "Loop": [1]}),
        '{"Frames": [[' + LONG + "]]}",
    ],
)
def test_deepmimic_text_is_typed(tmp_path: Path, text: str) -> None:
    """Rows of unequal length, non-numbers and malformed JSON give one sentence."""
    path = tmp_path / "a.txt"
    path.write_text(text)
    assert refused(lambda: load(path)).startswith(str(path))


@pytest.mark.parametrize(
    "text",
    ["[]", '{"J": 3}', '{"J": [[0, 0]]}', '{"J": [["x", 0, 0]]}', '{"K": []}', DEEP, '{"J": [[NaN, 0, 0]]}'],
)
def test_rest_positions_are_typed(tmp_path: Path, text: str) -> None:
    """A model's joints must be rows of three numbers."""
    path = tmp_path / "model_J.json"
    path.write_text(text)
    assert refused(lambda: read_rest(path, 22)).startswith(str(path))


def archive(tmp_path: Path, **changes: object) -> Path:
    """Write a clip as an archive with some arrays changed."""
    save(segue.sample("walk"), tmp_path / "walk.npz")
    with np.load(tmp_path / "walk.npz") as held:
        arrays = {**held, **changes}
    np.savez(tmp_path / "changed.npz", **arrays)
    return tmp_path / "changed.npz"


@pytest.mark.parametrize("changes", [
    {"origin_clip": np.full((361, 2), -7)}, {"origin_clip": np.full((361, 2), 2**40)},
    {"origin_frame": np.full((361, 2), np.nan)}, {"origin_weight": np.full((361, 2), np.inf)},
    {"origin_frame": np.zeros((3, 2))}, {"origin_clip": np.zeros((361, 1), int)},
    {"origin_weight": np.zeros((361, 2), int)},
    {"parents": np.full(21, 99)}, {"offsets": np.full((21, 3), np.nan)}, {"names": np.array(["a"])},
    {"fps": np.array(-1.0)},
])  # fmt: skip
def test_origins_in_archives_are_held_against_the_clip(tmp_path: Path, changes: dict[str, Any]) -> None:
    """Arrays that do not fit one another give one sentence about the file."""
    path = archive(tmp_path, **changes)
    assert refused(lambda: load(path)).startswith(str(path))


def test_names_in_archives_are_text(tmp_path: Path) -> None:
    """Lone surrogates and NUL, which no other file can hold, become question marks."""
    names = list(segue.sample("walk").skeleton.names)
    path = archive(tmp_path, names=np.array(["\ud800x", "a\0b", *names[2:]]))
    assert load(path).skeleton.names[:2] == ("?x", "a?b")


def test_an_archive_unpacks_to_no_more_than_its_size_allows(tmp_path: Path) -> None:
    """The unpacked size of all arrays together is bounded."""
    many = {f"a{k}": np.zeros(900_000) for k in range(40)}
    np.savez_compressed(tmp_path / "many.npz", segue_format=np.array(1), **many)
    assert "holds no array" in refused(lambda: load(tmp_path / "many.npz"))
    from segue.io.npz_arrays import open_arrays

    opened = open_arrays(tmp_path / "many.npz")
    assert "its arrays up to" in refused(lambda: [opened.array(key) for key in opened.keys])


def gltf(folder: Path, uri: str) -> Path:
    """Write a clip as a .gltf whose buffer is in another file."""
    save(segue.sample("walk", fps=10.0), folder / "walk.glb")
    content = (folder / "walk.glb").read_bytes()
    size = int.from_bytes(content[12:16], "little")
    document = json.loads(content[20 : 20 + size])
    (folder / "my buf.bin").write_bytes(content[28 + size :])
    document["buffers"][0]["uri"] = uri
    (folder / "walk.gltf").write_text(json.dumps(document))
    (folder / "walk.glb").unlink()
    return folder / "walk.gltf"


@pytest.mark.parametrize(
    "uri", ["/dev/zero", "../../../../etc/passwd", "fifo.bin", "%2e%2e/other.bin", "none.bin"]
)
def test_a_library_reads_no_file_that_a_gltf_reader_would_not(tmp_path: Path, uri: str) -> None:
    """Devices, pipes and files outside the folder are skipped with the reader's sentence."""
    (tmp_path / "clips").mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "clips" / "fifo.bin")
    path = gltf(tmp_path / "clips", uri)
    with segue.Library.open(tmp_path / "moves.segue") as made:
        added = made.add(path)
        assert list(map(str, added.skipped)) == [str(path)]
        assert not made.clips()


def test_a_name_in_percents_is_the_file_it_names(tmp_path: Path) -> None:
    """A library notices a change of the buffer that a .gltf names with percent encoding."""
    path = gltf(tmp_path, "my%20buf.bin")
    with segue.Library.open(tmp_path / "moves.segue") as made:
        made.add(path)
        first = made.entry("walk").skeleton_file_sha256
    assert first
    buffer = tmp_path / "my buf.bin"
    content = bytearray(buffer.read_bytes())
    content[-8] ^= 1
    buffer.write_bytes(content)
    with segue.Library.open(tmp_path / "moves.segue") as made:
        made.add(path)
        assert made.entry("walk").skeleton_file_sha256 != first


@pytest.mark.parametrize(
    "error",
    [
        "ValueError('a\\nb')",
        "RecursionError()",
        "ZeroDivisionError('x')",
        "KeyError('k')",
        "AssertionError()",
    ],
)
def test_the_last_net_is_one_sentence(error: str) -> None:
    """An unforeseen error gives exit code 1, a sentence on how to report it, and a traceback on demand."""
    code = (
        "import sys\nfrom segue import cli\nsys.argv = ['segue', 'samples']\n"
        f"def fail(**_):\n    raise {error}\ncli.app = fail\ncli.main()"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert process.returncode == 1
    assert len(process.stderr.splitlines()) == 1
    assert error.partition("(")[0] in process.stderr
    assert "SEGUE_TRACEBACK=1" in process.stderr
    environment = {**os.environ, "SEGUE_TRACEBACK": "1"}
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
    )
    assert "Traceback" in process.stderr
