"""
A library
=========

One file holds a collection: clips, labels, tags, and the transitions between clips. Adding a clip compares
only the new pairs; an index finds transitions fast enough for use at run time.
"""

import tempfile
from pathlib import Path

import segue

path = Path(tempfile.mkdtemp()) / "moves.segue"
with segue.Library.open(path) as library:
    library.add(["sample:walk", "sample:stop", "sample:start"])
    first = library.match()
    library.add(["sample:stand"])
    second = library.match()
print(f"{first.new_pairs} pairs compared, then {second.new_pairs} more; {second.kept_pairs} were kept")

# %%
# Labels describe stretches of clips, tags complete clips.

with segue.Library.open(path) as library:
    library.label("start", "standing", stop_frame=60)
    library.tag("walk", "loop")
    for entry in library.clips():
        words = ", ".join([label.text for label in entry.labels] + [f"#{tag}" for tag in entry.tags])
        print(f"{entry.name:<6} {entry.seconds:4.1f} s  {words}")

# %%
# For every frame of the walk, the next transition at or after it:

import numpy as np
from matplotlib.figure import Figure

with segue.Library.open(path) as library:
    walk = library.clip("walk")
    nearest = [library.nearest("walk", frame) for frame in range(walk.n_frames)]
print(f"asked {len(nearest)} times")

# Picture: a sawtooth that falls to zero at each frame with a transition, coloured by the clip entered
figure = Figure(figsize=(8, 3.2), layout="constrained")
axes = figure.subplots()
frames = np.arange(walk.n_frames)
for name, colour in (("walk", "C2"), ("stop", "C3"), ("start", "C1"), ("stand", "C0")):
    mine = [k for k, point in enumerate(nearest) if point is not None and point.b_clip == name]
    if mine:
        waits = [(nearest[k].a_frame - k) / walk.fps for k in mine]
        axes.plot(frames[mine] / walk.fps, waits, ".", markersize=3, color=colour, label=f"to {name}")
axes.set(xlabel="seconds of the walk", ylabel="seconds to wait", title="Time to the next transition")
axes.legend()

# %%
# A graph is built from the same file; the motion files are no longer needed.

with segue.Library.open(path) as library:
    graph = library.graph()
motion = segue.render(graph.wander(seconds=10, seed=1))
print(f"{motion.seconds:g} s from {', '.join(motion.origin.clips)}")

# %%
# On the command line: ``segue library add moves.segue clips/``; after that the library can replace a folder
# in any command.
