"""Uses of a mutated input of each kind: it is read, examined, and written back.

Each function takes the file and the output folder, and returns the seconds of work that the accepted input
requires. `UnequalError` reports that an accepted input is not finite, or changed after it was written and read
again.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import segue
from segue.errors import SegueError

_A_FRAME = 0.5e-3  # time limit of a steered frame in seconds
_SAVED = (".npz", ".bvh", ".glb")
_NEAR = 1e-3  # of the size of a motion: position tolerance where quaternions were rounded in the file
_KEYED = 5.0, 1000.0  # frame rates that a file of keys may state


class UnequalError(Exception):
    """An accepted input does not come back equal, or is not finite."""


def _require(good: object, what: str) -> None:
    if not good:
        raise UnequalError(what)


def motion(file: Path, out: Path) -> float:
    """Check that a clip is finite, and that each format in turn gives it back."""
    clip = segue.load(file)
    _require(np.isfinite(clip.rotations).all() and np.isfinite(clip.root_positions).all(), "not finite")
    _require(math.isfinite(clip.fps) and clip.fps > 0, "rate not finite")
    written_back(clip, out / f"back{_SAVED[file.stat().st_size % len(_SAVED)]}")
    return 2.0 + clip.n_frames * clip.skeleton.n_joints * 2e-5


def written_back(clip: Any, path: Path) -> None:
    """Save a clip and read it again: joints present in both must be at the same positions."""
    try:
        segue.save(clip, path)
    except SegueError:
        return  # a format may refuse, with a message
    again = segue.load(path)
    if any(note.startswith("up: ") for note in again.notes):
        # If the format states no axis and the body is not upright along any, that is reported. BVH keeps its own.
        own = clip.source.up if path.suffix == ".bvh" and clip.source and clip.source.format == "bvh" else "Y"
        again = segue.load(path, up=own)
    if path.suffix == ".glb" and not _KEYED[0] <= clip.fps <= _KEYED[1]:
        return
    frames, back = clip.n_frames, again.n_frames
    _require(frames == back, f"{path.suffix}: {frames} frames came back as {back}")
    alike = math.isclose(again.fps, clip.fps, rel_tol=1e-4)
    _require(alike, f"{path.suffix}: rate {clip.fps:g} came back {again.fps:g}")
    places, there = segue.world_positions(clip), segue.world_positions(again)
    if again.skeleton.names != clip.skeleton.names:
        _require(path.suffix != ".npz", ".npz: other joints came back")
        return  # names changed for the format: reported, not compared
    size = float(np.abs(places).max(initial=1.0))
    far = float(np.abs(places - there).max(initial=0.0))
    _require(far <= _NEAR * size, f"{path.suffix}: places came back {far:.3g} m away, of {size:.3g}")


def small_space(file: Path, out: Path) -> float:
    """Check that a space gives finite motion, and comes back equal."""
    from segue.app.space_document import read_space, write_space
    from segue.app.spaces import SpaceJob, made_motion

    kept = read_space(file)
    write_space(out / "again.segue", kept)
    again = read_space(out / "again.segue").space
    _require(np.array_equal(again.coordinates, kept.space.coordinates), "coordinates came back otherwise")
    clip = made_motion(kept.space, SpaceJob())
    _require(np.isfinite(clip.rotations).all() and np.isfinite(clip.root_positions).all(), "not finite")
    return 2.0 + clip.n_frames * clip.skeleton.n_joints * 2e-5


def acclaim(file: Path, out: Path) -> float:
    """Read a motion and its skeleton, one of them mutated."""
    return motion(file.with_suffix(".amc"), out)


def markers(file: Path, out: Path) -> float:
    """Check that markers are finite or missing, and come back from a table."""
    from segue.io.markers import read_markers, write_trc

    found = read_markers(file)
    _require(not np.isinf(found.positions).any(), "not finite")
    try:
        write_trc(found, out / "back.trc")
    except SegueError:
        return 0.0
    again = read_markers(out / "back.trc")
    _require(again.positions.shape == found.positions.shape, "another shape came back")
    size = float(np.nanmax(np.abs(found.positions), initial=1.0))
    _require(
        np.allclose(again.positions, found.positions, rtol=0, atol=1e-4 * size, equal_nan=True),
        "places moved",
    )
    return found.n_frames * 1e-3


def library(file: Path, out: Path) -> float:
    """List, read, check and convert the contents of a library, and copy them into another."""
    from segue.app.convert import Changes, convert, plan

    with segue.Library.open(file, mode="r") as held:
        names = [entry.name for entry in held.clips()]
        for name in names:
            try:
                clip = held.clip(name)
            except SegueError:
                continue
            _require(
                np.isfinite(clip.rotations).all() and np.isfinite(clip.root_positions).all(), "not finite"
            )
        held.check()
        held.stats()
    convert(plan([str(file)], out / "clips", to="npz"), Changes())
    with segue.Library.open(file) as held:
        held.add(segue.sample("stand").with_motion(name="added"))
        held.label("added", "here", start_frame=0, stop_frame=5)
    return 3.0


def walker(file: Path, out: Path) -> float:
    """Steer with a walker for a second, and check that it comes back from another library unchanged."""
    from segue.app.steering import steer_script, walker_of
    from segue.app.walkers import keep_walker
    from segue.runtime.steered.player import Command

    model = walker_of(file)
    played = steer_script(
        model,
        [(0.0, Command(model.nodes[0].kind)), (0.3, Command(model.nodes[-1].kind, 1.0, 0.2))],
        seconds=1.0,
    )
    _finite(played.clip)
    try:
        keep_walker(out / "back.segue", model, name="back")
    except SegueError:
        return 3.0
    again = walker_of(out / "back.segue")
    _require(
        len(again.nodes) == len(model.nodes) and len(again.transitions) == len(model.transitions),
        "another walker came back",
    )
    for one, two in zip(model.nodes, again.nodes, strict=True):
        _require(np.array_equal(one.set.rotations, two.set.rotations), "other rotations came back")
    return 3.0


def _finite(clip: Any) -> None:
    turns = np.linalg.norm(clip.rotations, axis=-1)
    _require(
        np.isfinite(clip.root_positions).all() and np.allclose(turns, 1.0, atol=1e-6),
        "not finite, or no rotations",
    )


def record(file: Path, out: Path) -> float:
    """Check that a record's numbers are finite, and that it comes back equal."""
    from segue.app.record import read_record, write_record

    found = read_record(file)
    _require(math.isfinite(found.fps) and found.fps > 0, "rate not finite")
    _require(
        np.isfinite(found.origin.frame).all() and np.isfinite(found.origin.weight).all(), "frames not finite"
    )
    back = out / "back.origin.json"
    write_record(back, found)
    again = read_record(back)
    _require(again.command == found.command and again.settings == found.settings, "other settings came back")
    _require(np.array_equal(again.origin.clip, found.origin.clip), "another origin came back")
    return 0.0


