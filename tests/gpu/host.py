"""The kernels compiled for this processor by its C++ compiler: how they are tested where there is no GPU.

Lanes come one after the other. Memory is NumPy's.
"""

from __future__ import annotations

import ctypes
import hashlib
import shutil
import subprocess
import tempfile
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpruntime.gpu.layout import Layout, Machine

COMPILERS = ("g++", "c++", "clang++")


def compiler() -> str | None:
    """The C++ compiler of this machine, if it has one."""
    return next((path for name in COMPILERS if (path := shutil.which(name))), None)


class Host:
    """A machine of two small multiprocessors."""

    name = "this processor, lane by lane"
    arrays: Any = np
    machine = Machine(multiprocessors=2, shared=8192)
    most_bytes = 1 << 28
    first_steps = 1 << 30
    out_of_memory: type[Exception] = MemoryError
    failures: tuple[type[Exception], ...] = (subprocess.CalledProcessError,)

    def __init__(self, folder: Path | None = None, machine: Machine | None = None) -> None:
        self._folder = folder or Path(tempfile.mkdtemp(prefix="gpruntime-host-"))
        self.machine = machine or self.machine
        self._programs: dict[str, Any] = {}

    def current(self) -> AbstractContextManager[None]:
        """It always is."""
        return nullcontext()

    def pointer(self, array: NDArray[Any]) -> int:
        """Where an array begins."""
        return int(array.ctypes.data)

    def to_host(self, array: NDArray[Any]) -> NDArray[Any]:
        """The same array."""
        return array

    def launch(self, kernel: str, layout: Layout, *arguments: NDArray[Any]) -> None:
        """Calls a kernel for all lanes."""
        shared = np.zeros(max(layout.shared_words, 1) * layout.lanes, np.uint32)
        function = getattr(self._program(layout.source()), kernel)
        function(*(ctypes.c_void_p(array.ctypes.data) for array in (*arguments, shared)))

    def _program(self, text: str) -> Any:
        if text not in self._programs:
            library = self._folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.so"
            if not library.exists():
                self._compile(text, library)
            self._programs[text] = ctypes.CDLL(str(library))
        return self._programs[text]

    def _compile(self, text: str, library: Path) -> None:
        command = compiler()
        if command is None:
            raise OSError(f"no C++ compiler was found: one of {', '.join(COMPILERS)}")
        flags = ["-std=c++17", "-O1", "-fno-strict-aliasing", "-shared", "-fPIC", "-Wall", "-Wno-unknown-pragmas"]
        words = [command, *flags, "-Werror", "-x", "c++", "-", "-o", str(library)]
        subprocess.run(words, input=text.encode(), check=True)
