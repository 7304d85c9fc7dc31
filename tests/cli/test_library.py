"""Every `segue library` command, and a library wherever a folder is accepted."""

from __future__ import annotations

import shutil

import pytest

from segue.io import load, save
from segue.library.library import Library
from segue.motion.samples import sample


@pytest.fixture
def moves(segue, clips):
    """A library of three clips at 30 frames a second: start, stop, walk."""
    result = segue("library", "add", "moves.segue", clips)
    assert (result.code, result.err) == (0, "")
    return clips.parent / "moves.segue"


def damaged(path, clip):
    """Damage the frames of one clip."""
    with Library.open(path) as library, library.store.writing() as db:
        db.execute(
            "UPDATE frames SET rotations = zeroblob(length(rotations)) "
            "WHERE clip_id = (SELECT id FROM clip WHERE name = ?)",
            (clip,),
        )


def test_add_says_what_is_new_the_same_and_changed(segue, clips):
    """The same command again updates the library."""
    result = segue("library", "add", "moves.segue", clips)
    assert result.out.splitlines() == ["moves.segue: 3 clips, 3 of them new", "  new  start, stop, walk"]
    again = segue("library", "add", "moves.segue", clips, "--json").document
    assert (again["new"], again["same"], again["clips"]) == ([], ["start", "stop", "walk"], 3)
    walk = sample("walk", fps=30.0)
    save(walk.with_motion(root_positions=walk.root_positions * 1.5), clips / "walk.bvh")
    changed = segue("library", "add", "moves.segue", clips / "walk.bvh", "sample:run")
    assert (changed.code, changed.err) == (0, "")
    assert "changed  walk" in changed.out
    assert "new      run" in changed.out
    listed = segue("library", "list", "moves.segue", "--old", "--json").document["clips"]
    assert [(c["name"], c["version"], c["current"]) for c in listed] == [
        ("run", 1, True),
        ("start", 1, True),
        ("stop", 1, True),
        ("walk", 1, False),
        ("walk", 2, True),
    ]
    assert "walk   6.00     181     30   1 (old)" in segue("library", "list", "moves.segue", "--old").out


def test_add_takes_what_files_do_not_tell(segue, clips):
    """Rate and roles are options as for convert."""
    (clips / "roles.toml").write_text('left_toe = "LeftFoot"\nleft_ankle = ""\n')
    words = ("--in-fps", 25, "--roles", clips / "roles.toml", "--json")
    assert segue("library", "add", "a.segue", clips, *words).code == 0
    with Library.open("a.segue", mode="r") as library:
        assert library.entry("walk").fps == 25.0
        assert ("left_toe", "LeftFoot") in library.clip("walk").skeleton.roles_given


def test_a_bad_file_is_skipped_and_said(segue, clips):
    """The other clips are added; if there are none, no library is made."""
    (clips / "bad.bvh").write_text("hello\n")
    result = segue("library", "add", "moves.segue", clips)
    assert result.code == 0
    assert result.err.startswith("skipped ")
    assert "bad.bvh:1: a BVH file starts with HIERARCHY" in result.err
    alone = segue("library", "add", "other.segue", clips / "bad.bvh")
    assert alone.code == 2
    assert "nothing could be added" in alone.err
    assert not (clips.parent / "other.segue").exists()


def test_list_shows_words_and_takes_patterns(segue, moves):
    """Clips are chosen by name, tag and label; columns without content are left out."""
    segue("library", "label", moves, "walk", "1:2", "stride")
    segue("library", "tag", moves, "st*", "ends")
    assert segue("library", "list", "moves.segue", "walk").out.splitlines() == [
        "moves.segue: 1 clip, 6.0 s",
        "  clip  seconds  frames  fps  labels",
        "  walk  6.00     181     30   stride 1.00:2.00",
    ]

    def names(*words):
        return [clip["name"] for clip in segue("library", "list", moves, *words, "--json").document["clips"]]

    assert names() == ["start", "stop", "walk"]
    assert names("s*") == names("--tag", "ends") == ["start", "stop"]
    assert names("--label", "stride") == ["walk"]
    assert names("--label", "nothing") == []


