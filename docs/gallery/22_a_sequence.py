"""
Motions placed in time
======================

Elementary motions on a timeline: each keeps its core, and between two cores the upper and lower body are
blended separately.
"""

import segue
from segue.pictures.sequence_timeline import NotExecuted, PlacedSequence, sequence_timeline
from segue.sequencing.elements import ElementaryMotion
from segue.sequencing.replanning import replan
from segue.sequencing.script import Placement, SequenceScript
from segue.sequencing.sequence import make_sequence

# %%
# A motion has a core, which is kept as captured, a preparation before it and a recuperation after it. The
# samples have 60 frames a second.

elements = {
    "walk": ElementaryMotion("walk", segue.sample("walk"), (60, 120)),
    "turn": ElementaryMotion("turn", segue.sample("walk_turn_left"), (90, 150)),
    "stop": ElementaryMotion("stop", segue.sample("stop"), (110, 150)),
    "step_touch": ElementaryMotion("step_touch", segue.sample("step_touch"), (60, 130)),
}

# %%
# A script sets what is executed when: at a time, at which the core begins, or as soon as possible. The second
# *turn* does not fit: its core would begin within that of *stop*.

script = SequenceScript(
    (
        Placement("walk", at=1.0),
        Placement("turn"),
        Placement("stop", at=5.0),
        Placement("turn", at=5.3),
        Placement("step_touch", at=7.0),
    ),
    smoothness=0.7,
)
made = make_sequence(elements, script)
for pair in made.pairs:
    print(f"{pair.previous} to {pair.following}: {pair.method}, slips {1e3 * pair.slip_after:.1f} mm")
for no in made.rejected:
    print(f"{no.motion} at {no.at:.2f} s: {no.reason}; nearest {no.nearest_at:.2f} s")

# %%
# Cores in boxes; below them the movement of each foot, the segments of each half of the body with the weight
# of the following motion, and the speed of both halves.

# Picture: lanes over seconds with four boxes, bars for both feet, rising weight curves and two speed curves
zero = made.first_frame / made.fps
picture = sequence_timeline(
    made.clip,
    [PlacedSequence(made)],
    rejected=[NotExecuted(no.motion, no.at - zero, no.reason) for no in made.rejected],
)

# %%
# Another motion can be inserted during playback: frames already shown do not change.

more = replan(made, Placement("turn", at=9.5), now=6.0)
shown = round(6.0 * made.fps) - made.first_frame + 1
same = (made.clip.rotations[:shown] == more.clip.rotations[:shown]).all()
print(", ".join(core.motion for core in more.cores), "- frames shown as before:", bool(same))

# %%
# On the command line: ``segue sequence make script.toml -o out.bvh --report out.html``.
