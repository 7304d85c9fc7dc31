"""What a file leaves open: unit, up axis and root rule, found from bodies of every size and position."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.errors import SettingError
from segue.io import units
from segue.io.up_axis import Axes, find_axes
from segue.maths.quaternions import from_axis_angle, multiply, normalise, rotate
from segue.motion.kinematics import World, forward
from segue.motion.samples import sample
from segue.motion.skeleton import EndSite, Skeleton


def in_file(skeleton: Skeleton, *, unit: float, up: str) -> Skeleton:
    """Return the skeleton as a file with that unit and up axis would store it."""
    return Skeleton(
        skeleton.names,
        skeleton.parents,
        units.from_y_up(skeleton.offsets, up=up) / unit,
        [EndSite(s.joint, units.from_y_up(s.offset, up=up) / unit) for s in skeleton.end_sites],
    )


def moving(
    skeleton: Skeleton, *, unit: float, up: str, tilt: float = 0.0, height: float | None = None
) -> World:
    """The sample walk's world positions in file units; ``tilt`` radians about X lay the body down."""
    walk = sample("walk")
    lie = from_axis_angle(np.array([1.0, 0.0, 0.0]), tilt)
    rotations = np.array(walk.rotations)
    rotations[:, 0] = multiply(np.broadcast_to(lie, (walk.n_frames, 4)), rotations[:, 0])
    roots = rotate(lie, np.array(walk.root_positions))
    if height is not None:
        roots[:, 1] = height
    return forward(
        skeleton, units.rotations_from_y_up(rotations, up=up), units.from_y_up(roots, up=up) / unit
    )


@pytest.mark.parametrize("up", units.UP_AXES)
@pytest.mark.parametrize("unit", [1.0, 0.1, 0.01, 0.001, 0.0254, units.CMU_UNIT])
def test_known_units_and_axes_are_found(unit: float, up: str) -> None:
    """Every unit that exporters use is found, with both up axes."""
    body = in_file(sample("walk").skeleton, unit=unit, up=up)
    legs = units.limbs(body)
    world = moving(body, unit=unit, up=up)
    assert find_axes(body, legs, world)[0] == Axes(up, up)
    assert units.find_unit(body, legs, 0.9 / unit)[0] == unit


def test_lying_down_turns_nobody_over() -> None:
    """A body that lies throughout the clip keeps the up axis of its rest pose."""
    body = in_file(sample("walk").skeleton, unit=0.01, up="Y")
    legs = units.limbs(body)
    lying = moving(body, unit=0.01, up="Y", tilt=np.pi / 2, height=0.1)
    flat = World(lying.rotations, lying.positions - lying.positions[:, :1] * np.array([0, 0, 1.0]))
    assert find_axes(body, legs, flat)[0] == Axes("Y", "Y")


@given(st.floats(1e-4, 1e4))
def test_no_body_is_scaled_to_usual_legs(scale: float) -> None:
    """The unit is a known one; legs of 0.25 to 1.2 m in metres and 0.4 to 1.2 m in centimetres keep their length."""
    body = in_file(sample("walk").skeleton, unit=scale, up="Y")
    legs = units.limbs(body)
    found, note = units.find_unit(body, legs, 0.0)
    assert found in {1.0, 0.1, 0.01, 0.001, 0.0254, 0.3048, units.CMU_UNIT}
    assert note.startswith("unit: ")
    if 0.25 <= legs.leg <= 1.2:
        assert found == 1.0
    if 40 <= legs.leg <= 120:
        assert found == 0.01


@given(st.floats(0.2, 3.0))
def test_a_body_is_written_in_a_unit_in_which_it_is_read(leg: float) -> None:
    """It is centimetres for most bodies, another known unit where those would be read as inches or millimetres."""
    scale = leg / units.limbs(sample("walk").skeleton).leg
    body = units.to_metres(sample("walk").skeleton, unit=scale, up="Y")
    unit = units.unit_to_write(body, 0.01, 1.1 * leg)
    given_values = in_file(body, unit=unit, up="Y")
    assert units.find_unit(given_values, units.limbs(given_values), 1.1 * leg / unit)[0] == unit
    assert unit == 0.01 or not 0.4 < leg < 1.2


@pytest.mark.parametrize("up", units.UP_AXES)
def test_turning_axes_is_exact(up: str, rng: np.random.Generator) -> None:
    """Rotating to Y up and back gives exactly the same bits, and commutes with rotating vectors."""
    v, q = rng.normal(size=(9, 3)), normalise(rng.normal(size=(9, 4)))
    assert np.array_equal(units.from_y_up(units.to_y_up(v, up=up), up=up), v)
    assert np.array_equal(units.rotations_from_y_up(units.rotations_to_y_up(q, up=up), up=up), q)
    turned = rotate(units.rotations_to_y_up(q, up=up), units.to_y_up(v, up=up))
    assert turned == pytest.approx(units.to_y_up(rotate(q, v), up=up), abs=1e-12)


@pytest.mark.parametrize("up", units.UP_AXES)
@pytest.mark.parametrize("rest", units.UP_AXES)
def test_rest_pose_and_world_turn_apart(up: str, rest: str, rng: np.random.Generator) -> None:
    """Where the rest pose and the world have different up axes, joints are where the axis rotation puts them."""
    walk = sample("walk")
    body = in_file(walk.skeleton, unit=1.0, up=rest)
    turns, roots = normalise(rng.normal(size=(4, body.n_joints, 4))), rng.normal(size=(4, 3))
    places = forward(body, turns, roots).positions
    straight = units.to_metres(body, unit=1.0, up=up, rest=rest)
    made = forward(
        straight, units.rotations_to_y_up(turns, up=up, rest=rest), units.to_y_up(roots, up=up)
    ).positions
    assert made == pytest.approx(units.to_y_up(places, up=up), abs=1e-12)
    assert straight.offsets[1:] == pytest.approx(walk.skeleton.offsets[1:])
    back = units.rotations_from_y_up(units.rotations_to_y_up(turns, up=up, rest=rest), up=up, rest=rest)
    assert back == pytest.approx(turns, abs=1e-12)


@pytest.mark.parametrize("up", units.UP_AXES)
def test_root_rule(up: str) -> None:
    """Absolute where feet are on the ground; displacement where they are a leg below it and OFFSET lifts them."""
    plain = sample("walk").skeleton
    lifted = Skeleton(
        plain.names, plain.parents, np.vstack([[[0, 0.9, 0]], plain.offsets[1:]]), plain.end_sites
    )
    body = in_file(lifted, unit=0.01, up=up)
    legs = units.limbs(body)
    standing = moving(body, unit=0.01, up=up)
    sunk = World(standing.rotations, standing.positions - units.from_y_up(np.array([0, 90.0, 0]), up=up))
    assert units.root_is_displacement(body, legs, standing, up=up)[0] is False
    assert units.root_is_displacement(body, legs, sunk, up=up)[0] is True


def test_overrides_are_checked() -> None:
    """Units, axes and rates out of range are refused with a message."""
    with pytest.raises(SettingError, match="metres per file unit"):
        units.checked_unit(0.0)
    with pytest.raises(SettingError, match="X, Y or Z"):
        units.checked_up("W")
    with pytest.raises(SettingError, match="frame rate"):
        units.checked_fps(float("nan"))
    assert [units.checked_up(word) for word in ("z", "+Z", " -x", "-Y")] == ["Z", "Z", "-X", "-Y"]
