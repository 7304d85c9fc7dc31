"""Skeleton: its contents, invalid input, and how errors name it."""

from __future__ import annotations

import numpy as np
import pytest

from segue.errors import SkeletonError
from segue.motion.skeleton import EndSite, Skeleton


@pytest.fixture
def body() -> Skeleton:
    """Hips, a leg of three joints with a tip, and a spine."""
    return Skeleton(
        ("Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "Spine"),
        [-1, 0, 1, 2, 0],
        [[0, 0.9, 0], [0.1, 0, 0], [0, -0.4, 0], [0, -0.4, 0.02], [0, 0.2, 0]],
        [EndSite(3, np.array([0.0, -0.05, 0.15]))],
    )


def test_rest_positions_add_offsets_down_the_tree(body: Skeleton) -> None:
    """The rest position of a joint is the sum of its own offset and those of its ancestors."""
    rest = body.rest_positions()
    for joint in range(body.n_joints):
        total, at = np.zeros(3), joint
        while at >= 0:
            total += body.offsets[at]
            at = body.parents[at]
        assert np.allclose(rest[joint], total)


def test_children_are_the_inverse_of_parents(body: Skeleton) -> None:
    """Every joint but the root is a child of its parent, once."""
    assert body.children == ((1, 4), (2,), (3,), (), ())


def test_end_sites_are_no_joints(body: Skeleton) -> None:
    """A tip is a point of its joint and is not counted."""
    assert body.n_joints == 5
    assert np.allclose(body.tip(3), [0, -0.05, 0.15])
    assert body.tip(4) is None


@pytest.mark.parametrize("joint", [-1, 5, 99])
def test_an_end_site_of_no_joint_is_refused(body: Skeleton, joint: int) -> None:
    """The joint of an end site indexes arrays over all joints, so other numbers are refused."""
    with pytest.raises(SkeletonError, match="numbered from 0 to 4"):
        Skeleton(body.names, body.parents, body.offsets, [EndSite(joint, np.zeros(3))])


def test_a_wrong_name_is_answered_with_the_nearest(body: Skeleton) -> None:
    assert body.index("LeftLeg") == 2
    with pytest.raises(SkeletonError, match=r"'LeftLegg'.*nearest: LeftLeg"):
        body.index("LeftLegg")


def test_arrays_cannot_be_written_to(body: Skeleton) -> None:
    """A skeleton is shared by many clips: its arrays are read-only copies of the input."""
    given_offsets = np.zeros((1, 3))
    single = Skeleton(("a",), [-1], given_offsets)
    given_offsets[0, 0] = 5.0
    assert single.offsets[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        body.offsets[0, 0] = 1.0


def test_same_as_ignores_where_the_root_rests(body: Skeleton) -> None:
    """Two files of one actor may differ in the root's rest position, but not in a bone."""
    offsets = np.array(body.offsets)
    offsets[0] += 1.0
    assert body.same_as(Skeleton(body.names, body.parents, offsets))
    offsets[2, 1] += 1e-4
    other = Skeleton(body.names, body.parents, offsets)
    assert not body.same_as(other)
    assert body.same_as(other, tolerance=1e-3)


@pytest.mark.parametrize(
    ("names", "parents", "offsets", "message"),
    [
        ((), [], np.zeros((0, 3)), "at least one joint"),
        (("a", "b"), [-1, 0], np.zeros((1, 3)), r"shape \(2, 3\)"),
        (("a", "b"), [-1], np.zeros((2, 3)), r"shape \(2,\)"),
        (("a", "b"), [0, -1], np.zeros((2, 3)), "before their children"),
        (("a", "b"), [-1, -1], np.zeros((2, 3)), "only root"),
        (("a", "b", "c"), [-1, 2, 0], np.zeros((3, 3)), "before their children"),
        (("a", "a"), [-1, 0], np.zeros((2, 3)), "'a' occurs more than once"),
    ],
)
def test_impossible_bodies_are_refused(
    names: tuple, parents: list, offsets: np.ndarray, message: str
) -> None:
    """Bodies that are no tree of named joints are refused with the reason."""
    with pytest.raises(SkeletonError, match=message):
        Skeleton(names, parents, offsets)
