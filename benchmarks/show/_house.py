"""Counts for `house`: numbers about a source tree, from its syntax."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path

DEFAULTS: Mapping[str, tuple[tuple[str, ...], tuple[object, ...]]] = {
    "cost": (("cost",), ("point_cloud",)),
    "threshold": (("threshold",), ("auto",)),
    "share": (("share",), (0.6,)),
    "quality": (("quality",), (1.0,)),
    "blend": (("blend", "blend_seconds", "seconds"), ("1/3", 1.0 / 3.0)),
    "length": (("length",), ("fixed",)),
    "method": (("way", "method", "blend_method"), ("crossfade",)),
    "root": (("root",), ("position",)),
    "feet": (("feet",), ("planted",)),
    "check": (("check", "check_seams"), (True,)),
}
"""Settings of a motion: the names of its parameters or fields, and the values of its default."""
OTHERS = {("check", "segue.cli.learn"), ("check", "segue.cli.checked")}
"""Parameters that share the name of a setting but mean something else."""
NEWER = (
    "segue.app.sequence*",
    "segue.app.sequencing",
    "segue.app.elements",
    "segue.app.space*",
    "segue.app.studies*",
    "segue.app.live",
    "segue.app.jobs",
    "segue.app.judging",
    "segue.app.crossing",
    "segue.cli.judging",
    "segue.cli.manifold",
    "segue.cli.sequence*",
    "segue.cli.studio",
    "segue.cli.study",
    "segue.learning.judging",
    "segue.learning.naturalness",
    "segue.learning.seam_windows",
    "segue.library.answers",
    "segue.library.choreography",
    "segue.library.element*",
    "segue.manifold*",
    "segue.perception*",
    "segue.pictures.player*",
    "segue.pictures.psychometric",
    "segue.pictures.sequence_timeline",
    "segue.pictures.small_space",
    "segue.pictures.thumbnail",
    "segue.runtime.sequence*",
    "segue.sequencing*",
    "segue.studio*",
)
"""Modules of the systems added later: sequences, small spaces, studies, the studio."""
FORMS = {
    "definition, pair by pair": ("PointCloudCost",),
    "constant weights, matrix in numpy": ("centred_matrix",),
    "compiled tile": ("slide",),
    "constant weights, compiled tile": ("slide_fixed",),
    "weights by contacts, matrix in numpy": ("frame_sums",),
    "weights by contacts, compiled tile in place": ("slide_standing",),
    "weights by contacts, compiled tile of travelling clips": ("sweep",),
    "array API": ("changing", "supported", "point_cloud_form"),
    "cells of the pruned search": ("rough_costs", "exact_costs"),
}
"""Implementations of the point-cloud cost, each with functions or classes of which at least one belongs to it.

