"""A small book with the real extensions, built twice: the same to the byte, known under its address, and fit to be
taken along; nothing of the machine is in it, and nothing of an earlier build."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest
import yaml
from matching import matched
from same import apart, files
from toy_book import HEADER, ROOT, ToyBook

EXTENSIONS = [
    "build_control",
    "drift_guard.cell_outputs",
    "cited_numbers.num_role",
    "cited_numbers.numbers_page",
    "site_features.mathml",
    "site_features.theme",
    "site_features.security_policy",
    "site_features.dark_figures",
    "site_features.style_sheets",
    "site_features.exercise_bodies",
    "site_features.colophon",
    "site_features.site_address",
    "site_features.downloads",
    "site_features.link_check",
]
SECRET = "a-name-that-no-page-may-hold"
FRONT = """# A front page

See [the page with cells](cells.md#a-place), {ref}`its figure <fig-line>`, and $a = \\num{answer}$.

```{take-along}
```
"""
CELLS = (
    HEADER
    + """
(cells)=
# Cells

The answer is {num}`answer`, see {doc}`index`.

## A place

```{code-cell} ipython3
from record import record
print("answer", record("answer", 6 * 7))
```

```{code-cell} ipython3
---
tags: [hide-input]
mystnb: {image: {alt: A line.}, figure: {caption: A line., name: fig-line}}
---
import matplotlib.pyplot as plt
fig, ax = plt.subplots()
ax.plot([1, 2, 4]);
```

```{exercise}
:label: ex
Why?
```
"""
)
LIST = "# Numbers\n\n```{numbers-page}\n```\n"
NUMBERS = "answer: {meaning: the answer, shown: '.0f'}\n"
LEAVING = "# A page that leaves\n\n![a picture that leaves](picture.svg)\n"
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="9pt" height="9pt"/>'


def make(folder: Path, commit: bool) -> ToyBook:
    folder.mkdir(parents=True)
    pages = {"index": FRONT, "cells": CELLS, "leaving": LEAVING, "numbers": LIST}
    toy = ToyBook(folder, pages, NUMBERS, EXTENSIONS)
    shutil.copytree(ROOT / "book" / "theme", folder / "book" / "theme")
    toy.write("picture.svg", PICTURE)
    (folder / ".gitignore").write_text("_build/\n__pycache__/\n", encoding="utf8")
    if commit:
        git(folder, "init", "--quiet")
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message", "A commit")
    return toy


def git(folder: Path, *arguments: str) -> None:
    date = "2024-02-29T23:30:00-05:00"
    person = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in {"NAME": "A", "EMAIL": "a@example.org", "DATE": date}.items()
    }
    subprocess.run(["git", "-C", folder, *arguments], check=True, env={**os.environ, **person})


def build(toy: ToyBook, **changed: str) -> str:
    if changed:
        command = [Path(sys.executable).with_name("jupyter-book"), "build", "."]
        done = subprocess.run(
            command,
            cwd=toy.folder,
            capture_output=True,
            text=True,
            encoding="utf8",
            env={**os.environ, **changed},
            timeout=120,
        )
    else:
        done = toy.build()
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout + done.stderr


def site(toy: ToyBook) -> Path:
    return toy.folder / "_build" / "html"


@pytest.fixture(scope="module")
def toy(tmp_path_factory) -> ToyBook:
    toy = make(tmp_path_factory.mktemp(SECRET) / "one", commit=True)
    build(toy, LC_ALL="C.UTF-8", TZ="Asia/Kolkata")
    return toy


def test_two_builds_of_a_commit_elsewhere_are_the_same_to_the_byte(toy, tmp_path):
    other = make(tmp_path / "a longer name" / "two", commit=True)
    build(other, LC_ALL="C", TZ="America/St_Johns", PYTHONHASHSEED="7", COLUMNS="40", USER="somebody")
    one, two = files(site(toy)), files(site(other))
    assert len(one) > 40 and apart(one, two) == []


def machine_in(folder: Path, *words: str) -> list[str]:
    """Return the files of a site that hold a folder of this machine, or one of the words."""
    words = (*words, str(Path.home()) + "/", str(ROOT), sys.prefix, tempfile.gettempdir() + "/")
    found = []
    for name, content in files(folder).items():
        if name.endswith(".zip"):
            with zipfile.ZipFile(folder / name) as archive:
                content = b"".join(archive.read(entry) for entry in archive.namelist())
        found += [f"{name}: {word}" for word in words if word.encode() in content]
    return found


def test_nothing_of_the_machine_is_in_a_site(toy):
    assert machine_in(site(toy), SECRET) == []
    assert machine_in(toy.folder / "_build", SECRET) != [], "the build's own folder does name it: the test would see it"


def test_nothing_of_the_machine_is_in_the_book(built_book):
    assert machine_in(built_book) == []


def test_footer_names_version_commit_and_its_date(toy):
    head = subprocess.run(["git", "-C", toy.folder, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    footer = matched(r'<p class="colophon">(.*?)</p>', toy.html("cells"))[1]
    assert "Version 1.2.3" in footer and f'title="{head.stdout.strip()}"' in footer
    assert '<time datetime="2024-03-01">2024-03-01</time>.' in footer, "the date is the commit's, in UTC"


def test_without_an_address_there_is_none_of_it(toy):
    page = toy.html("cells")
    assert "canonical" not in page and "og:" not in page and not (site(toy) / "sitemap.xml").exists()
    missing = (site(toy) / "404.html").read_text(encoding="utf8")
    assert 'href="index.html"' in missing and "Content-Security-Policy" in missing and "_static" not in missing


def test_notebook_and_script_run_as_they_are_from_the_archive(toy, tmp_path):
    with zipfile.ZipFile(site(toy) / "downloads" / "sources.zip") as archive:
        assert {info.date_time for info in archive.infolist()} == {(2024, 3, 1, 4, 30, 0)}
        archive.extractall(tmp_path)
    folder = tmp_path / "sources" / "notebooks"
    book = json.loads((folder / "cells.ipynb").read_text(encoding="utf8"))
    assert [cell["id"] for cell in book["cells"]] == [f"cell-{n}" for n in range(len(book["cells"]))]
    assert "pip install" in "".join(book["cells"][0]["source"])
    assert "The answer is 42, see `index`." in "".join(book["cells"][2]["source"])
    environment = {**os.environ, "MPLBACKEND": "agg", "PYTHONPATH": ""}
    for command in (["cells.py"], ["-c", RUN_NOTEBOOK]):
        done = subprocess.run([sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0 and "answer 42" in done.stdout, done.stderr
    alone = shutil.copy(folder / "cells.py", tmp_path)
    done = subprocess.run([sys.executable, alone], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and "unpack sources.zip" in done.stderr


RUN_NOTEBOOK = """
import nbclient, nbformat
from traitlets.config import Config
book = nbformat.read("cells.ipynb", 4)
sockets = Config(KernelManager={"transport": "ipc"})  # TCP's ports may be those of another kernel
nbclient.NotebookClient(book, config=sockets).execute()
print(*(output["text"] for cell in book.cells for output in cell.get("outputs", []) if "text" in output))
"""


def test_pages_link_to_what_can_be_taken_along(toy):
    assert 'href="../downloads/cells.ipynb"' in toy.html("cells")
    front = toy.html("index")
    assert all(f'href="../downloads/{name}"' in front for name in ("cells.ipynb", "cells.py", "sources.zip"))
    assert "downloads/" not in toy.html("leaving")


def test_what_left_the_book_leaves_the_site_and_an_address_brings_its_files(toy, tmp_path):
    folder = tmp_path / "three"
    shutil.copytree(toy.folder, folder)
    three = ToyBook.__new__(ToyBook)
    three.folder = folder
    shutil.rmtree(folder / ".git")  # a copy without its history
    config = yaml.safe_load((folder / "_config.yml").read_text(encoding="utf8"))
    config["html"]["baseurl"] = "https://example.org/book"
    (folder / "_config.yml").write_text(yaml.safe_dump(config), encoding="utf8")
    toc = yaml.safe_load((folder / "_toc.yml").read_text(encoding="utf8"))
    toc["chapters"] = [{"file": "book/cells"}, {"file": "book/numbers"}]
    (folder / "_toc.yml").write_text(yaml.safe_dump(toc), encoding="utf8")
    (site(three) / "book.pdf").write_bytes(b"printed from what was there")
    for name in "leaving.md", "picture.svg":
        (folder / "book" / name).unlink()
    before = set(files(site(three)))
    build(three)
    after = set(files(site(three)))
    gone = {"_images/picture.svg", "book/leaving.html", "_sources/book/leaving.md", "book.pdf"}
    assert before - after == gone, "and nothing else"
    page = three.html("cells")
    assert "from a copy without its history" in page
    assert '<link rel="canonical" href="https://example.org/book/book/cells.html" />' in page
    assert '<meta property="og:url" content="https://example.org/book/book/cells.html"' in page
    card = matched(r'property="og:image" content="https://example.org/book/([^"]+)"', page)[1]
    assert (site(three) / card).stat().st_size > 5000
    sitemap = (site(three) / "sitemap.xml").read_text(encoding="utf8")
    assert re.findall("<loc>(.*?)</loc>", sitemap) == [
        f"https://example.org/book/book/{name}.html" for name in ("cells", "index", "numbers")
    ]
    assert 'href="https://example.org/book/"' in (site(three) / "404.html").read_text(encoding="utf8")


def test_an_unchanged_book_is_not_written_again(toy):
    before = files(site(toy))
    assert "Nothing changed since the last build" in build(toy) and apart(before, files(site(toy))) == []
