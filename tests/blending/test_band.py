"""Fast band of blends: its formulas, no change where both motions agree, never more than the greater power."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import random_clips as chance
import segue
from naive import band as naive
from naive import blending
from segue.arrays import Floats
from segue.blending.crossfade import context, crossfade, fast_band, frames_around, with_fast_band
from segue.io import load
from segue.maths.easing import ease_out
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.motion.facing import moved

seeds = st.integers(0, chance.SEEDS)


def _clips(seed: int) -> tuple[Clip, Clip]:
    rng = np.random.default_rng(seed)
    body = chance.body(rng, 4)
    return chance.clip(rng, body, 24), chance.clip(rng, body, 24)


def _band(clip: Clip, start: int, n: int) -> Floats:
    m = context(clip.fps)
    rows = np.arange(start - m, start + n + m)
    around = frames_around((clip.rotations, clip.root_positions), rows, first=0, last=clip.n_frames - 1)
    return fast_band(around, fps=clip.fps)


def _frames(clip: Clip, start: int, n: int) -> tuple[Floats, Floats]:
    return clip.rotations[start : start + n], clip.root_positions[start : start + n]


@settings(max_examples=25)
@given(seed=seeds, start=st.integers(0, 12), other=st.integers(0, 12), n=st.integers(1, 11))
def test_the_fast_band_of_a_blend_is_that_of_its_twin(seed: int, start: int, other: int, n: int) -> None:
    """On random motions, also at their ends, the fast band and the blend that keeps it equal the formulas."""
    a, b = _clips(seed)
    bands = _band(a, start, n), _band(b, other, n)
    pa, pb = chance.poses(a), chance.poses(b)
    twins = naive.fast_band(pa, start, n, a.fps), naive.fast_band(pb, other, n, b.fps)
    for band, twin in zip(bands, twins, strict=True):
        np.testing.assert_allclose(band, np.array(twin), atol=1e-9)
    weights = ease_out(n)
    made = crossfade(_frames(a, start, n), _frames(b, other, n), weights=weights)
    rotations, roots = with_fast_band(made, *bands, weights=weights)
    plain = blending.crossfade(pa[start : start + n], pb[other : other + n])
    twin_made = naive.with_fast_band(plain, *twins)
    assert chance.apart(rotations, np.array([pose[0] for pose in twin_made])) < 1e-7
    np.testing.assert_allclose(roots, np.array([pose[1] for pose in twin_made]), atol=1e-8)


@given(seed=seeds, n=st.integers(1, 20))
def test_a_blend_has_no_more_power_than_the_greater_motion(seed: int, n: int) -> None:
    """Over the blend the fast power of the complete body is at most the larger one of both motions and their mean."""
    rng = np.random.default_rng(seed)
    one, other = rng.normal(size=(2, n, 6, 3)) * rng.uniform(0.0, 0.1, (2, 1, 1, 1))
    weights = ease_out(n)
    still = np.zeros((n, 5, 4))
    still[..., 0] = 1.0
    rotations, _ = with_fast_band((still, np.zeros((n, 3))), one, other, weights=weights)
    extra = rotations[..., 1:] / rotations[..., :1]
    mean = (weights[:, None, None] * one + (1 - weights)[:, None, None] * other)[:, :-1]
    powers = [float((part**2).sum()) for part in (one[:, :-1], other[:, :-1], mean)]
    assert float(((mean + extra) ** 2).sum()) <= max(powers) * (1 + 1e-9)


@given(seed=seeds, n=st.integers(1, 20))
def test_what_both_motions_do_is_left_alone(seed: int, n: int) -> None:
    """A motion blended into itself, and the last frame of any blend, do not change."""
    a, b = _clips(seed)
    weights = ease_out(n)
    own = _frames(a, 2, n)
    rotations, roots = with_fast_band(own, _band(a, 2, n), _band(a, 2, n), weights=weights)
    np.testing.assert_allclose(rotations, own[0], atol=1e-12)
    np.testing.assert_allclose(roots, own[1], atol=1e-12)
    made = crossfade(own, _frames(b, 2, n), weights=weights)
    kept = with_fast_band(made, _band(a, 2, n), _band(b, 2, n), weights=weights)
    np.testing.assert_array_equal(kept[1][-1], made[1][-1])
    np.testing.assert_allclose(kept[0][-1], made[0][-1], atol=1e-15)


@given(seed=seeds, turn=st.floats(-3, 3), x=st.floats(-5, 5))
def test_where_a_motion_lies_does_not_matter(seed: int, turn: float, x: float) -> None:
    """Moved along the ground a motion has the same fast band, with its root's part rotated."""
    a, _ = _clips(seed)
    placing = PlanarMotion(turn, x, -x)
    here, there = _band(a, 5, 8), _band(moved(a, placing), 5, 8)
    np.testing.assert_allclose(there[:, :-1], here[:, :-1], atol=1e-9)
    np.testing.assert_allclose(there[:, -1], PlanarMotion(turn).apply(here[:, -1]), atol=1e-9)


