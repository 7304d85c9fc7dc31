"""The page on which people take part in a study.

Owns: one server, and the messages between it and participants. Trials, their order and the storage of answers are in
`segue.app.studies`, which robots use too. May import `segue.studio`, for its guard, and every package below. The page
is built from `client/study`.

- `messages`: every message between page and server, declared once, also as TypeScript
- `server`: routes, sessions, start and stop of the process, and packing of motions so that only their frames differ
"""
