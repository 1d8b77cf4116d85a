"""Say in every page's footer which version this is, of which commit and date; a copy without git says that it is one.

A new commit writes all pages anew, because version and commit are Sphinx's own `release`.
"""

from html import escape
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from build_control.git_commit import Commit, commit_of
from cited_numbers.edition import version


def colophon(number: str, commit: Commit | None) -> str:
    """Return the footer's sentence as HTML."""
    if commit is None:
        return f"Version {escape(number)}, built from a copy without its history: the commit is not known."
    after = " with changes that are not committed" if commit.changed else ""
    return (
        f'Version {escape(number)}, commit <code title="{commit.id}">{commit.id[:10]}</code> of '
        f'<time datetime="{commit.date}">{commit.date}</time>{after}.'
    )


def configure(app: Sphinx, config: Config) -> None:
    number, commit = version(), commit_of(Path(app.srcdir))
    config.version = number
    config.release = f"{number} {commit.id}{'+' if commit.changed else ''}" if commit else number
    config.html_theme_options = {
        **config.html_theme_options,
        "extra_footer": f'<p class="colophon">{colophon(number, commit)}</p>',
    }


def setup(app: Sphinx) -> None:
    app.connect("config-inited", configure, priority=600)  # after the theme's options are set
