"""A spec as text and back: every form holds all of it."""

import json
import shlex

import click
import pytest

from gpruntime import RunSpec, simulate
from gpruntime.cli.options import run_options, spec_from
from gpruntime.model.spec import DEFAULTS
from gpruntime.model.spec_text import SETTINGS, columns_of, from_columns, link_of, options_of, plan_keys
from gpruntime.study import Plan
from gpruntime.watch.choice import address_of, choice_of

SPECS = [
    {"problem": "order", "algorithm": "gp-single", "n": 5},
    {
        "problem": "majority",
        "algorithm": "gpstar-multi",
        "n": 4,
        "init": "bad:leaves=3n",
        "weights": (1, 2, 0.5),
        "poisson_mean": 2.5,
        "last_leaf": "empty",
        "max_leaves_allowed": 40,
    },
    {"problem": "and-or", "algorithm": "gp-single", "n": 3, "accept": "parsimony", "substitute": "leaves"},
    {"problem": "order", "algorithm": "gp-multi", "n": 3, "operations": "power:beta=2", "operator": "hvl"},
    {"problem": "order", "algorithm": "mu-plus-one-single:mu=3", "n": 3, "accept": "strict"},
    {"problem": "order", "algorithm": "smo-multi", "n": 3, "until": "optimum", "init": "(x1 (!x2 x3))"},
]
FORMS = {
    "plain values": lambda spec: RunSpec(**spec.settings),
    "options": lambda spec: by_options([word for pair in options_of(spec).items() for word in pair]),
    "law": lambda spec: RunSpec(**spec.stated(), budget=60).replace(weights=spec.weights),
    "plan": lambda spec: Plan.of(**plan_keys(spec), n=spec.n, runs=1, seed=1).cells[0].spec,
    "link": lambda spec: choice_of(address_of(spec, 1, 0)).spec,
    "columns": lambda spec: from_columns(columns_of(spec)),
    "record": lambda spec: by_record(json.loads(json.dumps(simulate(spec, 1).record()))),
}


def by_options(words):
    @run_options
    @click.command()
    def command(**options):
        return spec_from(options)

    return command.main(shlex.split(shlex.join(words)), standalone_mode=False)


def by_record(record):
    if record["algorithm"].startswith("smo"):
        del record["accept"]  # what it goes by instead of a rule
    return RunSpec.from_data(**{name: record[name] for name in SETTINGS if name in record})


@pytest.mark.parametrize("fields", SPECS, ids=lambda fields: fields["algorithm"])
@pytest.mark.parametrize("form", FORMS)
def test_it_comes_back(form, fields):
    spec = RunSpec(**fields, budget=60)
    if form == "plan":
        plan = FORMS[form](spec.replace(weights=spec.proportions))
        assert plan.settings == {**spec.settings, "weights": spec.proportions}
    else:
        assert FORMS[form](spec) == spec


def test_the_table_has_every_field_and_a_link_only_what_is_not_the_default():
    assert list(SETTINGS) == list(DEFAULTS) == list(RunSpec(**SPECS[0]).settings)
    assert list(link_of(RunSpec(**SPECS[0]))) == ["problem", "algorithm", "n"]
    assert link_of(RunSpec(**SPECS[1]))["weights"] == "1,2,0.5"
