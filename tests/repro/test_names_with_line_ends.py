"""An error that contains a user's name with a line end stays on one line."""

from pathlib import Path

import pytest

import segue
from segue.app.directing import labels_of
from segue.errors import SegueError


def test_a_label_with_a_line_end_is_named_on_one_line(tmp_path: Path) -> None:
    """An error that names a label of two lines is one line."""
    file = tmp_path / "labels.toml"
    file.write_text('"a\\nb" = ["nowhere"]\n')
    with pytest.raises(SegueError, match=r"a\\nb: no clip is called 'nowhere'") as caught:
        labels_of([segue.sample("walk")], file)
    assert "\n" not in str(caught.value)


def test_every_error_is_one_line() -> None:
    """Line ends and tabs in every message are escaped."""
    assert str(SegueError("one\ntwo\tthree")) == "one\\ntwo\\tthree"
