"""Weights of a cost from transitions called good and bad, and their file.

`feature_scales` computes the scales of the motion-matching cost from a library of clips.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from segue._version import __version__
from segue.arrays import Bools, Floats, Ints, frozen
from segue.costs.features import GROUPS, FeatureCost
from segue.costs.joint_angle.weights import NAMED
from segue.errors import FileError, SettingError, nearest
from segue.learning.labels import LabelledTransition
from segue.learning.least_squares import (
    bradley_terry_weights,
    every_pair,
    non_negative_weights,
    pseudo_inverse_weights,
)
from segue.learning.pose_pairs import Terms, terms_of
from segue.motion.clip import Clip

_STILL = 1e-3
"""A column that never reaches this share of the largest number in the table is left out: its joint hardly moves in any
example, so a huge weight on it would have no effect."""
_DUST = 1e-9
"""Share of the largest weight below which a weight is a rounding error."""


Method: TypeAlias = Literal["nnls", "pseudo_inverse", "bradley_terry"]
METHODS: tuple[Method, ...] = ("nnls", "pseudo_inverse", "bradley_terry")
"""Methods to learn weights."""


@dataclass(frozen=True, eq=False)
class Examples:
    """Labelled transitions as rows of numbers.

    Parameters
    ----------
    terms
        Meaning of the columns.
    table
        (K, D) the matrix A: the terms of the cost of each transition, each with one weight.
    bad
        (K,) the vector b: 1 for bad, 0 for good.
    places
        K tuples: numbers of both clips, and their rows in the cost.
    pairs
        (N, 2) rows of the table that were compared with each other, the better first; by default every good one with
        every bad one.
    """

    terms: Terms
    table: Floats
    bad: Floats
    places: tuple[tuple[int, int, int, int], ...]
    pairs: Ints | None = None


@dataclass(frozen=True, eq=False)
class Learnt:
    """Learnt weights.

    Parameters
    ----------
    cost
        Name of the cost.
    columns
        D joints, or pairs of joints.
    weights
        (D,) weights, the largest is 1.
    pseudo_inverse
        (D,) unbounded least squares, ``A+ b``, the largest 1 or -1: for comparison.
    good, bad
        Number of good and of bad examples.
    right
        Share of the examples whose weighted sum is on the correct side of the best dividing value.
    settings
        Settings of the cost with these weights.
    """

    cost: str
    columns: tuple[Any, ...]
    weights: Floats
    pseudo_inverse: Floats
    good: int
    bad: int
    right: float
    settings: Mapping[str, Any]


def examples(
    labels: Sequence[LabelledTransition],
    clips: Sequence[Clip],
    *,
    cost: str = "joint_angle",
    where: str = "labels",
    **settings: Any,
) -> Examples:
    """Find labelled transitions in clips.

    Parameters
    ----------
    labels
        Transitions; frames at the rate of their clips.
    clips
        Clips of all names that occur in labels.
    cost
        ``"joint_angle"`` or ``"relative_distance"``.
    where
        File of the labels, for messages.
    settings
        Settings of the cost, without its weights.

    Raises
    ------
    FileError
        If a label names an unknown clip or frame: with the file and the line.
    SettingError
        If the weights of that cost cannot be learnt.
    """
    number = {clip.name: k for k, clip in enumerate(clips)}
    for label in labels:
        for name in (label.a_clip, label.b_clip):
            if name not in number:
                msg = f"no clip is called {name!r}; {nearest(name, number)}"
                raise FileError(where, msg, line=label.line or None)
    used = sorted({number[name] for label in labels for name in (label.a_clip, label.b_clip)})
    number = {clips[k].name: n for n, k in enumerate(used)}
    terms = terms_of(cost, [clips[k] for k in used], **settings)
    places = []
    for label in labels:
        a, b = number[label.a_clip], number[label.b_clip]
        places.append(
            (a, b, _row(terms, a, label.a_frame, label, where), _row(terms, b, label.b_frame, label, where))
        )
    table = np.array([terms.rows(*place) for place in places])
    sizes = table.max(axis=0, initial=0.0)
    moves = sizes > _STILL * sizes.max(initial=0.0)  # the others would fit any label (decision 69)
    if not moves.any():
        msg = f"the labels of {where} name the same moments twice: nothing differs in any of them"
        raise SettingError(msg)
    terms.keep(moves)
    return Examples(
        terms, frozen(table[:, moves]), frozen([not label.good for label in labels]), tuple(places)
    )


def _row(terms: Terms, number: int, frame: int, label: LabelledTransition, where: str) -> int:
    clip = terms.clips[number]
    first, count = terms.row_range(number)
    row = round(frame * terms.rate / clip.fps) - first
    if not 0 <= row < count:
        lowest, highest = (int(np.ceil(edge * clip.fps / terms.rate)) for edge in (first, first + count - 1))
        msg = (
            f"frame {frame} of clip {clip.name!r} cannot be compared: it has {clip.n_frames} frames, "
            f"of which {lowest} to {highest} can"
        )
        raise FileError(where, msg, line=label.line or None)
    return row


def solve(
    found: Examples, *, keep: Bools | None = None, ridge: float = 0.0, method: Method = "nnls"
) -> Floats:
    """Solve for non-negative weights (D,), the largest 1, from the examples flagged in ``keep`` (K,): eq. IV.5.

    Parameters
    ----------
    found, keep, ridge
        As in `learn`.
    method
        ``"nnls"``: non-negative least squares. ``"pseudo_inverse"``: unbounded least squares, negative weights then set
        to 0. ``"bradley_terry"``: logistic, from comparisons.

    Raises
    ------
    SettingError
        If all examples are of one kind, no column distinguishes them, or the method is unknown.
    """
    keep = np.ones(len(found.bad), dtype=bool) if keep is None else keep
    if method not in METHODS:
        msg = f"no method to learn weights is called {method!r}; {nearest(method, METHODS)}"
        raise SettingError(msg)
    if method == "bradley_terry":
        pairs = every_pair(found.bad) if found.pairs is None else found.pairs
        pairs = pairs[keep[pairs].all(axis=1)]
        if not len(pairs):
            raise SettingError(
                "weights can only be learnt from comparisons of a better with a worse transition"
            )
        better, worse = found.table[pairs[:, 0]], found.table[pairs[:, 1]]
        return _scaled(bradley_terry_weights(better, worse, ridge=ridge))
    if method == "pseudo_inverse":
        return _scaled(pseudo_inverse_weights(found.table[keep], 1.0 - found.bad[keep]))
    return _scaled(non_negative_weights(found.table[keep], found.bad[keep], ridge=ridge))


def learn(found: Examples, *, ridge: float = 0.0, method: Method = "nnls") -> Learnt:
    """Learn weights from all examples.

    Parameters
    ----------
    found
        Examples.
    ridge
        0 is the source's plain least squares; the larger, the more evenly weight is spread over redundant columns. See
        `non_negative_weights`.
    method
        See `solve`.

    Raises
    ------
    SettingError
        If all examples are of one kind, or no column distinguishes them.

    Examples
    --------
    >>> from segue.motion.samples import sample
    >>> walk = sample("walk", 30.0)
    >>> labels = [LabelledTransition("walk", 20, "walk", 20 + k, k in (1, 2)) for k in (1, 2, 9, 14, 20)]
    >>> float(max(learn(examples(labels, [walk])).weights))
    1.0
    """
    weights = solve(found, ridge=ridge, method=method)
    free = pseudo_inverse_weights(found.table, 1.0 - found.bad)  # it inverts labels: the result is A+ b
    return Learnt(
        found.terms.name,
        found.terms.columns,
        frozen(weights),
        frozen(free / max(float(np.abs(free).max()), 1e-300)),
        int(np.sum(found.bad == 0)),
        int(np.sum(found.bad == 1)),
        _right(found.table @ weights, found.bad == 1),
        {**found.terms.settings, "weights": found.terms.weights(weights)},
    )


def _scaled(weights: Floats) -> Floats:
    largest = float(weights.max(initial=0.0))
    if largest <= 0:
        msg = "no column distinguishes bad from good examples: every weight is zero; check the labels"
        raise SettingError(msg)
    return np.where(weights > _DUST * largest, weights / largest, 0.0)


def _right(sums: Floats, bad: Bools) -> float:
    """Largest share of sums on the correct side of any dividing value."""
    edges = np.concatenate([[-np.inf], np.sort(sums)])
    return max(float(np.mean((sums > edge) == bad)) for edge in edges)


def weights_text(learnt: Learnt, *, source: str = "") -> str:
    """Return learnt weights as a TOML file that the cost reads: ``weights=FILE``."""
    head = [
        f"# Weights of the cost {learnt.cost!r}, learnt by segue {__version__}"
        + (f" from {source}." if source else "."),
        f"# {learnt.good} good and {learnt.bad} bad transitions; one threshold puts {learnt.right:.0%} of them right.",
        "# Parts not listed have weight 0; left and right share a weight.",
    ]
    rows = [(column, float(w)) for column, w in zip(learnt.columns, learnt.weights, strict=True) if w > 0]
    rows.sort(key=lambda row: -row[1])
    if learnt.cost == "joint_angle":
        body = ["[joints]", *(f"{part} = {weight:.6g}" for part, weight in rows)]
    else:
        body = ["pairs = [", *(f'  ["{one}", "{two}", {weight:.6g}],' for (one, two), weight in rows), "]"]
    return "\n".join([*head, "", *body, ""])


AGREES = 0.8
"""Cosine of two rows of weights from which they count as agreeing."""


def compared_methods(found: Examples, *, ridge: float = 0.0) -> dict[str, Any]:
    """Compare the weights of each joint by every method with one another and with the source's table IV.1.

    Parameters
    ----------
    found, ridge
        As in `learn`.

    Returns
    -------
    ``weights``: rows of joint and weight by method (None where a method cannot learn from these examples); for the
    joint-angle cost ``agreement``: the cosine of non-negative least squares with the table, and a sentence.
    """
    learnt: dict[Method, Floats | None] = {}
    for method in METHODS:
        try:
            learnt[method] = (
                _signed(pseudo_inverse_weights(found.table, 1.0 - found.bad))
                if method == "pseudo_inverse"
                else solve(found, ridge=ridge, method=method)
            )
        except SettingError:
            learnt[method] = None
    source = dict(NAMED["optimised"])
    rows = []
    for k, column in enumerate(found.terms.columns):
        name = column if isinstance(column, str) else list(column)
        row: dict[str, Any] = {"joint": name}
        row |= {method: None if one is None else float(one[k]) for method, one in learnt.items()}
        if found.terms.name == "joint_angle":
            row["table IV.1"] = source.get(column, 0.0)
        rows.append(row)
    out: dict[str, Any] = {"weights": rows}
    own = learnt["nnls"]
    if found.terms.name == "joint_angle" and own is not None:
        printed = np.array([row["table IV.1"] for row in rows])
        cos = float(own @ printed / max(float(np.linalg.norm(own) * np.linalg.norm(printed)), 1e-300))
        word = "agrees" if cos >= AGREES else "does not agree"
        out["agreement"] = {
            "cosine": cos,
            "sentence": f"{word} with the source's table IV.1: cosine {cos:.2f}, where {AGREES} counts as agreeing",
        }
    return out


def _signed(weights: Floats) -> Floats:
    """Weights of any sign, scaled so that the largest magnitude is 1."""
    return weights / max(float(np.abs(weights).max()), 1e-300)


_SIZES = (6, 6, 3, 6, 6)


def feature_scales(clips: Sequence[Clip], *, rate: float = 30.0) -> tuple[float, ...]:
    """Compute the scale of each group of features over some clips: the mean of its features' standard deviations.

    The published source code uses the same scales. Thresholds found with them are valid only for that library.

    Returns
    -------
    As many numbers as `FeatureCost.scales` takes.

    Raises
    ------
    SettingError
        If no clip is long enough, or a group of features never changes.

    Examples
    --------
    >>> from segue.motion.samples import sample
    >>> [round(scale, 2) for scale in feature_scales([sample("walk"), sample("run"), sample("walk_turn_left")])]
    [0.12, 0.97, 0.43, 0.35, 0.12]
    """
    plain = FeatureCost(rate=rate, scales=(1.0,) * len(GROUPS), weights=(1.0,) * len(GROUPS))
    prepared = [plain.prepare(clip) for clip in clips]
    rows = [one.features["vectors"] for one in prepared if one.n]
    if not rows:
        msg = f"no clip has the {prepared[0].needed_frames if prepared else 0} frames that one moment takes"
        raise SettingError(msg)
    spread = np.concatenate(rows).std(axis=0)
    out = tuple(float(group.mean()) for group in np.split(spread, np.cumsum(_SIZES)[:-1]))
    for name, scale in zip(GROUPS, out, strict=True):
        if scale < 1e-9:
            msg = f"the features {name!r} do not vary over these clips, so they give no scale"
            raise SettingError(msg)
    return out
