"""The recipes of examples/ci: each passes its linter or schema, and its commands do what it says.

GitHub's workflow is checked by actionlint and by the schema of schemastore.org, GitLab's job by GitLab's own schema (both schemas come with
check-jsonschema). For a Jenkinsfile there is no such thing without a Jenkins: a grammar of Groovy reads it, and what is read must be a
Declarative pipeline by the rules that are below. What is not run is what the services do, their actions; and where a package is installed,
an apt-get stands in that writes down what it is asked. That the package installs is the matter of scripts/package/test.sh.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import junitparser
import labrys
import pytest
import tree_sitter_groovy
from ruamel.yaml import YAML
from sarif_pydantic import Sarif  # type: ignore[import-untyped]
from tree_sitter import Language, Node, Parser

REPOSITORY = Path(__file__).resolve().parents[1]
RECIPES = REPOSITORY / "examples/ci"
CLEAN = "double half(double x) { return x / 2; }\n"

CODE_QUALITY = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path"],
                "properties": {"path": {"type": "string", "pattern": r"^(?!\./|/).+"}},
                "anyOf": [
                    {"properties": {"lines": {"properties": {"begin": {"type": "integer", "minimum": 1}}, "required": ["begin"]}},
                     "required": ["lines"]},
                    {"required": ["positions"]},
                ],
            },
        },
    },
}  # fmt: skip
"""What GitLab's documentation asks of a code quality report ("Code Quality report format")."""


def tool(name: str) -> str:
    """A tool of the environment that the tests run in."""
    return str(Path(sys.executable).parent / name)


