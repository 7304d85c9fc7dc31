"""The library: one file that holds a motion collection.

Owns: the SQLite file, its schema and its migrations, adding, labels, checking, what a word on the command line names.
May import: graph, locomotion, sequencing, io and what these may.

- `library`: `Library`, the interface to all that follows; `transitions`: its methods about pairs, points and graphs
- `inputs`: what a word on the command line names; the pairs that a library keeps for the clips read from it
- `schema`: tables and migrations; `opening`: a file is checked and opened, errors in words; `connection`: transactions
- `documents`: skeletons and source formats as JSON, digests and seals
- `clips`: entries, facts and rows of clips; `labels`: labels on frame ranges, tags, tables of labels
- `adding`: files to clips; `versions`: what is new, same, changed or renamed, and where labels go in a changed clip
- `checking`: what is whole, and how much is there; `salvaging`: that, into a new library
- `matching`: only what is new is compared; `cluster`: workers of a Dask scheduler; `rows`, `pair_rows`: settings,
  points and pairs as rows; `points`: looked at, added and judged; `nearest`: one look into an index
- `exchange`: files, labels and libraries out and in; `transition_files`: transitions as text
- `walkers`: characters to be steered
- `elements`: elementary motions of clips, and sequences, as rows; `choreography`: methods of `Library` about them;
  `element_files`: both as TOML
"""
