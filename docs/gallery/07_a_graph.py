"""
A motion graph
==============

Clips and the transitions between them form a graph. Walks use only its largest strongly connected component:
every frame in it can be reached from every other, so no walk meets a dead end.
"""

import numpy as np
from matplotlib.figure import Figure

import segue

names = ("stand", "start", "walk", "walk_left", "walk_turn_right", "stop", "step_touch")
graph = segue.MotionGraph.build([segue.sample(name) for name in names], share=0.9)
for step, count in graph.report.steps.items():
    print(f"{count:>6} {step}")
print(f"{graph.report.share:.0%} of all frames can be reached, threshold {graph.report.threshold.value:.2g}")

# %%
# Each clip is a line of frames, each transition a curve from the frame left to the frame entered. Grey frames
# are outside the component: no transition leads back from them.

# Picture: seven lines, one a clip, with thin curves between them; ends of some lines are grey
figure = Figure(figsize=(9, 5), layout="constrained")
axes = figure.subplots()
colours = [f"C{k}" for k in range(len(names))]
for row, clip in enumerate(graph.clips):
    inside = graph.node_frame[(graph.node_clip == row) & graph.kept]
    axes.hlines(row, 0, clip.seconds, color="#c9ccd1", linewidth=4)
    if inside.size:
        axes.hlines(row, inside.min() / clip.fps, inside.max() / clip.fps, color=colours[row], linewidth=4)
transitions = np.unique(np.concatenate(graph.transitions_out))
for k in transitions:
    a, b = graph.joins.a_clip[k], graph.joins.b_clip[k]
    x = np.array([graph.a_frames[k], graph.b_frames[k]]) / graph.fps
    t = np.linspace(0, 1, 20)
    bow = 0.35 * np.sin(np.pi * t) if a == b else 0.0
    axes.plot(x[0] + (x[1] - x[0]) * t, a + (b - a) * t + bow, color=colours[a], alpha=0.35, linewidth=0.8)
axes.set_yticks(range(len(names)), names)
axes.set(xlabel="seconds of each clip", title=f"{len(transitions)} transitions")
axes.spines[["top", "right"]].set_visible(False)

# %%
# What was left out, and why:

print(len(graph.report.dropped_clips), "clips")
for name, why in graph.report.dropped_clips.items():
    print(f"{name}: {why}")
