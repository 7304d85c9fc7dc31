"""The page on which people take part in a study.

Owns: one server, and what it sends to a participant and takes from one. Trials, their order and the storage of answers
are `segue.app.studies`, where robots go through the same. May import `segue.studio`, for its guard, and everything
below. The page that it serves is built from `client/study`.

- `messages`: every message between page and server, once, also as TypeScript
- `stimuli`: the motions of a study, packed for the page and told apart by nothing but their frames
- `server`: routes, sessions, and the process from start to end
"""
