"""Plan -> execute -> store: grids of runs that lose nothing, on one machine or a cluster.

plan          Plan: what a study is asked to be
plan_text     a plan as TOML, and the example
grid, sizes   from the keys of a plan to its cells
goal          how many runs a cell gets
cell          one setting of a study

execute       run_study: the loop
schedule      which runs are computed next
chunk         about a second of work, from the plan to a worker and back
executors     this process, processes, a cluster
cluster       Dask

store         the folder
ledger        what is in it
shard, schema the Parquet files, and their columns
files, lock   writing that survives a crash; one writer at a time
provenance    where results come from

study         Study: the table of runs, as Arrow, pandas or SQL
"""

from gpruntime.study.execute import Listener, Sitting, run_study
from gpruntime.study.plan import BadPlan, Plan
from gpruntime.study.study import Study, StudyWarning

__all__ = ["BadPlan", "Listener", "Plan", "Sitting", "Study", "StudyWarning", "run_study"]
