"""Compare what two figures draw, setting by setting and artist by artist.

A setting that is an array's digest holds to `EXTREMES` and `SUMS`, any other number to `EXTREMES`, the rest exactly.
"""

from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, NamedTuple

from drift_guard import compare_text, ink
from drift_guard.compare_text import shorten
from drift_guard.page_data import Figure, Row, flat

EXTREMES, SUMS = 1e-9, 1e-7  # of an array's unit: see `array_digest`
DRAWN, NOTHING = "drawn", "—"


class Difference(NamedTuple):
    """What differs, both sides of it in words, and the tolerance it is outside of."""

    what: str
    recorded: str
    computed: str
    tolerance: str

    def row(self, page: str, cell: int | None, what: str, figures: tuple[Figure | None, Figure | None] | None) -> Row:
        return Row(page, cell, what, self.recorded, self.computed, self.tolerance, figures=figures)


def one_sided(what: str, side: str, is_new: bool) -> Difference:
    """Return the difference of something that one side lacks."""
    return Difference(what, NOTHING, side, "new") if is_new else Difference(what, side, NOTHING, "gone")


def aligned(recorded: list, computed: list, key: Callable[[Any], Any]) -> Iterator[tuple]:
    """Pair the items of two lists, None for a missing one; an item put in between shifts no other."""
    matcher = SequenceMatcher(None, [key(item) for item in recorded], [key(item) for item in computed], autojunk=False)
    for _, i, j, k, m in matcher.get_opcodes():
        yield from zip_longest(recorded[i:j], computed[k:m])


def is_digest(leaf) -> bool:
    return isinstance(leaf, dict) and ("unit" in leaf or "empty" in leaf)


def leaves(record: dict, path: str = "") -> dict:
    """Return what a record of axes or of an artist holds, by path; arrays are leaves, artists and insets left out."""
    found = {}
    for key, value in record.items():
        if key in ("artists", "insets"):
            continue
        name = f"{path} {key}".strip()
        if isinstance(value, list) and value and all(isinstance(item, dict) and not is_digest(item) for item in value):
            value = {str(place): item for place, item in enumerate(value, start=1)}
        if isinstance(value, dict) and not is_digest(value):
            found.update(leaves(value, name))
        else:
            found[name] = value
    return found


def compare_arrays(recorded: dict, computed: dict) -> tuple[str, str, str] | None:
    sizes = [d.get("shape", [len(d.get("values", []))]) for d in (recorded, computed)]
    if sizes[0] != sizes[1] or ("empty" in recorded) != ("empty" in computed):
        return f"shape {sizes[0]}", f"shape {sizes[1]}", "exact"
    if "empty" in recorded:
        return None
    unit = max(recorded["unit"], computed["unit"])
    if "values" in recorded:
        for place, (r, c) in enumerate(zip(recorded["values"], computed["values"])):
            if r != c and (isinstance(r, str) or isinstance(c, str) or abs(r - c) > EXTREMES * unit):
                return f"[{place}] {r}", f"[{place}] {c}", f"{EXTREMES:g} of {unit:g}"
        return None
    for name in "min", "max":
        if abs(recorded[name] - computed[name]) > EXTREMES * unit:
            return f"{name} {recorded[name]:.12g}", f"{name} {computed[name]:.12g}", f"{EXTREMES:g} of {unit:g}"
    for r, c in zip(recorded["sums"], computed["sums"]):
        if abs(r - c) > SUMS:
            return f"sum {r:.9f}", f"sum {c:.9f}", f"{SUMS:g} of the range"
    return None


def compare_settings(recorded: dict, computed: dict) -> Iterator[Difference]:
    """Yield what differs in the settings of two records of axes or artists."""
    old, new = leaves(recorded), leaves(computed)
    for name in dict.fromkeys([*old, *new]):
        if name not in old or name not in new:
            yield Difference(name, shorten(old.get(name, NOTHING)), shorten(new.get(name, NOTHING)), "exact")
        elif is_digest(old[name]) and is_digest(new[name]):
            if apart := compare_arrays(old[name], new[name]):
                yield Difference(name, *apart)
        elif floats(old[name]) and floats(new[name]):
            if not same_floats(flat(old[name]), flat(new[name])):
                yield Difference(name, shorten(old[name]), shorten(new[name]), f"{EXTREMES:g}")
        elif old[name] != new[name]:
            yield Difference(name, *first_items_apart(old[name], new[name]), "exact")


