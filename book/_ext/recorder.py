"""What IPython loads in the kernel of every page: it counts the cells that run, and records the figures they show.

A figure's record travels as glue that is not displayed, so that the execution cache keeps it with the outputs.
"""

import json
import sys

from ipykernel.iostream import OutStream
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

MIME = "application/papermill.record/"


def load_ipython_extension(shell: InteractiveShell) -> None:
    # ipykernel sends what is printed five times a second, in the middle of a line too, and MyST-NB ends each piece with
    # a line break: on a busy machine a line falls in two. Without the timer it is sent when a cell displays or ends.
    if isinstance(sys.stdout, OutStream):
        sys.stdout.flush_interval = 24 * 3600

    # not `execution_count`, which is already one ahead while a cell runs
    shell.runs = 0
    shell.figures_shown = 0

    def count(info):
        shell.runs += 1
        shell.figures_shown = 0

    def publish(figure):
        """Publish the record of a figure about to be shown, and add nothing to what is shown."""
        from drawn import figure_record

        shell.figures_shown += 1
        try:
            record = figure_record(figure)
        except Exception as error:  # IPython would swallow it
            record = {"refused": [f"{type(error).__name__}: {error}"]}
        text = json.dumps({"run": shell.runs, **record}, default=lambda scalar: scalar.item())
        scrapbook = {"name": f"figure:{shell.runs}.{shell.figures_shown}", "mime_prefix": MIME}
        display({f"{MIME}text/plain": text}, metadata={"scrapbook": scrapbook}, raw=True)
        return {}, {}

    shell.events.register("pre_run_cell", count)
    shell.display_formatter.mimebundle_formatter.for_type_by_name("matplotlib.figure", "Figure", publish)
