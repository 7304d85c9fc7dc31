"""Pose distances, residual variance, shortest paths, winding and a network as the sources define them, in loops."""

from __future__ import annotations

import math

from naive.joint_angle import half_vector, inverse, multiply, squared


def pose_distance(a, b):
    """Root of the sum of the squared half angles of all joints but the root."""
    total = 0.0
    for joint in range(1, len(a)):
        total += squared(half_vector(multiply(inverse(a[joint]), b[joint])))
    return math.sqrt(total)


def residual_variance(distances, coordinates):
    """One minus the squared correlation of distances with those of coordinates, over all pairs of different poses."""
    xs, ys = [], []
    for i in range(len(distances)):
        for j in range(i + 1, len(distances)):
            xs.append(distances[i][j])
            ys.append(
                math.sqrt(sum((a - b) ** 2 for a, b in zip(coordinates[i], coordinates[j], strict=True)))
            )
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    xy = sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True))
    xx, yy = sum((x - mx) ** 2 for x in xs), sum((y - my) ** 2 for y in ys)
    return 1.0 - xy * xy / (xx * yy)


def path_over_neighbours(distances, neighbours):
    """Lengths of the shortest paths between poses, each joined to its nearest ones, by Floyd and Warshall."""
    count = len(distances)
    out = [[0.0 if i == j else math.inf for j in range(count)] for i in range(count)]
    for i in range(count):
        for j in sorted((j for j in range(count) if j != i), key=lambda j: distances[i][j])[:neighbours]:
            out[i][j] = out[j][i] = distances[i][j]
    for k in range(count):
        for i in range(count):
            for j in range(count):
                out[i][j] = min(out[i][j], out[i][k] + out[k][j])
    return out


def turns(points):
    """Number of times that a plane curve winds about its centre."""
    cx = sum(p[0] for p in points) / len(points)
    cy = sum(p[1] for p in points) / len(points)
    total, before = 0.0, None
    for x, y in points:
        angle = math.atan2(y - cy, x - cx)
        if before is not None:
            step = angle - before
            total += (step + math.pi) % (2 * math.pi) - math.pi
        before = angle
    return abs(total) / (2 * math.pi)


def network(layers, x):
    """Outputs for one input: weighted sums with tanh between layers of (weights, biases)."""
    for number, (weights, biases) in enumerate(layers):
        x = [biases[j] + sum(x[i] * weights[i][j] for i in range(len(x))) for j in range(len(biases))]
        if number < len(layers) - 1:
            x = [math.tanh(v) for v in x]
    return x
