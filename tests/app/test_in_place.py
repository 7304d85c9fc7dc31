"""Root motion is restored for clips that walk in place, and only for those."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import random_clips
import segue
from segue.app.convert import Changes, convert, converted, plan
from segue.app.in_place import travelling
from segue.errors import SettingError
from segue.io import load, save
from segue.motion.clip import Clip


def spot(clip: Clip, name: str = "spot") -> Clip:
    """The clip with its root above the origin."""
    return clip.with_motion(root_positions=clip.root_positions * [0.0, 1.0, 0.0], name=name)


def test_only_what_is_in_place_changes() -> None:
    """A walk in place travels; travelling, standing and legless clips are returned as the same objects."""
    rng = np.random.default_rng(2)
    walk, stand = segue.sample("walk"), segue.sample("stand")
    odd = random_clips.clip(rng, random_clips.body(rng, 4), 30)
    clips = [walk, spot(walk), stand, odd]
    made, changed = travelling(clips)
    assert changed == ("spot",)
    assert [new is old for new, old in zip(made, clips, strict=True)] == [True, False, True, True]
    assert (made[1].name, made[1].origin) == ("spot", clips[1].origin)
    assert np.array_equal(travelling(clips)[0][1].root_positions, made[1].root_positions)
    assert travelling([]) == ((), ())


def test_converted_with_root_motion(tmp_path: Path) -> None:
    """Each result states whether its root motion was restored; other clips are written unchanged."""
    walk = segue.sample("walk")
    (tmp_path / "in").mkdir()
    for clip in (walk, spot(walk)):
        save(clip, tmp_path / "in" / f"{clip.name}.npz")
    done = convert(plan([str(tmp_path / "in")], tmp_path / "out"), Changes(root_motion=True))
    assert {Path(one.source).stem: one.root_motion for one in done} == {"spot": True, "walk": False}
    far = load(tmp_path / "out" / "spot.bvh").root_positions
    assert far[-1, 2] - far[0, 2] == pytest.approx(7.8, rel=0.03)
    untouched = converted(walk, Changes(root_motion=True))
    assert untouched is walk


def test_in_place_and_root_motion_contradict() -> None:
    with pytest.raises(SettingError, match="choose one"):
        Changes(in_place=True, root_motion=True)


def test_the_whole_cycle_is_looked_at_before_trimming() -> None:
    """A trimmed piece of a walk in place travels as it does in the entire clip."""
    clip = spot(segue.sample("walk"))
    whole, piece = (
        converted(clip, Changes(root_motion=True, trim=trim)) for trim in ((None, None), (1.0, 2.0))
    )
    first = round(clip.fps)
    assert np.array_equal(piece.root_positions, whole.root_positions[first : first + piece.n_frames])