def replayed(file: Path, out: Path) -> float:
    """Replay a record; its output must be readable."""
    from segue.app.replay import write_again

    made = write_again(file, out / "again.npz").motion
    _finite(made)
    _require(segue.load(out / "again.npz").n_frames == made.n_frames, "other frames came back")
    return 20.0


# -- TOML --------------------------------------------------------------------------------------------------------


@cache
def clips() -> tuple[Any, ...]:
    """Return the clips that documents refer to."""
    return tuple(segue.sample(name) for name in ("walk", "start", "stop"))


@cache
def _examples() -> tuple[Any, ...]:
    from segue.locomotion.build import find_examples

    return tuple(find_examples(clips(), mirror_too=False).examples)


def roles(file: Path, _out: Path) -> float:
    """Assign roles to a body."""
    from segue.motion.roles import given, roles_in_toml

    given(segue.sample("walk").skeleton, roles_in_toml(file))
    return 0.0


def edits(file: Path, out: Path) -> float:
    """Apply edits of examples; their result is written and read again."""
    from segue.app.walkers import read_edits
    from segue.locomotion.edits import as_toml

    made = read_edits(file)(_examples())
    back = out / "back.toml"
    back.write_bytes(as_toml(made).encode("utf-8", "surrogatepass"))
    read_edits(back)(made)
    return 0.5


def weights(file: Path, _out: Path) -> float:
    """Make a cost from joint weights."""
    from segue.costs.joint_angle.weights import by_role, read_weights

    found = by_role(read_weights(file))
    _require(all(math.isfinite(one) and one >= 0 for one in found.values()), "not finite")
    segue.JointAngleCost(weights=read_weights(file))
    return 0.0


def pairs(file: Path, _out: Path) -> float:
    """Check that weights of pairs add up to 1."""
    from segue.costs.relative_distance import pair_weights, read_pairs

    found = pair_weights(read_pairs(file))
    _require(math.isclose(sum(one[2] for one in found), 1.0, rel_tol=1e-9), "weights do not add up to 1")
    return 0.0


def labels(file: Path, _out: Path) -> float:
    """Check that labels are within their clips."""
    from segue.app.directing import labels_of

    lengths = {clip.name: clip.n_frames for clip in clips()}
    for ranges in labels_of(clips(), file).values():
        _require(all(0 <= a < b <= lengths[name] for name, a, b in ranges), "a range outside its clip")
    return 0.0


