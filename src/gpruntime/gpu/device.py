"""A GPU, through CuPy: the kernels are compiled when they are first needed, and kept on disk by CuPy."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from numpy.typing import NDArray

from gpruntime.engine.summary import BINS
from gpruntime.gpu.layout import Layout, Machine
from gpruntime.model.errors import BadInput

_SHARE_OF_MEMORY = 0.5  # another process may be at work, too
_FIRST_STEPS = 1 << 10
_ADDING_BLOCKS, _ADDING_THREADS, _ADDING_SHARED = 2, 512, 4 * BINS  # of each multiprocessor; of each block


class DeviceFailed(RuntimeError):
    """A kernel ended with an error, or the device has not enough memory: nothing of that batch is kept."""


def why_none() -> str | None:
    """Why there is no device, or None if there is one."""
    if importlib.util.find_spec("cupy") is None:
        return "needs CuPy, which is not installed: pip install cupy-cuda12x, or cupy-cuda13x for CUDA 13"
    cupy: Any = importlib.import_module("cupy")
    try:
        return None if cupy.cuda.runtime.getDeviceCount() > 0 else "this machine has no CUDA device"
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"this machine has no CUDA device that can be used ({str(error).strip()})"


def all_devices() -> list[Device]:
    """The devices of this machine; raises `BadInput` if there are none."""
    if (why := why_none()) is not None:
        raise BadInput("device", "gpu", why)
    cupy: Any = importlib.import_module("cupy")
    return [Device(number) for number in range(cupy.cuda.runtime.getDeviceCount())]


class Device:
    """One of them. What it does it does as the current device of CuPy: use it inside `with device.current():`."""

    first_steps = _FIRST_STEPS

    def __init__(self, number: int = 0) -> None:
        self.arrays: Any = importlib.import_module("cupy")
        self.number = number
        properties = self.arrays.cuda.runtime.getDeviceProperties(number)
        self.name = properties["name"].decode()
        shared = int(properties.get("sharedMemPerBlockOptin", 0)) or int(properties["sharedMemPerBlock"])
        self.machine = Machine(int(properties["multiProcessorCount"]), shared)
        self._kernels: dict[tuple[str, str], Any] = {}

    def current(self) -> Any:
        """A context in which this device is CuPy's."""
        return self.arrays.cuda.Device(self.number)

    @property
    def most_bytes(self) -> int:
        """What a batch may take."""
        free, _ = self.arrays.cuda.runtime.memGetInfo()
        held = self.arrays.get_default_memory_pool().free_bytes()
        return int((free + held) * _SHARE_OF_MEMORY)

    def pointer(self, array: Any) -> int:
        """Where an array begins."""
        return int(array.data.ptr)

    def to_host(self, array: Any) -> NDArray[Any]:
        """A copy of an array in this processor's memory; waits until all that was asked for is done."""
        copy: NDArray[Any] = self.arrays.asnumpy(array)
        return copy

    def launch(self, kernel: str, layout: Layout, *arguments: NDArray[Any]) -> None:
        """Starts a kernel, for all lanes; it goes on while this returns."""
        blocks, threads, shared = layout.blocks, layout.threads, 4 * layout.shared_words * layout.lanes
        if kernel == "plant":
            threads = int(layout.macros["PLANTERS"])
        elif kernel == "add_up":
            blocks, threads, shared = _ADDING_BLOCKS * self.machine.multiprocessors, _ADDING_THREADS, _ADDING_SHARED
        function = self._kernel(kernel, layout.source())
        if function.max_dynamic_shared_size_bytes < shared:
            function.max_dynamic_shared_size_bytes = shared
        function((blocks,), (threads,), arguments, shared_mem=shared)

    def _kernel(self, name: str, text: str) -> Any:
        if (name, text) not in self._kernels:
            module = self.arrays.RawModule(code=text, options=("-std=c++17",), backend="nvrtc")
            self._kernels[name, text] = module.get_function(name)
        return self._kernels[name, text]

    @property
    def out_of_memory(self) -> type[Exception]:
        """What is raised where the device's memory is too small."""
        error: type[Exception] = self.arrays.cuda.memory.OutOfMemoryError
        return error

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        """What is raised where a kernel fails, or cannot be compiled."""
        cuda = self.arrays.cuda
        return cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError, cuda.compiler.CompileException
