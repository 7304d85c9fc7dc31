"""Names of roles, roles from joint names, and the consequences of missing roles.

A joint name is split into words. Words unrelated to the body are dropped (namespaces, ``Bip01``, ``DEF-``,
``J_Bip_C_``), the side is recognised at the start, at the end and in between, and the rest must match completely:
``LeftUpLegRoll`` and ``ik_foot_l`` are no body parts and do not match. Words with different meanings in different
conventions are resolved by the other names: ``LeftShoulder`` is a collar bone if there is a ``LeftArm``, else a
shoulder.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

SIDES = ("left", "right")
LIMB_ROLES = ("clavicle", "shoulder", "elbow", "wrist", "hip", "knee", "ankle", "toe")
LIMB_CHAINS = (LIMB_ROLES[:4], LIMB_ROLES[4:])
"""Arm and leg, each from the trunk outwards."""
TRUNK_ROLES = ("pelvis", "spine", "chest", "neck", "head")
ROLES: tuple[str, ...] = TRUNK_ROLES + tuple(f"{side}_{part}" for side in SIDES for part in LIMB_ROLES)
"""All roles, trunk first."""

NEEDED: tuple[str, ...] = (
    "pelvis",
    *(f"{side}_{part}" for side in SIDES for part in ("hip", "knee", "ankle")),
)
"""Roles that are required to align, measure or retarget a body."""

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
    """Return one sentence for each limitation caused by unknown or uncertain roles.

    Examples
    --------
    >>> costs_of({"pelvis": 0}, {"pelvis": 1.0}, guessed=False, turned=False, tips=False)[0][:35]
    'no left_hip, left_knee, left_ankle,'
    """
    out = []
    missing = [role for role in NEEDED if role not in joints]
    if four:
        out.append(
            "four legs: the rest pose is that of no person, and no joint has a person's role; the clip can be viewed "
            "and converted, but not aligned, measured, joined or retargeted"
        )
        return tuple(out)
    if missing:
        out.append(
            f"no {', '.join(missing)}: the clip can be viewed and converted, but not aligned, measured, joined "
            "or retargeted"
        )
    else:
        out += _limb_costs(joints, tips=tips)
    if "chest" not in joints and "spine" not in joints:
        out.append("no spine and no chest: the trunk is one stiff piece with the pelvis")
    elif "chest" not in joints or "spine" not in joints:
        out.append("one joint between pelvis and neck: the trunk bends in one place")
    if "head" not in joints:
        out.append("no head: it is placed above the chest, and its rotation is ignored")
    if guessed:
        out.append("left and right are a guess: neither names nor rest pose show where the body faces")
    if turned:
        out.append("names and rest pose disagree about left and right: names are used, check a picture")
    shaky = [role for role in joints if confidence[role] < _SHAKY and role != "pelvis"]
    if shaky and not guessed:
        out.append(f"unsure of {', '.join(shaky)}: look at a picture, or give them by hand")
    return tuple(out)


def _limb_costs(joints: Mapping[str, int], *, tips: bool) -> list[str]:
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
            f"{_which(part, lacks[part])}: that arm is left out of costs and does not move when retargeted"
        )
    elif lacks["wrist"]:
        out.append(f"{_which('wrist', lacks['wrist'])}: hands stay in line with their forearms")
    if lacks["clavicle"] and not lacks["shoulder"]:
        out.append(f"{_which('clavicle', lacks['clavicle'])}: shoulder shrugs are not retargeted")
    return out


def _which(part: str, sides: list[str]) -> str:
    return f"no {part}s" if len(sides) == len(SIDES) else f"no {sides[0]}_{part}"


_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SIDES = {"l": "left", "left": "left", "r": "right", "right": "right"}
_OTHER = {"l": "r", "r": "l", "left": "right", "right": "left", "lt": "rt", "rt": "lt"}
# Leading words unrelated to the body: exporters, rig layers, centre marks.
_NOISE = frozenset(
    {
        "armature",
        "b",
        "base",
        "bip",
        "biped",
        "bn",
        "bone",
        "c",
        "cc",
        "character",
        "def",
        "j",
        "jnt",
        "joint",
    }
    | {"m", "mixamorig", "org", "rig", "skeleton", "valve"}
)
_TAILS = frozenset({"jnt", "joint", "bone", "skel", "link", "stretch"})

# Words for each part, the most reliable first. Of two joints of one side the one whose word comes first has the role.
_PARTS: dict[str, tuple[str, ...]] = {
    "clavicle": ("clavicle", "clav", "collar", "collarbone", "thorax"),
    "shoulder": (
        "humerus",
        "upperarm",
        "uparm",
        "uarm",
        "upperarm01",
        "shldr",
        "shldrbend",
        "shoulderyaw",
        "arm",
    ),
    "elbow": (
        "elbow",
        "forearm",
        "lowerarm",
        "lowarm",
        "loarm",
        "farm",
        "lowerarm01",
        "forearmbend",
        "radius",
    ),
    "wrist": ("wrist", "wristyaw", "hand"),
    "hip": ("femur", "upperleg", "upleg", "thigh", "upperleg01", "thighbend", "hippitch", "hipyaw", "hip"),
    "knee": ("knee", "tibia", "shin", "calf", "shank", "lowerleg", "lowleg", "loleg", "lowerleg01"),
    "ankle": ("ankle", "ankleroll"),
    "toe": ("toebase", "toes", "toe", "ball", "toe0", "toe11", "footthumb1"),
}
_UNSURE = ("shoulder", "leg", "foot")
_KNOWN = frozenset(_UNSURE) | {word for words in _PARTS.values() for word in words}
_TRUNK: dict[str, tuple[str, ...]] = {
    "pelvis": ("pelvis", "hips", "hip", "root", "bip01", "bip001", "bip"),
    "head": ("head", "face", "skull"),
}
_SPINE = re.compile(
    r"(?:(?:upper|lower)?(?:spine|chest|neck|torso|thorax|back|body)|abdomen|ab|waist(?:yaw|roll|pitch)?|hips?|pelvis|root|head|"
    r"face|skull|[lct]\d+)\d*$"
)

# Naming schemes: (label, plain names that together identify it). The first complete match is taken.
_SCHEMES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("CMU", ("lfemur", "lhumerus")),
    ("Biped", ("bip01lthigh",)),
    ("Biped", ("bip001lthigh",)),
    ("Biped", ("valvebipedbip01lthigh",)),
    ("HumanIK", ("character1leftupleg",)),
    ("VRM", ("jbiplupperleg",)),
    ("VRM", ("leftupperleg", "leftlowerarm", "lefttoes")),
    ("Second Life", ("mhipleft",)),
    ("Unreal", ("thighl", "calfl", "upperarml")),
    ("MakeHuman", ("upperleg01l", "lowerleg01l")),
    ("MakeHuman", ("uplegl", "lolegl")),
    ("Rigify", ("thighl", "shinl", "upperarml")),
    ("Rigify", ("defthighl", "defshinl")),
    ("DeepMimic", ("lefthip", "leftknee", "root", "chest")),
    ("SMPL", ("lhip", "lknee", "lcollar")),
    ("SMPL", ("lhip", "lknee", "lthorax")),
    ("SMPL", ("lefthip", "leftknee", "leftcollar", "spine3")),
    ("Bandai-Namco", ("upperlegl", "lowerlegl", "lowerarml", "toesl", "shoulderl")),
    ("KayKit", ("upperlegl", "lowerlegl", "wristl")),
    ("DAZ", ("lshldr", "lthigh", "lshin")),
    ("DAZ", ("lthighbend", "lshldrbend")),
    ("Xsens", ("leftupperleg", "leftlowerleg", "t8")),
    ("Xsens", ("lefthip", "leftcollar", "chest4")),
    ("3ds Max", ("lefthip", "leftknee", "leftcollar")),
    ("Mixamo", ("leftupleg", "leftleg", "leftforearm")),
    ("AMP", ("leftthigh", "leftshin", "leftupperarm")),
)


def plain(name: str) -> str:
    """Return a name in lower case, without namespace, and with letters and digits only."""
    return re.sub(r"[^a-z0-9]", "", re.split(r"[:|]", name)[-1].lower())


def scheme_of(names: Sequence[str]) -> str:
    """Return the label of the naming scheme, or ``""``; for display only.

    Examples
    --------
    >>> scheme_of(["Hips", "mixamorig:LeftUpLeg", "mixamorig:LeftLeg", "mixamorig:LeftForeArm"])
    'Mixamo'
    """
    have = {plain(name) for name in names}
    return next((label for label, signs in _SCHEMES if have.issuperset(signs)), "")


@lru_cache(maxsize=4096)
def read_name(name: str) -> tuple[str, str, int]:
    """Return side (``"left"``, ``"right"`` or ``""``), body word and doubt (1 if trailing words were removed, else 0).

    Examples
    --------
    >>> read_name("Bip01 L UpperArm"), read_name("mixamorig:RightToeBase"), read_name("lfemur")
    (('left', 'upperarm', 0), ('right', 'toebase', 0), ('left', 'femur', 0))
    """
    if name.startswith("__"):  # helpers that some exporters insert between a joint and its parent
        return "", "", 0
    words = [word.lower() for word in _WORDS.findall(re.split(r"[:|]", name)[-1])]
    lead = 0
    while lead < len(words) - 1 and (words[lead] in _NOISE or (lead and words[lead].isdigit())):
        lead += 1
    if lead and not words[lead].isdigit():
        words = words[lead:]
    sides = [word for word in words if word in _SIDES]
    if len(sides) > 1:
        return "", "", 0
    if sides:
        rest = [word for word in words if word not in _SIDES]
        word, doubt = _body_word(rest)
        return _SIDES[sides[0]], word, doubt
    whole = "".join(words)
    for length in (5, 4, 1):
        for side, word in ((whole[:length], whole[length:]), (whole[-length:], whole[:-length])):
            if side in _SIDES and word in _KNOWN:
                return _SIDES[side], word, 0
    return "", *_body_word(words)


def _body_word(words: list[str]) -> tuple[str, int]:
    """Join the words and return doubt 0; if they match only without exporters' suffixes, return that and doubt 1."""
    whole = "".join(words)
    cut = list(words)
    while len(cut) > 1 and (cut[-1].isdigit() or cut[-1] in _TAILS):
        cut.pop()
    short = "".join(cut)
    if whole not in _KNOWN and short != whole and short in _KNOWN | {"head", "pelvis", "hips"}:
        return short, 1
    return whole, 0


