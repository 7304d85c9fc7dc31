"""DeepMimic text read by loops: positions of all joints in the format's own axes, with its published body."""

from __future__ import annotations

import math

NAMES = ["root", "chest", "neck", "right_hip", "right_knee", "right_ankle", "right_shoulder", "right_elbow",
         "right_wrist", "left_hip", "left_knee", "left_ankle", "left_shoulder", "left_elbow", "left_wrist"]  # fmt: skip
ABOVE = {"chest": "root", "neck": "chest"}
PLACE = {"chest": (0, 0.236151, 0), "neck": (0, 0.223894, 0)}
for side, sign in (("right", 1), ("left", -1)):
    ABOVE |= {f"{side}_hip": "root", f"{side}_knee": f"{side}_hip", f"{side}_ankle": f"{side}_knee"}
    ABOVE |= {
        f"{side}_shoulder": "chest",
        f"{side}_elbow": f"{side}_shoulder",
        f"{side}_wrist": f"{side}_elbow",
    }
    PLACE |= {f"{side}_hip": (0, 0, sign * 0.084887), f"{side}_knee": (0, -0.421546, 0)}
    PLACE |= {f"{side}_ankle": (0, -0.409870, 0), f"{side}_shoulder": (-0.02405, 0.24350, sign * 0.18311)}
    PLACE |= {f"{side}_elbow": (0, -0.274788, 0), f"{side}_wrist": (0, -0.258947, 0)}


def matrix(w: float, x: float, y: float, z: float) -> list[list[float]]:
    """Rotation matrix of a quaternion of any length."""
    n = w * w + x * x + y * y + z * z
    s = 2 / n
    return [
        [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
    ]


def times(a: list[list[float]], b: list[list[float]]) -> list[list[float]]:
    """Matrix product."""
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def places(row: list[float]) -> dict[str, list[float]]:
    """World position of each joint in one row of the file."""
    values = list(row[1:])
    where = {"root": [values.pop(0) for _ in range(3)]}
    turn = {"root": matrix(*[values.pop(0) for _ in range(4)])}
    for name in NAMES[1:]:
        if name.endswith("wrist"):
            own = matrix(1, 0, 0, 0)
        elif name.endswith(("knee", "elbow")):
            half = values.pop(0) / 2
            own = matrix(math.cos(half), 0, 0, math.sin(half))
        else:
            own = matrix(*[values.pop(0) for _ in range(4)])
        up, turned = ABOVE[name], turn[ABOVE[name]]
        where[name] = [where[up][i] + sum(turned[i][k] * PLACE[name][k] for k in range(3)) for i in range(3)]
        turn[name] = times(turned, own)
    return where
