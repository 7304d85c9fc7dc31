"""Statistics of studies: the source's printed figures from its counts, and SciPy and statsmodels called directly.

Shows: table V.2's chi-squared values from the counts that give its percentages, the critical value, the p of its F
    values at (1, 48) degrees of freedom; ratings of 26 people with a planted effect through ranks and analysis of
    variance
Bars: every printed digit; 6.635; p .356, .0148, .271; equal to SciPy and statsmodels to 1e-9
Needs: nothing
Group: The parts

The thesis prints percentages: 35 people saw 8 pairs, 12 saw 3 and 3. Only one set of counts gives them. It prints
no degrees of freedom: 52 answers in two by two cells taken as independent leave 48. Its critical value, 6.64, is
6.635 rounded up.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _runner import Show, run
from scipy.stats import mannwhitneyu, wilcoxon
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from segue.app.studies.ratings import rated
from segue.perception.inference import critical_value, f_probability, preference

TABLE = {
    "geodesic, 10 frames": (270, 280, "96.4", "241.4"),
    "velocity, 10 frames": (184, 280, "65.7", "27.7"),
    "geodesic, timewarped": (156, 280, "55.7", "3.66"),
    "geodesic, velocity: locomotion": (27, 36, "75.0", "9.00"),
    "velocity, geodesic: activity": (32, 36, "88.9", "21.8"),
}


def table_v2(show: Show) -> None:
    rows = []
    for name, (first, total, share, chi) in TABLE.items():
        found = preference(first, total)
        own = f"{100 * found.share:.1f}", f"{found.chi_square:.{len(chi.partition('.')[2])}f}"
        rows.append([name, f"{first} of {total}", f"{own[0]} %", own[1], f"{found.p:.2g}"])
        show.check(f"table V.2, {name}: share and χ²", own, str((share, chi)), ok=own == (share, chi))
    show.table(["first, second", "counts", "share", "χ²", "p"], rows)
    value = critical_value(0.01)
    show.check("critical value at .01", round(value, 3), "6.635", ok=round(value, 3) == 6.635)


def f_values(show: Show) -> None:
    for name, f, p in (("order", 0.87, 0.356), ("realism", 6.39, 0.0148), ("noticeability", 1.24, 0.271)):
        own = f_probability(f, 48)
        show.check(f"p of F = {f} at (1, 48), {name}", own, f"{p}", ok=abs(own - p) < 5e-4)


def ratings(show: Show) -> None:
    """Rate as 26 people, half of them in either order; optimised is rated 0.8 higher."""
    rng = np.random.default_rng(4)
    table = np.clip(np.rint(rng.normal([2.6, 3.4], 1.0, (26, 2))), 1, 5)
    first = np.arange(26) % 2 == 0
    found = rated(table, first)
    theirs = wilcoxon(table[:, 1], table[:, 0])
    worst = abs(found.method.p - theirs.pvalue) + abs(found.method.statistic - theirs.statistic)
    for k in (0, 1):
        other = mannwhitneyu(table[~first, k], table[first, k])
        worst += abs(found.order[k].p - other.pvalue)
    flat = pd.DataFrame(
        {
            "y": table.T.ravel(),
            "m": np.repeat(["original", "optimised"], 26),
            "o": np.tile(first, 2).astype(str),
        }
    )
    anova = anova_lm(ols("y ~ C(m, Sum) * C(o, Sum)", flat).fit(), typ=3)
    names = ("C(m, Sum)", "C(o, Sum)", "C(m, Sum):C(o, Sum)")
    for row, name in zip(found.independent, names, strict=True):
        worst += abs(row.f - anova.loc[name, "F"]) + abs(row.p - anova.loc[name, "PR(>F)"])
    show.table(
        ["test of the ratings", "statistic", "p", "effect"],
        [
            ["method, signed-rank", found.method.statistic, f"{found.method.p:.4f}", found.method.effect],
            *(
                [f"order, rank-sum, {n}", o.statistic, f"{o.p:.4f}", o.effect]
                for n, o in zip("12", found.order, strict=True)
            ),
            *(
                [f"{r.name}, F, answers independent {r.dof}", r.f, f"{r.p:.4f}", r.effect]
                for r in found.independent
            ),
            *(
                [f"{r.name}, F, method within people {r.dof}", r.f, f"{r.p:.4f}", r.effect]
                for r in found.within
            ),
        ],
    )
    show.check("largest difference from SciPy and statsmodels", worst, "< 1e-9")


def main(show: Show) -> None:
    table_v2(show)
    f_values(show)
    ratings(show)


if __name__ == "__main__":
    run(main, "Statistics of studies")
