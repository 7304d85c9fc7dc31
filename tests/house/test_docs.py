"""The documentation tells the truth: words bind to symbols, code blocks run, links lead somewhere."""

from __future__ import annotations

import ast
import re
import shutil
from functools import cache, reduce
from importlib import import_module
from pathlib import Path

import pytest

import segue
from segue.motion.samples import SAMPLES

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").rglob("*.md")])
DRAWN, EXAMPLE = re.compile(r"(?:\.\./)*drawn/[\w-]+\.png"), re.compile(r"(?:\.\./)*examples/(\w+)\.rst")
"""Pictures and pages that are made when the pages are built; `tests/docs` holds them to what makes them."""
SYMBOLS = re.findall(
    r"\| `(segue\.[\w.]+)` \|$", (ROOT / "docs/glossary.md").read_text("utf-8"), re.MULTILINE
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    """Code blocks of one language."""
    return [code for word, code in BLOCK.findall(page.read_text("utf-8")) if word == language]


def found(symbol: str) -> object:
    """What a dotted path names: the longest importable front, then attributes or annotated fields."""
    parts = symbol.split(".")
    for split in range(len(parts), 0, -1):
        try:
            module = import_module(".".join(parts[:split]))
        except ModuleNotFoundError:
            continue
        return reduce(_member, parts[split:], module)
    raise LookupError(symbol)


def _member(owner: object, name: str) -> object:
    if hasattr(owner, name):
        return getattr(owner, name)
    return owner.__annotations__[name]  # a field without a default is no attribute of its class


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_every_word_of_the_glossary_binds_to_a_symbol(symbol: str) -> None:
    """The symbol named beside a word exists."""
    assert found(symbol) is not None


def test_the_glossary_defines_each_word_once() -> None:
    """One word, one meaning: no word twice, and every row has its symbol."""
    text = (ROOT / "docs/glossary.md").read_text("utf-8").partition("\n## Words not to use")[0]
    rows = [
        line
        for line in text.splitlines()
        if line.startswith("| ") and not line.startswith(("| Word", "| ---"))
    ]
    words = [word.strip() for row in rows for word in row.split("|")[1].split(",")]
    assert len(words) == len(set(words))
    assert len(rows) == len(SYMBOLS)


def unwanted_words() -> set[str]:
    """Words that the glossary says not to use."""
    below = (ROOT / "docs/glossary.md").read_text("utf-8").partition("\n## Words not to use")[2]
    rows = re.findall(r"^\| ([a-z][\w, ]*) \| \S.* \|$", below, re.MULTILINE)
    return {word.strip() for row in rows for word in row.split(",")}


def test_words_not_to_use_define_nothing() -> None:
    """No row of the glossary defines one of them, and no module is named with one."""
    unwanted = unwanted_words()
    assert len(unwanted) > 5
    above = (ROOT / "docs/glossary.md").read_text("utf-8").partition("\n## Words not to use")[0]
    words = {word for term in re.findall(r"^\| ([^|]+) \|", above, re.MULTILINE) for word in term.split()}
    assert not words & unwanted
    modules = {part for path in (ROOT / "src/segue").rglob("*.py") for part in path.stem.split("_")}
    assert not modules & unwanted


KEPT = {
    "told": {
        "src/segue/library/points.py",
        "src/segue/library/transitions.py",
        "src/segue/library/clips.py",
        "src/segue/library/versions.py",
        "src/segue/library/exchange.py",
        "src/segue/library/transition_files.py",
        "src/segue/cli/library_match.py",
    },
    "way": {
        "src/segue/app/crossing.py",
        "src/segue/app/replacing.py",
        "src/segue/blending/ways.py",
        "src/segue/graph/walk.py",
        "src/segue/runtime/steered/player.py",
        "src/segue/settings/motion.py",
        "src/segue/studio/pair_messages.py",
        "src/segue/synthesis/assemble.py",
        "src/segue/synthesis/splice.py",
        "tests/synthesis/test_assemble.py",
        "tests/synthesis/test_bridges.py",
        "tests/synthesis/test_transition_measures.py",
    },
    "ways": {
        "src/segue/library/walkers.py",
        "src/segue/locomotion/model.py",
        "tests/synthesis/test_assemble.py",
    },
    "WAYS": {"src/segue/blending/ways.py"},
    "ways_out": {"src/segue/graph/motion_graph.py"},
}
"""Files in which a name may hold such a word.

``told`` is a library's column or a parameter of `Library.points`, ``way`` the blend method; ``ways`` of a walker's
document, and three older names of attributes, people may have written.
"""


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks", "scripts", "docs"])
def test_words_not_to_use_name_nothing(folder: str) -> None:
    """No name that code gives has one of them in it, whether of a class, function, parameter, attribute or variable."""
    unwanted = unwanted_words()
    named = sorted(
        f"{path.relative_to(ROOT)}: {name}"
        for path in (ROOT / folder).rglob("*.py")
        for name in identifiers(ast.parse(path.read_text("utf-8")))
        if {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)} & unwanted
        and not name.startswith("test_")
        and str(path.relative_to(ROOT)) not in KEPT.get(name, ())
    )
    assert not named


