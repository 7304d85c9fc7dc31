"""The joint-angle cost as the thesis defines it: one pair of moments, plain loops, nothing from the package.

A clip is its local rotations (frames of joints of wxyz), its root positions, the parent of each joint, and the joint of
each role. Both clips of a pair have the same skeleton.
"""

from __future__ import annotations

import math

ORIGINAL = dict.fromkeys(("shoulder", "elbow", "hip", "knee", "pelvis", "spine"), 1.0)
OPTIMISED = {"hip": 1.0, "knee": 0.0901, "shoulder": 0.7884, "elbow": 0.0247}


def multiply(a, b):
    """Hamilton product."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def inverse(q):
    """Inverse of a unit quaternion."""
    return (q[0], -q[1], -q[2], -q[3])


def half_vector(q):
    """Axis times half the angle, of the shorter rotation."""
    if q[0] < 0:
        q = tuple(-v for v in q)
    sin = math.sqrt(q[1] ** 2 + q[2] ** 2 + q[3] ** 2)
    if sin < 1e-14:
        return (q[1], q[2], q[3])
    angle = math.atan2(sin, q[0])
    return tuple(angle * v / sin for v in q[1:])


def squared(v):
    """Squared length."""
    return sum(x * x for x in v)


def against_role_above(rotations, joint, parents, role_joints):
    """Rotation of a joint relative to the next joint above it with a role; for the root, in the world."""
    q = rotations[joint]
    joint = parents[joint]
    while joint >= 0 and joint not in role_joints:
        q = multiply(rotations[joint], q)
        joint = parents[joint]
    return q


def heading_of(q, facing):
    """Turn of the root about the vertical plus the facing of the rest pose."""
    return 2.0 * math.atan2(q[2], q[0]) + facing


def from_heading(vector, heading):
    """Vector in the frame that faces along the heading."""
    c, s = math.cos(heading), math.sin(heading)
    return (c * vector[0] - s * vector[2], vector[1], s * vector[0] + c * vector[2])


def joints_of(clip, frame):
    """Rotation of every joint with a role."""
    places = set(clip["roles"].values())
    return {
        role: against_role_above(clip["rotations"][frame], joint, clip["parents"], places)
        for role, joint in clip["roles"].items()
    }


def joint_angle(a, b, i, j, *, weights, nu=1.0, root="height", fps=30.0):
    """Cost of frame i of clip a and frame j of clip b, both at ``fps`` frames a second."""
    step = 1.0 / 30.0 * fps / 2.0  # from two frames to 1/30 s
    pose = motion = 0.0
    here, there = joints_of(a, i), joints_of(b, j)
    moving = [[joints_of(clip, frame + d) for d in (-1, 1)] for clip, frame in ((a, i), (b, j))]
    headings = [heading_of(q["pelvis"], clip["facing"]) for q, clip in ((here, a), (there, b))]
    for role in here:
        weight = weights.get(role.split("_")[-1], 0.0)
        qa, qb = here[role], there[role]
        if role == "pelvis" and root == "height":
            qa, qb = (
                multiply((math.cos(-h / 2), 0.0, math.sin(-h / 2), 0.0), q)
                for h, q in zip(headings, (qa, qb), strict=True)
            )
        pose += weight * squared(half_vector(multiply(inverse(qb), qa)))
        va, vb = (half_vector(multiply(inverse(before[role]), after[role])) for before, after in moving)
        motion += weight * squared(step * (x - y) for x, y in zip(va, vb, strict=True))
    pa, pb = a["scale"], b["scale"]
    ra, rb = ([s * v for v in clip["roots"][f]] for s, clip, f in ((pa, a, i), (pb, b, j)))
    pose += (ra[1] - rb[1]) ** 2 if root == "height" else squared(x - y for x, y in zip(ra, rb, strict=True))
    speeds = [
        from_heading(
            [s * step * (y - x) for x, y in zip(clip["roots"][f - 1], clip["roots"][f + 1], strict=True)], h
        )
        for s, clip, f, h in ((pa, a, i, headings[0]), (pb, b, j, headings[1]))
    ]
    motion += squared(x - y for x, y in zip(*speeds, strict=True))
    return pose + nu * motion


def summed(rows, columns, weights, here, there, before):
    """Weighted squared half angles of K joints and squared distances of positions, added to ``before``; none below 0.

    ``rows`` and ``columns`` hold one list of K quaternions per moment, ``here`` and ``there`` one position per moment.
    """
    out = []
    for i, (qa, pa) in enumerate(zip(rows, here, strict=True)):
        line = []
        for j, (qb, pb) in enumerate(zip(columns, there, strict=True)):
            total = before[i][j] + sum((x - y) ** 2 for x, y in zip(pa, pb, strict=True))
            for weight, x, y in zip(weights, qa, qb, strict=True):
                total += weight * squared(half_vector(multiply(inverse(y), x)))
            line.append(max(total, 0.0))
        out.append(line)
    return out
