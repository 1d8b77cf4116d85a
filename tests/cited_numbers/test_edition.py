"""The citation file, the one place of the version, and the promise that published ids keep."""

import json
import re

import fastjsonschema
import pytest
import yaml
from matching import matched
from toy_book import ROOT

import record
from cited_numbers import edition

PUBLISHED = ROOT / "book" / "published-ids.txt"


def citation() -> dict:
    return yaml.load((ROOT / "CITATION.cff").read_text(encoding="utf8"), yaml.BaseLoader)


def validate(data: dict):
    """Check against the schema of the Citation File Format itself (CC BY 4.0)."""
    schema = json.loads((ROOT / "tests" / "data" / "cff-1.2.0.schema.json").read_text(encoding="utf8"))
    fastjsonschema.compile(schema)(data)


def typed(data: dict) -> dict:
    """Return the file as YAML with numbers, but the versions as text, as the schema has it."""
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf8")) | {"cff-version": data["cff-version"]}


def test_the_citation_file_is_valid():
    validate(typed(citation()))


@pytest.mark.parametrize(
    "change",
    [
        {"title": None},
        {"license": "none"},
        {"authors": []},
        {"cff-version": "1"},
        {"colour": "red"},
    ],
)
def test_the_schema_refuses_what_is_wrong(change):
    with pytest.raises(fastjsonschema.JsonSchemaValueException):
        validate(typed(citation()) | change)


def test_the_file_names_the_book_as_the_book_does():
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf8"))
    assert citation()["title"] == config["title"]
    assert [author["name"] for author in citation()["authors"]] == [config["author"]]


def test_the_file_states_the_version_and_the_day_of_its_release():
    assert citation()["version"] == edition.version()
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf8")
    assert f"## {edition.version()} ({citation()['date-released']})" in changes


def test_the_version_stands_in_one_place():
    version = edition.version()
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    files = [
        path
        for name in ("*.cff", "*.yml", "*.toml", "book/*.md", "book/_ext/*/*.py", "posenc/*.py")
        for path in ROOT.glob(name)
    ]
    stating = re.compile(rf"version\W+{re.escape(version)}(?![\d.])")
    stated = {path.name for path in files if stating.search(path.read_text(encoding="utf8"))}
    assert stated == {"pyproject.toml", "CITATION.cff"}  # and a test holds the two together


# ---- ids are a promise


def published() -> list[str]:
    return [line for line in PUBLISHED.read_text(encoding="utf8").splitlines() if line and not line.startswith("#")]


def test_every_published_id_still_has_an_entry():
    gone = [name for name in published() if name not in record.entries()]
    assert gone == [], 'give each an entry {retired: "renamed in …", now: …} in book/numbers.yml'


def test_the_list_is_in_order_and_names_no_id_twice():
    assert published() == sorted(set(published()))


def released() -> set[str]:
    """Return the versions that CHANGELOG.md calls released: each has a heading of its own."""
    return released_in((ROOT / "CHANGELOG.md").read_text(encoding="utf8"))


def released_in(text: str) -> set[str]:
    return set(re.findall(r"^## v?(\d+(?:\.\d+)+)\b", text, re.MULTILINE))


def unpublished(version: str, released: set[str], ids: set[str], published: set[str]) -> list[str]:
    """Return the ids that a released version has and the list lacks; before the release its ids may still change."""
    return sorted(ids - published) if version in released else []


def test_a_released_version_has_published_its_ids():
    ids = set(record.entries())
    missing = unpublished(edition.version(), released(), ids, set(published()))
    assert missing == [], f"add them to {PUBLISHED.name}"
    assert ids and unpublished(edition.version(), {edition.version()}, ids, set()) == sorted(ids)


def test_the_changes_tell_what_is_released():
    changes = "# Changes\n\n## Unreleased\n\n## 0.2.0 (2026-02-01)\n\n- of 0.3.0\n\n## 0.1.0\n"
    assert released_in(changes) == {"0.1.0", "0.2.0"}
    assert unpublished("0.3.0", {"0.2.0"}, {"a"}, set()) == []
    assert unpublished("0.2.0", {"0.2.0"}, {"a", "b"}, {"b"}) == ["a"]


def test_the_changes_begin_with_this_version_or_with_what_is_not_released():
    """Or the version that pyproject.toml states would be one that was never told of."""
    first = matched(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf8"), re.MULTILINE)[1]
    assert first.startswith(("Unreleased", edition.version()))
