"""Records changed by hand, by a broken disk or with hostile intent give one sentence; what they ask for is bounded."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import segue
from refused import LONG, refused
from segue.app import stages
from segue.app.record import Record, read_record, with_record, write_record
from segue.app.replay import write_again
from segue.settings import Settings

Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A motion of two embedded clips, with its record."""
    folder = tmp_path_factory.mktemp("made")
    settings = Settings()
    collection = stages.read_in_order(["sample:start", "sample:walk", "sample:stop"])
    _, motion = stages.make_stitch(collection, settings)

    stages.write(
        motion,
        folder / "made.bvh",
        collection=collection,
        command="stitch",
        settings={"make": settings.document()},
    )
    return folder / "made.origin.json"


RECORDS: dict[str, Change] = {
    "no sources": lambda d: d.update(sources=[], segments=[], motion={**d["motion"], "frames": 0}),
    "many frames": lambda d: d["motion"].update(frames=30_000_000),
    "many frames told": lambda d: (
        d["motion"].update(frames=30_000_000),
        d.update(segments=[{**d["segments"][0], "frames": 30_000_000}]),
    ),
    "no frames": lambda d: d["motion"].update(frames=0),
    "negative frames": lambda d: d["motion"].update(frames=-3),
    "frames of 2^70": lambda d: d["motion"].update(frames=2**70),
    "half a frame": lambda d: d["motion"].update(frames=10.5),
    "no rate": lambda d: d["motion"].update(fps=0),
    "a rate in words": lambda d: d["motion"].update(fps="30"),
    "a gap": lambda d: d["segments"][1].update(start=d["segments"][1]["start"] + 1),
    "a segment less": lambda d: d["segments"].pop(),
    "a segment twice": lambda d: d["segments"].append(d["segments"][-1]),
    "three sources": lambda d: d["segments"][0].update(sources=d["segments"][0]["sources"] * 3),
    "a clip nobody knows": lambda d: d["segments"][0]["sources"][0].update(clip="nobody"),
    "each of another length": lambda d: d["segments"][0]["sources"][0].update(frames={"each": [1.0, 2.0]}),
    "no step": lambda d: d["segments"][0]["sources"][0].update(frames={"first": 1.0}),
    "a step of 1e300": lambda d: d["segments"][0]["sources"][0].update(frames={"first": 0, "step": 1e300}),
    "weights of another length": lambda d: d["segments"][0].update(weights=[1.0]),
    "weights of 9": lambda d: d["segments"][0].update(weights=[9.0] * d["segments"][0]["frames"]),
    "a period of -1": lambda d: d.update(periods={"walk": -1.0}),
    "settings in a list": lambda d: d.update(settings=[1]),
    "a clip that plays nowhere": lambda d: d["sources"].extend(d["sources"] * 100),
    "NUL in a path": lambda d: d["sources"][0].update(path="a\0b"),
    "a path that is a number": lambda d: d["sources"][0].update(path=3),
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_damaged_record_is_one_sentence(made: Path, tmp_path: Path, name: str) -> None:
    """The sentence names the file and the place, whether the record is read, replayed or used for measures."""
    document = json.loads(made.read_text("utf-8"))
    RECORDS[name](document)
    path = tmp_path / "made.origin.json"
    path.write_text(json.dumps(document))
    for call in (
        lambda: read_record(path),
        lambda: write_again(path, tmp_path / "again.bvh"),
        lambda: with_record(segue.sample("walk"), tmp_path / "made.bvh"),
    ):
        assert refused(call).startswith(str(path))
    assert not (tmp_path / "again.bvh").exists()


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"format": ' + LONG + "}",
        '{"format": 1, "a": NaN}',
        "\ud83d",
        '{"a": "\\ud800"}',
        "{" * 65,
    ],
)
def test_what_is_hardly_json_is_no_record(tmp_path: Path, text: str) -> None:
    """Excessive depth, excessive digits and lone surrogates are refused before anything is decoded."""
    path = tmp_path / "made.origin.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert refused(lambda: read_record(path)).startswith(str(path))


SETTINGS: dict[str, Change] = {
    "share": lambda make: make.update(share="much"),
    "cost": lambda make: make.update(cost=None),
    "cost settings": lambda make: make.update(cost_settings={"rate": "fast"}),
    "endless rate": lambda make: make.update(cost_settings={"rate": 1e12}),
    "window": lambda make: make.update(cost_settings={"window_seconds": [1]}),
    "rate of frames": lambda make: make.update(fps=1e9),
    "blend": lambda make: make.update(blend_seconds=-1),
    "way": lambda make: make.update(way=["crossfade"]),
    "verdicts": lambda make: make.update(verdicts=[["walk", 1]]),
    "feet": lambda make: make.update(feet=["natural"]),
    "feet by name": lambda make: make.update(feet={"left": "natural"}),
    "roles": lambda make: make.update(roles={"head": 3}),
    "unknown": lambda make: make.update(colour="red"),
    "component": lambda make: make.update(component=1.5),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_a_record_are_typed(made: Path, tmp_path: Path, name: str) -> None:
    """A setting of the wrong type, out of range or unknown is refused before any motion is made."""
    document = json.loads(made.read_text("utf-8"))
    SETTINGS[name](document["settings"]["make"])
    path = tmp_path / "made.origin.json"
    path.write_text(json.dumps(document))
    refused(lambda: write_again(path, tmp_path / "again.bvh"))
    assert not (tmp_path / "again.bvh").exists()


def test_a_name_that_is_no_text_comes_back(tmp_path: Path) -> None:
    """Paths that are not UTF-8 are stored in records as Python writes them, names of clips as they are displayed."""
    from segue.app.record import Source

    clip = segue.sample("walk").with_motion(name="w\udcff")
    source = Source(clip.name, str(tmp_path / "w\udcff.bvh"), "0" * 64)
    origin = segue.Origin.of("w\udcff", clip.n_frames)
    write_record(tmp_path / "a.origin.json", Record("mirror", {}, (source,), "", 60.0, origin))
    back = read_record(tmp_path / "a.origin.json")
    assert back.sources == (source,)
    assert back.origin.clips == (clip.name,)


def test_a_long_motion_is_read_from_a_short_record(tmp_path: Path) -> None:
    """A short record that states many frames is accepted if the motion has that many."""
    origin = segue.Origin.of("walk", 1_200_000)
    source = read_source()
    path = tmp_path / "a.origin.json"
    write_record(path, Record("loop", {}, (source,), "", 60.0, origin))
    assert "too many for a record of this size" in refused(lambda: read_record(path))
    assert len(read_record(path, most=1_200_000).origin.clip) == 1_200_000


def read_source() -> Any:
    """Decode a source that is an embedded clip."""
    from segue.app.record import source_of

    return source_of(segue.sample("walk"))


def test_changes_leave_what_they_change_alone(made: Path) -> None:
    """The unchanged record that the tests damage is still read."""
    document = json.loads(made.read_text("utf-8"))
    for change in RECORDS.values():
        change(copy.deepcopy(document))
    assert read_record(made).command == "stitch"
