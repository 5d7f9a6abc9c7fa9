"""Keeps out what does not come from the page itself.

The server listens on the loopback address only. A page of another site that is open in the same browser could still
send requests there, or reach it under a name of its own that resolves to 127.0.0.1. Hence:

- the Host must be one of ours, which a foreign name is not;
- requests for data that another site's page makes (Origin, Sec-Fetch-Site) are refused, and no answer allows
  to be read by one;
- only GET and HEAD, only addresses of moderate length;
- the page may load nothing from elsewhere, and no other page may frame it.
"""

from __future__ import annotations

from collections.abc import Iterable

from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gpruntime.model.errors import BadInput
from gpruntime.watch.choice import MAX_ADDRESS

SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def refusal(status: int, name: str, value: str, allowed: str) -> JSONResponse:
    """An error as the page and a person read it."""
    error = BadInput(name, value, allowed)
    words = {"name": name, "value": error.shown_value, "allowed": allowed, "message": str(error)}
    return JSONResponse({"error": words}, status)


class Guard:
    """Around the application."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = {host.lower() for host in hosts}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuses the request or passes it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SECURITY_HEADERS)
            await send(message)

        answer = self._refused(scope) or self._app
        await answer(scope, receive, send_guarded)

    def _refused(self, scope: Scope) -> JSONResponse | None:
        headers: dict[bytes, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value.decode("latin-1").lower())
        hosts = headers.get(b"host", [])
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return refusal(403, "host", ", ".join(hosts), f"must be {' or '.join(sorted(self._hosts))}")
        if scope["method"] not in ("GET", "HEAD"):
            return refusal(405, "method", scope["method"], "must be GET")
        if len(scope["raw_path"]) + len(scope["query_string"]) > MAX_ADDRESS:
            return refusal(414, "address", "this one", f"must have at most {MAX_ADDRESS:,} characters")
        if scope["path"].startswith("/api/"):
            for origin in headers.get(b"origin", []):
                if origin not in self._origins:
                    return refusal(403, "origin", origin, "must be the page itself")
            for site in headers.get(b"sec-fetch-site", []):
                if site not in ("same-origin", "none"):
                    return refusal(403, "sec-fetch-site", site, "must be the page itself")
        return None
