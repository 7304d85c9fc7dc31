"""Lower bounds of costs and the tiles they leave, by plain loops."""


def bound(u, y, v, t):
    """Lower bound of a cost from complex ground coordinates and real heights of two windows."""
    inner = abs(sum(p * q.conjugate() for p, q in zip(u, v, strict=True)))
    size = sum(abs(p) ** 2 for p in u) + sum(abs(q) ** 2 for q in v)
    return size - 2.0 * inner + sum((p - q) ** 2 for p, q in zip(y, t, strict=True))


def near_tiles(bounds, radii_a, radii_b, root, first):
    """Tiles whose centres are no farther apart than the root of the cost plus both radii."""
    return [
        [j for j in range(max(0, first[i]), len(row)) if row[j] ** 0.5 <= root + radii_a[i] + radii_b[j]]
        for i, row in enumerate(bounds)
    ]


def low_tiles(tiles, bound_of, limit):
    """Pairs of tiles, of four slots each, in which the bound of some cell is at most the limit."""
    return [
        [i, j]
        for i, near in enumerate(tiles)
        for j in near
        if any(bound_of(4 * i + r, 4 * j + c) <= limit for r in range(4) for c in range(4))
    ]
