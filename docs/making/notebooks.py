"""Notebooks as pages: executed by a kernel of their own, then written as Markdown with what the cells gave.

A notebook is kept without its outputs, so that a change of it can be read.
"""

from __future__ import annotations

import base64
import os
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

SECONDS = 300  # for one cell: the engine may have to be compiled first
QUIET = ["--IPKernelApp.log_level=40"]  # it listens on the loopback address, and warns of that


def executed(path: Path) -> Any:
    """The notebook with its outputs. A cell that raises, raises here."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        private = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
        before = {name: os.environ.get(name) for name in private}
        os.environ.update(dict.fromkeys(private, folder))
        try:
            resources = {"metadata": {"path": folder}}
            return NotebookClient(notebook, timeout=SECONDS, resources=resources, extra_arguments=QUIET).execute()
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})


def make_pages(sources: Path, folder: Path) -> None:
    """A page and its pictures for each notebook."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(sources.glob("*.ipynb")):
        page = [*_cells(executed(path), path.stem, folder)]
        page.append(f"*This page is a notebook: [{path.name}]({path.name}).*\n")
        (folder / f"{path.stem}.md").write_text("\n".join(page), "utf-8")


def _cells(notebook: Any, name: str, folder: Path) -> list[str]:
    parts: list[str] = []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            parts.append(cell.source + "\n")
            continue
        parts.append(f"```python\n{cell.source}\n```\n")
        for place, output in enumerate(cell.outputs):
            parts.append(_output(output, f"{name}-{number}-{place}", folder))
    return parts


def _output(output: Any, name: str, folder: Path) -> str:
    """The richest form that a page can hold."""
    if output.output_type == "stream":
        return f"```text\n{output.text}```\n" if output.name == "stdout" else ""
    data = output.get("data", {})
    if "image/svg+xml" in data:
        (folder / f"{name}.svg").write_text(data["image/svg+xml"], "utf-8")
        return f"![]({name}.svg){{ .tree }}\n"
    if "image/png" in data:
        (folder / f"{name}.png").write_bytes(base64.b64decode(data["image/png"]))
        return f"![]({name}.png)\n"
    if "text/html" in data:
        return f'<div class="output">\n{data["text/html"]}\n</div>\n'
    return f"```text\n{data.get('text/plain', '')}\n```\n"
