"""What the audit knows of the pages, kept with Sphinx's environment."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sphinx.environment import BuildEnvironment

if TYPE_CHECKING:
    from number_audit.page_numbers import AuditedPage


@dataclass
class State:
    pages: dict[str, AuditedPage] = field(default_factory=dict)
    lenders: dict[str, set[str]] = field(default_factory=dict)  # pages whose literals count in a part with this label

    def __setstate__(self, kept: dict) -> None:
        """Take what an earlier build kept; one of an earlier version may lack a field, which then begins empty."""
        self.__init__()
        vars(self).update(kept)


def state(env: BuildEnvironment) -> State:
    return vars(env).setdefault("number_audit", State())
