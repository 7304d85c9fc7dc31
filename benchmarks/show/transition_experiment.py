"""Every blend length and every blend method on the same transitions: foot skate, jerk, penetration.

Shows: every blend length and every blend method on 572 transitions of five groups of clips, by a stated rule, aligned
    and start-end; `--write` writes the table into the docs
Bars: at least 200 of each kind; `auto` in the median no worse in skate and in jerk than the fixed length of its mean
    duration, nor than any computed length relative to its own; the same on the groups it was not tuned on
Needs: clips; two minutes of processor time
Group: The parts

The set, by rule: subjects 16, 127, 131 and 05 and the fighting clips, each group on its own skeleton at 60 frames a
second. Every ordered pair of clips at most two apart in a ring; of each pair in turn the aligned point of lowest
cost, then the next at least half a second away, until a group has 60, evenly thinned; and as many start-end points
of the same pairs at frames drawn by a seed. None is selected or left out by its measurements.

Skate is the slide of planted heels and toes beyond their captured motion, acceleration and jerk those that the
blend adds to any joint, as shares of the sources' largest within half a second, depth the penetration of limbs into
the body beyond the sources' largest. Medians with 95 % bootstrap intervals. A computed length is compared with the
fixed ones at its own mean duration, interpolated between those tried.

``--write`` writes the table into docs/how/which-method-when.md. Takes some minutes of two cores.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from _data import ROOT
from _experiment import FPS, Crossing, Source, clips_of, crossings
from _runner import Show, run

from segue.motion.clip import Clip

GROUPS = ("16", "127", "131", "05", "fighting")
HELD_OUT = ("131", "05", "fighting")
FIXED = (0.1, 0.2, 1 / 3, 0.5, 0.75, 1.0)
COMPUTED = {
    "aligned": ("longest", "velocity", "periodic", "auto"),
    "start_end": ("geodesic", "timewarped", "velocity", "periodic", "auto"),
}
METHODS = ("linear", "sigmoid", "registration", "timewarped", "inertialization", "dead")
PAGE = ROOT / "docs" / "how" / "which-method-when.md"
MEASURES = ("skate, mm", "acceleration", "jerk", "depth, mm")

Rows = dict[str, np.ndarray]
"""For each label (P, 5): seconds and the four measures."""


def of_one(crossing: Crossing) -> tuple[list[str], np.ndarray]:
    """Return all labels of one crossing and its (labels, 5) numbers."""
    made: dict[str, tuple[float, Clip]] = {"hard cut": (0.0, crossing.made(crossing.join(0)))}

    def put(label: str, seconds: float, **how: str) -> None:
        join = crossing.join(crossing.shortened(seconds))
        made[label] = (join.length / FPS, crossing.made(join, **how))

    for seconds in FIXED:
        put(fixed(seconds), seconds)
        put(fixed(seconds) + ", held", seconds, feet="planted")
    for method in COMPUTED[crossing.kind]:
        found = crossing.found(method)
        if found.from_seconds != found.to_seconds:
            join = crossing.warped(found)
            made[method] = (join.length / FPS, crossing.made(join))
        else:
            put(method, found.seconds)
        if method == "auto":
            put("auto, held", found.seconds, feet="planted")
    for method in METHODS:
        put(f"{method} 0.33 s", 1 / 3, method=method)
        put(f"{method} 0.33 s, held", 1 / 3, method=method, feet="planted")
    if crossing.kind == "start_end":
        made["each joint its own"] = (crossing.found("geodesic").seconds, crossing.by_joint())
    deep = crossing.deeper([motion for _, motion in made.values()])
    rows = [(s, *crossing.measured(motion), d) for (s, motion), d in zip(made.values(), deep, strict=True)]
    return list(made), np.array(rows)


def fixed(seconds: float) -> str:
    """Return the label of a fixed length."""
    return f"{seconds:.2f} s"


def of_group(group: str, kind: str) -> tuple[list[str], np.ndarray]:
    """Return the numbers (P, labels, 5) of a group."""
    sources = [Source(clip) for clip in clips_of(group)]
    found = [of_one(crossing) for crossing in crossings(group, sources, kind)]  # type: ignore[arg-type]
    return found[0][0], np.stack([rows for _, rows in found])


def at_duration(rows: Rows, seconds: float) -> np.ndarray:
    """Return the numbers (P, 5) of a fixed length, interpolated between those tried."""
    x = np.interp(seconds, FIXED, np.arange(len(FIXED)))
    low = min(int(x), len(FIXED) - 2)
    one, other = (rows[fixed(FIXED[k])] for k in (low, low + 1))
    out: np.ndarray = one + (x - low) * (other - one)
    return out


def against_fixed(rows: Rows, label: str) -> tuple[np.ndarray, np.ndarray]:
    """Return medians (4,) of a label and of the fixed length of its mean duration."""
    mean = float(rows[label][:, 0].mean())
    return np.median(rows[label][:, 1:], axis=0), np.median(at_duration(rows, mean)[:, 1:], axis=0)


def paired(rows: Rows, label: str, column: int) -> tuple[float, float, float]:
    """Compare a label with the fixed length of its mean duration, both on the same transitions.

    Returns the ends of the 95 % bootstrap interval of the ratio of both medians, and the share of the transitions,
    without ties, in which the label measures less: one half if there is no difference.
    """
    mine, other = rows[label][:, column], at_duration(rows, float(rows[label][:, 0].mean()))[:, column]
    again = np.random.default_rng(0).integers(0, len(mine), (2000, len(mine)))
    ratio = np.median(mine[again], axis=1) / np.median(other[again], axis=1)
    low, high = np.percentile(ratio, [2.5, 97.5])
    return float(low), float(high), float((mine < other).sum() / max((mine != other).sum(), 1))


def passes(rows: Rows, label: str) -> bool:
    """Return whether a label is no worse in skate and jerk, and better in one."""
    mine, other = (m[[0, 2]] for m in against_fixed(rows, label))
    return bool(np.all(mine <= other * (1 + 1e-9)) and np.any(mine < other))


def worth(rows: Rows, label: str) -> float:
    """Return the mean of skate and jerk over those of the fixed length of equal mean duration: under 1 is better."""
    mine, other = (m[[0, 2]] for m in against_fixed(rows, label))
    return float(np.mean(mine / np.maximum(other, 1e-9)))


def interval(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return medians of columns and the ends of their 95 % intervals."""
    rng = np.random.default_rng(0)
    again = np.median(values[rng.integers(0, len(values), (300, len(values)))], axis=1)
    return np.median(values, axis=0), *np.percentile(again, [2.5, 97.5], axis=0)


