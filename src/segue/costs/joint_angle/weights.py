"""Weights of the joints in the joint-angle cost: by name, from a mapping, from a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from segue.documents import as_kind, read_toml
from segue.errors import FileError, SettingError, nearest
from segue.motion.roles import LIMB_ROLES, ROLES, SIDES, TRUNK_ROLES

PARTS: tuple[str, ...] = TRUNK_ROLES + LIMB_ROLES
"""Joints that can be weighted: of the trunk, and of limbs with left and right as one."""

JointWeights: TypeAlias = tuple[tuple[str, float], ...]
"""(part or role, weight) pairs."""

NAMED: dict[str, JointWeights] = {
    "original": tuple((part, 1.0) for part in ("shoulder", "elbow", "hip", "knee", "pelvis", "spine")),
    "optimised": (("hip", 1.0), ("knee", 0.0901), ("shoulder", 0.7884), ("elbow", 0.0247)),
}
"""Lee et al. 2002 as Wang reports them, and Wang's table IV.1."""


@dataclass(frozen=True)
class _WeightsFile:
    joints: dict[str, float]


_SPELT = {"optimized": "optimised"}


def joint_weights(given: object) -> JointWeights | str:
    """Weights as stored in settings: a name, or (part, weight) pairs in the order of the body.

    Parameters
    ----------
    given
        ``"original"``, ``"optimised"``, the path of a TOML file with a table ``[joints]``, a mapping, or
        pairs. Parts are those of `PARTS`, for both sides, or roles, for one side.

    Raises
    ------
    SettingError
        If a name is unknown, a weight negative, or all are zero.
    FileError
        If the file cannot be read or does not hold weights.

    Examples
    --------
    >>> joint_weights({"knee": 1, "hip": 2.0})
    (('hip', 2.0), ('knee', 1.0))
    """
    if isinstance(given, str | Path):
        word = _SPELT.get(str(given), str(given))
        if word in NAMED:
            return word
        if str(given).lower().endswith(".toml"):
            return read_weights(Path(given))
        msg = (
            f"weights {str(given)!r} are not known; use {', '.join(map(repr, NAMED))}, a .toml file, or a weight "
            "for each joint"
        )
        raise SettingError(msg)
    return _checked(given)


def read_weights(path: Path) -> JointWeights:
    """Weights of a TOML file: lines ``hip = 1.0`` under ``[joints]``.

    Raises
    ------
    FileError
        If the file cannot be read, is not TOML, lacks the table or holds an invalid weight.
    """
    document = read_toml(path, dict[str, Any])
    if "joints" not in document:
        raise FileError(path, "holds no weights of joints: they are lines hip = 1.0 under [joints]")
    table = as_kind(document, _WeightsFile, path, hint="lines are hip = 1.0 under [joints]").joints
    try:
        return _checked(table)
    except SettingError as error:
        raise FileError(path, str(error)) from None


def _checked(given: object) -> JointWeights:
    pairs = given.items() if isinstance(given, Mapping) else given
    if not isinstance(pairs, Iterable):
        msg = f"weights {given!r} are not known; use {', '.join(map(repr, NAMED))} or a weight for each joint"
        raise SettingError(msg)
    out: dict[str, float] = {}
    for pair in pairs:
        part, weight = _pair(pair)
        if part in out:
            msg = f"joint {part!r} is weighed twice"
            raise SettingError(msg)
        out[part] = weight
    if not any(out.values()):
        msg = "the weights of a joint-angle cost cannot all be zero"
        raise SettingError(msg)
    return tuple((part, out[part]) for part in dict.fromkeys((*PARTS, *ROLES)) if out.get(part))


def _pair(pair: Any) -> tuple[str, float]:
    try:
        part, weight = pair
        weight = float(weight)
    except (TypeError, ValueError):
        msg = f"{pair!r} is no weight of a joint; give a joint and a number, such as hip = 1.0"
        raise SettingError(msg) from None
    if part not in PARTS and part not in ROLES:
        msg = f"{part!r} is no joint that can be weighed; {nearest(str(part), (*PARTS, *ROLES))}"
        raise SettingError(msg)
    if not (np.isfinite(weight) and weight >= 0):
        msg = f"the weight of {part!r} is {weight}; it must be 0 or more"
        raise SettingError(msg)
    return part, weight


def by_role(weights: JointWeights | str) -> dict[str, float]:
    """Weight of each role that has one; a part applies to both sides, and a role takes precedence over its part.

    Examples
    --------
    >>> by_role("optimised")["left_knee"], by_role((("hip", 1.0), ("left_hip", 0.5)))["left_hip"]
    (0.0901, 0.5)
    """
    document = dict(NAMED[weights] if isinstance(weights, str) else weights)
    out = {}
    for role in ROLES:
        side, _, part = role.partition("_")
        weight = document.get(role, document.get(part, 0.0) if side in SIDES else 0.0)
        if weight:
            out[role] = weight
    return out
