"""Text files of transitions: read with mirrors, written back, and every possible error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.errors import FileError, SettingError
from segue.library.transition_files import GivenTransition, mogra_text, read_mogra, write_mogra

FRAMES = {"walk": 100, "run": 50, "my dance": 400, "my": 10, "dance": 20, "x/turn": 30}


def read_text_of(tmp_path, text, frames=FRAMES):
    """Read a text as a file."""
    path = tmp_path / "MoGra.transitions"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_mogra(path, frames)


def refused(tmp_path, text, frames=FRAMES):
    """The error message, without the folder."""
    with pytest.raises(FileError) as caught:
        read_text_of(tmp_path, text, frames)
    return str(caught.value).replace(f"{tmp_path}/", "")


def keys(transitions, *, verified):
    """Keys of the verified or of the unverified transitions as a set."""
    return {one.key for one in transitions if one.verified is verified}


def test_blocks_are_read_and_mirrored(tmp_path):
    """Every line is a transition as given; its reverse is added behind it, unverified."""
    found = read_text_of(tmp_path, "Transitions: 2 walk run\n40 12\n95 3\nTransitions: 1 run run\n5 45\n")
    assert keys(found, verified=True) == {
        ("walk", "run", 40, 12),
        ("walk", "run", 95, 3),
        ("run", "run", 5, 45),
    }
    assert keys(found, verified=False) == {
        ("run", "walk", 12, 40),
        ("run", "walk", 3, 95),
        ("run", "run", 45, 5),
    }
    assert [one.line for one in found[:3]] == [2, 3, 5]


def test_a_way_back_that_the_file_tells_is_no_mirror(tmp_path):
    """With both blocks in the file both directions are as given, and none is added twice."""
    found = read_text_of(tmp_path, "Transitions: 1 walk run\n40 12\nTransitions: 2 run walk\n12 40\n12 40\n")
    assert [one.key for one in found] == [("walk", "run", 40, 12), ("run", "walk", 12, 40)]
    assert all(one.verified for one in found)


@pytest.mark.parametrize(
    "text",
    [
        b"Transitions: 1 walk run\r\n40 12\r\n",
        b"\r\n\r\nTransitions: 1 walk run\r\n\r\n40\t12\r\n\r\n",
        b"\xef\xbb\xbfMoGra.transitions:\n\nTransitions: 1 walk run\n  40   12  ",
        b"MoGra . transitions :\rtransitions : 1 walk.bvh run.amc\r40 12\r",
        b'TRANSITIONS:1 "walk" "C:\\clips\\run.bvh"\n040 0012',
    ],
    ids=["crlf", "blank lines", "mark and title", "files", "quotes"],
)
def test_ways_to_write_the_same(tmp_path, text):
    """All line ends, blank lines, a byte order mark, the format's name as title, files for clips and quotes work."""
    assert keys(read_text_of(tmp_path, text), verified=True) == {("walk", "run", 40, 12)}


