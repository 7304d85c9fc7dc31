"""segue finds, makes and plays transitions between captured human motions.

Files and clips
    `load`, `load_folder`, `save`, `sample`, `from_positions`; a `Clip` is one motion of one `Skeleton`
Long motion
    `MotionGraph.build`, its `wander`, and `render`; `stitch`, `loop`, `mirror`
One transition
    `cost_matrix`, `transition_points`, `splice`; costs by name with `cost`
Characters that are stepped live
    `GraphPlayer`, `GraphCrowd`; `build_locomotion`, `LocomotionPlayer`, `Command`
Faults, repair and measures
    `find_faults`, `repair`, `plant_feet`, `smooth`, `measure`, `filmstrip`
Collections, and motions scheduled in time
    `Library`; `make_sequence`, `SequenceScript`

Metres, seconds, radians, Y up; quaternions wxyz. A mistake that the caller can fix raises a `SegueError`, whose message
says how. Public names are imported on first use, so that ``import segue`` is fast.

>>> import segue
>>> walk = segue.sample("walk")
>>> segue.world_positions(walk).shape[1] == walk.skeleton.n_joints
True
"""

from __future__ import annotations

from importlib import import_module
from sys import modules
from typing import TYPE_CHECKING, Any

from segue._version import __version__
from segue.displays import register as _register

if TYPE_CHECKING:
    from segue.costs.features import FeatureCost
    from segue.costs.joint_angle.cost import JointAngleCost
    from segue.costs.matrix import CostMatrix, cost_matrix
    from segue.costs.point_cloud import PointCloudCost
    from segue.costs.registry import cost
    from segue.costs.relative_distance import RelativeDistanceCost
    from segue.errors import (
        FileError,
        MissingExtraError,
        NoTransitionError,
        SegueError,
        SettingError,
        SkeletonError,
    )
    from segue.graph.build import MotionGraph
    from segue.graph.stitch import stitch
    from segue.graph.walk import Walk, render
    from segue.io import load, load_folder, save
    from segue.library.library import Library
    from segue.locomotion.build import build_locomotion
    from segue.locomotion.model import Locomotion
    from segue.maths.planar import PlanarMotion
    from segue.measures import measure
    from segue.motion.clip import Clip, Origin
    from segue.motion.contacts import contacts
    from segue.motion.fault import Fault
    from segue.motion.faults import find_faults
    from segue.motion.kinematics import world_positions
    from segue.motion.mirror import mirror
    from segue.motion.pose import Pose
    from segue.motion.roles import roles
    from segue.motion.samples import sample
    from segue.motion.skeleton import Skeleton
    from segue.motion.stance import stance
    from segue.pictures.filmstrip import filmstrip
    from segue.runtime.crowd import GraphCrowd
    from segue.runtime.graph_player import GraphPlayer, Request
    from segue.runtime.steered.player import Command, LocomotionPlayer
    from segue.sequencing.elements import ElementaryMotion
    from segue.sequencing.replanning import replan, withdraw
    from segue.sequencing.script import Placement, SequenceScript
    from segue.sequencing.sequence import MotionSequence, make_sequence
    from segue.settings import Blend
    from segue.synthesis.feet.planting import plant_feet
    from segue.synthesis.from_positions import from_positions
    from segue.synthesis.loop import loop
    from segue.synthesis.repairing import repair
    from segue.synthesis.retarget import retarget
    from segue.synthesis.root_motion import with_root_motion
    from segue.synthesis.smoothing import smooth
    from segue.synthesis.splice import splice
    from segue.transitions.optimum import optimal_transition
    from segue.transitions.selection import TransitionPoints, transition_points
    from segue.transitions.transition import TransitionPoint

