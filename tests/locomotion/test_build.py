"""From clips to a motion transition graph: what is found, typed, measured, made and left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from segue.errors import SettingError
from segue.locomotion.arcs import Arc, fit_arc
from segue.locomotion.build import BuildSettings, build_locomotion, find_examples
from segue.locomotion.choosing import chosen
from segue.locomotion.phases import gait_phases
from segue.maths.quaternions import multiply
from segue.maths.scattered import nearest_reachable, pose_weights, scattered, timewarp_weights
from segue.motion.keytimes import keytimes
from segue.motion.resample import cut
from steered_models import three_types


@given(
    speed=st.floats(0.2, 5.0),
    turn=st.floats(-2.5, 2.5),
    heading=st.floats(-3.0, 3.0),
)
def test_an_arc_is_found_again(speed: float, turn: float, heading: float) -> None:
    """Points of an arc give its speed, turning rate and direction, including straight lines."""
    found = fit_arc(Arc(1.0, -2.0, heading, speed, turn, 0.0).at(np.linspace(0.0, 1.1, 40)), 1.1)
    assert (found.speed, found.turn) == pytest.approx((speed, turn), abs=1e-4)
    assert found.heading == pytest.approx(heading, abs=1e-4)
    assert found.residual < 1e-5


@pytest.mark.parametrize("name", ["walk", "walk_slow", "run"])
def test_samples_are_measured_as_they_were_made(name: str) -> None:
    """The cycles of a sample clip have its type and its speed."""
    clip = segue.sample(name)
    found = find_examples([clip], mirror_too=False)
    assert found.examples
    for example in found.examples:
        assert example.kind == name.split("_", maxsplit=1)[0]
        travelled = np.linalg.norm(np.diff(clip.root_positions[:, [0, 2]], axis=0), axis=1).sum()
        assert example.parameters["speed"] == pytest.approx(travelled / clip.seconds, rel=0.1)


def test_mirror_images_turn_the_other_way() -> None:
    """A left turn gives examples that turn left, and in its mirror image ones that turn right."""
    examples = find_examples([segue.sample("walk_turn_left")]).examples
    turns = [example.parameters["turn"] for example in examples]
    assert max(turns) > 0.1
    assert min(turns) < -0.1


def test_walking_has_double_support_and_running_flight() -> None:
    """A foot is planted in every frame of a walk, and none in some frames of a run."""
    walk, run = keytimes(segue.sample("walk")), keytimes(segue.sample("run"))
    assert walk.support.any(axis=1).all()
    assert (~run.support.any(axis=1)).any()
    assert {phase.kind for phase in gait_phases(segue.sample("walk")).phases} == {"walk"}


def test_ways_share_their_ends_with_the_types() -> None:
    """The part that a transition shares with a type has the type's events, from the given interval."""
    model = three_types()
    kinds = [node.kind for node in model.nodes]
    assert kinds == ["stand", "walk", "run"]
    assert model.transitions
    for one in model.transitions:
        assert one.before + one.after <= one.set.n_intervals
        for node, first, count, at in (
            (model.nodes[one.source], one.from_interval, one.before, 0),
            (model.nodes[one.target], one.to_interval, one.after, one.set.n_intervals - one.after),
        ):
            if node.steps:
                cycle = node.events[:-1]
                meant = [cycle[(first + step) % len(cycle)] for step in range(count + 1)]
                assert list(one.events[at : at + count + 1]) == meant


def test_the_stand_is_one_whose_feet_are_where_stops_have_them() -> None:
    """A stand with a leg held aside is not kept, though it is as still."""
    found = find_examples([segue.sample("start"), segue.sample("stop")], mirror_too=False)
    stands = [example for example in found.examples if example.kind == "stand"]
    good = stands[0]
    aside = np.array(good.clip.rotations)
    hip = segue.roles(good.clip.skeleton)["left_hip"]
    aside[:, hip] = multiply(aside[:, hip], np.array([np.cos(0.15), 0.0, 0.0, np.sin(0.15)]))
    bad = good.with_(name="aside", clip=replace(good.clip, rotations=aside))
    kept, left = chosen([bad, good], ("speed", "turn"), most=1, spacing=0.3, transitions=found.transitions)
    assert found.transitions
    assert [example.name for example in kept] == [good.name]
    assert "within 0.3 deviations" in left[0].reason


