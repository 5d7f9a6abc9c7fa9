"""Circuits and truth tables on the page: every offspring is the model's, in words and as a picture."""

import base64
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from gpruntime import BadInput, RunSpec
from gpruntime.cli.watch import watch
from gpruntime.model.mutation import DELETE, INSERT, Operation
from gpruntime.model.representations.circuits import Circuit, shape_of
from gpruntime.model.representations.truth_tables import TruthTable
from gpruntime.model.run import run_of, simulate
from gpruntime.model.search import Individual
from gpruntime.watch.choice import address_of, choice_of, law_of, many_of
from gpruntime.watch.export import page_of, write_page
from gpruntime.watch.many import Cells, many_runs
from gpruntime.watch.programs import _verdict, _words
from gpruntime.watch.recording import Recording, Stop
from gpruntime.watch.source import Proposal
from gpruntime.watch.window import course, window
from tests.watch.page import needs_chromium

SPECS = [
    {"algorithm": "cgp:gates=2n"},
    {"algorithm": "cgpstar:gates=2n,lambda=4", "problem": "and-or"},
    {"algorithm": "cgp:gates=n,lambda=3,ties=uniform"},
    {"algorithm": "cgp:gates=5,mutation=point:rate=0.2", "problem": "and", "accept": "parsimony"},
    {"algorithm": "gsgp:mutation=forcing-point", "problem": "xor"},
    {"algorithm": "gsgp:mutation=varying-block:v=2", "problem": "multiplexer", "n": 3},
    {"algorithm": "gsgp:mutation=fixed-block:v=1", "problem": "and:rows=9"},
]


def spec_of(**fields):
    return RunSpec(**{"problem": "and", "n": 4, "budget": 700, **fields})


def rows_of(text):
    return np.unpackbits(np.frombuffer(base64.b64decode(text), np.uint8), bitorder="little")


def changed(program, numbers):
    program = np.array(program)
    if len(numbers) == 3 and program.max(initial=0) <= 1:
        variables, values, becomes = numbers
        program[np.arange(len(program)) & variables == values] = becomes
    else:
        program[numbers[::2]] = numbers[1::2]
    return program


def played(spec, data):
    """The program after each of the steps of a window, as the page makes them."""
    read = (lambda given: given) if isinstance(data["parent"], list) else rows_of
    parent, kept = np.array(read(data["parent"])), np.array(read(data["kept"])) if "kept" in data else None
    for flags, fitness, size, numbers, *_ in data["steps"]:
        offspring = changed(parent, numbers)
        if flags & 1:
            kept = offspring
        yield flags, offspring, fitness, size
        if flags & 2:
            parent, kept = parent if kept is None else kept, None
    yield None, parent, None, None


def text_of(spec, program):
    if spec.representation.id == "circuit":
        return str(Circuit(shape_of(spec), program.tolist()))
    return "".join(map(str, program.tolist()[: 2**spec.primitives.variables]))


@pytest.mark.parametrize("fields", SPECS, ids=lambda fields: fields["algorithm"])
def test_the_steps_make_up_the_run(fields):
    """Made again from any window: the same offspring, and in the end the record's program."""
    spec = spec_of(**fields)
    made = []
    search = run_of(spec, 3, 1)
    judge, spec_here = search.evaluate, search.spec
    search.evaluate = lambda tree, in_place_of=None: made.append(judge(tree, in_place_of)) or made[-1]
    result = search.result()
    recording = Recording(spec, 3, 1)
    points = [point for piece in course(recording, Stop()) for point in piece.get("points", [])]
    assert recording.evaluations == result.evaluations == len(made)
    assert points[-1][1:3] == [result.fitness, result.leaves]
    assert str(recording.outcome) == str(result.outcome)
    for after in {1, 2, 5, max(1, result.evaluations - 7)}:
        data = json.loads(json.dumps(window(recording, after, 250, Stop()), allow_nan=False))
        *steps, last = played(spec_here, data)
        for one, (_, program, fitness, size) in zip(made[data["after"] :], steps, strict=False):
            assert (text_of(spec, program), fitness, size) == (str(one.tree), one.fitness, one.tree.size)
        accepted = sum(step[0] & 1 for step in data["steps"])
        assert data["accepted"] + accepted == window(recording, data["after"] + 250, 1, Stop())["accepted"]
        if "end" in data:
            assert text_of(spec, last[1]) == result.tree


