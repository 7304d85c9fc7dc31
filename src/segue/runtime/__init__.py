"""Controllers: one pose per step of any duration, with the live state in the object.

Owns: what changes while a character is live. May import: graph, locomotion, sequencing, synthesis and below. Never
reads a file.

- `protocol`: the interface of every controller; recording and replaying a run
- `graph_player`: a live walk on a motion graph, on request to a clip or a label; `toward`: distances to a request
- `clip_player`: a loop repeated, or a clip played once
- `sequence_player`: elementary motions on request, with a loop between; `sequence_plan`: its current plan
- `crowd`: many characters on one graph stepped together; `chance`: counter-based random numbers; `floor`: start places
"""
