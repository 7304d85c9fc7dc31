"""Convergence of threshold procedures by Monte Carlo: estimators by slopes.

Shows: share of right answers at the level of each estimator, for Wang's rule, 1-up-1-down, 2-down-1-up, 3-down-1-up
    and the Bayesian method, on observers of three slopes, in tracks that end with the tenth visit of a level and in
    tracks of 600 trials; trials taken
Bars: 0.69, which the source reports, within the range of its rule; long tracks of 2-down-1-up at 0.707 and of
    3-down-1-up at 0.794, mean of reversals on a slope of 3.5, each within 0.015; the Bayesian threshold within 10 %
    on that slope
Needs: nothing
Group: The parts

Steps are half a frame, the threshold is at 8 frames and there are no lapses. Where steps up and down balance, p to
the power of the required right answers is one half. The bias of an estimator depends on the function: on a steep
one the levels below the threshold are left faster than those above.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _runner import PICTURES, Show, run

from segue.app.studies.convergence import Convergences, convergences
from segue.pictures.psychometric import convergence_picture

SLOPES = (1.5, 3.5, 8.0)


def table(show: Show, title: str, found: Convergences) -> None:
    show.note(title)
    show.table(found.columns, found.cells())


def main(show: Show) -> None:
    usual = convergences(SLOPES, tracks=show.options.tracks)
    long = convergences(SLOPES, tracks=max(show.options.tracks // 4, 10), long=True)
    table(show, "tracks that end with the tenth visit", usual)
    table(show, "tracks of 600 trials", long)
    shares = [
        one.share(name)
        for found in (usual, long)
        for one in found.rows
        if one.procedure == "wang"
        for name in one.estimates
    ]
    low, high = min(shares), max(shares)
    show.check(
        "Wang's rule: 0.69 within its range",
        f"{low:.3f} to {high:.3f}",
        "around 0.69",
        ok=low <= 0.69 <= high,
    )
    for name, target in (("2-down-1-up", 0.7071), ("3-down-1-up", 0.7937)):
        (one,) = [row for row in long.rows if row.procedure == name and row.function.slope == 3.5]
        own = one.share("mean of reversals")
        show.check(f"{name}: mean of reversals", own, f"{target} ± 0.015", ok=abs(own - target) <= 0.015)
    (one,) = [row for row in usual.rows if row.procedure == "bayesian" and row.function.slope == 3.5]
    own = float(np.mean(one.estimates["fitted function"]))
    show.check("Bayesian method: mean threshold of 8 frames", own, "8 ± 10 %", ok=abs(own - 8) <= 0.8)
    if show.options.pictures is not None:
        folder: Path = show.options.pictures
        folder.mkdir(parents=True, exist_ok=True)
        convergence_picture(
            [row for row in usual.rows if row.function.slope == 3.5], folder / "staircases.png"
        )


if __name__ == "__main__":
    options = {
        "--tracks": {"type": int, "default": 200, "help": "tracks of each procedure and slope"},
        **PICTURES,
    }
    run(main, "Convergence of threshold procedures", options)
