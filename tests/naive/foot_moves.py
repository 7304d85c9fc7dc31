"""The move of a foot from its definition: least squares, row by row, with numpy's own solver."""

from __future__ import annotations

import math

import numpy as np


def turned(angle: float, p: list[float]) -> list[float]:
    """A ground vector (x, z) turned about the vertical; positive carries z towards x."""
    c, s = math.cos(angle), math.sin(angle)
    return [c * p[0] + s * p[1], c * p[1] - s * p[0]]


def moves(
    parts: list[list[list[float]]],
    ankles: list[list[float]],
    steps: list[list[list[float]]],
    weights: list[list[float]],
    window: tuple[int, int],
    fps: float,
    tau: float,
    home: float,
    lever: float,
) -> np.ndarray:
    """Shift and turn (n, 3) of each frame of a window, by Newton's method on the squares of the definition."""
    found = np.zeros((window[1] - window[0], 3))
    for _ in range(20):
        base, columns = residuals(found, parts, ankles, steps, weights, window, fps, tau, home, lever), []
        for k in range(found.size):
            step = np.zeros(found.size)
            step[k] = 1e-6
            ahead, behind = (
                residuals(
                    found + sign * step.reshape(found.shape),
                    parts,
                    ankles,
                    steps,
                    weights,
                    window,
                    fps,
                    tau,
                    home,
                    lever,
                )
                for sign in (1, -1)
            )
            columns.append((ahead - behind) / 2e-6)
        change = np.linalg.lstsq(np.column_stack(columns), -base, rcond=None)[0].reshape(found.shape)
        found = found + change
        if np.abs(change).max() < 1e-9:
            break
    return found


def slides(
    parts: list[list[list[float]]],
    ankles: list[list[float]],
    steps: list[list[list[float]]],
    firm: list[list[float]],
    moved: tuple[list[list[float]], list[float]],
    span: tuple[int, int],
) -> float:
    """Metres by which the worse of heel and toe moves too far within a span, including the steps into and out of it."""
    shift, turn = moved
    worst = -math.inf
    for part in (0, 1):
        places = []
        for frame, ankle in enumerate(ankles):
            lever = [parts[frame][part][axis] - ankle[axis] for axis in (0, 1)]
            lever = turned(turn[frame], lever)
            places.append([ankle[axis] + shift[frame][axis] + lever[axis] for axis in (0, 1)])
        total = 0.0
        for frame in range(max(span[0], 1), min(span[1] + 1, len(places))):
            went, wanted = math.dist(places[frame], places[frame - 1]), math.hypot(*steps[frame][part])
            total += firm[frame][part] * (went - wanted)
        worst = max(worst, total)
    return worst


def farthest(path: list[list[float]]) -> float:
    """Largest distance in metres of a ground path from its mean position."""
    middle = [sum(place[axis] for place in path) / len(path) for axis in (0, 1)]
    return max(math.dist(place, middle) for place in path)


def residuals(
    values: np.ndarray,
    parts: list[list[list[float]]],
    ankles: list[list[float]],
    steps: list[list[list[float]]],
    weights: list[list[float]],
    window: tuple[int, int],
    fps: float,
    tau: float,
    home: float,
    lever: float,
) -> np.ndarray:
    """Residuals of the least squares: missed steps, accelerations, and the moves themselves."""
    start, stop = window
    n = len(parts)

    def move(t: int, values: np.ndarray) -> np.ndarray:
        return values[t - start] if start <= t < stop else np.zeros(3)

    def place(t: int, part: int, values: np.ndarray) -> np.ndarray:
        x, z, turn = move(t, values)
        q = turned(turn, [parts[t][part][0] - ankles[t][0], parts[t][part][1] - ankles[t][1]])
        return np.array([ankles[t][0] + q[0] + x, ankles[t][1] + q[1] + z])

    rows: list[float] = []
    for t in range(max(start, 1), min(stop + 1, n)):
        for part in (0, 1):
            missed = place(t, part, values) - place(t - 1, part, values) - np.array(steps[t][part])
            rows += [math.sqrt(weights[t][part]) * fps * float(v) for v in missed]
    for t in range(max(start - 1, 1), min(stop + 1, n - 1)):
        bend = move(t - 1, values) - 2 * move(t, values) + move(t + 1, values)
        rows += [tau * fps**2 * float(v) for v in bend * [1.0, 1.0, lever]]
    rows += [home * float(v) for v in (values * [1.0, 1.0, lever]).ravel()]
    return np.array(rows)