def elements(file: Path, out: Path) -> float:
    """Read elementary motions, write and read them again; make a sequence of them."""
    from segue.app.elements import read_motions
    from segue.app.sequencing import make, read_script
    from segue.library.element_files import read_elements, write_elements

    given = read_elements(file)
    found = read_motions([file])
    back = out / "back.toml"
    rates = {clip.name: clip.fps for clip in found.clips.clips}
    write_elements(
        back,
        [(one, rates[one.clip]) for one in found.ranges.values()],
        word=lambda name: f"sample:{name}",
    )
    if found.ranges:
        _require(dict(read_motions([back]).ranges) == dict(found.ranges), "other motions came back")
    if given.sequences:
        made = make(read_script(file, name=next(iter(given.sequences))))
        _require(np.isfinite(made.clip.root_positions).all(), "not finite")
        return made.clip.seconds
    return 0.0


def requests(file: Path, _out: Path) -> float:
    """Give requests to a player for some seconds."""
    from segue.app.sequence_requests import read_requests

    for seconds, one in read_requests(file, {"go", "turn"}):
        _require(0.0 <= seconds <= 3600.0, "a request out of time")
        _require(one.at is None or 0.0 <= one.at <= 3600.0, "a motion out of time")
    return 0.0


# -- tables ------------------------------------------------------------------------------------------------------


def ground_path(file: Path, _out: Path) -> float:
    """Check that a ground path is finite, and make goals from it."""
    from segue.app.directing import DirectRequest, read_asked
    from segue.io.ground_paths import read_ground_path

    found = read_ground_path(file)
    _require(np.isfinite(found.points).all() and len(found.points) >= 2, "not finite")
    goals, _ = read_asked(DirectRequest(path=str(file)))
    _require(goals.path is not None and math.isfinite(goals.path.length), "no length")
    return 0.0


@cache
def model(folder: Path) -> Any:
    """Return the walker that tables steer."""
    from segue.app.steering import walker_of

    return walker_of(folder / "walker.segue")


def script(file: Path, _out: Path) -> float:
    """Play a script for some seconds."""
    from segue.app.steering import read_script, steer_script

    commands = read_script(file, model(file.parent))
    made = steer_script(model(file.parent), commands, fps=30.0, seconds=min(commands[-1][0] + 1.0, 10.0))
    _finite(made.clip)
    return _A_FRAME * made.clip.n_frames


def steer_path(file: Path, _out: Path) -> float:
    """Follow a path to its end."""
    from segue.app.steering import steer_path as follow

    made = follow(model(file.parent), file, fps=30.0)
    _finite(made.clip)
    return _A_FRAME * made.clip.n_frames


def chase(file: Path, _out: Path) -> float:
    """Chase a pointer."""
    from segue.app.steering import steer_chase

    made = steer_chase(model(file.parent), file, fps=30.0)
    _finite(made.clip)
    return _A_FRAME * made.clip.n_frames


def ground(file: Path, _out: Path) -> float:
    """Check that heights of a ground are finite, and that its description gives it again."""
    from segue.app.steer_record import ground_of, ground_words

    words = ground_words(str(file))
    height = ground_of(words)
    for x, z in ((0.0, 0.0), (-1e6, 1e6), (0.3, 0.7), (1e9, -1e9)):
        _require(math.isfinite(height(x, z)), "a height is not finite")
    return 0.0


def label_table(file: Path, out: Path) -> float:
    """Check that labels of a table come back equal."""
    from segue.library.labels import Extent, labels_text, read_labels

    extents = {clip.name: Extent(clip.n_frames, clip.fps) for clip in clips()}
    found = read_labels(file, extents)
    (out / "back.csv").write_text(labels_text(found), "utf-8")
    _require(read_labels(out / "back.csv", extents) == found, "other labels came back")
    return 0.0


def learn_labels(file: Path, out: Path) -> float:
    """Check that labels to learn from come back equal."""
    from segue.learning.labels import label_text, read_labels

    found = read_labels(file)
    (out / "back.csv").write_text(label_text(found), "utf-8")
    again = read_labels(out / "back.csv")
    given = [
        [(one.a_clip, one.a_frame, one.b_clip, one.b_frame, one.good) for one in rows]
        for rows in (found, again)
    ]
    _require(given[0] == given[1], "other labels came back")
    return 0.0


def mogra(file: Path, out: Path) -> float:
    """Check that transitions come back equal."""
    from segue.library.transition_files import read_mogra, write_mogra

    frames = {"walk": 120, "run fast": 60}
    for known in (frames, None):
        found = read_mogra(file, known)
        try:
            write_mogra(found, out / "back.transitions")
        except SegueError:
            continue  # none verified, or a name the format cannot hold
        keys = [
            {one.key for one in rows if one.verified}
            for rows in (found, read_mogra(out / "back.transitions", known))
        ]
        _require(keys[0] == keys[1], "other transitions came back")
    return 0.0