def test_many_blends_at_once_are_each_alone() -> None:
    """Stacked motions give the same bits as each alone."""
    pairs = [_clips(seed) for seed in range(5)]
    n, m = 8, context(30.0)
    weights = ease_out(n)
    rows = np.arange(4 - m, 4 + n + m)
    sides = [
        [frames_around((c.rotations, c.root_positions), rows, first=0, last=c.n_frames - 1) for c in side]
        for side in zip(*pairs, strict=True)
    ]
    stacked = [tuple(np.stack([one[k] for one in side]) for k in (0, 1)) for side in sides]
    bands = [fast_band(both, fps=30.0) for both in stacked]  # type: ignore[arg-type]
    frames = [tuple(part[:, m : m + n] for part in both) for both in stacked]
    together = with_fast_band(crossfade(*frames, weights=weights), *bands, weights=weights)  # type: ignore[arg-type]
    for k in range(5):
        alone = [fast_band(side[k], fps=30.0) for side in sides]
        one, other = ((side[k][0][m : m + n], side[k][1][m : m + n]) for side in sides)
        made = with_fast_band(crossfade(one, other, weights=weights), alone[0], alone[1], weights=weights)
        np.testing.assert_array_equal(made[0], together[0][k])
        np.testing.assert_array_equal(made[1], together[1][k])


def test_captured_motion_keeps_its_tremor(data: Path) -> None:
    """In the middle of blends a crossfade loses a quarter of the captured fast power, which equal power restores."""
    powers: dict[str, list[float]] = {"crossfade": [], "equal_power": [], "captured": []}
    for names in (("16_15", "16_32"), ("16_15", "16_13"), ("16_35", "16_36"), ("16_21", "16_22")):
        a, b = (load(data / f"asf_amc/16/{name}.amc") for name in names)
        for point in list(segue.transition_points(a, b))[:4]:
            for method in ("crossfade", "equal_power"):
                made = segue.splice(a, b, point, way=method, feet="free")
                rows = np.flatnonzero(made.origin.clip[:, 1] >= 0)
                third = len(rows) // 3
                powers[method].append(_power(made, int(rows[third]), third))
            middle = point.a_frame - third // 2, point.b_frame - third // 2
            both = _power(a, middle[0], third), _power(b, middle[1], third)
            powers["captured"].append(float(np.sqrt(both[0] * both[1])))
    plain, kept, captured = (np.mean(powers[name]) for name in ("crossfade", "equal_power", "captured"))
    assert plain < 0.8 * captured
    assert abs(kept - captured) < 0.5 * (captured - plain)


def _power(clip: Clip, start: int, n: int) -> float:
    """Fast power of all joints in some frames."""
    return float((_band(clip, start, n)[:, :-1] ** 2).sum())
