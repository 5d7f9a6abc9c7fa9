"""Names for annotations."""

from numpy.arrays import ndarray as ArrayLike
from numpy.arrays import ndarray as NDArray

__all__ = ["ArrayLike", "NDArray"]