def told(spec, before, after, operations=()):
    """The words for this offspring of this parent."""
    kind = spec.representation
    parent, offspring = (
        Individual(program, fitness := kind.fitness(program, spec), fitness * spec.problem.direction)
        for program in (before, after)
    )
    kept = offspring if spec.accept.accepts(offspring.score - parent.score, after.size - before.size) else None
    one = Proposal(parent, offspring, [*operations], kept, 1, 1)
    return _words(one, spec), _verdict(one, spec)


@pytest.mark.parametrize(
    ("offspring", "rewired", "verdict"),
    [
        (
            "and(x1,x2) and(#1,x2) and(x2,x3) > #2",
            "gate 3 now reads x2 instead of x3; it is inactive, so nothing changes",
            "accepted: neutral, fitness 1 → 1",
        ),
        (
            "and(x1,x2) and(#1,x3) and(x1,x3) > #2",
            "gate 2 now reads x3 instead of x2; gate 3 now reads x1 instead of x3; it is inactive, so nothing changes",
            "accepted: x3 is now used, fitness 1 → 0",
        ),
        (
            "and(x1,x2) and(#1,x2) and(x3,x3) > #1",
            "the output is now gate 1 instead of gate 2",
            "accepted: neutral, gate 2 drops out, fitness 1 → 1",
        ),
        (
            "and(x1,x2) and(#1,x2) and(x3,x3) > #3",
            "the output is now gate 3 instead of gate 2",
            "rejected: gate 3 comes in, x3 is now used, gates 1, 2 drop out, x1, x2 are no longer used, fitness 1 → 2",
        ),
        ("and(x1,x2) and(#1,x2) and(x3,x3) > #2", "no gene gets another value: nothing changes", "accepted: neutral"),
    ],
)
def test_words_say_what_was_rewired(offspring, rewired, verdict):
    spec = spec_of(algorithm="cgp:gates=3", n=3)
    shape = shape_of(spec)
    parent = Circuit.parse("and(x1,x2) and(#1,x2) and(x3,x3) > #2", shape)
    words, why = told(spec, parent, Circuit.parse(offspring, shape))
    assert words == rewired
    assert why.startswith(verdict)


def test_a_gate_with_another_function():
    spec = spec_of(problem="and-or", algorithm="cgp:gates=3", n=3)
    name, other = spec.primitives.functions
    parent, offspring = (
        Circuit.parse(f"{one}(x1,x2) {name}(#1,x3) {name}(x1,x3) > #2", shape_of(spec)) for one in (name, other)
    )
    assert told(spec, parent, offspring)[0] == f"gate 1 is now {other} instead of {name}"


@pytest.mark.parametrize(
    ("kind", "after", "words", "verdict"),
    [
        (INSERT, "1010", "set 2 rows to true where ¬x1", "rejected: 1 row set right, 1 row set wrong, fitness"),
        (DELETE, "0000", "set 2 rows to false where ¬x1: so it was, nothing changes", "rejected: neutral"),
    ],
)
def test_words_of_a_block(kind, after, words, verdict):
    """XOR wants 0110."""
    spec = spec_of(problem="xor", algorithm="gsgp:mutation=fixed-block:v=1", n=2)
    tables = (TruthTable.parse(text, 2) for text in ("0000", after))
    said, why = told(spec, *tables, [Operation(kind, 0, place=1)])
    assert said == words
    assert why.startswith(verdict.replace("rejected: 1", "rejected: neutral, and only improvements are accepted, 1"))


def test_of_a_generation_one_takes_its_parents_place():
    four = window(Recording(spec_of(algorithm="cgp:gates=n,lambda=4", n=6), 0, 0), 1, 200, Stop())["steps"]
    assert [step[4].partition(":")[0] for step in four[:5]] == [f"offspring {i} of 4" for i in (1, 2, 3, 4, 1)]
    for i in range(0, len(four) - 4, 4):
        accepted = [step for step in four[i : i + 4] if step[0] & 1]
        assert len(accepted) <= 1
        for step in four[i : i + 4]:
            assert step[5].startswith("accepted" if step[0] & 1 else "rejected")
            assert step[0] & 1 or not accepted or step[1] >= accepted[0][1]
            assert bool(step[0] & 1) == step[5].endswith("it takes its parent's place after the last one")


