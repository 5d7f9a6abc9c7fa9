"""A cluster's address: a scheduler is there, with certificates where it asks for them, or it is refused soon."""

import contextlib
import http.server
import shutil
import socket
import subprocess
import threading

import dask
import pytest
from distributed import LocalCluster
from distributed.security import Security

from gpruntime import BadInput
from gpruntime.study import run_study
from tests.study.studies import rows, run_here, small_plan

pytestmark = pytest.mark.processes


@contextlib.contextmanager
def silent():
    """It takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@contextlib.contextmanager
def web():
    with http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler) as server:
        server.RequestHandlerClass.log_message = lambda *_: None
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@contextlib.contextmanager
def closed():
    with silent() as port:
        pass
    yield port


@pytest.mark.parametrize("protocol", ["tcp", "tls"])
@pytest.mark.parametrize("what", [silent, web, closed])
def test_what_is_no_scheduler_is_refused_before_dask_tries_for_minutes(
    tmp_path, monkeypatch, certificates, what, protocol
):
    monkeypatch.setattr("gpruntime.study.cluster._CONNECT_SECONDS", 2)
    asked = []
    monkeypatch.setattr("distributed.Client", lambda *words, **_: asked.append(words))
    with what() as port, configured(certificates), pytest.raises(BadInput, match="no scheduler answers there"):
        run_study(small_plan(), tmp_path / "s", cluster=f"{protocol}://127.0.0.1:{port}")
    assert asked == []


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """An authority of its own, and a key signed by it."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed, and makes the certificates")
    folder = tmp_path_factory.mktemp("certificates")

    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True, timeout=60)

    new = ("req", "-newkey", "rsa:2048", "-nodes")
    openssl(*new, "-x509", "-days", "2", "-subj", "/CN=authority", "-keyout", "ca-key.pem", "-out", "ca.pem")
    openssl(*new, "-subj", "/CN=127.0.0.1", "-keyout", "key.pem", "-out", "request.pem")
    sign = ("-CA", "ca.pem", "-CAkey", "ca-key.pem", "-CAcreateserial", "-days", "2", "-out", "cert.pem")
    openssl("x509", "-req", "-in", "request.pem", *sign)
    return folder


def configured(folder):
    """Dask's configuration with the certificates, as a file or the environment would set it."""
    places = {f"{role}.{part}": f"{part}.pem" for role in ("scheduler", "worker", "client") for part in ("key", "cert")}
    places["ca-file"] = "ca.pem"
    return dask.config.set({f"distributed.comm.tls.{name}": str(folder / file) for name, file in places.items()})


def test_a_cluster_with_tls(tmp_path, certificates):
    run_here(small_plan(), tmp_path / "here")
    with (
        configured(certificates),
        LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            processes=False,
            protocol="tls",
            security=Security(),
            dashboard_address=None,
        ) as cluster,
    ):
        address = cluster.scheduler_address
        assert address.startswith("tls://")
        run_study(small_plan(), tmp_path / "s", cluster=address)
        with dask.config.set({"distributed.comm.tls.ca-file": None}), pytest.raises(BadInput, match="cluster"):
            run_study(small_plan(), tmp_path / "other", cluster=address)
    assert rows(tmp_path / "s").equals(rows(tmp_path / "here"))
