"""Write a page for each command into ``docs/commands``: its help, and the output of its examples.

    python scripts/command_pages.py               write the pages again, keeping the output they show
    python scripts/command_pages.py --run         run every example, some minutes
    python scripts/command_pages.py --run wander  run the examples of one verb

`tests/docs/test_commands_page.py` compares the pages with the help, `benchmarks/show/first_contact.py` with a run.
"""

from __future__ import annotations

import sys
import tempfile
from importlib import import_module
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
FOLDER = DOCS / "commands"
sys.path.insert(0, str(DOCS / "_ext"))

commands, printed_in, typing = (
    import_module(f"segue_docs.{name}") for name in ("commands", "printed", "typist")
)


def main(words: list[str]) -> int:
    """Write the pages, after a run if requested; report examples that fail."""
    FOLDER.mkdir(exist_ok=True)
    printed = commands.kept(FOLDER)
    failed = 0
    if words[:1] == ["--run"]:
        bare = commands.pages({})
        chosen = {
            name: printed_in.steps(text)
            for name, text in bare.items()
            if not words[1:] or name[:-3] in words[1:]
        }
        with tempfile.TemporaryDirectory(prefix="segue-pages-") as folder:
            typist = typing.Typist(Path(folder), chosen.values())
            for name, page in chosen.items():
                printed[name] = {}
                for step, done in zip(page, typist.page(page), strict=True):
                    print(f"{name}: {step.words}: {done.seconds:.1f} s", flush=True)
                    if done.code:
                        failed += 1
                        print(f"  exit code {done.code}: {done.stderr.strip()}", file=sys.stderr)
                    if step.lines is not None:
                        printed[name][step.words] = commands.shortened(step.words, done.stdout)
            typist.close()
    texts = commands.pages(printed)
    for path in FOLDER.glob("*.md"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, "utf-8")
    print(f"{len(texts)} pages, {failed} commands that failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
