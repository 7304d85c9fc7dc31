"""After any operations in any order a library holds what a plain model of it holds."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import segue
from segue.errors import SettingError

BODY = segue.sample("stand").skeleton
names = st.sampled_from(["a", "b", "c"])
words = st.sampled_from(["walk", "run", "ümläut", "x' OR 1=1 --"])


def clip_of(name: str, seed: int, n_frames: int) -> segue.Clip:
    """A clip that equals no other."""
    rng = np.random.default_rng(seed)
    turns = rng.normal(size=(n_frames, BODY.n_joints, 4))
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    return segue.Clip(BODY, turns, rng.normal(size=(n_frames, 3)), 30, name=name)


class AnyOrder(RuleBasedStateMachine):
    """Add, change, remove, label, tag, close and reopen, in parallel to a dictionary."""

    @initialize()
    def begin(self) -> None:
        """Create an empty library."""
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "moves.segue"
        self.library = segue.Library.open(self.path)
        self.model: dict[str, dict] = {}
        self.older = 0

    @rule(name=names, seed=st.integers(0, 5), n_frames=st.integers(1, 4))
    def add(self, name: str, seed: int, n_frames: int) -> None:
        """Add a clip under a name: new, unchanged, or another version whose frames do not agree."""
        clip = clip_of(name, 10 * seed + n_frames, n_frames)
        before = self.model.get(name)
        added = self.library.add(clip)
        if before is None:
            assert added.new == (name,)
        elif before["clip"].rotations.tobytes() == clip.rotations.tobytes():
            assert added.same == (name,)
            return
        else:
            assert added.changed == (name,)
            assert sum(len(given.left) for given in added.labels) == len(before["labels"])
            self.older += 1
        tags = set() if before is None else before["tags"]
        self.model[name] = {"clip": clip, "labels": set(), "tags": tags}

    @precondition(lambda self: self.model)
    @rule(data=st.data(), text=words)
    def label(self, data: st.DataObject, text: str) -> None:
        """Label a range of frames; a repeated label is not new."""
        name = data.draw(st.sampled_from(sorted(self.model)))
        start = data.draw(st.integers(0, self.model[name]["clip"].n_frames - 1))
        stop = data.draw(st.integers(start + 1, self.model[name]["clip"].n_frames))
        new = self.library.label(name, text, start_frame=start, stop_frame=stop)
        assert new == ((start, stop, text) not in self.model[name]["labels"])
        self.model[name]["labels"].add((start, stop, text))

    @precondition(lambda self: self.model)
    @rule(data=st.data(), text=words)
    def unlabel(self, data: st.DataObject, text: str) -> None:
        """Remove all labels of a text; without any, an error is raised."""
        name = data.draw(st.sampled_from(sorted(self.model)))
        labels = self.model[name]["labels"]
        gone = {label for label in labels if label[2] == text}
        try:
            assert self.library.unlabel(name, text) == len(gone) > 0
        except SettingError:
            assert not gone
        labels -= gone

    @precondition(lambda self: self.model)
    @rule(data=st.data(), text=words, on=st.booleans())
    def tag(self, data: st.DataObject, text: str, on: bool) -> None:
        """Add or remove a tag."""
        name = data.draw(st.sampled_from(sorted(self.model)))
        tags = self.model[name]["tags"]
        if on:
            assert self.library.tag(name, text) == (text not in tags)
            tags.add(text)
            return
        try:
            self.library.untag(name, text)
            assert text in tags
        except SettingError:
            assert text not in tags
        tags.discard(text)

    @rule(name=names)
    def remove(self, name: str) -> None:
        """Remove a clip with all its versions."""
        if name not in self.model:
            try:
                self.library.remove(name)
            except SettingError:
                return
            raise AssertionError
        self.older -= self.library.remove(name) - 1
        del self.model[name]

    @rule()
    def again(self) -> None:
        """Close and reopen, also after a rewrite."""
        self.library.compact()
        self.library.close()
        assert [path.name for path in self.path.parent.iterdir()] == ["moves.segue"]
        self.library = segue.Library.open(self.path)

    @invariant()
    def is_the_model(self) -> None:
        """Every clip, label and tag is there, and no other."""
        if not hasattr(self, "library"):
            return
        entries = self.library.clips()
        assert [entry.name for entry in entries] == sorted(self.model)
        for entry in entries:
            held = self.model[entry.name]
            assert {(one.start_frame, one.stop_frame, one.text) for one in entry.labels} == held["labels"]
            assert set(entry.tags) == held["tags"]
            clip = self.library.clip(entry.name)
            assert clip.rotations.tobytes() == held["clip"].rotations.tobytes()
            assert clip.root_positions.tobytes() == held["clip"].root_positions.tobytes()
        counts = self.library.stats()
        assert (counts.clips, counts.older, counts.skeletons) == (
            len(self.model),
            self.older,
            int(bool(self.model)),
        )

    def teardown(self) -> None:
        """Check that the library is sound at the end."""
        if hasattr(self, "library"):
            assert self.library.check().sound
            self.library.close()
            self.folder.cleanup()


AnyOrder.TestCase.settings = settings(max_examples=12, stateful_step_count=20, deadline=None)
TestAnyOrder = AnyOrder.TestCase
