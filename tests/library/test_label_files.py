"""Tables of labels in frames and in seconds: written, read back, and every possible error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.errors import FileError, SettingError
from segue.library.labels import (
    Extent,
    FileLabel,
    checked_frames,
    checked_text,
    frames_between,
    labels_text,
    read_labels,
    write_labels,
)

CLIPS = {"walk": Extent(120, 30.0), "run, fast": Extent(60, 120.0), "16/01": Extent(10, 29.97)}
FRAMES, SECONDS = "clip,start_frame,stop_frame,label\n", "clip,start_seconds,stop_seconds,label\n"


def read_text_of(tmp_path, text):
    """Read a text as a file."""
    path = tmp_path / "labels.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_labels(path, CLIPS)


def test_the_head_says_what_the_numbers_are(tmp_path):
    """The same range can be given in frames and in seconds."""
    in_frames = read_text_of(tmp_path, FRAMES + 'walk,30,60,stride\n"run, fast",0,60,"run, wild"\n')
    assert in_frames == (FileLabel("walk", "stride", 30, 60), FileLabel("run, fast", "run, wild", 0, 60))
    assert read_text_of(tmp_path, SECONDS + 'walk,1,2,stride\n"run, fast",0,.5,"run, wild"\n') == in_frames
    assert [one.line for one in in_frames] == [2, 3]


def test_ranges_that_touch_share_no_frame(tmp_path):
    """Ranges are half-open: the frame at a boundary belongs to the range that starts there."""
    rows = read_text_of(tmp_path, SECONDS + "walk,,1.5,a\nwalk,1.5,2.51,b\nwalk,2.51,,c\n")
    assert [(one.start_frame, one.stop_frame) for one in rows] == [(0, 45), (45, 76), (76, 120)]


@pytest.mark.parametrize(
    "text",
    [
        FRAMES.replace("\n", "\r\n") + "walk,30,60,stride\r\n",
        "\ufeff" + FRAMES + "\n\nwalk , 30 , 60 , stride\n\n",
        "Clip;Start_Frame;Stop_Frame;Label\nwalk;30;60;stride",
        "clip\tstart_seconds\tstop_seconds\tlabel\nwalk.bvh\t1\t2\tstride",
        "clip;start_seconds;stop_seconds;label\nclips/walk.bvh;1,0;2,00;stride",
        SECONDS + "walk,1e0,2.0000000001,stride\n,,,\n",
        FRAMES + "walk,30,60,stride\nwalk,30,60,stride\n",
    ],
    ids=["crlf", "mark and blanks", "semicolons", "tabs", "decimal commas", "exponents", "twice"],
)
def test_ways_to_write_the_same(tmp_path, text):
    """Variants written by spreadsheets and scripts are read alike."""
    assert read_text_of(tmp_path, text) == (FileLabel("walk", "stride", 30, 60),)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "labels.csv: is empty; a table of labels begins with clip,start_frame,stop_frame,label"),
        ("\n\n", "is empty"),
        (
            "clip,start,stop,label\nwalk,1,2,x\n",
            "labels.csv:1: begins with 'clip,start,stop,label'; the first line",
        ),
        ("walk,1,2,x\n", "which states whether the numbers are frames or seconds"),
        (FRAMES + "wolk,1,2,x\n", "labels.csv:2: no clip is called 'wolk'; nearest: walk"),
        (
            FRAMES + "walk,1,2\n",
            ":2: holds 3 values where a row has clip,start_frame,stop_frame,label",
        ),
        (FRAMES + "walk,1,2,a,b\n", "; a cell that holds a comma stands in double quotes"),
        (
            FRAMES + "walk,1,121,x\n",
            ":2: clip 'walk': frames 1 up to 121 are no range in a clip of 120 frames",
        ),
        (FRAMES + "walk,5,5,x\n", "frames 5 up to 5 are no range"),
        (FRAMES + "walk,9,5,x\n", "frames 9 up to 5 are no range"),
        (FRAMES + "walk,-1,5,x\n", "start_frame is '-1'; give a whole number from 0"),
        (FRAMES + "walk,1.5,5,x\n", "start_frame is '1.5'"),
        (FRAMES + "walk,1," + "9" * 100 + ",x\n", "stop_frame is '9999"),
        (SECONDS + "walk,1,5,x\n", ":2: clip 'walk': 5 s lies outside the clip, which ends at 4 s"),
        (SECONDS + "walk,2,1,x\n", "no frame lies at or after 2 s and before 1 s"),
        (
            SECONDS + "walk,1.01,1.02,x\n",
            "no frame lies at or after 1.01 s and before 1.02 s; frames are 0.03333 s apart",
        ),
        (SECONDS + "walk,-1,1,x\n", "start_seconds is '-1'; give a number from 0 to"),
        (SECONDS + "walk,nan,1,x\n", "start_seconds is 'nan'"),
        (SECONDS + "walk,1e999,2,x\n", "start_seconds is '1e999'"),
        (SECONDS + "walk,0:01,2,x\n", "start_seconds is '0:01'"),
        (FRAMES + "walk,1,2,\n", ":2: label is empty"),
        (FRAMES + 'walk,1,2,"a\nb"\n', ":2: a quote that opens here is not closed on its line"),
        (FRAMES + "\nwalk,1,2,ok\n" + 'walk,1,2,"open\n', ":4: a quote that opens here is not closed"),
        (b"clip,start_frame,stop_frame,label\nwalk,1,2,b\xf6se\n", ":2: byte 0xf6 is not UTF-8"),
    ],
)
def test_nonsense_is_one_sentence_with_its_line(tmp_path, text, sentence):
    """The sentence names the error, its line and a valid alternative."""
    with pytest.raises(FileError) as caught:
        read_text_of(tmp_path, text)
    message = str(caught.value).replace(f"{tmp_path}/", "")
    assert sentence in message
    assert "\n" not in message


words = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
ranges = st.tuples(st.integers(0, 999), st.integers(1, 1000)).filter(lambda ends: ends[0] < ends[1])
rates = st.sampled_from([24.0, 30000 / 1001, 30.0, 59.94, 120.0, 333.25, 1000.0])


@given(st.lists(st.tuples(words, words, ranges)), rates, st.booleans())
def test_what_is_written_is_read_back(tmp_path_factory, some, fps, seconds):
    """Tables in frames and in seconds agree to the frame, for any letters in names and labels."""
    labels = [FileLabel(clip, text, *ends) for clip, text, ends in some]
    clips = {one.clip: Extent(1000, fps) for one in labels}
    path = tmp_path_factory.mktemp("labels") / "labels.csv"
    assert write_labels(labels, path, clips=clips, seconds=seconds) == len(labels)
    assert read_labels(path, clips) == tuple(dict.fromkeys(labels))


@given(st.floats(0, 10), st.floats(0, 10), rates, st.integers(1, 3000))
def test_seconds_hold_the_frames_that_stand_in_them(start, stop, fps, n_frames):
    """Frame k is at k/fps: the definition, counted frame by frame."""
    inside = [k for k in range(n_frames) if start - 1e-6 / fps <= k / fps < stop - 1e-6 / fps]
    if not inside or max(start, stop) > n_frames / fps:
        with pytest.raises(SettingError):
            frames_between(start, stop, Extent(n_frames, fps))
    else:
        assert frames_between(start, stop, Extent(n_frames, fps)) == (inside[0], inside[-1] + 1)


def test_a_clip_of_one_frame_can_be_labelled():
    """Its range is its frame."""
    assert frames_between(None, None, Extent(1, 30.0)) == (0, 1)
    assert frames_between(0.0, 1 / 30, Extent(1, 30.0)) == (0, 1)
    assert checked_frames(None, None, 1) == (0, 1)


@pytest.mark.parametrize("text", ["", "  ", "a\nb", "a\x00", "x" * 201])
def test_words_that_are_no_label(text):
    """A label is one line of text."""
    with pytest.raises(SettingError, match="is no label"):
        checked_text(text)


def test_seconds_need_the_rates():
    """Without rates there is no table in seconds."""
    with pytest.raises(SettingError, match="seconds need its rate"):
        labels_text([FileLabel("walk", "x", 0, 1)], seconds=True)


def test_an_existing_table_is_kept_unless_asked(tmp_path):
    """An existing table is replaced only on request, as by every writer."""
    path = tmp_path / "labels.csv"
    path.write_text("precious")
    with pytest.raises(FileError, match="exists already"):
        write_labels([], path, overwrite=False)
    assert path.read_text() == "precious"