def test_two_runs_from_one_circuit():
    words = address_of(spec_of(algorithm="cgpstar:gates=2n"), 7, 0, "cgp:gates=2n")
    assert ("versus", "cgp:gates=2n") in words
    state = [(name, value) for name, value in words if name not in ("versus", "algorithm")]
    beside = choice_of([*state, ("algorithm", "cgp:gates=2n"), ("start", "cgpstar:gates=2n")])
    assert str(beside.watched.init) == str(
        run_of(choice_of([*state, ("algorithm", "cgpstar:gates=2n")]).spec, 7, 0).initial()
    )
    with pytest.raises(BadInput, match=r"init = .*a circuit here is 4 gates"):
        choice_of([*state, ("algorithm", "cgp:gates=n"), ("start", "cgpstar:gates=2n")])


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"algorithm": "cgp:gates=2001"}, "at most 2,000 gates"),
        ({"algorithm": "cgp:gates=2n,lambda=101"}, "at most 100 offspring"),
        ({"algorithm": "cgp:gates=2n", "start": "gp-single"}, "must be an algorithm with one program"),
        ({"problem": "order", "start": "cgp:gates=2n"}, "must be an algorithm with one program"),
        ({"algorithm": "gsgp", "start": "cgp:gates=2n"}, "must be an algorithm with one program"),
        ({"algorithm": "cgp:gates=n-2"}, "gates"),
        ({"algorithm": "gsgp", "n": "21"}, "20 variables"),
        ({"algorithm": "gsgp", "problem": "majority"}, "has no truth table"),
        ({"algorithm": "cgp:gates=2n", "init": "and(x1,x2) > #9"}, "init"),
        ({"algorithm": "cgp:gates=<script>"}, "gates"),
    ],
)
def test_what_cannot_be_shown_is_one_line(more, line):
    with pytest.raises(BadInput, match=re.escape(line) if "<" not in line else line):
        choice_of({"problem": "and", "algorithm": "gp-single", "n": "4", **more}.items())


def test_a_stuck_run_has_a_proof():
    spec = spec_of(problem="xor", algorithm="gsgp:mutation=fixed-block:v=1")
    *_, end = course(Recording(spec, 0, 0), Stop())
    assert end["end"]["outcome"] == "stuck"
    assert end["end"]["proof"] == "All blocks, set to true and to false, were tried: none is better."


def test_many_runs_of_circuits_have_estimates():
    spec, seed, runs = many_of({"problem": "and", "algorithm": "cgp:gates=2n", "n": "3", "runs": "30"}.items())
    pieces = list(many_runs(spec, seed, runs, Stop(), Cells()))
    times = [row[1] for piece in pieces for row in piece.get("runs", [])]
    assert sorted(times) == sorted(simulate(spec, seed, run).evaluations for run in range(30))
    assert len(law_of([("problem", "and"), ("algorithm", "gsgp"), ("ns", "2,3"), ("runs", "2")])[0]) == 2


def test_a_file_has_both_runs():
    words = address_of(spec_of(algorithm="cgp:gates=2n"), 1, 0, "cgpstar:gates=2n")
    text = page_of(words)
    data = json.loads(re.search(r'id="data">(.*?)</script>', text)[1])
    (scene,) = data["scenes"]
    firsts = [run["blocks"]["0"]["parent"] for run in scene["runs"]]
    assert firsts[0] == firsts[1]
    assert re.search(r"all \d+ steps are in this file", scene["words"])


def test_large_truth_tables_have_fewer_evaluations():
    assert [choice_of({"problem": "xor", "algorithm": "gsgp", "n": n}.items()).spec.budget for n in ("4", "20")] == [
        200_000,
        8192,
    ]
    with pytest.raises(BadInput, match="at most 8,192 on the page"):
        choice_of({"problem": "xor", "algorithm": "gsgp", "n": "20", "budget": "8193"}.items())


@pytest.mark.parametrize(("n", "budget"), [("4", "200000"), ("16", "131072"), ("20", "8192")])
def test_the_command_takes_a_budget_that_fits(monkeypatch, n, budget):
    served = []
    monkeypatch.setattr("gpruntime.cli.watch._serve", lambda words, *_: served.append(dict(words)))
    words = ["--problem", "xor", "--algorithm", "gsgp:mutation=varying-block:v=3", "-n", n]
    result = CliRunner().invoke(watch, words)
    assert result.exit_code == 0, result.output
    assert [address["budget"] for address in served] == [budget]


