"""Walk to stand by captured transitions, compared with the older scheme in which the type is a parameter (fig. 10).

Shows: figure 10 of Park et al. 2004: three captured stops, each left out and made again by a transition edge and by
    the scheme in which the type is a parameter; `--pictures FOLDER` saves filmstrips
Bars: compared with the older scheme half the slip of planted feet in the blend, half as many undecided contacts, legs
    and ankles closer to the captured stop
Needs: clips
Group: Steering

    .venv/bin/python benchmarks/show/type_as_parameter.py [--pictures FOLDER]

Park et al. 2004 attach example transitions to the edges of a graph; the earlier scheme blends all examples of all
types together and makes the type another parameter, here 0 for standing, 1 for walking and 2 for running. Both run
in the same character here, with feet held and time moving forwards; only the source of a stop differs. Each of the
three captured stops is left out in turn and is the ground truth for the motion made without it. The older scheme is
given the duration of the captured stop. ``--pictures`` saves filmstrips.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from _runner import PICTURES, Show, run
from _walkers import clips

import segue
from segue.arrays import Floats
from segue.locomotion.blend_set import BlendSet
from segue.locomotion.build import build_locomotion
from segue.locomotion.cutting import transition_examples
from segue.locomotion.examples import STAND, WALK, TransitionExample
from segue.locomotion.model import Locomotion, Node
from segue.locomotion.phases import gait_phases
from segue.maths.quaternions import half_angle
from segue.maths.scattered import hull, scattered
from segue.motion.facing import heading
from segue.motion.resample import sampled
from segue.pictures.filmstrip import filmstrip
from segue.runtime.standing import _kernels as k
from segue.runtime.steered.packing import SteerSettings
from segue.runtime.steered.player import Command, LocomotionPlayer

FPS = 60.0
STOPS = ("16_33", "16_34", "16_57")
VALUE = {"stand": 0.0, "walk": 1.0, "run": 2.0}
UNDECIDED = 0.2  # a contact is undecided if the blend gives both up and down more than this weight
LEAD = 240  # steps a second until the command changes
STILL = 0.15  # metres a second: slower counts as standing
AFTER = 1.0  # seconds measured after the end of the captured stop


@dataclass(frozen=True)
class Stop:
    """Measurements of one stop made by one scheme."""

    clip: segue.Clip
    slip: Floats
    """Centimetres that the blend moves a planted foot along the ground while it travels, per frame and foot."""
    stance: float
    """The same, largest value when standing: held feet are at other places than the standing example's."""
    undecided: float
    """Share of frames and foot parts in which the blended examples disagree on ground contact."""
    pose: float
    """Degrees a leg joint from the captured stop, root mean square."""
    feet: float
    """Centimetres of the ankles from the captured ones, relative to the root, root mean square."""
    travelled: float
    """Metres from the command to the standing place."""


def older_scheme(model: Locomotion) -> Locomotion:
    """Return all examples of all types in one set, the type as a parameter, keytimes matched by number."""
    intervals = max(node.set.n_intervals for node in model.nodes)
    sets = [_stretched(node.set, intervals) for node in model.nodes]
    parameters = np.vstack(
        [
            np.column_stack([one.parameters, np.full(one.n_examples, VALUE[node.kind])])
            for one, node in zip(sets, model.nodes, strict=True)
        ]
    )
    fitted = scattered(parameters, scale=parameters.std(axis=0))
    whole = BlendSet(
        tuple(name for one in sets for name in one.names),
        True,
        np.concatenate([one.rotations for one in sets], axis=1),
        np.concatenate([one.beside for one in sets], axis=1),
        np.concatenate([one.rates for one in sets], axis=1),
        parameters,
        fitted,
        hull(fitted.places),
    )
    events = next(node.events for node in model.nodes if node.kind == WALK)
    return Locomotion(model.skeleton, ("speed", "turn", "type"), (Node("any", events, whole),), (), ())


