"""All 400 ordered pairs of 20 elementary motions: methods, time a pair, skate and peaks beside both baselines.

Shows: of 400 pairs of elementary motions how many each method joins, the time of a pair, how far planted feet slip, and
    skate and peak change of speed beside the baselines by pose similarity and by foot constraints alone
Bars: under 10 ms a pair in the median; every method joins 20 pairs; less skate than by pose similarity and no higher
    a peak than by constraints in 90 % of the pairs
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
    """Run the benchmark."""
    sequencing.main(show)


if __name__ == "__main__":
    run(main, "400 pairs of elementary motions")