@needs_chromium
def test_two_runs_in_a_narrow_frame(browser, tmp_path):
    """Both stay in sight, each course with the other's line; folded subtrees are tinted."""
    spec = RunSpec(problem="order", algorithm="gp-single", n=30, budget=300)
    write_page(str(tmp_path / "pair.html"), address_of(spec, 3, 0, "gpstar-single"))
    (tmp_path / "outer.html").write_text('<!doctype html><iframe src="pair.html" width="380" height="700"></iframe>')
    page = browser.new_page(viewport={"width": 400, "height": 720})
    page.goto(f"file://{tmp_path}/outer.html")
    frame = page.frames[1]
    frame.wait_for_selector('.panel[data-at="1"] >> nth=1')
    boxes = [frame.locator(".panel").nth(place).bounding_box() for place in (0, 1)]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    lines = [
        frame.locator(f".course .fitness path.{kind}").nth(place).get_attribute("d")
        for place in (0, 1)
        for kind in ("own", "other")
    ]
    assert (lines[0], lines[1]) == (lines[3], lines[2]) != (lines[2], lines[3])
    assert frame.locator(".node.folded:is(.expressed, .blocking, .hidden)").count() > 0
    page.close()


READ = """() => ({
  at: document.querySelector(".panel").dataset.at,
  text: document.querySelector(".tree-text").textContent,
  numbers: [...document.querySelectorAll(".numbers dd")].map((cell) => cell.textContent),
  active: document.querySelectorAll(".program .node.gate.active").length,
  idle: document.querySelectorAll(".program .node.gate.idle").length,
  changed: document.querySelectorAll(".program .node.changed").length,
  wrong: document.querySelectorAll(".program rect.wrong").length,
  set: document.querySelector(".program path.set:is(.accepted, .rejected)")?.getAttribute("d").split("M").length - 1,
})"""


@needs_chromium
@pytest.mark.parametrize(
    ("fields", "sign"),
    [
        ({"algorithm": "cgp:gates=2n,lambda=3"}, "a path leads to the output"),
        (
            {"algorithm": "gsgp:mutation=varying-block:v=3", "problem": "parity", "accept": "weak", "budget": 60},
            "this row is wrong",
        ),
    ],
    ids=["circuit", "truth table"],
)
def test_in_a_browser(browser, tmp_path, fields, sign):
    """Offline, forwards and back: each picture and text is the model's. Help has the signs of such a run alone."""
    spec = spec_of(**fields)
    write_page(str(tmp_path / "run.html"), address_of(spec, 1, 0))
    data = window(Recording(spec, 1, 0), 1, 250, Stop())
    page, complaints = browser.new_page(viewport={"width": 390, "height": 800}), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"file://{tmp_path}/run.html")
    page.wait_for_selector('.panel[data-at="1"]')
    seen = [page.evaluate(READ)]
    for step, (flags, program, _, size) in zip(data["steps"][:40], played(spec, data), strict=False):
        page.keyboard.press("ArrowRight")
        shown = page.evaluate(READ)
        seen.append(shown)
        if flags & 1:
            assert (shown["text"], shown["numbers"][2]) == (text_of(spec, program), str(size))
            assert spec.representation.id != "circuit" or shown["active"] == size
            assert spec.representation.id == "circuit" or shown["wrong"] == step[1]
        if spec.representation.id == "circuit":
            assert shown["active"] + shown["idle"] == shape_of(spec).gates
        else:
            assert shown["set"] == 2 ** (4 - 3)
    for before in reversed(seen[:-1]):
        page.keyboard.press("ArrowLeft")
        assert page.evaluate(READ) == before
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("?")
    assert sign in page.inner_text("#help-box")
    assert "a new leaf" not in page.inner_text("#help-box")
    assert not complaints
    page.close()


@needs_chromium
@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_complain_of(browser, tmp_path, width, scheme):
    axe = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
    if not axe.exists():
        (pytest.fail if "CI" in os.environ else pytest.skip)("needs axe-core: cd web && npm ci")
    write_page(str(tmp_path / "run.html"), address_of(spec_of(algorithm="cgp:gates=2n"), 1, 0, "cgpstar:gates=2n"))
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(f"file://{tmp_path}/run.html")
    page.wait_for_selector('.panel[data-at="1"]')
    page.keyboard.press("ArrowRight")
    page.evaluate(axe.read_text("utf-8"))
    found = page.evaluate("async () => (await axe.run(document)).violations")
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []
    context.close()
