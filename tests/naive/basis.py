"""An orthonormal basis by plain loops: the longest vector, then the longest remainder of the others."""

import math


def orthonormal(vectors, small=1e-9):
    """Orthonormal rows that span the vectors, in the order found."""
    rest, found = [list(v) for v in vectors], []
    least = small * max(math.hypot(*v) for v in rest)
    while len(found) < len(vectors[0]):
        longest = max(rest, key=lambda v: math.hypot(*v))
        size = math.hypot(*longest)
        if size <= least:
            break
        found.append([x / size for x in longest])
        for v in rest:
            along = sum(x * y for x, y in zip(v, found[-1], strict=True))
            v[:] = [x - along * y for x, y in zip(v, found[-1], strict=True)]
    return found
