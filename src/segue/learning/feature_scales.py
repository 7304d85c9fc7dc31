"""Scales of the motion-matching cost from a library of clips."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.costs.features import GROUPS, FeatureCost
from segue.errors import SettingError
from segue.motion.clip import Clip

_SIZES = (6, 6, 3, 6, 6)


def feature_scales(clips: Sequence[Clip], *, rate: float = 30.0) -> tuple[float, ...]:
    """Scale of each group of features over some clips: the mean of its features' standard deviations.

    That is how the published source code scales them. Thresholds found with such scales hold for that library alone.

    Returns
    -------
    As many numbers as `FeatureCost.scales` takes.

    Raises
    ------
    SettingError
        If no clip is long enough, or a group of features never changes.

    Examples
    --------
    >>> from segue.motion.samples import sample
    >>> [round(scale, 2) for scale in feature_scales([sample("walk"), sample("run"), sample("walk_turn_left")])]
    [0.12, 0.97, 0.43, 0.35, 0.12]
    """
    plain = FeatureCost(rate=rate, scales=(1.0,) * len(GROUPS), weights=(1.0,) * len(GROUPS))
    prepared = [plain.prepare(clip) for clip in clips]
    rows = [one.features["vectors"] for one in prepared if one.n]
    if not rows:
        msg = f"no clip has the {prepared[0].needed_frames if prepared else 0} frames that one moment takes"
        raise SettingError(msg)
    spread = np.concatenate(rows).std(axis=0)
    out = tuple(float(group.mean()) for group in np.split(spread, np.cumsum(_SIZES)[:-1]))
    for name, scale in zip(GROUPS, out, strict=True):
        if scale < 1e-9:
            msg = f"the {name} are the same all over these clips; nothing can be scaled by that"
            raise SettingError(msg)
    return out
