"""Every link within a site leads to a file and a place that exist."""

import pytest

from site_features import link_check

INDEX = """<html><head><script src="_static/run.js?v=1"></script></head><body><a name="old"></a>
<a class="x" href="sub/two.html#deep">two</a> <a href="#old">here</a> <img alt="a" src="_images/a%20b.svg">
<a href="https://example.org/x">out</a><a href="mailto:a@example.org">us</a><a href="sub/two.html#lab:k=5">state</a>
<!-- <a href="nothing.html">no link</a> --><script>let s = '<a href="none.html">';</script></body></html>"""
TWO = '<html><body><h2 id="deep"></h2><div id="lab"></div><a href="../index.html#old">back</a></body></html>'


@pytest.fixture
def site(tmp_path):
    for name, text in {"index.html": INDEX, "sub/two.html": TWO, "_static/run.js": "", "_images/a b.svg": ""}.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf8")
    return tmp_path


def test_a_sound_site_has_no_fault(site):
    assert link_check.faults(site) == []


@pytest.mark.parametrize(
    "link, reason",
    [
        ('<a href="three.html">', "no file sub/three.html"),
        ('<a title="x" href="../index.html#new">', "index.html has no place"),
        ('<a href="#nowhere">', "sub/two.html has no place"),
        ('<img src="../_images/c.svg">', "no file _images/c.svg"),
        ('<script src="../_static/gone.js"></script>', "no file _static/gone.js"),
        ('<a href="../../elsewhere.html">', "out of the site"),
        ('<a href="/elsewhere.html">', "out of the site"),
    ],
)
def test_each_fault_is_told_with_its_page(site, link, reason):
    page = site / "sub" / "two.html"
    page.write_text(TWO.replace("</body>", link + "</body>"), encoding="utf8")
    (fault,) = link_check.faults(site)
    assert fault.startswith("sub/two.html: ") and reason in fault
