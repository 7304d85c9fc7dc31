"""Measures of seams and feet from their definitions, one frame and one joint at a time. Imports nothing from segue."""

from __future__ import annotations

import math

from naive.quaternions import world_by_matrices

Rotations = list[list[list[float]]]
"""Frames of joints of four numbers."""
Places = list[list[list[float]]]
"""Frames of joints of three numbers."""


def turn_between(a: list[float], b: list[float]) -> float:
    """Smallest rotation from one orientation to another, radians.

    Twice the arc between q and the nearer of the two quaternions of the other; by chords, exact for small angles.
    """
    near = math.dist(a, b)
    far = math.dist(a, [-x for x in b])
    return 4 * math.asin(min(1.0, min(near, far) / 2))


def world_places(
    rotations: Rotations, roots: list[list[float]], parents: list[int], offsets: list[list[float]]
) -> Places:
    """World position of every joint in every frame."""
    out = []
    for pose, root in zip(rotations, roots, strict=True):
        frames = world_by_matrices(pose, root, parents, offsets)
        out.append([[frame[axis][3] for axis in range(3)] for frame in frames])
    return out


def speed_at(rotations: Rotations, frame: int, joint: int, fps: float) -> float:
    """Angular speed from the previous frame to this one, rad/s."""
    return turn_between(rotations[frame - 1][joint], rotations[frame][joint]) * fps


def acceleration_at(places: Places, frame: int, joint: int, fps: float) -> float:
    """Length of the second difference at a frame, m/s^2."""
    second = [
        places[frame + 1][joint][axis] - 2 * places[frame][joint][axis] + places[frame - 1][joint][axis]
        for axis in range(3)
    ]
    return math.hypot(*second) * fps * fps


def made_peaks(
    rotations: Rotations, places: Places, start: int, stop: int, fps: float
) -> tuple[list[float], list[float]]:
    """Largest speed and acceleration of each joint over the blended frames and one frame on each side.

    A hard cut (start = stop) has no blended frames: only the last frame before and the first after it remain.
    """
    n, joints = len(rotations), len(rotations[0])
    speeds, accelerations = [0.0] * joints, [0.0] * joints
    for joint in range(joints):
        for frame in range(max(start, 1), min(stop + 1, n)):
            speeds[joint] = max(speeds[joint], speed_at(rotations, frame, joint, fps))
        for frame in range(start - 1, stop + 1):
            if 1 <= frame < n - 1:
                accelerations[joint] = max(accelerations[joint], acceleration_at(places, frame, joint, fps))
    return speeds, accelerations


def source_peaks(
    rotations: Rotations, places: Places, middle: int, fps: float
) -> tuple[list[float], list[float]]:
    """Largest speed and acceleration of each joint within half a second of a frame of a source."""
    n, joints = len(rotations), len(rotations[0])
    speeds, accelerations = [0.0] * joints, [0.0] * joints
    for joint in range(joints):
        for frame in range(n):
            if abs(frame - middle) > 0.5 * fps:
                continue
            if frame >= 1:
                speeds[joint] = max(speeds[joint], speed_at(rotations, frame, joint, fps))
            if 1 <= frame < n - 1:
                accelerations[joint] = max(accelerations[joint], acceleration_at(places, frame, joint, fps))
    return speeds, accelerations


def slides(
    places: Places, flags: list[list[bool]], names: tuple[str, ...]
) -> list[tuple[str, int, int, float, float]]:
    """Every plant of every foot part: name, first frame, frame after the last, slide end to end and along the path."""
    out = []
    for part, name in enumerate(names):
        frame = 0
        while frame < len(flags):
            if not flags[frame][part]:
                frame += 1
                continue
            start = frame
            path = 0.0
            while frame + 1 < len(flags) and flags[frame + 1][part]:
                path += on_ground(places[frame][part], places[frame + 1][part])
                frame += 1
            out.append((name, start, frame + 1, on_ground(places[start][part], places[frame][part]), path))
            frame += 1
    return out


def on_ground(a: list[float], b: list[float]) -> float:
    """Distance on the ground plane."""
    return math.hypot(b[0] - a[0], b[2] - a[2])


def planted_speeds(places: Places, both: list[list[bool]], blended: list[int], fps: float) -> list[float]:
    """Horizontal speed of every foot part into each blended frame, where both sources plant it then and just before."""
    return [
        on_ground(places[frame - 1][part], places[frame][part]) * fps
        for frame in blended
        for part in range(len(places[0]))
        if frame > 0 and both[frame][part] and both[frame - 1][part]
    ]
