"""Bounds, exact versions and the bill of materials agree with one another."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from shown import script

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
USED_INSIDE = ("numba", "llvmlite")
"""Libraries whose private functions segue calls."""
UNTRIED = ("gpu",)
"""Extras whose lowest version is too large to install for every change."""


def locked() -> dict[str, Version]:
    """Versions of requirements-dev.txt by name."""
    lines = (ROOT / "requirements-dev.txt").read_text("utf-8").splitlines()
    pairs = [line.split("==") for line in lines if not line.startswith("#")]
    return {canonicalize_name(name): Version(version) for name, version in pairs}


def asked(*extras: str) -> list[Requirement]:
    """Requirements of segue and of some extras."""
    return script("scripts/lowest.py").requirements(PROJECT, *extras)


def test_the_exact_versions_are_a_plain_list() -> None:
    """Each line is one NAME==VERSION, in alphabetical order, none twice; there is no address to fetch them from."""
    head, *lines = (ROOT / "requirements-dev.txt").read_text("utf-8").splitlines()
    assert head.startswith("#")
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.+!]*", line) for line in lines)
    names = [canonicalize_name(line.split("==")[0]) for line in lines]
    assert len(set(names)) == len(names)
    assert names == sorted(names)


def test_the_exact_versions_lie_within_the_bounds() -> None:
    """Every requirement of segue and its developers has an exact version, within the bounds of pyproject.toml."""
    found = locked()
    for one in asked("dev"):
        version = found[canonicalize_name(one.name)]
        assert one.specifier.contains(version), f"{one} does not allow {version}"


def test_every_requirement_has_a_lower_bound() -> None:
    """This holds for users and developers; the lowest versions are read from the bounds."""
    extras = [name for name in PROJECT["optional-dependencies"] if name not in UNTRIED]
    for one in asked(*extras):
        assert [s.operator for s in one.specifier].count(">=") == 1, str(one)


def test_libraries_used_inside_have_an_upper_bound() -> None:
    """The bound is right above the tested version: its minor release and nothing later."""
    found = locked()
    upper = {
        one.name: Version(bound.version)
        for one in map(Requirement, PROJECT["dependencies"])
        for bound in one.specifier
        if bound.operator == "<"
    }
    assert set(upper) == set(USED_INSIDE)
    for name, bound in upper.items():
        major, minor = found[name].release[:2]
        assert bound == Version(f"{major}.{minor + 1}"), name


def test_libraries_imported_are_asked_for() -> None:
    """A name imported from numba's own libraries is a dependency of segue, not only of numba."""
    names = {canonicalize_name(one.name) for one in map(Requirement, PROJECT["dependencies"])}
    text = "\n".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    direct = set(
        re.findall(
            r"^\s*(?:import|from) (numpy|scipy|numba|llvmlite|typer|click|rich|msgspec)\b", text, re.MULTILINE
        )
    )
    assert direct == names


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_the_lowest_versions_are_those_of_the_bounds(python: str) -> None:
    """Each Python uses the highest bound that applies to it; numpy 1.26 wherever it has wheels."""
    lowest = script("scripts/lowest.py")
    lines = lowest.lowest(lowest.requirements(PROJECT, "plot", "fbx", "usd", "scale", "learn", python=python))
    assert f"numpy=={'2.1' if python == '3.13' else '1.26'}" in lines
    assert len({line.split("==")[0] for line in lines}) == len(lines)
    assert "dask[distributed]==2024.8" in lines


def test_a_requirement_without_a_lower_bound_is_refused() -> None:
    """Without a lower bound there is no lowest version to test."""
    with pytest.raises(SystemExit, match="no lower bound"):
        script("scripts/lowest.py").lowest([Requirement("numpy<3")])


def test_the_bill_of_materials_names_what_pip_is_asked_for() -> None:
    """Each library is listed once with its requirements; those of extras are optional; developer tools are excluded."""
    bill = script("scripts/sbom.py").document(PROJECT)
    own = bill["metadata"]["component"]
    assert (own["name"], own["version"], own["purl"]) == (
        "segue",
        PROJECT["version"],
        f"pkg:pypi/segue@{PROJECT['version']}",
    )
    scopes = {one["name"]: one["scope"] for one in bill["components"]}
    assert len(scopes) == len(bill["components"])
    required = {canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]}
    assert {name for name, scope in scopes.items() if scope == "required"} == required | {"three"}
    three = next(one for one in bill["components"] if one["name"] == "three")
    assert three["purl"].startswith("pkg:npm/three@")
    assert three["licenses"] == [{"license": {"id": "MIT"}}]
    assert {"torch", "usd-core", "dask"} <= {name for name, scope in scopes.items() if scope == "optional"}
    assert not {"ruff", "pytest", "sphinx"} & set(scopes)
    given = [
        p["value"] for c in bill["components"] for p in c["properties"] if p["name"] == "segue:requirement"
    ]
    assert set(PROJECT["dependencies"]) <= set(given)
    assert bill["dependencies"][0]["dependsOn"] == [one["bom-ref"] for one in bill["components"]]


def test_the_bill_of_materials_is_the_same_each_time() -> None:
    """It contains no time or random number; another requirement gives another serial number."""
    sbom = script("scripts/sbom.py")
    assert sbom.text() == sbom.text()
    other = PROJECT | {"dependencies": [*PROJECT["dependencies"], "tqdm>=4"]}
    assert sbom.document(other)["serialNumber"] != sbom.document(PROJECT)["serialNumber"]
    assert json.loads(sbom.text()) == sbom.document(PROJECT)


@pytest.mark.parametrize("inside", [None, "{}", "twice"])
def test_a_wheel_without_its_bill_is_refused(tmp_path: Path, inside: str | None) -> None:
    """A wheel with no bill, the bill of other sources, or two is refused."""
    sbom = script("scripts/sbom.py")
    wheel = tmp_path / "segue-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for folder in (
            ("segue-0.1.0", "segue-0.2.0") if inside == "twice" else ("segue-0.1.0",) if inside else ()
        ):
            archive.writestr(f"{folder}.dist-info/sboms/{sbom.NAME}", inside or "")
    with pytest.raises(SystemExit, match=r"must hold one|not that of these sources"):
        sbom.check(wheel)


def test_no_address_of_a_registry_stands_in_what_is_shipped() -> None:
    """Users choose their own package registry."""
    files = subprocess.run(
        ["git", "ls-files", "*.toml", "*.txt", "*.cff", "*.yml", "*.yaml", "*.md", "scripts", "Makefile"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    for name in files or ["pyproject.toml", "requirements-dev.txt"]:
        text = (ROOT / name).read_text("utf-8")
        assert not re.search(r"index-url|find-links|https?://[^\s\"']*(pypi|pythonhosted|simple)", text), name
    assert "://" not in script("scripts/sbom.py").text()
