"""Zero-length bones and positions far outside any real space, as in damaged files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import segue
from segue.app.steering import steer_script
from segue.errors import FileError, SettingError, SkeletonError
from segue.locomotion.build import BuildSettings, build_locomotion
from segue.motion.skeleton import EndSite, Skeleton
from segue.runtime.steered.player import Command


def test_a_thigh_of_no_length_keeps_its_rotations() -> None:
    """A leg with a zero-length thigh does not bend; its joints and all joints below got rotations of length 0."""
    clips = [segue.sample(name) for name in ("walk", "walk_slow", "start", "stop")]
    model = build_locomotion(clips, settings=BuildSettings(most=3))
    body = model.skeleton
    offsets = np.array(body.offsets)
    offsets[body.names.index("LeftLeg")] = 0.0
    short = Skeleton(body.names, body.parents, offsets, body.end_sites)
    played = steer_script(
        replace(model, skeleton=short), [(0.0, Command(model.nodes[-1].kind, 1.0, 0.2))], seconds=1.0
    )
    lengths = np.linalg.norm(played.clip.rotations, axis=-1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-6)


@pytest.mark.parametrize("far", [1e300, -1e10, np.inf, np.nan])
def test_places_beyond_any_room_are_refused(far: float, tmp_path: Path) -> None:
    """Squares of such lengths overflow: writers and role searches ended in foreign exceptions."""
    clip = segue.sample("walk")
    body = clip.skeleton
    joint = body.names.index("Spine")
    offsets = np.array(body.offsets)
    offsets[joint, 1] = far
    with pytest.raises(SkeletonError, match=r"offset of joint 'Spine' is .*up to 1e\+09"):
        Skeleton(body.names, body.parents, offsets)
    with pytest.raises(SkeletonError, match="end of joint 'Spine'"):
        Skeleton(body.names, body.parents, body.offsets, [EndSite(joint, np.array([0.0, far, 0.0]))])
    roots = np.array(clip.root_positions)
    roots[3, 0] = far
    with pytest.raises(SettingError, match="clip 'walk': frame 3 "):
        clip.with_motion(clip.rotations, roots)
    arrays = tmp_path / "far.npz"
    segue.save(clip, arrays)
    with np.load(arrays) as held:
        kept = {name: held[name] for name in held.files}
    kept["offsets"] = offsets
    np.savez(arrays, **kept)
    with pytest.raises(FileError, match="Spine"):
        segue.load(arrays)
