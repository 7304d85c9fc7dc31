"""What the engine's passes over a block of costs do, with plain loops."""

from naive.minima import neighbours


def wall(block, rows, runs, far):
    """The block with cells of dead rows and dead columns as dear as far."""
    dead = {j for first, last in runs for j in range(first, last)}
    return [
        [value if live and j not in dead else far for j, value in enumerate(row)]
        for row, live in zip(block, rows, strict=True)
    ]


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
