"""One pose a tick: controllers that step by any time, with live state in the object.

Owns: what changes while a character lives. May import: graph, locomotion, synthesis and below. Never reads a file.

- `protocol`: what every controller can do; recording a run and playing it again
"""
