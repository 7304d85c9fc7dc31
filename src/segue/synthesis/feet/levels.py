"""Levels of treatment of a foot at a seam: as blended, over increasingly many frames, increasingly softly, let go."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from segue.synthesis.feet.moves import FIRM

REACH = 1 / 3
"""Seconds from a blend beyond which nothing is changed, unless feet are locked."""


class Level(NamedTuple):
    """Treatment of a foot at a seam: seconds before and after the blend, and the time constant of its moves."""

    word: str
    before: float
    behind: float
    tau: float


_ONE_SIDE = [part for most in (1, 2, 4, 6, 8) for part in ((most, 0), (0, most))]
_PARTS = sorted([*_ONE_SIDE, (2, 2), (4, 4), (6, 6), (8, 8)], key=lambda part: (sum(part), max(part)))
"""Eighths of the reach before and after a blend, the fewest frames first."""
LEVELS = (
    Level("as blended", 0.0, 0.0, 0.0),
    Level("in the blend", 0.0, 0.0, FIRM),
    *(Level("near the blend", REACH / 8 * before, REACH / 8 * behind, FIRM) for before, behind in _PARTS),
    *(Level("softened", REACH / 8 * part, REACH / 8 * part, 0.03) for part in (2, 4, 8)),
    Level("softened", REACH, REACH, 0.1),
    Level("let go", 0.0, 0.0, 0.0),
)
SOFT, FREE = len(_PARTS) + 2, len(LEVELS) - 1
"""The first softened level, and the last level."""
AFTER = (1, *(_PARTS.index((part, part)) + 2 for part in (2, 4, 8)), *range(SOFT, FREE + 1))
"""Levels through which a foot is softened while joints exceed their limits."""
WIDER = np.array([min(k for k in AFTER if k > level) for level in range(FREE)])
"""For each level, the next one of a foot whose joints exceed their limits."""
