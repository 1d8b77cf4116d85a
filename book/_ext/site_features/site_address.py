"""Make the site known under its address, once `html: baseurl:` in _config.yml states one: canonical addresses, cards
for links that people share, and sitemap.xml. Without an address there is none of it.

404.html, which hosts show for what they do not find, is there in any case. It loads nothing, because it may be shown at
any depth.
"""

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from drift_guard.templates import template
from site_features.security_policy import with_policy

FILES = Path(__file__).with_name("site_address_files")


def configure(app: Sphinx, config: Config) -> None:
    config.html_baseurl = config.html_baseurl and config.html_baseurl.rstrip("/") + "/"
    config.ogp_site_url = config.html_baseurl
    config.ogp_site_name = config.html_title


def finish(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    site, address = Path(app.outdir), app.config.html_baseurl
    # As a relative address "index.html" exists both at the root and beside the pages.
    missing = template(FILES / "404.html.jinja").render(title=app.config.html_title, front=address or "index.html")
    (site / "404.html").write_text(with_policy(missing), encoding="utf8", newline="\n")
    if address:
        pages = [address + app.builder.get_target_uri(page) for page in sorted(app.env.found_docs)]
        sitemap = template(FILES / "sitemap.xml.jinja").render(addresses=pages)
        (site / "sitemap.xml").write_text(sitemap, encoding="utf8", newline="\n")


def setup(app: Sphinx) -> None:
    if app.config.html_baseurl:
        app.setup_extension("sphinxext.opengraph")
        app.connect("config-inited", configure)
    app.connect("build-finished", finish)
