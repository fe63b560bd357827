"""Which runtimes a folder asks for, and in which version."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitstate.evidence.facts import Fact
    from gitstate.evidence.files import Place

    _Told = tuple[str, object, str]  # runtime, version or nothing, source

_ONE_VERSION_FILES = (
    (".nvmrc", "node"),
    (".node-version", "node"),
    (".bun-version", "bun"),
    (".dvmrc", "deno"),
    (".python-version", "python"),
    (".ruby-version", "ruby"),
    (".java-version", "java"),
    (".go-version", "go"),
    (".php-version", "php"),
    (".swift-version", "swift"),
    (".terraform-version", "terraform"),
)
_NAMES = {"nodejs": "node", "golang": "go", "ruby": "ruby"}
_PATTERNS = (
    # pattern of the file's name, runtime, pattern of the line
    (r"go\.mod", "go", r"go (\d[\w.]*)"),
    (r"go\.mod", "go toolchain", r"toolchain (\S+)"),
    (r"Gemfile", "ruby", r"ruby ['\"]([^'\"]+)['\"]"),
    (r"mix\.exs", "elixir", r"\s*elixir: \"([^\"]+)\""),
    (r"pom\.xml", "java", r"\s*<(?:maven\.compiler\.release|java\.version)>([\w.]+)</"),
    (r"build\.gradle(?:\.kts)?", "java", r".*JavaLanguageVersion\.of\((\d+)\)"),
    (r"build\.gradle\.kts", "java", r"\s*jvmToolchain\((\d+)\)"),
    (
        r"[\w.-]+\.(?:cs|fs|vb)proj|Directory\.Build\.props",
        "dotnet",
        r"\s*<TargetFrameworks?>([\w.;-]+)</",
    ),
    (r"Package\.swift", "swift tools", r"// ?swift-tools-version: ?([\w.]+)"),
    (
        r"CMakeLists\.txt",
        "cmake",
        r"(?i)\s*cmake_minimum_required\s*\(\s*VERSION\s+([\w.]+)",
    ),
    (r"build\.sbt", "scala", r"(?:ThisBuild / )?scalaVersion := \"([^\"]+)\""),
    (r"setup\.py", "python", r"\s*python_requires ?= ?['\"]([^'\"]+)['\"]"),
    (r"setup\.cfg", "python", r"python_requires ?= ?(\S.*)"),
)


def runtimes(at: Place) -> Iterator[Fact]:
    """The runtimes of a folder, and where two pinned versions contradict each other."""
    pinned = _collected(_pinned(at))
    required = _collected(_required(at))
    exact: dict[str, list[str]] = {}
    for name, version in pinned:
        if re.fullmatch(r"v?\d+(?:\.\d+){0,3}", version):
            exact.setdefault(name, []).append(version)
    for name, versions in exact.items():
        parts = [version.lstrip("v").split(".") for version in versions]
        longest = max(parts, key=len)
        if any(longest[: len(part)] != part for part in parts):
            values = [f"{name} {version}" for version in versions]
            sources = [
                source for version in versions for source in pinned.pop((name, version))
            ]
            yield at.fact("facts", "conflicting runtimes", values, *sources)
    for name, version in dict.fromkeys((*pinned, *required)):
        sources = pinned.get((name, version), []) + required.get((name, version), [])
        yield at.fact("facts", "runtime", [f"{name} {version}"], *sources)


def _collected(told: Iterable[_Told]) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for name, version, source in told:
        if isinstance(version, str) and version.strip():
            found.setdefault((name, version.strip()), []).append(source)
    return found


def _pinned(at: Place) -> Iterator[_Told]:
    """Versions that are to be used as they stand."""
    for name, runtime in _ONE_VERSION_FILES:
        lines = (line.strip() for line in at.lines(name) if not line.startswith("#"))
        version = next(filter(None, lines), "")
        yield runtime, version.removeprefix(f"{runtime}-"), at.cite(name)
    for line in at.lines(".tool-versions"):
        words = line.partition("#")[0].split()
        if len(words) > 1:
            yield _NAMES.get(words[0], words[0]), words[1], at.cite(".tool-versions")
    for line in at.lines(".sdkmanrc"):
        name, _, version = line.partition("=")
        if not name.startswith("#"):
            yield name.strip(), version, at.cite(".sdkmanrc")
    for config in ("mise.toml", ".mise.toml"):
        for name, told in table(at.toml(config), "tools").items():
            wanted = told.get("version") if isinstance(told, dict) else told
            yield _NAMES.get(name, name), wanted, at.cite(config, "tools")
    for name, wanted in table(at.json("package.json"), "volta").items():
        yield name, wanted, at.cite("package.json", "volta")
    toolchain = table(at.toml("rust-toolchain.toml"), "toolchain").get("channel")
    yield "rust", toolchain, at.cite("rust-toolchain.toml")
    bare = at.text("rust-toolchain").strip()
    yield "rust", "" if "\n" in bare else bare, at.cite("rust-toolchain")
    sdk = table(at.jsonc("global.json"), "sdk").get("version")
    yield "dotnet sdk", sdk, at.cite("global.json")


def _required(at: Place) -> Iterator[_Told]:
    """Versions that manifests ask for: often the least, or a range."""
    for name, version in table(at.json("package.json"), "engines").items():
        yield name, version, at.cite("package.json", "engines")
    project = at.toml("pyproject.toml")
    python = table(project, "project").get("requires-python")
    yield "python", python, at.cite("pyproject.toml", "requires-python")
    poetry = table(project, "tool", "poetry", "dependencies")
    yield (
        "python",
        poetry.get("python"),
        at.cite("pyproject.toml", "tool.poetry.dependencies"),
    )
    cargo = at.toml("Cargo.toml")
    for path in (("package",), ("workspace", "package")):
        part = ".".join(path)
        yield (
            "rust",
            table(cargo, *path).get("rust-version"),
            at.cite("Cargo.toml", part),
        )
        yield (
            "rust edition",
            table(cargo, *path).get("edition"),
            at.cite("Cargo.toml", part),
        )
    required = table(at.json("composer.json"), "require").get("php")
    yield "php", required, at.cite("composer.json", "require")
    yield from _dart(at)
    for pattern, runtime, line_pattern in _PATTERNS:
        compiled = re.compile(line_pattern)
        for name in at.matching(pattern)[:3]:
            told = next(filter(None, map(compiled.match, at.lines(name))), None)
            yield runtime, told[1] if told else None, at.cite(name)


def _dart(at: Place) -> Iterator[tuple[str, object, str]]:
    inside = False
    for line in at.lines("pubspec.yaml"):
        if not line.startswith((" ", "#")):
            inside = line.startswith("environment:")
        told = re.match(r"\s+(sdk|flutter): (.+)", line) if inside else None
        if told:
            name = "dart" if told[1] == "sdk" else "flutter"
            yield (
                name,
                told[2].strip().strip("'\""),
                at.cite("pubspec.yaml", "environment"),
            )


def table(found: dict[str, Any], *keys: str) -> dict[str, Any]:
    """The table at ``keys`` in a parsed file, empty where there is none."""
    here: Any = found
    for key in keys:
        here = here.get(key) if isinstance(here, dict) else None
    return here if isinstance(here, dict) else {}
