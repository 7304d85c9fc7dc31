"""Tiles of point-cloud costs, in the two forms beside the definition: one compiled loop, and expressions over arrays.

- `fixed`: weights that never change, two-level centred
- `changing`: weights that change with the ground contacts of both frames, from the closed form
- `array_form`: both as expressions for any array library, also with what the compiled loop does not know; frames of
  clips whose weights change
- `basis`: how many numbers a pose really takes
"""
