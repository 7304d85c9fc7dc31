"""Unauthorised and oversized requests are refused."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from pathlib import Path

import pytest

from segue.errors import SettingError
from segue.studio import guard, limits
from segue.studio.calls_of_motions import export_path
from segue.studio.dropping import drop_name


def test_the_token_is_needed(studio) -> None:
    """A request without the token, or with another, is refused; the page's address sets a cookie that grants access."""
    host = {"host": f"127.0.0.1:{studio.port}"}
    for headers in (
        host,
        host | {"authorization": "Bearer wrong"},
        host | {"cookie": f"segue-{studio.port}=wrong"},
    ):
        for path in ("/", "/api/motion/clip:walk", "/exports/x.bvh", "/index.html"):
            assert studio.ask("GET", path, headers=headers)[0] == 403
    assert studio.ask("GET", "/?token=wrong", headers=host)[0] == 403
    status, _, headers = studio.ask("GET", f"/?token={studio.token}", headers=host)
    assert (status, headers["location"]) == (303, "/")
    cookie = headers["set-cookie"].split(";")[0]
    assert "HttpOnly" in headers["set-cookie"]
    assert "SameSite=Strict" in headers["set-cookie"]
    status, body, headers = studio.ask("GET", "/", headers=host | {"cookie": cookie})
    assert (status, body) == (200, b"<title>page</title>")
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_a_browser_that_is_refused_gets_a_page(studio) -> None:
    """The page gives the reason in a sentence; a host name with markup in it is text, and no script may run."""
    host = {"host": f"127.0.0.1:{studio.port}", "accept": "text/html,*/*"}
    status, body, headers = studio.ask("GET", "/?token=wrong", headers=host)
    assert (status, headers["content-type"]) == (403, "text/html; charset=utf-8")
    assert b"This address has no valid token; open the one that the terminal shows" in body
    assert "default-src 'self'" in headers["content-security-policy"]
    status, body, _ = studio.ask("GET", "/", headers=host | {"host": "<b>evil</b>"})
    assert status == 421
    assert b"<b>" not in body
    assert b"&lt;b&gt;evil" in body


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("host", "evil.example", 421),
        ("host", "127.0.0.1:1", 421),
        ("host", "127.0.0.1.evil.example:{port}", 421),
        ("origin", "http://evil.example", 403),
        ("origin", "null", 403),
        ("origin", "https://127.0.0.1:{port}", 403),
        ("origin", "http://localhost:{port}", 403),
        ("sec-fetch-site", "cross-site", 403),
        ("sec-fetch-site", "same-site", 403),
    ],
)
def test_other_sites_are_refused(studio, name: str, value: str, status: int) -> None:
    """Another host name (DNS rebinding) or another page's origin is refused even with the token."""
    headers = studio.headers | {name: value.format(port=studio.port)}
    assert studio.ask("POST", "/api/project", b"{}", headers)[0] == status
    assert studio.ask("GET", "/", None, headers)[0] == status


def test_a_cookie_alone_changes_nothing(studio) -> None:
    """A POST without an origin is refused with the cookie alone."""
    headers = {"host": f"127.0.0.1:{studio.port}", "cookie": f"segue-{studio.port}={studio.token}"}
    assert studio.ask("POST", "/api/project", b"{}", headers)[0] == 403
    origin = {"origin": f"http://127.0.0.1:{studio.port}"}
    assert studio.ask("POST", "/api/project", b"{}", headers | origin)[0] == 200


@pytest.mark.parametrize(
    "path",
    ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/exports/..%2f..%2fetc%2fpasswd", "/exports/%2fetc%2fpasswd",
     "/exports/..", "//etc/passwd", "/api/motion/file:/etc/passwd", "/api/thumbnail/..%2f..%2fetc"],
)  # fmt: skip
def test_no_path_leads_outside(studio, path: str) -> None:
    """Every address is one of the page's files or an export."""
    status, body, _ = studio.ask("GET", path)
    assert status in {404, 405, 422}
    assert b"root:" not in body


@pytest.mark.parametrize(
    "name", ["../x", "/tmp/x", "a/b", "..", "", ".hidden", "x\x00", "con/../../x", "x" * 99]
)
def test_names_of_exports_are_plain(tmp_path: Path, name: str) -> None:
    """Other names are refused before anything is written."""
    with pytest.raises(SettingError):
        export_path(tmp_path, name, ".bvh")
    with pytest.raises(SettingError):
        drop_name(f"{name}.exe" if name.startswith("x" * 9) else f"{name}/")


def test_a_large_upload_is_refused_at_once(studio) -> None:
    """An announced gigabyte is refused before it arrives; an unannounced one ends at the limit."""
    begin = time.monotonic()
    headers = studio.headers | {"content-length": str(1 << 30)}
    with socket.create_connection(("127.0.0.1", studio.port), timeout=20) as raw:
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        raw.sendall(f"PUT /api/import/big.bvh HTTP/1.1\r\n{head}\r\n".encode())
        assert b" 413 " in raw.recv(200)
    with socket.create_connection(("127.0.0.1", studio.port), timeout=20) as raw:
        head = "".join(f"{name}: {value}\r\n" for name, value in studio.headers.items())
        raw.sendall(f"POST /api/project HTTP/1.1\r\n{head}transfer-encoding: chunked\r\n\r\n".encode())
        piece = b"10000\r\n" + b" " * 65536 + b"\r\n"
        try:
            for _ in range(60):
                raw.sendall(piece)
        except OSError:
            pass
        try:
            answer = raw.recv(300)
        except OSError:
            answer = b""
        assert b" 200 " not in answer
    assert time.monotonic() - begin < 10
    assert studio.call("project")["kind"] == "samples"


def test_a_body_that_goes_on_is_not_read_to_its_end(studio, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body of unknown length is answered with 413 at its limit, and the connection is closed."""
    monkeypatch.setattr(guard, "UPLOAD", 1 << 21)
    head = "".join(f"{name}: {value}\r\n" for name, value in studio.headers.items())
    piece, sent, answer = b"10000\r\n" + b" " * 65536 + b"\r\n", 0, b""
    with socket.create_connection(("127.0.0.1", studio.port), timeout=20) as raw:
        raw.sendall(f"PUT /api/import/x.bvh HTTP/1.1\r\n{head}transfer-encoding: chunked\r\n\r\n".encode())
        with suppress(OSError):
            while sent < 1 << 12:
                raw.sendall(piece)
                sent += 1
        with suppress(OSError):
            answer = raw.recv(300)
    assert sent < 1 << 12
    assert not answer or b" 413 " in answer


def test_silent_connections_are_closed(studio, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that never completes its head is closed, even if bytes drip in, and the server continues."""
    monkeypatch.setattr(limits, "OPENING", 0.4)
    silent = [socket.create_connection(("127.0.0.1", studio.port), timeout=10) for _ in range(20)]
    for one in silent[:10]:
        one.sendall(b"GET / HTTP/1.1\r\nhost: ")
    begin = time.monotonic()
    for one in silent:
        assert one.recv(10) in {b"", b"HTTP/1.1 4"}
        one.close()
    assert time.monotonic() - begin < 5
    assert studio.call("project")["kind"] == "samples"
