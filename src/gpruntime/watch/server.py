"""The page and its data over HTTP, as a Starlette application.

| GET           | answer                                                                                          |
|---------------|-------------------------------------------------------------------------------------------------|
| `/`           | the page, with `/page.js` and `/page.css`                                                       |
| `/api/course` | JSON lines: the beginning, pieces of the course, or of its changes, as the run is made, the end   |
| `/api/steps`  | JSON: the tree after `from` evaluations and the next `count` steps                              |
| `/population` | leads to `/`: such addresses were made when runs with several trees had a page of their own      |
| `/api/check`  | JSON: {}, or the error that any of the others would answer with                                 |
| `/api/many`   | JSON lines: many runs as they end, and what they say                                            |
| `/api/law`    | JSON: the law over the sizes `ns`                                                               |
| `/api/lessons`| JSON: the lessons, in words and settings                                                        |

Errors are JSON: `{"error": {"name": "n", "value": "0", "allowed": "must be a whole number, 1 or more", "message": …}}`.

Every computation is a job (`gpruntime.watch.jobs`) that stops when its reader goes away. To find out which run the
words of a request describe is a job, too: a problem may have to work out a table. `gpruntime.watch.guard` keeps other
pages' requests out.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from gpruntime.model.errors import BadInput
from gpruntime.model.spec import RunSpec
from gpruntime.watch.choice import choice_of, law_of, many_of, of_earlier_link, window_of
from gpruntime.watch.guard import Guard, refusal
from gpruntime.watch.jobs import AT_ONCE, CONNECTIONS, READ_AT_ONCE, Busy, Jobs, Recordings
from gpruntime.watch.lessons import LESSONS
from gpruntime.watch.many import Cells, law, many_runs
from gpruntime.watch.offer import OURS, Offer
from gpruntime.watch.population import population_course
from gpruntime.watch.recording import Stop, Stopped
from gpruntime.watch.warm import Warmth
from gpruntime.watch.window import course, window

Words = list[tuple[str, str]]
Described = TypeVar("Described")
_BUSY = "too many requests at once; try again"
_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css"}


def make_app(hosts: Iterable[str], desk: Desk) -> ASGIApp:
    """The application, for requests whose Host is one of these (`127.0.0.1:8750`)."""
    routes = [
        Route("/", _static("page.html", desk.offer)),
        Route("/page.js", _static("page.js")),
        Route("/page.css", _static("page.css")),
        Route("/population", _earlier_link),
        Route("/api/course", Endpoint(desk.course)),
        Route("/api/steps", Endpoint(desk.steps)),
        Route("/api/check", Endpoint(desk.check)),
        Route("/api/many", Endpoint(desk.many)),
        Route("/api/law", Endpoint(desk.law)),
        Route("/api/lessons", Endpoint(desk.lessons)),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _http_error}, lifespan=desk.lifespan)
    return Guard(app, hosts)


class Desk:
    """Where requests are dealt with."""

    def __init__(self, offer: Offer = OURS) -> None:
        self.offer, self.recordings, self.cells = offer, Recordings(), Cells()

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:  # noqa: ARG002
        """From the server's start to its end."""
        self.jobs, self.readings = Jobs(), Jobs(READ_AT_ONCE, CONNECTIONS)
        self.warmth = Warmth(self.offer.usual)
        # By default there are four threads more than cores: too few for both.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(AT_ONCE + READ_AT_ONCE))
        self.warmth.begin()
        try:
            yield
        finally:
            self.end()

    def end(self) -> None:
        """Every answer is given up, in order, and no one waits for it."""
        self.jobs.stop_all()
        self.readings.stop_all()
        self.warmth.end()

    async def course(self, words: Words, send: Send) -> None:
        """The whole run as a line of points."""
        choice = await self._read(choice_of, words)

        def make(stop: Stop) -> Iterator[dict[str, Any]]:
            if choice.is_population:
                return population_course(choice.spec, choice.seed, choice.run, stop)
            return course(self.recordings.get(choice), stop)

        await self._lines(make, choice.spec, "stepping", send)

    async def steps(self, words: Words, send: Send) -> None:
        """A tree and the steps after it."""
        rest, after, count = window_of(words)
        choice = await self._read(choice_of, rest)
        if choice.is_population:
            raise BadInput(
                "algorithm", choice.spec.algorithm.id, "has no steps of one tree: its changes are its course"
            )
        await self.warmth.wait(choice.spec, "stepping")
        answer = await self.jobs.answer(lambda stop: window(self.recordings.get(choice), after, count, stop))
        await _send_json(send, 200, answer)

    async def check(self, words: Words, send: Send) -> None:
        """Whether these words describe a run."""
        await self._read(choice_of, words)
        await _send_json(send, 200, {})

    async def many(self, words: Words, send: Send) -> None:
        """Many runs as they end."""
        spec, seed, runs = await self._read(many_of, words)
        make = lambda stop: many_runs(spec, seed, runs, stop, self.cells)  # noqa: E731
        await self._lines(make, spec, None, send)

    async def law(self, words: Words, send: Send) -> None:
        """How the time grows with n."""
        specs, seed, runs = await self._read(law_of, words)
        await self.warmth.wait(specs[0])
        answer = await self.jobs.answer(lambda stop: law(specs, seed, runs, stop, self.cells))
        await _send_json(send, 200, answer)

    async def lessons(self, words: Words, send: Send) -> None:
        """All lessons: their runs are asked for like any others."""
        if words:
            raise BadInput("parameter", words[0][0], "there is none to give")
        await _send_json(send, 200, {"lessons": [lesson.to_json() for lesson in LESSONS.values()]})

    async def _read(self, read: Callable[[Words, Offer], Described], words: Words) -> Described:
        """What the words describe."""
        return await self.readings.answer(lambda _: read(words, self.offer))

    async def _lines(self, job: Callable[[Stop], Any], spec: RunSpec, method: str | None, send: Send) -> None:
        self.jobs.check_room()
        headers = [(b"content-type", b"application/x-ndjson"), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if not self.warmth.is_ready(spec, method):
            await _send_line(
                send, {"wait": "the engine is being made ready: on a new machine that takes a while, once"}
            )
            await self.warmth.wait(spec, method)
        try:
            async with contextlib.aclosing(self.jobs.pieces(job)) as pieces:
                async for batch in pieces:
                    await send({"type": "http.response.body", "body": _merged(batch), "more_body": True})
        except Busy:  # the answer has begun: the error is a line of it
            await _send_line(send, {"error": {"message": _BUSY}})
        except Stopped as stopped:
            await _send_line(send, {"error": {"message": str(stopped)}})
        except BadInput as error:  # a user's own function gave what it must not
            await _send_line(send, {"error": {"message": str(error)}})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class Endpoint:
    """An answer that is given up when its reader goes away."""

    def __init__(self, handle: Callable[[Words, Send], Awaitable[None]]) -> None:
        self._handle = handle

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Deals with one request."""
        if scope["method"] != "GET":
            await refusal(405, "method", scope["method"], "must be GET")(scope, receive, send)
            return
        try:
            words = parse_qsl(scope["query_string"].decode("ascii"), keep_blank_values=True, errors="strict")
        except UnicodeDecodeError:
            await refusal(400, "query", "", "must be percent-encoded UTF-8")(scope, receive, send)
            return
        work = asyncio.ensure_future(self._answer(words, scope, receive, send))
        watch = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait((work, watch), return_when=asyncio.FIRST_COMPLETED)
        finally:
            watch.cancel()
            if not work.done():
                work.cancel()
            with contextlib.suppress(asyncio.CancelledError, Stopped):
                await work

    async def _answer(self, words: Words, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._handle(words, send)
        except BadInput as error:
            await refusal(422, error.name, error.shown_value, error.allowed)(scope, receive, send)
        except Busy:
            await refusal(503, "server", "busy", _BUSY)(scope, receive, send)
        except Stopped as stopped:
            await refusal(503, "server", "stopped", str(stopped))(scope, receive, send)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _merged(batch: list[dict[str, Any]]) -> bytes:
    """Lines; neighbouring pieces of points, or of runs, as one."""
    lines: list[dict[str, Any]] = []
    for piece in batch:
        last = lines[-1] if lines else {}
        key = next(iter(piece))
        if key in ("points", "runs") and key in last:
            lines[-1] = {**last, **piece, key: [*last[key], *piece[key]]}
        else:
            lines.append(piece)
    return b"".join(_line(piece) for piece in lines)


def _line(piece: dict[str, Any]) -> bytes:
    return json.dumps(piece, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


async def _send_line(send: Send, piece: dict[str, Any]) -> None:
    await send({"type": "http.response.body", "body": _line(piece), "more_body": True})


async def _send_json(send: Send, status: int, answer: Any) -> None:
    body = json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _static(name: str, offer: Offer = OURS) -> Callable[[Request], Response]:
    """A file of the page, read once; its form has what is on offer."""
    text = (files("gpruntime.watch") / "static" / name).read_text("utf-8")
    content = (offer.form(text) if name == "page.html" else text).encode()
    kind = _TYPES[name.rpartition(".")[2]]

    def answer(_: Request) -> Response:
        return Response(content, media_type=kind, headers={"cache-control": "no-cache"})

    return answer


def _earlier_link(request: Request) -> Response:
    return RedirectResponse(f"/#{urlencode(of_earlier_link(request.query_params.multi_items()))}")


async def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = str(error.detail)
    return JSONResponse({"error": {"message": message}}, error.status_code)
