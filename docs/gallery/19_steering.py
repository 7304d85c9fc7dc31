"""
Steering
========

Control speed and turning rate: unlabelled clips become a walker, and a stream of commands becomes a motion.
"""

import matplotlib.pyplot as plt
import numpy as np

import segue
from segue.app.steering import steer_script
from segue.locomotion.build import build_locomotion
from segue.maths.scattered import pose_weights, timewarp_weights
from segue.pictures.filmstrip import filmstrip
from segue.runtime.steered.player import Command

names = ("walk", "walk_slow", "walk_fast", "walk_left", "walk_turn_left", "start", "stop")
walker = build_locomotion([segue.sample(name) for name in names])
for node in walker.nodes:
    print(f"{node.kind}: {node.set.n_examples} examples")
for edge in walker.transitions:
    print(
        f"{walker.nodes[edge.source].kind} to {walker.nodes[edge.target].kind}: {edge.set.n_examples} captured"
    )

# %%
# Every example of walking is a point in the plane of its parameters. For a command each example has a weight:
# pose weights reproduce the command exactly and may be negative, timewarp weights never are.

walk = walker.nodes[walker.index("walk")].set
command = (1.2, np.radians(12.0))
pose, warp = pose_weights(walk.weights, command), timewarp_weights(walk.weights, command)
print("pose weights", pose.round(2).tolist())
print("reproduced:", np.round(pose @ walk.parameters, 6).tolist())
# Picture: two planes of speed and turning rate; the nearer an example lies to the command, the larger its dot
plane, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
for axis, weights, title in zip(axes, (pose, warp), ("pose weights", "timewarp weights"), strict=True):
    turns = np.degrees(walk.parameters[:, 1])
    axis.scatter(walk.parameters[:, 0], turns, s=40 + 900 * np.abs(weights), c=np.sign(weights), cmap="coolwarm",
                 vmin=-1.5, vmax=1.5, edgecolors="#333333")  # fmt: skip
    axis.plot(command[0], np.degrees(command[1]), "k+", markersize=14)
    axis.set(xlabel="speed, m/s", title=title)
_ = axes[0].set(ylabel="turning rate, degrees/s")

# %%
# Generic time against seconds, for each example: where a curve is steep, that example moves quickly between
# two keytimes.

# Picture: nine rising polylines, one per example, from left strike to left strike within a second or so
curves, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for example in range(walk.n_examples):
    seconds = np.concatenate([[0.0], np.cumsum(1.0 / walk.rates[:, example])])
    axis.plot(
        seconds, np.arange(walk.n_intervals + 1), marker="o", color=plt.cm.viridis(example / walk.n_examples)
    )
axis.set_yticks(range(walk.n_intervals + 1), walker.nodes[walker.index("walk")].events)
_ = axis.set(xlabel="seconds", title="timewarp curves")

# %%
# A script: stand, walk, turn, stand. Transitions between types begin where both share keytimes.

script = [
    (0.0, Command("stand")),
    (1.0, Command("walk", 1.2)),
    (4.0, Command("walk", 1.1, 0.2)),
    (7.0, Command("stand")),
]
made = steer_script(walker, script, fps=30)
# Picture: speed and turning rate over eight seconds, following each command; shaded where a transition is played
schedule, axis = plt.subplots(figsize=(10, 2.6), layout="constrained")
seconds = [now.seconds for now in made.standing]
axis.plot(seconds, [now.speed for now in made.standing], label="speed, m/s")
axis.plot(seconds, [now.turn for now in made.standing], label="turning rate, rad/s")
for now, then in zip(made.standing, made.standing[1:], strict=False):
    if now.transition is not None:
        axis.axvspan(now.seconds, then.seconds, color="#eeeeee", linewidth=0)
for start, command in script:
    axis.axvline(start, color="#999999", linestyle=":")
    axis.text(start, 1.35, f" {command.kind}", color="#555555")
axis.set(xlabel="seconds; shaded: transition from type to type", ylim=(-0.2, 1.5))
_ = axis.legend(loc="center right")

# %%
# The same motion as figures, with the path from above.

# Film of clip: a body stands, walks, turns to the left and stands again
clip = made.clip.with_motion(name="steered")
# Picture: eighteen figures that stand, set off, walk, turn to the left and come to stand again
strip = filmstrip(made.clip, count=18, title="a command a line")
