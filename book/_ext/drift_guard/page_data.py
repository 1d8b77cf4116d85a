"""What passes from the kernels to the comparison and on to the report: each piece is made once, and nothing is added.

A page has numbers and outputs. An output is a text (printed, or shown as HTML, Markdown and so on) or a figure. The
place of a cell on its page travels with all of them but is never recorded, because a cell put in before shifts it.
"""

from dataclasses import dataclass, field

Value = int | float | list  # a list holds numbers, or lists of numbers
TOLERANCE = 1e-9  # relative, of a value that says nothing else


@dataclass(frozen=True)
class Number:
    """A number of record: a value, or rounding noise, of which only the bound is recorded."""

    id: str
    cell: int | None = None  # None: its cell is not on the page
    value: Value | None = None
    below: float | None = None  # the bound of rounding noise
    above: float | None = None  # the noise itself, where it is not below its bound
    shown: str = ""  # the format in which a value is printed
    tolerance: float = TOLERANCE


@dataclass(frozen=True)
class Text:
    """Lines that a cell printed or displayed; the kind is `text`, `html`, `table` and so on."""

    kind: str
    lines: list[str]
    cell: int | None = None

    @property
    def joined(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True)
class Figure:
    """A figure with the words about it and the record of what it draws (see `figure_record`)."""

    name: str
    alt: str
    caption: str
    draws: dict | None = None  # None: an image that matplotlib did not draw in the cell
    cell: int | None = None
    image: str = field(default="", compare=False)  # the file that holds the drawing, from the folder of the sources

    @property
    def title(self) -> str:
        return self.name or "figure"


Output = Text | Figure


@dataclass(frozen=True)
class Row:
    """A line of the report: a difference, or a fault, which no record can accept and whose last column says why."""

    page: str
    cell: int | None
    what: str
    recorded: str
    computed: str
    tolerance: str
    fault: bool = False
    figures: tuple[Figure | None, Figure | None] | None = field(default=None, compare=False, repr=False)  # old and new


@dataclass
class Page:
    """What a page's cells made, or what is recorded of it."""

    numbers: dict[str, Number] = field(default_factory=dict)
    outputs: list[Output] = field(default_factory=list)
    faults: list[Row] = field(default_factory=list)  # what was found wrong while the page was read
    lines: list[int | None] = field(default_factory=list)  # of the cells in the page's file
    data: dict[str, object] = field(default_factory=dict)  # for other extensions, by name; in no record

    def __bool__(self) -> bool:
        return bool(self.numbers or self.outputs)


def flat(value: Value) -> list[int | float]:
    """Return the numbers of a nest of lists in their order."""
    return [number for item in value for number in flat(item)] if isinstance(value, list) else [value]
