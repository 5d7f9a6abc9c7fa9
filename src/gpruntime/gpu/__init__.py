"""Runs on a GPU: the same words of the same generator in the same order, so the same numbers as the engine's, stepping.

execute        which device a job gets; run_on_gpu: spec and run numbers in, table out, by `run_many(…, device="gpu")`;
               summarise_runs: the same added up on the device, for 10⁹ runs and more

batch          runs on one machine: planted, then advanced in slices
layout         how a lane's memory is laid out, and how many lanes there are; the kernels' source with that
structures     what the kernels are given
device         a GPU, through CuPy; tests/gpu/host.py has this processor in its place

source/        the kernels, CUDA C++
    kernels    the two kernels: plant, advance
    run        a lane: runs one after the other, in slices
    law, random, memory, base    what a run depends on; its random stream; a lane's memory; the compilers' words
    majority, order              a problem's tree, and operations on it
    nodes, planting              of a tree that has a shape
"""

from gpruntime.gpu.device import DeviceFailed
from gpruntime.gpu.execute import DEVICES, device_for, run_on_gpu, summarise_runs, why_not

__all__ = ["DEVICES", "DeviceFailed", "device_for", "run_on_gpu", "summarise_runs", "why_not"]