def test_labels_in_seconds_and_frames(segue, moves):
    """Ranges are half-open, end at the listed length, and default to the entire clip."""

    def labelled(*words):
        result = segue("library", "label", moves, *words, "--json")
        assert result.code == 0, result.err
        (clip,) = result.document["clips"]
        return [(one["text"], one["start_frame"], one["stop_frame"]) for one in clip["labels"]]

    assert labelled("walk", "1.0:2.5", "run") == [("run", 30, 75)]
    assert labelled("walk", "30:75", "run", "--frames") == [("run", 30, 75)]
    assert labelled("walk", "run", "1.0:2.5") == [("run", 30, 75)]
    assert labelled("walk", "2.5:6.00", "on")[-1] == ("on", 75, 181)
    assert labelled("walk", "5:", "end")[-1] == ("end", 150, 181)
    assert labelled("walk", ":1", "go")[0] == ("go", 0, 30)
    assert labelled("walk", "all of it")[1] == ("all of it", 0, 181)
    listed = segue("library", "label", moves, "walk", "--by", "nobody").out.splitlines()
    assert listed[0].endswith("moves.segue: 5 labels in 1 clip")
    assert listed[1].split() == ["clip", "seconds", "frames", "label"]
    assert segue("library", "label", moves, "walk", "1:2.5", "run", "--remove").code == 0
    assert ("run", 30, 75) not in labelled("walk", "all of it")
    assert segue("library", "label", moves, "--json").document["clips"][0]["name"] == "walk"
    assert "0 labels in 0 clips; segue library label" in segue("library", "label", moves, "stop").out


def test_labels_of_several_clips(segue, moves):
    """A pattern labels all clips or none; removal applies to the clips that have the label."""
    segue("library", "label", moves, "walk", "steady")
    result = segue("library", "label", moves, "*", "steady")
    assert result.out.splitlines()[0].endswith("2 labels 'steady' new, 1 there before")
    assert segue("library", "label", moves, "*", ":3", "early").code == 0
    short = segue("library", "label", moves, "*", "5.5:5.9", "late")
    assert short.code == 2
    assert "lies outside the clip" in short.err
    assert not any("late" in c["labels"] for c in segue("library", "list", moves, "--json").document["clips"])
    back = segue("library", "label", moves, "*", "steady", "--remove")
    assert back.out.strip().endswith("3 labels 'steady' removed")
    none = segue("library", "label", moves, "*", "steady", "--remove")
    assert (none.code, none.err) == (2, "segue: none of 3 clips has the label 'steady'\n")


def test_labels_of_a_table(segue, moves):
    """A table is read entirely or not at all, by label --csv or import, and written in frames or seconds."""
    table = moves.parent / "labels.csv"
    table.write_text("clip,start_seconds,stop_seconds,label\nwalk,1,2,run\nstop.bvh,,1,slow\n")
    result = segue("library", "label", "moves.segue", "--csv", table)
    assert result.out == "moves.segue: 2 labels new, 0 the same\n"
    again = segue("library", "import", "moves.segue", "labels.csv")
    assert again.out == "labels.csv: 0 labels new, 2 the same\n"
    assert segue("library", "export", "moves.segue", "-o", "out.csv").out == "out.csv: 2 labels\n"
    assert (moves.parent / "out.csv").read_text() == (
        "clip,start_frame,stop_frame,label\nstop,0,30,slow\nwalk,30,60,run\n"
    )
    segue("library", "export", "moves.segue", "walk", "-o", "out.csv", "--seconds", "--force")
    assert (moves.parent / "out.csv").read_text().splitlines()[1:] == ["walk,1,2,run"]
    table.write_text("clip,start_frame,stop_frame,label\nwalk,3,4,good\nwalk,1,999,bad\n")
    bad = segue("library", "import", "moves.segue", "labels.csv")
    assert bad.code == 2
    assert "labels.csv:3: clip 'walk': frames 1 up to 999 are no range" in bad.err
    assert segue("library", "list", moves, "--label", "good", "--json").document["clips"] == []


def test_tags(segue, moves):
    """Tags are added, listed and removed, for one clip and for several."""
    result = segue("library", "tag", "moves.segue", "st*", "ends", "short")
    assert result.out == "moves.segue: ends, short on 2 clips, 4 tags new (start, stop)\n"
    assert segue("library", "tag", moves, "walk", "ends", "--json").document["changed"] == 1
    assert segue("library", "tag", moves, "--json").document["tags"] == {
        "ends": ["start", "stop", "walk"],
        "short": ["start", "stop"],
    }
    assert "ends   3 clips" in segue("library", "tag", moves).out
    assert segue("library", "tag", moves, "*", "short", "--remove", "--json").document["changed"] == 2
    assert "short" not in segue("library", "tag", moves).out
    assert segue("library", "tag", moves, "walk", "short", "--remove").code == 2


