"""`stuck` on a GPU against the model, on the table of tests/engine/copies.py."""

import pytest

from gpruntime.engine.columns import OUTCOME, OUTCOMES
from gpruntime.gpu.batch import Batch
from gpruntime.gpu.execute import LAYOUTS, why_not
from tests.engine.copies import outcome_by_the_model, stuck_specs
from tests.gpu.host_help import host  # noqa: F401


@pytest.mark.parametrize("problem", ["order", "majority"])
def test_stuck_on_a_gpu_is_the_models(host, problem):  # noqa: F811
    compared = 0
    for spec in stuck_specs(problem)[::13]:
        if why_not(spec) is None:
            batch = Batch(host, spec, 1, range(1), LAYOUTS[problem](spec, host.machine))
            while not batch.done:
                batch.slice()
            assert str(OUTCOMES[batch.out[0, OUTCOME]]) == outcome_by_the_model(spec), spec
            compared += 1
    assert compared > 30
