"""Estimation of a standing reference from a motion whose body has a rest pose that does not stand.

Each part of the reference is the mean over the frames in which that part is nearest to standing: the trunk where it is
vertical, a leg where it is straight under the hip, a foot where it lies still on the ground, an arm where it hangs.
Rotations then remove the remaining tilt.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions, frozen
from segue.maths.quaternions import (
    conjugate,
    from_axis_angle,
    from_matrix,
    from_yaw,
    multiply,
    rotate,
    rotation_between,
)
from segue.motion.clip import Clip
from segue.motion.kinematics import forward
from segue.motion.roles import NEEDED, SIDES, Roles, roles
from segue.motion.skeleton import Skeleton

_LEVEL = 0.5  # least horizontal share of the hip line of a frame that gives the heading
_BEST = (0.2, 0.1, 0.1, 0.2)  # share of the frames averaged for trunk, legs, feet and arms
_DROP = 0.042  # leg lengths from ankle down to ball of a foot on its sole, in captured bodies
_SOLES = np.radians(6.0)  # tolerance of the slope of feet on their soles
_MOST = 4000  # frames examined
_LOW = 0.3  # share of the frames in which a foot counts as low; the slowest of these give its reference
_DOWN = np.array([0.0, -1.0, 0.0])
_UP = np.array([0.0, 1.0, 0.0])
_LEFT = np.array([1.0, 0.0, 0.0])
_MIRROR = np.array([-1.0, 1.0, 1.0])
_PAIRS = (("clavicle", "shoulder"), ("shoulder", "elbow"), ("elbow", "wrist"), ("ankle", "toe"))
_CLEAR = 0.5  # least share of a bone's length in a plane for the bone to be rotated into it
_TINY = 1e-9


def found_reference(clip: Clip) -> Quaternions | None:
    """World rotations (J, 4) from the rest pose to a reference that faces +Z; None if legs or hips do not suffice.

    Examples
    --------
    >>> import segue
    >>> found = found_reference(segue.sample("walk"))
    >>> bool(abs(found[0, 0]) > 0.99)
    True
    """
    found = roles(clip.skeleton)
    if any(role not in found for role in NEEDED):
        return None
    # Long clips are subsampled.
    seen = np.arange(0, clip.n_frames, -(-clip.n_frames // _MOST))
    at = forward(clip.skeleton, clip.rotations[seen], clip.root_positions[seen])
    across = at.positions[:, found["left_hip"]] - at.positions[:, found["right_hip"]]
    rows = np.flatnonzero(np.hypot(across[:, 0], across[:, 2]) > _LEVEL * np.linalg.norm(across, axis=1))
    if not rows.size:
        return None
    back = from_yaw(np.arctan2(across[rows, 2], across[rows, 0]))[:, None]
    turns = multiply(back, at.rotations[rows])
    places = rotate(back, at.positions[rows])
    return _Stance(clip.skeleton, found, turns, places).of(_speeds(clip, seen, at.positions)[rows])


def _speeds(clip: Clip, frames: Ints, places: Positions) -> Floats:
    """Distances in metres (N, J) that joints move from each of N frames to the next, or to the one before the last."""
    beside = np.where(frames + 1 < clip.n_frames, frames + 1, np.maximum(frames - 1, 0))
    there = forward(clip.skeleton, clip.rotations[beside], clip.root_positions[beside]).positions
    out: Floats = np.linalg.norm(there - places, axis=2)
    return out


class _Stance:
    """Builder of a reference from world rotations (F, J, 4) and positions (F, J, 3) that face +Z in every frame."""

    def __init__(self, skeleton: Skeleton, found: Roles, turns: Quaternions, places: Positions) -> None:
        self.skeleton, self.found = skeleton, found
        self.turns, self.places = turns, places
        self.out = np.empty((skeleton.n_joints, 4))

    def of(self, speeds: Floats) -> Quaternions:
        """Return the reference; ``speeds`` (F, J) of joints show when a foot is still."""
        trunk = trunk_line(self.places, self.found)
        self.mean(
            np.arange(self.skeleton.n_joints), tilt(trunk, _UP) if trunk is not None else None, _BEST[0]
        )
        arms = [self.below(_top(self.found, side)) for side in SIDES]
        legs = [self.below(self.found[f"{side}_hip"]) for side in SIDES]
        for side, leg in zip(SIDES, legs, strict=True):
            self.mean(leg, self.straight(side), _BEST[1])
            self.mean(self.below(self.found[f"{side}_ankle"]), self.planted(side, speeds), _BEST[2])
        limbs = np.unique(np.concatenate([*arms, *legs]))
        self.upright(np.setdiff1d(np.arange(self.skeleton.n_joints), limbs))
        for side, arm in zip(SIDES, arms, strict=True):
            self.mean(arm, self.hanging(side), _BEST[3], on=int(self.skeleton.parents[arm[:1]].sum()))
        for side in SIDES:
            hip, knee, ankle = (self.found[f"{side}_{part}"] for part in ("hip", "knee", "ankle"))
            self.aim(hip, knee)
            self.aim(knee, ankle)
        for start, end in _PAIRS:
            self.balance(start, end)
        for side in SIDES:
            self.level_toes(side)
        return frozen(self.out)

    def below(self, top: int | None) -> Ints:
        """A joint and all its descendants; empty for None."""
        inside: list[int] = [] if top is None else [top]
        for joint in range(0 if top is None else top + 1, self.skeleton.n_joints):
            if int(self.skeleton.parents[joint]) in inside:
                inside.append(joint)
        return np.array(inside, dtype=np.int64)

    def mean(self, joints: Ints, badness: Floats | None, share: float, *, on: int | None = None) -> None:
        """Set joints to their mean rotation over the least bad frames, relative to joint ``on`` or the world."""
        if not joints.size:
            return
        count = len(self.turns)
        rows = np.arange(count)
        if badness is not None:
            rows = np.argsort(badness, kind="stable")[: max(round(share * count), 1)]
        turns = self.turns[np.ix_(rows, joints)]
        if on is None:
            self.out[joints] = mean_turn(turns)
        else:  # relative to the trunk, because arms and trunk are nearest to standing in different frames
            against = multiply(conjugate(self.turns[rows, on])[:, None], turns)
            self.out[joints] = multiply(self.out[on], mean_turn(against))

    def straight(self, side: str) -> Floats:
        """Angles (F,) in radians of thigh and shin away from straight down, summed."""
        hip, knee, ankle = (self.places[:, self.found[f"{side}_{part}"]] for part in ("hip", "knee", "ankle"))
        return tilt(knee - hip, _DOWN) + tilt(ankle - knee, _DOWN)

    def hanging(self, side: str) -> Floats | None:
        """Angle (F,) in radians of an arm away from straight down."""
        joints = [self.found.get(f"{side}_{part}") for part in ("shoulder", "elbow", "wrist")]
        known = [self.places[:, joint] for joint in joints if joint is not None]
        return tilt(known[-1] - known[0], _DOWN) if len(known) > 1 else None

    def planted(self, side: str, speeds: Floats) -> Floats:
        """Speed (F,) of a foot where it is low; infinite elsewhere."""
        ankle = self.found[f"{side}_ankle"]
        toe = self.found.get(f"{side}_toe", ankle)
        height = self.places[:, [ankle, toe]].mean(axis=1)[:, 1]
        low = np.quantile(height, _LOW)
        out: Floats = np.where(height <= low, speeds[:, [ankle, toe]].sum(axis=1), np.inf)
        return out

    def upright(self, trunk: Ints) -> None:
        """Rotate the trunk: lines of hips and shoulders along x, neck above the hips, all in the middle plane."""
        places = self.stance_places()
        chord = trunk_line(places[None], self.found)
        self.square(trunk, self.across("hip", places), _UP if chord is None else chord[0])
        tops = [_top(self.found, each) for each in SIDES]
        carrier = -1 if tops[0] is None or tops[1] is None else _meeting(self.skeleton, tops[0], tops[1])
        upwards = self.upper_chain()
        for joint, following in pairwise(upwards[1:]):
            above = np.intersect1d(self.below(joint), trunk)
            places = self.stance_places()
            bone = places[following] - places[joint]
            level = bone * [0.0, 1.0, 1.0]
            line = places[tops[0]] - places[tops[1]] if joint == carrier else np.zeros(3)
            if line[0] > 0.5 * np.linalg.norm(line) > _TINY:
                self.square(above, line, bone, pitch=float(np.arctan2(bone[2], bone[1])))
            elif np.linalg.norm(level) > _CLEAR * np.linalg.norm(bone) > _TINY:
                self.out[above] = multiply(rotation_between(bone, level), self.out[above])

    def across(self, part: str, places: Positions) -> Positions:
        """Vector (3,) from the right to the left joint of a pair."""
        out: Positions = places[self.found[f"left_{part}"]] - places[self.found[f"right_{part}"]]
        return out

    def upper_chain(self) -> list[int]:
        """Joints from the pelvis up to the head, or to the highest known trunk joint."""
        joint = next(
            (self.found[role] for role in ("head", "neck", "chest", "spine") if role in self.found), 0
        )
        chain = [joint]
        while chain[-1] > self.found["pelvis"]:
            chain.append(int(self.skeleton.parents[chain[-1]]))
        return chain[::-1]

    def square(self, joints: Ints, across: Positions, up: Positions, *, pitch: float = 0.0) -> None:
        """Rotate joints: ``across`` along x, ``up`` in the middle plane and pitched ahead by ``pitch`` radians."""
        ahead = np.cross(across, up)
        if min(np.linalg.norm(across), np.linalg.norm(ahead)) > _TINY:
            side, front = across / np.linalg.norm(across), ahead / np.linalg.norm(ahead)
            before = np.stack([side, np.cross(front, side), front])
            turn = multiply(from_axis_angle(_LEFT, pitch), from_matrix(before))
            self.out[joints] = multiply(turn, self.out[joints])

    def balance(self, start: str, end: str) -> None:
        """Rotate both bones of a pair by the same amount so that they mirror each other."""
        bones = [self.bone(f"{side}_{start}", f"{side}_{end}") for side in SIDES]
        left, right = bones
        if left is None or right is None:
            return
        middle = left / np.linalg.norm(left) + _MIRROR * right / np.linalg.norm(right)
        if np.linalg.norm(middle) < _CLEAR:
            return
        if start == "ankle":
            middle = self.flat(middle, float(np.linalg.norm(left)))
        for side, bone, target in zip(SIDES, (left, right), (middle, _MIRROR * middle), strict=True):
            top, last = self.found[f"{side}_{start}"], self.found.get(f"{side}_{end}")
            moved = self.below(top)
            if start != "ankle":
                moved = np.setdiff1d(moved, self.below(last))
            self.out[moved] = multiply(rotation_between(bone, target), self.out[moved])

    def flat(self, foot: Positions, length: float) -> Positions:
        """Limit the slope of a foot vector (3,) to that of a foot on its sole; a runner's feet may never lie flat."""
        places = self.stance_places()
        hip, knee, ankle = (places[self.found[f"left_{part}"]] for part in ("hip", "knee", "ankle"))
        leg = float(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))
        usual = np.arcsin(np.clip(_DROP * leg / length, -1.0, 1.0))
        ahead = float(np.hypot(foot[0], foot[2]))
        slope = np.clip(np.arctan2(-foot[1], ahead), usual - _SOLES, usual + _SOLES)
        return np.array([foot[0], -ahead * np.tan(slope), foot[2]])

    def level_toes(self, side: str) -> None:
        """Rotate the toes to the horizontal, as in a foot on its sole."""
        toe = self.found.get(f"{side}_toe")
        if toe is None:
            return
        tip, places = self.skeleton.tip(toe), self.stance_places()
        ends = [places[child] - places[toe] for child in self.skeleton.children[toe]]
        bone = sum(ends) if tip is None else rotate(self.out[toe], tip)
        level = bone * np.array([1.0, 0.0, 1.0])
        if np.linalg.norm(level) > _CLEAR * np.linalg.norm(bone) > _TINY:
            moved = self.below(toe)
            self.out[moved] = multiply(rotation_between(bone, level), self.out[moved])

    def bone(self, start: str, end: str) -> Positions | None:
        """Vector (3,) in the reference from one joint to another, or to its own tip; None without either."""
        top, last = self.found.get(start), self.found.get(end)
        if top is None or (last is None and not start.endswith("ankle")):
            return None
        places = self.stance_places()
        tip = self.skeleton.tip(top)
        out = np.zeros(3) if tip is None else rotate(self.out[top], tip)
        out = out if last is None else places[last] - places[top]
        return out if np.linalg.norm(out) > _TINY else None

    def stance_places(self) -> Positions:
        """Joint positions (J, 3) in the reference, with the root at the origin."""
        offsets = rotate(self.out[self.skeleton.parents], self.skeleton.offsets)
        places = np.zeros_like(offsets)
        for joint in range(1, self.skeleton.n_joints):
            places[joint] = places[self.skeleton.parents[joint]] + offsets[joint]
        return places

    def aim(self, start: int, end: int) -> None:
        """Rotate the bone between two joints straight down."""
        places = self.stance_places()
        bone = places[end] - places[start]
        if np.linalg.norm(bone) > _TINY:
            moved = np.setdiff1d(self.below(start), self.below(end))
            self.out[moved] = multiply(rotation_between(bone, _DOWN), self.out[moved])


