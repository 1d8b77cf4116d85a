"""Measure the frames a second of a drag of the encoding explorer at its largest setting, in Chromium:

    python -m benchmarks.interactive_drag

Moves a slider, or the pointer over the matrix, once a frame for some seconds and reads the times at which the browser
made the frames. The screen makes 60 a second, so no drag can be quicker. `busy_ms` is the processor time that the
page's own thread spends on a frame, scripts, layout and painting together: below 16.7 ms, no frame waits for it.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
from site_features import chromium, interactive_figures  # noqa: E402

LARGEST = "#explorer:T=256,d=128,base=10000,A=80,B=73,column=12,trained=64"
DRAGS = {"A": (0, 255), "B": (0, 255), "base": (2, 6), "trained": (2, 256), "matrix": (0, 1)}
VIEWS = {"A": 1, "B": 1, "base": 0, "trained": 2, "matrix": 0}  # the tab on which each is found
FRAMES = 240

# One step of the drag a frame; returns the times of the frames.
DRAG = """async ([name, from, to, frames]) => {
  const slider = document.querySelector(`input[type=range][name=${name}]`);
  const matrix = document.querySelector(".matrix");
  matrix.setPointerCapture = () => {};            // no real pointer is down here
  matrix.hasPointerCapture = () => true;
  const move = (part) => {
    if (slider) {
      slider.value = from + (to - from) * part;
      return slider.dispatchEvent(new Event("input", { bubbles: true }));
    }
    const box = matrix.getBoundingClientRect();
    matrix.dispatchEvent(new PointerEvent("pointermove", {
      clientX: box.left + box.width * part, clientY: box.top + box.height * part, bubbles: true }));
  };
  const frame = () => new Promise(requestAnimationFrame);
  const times = [await frame()];
  for (let step = 0; step <= frames; step++) {
    move(step / frames);
    times.push(await frame());
  }
  return times;
}"""


def page_of(folder: Path) -> str:
    """Write a page with the explorer alone and return its address."""
    scripts = "".join(
        f'<script defer src="interactive/{name}"></script>' for name in interactive_figures.scripts("explorer")
    )
    shutil.copytree(interactive_figures.SOURCES, folder / "interactive")
    page = folder / "page.html"
    page.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf8"><link rel="stylesheet" '
        f'href="interactive/{interactive_figures.STYLE}">{scripts}<main>{interactive_figures.opening("explorer")}'
        f"{interactive_figures.CLOSING}</main></html>",
        encoding="utf8",
    )
    return page.as_uri()


def launch(playwright, *flags: str) -> Browser:
    return playwright.chromium.launch(executable_path=chromium.path(playwright), args=[*chromium.FLAGS, *flags])


def measure(frames: int = FRAMES) -> dict[str, dict[str, float]]:
    """Drag by drag: frames a second, the time of the slowest twentieth of the frames, and the busy time of a frame."""
    results = {}
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = launch(playwright)
        page = browser.new_page(viewport={"width": 740, "height": 900})
        page.goto(page_of(Path(folder)) + LARGEST)
        page.wait_for_timeout(1000)
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})  # time on the processor, whatever else runs

        def busy() -> float:
            metrics = {item["name"]: item["value"] for item in session.send("Performance.getMetrics")["metrics"]}
            return 1000 * metrics["TaskDuration"]

        for name, (start, end) in DRAGS.items():
            page.locator(f"[data-view='{VIEWS[name]}']").click()
            moved = ".matrix" if name == "matrix" else f"input[type=range][name={name}]"
            page.locator(moved).first.scroll_into_view_if_needed()
            before = busy()
            times = np.array(page.evaluate(DRAG, [name, start, end, frames]))
            steps = np.diff(times)
            results[name] = {
                "frames_per_second": 1000 * len(steps) / steps.sum(),
                "slowest_twentieth_ms": float(np.quantile(steps, 0.95)),
                "busy_ms": (busy() - before) / len(steps),
            }
        browser.close()
    return results


def show(drags: dict[str, dict[str, float]]) -> None:
    for name, result in drags.items():
        rate, work = result["frames_per_second"], result["busy_ms"]
        print(f"{name:8s} {rate:5.1f} frames a second, {work:4.1f} ms of work a frame")


def main() -> None:
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    show(measure())


if __name__ == "__main__":
    main()
