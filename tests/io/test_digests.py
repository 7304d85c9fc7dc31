"""The digest of the bytes read: correct whenever it is requested, with few bytes kept for it."""

from __future__ import annotations

import copy
import gc
import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from segue.io import digests, load, save
from segue.io.digests import Digest
from segue.motion.clip import SourceFormat
from segue.motion.samples import sample


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("size", [0, 1, 50_000, 50_001, 400_000])
def test_it_is_the_digest_of_the_bytes(size: int) -> None:
    """It is correct on the first and the second request, small or large; after the first no bytes are kept."""
    content = bytes(k % 251 for k in range(size))
    digest = Digest(content)
    assert digest.waits in {0, size}
    assert digest() == digest() == sha(content)
    assert digest.waits == 0


def test_few_bytes_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest are hashed when the buffer is too small for the newest; digests no longer referenced are not."""
    monkeypatch.setattr(digests, "_ROOM", 250_000)
    monkeypatch.setattr(digests, "_waiting", [])
    kept = [Digest(bytes([k]) * 100_000) for k in range(4)]
    assert [one.waits > 0 for one in kept] == [False, False, True, True]
    assert [one() for one in kept[:3]] == [sha(bytes([k]) * 100_000) for k in range(3)]
    del kept[3]
    gc.collect()
    more = [Digest(bytes([9]) * 100_000) for _ in range(2)]
    assert all(one.waits for one in more)
    assert Digest(bytes(300_000)).waits == 0


def test_threads_may_ask_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Created and requested from several threads, each digest is that of its own bytes."""
    monkeypatch.setattr(digests, "_ROOM", 300_000)
    contents = [bytes([k]) * 60_000 for k in range(24)]
    expected = [sha(content) for content in contents]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            made = list(pool.map(Digest, contents))
            assert list(pool.map(Digest.__call__, made)) == expected


def test_bytes_asked_for_while_others_are_made_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A digest that another thread computed meanwhile was still counted in the buffer, and the list ran empty."""
    first = Digest(bytes(60_000))
    monkeypatch.setattr(digests, "_ROOM", 50_000)
    sizes = iter([60_000, 60_000, 0, 0])
    monkeypatch.setattr(Digest, "waits", property(lambda one: next(sizes) if one is first else 60_000))
    assert Digest(bytes(60_000))() == sha(bytes(60_000))
    assert first() == sha(bytes(60_000))


def test_a_source_format_takes_a_text_or_what_makes_it() -> None:
    """The digest reads as a string, compares and copies the same in both cases, and is computed once."""
    made = []

    def make() -> str:
        made.append(1)
        return "ab"

    given, later = SourceFormat(path="x", digest="ab"), SourceFormat(path="x", digest=make)
    assert not made
    assert given == later
    assert later.digest == given.digest == "ab"
    assert len(made) == 1
    assert SourceFormat().digest == ""
    assert replace(later, path="y").digest == "ab"
    waiting = SourceFormat(digest=Digest(bytes(60_000)))
    assert copy.deepcopy(waiting).digest == waiting.digest == sha(bytes(60_000))
    with pytest.raises(AttributeError):
        waiting.digest = "other"  # type: ignore[misc]


@pytest.mark.parametrize("encoding", [None, "latin-1"])
def test_a_read_clip_tells_the_bytes_of_its_file(encoding: str | None, tmp_path: Path) -> None:
    """The digest is that of the file's bytes, with its line ends and encoding, even when the file is gone."""
    path = tmp_path / "walk.bvh"
    save(sample("walk"), path)
    content = (
        path.read_bytes().replace(b"\n", b"\r\n").replace(b"ROOT ", b"ROOT \xe4" if encoding else b"ROOT ")
    )
    assert len(content) > digests._SMALL
    path.write_bytes(content)
    clip = load(path, encoding=encoding)
    path.unlink()
    assert clip.source is not None
    assert clip.source.digest == sha(content)
