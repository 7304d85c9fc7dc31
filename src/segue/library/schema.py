"""Tables of a library, and migrations of all earlier layouts to the newest."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable

from segue.io.library_mark import APPLICATION_ID

VERSION = 4
"""Number of the layout (``user_version``); every change increments it and adds a migration."""

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE skeleton (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, document TEXT NOT NULL);
CREATE TABLE role (
  skeleton_id INTEGER NOT NULL REFERENCES skeleton ON DELETE CASCADE, role TEXT NOT NULL, joint INTEGER NOT NULL,
  how TEXT NOT NULL, confidence REAL NOT NULL, PRIMARY KEY (skeleton_id, role)
) WITHOUT ROWID;
CREATE TABLE clip (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  current INTEGER NOT NULL,
  skeleton_id INTEGER NOT NULL REFERENCES skeleton,
  n_frames INTEGER NOT NULL,
  fps REAL NOT NULL,
  unusable INTEGER NOT NULL,
  path TEXT NOT NULL,
  beside TEXT NOT NULL,
  file_sha256 TEXT NOT NULL,
  skeleton_file_sha256 TEXT NOT NULL,
  content_sha256 TEXT NOT NULL,
  told TEXT NOT NULL,
  added_at TEXT NOT NULL,
  seal TEXT NOT NULL
);
CREATE UNIQUE INDEX clip_name ON clip (name, version);
CREATE UNIQUE INDEX clip_current ON clip (name) WHERE current;
CREATE INDEX clip_path ON clip (path);
CREATE INDEX clip_file ON clip (file_sha256);
CREATE TABLE frames (
  clip_id INTEGER PRIMARY KEY REFERENCES clip ON DELETE CASCADE,
  source TEXT NOT NULL, origin BLOB, root_positions BLOB NOT NULL, rotations BLOB NOT NULL
);
CREATE TABLE contact (
  clip_id INTEGER NOT NULL REFERENCES clip ON DELETE CASCADE, foot TEXT NOT NULL,
  start_frame INTEGER NOT NULL, stop_frame INTEGER NOT NULL, PRIMARY KEY (clip_id, foot, start_frame)
) WITHOUT ROWID;
CREATE TABLE fault (
  id INTEGER PRIMARY KEY, clip_id INTEGER NOT NULL REFERENCES clip ON DELETE CASCADE, kind TEXT NOT NULL,
  start_frame INTEGER NOT NULL, stop_frame INTEGER NOT NULL, joints TEXT NOT NULL, sentence TEXT NOT NULL,
  severity TEXT NOT NULL
);
CREATE INDEX fault_clip ON fault (clip_id);
CREATE TABLE label (
  id INTEGER PRIMARY KEY, clip_id INTEGER NOT NULL REFERENCES clip ON DELETE CASCADE, text TEXT NOT NULL,
  start_frame INTEGER NOT NULL, stop_frame INTEGER NOT NULL, by TEXT NOT NULL, seal TEXT NOT NULL,
  UNIQUE (clip_id, text, start_frame, stop_frame)
);
CREATE TABLE tag (
  clip_id INTEGER NOT NULL REFERENCES clip ON DELETE CASCADE, text TEXT NOT NULL, seal TEXT NOT NULL,
  PRIMARY KEY (clip_id, text)
) WITHOUT ROWID;
CREATE TABLE setting (
  id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, document TEXT NOT NULL, threshold REAL,
  threshold_found TEXT NOT NULL DEFAULT ''
);
CREATE TABLE compared (
  setting_id INTEGER NOT NULL REFERENCES setting ON DELETE CASCADE,
  clip_id INTEGER NOT NULL REFERENCES clip ON DELETE CASCADE,
  frames BLOB NOT NULL, next_frame BLOB NOT NULL, PRIMARY KEY (setting_id, clip_id)
) WITHOUT ROWID;
CREATE INDEX compared_clip ON compared (clip_id);
CREATE TABLE pair (
  id INTEGER PRIMARY KEY,
  setting_id INTEGER NOT NULL REFERENCES setting ON DELETE CASCADE,
  a_clip INTEGER NOT NULL REFERENCES clip ON DELETE CASCADE,
  b_clip INTEGER NOT NULL REFERENCES clip ON DELETE CASCADE,
  minima INTEGER NOT NULL,
  copies INTEGER NOT NULL,
  cells BLOB NOT NULL,
  costs BLOB NOT NULL,
  diagonal BLOB NOT NULL,
  once BLOB NOT NULL,
  UNIQUE (setting_id, a_clip, b_clip)
);
CREATE INDEX pair_a ON pair (a_clip);
CREATE INDEX pair_b ON pair (b_clip);
CREATE TABLE point (
  id INTEGER PRIMARY KEY,
  pair_id INTEGER NOT NULL REFERENCES pair ON DELETE CASCADE,
  row INTEGER NOT NULL,
  setting_id INTEGER NOT NULL,
  a_clip INTEGER NOT NULL,
  b_clip INTEGER NOT NULL,
  a_frame INTEGER NOT NULL,
  b_frame INTEGER NOT NULL,
  cost REAL,
  diagonal REAL,
  kind TEXT NOT NULL,
  turn REAL NOT NULL,
  x REAL NOT NULL,
  z REAL NOT NULL,
  blend_seconds REAL NOT NULL,
  badness REAL,
  verified INTEGER NOT NULL,
  by TEXT NOT NULL,
  UNIQUE (pair_id, row)
);
CREATE INDEX point_next ON point (setting_id, a_clip, a_frame, b_frame, cost) WHERE verified;
CREATE INDEX point_frame ON point (setting_id, a_clip, a_frame, b_frame, cost);
CREATE TABLE verdict (
  a_clip INTEGER NOT NULL REFERENCES clip ON DELETE CASCADE,
  b_clip INTEGER NOT NULL REFERENCES clip ON DELETE CASCADE,
  a_frame INTEGER NOT NULL, b_frame INTEGER NOT NULL, good INTEGER NOT NULL, by TEXT NOT NULL,
  PRIMARY KEY (a_clip, b_clip, a_frame, b_frame)
) WITHOUT ROWID;
CREATE INDEX verdict_b ON verdict (b_clip);
CREATE TABLE graph (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, setting_id INTEGER NOT NULL REFERENCES setting,
  document TEXT NOT NULL
);
"""

