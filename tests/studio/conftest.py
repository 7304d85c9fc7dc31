"""A studio on its own port, in a thread, for all tests of a module."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from shown import shown


@dataclass(frozen=True)
class Client:
    """A client of the studio; its default headers hold the right token."""

    port: int
    token: str
    exports: Path
    hub: Any

    @property
    def headers(self) -> dict[str, str]:
        """Headers of a request from a program on this machine."""
        return {"authorization": f"Bearer {self.token}", "host": f"127.0.0.1:{self.port}"}

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, bytes, dict[str, str]]:
        """Status, body and headers of an answer; ``headers`` replaces the default headers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path, body, self.headers if headers is None else headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content, {name.lower(): value for name, value in answer.getheaders()}

    def call(self, name: str, /, **ask: Any) -> Any:
        """Answer of a successful call."""
        status, body, _ = self.ask("POST", f"/api/{name}", json.dumps(ask).encode())
        assert status == 200, body
        return json.loads(body)


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A studio over the embedded clips."""
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    from segue.studio.project import Project
    from segue.studio.server import opened
    from segue.studio.state import Studio

    room = tmp_path_factory.mktemp("studio")
    page = room / "page"
    page.mkdir()
    (page / "index.html").write_text("<title>page</title>")
    exports = room / "exports"
    with shown("_studio").in_thread(
        lambda ready: opened(Studio(Project(None, exports)), page=page, ready=ready)
    ) as server:
        yield Client(server.guard.port, server.guard.token, exports, server.hub)
