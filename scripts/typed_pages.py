"""Run the commands that the pages show, each page in an empty folder, and compare the output with the page.

    python scripts/typed_pages.py                        every page but those of commands, half an hour
    python scripts/typed_pages.py docs/how README.md     pages whose names begin so
    python scripts/typed_pages.py --write docs/how       and put numbers that have changed into the pages

``--write`` updates numbers in lines whose words are unchanged; a line with other words is reported, to be fixed by
hand. `scripts/command_pages.py` writes the pages of commands.
"""

from __future__ import annotations

import sys
import tempfile
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = "", "tutorials", "how", "formats", "costs"
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

printed, typing = (import_module(f"segue_docs.{name}") for name in ("printed", "typist"))


def main(words: list[str]) -> int:
    """Run the pages; return how many commands failed or whose output differs from their page."""
    write = "--write" in words
    begins = tuple(word for word in words if word != "--write") or ("",)
    files = [
        ROOT / "README.md",
        *(p for name in FOLDERS for p in sorted((ROOT / "docs" / name).glob("*.md"))),
    ]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in files}
    pages = {name: printed.steps(text) for name, text in texts.items() if name.startswith(begins)}
    pages = {name: steps for name, steps in pages.items() if steps}
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="segue-pages-") as folder:
        typist = typing.Typist(Path(folder), pages.values())
        for name, steps in pages.items():
            done = typist.page(steps)
            print(f"{name}: {len(steps)} steps, {sum(one.seconds for one in done):.0f} s", flush=True)
            for step, one in zip(steps, done, strict=True):
                if one.code:
                    wrong += 1
                    print(f"  {step.words}: exit code {one.code}: {one.stderr.strip()}", flush=True)
                    continue
                if step.lines is None:
                    continue
                if write:
                    texts[name] = printed.renewed(texts[name], step, one.stdout)
                now = next(new for new in printed.steps(texts[name]) if new.words == step.words)
                if differs := printed.difference(now, one.stdout):
                    wrong += 1
                    print(f"  {step.words}: {differs}", flush=True)
            if write:
                (ROOT / name).write_text(texts[name], "utf-8")
        typist.close()
    print(f"{len(pages)} pages, {wrong} commands that print otherwise")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
