"""Motion of the ground relative to the feet, by loops. Imports nothing from segue."""

from __future__ import annotations

import math


def smoothed(values: list[float], weights: list[float], stiffness: float, *, wraps: bool) -> list[float]:
    """Numbers z that minimise the sum of w (y - z)^2 and of stiffness (z' - z)^2 between neighbours.

    At the minimum the derivative by each z is 0: as many linear equations as numbers, solved by elimination.
    """
    n = len(values)
    rows = [[0.0] * n + [weights[k] * values[k]] for k in range(n)]
    for k in range(n):
        rows[k][k] += weights[k]
    for k in range(n if wraps else n - 1):
        after = (k + 1) % n
        rows[k][k] += stiffness
        rows[after][after] += stiffness
        rows[k][after] -= stiffness
        rows[after][k] -= stiffness
    for k in range(n):
        best = max(range(k, n), key=lambda r: abs(rows[r][k]))
        rows[k], rows[best] = rows[best], rows[k]
        for r in range(k + 1, n):
            factor = rows[r][k] / rows[k][k]
            for c in range(k, n + 1):
                rows[r][c] -= factor * rows[k][c]
    out = [0.0] * n
    for k in reversed(range(n)):
        out[k] = (rows[k][n] - sum(rows[k][c] * out[c] for c in range(k + 1, n))) / rows[k][k]
    return out


def shares(
    steps: list[list[list[float]]],
    own: list[list[float]],
    heights: list[list[float]],
    leg: float,
    fps: float,
    *,
    wraps: bool,
) -> list[list[float]]:
    """Share with which each foot part moves with the ground: low, and as fast as other low parts close in time."""
    n, parts = len(steps), len(steps[0])

    def bell(x: float) -> float:
        return math.exp(-0.5 * x * x)

    def low(t: int, p: int) -> float:
        return bell(max(heights[t][p], 0.0) / (0.05 * leg))

    reach = min(int(2.5 * 0.15 * fps), (n - 1) // 2 if wraps else n - 1)
    votes = [[0.0] * parts for _ in range(n)]
    for t in range(n):
        for p in range(parts):
            width = 0.3 * leg + 0.15 * math.dist(steps[t][p], own[t])
            for offset in range(-reach, reach + 1):
                s = t + offset
                if wraps:
                    s %= n
                elif not 0 <= s < n:
                    continue
                for q in range(parts):
                    apart = math.dist(steps[t][p], steps[s][q])
                    votes[t][p] += bell(offset / fps / 0.15) * low(s, q) * bell(apart / width)
    most = max(low(t, p) * votes[t][p] for t in range(n) for p in range(parts))
    out = []
    for t in range(n):
        best = max(votes[t])
        out.append([(low(t, p) * votes[t][p] / most) ** 2 * (votes[t][p] / best) ** 4 for p in range(parts)])
    return out
