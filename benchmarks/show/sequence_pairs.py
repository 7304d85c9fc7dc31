"""All 400 ordered pairs of 20 elementary motions: methods, time a pair, skate and peaks, compared with both baselines.

Shows: 400 pairs of elementary motions: how many each method joins, the time of a pair, slip of planted feet, and
    skate and peak change of speed compared with the baselines by pose similarity and by foot constraints alone
Bars: under 10 ms a pair in the median; every method joins 20 pairs; in 90 % of the pairs less skate than by pose
    similarity and no higher peak than by constraints
Needs: clips
Group: The main job

The benchmark itself is ``benchmarks/sequencing.py``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from _runner import Show, run

sys.path.append(str(Path(__file__).resolve().parents[1]))

import sequencing


def main(show: Show) -> None:
    sequencing.main(show)


if __name__ == "__main__":
    run(main, "400 pairs of elementary motions")
