"""Compiled kinematics: one pass over frames and joints."""

import numpy as np

from segue._jit import kernel
from segue.arrays import Floats, Ints, Positions, Quaternions


@kernel
def forward(
    rotations: Quaternions, roots: Positions, parents: Ints, offsets: Floats
) -> tuple[Quaternions, Positions]:
    """World rotations (F, J, 4) and positions (F, J, 3) of local rotations (F, J, 4) and roots (F, 3)."""
    n_frames, n_joints = rotations.shape[0], rotations.shape[1]
    world = np.empty((n_frames, n_joints, 4))
    places = np.empty((n_frames, n_joints, 3))
    for f in range(n_frames):
        for j in range(n_joints):
            parent = parents[j]
            w, x, y, z = rotations[f, j, 0], rotations[f, j, 1], rotations[f, j, 2], rotations[f, j, 3]
            if parent < 0:
                world[f, j, 0], world[f, j, 1], world[f, j, 2], world[f, j, 3] = w, x, y, z
                for c in range(3):
                    places[f, j, c] = roots[f, c]
                continue
            pw, px = world[f, parent, 0], world[f, parent, 1]
            py, pz = world[f, parent, 2], world[f, parent, 3]
            world[f, j, 0] = pw * w - px * x - py * y - pz * z
            world[f, j, 1] = pw * x + px * w + py * z - pz * y
            world[f, j, 2] = pw * y - px * z + py * w + pz * x
            world[f, j, 3] = pw * z + px * y - py * x + pz * w
            ox, oy, oz = offsets[j, 0], offsets[j, 1], offsets[j, 2]
            tx, ty, tz = 2 * (py * oz - pz * oy), 2 * (pz * ox - px * oz), 2 * (px * oy - py * ox)
            places[f, j, 0] = places[f, parent, 0] + ox + pw * tx + (py * tz - pz * ty)
            places[f, j, 1] = places[f, parent, 1] + oy + pw * ty + (pz * tx - px * tz)
            places[f, j, 2] = places[f, parent, 2] + oz + pw * tz + (px * ty - py * tx)
    return world, places
