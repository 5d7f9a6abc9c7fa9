"""The compiled code on disk."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = "from gpruntime.engine.cache import CACHE_FOLDER; print(CACHE_FOLDER)"


def test_settings_that_make_other_code_have_a_folder_of_their_own(tmp_path):
    folders = set()
    settings = ({}, {"NUMBA_BOUNDSCHECK": "1"}, {"NUMBA_OPT": "1"}, {"NUMBA_DEBUGINFO": "1"})
    for setting in settings:
        environment = {**os.environ, **setting, "XDG_CACHE_HOME": str(tmp_path)}
        folders.add(subprocess.check_output([sys.executable, "-c", SCRIPT], env=environment, text=True))
    assert len(folders) == len(settings)
