"""Run the commands of pages, each page in its own empty folder, with a process for each command.

One process imports everything that commands need and forks for each, and folders that begin with the same commands
are copied instead of made again: the output and files are the same, in a third of the time.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from segue_docs.printed import Step

COLUMNS = 100
"""Width of the terminal that pages show."""
TERMINAL = {"COLUMNS": str(COLUMNS), "TERM": "dumb", "NO_COLOR": "1"}
_LOADED = (
    "segue.cli",
    "numba.np.arrayobj",
    "scipy.sparse.csgraph",
    "scipy.spatial",
    "scipy.optimize",
    "matplotlib.pyplot",
)


_Typed = tuple[tuple[str, str | None], ...]
"""Commands typed and files written, in order; the output that a page shows is not included."""


@dataclass(frozen=True)
class Done:
    """Result of a step: exit code, output, standard error, and duration."""

    code: int
    stdout: str
    stderr: str
    seconds: float


class Typist:
    """Run the steps of pages below one folder; `close` ends the process that it keeps.

    With ``anew`` every command runs in a fresh process, as a user starts it.
    """

    def __init__(self, folder: Path, pages: Iterable[Sequence[Step]], *, anew: bool = False) -> None:
        self.folder = folder
        self._anew = anew
        self._shared = Counter(_typed(page[:count]) for page in pages for count in range(1, len(page)))
        self._kept: dict[_Typed, tuple[Path, tuple[Done, ...]]] = {}
        self._made = 0
        self._server: subprocess.Popen[str] | None = None

    def page(self, steps: Sequence[Step]) -> list[Done]:
        """Run the steps of one page, from an empty folder."""
        at, typed = self._folder(), _typed(steps)
        begin = next((count for count in range(len(typed), 0, -1) if typed[:count] in self._kept), 0)
        done: list[Done] = []
        if begin:
            kept, known = self._kept[typed[:begin]]
            shutil.copytree(kept, at, dirs_exist_ok=True)
            done += known
        for count in range(begin, len(steps)):
            done.append(self._run(steps[count], at))
            here = typed[: count + 1]
            if self._shared[here] > 1:
                kept = self._folder()
                shutil.copytree(at, kept, dirs_exist_ok=True)
                self._kept[here] = kept, tuple(done)
        shutil.rmtree(at)
        return done

    def close(self) -> None:
        """End the process that forks."""
        if self._server is not None:
            with self._server:  # closes its pipes and waits for it
                pass
            self._server = None

    def _folder(self) -> Path:
        self._made += 1
        made = self.folder / f"typed-{self._made}"
        made.mkdir(parents=True)
        return made

    def _run(self, step: Step, at: Path) -> Done:
        begin = time.monotonic()
        if step.text is not None:
            (at / step.words).write_text(step.text, "utf-8")
            return Done(0, "", "", 0.0)
        if step.words.startswith("segue studio") or _asks_people(step.words):
            return _served(step.words, at)
        if not step.words.startswith("segue "):
            return _started(["sh", "-c", step.words], at)
        if self._anew:
            return _started([sys.executable, "-m", *_globbed(step.words, at)], at)
        code = self._ask({"words": _globbed(step.words, at)[1:], "at": str(at)})
        printed = [at.with_suffix(end) for end in (".out", ".err")]
        out, err = (path.read_text("utf-8", errors="replace") for path in printed)
        for path in printed:
            path.unlink()
        return Done(code, out, err, time.monotonic() - begin)

    def _ask(self, wanted: dict[str, Any]) -> int:
        if self._server is None:
            environment = {**os.environ, **TERMINAL}
            environment["PYTHONPATH"] = os.pathsep.join(
                [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
            )
            self._server = subprocess.Popen(
                [sys.executable, "-m", "segue_docs.typist"],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        pipe, answers = self._server.stdin, self._server.stdout
        assert pipe is not None
        assert answers is not None
        pipe.write(json.dumps(wanted) + "\n")
        pipe.flush()
        return int(answers.readline())


def _typed(steps: Sequence[Step]) -> _Typed:
    return tuple((step.words, step.text) for step in steps)


def _started(line: list[str], at: Path) -> Done:
    """Run a command in a fresh process, in the environment that segue is installed in."""
    begin = time.monotonic()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    environment = {**os.environ, **TERMINAL, "PATH": path}
    ran = subprocess.run(line, check=False, cwd=at, env=environment, capture_output=True, text=True)
    return Done(ran.returncode, ran.stdout, ran.stderr, time.monotonic() - begin)


def _globbed(command: str, at: Path) -> list[str]:
    """Split a command into words as a shell does: an unquoted pattern becomes the files that match it."""
    words: list[str] = []
    for raw, word in zip(shlex.split(command, posix=False), shlex.split(command), strict=True):
        found = sorted(at.glob(word)) if "*" in word and raw == word else []
        words += [path.relative_to(at).as_posix() for path in found] or [word]
    return words


def _asks_people(command: str) -> bool:
    """Return whether a command serves a study to participants, until Ctrl-C."""
    return command.startswith("segue study run ") and "--robots" not in command


def _served(command: str, at: Path) -> Done:
    """Run a server until its address is printed, and a moment longer; then send Ctrl-C."""
    begin, lines = time.monotonic(), []
    environment = {**os.environ, "BROWSER": "true", "COLUMNS": str(COLUMNS), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", *shlex.split(command)],
        cwd=at,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        assert server.stdout is not None
        for line in server.stdout:
            lines.append(line)
            if "http://" in line:
                break
        time.sleep(1)
        server.send_signal(signal.SIGINT)
        server.wait(30)
    served = any("http://" in line for line in lines)
    return Done(0 if served else 1, "".join(lines), "".join(lines), time.monotonic() - begin)


def _serve(asked: IO[str], answers: IO[str]) -> None:
    """Fork for each line read, and answer with the exit code."""
    for name in _LOADED:
        __import__(name)
    for line in asked:
        wanted = json.loads(line)
        child = os.fork()
        if not child:
            _become(wanted["words"], Path(wanted["at"]))
        _, status = os.waitpid(child, 0)
        answers.write(f"{os.waitstatus_to_exitcode(status)}\n")
        answers.flush()


def _become(words: list[str], at: Path) -> None:
    """Run the command in this process with its folder, streams and arguments, then exit with its code."""
    from segue.__main__ import main

    code = 0
    for number, path in ((0, Path(os.devnull)), (1, at.with_suffix(".out")), (2, at.with_suffix(".err"))):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), number)
    os.chdir(at)
    sys.argv = ["segue", *words]
    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _serve(sys.stdin, sys.stdout)
