"""Compiled kinematics: one pass over frames and joints."""

from segue.accel.compiler import kernel
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
