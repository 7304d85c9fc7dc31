"""Do the dynamics weights choose transitions in which feet slide less? Two databases as in the source, and walks.

Shows: transitions chosen by dynamics, uniform and hand-set weights on two boxers and on the 19 clips of CMU 127: foot
    slide with an interval, shares in active phases, walks as the control, both alignments
Bars: feet slide less with dynamics than with uniform weights on either boxer, on both and on CMU 127, with the upper
    end of a 90 % interval under 1; half of the best 30 chosen by both alignments
Needs: clips
Group: The parts

Boxing replaces the source's fights, the 19 runs, jumps, stops and rolls of CMU subject 127 its reactions. On both,
feet must slide significantly less with dynamics weights than with uniform ones; walking is the control.

The source reports 9.0 cm against 12.2 cm (0.74) for fighting and 8.2 against 16.8 (0.49) for reactions, start to
end, at ranks 67 and 30. T is where the sorted costs of both weightings bend; other T are shown too, with bootstrap
intervals, as the transitions are few.
"""

from __future__ import annotations

import numpy as np
from _data import require_data
from _runner import Show, run

from segue.app.comparing import Compared, compare_costs, compared_costs, only_in
from segue.app.skating import TransitionSkate
from segue.costs.point_cloud import PointCloudCost
from segue.io import load
from segue.motion.clip import Clip
from segue.synthesis.retarget import retarget

SOURCE = {"fighting": 0.74, "reactions": 0.49}
DRAWS = 4000


def clips(*names: str) -> list[Clip]:
    """Load captured clips, all on the first one's body."""
    found = [load(require_data() / "asf_amc" / f"{name}.amc") for name in names]
    return [retarget(clip, found[0].skeleton) for clip in found]


def totals(skates: tuple[TransitionSkate, ...]) -> np.ndarray:
    """Return slide in metres and number of supports (T, 2) of each transition."""
    return np.array([(sum(skate.start_to_end), len(skate.start_to_end)) for skate in skates])


def ratio(compared: Compared) -> tuple[float, float, float]:
    """Return the mean slide of dynamics over uniform, and a 90 % bootstrap interval over each cost's transitions."""
    one, two = (totals(compared.skates[label]) for label in ("dynamics", "uniform"))

    def mean(rows: np.ndarray) -> float:
        slide, supports = rows.sum(axis=0)
        return slide / supports if supports else float("nan")

    rng = np.random.default_rng(3)
    draws = [
        mean(one[rng.integers(0, len(one), len(one))]) / mean(two[rng.integers(0, len(two), len(two))])
        for _ in range(DRAWS)
    ]
    low, high = np.nanpercentile(draws, [5, 95])
    return mean(one) / mean(two), float(low), float(high)


def line(show: Show, label: str, compared: Compared) -> float:
    """Print one comparison; return the upper end of the ratio's interval."""
    value, low, high = ratio(compared)
    skates = {name: compared.skate(name) for name in compared.chosen}
    words = "; ".join(
        f"{name} {100 * s.start_to_end:.1f} / {100 * s.along_path:.1f} cm ({s.supports})"
        for name, s in skates.items()
    )
    show.note(f"{label}, T = {compared.best_count}: dynamics/uniform {value:.2f} [{low:.2f}, {high:.2f}]")
    show.note(f"    start to end / along path (supports): {words}")
    return high


def judged(show: Show, label: str, high: float) -> None:
    """Check that feet slide significantly less with dynamics weights."""
    show.check(f"{label}: upper end of the ratio's interval", high, "< 1")


def show_differences(show: Show, compared: Compared) -> None:
    """Print the transitions that only dynamics weights choose, and their phases."""
    only = len(only_in(compared, "dynamics", "uniform"))
    show.note(
        f"    chosen by dynamics and not by uniform: {only} of {compared.best_count} "
        "(source 11 of 67 and 14 of 30)"
    )
    show.note("    in active phases: " + ", ".join(f"{k} {v:.0%}" for k, v in compared.active.items()))


def fighting(show: Show) -> None:
    """Compare on both boxing clips, at the knee and around it."""
    costs = compared_costs("dynamics,uniform,hand_set")
    for names in (("02/02_05",), ("17/17_10",), ("02/02_05", "17/17_10")):
        found = clips(*names)
        compared = compare_costs(found, found, costs)
        bends = {item.label: item.knee for item in compared.found}
        label = " and ".join(names)
        show.note(f"{label}: bends at rank {bends}; source {SOURCE}")
        bent = any(item.knee is not None for item in compared.found)
        high = line(show, "  at the knee" if bent else "  no bend, the source's rate", compared)
        judged(show, label, high)
        show_differences(show, compared)
        for best in (30, 67):
            line(show, f"  T given, {label}", compare_costs(found, found, costs, best=best))


def reactions(show: Show) -> None:
    """Compare on all clips of subject 127 against each other."""
    names = sorted(path.stem for path in (require_data() / "asf_amc" / "127").glob("*.amc"))
    found = clips(*(f"127/{name}" for name in names))
    compared = compare_costs(found, found, compared_costs("dynamics,uniform,hand_set"))
    bends = {item.label: item.knee for item in compared.found}
    show.note(f"{len(found)} clips of subject 127, {len(compared.pairs)} pairs: bends at rank {bends}")
    judged(show, "subject 127", line(show, "  second database", compared))
    show_differences(show, compared)


def control(show: Show) -> None:
    """Compare on walking, where the source found almost no difference between costs."""
    walks = clips("16/16_15", "16/16_31", "16/16_47")
    compared = compare_costs(walks, walks, compared_costs("dynamics,uniform"), best=30)
    line(show, "walking, the control", compared)
    show.note(
        f"    chosen by dynamics and not by uniform: {len(only_in(compared, 'dynamics', 'uniform'))} of 30"
    )


def parts(show: Show) -> None:
    """Print the numbers of fig. 5a and 5b: clouds against positions and orientations, window against centre frame."""
    boxing = clips("17/17_10")
    made = {
        "clouds": PointCloudCost(weighting="dynamics"),
        "places and orientations": PointCloudCost(weighting="dynamics", cloud="bodies"),
        "centre frame": PointCloudCost(weighting="dynamics", align="centre"),
    }
    compared = compare_costs(boxing, boxing, made, best=30)
    spread = {item.label: float(item.curve.std() / item.curve.mean()) for item in compared.found}
    show.note(
        "fig. 5, deviation over mean of the sorted costs: "
        + ", ".join(f"{k} {v:.3f}" for k, v in spread.items())
    )
    for other in ("places and orientations", "centre frame"):
        show.note(
            f"    best 30 of clouds that are not among those of {other}: {len(only_in(compared, 'clouds', other))}"
        )
    same = 30 - len(only_in(compared, "clouds", "centre frame"))
    show.check("best 30 that both alignments choose (source: insignificant)", same, ">= 15")


def main(show: Show) -> None:
    fighting(show)
    reactions(show)
    control(show)
    parts(show)


if __name__ == "__main__":
    run(main, "Comparing costs")
