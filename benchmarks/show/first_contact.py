"""What a newcomer meets first: printed commands, help, lengths of reprs, and the way to a first result.

Shows: every command of README, quickstart and tutorials from an empty folder, with what it is said to print; help of
    every verb at 80 and 120 columns; `repr` of public objects; the live script under mypy and pyright
Bars: all commands exit 0 and print what the page says; no line of help is cut; every verb in a panel with two examples;
    every option in a group; every repr on one line of at most 160 letters; messages name no keyword argument of Python
Needs: nothing
Group: The parts

Each page runs in an empty folder of its own, `segue` as a process. Where transitions are chosen numbers may differ by a
quarter, since processors differ in the last digits of a cost.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from _runner import Show, run
from typer.main import get_command

import segue
from segue.cli import advice, app
from segue.cli.helps import PANELS, examples_of, help_text, rows_of

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "docs"), str(ROOT / "tests" / "cli")]
pages, early = (import_module(name) for name in ("test_quickstart", "test_early"))


def main(show: Show) -> None:
    """Run every page, then look at help, messages, reprs and types."""
    _pages(show)
    _help(show)
    _advice(show)
    _reprs(show)
    _typed(show)


def _pages(show: Show) -> None:
    """Every command in order; seconds to the first file and to the end."""
    ran = right = claimed = kept = 0
    rows = []
    for page in pages.PAGES:
        folder = show.folder / re.sub(r"\W", "-", page)
        folder.mkdir()
        begin, first = time.monotonic(), 0.0
        for command, lines in pages.commands_of((ROOT / page).read_text("utf-8")):
            done = _typed_in(folder, command)
            ran, right = ran + 1, right + (done.returncode == 0)
            if done.returncode:
                show.note(f"{page}: {command}: {done.stderr.strip()[-200:]}")
            if not first and " -o " in command and not command.startswith("segue samples"):
                first = time.monotonic() - begin
            if lines is not None:
                claimed += 1
                kept += _kept(show, page, command, lines, done.stdout)
        rows.append((page, f"{first:.0f} s", f"{time.monotonic() - begin:.0f} s"))
    show.table(("page", "first file after", "all after"), rows)
    show.check("commands that ran, of all", f"{right} of {ran}", "all", ran > 30 and right == ran)
    show.check(
        "commands that print what is said", f"{kept} of {claimed}", "all", claimed > 15 and kept == claimed
    )


def _typed_in(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    words = shlex.split(command) if command.startswith("segue ") else []
    line: Any = [sys.executable, "-m", *words] if words else ["sh", "-c", command]
    environment = {**os.environ, "COLUMNS": "200"}
    return subprocess.run(line, check=False, cwd=folder, env=environment, capture_output=True, text=True)


def _kept(show: Show, page: str, command: str, lines: list[str], printed: str) -> bool:
    try:
        pages.compare(lines, printed.splitlines(), exact=command.split()[1] not in pages.CHOOSING)
    except AssertionError as error:
        show.note(f"{page}: {command}: {error}")
        return False
    return True


def _help(show: Show) -> None:
    """Panels, examples, groups, and lines wider than a terminal."""
    verbs = list(_verbs((), get_command(app), None))
    single = [(words, command) for words, command, _ in verbs if not hasattr(command, "commands")]
    wide = sum(
        len(re.sub(r"\x1b\[\d+m", "", line)) > columns
        for _, command, context in verbs
        for columns in (80, 120)
        for line in help_text(command, context, columns).splitlines()
    )
    shown = [rows for _, command, context in verbs for rows in rows_of(command, context).values()]
    show.note(f"{len(single)} verbs, {sum(map(len, shown))} arguments and options in {len(shown)} groups")
    show.check("lines of help that are cut at 80 or 120 columns", wide, "= 0")
    examples = [len(examples_of(command)) for _, command in single]
    show.check("verbs without two examples", sum(count != 2 for count in examples), "= 0")
    loose = [words for words, command in single if len(words) == 1 and command.rich_help_panel not in PANELS]
    show.check("verbs without a panel", len(loose), "= 0")
    show.check("the longest group of options", max(map(len, shown)), "<= 12")


def _verbs(words: tuple[str, ...], command: Any, parent: Any) -> Any:
    context = type(command).context_class(command, info_name=words[-1] if words else "segue", parent=parent)
    yield words, command, context
    for name, member in getattr(command, "commands", {}).items():
        yield from _verbs((*words, name), member, context)


def _advice(show: Show) -> None:
    """Messages of all rooms in the words of the command line; options that they name and no verb has."""
    options = {
        word
        for _, command in early._verbs()
        for one in command.params
        for word in (*one.opts, *one.secondary_opts)
    }
    advice.running(options)
    reported = [advice.worded(text) for text in early.messages()]
    advice.running([])
    python = [
        text for text in reported if re.search(r"\b(?:pass|give) (?:fps|unit|up|root_position)=|load\(", text)
    ]
    named = {word for text in reported for word in re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)}
    unknown = named - options - {"--help", "--version", "--install-completion"}
    show.check("messages that advise to Python", len(python), "= 0")
    show.check("options advised that no verb has", len(unknown), "= 0")


def _reprs(show: Show) -> None:
    """How long public objects are in a shell."""
    clips = [segue.sample(name) for name in ("walk", "stop", "start")]
    graph = segue.MotionGraph.build(clips)
    walk = graph.wander(seconds=5)
    made = [
        *(clips[0], clips[0].pose(0), clips[0].skeleton, graph, walk, segue.render(walk)),
        *(segue.cost_matrix(clips[0], clips[1]), segue.transition_points(clips[0], clips[1])),
        *(segue.PointCloudCost(), segue.Blend(), segue.Wish("walk"), segue.loop(clips[0])),
    ]
    lengths = {type(one).__name__: len(repr(one)) for one in made}
    show.note("letters of repr: " + ", ".join(f"{name} {count}" for name, count in lengths.items()))
    show.check("the longest repr, letters", max(lengths.values()), "<= 160")
    show.check("reprs of several lines", sum("\n" in repr(one) for one in made), "= 0")


def _typed(show: Show) -> None:
    """The script of the Python tutorial: lines, seconds, mypy and pyright."""
    page = (ROOT / "docs/tutorials/python.md").read_text("utf-8")
    code = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[0]
    script = show.folder / "live.py"
    script.write_text(code, "utf-8")
    show.check("lines of the live script", len(code.splitlines()), "<= 40")
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, script], check=False, capture_output=True, text=True, cwd=show.folder
    )
    show.note(f"{time.monotonic() - begin:.0f} s: {done.stdout.strip() or done.stderr[-300:]}")
    show.check(
        "it steps a character at 60 Hz", done.stdout.strip().endswith("True"), "True", "True" in done.stdout
    )
    source = Path(segue.__file__).parents[1]
    (show.folder / "mypy.ini").write_text(f"[mypy]\nmypy_path = {source}\nfollow_imports = silent\n")
    config = {"typeCheckingMode": "standard", "extraPaths": [str(source)], "include": ["live.py"]}
    (show.folder / "pyrightconfig.json").write_text(json.dumps(config))
    for name, words in (
        ("mypy", ["mypy", "--config-file", "mypy.ini", "--ignore-missing-imports", "live.py"]),
        ("pyright", ["basedpyright", "-p", ".", "--pythonpath", sys.executable]),
    ):
        judged = subprocess.run(
            [sys.executable, "-m", *words], check=False, capture_output=True, text=True, cwd=show.folder
        )
        show.check(f"{name} is content with it", judged.returncode == 0, "True", judged.returncode == 0)


if __name__ == "__main__":
    run(main, "first contact: what is printed is true, and what is advised can be done")
