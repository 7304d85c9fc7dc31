"""Additions of the pages to Markdown: flow charts, equations, links to symbols, pictures with descriptions."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import segue

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(
    page
    for page in DOCS.rglob("*.md")
    if not {"examples", "drawn", "_ext"} & set(page.relative_to(DOCS).parts)
)
API = "\n".join(page.read_text("utf-8") for page in sorted((DOCS / "reference/api").glob("*.rst")))
SYMBOLS = re.findall(r"\| `(segue\.[\w.]+)` \|$", (DOCS / "glossary.md").read_text("utf-8"), re.MULTILINE)


ROOMS = re.findall(r"^\.\. room:: (.*)$", API, re.MULTILINE)


def test_every_public_name_and_every_word_has_its_entry() -> None:
    """Each package with a public name or a word of the glossary is on a page of the API, once."""
    from segue_docs.rooms import module_of

    listed = " ".join(ROOMS).split()
    homes = {*segue._HOMES.values(), *(module_of(symbol).removeprefix("segue.") for symbol in SYMBOLS)}
    assert {home.partition(".")[0] for home in homes} <= set(listed)
    assert len(listed) == len(set(listed))


def test_the_index_of_the_api_holds_every_public_name_with_a_sentence() -> None:
    """Each name occurs once, followed by a complete sentence."""
    from segue_docs.rooms import index_lines

    rows = index_lines()[3:]
    assert len(rows) == 2 * len(segue._HOMES)
    assert all(f"`segue.{name}`" in "\n".join(rows) for name in segue._HOMES)
    assert all(sentence.rstrip().endswith((".", "`", ":")) and len(sentence) > 16 for sentence in rows[1::2])


def test_modules_of_the_api_are_there() -> None:
    """Every module a page lists can be imported and has a docstring; words of the glossary add their modules."""
    from segue_docs.rooms import modules, public_names

    for lines in re.findall(r"^\.\. room::.*\n\n((?:   \S+\n)+)", API, re.MULTILINE):
        for module in lines.split():
            assert import_module(f"segue.{module}").__doc__, module
    assert "Clip" in public_names(["motion"])
    assert modules(["graph"], ["graph.walk"])[0] == "graph.walk"
    assert "graph.parts" in modules(["graph"], [])
    assert not modules(["nowhere"], [])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_every_picture_says_what_it_shows(page: Path) -> None:
    """Every picture has an alternative text of at least twenty letters."""
    for words in re.findall(r"!\[([^]]*)\]\(", page.read_text("utf-8")):
        assert len(words) >= 20, words


def test_pictures_of_concepts_are_the_ones_drawn() -> None:
    """Every picture a page uses from the drawn ones is drawn, and every drawn one is shown."""
    from segue_docs.concepts import PICTURES

    shown = {name for page in PAGES for name in re.findall(r"drawn/([\w-]+)\.png", page.read_text("utf-8"))}
    assert shown == set(PICTURES)


@pytest.mark.parametrize("page", [p for p in PAGES if "$$" in p.read_text("utf-8")], ids=lambda p: p.name)
def test_equations_are_understood(page: Path) -> None:
    """Every equation becomes MathML."""
    from docutils.utils.math.latex2mathml import tex2mathml

    for equation in re.findall(r"\$\$(.+?)\$\$", page.read_text("utf-8"), re.DOTALL):
        assert tex2mathml(equation.strip(), as_block=True).startswith("<math")


def test_flow_charts_show_every_step_and_every_way() -> None:
    """All boxes and labels of the architecture's chart are in the drawing, boxes of a row side by side."""
    from segue_docs.flowchart import EDGE, drawn

    chart = re.search(r"```mermaid\n(.*?)```", (DOCS / "architecture.md").read_text("utf-8"), re.DOTALL)
    assert chart is not None
    edges, words = [], {}
    for line in chart.group(1).splitlines():
        if match := EDGE.search(line):
            a, a_words, label, b, b_words = match.groups()
            words |= {a: a_words or words.get(a, a)} | {b: b_words or words.get(b, b)}
            edges.append((a, (label or "").strip('"'), b))
    svg = drawn(words, edges)
    assert len(edges) >= 10
    assert svg.count("<rect") == len(words)
    assert svg.count('marker-end="url(#tip)"') == len(edges)
    assert all(
        f">{text}</text>" in svg for text in [*words.values(), *(label for _, label, _ in edges if label)]
    )
    boxes = [tuple(map(float, m)) for m in re.findall(r'<rect x="(-?\d+)" y="(\d+)" width="(\d+)"', svg)]
    for x, y, width in boxes:
        assert x >= 0
        assert all(x + width <= other or (x, y) >= (other, row) for other, row, _ in boxes if row == y)


def test_words_become_links_where_they_name_something(docs: Path) -> None:
    """A symbol and a command are recognised, prose and options are not."""
    from segue_docs.commands import names
    from segue_docs.symbols import COMMAND, SYMBOL, _path

    assert SYMBOL.fullmatch("segue.motion.clip.Clip")
    assert not SYMBOL.fullmatch("segue.save(motion, path)")
    commands = ("segue wander", "segue film MOTION --seam 1", "segue wander sample: -o x.bvh")
    assert [_path(COMMAND.match(c), names()) for c in commands] == [
        "segue-wander",
        "segue-film",
        "segue-wander",
    ]
    assert _path(COMMAND.match("segue dances"), names()) is None
    assert docs.is_dir()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_commands_in_prose_exist(page: Path) -> None:
    """Every command in backquotes exists, with the options that it has there."""
    from segue_docs.commands import tree

    known = {
        words: {o for p in command.params for o in (*p.opts, *p.secondary_opts)}
        for words, command, _ in tree()
    }
    for text in re.findall(r"(?<!`)`(segue [a-z][^`\n]*)`(?!`)", page.read_text("utf-8")):
        words = text.replace("segue help ", "segue ").split()  # `segue help wander` is `segue wander --help`
        found = [tuple(words[:count]) for count in (3, 2) if tuple(words[:count]) in known]
        assert found, text
        options = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)} - {"--help", "-h"}
        assert not options - known[found[0]], text


def test_entries_lead_to_the_gallery() -> None:
    """A public name that an example uses is followed by a link to it, another one is not."""
    from segue_docs.rooms import entries, examples_of

    assert "04_a_splice" in examples_of("splice")
    assert not examples_of("spl")
    assert any("/examples/04_a_splice" in line for line in entries(["splice"]))
