"""Elementary motions from files and libraries, scripts, and request tables, valid and invalid."""

from __future__ import annotations

from pathlib import Path

import pytest

import segue
from segue.app.elements import proposed, read_motions, write_proposed
from segue.app.sequence_requests import read_requests
from segue.app.sequencing import loop_of, merged, method_named, read_loop, read_script
from segue.errors import FileError, SettingError
from segue.library.exchange import export_elements, import_elements
from segue.motion.clip import Origin

ELEMENTS = """
[[elements]]
name = "go"
clip = "walk.bvh"
seconds = [1.0, 3.0]
core = [1.5, 2.0]
tags = ["walk"]

[[elements]]
name = "stop"
clip = "sample:stop"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    segue.save(segue.sample("walk"), tmp_path / "walk.bvh")
    (tmp_path / "moves.toml").write_text(ELEMENTS)
    return tmp_path


def test_files_are_read_beside_the_one_that_names_them(folder: Path) -> None:
    """Frames and cores are as written; a missing core is proposed."""
    found = read_motions([folder / "moves.toml"])
    go, stop = found.motion("go"), found.motion("stop")
    assert (go.clip.n_frames, go.core, go.tags) == (120, (30, 60), ("walk",))
    assert go.clip.origin.frame[0, 0] == 60
    assert 0 < stop.core[0] < stop.core[1] < stop.clip.n_frames == segue.sample("stop").n_frames
    with pytest.raises(SettingError, match="nearest: go"):
        found.motion("goo")


def test_only_clips_that_are_needed_are_read(folder: Path) -> None:
    """A missing clip does not matter to the motions of other clips."""
    (folder / "walk.bvh").unlink()
    assert list(read_motions([folder / "moves.toml"], wanted=["stop"]).motions) == ["stop"]
    with pytest.raises(FileError, match=r"moves\.toml:2: .*walk\.bvh"):
        read_motions([folder / "moves.toml"])


def test_a_library_and_its_export_give_the_same_motions(folder: Path) -> None:
    """The ranges exported as TOML are those of the library."""
    with segue.Library.open(folder / "moves.segue") as library:
        library.add([folder / "walk.bvh", "sample:stop"])
        import_elements(library, folder / "moves.toml")
        export_elements(library, folder / "out.toml")
    ours, theirs = (read_motions([folder / name]) for name in ("moves.segue", "out.toml"))
    assert ours.ranges == theirs.ranges
    assert set(ours.motions) == {"go", "stop"}


def test_a_take_is_cut_and_its_file_read_back(folder: Path) -> None:
    """Clip paths in a proposed file are relative to it."""
    clips, found = proposed([str(folder / "walk.bvh"), "sample:run"], shortest=0.8, longest=3.0)
    (folder / "sub").mkdir()
    write_proposed(folder / "sub" / "cut.toml", clips, found)
    again = read_motions([folder / "sub" / "cut.toml"])
    assert [*again.ranges.values()] == [*found]
    assert 'clip = "../walk.bvh"' in (folder / "sub" / "cut.toml").read_text()


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ('sources = ["moves.toml"]\n[[motions]]\nmotion = "goo"\n', r"s\.toml:2: .*'goo'; nearest: go"),
        ('sources = ["nothing.toml"]\n[[motions]]\nmotion = "go"\n', r"nothing\.toml: there is no such file"),
        ('sources = ["walk.bvh"]\n[[motions]]\nmotion = "go"\n', "neither a library nor a .toml file"),
        (ELEMENTS, "holds no sequence"),
        ("[sequences.a]\nmotions = []\n", r"sequences\.a\.motions|sequences"),
    ],
)
def test_a_wrong_script_is_a_sentence(folder: Path, script: str, words: str) -> None:
    """The error names the line, if there is one."""
    (folder / "s.toml").write_text(script)
    with pytest.raises(FileError, match=words):
        read_script(folder / "s.toml")


def test_a_script_holds_what_it_plays_and_no_more(folder: Path) -> None:
    """Named sequences are chosen by name; the one at the top level has the name of the file."""
    (folder / "s.toml").write_text(
        'sources = ["moves.toml"]\nsmoothness = 0.2\n[[motions]]\nmotion = "go"\nat = 1.0\n[[motions]]\nmotion = "go"\n'
        '[sequences.other]\nmotions = [{ motion = "stop" }]\n'
    )
    one = read_script(folder / "s.toml")
    assert (one.name, list(one.elements.motions), one.document.script.smoothness) == ("s", ["go"], 0.2)
    assert [placed.at for placed in one.document.script.placements] == [1.0, None]
    assert list(read_script(folder / "s.toml", name="other").elements.motions) == ["stop"]
    with pytest.raises(FileError, match="holds no sequence 'othr'; nearest: other"):
        read_script(folder / "s.toml", name="othr")


HEAD = "seconds,command,motion,at,priority\n"


def test_requests_are_read() -> None:
    """An empty time means as soon as possible, an empty priority 0; optional columns may be missing."""
    rows = read_requests("r.csv", {"a", "b"}, text=HEAD + "0.5,Play,a,3,2\n0.5,withdraw,a,,\n")
    assert [(at, one.command, one.at, one.priority) for at, one in rows] == [
        (0.5, "play", 3.0, 2),
        (0.5, "withdraw", None, 0),
    ]
    assert read_requests("r.csv", {"a"}, text="motion,command,seconds\na,play,1\n")[0][1].at is None


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("1,play,c,,\n", r"r\.csv:2: no elementary motion is called 'c'"),
        ("1,plai,a,,\n", r"r\.csv:2: command is 'plai'; it is play or withdraw"),
        ("2,play,a,,\n1,play,a,,\n", r"r\.csv:3: seconds must not fall; 1 comes after 2"),
        ("1,play,a,soon,\n", r"r\.csv:2: at is 'soon'"),
        ("1,play,a,,1.5\n", r"r\.csv:2: priority is 1\.5; give a whole number"),
        ("1,withdraw,a,3,\n", r"r\.csv:2: withdraw takes the next execution"),
        ("-1,play,a,,\n", r"r\.csv:2: seconds is '-1'"),
        ("1,play\n", r"r\.csv:2: holds 2 values"),
    ],
)
def test_a_wrong_request_is_named_with_its_line(rows: str, words: str) -> None:
    """The error also states what is valid."""
    with pytest.raises(FileError, match=words):
        read_requests("r.csv", {"a", "b"}, text=HEAD + rows)


def test_a_loop_is_a_motion_or_a_clip(folder: Path) -> None:
    """Anything else is refused with the nearest name."""
    found = read_motions([folder / "moves.toml"])
    assert read_loop("sample:stand", found)[1].stays
    assert read_loop("go", found)[0].name == "walk"
    with pytest.raises(SettingError, match="neither an elementary motion nor a clip; nearest: go"):
        read_loop("goo", found)
    short = segue.sample("stop").with_motion(
        segue.sample("stop").rotations[:12],
        segue.sample("stop").root_positions[:12],
        origin=Origin.of("stop", 12),
    )
    with pytest.raises(SettingError, match="use a longer clip"):
        loop_of(short)


def test_origins_are_put_one_after_another() -> None:
    """Each clip name occurs once; rows without a second source keep none."""
    one, two = Origin.of("a", 2), Origin.of("b", 1)
    made = merged([one, two, one])
    assert made.clips == ("a", "b")
    assert made.clip[:, 0].tolist() == [0, 0, 1, 0, 0]
    assert made.clip[:, 1].tolist() == [-1] * 5


def test_a_method_is_known_by_its_name() -> None:
    """The error for an unknown name lists the nearest."""
    assert method_named("constraint-only") == "constraint-only"
    with pytest.raises(SettingError, match="nearest: optimal"):
        method_named("optimum")
