"""A plan as TOML text: written out from its keys, and the commented example."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

NO_LIMIT = "none"


def toml_of(keys: Mapping[str, Any]) -> str:
    """The keys of a plan as TOML. They have been checked: numbers, texts, lists, tables, and tables in `grid`."""
    lines = [f"{key} = {_value(value)}" for key, value in keys.items() if key not in ("grid", "parts")]
    for table in keys.get("grid", ()):
        lines += ["", "[[grid]]", *(f"{key} = {_value(value)}" for key, value in table.items())]
    if keys.get("parts"):
        lines += ["", "[parts]  # the sources of parts of one's own, by name and digest"]
        lines += [f'"{id_}" = {_source(source)}' for id_, source in keys["parts"].items()]
    return "\n".join(lines) + "\n"


def _source(text: str) -> str:
    """A source as it is, where TOML can hold it so."""
    plain = "'''" not in text and all(sign in "\n\t" or sign.isprintable() for sign in text)
    return f"'''\n{text}'''" if plain else _value(text)


def _value(value: Any) -> str:
    if hasattr(value, "tolist"):  # NumPy's
        value = value.tolist()
    if value is None:
        return f'"{NO_LIMIT}"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_value(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple | range):
        return "[" + ", ".join(_value(part) for part in value) + "]"
    return repr(value)


def _key(key: Any) -> str:
    """A key of a table: the id of a part, say, is no bare one."""
    return key if isinstance(key, str) and key.isidentifier() and key.isascii() else _value(str(key))


EXAMPLE = """\
# A study: every combination of the lists below is a cell, and every cell gets its runs.
#
#   gpruntime study run THIS_FILE -o FOLDER     runs it; again, and it goes on where it stopped
#   gpruntime study show FOLDER                 the results, also while it runs
#
# Adding sizes, algorithms or runs later changes no run that is finished.

seed = 1                                         # root seed of all runs

problem = ["order", "majority"]                  # or one of your own in a file beside this one: "mine.py:two_thirds"
algorithm = ["gp-single", "gpstar-single"]       # and gp-multi, cgp, gsgp, smo-single, qd …: `gpruntime algorithms`
n = {from = 10, to = 160, factor = 2}            # or 100, or [10, 20, 50], or {from = 10, to = 100, step = 10}

runs = 100                                       # runs of each cell; or, instead, a goal:
# goal = {mean_within = 0.02, at_most = 100000}  # until the 95 % interval of the mean is within 2 %
# goal = {optima = 100, at_most = 10000}         # until 100 runs reached the optimum

# ---- what follows may be left out; these are the defaults

# init = "unity"                  # one or a list of: unity, bad, tlopt, insertion, grow, "unity:leaves=50",
#                                 # "unity:leaves=4n", "(x1 !x2)", or "@FILE": the tree in a file beside this one
# weights = [1, 1, 1]             # of substitution, insertion, deletion; or a list of such lists
# poisson_mean = 1                # multi algorithms make 1 + Pois(poisson_mean) operations; one or a list
# accept = "weak"                 # or strict, parsimony, parsimony-smaller, "mine.py:rule"; in place of the algorithm's
# operations = "one"              # or poisson:mean=1, exactly:k=3, power:beta=1.5; in place of the algorithm's
# operator = "hvl-prime"          # or hvl, node-unbiased, depth-unbiased, "mine.py:operator"; one or a list
# until = ""                      # or front, optimum: when a run of smo-single or smo-multi ends
# search = ""                     # or "mine.py:TwoPlusOne": an algorithm of your own in place of the (1+1) GP
# substitute = "leaves"           # or nodes, functions; nodes is usual where a problem has several functions
# last_leaf = "keep"              # or empty
# max_leaves_allowed = 1000       # reject larger offspring (default: "none"); one or a list
# budget = 1000000                # stop a run after this number of evaluations (default: "none")
# device = "cpu"                  # or gpu: the same runs, every proposal made (stepping)
# method = "auto"                 # or stepping, skipping (for GP*: the same law, far faster, and what auto takes)
# improvements = false            # true: keep evaluations and leaves at each new best fitness of each run
# store = "rows"                  # or summaries: counts, sums, a histogram and the extreme runs of many runs, no rows
# extremes = 20                   # how many of the longest runs, and of the shortest, summaries keep by number

# ---- or several grids: the plan then is these alone, each with the keys above, and its own in their place

# [[grid]]
# problem = "majority"
# algorithm = "gp-single"
# init = "bad"
# runs = 50
"""
