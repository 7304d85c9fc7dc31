"""Access control: a request needs the token, this page's Origin, a known Host, and a body within the size limit.

The token is in the printed URL; the first response stores it in a cookie that only this page can send, and redirects to
an address without it. Pages of other sites are refused by their Origin. Other host names that resolve to this machine
(DNS rebinding) are refused by their Host.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

import msgspec

from segue.studio.messages import Failure
from segue.studio.sentences import refused_page

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

BODY, UPLOAD = 1 << 20, 1 << 27
"""Most bytes of a call, and of a dropped file."""
PATIENCE = 20.0
"""Most seconds to wait for the next piece of a body."""
_POLICY = (
    b"default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; "
    b"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", _POLICY),
)


class TooLarge(Exception):  # noqa: N818  # raised and caught in this module
    """A body exceeds the size limit."""


@dataclass
class Guard:
    """An ASGI application in front of another, which passes only permitted requests.

    Parameters
    ----------
    app
        The application behind the guard.
    port
        Port of the server.
    hosts
        Names of this machine under which the page may be opened.
    token
        Secret of this run.
    hint
        Message for requests without the token.
    """

    app: App
    port: int
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    hint: str = (
        "this address has no valid token; open the one that the terminal shows, which is another each time the "
        "studio is started"
    )

    @property
    def cookie(self) -> str:
        """Name of the cookie, one per port."""
        return f"segue-{self.port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request or a socket on, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in reversed(scope["headers"])}
        why = self._why_not(scope, headers)
        if scope["type"] == "websocket":
            if why:
                await _close(receive, send)
            else:
                await self.app(scope, receive, send)
            return
        if not why and scope["method"] == "GET" and self._asks_with_token(scope):
            await self._welcome(send)
            return
        if not why and not self._knows_token(headers):
            why = (403, self.hint)
        most = UPLOAD if scope["path"].startswith("/api/import/") else BODY
        if not why and _length(headers) > most:
            why = (413, f"is too large: at most {most >> 20} MB can be sent at once")
        if why:
            looks = scope["method"] == "GET" and b"text/html" in headers.get(b"accept", b"")
            await _refuse(send, *why, page=looks)
            return
        await self._passed(scope, receive, send, most=most)

    async def _passed(self, scope: Scope, receive: Receive, send: Send, *, most: int) -> None:
        """Pass a request on, with its body limited to ``most`` bytes and security headers added to the answer."""
        body = _Body(receive, most)
        expected = bool({b"content-length", b"transfer-encoding"} & set(dict(scope["headers"])))

        async def sending(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                known = {name for name, _ in message.get("headers", [])}
                more = [pair for pair in _HEADERS if pair[0] not in known]
                if expected and not body.whole:  # the rest of the body is not read
                    more.append((b"connection", b"close"))
                message = {**message, "headers": [*message.get("headers", []), *more]}
            await send(message)

        await self.app(scope, body.receive, sending)

    def _why_not(self, scope: Scope, headers: MutableMapping[bytes, bytes]) -> tuple[int, str] | None:
        """Return status and message if the host, the origin or, for a socket, the token is wrong; else None."""
        host = headers.get(b"host", b"").decode("latin-1").lower()
        known = {f"{name}:{self.port}" for name in self.hosts}
        if self.port == 80:
            known |= set(self.hosts)
        if host not in known:
            return 421, f"this server is not called {host!r}; open the address that the terminal shows"
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1").lower() != f"http://{host}":
            return 403, "pages of another origin may not ask this server"
        if headers.get(b"sec-fetch-site", b"same-origin") not in {b"same-origin", b"none"}:
            return 403, "pages of another site may not ask this server"
        return self._not_sent_by_us(scope, headers)

    def _not_sent_by_us(self, scope: Scope, headers: MutableMapping[bytes, bytes]) -> tuple[int, str] | None:
        """Return status and message for a change or a socket without an origin, or an unsupported method; else None."""
        nameless = b"origin" not in headers and b"authorization" not in headers
        if scope["type"] == "websocket":
            if nameless or not self._knows_token(headers):
                return 403, "this socket has no valid token, or no origin"
        elif scope["method"] not in {"GET", "HEAD", "POST", "PUT"}:
            return 405, "method not allowed"
        elif scope["method"] in {"POST", "PUT"} and nameless:
            return 403, "a request that changes data needs an Origin or Authorization header"
        return None

    def _asks_with_token(self, scope: Scope) -> bool:
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        return scope["path"] == "/" and len(given) == 1 and self._is(given[0])

    def _knows_token(self, headers: MutableMapping[bytes, bytes]) -> bool:
        kind, _, word = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if kind.lower() == "bearer" and self._is(word):
            return True
        try:
            cookies = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1"))
        except CookieError:
            return False
        return self.cookie in cookies and self._is(cookies[self.cookie].value)

    def _is(self, word: str) -> bool:
        return hmac.compare_digest(word.encode(), self.token.encode())

    async def _welcome(self, send: Send) -> None:
        """Store the token in a cookie and redirect to the page without it in the address."""
        cookie = f"{self.cookie}={self.token}; HttpOnly; SameSite=Strict; Path=/"
        headers = [
            (b"location", b"/"),
            (b"set-cookie", cookie.encode()),
            (b"content-length", b"0"),
            *_HEADERS,
        ]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def _length(headers: MutableMapping[bytes, bytes]) -> int:
    given = headers.get(b"content-length", b"0")
    return int(given) if given.isdigit() else 0


class _Body:
    """A body received in pieces, with a limit on its bytes and a timeout for each piece."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._most = receive, most
        self._came, self.whole = 0, False

    async def receive(self) -> MutableMapping[str, Any]:
        """Return the next piece.

        Raises
        ------
        TooLarge
            If the body exceeds its limit.
        TimeoutError
            If the piece does not arrive within `PATIENCE`.
        """
        if self.whole:
            return await self._receive()  # returns when the client disconnects
        message = await asyncio.wait_for(self._receive(), PATIENCE)
        if message["type"] == "http.request":
            self._came += len(message.get("body", b""))
            self.whole = not message.get("more_body", False)
            if self._came > self._most:
                self.whole = False
                raise TooLarge
        return message


async def _refuse(send: Send, status: int, sentence: str, *, page: bool) -> None:
    body = refused_page(sentence) if page else msgspec.json.encode(Failure(sentence))
    headers = [
        (b"content-type", b"text/html; charset=utf-8" if page else b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        *_HEADERS,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _close(receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.close", "code": 1008, "reason": "refused"})
