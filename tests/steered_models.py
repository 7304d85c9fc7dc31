"""Small locomotion models for tests, and the naive character of the same numbers."""

from __future__ import annotations

from functools import lru_cache
from types import SimpleNamespace

import numpy as np

import segue
from naive.steered import Character
from segue.locomotion import _kernels as blending
from segue.locomotion.blend_set import BlendSet, heel_and_toe
from segue.locomotion.build import BuildSettings, build_locomotion
from segue.locomotion.model import Locomotion
from segue.motion.feet import foot_points
from segue.motion.limb_ik import Leg
from segue.runtime.standing import _kernels as k
from segue.runtime.steered.packing import SteerSettings
from segue.runtime.steered.player import Command, LocomotionPlayer, first_command, mean_rotations


@lru_cache(maxsize=1)
def small_model() -> Locomotion:
    """Standing and walking from sample clips, with few examples; every path is captured, so the build is fast."""
    names = ("walk", "walk_slow", "walk_turn_left", "start", "stop")
    return build_locomotion([segue.sample(name) for name in names], settings=BuildSettings(most=4))


@lru_cache(maxsize=1)
def three_types() -> Locomotion:
    """A model with running too, and the transitions to it, which no clip contains."""
    names = ("walk", "walk_slow", "walk_turn_left", "run", "start", "stop")
    return build_locomotion([segue.sample(name) for name in names], settings=BuildSettings(most=4))


def naive_model(model: Locomotion, settings: SteerSettings) -> SimpleNamespace:
    """The same numbers as plain arrays."""
    player = LocomotionPlayer(model, settings)
    body = int(player._packed.index[k.BODY_AT])
    axes = player._packed.data[body + k.AXES : body + k.OFFSETS].reshape(2, 3)

    def plain(one: BlendSet) -> dict[str, object]:
        return {
            "rotations": one.rotations,
            "beside": one.beside,
            "rates": one.rates,
            "places": one.weights.places,
            "scale": one.weights.scale,
            "normals": one.around.normals,
            "limits": one.around.limits,
            "flat": one.around.flat,
        }

    legs = [Leg.of(model.skeleton, side) for side in ("left", "right")]
    return SimpleNamespace(
        nodes=[SimpleNamespace(steps=node.steps, **plain(node.set)) for node in model.nodes],
        transitions=[
            SimpleNamespace(
                **{
                    name: getattr(joined, name)
                    for name in ("source", "target", "before", "after", "from_interval", "to_interval")
                },
                **plain(joined.set),
            )
            for joined in model.transitions
        ],
        hops=model.next_hops(),
        settings=settings,
        per_interval=blending.PER_INTERVAL,
        parents=[int(parent) for parent in model.skeleton.parents],
        offsets=model.skeleton.offsets,
        legs=[(leg.hip, leg.knee, leg.ankle) for leg in legs],
        soles=heel_and_toe(model.skeleton),
        heights=foot_points(model.skeleton).rest_heights,
        axes=axes,
    )


def naive_character(model: Locomotion, settings: SteerSettings) -> Character:
    """A naive character that begins as a `LocomotionPlayer` does."""
    plain = naive_model(model, settings)
    command = first_command(model)
    kind = model.index(command.kind)
    place = np.array([command.speed, command.turn])
    character = Character(plain, kind, place, np.zeros((4, model.skeleton.n_joints)))
    pose, _ = character.node_weights(kind)
    mean = mean_rotations(model.nodes[kind].set.rotations[0], pose)
    character.refs = [mean.copy() for _ in range(3)]
    return character


def naive_wish(model: Locomotion, command: Command) -> SimpleNamespace:
    """A wish in the naive character's form."""
    return SimpleNamespace(kind=model.index(command.kind), parameters=np.array([command.speed, command.turn]))
