"""Print what is chosen for seeds among the sample clips, a line a walk: the same under every version of numpy.

`scripts/test.sh` compares what two versions print.
"""

from __future__ import annotations

from segue.graph.build import build_graph
from segue.motion.samples import SAMPLES, sample

SEEDS, SECONDS = range(1, 11), 60.0


def main() -> None:
    """Every transition of the graph of all sample clips by its frames, then those that each walk takes."""
    graph = build_graph([sample(name) for name in SAMPLES])
    joins = graph.joins
    columns = (joins.a_clip, joins.b_clip, joins.a_start, joins.arrivals, joins.each)
    for row in sorted(zip(*(column.tolist() for column in columns), strict=True)):
        print("transition", *row)
    for seed in SEEDS:
        taken = graph.wander(seconds=SECONDS, seed=seed).plan.joins
        print("walk", seed, *(f"{j.a_clip}:{j.a_start}-{j.b_clip}:{j.b_start}" for j in taken))


if __name__ == "__main__":
    main()
