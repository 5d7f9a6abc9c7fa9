"""Plan -> execute -> store: grids of runs that lose nothing, on one machine or a cluster.

plan          Plan: what a study is asked to be
plan_text     a plan as TOML, and the example
grid          from the keys of a plan to its cells
cell          one setting of a study, and how many runs it gets

execute       run_study: the loop
schedule      which runs are computed next
progress      how far the cells have come
chunk         about a second of work, from the plan to a worker and back
executors     this process, processes, a cluster
cluster       Dask

store         the folder
ledger        what is in it
shard         the Parquet files
summaries     what many runs add up to, in place of their rows
files, lock   files that survive a crash and lead nowhere else; one writer at a time
provenance    where results come from

study         Study: the table of runs, as Arrow, pandas or SQL; or their summaries
sql           the one place that connects to duckdb; the answer to a query as Python's values
export, ioh   the table as one file, or as an IOHprofiler folder
ioh_read      an IOHprofiler folder, by whatever tool, as a table of runs
pack, wheels  one archive to be repeated anywhere, and back; what has to be installed for that
merge         folders of one plan, joined
replay        a run again, beside its record
validate      whether a shard holds the runs of the plan
trust         whose code is run
errors        BadPlan and its kin
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gpruntime.study.errors import BadPlan, Locked, NotTrusted, OtherPlan, StudyWarning

if TYPE_CHECKING:
    from gpruntime.study.execute import Listener, StudyReport, run_study
    from gpruntime.study.plan import Plan
    from gpruntime.study.study import Study

__all__ = [
    "BadPlan",
    "Listener",
    "Locked",
    "NotTrusted",
    "OtherPlan",
    "Plan",
    "Study",
    "StudyReport",
    "StudyWarning",
    "run_study",
]

_MODULES = {"Listener": "execute", "StudyReport": "execute", "run_study": "execute", "Plan": "plan", "Study": "study"}


def __getattr__(name: str) -> Any:
    """The names that need Arrow or Numba, on first use: importing them takes longer than all the rest."""
    if name in _MODULES:
        return getattr(import_module(f"gpruntime.study.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
