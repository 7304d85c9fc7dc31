"""Motions from a space: every kind of curve, its record, and its replay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from segue.app.record import read_record
from segue.app.replay import write_again
from segue.app.space_document import SpaceFile, write_space
from segue.app.spaces import SpaceJob, made_again, made_motion, write_made
from segue.app.stages import motion_digest
from segue.errors import FileError, SettingError
from small_spaces import learn, walk_space

pytestmark = learn

JOBS = {
    "clip": SpaceJob(),
    "visit": SpaceJob("visit", visits=(("walk", 1.0), ("walk", 2.5)), seconds=2.0),
    "random": SpaceJob("random", count=3, seed=9, route="straight", feet="locked"),
    "curve": SpaceJob("curve", table="seconds,x1,x2,x3\n0,0,0,0\n1,0.3,0.1,0\n", fps=60.0),
}


@pytest.mark.parametrize("how", JOBS)
def test_a_job_is_made_again_from_its_record(how, tmp_path):
    space = tmp_path / "walk.segue"
    write_space(space, SpaceFile(walk_space(), (), {}))
    job = JOBS[how]
    motion = made_motion(walk_space(), job)
    record = write_made(motion, tmp_path / "a.bvh", space=space, job=job)
    again, place, same = made_again(read_record(record), record)
    assert (place, same) == (space, job)
    assert motion_digest(again) == motion_digest(motion)
    assert write_again(record, tmp_path / "b.bvh").same
    if job.seconds:
        assert motion.seconds == pytest.approx(job.seconds)


def test_another_space_since_then_is_noticed(tmp_path):
    """The digest differs; a folder with the earlier space makes the replay work."""
    space = tmp_path / "walk.segue"
    write_space(space, SpaceFile(walk_space(), (), {}))
    record = write_made(
        made_motion(walk_space(), SpaceJob()), tmp_path / "a.bvh", space=space, job=SpaceJob()
    )
    (tmp_path / "old").mkdir()
    space.rename(tmp_path / "old/walk.segue")
    write_space(space, SpaceFile(walk_space(), (), {"other": 1}))
    with pytest.raises(FileError, match="has changed since"):
        write_again(record, tmp_path / "b.bvh")
    assert write_again(record, tmp_path / "b.bvh", sources=tmp_path / "old").same


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("seconds,x1,x2\n0,0,0\n", "x3"),
        ("seconds,x1,x2,x3\n0,0,0,0\n", "two points"),
        ("seconds,x1,x2,x3\n0,0,0,0\n0,1,0,0\n", ":3: seconds must rise"),
        ("seconds,x1,x2,x3\n0,0,0,far\n1,1,0,0\n", ":2"),
    ],
)
def test_a_wrong_table_is_named_with_its_line(table, words):
    with pytest.raises(FileError, match=words):
        made_motion(walk_space(), SpaceJob("curve", table=table), file="points.csv")


def test_numbers_that_cannot_be_are_refused():
    """Settings are refused before a motion is made."""
    for words, job in (
        ("more than 0", {"seconds": 0.0}),
        ("give 1 to 1000", {"fps": 0.5}),
        ("negative", {"seed": -1}),
    ):
        with pytest.raises(SettingError, match=words):
            SpaceJob(**job)
    with pytest.raises(SettingError, match="longer than 100000"):
        made_motion(walk_space(), replace(JOBS["clip"], seconds=3000.0, fps=1000.0))


def test_another_length_is_the_same_way_slower():
    """Twice the duration covers the same distance."""
    space = walk_space()
    one, two = (made_motion(space, SpaceJob(seconds=s, feet="free")) for s in (5.0, 10.0))
    assert two.n_frames == 2 * one.n_frames - 1
    assert np.allclose(one.root_positions[-1], two.root_positions[-1], atol=0.15)
