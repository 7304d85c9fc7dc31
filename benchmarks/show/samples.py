"""Sample clips: planted feet, gait, exact courses, and the contact detector compared with the ground truth.

Shows: the embedded clips, one by one and as a motion graph
Bars: planted feet move under 1 mm; heel first and toe last; arms swing against legs; contacts found within 2 frames
    of the truth at 24, 30 and 60 frames a second; speed and turning exact to 1e-9; no joint over 120 m/s²; all clips
    in one graph, over 70 % of their frames, at least 8 clips in any minute of 40 seeds
Needs: nothing
Group: The parts

Run: python benchmarks/show/samples.py
"""

from __future__ import annotations

import time

import numpy as np
from _runner import Show, run, seconds

from segue.graph.build import build_graph
from segue.motion.contacts import contacts
from segue.motion.facing import heading
from segue.motion.feet import FOOT_PARTS, foot_positions
from segue.motion.flags import runs
from segue.motion.kinematics import world, world_positions
from segue.motion.samples import SAMPLES, ground_truth, sample
from segue.motion.samples.plans import plan

ARCS = ("walk_left", "walk_right", "walk_bend_left", "walk_bend_right")
STEADY = ("walk_slow", "walk", "walk_fast", "run", *ARCS)
TURNS = {"walk_turn_left": 90, "walk_turn_right": -90, "run_left": 60, "run_right": -60}
CHANGES = ("speed_up", "slow_down")
STRIDING = (*STEADY, *TURNS, *CHANGES)
TOLERANCE = 2  # frames
SEEDS = 40


def planted_move(name: str, fps: float) -> float:
    """Return the largest distance in metres of a planted part from the start of its plant."""
    clip, truth = sample(name, fps), ground_truth(name, fps)
    places = foot_positions(clip.skeleton, world(clip))
    return max(
        float(np.linalg.norm(places[a:b, part] - places[a, part], axis=-1).max())
        for part in range(4)
        for a, b in runs(truth.contacts[:, part])
    )


def out_of_order(name: str) -> int:
    """Count the stances in which the heel does not strike first or the toe does not leave last."""
    flags = ground_truth(name).contacts
    wrong = 0
    for heel, toe in ((0, 1), (2, 3)):
        for a, b in runs(flags[:, heel] | flags[:, toe]):
            wrong += int(a > 0 and (flags[a, toe] or not flags[a, heel]))
            wrong += int(b < flags.shape[0] and (flags[b - 1, heel] or not flags[b - 1, toe]))
    return wrong


def ahead(name: str, joint: str) -> np.ndarray:
    """Return how far (metres) a joint is ahead of the hips along the course."""
    clip = sample(name)
    places = world_positions(clip)
    leg = places[:, clip.skeleton.index(joint)] - places[:, 0]
    turn = plan(name, None).course.place(np.arange(clip.n_frames) / clip.fps)[:, 2]
    return leg[:, 0] * np.sin(turn) + leg[:, 2] * np.cos(turn)


def edges(name: str, fps: float) -> tuple[int, int, int]:
    """Count plant edges compared, those without a counterpart in tolerance, and plants cut off by the clip's end."""
    clip, truth = sample(name, fps), ground_truth(name, fps)
    found = contacts(clip)
    compared = wrong = cut = 0
    for part in range(4):
        both = [runs(truth.contacts[:, part]), runs(found.flags[:, part])]
        for mine, theirs in (both, both[::-1]):
            for a, b in mine:
                if (a == 0 or b == clip.n_frames) and b - a < 0.05 * fps:
                    cut += 1  # a plant shorter than 50 ms at an end of the clip
                    continue
                if a > 0:
                    compared += 1
                    wrong += not any(abs(a - other) <= TOLERANCE for other, _ in theirs)
                if b < clip.n_frames:
                    compared += 1
                    wrong += not any(abs(b - other) <= TOLERANCE for _, other in theirs)
    return compared, wrong, cut


def course_error(name: str) -> tuple[float, float]:
    """Return the largest error of speed (m/s) and turning rate (rad/s), from each frame to that a cycle later.

    The pelvis sways about its course, so two frames a cycle apart are compared: the turn and shift that map one
    onto the other move the start of the course, the origin, along an arc of one period.
    """
    period = plan(name, None).gait.period
    clip, truth = sample(name, 60 / period), ground_truth(name, 60 / period)
    turn = heading(clip)[60:] - heading(clip)[:-60]
    c, s = np.cos(turn), np.sin(turn)
    before, after = clip.root_positions[:-60], clip.root_positions[60:]
    x = after[:, 0] - (c * before[:, 0] + s * before[:, 2])
    z = after[:, 2] - (c * before[:, 2] - s * before[:, 0])
    speed = np.hypot(x, z) / np.sinc(turn / (2 * np.pi)) / period  # chord to arc
    return float(np.abs(speed - truth.speed[0]).max()), float(np.abs(turn / period - truth.turning[0]).max())


