"""What IPython loads in the kernel of every page: it counts the cells that run, so that outputs can name theirs."""

from IPython.core.interactiveshell import InteractiveShell


def load_ipython_extension(shell: InteractiveShell) -> None:
    # not `execution_count`, which is already one ahead while a cell runs
    shell.runs = 0

    def count(info):
        shell.runs += 1

    shell.events.register("pre_run_cell", count)
