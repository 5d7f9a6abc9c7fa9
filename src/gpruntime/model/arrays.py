"""NumPy; where it is not installed, what stands in its place until an array is made.

So the model can be imported, and runs problems that add up over variables, in a Python that has nothing else.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from gpruntime.model.errors import NotInstalled

if TYPE_CHECKING:
    import numpy as np
else:
    try:
        import numpy as np
    except ImportError:

        class Absent:
            """Any class or function of NumPy: nothing is of it, and it makes nothing."""

            def __init__(self, *_: Any, **__: Any) -> None:
                raise NotInstalled("numpy", "this problem or representation")

            def __class_getitem__(cls, _: Any) -> type[Absent]:
                return cls

        class Missing(SimpleNamespace):
            def __getattr__(self, _: str) -> type[Absent]:
                return Absent

        np = Missing()

__all__ = ["np"]
