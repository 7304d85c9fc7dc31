"""Place and length of transitions chosen by measuring finished seams (`effort="high"`), compared with points as found.

Shows: place and length of transitions chosen by measuring the finished seams (`--effort high`), compared with points
    as found, on the third of the folders that a seed holds out; `--tuned` on the others
Bars: badness, knees and slip no larger in the median and at 90 %, at most 5 % larger at most; no clip lost, 95 % of
    the seconds reached; graphs at most 3 × the processor time
Needs: clips
Group: The parts

A graph of every folder below the real clips that holds more than one, as `segue wander` makes it, once with each
effort; two minutes of walk from each. The third of the folders that a seed holds out counts: the weights of the
price were chosen on the others (``--tuned`` shows these). For every set: badness of the finished seams (median, 90
%, largest; 1 is the bound), knee acceleration over that of the sources, slide of planted feet at each transition of
the graph before correction, beyond the sources; transitions, seconds and clips reached, and the ratio of graph
build times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from _any_folder_sets import folders_below
from _runner import Show, run, seconds

import segue
from segue.app.stages import make_graph, read
from segue.errors import SegueError
from segue.graph.build import MotionGraph
from segue.measures.seams import seams
from segue.measures.smoothness import knee_ratios
from segue.settings import SeamBounds, Settings
from segue.synthesis.transition_check import check_joins

EFFORTS = ("standard", "high")
SHARES = (50, 90, 100)


@dataclass(frozen=True, eq=False)
class Found:
    """One graph and its walks: badness and knees (S,) of every seam, slip in mm (P,) of every transition."""

    graph: MotionGraph
    build: float
    badness: np.ndarray
    knees: np.ndarray
    slip: np.ndarray

    @property
    def reached(self) -> tuple[int, float]:
        """Clips and seconds in the component used by walks."""
        return len(self.graph.clips_reached), self.graph.report.kept_frames / self.graph.fps


def slips(graph: MotionGraph) -> np.ndarray:
    """Return millimetres (P,) that planted feet slide beyond the sources at each transition in the component."""
    inside = np.flatnonzero(graph.kept[graph.leaves] & graph.kept[graph.arrives] & ~graph.bridges)
    return 1e3 * check_joins(graph.clips, graph.joins.take(inside), blend=graph.blend, feet="free").slip


def looked_at(path: str, effort: str, seeds: int) -> Found:
    """Measure one set with one effort."""
    collection, settings = read([path]), Settings(effort=effort)  # type: ignore[arg-type]  # a plain word here
    graphs: list[MotionGraph] = []
    took = seconds(lambda: graphs.append(make_graph(collection, settings)))
    graph = graphs[0]
    columns: list[list[np.ndarray]] = [[np.zeros(0)], [np.zeros(0)]]
    for seed in range(1, seeds + 1) if not graph.obstacle else ():
        motion = segue.render(graph.wander(seconds=60, seed=seed))
        columns[0].append(np.array([one.badness(SeamBounds()) for one in seams(motion, graph.clips)]))
        # A knee that accelerates less than in its sources counts as 1.
        columns[1].append(knee_ratios(motion, graph.clips).max(axis=1, initial=1.0))
    return Found(graph, took, *(np.concatenate(part) for part in columns), slips(graph))


def words(values: np.ndarray, digits: int) -> str:
    """Format median, 90 % and largest."""
    return (
        " / ".join(f"{value:.{digits}f}" for value in np.percentile(values, SHARES))
        if values.size
        else "none"
    )


def show(name: str, found: dict[str, Found], verdicts: Show) -> None:
    """Print the lines of one set."""
    for effort, one in found.items():
        clips, reached = one.reached
        changed = one.graph.report.steps.get("made elsewhere or at another length", 0)
        verdicts.note(
            f"{name}, {effort:8}: {len(one.badness):3} seams, badness {words(one.badness, 2)}, knees "
            f"{words(one.knees, 2)}, slip {words(one.slip, 0)} mm, {len(one.graph.joins)} transitions "
            f"({changed} moved), {clips} clips, {reached:.0f} s, built in {one.build:.1f} s"
        )


def compare(verdicts: Show, every: list[dict[str, Found]]) -> None:
    """Check all sets together: each has the same weight, for any number of seams."""
    for words_of, name, least in (
        ("badness", "badness", 0.01),
        ("knees", "knees over the sources", 1.0),
        ("slip", "slip before feet are treated", 1.0),  # a millimetre is not visible
    ):
        for share in SHARES:
            pairs = [[np.percentile(getattr(found[e], words_of), share) for e in EFFORTS] for found in every]
            ratio = float(np.exp(np.mean([np.log(max(b, least) / max(a, least)) for a, b in pairs])))
            most = 1.0 if share < 100 else 1.05  # the largest of a hundred is random
            verdicts.check(
                f"{name}, {share} %: high over standard", ratio, f"<= {most:g}", round(ratio, 4) <= most
            )
    lost = [a.reached[0] - b.reached[0] for a, b in (found.values() for found in every)]
    verdicts.check("clips reached but not by high", max(lost), "<= 0", max(lost) <= 0)
    shares = [b.reached[1] / max(a.reached[1], 1e-9) for a, b in (found.values() for found in every)]
    verdicts.check("seconds reached, least ratio", min(shares), ">= 0.95", min(shares) >= 0.95)
    took = [[found[e].build for found in every] for e in EFFORTS]
    ratio = sum(took[1]) / sum(took[0])
    verdicts.check("processor time of all graphs: high over standard", ratio, "<= 3", ratio <= 3.0)


def main(verdicts: Show) -> None:
    make_graph(read(["sample:"]), Settings())  # compile the kernels before timing
    every = []
    for one in folders_below(verdicts.clips):
        if one.left_out == verdicts.options.tuned:
            continue
        try:
            found = {effort: looked_at(one.path, effort, verdicts.options.seeds) for effort in EFFORTS}
        except SegueError as error:
            verdicts.note(f"{one.name}: {error}")
            continue
        show(one.name, found, verdicts)
        if all(part.badness.size for part in found.values()):
            every.append(found)
    compare(verdicts, every)


if __name__ == "__main__":
    run(
        main,
        "place and length chosen together",
        {
            "--seeds": {"type": int, "default": 2, "help": "walks of a minute of each graph"},
            "--tuned": {"action": "store_true", "help": "the folders that the weights were chosen on"},
        },
    )
