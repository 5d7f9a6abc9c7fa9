"""The end of the server while it is answering: every answer is given up, in order, and no one waits for it."""

from __future__ import annotations

import asyncio
import contextlib

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Ending:
    """Around the application. `begin` ends what is being answered, and refuses what still comes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._begun = asyncio.Event()

    def begin(self) -> None:
        """To be called in the server's loop."""
        self._begun.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers, unless the server ends."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = complete = False

        async def send_noted(message: Message) -> None:
            nonlocal started, complete
            await send(message)
            started = True
            complete = message["type"] == "http.response.body" and not message.get("more_body", False)

        work = asyncio.ensure_future(self._app(scope, receive, send_noted))
        end = asyncio.ensure_future(self._begun.wait())
        try:
            await asyncio.wait((work, end), return_when=asyncio.FIRST_COMPLETED)
        finally:
            end.cancel()
            if not work.done():
                work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await work
            return
        if not started:
            await JSONResponse({"error": {"message": "the server ends"}}, 503)(scope, receive, send)
        elif not complete:
            await send({"type": "http.response.body", "body": b"", "more_body": False})