def _stretched(one: BlendSet, intervals: int) -> BlendSet:
    """Cut a set of one interval, a stand, into several of equal length."""
    if one.n_intervals == intervals:
        return one
    samples = one.rotations.shape[0]
    at = np.linspace(0, samples - 1, (samples - 1) * intervals + 1)
    low = np.minimum(at.astype(int), samples - 2)
    share = (at - low)[:, None, None]
    q = (1 - share[..., None]) * one.rotations[low] + share[..., None] * one.rotations[low + 1]
    beside = (1 - share) * one.beside[low] + share * one.beside[low + 1]
    rates = np.repeat(one.rates * intervals, intervals, axis=0)
    return replace(one, rotations=q / np.linalg.norm(q, axis=2, keepdims=True), beside=beside, rates=rates)


def commands(stop: TransitionExample, scheme: str, seconds: float) -> tuple[Command, Command]:
    """Return the command before the stop, and that for some seconds after it began."""
    speed, turn = (float(value) for value in stop.parameters[0])
    if scheme == "edges":
        return Command(WALK, speed, turn), Command(STAND)
    left = max(1.0 - seconds / stop.clip.seconds, 0.0)
    before = Command("any", speed, turn, (("type", 1.0),))
    return before, Command("any", left * speed, left * turn, (("type", left),))


def played(model: Locomotion, stop: TransitionExample, scheme: str) -> Stop:
    """Walk until the keytime at which the captured stop begins, then stop."""
    before, _ = commands(stop, scheme, 0.0)
    player = LocomotionPlayer(model, SteerSettings(left_over=3.0), start=before)
    intervals, left = model.nodes[0 if scheme != "edges" else model.index(WALK)].set.n_intervals, 1.0
    for number in range(round(4 * LEAD)):  # at least one second to settle, then the step before the keytime
        left = (stop.from_interval - player.standing.generic_time) % intervals
        if number >= LEAD and left < intervals / LEAD:
            break
        player.step(1 / LEAD, before)
    rotations, roots, slip, stance, undecided = [], [], [], [], []
    for number in range(round((stop.clip.seconds + AFTER) * FPS) + 1):
        pose = player.step(0.0 if number == 0 else 1 / FPS, commands(stop, scheme, number / FPS)[1])
        rotations.append(pose.rotations)
        roots.append(pose.root_position)
        state = player.save()[0]
        part = np.clip(state[k.BESIDE + 12 : k.BESIDE + 16], 0.0, 1.0)
        undecided.append(np.minimum(part, 1 - part) > UNDECIDED)
        feet = state[k.FEET : k.FEET + 2 * k.FOOT_ROW].reshape(2, k.FOOT_ROW)
        held = feet[feet[:, k.WAS : k.WAS + 2].any(axis=1)]
        away = (100 * np.hypot(held[:, k.AWAY], held[:, k.AWAY + 2])).tolist()
        (slip if player.standing.speed > STILL else stance).extend(away)
    clip = segue.Clip(model.skeleton, np.array(rotations), np.array(roots), FPS, name=f"{stop.name} {scheme}")
    pose_off, feet_off = beside_captured(clip, stop)
    travelled = float(np.linalg.norm(roots[-1][[0, 2]] - roots[0][[0, 2]]))
    return Stop(clip, np.array(slip), max(stance), float(np.mean(undecided)), pose_off, feet_off, travelled)


def captured_at(stop: TransitionExample) -> segue.Clip:
    """Return the captured stop at the rate of the made motion."""
    count = int(stop.clip.seconds * FPS) + 1
    rotations, roots = sampled(stop.clip, np.arange(count) * stop.clip.fps / FPS)
    return segue.Clip(stop.clip.skeleton, rotations, roots, FPS, name=f"{stop.name} captured")


def beside_captured(clip: segue.Clip, stop: TransitionExample) -> tuple[float, float]:
    """Return the deviation of a made stop from the captured one: degrees a joint, centimetres of ankles."""
    truth = captured_at(stop)
    count = min(truth.n_frames, clip.n_frames)
    joints = segue.roles(clip.skeleton)
    legs = [joints[f"{side}_{joint}"] for side in ("left", "right") for joint in ("hip", "knee", "ankle")]
    angles = 2 * np.degrees(half_angle(clip.rotations[:count, legs], truth.rotations[:count, legs]))
    ankles = [seen_from_root(one)[:count] for one in (clip, truth)]
    off = 100 * np.linalg.norm(ankles[0] - ankles[1], axis=-1)
    return float(np.sqrt(np.mean(angles**2))), float(np.sqrt(np.mean(off**2)))


