"""How long the server waits for the other side of a connection; then it hangs up.

A browser sends its request at once and reads what it asked for. Who connects and is silent, or asks and does not
read, would hold a connection, or a place among the jobs, for as long as it likes.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 10.0  # from the connection, or from the answer before, to the end of a request's head
READING_SECONDS = 20.0  # in which a reader whose buffers are full takes the better part of 64 KiB


class Impatient(H11Protocol):
    """uvicorn's protocol, with an end to the waiting."""

    _silent: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Waits for a request."""
        super().connection_made(transport)
        self._await_request()

    def on_response_complete(self) -> None:
        """Waits for the next one."""
        super().on_response_complete()
        self._await_request()

    def pause_writing(self) -> None:
        """Waits for the reader."""
        super().pause_writing()
        self._unread = self.loop.call_later(READING_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """It has read."""
        super().resume_writing()
        _cancel(self._unread)

    def connection_lost(self, exc: Exception | None) -> None:
        """Waits for nothing any more."""
        _cancel(self._silent)
        _cancel(self._unread)
        super().connection_lost(exc)

    def _await_request(self) -> None:
        _cancel(self._silent)
        self._silent = self.loop.call_later(REQUEST_SECONDS, self._hang_up)

    def _hang_up(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