_WALKER = (
    "CREATE TABLE walker (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, document TEXT NOT NULL, "
    "arrays BLOB NOT NULL, seal TEXT NOT NULL)"
)
_ELEMENT = (
    "CREATE TABLE element (id INTEGER PRIMARY KEY, clip_id INTEGER NOT NULL REFERENCES clip ON DELETE CASCADE, "
    "name TEXT NOT NULL, start_frame INTEGER NOT NULL, stop_frame INTEGER NOT NULL, core_start_frame INTEGER NOT NULL, "
    "core_stop_frame INTEGER NOT NULL, tags TEXT NOT NULL, seal TEXT NOT NULL, UNIQUE (clip_id, name))"
)
_ELEMENT_NAME = "CREATE INDEX element_name ON element (name)"
_SEQUENCE = (
    "CREATE TABLE sequence (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, document TEXT NOT NULL, "
    "seal TEXT NOT NULL)"
)
TABLES += "".join(f"{sql};\n" for sql in (_WALKER, _ELEMENT, _ELEMENT_NAME, _SEQUENCE))

_STUDIES = """
CREATE TABLE study (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, document TEXT NOT NULL, seal TEXT NOT NULL
);
CREATE TABLE participant (
  id INTEGER PRIMARY KEY, study_id INTEGER NOT NULL REFERENCES study ON DELETE CASCADE, code TEXT NOT NULL,
  seed INTEGER NOT NULL, about TEXT NOT NULL, seal TEXT NOT NULL, UNIQUE (study_id, code)
);
CREATE TABLE answer (
  participant_id INTEGER NOT NULL REFERENCES participant ON DELETE CASCADE, number INTEGER NOT NULL,
  purpose TEXT NOT NULL, motion TEXT NOT NULL, track TEXT NOT NULL, level REAL NOT NULL, question TEXT NOT NULL,
  shown TEXT NOT NULL, right TEXT NOT NULL, given TEXT NOT NULL, seconds REAL NOT NULL, seed INTEGER NOT NULL,
  seal TEXT NOT NULL, PRIMARY KEY (participant_id, number)
) WITHOUT ROWID;
CREATE TABLE weights (
  name TEXT PRIMARY KEY, cost TEXT NOT NULL, document TEXT NOT NULL, seal TEXT NOT NULL
) WITHOUT ROWID;
"""
TABLES += _STUDIES.lstrip()

