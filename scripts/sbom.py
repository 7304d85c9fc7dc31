"""The bill of materials inside the wheel: CycloneDX 1.6, in `segue-VERSION.dist-info/sboms/segue.cdx.json`.

`scripts/build_hook.py` calls `SbomHook` when hatch builds a wheel. The document is made from pyproject.toml and the
lockfile of ``client/`` alone, so that the same sources give the same bytes: it lists the components of segue (its
own code, and the packages built into its pages) and its pip requirements.

    python scripts/sbom.py                    # print it
    python scripts/sbom.py dist/segue-*.whl   # is it in that wheel, and is it that of these sources?
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import tomllib
import uuid
import zipfile
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ModuleNotFoundError:  # imported by its tests or run by hand, without a build
    BuildHookInterface = object

ROOT = Path(__file__).resolve().parents[1]
NAME = "segue.cdx.json"
TOOLS = ("docs", "dev")
"""Extras for developers of segue; not installed with it."""
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def document(project: dict[str, Any]) -> dict[str, Any]:
    """Return the bill of materials of the table ``project`` in pyproject.toml."""
    own = f"pkg:pypi/{project['name']}@{project['version']}"
    extras = {name: lines for name, lines in project["optional-dependencies"].items() if name not in TOOLS}
    asked = [("", line) for line in project["dependencies"]]
    asked += [(extra, line) for extra, lines in extras.items() for line in lines]
    components: dict[str, dict[str, Any]] = {}
    for extra, line in asked:
        name = re.sub(r"[-_.]+", "-", _NAME.match(line)[0]).lower()  # as PEP 503 writes names
        scope = "optional" if extra else "required"
        reference = f"pkg:pypi/{name}"
        new = {"type": "library", "bom-ref": reference, "name": name, "scope": scope, "purl": reference}
        given = components.setdefault(reference, new | {"properties": []})
        given["properties"].append({"name": "segue:requirement", "value": line})
        if extra and {"name": "segue:extra", "value": extra} not in given["properties"]:
            given["properties"].append({"name": "segue:extra", "value": extra})
    inside = bundled()
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "lifecycles": [{"phase": "build"}],
            "component": {
                "type": "library",
                "bom-ref": own,
                "name": project["name"],
                "version": project["version"],
                "description": project["description"],
                "authors": project["authors"],
                "licenses": [{"license": {"id": project["license"]}}],
                "purl": own,
            },
        },
        "components": [*components.values(), *inside],
        "dependencies": [
            {"ref": own, "dependsOn": [*components, *(one["bom-ref"] for one in inside)]},
            *({"ref": one} for one in (*components, *(one["bom-ref"] for one in inside))),
        ],
        # The wheel contains others' code only where it is built into the pages. Dependencies of libraries are not
        # listed.
        "compositions": [
            {"aggregate": "complete", "assemblies": [own, *(one["bom-ref"] for one in inside)]},
            {"aggregate": "incomplete", "dependencies": list(components)},
        ],
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bill, sort_keys=True))
    return {"serialNumber": f"urn:uuid:{serial}", **bill}


def bundled(root: Path = ROOT) -> list[dict[str, Any]]:
    """Return the packages of the client whose code is built into the pages of the wheel."""
    client = root / "client"
    if not (client / "package.json").is_file():
        return []
    locked = json.loads((client / "package-lock.json").read_text("utf-8"))["packages"]
    out = []
    for name in json.loads((client / "package.json").read_text("utf-8"))["dependencies"]:
        one = locked[f"node_modules/{name}"]
        reference = f"pkg:npm/{name}@{one['version']}"
        given = {
            "type": "library",
            "bom-ref": reference,
            "name": name,
            "version": one["version"],
            "scope": "required",
            "properties": [],
        }
        out.append(given | {"licenses": [{"license": {"id": one["license"]}}], "purl": reference})
    return out


def text(root: Path = ROOT) -> str:
    """Return the document for a folder's pyproject.toml as stored in the wheel."""
    return (
        json.dumps(document(tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]), indent=1)
        + "\n"
    )


class SbomHook(BuildHookInterface):
    """Add the bill of materials to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002  # hatch's words
        """Write it next to the build and register it with hatch, which copies it."""
        self._folder = tempfile.TemporaryDirectory()
        file = Path(self._folder.name) / NAME
        file.write_text(text(Path(self.root)), "utf-8")
        build_data["sbom_files"].append(str(file))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        self._folder.cleanup()


def check(wheel: Path) -> None:
    """Exit with a message unless a wheel holds the bill of materials of these sources."""
    with zipfile.ZipFile(wheel) as archive:
        inside = [
            name for name in archive.namelist() if re.fullmatch(rf"segue-[^/]+\.dist-info/sboms/{NAME}", name)
        ]
        if len(inside) != 1:
            raise SystemExit(f"{wheel} holds {len(inside)} files sboms/{NAME}; it must hold one")
        if archive.read(inside[0]).decode() != text():
            raise SystemExit(f"{inside[0]} is not that of these sources")
    print(f"{inside[0]}: {len(json.loads(text())['components'])} libraries")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        check(Path(sys.argv[1]))
    else:
        sys.stdout.write(text())
