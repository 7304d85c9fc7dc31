"""Commands, their output and files to write, extracted from pages in order and compared with a run.

    ```sh                        ```console                    ```{code-block} toml
    segue samples -o clips/      $ segue info clips/            :caption: roles.toml
    ```                          18 clips ...
                                 ```                            left_knee = "Joint7"
                                                                ```

A block of ``sh`` holds only commands, a block of ``console`` also their output, and a block with a caption is a
file of that name. ``...`` matches any lines. A page begins in an empty folder.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
BLOCK = re.compile(
    r"^```(?:(?P<kind>console|sh)|\{code-block\} \w+\n:caption: (?P<file>\S+)\n)\n(?P<body>.*?)^```",
    re.MULTILINE | re.DOTALL,
)
NOT_HERE = (
    "pip ",
    "python3 ",
    "python scripts/",
    "make ",
    "find ",
    "dask ",
    "segue --install-completion",
    ". ",
)
"""Commands that change the machine, or need another: they are read but not run."""
_CHOOSING = "wander measure stitch compare steer locomotion walk floor demo judge learn study manifold sequence replace"
CHOOSING = (
    *(f"segue {verb} " for verb in _CHOOSING.split()),
    "segue library match ",
    "segue library points ",
)
"""Commands that choose transitions, or measure chosen ones: last digits, which differ between processors, may
decide."""
WORST = re.compile(r"(?<=the worst at )\d+\.\d+ s")
"""Which of several seams within bounds is the worst is not promised by any page."""
AN_EXAMPLE = "segue judge ", "segue studio", "segue warmup"
"""Numbers of these commands depend on the run or machine: a classifier, a port, a time. Only words are compared."""
ONE_RUN = re.compile(r"token=\S+|kernels-\w+")
"""Words that differ in each run, or after a change of a kernel."""


@dataclass(frozen=True)
class Step:
    """A command with the output lines that its page shows (None where it shows none), or a file with its text."""

    words: str
    lines: tuple[str, ...] | None = None
    text: str | None = None

    @property
    def exact(self) -> bool:
        """Whether numbers must match exactly; those that depend on chosen transitions must be within a quarter."""
        return not f"{self.words} ".startswith(CHOOSING)

    def shows(self, line: str, printed: str) -> bool:
        """Return whether a line of the page matches a printed line."""
        if self.words.startswith(AN_EXAMPLE):
            line, printed = (ONE_RUN.sub("", at_home(text)) for text in (line, printed))
            return _worded(line) == _worded(printed)
        return alike(line, printed, exact=self.exact)


def steps(page: str) -> list[Step]:
    """Return the steps that a page has its reader type and write, in order."""
    out: list[Step] = []
    for block in BLOCK.finditer(page):
        if block["file"]:
            out.append(Step(block["file"], text=block["body"]))
            continue
        for line in block["body"].replace("\\\n", " ").splitlines():
            if block["kind"] == "sh":
                out.append(Step(re.sub(r"(?:^|\s+)# .*", "", line).strip()))
            elif line.startswith("$ "):
                out.append(Step(line[2:], lines=()))
            else:
                out[-1] = Step(out[-1].words, lines=(*(out[-1].lines or ()), line))
    return [one for one in out if one.words and not one.words.startswith(NOT_HERE)]


def difference(step: Step, printed: str) -> str:
    """Return the first difference between a command's output and its page, or an empty string."""
    rest, anything = [line for line in printed.splitlines() if line.strip()], False
    for line in (one for one in step.lines or () if one.strip()):
        if line == "...":
            anything = True
            continue
        found = next((k for k, one in enumerate(rest) if step.shows(line, one)), None)
        if found is None or (found and not anything):
            return f"the page shows: {line}\nprinted: {rest[:8]}"
        rest, anything = rest[found + 1 :], False
    return f"printed beyond what the page shows: {rest[:8]}" if rest and not anything else ""


def renewed(page: str, step: Step, printed: str) -> str:
    """Return a page updated with the printed numbers, in lines whose words are the same."""
    rest, text = [line.rstrip() for line in printed.splitlines() if line.strip()], ["$ " + step.words]
    for line in step.lines or ():
        found = next((k for k, one in enumerate(rest) if _worded(one) == _worded(line)), None)
        text.append(line if found is None else rest[found])
        rest = rest[(0 if found is None else found + 1) :]
    old = "\n".join(["$ " + step.words, *(step.lines or ())])
    return page.replace(old, "\n".join(text))


def alike(shown: str, printed: str, *, exact: bool) -> bool:
    """Return whether two lines have the same words and the same or near numbers."""
    if not exact:
        shown, printed = (WORST.sub("", line) for line in (shown, printed))
    if _worded(shown) != _worded(printed):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed), strict=True)
    return all(one == other or (not exact and _near(float(one), float(other))) for one, other in pairs)


def at_home(text: str) -> str:
    """Return a text in which the user's folder is written ``~``."""
    return text.replace(str(Path.home()), "~")


def _worded(line: str) -> str:
    """Return a line with # for each number, and runs of blanks collapsed to one."""
    return re.sub(r"\s+", " ", NUMBER.sub("#", line)).strip()


def _near(one: float, other: float) -> bool:
    """Within a quarter, numbers of three digits and more within a twentieth; or both close to zero."""
    return math.isclose(one, other, rel_tol=0.05 if abs(one) >= 100 else 0.25, abs_tol=0.001)
