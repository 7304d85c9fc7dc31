"""Use cases: everything that takes a path.

Owns: reading folders, the stages from clips to a written motion, records, replaying and measuring. May
import: every package except the interfaces (CLI, studio, study). Prints nothing.

- `in_place`: root motion for clips of a folder that walk on the spot; mirror images of clips
- `stages`: read -> costs -> transitions -> graph -> motion, top to bottom
- `record`: the `.origin.json` file of a motion
- `replay`: making a motion again from its record
- `directing`: goals of a directed walk, from words and files
- `measuring`: a motion file, its record and its sources; `measure_numbers`: the reported numbers and their page
- `elements`: elementary motions from files and libraries; `sequencing`: sequences from a script or live requests
- `sequence_requests`, `sequence_facts`, `sequence_record`, `sequence_report`: tables of requests, the decisions,
  the record and the report page of a sequence; `arranging`: frames of a sequence that a person edits
- `judging`: motion files whose seams a classifier tries to find
"""