TRIGGERS = (
    """CREATE TRIGGER clip_superseded AFTER UPDATE OF current ON clip WHEN NOT new.current BEGIN
      DELETE FROM pair WHERE a_clip = new.id OR b_clip = new.id;
      DELETE FROM compared WHERE clip_id = new.id;
    END""",
)
"""Delete the results of a clip when another version replaces it, whichever code writes that."""


def _walkers(db: sqlite3.Connection) -> None:
    """Migrate from 1 to 2: adds walkers."""
    db.execute(_WALKER)


def _elements(db: sqlite3.Connection) -> None:
    """Migrate from 2 to 3: adds elementary motions and sequences."""
    for sql in (_ELEMENT, _ELEMENT_NAME, _SEQUENCE):
        db.execute(sql)


def _studies(db: sqlite3.Connection) -> None:
    """Migrate from 3 to 4: adds studies with their answers, and learnt weights."""
    for statement in _STUDIES.split(";"):
        if statement.strip():
            db.execute(statement)


MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {1: _walkers, 2: _elements, 3: _studies}
"""Migrations from each version to the next, run in the transaction that raises ``user_version``."""


def tables() -> tuple[str, ...]:
    """Return the names of all tables, in the order in which they are created.

    Examples
    --------
    >>> tables()[0], "clip" in tables()
    ('meta', True)
    """
    return tuple(re.findall(r"^CREATE TABLE (\w+)", TABLES, re.MULTILINE))


_STATEMENT = re.compile(r"CREATE (?:UNIQUE )?(TABLE|INDEX|TRIGGER) (\w+)")
_PLAIN_INDEX = re.compile(r"CREATE (UNIQUE )?INDEX \w+ ON \w+ \([\w, ]+\)( WHERE \w+)?")
_OWN = ("sqlite_sequence", "sqlite_stat1", "sqlite_stat4")
"""Tables that SQLite creates automatically."""


def stranger(db: sqlite3.Connection, *, newest: bool = True) -> str:
    """Return the name of an object in a database that no library has, or of a missing table; empty if there is none.

    Views and triggers run their author's SQL when rows are read or written. With ``newest``, the definitions of tables
    are compared too, and none may be missing; without, as before a migration, tables of any name are allowed.
    """
    known: dict[tuple[str, str], str] = {}
    for sql in (*TABLES.split(";"), *TRIGGERS):
        if found := _STATEMENT.match(sql.strip()):
            known[found[1].lower(), found[2]] = " ".join(sql.split())
    there = set()
    for kind, name, sql in db.execute("SELECT type, name, sql FROM sqlite_master"):
        text = " ".join(str(sql or "").split())
        own = str(name).startswith("sqlite_") and (not text or (kind == "table" and name in _OWN))
        plain = kind == "index" and (kind, name) in known and bool(_PLAIN_INDEX.fullmatch(text))
        same = known.get((kind, name)) == text or (not newest and kind == "table")
        if not own and not plain and not same:
            return f"{kind} {str(name)[:60]!r}"
        there.add((kind, name))
    missing = [name for kind, name in known if kind == "table" and newest and (kind, name) not in there]
    return f"no table {missing[0]!r}" if missing else ""


def create(db: sqlite3.Connection) -> None:
    """Create all tables; the caller holds a transaction, so that a library is created completely or not at all."""
    for statement in TABLES.split(";"):
        if statement.strip():
            db.execute(statement)
    for trigger in TRIGGERS:
        db.execute(trigger)
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {VERSION}")


def migrate(db: sqlite3.Connection, version: int) -> None:
    """Migrate an older library to this version, one version at a time; the caller holds a transaction."""
    for step in range(version, VERSION):
        MIGRATIONS[step](db)
    db.execute(f"PRAGMA user_version = {VERSION}")