def seen_from_root(clip: segue.Clip) -> Floats:
    """Return ankles (F, 2, 3) ahead, above and sideways of the root."""
    places = segue.world_positions(clip)
    joints = segue.roles(clip.skeleton)
    facing = heading(clip)
    away = places[:, [joints["left_ankle"], joints["right_ankle"]]] - clip.root_positions[:, None]
    s, c = np.sin(facing)[:, None], np.cos(facing)[:, None]
    return np.stack(
        [c * away[..., 0] - s * away[..., 2], away[..., 1], s * away[..., 0] + c * away[..., 2]], axis=-1
    )


def keep_pictures(folder: Path, stop: TransitionExample, made: dict[str, Stop]) -> None:
    """Draw filmstrips of a stop as captured, by a transition edge and by the older scheme, at the same moments."""
    every = round(0.15 * FPS)
    for scheme, clip in (("captured", captured_at(stop)), *((name, one.clip) for name, one in made.items())):
        frames = list(range(0, captured_at(stop).n_frames, every))
        name = f"{stop.name.split(':')[0]}_{scheme}".replace(" ", "_")
        filmstrip(clip, folder / f"{name}.png", frames=frames, title=f"{stop.name}, walk to stand: {scheme}")


def main(verdicts: Show) -> None:
    """Leave out each stop in turn, make it again by both schemes, print and draw."""
    folder = verdicts.options.pictures
    every = clips()
    body = every[0].skeleton
    rows: dict[str, list[Stop]] = {"edges": [], "type as a parameter": []}
    for name in STOPS:
        clip = next(one for one in every if one.name == name)
        stop = next(
            example
            for example in transition_examples(gait_phases(clip))[0]
            if (example.source, example.target) == (WALK, STAND)
        )
        edges = build_locomotion([one for one in every if one is not clip], skeleton=body)
        made = {
            "edges": played(edges, stop, "edges"),
            "type as a parameter": played(older_scheme(edges), stop, "type"),
        }
        truth = captured_at(stop)
        verdicts.note(
            f"{stop.name}: captured {stop.clip.seconds:.2f} s and "
            f"{np.linalg.norm(np.diff(truth.root_positions[[0, -1]][:, [0, 2]], axis=0)):.2f} m"
        )
        for scheme, one in made.items():
            rows[scheme].append(one)
            verdicts.note(
                f"    {scheme:<20} blend slips {np.percentile(one.slip, 95):.1f} cm (95 %), undecided contacts "
                f"{one.undecided:.0%}, {one.pose:.1f} degrees a joint of the legs, ankles {one.feet:.1f} cm, "
                f"{one.travelled:.2f} m, stance {one.stance:.1f} cm"
            )
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            keep_pictures(folder, stop, made)
    numbers = {
        scheme: np.array(
            [
                [float(np.percentile(one.slip, 95)), one.undecided, one.pose, one.feet]
                for one in ones
            ]
        ).mean(axis=0)
        for scheme, ones in rows.items()
    }  # fmt: skip
    ours, older = numbers["edges"], numbers["type as a parameter"]
    for number, (words, bar) in enumerate(
        (
            ("slip of planted feet in the blend, 95 %, cm", 0.5),
            ("share of contacts on which the blended examples disagree", 0.5),
            ("legs from the captured stop, degrees a joint", 1.0),
            ("ankles from the captured ones, cm", 1.0),
        )
    ):
        verdicts.note(f"mean of {len(STOPS)}: {words}: {ours[number]:.3g}, older {older[number]:.3g}")
        share = float(ours[number] / older[number])
        verdicts.check(f"{words}: compared with the older scheme", share, f"<= {bar:g}", share <= bar)


if __name__ == "__main__":
    run(
        main,
        "Walk to stand: transition edges compared with the type as a parameter (CMU 16, 127, 131)",
        PICTURES,
    )
