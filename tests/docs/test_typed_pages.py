"""Commands on pages are typed in an empty folder, and their output is compared with the page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from segue_docs.printed import Step, difference, renewed, steps
from segue_docs.typist import Typist

DOCS = Path(__file__).resolve().parents[2] / "docs"
FOLDERS = "", "tutorials", "how", "formats", "costs"
PAGES = {
    path.relative_to(DOCS.parent).as_posix(): found
    for path in [
        DOCS.parent / "README.md",
        *(p for name in FOLDERS for p in sorted((DOCS / name).glob("*.md"))),
    ]
    if (found := steps(path.read_text("utf-8")))
}
"""Steps of every page that has any. The script that writes `docs/commands` runs theirs."""
FIRST = [
    "README.md",
    "docs/index.md",
    "docs/quickstart.md",
    *(page for page in PAGES if "/tutorials/" in page),
]
"""Pages for newcomers. With SEGUE_PAGES=all every page is typed, as in the show `first_contact`."""


@pytest.fixture(scope="module")
def typist(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Typist]:
    """A typist that caches the folders which pages share."""
    made = Typist(tmp_path_factory.mktemp("typed"), PAGES.values())
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES if os.environ.get("SEGUE_PAGES") == "all" else FIRST)
def test_the_commands_print_what_the_page_shows(page: str, typist: Typist) -> None:
    """Every command of the page succeeds in one folder, one after the other, and prints what the page shows."""
    for step, done in zip(PAGES[page], typist.page(PAGES[page]), strict=True):
        assert done.code == 0, f"{step.words}\n{done.stdout}\n{done.stderr}"
        if step.lines is not None:
            assert not difference(step, done.stdout), step.words


def test_pages_for_newcomers_have_commands() -> None:
    """README, quickstart, three tutorials and every how-to page have a command to type."""
    how = {f"docs/how/{path.name}" for path in (DOCS / "how").glob("*.md")} - {"docs/how/index.md"}
    newcomers = {
        "README.md",
        "docs/quickstart.md",
        *(f"docs/tutorials/{n}.md" for n in ("animator", "game", "research")),
    }
    assert how | newcomers <= set(PAGES)
    assert all(len(PAGES[page]) >= 5 for page in newcomers)


def test_pages_on_how_begin_with_what_to_use() -> None:
    """The first heading below the title is what to use, with at most five lines before the first command."""
    for path in sorted((DOCS / "how").glob("*.md")):
        if path.name != "index.md":
            title, heading, *rest = [line for line in path.read_text("utf-8").splitlines() if line]
            assert title.startswith("# "), path.name
            assert heading == "## What to use", path.name
            assert any(line.startswith("```") for line in rest[:6]), path.name


def test_what_is_printed_is_compared_line_by_line() -> None:
    """Dots represent any lines; other words, other digits, a line too many and a line too few are differences."""
    shown = Step("segue info clips/", ("a 1.0", "...", "c 3"))
    assert not difference(shown, "a 1.0\n b\n\nc  3\n")
    for printed in ("a 1.1\nc 3", "a 1.0\nb", "b\na 1.0\nc 3", "a 1.0\nb\nc 3\nd"):
        assert difference(shown, printed)
    near = Step("segue wander clips/", ("stop at 12.0 s, the worst at 3.10 s: 80%",))
    assert not difference(near, "stop at 11.0 s, the worst at 9.20 s: 84%")
    assert difference(near, "stop at 6.0 s, the worst at 3.10 s: 84%")
    assert not difference(Step("segue judge made.bvh", ("area 0.97",)), "area 0.61")
    kept = Step("segue warmup", ("32 s: kept in ~/.cache/segue/kernels-0d",))
    assert not difference(kept, f"9 s: kept in {Path.home()}/.cache/segue/kernels-f1")


def test_numbers_are_put_into_a_page() -> None:
    """Lines with the same words get the printed numbers; other lines, and dots, stay for a person to check."""
    page = "```console\n$ segue info clips/\na 1.0\n...\nb 2\nd\n```\n"
    assert renewed(page, steps(page)[0], "a 1.5\nx\nb 3\nc\n") == page.replace("1.0", "1.5").replace(
        "b 2", "b 3"
    )


def test_steps_of_a_page_are_commands_and_files() -> None:
    """Command blocks, output blocks and files with their names are read in order; comments are skipped."""
    page = """```sh
segue samples -o clips/   # eighteen
pip install x
```

```{code-block} toml
:caption: roles.toml

a = 1
```

```console
$ segue info clips/
run 1

18 clips
```
"""
    assert steps(page) == [
        Step("segue samples -o clips/"),
        Step("roles.toml", text="a = 1\n"),
        Step("segue info clips/", ("run 1", "", "18 clips")),
    ]