def same_floats(recorded: list[float], computed: list[float]) -> bool:
    unit = max(map(abs, recorded), default=0.0) or 1.0
    same_count = len(recorded) == len(computed)
    return same_count and all(abs(r - c) <= EXTREMES * unit for r, c in zip(recorded, computed))


def floats(leaf) -> bool:
    return all(isinstance(value, float) for value in flat(leaf))


def first_items_apart(recorded, computed) -> tuple[str, str]:
    """Return two values in short, of two lists of one length the first items that differ."""
    if isinstance(recorded, list) and isinstance(computed, list) and len(recorded) == len(computed):
        return next(
            (f"[{n}] {shorten(r)}", f"[{n}] {shorten(c)}") for n, (r, c) in enumerate(zip(recorded, computed)) if r != c
        )
    return shorten(recorded), shorten(computed)


def artist_key(artist: dict) -> tuple:
    return artist["kind"], artist.get("label"), artist.get("text")


def artist_name(artist: dict) -> str:
    named = artist.get("label") or artist.get("text")
    return artist["kind"] + (f" {shorten(named)!r}" if named else "")


def compare_artists(recorded: list[dict], computed: list[dict], where: str) -> Iterator[Difference]:
    """Yield one difference for each artist that is not as it was."""
    for old, new in aligned(recorded, computed, artist_key):
        if old is None:
            yield one_sided(f"{where} {artist_name(new)}", DRAWN, is_new=True)
        elif new is None:
            yield one_sided(f"{where} {artist_name(old)}", DRAWN, is_new=False)
        elif apart := list(compare_settings(old, new)):
            more = f" (+{len(apart) - 1} more)" if len(apart) > 1 else ""
            yield apart[0]._replace(what=f"{where} {artist_name(old)}: {apart[0].what}{more}")


def compare_axes(recorded: list[dict], computed: list[dict], where: str) -> Iterator[Difference]:
    for place, (old, new) in enumerate(zip_longest(recorded, computed), start=1):
        name = f"{where}{place}"
        if old is None or new is None:
            yield one_sided(name, DRAWN, is_new=old is None)
            continue
        for difference in compare_settings(old, new):
            yield difference._replace(what=f"{name} {difference.what}")
        yield from compare_artists(old.get("artists", []), new.get("artists", []), name)
        yield from compare_axes(old.get("insets", []), new.get("insets", []), f"{name} inset ")


def compare_drawings(recorded: dict, computed: dict) -> Iterator[Difference]:
    elsewhere = "axes", "refused", "ink"
    beside = [{name: draws[name] for name in draws if name not in elsewhere} for draws in (recorded, computed)]
    apart = [*compare_settings(*beside)]
    apart += compare_artists(recorded.get("artists", []), computed.get("artists", []), "figure")
    apart += compare_axes(recorded.get("axes", []), computed.get("axes", []), "axes ")
    yield from apart or compare_ink(recorded.get("ink"), computed.get("ink"))


def compare_ink(recorded: dict | None, computed: dict | None) -> Iterator[Difference]:
    """Yield one difference for two coarse pictures that are not alike; it is of interest where no artist differs."""
    if recorded is None or computed is None:
        if recorded != computed:
            yield one_sided("ink", DRAWN, is_new=recorded is None)
        return
    if recorded["inches"] != computed["inches"]:
        old, new = (" x ".join(format(side, "g") for side in one["inches"]) for one in (recorded, computed))
        yield Difference("size in inches", old, new, "exact")
    if recorded["colours"] != computed["colours"]:
        sides = [set(one["colours"]) for one in (recorded, computed)]
        old, new = (shorten(", ".join(sorted(these - those)) or NOTHING) for these, those in (sides, sides[::-1]))
        yield Difference("colours", old, new, "exact")
    if changes := ink.compare(recorded, computed):
        where, _, old, new = changes[0]
        more = f" (+{len(changes) - 1} more)" if len(changes) > 1 else ""
        tolerance = f"{ink.STEPS} of {len(ink.LEVELS) - 1} levels"
        yield Difference(f"ink, {where}{more}", f"{old:.1%} black", f"{new:.1%} black", tolerance)


def compare_figures(recorded: Figure, computed: Figure) -> Iterator[Difference]:
    """Yield all that differs in two figures."""
    words = {"figure": (recorded.name, computed.name), "alt": (recorded.alt, computed.alt)}
    words["caption"] = recorded.caption, computed.caption
    for name, (old, new) in words.items():
        if apart := compare_text.difference(old, new):
            yield Difference(name, *apart, "exact")
    if recorded.draws is not None and computed.draws is not None:
        yield from compare_drawings(recorded.draws, computed.draws)
