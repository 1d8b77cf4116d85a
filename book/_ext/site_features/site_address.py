"""Make the site known under its address, once `html: baseurl:` in _config.yml states one: canonical addresses, cards
for links that people share, and sitemap.xml. Without an address there is none of it.

404.html, which hosts show for what they do not find, is there in any case. It loads nothing, because it may be shown at
any depth.
"""

from html import escape
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from site_features.security_policy import with_policy

MISSING = """<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <title>No such page - {title}</title>
    <style>
      :root {{ color-scheme: light dark; }}
      body {{ font: 1.2rem/1.5 serif; max-width: 34rem; margin: 20vh auto 0; padding: 0 1.5rem; }}
    </style>
  </head>
  <body>
    <main>
      <h1>There is no such page</h1>
      <p>The book has no page at this address. <a href="{front}">Its front page</a> leads to all that it has. Addresses
      of numbers are never given up: if one led here, please tell us.</p>
    </main>
  </body>
</html>
"""


def configure(app: Sphinx, config: Config) -> None:
    config.html_baseurl = config.html_baseurl and config.html_baseurl.rstrip("/") + "/"
    config.ogp_site_url = config.html_baseurl
    config.ogp_site_name = config.html_title


def write_missing(app: Sphinx) -> None:
    # As a relative address "index.html" exists both at the root and beside the pages.
    text = MISSING.format(title=escape(app.config.html_title), front=escape(app.config.html_baseurl or "index.html"))
    Path(app.outdir, "404.html").write_text(with_policy(text), encoding="utf8", newline="\n")


def write_sitemap(app: Sphinx) -> None:
    addresses = [app.config.html_baseurl + app.builder.get_target_uri(page) for page in sorted(app.env.found_docs)]
    lines = "".join(f"<url><loc>{escape(address)}</loc></url>\n" for address in addresses)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    Path(app.outdir, "sitemap.xml").write_text(f"{head}{lines}</urlset>\n", encoding="utf8", newline="\n")


def finish(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    write_missing(app)
    if app.config.html_baseurl:
        write_sitemap(app)


def setup(app: Sphinx) -> None:
    if app.config.html_baseurl:
        app.setup_extension("sphinxext.opengraph")
        app.connect("config-inited", configure)
    app.connect("build-finished", finish)
