"""The studio: the toolkit in the browser.

Owns: one server on loopback, what it sends and takes, and who may ask. May import `segue.app` and everything below it.
Motion is made below; nothing here computes one. The page that it serves is built from `client/studio`.

- `messages`, `motion_messages`, `pair_messages`, `run_messages`, `sequence_messages`, `study_messages`,
  `socket_messages`: every message between page and server, once
- `typescript`: the same declarations for the page
- `packing`: motions and matrices as one header and float32
- `project`: the opened library, folder or embedded clips, and motions that were made
- `state`: what one run holds; `recent`: what of it is forgotten
- `calls`: what the page may ask for; `calls_of_project`, `calls_of_clips`, `calls_of_transitions`, `calls_of_graphs`,
  `calls_of_motions`, `calls_of_sequences`, `calls_of_studies`: the functions that do it
- `study_runs`: studies in processes of their own
- `element_store`: elementary motions and sequences of the project, in its library or in memory
- `dropping`: files that are dropped on the page
- `guard`: token, Host, Origin, sizes; `sentences`: what is shown to whom it does not let in, and where a call fails
- `limits`: how much a socket may send, and for how long a connection may say nothing
- `live`: sockets and the clock; `characters`: who is steered over them
- `process`: limits of a server, its start and end; `server`: the studio's routes
"""
