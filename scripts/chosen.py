"""Print the transitions chosen among the sample clips and the walks of some seeds; equal under every numpy.

`scripts/test.sh` compares the output under two versions.
"""

from __future__ import annotations

from segue.graph.build import build_graph
from segue.motion.samples import SAMPLES, sample

SEEDS, SECONDS = range(1, 11), 60.0


def main() -> None:
    """Print the frames of every transition in the graph of all sample clips, then those of each walk."""
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
