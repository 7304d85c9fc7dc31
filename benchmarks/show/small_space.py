"""A walk and a dance in few dimensions: residual variance, windings of a walk, and poses held out from the decoder.

Shows: residual variance of 1 to 10 dimensions by Isomap, PCA and multidimensional scaling for four walks and two
    dances, the knee compared with the thesis's 3 and 5; windings of a walk in three dimensions; errors of decoded
    joints for frames held out at random and as one block, compared with principal components; `--pictures FOLDER`
    saves the thesis's figures VII.1 to VII.6 for a walk and a dance
Bars: a walk's knee at 2 or 3; each walk winds once a stride, within half a turn; under 2 cm on frames at random of
    the first walk; residual variance equal to that by loops to 1e-9
Needs: clips; scikit-learn
Group: The parts

All other results are reported without a bar. The embedding is of all frames, the decoder learns from 70 % of them.
The random split is drawn three times, so that the result does not depend on one draw.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _data import DATA
from _runner import PICTURES, Show, run

from segue.io import load
from segue.manifold.embedding import GAIN, residual_variances
from segue.manifold.space import Space, fit_space
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.flags import runs
from segue.motion.resample import resampled
from segue.pictures.filmstrip import filmstrip
from segue.pictures.small_space import space_picture

WALKS = ("asf_amc/16/16_15.amc", "asf_amc/16/16_58.amc", "asf_amc/16/16_35.amc", "asf_amc/02/02_01.amc")
DANCES = ("asf_amc/05/05_02.amc", "cmu/daz_scaled/60_12_scaled.bvh")
THESIS = {"walk": 3, "dance": 5}
DRAWS = 3


@dataclass(frozen=True, eq=False)
class Fitted:
    """A clip and the spaces of three draws of held-out frames; pictures and tables use the first."""

    kind: str
    clip: Clip
    spaces: tuple[Space, ...]

    @property
    def space(self) -> Space:
        return self.spaces[0]


def turns(space: Space) -> float:
    """Return how often the first two coordinates of a space wind about their centre."""
    points = space.coordinates[:, :2] - space.coordinates[:, :2].mean(axis=0)
    angle = np.unwrap(np.arctan2(points[:, 1], points[:, 0]))
    return float(abs(angle[-1] - angle[0]) / (2 * np.pi))


def strides(one: Fitted) -> float:
    """Return the strides in the embedded frames: their length over the mean time between a foot's heel strikes."""
    clip = resampled(one.clip, one.space.fps)
    flags = contacts(clip).flags
    gaps = []
    for part in (0, 2):
        starts = [start for start, _ in runs(flags[:, part]) if start > 2]
        gaps += np.diff(starts).tolist()
    return (len(one.space.clip) - 1) / float(np.mean(gaps)) if gaps else float("nan")


def variances(show: Show, every: list[Fitted]) -> None:
    """Print residual variances, and the knee by the rule."""
    show.note(
        f"residual variance; at the knee another dimension removes less than {GAIN:g} of that left by one"
    )
    rows = []
    for one in every:
        for fit in one.space.fits:
            values = [f"{value:.3f}" for value in fit.variances]
            beside = f"{fit.knee} ({THESIS[one.kind]})" if fit.by == "isomap" else str(fit.knee)
            rows.append((f"{one.clip.name}, {len(one.space.clip)} frames, {fit.by}", *values, beside))
    show.table(("clip", *(str(k + 1) for k in range(10)), "knee (thesis)"), rows)
    for one in every:
        if one.kind == "walk":
            show.check(
                f"{one.clip.name}: knee", one.space.fit().knee, "2 or 3", one.space.fit().knee in (2, 3)
            )


def definition(show: Show, one: Fitted) -> None:
    """Compare residual variance with a loop over pairs."""
    points = one.space.coordinates[:25]
    rng = np.random.default_rng(2)
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1) + 0.1 * rng.random((25, 25))
    apart = 0.5 * (apart + apart.T)
    pairs = [(i, j) for i in range(25) for j in range(i)]
    xs = np.array([apart[i, j] for i, j in pairs])
    ys = np.array(
        [np.sqrt(sum((a - b) ** 2 for a, b in zip(points[i], points[j], strict=True))) for i, j in pairs]
    )
    wanted = 1.0 - np.corrcoef(xs, ys)[0, 1] ** 2
    off = abs(float(residual_variances(apart, points)[-1]) - wanted)
    show.check("residual variance against its definition", off, "< 1e-9")


def winding(show: Show, every: list[Fitted]) -> None:
    """Compare windings of walks with their strides."""
    for one in every:
        if one.kind == "walk":
            found, wanted = turns(one.space), strides(one)
            good = abs(found - wanted) < 0.5
            show.check(f"{one.clip.name}: turns in the space", f"{found:.2f}", f"{wanted:.2f} strides", good)


def decoders(show: Show, every: list[Fitted]) -> None:
    """Print errors on held-out frames."""
    show.note(
        "mean distance of decoded joints from captured ones in cm; at random: mean of three draws, and the worst"
    )
    rows = []
    for one in every:
        drawn = [100 * space.held_out[0].decoder for space in one.spaces]
        lines = [100 * space.held_out[0].linear for space in one.spaces]
        block = one.space.held_out[1]
        rows.append(
            (
                f"{one.clip.name}, {one.space.dimensions} dimensions",
                f"{np.mean(drawn):.2f} ({max(drawn):.2f})",
                f"{np.mean(lines):.2f}",
                f"{100 * block.decoder:.2f}",
                f"{100 * block.linear:.2f}",
            )
        )
        if one.clip.name == "16_15":
            show.check(f"{one.clip.name}: frames at random, worst of {DRAWS} draws", max(drawn), "< 2 cm")
    heads = ("clip", "at random", "principal components", "block", "principal components")
    show.table(heads, rows)
    show.more["errors"] = [dict(zip(heads, row, strict=False)) for row in rows]


def main(show: Show) -> None:
    folder: Path | None = show.options.pictures
    every = []
    for kind, names in (("walk", WALKS), ("dance", DANCES)):
        for name in names:
            print(f"fitting {name}", file=sys.stderr)
            clip = load(show.clips / name)
            spaces = tuple(fit_space([clip], seed=seed) for seed in range(DRAWS))
            every.append(Fitted(kind, clip, spaces))
    variances(show, every)
    definition(show, every[0])
    winding(show, every)
    decoders(show, every)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for number, word in ((0, "walk"), (len(WALKS), "dance")):
            filmstrip(
                resampled(every[number].clip, 30.0), folder / f"small-space-{word}-captured.png", every=10
            )
        for number, word in ((0, "walk"), (len(WALKS), "dance")):
            space_picture(
                every[number].space,
                folder / f"small-space-{word}.png",
                title=f"{word}: {every[number].clip.name}",
            )


if __name__ == "__main__":
    assert DATA
    run(main, "A walk and a dance in few dimensions", PICTURES)