def test_remove(segue, moves, clips):
    """Clips or only their earlier versions are removed; the files stay."""
    walk = sample("walk", fps=30.0)
    save(walk.with_motion(root_positions=walk.root_positions * 1.5), clips / "walk.bvh")
    segue("library", "add", moves, clips)
    assert segue("library", "remove", "moves.segue", "walk", "--old").out == (
        "moves.segue: 1 earlier version of walk removed; 3 clips left\n"
    )
    result = segue("library", "remove", "moves.segue", "st*")
    assert result.out == "moves.segue: 2 clips removed: start, stop; 1 clip left\n"
    assert sorted(path.name for path in clips.iterdir()) == ["start.bvh", "stop.bvh", "walk.bvh"]
    unknown = segue("library", "remove", moves, "walk", "stop")
    assert unknown.code == 2
    assert segue("library", "list", moves, "--json").document["clips"][0]["name"] == "walk"


def test_stats_and_check(segue, moves):
    """Counts are printed as text and as JSON."""
    segue("library", "label", moves, "walk", "1:2", "run")
    segue("library", "label", moves, "walk", "1.5:2.5", "run")
    segue("library", "tag", moves, "walk", "good")
    document = segue("library", "stats", moves, "--json").document
    assert (document["clips"], document["labels"], document["rates"]) == (3, 2, [{"fps": 30.0, "clips": 3}])
    assert document["label_seconds"] == {"run": 1.5}
    out = segue("library", "stats", "moves.segue").out
    for words in (
        "clips    3",
        "bodies   1 skeleton",
        "rates    30 fps (3)",
        "labels   2: run 1.5 s",
        "good (1)",
    ):
        assert words in out
    assert segue("library", "check", "moves.segue").out == (
        "moves.segue: whole: all 3 clips are as they were added\n"
    )


def test_a_damaged_library_says_what_to_do_and_gives_out_what_is_whole(segue, moves, clips):
    """Intact clips are exported to a library or to files; a clip whose file still exists is read again."""
    segue("library", "label", moves, "walk", "1:2", "run")
    damaged(moves, "stop")
    result = segue("library", "check", "moves.segue")
    assert result.code == 2
    assert "broken  stop" in result.out
    assert result.err == (
        "segue: moves.segue: is damaged; segue library export moves.segue --whole -o whole.segue exports the "
        "undamaged clips\n"
    )
    assert segue("library", "check", moves, "--json").document["sound"] is False
    plain = segue("library", "export", "moves.segue", "-o", "plain")
    assert plain.code == 2
    assert "clip 'stop' is damaged" in plain.err
    assert sorted(path.name for path in (moves.parent / "plain").iterdir()) == [
        "labels.csv",
        "start.bvh",
        "walk.bvh",
    ]
    healed = segue("library", "export", "moves.segue", "--whole", "-o", "healed.segue")
    assert healed.code == 0, healed.err
    assert "read again from their files  stop" in healed.out
    assert segue("library", "check", "healed.segue").code == 0
    shutil.rmtree(clips)
    files = segue("library", "export", "moves.segue", "--whole", "-o", "files", "--json")
    assert files.code == 0
    assert files.document["whole"] == ["start", "walk"]
    assert list(files.document["lost"]) == ["stop"]
    left = sorted(path.name for path in moves.parent.iterdir())
    assert left == ["files", "healed.segue", "moves.segue", "plain"]


def test_export_gives_files_in_their_own_format(segue, clips):
    """One format for all is possible; labels are written too, and nothing is overwritten without --force."""
    save(sample("run", fps=30.0), clips / "run.npz")
    segue("library", "add", "moves.segue", clips, "sample:walk_slow")
    segue("library", "label", "moves.segue", "walk", "1:2", "run")
    result = segue("library", "export", "moves.segue", "-o", "out")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[:2] == ["out: 5 clips (4 .bvh, 1 .npz)", "  out/labels.csv  1 label"]
    assert (clips.parent / "out" / "walk.bvh").read_bytes() == (clips / "walk.bvh").read_bytes()
    assert load("out/run.npz").n_frames == load(clips / "run.npz").n_frames
    again = segue("library", "export", "moves.segue", "-o", "out")
    assert again.code == 2
    assert "--force overwrites it" in again.err
    assert segue("library", "export", "moves.segue", "-o", "out", "--force").code == 0
    glb = segue("library", "export", "moves.segue", "walk", "-o", "glb", "--to", "glb", "--json").document
    assert [one["to"] for one in glb["written"]] == ["glb/walk.glb"]


