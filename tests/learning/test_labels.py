"""Label files: read as written, refused with the line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.errors import FileError
from segue.learning import Label, label_text, read_labels

NAMES = st.text("abc_ 09,\"'äß-", min_size=1).map(str.strip).filter(lambda n: n and not n.startswith("#"))


@given(
    st.lists(
        st.builds(Label, NAMES, st.integers(0, 10**6), NAMES, st.integers(0, 10**6), st.booleans()),
        min_size=1,
    )
)
def test_what_is_written_is_read(tmp_path_factory, labels):
    """Clip names may have commas, quotes and letters of any language; contradictions are another test."""
    once = {(x.a_clip, x.a_frame, x.b_clip, x.b_frame): x for x in labels}.values()
    file = tmp_path_factory.mktemp("labels") / "labels.csv"
    file.write_text(label_text(once), encoding="utf-8")
    read = read_labels(file)
    assert [(x.a_clip, x.a_frame, x.b_clip, x.b_frame, x.good) for x in read] == [
        (x.a_clip, x.a_frame, x.b_clip, x.b_frame, x.good) for x in once
    ]
    assert [x.line for x in read] == list(range(2, 2 + len(read)))


def test_headings_comments_and_blank_lines_are_passed_over(tmp_path):
    """So are a byte order mark, spaces and capital letters, as spreadsheets write them."""
    file = tmp_path / "labels.csv"
    text = (
        "\ufeffClip A, Frame, Clip B, Frame, Said\r\n\r\n# picked\r\nwalk, 3 ,run,4, Good\r\nwalk,5,run,6,BAD"
    )
    file.write_bytes(text.encode("utf-8"))
    assert read_labels(file) == (Label("walk", 3, "run", 4, True, 4), Label("walk", 5, "run", 6, False, 5))
    file.write_text("walk,3,run,4,good\n")
    assert read_labels(file) == (Label("walk", 3, "run", 4, True, 1),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"labels.csv: holds no labels; each is a line clip,frame,clip,frame,good\|bad"),
        ("clip,frame,clip,frame,good|bad\n", "holds no labels"),
        ("walk,1,run,2,good\nwalk,1,run\n", r"labels.csv:2: holds 3 values where a row has clip,frame,"),
        ("walk;1;run;2;good\n", "holds 1 values|holds no labels"),
        ("walk,1,run,2,good\nwalk,1.5,run,2,bad\n", r":2: frame is '1.5'; give a whole number from 0"),
        ("walk,1,run,-2,bad\n", r":1: second frame is '-2'"),
        ("walk,1,run,2,fine\n", r":1: good\|bad is 'fine'; it is good or bad"),
        (",1,run,2,bad\n", ":1: clip is empty"),
        (
            "walk,1,run,2,good\n\nwalk,1,run,2,bad\n",
            r":3: the transition walk, 1, run, 2 is called bad here and good in line 1",
        ),
    ],
)
def test_lines_that_are_no_labels(tmp_path, text, message):
    """Each error gives the line and the expected form."""
    file = tmp_path / "labels.csv"
    file.write_text(text)
    with pytest.raises(FileError, match=message):
        read_labels(file)


def test_files_that_are_none(tmp_path):
    """Missing files, folders and files without text are refused."""
    with pytest.raises(FileError, match="there is no such file"):
        read_labels(tmp_path / "none.csv")
    with pytest.raises(FileError, match="is a folder"):
        read_labels(tmp_path)
    file = tmp_path / "bytes.csv"
    file.write_bytes(b"\xff\x00w")
    with pytest.raises(FileError, match="byte 0xff is not UTF-8; save it as text in UTF-8"):
        read_labels(file)
