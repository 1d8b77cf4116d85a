"""Which book this is: title, author, year, version and address, each taken from the one place that states it.

The version stands in pyproject.toml; title, author and year in _config.yml; so does the site's address, as
`html: baseurl:`, once there is one. Until then a citation gives the page's path alone.
"""

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

from sphinx.config import Config

ROOT = Path(__file__).parents[3]


def version() -> str:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]["version"]


class Edition(NamedTuple):
    title: str
    author: str
    year: str
    version: str
    site: str

    @classmethod
    def of(cls, config: Config) -> "Edition":
        year = re.findall(r"\d{4}", config.copyright)[-1]
        return cls(config.html_title, config.author, year, version(), config.html_baseurl)

    def address(self, path: str = "") -> str:
        """Return the address of a page of the site, or its path while the site has no address."""
        return f"{self.site.rstrip('/')}/{path}" if self.site else path

    def citation(self, path: str = "", part: str = "") -> str:
        """Return a citation of the book, or of a part of it, as text."""
        part = part and f"{part}. In: "
        return f"{self.author} ({self.year}). {part}{self.title}, version {self.version}. {self.address(path)}".rstrip()

    def bibtex(self, key: str, path: str = "", part: str = "") -> str:
        """Return the same as BibTeX; its special characters are escaped, and double braces keep the capitals."""
        address = self.address(path)
        fields = {
            "author": f"{{{tex(self.author)}}}",
            "title": f"{{{tex(part or self.title)}}}",
            "booktitle": part and f"{{{tex(self.title)}}}",
            "year": self.year,
            "version": self.version,
            ("url" if self.site else "howpublished"): address if self.site else tex(address),
        }
        lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
        return f"@{'inbook' if part else 'book'}{{{key},\n" + ",\n".join(lines) + "\n}"


def tex(text: str) -> str:
    """Escape what TeX would read as a command."""
    escaped = re.sub(r"([#$%&_{}])", r"\\\1", text.replace("\\", r"\textbackslash "))
    return escaped.replace("−", "$-$").replace("×", r"$\times$")