A form is counted while one of its names is defined anywhere in the sources. A new form, or a form under a new name,
is added here.
"""
POOLS = ("ThreadPoolExecutor", "ThreadPool", "Thread", "ProcessPoolExecutor")


@dataclass(frozen=True)
class House:
    """The sources of the package below a project's root."""

    root: Path

    @cached_property
    def trees(self) -> Mapping[str, ast.Module]:
        """Syntax tree of each module by its dotted name."""
        return {self._name(path): ast.parse(path.read_text("utf-8")) for path in self.paths}

    @cached_property
    def nodes(self) -> Mapping[str, tuple[ast.AST, ...]]:
        """Every node of each module, for all counts."""
        return {module: tuple(ast.walk(tree)) for module, tree in self.trees.items()}

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """Every Python file of the package."""
        return tuple(sorted((self.root / "src/segue").rglob("*.py")))

    def _name(self, path: Path) -> str:
        parts = path.relative_to(self.root / "src").with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def lines(self) -> int:
        """Lines of all files."""
        return sum(len(path.read_text("utf-8").splitlines()) for path in self.paths)

    @cached_property
    def older(self) -> tuple[Path, ...]:
        """Files without those of the systems added later."""
        return tuple(
            path for path in self.paths if not any(fnmatch(self._name(path), name) for name in NEWER)
        )

    @property
    def older_lines(self) -> int:
        """Lines of `older` files."""
        return sum(len(path.read_text("utf-8").splitlines()) for path in self.older)

    @cached_property
    def older_kinds(self) -> Mapping[str, int]:
        """Lines of `older` files by content: code, imports, docstrings, comments, blank."""
        return Counter(kind for path in self.older for kind in _kinds(path.read_text("utf-8")))

    def older_since(self, commit: str) -> tuple[int, int, int] | None:
        """Lines of `older` files that are in no file of the package at a commit, the files added since, their lines.

        Moved or renamed files, and lines moved to another file, do not count as added. None if the commit is not in
        the history.
        """
        added = _git(self.root, "diff", "--diff-filter=A", "-M40%", "--name-only", commit, "--", "src/segue")
        archive = _git(self.root, "archive", "--format=tar", commit, "src/segue")
        if added is None or archive is None:
            return None
        then: Counter[str] = Counter()
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            for member in files.getmembers():
                if member.name.endswith(".py") and (file := files.extractfile(member)):
                    then.update(_texts(file.read().decode("utf-8")))
        now = Counter(text for path in self.older for text in _texts(path.read_text("utf-8")))
        new = {self.root / name for name in added.decode("utf-8").splitlines()} & {*self.older}
        lines = sum(len(path.read_text("utf-8").splitlines()) for path in new)
        return (now - then).total(), len(new), lines

    @property
    def import_lines(self) -> int:
        """Lines that import statements take, also inside functions."""
        return sum(
            (node.end_lineno or node.lineno) - node.lineno + 1
            for nodes in self.nodes.values()
            for node in nodes
            if isinstance(node, ast.Import | ast.ImportFrom)
        )

    @property
    def twice(self) -> Mapping[str, list[str]]:
        """Class names that are in two or more modules."""
        found = defaultdict(set)
        for module, nodes in self.nodes.items():
            for node in nodes:
                if isinstance(node, ast.ClassDef):
                    found[node.name].add(module)
        return {name: sorted(places) for name, places in sorted(found.items()) if len(places) > 1}

    @cached_property
    def imports(self) -> Mapping[str, frozenset[str]]:
        """Modules of the package that each module imports, or names in a string, as registries do."""
        return {module: frozenset(self._imported(nodes)) - {module} for module, nodes in self.nodes.items()}

    def _imported(self, nodes: Sequence[ast.AST]) -> Iterator[str]:
        front = _registries(nodes)
        for node in nodes:
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in self.trees)
            elif isinstance(node, ast.ImportFrom) and node.module in self.trees:
                inner = [f"{node.module}.{alias.name}" for alias in node.names]
                yield from (name for name in inner if name in self.trees)
                if any(name not in self.trees for name in inner):
                    yield node.module
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                name = node.value.split(":")[0]
                full = {f"{package}{name}" for package in front} | (
                    {name, f"segue.{name}"} if "." in name else set()
                )
                yield from full & self.trees.keys()

    @property
    def circles(self) -> list[tuple[str, list[str]]]:
        """Packages, and the sibling modules or packages in each that import one another in a cycle."""
        found = []
        for package in {module.rpartition(".")[0] for module in self.trees if "." in module}:
            beside = defaultdict(set)
            for module, imported in self.imports.items():
                for other in imported:
                    one, two = _child(package, module), _child(package, other)
                    if one and two and one != two:
                        beside[one].add(two)
            found += [(package, sorted(part)) for part in _components(beside) if len(part) > 1]
        return sorted(found)

    @cached_property
    def _literals(self) -> Mapping[str, list[tuple[str, int, object]]]:
        return {module: list(_defaults(nodes)) for module, nodes in self.nodes.items()}

    def definitions(self, setting: str) -> list[str]:
        """Return the places at which a default of a setting is a literal: parameters, options and fields."""
        names, values = DEFAULTS[setting]
        return [
            f"{module}:{line}"
            for module, defaults in self._literals.items()
            for name, line, value in defaults
            if name in names
            and (setting, module) not in OTHERS
            and any(type(value) is type(one) and value == one for one in values)
        ]

    @property
    def pools(self) -> list[str]:
        """Modules that create threads: calls of a pool, and thread classes."""
        found = set()
        for module, nodes in self.nodes.items():
            for node in nodes:
                called = [node.func] if isinstance(node, ast.Call) else []
                called += node.bases if isinstance(node, ast.ClassDef) else []
                if any(ast.unparse(one).rpartition(".")[2] in POOLS for one in called):
                    found.add(module)
        return sorted(found)

    @property
    def forms(self) -> list[str]:
        """Forms of the point-cloud cost that are defined."""
        defined = {
            node.name
            for nodes in self.nodes.values()
            for node in nodes
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }
        return [form for form, names in FORMS.items() if defined & set(names)]

    @property
    def unreached(self) -> list[str]:
        """Modules that no command, public name or page of docs leads to."""
        return sorted(self.by_pages_alone - self._reached(self._documented()))

    @cached_property
    def by_pages_alone(self) -> frozenset[str]:
        """Modules that no command and no public name leads to, whether a page names them or not."""
        commands = (name for name in self.trees if name.startswith("segue.cli"))
        return frozenset(self.trees.keys() - self._reached(["segue", "segue.__main__", *commands]))

    def _reached(self, begun: Iterable[str]) -> set[str]:
        seen: set[str] = set()
        waiting = list(begun)
        while waiting:
            module = waiting.pop()
            if module in seen or module not in self.trees:
                continue
            seen.add(module)
            waiting += [*self.imports[module], module.rpartition(".")[0]]
        return seen

    def _documented(self) -> Iterator[str]:
        """Modules that pages name in their text; lists of modules and of words do not count, as they give no reason."""
        docs = self.root / "docs"
        for page in [*docs.rglob("*.md"), *docs.glob("gallery/*.py")]:
            if page.name in {"glossary.md", "decisions.md", "planted-faults.md", "looked-at.md"}:
                continue
            for name in re.findall(r"\bsegue(?:\.\w+)+", page.read_text("utf-8")):
                parts = name.split(".")
                yield from (".".join(parts[:end]) for end in range(2, len(parts) + 1))
        rows = (docs / "reference/api/for-your-code.md").read_text("utf-8")
        yield from (f"segue.{name}" for name in re.findall(r"^\| `([\w.]+)` \| \S", rows, re.MULTILINE))


