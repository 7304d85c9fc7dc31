"""Damaged text files, as disks, mail programs, careless edits and malice produce them."""

from __future__ import annotations

import numpy as np

WORDS = (
    b"nan", b"inf", b"-1e999", b"1e-999", b"-", b".", b"0", b"-1", b"1e308", b"99999999999999999999", b"1_0", b"1,5",
    b"0x1F", b"{", b"}", b"#", b"", b"\x00", b"\xff\xfe", b"\xc3\xa4", b"Xposition", b"JOINT", b"End Site", b"MOTION",
    b"CHANNELS 3 Xrotation Yrotation Zrotation", b"OFFSET 0 0", b":hierarchy", b"begin", b"end", b"root", b"dof rx",
    b"9" * 5000, b"Frames: 99999999999", b"Frame Time: 1e-300", b"-0.0", b"12345678901234567", b"3.0000000000000000001",
)  # fmt: skip
LONGEST = 200_000


def mutant(rng: np.random.Generator, content: bytes) -> bytes:
    """Damage a file in one to four places."""
    for _ in range(int(rng.choice([1, 2, 3, 4], p=[0.6, 0.2, 0.1, 0.1]))):
        content = _WOUNDS[int(rng.integers(len(_WOUNDS)))](rng, content)
    return content[:LONGEST]


def _noise(rng: np.random.Generator, content: bytes) -> bytes:
    """Change some bytes."""
    data = bytearray(content or b" ")
    for at in rng.integers(0, len(data), int(rng.integers(1, 6))):
        data[at] = int(rng.integers(256))
    return bytes(data)


def _stretch(rng: np.random.Generator, content: bytes) -> tuple[int, int]:
    at = int(rng.integers(0, len(content) + 1))
    return at, at + int(rng.integers(0, 200))


def _lost(rng: np.random.Generator, content: bytes) -> bytes:
    a, b = _stretch(rng, content)
    return content[:a] + content[b:]


def _doubled(rng: np.random.Generator, content: bytes) -> bytes:
    a, b = _stretch(rng, content)
    return content[:b] + content[a:b] * int(rng.integers(1, 4)) + content[b:]


def _cut(rng: np.random.Generator, content: bytes) -> bytes:
    return content[: int(rng.integers(0, len(content) + 1))]


def _word(rng: np.random.Generator, content: bytes) -> bytes:
    """Change one word of a line."""
    lines = content.split(b"\n")
    at = int(rng.integers(len(lines)))
    words = lines[at].split(b" ")
    words[int(rng.integers(len(words)))] = WORDS[int(rng.integers(len(WORDS)))]
    lines[at] = b" ".join(words)
    return b"\n".join(lines)


def _lines(rng: np.random.Generator, content: bytes) -> bytes:
    """Delete a line, double it, swap it with another, or join it to the next."""
    lines = content.split(b"\n")
    a, b = (int(k) for k in rng.integers(0, len(lines), 2))
    kind = int(rng.integers(4))
    if kind == 0:
        del lines[a]
    elif kind == 1:
        lines.insert(b, lines[a])
    elif kind == 2:
        lines[a], lines[b] = lines[b], lines[a]
    else:
        lines[a : a + 2] = [b" ".join(lines[a : a + 2])]
    return b"\n".join(lines)


def _ends(rng: np.random.Generator, content: bytes) -> bytes:
    """Change the line ends or the encoding."""
    kind = int(rng.integers(4))
    if kind == 3:
        return content.decode("latin-1").encode("utf-16")
    return content.replace(b"\n", (b"\r\n", b"\r", b"\f\n")[kind])


def _deep(rng: np.random.Generator, content: bytes) -> bytes:
    """Insert a long chain of joints, or of braces."""
    lines = content.split(b"\n")
    count = int(rng.choice([3, 50, 1000, 4000], p=[0.5, 0.38, 0.1, 0.02]))
    chain = (
        [b"JOINT j%d\n{\nOFFSET 0 1 0\nCHANNELS 0" % k for k in range(count)] + [b"}"] * count,
        [b"JOINT a\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation"] * count,
        [b"{"] * count,
        [b"}"] * count,
        [b"begin\nname b%d\nend" % k for k in range(count)],
    )[int(rng.integers(5))]
    at = int(rng.integers(len(lines) + 1))
    return b"\n".join([*lines[:at], *chain, *lines[at:]])


def _many(rng: np.random.Generator, content: bytes) -> bytes:
    """Repeat a line many times, or a word many times in a line."""
    lines = content.split(b"\n")
    at = int(rng.integers(len(lines)))
    count = int(rng.choice([10, 1000, 20000], p=[0.6, 0.35, 0.05]))
    if rng.random() < 0.5:
        lines[at : at + 1] = [lines[at]] * min(count, 1 + LONGEST // (1 + len(lines[at])))
    else:
        lines[at] += b" 1" * count
    return b"\n".join(lines)


_WOUNDS = (_noise, _lost, _doubled, _cut, _word, _word, _word, _lines, _lines, _ends, _deep, _many)
