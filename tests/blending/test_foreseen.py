"""Predicted measures of blends of all lengths: the loops of the naive twin, laws, and rendered motion."""

from __future__ import annotations

import numpy as np
import pytest

import segue
from naive import foreseen as naive
from segue.blending.durations import RATE, blend_length
from segue.blending.lengths import _body, _side, foreseen
from segue.blending.methods import Kind, blend_starts
from segue.maths.easing import ease_out
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions

KINDS: tuple[Kind, ...] = ("aligned", "start_end")


@pytest.mark.parametrize("kind", KINDS)
def test_every_length_is_what_the_loops_say(kind: Kind) -> None:
    """All lengths in one pass equal one length at a time, joint by joint."""
    walk, run = segue.sample("walk"), segue.sample("run")
    count = 5
    found = foreseen(walk, run, a_frame=90, b_frame=80, kind=kind, count=count)
    body = [part.tolist() for part in _body(walk.skeleton)]
    sides = []
    for clip, frame, before in (
        (walk, 90, 3 + (0 if kind == "start_end" else count)),
        (run, 80, 3 + (2 * count if kind == "start_end" else count)),
    ):
        side = _side(clip, frame, before, 2 * count + 8)
        given = {part: getattr(side, part).tolist() for part in ("turns", "roots", "planted")}
        sides.append((given, side.row))
    for n in (1, 2, 5):
        starts = blend_starts(sides[0][1], sides[1][1], length=2 * n, kind=kind)
        a, b = ({**given, "start": start} for (given, _), start in zip(sides, starts, strict=True))
        skate, acceleration, jerk = naive.seam(a, b, 2 * n, body)
        assert found.skate[n - 1] == pytest.approx(skate, rel=1e-9, abs=1e-12)
        assert found.acceleration[n - 1] == pytest.approx(acceleration, rel=1e-9, abs=1e-9)
        assert found.jerk[n - 1] == pytest.approx(jerk, rel=1e-9, abs=1e-9)


def test_turns_far_apart_go_the_shorter_way() -> None:
    """Slerp weights from the series equal those from sines, up to a half turn of a joint."""
    from segue.blending import _kernels

    angle = np.linspace(1e-4, np.pi / 2 - 1e-6, 50)
    parts, out = np.linspace([0.0, 1.0], [1.0, 0.0], 50, axis=1), np.zeros((2, 50))
    _kernels._shares(np.cos(angle), 0.0, parts, 1, 50, np.empty(50), out)
    assert out[1] == pytest.approx(np.sin(parts[1] * angle) / np.sin(angle), abs=1e-8)
    assert not out[0].any()


@pytest.mark.parametrize("kind", KINDS)
def test_going_on_in_one_motion_shows_nothing(kind: Kind) -> None:
    """Joined to itself in place, an aligned blend slides at no length, a start-end blend not at the fitting one."""
    walk = segue.sample("walk")
    at = 90 + (0 if kind == "aligned" else 2 * 10 - 1)  # the number of frames of ten thirtieths of a second
    found = foreseen(walk, walk, a_frame=90, b_frame=at, kind=kind, count=20)
    rows = slice(None) if kind == "aligned" else slice(9, 10)
    assert np.max(found.skate[rows]) < 1e-9
    assert np.max(found.jerk[rows]) < 1e-9
    if kind == "start_end":
        assert np.argmin(found.price) in range(8, 12)


def test_where_the_clips_lie_does_not_matter() -> None:
    """The law holds for any ground motion of a clip."""
    from segue.maths.planar import PlanarMotion

    walk, run = segue.sample("walk"), segue.sample("run")
    away = PlanarMotion(2.0, 31.0, -7.0)
    rotations = np.array(run.rotations)
    rotations[:, 0] = away.rotate(rotations[:, 0])
    moved = run.with_motion(rotations, away.apply(run.root_positions))
    one, other = (foreseen(walk, b, a_frame=90, b_frame=60, kind="aligned", count=12) for b in (run, moved))
    assert other.price == pytest.approx(one.price, abs=1e-9)


def test_frame_rates_do_not_matter() -> None:
    """The same motion at 60 and 120 fps has the same measures; at 30 fps less is visible."""
    found = [
        foreseen(
            segue.sample("walk", fps=fps),
            segue.sample("run", fps=fps),
            a_frame=2 * fps,
            b_frame=fps,
            kind="aligned",
            count=15,
        )
        for fps in (60, 120)
    ]
    assert found[0].jerk == pytest.approx(found[1].jerk, abs=1e-6)
    assert found[0].skate == pytest.approx(found[1].skate, abs=1e-6)


@pytest.mark.slow
def test_what_is_foreseen_is_what_is_made() -> None:
    """The predicted jerk of every length correlates with that of the rendered motion, which aligns B differently."""
    walk, stop = segue.sample("walk", fps=30), segue.sample("stop", fps=30)
    point = segue.transition_points(walk, stop)[0]
    count = 18
    seen = foreseen(walk, stop, a_frame=point.a_frame, b_frame=point.b_frame, kind="aligned", count=count)
    jerk = np.array([_added_jerk(walk, stop, point, n) for n in range(2, count)])
    assert np.corrcoef(jerk, seen.jerk[1 : count - 1])[0, 1] > 0.95


def _added_jerk(a: Clip, b: Clip, point: segue.TransitionPoint, n: int) -> float:
    """Largest excess of the third differences of a blend of n frames over both clips' mixed alike."""
    made = segue.splice(a, b, point, length=n / 30, feet="free")
    starts = blend_starts(point.a_frame, point.b_frame, length=n, kind="aligned")
    w = np.concatenate([[1.0], ease_out(n), [0.0, 0.0]])[:, None]
    sizes = [
        np.linalg.norm(np.diff(world_positions(clip)[start - 3 : start + n + 3], 3, axis=0), axis=-1)
        for clip, start in ((made, starts[0]), (a, starts[0]), (b, starts[1]))
    ]
    return float((sizes[0] - (w * sizes[1] + (1 - w) * sizes[2])).max())


def test_auto_takes_what_is_foreseen_and_says_so() -> None:
    """The length has the lowest predicted price, and the reason is reported."""
    walk, run = segue.sample("walk"), segue.sample("run")
    found = blend_length(walk, run, a_frame=60, b_frame=60, kind="start_end")
    assert found.method == "foreseen"
    assert found.seconds == pytest.approx(found.lengths[np.argmin(found.curve)])
    assert "slide" in found.why
    assert found.seconds <= 1.0


def test_a_point_at_the_border_takes_what_fits() -> None:
    """Near either end of a clip only a short blend fits."""
    walk = segue.sample("walk")
    for frame in (0, walk.n_frames - 1):
        found = blend_length(walk, walk, a_frame=frame, b_frame=frame, kind="aligned")
        assert found.seconds <= 4 / RATE