def subjects(root: Path, since: str) -> tuple[int, list[str]] | None:
    """Return the number of commits since one, without merges, and those with subjects over 72 characters."""
    log = _git(root, "log", "--no-merges", "--format=%s", f"{since}..HEAD")
    lines = [] if log is None else log.decode("utf-8").splitlines()
    return None if log is None else (len(lines), [line for line in lines if len(line) > 72])


def _git(root: Path, *words: str) -> bytes | None:
    """Output of git; None where it fails."""
    run = subprocess.run(["git", *words], cwd=root, capture_output=True, check=False)
    return None if run.returncode else run.stdout


def _texts(text: str) -> Iterator[str]:
    """Nonblank lines, without their indentation."""
    return (line.strip() for line in text.splitlines() if line.strip())


def _kinds(text: str) -> list[str]:
    """The kind of each line of a module."""
    kinds = ["code" if line.strip() else "nothing" for line in text.splitlines()]
    kinds = [
        "comments" if line.strip().startswith("#") else kind
        for line, kind in zip(text.splitlines(), kinds, strict=True)
    ]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            kind = "imports"
        elif (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and node.value.value is not ...
        ):
            kind = "docstrings"
        else:
            continue
        end = node.end_lineno or node.lineno
        kinds[node.lineno - 1 : end] = [kind] * (end - node.lineno + 1)
    return kinds


def _registries(nodes: Iterable[ast.AST]) -> set[str]:
    """Packages whose modules a module imports through a table of names, with a dot before them."""
    return {
        str(first.value)
        for node in nodes
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module")
        for argument in node.args
        if isinstance(argument, ast.JoinedStr) and isinstance(first := argument.values[0], ast.Constant)
    }


def _child(package: str, module: str) -> str:
    """Direct child of a package that contains a module; empty where the module is elsewhere."""
    if not module.startswith(f"{package}."):
        return ""
    return module[len(package) + 1 :].partition(".")[0]


def _components(edges: Mapping[str, set[str]]) -> list[set[str]]:
    """Strongly connected components."""
    reach = {name: _from(edges, name) for name in edges}
    parts, seen = [], set()
    for name in sorted(edges):
        if name in seen:
            continue
        part = {name} | {other for other in reach[name] if name in reach.get(other, ())}
        seen |= part
        parts.append(part)
    return parts


def _from(edges: Mapping[str, set[str]], name: str) -> set[str]:
    seen: set[str] = set()
    waiting = list(edges[name])
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            waiting += edges.get(one, ())
    return seen


def _defaults(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int, object]]:
    """Name, line and value of the literal defaults of parameters and of annotated fields."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            pairs: Sequence[tuple[ast.arg, ast.expr | None]] = [
                *zip(
                    reversed([*node.args.posonlyargs, *node.args.args]),
                    reversed(node.args.defaults),
                    strict=False,
                ),
                *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True),
            ]
            found = [(one.arg, one.lineno, default) for one, default in pairs]
        elif isinstance(node, ast.ClassDef):
            fields = [one for one in node.body if isinstance(one, ast.AnnAssign)]
            found = [(ast.unparse(one.target), one.lineno, one.value) for one in fields]
        else:
            continue
        for name, line, default in found:
            if default is not None and (value := _literal(default)) is not None:
                yield name, line, value


def _literal(node: ast.expr) -> object:
    """The value of a literal, or of a quotient of two literals; None for anything else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        left, right = _literal(node.left), _literal(node.right)
        if isinstance(left, int | float) and isinstance(right, int | float):
            return left / right
    return None
