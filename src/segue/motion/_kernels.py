"""Compiled kinematics: one pass over frames and joints; legs that reach."""

import math

import numpy as np

from segue._jit import kernel
from segue.arrays import Floats, Ints, Positions, Quaternions


@kernel
def forward(
    rotations: Quaternions,
    parents: Ints,
    offsets: Floats,
    world: Quaternions,
    places: Positions,
) -> None:
    """World rotations (F, J, 4) and positions (F, J, 3) below the root, whose own are laid in already."""
    for f in range(rotations.shape[0]):
        for j in range(1, rotations.shape[1]):
            up = parents[j]
            w, x, y, z = rotations[f, j, 0], rotations[f, j, 1], rotations[f, j, 2], rotations[f, j, 3]
            pw, px, py, pz = world[f, up, 0], world[f, up, 1], world[f, up, 2], world[f, up, 3]
            ox, oy, oz = offsets[j, 0], offsets[j, 1], offsets[j, 2]
            tx, ty, tz = 2.0 * (py * oz - pz * oy), 2.0 * (pz * ox - px * oz), 2.0 * (px * oy - py * ox)
            places[f, j, 0] = places[f, up, 0] + ox + pw * tx + (py * tz - pz * ty)
            places[f, j, 1] = places[f, up, 1] + oy + pw * ty + (pz * tx - px * tz)
            places[f, j, 2] = places[f, up, 2] + oz + pw * tz + (px * ty - py * tx)
            world[f, j, 0] = pw * w - px * x - py * y - pz * z
            world[f, j, 1] = pw * x + px * w + py * z - pz * y
            world[f, j, 2] = pw * y - px * z + py * w + pz * x
            world[f, j, 3] = pw * z + px * y - py * x + pz * w


@kernel
def _times(a: Floats, b: Floats, out: Floats) -> None:
    """Product of two quaternions."""
    w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
    out[0], out[1], out[2], out[3] = w, x, y, z


@kernel
def _undone_times(a: Floats, b: Floats, out: Floats) -> None:
    """Product of the conjugate of a unit quaternion and another."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2]
    y = a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1]
    z = a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0]
    out[0], out[1], out[2], out[3] = w, x, y, z


@kernel
def _turned(q: Floats, v: Floats, out: Floats) -> None:
    """Vector turned by a unit quaternion."""
    tx, ty, tz = (
        2 * (q[2] * v[2] - q[3] * v[1]),
        2 * (q[3] * v[0] - q[1] * v[2]),
        2 * (q[1] * v[1] - q[2] * v[0]),
    )
    x = v[0] + q[0] * tx + (q[2] * tz - q[3] * ty)
    y = v[1] + q[0] * ty + (q[3] * tx - q[1] * tz)
    z = v[2] + q[0] * tz + (q[1] * ty - q[2] * tx)
    out[0], out[1], out[2] = x, y, z


@kernel
def _cross(a: Floats, b: Floats, out: Floats) -> None:
    """Vector square to two others."""
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    out[0], out[1], out[2] = x, y, z


@kernel
def _length(v: Floats) -> float:
    """Length of a vector."""
    return math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@kernel
def _made_unit(v: Floats, least: float) -> None:
    """Vector divided by its length, or by the least length that counts."""
    size = max(_length(v), least)
    for c in range(3):
        v[c] /= size


@kernel
def _about(axis: Floats, angle: float, out: Floats) -> None:
    """Quaternion of a turn about an axis."""
    s = math.sin(0.5 * angle)
    out[0] = math.cos(0.5 * angle)
    for c in range(3):
        out[1 + c] = s * axis[c]


@kernel
def _between(a: Floats, b: Floats, out: Floats) -> None:
    """Shortest turn that carries one unit vector onto another (`segue.maths.quaternions.between`)."""
    _cross(a, b, out[1:])
    out[0] = 1.0 + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    if out[0] <= 1e-9:
        least = 0
        for c in range(1, 3):
            if abs(a[c]) < abs(a[least]):
                least = c
        aside = np.zeros(3)
        aside[least] = 1.0
        _cross(a, aside, out[1:])
        out[0] = 0.0
    size = math.sqrt(out[0] ** 2 + out[1] ** 2 + out[2] ** 2 + out[3] ** 2)
    for c in range(4):
        out[c] /= size


@kernel
def _inside(a: float, b: float, reach: float) -> float:
    """Angle inside a knee between bones of lengths a and b whose ends are so far apart."""
    return math.acos(min(max((a * a + b * b - reach * reach) / (2 * a * b), -1.0), 1.0))


@kernel
def hinges(thighs: Positions, shanks: Positions, hip_turns: Quaternions, mixed: float) -> Positions:
    """Axes (F, 3) about which a knee bends more: square to both bones, with the mean axis of all frames mixed in.

    The mean is fixed to the thigh and weighted by the bend; ``mixed`` is its share, in thigh times shank.
    """
    n = len(thighs)
    out = np.empty((n, 3))
    local, mean, undone = np.empty(3), np.zeros(3), np.empty(4)
    for f in range(n):
        _cross(thighs[f], shanks[f], out[f])
        undone[0] = hip_turns[f, 0]
        for c in range(1, 4):
            undone[c] = -hip_turns[f, c]
        _turned(undone, out[f], local)
        for c in range(3):
            mean[c] += local[c]
    _made_unit(mean, 1e-9)
    for f in range(n):
        _turned(hip_turns[f], mean, local)
        share = mixed * _length(thighs[f]) * _length(shanks[f])
        for c in range(3):
            out[f, c] += share * local[c]
        _made_unit(out[f], 1e-9)
    return out


@kernel
def reach_ankles(
    thighs: Positions, shanks: Positions, axes: Positions, ways: Positions, turns: Quaternions
) -> Quaternions:
    """Local rotations (F, 3, 4) of hip, knee and ankle whose ankle lies ``ways`` (F, 3) from the hip.

    ``turns`` (F, 6, 4) are world rotations: of hip, knee, what is above the hip, the knee and the ankle, and the one
    that the ankle is to have. A knee bends about its axis, then the leg swings the shortest way.
    """
    n = len(thighs)
    out = np.empty((n, 3, 4))
    bent, reached, way = np.empty(3), np.empty(3), np.empty(3)
    turned, swing, q = np.empty(4), np.empty(4), np.empty(4)
    for f in range(n):
        a, b = _length(thighs[f]), _length(shanks[f])
        wanted = min(max(_length(ways[f]), abs(a - b) + 1e-9), a + b - 1e-9)
        bend, aim = 0.0, _inside(a, b, wanted)
        # Once where the axis is square to both bones; near a straight leg it may not quite be.
        for _ in range(3):
            _about(axes[f], bend, turned)
            _turned(turned, shanks[f], bent)
            for c in range(3):
                bent[c] += thighs[f, c]
            more = _inside(a, b, _length(bent)) - aim
            bend += more
            if abs(more) < 1e-13:
                break
        _about(axes[f], bend, turned)
        _turned(turned, shanks[f], reached)
        for c in range(3):
            reached[c] += thighs[f, c]
            way[c] = ways[f, c]
        _made_unit(reached, 1e-9)
        _made_unit(way, 1e-9)
        _between(reached, way, swing)
        _times(swing, turns[f, 0], q)
        _undone_times(turns[f, 2], q, out[f, 0])
        _times(turned, turns[f, 1], q)
        _undone_times(turns[f, 3], q, out[f, 1])
        _times(turned, turns[f, 4], q)
        _times(swing, q, q)
        _undone_times(q, turns[f, 5], out[f, 2])
    return out
