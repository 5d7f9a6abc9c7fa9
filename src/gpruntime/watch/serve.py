"""The server on this machine's loopback address, until Ctrl-C.

uvicorn limits the number of connections. It keeps one that sends no request, or does not read its answer, for ever; so
the server hangs up where nothing has happened for a while.
"""

from __future__ import annotations

import errno
import os
import socket
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from gpruntime.model.errors import BadInput
from gpruntime.systems import PORT_OF_OUR_OWN
from gpruntime.watch.offer import OURS, Offer

ADDRESS = "127.0.0.1"
USUAL_PORT = 8750
STALLED_SECONDS = 20.0  # without a request, or with an answer of which nothing is read
_ENDING_SECONDS = 6.0  # every job of ours ends within a slice or two; a user-defined function may never return


def loopback_socket(port: int | None) -> socket.socket:
    """A socket bound to 127.0.0.1: on this port, or on the usual one and, if that is taken, on any."""
    for candidate in (USUAL_PORT, 0) if port is None else (port,):
        bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        bound.setsockopt(socket.SOL_SOCKET, PORT_OF_OUR_OWN, 1)
        try:
            bound.bind((ADDRESS, candidate))
            bound.listen(64)  # a second server finds the port taken already here
        except OSError as error:
            bound.close()
            if error.errno == errno.EADDRINUSE and port is None:
                continue
            if error.errno == errno.EADDRINUSE:
                raise BadInput("port", port, "is in use; give another, or 0 for any that is free") from None
            if error.errno == errno.EACCES:
                raise BadInput("port", port, "may not be used by you; give one above 1023") from None
            raise
        else:
            return bound
    raise AssertionError("port 0 is always free")


def serve(bound: socket.socket, started: Callable[[], None], offer: Offer = OURS) -> None:
    """Serves what is on offer until Ctrl-C; calls `started` when requests can come."""
    import uvicorn

    from gpruntime.watch.jobs import CONNECTIONS
    from gpruntime.watch.server import Desk, make_app

    port = bound.getsockname()[1]
    hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost")]
    desk = Desk(offer)
    config = uvicorn.Config(
        make_app(hosts if port != 80 else [*hosts, "127.0.0.1", "localhost"], desk),
        http="h11",
        log_level="error",
        access_log=False,
        ws="none",
        lifespan="on",
        proxy_headers=False,
        server_header=False,
        date_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=10,
    )

    last_resort = threading.Timer(_ENDING_SECONDS, os._exit, (130,))
    last_resort.daemon = True

    class Server(uvicorn.Server):
        _stalled: dict[Any, tuple[Any, float]] = {}  # noqa: RUF012  # connections: their state, and since when

        async def on_tick(self, counter: int) -> bool:
            """Called ten times a second."""
            now, stalled = time.monotonic(), {}
            for connection in list[Any](self.server_state.connections):
                is_silent = connection.cycle is None or connection.cycle.response_complete
                unread = connection.transport.get_write_buffer_size()
                if is_silent or unread:
                    state = (connection.cycle, unread)
                    before, since = self._stalled.get(connection, (None, now))
                    stalled[connection] = (state, since if state == before else now)
                    if now - stalled[connection][1] > STALLED_SECONDS:
                        connection.transport.abort()
            self._stalled = stalled
            return await super().on_tick(counter)

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            if self.started:
                started()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            desk.end()
            last_resort.start()
            await super().shutdown(sockets=sockets)

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            super().handle_exit(sig, frame)
            self.force_exit = False  # a second Ctrl-C is no reason for disorder: every job ends within a slice or two

    Server(config).run(sockets=[bound])
    last_resort.cancel()
