"""Which device a job gets."""

from __future__ import annotations

from gpruntime.gpu.device import why_none
from gpruntime.gpu.execute import why_not
from gpruntime.model.errors import BadInput, known
from gpruntime.model.spec import RunSpec

DEVICES = ("cpu", "gpu", "auto")
_LEAST_RUNS = 2_000  # fewer are done before a GPU has begun


def device_for(spec: RunSpec, runs: int, device: str, method: str | None, improvements: bool) -> str:
    """ "cpu" or "gpu": the one asked for; for "auto" the GPU if there is one, it can, and there are runs enough for it.

    Raises `BadInput` where a GPU was asked for and cannot be had.
    """
    known("device", device, DEVICES)
    if device == "cpu":
        return device
    reasons = (
        "kernels make every proposal: method must be stepping" if method == "skipping" else None,
        "kernels do not note improvements" if improvements else None,
        why_not(spec),
        why_none(),
    )
    why = next((reason for reason in reasons if reason is not None), None)
    if device == "gpu":
        if why is not None:
            raise BadInput("device", device, why)
        return device
    skips = spec.can_skip and method is None  # which takes less than a GPU would
    return "gpu" if why is None and runs >= _LEAST_RUNS and not skips else "cpu"
