"""What the playground's page asks of the model: many runs, one run, a problem that somebody typed."""

import ast
import hashlib
import json
import tempfile
import time
from pathlib import Path

from gpruntime import BadInput, RunSpec, simulate
from gpruntime.model.run import run_of

SLICE = 0.1  # seconds between two words on how far it is
OWN = "own"  # the problem of the editor
_FIELDS = ("evaluations", "fitness", "leaves", "max_leaves")


def spec_of(asked):
    """The spec that the page asks for."""
    problem = own_problem(asked["text"]) if asked["problem"] == OWN else asked["problem"]
    return RunSpec(problem=problem, algorithm=asked["algorithm"], n=asked["n"], budget=asked["budget"])


def own_problem(text):
    """The text in a file, and the name of the problem in it."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise BadInput("problem", (error.text or "").strip(), f"line {error.lineno}: {error.msg}") from None
    names = [
        one.name for one in tree.body if isinstance(one, ast.FunctionDef) and any(map(_is_problem, one.decorator_list))
    ]
    if not names:
        raise BadInput("problem", OWN, "has no function with @problem(…) above it")
    folder = Path(tempfile.gettempdir()) / hashlib.sha256(text.encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "own.py"
    path.write_text(text, "utf-8")
    return f"{path}:{names[-1]}"


def _is_problem(decorator):
    made = decorator.func if isinstance(decorator, ast.Call) else decorator
    return getattr(made, "attr", getattr(made, "id", "")) == "problem"


def record(result):
    """What the page keeps of a result."""
    return {"outcome": str(result.outcome), **{name: getattr(result, name) for name in _FIELDS}}


def many(asked, tell):
    """Runs 0 … runs − 1; `tell` hears now and then how many there are."""
    spec, made, last = spec_of(asked), [], time.monotonic()
    for run in range(asked["runs"]):
        made.append(record(simulate(spec, asked["seed"], run)))
        if time.monotonic() - last > SLICE:
            last = time.monotonic()
            tell(len(made))
    return {"results": made}


def course(asked, tell):  # noqa: ARG001
    """One run as (evaluations, fitness, leaves), at most some `points` times."""
    spec = spec_of(asked)
    run = run_of(spec, asked["seed"], asked["run"])
    points = [] if spec.has_population else [(1, run.fitness, len(run.tree.leaves))]
    if not spec.has_population:
        points += [(step.evaluations, step.fitness, step.leaves) for step in run]
    result = run.result()
    points = points or run.improvements
    thinned = points[:: max(1, len(points) // asked["points"])]
    end = record(result)
    thinned.append((end["evaluations"], end["fitness"], end["leaves"]))
    return {"course": thinned, "end": end, "best": spec.best}


def answer(words, tell):
    """The answer to a request, both as JSON; what went wrong as one line."""
    asked = json.loads(words)
    try:
        made = {"many": many, "course": course}[asked["kind"]](asked, tell)
    except BadInput as error:
        made = {"error": str(error)}
    except Exception as error:  # of a user's own, while it was loaded
        made = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
    return json.dumps(made)
