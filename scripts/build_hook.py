"""Hatch build hook: build the client, and add the bill of materials to the wheel."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))

import client
import sbom


class SegueHook(BuildHookInterface):
    """Hatch calls it for the wheel, the sdist and an editable install."""

    def dependencies(self) -> list[str]:
        """Node, if a part of the client must be built."""
        return [client.NODE] if client.stale(Path(self.root)) else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the client; for a wheel also write the bill of materials."""
        client.ensure(Path(self.root))
        self._bill = None
        if self.target_name == "wheel":
            self._bill = sbom.SbomHook(
                self.root, self.config, self.build_config, self.metadata, self.directory, self.target_name
            )
            self._bill.initialize(version, build_data)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the bill of materials."""
        if self._bill is not None:
            self._bill.finalize(version, build_data, artifact_path)
