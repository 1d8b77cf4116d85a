"""A build that finds nothing changed ends at once, and only then."""

import pytest
from toy_book import HEADER, ToyBook

PAGE = HEADER + """
# Page

```{code-cell} ipython3
print("once")
```
"""
EXTENSIONS = ["alone", "strict", "garbage", "fresh", "side_by_side"]
SAME = "Nothing changed since the last build"


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> ToyBook:
    book = ToyBook(tmp_path_factory.mktemp("book"), {"page": PAGE}, "{}\n", EXTENSIONS)
    assert SAME not in built(book)
    return book


def built(book: ToyBook) -> str:
    done = book.build()
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_only_a_build_that_finds_all_as_it_was_ends_at_once(book):
    site, stamp = book.folder / "_build" / "html", book.folder / "_build" / ".doctrees" / "complete-html"
    page, settings = book.folder / "book" / "page.md", book.folder / "pyproject.toml"
    for change in (
        lambda: page.write_text(PAGE.replace("once", "twice"), encoding="utf8"),
        lambda: settings.write_text('[project]\nversion = "1.2.4"\n', encoding="utf8"),
        lambda: (site / "book" / "page.html").write_text("spoilt", encoding="utf8"),
        lambda: (site / "search.html").rename(site / "other.html"),
        lambda: stamp.unlink(),  # as after a build that was killed while it wrote
    ):
        change()
        assert SAME not in built(book)
        assert "twice" in book.html("page") and (site / "search.html").exists() and not (site / "other.html").exists()
    assert SAME in built(book)
