"""Psychometric fits compared with psignifit's, which is GPL and runs in a temporary environment.

Shows: threshold, just noticeable difference and the width of intervals by our maximum likelihood and by psignifit 4.3
Bars: just noticeable differences within 1 %, thresholds within 4 %, widths of intervals within 20 %
Needs: a network, to install psignifit into a temporary folder
Group: Other programs and long runs

Both fit a Weibull function of one of two alternatives with the guess rate fixed; psignifit takes the mode of a
posterior with weak priors on width and lapses, ours the maximum-likelihood function with lapses up to 10 %.
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

import numpy as np
from _runner import Show, run

from segue.perception.fitting import fit_psychometric
from segue.perception.psychometric import Psychometric

FUNCTIONS = (
    (7.0, 3.0, 0.02, 120),
    (10.0, 3.0, 0.02, 240),
    (3.0, 1.5, 0.0, 240),
    (2.5, 6.0, 0.05, 400),
    (8.0, 3.5, 0.03, 60),
)
"""Threshold, slope, lapse, and answers at each level."""
PLACES = np.array([0.35, 0.55, 0.8, 1.0, 1.25, 1.6, 2.2])


def counts() -> list[dict[str, object]]:
    """Return answers of known observers at levels around their thresholds."""
    rng, out = np.random.default_rng(20), []
    for threshold, slope, lapse, shown in FUNCTIONS:
        levels = np.round(threshold * PLACES, 2)
        right = rng.binomial(shown, Psychometric(threshold, slope, lapse).share(levels))
        out.append({"levels": levels.tolist(), "shown": shown, "right": right.tolist()})
    return out


def environment(folder: Path) -> Path:
    """Return the interpreter of a new environment with psignifit and without segue."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "psignifit==4.3"], check=True, timeout=1800)
    return python


def psignifit(python: Path, every: list[dict[str, object]]) -> list[dict[str, float]]:
    child = Path(__file__).with_name("_psignifit_child.py")
    done = subprocess.run(
        [python, str(child)], input=json.dumps(every), capture_output=True, text=True, check=True, timeout=900
    )
    found: list[dict[str, float]] = json.loads(done.stdout)
    return found


def main(show: Show) -> None:
    every = counts()
    python = show.options.python or environment(show.folder / "theirs")
    rows = []
    for one, theirs in zip(every, psignifit(python, every), strict=True):
        shown = [one["shown"]] * len(PLACES)
        ours = fit_psychometric(one["levels"], shown, one["right"], draws=1000, rng=np.random.default_rng(1))
        low, high = ours.interval("threshold")
        wider = (high - low) / (theirs["high"] - theirs["low"])
        rows.append(
            [
                f"{one['shown']} a level",
                ours.jnd,
                theirs["jnd"],
                ours.function.threshold,
                theirs["threshold"],
                wider,
            ]
        )
    show.table(["answers", "JND", "psignifit", "threshold", "psignifit", "interval, times"], rows)
    table = np.array([row[1:] for row in rows], dtype=float)
    off = np.abs(table[:, (0, 2)] / table[:, (1, 3)] - 1).max(axis=0)
    show.check("JND: largest relative difference", float(off[0]), "<= 0.01")
    show.check("threshold: largest relative difference", float(off[1]), "<= 0.04")
    show.check("interval: widest, in times psignifit's", float(table[:, 4].max()), "<= 1.2")
    show.check("interval: narrowest, in times psignifit's", float(table[:, 4].min()), ">= 0.8")


if __name__ == "__main__":
    python = {"type": Path, "help": "an interpreter that has psignifit, in place of a new environment"}
    run(main, "psychometric fits compared with psignifit's", {"--python": python})
