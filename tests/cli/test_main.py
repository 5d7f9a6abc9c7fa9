"""The command as a process."""

import subprocess
import sys

SCRIPT = """
import os, signal, sys, time, weakref
from gpruntime.cli import main

class Thing:
    pass

def run(*words, **more):
    thing = Thing()
    weakref.finalize(thing, lambda: None)
    watched = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGTERM))  # comes while Python drops exceptions
    del thing
    time.sleep(30)

main.commands.main = run
main.main()
"""


def test_an_interrupt_that_python_drops_comes_again():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=20)
    assert done.returncode == 130
    assert done.stderr.strip() == "gpruntime: interrupted"
