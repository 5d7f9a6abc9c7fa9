"""What a proof needs, computed on exact chains: bounds with a certificate.

certifying   the best potential in the span of some features, or one of one's own
features     what can be spanned: numbers of a tree, by name or one's own
problems     what problems bring
drifts       the states of a run, and the drift of each feature there
best         the linear program, and its answer in fractions
certificate  what comes out: words, LaTeX, a file, a figure
witness      a state that shows why there is none
verifier     an independent check of a certificate's file, by the model alone
pictures     figures
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpruntime.theory.certificate import Certificate, NoCertificate
    from gpruntime.theory.certifying import certify
    from gpruntime.theory.verifier import Checked, verify
    from gpruntime.theory.witness import Witness

_WHERE = {
    "Certificate": "certificate",
    "NoCertificate": "certificate",
    "certify": "certifying",
    "Checked": "verifier",
    "verify": "verifier",
    "Witness": "witness",
}

__all__ = ["Certificate", "Checked", "NoCertificate", "Witness", "certify", "verify"]


def __getattr__(name: str) -> Any:
    """On first use: the verifier is to be had without the exact solver."""
    if name in _WHERE:
        return getattr(importlib.import_module(f"gpruntime.theory.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
