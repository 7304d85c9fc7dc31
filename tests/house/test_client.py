"""The browser client: one package draws, no addresses, one build."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from shown import script

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "client"
DRAWS = re.compile(
    r"""from\s+["']three|import\(["']three|require\(["']three|getContext\(\s*["'`]webgl|WebGL2?RenderingContext"""
    r"""|WebGLRenderer|gl_Position|new\s+THREE\."""
)


def sources() -> list[Path]:
    """Scripts, style sheets and pages of the client and of the package, without built or fetched files."""
    kinds = ("*.ts", "*.tsx", "*.js", "*.mjs", "*.svelte", "*.vue", "*.html", "*.glsl")
    found = [path for kind in kinds for folder in (CLIENT, ROOT / "src") for path in folder.rglob(kind)]
    built = re.findall(r'"(src/segue/[\w/]+)"', (ROOT / "scripts" / "client.py").read_text("utf-8"))
    assert built
    return [
        path
        for path in found
        if "node_modules" not in path.parts
        and not any(path.is_relative_to(ROOT / folder) for folder in built)
    ]


def test_only_the_stage_draws() -> None:
    """Only scripts in the stage's package call three.js, contain a shader or request a WebGL context."""
    drawing = [
        path.relative_to(ROOT).as_posix()
        for path in sources()
        if DRAWS.search(
            re.sub(r"//[^\n]*|/\*.*?\*/|`[^`]*WebGL[^`]*`", "", path.read_text("utf-8"), flags=re.DOTALL)
        )
    ]
    assert drawing
    assert [path for path in drawing if not path.startswith("client/stage/")] == []


def test_the_player_draws_through_the_stage() -> None:
    """Player and studio import the stage's public module only."""
    for path in sources():
        if "stage" not in path.relative_to(CLIENT if path.is_relative_to(CLIENT) else ROOT).parts[:1]:
            doors = re.findall(r"""from ["'][./]*stage/src/([\w/]+)["']""", path.read_text("utf-8"))
            assert set(doors) <= {"index"}, path


def test_the_lockfile_names_no_registry() -> None:
    """Every package of the lockfile has a digest and no address."""
    lock = json.loads((CLIENT / "package-lock.json").read_text("utf-8"))
    packages = {name: one for name, one in lock["packages"].items() if name}
    assert packages
    assert [name for name, one in packages.items() if "resolved" in one or not one.get("integrity")] == []
    document = json.loads((CLIENT / "package.json").read_text("utf-8"))
    versions = {**document["dependencies"], **document["devDependencies"]}.values()
    assert [version for version in versions if not re.fullmatch(r"\d+\.\d+\.\d+", version)] == []


def test_what_is_built_is_not_kept() -> None:
    """Git ignores built and fetched files, and holds none of them."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    assert not re.search(r"^(client/node_modules|src/segue/pictures/player/built)/", listed, re.MULTILINE)


@pytest.fixture(scope="module")
def client() -> ModuleType:
    """The build script as a module."""
    return script("scripts/client.py")


def test_a_changed_source_is_built_again(client: ModuleType, tmp_path: Path) -> None:
    """The digest of a part depends on its sources, so an older build is stale; without sources nothing is stale."""
    part = client.PARTS[0]
    for name in (*client.SHARED, part.config, "stage/src/a.ts", "player/src/b.ts"):
        path = tmp_path / "client" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    assert part in client.stale(tmp_path)
    stamp = tmp_path / part.built / client.STAMP
    stamp.parent.mkdir(parents=True)
    stamp.write_text(client.digest(part, tmp_path))
    assert part not in client.stale(tmp_path)
    (tmp_path / "client" / "stage" / "src" / "a.ts").write_text("changed")
    assert part in client.stale(tmp_path)
    (tmp_path / "client" / "package.json").unlink()
    assert client.stale(tmp_path) == []
