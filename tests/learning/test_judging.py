"""A classifier of seams: its area, the features it uses, and that it never judges training data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from naive import windows as naive
from segue.errors import SettingError, require_extra
from segue.learning.judging import area, interval, judge, tells
from segue.learning.seam_windows import (
    FOLDS,
    WindowPlace,
    Windows,
    check_judging,
    dealt,
    seam_windows,
)
from segue.measures.seams import seam_ranges
from segue.measures.window_features import Feature, reach_frames

try:
    require_extra("judging seams", "learn")
    LEARN = True
except segue.MissingExtraError:
    LEARN = False
learn = pytest.mark.skipif(not LEARN, reason="scikit-learn is not installed")

WHAT = tuple(
    Feature(joint, "speed", "mean", "feet" if joint == "toe" else "root") for joint in ("toe", "hip")
)


def _windows(seed: int, apart: float, count: int = 60) -> Windows:
    """Windows in which seams have ``apart`` more in their first number; each shows one fold."""
    rng = np.random.default_rng(seed)
    seam = np.arange(2 * count) % 2 == 0
    numbers = rng.normal(size=(2 * count, 2))
    numbers[seam, 0] += apart
    folds = np.zeros((2 * count, FOLDS), dtype=bool)
    folds[np.arange(2 * count), rng.integers(0, FOLDS, 2 * count)] = True
    return Windows(numbers, WHAT, seam, folds, tuple(WindowPlace(0, k) for k in range(2 * count)))


@given(scores=st.lists(st.integers(0, 5), min_size=2, max_size=30), seed=st.integers(0, 2**32 - 1))
def test_the_area_is_its_twin(scores: list[int], seed: int) -> None:
    """The area is the share of correctly ordered pairs, for any scores including ties."""
    positive = np.random.default_rng(seed).random(len(scores)) < 0.5
    positive[:2] = True, False
    values = np.array(scores, dtype=float)
    assert area(values, positive) == pytest.approx(naive.area(scores, positive.tolist()), abs=1e-12)


@given(seed=st.integers(0, 2**32 - 1))
def test_the_area_goes_by_order_alone(seed: int) -> None:
    """A monotonic scale keeps the area; the reversed order gives 1 minus it."""
    rng = np.random.default_rng(seed)
    scores, positive = rng.normal(size=30), np.arange(30) % 3 == 0
    value = area(scores, positive)
    assert area(np.exp(scores), positive) == pytest.approx(value)
    assert area(-scores, positive) == pytest.approx(1.0 - value)


def test_intervals_hold_the_area_and_are_narrower_with_more_windows() -> None:
    """The area is in its interval, windows that are not judged do not count, and more windows narrow it."""
    rng = np.random.default_rng(3)
    widths = []
    for count in (40, 400):
        positive = np.arange(count) % 2 == 0
        scores = rng.normal(size=count) + positive
        value, low, high = interval(scores, positive)
        assert 0.0 < low < value < high < 1.0
        widths.append(high - low)
        more = interval(np.append(scores, np.nan), np.append(positive, True))
        assert more == pytest.approx((value, low, high))
    assert widths[1] < 0.5 * widths[0]


@learn
def test_what_differs_is_told_and_what_does_not_is_not() -> None:
    """Windows three deviations apart are nearly always recognised, alike ones as often as by chance."""
    assert judge(_windows(1, 3.0)).area > 0.95
    assert 0.35 < judge(_windows(1, 0.0)).area < 0.65


@learn
def test_columns_choose_what_it_goes_by() -> None:
    """The numbers that do not differ give a result near chance."""
    windows = _windows(2, 3.0)
    assert judge(windows, windows.columns(["feet"])).area > 0.95
    assert 0.3 < judge(windows, windows.columns(["root"])).area < 0.7


@learn
def test_what_is_nowhere_known_decides_nothing() -> None:
    """A number without a value in any window, such as for feet that are never low, leaves the others to decide."""
    windows = _windows(2, 3.0)
    numbers = windows.numbers.copy()
    numbers[:, 1] = np.nan
    assert judge(Windows(numbers, WHAT, windows.seam, windows.folds, windows.seen)).area > 0.95


@learn
def test_the_joint_that_differs_is_named() -> None:
    """The area depends mostly on the toe, and so do most recognised seams."""
    every, each = tells(_windows(3, 3.0))
    assert every[0].joint == "toe"
    assert every[0].weight > 0.3
    assert len(each) == 60
    assert sum(by[0].joint == "toe" for by in each if by) > 50


@learn
def test_no_window_is_judged_by_what_it_shows() -> None:
    """A number that identifies the fold, and with it the seams, does not raise the area."""
    windows = _windows(4, 0.0)
    numbers = windows.numbers.copy()
    fold = windows.folds.argmax(axis=1)
    seam = np.isin(fold, (0, 2))
    numbers[:, 0] = 10.0 * fold
    leaking = Windows(numbers, WHAT, seam, windows.folds, windows.seen)
    assert judge(leaking).area < 0.7


@learn
def test_folds_with_few_seams_are_judged_like_others() -> None:
    """Folds that differ only in their share of seams give chance."""
    rng = np.random.default_rng(5)
    fold = np.repeat(np.arange(FOLDS), 60)
    seam = rng.random(fold.size) < np.array([0.1, 0.3, 0.5, 0.7, 0.9])[fold]
    folds = np.eye(FOLDS, dtype=bool)[fold]
    windows = Windows(
        rng.normal(size=(fold.size, 2)), WHAT, seam, folds, tuple(WindowPlace(0, k) for k in range(fold.size))
    )
    assert 0.35 < judge(windows).area < 0.65


@learn
def test_seeds_repeat() -> None:
    """The same seed gives bit for bit the same scores, another seed others."""
    windows = _windows(6, 1.0)
    one, again, other = (judge(windows, seed=seed).scores for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)


@learn
def test_too_few_windows_are_refused() -> None:
    """The sentence gives the number of windows and the number required, also where all windows show one fold."""
    with pytest.raises(SettingError, match="8 seams and 8 captured windows are too few"):
        judge(_windows(7, 1.0, count=8))
    windows = _windows(7, 1.0)
    folds = np.zeros_like(windows.folds)
    folds[:, 0] = True
    with pytest.raises(SettingError, match="too few clips to learn from"):
        judge(Windows(windows.numbers, WHAT, windows.seam, folds, windows.seen))


def test_without_scikit_learn_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence names the extra."""
    monkeypatch.setitem(__import__("sys").modules, "sklearn", None)
    with pytest.raises(segue.MissingExtraError, match="pip install scikit-learn"):
        judge(_windows(1, 1.0))


