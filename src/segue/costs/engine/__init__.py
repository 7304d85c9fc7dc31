"""Costs between whole sets of clips, in strips.

Owns: laying clips end to end, the strips a matrix is made in, memory, progress and stopping. May
import: costs and everything below. Knows no cost by name.

- `tiles`: what a cost offers to be computed in strips; clips laid end to end in slots, and which slots may be chosen
- `array_api`: tiles as expressions over arrays of any library, and where they are computed
- `plan`: strips cut to a memory budget, progress, stopping; the whole matrix
"""