def test_export_of_chosen_clips_into_another_library(segue, moves):
    """Labels and tags are exported too; import adds the missing clips and keeps the existing ones."""
    segue("library", "label", moves, "walk", "1:2", "run")
    segue("library", "tag", moves, "walk", "good")
    result = segue("library", "export", "moves.segue", "walk", "-o", "one.segue")
    assert (result.code, result.out) == (0, "one.segue: 1 clip (walk)\n")
    assert segue("library", "list", "one.segue", "--tag", "good", "--label", "run", "--json").document[
        "clips"
    ]
    took = segue("library", "import", "one.segue", "moves.segue")
    assert took.out == "moves.segue: 2 clips new, 1 the same\n"
    whole = segue("library", "export", "moves.segue", "-o", "copy.segue")
    assert whole.out == "copy.segue: 3 clips\n"
    both = [
        segue("library", "list", name, "--json").document["clips"] for name in ("copy.segue", "moves.segue")
    ]
    assert both[0] == both[1]


def test_transitions_of_a_file(segue, moves):
    """They are imported with their mirrors, which are unverified; only verified ones are exported."""
    path = moves.parent / "MoGra.transitions"
    path.write_text("Transitions: 2 walk stop\n60 20\n90 30\n")
    result = segue("library", "import", "moves.segue", "MoGra.transitions")
    assert result.out == "MoGra.transitions: 4 transitions new, 0 the same\n"
    assert segue("library", "import", "moves.segue", path).out.endswith("0 transitions new, 4 the same\n")
    with Library.open(moves, mode="r") as library:
        given = library.points(told=True, verified=None)
    assert {(p.a_clip, p.a_frame, p.b_clip, p.b_frame, p.verified) for p in given} == {
        ("walk", 60, "stop", 20, True),
        ("walk", 90, "stop", 30, True),
        ("stop", 20, "walk", 60, False),
        ("stop", 30, "walk", 90, False),
    }
    assert (
        segue("library", "export", "moves.segue", "-o", "out.transitions").out
        == "out.transitions: 2 transitions\n"
    )
    assert (moves.parent / "out.transitions").read_text() == path.read_text()
    assert (
        "out/MoGra.transitions  2 transitions" in segue("library", "export", "moves.segue", "-o", "out").out
    )


def test_every_verb_takes_a_library(segue, moves):
    """wander, replay, stitch, compare, measure, film, info and convert accept one."""
    made = segue("wander", "moves.segue", "--seconds", 4, "-o", "made.bvh")
    assert made.code == 0, made.err
    assert segue("replay", "made.origin.json").out.endswith("the same motion\n")
    measured = segue("measure", "made.bvh", "--json").document
    assert measured["seams_measured"] == measured["seams"] > 0
    walk, stop = "moves.segue#walk", "moves.segue#stop"
    assert segue("stitch", walk, stop, "-o", "s.bvh").code == 0
    assert segue("replay", "s.origin.json", "-o", "r.bvh").code == 0
    assert segue("compare", walk, stop, "--json").document["a"] == "walk"
    assert segue("measure", walk, "--json").document["motion"] == "walk"
    assert segue("film", walk, "-o", "w.png").out == "w.png: walk, 6.00 s\n"
    assert [c["name"] for c in segue("info", "moves.segue", "--json").document["clips"]] == [
        "start",
        "stop",
        "walk",
    ]
    document = segue("convert", "moves.segue", "-o", "glb", "--to", "glb", "--json").document
    assert [one["to"] for one in document["written"]] == ["glb/start.glb", "glb/stop.glb", "glb/walk.glb"]
    assert segue("convert", walk, "-o", "one.bvh", "--skeleton", "moves.segue#stop").code == 0


def test_a_motion_of_a_library_is_that_of_its_folder(segue, moves, clips):
    """The same seed gives the same frames."""
    for name, source in (("a", "moves.segue"), ("b", clips)):
        assert segue("wander", source, "--seconds", 4, "-o", f"{name}.bvh").code == 0
    assert (moves.parent / "a.bvh").read_bytes() == (moves.parent / "b.bvh").read_bytes()
