"""CGP* as a chain: as CGP's."""

from gpruntime.exact.populations.cgp import POPULATION

__all__ = ["POPULATION"]
