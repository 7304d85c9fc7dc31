"""Packed motion decoded number by number, as its description defines it."""

from __future__ import annotations

import base64
import math
import zlib


def unpacked(document: dict) -> tuple[list[list[float]], list[list[list[float]]]]:
    """Root positions and quaternions of every frame."""
    frames, joints = document["frames"], document["joints"]
    raw = zlib.decompress(base64.b64decode(document["data"]))
    kept = [0, 1, 2]
    for joint in range(joints):
        kept += [3 + 4 * joint + c for c in range(4) if abs(document["left_out"][joint]) - 1 != c]
    count = frames * len(kept)
    assert len(raw) == count * document["planes"]
    rows = {}
    for row, channel in enumerate(kept):
        folded = [
            sum(
                raw[plane * count + row * frames + frame] << (8 * plane)
                for plane in range(document["planes"])
            )
            for frame in range(frames)
        ]
        step = document["root_step"] if channel < 3 else document["step"]
        rows[channel] = [value * step for value in summed(folded)]
    roots = [[rows[c][frame] for c in range(3)] for frame in range(frames)]
    turns = []
    for frame in range(frames):
        pose = []
        for joint in range(joints):
            code = document["left_out"][joint]
            quaternion = [rows[3 + 4 * joint + c][frame] if abs(code) - 1 != c else 0.0 for c in range(4)]
            if code:
                left = max(1.0 - sum(x * x for x in quaternion), 0.0)
                quaternion[abs(code) - 1] = math.copysign(math.sqrt(left), code)
            size = math.sqrt(sum(x * x for x in quaternion))
            pose.append([x / size for x in quaternion])
        turns.append(pose)
    return roots, turns


def summed(folded: list[int]) -> list[int]:
    """Values with the given folded second differences."""
    values: list[int] = []
    for frame, number in enumerate(folded):
        bend = number // 2 if number % 2 == 0 else -(number + 1) // 2
        if frame == 0:
            values.append(bend)
        elif frame == 1:
            values.append(values[0] + bend)
        else:
            values.append(2 * values[-1] - values[-2] + bend)
    return values