def table(rows: Rows, kind: str, count: int) -> list[str]:
    """Markdown rows."""
    out = [f"**{kind.replace('_', '-')} points, {count}**", ""]
    out += ["| length or way | mean s | " + " | ".join(MEASURES) + " | skate and jerk beside fixed |"]
    out += ["| --- " * 7 + "|"]
    for label, values in rows.items():
        mid, low, high = interval(values[:, 1:])
        cells = [
            f"{m:.{d}f} ({a:.{d}f}–{b:.{d}f})"
            for m, a, b, d in zip(mid, low, high, (1, 2, 3, 1), strict=True)
        ]
        beside = ""
        if label in COMPUTED[kind]:
            beside = f"{worth(rows, label):.2f}{', passes' if passes(rows, label) else ''}"
        out.append(f"| {label} | {values[:, 0].mean():.2f} | " + " | ".join(cells) + f" | {beside} |")
    return [*out, ""]


def judge(verdicts: Show, rows: Rows, kind: str, who: str) -> None:
    """Check the bars of ``auto``; the others are only reported."""
    for label in COMPUTED[kind]:
        mine, other = against_fixed(rows, label)
        text = (
            f"{label}, {rows[label][:, 0].mean():.2f} s: skate {mine[0]:.1f} beside {other[0]:.1f} mm, jerk "
            f"{mine[2]:.3f} beside {other[2]:.3f}: {'passes' if passes(rows, label) else 'does not pass'}"
        )
        verdicts.note(text)
    mine, other = against_fixed(rows, "auto")
    name = f"{kind}, {who}: auto"
    for k, what in ((0, "skate"), (2, "jerk")):
        ratio = float(mine[k] / other[k])
        low, high, less = paired(rows, "auto", k + 1)
        verdicts.note(f"{name}, {what}compared with fixed {low:.3f} to {high:.3f} (95 %), less in {less:.0%}")
        verdicts.check(f"{name}, {what} beside fixed", ratio, "<= 1")
    rest = {label: worth(rows, label) for label in COMPUTED[kind] if label != "auto"} | {"fixed": 1.0}
    best = min(rest, key=rest.__getitem__)
    value = worth(rows, "auto")
    verdicts.check(
        f"{name}, both, beside the best other: {best}", value, f"{rest[best]:.3g}", value <= rest[best]
    )


def tempo(verdicts: Show, rows: Rows) -> list[str]:
    """Report clips with a varying tempo: the effect of changing the speed of one side."""
    for label in ("geodesic", "timewarped", "auto", "0.33 s", "timewarped 0.33 s", "registration 0.33 s"):
        m = np.median(rows[label], axis=0)
        verdicts.note(f"tempo swings, {label}: skate {m[1]:.1f} mm, acceleration {m[2]:.2f}, jerk {m[3]:.3f}")
    return table(rows, "start_end", len(rows["auto"]))


def main(verdicts: Show) -> None:
    tasks = [(g, k) for k in ("aligned", "start_end") for g in GROUPS] + [("tempo", "start_end")]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(of_group, *zip(*tasks, strict=True)))
    by_task = dict(zip(tasks, found, strict=True))
    page: list[str] = []
    for kind in ("aligned", "start_end"):
        for who, groups in (("all", GROUPS), ("subjects it was not made on", HELD_OUT)):
            parts = [by_task[g, kind] for g in groups]
            numbers = np.concatenate([values for _, values in parts])
            rows = {label: numbers[:, k] for k, label in enumerate(parts[0][0])}
            if who == "all":
                verdicts.check(f"{kind}: transitions", len(numbers), ">= 200")
                page += table(rows, kind, len(numbers))
                if kind == "start_end":
                    m = [np.median(rows[x], axis=0) for x in ("each joint its own", "geodesic")]
                    verdicts.note(
                        f"own length for each joint, and one geodesic length: skate {m[0][1]:.1f} and {m[1][1]:.1f} "
                        f"mm, acceleration {m[0][2]:.2f} and {m[1][2]:.2f}, jerk {m[0][3]:.3f} and {m[1][3]:.3f}"
                    )
            judge(verdicts, rows, kind, who)
    labels, numbers = by_task["tempo", "start_end"]
    page += ["Clips whose tempo swings:", ""]
    page += tempo(verdicts, {label: numbers[:, k] for k, label in enumerate(labels)})
    print("\n".join(page))
    if verdicts.options.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition("<!-- table -->")
        after = rest.partition("<!-- end of table -->")[2]
        text = f"{before}<!-- table -->\n\n" + "\n".join(page) + f"\n<!-- end of table -->{after}"
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    run(
        main,
        "transitions: every length and every method on the same points",
        {"--write": {"action": "store_true", "help": "put the table into the docs"}},
    )
