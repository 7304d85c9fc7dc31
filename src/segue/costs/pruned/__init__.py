"""Exclusion of pairs of clips by lower bounds of uniform point-cloud costs, without comparing their windows.

Owns: lower bounds from few coordinates, and the pairs they exclude. May import: costs and everything below.

- `windows`: windows as complete vectors, and as short ones for lower bounds
- `near`: bounds between tiles, then cells; the remaining pairs of clips
"""
