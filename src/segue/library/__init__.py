"""The library: one file that holds a motion collection.

Owns: the SQLite file, its schema and migrations, adding, labels, checking, resolving inputs of the command line.
May import: graph, locomotion, sequencing, io and what these may.

- `library`: `Library`, the interface to the modules below; `transitions`: its methods for pairs, points and graphs
- `inputs`: clips named on the command line; stored pairs of the clips read from a library
- `schema`: tables and migrations; `opening`: checking and opening a file, error messages; `connection`: transactions
- `documents`: skeletons and source formats as JSON, digests and seals
- `clips`: entries, facts and rows of clips; `labels`: labels on frame ranges, tags, tables of labels
- `adding`: files to clips; `versions`: new, same, changed and renamed clips; mapping of labels to a changed clip
- `checking`: integrity and counts; `salvaging`: copies the intact rows of a damaged library into a new one
- `matching`: compares only new pairs; `cluster`: workers of a Dask scheduler; `rows`, `pair_rows`: settings,
  points and pairs as rows; `points`: reads, adds and judges points; `nearest`: lookup of the nearest transition
- `exchange`: export and import of files, labels and libraries; `transition_files`: transitions as text
- `walkers`: characters to be steered
- `elements`: elementary motions of clips, and sequences, as rows; `choreography`: methods of `Library` for them;
  `element_files`: both as TOML
"""
