"""Give every page a content security policy: nothing from elsewhere, scripts from the site itself or by their hash.

The theme and some extensions put short scripts into the page itself. Their hashes are known when the page is finished,
so the policy is written then, by a template bridge, which Sphinx asks for each page.
"""

import base64
import hashlib
import re

from sphinx.application import Sphinx
from sphinx.jinja2glue import BuiltinTemplateLoader

from site_features.theme import with_one_viewport

INLINE_SCRIPT = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)
FIRST = '<meta charset="utf-8" />'


def policy(html: str) -> str:
    """Return the policy under which the scripts of `html` run, and no others."""
    digests = {hashlib.sha256(script.encode("utf8")).digest() for script in INLINE_SCRIPT.findall(html)}
    hashes = sorted(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return "; ".join(
        [
            "default-src 'self'",
            " ".join(["script-src 'self'", *hashes]),
            "style-src 'self' 'unsafe-inline'",  # the styles of MathML tables and of figures' sizes are attributes
            "img-src 'self' data:",  # icons are data in the style sheet, so that they show from file:// too
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
        ]
    )


def with_policy(html: str) -> str:
    """Return the page with its policy in front of everything the policy is about."""
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy(html)}" />'
    return html.replace(FIRST, f"{FIRST}\n    {meta}", 1)


class Templates(BuiltinTemplateLoader):
    def render(self, template: str, context: dict) -> str:
        return with_policy(with_one_viewport(super().render(template, context)))


def setup(app: Sphinx) -> None:
    app.config.template_bridge = f"{__name__}.{Templates.__name__}"