def lint(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([tool(str(words[0])), *words[1:]], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def lint_github(file: Path) -> list[subprocess.CompletedProcess[str]]:
    schema = lint("check-jsonschema", "--builtin-schema", "vendor.github-workflows", file)
    return [schema, lint("actionlint", "-no-color", file)]


def lint_gitlab(file: Path) -> list[subprocess.CompletedProcess[str]]:
    return [lint("check-jsonschema", "--builtin-schema", "vendor.gitlab-ci", file)]


def test_github_recipe_is_a_workflow() -> None:
    for done in lint_github(RECIPES / "github.yml"):
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("before", "after", "by"),
    [
        ("runs-on: ubuntu-latest", "run-on: ubuntu-latest", 0),
        ("steps.labrys.outputs.status", "steps.nothing.outputs.status", 1),
        ("security-events: write", "security-event: write", 1),
    ],
)
def test_github_linters_notice(tmp_path: Path, before: str, after: str, by: int) -> None:
    file = tmp_path / "github.yml"
    text = (RECIPES / "github.yml").read_text()
    assert before in text
    file.write_text(text.replace(before, after))
    assert lint_github(file)[by].returncode != 0


def test_gitlab_recipe_is_a_job(tmp_path: Path) -> None:
    text = (RECIPES / "gitlab-ci.yml").read_text()
    [done] = lint_gitlab(RECIPES / "gitlab-ci.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    broken = tmp_path / "gitlab-ci.yml"
    broken.write_text(text.replace("exit_codes: [1]", "exit_codes: findings"))
    assert lint_gitlab(broken)[0].returncode != 0


class Pipeline:
    """A Declarative pipeline, as a grammar of Groovy reads it.

    Raises `ValueError` where the text is no Groovy, or is no `pipeline` with the sections that Declarative pipelines have
    (Jenkins' handbook, "Pipeline Syntax"): `agent` and `stages`, which are needed, and `environment`, `options`,
    `parameters`, `triggers`, `tools`, `post`; in `stages` nothing but `stage('NAME') { ... }`, each with `steps` once.
    """

    SECTIONS = frozenset(("agent", "stages", "environment", "options", "parameters", "triggers", "tools", "post"))
    CONDITIONS = frozenset(
        (
            "always",
            "changed",
            "fixed",
            "regression",
            "aborted",
            "failure",
            "success",
            "unstable",
            "unsuccessful",
            "cleanup",
        )
    )
    IN_STAGE = frozenset(("agent", "environment", "options", "steps", "when", "post", "tools", "input"))

    def __init__(self, text: str) -> None:
        tree = Parser(Language(tree_sitter_groovy.language())).parse(text.encode())
        if tree.root_node.has_error:
            raise ValueError("no Groovy")
        top = list(blocks(tree.root_node))
        if [name for name, _, _ in top] != ["pipeline"]:
            raise ValueError("no pipeline")
        sections = self.sections(top[0][2], self.SECTIONS, ("agent", "stages"))
        self.scripts: list[str] = []
        for name, label, body in blocks(sections["stages"]):
            if name != "stage" or not label:
                raise ValueError(f"{name} in stages")
            steps = self.sections(body, self.IN_STAGE, ("steps",))["steps"]
            self.scripts += [shell for step, shell in steps_of(steps) if step == "sh"]
        self.post = [step for condition in self.conditions(sections.get("post")) for step in steps_of(condition)]

    @staticmethod
    def sections(body: Node, allowed: frozenset[str], needed: tuple[str, ...]) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for name, _, inner in blocks(body):
            if name not in allowed or name in found:
                raise ValueError(f"{name} does not belong here")
            found[name] = inner
        if missing := [name for name in needed if name not in found]:
            raise ValueError(f"no {missing}")
        return found

    def conditions(self, post: Node | None) -> list[Node]:
        return list(self.sections(post, self.CONDITIONS, ()).values()) if post else []


def blocks(of: Node) -> Iterator[tuple[str, str, Node]]:
    """The `NAME { ... }` and `NAME('LABEL') { ... }` in a closure or file; anything else but comments is an error."""
    for child in of.named_children:
        if "comment" in child.type:
            continue
        call = child.named_children[0] if child.type == "expression_statement" else child
        closures = [inner for inner in descend(call) if inner.type == "closure"]
        if not closures:
            raise ValueError(f"no section: {(child.text or b'').decode()}")
        head = (call.text or b"").decode().split("{", 1)[0].strip()
        match = re.fullmatch(r"(\w+)(?:\s*\(\s*(['\"])(.+)\2\s*\))?", head)
        if match is None:
            raise ValueError(f"no section: {head}")
        yield match[1], match[3] or "", closures[0]


def descend(of: Node) -> Iterator[Node]:
    """The nodes below one, those above first."""
    for child in of.named_children:
        yield child
        yield from descend(child)


def steps_of(of: Node) -> list[tuple[str, str]]:
    """Steps with their first text: `sh 'make'`, `junit 'labrys.xml'`, `archiveArtifacts artifacts: 'out/**'`."""
    found = []
    for child in of.named_children:
        if "comment" in child.type:
            continue
        text = (child.text or b"").decode()
        match = re.match(r"(\w+)\s+(?:\w+:\s*)?('''|')(.*?)\2", text, re.S)
        if match is None:
            raise ValueError(f"no step: {text}")
        found.append((match[1], match[3]))
    return found


def test_jenkins_recipe_is_a_declarative_pipeline() -> None:
    pipeline = Pipeline((RECIPES / "Jenkinsfile").read_text())
    assert len(pipeline.scripts) == 2
    assert pipeline.post == [("junit", "labrys.xml"), ("archiveArtifacts", "labrys-out/**")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    agent { label 'linux' }\n", ""),
        ("post {", "posts {"),
        ("stage('Configure') {", "step('Configure') {"),
        ("stage('Configure') {", "stage {"),
        ("        always {", "        allways {"),
        ("            steps {\n                sh 'cmake", "            step {\n                sh 'cmake"),
        ("    stages {", "    stages { {"),
        ("pipeline {", "node {"),
    ],
)
def test_what_is_no_pipeline_is_noticed(before: str, after: str) -> None:
    text = (RECIPES / "Jenkinsfile").read_text()
    assert before in text
    with pytest.raises(ValueError, match=r"no |does not belong|in stages"):
        Pipeline(text.replace(before, after, 1))


@pytest.fixture(params=["findings", "nothing"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, bool]:
    """A project with a library of one source, and whether builds of it differ."""
    differs = request.param == "findings"
    source = (REPOSITORY / "examples/recipes/midpoint.c").read_text() if differs else CLEAN
    (tmp_path / "src").mkdir()
    (tmp_path / "src/kernel.c").write_text(source)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(kernel C)\nadd_library(kernel src/kernel.c)\n"
    )
    return tmp_path, differs


def run(script: str, folder: Path, shell: str = "sh", **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a step of a recipe with labrys in its PATH; the search is shorter than the recipe's."""
    shorter = script.replace("--max-work 100000", "--max-work 5000")
    path = f"{Path(labrys.find_binary()).parent}:{os.environ['PATH']}"
    return subprocess.run(
        [shell, "-e", "-c", shorter], cwd=folder, env={**os.environ, "PATH": path, **environment}, capture_output=True, text=True
    )  # fmt: skip


def load(file: Path) -> Any:
    return YAML(typ="safe").load(file.read_text())


def paths_are_the_projects(folder: Path, paths: list[str]) -> None:
    """Services find files by paths that are relative to the repository."""
    assert paths
    for path in paths:
        assert not Path(path).is_absolute()
        assert (folder / path).is_file()


def test_github_steps(project: tuple[Path, bool]) -> None:
    folder, differs = project
    steps = load(RECIPES / "github.yml")["jobs"]["labrys"]["steps"]
    # `name: value` of the output file becomes an expression's value.
    outputs = folder / "github_output"
    codes: dict[str, int] = {}
    for step in steps:
        if "run" not in step or step["name"] == "Install labrys":
            continue
        written = dict(line.split("=", 1) for line in outputs.read_text().splitlines()) if outputs.exists() else {}
        script = step["run"]
        for name, value in written.items():
            script = script.replace(f"${{{{ steps.labrys.outputs.{name} }}}}", value)
        assert "${{" not in script
        done = run(script, folder, GITHUB_OUTPUT=str(outputs))
        codes[step["name"]] = done.returncode
    assert codes == {"Configure": 0, "Compare builds": 0, "Fail on findings": 1 if differs else 0}
    [upload] = [step for step in steps if "upload-sarif" in step.get("uses", "")]
    text = (folder / upload["with"]["sarif_file"]).read_text()
    results = Sarif.model_validate_json(text).runs[0].results or []
    assert bool(results) == differs
    fingerprints = [json.loads(text)["runs"][0]["results"][i]["partialFingerprints"] for i in range(len(results))]
    assert all("primaryLocationLineHash" in of for of in fingerprints)
    if differs:
        found = [place.physical_location for result in results for place in result.locations or []]
        uris = [of.artifact_location.uri for of in found if of and of.artifact_location and of.artifact_location.uri]
        paths_are_the_projects(folder, uris)
    [archive] = [step for step in steps if "upload-artifact" in step.get("uses", "")]
    assert (folder / archive["with"]["path"] / "report.html").is_file()


def test_gitlab_script(project: tuple[Path, bool]) -> None:
    folder, differs = project
    job = load(RECIPES / "gitlab-ci.yml")["labrys"]
    # GitLab's runner joins the lines, and ends at the first that fails.
    done = run("\n".join(job["script"]), folder, "bash")
    assert done.returncode == (1 if differs else 0), done.stderr
    assert job["allow_failure"]["exit_codes"] == [1]
    issues = json.loads((folder / job["artifacts"]["reports"]["codequality"]).read_text())
    jsonschema.validate(issues, CODE_QUALITY)
    assert bool(issues) == differs
    if differs:
        paths_are_the_projects(folder, [issue["location"]["path"] for issue in issues])
    assert all((folder / path).exists() for path in job["artifacts"]["paths"])


def test_jenkins_steps(project: tuple[Path, bool]) -> None:
    folder, differs = project
    pipeline = Pipeline((RECIPES / "Jenkinsfile").read_text())
    for script in pipeline.scripts:
        done = run(script, folder)
        assert done.returncode == 0, done.stderr
    suites = junitparser.JUnitXml.fromfile(str(folder / dict(pipeline.post)["junit"]))
    cases = [case for suite in suites for case in suite]
    assert cases
    failures = [of for case in cases for of in case.result]
    assert bool(failures) == differs
    assert suites.failures == len(failures)
    if differs:
        assert all(" instead of " in of.message or "raises" in of.message for of in failures)
        assert all("again: labrys" in of.text for of in failures)


def installation(recipe: str) -> str:
    """The commands by which a recipe installs labrys."""
    recipes = load(RECIPES / recipe)
    if recipe == "gitlab-ci.yml":
        return "\n".join(recipes["labrys"]["before_script"])
    [step] = [step for step in recipes["jobs"]["labrys"]["steps"] if step.get("name") == "Install labrys"]
    assert step["env"] == {name: f"${{{{ vars.{name} }}}}" for name in ("LABRYS_PACKAGE", "LABRYS_SHA256")}
    return str(step["run"])


@pytest.mark.parametrize("recipe", ["github.yml", "gitlab-ci.yml"])
@pytest.mark.parametrize("package", ["as it should be", "another one", "missing"])
def test_a_release_is_installed(recipe: str, package: str, tmp_path: Path) -> None:
    release, folder = tmp_path / "labrys_0.1.0_amd64.deb", tmp_path / "project"
    folder.mkdir()
    if package != "missing":
        release.write_text(package)
    asked = tmp_path / "asked"
    stand_in = tmp_path / "bin/apt-get"
    stand_in.parent.mkdir()
    stand_in.write_text(f'#!/bin/sh\necho "$*" >> {asked}\n')
    stand_in.chmod(0o755)
    known = {"LABRYS_PACKAGE": release.as_uri(), "LABRYS_SHA256": hashlib.sha256(b"as it should be").hexdigest()}
    path = f"{stand_in.parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", installation(recipe)],
        cwd=folder, env={**os.environ, **known, "PATH": path}, capture_output=True, text=True,
    )  # fmt: skip
    words = asked.read_text().splitlines()
    installed = [line.split()[2:] for line in words if line.startswith("install -y")]
    assert words[0] == "update"
    if package == "as it should be":
        assert done.returncode == 0, done.stderr
        assert installed[1:] == [["./labrys.deb"]]
        assert (folder / "labrys.deb").read_text() == package
    else:
        assert done.returncode != 0
        assert len(installed) == 1


@pytest.mark.parametrize("recipe", ["github.yml", "gitlab-ci.yml", "Jenkinsfile"])
def test_an_error_is_no_success(recipe: str, tmp_path: Path) -> None:
    """Where labrys cannot run (2), the step fails, and is not taken for findings that may be let be."""
    if recipe == "github.yml":
        scripts = [
            step["run"] for step in load(RECIPES / recipe)["jobs"]["labrys"]["steps"] if step.get("id") == "labrys"
        ]
    elif recipe == "gitlab-ci.yml":
        scripts = [load(RECIPES / recipe)["labrys"]["script"][-1]]
    else:
        scripts = Pipeline((RECIPES / recipe).read_text()).scripts[-1:]
    # No compile_commands.json.
    (tmp_path / "build").mkdir()
    done = run(scripts[0], tmp_path, GITHUB_OUTPUT=str(tmp_path / "output"))
    assert done.returncode not in (0, *([1] if recipe == "gitlab-ci.yml" else []))
    assert "compile_commands.json" in done.stderr
