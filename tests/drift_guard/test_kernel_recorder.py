"""What IPython loads in the kernel of every page."""

import os
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

EXTENSIONS = Path(__file__).parents[2] / "book" / "_ext"


def test_a_line_that_takes_long_to_print_stays_in_one_piece():
    slow = "import time\nprint('one', end=' ')\ntime.sleep(0.5)\nprint('line')"
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(code) for code in ("%load_ext drift_guard.kernel_recorder", slow)]
    )
    env = os.environ | {"PYTHONPATH": str(EXTENSIONS)}
    with (
        tempfile.TemporaryDirectory() as folder
    ):  # a short path, as sockets need; the kernels of others use TCP's ports
        sockets = Config(KernelManager={"transport": "ipc", "ip": f"{folder}/kernel"})
        NotebookClient(notebook, kernel_name="python3", timeout=60, config=sockets).execute(env=env)
    assert [dict(output) for output in notebook.cells[1]["outputs"]] == [
        {"name": "stdout", "output_type": "stream", "text": "one line\n"}
    ]
