#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Execute the notebook $1 with the command $2, in Jupyter's kernel: no cell fails, and objects show themselves."""
import os
import pathlib
import sys

import nbclient
import nbformat

notebook, command = pathlib.Path(sys.argv[1]), sys.argv[2]
os.environ.update(PEAL=command, PYTHONPATH=str(notebook.parent), PYTHONDONTWRITEBYTECODE="1",
                  PYDEVD_DISABLE_FILE_VALIDATION="1")
executed = nbformat.read(notebook, as_version=4)
nbformat.validate(executed)
assert not any(cell.get("outputs") for cell in executed.cells), "the notebook is kept without outputs"
nbclient.NotebookClient(executed, timeout=120, kernel_name="python3").execute()

shown = {}
for cell in executed.cells:
    for output in cell.get("outputs", []):
        shown[cell.source] = output.get("data", {}).get("text/html") or output.get("text") or \
            output["data"]["text/plain"]
assert "3α + 28β = 3028, True" in shown[executed.cells[1].source], shown[executed.cells[1].source]
assert shown["run.table"].startswith("<table>") and "0→4" in shown["run.table"], shown["run.table"]
assert shown["run"].startswith('<iframe sandbox="allow-scripts"') and len(shown["run"]) > 100000, shown["run"][:200]
assert "recursive-doubling" in shown[executed.cells[7].source], shown[executed.cells[7].source]
assert "scatter has no algorithm 'fastest'" in shown[executed.cells[-1].source], shown[executed.cells[-1].source]
