"""Linters and formatters, CI, instructions for agents: by the files where they look."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitstate.evidence.runtimes import table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.evidence.facts import Fact
    from gitstate.evidence.files import Place

SCRIPT = r"(?:[cm]?[jt]s|json)"
_LINT_CONFIGS = (
    ("eslint", rf"eslint\.config\.{SCRIPT}|\.eslintrc(?:\.[a-z]{{2,5}})?"),
    ("prettier", r"\.prettierrc(?:\.[a-z0-9]{2,5})?|prettier\.config\.[cm]?[jt]s"),
    ("biome", r"\.?biome\.jsonc?"),
    ("oxlint", r"\.oxlintrc\.json"),
    ("dprint", r"\.?dprint\.jsonc?"),
    ("stylelint", r"\.stylelintrc(?:\.[a-z]{2,5})?|stylelint\.config\.[cm]?js"),
    ("ruff", r"\.?ruff\.toml"),
    ("flake8", r"\.flake8"),
    ("pylint", r"\.?pylintrc"),
    ("mypy", r"\.?mypy\.ini"),
    ("pyright", r"pyrightconfig\.json"),
    ("isort", r"\.isort\.cfg"),
    ("rustfmt", r"\.?rustfmt\.toml"),
    ("clippy", r"\.?clippy\.toml"),
    ("golangci-lint", r"\.golangci\.(?:ya?ml|toml|json)"),
    ("rubocop", r"\.rubocop\.yml"),
    ("standard", r"\.standard\.yml"),
    ("php-cs-fixer", r"\.php-cs-fixer(?:\.dist)?\.php"),
    ("phpstan", r"phpstan\.neon(?:\.dist)?|phpstan\.dist\.neon"),
    ("psalm", r"psalm\.xml(?:\.dist)?"),
    ("pint", r"pint\.json"),
    ("mix format", r"\.formatter\.exs"),
    ("credo", r"\.credo\.exs"),
    ("clang-format", r"\.clang-format"),
    ("clang-tidy", r"\.clang-tidy"),
    ("scalafmt", r"\.scalafmt\.conf"),
    ("detekt", r"detekt\.ya?ml"),
    ("checkstyle", r"checkstyle\.xml"),
    ("swiftlint", r"\.swiftlint\.yml"),
    ("swiftformat", r"\.swiftformat|\.swift-format"),
    ("dart analyze", r"analysis_options\.yaml"),
    ("markdownlint", r"\.markdownlint(?:-cli2)?\.(?:jsonc?|ya?ml|cjs)"),
    ("yamllint", r"\.yamllint(?:\.ya?ml)?"),
    ("shellcheck", r"\.shellcheckrc"),
    ("hadolint", r"\.hadolint\.ya?ml"),
    ("editorconfig", r"\.editorconfig"),
    ("pre-commit", r"\.pre-commit-config\.ya?ml"),
    ("lefthook", r"\.?lefthook\.(?:ya?ml|toml|json)"),
)
_PYPROJECT_LINT = (
    "ruff",
    "black",
    "isort",
    "mypy",
    "pyright",
    "basedpyright",
    "pylint",
    "flake8",
)
_PACKAGE_LINT = (
    ("eslintConfig", "eslint"),
    ("prettier", "prettier"),
    ("stylelint", "stylelint"),
)
_CI_FILES = (
    ("GitHub Actions", r"\.github/workflows/[^/]{1,100}\.ya?ml"),
    ("GitLab CI", r"\.gitlab-ci\.yml"),
    ("CircleCI", r"\.circleci/config\.yml"),
    ("Jenkins", r"Jenkinsfile"),
    ("Azure Pipelines", r"azure-pipelines\.ya?ml"),
    ("Travis CI", r"\.travis\.yml"),
    ("Bitbucket Pipelines", r"bitbucket-pipelines\.yml"),
    ("Buildkite", r"\.buildkite/pipeline\.ya?ml"),
    ("Drone", r"\.drone\.ya?ml"),
    ("Woodpecker", r"\.woodpecker(?:/[^/]{1,100})?\.ya?ml"),
    ("AppVeyor", r"\.?appveyor\.yml"),
    ("Cirrus CI", r"\.cirrus\.yml"),
    ("Cloud Build", r"cloudbuild\.ya?ml"),
    ("Forgejo Actions", r"\.forgejo/workflows/[^/]{1,100}\.ya?ml"),
    ("Gitea Actions", r"\.gitea/workflows/[^/]{1,100}\.ya?ml"),
)
_MAX_CI_FILES = 3
_INSTRUCTIONS = (
    r"AGENTS\.md|CLAUDE\.md|GEMINI\.md|QWEN\.md|\.cursorrules|\.windsurfrules"
    r"|\.github/copilot-instructions\.md|\.cursor/rules/[^/]{1,100}"
)


def linters(at: Place) -> Iterator[Fact]:
    """Linters, formatters and hook runners that have a config here."""
    found = list(configured(at, _LINT_CONFIGS))
    tool = table(at.toml("pyproject.toml"), "tool")
    found += [
        (name, at.cite("pyproject.toml", f"tool.{name}"))
        for name in _PYPROJECT_LINT
        if isinstance(tool.get(name), dict)
    ]
    package = at.json("package.json")
    found += [
        (name, at.cite("package.json", key))
        for key, name in _PACKAGE_LINT
        if key in package
    ]
    sources = [source for _, source in found]
    yield at.fact(
        "facts", "linters and formatters", [name for name, _ in found], *sources
    )


def configured(
    at: Place, configs: tuple[tuple[str, str], ...]
) -> Iterator[tuple[str, str]]:
    """The tools whose config files are here, each with the file."""
    for tool, pattern in configs:
        for name in at.matching(pattern):
            yield tool, at.cite(name)


def continuous_integration(at: Place) -> Iterator[Fact]:
    """CI services and their files, which may lie below the root."""
    paths = _of_tools(at)
    for service, pattern in _CI_FILES:
        found = _matching(at, paths, pattern)
        if len(found) > _MAX_CI_FILES:
            folder = found[0].rpartition("/")[0]
            yield at.fact("facts", "CI", [service], f"{folder}/")
        elif found:
            yield at.fact("facts", "CI", [service], *map(at.cite, found))


def instructions(at: Place) -> Iterator[Fact]:
    """Files that tell coding agents what to do here."""
    found = _matching(at, _of_tools(at), _INSTRUCTIONS)
    yield at.fact("facts", "agent instructions", found, *map(at.cite, found))


def _of_tools(at: Place) -> list[str]:
    """The paths where tools look: at the top, and in hidden folders there."""
    hidden = (path for path in at.files.tracked if path.startswith(".") and "/" in path)
    return sorted({*at.names, *hidden})


def _matching(at: Place, paths: list[str], pattern: str) -> list[str]:
    compiled = re.compile(pattern)
    return [
        path for path in paths if compiled.fullmatch(path) and at.files.present(path)
    ]
