"""What runs the tests, by what manifests declare, config files and the tests' names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from gitstate.evidence.commands import command_text
from gitstate.evidence.runtimes import table
from gitstate.evidence.tools import SCRIPT, configured

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.evidence.facts import Fact
    from gitstate.evidence.files import Place

_TEST_CONFIGS = (
    ("vitest", rf"vitest\.(?:config|workspace)\.{SCRIPT}"),
    ("jest", rf"jest\.config\.{SCRIPT}"),
    ("playwright", rf"playwright\.config\.{SCRIPT}"),
    ("cypress", rf"cypress\.config\.{SCRIPT}|cypress\.json"),
    ("mocha", r"\.mocharc\.[a-z]{2,5}"),
    ("karma", rf"karma\.conf\.{SCRIPT}"),
    ("ava", rf"ava\.config\.{SCRIPT}"),
    ("pytest", r"pytest\.ini|\.pytest\.ini|conftest\.py"),
    ("rspec", r"\.rspec"),
    ("phpunit", r"phpunit\.xml(?:\.dist)?"),
    ("ctest", r"CTestTestfile\.cmake"),
)
_JS_RUNNERS = {
    "vitest": "vitest",
    "jest": "jest",
    "mocha": "mocha",
    "ava": "ava",
    "tap": "tap",
    "jasmine": "jasmine",
    "karma": "karma",
    "@playwright/test": "playwright",
    "cypress": "cypress",
    "@web/test-runner": "web-test-runner",
}
_JS_COMMANDS = ("node --test", "bun test", "deno test")


def test_runners(at: Place) -> Iterator[Fact]:
    """What runs the tests."""
    for runner, source in (
        *_javascript_runners(at),
        *_python_runners(at),
        *_other_runners(at),
        *configured(at, _TEST_CONFIGS),
    ):
        yield at.fact("facts", "test runner", [runner], source)


def _javascript_runners(at: Place) -> Iterator[tuple[str, str]]:
    package = at.json("package.json")
    for part in ("devDependencies", "dependencies"):
        for dependency in table(package, part):
            if dependency in _JS_RUNNERS:
                yield _JS_RUNNERS[dependency], at.cite("package.json", part)
    for part in ("jest", "ava", "mocha"):
        if part in package:
            yield part, at.cite("package.json", part)
    scripts = table(package, "scripts")
    tasks = [
        (at.cite("package.json", "scripts"), scripts),
        *(
            (at.cite(name, "tasks"), table(at.jsonc(name), "tasks"))
            for name in ("deno.json", "deno.jsonc")
        ),
    ]
    for source, commands in tasks:
        for command in _JS_COMMANDS:
            if any(command in command_text(task) for task in commands.values()):
                yield command, source


def _python_runners(at: Place) -> Iterator[tuple[str, str]]:
    project = at.toml("pyproject.toml")
    if table(project, "tool", "pytest"):
        yield "pytest", at.cite("pyproject.toml", "tool.pytest")
    for part, requirements in _python_requirements(project):
        if "pytest" in requirements:
            yield "pytest", at.cite("pyproject.toml", part)
    for name, section in (("setup.cfg", "[tool:pytest]"), ("tox.ini", "[pytest]")):
        if section in at.lines(name):
            yield "pytest", at.cite(name)
    for name in at.matching(r"requirements[\w.-]{0,40}\.txt|Pipfile"):
        if "pytest" in map(_requirement, at.lines(name)):
            yield "pytest", at.cite(name)


def _python_requirements(project: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The names of required packages, by the part of pyproject.toml that names them."""
    groups: list[tuple[str, object]] = [
        ("project.dependencies", table(project, "project").get("dependencies")),
        ("tool.uv", table(project, "tool", "uv").get("dev-dependencies")),
        ("tool.poetry", list(table(project, "tool", "poetry", "dev-dependencies"))),
    ]
    for keys in (
        ("project", "optional-dependencies"),
        ("dependency-groups",),
        ("tool", "pdm", "dev-dependencies"),
    ):
        groups += [
            (f"{'.'.join(keys)}", listed) for listed in table(project, *keys).values()
        ]
    for group in table(project, "tool", "poetry", "group").values():
        if isinstance(group, dict):
            groups.append(("tool.poetry.group", list(table(group, "dependencies"))))
    for env in table(project, "tool", "hatch", "envs").values():
        if isinstance(env, dict):
            groups.append(("tool.hatch.envs", env.get("dependencies")))
    for part, listed in groups:
        if isinstance(listed, list):
            yield part, [_requirement(item) for item in listed if isinstance(item, str)]


def _requirement(text: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]{1,100}", text)
    return re.sub(r"[._-]+", "-", found[0]).lower() if found else ""


_OTHER_RUNNERS = (
    # manifest, pattern of a line in it that names the runner, runner
    (r"Cargo\.toml", r"\[(?:package|workspace)\]", "cargo test"),
    (
        r"Gemfile|gems\.rb|[\w-]+\.gemspec",
        r".*['\"]rspec(?:-rails|-core)?['\"]",
        "rspec",
    ),
    (r"Gemfile|gems\.rb|[\w-]+\.gemspec", r".*['\"]minitest['\"]", "minitest"),
    (r"composer\.json", r"\s*\"phpunit/phpunit\"", "phpunit"),
    (r"composer\.json", r"\s*\"pestphp/pest\"", "pest"),
    (r"pom\.xml|build\.gradle(?:\.kts)?", r".*junit", "junit"),
    (r"pom\.xml|build\.gradle(?:\.kts)?", r".*testng", "testng"),
    (r"[\w.-]+\.(?:cs|fs|vb)proj|Directory\.Packages\.props", r".*\"xunit", "xunit"),
    (r"[\w.-]+\.(?:cs|fs|vb)proj|Directory\.Packages\.props", r".*\"NUnit", "nunit"),
    (r"[\w.-]+\.(?:cs|fs|vb)proj|Directory\.Packages\.props", r".*\"MSTest", "mstest"),
    (r"pubspec\.yaml", r"\s+flutter_test:", "flutter test"),
    (r"pubspec\.yaml", r"\s+test:", "dart test"),
    (r"Package\.swift", r".*\.testTarget\(", "swift test"),
    (
        r"CMakeLists\.txt",
        r"(?i)\s*(?:enable_testing\s*\(|include\s*\(\s*CTest)",
        "ctest",
    ),
    (r"meson\.build", r"\s*test\(", "meson test"),
    (r"build\.zig", r".*addTest\(", "zig build test"),
)
_TEST_PATHS = (
    (
        r"go\.mod|go\.work",
        r"(?:.*/)?[^/]+_test\.go",
        "go test",
        "git ls-files '*_test.go'",
    ),
    (
        r"mix\.exs",
        r"(?:.*/)?test_helper\.exs",
        "mix test",
        "git ls-files '*test_helper.exs'",
    ),
)


def _other_runners(at: Place) -> Iterator[tuple[str, str]]:
    for manifest, pattern, runner in _OTHER_RUNNERS:
        compiled = re.compile(pattern)
        for name in at.matching(manifest):
            if any(map(compiled.match, at.lines(name))):
                yield runner, at.cite(name)
    for manifest, pattern, runner, listing in _TEST_PATHS:
        compiled = re.compile(pattern)
        if at.matching(manifest) and any(map(compiled.fullmatch, at.below())):
            yield runner, listing
