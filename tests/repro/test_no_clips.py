"""A path, a folder or a pair from `load_folder` in place of clips gives a sentence that says what to pass."""

from __future__ import annotations

from pathlib import Path

import pytest

import segue
from segue.errors import FileError, SettingError

WALK = segue.sample("walk")
CALLS = {
    "MotionGraph.build": lambda one: segue.MotionGraph.build([one]),
    "build_locomotion": lambda one: segue.build_locomotion([one]),
    "cost_matrix": lambda one: segue.cost_matrix(WALK, one, cost=segue.PointCloudCost()),
    "filmstrip": segue.filmstrip,
    "loop": segue.loop,
    "measure": segue.measure,
    "mirror": segue.mirror,
    "retarget": lambda one: segue.retarget(one, WALK.skeleton),
    "save": lambda one: segue.save(one, "x.bvh"),
    "splice": lambda one: segue.splice(WALK, one, segue.transition_points(WALK, WALK)[0]),
    "stitch": lambda one: segue.stitch([WALK, one]),
    "transition_points": lambda one: segue.transition_points(WALK, one),
    "world_positions": segue.world_positions,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("path", ["walk.bvh", Path("walk.bvh")], ids=["text", "path"])
def test_a_path_is_to_be_loaded(call, path):
    """The error names the call that reads it."""
    with pytest.raises(
        SettingError, match=r"'walk\.bvh' is no clip but a path; .* segue\.load\('walk\.bvh'\)"
    ):
        call(path)


@pytest.mark.parametrize("build", [segue.MotionGraph.build, segue.build_locomotion, segue.stitch])
def test_a_list_of_clips_is_wanted(build, tmp_path):
    """One clip, a folder's path, and clips with skipped files are not a list of clips."""
    with pytest.raises(SettingError, match="a list of clips is wanted; given: <Clip 'walk'"):
        build(WALK)
    with pytest.raises(SettingError, match=r"segue\.load_folder\("):
        build(tmp_path)
    with pytest.raises(SettingError, match="load_folder returns two"):
        build(([WALK, WALK], []))


def test_a_folder_is_no_file(tmp_path):
    """`load` names a file in the folder and the function that reads all; the command line names files only."""
    with pytest.raises(FileError, match="is a folder without motion files"):
        segue.load(tmp_path)
    segue.save(WALK, tmp_path / "walk.bvh")
    with pytest.raises(FileError, match=r"such as .*walk\.bvh; segue\.load_folder reads all of them"):
        segue.load(tmp_path)


@pytest.mark.parametrize("given", [{"unit": "cm"}, {"fps": "30"}])
def test_words_are_no_numbers(given, tmp_path):
    """A unit given by name ended in an error of numpy."""
    segue.save(WALK, tmp_path / "walk.bvh")
    with pytest.raises(SettingError, match=r"is no number; (unit|fps)= is"):
        segue.load(tmp_path / "walk.bvh", **given)


def test_a_wrong_setting_names_the_public_call():
    """The error names the public call, not the function behind it."""
    with pytest.raises(SettingError, match=r"MotionGraph\.build takes no 'bend'; nearest: blend"):
        segue.MotionGraph.build([WALK], bend=0.2)
