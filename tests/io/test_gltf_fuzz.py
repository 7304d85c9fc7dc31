"""glTF read: corrupted files give a clip or an error message, in little memory and time."""

from __future__ import annotations

import json
import struct
import time
import tracemalloc
from pathlib import Path

import numpy as np

from segue.errors import SegueError
from segue.io import load

CORPUS = Path(__file__).parent / "corpus_gltf"


def _mutant(content: bytes, rng: np.random.Generator) -> bytes:
    """Change some bytes, numbers or lengths of a file."""
    data = bytearray(content)
    kind = rng.integers(5)
    if kind == 0:
        for at in rng.integers(0, len(data), rng.integers(1, 4)):
            data[at] = rng.integers(256)
    elif kind == 1:
        del data[int(rng.integers(len(data))) :]
    elif kind == 2:
        start = int(rng.integers(len(data)))
        del data[start : start + int(rng.integers(1, 64))]
    elif kind == 3:
        start = int(rng.integers(len(data)))
        data[start:start] = data[: int(rng.integers(1, 200))]
    else:
        digits = [k for k, byte in enumerate(data[:6000]) if 48 <= byte <= 57]
        new = [b"9", b"0", b"-1", b"1e30", b"4294967296", b"null", b"[]", b"{}", b'"x"', b"NaN", b"0.5", b"7"]
        at = int(rng.choice(digits))
        data[at : at + 1] = new[rng.integers(len(new))]
        if data[:4] == b"glTF":
            size = struct.unpack_from("<I", data, 12)[0] + len(data) - len(content)
            struct.pack_into("<I", data, 8, len(data))
            struct.pack_into("<I", data, 12, size)
    return bytes(data)


def test_mutants_end_in_a_clip_or_in_words(tmp_path: Path) -> None:
    """500 corrupted files give only a clip or a SegueError, in little memory."""
    rng = np.random.default_rng(20240611)
    sources = [path for path in sorted(CORPUS.iterdir()) if path.suffix in {".glb", ".gltf"}]
    assert len(sources) >= 3
    contents = {path: path.read_bytes() for path in sources}
    read = 0
    started = time.process_time()
    tracemalloc.start()
    for index in range(500):
        source = sources[index % len(sources)]
        path = tmp_path / f"a{source.suffix}"
        path.write_bytes(_mutant(contents[source], rng))
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        try:
            clip = load(path)
        except SegueError:
            clip = None
        read += clip is not None
        assert tracemalloc.get_traced_memory()[1] - before < 64e6 + 30 * path.stat().st_size
    tracemalloc.stop()
    assert 30 < read < 450
    assert time.process_time() - started < 60


def test_the_corpus_is_our_own() -> None:
    """The generator of every file of the corpus is segue or the tests."""
    for path in CORPUS.iterdir():
        content = path.read_bytes()
        start = 20 if content[:4] == b"glTF" else 0
        document = json.JSONDecoder().raw_decode(content[start:].decode("utf-8", "replace"))[0]
        assert document["asset"]["generator"] in {"segue", "test"}
