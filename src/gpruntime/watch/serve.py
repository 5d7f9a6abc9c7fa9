"""The server on this machine's loopback address, until Ctrl-C."""

from __future__ import annotations

import errno
import os
import socket
import threading
from collections.abc import Callable
from types import FrameType

from gpruntime.model.errors import BadInput
from gpruntime.watch.offer import OURS, Offer

ADDRESS = "127.0.0.1"
USUAL_PORT = 8750
_ENDING_SECONDS = 6.0  # every job of ours ends within a slice or two; a user's own function may never return


def loopback_socket(port: int | None) -> socket.socket:
    """A socket bound to 127.0.0.1: on this port, or on the usual one and, if that is taken, on any."""
    for candidate in (USUAL_PORT, 0) if port is None else (port,):
        bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
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

    from gpruntime.watch.ending import Ending
    from gpruntime.watch.jobs import CONNECTIONS
    from gpruntime.watch.patience import Impatient
    from gpruntime.watch.server import make_app

    port = bound.getsockname()[1]
    hosts = [f"{name}:{port}" for name in ("127.0.0.1", "localhost")]
    app = Ending(make_app(hosts if port != 80 else [*hosts, "127.0.0.1", "localhost"], offer))
    config = uvicorn.Config(
        app,
        http=Impatient,
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
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            if self.started:
                started()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            app.begin()
            last_resort.start()
            await super().shutdown(sockets=sockets)

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            super().handle_exit(sig, frame)
            self.force_exit = False  # a second Ctrl-C is no reason for disorder: every job ends within a slice or two

    Server(config).run(sockets=[bound])
    last_resort.cancel()