def test_many_clips_are_dealt_whole_and_few_in_stretches() -> None:
    """Each of ten clips is in one fold and every fold has two; a single long clip is in several."""
    walk = segue.sample("walk", 30.0)
    clips = [walk.with_motion(name=f"walk {k}") for k in range(10)]
    folds = dealt(clips, seed=1)
    assert all(len(set(one.tolist())) == 1 for one in folds.values())
    assert np.bincount([one[0] for one in folds.values()]).tolist() == [2] * FOLDS
    walking = segue.MotionGraph.build([walk]).wander(seconds=30, seed=1)
    (alone,) = dealt([segue.render(walking)], seed=1).values()
    assert set(alone.tolist()) == set(range(FOLDS))


def test_a_mirror_image_shares_the_folds_of_its_clip() -> None:
    """A clip is not judged with its mirror image as training data."""
    clips = [segue.sample("walk"), segue.mirror(segue.sample("walk"))]
    folds = dealt(clips, same={clips[1].name: clips[0].name})
    np.testing.assert_array_equal(*folds.values())


@pytest.mark.parametrize(("noise", "seed"), [(-0.001, 0), (1.0, 0), (float("nan"), 0), (0.0, -1)])
def test_impossible_settings_are_refused(noise: float, seed: int) -> None:
    """Noise below 0 or over 10 cm and a seed below 0 are refused."""
    with pytest.raises(SettingError, match="is not possible"):
        check_judging(noise, seed)


def test_windows_lie_at_seams_and_around_the_same_moments(data: Path) -> None:
    """Every seam counts once, captured windows are where a seam leaves or arrives, noise moves all of them."""
    clips = [segue.load(data / f"asf_amc/16/16_{k}.amc") for k in ("15", "16", "21", "22", "31", "32")]
    graph = segue.MotionGraph.build(clips)
    motion = segue.render(graph.wander(seconds=20, seed=2))
    found = seam_windows([motion], graph.clips)
    reach = reach_frames(motion.fps)
    middles = [(start + max(stop - 1, start)) // 2 for start, stop in seam_ranges(motion.origin)]
    seams = [one for one, seam in zip(found.seen, found.seam, strict=True) if seam]
    assert {one.frame for one in seams} <= set(middles)
    assert all(reach <= one.frame < motion.n_frames - reach for one in seams)
    left_or_entered = {end for one in seams for end in one.ends}
    for one, seam in zip(found.seen, found.seam, strict=True):
        if not seam:
            clip = graph.clips[one.number]
            assert any(name == clip.name and abs(frame - one.frame) <= 1 for name, frame in left_or_entered)
    assert np.isfinite(found.numbers[:, : found.numbers.shape[1] // 2]).all()
    noisy = seam_windows([motion], graph.clips, noise=0.001)
    assert (noisy.numbers != found.numbers).any(axis=1).all()
    again = seam_windows([motion, motion], graph.clips)
    assert again.seam.sum() == found.seam.sum()


def test_a_motion_without_seams_is_refused(data: Path) -> None:
    """So are clips of another rate."""
    clip = segue.load(data / "asf_amc/16/16_15.amc")
    with pytest.raises(SettingError, match="no seam to judge"):
        seam_windows([clip], [clip])
    slow = segue.load(data / "cmu/max_friendly/131_01.bvh")
    with pytest.raises(SettingError, match="bring all to one body and rate"):
        seam_windows([clip], [slow])
