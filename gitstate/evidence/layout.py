"""Languages, folders, workspaces and entry points: what the paths themselves say."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from gitstate.evidence.files import VENDORED
from gitstate.evidence.runtimes import table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.evidence.facts import Fact
    from gitstate.evidence.files import Files, Place

# a suffix that two languages share (.m, .pl, .v) proves neither and is not here
_SUFFIXES = {
    "Python": "py pyi pyx",
    "TypeScript": "ts tsx mts cts",
    "JavaScript": "js jsx mjs cjs",
    "Vue": "vue",
    "Svelte": "svelte",
    "Astro": "astro",
    "HTML": "html htm",
    "CSS": "css scss sass less",
    "Rust": "rs",
    "Go": "go",
    "C": "c",
    "C++": "cc cpp cxx hpp hh hxx",
    "C/C++ headers": "h",
    "C#": "cs",
    "F#": "fs fsx",
    "Visual Basic": "vb",
    "Java": "java",
    "Kotlin": "kt kts",
    "Scala": "scala",
    "Groovy": "groovy gradle",
    "Clojure": "clj cljs cljc",
    "Ruby": "rb rake erb",
    "PHP": "php",
    "Elixir": "ex exs heex",
    "Erlang": "erl hrl",
    "Haskell": "hs",
    "OCaml": "ml mli",
    "Swift": "swift",
    "Objective-C++": "mm",
    "Dart": "dart",
    "Lua": "lua",
    "Perl": "pm",
    "R": "r",
    "Julia": "jl",
    "Zig": "zig",
    "Nim": "nim",
    "Shell": "sh bash zsh",
    "PowerShell": "ps1",
    "SQL": "sql",
    "Terraform": "tf",
    "Nix": "nix",
    "Protocol Buffers": "proto",
    "GraphQL": "graphql gql",
    "Solidity": "sol",
    "Assembly": "asm s",
    "CUDA": "cu",
    "Jupyter": "ipynb",
    "TeX": "tex",
}
_PROSE = {
    "Markdown": "md mdx",
    "reStructuredText": "rst",
    "AsciiDoc": "adoc",
    "Text": "txt",
}
_LANGUAGE = {
    suffix: name
    for table_ in (_SUFFIXES, _PROSE)
    for name, suffixes in table_.items()
    for suffix in suffixes.split()
}
_MAX_LANGUAGES = 8


def languages(files: Files) -> Iterator[Fact]:
    """Languages by the suffixes of tracked files; prose where there is nothing else."""
    counts: Counter[str] = Counter()
    left_out: dict[str, None] = {}
    for path in files.tracked:
        folders, _, name = path.rpartition("/")
        foreign = next((part for part in folders.split("/") if part in VENDORED), None)
        if foreign:
            left_out[foreign] = None
            continue
        _, dot, suffix = name.rpartition(".")
        language = _LANGUAGE.get(suffix.lower()) if dot else None
        if language:
            counts[language] += 1
    known = {
        name: count for name, count in counts.items() if name not in _PROSE
    } or counts
    values = [f"{name} {count}" for name, count in _ranked(known)[:_MAX_LANGUAGES]]
    listing = "git ls-files"
    for folder in sorted(left_out):
        listing += f" ':(exclude,glob)**/{folder}/**'"
    yield files.at("").fact("facts", "languages (files)", values, listing)


def _ranked(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def folders(files: Files) -> Iterator[Fact]:
    """The top-level folders with the number of tracked files, largest first."""
    counts = Counter(path.partition("/")[0] for path in files.tracked if "/" in path)
    values = [f"{name}/ {count}" for name, count in _ranked(counts)]
    yield files.at("").fact(
        "facts", "top-level folders (files)", values, "git ls-files"
    )


def workspaces(at: Place) -> Iterator[Fact]:
    """The packages that a monorepo names as its own."""
    found = at.json("package.json").get("workspaces")
    listed = found.get("packages") if isinstance(found, dict) else found
    yield from _members(at, "package.json", "workspaces", listed)
    yield from _members(
        at, "lerna.json", "packages", at.json("lerna.json").get("packages")
    )
    pnpm = _yaml_list(at.lines("pnpm-workspace.yaml"), "packages:")
    yield from _members(at, "pnpm-workspace.yaml", "packages", pnpm)
    for name in ("deno.json", "deno.jsonc"):
        listed = at.jsonc(name).get("workspace")
        listed = listed.get("members") if isinstance(listed, dict) else listed
        yield from _members(at, name, "workspace", listed)
    uv = table(at.toml("pyproject.toml"), "tool", "uv", "workspace").get("members")
    yield from _members(at, "pyproject.toml", "tool.uv.workspace", uv)
    cargo = table(at.toml("Cargo.toml"), "workspace").get("members")
    yield from _members(at, "Cargo.toml", "workspace", cargo)
    yield from _members(at, "go.work", "use", _go_uses(at.lines("go.work")))
    maven = re.findall(r"<module>([^<>\n]{1,200})</module>", at.text("pom.xml"))
    yield from _members(at, "pom.xml", "modules", maven)
    for name in at.matching(r"settings\.gradle(?:\.kts)?"):
        included = "".join(map("".join, _GRADLE_INCLUDE.findall(at.text(name))))
        paths = re.findall(r"['\"]:?([^'\"]{1,200})['\"]", included)
        yield from _members(at, name, "include", paths)
    tools = [(name, tool) for name, tool in _MONOREPO_TOOLS if name in at.names]
    sources = [at.cite(name) for name, _ in tools]
    yield at.fact("facts", "monorepo tool", [tool for _, tool in tools], *sources)


_GRADLE_INCLUDE = re.compile(
    r"(?m)^[ \t]*include\b[ \t]*(?:\(([^()]{0,4000})\)|([^(\n].{0,1000}))"
)
_MONOREPO_TOOLS = (
    ("turbo.json", "turbo"),
    ("nx.json", "nx"),
    ("lerna.json", "lerna"),
    ("rush.json", "rush"),
    ("melos.yaml", "melos"),
    ("pants.toml", "pants"),
)


def _members(at: Place, name: str, part: str, found: object) -> Iterator[Fact]:
    if isinstance(found, list):
        values = [member for member in found if isinstance(member, str)]
        yield at.fact("facts", "workspaces", values, at.cite(name, part))


def _yaml_list(lines: list[str], key: str) -> list[str]:
    """The plain items below ``key`` at the start of a line; no YAML beyond that."""
    found = []
    inside = False
    for line in lines:
        if inside:
            item = re.match(r"\s*- +(['\"]?)([^'\"#]{1,200})\1", line)
            if item:
                found.append(item[2].strip())
            elif line.strip() and not line.lstrip().startswith("#"):
                break
        inside = inside or line.rstrip() == key
    return found


def _go_uses(lines: list[str]) -> list[str]:
    found = []
    inside = False
    for line in lines:
        words = line.partition("//")[0].split()
        if words[:1] == ["use"]:
            inside = words[1:2] == ["("]
            found += [] if inside else words[1:2]
        elif words == [")"]:
            inside = False
        elif inside:
            found += words[:1]
    return found


_MAIN_FILES = re.compile(
    r"(?:(?:src|lib|cmd|app|apps|bin|crates|packages)/)?(?:[^/]{1,80}/){0,2}__main__\.py"
    r"|(?:(?:crates|packages|apps)/[^/]{1,80}/)?src/(?:main\.rs|bin/[^/]{1,80}\.rs)"
    r"|(?:cmd/[^/]{1,80}/)?main\.go"
    r"|(?:lib/)?main\.dart|Sources/[^/]{1,80}/main\.swift"
    r"|(?:[^/]{1,80}/){0,2}Program\.(?:cs|fs)"
    r"|manage\.py|artisan|config\.ru|public/index\.php|index\.html"
)
_NOT_OURS = re.compile(r"(?:.*/)?(?:tests?|examples?|fixtures|testdata|benchmarks)/.*")


def entry_points(at: Place) -> Iterator[Fact]:
    """Where execution begins, as manifests and the usual names say."""
    package = at.json("package.json")
    for part in ("bin", "main", "module"):
        found = package.get(part)
        if isinstance(found, str):
            yield at.fact(
                "facts", "entry points", [found], at.cite("package.json", part)
            )
        elif isinstance(found, dict):
            values = [
                f"{key}: {path}" for key, path in found.items() if isinstance(path, str)
            ]
            yield at.fact(
                "facts", "entry points", values, at.cite("package.json", part)
            )
    project = at.toml("pyproject.toml")
    for keys in (("project", "scripts"), ("tool", "poetry", "scripts")):
        scripts = table(project, *keys)
        values = [f"{key}: {to}" for key, to in scripts.items() if isinstance(to, str)]
        yield at.fact(
            "facts", "entry points", values, at.cite("pyproject.toml", ".".join(keys))
        )
    bins = at.toml("Cargo.toml").get("bin")
    for item in bins if isinstance(bins, list) else ():
        if isinstance(item, dict) and isinstance(item.get("path"), str):
            yield at.fact(
                "facts", "entry points", [item["path"]], at.cite("Cargo.toml", "bin")
            )
    for path in at.below():
        if _MAIN_FILES.fullmatch(path) and not _NOT_OURS.fullmatch(path):
            yield at.fact("facts", "entry points", [at.path(path)], "git ls-files")
