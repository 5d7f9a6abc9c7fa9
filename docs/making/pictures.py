"""The trees of the page on the model, and a profile for that on the analysis, drawn by the project itself."""

from __future__ import annotations

from pathlib import Path

from gpruntime import MAJORITY, ORDER, HvlPrime, Operation, Run, RunSpec, Terminal, Tree, run_many
from gpruntime.analysis import profiles
from gpruntime.model import Problem
from gpruntime.model.picture import svg

EXAMPLE = "((x1 !x2) ((x2 x1) (!x1 x3)))"
N = 4
# Places are the register's: the leaves from left to right, then the joins from the root down.
OPERATIONS = {
    "substitute": Operation("substitute", 4, terminal=Terminal(4, False)),
    "insert": Operation("insert", 1, "left", Terminal(2, False)),
    "delete": Operation("delete", 1),
}


def make_pictures(folder: Path) -> None:
    """Writes them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (tree, problem, n) in _trees().items():
        (folder / f"{name}.svg").write_text(svg(tree, problem, n), "utf-8")
    spec = RunSpec(problem="majority", algorithm="gpstar-single", n=16)
    (profile,) = profiles(run_many(spec, seed=1, runs=100, improvements=True))
    (folder / "profile.svg").write_bytes(profile.plot().to_bytes("svg"))


def _trees() -> dict[str, tuple[Tree, Problem | None, int]]:
    example = Tree.parse(EXAMPLE)
    trees: dict[str, tuple[Tree, Problem | None, int]] = {
        "tree": (example, None, N),
        "order": (example, ORDER, N),
        "majority": (example, MAJORITY, N),
    }
    for name, operation in OPERATIONS.items():
        changed = example.copy()
        HvlPrime(N).apply(changed, operation)
        trees[name] = changed, ORDER, N
    for name in ("unity", "bad", "tlopt", "insertion"):
        run = Run(RunSpec(problem="majority", algorithm="gp-single", n=3, init=name), seed=2)
        trees[name] = run.tree, MAJORITY, 3
    return trees
