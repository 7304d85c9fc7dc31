"""Elementary motions of the embedded clips and a sequence of them: what a newcomer arranges first."""

from __future__ import annotations

from segue.app.elements import Elements, motion_of
from segue.app.sequencing import ScriptedSequence
from segue.app.stages import Collection
from segue.library.element_files import ScriptedMotion, SequenceDocument
from segue.motion.samples import sample
from segue.sequencing.proposing import ElementRange

DEMO_ELEMENTS = (
    ElementRange("stand", "stand", 30, 150, 70, 100, ("stand",)),
    ElementRange("set off", "start", 103, 301, 240, 270, ("walk",)),
    ElementRange("stride", "walk", 150, 300, 205, 235, ("walk",)),
    ElementRange("turn left", "walk_turn_left", 40, 229, 110, 140, ("walk", "turn")),
    ElementRange("turn right", "walk_turn_right", 40, 229, 110, 140, ("walk", "turn")),
    ElementRange("hurry", "walk_fast", 168, 320, 215, 240, ("walk",)),
    ElementRange("run", "run", 90, 260, 150, 185, ("run",)),
    ElementRange("slow down", "slow_down", 150, 330, 225, 250, ("walk",)),
    ElementRange("halt", "stop", 0, 240, 99, 141, ("walk", "stand")),
    ElementRange("side step", "step_touch", 52, 290, 91, 130, ("dance",)),
)
"""Stretches of embedded clips, frames at their own rate."""
_PLACED = (
    ("stand", 0.7),
    ("set off", 3.4),
    ("stride", 5.0),
    ("turn left", 6.9),
    ("hurry", 8.6),
    ("run", 10.2),
    ("slow down", 12.2),
    ("turn right", 14.0),
    ("halt", 15.9),
    ("side step", 18.2),
)
DEMO_NAME = "first steps"
"""What the sequence is called."""
DEMO_SEQUENCE = SequenceDocument([ScriptedMotion(name, at) for name, at in _PLACED])


def demo_sequence() -> ScriptedSequence:
    """The sequence with its elementary motions.

    Examples
    --------
    >>> script = demo_sequence()
    >>> len(script.document.motions), sorted(script.elements.motions)[:2]
    (10, ['halt', 'hurry'])
    """
    clips = {one.clip: sample(one.clip) for one in DEMO_ELEMENTS}
    motions = {one.name: motion_of(one, clips[one.clip]) for one in DEMO_ELEMENTS}
    ranges = {one.name: one for one in DEMO_ELEMENTS}
    return ScriptedSequence(
        DEMO_NAME, DEMO_SEQUENCE, Elements(motions, ranges, Collection(tuple(clips.values())))
    )
