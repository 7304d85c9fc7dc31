"""Elementary motions prepared for a sequence's body and rate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from segue.arrays import Bools, Floats, Positions, Quaternions, frozen
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.facing import headings, travel_heading
from segue.motion.feet import foot_positions, leg_length
from segue.motion.keytimes import keytimes
from segue.motion.kinematics import world
from segue.motion.limb_ik import Leg
from segue.motion.resample import resampled
from segue.motion.roles import SIDES
from segue.motion.skeleton import Skeleton
from segue.sequencing.decisions import FootPhase
from segue.sequencing.elements import ElementaryMotion
from segue.sequencing.halves import BodyHalves, body_halves
from segue.sequencing.phases import foot_phases
from segue.sequencing.poses import PrimaryPoints, primary_points
from segue.synthesis.retarget.retargeting import retarget

BodyOrientation: TypeAlias = Literal["facing", "travel"]
"""Direction by which two bodies are aligned: where the pelvis faces, or where it travels."""


@dataclass(frozen=True, eq=False)
class ReadyMotion:
    """An elementary motion on the sequence's body and rate, in the place where it was captured.

    Parameters
    ----------
    name, core
        As in the element; frames at the sequence's rate.
    clip
        Frames of the motion.
    orientation
        (F,) body orientation in radians.
    pelvis
        (F, 3) position in metres.
    support
        (F, 2) which foot supports the body.
    planted
        (F, 4) which heels and toes are in contact.
    phases
        Foot phases, in frames of the clip.
    ground
        (F, 4, 2) places of heels and toes on x and z.
    ankles, feet
        (F, 2, 3) world places and (F, 2, 4) world rotations of both ankles.
    lower, upper
        Primary joints of each half.
    leg
        Leg length in metres.
    """

    name: str
    core: tuple[int, int]
    clip: Clip
    orientation: Floats
    pelvis: Positions
    support: Bools
    planted: Bools
    phases: tuple[FootPhase, ...]
    ground: Floats
    ankles: Positions
    feet: Quaternions
    lower: PrimaryPoints
    upper: PrimaryPoints
    leg: float

    @property
    def halves(self) -> BodyHalves:
        """Split of the body."""
        return body_halves(self.clip.skeleton)


@lru_cache(maxsize=512)
def ready(
    element: ElementaryMotion,
    skeleton: Skeleton,
    fps: float,
    orientation: BodyOrientation = "facing",
) -> ReadyMotion:
    """Prepare an elementary motion: retargeted to a body, resampled to a rate, with its foot phases.

    Raises
    ------
    SkeletonError
        If the legs of either body are unknown.
    """
    body_halves(element.clip.skeleton)
    halves = body_halves(skeleton)
    clip = retarget(element.clip, skeleton)
    if clip.skeleton is not skeleton:
        clip = Clip(
            skeleton,
            clip.rotations,
            clip.root_positions,
            clip.fps,
            name=clip.name,
            origin=clip.origin,
            source=clip.source,
        )
    scale = fps / clip.fps
    clip = resampled(clip, fps)
    core = tuple(min(round(frame * scale), clip.n_frames) for frame in element.core)
    at = world(clip)
    pelvis = at.positions[:, halves.pelvis]
    faces = headings(skeleton, at.rotations[:, halves.pelvis], joint=halves.pelvis)
    faces = travel_heading(clip) if orientation == "travel" else faces
    legs = [Leg.of(skeleton, side).ankle for side in SIDES]
    support = keytimes(clip).support
    lower, upper = (
        primary_points(at.positions, pelvis, faces, joints=joints, fps=fps)
        for joints in (halves.lower_primary, halves.upper_primary)
    )
    return ReadyMotion(
        element.name,
        (core[0], core[1]),
        clip,
        frozen(faces),
        frozen(pelvis),
        support,
        contacts(clip).flags,
        foot_phases(support, fps),
        frozen(foot_positions(skeleton, at)[..., ::2]),
        frozen(at.positions[:, legs]),
        frozen(at.rotations[:, legs]),
        lower,
        upper,
        leg_length(skeleton),
    )


def commonest_rate(elements: Mapping[str, ElementaryMotion]) -> float:
    """Return the frame rate that most of the elements have; of equally common ones the highest."""
    rates = [element.clip.fps for element in elements.values()]
    return max(set(rates), key=lambda fps: (rates.count(fps), fps))
