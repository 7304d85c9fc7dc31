"""Walkers used by several scripts, built from complete sets of captured clips."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from _data import require_data

import segue
from segue.locomotion.build import BuildSettings, build_locomotion
from segue.locomotion.model import Locomotion


def clips(*, only_16: bool = False) -> list[segue.Clip]:
    """Return all 58 clips of CMU subject 16, and others that contain transitions: 127_03, 127_04 and all of 131."""
    data = require_data()
    files = sorted((data / "asf_amc" / "16").glob("*.amc"))
    if not only_16:
        files += [data / "asf_amc" / "127" / f"127_{number}.amc" for number in ("03", "04")]
        files += sorted((data / "cmu" / "max_friendly").glob("131_*.bvh"))
    return [segue.load(Path(file)) for file in files]


@lru_cache(maxsize=4)
def walker(*, only_16: bool = False, most: int = 20) -> Locomotion:
    """Return a walker built from them."""
    return build_locomotion(clips(only_16=only_16), settings=BuildSettings(most=most))
