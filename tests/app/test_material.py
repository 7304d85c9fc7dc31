"""Clips prepared for a motion: root motion restored, mirrored if that connects more, and recorded as such."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from segue.app import material, stages
from segue.app.in_place import is_marked
from segue.app.record import source_of
from segue.app.replay import replay
from segue.graph.walk import render
from segue.io import save
from segue.motion.clip import Clip
from segue.motion.mirror import mirror
from segue.motion.samples import sample
from segue.settings import Settings


def in_place(name: str) -> Clip:
    """A sample that walks in place."""
    walk = sample(name, fps=30.0)
    return walk.with_motion(root_positions=walk.root_positions * [0.0, 1.0, 0.0], name=f"{name}_on_the_spot")


def test_clips_in_place_travel_and_others_stay(tmp_path: Path) -> None:
    """The clip in place gets its root motion back and is marked; the other is the same object."""
    for clip in (in_place("walk"), sample("walk_left", fps=30.0)):
        save(clip, tmp_path / f"{clip.name}.npz")
    before = stages.read([str(tmp_path)])
    after, note = material.with_root_motion(before)
    assert note == ("root motion restored from the feet: walk_on_the_spot",)
    marked = {clip.name: is_marked(clip) for clip in after.clips}
    assert marked == {"walk_left": False, "walk_on_the_spot": True}
    assert after.clip("walk_left") is before.clip("walk_left")
    far = np.ptp(after.clip("walk_on_the_spot").root_positions[:, [0, 2]], axis=0).max()
    assert far > 3.0
    assert source_of(after.clip("walk_on_the_spot")).root_motion


def test_a_record_of_clips_in_place_replays_the_same_motion(tmp_path: Path) -> None:
    """The record marks the source, so that a replay restores its root motion."""
    save(in_place("walk"), tmp_path / "walk.npz")
    settings = Settings()
    collection, _ = material.with_root_motion(stages.read([str(tmp_path / "walk.npz")]))
    collection, graph, _ = material.graph_of(collection, settings)
    motion = render(graph.wander(seconds=6, seed=2), feet=settings.feet)
    recorded = {"make": settings.document(), "walk": {"seconds": 6, "seed": 2, "by": "cost", "start": None}}
    record = stages.write(
        motion, tmp_path / "out.bvh", collection=collection, command="wander", settings=recorded
    )
    again, _, _, same = replay(record)
    assert same
    assert np.allclose(again.root_positions, motion.root_positions)


def test_mirror_images_are_used_where_they_connect_more() -> None:
    """Mirror images are added only if not everything is reached without them."""
    tried = []

    def made(collection: stages.Collection, settings: Settings) -> None:
        _, graph, reported = material.graph_of(collection, settings)
        tried.append((len(graph.clips), reported))

    both = stages.Collection((sample("walk", fps=30.0), sample("walk_left", fps=30.0)))
    made(both, Settings())
    assert tried[-1] == (2, ())  # everything is reached, so mirror images are not tried
    lone = sample("walk_right", fps=30.0)
    apart = stages.Collection((sample("step_touch", fps=30.0), mirror(lone)))
    made(apart, Settings(quality=4.0))
    count, note = tried[-1]
    assert (count, bool(note)) in {(2, False), (4, True)}


def test_asked_for_or_forbidden_mirror_images_are_not_tried() -> None:
    """True doubles the clips and False does not, whatever is reached."""
    clips = stages.Collection((sample("walk", fps=30.0), sample("run", fps=30.0)))
    assert len(material.graph_of(clips, Settings(), mirror=True)[1].clips) == 4
    assert len(material.graph_of(clips, Settings(), mirror=False)[1].clips) == 2
