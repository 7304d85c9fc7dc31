"""Learn the default weights of the joint relative distance and write them next to the cost.

    python scripts/learn_jrd_weights.py [FOLDER OF CLIPS] [-o FILE]

Walks and runs are sample clips and CMU captures, dances and fights are CMU captures (obtained from
mocap.cs.cmu.edu; the database was made with funding from NSF grant EIA-0196217). The folder holds
``asf_amc/SUBJECT/CLIP.amc``; the default is next to the project. Clips named in HELD_OUT only test the result.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from segue.costs.relative_distance import DEFAULT_FILE, symmetric_pairs
from segue.io import load
from segue.learning.least_squares import non_negative_weights, pseudo_inverse_weights, strongest
from segue.learning.pose_pairs import PosePairs, pose_pairs
from segue.motion.clip import Clip
from segue.motion.samples import sample

PROJECT = Path(__file__).resolve().parents[1]
SEED, EACH, COUNT = 4, 4000, 30
STIFF = 0.01
"""Pairs whose distance varies by less (metres, root mean square) are bones: they distinguish bodies, not poses."""
RIDGES = np.geomspace(1e-4, 10.0, 51)
SAMPLES = {
    "walk": ("walk_slow", "walk", "walk_fast", "walk_turn_left", "walk_turn_right"),
    "run": ("run", "run_left", "run_right"),
    "dance": ("step_touch",),
    "fight": (),
}
LEARNT = {
    "walk": ("02_01", "02_02", "16_16", "16_31", "16_47"),
    "run": ("02_03", "16_35", "16_45", "16_55", "127_03"),
    "dance": ("05_02", "05_03"),
    "fight": ("02_05",),
}
HELD_OUT = {
    "walk": ("16_32", "16_58"),
    "run": ("16_36", "127_06"),
    "dance": ("05_16",),
    "fight": ("17_10",),
}


def captured(folder: Path, names: dict[str, tuple[str, ...]]) -> list[list[Clip]]:
    """Read CMU clips by kind."""
    place = folder / "asf_amc"
    return [[load(place / name.split("_")[0] / f"{name}.amc") for name in kind] for kind in names.values()]


def report(what: str, weights: np.ndarray, pairs: PosePairs) -> tuple[float, float]:
    """Print the mean cost of similar and dissimilar pairs, and how often a dissimilar pair costs more."""
    cost = pairs.differences @ weights
    alike, unlike = cost[pairs.labels == 0], cost[pairs.labels == 1]
    more = np.searchsorted(np.sort(alike), unlike) / alike.size
    print(
        f"{what:34s} alike {alike.mean():.4f}  unlike {unlike.mean():.4f}  "
        f"ratio {unlike.mean() / alike.mean():6.2f}  unlike costs more {more.mean():.1%}"
    )
    return float(alike.mean()), float(unlike.mean())


def main() -> None:
    """Learn the weights, test them on the clips held out, write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=PROJECT.parent / "shared" / "data")
    parser.add_argument("-o", type=Path, default=PROJECT / "src" / "segue" / "costs" / DEFAULT_FILE)
    arguments = parser.parse_args()
    rng = np.random.default_rng(SEED)
    made = [[sample(name) for name in kind] for kind in SAMPLES.values()]
    kinds = [a + b for a, b in zip(made, captured(arguments.folder, LEARNT), strict=True)]
    learnt = pose_pairs(kinds, each=EACH, rng=rng)
    held = pose_pairs(captured(arguments.folder, HELD_OUT), each=EACH, rng=rng)

    moving = np.sqrt(np.mean(learnt.differences**2, axis=0)) > STIFF
    names = [name for name, moves in zip(symmetric_pairs(), moving, strict=True) if moves]
    print(f"{np.count_nonzero(~moving)} pairs keep their distance within {100 * STIFF:g} cm and are left out")
    learnt, held = (PosePairs(pairs.differences[:, moving], pairs.labels) for pairs in (learnt, held))
    plain = non_negative_weights(learnt.differences, learnt.labels)
    print(f"without a ridge {np.count_nonzero(plain)} of {len(names)} symmetric pairs have a positive weight")
    report("held-out clips, without a ridge", plain / plain.sum(), held)
    ridge = next(r for r in RIDGES if np.count_nonzero(weights_at(r, learnt)) >= COUNT)
    weights = weights_at(ridge, learnt)
    print(f"ridge {ridge:.4f}: {np.count_nonzero(weights)} positive weights")
    chosen = strongest(weights, names, COUNT)
    kept = np.zeros(len(names))
    for first, second, weight in chosen:
        kept[names.index((first, second))] = weight
    report("learnt clips, chosen weights", kept, learnt)
    alike, unlike = report("held-out clips, chosen weights", kept, held)
    report("held-out clips, every pair alike", np.full(len(names), 1 / len(names)), held)
    literal = pseudo_inverse_weights(learnt.differences, learnt.labels)
    print(f"literal form W = Y A+: {np.mean(literal < 0):.0%} of its weights are negative")
    report("held-out clips, literal form", literal, held)
    arguments.o.write_text(text(chosen, ridge=ridge, held=(alike, unlike)), encoding="utf-8")
    print(f"wrote {arguments.o}")


def weights_at(ridge: float, pairs: PosePairs) -> np.ndarray:
    """Return the weights of every symmetric pair."""
    return non_negative_weights(pairs.differences, pairs.labels, ridge=ridge)


def text(chosen: list[tuple[str, str, float]], *, ridge: float, held: tuple[float, float]) -> str:
    """Return the file's text: how it was made, then a line a pair."""
    sources = "\n".join(
        f"# {kind}: samples {', '.join(SAMPLES[kind]) or 'none'};\n"
        f"#   CMU {', '.join(LEARNT[kind])}; held out {', '.join(HELD_OUT[kind])}"
        for kind in LEARNT
    )
    rows = "\n".join(f'  ["{first}", "{second}", {weight:.5f}],' for first, second, weight in chosen)
    return f"""\
# Default weights of the joint relative distance: symmetric pairs of roles, strongest first, sum 1.
#
# Made by scripts/learn_jrd_weights.py (seed {SEED}): non-negative least squares on {EACH} alike (0) and {EACH}
# unlike (1) pose pairs of each kind of motion. Poses 1 to 3 frames at 30 a second or one gait cycle apart are alike;
# poses at another phase, mirrored, or of another clip of that body are not. Plain least squares leaves half of these
# pairs out; the smallest ridge that gives {COUNT} pairs a positive weight is used: {ridge:.4f}.
# Pairs along one bone do not enter.
{sources}
# On the held-out clips alike pairs cost {held[0]:.4f} m, unlike ones {held[1]:.4f} m in the mean.
#
# CMU clips: the data used in this project was obtained from mocap.cs.cmu.edu. The database was created with
# funding from NSF EIA-0196217.

pairs = [
{rows}
]
"""


if __name__ == "__main__":
    main()
