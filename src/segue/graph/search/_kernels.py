"""Compiled loops: how well pieces of motion placed on the ground follow a path."""

import numpy as np

from segue.accel.compiler import kernel
from segue.arrays import Floats, Ints


@kernel
def follow(
    pairs: Ints,
    states: Floats,
    rows: Ints,
    samples: Floats,
    bits: Ints,
    ground: Floats,
    wanted: Ints,
    most_spare: float,
) -> Floats:
    """Evaluate pairs (M, 2) of a state and an edge: (M, 4) place on the path, spare, m^2 s off, s of wrong label.

    ``states`` (N, 5) are turn, x, z, place on the path and spare, the last two in steps. Samples ``rows[e]``
    to ``rows[e + 1]`` are those of edge e: (S, 4) x, z, seconds, arc in steps since the previous sample. Each
    sample is matched to the nearest of the path's points ``ground`` (L, 2) that is no further ahead than the
    arc plus the spare; ``wanted`` (L,) are bits of labels requested there, ``bits`` (S,) those of a sample.
    """
    out = np.empty((len(pairs), 4))
    for m in range(len(pairs)):
        state, edge = pairs[m, 0], pairs[m, 1]
        c, s = np.cos(states[state, 0]), np.sin(states[state, 0])
        at, spare = int(states[state, 3]), states[state, 4]
        off, wrong = 0.0, 0.0
        for k in range(rows[edge], rows[edge + 1]):
            x = c * samples[k, 0] + s * samples[k, 1] + states[state, 1]
            z = -s * samples[k, 0] + c * samples[k, 1] + states[state, 2]
            reach = spare + samples[k, 3]
            best, nearest = at, np.inf
            for i in range(at, min(at + int(reach) + 1, len(ground))):
                d = (ground[i, 0] - x) ** 2 + (ground[i, 1] - z) ** 2
                if d < nearest:
                    best, nearest = i, d
            spare = min(reach - (best - at), most_spare)
            at = best
            off += nearest * samples[k, 2]
            if wanted[at] != 0 and (wanted[at] & bits[k]) == 0:
                wrong += samples[k, 2]
        out[m, 0], out[m, 1], out[m, 2], out[m, 3] = at, spare, off, wrong
    return out
