"""The knee of sorted costs by plain loops."""

import math


def knee_rank(costs, chance=0.01, shortest=16, growth=1.05):
    """Rank of the knee: highest point above the chord of the shortest beginning that bends beyond chance."""
    curve = sorted(costs)
    count = shortest
    while count <= len(curve):
        first, last = curve[0], curve[count - 1]
        best, height = 0, 0.0
        for r in range(count):
            if last > first:
                above = (curve[r] - first) / (last - first) - r / (count - 1)
                if above > height:
                    best, height = r, above
        if math.exp(-2 * count * height**2) < chance:
            return best + 1
        count = max(count + 1, int(count * growth))
    return None
