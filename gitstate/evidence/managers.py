"""Which package manager a folder uses: its lock file says it.

Two lock files of one ecosystem contradict each other; that is said, not decided.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.evidence.facts import Fact
    from gitstate.evidence.files import Place

# ecosystem, manager, pattern of the file's name
LOCKS = (
    ("javascript", "pnpm", r"pnpm-lock\.yaml"),
    ("javascript", "npm", r"package-lock\.json|npm-shrinkwrap\.json"),
    ("javascript", "yarn", r"yarn\.lock"),
    ("javascript", "bun", r"bun\.lockb?"),
    ("deno", "deno", r"deno\.lock"),
    ("python", "uv", r"uv\.lock"),
    ("python", "poetry", r"poetry\.lock"),
    ("python", "pdm", r"pdm\.lock"),
    ("python", "pipenv", r"Pipfile\.lock"),
    ("conda", "pixi", r"pixi\.lock"),
    ("conda", "conda-lock", r"conda-lock\.ya?ml"),
    ("rust", "cargo", r"Cargo\.lock"),
    ("go", "go modules", r"go\.sum"),
    ("ruby", "bundler", r"Gemfile\.lock|gems\.locked"),
    ("php", "composer", r"composer\.lock"),
    ("elixir", "mix", r"mix\.lock"),
    ("jvm", "gradle", r"gradle\.lockfile|gradlew"),
    ("jvm", "maven", r"pom\.xml"),
    (".net", "nuget", r"packages\.lock\.json"),
    ("dart", "pub", r"pubspec\.lock"),
    ("swift", "swift package manager", r"Package\.resolved"),
    ("apple", "cocoapods", r"Podfile\.lock"),
    ("nix", "nix flakes", r"flake\.lock"),
    ("haskell", "stack", r"stack\.yaml\.lock"),
    ("haskell", "cabal", r"cabal\.project\.freeze"),
    ("c", "conan", r"conan\.lock"),
    ("terraform", "terraform", r"\.terraform\.lock\.hcl"),
    ("helm", "helm", r"Chart\.lock"),
    ("bazel", "bazel", r"MODULE\.bazel\.lock"),
)

# what counts where an ecosystem has no lock file: only what leaves no choice
MANIFESTS = (
    ("deno", "deno", r"deno\.jsonc?"),
    ("pip", "pip", r"requirements[\w.-]{0,40}\.txt"),
    ("python", "pipenv", r"Pipfile"),
    ("conda", "conda", r"environment\.ya?ml"),
    ("conda", "pixi", r"pixi\.toml"),
    ("rust", "cargo", r"Cargo\.toml"),
    ("go", "go modules", r"go\.mod"),
    ("ruby", "bundler", r"Gemfile|gems\.rb"),
    ("php", "composer", r"composer\.json"),
    ("elixir", "mix", r"mix\.exs"),
    ("jvm", "gradle", r"build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?"),
    ("jvm", "sbt", r"build\.sbt"),
    ("clojure", "leiningen", r"project\.clj"),
    ("clojure", "clojure cli", r"deps\.edn"),
    (".net", "nuget", r"[\w.-]+\.(?:csproj|fsproj|vbproj)|[\w.-]+\.slnx?"),
    ("dart", "pub", r"pubspec\.yaml"),
    ("swift", "swift package manager", r"Package\.swift"),
    ("apple", "cocoapods", r"Podfile"),
    ("nix", "nix flakes", r"flake\.nix"),
    ("haskell", "stack", r"stack\.yaml"),
    ("haskell", "cabal", r"[\w.-]+\.cabal|cabal\.project"),
    ("c", "conan", r"conanfile\.(?:py|txt)"),
    ("c", "vcpkg", r"vcpkg\.json"),
    ("zig", "zig", r"build\.zig\.zon"),
    ("bazel", "bazel", r"MODULE\.bazel|WORKSPACE(?:\.bazel)?"),
)

# a module of a Maven or Gradle build has these without being a project of its own
_OF_A_MODULE = ("maven", "gradle")
LOCK_NAME = re.compile(
    "|".join(pattern for _, manager, pattern in LOCKS if manager not in _OF_A_MODULE)
)
MANIFEST_NAME = re.compile(
    "|".join(
        (
            r"package\.json|pyproject\.toml|setup\.py|CMakeLists\.txt|meson\.build|pom\.xml",
            *(pattern for _, _, pattern in MANIFESTS),
        )
    )
)


def package_managers(at: Place) -> Iterator[Fact]:
    """The package managers of a folder, and where two contradict each other."""
    found: dict[str, dict[str, list[str]]] = {}
    for table in (LOCKS, MANIFESTS):
        seen = set(found)
        for ecosystem, manager, pattern in table:
            if ecosystem not in seen:
                for name in at.matching(pattern):
                    _add(found, ecosystem, manager, at.cite(name))
        if table is LOCKS:
            for ecosystem, manager, source in _declared(at):
                _add(found, ecosystem, manager, source)
    for managers in found.values():
        sources = [source for named in managers.values() for source in named]
        names: dict[str, str] = {}
        for manager in managers:  # the fullest form of each: "pnpm 9.1.0" beside "pnpm"
            name = manager.partition(" ")[0]
            names[name] = max(names.get(name, ""), manager, key=len)
        key = "package manager" if len(names) == 1 else "conflicting package managers"
        yield at.fact("facts", key, names.values(), *sources)


def _add(
    found: dict[str, dict[str, list[str]]], ecosystem: str, manager: str, source: str
) -> None:
    found.setdefault(ecosystem, {}).setdefault(manager, []).append(source)


def _declared(at: Place) -> Iterator[tuple[str, str, str]]:
    """What manifests and wrappers say in so many words."""
    package = at.json("package.json")
    named = package.get("packageManager")
    told = (
        re.match(r"([a-z]{1,20})(?:@([\w.-]{1,40}))?", named)
        if isinstance(named, str)
        else None
    )
    if told:
        source = at.cite("package.json", "packageManager")
        yield "javascript", f"{told[1]} {told[2] or ''}".strip(), source
    engines = package.get("devEngines")
    wanted = engines.get("packageManager") if isinstance(engines, dict) else None
    if isinstance(wanted, dict) and isinstance(wanted.get("name"), str):
        source = at.cite("package.json", "devEngines.packageManager")
        yield "javascript", wanted["name"], source
    yield from _declared_python(at)
    for name, manager in (
        ("gradle/wrapper/gradle-wrapper.properties", "gradle"),
        (".mvn/wrapper/maven-wrapper.properties", "maven"),
    ):
        version = _wrapped_version(at.text(name))
        if version:
            yield "jvm", f"{manager} {version}", at.cite(name)


def _declared_python(at: Place) -> Iterator[tuple[str, str, str]]:
    tool: Any = at.toml("pyproject.toml").get("tool")
    if not isinstance(tool, dict) or at.matching(
        r"(?:uv|poetry|pdm)\.lock|Pipfile\.lock"
    ):
        return  # beside a lock file, a manager's table is often another tool's setting
    for manager in ("uv", "poetry", "pdm"):
        if isinstance(tool.get(manager), dict):
            yield "python", manager, at.cite("pyproject.toml", f"tool.{manager}")


def _wrapped_version(properties: str) -> str:
    for line in properties.split("\n"):
        if line.startswith("distributionUrl"):
            found = re.search(
                r"(?:gradle|apache-maven)-(\d[\w.]{0,20}?)-(?:bin|all)", line[:1000]
            )
            return found[1] if found else ""
    return ""
