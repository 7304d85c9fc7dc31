"""Costs between entire sets of clips, in strips.

Owns: concatenating clips, the strips of a matrix, memory, progress and stopping. May import: costs and
everything below. Refers to no cost by name.

- `tiles`: interface of costs computed in strips; clips concatenated in slots, and the slots that may be chosen
- `array_api`: tiles as expressions over arrays of any library, and the device that computes them
- `plan`: strips cut to a memory budget, progress, stopping; the complete matrix
"""
