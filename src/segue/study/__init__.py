"""The page on which people take part in a study.

Owns: one server, and what it sends to a participant and takes from one. Trials, their order and the storage of answers
are `segue.app.studies`, where robots go through the same. May import `segue.studio`, for its guard, and everything
below. The page that it serves is built from `client/study`.

- `messages`: every message between page and server, once, also as TypeScript
- `server`: routes, sessions, the process from start to end, and motions packed for the page so that nothing but their
  frames differs
"""
