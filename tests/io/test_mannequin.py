"""The mannequin: closed, facing outwards, of the body's own size, in any orientation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from random_clips import SEEDS, body, legged
from segue.io import load
from segue.io.mannequin import Mannequin, mannequin
from segue.maths.quaternions import from_yaw, rotate
from segue.motion.samples import sample
from segue.motion.skeleton import EndSite, Skeleton


def changed(skeleton: Skeleton, scale: float = 1.0, turn: float = 0.0) -> Skeleton:
    """The same body scaled, and rotated about the ground origin."""

    def moved(offset: np.ndarray) -> np.ndarray:
        return scale * rotate(from_yaw(np.array(turn)), np.asarray(offset))

    sites = [EndSite(site.joint, moved(site.offset)) for site in skeleton.end_sites]
    offsets = [moved(offset) for offset in skeleton.offsets]
    return Skeleton(skeleton.names, skeleton.parents, offsets, sites)


def check(figure: Mannequin, joints: int) -> None:
    """Check that the figure is closed, faces outwards and binds every vertex once."""
    edges: dict[tuple[int, int], int] = {}
    for a, b, c in figure.triangles.tolist():
        for one, two in ((a, b), (b, c), (c, a)):
            edges[one, two] = edges.get((one, two), 0) + 1
    assert all(count == 1 and edges.get((two, one)) == 1 for (one, two), count in edges.items())
    corners = figure.positions[figure.triangles]
    assert np.sum(corners[:, 0] * np.cross(corners[:, 1], corners[:, 2])) > 0
    assert np.abs(np.linalg.norm(figure.normals, axis=1) - 1).max() < 1e-9
    assert np.abs(figure.weights.sum(axis=1) - 1).max() < 1e-12
    assert (figure.weights[:, 0] >= 0.5).all()
    assert ((figure.joints >= 0) & (figure.joints < joints)).all()


@pytest.mark.parametrize(
    "path",
    [
        "asf_amc/16/16_11.amc",
        "misc/makehuman/walk1.bvh",
        "misc/assimp/Boxing_Toes.bvh",
        "misc/geno/Geno_stance.bvh",
        "misc/bvhtools/test3.bvh",
        "fbx/assimp/huesitos.fbx",
    ],
)
def test_real_bodies_get_a_closed_figure(data: Path, path: str) -> None:
    """Bodies with and without toes, fingers and legs get a closed, outward figure bound to joints of the body."""
    skeleton = load(data / path).skeleton
    check(mannequin(skeleton), skeleton.n_joints)


@settings(max_examples=20)
@given(st.integers(0, SEEDS), st.integers(1, 12))
def test_any_tree_of_joints_gets_a_figure(seed: int, joints: int) -> None:
    """A skeleton that is not human also gets a closed figure."""
    skeleton = body(np.random.default_rng(seed), joints)
    check(mannequin(skeleton), joints)


def test_legs_alone_are_enough() -> None:
    """A trunk with two legs and no arms, neck or head gets a figure, too."""
    check(mannequin(legged()), 8)


@settings(max_examples=8)
@given(st.floats(0.3, 3.0), st.floats(-3.1, 3.1))
def test_a_larger_body_has_a_larger_figure_that_turns_with_it(scale: float, turn: float) -> None:
    """Scaling and rotating a skeleton scales and rotates its figure."""
    skeleton = sample("walk").skeleton
    before, after = mannequin(skeleton), mannequin(changed(skeleton, scale, turn))
    assert (before.triangles == after.triangles).all()
    expected = scale * rotate(from_yaw(np.array(turn)), before.positions)
    assert np.abs(after.positions - expected).max() < 1e-6 * scale


def test_left_and_right_are_images_of_each_other() -> None:
    """The sample's body is symmetric, and so is its figure: every vertex on the left has one on the right."""
    figure = mannequin(sample("walk").skeleton)
    left, right = (figure.positions[figure.parts == part] for part in (1, 2))
    image = right * [-1.0, 1.0, 1.0]
    nearest = np.array([np.abs(image - point).max(axis=1).min() for point in left[::7]])
    assert nearest.max() < 0.02
