"""The studio: the toolkit in the browser.

Owns: one server on loopback, its messages, and access control. May import `segue.app` and everything below it. Motion
is computed in other packages, never here. The page is built from `client/studio`.

- `messages`, `motion_messages`, `pair_messages`, `run_messages`, `sequence_messages`, `study_messages`,
  `socket_messages`: every message between page and server, declared once
- `typescript`: the same declarations for the page
- `packing`: motions and matrices as a header followed by float32
- `project`: the opened library, folder or embedded clips, and made motions
- `state`: the data of one run; `recent`: its cache of recently used objects
- `calls`: the table of calls; `calls_of_project`, `calls_of_clips`, `calls_of_transitions`, `calls_of_graphs`,
  `calls_of_motions`, `calls_of_sequences`, `calls_of_studies`: their functions
- `corrections`, `correcting`: roles and contacts set by the user
- `runs`: recorded live runs; `study_runs`: studies in separate processes
- `element_store`: elementary motions and sequences of the project, in its library or in memory
- `dropping`: files dropped on the page
- `guard`: token, Host, Origin, sizes; `sentences`: messages for refused requests and failed calls
- `limits`: message rate of a socket, timeout of an idle connection
- `live`: sockets and the clock; `characters`, `sequence_characters`: the characters steered over them
- `process`: limits, start and stop of a server; `server`: the studio's routes
"""