def identifiers(tree: ast.Module) -> set[str]:
    """Names that a module defines: classes, functions, parameters, variables and attributes that are set."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
    return found


@pytest.fixture(scope="module")
def sample_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the sample clips as BVH files."""
    folder = tmp_path_factory.mktemp("clips")
    for name in SAMPLES:
        segue.save(segue.sample(name), folder / f"{name}.bvh")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=lambda p: p.name)
def test_python_blocks_run(
    page: Path, sample_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Python blocks of a page run one after the other, in a folder that holds sample clips as BVH files."""
    shutil.copytree(sample_files, tmp_path, dirs_exist_ok=True)
    shutil.copytree(sample_files, tmp_path / "clips")
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {}
    for code in blocks(page, "python"):
        exec(compile(code, str(page), "exec"), space)


@cache
def shown_help(*verb: str) -> str:
    """The help page of a verb."""
    from typer.testing import CliRunner

    from segue.cli import app

    shown = CliRunner().invoke(app, [*verb, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert shown.exit_code == 0, verb
    return shown.output


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "sh")], ids=lambda p: p.name)
def test_shell_blocks_name_real_commands(page: Path) -> None:
    """Every `segue VERB --option` of a page exists, and every make target."""
    from typer.main import get_command

    from segue.cli import app

    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    families = [name for name, command in get_command(app).commands.items() if hasattr(command, "commands")]
    for line in "\n".join(blocks(page, "sh")).replace("\\\n", " ").splitlines():
        words = re.split(r"(?:^|\s)#", line)[0].split()
        if words[:1] == ["make"]:
            assert set(words[1:]) <= set(targets), line
        if words[:1] != ["segue"] or len(words) < 2 or words[1].startswith("-"):
            continue
        verb = words[1:3] if words[1] in families else words[1:2]
        options = {word.split("=")[0] for word in words[2:] if word.startswith("-")}
        assert not {option for option in options if option not in shown_help(*verb)}, line


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    """A relative link or picture of a page is there, and so is every path written in backquotes with a slash."""
    text = page.read_text("utf-8")
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text):
        if example := EXAMPLE.fullmatch(target):
            assert example[1] == "index" or (ROOT / f"docs/gallery/{example[1]}.py").exists(), target
        elif not DRAWN.fullmatch(target):
            assert (page.parent / target).exists(), target
    for path in re.findall(r"`((?:src|docs|tests|scripts|benchmarks)/[\w./-]+)`", text):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_pages_speak_of_the_project_alone(page: Path) -> None:
    """No page mentions a numbered ticket: whoever reads it cannot look it up."""
    assert not re.findall(r"(?i)\bissue #?\d+|\bPR #?\d+", page.read_text("utf-8"))