_HOMES = {
    "Blend": "settings",
    "Clip": "motion.clip",
    "Command": "runtime.steered.player",
    "CostMatrix": "costs.matrix",
    "ElementaryMotion": "sequencing.elements",
    "Fault": "motion.fault",
    "FeatureCost": "costs.features",
    "FileError": "errors",
    "GraphCrowd": "runtime.crowd",
    "GraphPlayer": "runtime.graph_player",
    "JointAngleCost": "costs.joint_angle.cost",
    "Library": "library.library",
    "Locomotion": "locomotion.model",
    "LocomotionPlayer": "runtime.steered.player",
    "MissingExtraError": "errors",
    "MotionGraph": "graph.build",
    "MotionSequence": "sequencing.sequence",
    "NoTransitionError": "errors",
    "Origin": "motion.clip",
    "Placement": "sequencing.script",
    "PlanarMotion": "maths.planar",
    "PointCloudCost": "costs.point_cloud",
    "Pose": "motion.pose",
    "RelativeDistanceCost": "costs.relative_distance",
    "Request": "runtime.graph_player",
    "SegueError": "errors",
    "SequenceScript": "sequencing.script",
    "SettingError": "errors",
    "Skeleton": "motion.skeleton",
    "SkeletonError": "errors",
    "TransitionPoint": "transitions.transition",
    "TransitionPoints": "transitions.selection",
    "Walk": "graph.walk",
    "build_locomotion": "locomotion.build",
    "contacts": "motion.contacts",
    "cost": "costs.registry",
    "cost_matrix": "costs.matrix",
    "filmstrip": "pictures.filmstrip",
    "find_faults": "motion.faults",
    "from_positions": "synthesis.from_positions",
    "load": "io",
    "load_folder": "io",
    "loop": "synthesis.loop",
    "make_sequence": "sequencing.sequence",
    "measure": "measures",
    "mirror": "motion.mirror",
    "optimal_transition": "transitions.optimum",
    "plant_feet": "synthesis.feet.planting",
    "render": "graph.walk",
    "repair": "synthesis.repairing",
    "replan": "sequencing.replanning",
    "retarget": "synthesis.retarget",
    "roles": "motion.roles",
    "sample": "motion.samples",
    "save": "io",
    "smooth": "synthesis.smoothing",
    "splice": "synthesis.splice",
    "stance": "motion.stance",
    "stitch": "graph.stitch",
    "transition_points": "transitions.selection",
    "with_root_motion": "synthesis.root_motion",
    "withdraw": "sequencing.replanning",
    "world_positions": "motion.kinematics",
}

__all__ = [
    "Blend",
    "Clip",
    "Command",
    "CostMatrix",
    "ElementaryMotion",
    "Fault",
    "FeatureCost",
    "FileError",
    "GraphCrowd",
    "GraphPlayer",
    "JointAngleCost",
    "Library",
    "Locomotion",
    "LocomotionPlayer",
    "MissingExtraError",
    "MotionGraph",
    "MotionSequence",
    "NoTransitionError",
    "Origin",
    "Placement",
    "PlanarMotion",
    "PointCloudCost",
    "Pose",
    "RelativeDistanceCost",
    "Request",
    "SegueError",
    "SequenceScript",
    "SettingError",
    "Skeleton",
    "SkeletonError",
    "TransitionPoint",
    "TransitionPoints",
    "Walk",
    "__version__",
    "build_locomotion",
    "contacts",
    "cost",
    "cost_matrix",
    "filmstrip",
    "find_faults",
    "from_positions",
    "load",
    "load_folder",
    "loop",
    "make_sequence",
    "measure",
    "mirror",
    "optimal_transition",
    "plant_feet",
    "render",
    "repair",
    "replan",
    "retarget",
    "roles",
    "sample",
    "save",
    "smooth",
    "splice",
    "stance",
    "stitch",
    "transition_points",
    "with_root_motion",
    "withdraw",
    "world_positions",
]


def _in_a_notebook(thing: object) -> str | None:
    """Return the HTML of the player, which is imported at the first call."""
    html: str | None = import_module("segue.pictures.player.notebook").notebook_html(thing)
    return html


_register(_in_a_notebook)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        msg = f"module 'segue' has no attribute {name!r}"
        raise AttributeError(msg, name=name, obj=modules[__name__])  # Python suggests the nearest name
    value = getattr(import_module(f"segue.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
