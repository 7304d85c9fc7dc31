"""Corrupted files of every kind except text: only `SegueError`, little memory, little time."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import os
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from naive import c3d as naive_c3d
from segue.errors import SegueError
from segue.io import load
from segue.io.fbx_write import write_fbx
from segue.io.markers import Markers, read_markers, write_trc
from segue.motion.resample import cut, resampled
from segue.motion.samples import sample

COUNT = int(os.environ.get("SEGUE_FUZZ", "300"))
"""Corrupted files per reader; the environment variable of that name sets another number."""
SEED = 7
WORDS = [
    b"nan",
    b"-inf",
    b"1e999",
    b"999999999999",
    b"-1",
    b"0",
    b"",
    b"[",
    b"{",
    b"\t",
    b"\n",
    b"null",
    b'"',
    b"\xff\xfe",
]


def mutated(rng: np.random.Generator, content: bytes) -> bytes:
    """One to four corruptions: bytes changed, a stretch removed, doubled or replaced, the end cut off."""
    for _ in range(int(rng.integers(1, 5))):
        at = int(rng.integers(0, len(content) + 1))
        span = int(rng.integers(0, 1 + min(64, len(content))))
        match int(rng.integers(0, 6)):
            case 0:
                noise = rng.integers(0, 256, max(1, span // 8), dtype=np.uint8).tobytes()
                content = content[:at] + noise + content[at + len(noise) :]
            case 1:
                content = content[:at] + content[at + span :]
            case 2:
                content = content[: at + span] + content[at:]
            case 3:
                content = (
                    content[:at]
                    + WORDS[int(rng.integers(len(WORDS)))]
                    + content[at + int(rng.integers(0, 9)) :]
                )
            case 4:
                content = content[:at]
            case _:
                content = content[:at] + b"\xff" * int(rng.integers(1, 9)) + content[at + 4 :]
    return content


def checked(path: Path, content: bytes, read: Callable[[Path], object], *, limit: float = 2.0) -> bool:
    """Read one corrupted file; return whether it could still be read."""
    path.write_bytes(content)
    reported = None
    tracemalloc.start()
    begun = time.process_time()
    try:
        read(path)
    except SegueError as error:
        reported = str(error)
    finally:
        peak, seconds = tracemalloc.get_traced_memory()[1], time.process_time() - begun
        tracemalloc.stop()
    assert peak <= 64e6 + 30 * len(content)
    assert seconds <= limit + len(content) / 1e6
    assert reported is None or (str(path) in reported and len(reported) < 1000)
    return reported is None


def _quietly(read: Callable[[Path], object], path: Path) -> None:
    with contextlib.suppress(SegueError):
        read(path)


def fuzz(
    path: Path, content: bytes, read: Callable[[Path], object], count: int = COUNT, limit: float = 2.0
) -> None:
    """Read many corrupted copies, each within the limits of `checked`."""
    rng = np.random.default_rng(SEED)
    path.write_bytes(content)
    # One-time compilation does not count; an intact file may be refused, but only by a SegueError.
    _quietly(read, path)
    for _ in range(count):
        checked(path, mutated(rng, content), read, limit=limit)


def deepmimic() -> bytes:
    """A standing body, 20 frames."""
    row = [1 / 30, 0.0, 0.9, 0.0, *[1.0, 0.0, 0.0, 0.0] * 3]
    row += [1.0, 0.0, 0.0, 0.0, -0.1, *[1.0, 0.0, 0.0, 0.0] * 2, 0.2] * 2
    return json.dumps({"Loop": "none", "Frames": [row] * 20}).encode()


def archives() -> Iterator[dict[str, np.ndarray]]:
    """Both kinds of archives."""
    rng = np.random.default_rng(1)
    yield {
        "poses": rng.normal(0, 0.1, (12, 66)),
        "trans": rng.normal(0, 0.1, (12, 3)),
        "mocap_framerate": np.array(60.0),
    }
    yield {
        "posed_joints": np.zeros((12, 4, 3), dtype=np.float32),
        "global_rot_mats": np.tile(np.eye(3, dtype=np.float32), (12, 4, 1, 1)),
    }


def test_deepmimic(tmp_path: Path) -> None:
    """JSON that is corrupted, deeply nested or very long stays within the limits."""
    fuzz(tmp_path / "a.txt", deepmimic(), load)
    deep = b'{"Frames": ' + b"[" * 200_000
    assert not checked(tmp_path / "a.txt", deep, load, limit=6.0)
    many = b'{"Frames": [' + b"[]," * 300_000 + b"[]]}"
    assert not checked(tmp_path / "a.txt", many, load, limit=6.0)


@pytest.mark.parametrize("packed", [True, False])
def test_npz(tmp_path: Path, packed: bool) -> None:
    """A corrupted archive stays within the limits, packed or not."""
    for arrays in archives():
        stream = io.BytesIO()
        (np.savez_compressed if packed else np.savez)(stream, **arrays)
        fuzz(tmp_path / "a.npz", stream.getvalue(), load, COUNT // 2)


def test_arrays_inside_npz(tmp_path: Path) -> None:
    """Arrays with corrupted headers and numbers, in an archive with correct checksums, stay within the limits."""
    import zipfile

    rng = np.random.default_rng(SEED)
    for arrays in archives():
        for _ in range(COUNT // 2):
            stream = io.BytesIO()
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
                for key, value in arrays.items():
                    inside = io.BytesIO()
                    np.save(inside, value)
                    content = inside.getvalue()
                    archive.writestr(f"{key}.npy", mutated(rng, content) if rng.random() < 0.5 else content)
            checked(tmp_path / "a.npz", stream.getvalue(), load)


@pytest.mark.parametrize("kind", naive_c3d.PROCESSOR)
def test_c3d(tmp_path: Path, kind: str) -> None:
    """Corrupted headers, parameters and samples stay within the limits."""
    rows = [[(k + 1.0, 2.0, 3.0, 0.0), (4.0, 5.0, k + 6.0, 0.0)] for k in range(20)]
    content = naive_c3d.file(kind, rows, scale=-1.0, labels=["A", "B"], analog=2)
    fuzz(tmp_path / "a.c3d", content, read_markers)
    # The first kilobyte holds all lengths.
    rng = np.random.default_rng(SEED)
    for _ in range(COUNT):
        checked(tmp_path / "a.c3d", mutated(rng, content[:1024]) + content[1024:], read_markers)


def test_trc(tmp_path: Path) -> None:
    """Corrupted text, and a header of many markers over rows of few numbers, stay within the limits."""
    markers = Markers(["A", "B"], np.arange(60.0).reshape(10, 2, 3) / 60, 50.0)
    write_trc(markers, tmp_path / "made.trc")
    content = (tmp_path / "made.trc").read_bytes()
    fuzz(tmp_path / "a.trc", content, read_markers)
    lines = content.split(b"\n")
    wide = b"\n".join([*lines[:3], b"Frame#\tTime" + b"\tA" * 50_000, b"", *[b"1"] * 50_000])
    assert not checked(tmp_path / "a.trc", wide, read_markers)


@pytest.mark.skipif(importlib.util.find_spec("ufbx") is None, reason="needs the fbx extra")
def test_fbx(tmp_path: Path) -> None:
    """A corrupted binary file stays within the limits; each is read in a process of its own, so they are few."""
    clip = cut(resampled(sample("walk"), 10), 0, 4)
    write_fbx(clip, tmp_path / "made.fbx")
    fuzz(tmp_path / "a.fbx", (tmp_path / "made.fbx").read_bytes(), load, 25, 20.0)
