"""Frames found faulty are ignored by floor, contacts, the kind of a clip, loops and locomotion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from segue import contacts, loop
from segue.arrays import Bools
from segue.locomotion.phases import gait_phases
from segue.motion.clip import Clip
from segue.motion.faults import find_faults, unusable_frames
from segue.motion.floors import find_floor
from segue.motion.kinds import clip_kind
from segue.motion.samples import sample
from segue.motion.support import is_in_place
from segue.motion.usable import sound_frames
from segue.synthesis.feet.planting import plant_feet
from segue.synthesis.feet.steps import LOCKED


def put(clip: Clip, at: int, rows: int, height: float) -> tuple[Clip, Bools]:
    """Insert rows of zeros with the root at a height into a clip, and return flags of the original frames."""
    zeros = np.zeros((rows, clip.skeleton.n_joints, 4))
    zeros[..., 0] = 1.0
    rotations = np.concatenate([clip.rotations[:at], zeros, clip.rotations[at:]])
    roots = np.concatenate(
        [clip.root_positions[:at], np.tile([0.0, height, 0.0], (rows, 1)), clip.root_positions[at:]]
    )
    own = np.ones(len(roots), dtype=bool)
    own[at : at + rows] = False
    return Clip(clip.skeleton, rotations, roots, clip.fps), own


def cut_walk(seconds: float = 2.6, name: str = "walk") -> Clip:
    """Cut a walk or run from its middle, where no frame is near the rest pose."""
    clip = sample(name, 30.0)
    rows = np.arange(20, 20 + round(seconds * 30))
    return Clip(clip.skeleton, clip.rotations[rows], clip.root_positions[rows], clip.fps)


def before(clip: Clip) -> tuple[Clip, Bools]:
    """Three rows first."""
    return put(clip, 0, 3, 0.0)


def seven_after(clip: Clip) -> tuple[Clip, Bools]:
    """Seven rows last."""
    return put(clip, clip.n_frames, 7, 0.0)


def inside(clip: Clip) -> tuple[Clip, Bools]:
    """Five rows in the middle."""
    return put(clip, clip.n_frames // 2, 5, 0.0)


def far_below(clip: Clip) -> tuple[Clip, Bools]:
    """Three rows first, five metres down."""
    return put(clip, 0, 3, -5.0)


def held_high(clip: Clip) -> tuple[Clip, Bools]:
    """Four rows first, two metres up."""
    return put(clip, 0, 4, 2.0)


def many(clip: Clip) -> tuple[Clip, Bools]:
    """Twenty-four rows first."""
    return put(clip, 0, 24, 0.0)


KINDS = [before, seven_after, inside, far_below, held_high, many]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["walk", "run", "walk_left"])
def test_floor_and_plants_are_those_of_the_other_frames(
    kind: Callable[[Clip], tuple[Clip, Bools]], name: str
) -> None:
    """With zero rows anywhere, floor, plants, floor slope and kind are those of the clean clip."""
    plain = cut_walk(name=name)
    made, own = kind(plain)
    assert unusable_frames(made)[~own].all()
    found, clean = contacts(made), contacts(plain)
    assert found.floor == pytest.approx(clean.floor, abs=0.01)
    assert not found.flags[~own].any()
    same = found.flags[own] == clean.flags
    assert same.mean() > 0.97
    assert clip_kind(made) == clip_kind(plain)
    floor = find_floor(made)
    assert (abs(floor.height) < 0.02, np.degrees(floor.slope) < 1.0) == (True, True)
    assert not find_faults(made).of("floor", "sliding")


@pytest.mark.parametrize("kind", KINDS)
def test_a_walk_in_place_is_one_still(kind: Callable[[Clip], tuple[Clip, Bools]]) -> None:
    """A walk on the spot with zero rows is in place, and a travelling one is not."""
    walk = cut_walk()
    spot = walk.with_motion(root_positions=walk.root_positions * [0.0, 1.0, 0.0])
    assert is_in_place(kind(spot)[0])
    assert not is_in_place(kind(walk)[0])


@pytest.mark.parametrize("kind", KINDS)
def test_feet_are_held_in_the_other_frames(kind: Callable[[Clip], tuple[Clip, Bools]]) -> None:
    """Sliding feet are held although the clip has zero rows."""
    walk = cut_walk()
    made, _ = kind(walk.with_motion(root_positions=walk.root_positions * [1.0, 1.0, 1.08]))
    held = plant_feet(made, keep=LOCKED)
    slid = sum(plant.along_path for plant in held.before)
    assert slid > 0.1
    assert sum(plant.along_path for plant in held.after) < 0.1 * slid


@pytest.mark.parametrize("kind", KINDS)
def test_steps_and_loops_are_found_in_the_other_frames(kind: Callable[[Clip], tuple[Clip, Bools]]) -> None:
    """A walk with zero rows is cut into the steps of the clean walk, and looped at its period."""
    walk = cut_walk(4.0)
    made, _ = kind(walk)
    assert "walk" in {phase.kind for phase in gait_phases(made).phases}
    assert len(gait_phases(made).frames) >= len(gait_phases(walk).frames) - 2
    one, other = loop(made), loop(walk)
    strides = one.seconds / other.seconds
    assert min(abs(strides - whole) for whole in (0.5, 1.0, 2.0)) < 0.03


def test_an_arm_out_of_order_hides_no_feet() -> None:
    """A glitch of an arm keeps all contacts; a glitch of the root excludes only its own frames."""
    walk = sample("walk")
    rotations = np.array(walk.rotations)
    rotations[100, walk.skeleton.index("LeftArm")] = [0.0, 1.0, 0.0, 0.0]
    arm = walk.with_motion(rotations)
    assert unusable_frames(arm).any()
    assert sound_frames(arm).all()
    assert np.array_equal(contacts(arm).flags, contacts(walk).flags)
    roots = np.array(walk.root_positions)
    roots[100] += [0.0, -3.0, 0.0]
    root = walk.with_motion(root_positions=roots)
    assert np.flatnonzero(~sound_frames(root)).tolist() == [99, 100, 101]


def test_seams_are_no_faulty_frames() -> None:
    """A hard cut between two stretches keeps the contacts on both sides of the seam."""
    walk = sample("walk", 30.0)
    rows = np.concatenate([np.arange(0, 60), np.arange(97, 160)])
    made = Clip(
        walk.skeleton, walk.rotations[rows], walk.root_positions[rows], 30.0, origin=walk.origin.take(rows)
    )
    assert sound_frames(made).all()
    assert not sound_frames(Clip(walk.skeleton, walk.rotations[rows], walk.root_positions[rows], 30.0)).all()
