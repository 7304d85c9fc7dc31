"""Searches over a cost matrix by plain loops: minima, merging, means, diagonal runs."""

import math


def neighbours(n, m, i, j):
    """All cells around (i, j) inside an n by m matrix."""
    return [
        (r, c)
        for r in range(i - 1, i + 2)
        for c in range(j - 1, j + 2)
        if (r, c) != (i, j) and 0 <= r < n and 0 <= c < m
    ]


def local_minima(values, least=None):
    """Cells below all their neighbours; of equal neighbours the one that comes first in row order counts as lower."""
    n, m = len(values), len(values[0])
    found = []
    for i in range(n):
        for j in range(m):
            if not math.isfinite(values[i][j]) or (least is not None and j - i < least):
                continue
            mine = (values[i][j], i, j)
            if all(mine < (values[r][c], r, c) for r, c in neighbours(n, m, i, j)):
                found.append([i, j])
    return found


def sector_minima(values, sector, least=None):
    """Cheapest allowed cell of every tile."""
    n, m = len(values), len(values[0])
    found = []
    for top in range(0, n, sector):
        for left in range(0, m, sector):
            cells = [
                (values[i][j], i, j)
                for i in range(top, min(n, top + sector))
                for j in range(left, min(m, left + sector))
                if math.isfinite(values[i][j]) and (least is None or j - i >= least)
            ]
            if cells:
                found.append(list(min(cells)[1:]))
    return found


def keep_first(cells, order, reach):
    """Go through the cells in order; keep one when no cell kept before is within reach on both axes."""
    kept = []
    for k in order:
        i, j = cells[k]
        if not any(abs(cells[o][0] - i) <= reach and abs(cells[o][1] - j) <= reach for o in kept):
            kept.append(k)
    return [k in kept for k in range(len(cells))]


def path_mean(values, cell, first, count):
    """Mean of the cells from cell + first along the diagonal, as far as they are inside the matrix."""
    n, m = len(values), len(values[0])
    inside = []
    for t in range(count):
        i, j = cell[0] + first[0] + t, cell[1] + first[1] + t
        if 0 <= i < n and 0 <= j < m:
            inside.append(float(values[i][j]))
    return sum(inside) / len(inside) if inside else math.inf


def longest_run(values, limits):
    """First of the longest diagonal runs at or below the rows' limits, searched from bottom left to top right."""
    n, m = len(values), len(values[0])
    best = [0, 0, 0]
    for start in range(-(n - 1), m):
        for i in range(n):
            j = i + start
            length = 0
            while (
                0 <= j + length < m
                and i + length < n
                and values[i + length][j + length] <= limits[i + length]
            ):
                length += 1
            if length > best[2]:
                best = [i, j, length]
    return best


def lag_residual(x, y, lag):
    """Squared difference of two shifted signals about their means, over the sum of their own squares."""
    pairs = [(x[i], y[i + lag]) for i in range(len(x)) if 0 <= i + lag < len(y)]
    gap = size = 0.0
    for s in range(len(x[0])):
        mean_x = sum(p[s] for p, _ in pairs) / len(pairs)
        mean_y = sum(q[s] for _, q in pairs) / len(pairs)
        gap += sum(((p[s] - mean_x) - (q[s] - mean_y)) ** 2 for p, q in pairs)
        size += sum((p[s] - mean_x) ** 2 + (q[s] - mean_y) ** 2 for p, q in pairs)
    return gap / size if size > 0 else math.inf
