"""Tiles of point-cloud costs, in two forms besides the definition: one compiled loop, and expressions over arrays.

- `fixed`: weights that never change, two-level centred
- `changing`: weights that change with the ground contacts of both frames, from the closed form
- `array_form`: both as expressions for any array library, including settings without a kernel; frames of
  clips whose weights change
- `basis`: number of independent values of a pose
"""
