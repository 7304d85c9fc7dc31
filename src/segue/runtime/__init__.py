"""Controllers: one pose per step of any duration, with the live state in the object.

Owns: what changes while a character lives. May import: graph, locomotion, sequencing, synthesis and below. Never reads
a file.

- `protocol`: what every controller can do; recording a run and playing it again
- `graph_player`: a motion graph walked live, on request to a clip or a label; `toward`: how soon a path comes there
- `clip_player`: a loop round and round, or a clip once
- `sequence_player`: elementary motions as they are asked for, a loop between; `sequence_plan`: what it has planned
- `crowd`: many characters on one graph stepped together; `chance`: random numbers by counting; `floor`: places for many
"""
