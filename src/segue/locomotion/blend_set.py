"""A blend set: examples of one structure, sampled at common generic times, ready to be blended frame by frame.

Generic time is counted in intervals between keytimes: 0 at the first keytime, 1 at the second and so on, which is
Park et al.'s t times (N_k - 1). Every example is sampled at the same generic times, so that blending needs no search.

Poses are relative to a *guide* that moves along the ground: for a cycle, the arc fitted to the root's trace; for a
transition between types, the root's own trace without its sway. The root's place relative to the guide and the guide's
velocity are blended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Quaternions, frozen
from segue.errors import SettingError
from segue.locomotion._kernels import PER_INTERVAL, WIDTH
from segue.locomotion.cutting import ground_arc, guide_heading
from segue.locomotion.examples import CYCLES, Example, TransitionExample
from segue.locomotion.traces import Piece, pieces_of
from segue.maths.easing import smoothstep
from segue.maths.quaternions import conjugate, exp, from_yaw, log, multiply, normalise, rotate
from segue.maths.scattered import Hull, Scattered, hull, scattered
from segue.motion.clip import Clip
from segue.motion.facing import heading, without_sway
from segue.motion.feet import foot_points
from segue.motion.kinematics import forward
from segue.motion.reference import standing
from segue.motion.resample import sampled
from segue.motion.roles import require
from segue.motion.skeleton import Skeleton

_UNIT = 1e-3  # tolerance of the squared norm of a rotation
_SLOWEST, _FASTEST = 1e-4, 1e4  # intervals a second
_FAR = 1e4  # metres, metres a second, radians a second


@dataclass(frozen=True, eq=False)
class BlendSet:
    """Examples of one structure.

    Parameters
    ----------
    names
        N names.
    cyclic
        Whether its end continues into its start.
    rotations
        (S, N, 4, J) local rotations at S generic times; each example's neighbours in time are on one side of the double
        cover; the root's are relative to the guide's heading.
    beside
        (S, N, 16) linearly blended values in metres, metres a second, radians a second: root left of, above and ahead
        of the guide; the guide's speed to the left, ahead and its turning rate; left and right ankle; flags of left
        heel, left toe, right heel, right toe on the ground.
    rates
        (I, N) intervals a second in each interval: the derivative of generic time.
    parameters
        (N, P) in their own units.
    weights
        Pose and timewarp weights over them.
    around
        Hull of the parameters, in scaled units.
    pieces
        For every example, the stretches of clips it comes from; empty in an old walker without them.
    """

    names: tuple[str, ...]
    cyclic: bool
    rotations: Quaternions
    beside: Floats
    rates: Floats
    parameters: Floats
    weights: Scattered
    around: Hull
    pieces: tuple[tuple[Piece, ...], ...] = ()

    def __post_init__(self) -> None:
        """Check shapes and values: kernels read the sizes that the shapes state.

        Raises
        ------
        SettingError
            If a shape does not fit, or a number cannot be blended.
        """
        count, intervals = len(self.names), self.rates.shape[0] if self.rates.ndim else 0
        samples, joints = PER_INTERVAL * intervals + 1, self.rotations.shape[-1] if self.rotations.ndim else 0
        width = self.parameters.shape[-1] if self.parameters.ndim else 0
        wanted = {
            "rotations": (samples, count, 4, joints),
            "beside": (samples, count, WIDTH),
            "rates": (intervals, count),
            "parameters": (count, width),
        }
        for name, shape in wanted.items():
            found = getattr(self, name)
            if found.shape != shape or 0 in shape or not np.isfinite(found).all():
                msg = f"{name} of {count} examples must be finite numbers of shape {shape}, not {found.shape}"
                raise SettingError(msg)
        if self.weights.places.shape != (count, width) or self.around.normals.shape[1] != width:
            msg = f"weights and hull are not those of {count} examples with {width} parameters"
            raise SettingError(msg)
        unit = np.abs(np.einsum("snqj,snqj->snj", self.rotations, self.rotations) - 1.0).max() < _UNIT
        if (
            not unit
            or self.rates.min() < _SLOWEST
            or self.rates.max() > _FASTEST
            or np.abs(self.beside).max() > _FAR
        ):
            msg = "rotations must be unit quaternions, rates intervals a second, and bodies near their guide"
            raise SettingError(msg)
        traced = not self.pieces or len(self.pieces) == count
        if not traced or any(not pieces or pieces[0].begins > 0 for pieces in self.pieces):
            msg = f"pieces of {len(self.pieces)} examples, each from its beginning on, must be given for all {count}"
            raise SettingError(msg)

    @property
    def n_intervals(self) -> int:
        """Number of intervals I between keytimes."""
        return int(self.rates.shape[0])

    @property
    def n_examples(self) -> int:
        """Number of examples N."""
        return len(self.names)


def blend_set(
    examples: Sequence[Example] | Sequence[TransitionExample],
    parameters: Floats,
    *,
    scale: Floats,
    cyclic: bool,
) -> BlendSet:
    """Sample examples of one structure at common generic times.

    Parameters
    ----------
    examples
        Examples of one skeleton and one number of keytimes.
    parameters
        (N, P) in their own units.
    scale
        (P,) divisors of the parameters for comparisons.
    cyclic
        Whether ends are made to meet starts: the gap is spread over the cycle, in pose and not in speed.

    Raises
    ------
    SettingError
        If the examples differ in skeleton or number of keytimes.
    """
    first = examples[0]
    for example in examples:
        if example.clip.skeleton is not first.clip.skeleton or len(example.keytimes) != len(first.keytimes):
            msg = f"{example.name!r} and {first.name!r} differ in skeleton or number of keytimes"
            raise SettingError(msg)
    sides = [_sampled(example, cyclic=cyclic) for example in examples]
    values = np.asarray(parameters, dtype=np.float64)
    fitted = scattered(values, scale=scale)  # eq. 2 to 5, and 10
    rates = [example.clip.fps / np.diff(example.keytimes) for example in examples]  # dt/dT, by eq. 6 and 9
    return BlendSet(
        tuple(example.name for example in examples),
        cyclic,
        frozen(np.stack([np.moveaxis(rotations, 1, 2) for rotations, _ in sides], axis=1)),
        frozen(np.stack([beside for _, beside in sides], axis=1)),
        frozen(np.column_stack(rates)),
        frozen(values),
        fitted,
        hull(fitted.places),
        tuple(pieces_of(example) for example in examples),
    )


def generic_frames(keytimes: Floats) -> Floats:
    """Return the frames (S,) of the samples: piecewise linear between keytimes (K,), the inverse of eq. 6."""
    count = PER_INTERVAL * (len(keytimes) - 1) + 1
    out: Floats = np.interp(np.arange(count) / PER_INTERVAL, np.arange(len(keytimes)), keytimes)
    return out


def _sampled(example: Example | TransitionExample, *, cyclic: bool) -> tuple[Quaternions, Floats]:
    """Rotations (S, J, 4) and values relative to the guide (S, 16) of one example."""
    clip = example.clip
    at = generic_frames(example.keytimes)
    rotations, roots = sampled(clip, at)
    travels = isinstance(example, TransitionExample) or example.kind in CYCLES
    if isinstance(example, TransitionExample) and not cyclic:
        guide, speeds = _traced_guide(example, at)
    else:
        guide, speeds = _arc_guide(clip, at, travels=travels)
    back = from_yaw(-guide[:, 2])
    rotations[:, 0] = multiply(back, rotations[:, 0])
    ground = _turned(roots[:, [0, 2]] - guide[:, :2], -guide[:, 2])
    root = np.column_stack([ground[:, 0], roots[:, 1] - example.floor, ground[:, 1]])
    if cyclic:
        rotations, root = _closed(rotations, at), _closed_line(root, at)
    rotations = _one_side(rotations)
    # Ankles are blended relative to the guide, not to the root (decision 132).
    beside = np.column_stack(
        [root, speeds, _ankles(clip.skeleton, rotations, root), _flags(example.planted, at)]
    )
    return rotations, beside


def _arc_guide(clip: Clip, at: Floats, *, travels: bool) -> tuple[Floats, Floats]:
    """Guide (S, 3) along the arc of a cycle, x, z and heading, and its speeds (S, 3); a stand's guide is fixed."""
    seconds = at / clip.fps
    if not travels:
        place = clip.root_positions[:, [0, 2]].mean(axis=0)
        still = np.tile([place[0], place[1], float(np.mean(heading(clip)))], (len(at), 1))
        return still, np.zeros((len(at), 3))
    arc = ground_arc(clip)
    guide = np.column_stack([arc.at(seconds), arc.heading + arc.turn * seconds])
    return guide, np.tile([0.0, arc.speed, arc.turn], (len(at), 1))


