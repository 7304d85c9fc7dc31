"""Motion from a small space, compared with principal components and plain blending.

Shows: a walk and a dance through Isomap and a network, through principal components and a network, and through the
    same number of principal components and back: error, jerk, foot skate; gaps of a third and two thirds of a second
    filled in each of these spaces, along captured poses and straight, and by slerp from one end to the other; random
    moments joined by curves, as in the thesis; `--pictures FOLDER` saves filmstrips
Bars: distance of a walk within 10 % of the captured one; feet locked slide less than 1 cm a plant; forward curves of
    the walk jerk less than straight ones; gaps of two thirds of a second of the walk filled with a smaller error than
    by slerp
Needs: clips; scikit-learn; two minutes of processor time
Group: The parts

All other results are reported without a bar. A gap is filled by a space that was fitted without its frames. Errors
are mean distances of joints, with the root at one place and heading. Jerk is the 95th percentile over that of the
captured frames. Slide is that of the slowest foot part of each frame, which in a walk should be planted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from _runner import PICTURES, Show, run

from segue.io import load
from segue.manifold.curves import at_random, resampled_curve, row_of, through
from segue.manifold.making import motion_of
from segue.manifold.network import Network
from segue.manifold.pose_code import encoded, places
from segue.manifold.poses import Poses, poses_of
from segue.manifold.space import Space, calmed, fit_space, smoothed, velocities_of
from segue.maths.quaternions import slerp, yawed
from segue.measures.foot_skate import foot_skate
from segue.measures.smoothness import jerks
from segue.motion.clip import Clip
from segue.motion.facing import heading
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world
from segue.motion.resample import cut, resampled
from segue.motion.usable import longest_usable
from segue.pictures.filmstrip import filmstrip

CLIPS = {"walk": "asf_amc/16/16_15.amc", "dance": "asf_amc/05/05_02.amc"}
RATE = 30.0
GAPS = (10, 20)
"""Frames of a gap: a third and two thirds of a second."""
PLACES = 3
"""Gaps of each length, evenly over a clip."""
SEEDS = (1, 2, 3, 4)
MOMENTS = 6
SPACE, BY_PCA, LINES, SLERP = "Isomap, network", "PCA, network", "PCA and back", "slerp"


def captured(folder: Path, name: str) -> Clip:
    """Load the longest usable stretch of a clip at the rate of the space."""
    clip = resampled(longest_usable(load(folder / name)), RATE)
    return Clip(clip.skeleton, clip.rotations, clip.root_positions, RATE, name=Path(name).stem)


def spaces_of(clips: list[Clip]) -> dict[str, Space]:
    """Fit spaces by Isomap; by PCA with as many dimensions; and by PCA with a linear decoder instead of a network."""
    by_isomap = fit_space(clips)
    by_pca = fit_space(clips, by="pca", dimensions=by_isomap.dimensions)
    return {SPACE: by_isomap, BY_PCA: by_pca, LINES: straightened(by_pca, poses_of(clips))}


def straightened(space: Space, poses: Poses) -> Space:
    """Return a space whose vectors follow from coordinates by least squares: principal components and back."""
    velocities = velocities_of(calmed(space.coordinates, space.follows), space.follows)
    vectors = encoded(space.code, poses, velocities)
    inputs = np.column_stack([space.coordinates, np.ones(len(vectors))])
    found, *_ = np.linalg.lstsq(inputs, vectors, rcond=None)
    zeros = np.zeros(space.dimensions)
    network = Network((found[:-1],), (np.zeros(len(found[-1])),), zeros, 1.0, found[-1], 1.0)
    return replace(space, network=network)


def standing(clip: Clip) -> np.ndarray:
    """Return joint positions with the root over the origin, facing +Z."""
    rotations = np.array(clip.rotations)
    rotations[:, 0] = yawed(-heading(clip), rotations[:, 0])
    return places(clip.skeleton, rotations, clip.root_positions[:, 1])


def error(made: Clip, wanted: Clip) -> float:
    """Return the mean distance of joints in centimetres."""
    return float(100 * np.linalg.norm(standing(made) - standing(wanted), axis=-1).mean())


def jerk(made: Clip, wanted: Clip) -> float:
    """Return the 95th percentile of the jerk over that of captured motion."""
    return float(np.percentile(jerks(made), 95) / np.percentile(jerks(wanted), 95))


def slide(clip: Clip) -> float:
    """Return the mean speed of the slowest foot part in centimetres a second."""
    ground = foot_positions(clip.skeleton, world(clip))[:, :, [0, 2]]
    speeds = np.linalg.norm(np.diff(ground, axis=0), axis=-1) * clip.fps
    return float(100 * speeds.min(axis=1).mean())


def reconstructed(show: Show, kind: str, clip: Clip, spaces: dict[str, Space]) -> None:
    """Reconstruct the complete clip through each space."""
    rows = [("captured", "", "1", f"{slide(clip):.1f}", gone(clip))]
    for name, space in spaces.items():
        curve = smoothed(space.coordinates)
        free = motion_of(space, curve, feet="free")
        held = motion_of(space, curve)
        rows.append(
            (
                name,
                f"{error(free, clip):.2f}",
                f"{jerk(free, clip):.2f}",
                f"{slide(free):.1f} / {slide(held):.1f}",
                gone(free),
            )
        )
        if name == SPACE and kind == "walk":
            methods = [
                float(np.linalg.norm(one.root_positions[-1] - one.root_positions[0])) for one in (free, clip)
            ]
            show.check(
                "walk: goes as far as captured",
                methods[0] / methods[1],
                "0.9 to 1.1",
                0.9 < methods[0] / methods[1] < 1.1,
            )
            locked = foot_skate(motion_of(space, curve, feet="locked"))
            show.check(
                "walk: slide of a locked plant", 100 * np.mean([one.along_path for one in locked]), "< 1 cm"
            )
    show.note(
        f"{kind}, {clip.name}: {clip.n_frames} frames through {spaces[SPACE].dimensions} dimensions and back"
    )
    heads = ("through", "error cm", "jerk", "slide cm/s free / natural", "gone m")
    show.table(heads, rows)


def gone(clip: Clip) -> str:
    """Format metres from start to end."""
    travelled = clip.root_positions[-1] - clip.root_positions[0]
    return f"{np.hypot(travelled[0], travelled[2]):.2f}"


def gaps(clip: Clip, length: int) -> Iterator[int]:
    """Yield first frames of gaps, at least a second from either end."""
    yield from np.linspace(30, clip.n_frames - 30 - length, PLACES).astype(int).tolist()


def by_slerp(before: Clip, after: Clip, length: int) -> Clip:
    """Interpolate evenly from the last pose of one clip to the first of the other."""
    share = np.arange(1, length + 1) / (length + 1)
    rotations = slerp(before.rotations[-1][None], after.rotations[0][None], share[:, None])
    roots = before.root_positions[-1] + share[:, None] * (after.root_positions[0] - before.root_positions[-1])
    return Clip(before.skeleton, rotations, roots, before.fps)


def fill(space: Space, length: int, route: str) -> Clip:
    """Fill a gap by a curve from the last frame before it to the first after it."""
    before = int(space.frame[space.clip == 0].max()) / space.fps
    rows = [row_of(space, "before", before), row_of(space, "after", 0.0)]
    curve = through(space, rows, route=route)  # type: ignore[arg-type]
    whole = resampled_curve(curve, 1.0, seconds=(length + 1) / space.fps, rate=space.fps)
    return cut(motion_of(space, whole, feet="free"), 1, length + 1)


def filled(show: Show, kind: str, clip: Clip) -> None:
    """Fill gaps by spaces that were fitted without them."""
    methods: dict[str, Callable[[dict[str, Space], Clip, Clip, int], Clip]] = {
        f"{SPACE}, forward": lambda s, _a, _b, n: fill(s[SPACE], n, "forward"),
        f"{SPACE}, straight": lambda s, _a, _b, n: fill(s[SPACE], n, "straight"),
        f"{BY_PCA}, forward": lambda s, _a, _b, n: fill(s[BY_PCA], n, "forward"),
        f"{LINES}, straight": lambda s, _a, _b, n: fill(s[LINES], n, "straight"),
        SLERP: lambda _s, a, b, n: by_slerp(a, b, n),
    }
    rows = {name: [name] for name in methods}
    for length in GAPS:
        found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in methods}
        for start in gaps(clip, length):
            print(f"{kind}: a gap of {length} frames at {start}", file=sys.stderr)
            before = cut(clip, 0, start).with_motion(name="before")
            after = cut(clip, start + length, clip.n_frames).with_motion(name="after")
            before, after = (
                Clip(one.skeleton, one.rotations, one.root_positions, one.fps, name=one.name)
                for one in (before, after)
            )
            spaces, wanted = spaces_of([before, after]), cut(clip, start, start + length)
            for name, make in methods.items():
                made = make(spaces, before, after, length)
                found[name].append((error(made, wanted), jerk(made, wanted), slide(made)))
        for name, values in found.items():
            mean = np.mean(values, axis=0)
            rows[name] += [f"{mean[0]:.1f}", f"{mean[1]:.2f}", f"{mean[2]:.0f}"]
        if kind == "walk" and length == GAPS[-1]:
            ours, plain = (
                float(np.mean([v[0] for v in found[name]])) for name in (f"{SPACE}, forward", SLERP)
            )
            show.check("walk: a gap of 0.67 s, error", ours, f"< {plain:.2f} cm by slerp", ours < plain)
    show.note(f"{kind}: gaps filled, mean of {PLACES} places; error in cm, jerk over captured, slide in cm/s")
    heads = ["filled by", *(f"{word} {n / RATE:.2f} s" for n in GAPS for word in ("error", "jerk", "slide"))]
    show.table(heads, rows.values())


def strung(show: Show, kind: str, clip: Clip, spaces: dict[str, Space], folder: Path | None) -> None:
    """Join random moments by curves."""
    rows = []
    by_route = {}
    for name in (SPACE, BY_PCA, LINES):
        space = spaces[name]
        for route in ("forward", "straight"):
            made = []
            for seed in SEEDS:
                chosen = at_random(space, MOMENTS, rng=np.random.default_rng(seed))
                curve = through(space, chosen, route=route)  # type: ignore[arg-type]
                made.append((motion_of(space, curve, feet="free"), motion_of(space, curve)))
            values = np.mean(
                [(jerk(free, clip), slide(free), slide(held), nearest(held, clip)) for free, held in made],
                axis=0,
            )
            rows.append(
                (
                    f"{name}, {route}",
                    f"{values[0]:.2f}",
                    f"{values[1]:.0f} / {values[2]:.0f}",
                    f"{values[3]:.1f}",
                )
            )
            by_route[name, route] = float(values[0])
            if folder is not None and name == SPACE:
                filmstrip(
                    made[0][1].with_motion(name=f"{kind}, {route}"),
                    folder / f"small-space-{kind}-{route}.png",
                )
    if kind == "walk":
        bar = f"< {by_route[SPACE, 'straight']:.2f} straight"
        ok = by_route[SPACE, "forward"] < by_route[SPACE, "straight"]
        show.check("walk: jerk of forward curves", by_route[SPACE, "forward"], bar, ok)
    show.note(f"{kind}: {MOMENTS} moments at random strung together, mean of {len(SEEDS)} draws")
    show.table(("through", "jerk", "slide cm/s free / natural", "cm from the nearest captured pose"), rows)


def nearest(made: Clip, clip: Clip) -> float:
    """Return the mean over frames of the distance from the nearest captured pose, in centimetres."""
    ours, theirs = standing(made), standing(clip)
    return float(100 * np.mean([np.linalg.norm(theirs - pose, axis=-1).mean(axis=-1).min() for pose in ours]))


def main(show: Show) -> None:
    folder: Path | None = show.options.pictures
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    for kind, name in CLIPS.items():
        clip = captured(show.clips, name)
        print(f"{kind}: fitting", file=sys.stderr)
        spaces = spaces_of([clip])
        reconstructed(show, kind, clip, spaces)
        strung(show, kind, clip, spaces, folder)
        filled(show, kind, clip)


if __name__ == "__main__":
    run(main, "Motion from a small space", PICTURES)