def turn_error(name: str) -> float:
    """Return the error in radians of a turn's angle, from the mean headings of a cycle before and after it."""
    fps = 60 / plan(name, None).gait.period
    clip, truth = sample(name, fps, seconds=8.0), ground_truth(name, fps, seconds=8.0)
    straight, facing = np.flatnonzero(truth.turning == 0), heading(clip)
    middle = clip.n_frames // 2
    before, after = straight[straight < middle][:60], straight[straight > middle][-60:]
    turned = facing[after].mean() - facing[before].mean() - np.radians(TURNS[name])
    return float(abs((turned + np.pi) % (2 * np.pi) - np.pi))


def fastest(name: str) -> float:
    """Return the largest acceleration of a joint in m/s^2 at 60 frames a second."""
    clip = sample(name)
    return float(np.linalg.norm(np.diff(world_positions(clip), 2, axis=0), axis=-1).max() * clip.fps**2)


def as_a_collection(say: Show) -> None:
    """Build a motion graph of all clips and play many minutes."""
    graph = build_graph([sample(name) for name in SAMPLES])
    reached, share = len(graph.clips_reached), 100 * graph.report.share
    say.check(f"clips in the motion graph, of {len(SAMPLES)}", reached, len(SAMPLES), reached == len(SAMPLES))
    say.check("share of frames in the graph", share, "> 70 %", unit="%")
    played = [len(graph.wander(seconds=60, seed=seed).clips_played) for seed in range(1, SEEDS + 1)]
    least = min(played)
    say.check(f"distinct clips in any minute, {SEEDS} seeds", least, ">= 8")
    say.note(f"({least} to {max(played)}, median {np.median(played):g}; seed 1, the demo's: {played[0]})")


def main(say: Show) -> None:
    for fps in (60.0, 30.0):
        move = max(planted_move(name, fps) for name in SAMPLES)
        say.check(
            f"planted heels and toes move, largest, {fps:g} fps", move * 1e3, "< 1 mm", move < 1e-3, "mm"
        )
    peak = max(fastest(name) for name in SAMPLES)
    say.check("largest acceleration of a joint, 60 fps", peak, "< 120 m/s²", unit="m/s²")
    wrong = sum(out_of_order(name) for name in STRIDING)
    say.check("stances without heel first and toe last, walks and runs", wrong, "= 0")
    for name in ("walk_slow", "walk", "walk_fast", "run", *CHANGES):
        hand, foot = ahead(name, "LeftHand"), ahead(name, "RightFoot")
        swing, together = float(np.ptp(hand)), float(np.corrcoef(hand, foot)[0, 1])
        say.check(f"{name}: left hand swings, fore to aft", swing * 100, "> 12 cm", swing > 0.12, "cm")
        say.check(f"{name}: left hand goes with the right foot, correlation", together, "> 0.8")
    flight = float((~ground_truth("run", 240).contacts.any(axis=1)).mean())
    say.check("run: share of frames in flight", flight, "0.15 to 0.4", 0.15 < flight < 0.4)
    errors = [course_error(name) for name in STEADY]
    speed, turning = max(e[0] for e in errors), max(e[1] for e in errors)
    say.check("speed over complete cycles compared with ground truth", speed, "< 1e-9 m/s", unit="m/s")
    say.check(
        "turning over complete cycles compared with ground truth", turning, "< 1e-9 rad/s", unit="rad/s"
    )
    off = max(turn_error(name) for name in TURNS)
    say.check("turns: angle turned against ground truth", off, "< 1e-9 rad", unit="rad")
    for fps in (30.0, 60.0, 24.0):
        counts = np.sum([edges(name, fps) for name in SAMPLES], axis=0)
        label = f"contact edges off by more than {TOLERANCE} frames, {fps:g} fps, of {counts[0]}"
        say.check(label, int(counts[1]), 0, counts[1] == 0)
    say.note(
        f"(edges of {', '.join(FOOT_PARTS)}, in both directions; plants shorter than 50 ms at a clip's end left out)"
    )
    whole = seconds(
        lambda: [sample(name, 61.0) for name in SAMPLES], time.perf_counter
    )  # a rate not used before
    slowest = whole / len(SAMPLES)
    say.check("time to make a clip, mean", slowest, "< 0.3 s", unit="s")
    as_a_collection(say)


if __name__ == "__main__":
    run(main, f"Sample clips: {', '.join(SAMPLES)}")
