"""Style sheets that every page loads become one file, whose own files are found from its place."""

from pathlib import PurePosixPath

import pytest
from bs4 import BeautifulSoup

from site_features.style_sheets import moved, sheets, with_one_sheet

PAGE = """<head><link href="../_static/styles/a.css?v=1" rel="stylesheet" />
<link rel="icon" href="../_static/i.svg"/>
<link rel="stylesheet" type="text/css" href="../_static/own.css" />
<link rel="stylesheet" type="text/css" href="../_static/b.css" />
</head><p>Words</p>"""


@pytest.mark.parametrize(
    "given, made",
    [
        ("url(../fonts/f.woff2)", 'url("fonts/f.woff2")'),
        ("url('f.woff2') format('woff2')", "url(\"styles/f.woff2\") format('woff2')"),
        ('url( "x/f.png" )', 'url("styles/x/f.png")'),
        ('url("data:image/svg+xml,%3csvg%20url(#a)")', 'url("data:image/svg+xml,%3csvg%20url(#a)")'),
        ("url(data:a/b;base64,AA==)", "url(data:a/b;base64,AA==)"),
        ("url(#mask) url(/at/the/root)", "url(#mask) url(/at/the/root)"),
        ('@charset "UTF-8";a{}', "a{}"),
    ],
)
def test_files_are_found_from_the_new_place(given, made):
    assert moved(given, "_static/styles/a.css") == made


def test_one_link_stands_for_the_joined_sheets_and_the_others_stay():
    page = PurePosixPath("book/page.html")
    assert sheets(page, PAGE) == ["_static/styles/a.css", "_static/own.css", "_static/b.css"]
    made = with_one_sheet(page, PAGE, {"_static/styles/a.css", "_static/b.css"}, "12")
    assert sheets(page, made) == ["_static/site.css", "_static/own.css"]
    assert [link["href"] for link in BeautifulSoup(made, "html.parser")("link")] == [
        "../_static/site.css?v=12",
        "../_static/i.svg",
        "../_static/own.css",
    ]
    assert made.endswith("</head><p>Words</p>")


def test_the_books_pages_load_one_sheet_and_no_script_holds_them_up(site):
    for name in site.pages:
        page = BeautifulSoup((site.root / name).read_text(encoding="utf8"), "html.parser")
        linked = [str(link["href"]) for link in page.select("head link[rel~=stylesheet]")]
        assert linked[0].partition("?")[0].endswith("_static/site.css")
        assert len(linked) <= 2
        held = [script["src"] for script in page.select("head script[src]:not([defer])")]
        assert all("documentation_options" in script or name == "search.html" for script in held), held
