"""What a cell publishes a number with.

    record("minimum-similarity", sims.min())

`record` publishes the value once, under an id that is unique in the whole book. As the last line of a cell it displays
nothing; what it returns is the shown form as text, which `print` needs where a residual is shown as its bound. All that
a reader needs beside the value stands by id in `numbers.yml`: `meaning`, `shown` (a Python format), `unit`, `tolerance`
(relative, 1e-9 unless it says otherwise), `below` (a residual's bound), `source` (rows of `source-numbers.csv`) and
`given` (true for an input that a source document states).

A residual, that is rounding noise, is shown as the bound it stays below: its own digits depend on the processor.
"""

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import yaml
from IPython import get_ipython
from IPython.display import display

NUMBERS = Path(__file__).with_name("numbers.yml")
MIME = "application/papermill.record/text/plain"  # "papermill.record": MyST-NB stores it and displays nothing


@cache
def entries() -> dict[str, dict]:
    """Return the entries of `numbers.yml` by id."""
    return yaml.load(NUMBERS.read_text(encoding="utf8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {}


def plain(value):
    """Return a number, or a nest of numbers, as Python ints, floats and lists; refuse everything else."""
    import numpy as np  # here, because a build reads this file too and has no need of NumPy

    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"a number of record is real: got {value!r} of type {type(value).__name__} ({array.dtype})")
    if not np.isfinite(array).all():
        raise ValueError(f"a number of record is finite: got {value!r}")
    return (array + 0.0 if array.dtype.kind == "f" else array).tolist()  # + 0.0 turns -0.0 into 0.0


def flat(value) -> list:
    """Return the numbers of a nest of lists in their order."""
    return [number for item in value for number in flat(item)] if isinstance(value, list) else [value]


def shown(value, spec: str) -> str:
    """Return `value` in the format `spec`; a list as its items between commas, rows between semicolons."""
    if isinstance(value, list):
        between = "; " if value and isinstance(value[0], list) else ", "
        return between.join(shown(item, spec) for item in value)
    return re.sub(r"^-(0(?:\.0*)?)$", r"\1", format(value, spec))  # no minus before what rounds to zero


def noise(artist, below: float):
    """Tell the record of figures that an artist draws rounding noise: what is smaller than `below` counts as alike.

    `artist` is what a plotting call returned: an artist, or several. Set the limits of the axis yourself, because
    automatic ones follow the noise. Return `artist`.
    """
    for part in artist if isinstance(artist, Iterable) else [artist]:
        if isinstance(part, Iterable):
            noise(part, below)
        else:
            part.noise_below = float(below)
    return artist


class Shown(str):
    """The shown form of a number: text that `print` writes, and that a cell which ends with it does not display."""

    def _ipython_display_(self) -> None:
        """Display nothing, so that a line that publishes a number adds no output of its own."""


def record(name: str, value) -> Shown:
    """Publish `value` as the number of record `name` and return its shown form.

    Raises KeyError for an id that `numbers.yml` lacks, TypeError or ValueError for what is no finite real number,
    and ValueError for a residual that is not below its bound (in a build of the book, the build lists it and fails).
    """
    entry = entries().get(name)
    if entry is None:
        raise KeyError(f"record({name!r}, …): no such id in book/numbers.yml; give it a meaning and a shown form there")
    value = plain(value)
    run = getattr(get_ipython(), "runs", None)  # counted in a build of the book
    payload = {"id": name, "run": run}
    if "below" in entry:
        bound = float(entry["below"])
        largest = max((abs(number) for number in flat(value)), default=0.0)
        payload["below"] = bound  # the digits of rounding noise are recorded nowhere
        if not largest < bound:
            if run is None:
                raise ValueError(f"record({name!r}, …): the residual {value!r} is not below its bound {bound:g}")
            payload["above"] = largest  # the guard lists it with all else that is wrong
        text = f"{bound:.0e}".replace("e-0", "e-")
    else:
        payload.update(value=value, shown=entry["shown"], tolerance=float(entry.get("tolerance", 1e-9)))
        text = shown(value, entry["shown"])
    scrapbook = {"name": f"number:{name}", "mime_prefix": "application/papermill.record/"}
    if get_ipython() is not None:  # a plain Python would print it
        display({MIME: json.dumps(payload)}, metadata={"scrapbook": scrapbook}, raw=True)
    return Shown(text)


def store_data(figure: str, data: object, name: str) -> Shown:
    """Store what an interactive figure draws, and publish a number of record that stands for all of it.

    `data` is what JSON can hold; it goes into the page beside the figure. The number `name` is a sum of all numbers in
    `data` with uneven weights, so the build fails if one of them drifts.
    """
    text = json.dumps(data, separators=(",", ":"))
    if get_ipython() is not None:
        scrapbook = {"name": f"data:{figure}", "mime_prefix": "application/papermill.record/"}
        payload = {"run": getattr(get_ipython(), "runs", None), "data": json.loads(text)}
        display({MIME: json.dumps(payload)}, metadata={"scrapbook": scrapbook}, raw=True)
    numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", text)]
    return record(name, sum((1 + 0.37 * (place % 17)) * number for place, number in enumerate(numbers)))
