"""Compile the kernels that compare clips, so that every process of the tests reads the same machine code.

Code that was just compiled may give a cost that differs in its last digit from the same code read from the cache. Tests
that hold one process against another would see the difference between the first process and all later ones.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import segue
from segue.costs.registry import COSTS


def main() -> None:
    """Compare three sample clips with every cost, kept in a library and not."""
    clips = [segue.sample(name) for name in ("walk", "run", "stand")]
    for name in COSTS:
        with tempfile.TemporaryDirectory() as folder, segue.Library.open(Path(folder) / "a.segue") as library:
            library.add(clips)
            library.match(cost=segue.cost(name), threshold=0.05)
        segue.MotionGraph.build(clips, cost=segue.cost(name), threshold=0.05)
    dynamics = segue.cost("point_cloud", weighting="dynamics")
    segue.MotionGraph.build(clips, cost=dynamics, threshold=0.05)


if __name__ == "__main__":
    main()
