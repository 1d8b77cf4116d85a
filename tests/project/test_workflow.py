"""The workflow that publishes the book: its form, its rights, its pins, and that what it runs exists."""

import copy
import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).parents[2]
FILE = ROOT / ".github" / "workflows" / "pages.yml"
WRITES = {("deploy", "pages"), ("deploy", "id-token")}  # what a deployment needs, and nobody else
PIN = re.compile(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+){2}$")


def workflow() -> dict:
    return yaml.load(FILE.read_text(encoding="utf8"), yaml.BaseLoader)  # BaseLoader: `on` is no truth value


def faults(flow: dict, targets: set[str]) -> list[str]:
    """Return what is wrong with a workflow; `targets` are the Makefile's."""
    found = []
    if flow.get("permissions") != {"contents": "read"}:
        found.append("the workflow as a whole may read, no more")
    if "pull_request_target" in flow["on"]:
        found.append("a pull request's code would run with the repository's rights")
    for name, job in flow["jobs"].items():
        rights = job.get("permissions", {})
        if not isinstance(rights, dict):
            found.append(f"{name}: permissions {rights}")
            continue
        found += [
            f"{name}: may write {right}"
            for right, access in rights.items()
            if access == "write" and (name, right) not in WRITES
        ]
        found += (
            [f"{name}: needs {need}, which is no job" for need in [job["needs"]] if need not in flow["jobs"]]
            if "needs" in job
            else []
        )
        if "timeout-minutes" not in job:
            found.append(f"{name}: no time limit")
        if rights and "main" not in job.get("if", ""):
            found.append(f"{name}: publishes more than main")
        for step in job["steps"]:
            for command in re.findall(r"\bmake ([\w-]+)", step.get("run", "")):
                if command not in targets:
                    found.append(f"{name}: make {command} is no target")
            if "run" in step and re.search(r"\$\{\{|\bmake record\b|GUARD_ACCEPT", step["run"]):
                found.append(f"{name}: a command made of foreign text, or one that accepts a record: {step['run']}")
            if (
                step.get("uses", "").startswith("actions/checkout")
                and step.get("with", {}).get("persist-credentials") != "false"
            ):
                found.append(f"{name}: the checkout leaves its token behind")
    return found


@pytest.fixture(scope="module")
def targets() -> set[str]:
    return set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(encoding="utf8"), re.MULTILINE))


def test_form_rights_and_commands(targets):
    flow = workflow()
    assert faults(flow, targets) == []
    runs = [step["run"] for step in flow["jobs"]["build"]["steps"] if "run" in step]
    assert runs.index("make test") < runs.index("make book") < runs.index("make pdf")
    assert flow["jobs"]["deploy"]["needs"] == "build"
    assert "concurrency" in flow and {"push", "pull_request"} <= set(flow["on"])


@pytest.mark.parametrize(
    "change, fault",
    [
        (lambda flow: flow.update(permissions="write-all"), "may read, no more"),
        (lambda flow: flow["jobs"]["build"].update(permissions={"contents": "write"}), "may write contents"),
        (lambda flow: flow["jobs"]["build"]["steps"].append({"run": "make nothing"}), "is no target"),
        (lambda flow: flow["jobs"]["deploy"].pop("if"), "publishes more than main"),
        (lambda flow: flow["jobs"]["build"].pop("timeout-minutes"), "no time limit"),
        (lambda flow: flow["jobs"]["build"]["steps"].append({"run": "make record"}), "accepts a record"),
        (lambda flow: flow["jobs"]["build"]["steps"][0].pop("with"), "leaves its token behind"),
    ],
)
def test_each_fault_is_seen(targets, change, fault):
    flow = copy.deepcopy(workflow())
    change(flow)
    assert any(fault in found for found in faults(flow, targets))


def test_actions_are_pinned_to_a_commit_with_the_version_beside_it():
    uses = [line.strip().removeprefix("- ") for line in FILE.read_text(encoding="utf8").splitlines() if "uses:" in line]
    assert len(uses) == 5 and [line for line in uses if not PIN.match(line)] == []


# ---- the syntax


def validate(flow: dict) -> None:
    """Check against the schema of GitHub's workflows, which tests/data/README.md tells the source of."""
    schema = json.loads((ROOT / "tests" / "data" / "github-workflow.schema.json").read_text(encoding="utf8"))
    jsonschema.Draft7Validator(schema).validate(flow)


def as_github_reads_it() -> dict:
    """Return the workflow with truth values and numbers; `on` is a name, which YAML 1.1 takes for one of them."""
    flow = yaml.safe_load(FILE.read_text(encoding="utf8"))
    flow["on"] = flow.pop(True)
    return flow


def test_the_workflow_is_one():
    validate(as_github_reads_it())


@pytest.mark.parametrize(
    "change",
    [
        lambda flow: flow.pop("on"),
        lambda flow: flow["on"].update(pushed=None),
        lambda flow: flow["permissions"].update(contents="everything"),
        lambda flow: flow["jobs"]["build"].pop("runs-on"),
        lambda flow: flow["jobs"]["build"].update(step=[]),
        lambda flow: flow["jobs"]["build"]["steps"].append({"run": "make", "uses": "a/b@c", "when": "always"}),
        lambda flow: flow["jobs"]["build"].update({"timeout-minutes": "long"}),
    ],
)
def test_the_schema_refuses_what_is_wrong(change):
    flow = as_github_reads_it()
    change(flow)
    with pytest.raises(jsonschema.ValidationError):
        validate(flow)


def test_steps_that_expressions_name_exist():
    """What the schema cannot see, and a run on GitHub would find late: the names in `${{ ... }}`."""
    flow = as_github_reads_it()
    assert FILE.read_text(encoding="utf8").count("${{") == FILE.read_text(encoding="utf8").count("}}")
    for job in flow["jobs"].values():
        text = json.dumps(job)
        ids = {step["id"] for step in job["steps"] if "id" in step}
        assert set(re.findall(r"\bsteps\.([\w-]+)", text)) <= ids
        expressions = re.findall(r"\$\{\{(.*?)\}\}", text)
        assert {word for one in expressions for word in re.findall(r"(?<![\w.])([a-z]+)\.\w", one)} <= {
            "github",
            "steps",
        }