@pytest.mark.parametrize(
    ("names", "pair"),
    [
        ("my dance walk", ("my dance", "walk")),
        ("walk my dance", ("walk", "my dance")),
        ('"my dance" "my dance"', ("my dance", "my dance")),
        ("my dance", ("my", "dance")),
        ("x/turn walk", ("x/turn", "walk")),
    ],
)
def test_names_with_blanks(tmp_path, names, pair):
    """They are quoted, or recognised among the known names if the split is unambiguous."""
    found = read_text_of(tmp_path, f"Transitions: 1 {names}\n1 2\n")
    assert (found[0].a_clip, found[0].b_clip) == pair


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "MoGra.transitions: holds no transitions"),
        ("\n\n", "holds no transitions"),
        ("MoGra.transitions:\n", "holds no transitions"),
        ("40 12\n", "MoGra.transitions:1: a block begins with 'Transitions: N A B'"),
        ("\nHIERARCHY\n", "MoGra.transitions:2: a block begins"),
        (
            "Transitions: 3 walk run\n1 2\n3 4\n",
            ":1: states 3 transitions, but has 2 before the file ends",
        ),
        (
            "Transitions: 2 walk run\n1 2\n\nTransitions: 1 run walk\n1 2\n",
            ":1: states 2 transitions, but has 1 before the block of line 4",
        ),
        (
            "Transitions: 1 walk run\n1 2\n3 4\n",
            ":3: the block has more transitions than the 1 stated in line 1",
        ),
        ("Transitions: 0 walk run\n1 2\n", ":2: the block has more transitions than the 0"),
        ("Transitions: 999999999999 walk run\n1 2\n", ":1: states 999999999999 transitions, but has 1"),
        ("Transitions: 1 wolk run\n1 2\n", ":1: no motion is called 'wolk'; nearest: walk"),
        ("Transitions: 1 walk runn\n1 2\n", ":1: no motion is called 'runn'; nearest: run"),
        ("Transitions: 1 walk run fast\n1 2\n", "names 3 motions where there are two; put names with blanks"),
        ("Transitions: 1 my dance my dance dance\n1 2\n", "names 5 motions"),
        ("Transitions: 1 walk\n1 2\n", "names 1 motions where there are two"),
        (
            "Transitions: walk run\n1 2\n",
            ":1: 'Transitions: walk run': a whole number and two motions follow",
        ),
        ("Transitions:\n1 2\n", "a whole number and two motions follow"),
        ("Transitions: -1 walk run\n", "a whole number and two motions follow"),
        ("Transitions: 1.5 walk run\n", "a whole number and two motions follow"),
        (
            "Transitions: 1 walk run\n100 2\n",
            ":2: motion 'walk' has frames 0 to 99, not 100",
        ),
        ("Transitions: 1 walk run\n10 50\n", ":2: motion 'run' has frames 0 to 49, not 50"),
        ("Transitions: 1 walk run\n-1 2\n", ":2: '-1 2' is not two frames"),
        ("Transitions: 1 walk run\n1.0 2\n", ":2: '1.0 2' is not two frames"),
        ("Transitions: 1 walk run\n1\n", ":2: '1' is not two frames"),
        ("Transitions: 1 walk run\n1 2 3\n", ":2: '1 2 3' is not two frames"),
        ("Transitions: 1 walk run\n1e3 2\n", "is not two frames"),
        ("Transitions: 1 walk run\n" + "9" * 400 + " 2\n", "is not two frames"),
        ("Transitions: 1 walk run\n² 2\n", "is not two frames"),
        (b"Transitions: 1 walk run\n1 2\xff\n", ":2: byte 0xff is not UTF-8"),
        (b"\x00\x01\x02", ":1: holds a NUL"),
    ],
)
def test_nonsense_is_one_sentence_with_its_line(tmp_path, text, sentence):
    """The sentence names the error, its line and a valid alternative."""
    reported = refused(tmp_path, text)
    assert sentence in reported
    assert len(reported) < 300


def test_what_is_no_file(tmp_path):
    """Missing files and folders give one sentence."""
    with pytest.raises(FileError, match="there is no such file"):
        read_mogra(tmp_path / "missing")
    with pytest.raises(FileError, match="is a folder"):
        read_mogra(tmp_path)


def test_without_known_names_any_name_goes(tmp_path):
    """The reader alone does not know the lengths of clips."""
    found = read_text_of(tmp_path, 'Transitions: 1 walk.bvh "a b"\n1000000 0\n', None)
    assert found[0].key == ("walk.bvh", "a b", 1000000, 0)
    assert "names 3 motions" in refused(tmp_path, "Transitions: 1 walk a b\n1 2\n", None)


names = st.text(st.sampled_from("ab .-é歩#"), min_size=1, max_size=6).filter(
    lambda name: name == name.strip()
)
transitions = st.lists(
    st.builds(GivenTransition, names, names, st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1
)


@given(transitions)
def test_what_is_written_is_read_back(tmp_path_factory, some):
    """Verified transitions come back verified, and reverses missing among them come back unverified."""
    path = tmp_path_factory.mktemp("mogra") / "MoGra.transitions"
    count = write_mogra(some, path)
    back = read_mogra(path)
    assert keys(back, verified=True) == {one.key for one in some}
    assert len(back) == len({one.key for one in back})
    assert count == len(keys(back, verified=True))
    assert keys(back, verified=False) == {one.mirror().key for one in some} - {one.key for one in some}
    write_mogra(back, path)  # mirrors are not written: the file is unchanged
    assert read_mogra(path) == back


def test_mirrors_are_not_written(tmp_path):
    """A reader adds them; a file of mirrors only is refused."""
    one = GivenTransition("walk", "run", 40, 12)
    assert mogra_text([one, one.mirror()]) == "Transitions: 1 walk run\n40 12\n"
    with pytest.raises(SettingError, match="no verified transition"):
        write_mogra([one.mirror()], tmp_path / "x")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ['a"b', "a\nb", " ", "", "a\tb"])
def test_names_the_format_cannot_hold(name):
    """Double quotes enclose names; a name is one line."""
    with pytest.raises(SettingError, match="the format cannot hold its name"):
        mogra_text([GivenTransition(name, "run", 1, 2)])


def test_an_existing_file_is_kept_unless_asked(tmp_path):
    """An existing file is replaced only on request, as by every writer."""
    path = tmp_path / "MoGra.transitions"
    path.write_text("precious")
    with pytest.raises(FileError, match="exists already"):
        write_mogra([GivenTransition("a", "b", 1, 2)], path, overwrite=False)
    assert path.read_text() == "precious"
