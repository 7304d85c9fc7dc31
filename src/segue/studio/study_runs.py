"""Studies started by the studio: each page, and each run of robots, is a separate process of `segue study run`.

Answers are thus stored by the same command as on the command line, and a failing study does not affect the studio.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import IO, Literal

from segue.errors import SegueError, SettingError
from segue.studio.study_messages import StudyRunView
from segue.threads import background_thread

_MOST = 8
"""Most studies that run at a time."""


@dataclass
class _Process:
    """A running command, the address that it has printed, and its error."""

    process: subprocess.Popen[str]
    errors: IO[str]
    address: str = ""
    is_stopped: bool = False
    is_ended: bool = False
    error: str = ""

    def watch(self) -> None:
        """Read the output of the command until it ends."""
        if self.process.stdout is not None:
            for line in self.process.stdout:
                if line.startswith("http://"):
                    self.address = line.strip()
            self.process.stdout.close()
        code = self.process.wait()
        self.errors.seek(0)
        lines = [line.strip() for line in self.errors.read().splitlines() if line.strip()]
        self.errors.close()
        if code > 0 and not self.is_stopped:
            self.error = lines[-1] if lines else f"the study ended with code {code}"
        self.address, self.is_ended = "", True


@dataclass
class StudyRuns:
    """Files of answers in one folder, and the processes that write them.

    Parameters
    ----------
    folder
        The export folder.
    """

    folder: Path
    _processes: dict[str, _Process] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def start(self, file: str, words: Sequence[str]) -> None:
        """Start a study, or continue it.

        Parameters
        ----------
        file
            Name of the file of answers in the folder.
        words
            Arguments of ``segue study run``, without the file.

        Raises
        ------
        SettingError
            If the study runs already, or too many studies run.
        """
        with self._lock:
            going = [name for name, one in self._processes.items() if not one.is_ended]
            if file in going:
                raise SettingError(f"{file} is open already: stop it first")
            if len(going) >= _MOST:
                raise SettingError(f"{_MOST} studies run already; stop one of them")
            self.folder.mkdir(parents=True, exist_ok=True)
            errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115  # closed by `watch`
            process = subprocess.Popen(
                [sys.executable, "-m", "segue", "study", "run", *words, "-o", str(self.folder / file)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                encoding="utf-8",
            )
            self._processes[file] = _Process(process, errors)
        background_thread(self._processes[file].watch, name=f"segue-study-{file}").start()

    def stop(self, file: str) -> None:
        """Close the page of a study; its answers are kept."""
        with self._lock:
            found = self._processes.get(file)
        if found is not None and not found.is_ended:
            found.is_stopped = True
            found.process.terminate()
            found.process.wait(20)

    def close(self) -> None:
        """Close all pages."""
        for file in list(self._processes):
            self.stop(file)

    def views(self) -> list[StudyRunView]:
        """Return every file of answers in the folder, and every study that has not written one yet."""
        files = {path.name for path in self.folder.glob("*.segue")} if self.folder.is_dir() else set()
        out = [self.view(file) for file in sorted(files | set(self._processes))]
        return [one for one in out if one.study or one.state != "ended"]

    def view(self, file: str) -> StudyRunView:
        """Return one file of answers with the state of its study."""
        with self._lock:
            running = self._processes.get(file)
        state: Literal["starting", "open", "ended", "failed"] = "ended"
        address, error = "", ""
        if running is not None:
            address, error = running.address, running.error
            state = "failed" if error else "ended" if running.is_ended else "open" if address else "starting"
        study, counts = _counted(self.folder / file)
        return StudyRunView(file, study, state, address, error=error, **counts)


def _counted(path: Path) -> tuple[str, Mapping[str, int]]:
    """Return the name of the study in a file, and its counts; both empty if the file holds none."""
    from segue.app.studies.people import plan_in, sittings_of

    try:
        plan = plan_in(path)
        sittings = sittings_of(path, plan)
    except SegueError:
        return "", {}
    return plan.design.name, {
        "people": sum(not one.is_robot for one in sittings),
        "robots": sum(one.is_robot for one in sittings),
        "done": sum(one.is_done for one in sittings),
        "answers": sum(one.answered for one in sittings),
    }
