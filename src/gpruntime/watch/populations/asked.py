"""A run with several trees on the served page: what an address asks for, and the form that asks.

The page is at `/population`, its data at `/api/population`. Its panel is that of the file; its script, population.js,
begins once asked.js has fetched what a file has inside.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from importlib.resources import files

from gpruntime.model.errors import BadInput
from gpruntime.model.family import GOALS, families, split_member
from gpruntime.model.spec import RunSpec
from gpruntime.watch.choice import NAMES, check_room, fields_of, given_of, place_in
from gpruntime.watch.offer import OURS, Offer, several_trees
from gpruntime.watch.populations.recorded import MOST_EVALUATIONS, MOST_VARIABLES

_NAMES = (*(name for name in NAMES if not name.startswith("start")), "parameters", "until")
_TITLE = "gpruntime: watch a run with several trees"


def population_of(words: Iterable[tuple[str, str]], offer: Offer = OURS) -> tuple[RunSpec, int, int]:
    """The spec, seed and run that these names and values describe; raises `BadInput`.

    Parameters of the algorithm may stand behind its name or by themselves, as in the form.
    """
    needed = ("problem", "algorithm", "n")
    given = {name: value for name, value in given_of(words, _NAMES, offer).items() if value or name in needed}
    if given.get("parameters"):
        given["algorithm"] = f"{given['algorithm'].partition(':')[0]}:{given['parameters']}"
    if split_member(given["algorithm"]) is None:
        raise BadInput("algorithm", given["algorithm"], "keeps one tree: the page at / shows it")
    fields = fields_of(given, MOST_VARIABLES)
    spec = RunSpec.from_data(**{"budget": MOST_EVALUATIONS, "until": given.get("until", ""), **fields})
    check_room(spec)
    return spec, *place_in(given)


def asking_page(offer: Offer = OURS) -> str:
    """The page, with a form of what is on offer; it has no run yet."""
    here = files("gpruntime.watch") / "populations"
    page, form = ((here / name).read_text("utf-8") for name in ("population.html", "asked.html"))
    problems = [(problem.id, problem.name) for problem in offer.problems]
    rules = [("", "the algorithm's own rule"), *((rule.id, rule.id) for rule in offer.rules)]
    goals = [("", "its own goal"), *((goal, goal) for goal in GOALS)]
    usual = (f"{name}={value}" for family in families().values() for name, value in family.parameters.items())
    for place, put in {
        "<!-- problems -->": _options(problems),
        "<!-- algorithms -->": _options(several_trees()),
        "<!-- rules -->": _options(rules),
        "<!-- goals -->": _options(goals),
        "<!-- usual -->": ", ".join(usual),
    }.items():
        form = form.replace(place, put)
    styles = '<link rel="icon" href="data:,">' + "".join(
        f'<link rel="stylesheet" href="/{name}.css">' for name in ("page", "population")
    )
    for place, put in {
        "<!-- policy -->": "",
        "<!-- data -->": "",
        "<!-- title -->": _TITLE,
        "<!-- style -->": styles,
        "<!-- back -->": '<a class="one-tree" href="/">One tree: the (1+1) GP</a>',
        "<!-- form -->": form,
        "<!-- script -->": '<script src="/asked.js" defer></script>',
    }.items():
        page = page.replace(place, put)
    return page


def _options(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f'<option value="{html.escape(id_)}">{html.escape(name)}</option>' for id_, name in pairs)
