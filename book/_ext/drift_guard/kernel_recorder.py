"""What IPython loads in the kernel of every page: it counts the cells that run, records the figures they show, and
tells what else they asked for that nobody said they depend on (`unseen`).

All of it travels as glue that is not displayed, so that the execution cache keeps it with the outputs.
"""

import json
import os
import sys
from typing import Any

from ipykernel.iostream import OutStream
from IPython.display import display

from drift_guard import unseen

MIME = "application/papermill.record/"
IMAGES = "image/svg+xml", "image/png", "image/jpeg", "application/pdf"  # in which a figure may be shown


def publish(name: str, payload: dict) -> None:
    text = json.dumps(payload, default=lambda scalar: scalar.item())
    scrapbook = {"name": name, "mime_prefix": MIME}
    display({f"{MIME}text/plain": text}, metadata={"scrapbook": scrapbook}, raw=True)


class Recorder:
    def __init__(self, shell: Any):  # of IPython, whose formatters have no types
        self.shell = shell
        shell.runs = 0  # not `execution_count`, which is already one ahead while a cell runs
        self.figures = 0
        self.watch: unseen.Watch | None = None

    def begin(self, info) -> None:
        self.shell.runs += 1
        self.figures = 0
        if self.watch is not None:
            code = info.raw_cell or ""
            self.watch.begin(self.shell.transform_cell(code) if self.watch.may_name_dates(code) else "")

    def end(self, result) -> None:
        if self.watch is None:
            return
        files, others = self.watch.end()
        if files:
            publish(f"unlisted:{self.shell.runs}", {"run": self.shell.runs, "files": files})
        if others:
            publish(f"unseen:{self.shell.runs}", {"run": self.shell.runs, "asked": others})

    def figure(self, figure):
        """Publish the record of a figure about to be shown, and add nothing to what is shown."""
        from drift_guard import figure_data, ink
        from drift_guard.figure_record import figure_record

        self.figures += 1
        parts: list[figure_data.Part] = []
        table = ""
        try:
            record = figure_record(figure, parts)
            table = figure_data.packed(parts)
            with ink.copied(figure) as drawings:
                self.draw(figure)
            record["ink"] = ink.picture(figure, drawings)
        except Exception as error:  # IPython would swallow it
            record = {"refused": [f"{type(error).__name__}: {error}"]}
        publish(f"figure:{self.shell.runs}.{self.figures}", {"run": self.shell.runs, **record})
        publish(f"drawn:{self.shell.runs}.{self.figures}", {"run": self.shell.runs, "table": table})
        return {}, {}

    def draw(self, figure) -> None:
        """Draw the images of a figure that IPython is about to ask for, and keep them until it does."""
        for mime in IMAGES:
            formatter = self.shell.display_formatter.formatters[mime]
            if formatter.enabled and (printer := formatter.type_printers.get(type(figure))):
                formatter.for_type(type(figure), answering(figure, printer(figure), formatter, printer))


def answering(figure, image, formatter, printer):
    """Return a printer that has the image of one figure and serves once; then the formatter has its own one back."""

    def answer(asked):
        formatter.for_type(type(figure), printer)
        return image if asked is figure else printer(asked)

    return answer


def load_ipython_extension(shell: Any) -> None:
    # ipykernel sends what is printed five times a second, in the middle of a line too, and MyST-NB ends each piece with
    # a line break: on a busy machine a line falls in two. Without the timer it is sent when a cell displays or ends.
    if isinstance(sys.stdout, OutStream):
        sys.stdout.flush_interval = 24 * 3600
    recorder = Recorder(shell)
    shell.events.register("pre_run_cell", recorder.begin)
    shell.events.register("post_run_cell", recorder.end)
    shell.display_formatter.mimebundle_formatter.for_type_by_name("matplotlib.figure", "Figure", recorder.figure)
    if unseen.ROOT in os.environ:  # in a build
        recorder.watch = unseen.Watch()
        unseen.fix_clock(recorder.watch.is_of_the_book, unseen.fixed_time())
        unseen.watch_states(recorder.watch)
        sys.addaudithook(unseen.hearing(recorder.watch))
