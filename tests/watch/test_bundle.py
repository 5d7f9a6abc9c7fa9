"""The page in the package is what its sources in web/ are built to."""

import json
import os
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"
PACKAGED = files("gpruntime.watch") / "static"

can_build = shutil.which("node") is not None and (WEB / "node_modules" / "esbuild").is_dir()


@pytest.mark.skipif(not can_build and "CI" not in os.environ, reason="needs node, and `npm ci` in web/")
def test_the_committed_bundle_is_what_the_sources_build_to(tmp_path):
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=WEB, check=True, timeout=120)
    for built in sorted(tmp_path.iterdir()):
        assert built.read_bytes() == (PACKAGED / built.name).read_bytes(), f"{built.name}: run `npm run build` in web/"
    assert len(list(tmp_path.iterdir())) == 3


def test_the_licences_of_what_is_bundled_are_with_it():
    script = (PACKAGED / "page.js").read_text(encoding="utf-8")
    lock = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))
    assert script.startswith("/*! The page of gpruntime watch (MIT). It contains:")
    notice = script[: script.index("*/")]
    for name in json.loads((WEB / "package.json").read_text(encoding="utf-8"))["dependencies"]:
        assert f"{name} {lock['packages'][f'node_modules/{name}']['version']}" in notice
    assert "Permission to use, copy, modify, and/or distribute this software" in notice
    assert "Mike Bostock" in notice


def test_neither_lock_nor_page_knows_another_host():
    for text in ((WEB / "package-lock.json").read_text(encoding="utf-8"),):
        assert "http" not in text
    for name in ("page.html", "page.css"):
        content = (PACKAGED / name).read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http" not in content
        assert "url(//" not in content
