"""Every body keeps its size: captured and generated ones, through every format that is written and read.

Shows: every body of the real clips, and 50 generated ones with legs of 0.2 to 3 m, through every format that is
    written and read
Bars: joints within 1e-4 m; in VRMA, whose joints between bones do not move, bone lengths
Needs: nothing for the generated bodies
Group: Files
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from _data import DATA
from _runner import Show, run

from segue.errors import FileError, SegueError
from segue.io import load, save
from segue.io.files import motion_files
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.resample import cut
from segue.motion.samples import sample
from segue.motion.skeleton import EndSite, Skeleton

FORMATS = (".bvh", ".fbx", ".glb", ".npz", ".vrma")
"""Formats that are written and read."""
BONES_ONLY = (".vrma",)
"""VRM does not move joints between two of its bones, by definition: for bodies that have some, bone lengths are
compared."""
BAR = 1e-4
FRAMES = 12
"""Frames of each body that go through every format; its size does not depend on more."""
LEGS = (0.2, 3.0)
"""Range in metres from hip to ankle of the generated bodies."""


def captured() -> Iterator[Clip]:
    """Yield one clip of each skeleton in the real files, its first frames."""
    seen: set[bytes] = set()
    for path in motion_files([DATA]):
        try:
            clip = load(path)
        except SegueError:
            continue  # not motion of a body; files_and_cases.py describes each of them
        key = np.round(clip.skeleton.offsets[1:], 4).tobytes() + "".join(clip.skeleton.names).encode()
        if key not in seen:
            seen.add(key)
            yield cut(clip, 0, min(clip.n_frames, FRAMES)).with_motion(name=path.name)


def grown(count: int) -> Iterator[Clip]:
    """Yield walkers with legs of 0.2 to 3 m and varied proportions, without a source and thus without a unit."""
    rng = np.random.default_rng(7)
    walk = sample("walk", 30.0)
    body = walk.skeleton
    leg = 0.0
    joint = body.index("LeftFoot")
    while body.names[joint] != "LeftUpLeg":
        leg += float(np.linalg.norm(body.offsets[joint]))
        joint = int(body.parents[joint])
    for wanted in np.geomspace(*LEGS, count):
        scale = wanted / leg
        shape = np.exp(rng.normal(0.0, 0.08, (body.n_joints, 1)))
        legs = np.array(["Leg" in name or "Foot" in name for name in body.names])
        shape[legs] = 1.0
        tips = [EndSite(site.joint, scale * np.asarray(site.offset)) for site in body.end_sites]
        skeleton = Skeleton(body.names, body.parents, scale * shape * body.offsets, tips)
        made = Clip(
            skeleton, walk.rotations, scale * walk.root_positions, walk.fps, name=f"legs {wanted:.2f} m"
        )
        yield cut(made, 0, FRAMES)


def apart(clip: Clip, again: Clip, *, bones: bool) -> float:
    """Return the largest distance between joints of equal names over all frames, or difference of bone lengths; metres.

    It is nan where frames or, unless bones are compared, joints are missing.
    """
    order = {name: again.skeleton.index(name) for name in clip.skeleton.names if name in again.skeleton.names}
    mine = [clip.skeleton.index(name) for name in order]
    if again.n_frames != clip.n_frames or len(order) < clip.skeleton.n_joints - (1 if bones else 0):
        return float("nan")
    if bones:
        a, b = (np.linalg.norm(body.offsets, axis=1) for body in (clip.skeleton, again.skeleton))
        below = [joint for joint in mine if clip.skeleton.parents[joint] in mine]
        return float(np.abs(a[below] - b[[order[clip.skeleton.names[joint]] for joint in below]]).max())
    return float(
        np.abs(world_positions(clip)[:, mine] - world_positions(again)[:, list(order.values())]).max()
    )


def through(verdicts: Show, clips: list[Clip], what: str, folder: Path, *, bones: tuple[str, ...]) -> None:
    """Check all clips through every format and list failures; for some formats only bones are compared."""
    for suffix in FORMATS:
        worst, count, refused, missed = 0.0, 0, 0, []
        for clip in clips:
            path = folder / f"body{suffix}"
            try:
                save(clip, path)
            except FileError:
                refused += 1  # VRM needs a humanoid
                continue
            try:
                far = apart(clip, load(path), bones=suffix in bones)
            except FileError as error:
                far = float("nan")
                verdicts.note(f"  {error}")
            count += 1
            if not far <= BAR:
                missed.append(f"{clip.name} {far:.3g} m")
            if not far <= worst:
                worst = far
        kind = "bone lengths" if suffix in bones else "joints"
        label = f"{what} through {suffix}: {count} of {len(clips)} bodies, {kind}"
        verdicts.check(label, worst, BAR, not missed and count > 0, "m")
        if refused:
            verdicts.note(f"  {refused} bodies lack bones required by the format")
        for line in missed[:40]:
            verdicts.note(f"  {line}")


def main(verdicts: Show) -> None:
    if DATA.is_dir():
        through(verdicts, list(captured()), "captured", verdicts.folder, bones=BONES_ONLY)
    else:
        verdicts.note(f"the real clips are not at {DATA}")
    through(verdicts, list(grown(50)), "grown", verdicts.folder, bones=())


if __name__ == "__main__":
    run(main, "Every body through every format, in its own size")
