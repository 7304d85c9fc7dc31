"""The kind of a clip agrees with the list published with the clips."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from segue.io import load
from segue.motion.kinds import PLURAL, clip_kind
from segue.motion.samples import sample

EXPECTED = {"walk": "walk", "walk-turn": "walk", "jump": "jump", "run": "run", "run-turn": "run"}
"""Unambiguous categories of the list, and the kind they correspond to."""


def test_captured_clips_are_what_their_list_says(data: Path) -> None:
    """Of CMU subject 16's walks, runs and jumps, at least 95 % get the kind of the list."""
    with (data / "MANIFEST.csv").open(encoding="utf-8") as file:
        listed = {row["file"]: row["category"] for row in csv.DictReader(file)}
    found: Counter[bool] = Counter()
    for path in sorted((data / "asf_amc/16").glob("*.amc")):
        category = listed[f"asf_amc/16/{path.name}"]
        if category in EXPECTED:
            found[clip_kind(load(path)) == EXPECTED[category]] += 1
    assert found[True] >= 0.95 * found.total()
    assert found.total() > 40


def test_where_and_which_heading_do_not_matter() -> None:
    """A clip elsewhere on the ground, or higher, is of the same kind."""
    walk = sample("walk")
    there = walk.with_motion(root_positions=walk.root_positions + np.array([3.0, 0.5, -2.0]))
    assert clip_kind(there) == clip_kind(walk) == "walk"


def test_a_body_that_lies_is_near_the_ground() -> None:
    """A body is "low" if its hips are less than 0.6 leg lengths above the lowest foot most of the time."""
    stand = sample("stand")
    low = stand.with_motion(root_positions=stand.root_positions * [1.0, 0.0, 1.0] + np.array([0.0, 0.2, 0.0]))
    tilted = np.array(low.rotations)
    tilted[:, 0] = [np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0]  # on its back
    assert clip_kind(low.with_motion(rotations=tilted)) == "low"


@pytest.mark.parametrize("kind", PLURAL)
def test_each_kind_has_a_plural(kind: str) -> None:
    assert PLURAL[kind].partition(" ")[0].endswith("s") or PLURAL[kind].endswith("clips")
