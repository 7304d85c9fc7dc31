"""Files expected in a repository exist and agree with the sources: citation, workflow, hooks, commit subjects."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SINCE = "b2d36bc"
"""First commit to which the rule on subjects applies."""


def test_the_citation_is_of_this_version() -> None:
    """Version and licence are those of pyproject.toml, and each of the five sources is a reference."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert (citation["version"], citation["license"]) == (PROJECT["version"], PROJECT["license"])
    references = citation["references"]
    assert len(references) == 6  # one work is a thesis and a chapter
    assert all(one["title"] and one["authors"] and one["type"] and one["notes"] for one in references)


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github/workflows").glob("*.yml")), ids=lambda path: path.stem
)
def test_a_workflow_runs_the_one_command(path: Path) -> None:
    """Each workflow runs `make test` and no other steps, with read permission only."""
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    runs = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    assert runs == ["make test"]


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=lambda path: path.stem
)
def test_forms_of_reports_are_whole(path: Path) -> None:
    """Each form has a name, a description and fields with unique names, one of them required."""
    form = yaml.safe_load(path.read_text("utf-8"))
    assert form["name"]
    assert form["description"]
    names = [field["id"] for field in form["body"]]
    assert len(names) == len(set(names))
    assert any(field.get("validations", {}).get("required") for field in form["body"])


def test_hooks_run_what_the_project_has() -> None:
    """Every hook is local: a tool of requirements-dev.txt in .venv, or an existing script."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert [repo["repo"] for repo in hooks] == ["local"]
    locked = (ROOT / "requirements-dev.txt").read_text("utf-8")
    packages = {"lint-imports": "import-linter"}
    for hook in hooks[0]["hooks"]:
        program, *words = hook["entry"].split()
        if program == "sh":
            assert (ROOT / words[0]).is_file()
        else:
            tool = program.removeprefix(".venv/bin/")
            assert re.search(rf"^{packages.get(tool, tool)}==", locked, re.MULTILINE), hook["id"]


@pytest.mark.parametrize(
    ("message", "good"),
    [
        ("feet: drift at seams\n\nwhy", True),
        ("# a comment\nfeet: drift", True),
        ("Merge branch 'feet'", True),
        ("drift at seams", False),
        ("feet: " + 80 * "x", False),
        ("füße: " + 66 * "ü", True),
    ],
)
def test_a_subject_has_an_area_and_at_most_72_characters(tmp_path: Path, message: str, good: bool) -> None:
    """The hook accepts "area: what" and merges, and refuses a longer subject or one without an area."""
    (tmp_path / "message").write_text(message, encoding="utf-8")
    command = ["sh", str(ROOT / "scripts/commit_subject.sh"), str(tmp_path / "message")]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
    )
    assert (done.returncode == 0) is good, done.stderr


def test_subjects_of_commits_are_short() -> None:
    """No commit since the rule has a subject of more than 72 characters, merges excluded."""
    log = ["git", "log", "--no-merges", "--format=%h %s", f"{SINCE}..HEAD"]
    done = subprocess.run(log, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("no history that reaches back so far")
    assert not [line for line in done.stdout.splitlines() if len(line.partition(" ")[2]) > 72]
