"""Fits to joint positions from their definitions, in loops and without segue."""

from __future__ import annotations

import math

import numpy as np


def best_turn(targets: list[list[float]], rest: list[list[float]]) -> list[list[float]]:
    """Least-squares rotation matrix from vectors to targets: Davenport's top eigenvector."""
    sums = [
        [sum(t[a] * r[b] for t, r in zip(targets, rest, strict=True)) for b in range(3)] for a in range(3)
    ]
    z = [sums[2][1] - sums[1][2], sums[0][2] - sums[2][0], sums[1][0] - sums[0][1]]
    trace = sums[0][0] + sums[1][1] + sums[2][2]
    k = [[trace, *z]]
    k += [[z[a], *(sums[a][b] + sums[b][a] - (trace if a == b else 0.0) for b in range(3))] for a in range(3)]
    _, vectors = np.linalg.eigh(np.array(k))
    w, x, y, z_ = vectors[:, -1].tolist()
    return [
        [1 - 2 * (y * y + z_ * z_), 2 * (x * y - w * z_), 2 * (x * z_ + w * y)],
        [2 * (x * y + w * z_), 1 - 2 * (x * x + z_ * z_), 2 * (y * z_ - w * x)],
        [2 * (x * z_ - w * y), 2 * (y * z_ + w * x), 1 - 2 * (x * x + y * y)],
    ]


def followed(
    evidence: list[complex], carried: list[float], *, stiffness: float, shortest: float
) -> list[float]:
    """Angles of numbers z that minimise ``sum |e||z - e/|e||^2 + shortest |z - 1|^2 + stiffness |z' - z|^2``.

    In the last term each number is first rotated back by the angle through which the bone was carried, so that
    following the carried bone costs nothing.
    """
    count = len(evidence)
    system = [[0.0j] * count for _ in range(count)]
    right = [0.0j] * count
    for t in range(count):
        back = complex(math.cos(carried[t]), -math.sin(carried[t]))
        system[t][t] += abs(evidence[t]) + shortest
        right[t] += (evidence[t] + shortest) * back
        if t + 1 < count:
            system[t][t] += stiffness
            system[t + 1][t + 1] += stiffness
            system[t][t + 1] -= stiffness
            system[t + 1][t] -= stiffness
    found = np.linalg.solve(np.array(system), np.array(right))
    out = []
    for t in range(count):
        z = complex(found[t]) * complex(math.cos(carried[t]), math.sin(carried[t]))
        out.append(math.atan2(z.imag, z.real))
    return out


def bridged(offsets: list[list[float] | None]) -> list[list[float]]:
    """Vectors with gaps filled by linear interpolation; gaps at the ends hold the nearest vector."""
    known = [t for t, offset in enumerate(offsets) if offset is not None]
    out = []
    for t, offset in enumerate(offsets):
        if offset is not None:
            out.append(offset)
            continue
        before = max((k for k in known if k < t), default=known[0])
        after = min((k for k in known if k > t), default=known[-1])
        share = 0.0 if after == before else min(max((t - before) / (after - before), 0.0), 1.0)
        a, b = offsets[before], offsets[after]
        assert a is not None
        assert b is not None
        out.append([p + share * (q - p) for p, q in zip(a, b, strict=True)])
    return out


def median_length(a: list[list[float]], b: list[list[float]]) -> float:
    """Median distance of two points over the frames in which both are present."""
    found = sorted(
        math.dist(p, q) for p, q in zip(a, b, strict=True) if not any(math.isnan(v) for v in (*p, *q))
    )
    half = len(found) // 2
    return found[half] if len(found) % 2 else 0.5 * (found[half - 1] + found[half])
