"""Export and import of files, tables, transitions and libraries: the contents come back unchanged."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import segue
from segue.app.convert import file_of
from segue.costs.registry import cost
from segue.errors import FileError, SettingError, SkeletonError
from segue.library.exchange import (
    export_clips,
    export_labels,
    export_library,
    import_labels,
    import_library,
)
from segue.library.library import chosen
from segue.library.transition_files import (
    GivenTransition,
    export_transitions,
    import_transitions,
    placed,
    read_mogra,
)
from segue.motion.clip import Clip
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton
from segue.transitions.selection import transition_points


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    """Files of three clips: two BVH, one NPZ."""
    folder = tmp_path_factory.mktemp("clips")
    for name, suffix in (("walk", "bvh"), ("stop", "bvh"), ("run", "npz")):
        segue.save(sample(name, fps=30.0), folder / f"{name}.{suffix}")
    return folder


@pytest.fixture
def library(tmp_path, clips):
    """A library of them with labels and tags, and one made clip."""
    with segue.Library.open(tmp_path / "moves.segue") as opened:
        opened.add([clips, "sample:start"])
        opened.label("walk", "stride", start_frame=30, stop_frame=60, by="me")
        opened.label("run", "fast")
        opened.tag("walk", "good")
        yield opened


def exported(library, folder, **settings):
    """Every clip as files."""
    return export_clips(library, folder, file_of=file_of, **settings)


def test_clips_come_back_as_they_are(library, tmp_path, clips):
    """NPZ is exact, BVH is within a ten-thousandth of a degree; a file written by segue comes back byte for byte."""
    done = exported(library, tmp_path / "own")
    assert {one.clip: one.target.name for one in done} == {
        "run": "run.npz",
        "start": "start.bvh",
        "stop": "stop.bvh",
        "walk": "walk.bvh",
    }
    assert {one.clip: one.note for one in done if one.note} == {"start": "made here, which is not written"}
    for name in ("walk", "stop"):
        assert (tmp_path / "own" / f"{name}.bvh").read_bytes() == (clips / f"{name}.bvh").read_bytes()
    exact = {one.clip: segue.load(one.target) for one in exported(library, tmp_path / "exact", to=".NPZ")}
    for name, clip in exact.items():
        kept = library.clip(name)
        np.testing.assert_array_equal(clip.rotations, kept.rotations)
        np.testing.assert_array_equal(clip.root_positions, kept.root_positions)
        assert (clip.fps, clip.skeleton.names) == (kept.fps, kept.skeleton.names)


def test_a_file_that_exists_stops_no_other(library, tmp_path):
    """An existing file is an error of its clip only; with overwrite it is replaced."""
    (tmp_path / "walk.bvh").write_text("precious")
    done = exported(library, tmp_path)
    assert [(one.clip, one.error.rpartition(": ")[2]) for one in done if one.error] == [
        ("walk", "exists already; --force overwrites it")
    ]
    assert (tmp_path / "walk.bvh").read_text() == "precious"
    assert not any(one.error for one in exported(library, tmp_path, overwrite=True))
    with pytest.raises(SettingError, match="'docx' cannot be written"):
        exported(library, tmp_path, to="docx")


def test_clips_of_one_file_name_get_files_of_their_own(tmp_path):
    """This holds on case-insensitive systems, and for letters that no file name may have."""
    with segue.Library.open(tmp_path / "moves.segue") as library:
        walk = sample("walk", fps=30.0)
        for k, name in enumerate(("a:b", "a*b", "A_b", "c/d", "../../d")):
            moved = walk.with_motion(name=name, root_positions=walk.root_positions + k)
            library.add([Clip(walk.skeleton, moved.rotations, moved.root_positions, 30.0, name=name)])
        done = exported(library, tmp_path / "out")
    files = [one.target.relative_to(tmp_path / "out").as_posix() for one in done]
    assert len({name.lower() for name in files}) == 5
    assert sorted(path.name for path in tmp_path.iterdir()) == ["moves.segue", "out"]
    assert "c/d.bvh" in files


def test_patterns_choose_clips(library):
    """Each clip comes once, in the order of the patterns; an unknown name is refused with the nearest."""
    assert [entry.name for entry in chosen(library, ["s*", "stop", "walk"])] == ["start", "stop", "walk"]
    assert len(chosen(library, [])) == 4
    with pytest.raises(SettingError, match="'wolk'; nearest: walk"):
        chosen(library, ["walk", "wolk"])


@pytest.mark.parametrize("seconds", [False, True])
def test_labels_go_round(library, tmp_path, seconds):
    """Labels written from one library and read into another of the same clips agree to the frame."""
    path = tmp_path / "labels.csv"
    assert export_labels(library, path, seconds=seconds) == 2
    with segue.Library.open(tmp_path / "other.segue") as other:
        import_library(other, library)
        for name, text in (("walk", "stride"), ("run", "fast")):
            other.unlabel(name, text)
        assert len(import_labels(other, path).new) == 2
        for entry in library.clips():
            ours = [(label.start_frame, label.stop_frame, label.text) for label in entry.labels]
            theirs = [(one.start_frame, one.stop_frame, one.text) for one in other.entry(entry.name).labels]
            assert ours == theirs
        assert other.entry("walk").labels[0].by == "labels.csv"


def test_a_bad_table_changes_nothing(library, tmp_path):
    """All of its labels or none are imported."""
    path = tmp_path / "labels.csv"
    path.write_text("clip,start_frame,stop_frame,label\nstop,1,2,x\nstop,1,999,y\n")
    with pytest.raises(FileError, match=r"labels.csv:3: clip 'stop'"):
        import_labels(library, path)
    assert library.entry("stop").labels == ()


def test_a_library_is_taken_whole_into_another(library, tmp_path):
    """Frames, bodies, labels, tags and given transitions come along, a taken name is changed; repeated, nothing is."""
    path = tmp_path / "MoGra.transitions"
    path.write_text("Transitions: 1 walk stop\n60 20\n")
    import_transitions(library, path)
    with segue.Library.open(tmp_path / "other.segue") as other:
        walk = sample("walk", fps=24.0)
        other.add([Clip(walk.skeleton, walk.rotations, walk.root_positions, 24.0, name="walk")])
        taken = import_library(other, library)
        assert len(taken.new) == 4
        assert other.entry("walk").fps == 24.0
        again = import_library(other, library)
        assert (again.new, len(again.same)) == ((), 4)
        name = next(new for new in taken.new if new not in {"run", "start", "stop"})
        ours, theirs = library.entry("walk"), other.entry(name)
        assert (ours.digest, ours.tags, ours.path) == (theirs.digest, theirs.tags, theirs.path)
        assert [(one.text, one.by) for one in theirs.labels] == [("stride", "me")]
        np.testing.assert_array_equal(other.clip(name).rotations, library.clip("walk").rotations)
        given = other.points(told=True, verified=None)
        assert Counter((p.a_clip, p.verified) for p in given) == {(name, True): 1, ("stop", False): 1}
        assert other.check().sound


def test_chosen_clips_into_a_new_library(library, tmp_path):
    """A damaged clip is skipped with the reason; the file is complete or absent."""
    with library.store.writing() as db:
        db.execute("UPDATE frames SET rotations = zeroblob(8) WHERE clip_id = ?", (library.entry("stop").id,))
    taken = export_library(library, tmp_path / "two.segue", names=["walk", "stop"])
    assert (taken.new, taken.skipped[0][0]) == (("walk",), "stop")
    assert "'stop' is damaged" in taken.skipped[0][1]
    with segue.Library.open(tmp_path / "two.segue", mode="r") as other:
        assert [entry.name for entry in other.clips()] == ["walk"]
    with pytest.raises(FileError, match="exists already"):
        export_library(library, tmp_path / "two.segue", names=["walk"])


def test_told_transitions_cost_what_the_search_says(library):
    """Points of a search, given by their frames, get the same cost, alignment and mean cost along the blend."""
    a, b = library.clip("walk"), library.clip("stop")
    points = transition_points(a, b, threshold=0.01)
    assert len(points) > 3
    given = [GivenTransition(**_key(point)) for point in points]
    for found, point in zip(placed(library, given), points, strict=True):
        assert found.cost == pytest.approx(point.cost, abs=1e-6)  # the search stores costs in float32
        assert found.diagonal_cost == pytest.approx(point.diagonal_cost, abs=1e-6)
        assert (found.a_frame, found.b_frame, found.kind) == (point.a_frame, point.b_frame, "aligned")
        assert found.alignment.x == pytest.approx(point.alignment.x, abs=1e-9)
        assert found.alignment.turn == pytest.approx(point.alignment.turn, abs=1e-9)


def _key(point):
    return {key: getattr(point, key) for key in ("a_clip", "b_clip", "a_frame", "b_frame")}


def test_transitions_go_round_with_their_mirrors_unverified(library, tmp_path):
    """Written, read into another library and written again, the file is the same; no mirror is written."""
    path = tmp_path / "MoGra.transitions"
    path.write_text('Transitions: 2 walk stop\n60 20\n90 0\nTransitions: 1 "stop" walk\n20 60\n')
    taken = import_transitions(library, path)
    assert len(taken.new) == 4  # the reverse of 60 20 is given, that of 90 0 is a mirror
    given = library.points(told=True, verified=None)
    assert Counter(point.verified for point in given) == {True: 3, False: 1}
    mirror = next(point for point in given if not point.verified)
    assert (mirror.a_clip, mirror.a_frame, mirror.b_frame) == ("stop", 0, 90)
    assert np.isnan(mirror.cost)  # no window fits around a clip's first frame
    assert np.isinf(mirror.diagonal_cost)
    assert import_transitions(library, path).same == taken.new
    out = tmp_path / "out.transitions"
    assert export_transitions(library, out) == 3
    assert set(read_mogra(out)) == set(read_mogra(path))
    assert export_transitions(library, out, names=["walk", "stop"]) == 3
    with pytest.raises(SettingError, match="no verified transition between these clips; segue library match"):
        export_transitions(library, out, names=["run"])


def test_a_bad_file_of_transitions_changes_nothing(library, tmp_path):
    """All of its transitions or none are imported."""
    path = tmp_path / "MoGra.transitions"
    path.write_text("Transitions: 2 walk stop\n60 20\n90 999\n")
    with pytest.raises(FileError, match=r"MoGra.transitions:3: motion 'stop' has frames 0 to \d+, not 999"):
        import_transitions(library, path)
    assert library.points(told=True, verified=None) == ()


def test_bodies_that_cannot_be_compared_are_refused(library, tmp_path):
    """A chain and a human have no segment in common."""
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (40, 2, 1))
    chain = Clip(
        Skeleton(("a", "b"), [-1, 0], [[0, 0, 0], [0, 1, 0]]), turns, np.zeros((40, 3)), 30.0, name="chain"
    )
    library.add([chain])
    path = tmp_path / "MoGra.transitions"
    path.write_text("Transitions: 1 walk chain\n60 20\n")
    with pytest.raises(SkeletonError, match="share no segment"):
        import_transitions(library, path)
    assert library.points(told=True, verified=None) == ()


def test_costs_of_told_transitions_by_another_cost(library, tmp_path):
    """Any cost of the registry can evaluate them."""
    path = tmp_path / "MoGra.transitions"
    path.write_text("Transitions: 1 walk stop\n60 20\n")
    given = read_mogra(path)
    by_points, by_joints = (
        placed(library, given, cost=cost(name))[0] for name in ("point_cloud", "relative_distance")
    )
    assert by_points.cost != by_joints.cost
    assert placed(library, []) == ()