def mean_turn(turns: Quaternions) -> Quaternions:
    """Mean rotations (J, 4) of rotations (N, J, 4), independent of sign: the principal eigenvector of sum q q^T.

    Examples
    --------
    >>> import numpy as np
    >>> mean_turn(np.array([[[1.0, 0, 0, 0]], [[-1.0, 0, 0, 0]]])).tolist()
    [[1.0, 0.0, 0.0, 0.0]]
    """
    agreement = np.einsum("nja,njb->jab", turns, turns)
    out: Quaternions = np.linalg.eigh(agreement)[1][..., -1]
    return out * np.where(out[:, :1] < 0, -1.0, 1.0) + 0.0


def _top(found: Roles, side: str) -> int | None:
    """Topmost joint of an arm."""
    return found.get(f"{side}_clavicle", found.get(f"{side}_shoulder"))


def _meeting(skeleton: Skeleton, a: int, b: int) -> int:
    """Nearest common ancestor."""
    while a != b:
        a, b = (int(skeleton.parents[a]), b) if a > b else (a, int(skeleton.parents[b]))
    return a


def trunk_line(places: Positions, found: Mapping[str, int]) -> Positions | None:
    """Vectors (F, 3) from mid-hips to neck, or to shoulders, head, chest or spine; None without any of them."""
    middle = 0.5 * (places[:, found["left_hip"]] + places[:, found["right_hip"]])
    for names in (("neck",), ("left_shoulder", "right_shoulder"), ("head",), ("chest",), ("spine",)):
        if all(name in found for name in names):
            out: Positions = places[:, [found[name] for name in names]].mean(axis=1) - middle
            return out
    return None


def tilt(vectors: Positions, axis: Positions) -> Floats:
    """Radians (F,) between vectors (F, 3) and an axis; a right angle for a zero vector."""
    length = np.linalg.norm(vectors, axis=1)
    out: Floats = np.arccos(np.clip(vectors @ axis / np.maximum(length, _TINY), -1.0, 1.0))
    return out
