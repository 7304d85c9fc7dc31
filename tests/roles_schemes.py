"""Human bodies in a T-pose under the joint names of many conventions, for tests of roles."""

from __future__ import annotations

import numpy as np

from segue.motion.skeleton import EndSite, Skeleton


def _each(pattern: str, words: str) -> str:
    """A pattern with its % replaced by each word, separated by commas."""
    return ",".join(pattern.replace("%", word) for word in words.split())


LIMBS = ("clavicle", "shoulder", "elbow", "wrist", "hip", "knee", "ankle", "toe")
# trunk (pelvis to chest), neck, head, limbs in the order of LIMBS ("-" for none); {S} Left/Right, {s} l/r, {B} L/R,
# {L} left/right; then extra joints "name<parent"; in a limb "name>child" inserts one.
SCHEMES: dict[str, tuple[str, str, str, str, str]] = {
    "CMU": (
        "root,lowerback,upperback,thorax",
        "lowerneck,upperneck",
        "head",
        "{s}clavicle,{s}humerus,{s}radius,{s}wrist,{s}femur,{s}tibia,{s}foot,{s}toes",
        "{s}hand<{s}wrist,{s}thumb<{s}wrist",
    ),
    "Mixamo": (
        "mixamorig:Hips,mixamorig:Spine,mixamorig:Spine1,mixamorig:Spine2",
        "mixamorig:Neck",
        "mixamorig:Head",
        _each("mixamorig:{S}%", "Shoulder Arm ForeArm Hand UpLeg Leg Foot ToeBase"),
        (
            "mixamorig:HeadTop_End<mixamorig:Head,mixamorig:{S}Toe_End<mixamorig:{S}ToeBase,"
            "mixamorig:{S}HandIndex1<mixamorig:{S}Hand,mixamorig:{S}HandThumb1<mixamorig:{S}Hand"
        ),
    ),
    "HumanIK": (
        "Character1_Hips,Character1_Spine,Character1_Spine1",
        "Character1_Neck",
        "Character1_Head",
        _each("Character1_{S}%", "Shoulder Arm ForeArm Hand UpLeg Leg Foot ToeBase"),
        "Character1_{S}ArmRoll<Character1_{S}Arm,Character1_{S}UpLegRoll<Character1_{S}UpLeg",
    ),
    "VRM": (
        "J_Bip_C_Hips,J_Bip_C_Spine,J_Bip_C_Chest,J_Bip_C_UpperChest",
        "J_Bip_C_Neck",
        "J_Bip_C_Head",
        ",".join(
            f"J_Bip_{{B}}_{n}"
            for n in ["Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "ToeBase"]
        ),
        "J_Adj_{B}_FaceEye<J_Bip_C_Head,J_Sec_{B}_Bust1<J_Bip_C_UpperChest",
    ),
    "VRM humanoid": (
        "hips,spine,chest,upperChest",
        "neck",
        "head",
        _each("{L}%", "Shoulder UpperArm LowerArm Hand UpperLeg LowerLeg Foot Toes"),
        "{L}Eye<head",
    ),
    "Unreal 4": (
        "pelvis,spine_01,spine_02,spine_03",
        "neck_01",
        "head",
        "clavicle_{s},upperarm_{s},lowerarm_{s},hand_{s},thigh_{s},calf_{s},foot_{s},ball_{s}",
        (
            "upperarm_twist_01_{s}<upperarm_{s},lowerarm_twist_01_{s}<lowerarm_{s},thigh_twist_01_{s}<thigh_{s},"
            "index_01_{s}<hand_{s},thumb_01_{s}<hand_{s}"
        ),
    ),
    "Unreal 5": (
        "pelvis,spine_01,spine_02,spine_03,spine_04,spine_05",
        "neck_01,neck_02",
        "head",
        "clavicle_{s},upperarm_{s},lowerarm_{s},hand_{s},thigh_{s},calf_{s},foot_{s},ball_{s}",
        "upperarm_twist_01_{s}<upperarm_{s},upperarm_twist_02_{s}<upperarm_{s},calf_twist_01_{s}<calf_{s}",
    ),
    "SMPL": (
        "Pelvis,Spine1,Spine2,Spine3",
        "Neck",
        "Head",
        "{B}_Collar,{B}_Shoulder,{B}_Elbow,{B}_Wrist,{B}_Hip,{B}_Knee,{B}_Ankle,{B}_Foot",
        "{B}_Hand<{B}_Wrist",
    ),
    "SMPL-X": (
        "pelvis,spine1,spine2,spine3",
        "neck",
        "head",
        "{L}_collar,{L}_shoulder,{L}_elbow,{L}_wrist,{L}_hip,{L}_knee,{L}_ankle,{L}_foot",
        "{L}_index1<{L}_wrist,jaw<head,{L}_eye_smplhf<head",
    ),
    "SMPL humanoid": (
        "Pelvis,Torso,Spine,Chest",
        "Neck",
        "Head",
        "{B}_Thorax,{B}_Shoulder,{B}_Elbow,{B}_Wrist,{B}_Hip,{B}_Knee,{B}_Ankle,{B}_Toe",
        "{B}_Hand<{B}_Wrist",
    ),
    "Biped": (
        "Bip01 Pelvis,Bip01 Spine,Bip01 Spine1,Bip01 Spine2",
        "Bip01 Neck",
        "Bip01 Head",
        _each("Bip01 {B} %", "Clavicle UpperArm Forearm Hand Thigh Calf Foot Toe0"),
        "Bip01 {B} Finger0<Bip01 {B} Hand,Bip01 {B} Toe0Nub<Bip01 {B} Toe0,Bip01 HeadNub<Bip01 Head",
    ),
    "DeepMimic": (
        "root,chest",
        "neck",
        "-",
        "-,{L}_shoulder,{L}_elbow,{L}_wrist,{L}_hip,{L}_knee,{L}_ankle,-",
        "",
    ),
    "AMP": (
        "pelvis,torso",
        "",
        "head",
        "-,{L}_upper_arm,{L}_lower_arm,{L}_hand,{L}_thigh,{L}_shin,{L}_foot,-",
        "",
    ),
    "Bandai-Namco": (
        "Hips,Spine,Chest",
        "Neck",
        "Head",
        _each("%_{B}", "Shoulder UpperArm LowerArm Hand UpperLeg LowerLeg Foot Toes"),
        "",
    ),
    "MakeHuman": (
        "root,spine05,spine04,spine03,spine02,spine01",
        "neck01,neck02,neck03",
        "head",
        "clavicle.{B},upperarm01.{B},lowerarm01.{B},wrist.{B},upperleg01.{B},lowerleg01.{B},foot.{B},toe1-1.{B}",
        (
            "shoulder01.{B}>upperarm01.{B},upperarm02.{B}>lowerarm01.{B},upperleg02.{B}>lowerleg01.{B},"
            "lowerleg02.{B}>foot.{B},lowerarm02.{B}>wrist.{B},jaw<head,eye.{B}<head"
        ),
    ),
    "Rigify": (
        "spine,spine.001,spine.002,spine.003",
        "spine.004,spine.005",
        "spine.006",
        "shoulder.{B},upper_arm.{B},forearm.{B},hand.{B},thigh.{B},shin.{B},foot.{B},toe.{B}",
        "pelvis.{B}<spine,breast.{B}<spine.003,heel.02.{B}<foot.{B}",
    ),
    "Rigify DEF": (
        "DEF-spine,DEF-spine.001,DEF-spine.002,DEF-spine.003",
        "DEF-spine.004",
        "DEF-spine.006",
        _each("DEF-%.{B}", "shoulder upper_arm forearm hand thigh shin foot toe"),
        (
            "DEF-upper_arm.{B}.001>DEF-forearm.{B},DEF-forearm.{B}.001>DEF-hand.{B},"
            "DEF-thigh.{B}.001>DEF-shin.{B},DEF-shin.{B}.001>DEF-foot.{B}"
        ),
    ),
    "Xsens BVH": (
        "Hips,Chest,Chest2,Chest3,Chest4",
        "Neck",
        "Head",
        "{S}Collar,{S}Shoulder,{S}Elbow,{S}Wrist,{S}Hip,{S}Knee,{S}Ankle,{S}Toe",
        "",
    ),
    "Xsens MVNX": (
        "Pelvis,L5,L3,T12,T8",
        "Neck",
        "Head",
        "{S}Shoulder,{S}UpperArm,{S}ForeArm,{S}Hand,{S}UpperLeg,{S}LowerLeg,{S}Foot,{S}Toe",
        "",
    ),
    "Second Life": (
        "mPelvis,mTorso,mChest",
        "mNeck",
        "mHead",
        _each("m%{S}", "Collar Shoulder Elbow Wrist Hip Knee Ankle Foot"),
        "mToe{S}<mFoot{S},mEye{S}<mHead",
    ),
    "Poser": (
        "hip,abdomen,chest",
        "neck",
        "head",
        "{s}Collar,{s}Shldr,{s}ForeArm,{s}Hand,{s}Thigh,{s}Shin,{s}Foot,-",
        "",
    ),
    "Valve": (
        _each("ValveBiped.Bip01_%", "Pelvis Spine Spine1 Spine2 Spine4"),
        "ValveBiped.Bip01_Neck1",
        "ValveBiped.Bip01_Head1",
        ",".join(
            f"ValveBiped.Bip01_{{B}}_{n}"
            for n in ["Clavicle", "UpperArm", "Forearm", "Hand", "Thigh", "Calf", "Foot", "Toe0"]
        ),
        "",
    ),
    "OptiTrack": (
        "Hip,Ab,Chest",
        "Neck",
        "Head",
        "{B}Shoulder,{B}UArm,{B}FArm,{B}Hand,{B}Thigh,{B}Shin,{B}Foot,{B}Toe",
        "",
    ),
    "phone": (
        "hips_joint,spine_1_joint,spine_2_joint,spine_7_joint",
        "neck_1_joint,neck_2_joint",
        "head_joint",
        (
            "{L}_shoulder_1_joint,{L}_arm_joint,{L}_forearm_joint,{L}_hand_joint,{L}_upLeg_joint,{L}_leg_joint,"
            "{L}_foot_joint,{L}_toes_joint"
        ),
        "jaw_joint<head_joint",
    ),
}
_ARM = {"clavicle": (0.02, 1.40, 0.0), "shoulder": (0.17, 1.42, -0.02), "elbow": (0.45, 1.42, -0.03)}
_LEG = {
    "hip": (0.09, 0.90, 0.0),
    "knee": (0.10, 0.48, 0.01),
    "ankle": (0.10, 0.08, -0.02),
    "toe": (0.11, 0.02, 0.11),
}
PLACES: dict[str, tuple[float, float, float]] = {**_ARM, "wrist": (0.70, 1.42, 0.0), **_LEG}
"""Metres, left side, facing +Z."""
_TIPS = {"toe": (0.0, 0.0, 0.07), "wrist": (0.16, -0.01, 0.02), "ankle": (0.0, -0.06, 0.16)}


class Built:
    """A body under construction: positions by name, then a skeleton."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.parent: dict[str, str] = {}
        self.place: dict[str, np.ndarray] = {}
        self.tips: dict[str, np.ndarray] = {}
        self.roles: dict[str, str] = {}

    def add(self, name: str, parent: str, place: object) -> None:
        """Add a joint."""
        self.names.append(name)
        self.parent[name], self.place[name] = parent, np.array(place, dtype=float)

    def skeleton(self, shape: object = None) -> Skeleton:
        """The skeleton; ``shape`` changes positions (J, 3)."""
        order: list[str] = []
        waiting = list(self.names)
        while waiting:
            ready = [name for name in waiting if self.parent[name] in {"", *order}]
            order += ready
            waiting = [name for name in waiting if name not in ready]
        parents = [-1 if not self.parent[name] else order.index(self.parent[name]) for name in order]
        places = np.array([self.place[name] for name in order])
        offsets = np.array([p - (0 if q < 0 else places[q]) for p, q in zip(places, parents, strict=True)])
        ends = [EndSite(order.index(name), tip) for name, tip in self.tips.items()]
        return Skeleton(order, parents, offsets, ends)


def built(label: str) -> Built:
    """Body of a scheme in a T-pose, with the joint name of each role it has in ``roles``."""
    trunk, necks, head, limbs, extras = SCHEMES[label]
    out = Built()
    spine = trunk.split(",")
    for n, name in enumerate(spine):
        out.add(name, spine[n - 1] if n else "", (0, 0.95 + 0.35 * n / max(1, len(spine) - 1), -0.01 * n))
    out.roles["pelvis"] = spine[0]
    if len(spine) > 2:
        out.roles["spine"] = spine[1]
    out.roles["chest"] = spine[-1]
    above = spine[-1]
    for n, name in enumerate(filter(None, necks.split(","))):
        out.add(name, above, (0, 1.47 + 0.04 * n, 0))
        out.roles.setdefault("neck", name)
        above = name
    if head != "-":
        out.add(head, above, (0, 1.60, 0.02))
        out.roles["head"] = head
        above = head
    out.tips[above] = np.array([0.0, 0.18, 0.0])
    for side in ("left", "right"):
        _limbs(out, side, limbs, spine)
        for extra in filter(None, _named(extras, side).split(",")):
            _extra(out, extra, side)
    return out


def _named(text: str, side: str) -> str:
    return text.format(S=side.capitalize(), s=side[0], B=side[0].upper(), L=side)


def _limbs(out: Built, side: str, limbs: str, spine: list[str]) -> None:
    sign = np.array([1.0 if side == "left" else -1.0, 1.0, 1.0])
    above = spine[-1]
    last = ""
    for part, name in zip(LIMBS, _named(limbs, side).split(","), strict=True):
        if part == "hip":
            above = spine[0]
        if name == "-":
            continue
        out.add(name, above, sign * PLACES[part])
        out.roles[f"{side}_{part}"] = above = name
        out.tips.pop(last if part == "toe" else "", None)
        if part in _TIPS:
            out.tips[name] = sign * _TIPS[part]
            last = name


def _extra(out: Built, extra: str, side: str) -> None:
    """Add a small joint to a parent, or one in the middle of a bone."""
    sign = np.array([1.0 if side == "left" else -1.0, 1.0, 1.0])
    if "<" in extra:
        name, _, parent = extra.partition("<")
        if name not in out.parent:
            forward = 0.08 if parent == out.roles.get("head") else 0.03
            out.add(name, parent, out.place[parent] + sign * (0.05, -0.01, forward))
            out.tips.pop(parent, None)
        return
    name, _, child = extra.partition(">")
    parent = out.parent[child]
    out.add(name, parent, 0.5 * (out.place[parent] + out.place[child]))
    out.parent[child] = name