def limb_roles_by_name(names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return joint and doubt (0 or 1) of each limb role that a name identifies.

    Examples
    --------
    >>> limb_roles_by_name(["thigh_l", "calf_l", "foot_l", "ball_l"])["left_toe"]
    (3, 0)
    """
    sided: dict[str, dict[str, tuple[int, int]]] = {"left": {}, "right": {}}
    for doubt in (0, 1):
        for joint, name in enumerate(names):
            side, word, found = read_name(name)
            if side and found == doubt:
                sided[side].setdefault(word, (joint, doubt))
    out: dict[str, tuple[int, int]] = {}
    for side, words in sided.items():
        out |= {f"{side}_{part}": hit for part, hit in _settled(words).items()}
    return out


def _settled(words: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Parts of one side; words with two meanings are resolved by the other words."""
    found: dict[str, tuple[int, int]] = {}
    for part, spellings in _PARTS.items():
        hits = [words[word] for word in spellings if word in words]
        if hits:
            found[part] = min(hits, key=lambda hit: hit[1])
    if "shoulder" in words:
        found.setdefault("clavicle" if "shoulder" in found else "shoulder", words["shoulder"])
    if "leg" in words and "hip" in found:
        found.setdefault("knee", words["leg"])
    if "foot" in words:
        if "ankle" in found:
            found["toe"] = words["foot"]  # a foot below an ankle is the ball joint
        else:
            found["ankle"] = words["foot"]
    return found


def trunk_word(name: str) -> bool:
    """Return whether a name is that of a joint from hips to head.

    Examples
    --------
    >>> trunk_word("mixamorig:Spine2"), trunk_word("LeftArm"), trunk_word("T12")
    (True, False, True)
    """
    side, word, _ = read_name(name)
    return not side and bool(_SPINE.match(word))


def joints_called(names: Sequence[str], role: str) -> list[int]:
    """Return the joints named as pelvis or head, the most reliable name first."""
    reported = [read_name(name) for name in names]
    order = _TRUNK[role]
    hits = [
        (order.index(word), joint)
        for joint, (side, word, _) in enumerate(reported)
        if not side and word in order
    ]
    return [joint for _, joint in sorted(hits)]


def mirror_name(name: str, names: Collection[str]) -> str:
    """Return the partner of a name on the other side among given names; itself if there is none.

    Examples
    --------
    >>> mirror_name("arm_l", ["arm_l", "arm_r"]), mirror_name("Lefty", ["Lefty", "Spine"])
    ('arm_r', 'Lefty')
    """
    have = set(names)
    pieces = list(re.finditer(r"(?i)left|right|(?<![A-Za-z])[lr](?![a-z])|(?<=[a-z])[LR]$|^[lr]", name))
    for piece in pieces:
        other = _OTHER[piece[0].lower()]
        other = other.upper() if piece[0].isupper() else other.title() if piece[0][0].isupper() else other
        partner = name[: piece.start()] + other + name[piece.end() :]
        if partner in have:
            return partner
    return name
