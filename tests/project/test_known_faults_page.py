"""The page of known faults tells of every report that the tests of posenc hold, and of no other."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ELSEWHERE = {"karpathy/nanochat/264", "keras-team/keras-hub/1416"}  # reported as a fault, and none


def reports() -> set[str]:
    faults = json.loads((ROOT / "tests/posenc/data/known_faults.json").read_text(encoding="utf8"))
    seen, last = set(), ""
    for fault in faults.values():
        for part in re.split(r"[;,] ", fault["seen_in"].replace(" and #", "; #").replace("not a fault: ", "")):
            if "#" in part:
                repository, number = part.split("#")
                last = repository or last  # a number without a repository belongs to the one before
                seen.add(f"{last}/{number}")
    return seen


def test_every_report_is_linked_on_the_page():
    page = (ROOT / "book/known-faults.md").read_text(encoding="utf8")
    linked = {
        f"{repository}/{number}" for repository, number in re.findall(r"github\.com/([^/]+/[^/]+)/issues/(\d+)", page)
    }
    assert linked == reports() - ELSEWHERE
