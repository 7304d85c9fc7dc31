"""Pictures of the concepts page, drawn from embedded clips."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import segue
from segue.maths.easing import ease_out
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world
from segue.pictures.canvas import Picture
from segue.pictures.filmstrip import filmstrip
from segue.pictures.matrix import cost_picture
from segue.pictures.timeline import timeline
from segue.synthesis.splice import splice
from segue.transitions.selection import TransitionPoints, transition_points

BLUE, RED, GREY = "#2f6db5", "#c0473f", "#8b919a"


def roles() -> Figure:
    """Draw a body in its rest pose, with its joints named by their roles."""
    walk = segue.sample("walk")
    body, found = walk.skeleton, segue.roles(walk.skeleton)
    at = body.rest_positions()
    figure = Figure(figsize=(8, 6.4), layout="constrained")
    axes = figure.subplots()
    for joint, parent in enumerate(body.parents):
        if parent >= 0:
            axes.plot(*at[[joint, parent], :2].T, color=GREY, linewidth=3, zorder=1, solid_capstyle="round")
    for role, joint in sorted(found.items(), key=lambda item: -at[item[1]][1]):
        side = "left" if "left" in role else "right" if "right" in role else "middle"
        colour = {"left": "#d9642c", "right": BLUE, "middle": "#333840"}[side]
        axes.plot(at[joint][0], at[joint][1], "o", color=colour, markersize=7, zorder=2)
        arm = any(word in role for word in ("clavicle", "shoulder", "elbow", "wrist"))
        low = "clavicle" in role
        tilt = {"left": 40, "right": -40}.get(side, 0) * (-1 if low else 1) if arm else 0
        shift = {"left": (10, -3), "right": (-10, -3), "middle": (10, -10 if role == "chest" else 4)}[side]
        if arm:
            shift = (0, -5) if low else (0, 7)
        axes.annotate(
            role,
            at[joint][:2],
            shift,
            textcoords="offset points",
            ha="right" if side == "right" else "left",
            va="top" if low else "baseline",
            rotation=tilt,
            fontsize=9,
            color=colour,
        )
    axes.set_aspect("equal")
    axes.margins(x=0.35)
    axes.axis("off")
    return figure


@cache
def _points() -> TransitionPoints:
    return transition_points(segue.sample("walk"), segue.sample("stop"))


@cache
def _spliced() -> Any:
    """Splice the walk, left as late as possible, and the stop; also return the frames that are blended."""
    point = max(_points(), key=lambda p: p.a_frame - p.b_frame)
    motion = splice(segue.sample("walk"), segue.sample("stop"), point, feet="free")
    return motion, np.flatnonzero(motion.origin.weight.min(axis=1) > 0)


def cost_matrix() -> Picture:
    """Draw the costs of a walk against a stop, with the chosen points."""
    matrix = segue.cost_matrix(segue.sample("walk"), segue.sample("stop"), cost=segue.PointCloudCost())
    return cost_picture(matrix, chosen=_points(), title="walk  →  stop")


def transition_point() -> Picture:
    """Draw the frames around one transition."""
    motion, blended = _spliced()
    middle = int(blended.mean())
    return filmstrip(
        motion, frames=range(middle - 32, middle + 33, 8), title="walk to stop, around the point"
    )


def blend() -> Figure:
    """Draw the weights of both clips over a third of a second."""
    length = 20
    figure = Figure(figsize=(8, 2.8), layout="constrained")
    axes = figure.subplots()
    at = np.arange(-8, length + 8)
    weight = np.concatenate([np.ones(8), ease_out(length), np.zeros(8)])
    axes.plot(at / 60, weight, color=BLUE, marker=".", label="clip left")
    axes.plot(at / 60, 1 - weight, color=RED, marker=".", label="clip arrived in")
    axes.axvspan(0, (length - 1) / 60, color="#fbe9b5")
    axes.set(xlabel="seconds", ylabel="weight", title="Weights over a blend of a third of a second")
    axes.legend()
    return figure


def graph() -> Figure:
    """Draw four clips as lines of frames, and transitions as curves between them."""
    names = ("stand", "start", "walk", "stop")
    made = segue.MotionGraph.build([segue.sample(name) for name in names])
    return _lines(made, names)


def _lines(made: segue.MotionGraph, names: Sequence[str]) -> Figure:
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    axes = figure.subplots()
    colours = [f"C{number}" for number in range(len(names))]
    for row, clip in enumerate(made.clips):
        inside = made.node_frame[(made.node_clip == row) & made.kept] / clip.fps
        axes.hlines(row, 0, clip.seconds, color="#c9ccd1", linewidth=4)
        axes.hlines(row, inside.min(), inside.max(), color=colours[row], linewidth=4)
        axes.plot(inside, np.full(len(inside), row), "|", color="white", markersize=4)
    for number in np.unique(np.concatenate(made.transitions_out)):
        a, b = int(made.joins.a_clip[number]), int(made.joins.b_clip[number])
        x, y = made.a_frames[number] / made.fps, made.b_frames[number] / made.fps
        axes.annotate(
            "",
            (y, b),
            (x, a),
            arrowprops={
                "arrowstyle": "->",
                "color": colours[a],
                "alpha": 0.5,
                "connectionstyle": f"arc3,rad={0.4 if a == b else 0.1}",
            },
        )
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel="seconds of each clip", ylim=(-0.6, len(names) - 0.4))
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def walk() -> Picture:
    """Draw a walk of twenty seconds."""
    names = ("stand", "start", "walk", "walk_left", "walk_turn_right", "stop", "step_touch")
    made = segue.MotionGraph.build([segue.sample(name) for name in names])
    return timeline(segue.render(made.wander(seconds=20, seed=4)), title="20 seconds of a walk")


def seam() -> Figure:
    """Draw the angular speed of one joint through a hard cut and through a blend."""
    a, b = segue.sample("walk"), segue.sample("speed_up")
    points = transition_points(a, b, threshold=0.02)
    point = points[len(points) // 2]
    figure = Figure(figsize=(8, 3), layout="constrained")
    axes = figure.subplots()
    joint = segue.roles(a.skeleton)["right_elbow"]
    for label, length, colour in (("hard cut", 0.0, RED), ("blend of a third of a second", 1 / 3, BLUE)):
        motion = splice(a, b, point, length=length, feet="free")
        q = motion.rotations[:, joint]
        turn = 2 * np.arccos(np.clip(np.abs(np.sum(q[1:] * q[:-1], axis=1)), 0, 1))
        at = (np.arange(len(turn)) + 0.5 - point.a_frame) / motion.fps
        axes.plot(at, np.degrees(turn) * motion.fps, color=colour, label=label)
    axes.set(xlim=(-0.5, 0.5), xlabel="seconds from the seam", ylabel="degrees a second")
    axes.set_title("How fast the right elbow turns")
    axes.legend()
    return figure


def skate() -> Figure:
    """Draw the ground track of a planted toe, blended in step and out of step."""
    a, b = segue.sample("walk"), segue.sample("walk_slow")
    cost = segue.PointCloudCost()
    pa, pb = cost.prepare(a), cost.prepare(b)
    figure = Figure(figsize=(8, 2.6), layout="constrained")
    axes = figure.subplots()
    row = 60
    prices = cost.pairs(pa, pb, np.full(60, row), np.arange(20, 80))
    for label, pick, colour in (("in step", np.argmin, BLUE), ("out of step", np.argmax, RED)):
        column = 20 + int(pick(prices))
        place = cost.alignment(pa, pb, row, column)
        frames = int(pa.frames[row]), int(pb.frames[column])
        point = segue.TransitionPoint("walk", "walk_slow", *frames, 0.0, "aligned", place, 0.0, True)
        motion = splice(a, b, point, feet="free")
        feet = foot_positions(motion.skeleton, world(motion))
        near = slice(point.a_frame - 12, point.a_frame + 13)
        height = feet[near, :, 1].max(axis=0)
        part = int(np.argmin(height))
        axes.plot(
            100 * feet[near, part, 2],
            100 * feet[near, part, 0],
            ".-",
            color=colour,
            label=f"{label}: one mark a frame",
        )
    axes.set(
        xlabel="cm along the path", ylabel="cm sideways", title="The lowest part of both feet, from above"
    )
    axes.set_aspect("equal", adjustable="datalim")
    axes.legend()
    return figure


PICTURES: dict[str, Callable[[], Picture | Figure]] = {
    "roles": roles,
    "cost-matrix": cost_matrix,
    "transition-point": transition_point,
    "blend": blend,
    "graph": graph,
    "walk": walk,
    "seam": seam,
    "skate": skate,
}
"""Drawing functions by the name of their file."""
