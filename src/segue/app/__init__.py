"""Use cases: everything that takes a path.

Owns: reading folders, the stages from clips to a written motion, the record beside it, replaying and measuring. May
import: every room below the doors. Prints nothing.

- `in_place`: clips of a folder that walk on the spot are made to travel; mirror images of clips
- `stages`: read -> costs -> transitions -> graph -> motion, top to bottom
- `record`: the `.origin.json` beside a motion
- `replay`: a motion again from its record
- `directing`: what a directed walk is asked for, from words and files
- `measuring`: a motion file, its record and its sources; `measure_numbers`: what is reported of it, and its page
- `elements`: elementary motions from files and libraries; `sequencing`: made from a script or played by requests
- `sequence_requests`, `sequence_facts`, `sequence_record`, `sequence_report`: tables of requests, what was decided,
  the record of it, the page about it; `arranging`: frames of a sequence that a person edits
- `judging`: motion files whose seams a classifier looks for
"""
