"""What readers can take along: every page with cells as a notebook and as a script, and the sources they need.

    ```{take-along}
    ```            the list of all of it; every page with cells has its own links at its end

`downloads/sources.zip` holds the project's files and the notebooks. The first cell of each looks for the book's modules
in the folders above its own, so that all run as they are where the archive was unpacked. Cell ids, dates and the order
of files are fixed: a commit has one archive.
"""

import re
import time
import zipfile
from pathlib import Path

import nbformat
from docutils import nodes
from markupsafe import Markup
from myst_nb.core.read import read_myst_markdown_notebook
from sphinx.application import Sphinx

from build_control.git_commit import commit_of, project_files
from cited_numbers import numbers_of_record, numbers_page
from cited_numbers.edition import Edition
from cited_numbers.num_role import IN_FORMULA
from cited_numbers.number_text import Numbers, tex_of, text_of
from drift_guard.templates import template

PLACE = "<!-- the book on paper -->"  # where the link to the PDF goes if one is printed
FOLDER, ARCHIVE = "downloads", "sources.zip"
TOP = "sources"  # the folder that the archive unpacks to
ROLE = re.compile(r"\{(?P<role>[a-z:]+)\}`(?:(?P<text>[^`<]+?)\s*<(?P<target>[^`>]+)>|(?P<only>[^`]+))`")
LABEL = re.compile(r"^\([\w-]+\)=\n", re.MULTILINE)
FILES = Path(__file__).with_name("downloads_files")
READ_ME, FIRST = ((FILES / name).read_text(encoding="utf8").rstrip() for name in ("read_me.md", "first_cell.py.txt"))


# ---- notebook and script


def plain(markdown: str, numbers: Numbers) -> str:
    """Return a page's Markdown as a notebook shows it: numbers and the text of references instead of roles."""

    def role(match: re.Match) -> str:
        if match["role"] == "num":
            return text_of(numbers, match["only"])
        return match["text"] or f"`{match['only']}`"

    return IN_FORMULA.sub(lambda match: tex_of(numbers, match[1]), ROLE.sub(role, LABEL.sub("", markdown)))


def notebook(text: str, path: Path, words: str, numbers: Numbers) -> nbformat.NotebookNode:
    """Return a page as a notebook that begins with how to run it."""
    read = read_myst_markdown_notebook(text, path=path)
    made = [
        nbformat.v4.new_markdown_cell(words),
        nbformat.v4.new_code_cell(FIRST.format(here='""', archive=ARCHIVE)),
        *read.cells,
    ]
    for place, cell in enumerate(made):
        cell["id"] = f"cell-{place}"
        cell["metadata"] = {key: value for key, value in cell["metadata"].items() if key == "tags"}
        if cell["cell_type"] == "markdown" and place:
            cell["source"] = plain(cell["source"], numbers)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = nbformat.v4.new_notebook(cells=made, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})
    nbformat.validate(book)
    return book


def script(book: nbformat.NotebookNode) -> str:
    """Return a notebook as a script whose comments are the text, in the form that editors take for cells (`# %%`)."""
    parts = []
    for place, cell in enumerate(book.cells):
        if cell["cell_type"] == "code":
            source = FIRST.format(here="__file__", archive=ARCHIVE) if place == 1 else cell["source"]
            parts.append(f"# %%\n{source}\n")
        else:
            lines = [f"# {line}".rstrip() for line in cell["source"].splitlines()]
            parts.append("\n".join(["# %% [markdown]", *lines]) + "\n")
    return "\n".join(parts)


# ---- the archive


def write_archive(target: Path, root: Path, notebooks: dict[str, str], seconds: int | None) -> None:
    """Write the archive; what is in it besides contents depends on the commit alone."""
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in project_files(root)}
    files |= {f"notebooks/{name}": text.encode() for name, text in notebooks.items()}
    date = max(time.gmtime(seconds or 0)[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{TOP}/{name}", date)
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)


# ---- pages


def stems(app: Sphinx) -> dict[str, str]:
    """Return the pages with cells, and the name of their files, in the order of the names."""
    return {
        page: page.rpartition("/")[2]
        for page in sorted(app.env.found_docs)
        if vars(app.env)["nb_metadata"].get(page, {}).get("exec_data")
    }


def write(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    root, folder = Path(app.srcdir), Path(app.outdir, FOLDER)
    folder.mkdir(exist_ok=True)
    commit, edition, numbers = commit_of(root), Edition.of(app.config), numbers_of_record.State.of(app.env).numbers
    notebooks = {}
    for page, name in stems(app).items():
        path = Path(app.env.doc2path(page))
        words = READ_ME.format(
            title=edition.title,
            version=edition.version,
            commit=f", commit {commit.id[:10]}" if commit else "",
            chapter=app.env.titles[page].astext(),
            site=edition.address(app.builder.get_target_uri(page)),
            archive=ARCHIVE,
        )
        book = notebook(path.read_text(encoding="utf8"), path, words, numbers)
        notebooks |= {f"{name}.ipynb": nbformat.writes(book) + "\n", f"{name}.py": script(book)}
    for name, text in notebooks.items():
        (folder / name).write_text(text, encoding="utf8", newline="\n")
    write_archive(folder / ARCHIVE, root, notebooks, commit and commit.time)


def markup(app: Sphinx, page: str, **what: object) -> str:
    """Return the links to one page's files (its `name`), or a list of all (`titles` by their names), for a page."""
    way = "../" * app.builder.get_target_uri(page).count("/") + FOLDER
    return template(FILES / "links.html.jinja").render(way=way, archive=ARCHIVE, place=Markup(PLACE), **what)


def add_links(app: Sphinx, page: str, _template: str, context: dict, doctree: nodes.document | None) -> None:
    name = stems(app).get(page)
    if name and doctree is not None:
        context["body"] += markup(app, page, name=name)


def make_list(app: Sphinx, page: str, options: dict) -> list[nodes.Node]:
    titles = {name: app.env.titles[other].astext() for other, name in stems(app).items()}
    return [nodes.raw("", markup(app, page, titles=titles), format="html")]


def setup(app: Sphinx) -> None:
    app.setup_extension("cited_numbers.numbers_page")
    numbers_page.add_place(app, "take-along", make_list)
    app.connect("html-page-context", add_links)
    app.connect("build-finished", write, priority=550)