def test_cycles_close_and_rates_are_their_own() -> None:
    """The last sample of a cycle is its first, and its intervals last as long as those between its keytimes."""
    for node in three_types().nodes:
        assert np.allclose(np.abs(np.sum(node.set.rotations[0] * node.set.rotations[-1], axis=1)), 1.0)
        assert np.allclose(node.set.beside[0, :, :3], node.set.beside[-1, :, :3])
        assert (node.set.rates > 0).all()


def test_missing_ways_are_made_and_marked() -> None:
    """Two clips that never change type give transitions nevertheless, marked as made."""
    model = build_locomotion([segue.sample("walk"), segue.sample("run")], settings=BuildSettings(most=2))
    assert {(model.nodes[one.source].kind, model.nodes[one.target].kind) for one in model.transitions} == {
        ("walk", "run"),
        ("run", "walk"),
    }
    assert all(one.made for one in model.transitions)


def test_without_any_type_it_says_what_it_saw() -> None:
    """Clips without a cycle and a stand are refused with a sentence."""
    with pytest.raises(SettingError, match="no stand, walk or run was found in 1 clips"):
        build_locomotion([cut(segue.sample("walk"), 0, 20)])
    with pytest.raises(SettingError, match="there are none"):
        build_locomotion([])


places = st.lists(
    st.tuples(st.floats(0.0, 6.0), st.floats(-2.0, 2.0)), min_size=1, max_size=8, unique=True
).filter(
    lambda points: all(
        np.hypot(a[0] - b[0], a[1] - b[1]) > 0.05 for a in points for b in points if a is not b
    )
)


@given(places, st.tuples(st.floats(-20.0, 20.0), st.floats(-9.0, 9.0)))
def test_weights_keep_their_promises(points: list[tuple[float, float]], asked: tuple[float, float]) -> None:
    """Both kinds are cardinal and sum to 1; timewarp weights are nowhere negative."""
    fitted = scattered(points)
    own = timewarp_weights(fitted, points)
    assert np.abs(own - np.eye(len(points))).max() < 1e-9
    assert np.abs(pose_weights(fitted, points) - np.eye(len(points))).max() < 1e-5
    warp = timewarp_weights(fitted, asked)
    assert warp.min() >= 0.0
    assert warp.sum() == pytest.approx(1.0)
    assert pose_weights(fitted, asked).sum() == pytest.approx(1.0, abs=1e-6)


def test_the_sources_table() -> None:
    """Nine runs at 7.4 m/s straight ahead: pose weights within 0.05 of the printed ones, with all signs equal."""
    runs = [
        (0.3, 3), (0.1, -56), (0.3, 55), (2.6, 6), (2.6, -97), (2.6, 97), (5.2, 4), (5.3, -124), (5.3, 129),
    ]  # fmt: skip
    printed = np.array([-0.19, -0.18, -0.18, 0.11, 0.10, 0.09, 0.45, 0.40, 0.40])
    found = pose_weights(scattered(runs), (7.4, 0.0))
    assert np.abs(found - printed).max() < 0.051
    assert np.array_equal(np.sign(found), np.sign(printed))


def test_what_cannot_be_reached_is_moved_to_the_nearest() -> None:
    """A collinear set of examples extrapolates along its line, but not across."""
    fitted = scattered([(1.0, 0.0), (2.0, 0.0)])
    found, how = nearest_reachable(fitted, (2.1, 0.0))
    assert (found.tolist(), how) == ([2.1, 0.0], "outside")
    found, how = nearest_reachable(fitted, (1.5, 0.7))
    assert how == "clamped"
    assert found == pytest.approx([1.5, 0.0], abs=1e-9)
    with pytest.raises(SettingError, match="same parameters"):
        scattered([(1.0, 0.0), (1.0, 0.0)])
