"""Dask, where a study needs it: connecting, and waiting."""

from __future__ import annotations

import errno
import logging
from typing import Any

from gpruntime.model.errors import BadInput

_CONNECT_SECONDS = 15


def connect(address: str, workers: int) -> tuple[Any, Any]:
    """A client of the scheduler at this address, and None; or, for "local", of a new cluster, and that cluster."""
    try:
        import distributed
    except ImportError:
        raise BadInput("cluster", address, "needs Dask: pip install 'gpruntime[cluster]'") from None
    logging.getLogger("distributed").setLevel(logging.ERROR)
    if address == "local":
        local = distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
        )
        return distributed.Client(local, set_as_default=False), local
    try:
        return distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False), None
    except (OSError, ValueError, TypeError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadInput("cluster", address, f"no scheduler answers there ({said})") from None


def check_alive(client: Any) -> None:
    """Raises `OSError` if the scheduler is gone."""
    if client.status != "running":
        raise ConnectionError(errno.ECONNRESET, "the connection to the Dask scheduler was lost", "cluster")
