"""A folder of small clips and a motion made from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from library_clips import write_clips
from segue.app import stages
from segue.graph.walk import render
from segue.settings import Settings


def wander_into(
    out: Path, inputs: list[str], *, seconds: float = 8.0, seed: int = 3, **settings: object
) -> Path:
    """Make a motion and its record as the command line does; return the path of the record."""
    made = Settings(**settings)  # type: ignore[arg-type]
    collection = stages.read(inputs)
    walk = {"seconds": seconds, "seed": seed, "by": "cost", "start": None}
    walked = stages.make_graph(collection, made).wander(**walk)  # type: ignore[arg-type]
    motion = render(walked, feet=made.feet)
    recorded = {"make": made.document(), "walk": walk}
    return stages.write(motion, out, collection=collection, command="wander", settings=recorded)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_clips(tmp_path / "clips")


@pytest.fixture
def record(folder: Path, tmp_path: Path) -> Path:
    """Record of a motion made from that folder."""
    return wander_into(tmp_path / "made.bvh", [str(folder)])


@pytest.fixture
def maker():
    """The function that makes a motion with its record."""
    return wander_into
