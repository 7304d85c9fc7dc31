"""A new user's first steps: printed commands, help, lengths of reprs, and the time to a first result.

Shows: every command of README and pages from an empty folder, compared with the output shown; help of every verb at
    80 and 120 columns; `repr` of public objects; the live script under mypy and pyright
Bars: all commands exit 0 and print the output of the page; no line of help is cut; every verb in a panel with two
    examples; every option in a group; every repr on one line of at most 160 characters; messages name no keyword
    argument of Python
Needs: nothing
Group: The parts

Each page begins in an empty folder, each command is a process. Pages that begin with the same commands share their
results; one process imports everything that commands need and forks for each. Commands of README run in fresh
processes, as for a user. Takes about ten minutes on two idle cores; ``--pages`` runs a part. Where transitions are
chosen, numbers may differ by a quarter, since processors differ in the last digits of a cost.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from _runner import Show, run
from typer.main import get_command

import segue
from segue.cli import app, output
from segue.cli.helps import PANELS, examples_of, group_of, help_text, rows_of

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "docs" / "_ext"), str(ROOT / "tests" / "cli")]
printed, typist, early = (
    import_module(name) for name in ("segue_docs.printed", "segue_docs.typist", "test_early")
)
FOLDERS = "", "tutorials", "how", "formats", "costs", "commands"
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
COMMAND = re.compile(r"segue [a-z]+(?: (?:--?[a-z][\w-]*|[\w./{}#:=*-]+))*")
TAUGHT = "README.md", "docs/quickstart.md", "docs/studies.md", "docs/library.md"


def main(show: Show) -> None:
    """Run every page, then check help, messages, reprs and types."""
    _help(show)
    _advice(show)
    _reprs(show)
    _typed(show)
    _pages(show)


def _pages(show: Show) -> None:
    """Run every command in order; time the first file of each tutorial page, and its end."""
    subprocess.run([sys.executable, str(ROOT / "scripts" / "client.py")], check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "segue", "warmup"], check=True, capture_output=True)
    files = [
        ROOT / "README.md",
        *(p for name in FOLDERS for p in sorted((ROOT / "docs" / name).glob("*.md"))),
    ]
    pages = {path.relative_to(ROOT).as_posix(): printed.steps(path.read_text("utf-8")) for path in files}
    wanted = re.compile(show.options.pages or "")
    pages = {name: steps for name, steps in pages.items() if steps and wanted.search(name)}
    show.note(f"{len(pages)} pages with commands")
    types = typist.Typist(show.folder, pages.values())
    anew = typist.Typist(show.folder / "anew", [], anew=True)
    ran = right = lines = claimed = kept = 0
    rows = []
    for page, steps in pages.items():
        done = (anew if page == "README.md" else types).page(steps)
        commands = [(step, one) for step, one in zip(steps, done, strict=True) if step.text is None]
        ran, right = ran + len(commands), right + sum(not one.code for _, one in commands)
        shown = [(step, one) for step, one in commands if step.lines is not None]
        wrong = {step.words: printed.difference(step, one.stdout) for step, one in shown}
        claimed, kept = claimed + len(shown), kept + sum(not text for text in wrong.values())
        lines += sum(len(printed.NUMBER.findall(line)) for step, _ in shown for line in step.lines)
        print(f"  {page}: {len(commands)} commands, {_times(commands)[1]:.0f} s", file=sys.stderr, flush=True)
        for step, one in commands:
            if one.code:
                show.note(f"{page}: {step.words}: exit code {one.code}: {one.stderr.strip()[-200:]}")
            elif wrong.get(step.words):
                show.note(f"{page}: {step.words}: {wrong[step.words]}")
        if page in TAUGHT or "/tutorials/" in page:
            rows.append((page, *(f"{seconds:.0f} s" for seconds in _times(commands))))
    types.close()
    show.table(("page", "first file after", "all after"), rows)
    show.check("commands that ran, of all", f"{right} of {ran}", "all", ran > 250 and right == ran)
    show.check("commands whose output matches their page", f"{kept} of {claimed}", "all", 0 < claimed == kept)
    show.check("numbers that pages show as printed and that were compared", lines, ">= 1000")


def _times(commands: list[tuple[Any, Any]]) -> tuple[float, float]:
    """Seconds to the first motion or picture, and to the end of a page."""
    first = total = 0.0
    for step, one in commands:
        total += one.seconds
        if not first and " -o " in step.words and not step.words.startswith("segue samples"):
            first = total
    return first or total, total


def _help(show: Show) -> None:
    """Check panels, examples, groups, and lines wider than a terminal."""
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
    show.check("lines of help cut at 80 or 120 columns", wide, "= 0")
    examples = [len(examples_of(command)) for _, command in single]
    show.check("verbs without two examples", sum(count != 2 for count in examples), "= 0")
    loose = [words for words, command in single if len(words) == 1 and command.rich_help_panel not in PANELS]
    show.check("verbs without a panel", len(loose), "= 0")
    every = [one for _, command in single for one in command.params if one.param_type_name == "option"]
    show.check("options without a group", sum(not group_of(one) for one in every), "= 0")
    show.check("options without a sentence", sum(not one.help for one in every if not one.hidden), "= 0")
    show.check("the longest group of options", max(map(len, shown)), "<= 12")


def _verbs(words: tuple[str, ...], command: Any, parent: Any) -> Any:
    context = type(command).context_class(command, info_name=words[-1] if words else "segue", parent=parent)
    yield words, command, context
    for name, member in getattr(command, "commands", {}).items():
        yield from _verbs((*words, name), member, context)


def _advice(show: Show) -> None:
    """Check messages of all subpackages, worded for each verb: every command they advise must parse."""
    verbs = {
        " ".join(words): {word for one in command.params for word in (*one.opts, *one.secondary_opts)}
        for words, command in early._verbs()
    }
    verbs[""] = {"--help", "--version", "--install-completion"}
    every = set().union(*verbs.values())
    raw = early.messages()
    wrong, python = set(), set()
    for verb, options in verbs.items():
        output.running(options)
        for text, words in ((one, output.worded(one)) for one in raw):
            commands, rest = _typed_commands(words, verbs)
            wrong |= {(verb, words) for name, named in commands if named - verbs[name] - verbs[""]}
            given = set(OPTION.findall(rest)) - set(
                OPTION.findall(text)
            )  # inserted by the wording for this verb
            wrong |= {(verb, words) for one in given - options}
            wrong |= {(verb, words) for one in set(OPTION.findall(rest)) - every - verbs[""]}
            if re.search(r"\b(?:pass|give) (?:fps|unit|up|root_position)=|load\(", words):
                python.add(words)
    output.running([])
    for verb, words in sorted(wrong):
        show.note(f"segue {verb}: {words}")
    show.note(f"{len(raw)} sentences, each in the words of {len(verbs) - 1} verbs")
    show.check("messages that advise Python code", len(python), "= 0")
    show.check("advised commands that do not parse", len(wrong), "= 0")


def _typed_commands(message: str, verbs: dict[str, set[str]]) -> tuple[list[tuple[str, set[str]]], str]:
    """Commands that a message names, each with its options, and the rest of the message."""
    found = []
    for match in COMMAND.finditer(message):
        words = match[0].split()
        name = next((" ".join(words[1:count]) for count in (3, 2) if " ".join(words[1:count]) in verbs), None)
        if name is not None:
            found.append((name, set(OPTION.findall(match[0]))))
    return found, COMMAND.sub("", message)


def _reprs(show: Show) -> None:
    """Check the length of public objects' reprs."""
    clips = [segue.sample(name) for name in ("walk", "stop", "start")]
    graph = segue.MotionGraph.build(clips)
    walk, walker = graph.wander(seconds=5), segue.build_locomotion(clips)
    made = [
        *(clips[0], clips[0].pose(0), clips[0].skeleton, graph, walk, segue.render(walk)),
        *(
            segue.cost_matrix(clips[0], clips[1], cost=segue.PointCloudCost()),
            segue.transition_points(clips[0], clips[1]),
        ),
        *(segue.PointCloudCost(), segue.Blend(), segue.Command("walk"), segue.loop(clips[0])),
        *(segue.transition_points(clips[0], clips[1])[0], segue.roles(clips[0].skeleton), graph.report),
        *(walker, segue.LocomotionPlayer(walker), segue.GraphPlayer(graph), segue.GraphCrowd(graph, 3)),
        segue.measure(segue.render(walk), sources=graph.clips),
    ]
    lengths = {type(one).__name__: len(repr(one)) for one in made}
    show.note("letters of repr: " + ", ".join(f"{name} {count}" for name, count in lengths.items()))
    show.check("the longest repr, letters", max(lengths.values()), "<= 160")
    show.check("reprs of several lines", sum("\n" in repr(one) for one in made), "= 0")


def _typed(show: Show) -> None:
    """Check the script of the Python tutorial: lines, seconds, mypy and pyright."""
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
        show.check(f"{name} reports no error", judged.returncode == 0, "True", judged.returncode == 0)


if __name__ == "__main__":
    part = {"metavar": "PATTERN", "help": "only pages whose name fits a regular expression, such as docs/how"}
    title = "first contact: printed output is correct, and advised commands work"
    run(main, title, {"--pages": part})
