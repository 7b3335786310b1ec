"""Re-executes notebooks and stores their outputs: `python -m boundary_lab.teach.notebooks FOLDER`.

What is stored says nothing of this machine or this run. A notebook that fails is left as it was.
A lesson's picture is stored in `pictures/` too, for pages that are no notebook.
The difference of the outputs, cell by cell, is printed.
"""

import re
import sys
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

__all__ = ["execute", "outputs_as_text", "store"]

_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_WIDGET = "application/vnd.jupyter.widget-view+json"
_ADDRESS = re.compile(r'src="data:image/svg\+xml,([^"]*)"')
_TEXT_KEYS = ("text/plain", "text/markdown", "text/html", "image/svg+xml", "application/json")


def execute(notebook: Any, folder: Path) -> None:
    """Runs a notebook in its folder, in place; metadata that a run adds is removed again."""
    with TemporaryDirectory() as sockets:  # the kernel's, where the system has them: no port for others to reach
        where = {} if sys.platform == "win32" else {"transport": "ipc", "ip": f"{sockets}/kernel"}
        NotebookClient(
            notebook,
            kernel_name="python3",
            config=Config(AsyncKernelManager=where),
            timeout=60,
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": str(folder)}},
        ).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(_WIDGET, None)  # of no use without its kernel; the other forms stay
    notebook.metadata = nbformat.from_dict({"kernelspec": _KERNEL, "language_info": {"name": "python"}})


def outputs_as_text(notebook: Any) -> list[str]:
    """Every compared output, a line each, under its cell's id."""
    lines = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            for text in _texts(output):
                lines += [f"[{cell.id}] {line}\n" for line in text.splitlines()]
    return lines


def _texts(output: Any) -> Iterator[str]:
    if output.output_type == "error":
        yield f"{output.ename}: {output.evalue}"
    elif output.output_type == "stream":
        yield output.text
    else:
        yield from (str(output.data[key]) for key in _TEXT_KEYS if key in output.data)


def _pictures(notebook: Any) -> list[str]:
    """What the cell `picture` drew."""
    drawn = [output.data["text/html"] for cell in notebook.cells if cell.id == "picture" for output in cell.outputs]
    return [unquote(address) for html in drawn for address in _ADDRESS.findall(html)]


def store(path: Path, instead: Any = None) -> None:
    """Runs a notebook, or another one in its place, stores it in the file, and prints which outputs changed."""
    stored = nbformat.read(path, as_version=4) if path.exists() else nbformat.v4.new_notebook()
    before = outputs_as_text(stored)
    notebook = instead or stored
    execute(notebook, path.parent)
    fresh = path.with_name(f".{path.name}.new")
    nbformat.write(notebook, fresh)
    fresh.replace(path)
    for svg in _pictures(notebook):
        (path.parent / "pictures").mkdir(exist_ok=True)
        (path.parent / "pictures" / f"{path.stem}.svg").write_text(svg, encoding="utf-8")
    sys.stdout.writelines(unified_diff(before, outputs_as_text(notebook), f"{path.name} stored", f"{path.name} now"))


def main(folder: str) -> None:
    """Stores the outputs of every notebook of a folder."""
    for path in sorted(Path(folder).rglob("*.ipynb")):
        if ".ipynb_checkpoints" not in path.parts:
            store(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
