"""The audit: no number that a cell computes is typed by hand; README.md beside this file has the rules.

Matching typed numbers with computed ones by value is no rule: a wrong number of two decimals meets a right one by
accident too often. The same holds for text that cells print or draw: what stands in their strings is typed. An
alternative text has no such number at all, for nobody can quote one there.
"""

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import yaml
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.util import logging

from cited_numbers import numbers_of_record, source_lines
from drift_guard.kept import Kept
from number_audit import number_scan, page_numbers
from number_audit.page_numbers import AuditedPage, Typed

log = logging.getLogger(__name__)
EXCEPTIONS = Path(__file__).parents[2] / "audit.yml"


class NotBacked(SphinxError):
    category = "The audit of typed numbers"


@dataclass
class State(Kept):
    """What the audit knows of the pages."""

    pages: dict[str, AuditedPage] = field(default_factory=dict)
    lenders: dict[str, set[str]] = field(default_factory=dict)  # pages whose literals count in a part with this label


@dataclass
class Findings:
    """What the audit of all pages found."""

    counts: Counter[str] = field(default_factory=Counter)  # of backed numbers, by what backs them
    faults: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)  # phrases of audit.yml that except a number


def exceptions(path: Path = EXCEPTIONS) -> dict[str, str]:
    """Return the phrases whose numbers need no backing, with the reasons."""
    listed = yaml.safe_load(path.read_text(encoding="utf8")) or {}
    for phrase, reason in listed.items():
        if not isinstance(phrase, str) or not isinstance(reason, str) or not any(number_scan.in_text(phrase)):
            raise NotBacked(f"{path.name}: expected `phrase with a number: reason`, got {phrase!r}: {reason!r}")
    return listed


def lent_literals(env: BuildEnvironment) -> dict[str, set[Decimal]]:
    """Return by label what cells of other pages put in, those of an exercise's solution and of an erratum's marks."""
    found = State.of(env)
    lenders = dict(found.lenders)
    for entry in getattr(env, "sphinx_exercise_registry", {}).values():
        if "target_label" in entry["node"]:
            lenders[entry["node"]["target_label"]] = {entry["docname"]}
    return {label: set().union(*(found.pages[page].put_in for page in pages)) for label, pages in lenders.items()}


def shorten(context: str) -> str:
    return " ".join(context.replace(number_scan.HOLE, "□").split())


def audit_number(findings: Findings, page: str, one: Typed, phrases: dict[str, str], lent: set[Decimal]) -> None:
    """Count a typed number among the backed ones, or among the faults."""
    excepted = [phrase for phrase in phrases if one.text in phrase and phrase in one.context]
    if not one.backing:
        findings.used.update(excepted)
    if one.backing == "alt":
        findings.faults.append(f"{page}:{one.line}: {one.text} in an alternative text: say it without a number")
    elif one.backing or lent.intersection(one.values):
        findings.counts[one.backing or "literal"] += 1
    elif excepted:
        findings.counts["excepted"] += 1
    else:
        findings.faults.append(f"{page}:{one.line}: {one.text} is typed: …{shorten(one.context)}…")


def audit_pages(env: BuildEnvironment, phrases: dict[str, str]) -> Findings:
    findings, state, lent = Findings(), State.of(env), lent_literals(env)
    for page, audited in sorted(state.pages.items()):
        for one in sorted(audited.typed, key=lambda one: one.line):
            audit_number(findings, page, one, phrases, lent.get(one.borrower, set()))
    for name, number in numbers_of_record.State.of(env).numbers.items():
        meaning, put_in = number.entry.meaning, state.pages[number.page].put_in
        for one in number_scan.in_text(meaning):
            excepted = [phrase for phrase in phrases if one.text in phrase and phrase in meaning]
            if put_in.intersection(one.values):
                continue
            findings.used.update(excepted)
            if not excepted:
                findings.faults.append(f"book/numbers.yml: {name}: {one.text} is typed in the meaning")
    for phrase in phrases.keys() - findings.used:
        findings.faults.append(f"audit.yml: {phrase!r} excepts nothing any more: take it out")
    return findings


def summary(findings: Findings, pages: int, quoted: int) -> str:
    counts = findings.counts
    total = quoted + counts.total() + len(findings.faults)
    backed = 100 * (1 - len(findings.faults) / total) if total else 100
    return (
        f"audit: {total} numbers on {pages} pages, of which {quoted} quoted from the record, {counts['literal']} "
        f"literals of the page's cells, {counts['year']} years of cited works, {counts['excepted']} excepted: "
        f"{backed:.4g} % backed"
    )


# ---- the build


def read(app: Sphinx, doctree) -> None:
    page = app.env.docname
    bibliography = [str(Path(app.srcdir, name)) for name in app.config.bibtex_bibfiles]
    source = source_lines.source_of(app.env, page)
    State.of(app.env).pages[page] = page_numbers.read_page(doctree, source, bibliography)


def check(app: Sphinx, env: BuildEnvironment) -> None:
    findings = audit_pages(env, exceptions())
    quoted = sum(map(len, numbers_of_record.State.of(env).quotes.values()))
    log.info("%s", summary(findings, len(State.of(env).pages), quoted))
    if findings.faults:
        advice = (
            f"{len(findings.faults)} number(s) without backing. Quote them ({{num}}`id`, \\num{{id}}), or let a cell of"
            " the page put them in; a name or date goes into book/audit.yml with a reason."
        )
        raise NotBacked("\n  ".join([advice, *findings.faults]))


def setup(app: Sphinx) -> dict:
    app.setup_extension("sphinxcontrib.bibtex")
    app.setup_extension("cited_numbers.num_role")
    app.connect("doctree-read", read)
    app.connect("env-purge-doc", State.forget_page)
    app.connect("env-updated", check, priority=700)
    return {"version": "1", "env_version": 2, "parallel_read_safe": False, "parallel_write_safe": True}
