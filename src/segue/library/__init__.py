"""The library: one file that holds a motion collection.

Owns: the SQLite file, its schema and its migrations, adding, labels, checking, what a word on the command line names.
May import: graph, locomotion, io and what these may.

- `library`: `Library`, the door: opened, asked and closed; `inputs`: a clip in a library by its name
- `schema`: tables and migrations; `connection`: one open file and its transactions; `opening`: a file becomes one;
  `sentences`: what SQLite says, in segue's words
- `documents`: skeletons and source formats as JSON, digests and seals
- `clips`: entries, clips read and written; `labels`: labels on frame ranges, and tags; `facts`: faults and contacts
- `adding`: files to clips; `places`: what is new, same, changed or renamed; `versions`: frames of a changed clip
- `checking`: what is whole; `salvaging`: that, into a new library; `statistics`: counts, and room given back
- `transitions`: what `Library` offers about them; `comparisons`: settings; `matching`: only what is new is compared;
  `pair_rows`, `point_rows`: compared pairs as rows; `keeping`: for motions from a library; `points`: looked at and
  told; `verdicts`: a person's word; `nearest`: one look into an index; `cluster`: workers of a Dask scheduler
- `exchange`: files and libraries out and in; `choosing`: which clips are meant; `label_files`, `label_exchange`: labels
  as tables; `mogra`, `transition_files`: told transitions as text
"""
