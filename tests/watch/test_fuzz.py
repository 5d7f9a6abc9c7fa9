"""Two thousand malformed requests leave the server alive and quiet."""

import contextlib
import random
import socket
import string
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest

from tests.watch.conftest import Served

REQUESTS = 2000
FINE = "problem=order&algorithm=gp-single&n=5&seed=1"
NAMES = ["problem", "algorithm", "n", "init", "seed", "run", "weights", "poisson_mean", "operator", "substitute"]
NAMES += [
    "accept",
    "operations",
    "start_accept",
    "last_leaf",
    "max_leaves_allowed",
    "budget",
    "start",
    "from",
    "count",
    "runs",
    "ns",
    "__proto__",
    "",
    "a" * 300,
]
VALUES = ["", "0", "-1", "1e309", "nan", "inf", "9" * 500, "0x10", "١٢", "\x00", "\ud7ff", "(" * 900, "(x1 " * 300]
VALUES += ["unity:leaves=99999999999999999999", "grow:join=2", "x" * 9000, "1,1,1,1", "1,,1", "%", "%00", "../../etc"]
VALUES += ["/etc/x.py:mine", "order:/etc/x.py:mine", "mine@0123456789abcdef", "power:beta=1e9", "exactly:k=999999"]
PATHS = ["/", "/api/course", "/api/steps", "/api/many", "/page.js", "/../../etc/passwd", "/api/", "//", "/%2e%2e/", "*"]
METHODS = ["GET", "POST", "PUT", "HEAD", "OPTIONS", "TRACE", "CONNECT", "get", "G" * 100, "GET GET", "\x00", ""]


def noise(dice, most):
    return bytes(dice.randrange(256) for _ in range(dice.randrange(most)))


def query(dice):
    words = [pair.split("=", 1) for pair in FINE.split("&")]
    for _ in range(dice.randrange(1, 4)):
        what = dice.randrange(4)
        if what == 0:
            words[dice.randrange(len(words))][1] = dice.choice(VALUES)
        elif what == 1:
            words.append([dice.choice(NAMES), dice.choice(VALUES)])
        elif what == 2:
            words.pop(dice.randrange(len(words)))
        else:
            words.append(["".join(dice.choices(string.printable, k=5)), "".join(dice.choices(string.printable, k=9))])
        if not words:
            break
    text = "&".join(f"{quote(name)}={quote(value)}" for name, value in words).encode()
    if dice.random() < 0.3:
        place = dice.randrange(len(text) + 1)
        text = text[:place] + dice.choice([b"%ff", b"%", b"%zz", b"%c3%28", b"&&&=", b";", b"+"]) + text[place:]
    return text


def request(dice, port):
    """One request, wrong in at least one way; what it is made of is left to the dice."""
    host = f"127.0.0.1:{port}".encode()
    kind = dice.randrange(9)
    path = dice.choice(PATHS).encode()
    if kind == 0:
        return noise(dice, 400)
    if kind == 1:
        return dice.choice(METHODS).encode() + b" " + path + b" HTTP/1.1\r\nHost: " + host + b"\r\n\r\n"
    if kind == 2:
        return (
            b"GET " + path + b" HTTP/" + dice.choice([b"9.9", b"1.1 x", b"", b"2.0", b"1.0"]) + b"\r\nHost: x\r\n\r\n"
        )
    if kind == 3:
        hosts = [b"evil.example", b"", host + b"\r\nHost: " + host, b"127.0.0.1", noise(dice, 30).replace(b"\n", b"")]
        return b"GET " + path + b" HTTP/1.1\r\nHost: " + dice.choice(hosts) + b"\r\n\r\n"
    if kind == 4:
        header = dice.choice([b"A" * 70000 + b": x", b"x" * 10, b": y", b"Content-Length: -5", b"Content-Length: 9e9"])
        return b"GET /api/steps HTTP/1.1\r\nHost: " + host + b"\r\n" + header + b"\r\n\r\n"
    if kind == 5:
        body = dice.choice([b"{", b'{"n": 1e999}', b"\xff\xfe", b"[" * 2000, noise(dice, 200)])
        length = dice.choice([len(body), len(body) + 5, 0, 10**12])
        head = f"POST /api/course HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {length}\r\n\r\n"
        return head.encode() + body
    if kind == 6:
        chunks = dice.choice([b"zz\r\n", b"ffffffffffffffff\r\nx", b"5\r\nhello\r\n0\r\n\r\n", b"-1\r\n"])
        return b"GET / HTTP/1.1\r\nHost: " + host + b"\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
    if kind == 7:
        upgrade = b"\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13"
        return b"GET /api/course HTTP/1.1\r\nHost: " + host + upgrade + b"\r\n\r\n"
    where = dice.choice([b"/api/course?", b"/api/steps?", b"/api/many?", b"/api/check?", b"/api/law?"])
    return b"GET " + where + query(dice) + b" HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n"


def status_of(port, sent):
    """The status of the answer, or None where the server hangs up or waits for more."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        answer = b""
        with contextlib.suppress(ConnectionError, TimeoutError):
            connection.sendall(sent)
            connection.settimeout(0.5)
            answer = connection.recv(4096)
    return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else None


@pytest.mark.attack
@pytest.mark.long
def test_two_thousand_malformed_requests():
    dice = random.Random(2011)
    server = Served()
    sent = [request(dice, server.port) for _ in range(REQUESTS)]
    with ThreadPoolExecutor(16) as senders:
        statuses = Counter(senders.map(lambda one: status_of(server.port, one), sent))
    assert set(statuses) <= {None, 200, 400, 403, 404, 405, 414, 422, 426}
    assert sum(statuses.values()) - statuses[None] > 0.6 * REQUESTS, statuses
    assert server.get("/api/steps?" + FINE).status_code == 200
    assert server.end() == (130, [])
