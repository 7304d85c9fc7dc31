"""Bodies of `roles_schemes` in other poses, axes and with other joints, with their names removed."""

from __future__ import annotations

import numpy as np

from roles_schemes import Built, built
from roles_truth import shuffled
from segue.motion.skeleton import EndSite, Skeleton


def turn(axis: int, angle: float) -> np.ndarray:
    """Rotation matrix about X, Y or Z."""
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out = np.eye(3)
    out[i, i] = out[j, j] = c
    out[i, j], out[j, i] = -s, s
    return out


def nameless(skeleton: Skeleton, rng: np.random.Generator) -> tuple[Skeleton, dict[int, int]]:
    """The body with joints J0...Jn and siblings in another order; old joint to new joint."""
    order = shuffled(skeleton.parents, rng)
    place = {old: new for new, old in enumerate(order)}
    parents = [-1 if skeleton.parents[old] < 0 else place[int(skeleton.parents[old])] for old in order]
    sites = [EndSite(place[site.joint], site.offset) for site in skeleton.end_sites]
    names = [f"J{label}" for label in rng.permutation(len(order))]
    return Skeleton(names, parents, skeleton.offsets[order], sites), place


def changed(skeleton: Skeleton, matrix: np.ndarray) -> Skeleton:
    """Skeleton with every offset multiplied by a matrix."""
    sites = [EndSite(site.joint, matrix @ site.offset) for site in skeleton.end_sites]
    return Skeleton(skeleton.names, skeleton.parents, skeleton.offsets @ matrix.T, sites)


def along(body: Built, skeleton: Skeleton, axis: int) -> Skeleton:
    """Skeleton with every bone along one axis, as some exporters write it, except where limbs leave the trunk."""
    kept = {name for role, name in body.roles.items() if role.endswith(("_hip", "_shoulder", "_clavicle"))}
    unit = np.eye(3)[axis]
    offsets = [
        offset if name in kept else np.linalg.norm(offset) * unit
        for name, offset in zip(skeleton.names, skeleton.offsets, strict=True)
    ]
    sites = [EndSite(site.joint, np.linalg.norm(site.offset) * unit) for site in skeleton.end_sites]
    return Skeleton(skeleton.names, skeleton.parents, offsets, sites)


def _arms(body: Built, angle: float) -> None:
    for side, sign in (("left", 1.0), ("right", -1.0)):
        shoulder = body.roles[f"{side}_shoulder"]
        centre = body.place[shoulder].copy()
        matrix = turn(2, -sign * angle)
        for name in body.names:
            above = name
            while above not in {"", shoulder}:
                above = body.parent[above]
            if above:
                body.place[name] = centre + matrix @ (body.place[name] - centre)
                if name in body.tips:
                    body.tips[name] = matrix @ body.tips[name]


def _chain(body: Built, start: str, label: str, places: list[np.ndarray]) -> None:
    above = start
    for n, place in enumerate(places):
        body.add(f"{label}{n}", above, place)
        above = f"{label}{n}"


def _handles(body: Built) -> None:
    """Handles for feet, hands and knees on their own root below the body's root."""
    pelvis = body.names[0]
    body.add("ground", "", (0, 0, 0))
    body.parent[pelvis] = "ground"
    body.add("handles", "ground", (0, 0, 0))
    for sign in (1.0, -1.0):
        body.add(f"foot handle {sign}", "handles", (0.1 * sign, 0.08, 0.0))
        body.add(f"hand handle {sign}", "handles", (0.7 * sign, 1.42, 0.0))
        body.add(f"knee handle {sign}", "handles", (0.1 * sign, 0.5, 0.5))


def _sword(body: Built) -> None:
    hand = body.roles["right_wrist"]
    body.tips.pop(hand, None)
    _chain(body, hand, "sword", [body.place[hand] + (-0.08, 0, 0), body.place[hand] + (-0.08, 0, 1.0)])


def _hair(body: Built) -> None:
    pelvis, head = body.roles["pelvis"], body.roles.get("head")
    _chain(body, pelvis, "tail", [body.place[pelvis] + (0, -0.02 * n, -0.12 * n) for n in range(1, 6)])
    for sign in (1.0, -1.0) if head else ():
        strand = [body.place[head] + (0.03 * sign * n, -0.08 * n, -0.02 * n) for n in range(1, 5)]
        _chain(body, head, f"hair {sign} ", strand)


def _skirt(body: Built) -> None:
    for k in range(8):
        out = np.array([np.sin(k * np.pi / 4), 0.0, np.cos(k * np.pi / 4)])
        places = [np.array([0, 0.95 - 0.12 * n, 0]) + (0.12 + 0.04 * n) * out for n in range(4)]
        _chain(body, body.roles["pelvis"], f"skirt {k} ", places)


def _fingers(body: Built) -> None:
    for side, sign in (("left", 1.0), ("right", -1.0)):
        hand = body.roles[f"{side}_wrist"]
        body.tips.pop(hand, None)
        for k in range(5):
            thumb = k == 4
            start = np.array([sign * (0.04 if thumb else 0.09), -0.01, 0.04 if thumb else 0.03 - 0.02 * k])
            step = np.array([sign * 0.02, 0.0, 0.02]) if thumb else np.array([sign * 0.03, 0.0, 0.0])
            _chain(body, hand, f"{side} finger {k} ", [body.place[hand] + start + n * step for n in range(3)])


_AXES = {
    "T-pose": lambda body: None,
    "A-pose": lambda body: _arms(body, np.radians(45)),
    "arms down": lambda body: _arms(body, np.radians(90)),
    "arms up": lambda body: _arms(body, np.radians(-90)),
    "no bone tips": lambda body: body.tips.clear(),
    "handles": _handles,
    "sword in one hand": _sword,
    "tail and hair": _hair,
    "skirt": _skirt,
    "fingers": _fingers,
}
_SHAPES = {
    "Z up": lambda body, skeleton, rng: changed(skeleton, turn(0, np.pi / 2)),
    "turned about the vertical": lambda body, skeleton, rng: changed(
        skeleton, turn(1, rng.uniform(0.0, 2.0 * np.pi))
    ),
    "in millimetres": lambda body, skeleton, rng: changed(skeleton, 1000.0 * np.eye(3)),
    "every bone up to 15 % longer or shorter": lambda body, skeleton, rng: Skeleton(
        skeleton.names,
        skeleton.parents,
        skeleton.offsets * rng.uniform(0.85, 1.15, (skeleton.n_joints, 1)),
        skeleton.end_sites,
    ),
    "bones along Y": lambda body, skeleton, rng: along(body, skeleton, 1),
    "bones along X": lambda body, skeleton, rng: along(body, skeleton, 0),
}
KINDS = (*_AXES, *_SHAPES)
"""Changes to a body."""


def variant(label: str, kind: str, rng: np.random.Generator) -> tuple[Built, Skeleton]:
    """A body of a scheme in one of the `KINDS`."""
    body = built(label)
    _AXES.get(kind, _AXES["T-pose"])(body)
    skeleton = body.skeleton()
    return body, _SHAPES[kind](body, skeleton, rng) if kind in _SHAPES else skeleton
