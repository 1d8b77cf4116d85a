"""Make of an SVG figure a PNG at twice its size, a PDF and a thumbnail, each once for the same drawing.

PDFium draws PNG and thumbnail from the PDF, because that takes a seventh of the time that a renderer of SVG takes, as
measured. What was made is kept by the content of the drawing, so a build converts only figures that it has not met
before. The conversions run in processes of their own, one for each processor. Run as a program this file is such a
process: it reads a list of drawings from its standard input, as JSON: {"svg", "stem", "ground"}.
"""

import hashlib
import io
import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

DOTS = 96  # per inch on a web page
SCALE = 2  # of the PNG
THUMBNAIL = 352  # pixels across: twice the width at which the page shows it
GROUND = {"light": (253, 252, 248), "dark": (25, 24, 22)}  # the page, on which a thumbnail lies
KINDS = ("png", "pdf", "webp")
SIZE = re.compile(r'\b(width|height)="([\d.]+)pt"')


class Failed(Exception):
    """A figure could not be converted."""


class Drawing(NamedTuple):
    svg: str
    ground: str  # "light" or "dark"

    @property
    def key(self) -> str:
        """Return a name for what is made of this drawing by this version of this file and of what it uses."""
        tools = [*map(version, ("vl-convert-python", "pypdfium2", "pillow")), Path(__file__).read_text(encoding="utf8")]
        return hashlib.sha256("\n".join([*tools, self.ground, self.svg]).encode()).hexdigest()[:32]


# ---- in a process that converts


def converted(drawing: Drawing) -> dict[str, bytes]:
    """Return the files by their kind."""
    import pypdfium2
    import vl_convert

    pdf = vl_convert.svg_to_pdf(in_points(drawing.svg))
    page: Any = pypdfium2.PdfDocument(pdf)[0]  # whose scale need not be whole, as its annotation has it
    png, webp = io.BytesIO(), io.BytesIO()
    image = page.render(scale=SCALE * DOTS / 72, fill_color=(0, 0, 0, 0)).to_pil()
    image.save(png, "png", compress_level=6, dpi=(DOTS * SCALE, DOTS * SCALE))
    small = page.render(scale=THUMBNAIL / page.get_width(), fill_color=(*GROUND[drawing.ground], 255)).to_pil()
    small.convert("RGB").save(webp, "webp", quality=50, method=4)
    return {"png": png.getvalue(), "pdf": pdf, "webp": webp.getvalue()}


def in_points(svg: str) -> str:
    """Return a drawing whose size has no unit: the PDF takes each for a point, as matplotlib means it."""
    start = svg.index("<svg")
    end = svg.index(">", start)
    return svg[:start] + SIZE.sub(r'\1="\2"', svg[start:end]) + svg[end:]


def main() -> None:
    for job in json.load(sys.stdin):
        made = converted(Drawing(job["svg"], job["ground"]))
        for kind, content in made.items():
            target = Path(f"{job['stem']}.{kind}")
            unfinished = target.with_name(f"{target.name}.{os.getpid()}")
            unfinished.write_bytes(content)
            unfinished.replace(target)
        print(job["stem"], flush=True)


# ---- in the build


def convert(drawings: list[Drawing], folder: Path, processes: int) -> dict[Drawing, Path]:
    """Return for each drawing where its files are, without their suffix; what no drawing needs is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    stems = {drawing: folder / drawing.key for drawing in drawings}
    wanted = {f"{stem.name}.{kind}" for stem in stems.values() for kind in KINDS}
    present = {path.name for path in folder.iterdir()}
    for name in present - wanted:
        (folder / name).unlink()
    missing = [
        {"svg": drawing.svg, "stem": str(stem), "ground": drawing.ground}
        for drawing, stem in stems.items()
        if not all(f"{stem.name}.{kind}" in present for kind in KINDS)
    ]
    missing.sort(key=lambda job: len(job["svg"]), reverse=True)
    run([jobs for start in range(processes) if (jobs := missing[start::processes])])
    return stems


def run(shares: list[list[dict]]) -> None:
    """Convert each share in a process of its own; each drawing is a sign that the build goes on."""
    from build_control.end_stalled import PULSE  # run as a program this file needs no Sphinx

    command = [sys.executable, "-P", __file__]
    pipe = subprocess.PIPE
    started = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf8") for _ in shares
    ]
    for process, jobs in zip(started, shares):
        assert process.stdin is not None, "it is a pipe"
        process.stdin.write(json.dumps(jobs))
        process.stdin.close()
        process.stdin = None
    for process in started:
        for _ in process.stdout or ():
            PULSE.beat()
    faults = [error for process in started if (error := process.communicate()[1]) and process.returncode]
    if faults:
        raise Failed(f"a figure could not be converted from SVG: {faults[0].strip().splitlines()[-1]}")


if __name__ == "__main__":
    main()
