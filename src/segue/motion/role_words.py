"""The words for roles, and what a body without some of them must do without."""

from __future__ import annotations

from collections.abc import Mapping

SIDES = ("left", "right")
LIMB_ROLES = ("clavicle", "shoulder", "elbow", "wrist", "hip", "knee", "ankle", "toe")
TRUNK_ROLES = ("pelvis", "spine", "chest", "neck", "head")
ROLES: tuple[str, ...] = TRUNK_ROLES + tuple(f"{side}_{part}" for side in SIDES for part in LIMB_ROLES)
"""Every role, trunk first."""

NEEDED: tuple[str, ...] = (
    "pelvis",
    *(f"{side}_{part}" for side in SIDES for part in ("hip", "knee", "ankle")),
)
"""Roles without which a body cannot be aligned, measured or carried over."""

_SHAKY = 0.5


def costs_of(
    joints: Mapping[str, int],
    confidence: Mapping[str, float],
    *,
    guessed: bool,
    turned: bool,
    tips: bool,
    four: bool = False,
) -> tuple[str, ...]:
    """One sentence for each thing that cannot be done, or not well, without the roles that are unknown.

    Examples
    --------
    >>> costs_of({"pelvis": 0}, {"pelvis": 1.0}, guessed=False, turned=False, tips=False)[0][:35]
    'no left_hip, left_knee, left_ankle,'
    """
    out = []
    missing = [role for role in NEEDED if role not in joints]
    if four:
        out.append(
            "four legs: the rest pose is that of no person, and no joint has a person's role; the clip can be looked "
            "at and converted, not aligned, measured, joined to others or carried over"
        )
        return tuple(out)
    if missing:
        out.append(
            f"no {', '.join(missing)}: the clip can be looked at and converted, not aligned, measured, joined "
            "to others or carried over"
        )
    else:
        out += _limb_costs(joints, tips=tips)
    if "chest" not in joints and "spine" not in joints:
        out.append("no spine and no chest: the trunk is one stiff piece with the pelvis")
    elif "chest" not in joints or "spine" not in joints:
        out.append("one joint between pelvis and neck: the trunk bends in one place")
    if "head" not in joints:
        out.append("no head: it is assumed above the chest and its turns are not seen")
    if guessed:
        out.append("left and right are a guess: neither names nor the rest pose tell where the body faces")
    if turned:
        out.append(
            "what names call left lies on the right of the rest pose: names are followed, look at a picture"
        )
    shaky = [role for role in joints if confidence[role] < _SHAKY and role != "pelvis"]
    if shaky and not guessed:
        out.append(f"unsure of {', '.join(shaky)}: look at a picture, or give them by hand")
    return tuple(out)


def _limb_costs(joints: Mapping[str, int], *, tips: bool) -> list[str]:
    """What missing toes, arms and collar bones cost."""
    out = []
    lacks = {part: [s for s in SIDES if f"{s}_{part}" not in joints] for part in LIMB_ROLES}
    if lacks["toe"]:
        which = _which("toe", lacks["toe"])
        out.append(
            f"{which}: the tip of the foot bone stands in for the ball of the foot; toe contacts are rough"
            if tips
            else f"{which}: heel contacts only, toes are assumed at the usual length of a foot"
        )
    if lacks["shoulder"] or lacks["elbow"]:
        part = "shoulder" if lacks["shoulder"] else "elbow"
        out.append(
            f"{_which(part, lacks[part])}: that arm is left out of costs and keeps still when carried over"
        )
    elif lacks["wrist"]:
        out.append(f"{_which('wrist', lacks['wrist'])}: hands stay in line with their forearms")
    if lacks["clavicle"] and not lacks["shoulder"]:
        out.append(f"{_which('clavicle', lacks['clavicle'])}: shrugging shoulders are not carried over")
    return out


def _which(part: str, sides: list[str]) -> str:
    return f"no {part}s" if len(sides) == len(SIDES) else f"no {sides[0]}_{part}"