def _traced_guide(transition: TransitionExample, at: Floats) -> tuple[Floats, Floats]:
    """Guide (S, 3) and its speeds (S, 3) along the root's trace, without sway (`guide_heading`)."""
    clip = transition.clip
    trace = clip.root_positions[:, [0, 2]]
    long = without_sway(trace, clip.fps, rim=1)
    turns = guide_heading(transition)
    smooth = np.column_stack([long[1:-1], turns])
    going = np.gradient(long, 1.0 / clip.fps, axis=0)[1:-1]
    rate = np.column_stack([going, np.gradient(turns, 1.0 / clip.fps)])
    frames = np.arange(clip.n_frames)
    guide = np.column_stack([np.interp(at, frames, smooth[:, c]) for c in range(3)])
    moving = np.column_stack([np.interp(at, frames, rate[:, c]) for c in range(3)])
    return guide, np.column_stack([_turned(moving[:, :2], -guide[:, 2]), moving[:, 2]])


def _turned(ground: Floats, angle: Floats) -> Floats:
    """Rotate ground vectors (S, 2), x and z, by angles (S,)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.column_stack([c * ground[:, 0] + s * ground[:, 1], -s * ground[:, 0] + c * ground[:, 1]])


def _spread(gap: Floats, at: Floats) -> Floats:
    """Offsets (S, ...) at frames (S,) that rise from -gap/2 to gap/2, flat at both ends.

    Speeds at the ends stay as captured: they are those of a foot's landing and change too fast to be estimated from
    two frames; matching them bends the entire cycle.
    """
    x = (at / at[-1]).reshape((-1,) + (1,) * gap.ndim)
    out: Floats = gap * (smoothstep(x) - 0.5)  # in pose and not in speed (decision 94)
    return out


def _closed(rotations: Quaternions, at: Floats) -> Quaternions:
    """Rotations (S, J, 4) at frames (S,), changed so that the last sample equals the first."""
    gap = log(multiply(conjugate(rotations[-1]), rotations[0]))
    out: Quaternions = multiply(rotations, exp(_spread(gap, at)))
    out[-1] = out[0]
    return out


def _closed_line(values: Floats, at: Floats) -> Floats:
    """Values (S, C) at frames (S,), changed so that the last sample equals the first."""
    out = values + _spread(values[0] - values[-1], at)
    out[-1] = out[0]
    return out


def _one_side(rotations: Quaternions) -> Quaternions:
    """Unit rotations with neighbours in time on one side of the double cover."""
    from segue.maths.quaternions import unroll

    return unroll(normalise(rotations))


def _ankles(skeleton: Skeleton, rotations: Quaternions, root: Floats) -> Floats:
    """Left and right ankle (S, 6) relative to the guide."""
    found = require(skeleton, "left_ankle", "right_ankle")
    places = forward(skeleton, rotations, root).positions
    out: Floats = places[:, [found["left_ankle"], found["right_ankle"]]].reshape(len(root), 6)
    return out


def _flags(planted: Bools, at: Floats) -> Floats:
    """Flags (S, 4), interpolated at fractional frames."""
    return np.column_stack(
        [np.interp(at, np.arange(len(planted)), planted[:, part].astype(np.float64)) for part in range(4)]
    )


def heel_and_toe(skeleton: Skeleton) -> Floats:
    """Return left heel, left toe, right heel and right toe (4, 3) in the rest frame of their ankle."""
    body = standing(skeleton)
    points, rest = foot_points(body), body.rest_positions()
    found = require(skeleton, "left_ankle", "right_ankle")
    ankles = [found["left_ankle"]] * 2 + [found["right_ankle"]] * 2
    out = rest[points.joints] + points.offsets - rest[ankles]
    return out if skeleton.reference is None else rotate(conjugate(skeleton.reference[ankles]), out)
