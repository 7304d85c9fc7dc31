"""Dynamics-weighted point clouds as the paper defines them: one pair, plain loops, minimised by search.

Nothing is shared with the package; the masses and the tree of the body are repeated here.
"""

from __future__ import annotations

import math

SIDES = ("left", "right")
MASS = {"pelvis": 0.142, "trunk": 0.355, "head": 0.081}
PARENT = {"trunk": "pelvis", "head": "trunk"}
BRANCH = {"head": "head"}
for _side in SIDES:
    for _part, _mass, _parent, _branch in (
        ("upper_arm", 0.028, "trunk", "arm"),
        ("forearm", 0.016, "upper_arm", "arm"),
        ("hand", 0.006, "forearm", "arm"),
        ("thigh", 0.1, "pelvis", "leg"),
        ("shin", 0.0465, "thigh", "leg"),
        ("foot", 0.0145, "shin", "leg"),
    ):
        MASS[f"{_side}_{_part}"] = _mass
        PARENT[f"{_side}_{_part}"] = _parent if _parent in ("trunk", "pelvis") else f"{_side}_{_parent}"
        BRANCH[f"{_side}_{_part}"] = f"{_side}_{_branch}"


def inward(part):
    """Parts from a part's parent to the root, the root last."""
    out = []
    while part in PARENT:
        part = PARENT[part]
        out.append(part)
    return out


def outward(part):
    """Parts whose path to the root contains a part."""
    return [other for other in MASS if part in inward(other)]


def mass_weight(part):
    """w_mass: mass of the part and of everything outward of it."""
    return MASS[part] + sum(MASS[other] for other in outward(part))


def friction_weight(part, touching):
    """w_friction of a part in a frame in which the parts ``touching`` are on the ground."""
    supports = part in touching
    for contact in touching:
        if part in inward(contact) and part in BRANCH and BRANCH[part] == BRANCH.get(contact):
            supports = True
    if not supports:
        return 0.0
    in_branch = [other for other in outward(part) if part in BRANCH and BRANCH.get(other) == BRANCH[part]]
    return sum(MASS.values()) - MASS[part] - sum(MASS[other] for other in in_branch)


def pair_weight(part, touching_i, touching_j, *, both=True):
    """w_pair of two frames."""
    out = mass_weight(part) + friction_weight(part, touching_i)
    return out + friction_weight(part, touching_j) if both else out


def hand_set_weight(part, carrying_i, carrying_j, *, torso=2.0, carrier=2.0, both=True):
    """Torso above limbs, and a constant on the carrying part, half from each frame; over the sum of the whole body."""
    out = torso if part in ("pelvis", "trunk") else 1.0
    out += carrier / 2 * (part == carrying_i) + (carrier / 2 * (part == carrying_j) if both else 0.0)
    return out / (2 * torso + 13 + carrier)


def windowed(points_a, points_b, i, j, *, half, part_of, weight):
    """(weight, point of A, point of B) over a window; ``weight(part, s, t)`` is a part's weight at frames s and t."""
    count = {}
    for part in part_of:
        count[part] = count.get(part, 0) + 1
    taper = [1.0 - (k / (half + 1)) ** 2 for k in range(-half, half + 1)]
    out = []
    for k in range(-half, half + 1):
        for m, part in enumerate(part_of):
            w = taper[k + half] / sum(taper) * weight(part, i + k, j + k) / count[part]
            out.append((w, [float(v) for v in points_a[i + k][m]], [float(v) for v in points_b[j + k][m]]))
    return out


def cost_at(cloud, turn, shift_x, shift_z):
    """Weighted squared distance with B turned and shifted."""
    c, s = math.cos(turn), math.sin(turn)
    total = 0.0
    for w, a, b in cloud:
        x, z = c * b[0] + s * b[2] + shift_x, -s * b[0] + c * b[2] + shift_z
        total += w * ((a[0] - x) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - z) ** 2)
    return total


def best_shift(cloud, turn):
    """Best shift for a turn: it brings the weighted means together."""
    c, s = math.cos(turn), math.sin(turn)
    total = sum(w for w, _, _ in cloud)
    x = sum(w * (a[0] - c * b[0] - s * b[2]) for w, a, b in cloud) / total
    z = sum(w * (a[2] + s * b[0] - c * b[2]) for w, a, b in cloud) / total
    return x, z


def best_motion(cloud):
    """Turn and shift of least cost: try turns all round, then refine the best one."""

    def cost(turn):
        return cost_at(cloud, turn, *best_shift(cloud, turn))

    width = 2 * math.pi / 36
    turn = min((k * width for k in range(36)), key=cost)
    while width > 1e-9:
        turn = min((turn - width / 2, turn, turn + width / 2), key=cost)
        width /= 2
    return (turn, *best_shift(cloud, turn))


def dynamics(points_a, points_b, i, j, *, half, part_of, weight, align="window"):
    """Cost of two moments with weights that may depend on both frames."""
    cloud = windowed(points_a, points_b, i, j, half=half, part_of=part_of, weight=weight)
    if align == "window":
        return cost_at(cloud, *best_motion(cloud))
    centre = [entry for k, entry in enumerate(cloud) if half * len(part_of) <= k < (half + 1) * len(part_of)]
    return cost_at(cloud, *best_motion(centre))


def rises(points_a, points_b, i, j, *, half, part_of, weight, lifting):
    """Cost added by lifting: the squared rise of each part's middle, less the squared fall."""
    total = 0.0
    taper = [1.0 - (k / (half + 1)) ** 2 for k in range(-half, half + 1)]
    for k in range(-half, half + 1):
        for part in dict.fromkeys(part_of):
            own = [m for m, name in enumerate(part_of) if name == part]
            rise = sum(float(points_b[j + k][m][1]) - float(points_a[i + k][m][1]) for m in own) / len(own)
            w = taper[k + half] / sum(taper) * weight(part, i + k, j + k)
            total += lifting * w * rise * abs(rise)
    return total
