"""Gallery examples run unchanged, draw what they describe, and print something."""

from __future__ import annotations

import io
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from segue.pictures.canvas import Picture

DOCS = Path(__file__).resolve().parents[2] / "docs"
EXAMPLES = sorted((DOCS / "gallery").glob("*.py"))


def _png(value: Picture | Figure) -> Any:
    stream = io.BytesIO(value.png if isinstance(value, Picture) else b"")
    if isinstance(value, Figure):
        value.savefig(stream, format="png")
        stream.seek(0)
    return imread(stream)


def test_the_gallery_has_examples() -> None:
    assert len(EXAMPLES) >= 8


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An example runs in an empty folder; it draws as many pictures as it describes, and none is blank."""
    from segue_docs.scraper import described, pictures

    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(example), run_name="__main__")
    drawn = pictures(names, seen=set())
    text = described(example.read_text("utf-8"))
    assert len(drawn) == len(text)
    assert drawn, "an example without a picture has no face in the gallery"
    assert all(20 <= len(words) <= 200 for words in text)
    for picture in drawn:
        pixels = _png(picture)
        assert np.ptp(pixels[..., :3].mean(axis=-1)) > 0.5
        assert 0.001 < (pixels[..., :3].min(axis=-1) < 0.9).mean() < 0.95
    assert capsys.readouterr().out.strip()


def test_a_picture_without_a_description_stops_the_build(tmp_path: Path) -> None:
    """Pages are not built if a picture lacks a description for readers who cannot see it."""
    from segue_docs.scraper import scraper

    from segue.motion.samples import sample
    from segue.pictures.filmstrip import filmstrip

    names: dict[str, Any] = {"strip": filmstrip(sample("walk"), count=2, contacts=())}
    block = ("code", "strip = filmstrip(walk, count=2)", 1)
    around = {"example_globals": names, "src_file": "x.py", "image_path_iterator": iter([tmp_path / "1.png"])}
    with pytest.raises(ValueError, match=r"x\.py, line 1: 1 pictures, 0 comments"):
        scraper(block, around, {"src_dir": str(tmp_path)})
    given = ("code", "# Picture: two figures that\n# walk\nstrip = filmstrip(walk, count=2)", 1)
    lines = scraper(given, around, {"src_dir": str(tmp_path)})
    assert ":alt: two figures that walk" in lines
    assert (tmp_path / "1.png").read_bytes() == names["strip"].png
    assert not scraper(("code", "x = 1", 9), around, {"src_dir": str(tmp_path)}), "a picture is shown once"
