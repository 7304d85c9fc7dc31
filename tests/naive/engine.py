"""What the engine's passes over a block of costs do, with plain loops."""

from itertools import pairwise

from naive.minima import neighbours


def wall(block, rows, runs, far):
    """The block with cells of dead rows and dead columns as dear as far."""
    dead = {j for first, last in runs for j in range(first, last)}
    return [
        [value if live and j not in dead else far for j, value in enumerate(row)]
        for row, live in zip(block, rows, strict=True)
    ]


def rows_of_strip(first, live, columns_live, start, low, high):
    """Of a strip: first column of each row, of each four rows the first that counts or is a neighbour, cells before."""
    rows, columns = len(first), len(columns_live)

    def counts(r, c):
        return 0 <= r < rows and low <= c < high and c >= first[r] and live[r] and columns_live[c]

    done = [0]
    for r in range(rows):
        done.append(done[-1] + sum(counts(r, c) for c in range(columns)))
    wanted = []
    for top in range(0, rows, 4):
        near = [
            c - start
            for c in range(columns)
            for r in range(top, top + 4)
            if any(first[q] <= d for q in (r - 1, r) if 0 <= q < rows for d in (c, c + 1))
        ]
        wanted.append(max(min(near, default=columns), 0))
    return [f - start for f in first], wanted, done


def cheaper(block, first_row, least, far):
    """Cheapest cell of each column and its row, (far, -1) where no cell counts; of equals the first."""
    out = []
    for j in range(len(block[0])):
        cells = [(row[j], first_row + r) for r, row in enumerate(block) if j >= least[r] and row[j] < far]
        out.append(min(cells, default=(far, -1)))
    return out


def lowest_of(best, place, edges):
    """Row and column of the cheapest of each run of columns; of equals the smallest row, then column."""
    out = []
    for k in range(len(edges) - 1):
        cells = [(best[j], place[j], j) for j in range(edges[k], edges[k + 1]) if place[j] >= 0]
        if cells:
            out.append(list(min(cells)[1:]))
    return out


def low_minima(block, least, limit, first):
    """Inner cells at or below the limit that no neighbour undercuts, equal neighbours in row order."""
    n, m = len(block), len(block[0])
    out = []
    for i in range(1, n - 1):
        for j in range(max(first, least[i]), m - 1):
            mine = (block[i][j], i, j)
            if mine[0] <= limit and all(mine < (block[r][c], r, c) for r, c in neighbours(n, m, i, j)):
                out.append([i, j])
    return out


def window_cost(a, b, taps):
    """Cost of two windows of places (T, D, 3) about their frames' middles (T, 3), every place the same weight, aligned.

    Sums run over whole places; both clouds are centred on the ground, the turn is the best one.
    """
    clouds = []
    for places, middles in (a, b):
        whole = [[[p + m for p, m in zip(place, middle, strict=True)] for place in frame]
                 for frame, middle in zip(places, middles, strict=True)]  # fmt: skip
        mean = [sum(w * m[c] for w, m in zip(taps, middles, strict=True)) for c in (0, 2)]
        clouds.append([[(x - mean[0], y, z - mean[1]) for x, y, z in frame] for frame in whole])
    same = cross = apart = 0.0
    for weight, here, there in zip(taps, *clouds, strict=True):
        for (x, y, z), (u, v, w) in zip(here, there, strict=True):
            share = weight / len(here)
            same += share * (x * u + z * w)
            cross += share * (x * w - z * u)
            apart += share * (x * x + z * z + u * u + w * w + (y - v) ** 2)
    return apart - 2.0 * (same * same + cross * cross) ** 0.5


def bound(u, y, v, t):
    """Lower bound of a cost from complex ground coordinates and real heights of two windows."""
    inner = abs(sum(p * q.conjugate() for p, q in zip(u, v, strict=True)))
    size = sum(abs(p) ** 2 for p in u) + sum(abs(q) ** 2 for q in v)
    return size - 2.0 * inner + sum((p - q) ** 2 for p, q in zip(y, t, strict=True))


def near_tiles(bounds, radii_a, radii_b, root, first):
    """Tiles whose hearts are no farther apart than the root cost and both radii."""
    return [
        [j for j in range(max(0, first[i]), len(row)) if row[j] ** 0.5 <= root + radii_a[i] + radii_b[j]]
        for i, row in enumerate(bounds)
    ]


def lowest_exactly(costs, limit, live_rows, live_columns):
    """Cells at or below the limit that no live neighbour undercuts, equal neighbours in row order."""
    n, m = len(costs), len(costs[0])
    out = []
    for i in range(n):
        for j in range(m):
            mine = (costs[i][j], i, j)
            beside = [(r, c) for r, c in neighbours(n, m, i, j) if live_rows[r] and live_columns[c]]
            if mine[0] <= limit and all(mine < (costs[r][c], r, c) for r, c in beside):
                out.append([i, j])
    return out


def nearly_low(block, least, limit, slack, first):
    """Inner cells at or below the limit that no neighbour undercuts by more than the slack."""
    n, m = len(block), len(block[0])
    return [
        [i, j]
        for i in range(1, n - 1)
        for j in range(max(first, least[i]), m - 1)
        if block[i][j] <= limit and all(block[i][j] - slack <= block[r][c] for r, c in neighbours(n, m, i, j))
    ]


def cheapest_of_sectors(block, least, begins, edges, dead):
    """Row and column of the cheapest cell of every sector of a block, sectors in row order."""
    starts = sorted({0, *(r for r, flag in enumerate(begins) if flag)})
    alive = [j for j in range(len(block[0])) if not any(first <= j < last for first, last in dead)]
    out = []
    for top, bottom in zip(starts, [*starts[1:], len(block)], strict=True):
        for left, right in pairwise(edges):
            cells = [(block[r][j], r, j) for r in range(top, bottom) for j in alive
                     if left <= j < right and j >= least[r]]  # fmt: skip
            if cells:
                out.append(list(min(cells)[1:]))
    return out
