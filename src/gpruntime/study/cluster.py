"""A Dask cluster that computes the chunks: a running scheduler, or one started on this machine.

Workers have this package installed, from the same sources (`chunk.compute` refuses others); a user's parts come with
the pickled chunk, as source (`Part.__reduce__`).
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import pickle
import queue
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from gpruntime.model.errors import BadInput
from gpruntime.processes import SAFE_PATH, Lost, ignoring_signals, starting
from gpruntime.study.chunk import Chunk, Computed
from gpruntime.study.executors import Returned, attempt_pickled

_CONNECT_SECONDS = 15


class Cluster:
    """The executor: the scheduler at this address, or, for "local", a new one with this number of workers."""

    def __init__(self, address: str, workers: int) -> None:
        try:
            import distributed
        except ImportError:
            raise BadInput("cluster", address, "needs Dask: pip install distributed") from None
        for name in ("distributed", "distributed.client", "distributed.scheduler", "distributed.nanny"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._local: Any = None
        if address == "local":
            if workers < 1:
                raise BadInput("workers", workers, "a local cluster needs at least one")
            import dask

            environment = "distributed.nanny.pre-spawn-environ"
            safely = dask.config.set({environment: {**dask.config.get(environment), **SAFE_PATH}})
            with ignoring_signals(), starting(), safely:
                self._local = distributed.LocalCluster(
                    n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
                )
            self._client = distributed.Client(self._local, set_as_default=False)
        else:
            self._client = _connect(address)
        self._chunks: dict[Any, Chunk] = {}
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._number = 0

    def slots(self) -> int:
        """The threads of all workers there are now."""
        with self._lost_in_words():
            return sum(self._client.nthreads().values())

    def pending(self) -> int:
        """How many chunks have not come back."""
        return len(self._chunks)

    def submit(self, chunk: Chunk) -> None:
        """Takes a chunk."""
        self._number += 1
        with self._lost_in_words():
            key = f"gpruntime-{os.getpid()}-{self._number}"
            future = self._client.submit(attempt_pickled, pickle.dumps(chunk), key=key, pure=False)
        self._chunks[future] = chunk
        future.add_done_callback(self._done.put)

    def wait(self, seconds: float) -> list[Returned]:
        """What has come back. Dask itself gives the chunks of a worker that died to another."""
        returned: list[Returned] = []
        with contextlib.suppress(queue.Empty):
            future = self._done.get(timeout=seconds)
            while True:
                returned.append((self._chunks.pop(future), self._result(future)))
                future = self._done.get_nowait()
        self._check()
        return returned

    def _result(self, future: Any) -> Computed | Lost:
        """What a future holds; "KilledWorker" and the like are losses."""
        try:
            result: Computed | Lost = future.result()
        except Exception as error:
            self._check()
            return Lost(f"{type(error).__name__}: {error}")
        finally:
            future.release()
        return result

    def close(self, now: bool) -> None:
        """Leaves the cluster; ends it if it is our own."""
        with contextlib.suppress(Exception):  # a scheduler that is gone cannot be left
            if now:
                self._client.cancel(list(self._chunks), force=True)
            self._client.close(timeout=2)
        if self._local is not None:
            with contextlib.suppress(Exception):
                self._local.close()

    def _check(self) -> None:
        if self._client.status != "running":
            raise _lost()

    @contextlib.contextmanager
    def _lost_in_words(self) -> Any:
        try:
            yield
        except (OSError, TimeoutError, RuntimeError):
            raise _lost() from None


def _lost() -> ConnectionError:
    return ConnectionError(errno.ECONNRESET, "the connection to the Dask scheduler was lost", "cluster")


def _connect(address: str) -> Any:
    """A client of a running scheduler. Knocks first: Dask's own refusal takes minutes and leaves noise behind.

    For tls:// the certificates are those of Dask's configuration (distributed.comm.tls).
    """
    import distributed
    from distributed.comm.addressing import parse_address, parse_host_port
    from distributed.security import Security

    try:
        protocol, place = parse_address(address if "://" in address else f"tcp://{address}", strict=True)
        if protocol in ("tcp", "tls"):
            host, port = parse_host_port(place)
            if port is None:
                raise ValueError(f"it has no port; give {protocol}://HOST:PORT")
            socket.create_connection((host, port), _CONNECT_SECONDS).close()  # Dask would try again and again
        security = Security()
        with ThreadPoolExecutor(1) as thread:  # there may be a loop in this one, as in a notebook
            thread.submit(asyncio.run, _knock(f"{protocol}://{place}", security)).result()
        return distributed.Client(address, timeout=_CONNECT_SECONDS, security=security, set_as_default=False)
    except (OSError, ValueError, TypeError, OverflowError, RuntimeError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadInput("cluster", address, f"no scheduler answers there: {why}") from None


async def _knock(address: str, security: Any) -> None:
    """Asks who is there."""
    from distributed.comm.core import connect
    from distributed.core import send_recv

    async with asyncio.timeout(_CONNECT_SECONDS):
        comm = await connect(address, timeout=_CONNECT_SECONDS, **security.get_connection_args("client"))
        try:
            who = await send_recv(comm, op="identity", reply=True)
        finally:
            comm.abort()
    if not isinstance(who, dict) or who.get("type") != "Scheduler":
        raise ValueError("what answers is no scheduler")
