"""Well-known joint orders of position arrays without names, recognised by joint count and proportions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Positions

_SAMPLES = 64
_UNLIKE = 0.25  # largest log ratio of the bone lengths of left and right
_BONES = ("hip knee", "knee ankle", "shoulder elbow", "elbow wrist")
_RATIOS = (
    ("hip", "knee", "knee", "ankle", 0.6, 1.7),
    ("shoulder", "elbow", "elbow", "wrist", 0.6, 1.9),
    ("hip", "knee", "shoulder", "elbow", 0.9, 2.6),
)
"""Pairs of bones of one side, and the bounds of the ratio of their lengths in any adult or child."""


@dataclass(frozen=True)
class Layout:
    """An order of joints: its label, the joints' names, and the usual frame rate of its data (0: unknown)."""

    label: str
    names: tuple[str, ...]
    fps: float = 0.0


def _sides(*parts: str) -> list[str]:
    return [f"{side}_{part}" for part in parts for side in ("left", "right")]


def _limb(side: str, *parts: str) -> list[str]:
    return [f"{side}_{part}" for part in parts]


SMPL = (
    "pelvis", "left_hip", "right_hip", "spine1", "left_knee", "right_knee", "spine2", "left_ankle", "right_ankle",
    "spine3", "left_foot", "right_foot", "neck", "left_collar", "right_collar", "head", "left_shoulder",
    "right_shoulder", "left_elbow", "right_elbow", "left_wrist", "right_wrist",
)  # fmt: skip
_LEG, _ARM = ("hip", "knee", "ankle"), ("shoulder", "elbow", "wrist")
_KIT_LEG = ("hip", "knee", "ankle", "foot_mid", "foot")
_FACE = ("eye_inner", "eye", "eye_outer")

LAYOUTS: tuple[Layout, ...] = (
    Layout("HumanML3D (SMPL body)", SMPL, 20.0),
    Layout("SMPL", (*SMPL, "left_hand", "right_hand")),
    Layout(
        "KIT-ML",
        (
            "pelvis", "spine1", "spine2", "chest", "head", *_limb("left", *_ARM), *_limb("right", *_ARM),
            *_limb("left", *_KIT_LEG), *_limb("right", *_KIT_LEG),
        ),
        12.5,
    ),
    Layout(
        "KIT-ML, sides exchanged",
        (
            "pelvis", "spine1", "spine2", "chest", "head", *_limb("right", *_ARM), *_limb("left", *_ARM),
            *_limb("right", *_KIT_LEG), *_limb("left", *_KIT_LEG),
        ),
        12.5,
    ),
    Layout(
        "COCO", ("nose", *_sides("eye", "ear", "shoulder", "elbow", "wrist", "hip", "knee", "ankle")),
    ),
    Layout(
        "Human3.6M",
        (
            "pelvis", *_limb("right", *_LEG), *_limb("left", *_LEG), "spine", "chest", "neck", "head",
            *_limb("left", *_ARM), *_limb("right", *_ARM),
        ),
    ),
    Layout(
        "MediaPipe",
        (
            "nose", *_limb("left", *_FACE), *_limb("right", *_FACE),
            *_sides("ear", "mouth", "shoulder", "elbow", "wrist", "pinky", "index", "thumb"),
            *_sides("hip", "knee", "ankle", "heel", "toe"),
        ),
    ),
)  # fmt: skip
"""All known layouts, with names that `segue.motion.role_names` can read."""


def layouts_of(positions: Positions) -> list[Layout]:
    """Find the layouts that fit positions (F, J, 3): by joint count, bone lengths and direction of knees and feet.

    Examples
    --------
    >>> import numpy as np
    >>> layouts_of(np.zeros((1, 5, 3)))
    []
    """
    shown = _sampled(positions)
    return [layout for layout in LAYOUTS if len(layout.names) == positions.shape[1] and fits(layout, shown)]


def counts() -> str:
    """Return the known joint counts and labels, for a message."""
    known = {len(layout.names): layout.label for layout in LAYOUTS if "exchanged" not in layout.label}
    both = {17: "COCO or Human3.6M"}
    return ", ".join(f"{count} {both.get(count, label)}" for count, label in sorted(known.items()))


def _sampled(positions: Positions) -> Positions:
    rows = np.unique(np.linspace(0, len(positions) - 1, min(len(positions), _SAMPLES)).astype(np.int64))
    return positions[rows]


def fits(layout: Layout, positions: Positions) -> bool:
    """Return whether positions (F, J, 3) form a human body with the layout's joint names."""
    at = {name: positions[:, joint] for joint, name in enumerate(layout.names)}
    sizes = {
        (side, bone): _median(_distance(at, side, *bone.split()))
        for side in ("left", "right")
        for bone in _BONES
    }
    if not all(np.isfinite(size) and size > 0 for size in sizes.values()):
        return False
    if any(abs(np.log(sizes["left", bone] / sizes["right", bone])) > _UNLIKE for bone in _BONES):
        return False
    for side in ("left", "right"):
        for a, b, c, d, low, high in _RATIOS:
            if not low < sizes[side, f"{a} {b}"] / sizes[side, f"{c} {d}"] < high:
                return False
    return _in_the_middle(layout.names, at, sizes) and _looks_ahead(layout.names, at)


def _in_the_middle(
    names: Sequence[str], at: dict[str, Positions], sizes: dict[tuple[str, str], float]
) -> bool:
    """Return whether the pelvis is near the middle of the hips, and the head beyond the shoulders."""
    middle = 0.5 * (at["left_hip"] + at["right_hip"])
    thigh = sizes["left", "hip knee"]
    if "pelvis" in at and _median(np.linalg.norm(at["pelvis"] - middle, axis=-1)) > 0.6 * thigh:
        return False
    top = at["head"] if "head" in names else at["nose"]
    shoulders = 0.5 * (at["left_shoulder"] + at["right_shoulder"])
    trunk = _median(np.linalg.norm(shoulders - middle, axis=-1))
    return _median(np.linalg.norm(top - middle, axis=-1)) > 1.05 * trunk > 0.5 * thigh


def _looks_ahead(names: Sequence[str], at: dict[str, Positions]) -> bool:
    """Return whether feet, or knees without feet, point to the front given by left and right."""
    left = at["left_hip"] - at["right_hip"]
    up = 0.5 * (at["left_shoulder"] + at["right_shoulder"] - at["left_hip"] - at["right_hip"])
    front = np.cross(left, up)
    toe = next((part for part in ("foot", "toe") if f"left_{part}" in names), "")
    signs = []
    for side in ("left", "right"):
        if toe:
            ahead = at[f"{side}_{toe}"] - at[f"{side}_ankle"]
        else:
            ahead = at[f"{side}_knee"] - 0.5 * (at[f"{side}_hip"] + at[f"{side}_ankle"])
        signs.append(_median(np.einsum("fa,fa->f", ahead, front)))
    return sum(signs) > 0


def _distance(at: dict[str, Positions], side: str, a: str, b: str) -> Floats:
    out: Floats = np.linalg.norm(at[f"{side}_{a}"] - at[f"{side}_{b}"], axis=-1)
    return out


def _median(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if known.size else float("nan")
