"""The library: one file that holds a motion collection.

Owns: the SQLite file, its schema and its migrations, adding, labels, checking. May import: what `app` may.

- `library`: `Library`, the door: opened, asked and closed
- `schema`: tables and migrations; `connection`: one open file, its transactions and its errors
- `documents`: skeletons and source formats as JSON, digests and seals
- `clips`: entries, clips read and written; `labels`: labels on frame ranges, and tags
- `adding`: files to clips: what is new, same or changed
- `transitions`: what `Library` offers about them; `comparisons`: settings; `matching`: only what is new is compared;
  `pair_rows`, `point_rows`: compared pairs as rows; `keeping`: for motions from a library; `points`: looked at and
  told; `verdicts`: a person's word; `nearest`: one look into an index
- `exchange`: files and libraries out and in; `choosing`: which clips are meant; `label_files`, `label_exchange`: labels
  as tables; `mogra`, `transition_files`: told transitions as text
"""
