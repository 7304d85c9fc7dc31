"""The body of the sample clips: 1.75 m tall, T-pose at rest, facing +Z, joint names as in Mixamo and LAFAN1 files.

Segment lengths are shares of body height after Drillis & Contini (Winter, Biomechanics and Motor Control of Human
Movement, 4th ed. 2009, fig. 4.1), rounded to 5 mm.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from segue.motion.skeleton import EndSite, Skeleton

THIGH, SHANK, ANKLE_HEIGHT = 0.43, 0.425, 0.075
BALL_HEIGHT, BALL_AHEAD, TOE_LENGTH = 0.02, 0.145, 0.075
HIP_HALF_WIDTH, HIP_DROP = 0.085, 0.035
LEG = THIGH + SHANK
HIP_HEIGHT = ANKLE_HEIGHT + LEG
ROOT_HEIGHT = HIP_HEIGHT + HIP_DROP

_TRUNK: tuple[tuple[str, str | None, tuple[float, float, float]], ...] = (
    ("Hips", None, (0.0, ROOT_HEIGHT, 0.0)),
    ("Spine", "Hips", (0.0, 0.105, -0.005)),
    ("Spine1", "Spine", (0.0, 0.145, -0.005)),
    ("Neck", "Spine1", (0.0, 0.245, 0.005)),
    ("Head", "Neck", (0.0, 0.09, 0.02)),
)
_LIMBS: tuple[tuple[str, str, tuple[float, float, float]], ...] = (
    ("Shoulder", "Spine1", (0.03, 0.175, 0.01)),
    ("Arm", "Shoulder", (0.15, 0.0, -0.01)),
    ("ForeArm", "Arm", (0.29, 0.0, 0.0)),
    ("Hand", "ForeArm", (0.26, 0.0, 0.0)),
    ("UpLeg", "Hips", (HIP_HALF_WIDTH, -HIP_DROP, 0.0)),
    ("Leg", "UpLeg", (0.0, -THIGH, 0.0)),
    ("Foot", "Leg", (0.0, -SHANK, 0.0)),
    ("ToeBase", "Foot", (0.0, BALL_HEIGHT - ANKLE_HEIGHT, BALL_AHEAD)),
)


@lru_cache(maxsize=1)
def body() -> Skeleton:
    """Build the skeleton of all sample clips."""
    names, parents, offsets = [], [], []
    for name, parent, offset in _TRUNK:
        names.append(name)
        parents.append(-1 if parent is None else names.index(parent))
        offsets.append(offset)
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        for part, parent, (x, y, z) in _LIMBS:
            names.append(side + part)
            parents.append(names.index(parent) if parent in names else names.index(side + parent))
            offsets.append((sign * x, y, z))
    tips = {"Head": (0.0, 0.195, 0.0)}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        tips[f"{side}Hand"] = (sign * 0.18, 0.0, 0.0)
        tips[f"{side}ToeBase"] = (0.0, -BALL_HEIGHT, TOE_LENGTH)
    ends = [EndSite(names.index(name), np.array(tip)) for name, tip in tips.items()]
    return Skeleton(names, parents, offsets, ends)
