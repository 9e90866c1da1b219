"""Who may ask: the checks before every request, and the headers of every answer."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_LONGEST_QUERY = 2000
_ANSWERS = ("/api/", "/download/")  # what takes work
_KEY = b"key="
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@final
@dataclass(frozen=True)
class Refusal:
    """Why a request is not answered, and with which status."""

    status: int
    reason: str


@final
@dataclass(frozen=True)
class Access:
    """Which requests are let in.

    Examples
    --------
    >>> access = Access(8349)
    >>> access.refusal("GET", "/", {"host": "127.0.0.1:8349"}) is None
    True
    >>> access.refusal("GET", "/", {"host": "evil.example:8349"}).status
    403
    >>> page, link = {"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "cross-site"}
    >>> link |= {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    >>> host = {"host": "localhost:8349"}
    >>> [access.refusal("GET", path, host | link) is None for path in ("/", "/api/design")]
    [True, False]
    >>> access.refusal("GET", "/api/design", host | page) is None
    True
    """

    port: int  # the port that the page is served on
    # The names, without a port, under which the page may be asked for. A name beyond them is refused, so that
    # a foreign name which resolves to this machine leads nowhere (DNS rebinding).
    hosts: tuple[str, ...] = _LOCAL
    # Whether every numeric address is let in too: the page is served on all addresses of this machine.
    any_address: bool = False
    token: str | None = None  # what every path must begin with; None on this machine's own loopback address
    # What the page itself adds to what it asks: only a browser that does not say who asks needs it.
    key: str = field(default_factory=lambda: secrets.token_urlsafe(24), compare=False, repr=False)

    @classmethod
    def beyond(cls, port: int, *names: str, any_address: bool = False) -> "Access":
        """Return the access from other machines, with a token that nobody can guess."""
        return cls(port, (*_LOCAL, *names), any_address, secrets.token_urlsafe(24))

    @property
    def prefix(self) -> str:
        """What the path of every address begins with."""
        return "" if self.token is None else f"/{self.token}"

    def refusal(self, method: str, path: str, headers: Mapping[str, str], key: str = "") -> Refusal | None:
        """Return why a request is refused, None if it is not.

        Other pages may lead to the page, and to nothing else: answers take work, so that only the page asks
        for them. Browsers say so (fetch metadata); where one says nothing, the page's `key` does.
        """
        host = headers.get("host", "")
        if not self._knows(host):
            return Refusal(403, "this page does not answer under that name; use the link that quiff printed")
        if self.token is not None:
            given = path.split("/")[1] if "/" in path else ""
            if not secrets.compare_digest(given.encode(), self.token.encode()):
                return Refusal(403, "the link is not complete; use the whole link that quiff printed")
        if "origin" in headers and headers["origin"] != f"http://{host}":
            return Refusal(403, "other pages may not ask this one")
        here, asked = path.removeprefix(self.prefix), headers.get("sec-fetch-site")
        if asked == "same-origin" or (asked is None and self._has_key(here, key)):
            pass
        elif asked not in (None, "none") and not (here == "/" and _followed(headers)):
            return Refusal(403, "other pages may not ask this one")
        elif here.startswith(_ANSWERS):
            return Refusal(403, "only the page itself may ask for this; open the link that quiff printed")
        return None if method == "GET" else Refusal(405, "only GET is answered")

    def _has_key(self, path: str, key: str) -> bool:
        """Tell whether a request comes from the page, as far as it takes work; a token is as good."""
        known = secrets.compare_digest(key.encode(), self.key.encode())
        return known or self.token is not None or not path.startswith(_ANSWERS)

    def _knows(self, host: str) -> bool:
        name, _, port = host.rpartition(":")
        if port != str(self.port):
            return False
        return name.lower() in self.hosts or (self.any_address and _is_address(name))


def _followed(headers: Mapping[str, str]) -> bool:
    """Tell whether somebody followed a link, from a message for example."""
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


def _is_address(name: str) -> bool:
    try:
        ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


class Guard:
    """Refuses what `Access` does not let in, takes the token off the path, and adds the headers."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        guarded = _with_headers(send)
        parts = scope["query_string"].split(b"&")
        key = next((part.removeprefix(_KEY) for part in parts if part.startswith(_KEY)), b"")
        query = b"&".join(part for part in parts if not part.startswith(_KEY))
        refusal = self._access.refusal(
            scope["method"], scope["path"], Headers(scope=scope), key.decode("latin-1")
        )
        if refusal is None and len(query) > _LONGEST_QUERY:
            refusal = Refusal(400, f"the address is too long: at most {_LONGEST_QUERY} characters")
        if refusal is not None:
            answer = PlainTextResponse(refusal.reason + "\n", refusal.status)
            await answer(scope, receive, guarded)
            return
        path = scope["path"].removeprefix(self._access.prefix)
        inner: dict[str, Any] = {**scope, "path": path, "query_string": query}
        await self._app(inner, receive, guarded)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sending
