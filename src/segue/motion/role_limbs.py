"""The three joints of a limb: hip, knee and ankle, or shoulder, elbow and wrist, whatever else lies along it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from segue.arrays import Floats, Positions
from segue.motion.role_tree import Tree


class Proportion(NamedTuple):
    """What a limb measures, as shares of its two long bones together: centre and width of each."""

    ratio: tuple[float, float]  # log of first long bone over second
    beside: tuple[float, float]  # from the middle of the body to the first joint
    after: tuple[float, float]  # way from the last joint to the tip
    turns: float  # what a turn of direction at the last joint is worth: feet stand off shins


LEG = Proportion((0.0, 0.26), (0.17, 0.20), (0.25, 0.20), 1.0)
ARM = Proportion((0.12, 0.28), (0.35, 0.20), (0.35, 0.30), 0.0)


@dataclass(frozen=True)
class Pair:
    """Two like limbs: the joint they hang on, their joints outwards, how alike they are."""

    trunk: int
    paths: tuple[list[int], list[int]]
    score: float


Joints = tuple[int, int, int | None]


def limb_joints(tree: Tree, pair: Pair, like: Proportion) -> tuple[list[Joints] | None, float]:
    """First, middle and last joint of both limbs, and the cost of the choice; alike where the limbs are."""
    paths = pair.paths
    across = _across(tree, pair)
    choices = [_choices(tree, path, like, _beside(tree, pair, path, across)) for path in paths]
    if not all(choices):
        return None, 9.0
    if len(paths[0]) == len(paths[1]):
        common = choices[0].keys() & choices[1].keys()
        if common:
            pick = min(common, key=lambda key: choices[0][key] + choices[1][key])
            return [_joints(path, pick) for path in paths], (choices[0][pick] + choices[1][pick]) / 2.0
    picks = [min(options, key=lambda key: options[key]) for options in choices]
    cost = sum(options[pick] for options, pick in zip(choices, picks, strict=True)) / 2.0
    return [_joints(path, pick) for path, pick in zip(paths, picks, strict=True)], cost


def _joints(path: list[int], pick: tuple[int, int, int]) -> Joints:
    first, middle, last = pick
    return path[first], path[middle], path[last] if last < len(path) else None


def _across(tree: Tree, pair: Pair) -> Positions | None:
    """Unit vector from one limb of a pair to the other; None where a rest pose lays them on one another."""
    a, b = pair.paths
    depth = min(len(a), len(b), 5)
    apart: Positions = (tree.rest[a[:depth]] - tree.rest[b[:depth]]).sum(axis=0)
    length = float(np.linalg.norm(apart))
    return apart / length if length > 0.05 * tree.size else None


def _beside(tree: Tree, pair: Pair, path: list[int], across: Positions | None) -> Floats:
    """How far each joint of a limb lies from the middle of the body; along the bones where places do not tell."""
    if across is None:
        return np.full(len(path), np.inf)
    middle = tree.rest[[p[0] for p in pair.paths]].mean(axis=0)
    out: Floats = np.abs((tree.rest[path] - middle) @ across)
    return out


def _choices(
    tree: Tree, path: list[int], like: Proportion, beside: Floats
) -> dict[tuple[int, int, int], float]:
    """Cost of each triple of places along a limb; place ``len(path)`` is the tip: some files end a joint early."""
    points = tree.points(path)
    steps = np.append(tree.bone[path], np.linalg.norm(points[len(path) :] - points[len(path) - 1], axis=-1))
    along = np.cumsum(steps)
    whole = float(along[-1])
    out: dict[tuple[int, int, int], float] = {}
    real = _apart(tree, path, steps, whole)
    for i, j, k in combinations(real, 3):
        upper = float(np.linalg.norm(points[j] - points[i]))
        lower = float(np.linalg.norm(points[k] - points[j]))
        if min(upper, lower) < 0.05 * whole:
            continue
        long = upper + lower
        bend = 1.0 - float((points[j] - points[i]) @ (points[k] - points[j])) / (upper * lower)
        slack = (along[k] - along[i]) / long - 1.0
        between = sum(1 for n in range(i + 1, k) if n != j and n in real)
        cost = (
            _miss(float(np.log(upper / lower)), like.ratio)
            + min(_miss(float(beside[i]) / long, like.beside), _miss(float(along[i]) / long, like.beside))
            + _miss((whole - along[k]) / long, like.after)
            + 1.0 * bend
            + 12.0 * slack
            + 0.3 * between
            + (1.0 if k == len(path) else 0.0)
            - (0.4 if k < len(path) and len(tree.children[path[k]]) > 1 else 0.0)
            - like.turns * _turn(points, j, k)
        )
        out[i, j, k] = cost
    return out


def _turn(points: Positions, middle: int, last: int) -> float:
    """How far a limb turns at its last joint: 0 straight on, 1 by 60 degrees or more."""
    if last + 1 >= len(points):
        return 0.0
    before, after = points[last] - points[middle], points[last + 1] - points[last]
    scale = float(np.linalg.norm(before) * np.linalg.norm(after))
    return min(1.0, 2.0 * (1.0 - float(before @ after) / scale)) if scale > 0.0 else 0.0


def _apart(tree: Tree, path: list[int], steps: Floats, whole: float) -> list[int]:
    """Places along a limb that lie apart; of joints on one spot the first that branches, else the last.

    A hand with fingers on the same spot is the hand; of hip joints that each turn about one axis the last carries
    the whole turn.
    """
    out: list[int] = []
    spot: list[int] = []
    for place in range(len(steps)):
        spot.append(place)
        if place + 1 < len(steps) and steps[place + 1] <= 1e-3 * whole:
            continue
        branching = (n for n in spot if n < len(path) and len(tree.children[path[n]]) > 1)
        out.append(next(branching, spot[-1]))
        spot = []
    return out


def _miss(value: float, like: tuple[float, float]) -> float:
    return min(0.5 * ((value - like[0]) / like[1]) ** 2, 6.0)
