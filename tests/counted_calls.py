"""Count the expensive calls of a build: preparing, comparing, aligning, making seams.

``compared`` counts pairs of clips, the others calls.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from segue.costs.registry import COSTS
from segue.graph import workers
from segue.synthesis import transition_check
from segue.transitions.pruning import Candidates
from segue.transitions.tiles import Tile


def counted_calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts by method from now on; clear it to restart."""
    counts: Counter[str] = Counter()

    def counted(owner: type, name: str) -> None:
        whole = getattr(owner, name)

        def counting(*args: object, **kwargs: object) -> object:
            counts[name] += 1
            return whole(*args, **kwargs)

        monkeypatch.setattr(owner, name, counting)

    for kind in dict.fromkeys(COSTS.values()):
        for name in ("prepare", "matrix", "pairs", "alignment"):
            counted(kind, name)
    whole_tile = workers.compare_tile

    def comparing(tile: Tile, *args: Any, **kwargs: Any) -> tuple[Candidates, ...]:
        counts["compared"] += len(tile.pairs)
        return whole_tile(tile, *args, **kwargs)

    monkeypatch.setattr(workers, "compare_tile", comparing)
    counted(transition_check.TransitionChecker, "_get_to_know")
    counted(transition_check.TransitionChecker, "_check")
    return counts
