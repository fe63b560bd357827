"""Small projects of many kinds, each with the files that such a project has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support import Repo, make_repo

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PNPM_MONOREPO = {
    "package.json": """{
  "name": "shop",
  "private": true,
  "packageManager": "pnpm@9.12.3+sha512.cce0f9de9c5a7c95bef944169cc5dfe8741abfb145078c0d",
  "engines": {"node": ">=20.10"},
  "scripts": {
    "preinstall": "npx only-allow pnpm",
    "build": "turbo run build",
    "dev": "turbo run dev --parallel",
    "lint": "eslint . --max-warnings 0",
    "test": "vitest run",
    "test:watch": "vitest"
  },
  "devDependencies": {"eslint": "^9.0.0", "turbo": "^2.0.0", "typescript": "~5.6.0", "vitest": "^2.1.0"}
}
""",
    "pnpm-lock.yaml": "lockfileVersion: '9.0'\n",
    "pnpm-workspace.yaml": "packages:\n  # the applications\n  - 'apps/*'\n  - \"packages/*\"\n",
    "turbo.json": '{"tasks": {"build": {}}}\n',
    "eslint.config.js": "export default [];\n",
    ".prettierrc": "{}\n",
    "vitest.config.ts": "export default {};\n",
    ".nvmrc": "20.11.1\n",
    ".github/workflows/ci.yml": "on: push\n",
    "apps/web/package.json": '{"name": "web", "scripts": {"dev": "vite"}}\n',
    "apps/web/index.html": "<!doctype html>\n",
    "apps/web/src/main.tsx": "export {};\n",
    "packages/core/package.json": '{"name": "core"}\n',
    "packages/core/src/parser.ts": "export {};\n",
    "packages/core/src/lexer.ts": "export {};\n",
    "AGENTS.md": "Use pnpm.\n",
}

UV_LIBRARY = {
    "pyproject.toml": """[project]
name = "ledger"
version = "1.0"
requires-python = ">=3.11"

[project.scripts]
ledger = "ledger.cli:main"

[dependency-groups]
dev = ["pytest>=8", "mypy"]

[tool.ruff]
line-length = 88

[tool.mypy]
strict = true

[tool.pytest.ini_options]
testpaths = ["tests"]
""",
    "uv.lock": "version = 1\n",
    ".python-version": "3.12\n",
    ".pre-commit-config.yaml": "repos: []\n",
    "noxfile.py": "import nox\n\n\n@nox.session\ndef tests(session):\n    session.run('pytest')\n\n\n@nox.session(python=['3.12'])\ndef docs(session):\n    pass\n",
    "src/ledger/__init__.py": "",
    "src/ledger/__main__.py": "",
    "src/ledger/cli.py": "",
    "tests/test_cli.py": "",
    "docs/index.rst": "Ledger\n",
}

CARGO_WORKSPACE = {
    "Cargo.toml": '[workspace]\nresolver = "2"\nmembers = ["crates/*"]\n\n[workspace.package]\nedition = "2021"\nrust-version = "1.75"\n',
    "Cargo.lock": "version = 3\n",
    "rust-toolchain.toml": '[toolchain]\nchannel = "1.82.0"\n',
    "rustfmt.toml": "max_width = 100\n",
    "justfile": "set shell := ['bash', '-c']\n\ndefault: test\n\n# all tests\ntest *args:\n    cargo test {{args}}\n\nlint: (check 'x')\n    cargo clippy\n\ncheck name='y':\n    true\n\n_private:\n    true\n",
    "crates/cli/Cargo.toml": '[package]\nname = "cli"\n',
    "crates/cli/src/main.rs": "fn main() {}\n",
    "crates/core/Cargo.toml": '[package]\nname = "core"\n',
    "crates/core/src/lib.rs": "",
    ".gitlab-ci.yml": "test:\n  script: just test\n",
}

GO_SERVICE = {
    "go.mod": "module example.com/billing\n\ngo 1.22\n\ntoolchain go1.22.5\n",
    "go.sum": "",
    ".golangci.yml": "run: {}\n",
    ".tool-versions": "golang 1.22.5\n# a comment\n",
    "Makefile": ".PHONY: build test\nVERSION := 1\n\nbuild:\n\tgo build ./...\n\ntest: build\n\tgo test ./...\n\n.PHONY: lint\nlint: ; golangci-lint run\n",
    "cmd/billing/main.go": "package main\n",
    "internal/invoice/invoice.go": "package invoice\n",
    "internal/invoice/invoice_test.go": "package invoice\n",
    "vendor/example.com/x/x.go": "package x\n",
    "Jenkinsfile": "pipeline {}\n",
}

RAILS = {
    "Gemfile": "source 'https://rubygems.org'\n\nruby '3.3.5'\n\ngem 'rails', '~> 7.2'\n\ngroup :test do\n  gem 'rspec-rails'\nend\n",
    "Gemfile.lock": "GEM\n",
    ".ruby-version": "ruby-3.3.5\n",
    ".rspec": "--require spec_helper\n",
    ".rubocop.yml": "AllCops: {}\n",
    "Rakefile": "require_relative 'config/application'\n\ntask default: :spec\n\ntask :seed do\nend\n",
    "config.ru": "run App\n",
    "app/models/user.rb": "",
    "app/views/users/show.html.erb": "",
    "spec/models/user_spec.rb": "",
    "db/schema.rb": "",
}

LARAVEL = {
    "composer.json": """{
    "require": {"php": "^8.2", "laravel/framework": "^11.0"},
    "require-dev": {
        "phpunit/phpunit": "^11.0"
    },
    "scripts": {
        "post-autoload-dump": ["@php artisan package:discover --ansi"],
        "test": ["@php artisan config:clear", "@php artisan test"]
    }
}
""",
    "composer.lock": "{}\n",
    "phpunit.xml": "<phpunit/>\n",
    "pint.json": "{}\n",
    "artisan": "#!/usr/bin/env php\n",
    "package.json": '{"scripts": {"build": "vite build"}}\n',
    "package-lock.json": "{}\n",
    "app/Models/User.php": "<?php\n",
    "public/index.php": "<?php\n",
    "tests/Unit/UserTest.php": "<?php\n",
}

PHOENIX = {
    "mix.exs": 'defmodule Chat.MixProject do\n  use Mix.Project\n\n  def project do\n    [\n      app: :chat,\n      elixir: "~> 1.16",\n    ]\n  end\nend\n',
    "mix.lock": "%{}\n",
    ".formatter.exs": "[]\n",
    ".credo.exs": "%{}\n",
    ".tool-versions": "elixir 1.16.3-otp-26\nerlang 26.2.5\n",
    "lib/chat.ex": "",
    "lib/chat_web/router.ex": "",
    "test/chat_test.exs": "",
    "test/test_helper.exs": "ExUnit.start()\n",
}

MAVEN = {
    "pom.xml": """<project>
  <modules>
    <module>api</module>
    <module>server</module>
  </modules>
  <properties>
    <java.version>21</java.version>
  </properties>
  <dependencies>
    <dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId></dependency>
  </dependencies>
</project>
""",
    "mvnw": "#!/bin/sh\n",
    ".mvn/wrapper/maven-wrapper.properties": "distributionUrl=https://repo.maven.apache.org/maven2/org/apache/maven/apache-maven/3.9.9/apache-maven-3.9.9-bin.zip\n",
    ".sdkmanrc": "# sdkman\njava=21.0.4-tem\n",
    "api/pom.xml": "<project/>\n",
    "server/pom.xml": "<project/>\n",
    "server/src/main/java/App.java": "class App {}\n",
    "azure-pipelines.yml": "steps: []\n",
}

GRADLE_KOTLIN = {
    "settings.gradle.kts": 'rootProject.name = "wallet"\nincludeBuild("build-logic")\ninclude(\n    ":app",\n    ":core:data",\n)\n',
    "build.gradle.kts": 'plugins { kotlin("jvm") }\n\nkotlin {\n    jvmToolchain(17)\n}\n\ndependencies {\n    testImplementation(kotlin("test-junit5"))\n}\n',
    "gradlew": "#!/bin/sh\n",
    "gradle/wrapper/gradle-wrapper.properties": "distributionBase=GRADLE_USER_HOME\ndistributionUrl=https\\://services.gradle.org/distributions/gradle-8.10.2-bin.zip\n",
    "detekt.yml": "style: {}\n",
    "app/src/main/kotlin/Main.kt": "fun main() {}\n",
}

DOTNET = {
    "Store.sln": "\n",
    "global.json": '{\n  // the one that is installed\n  "sdk": {"version": "8.0.401"},\n}\n',
    "Directory.Packages.props": '<Project>\n  <PackageVersion Include="xunit" Version="2.9.0" />\n</Project>\n',
    "src/Store/Store.csproj": "<Project>\n  <TargetFramework>net8.0</TargetFramework>\n</Project>\n",
    "src/Store/Program.cs": "",
    "src/Store/packages.lock.json": "{}\n",
    "tests/Store.Tests/StoreTests.cs": "",
    ".editorconfig": "root = true\n",
}

FLUTTER = {
    "pubspec.yaml": "name: notes\nenvironment:\n  sdk: '>=3.5.0 <4.0.0'\n  flutter: 3.24.3\ndependencies:\n  flutter:\n    sdk: flutter\ndev_dependencies:\n  flutter_test:\n    sdk: flutter\n",
    "pubspec.lock": "packages: {}\n",
    "analysis_options.yaml": "include: package:flutter_lints/flutter.yaml\n",
    "lib/main.dart": "",
    "test/widget_test.dart": "",
    "ios/Podfile": "",
    "ios/Podfile.lock": "",
}

DENO = {
    "deno.jsonc": """{
  // tasks
  "tasks": {
    "start": "deno run -A main.ts", /* the server */
    "test": {"command": "deno test -A", "description": "all tests"},
  },
  "workspace": ["./lib"],
  "imports": {"x": "https://example.com/x"}
}
""",
    "deno.lock": "{}\n",
    "main.ts": "",
    "lib/deno.json": "{}\n",
    "lib/mod.ts": "",
    "lib/mod_test.ts": "",
}

CMAKE = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.25)\nproject(codec)\nenable_testing()\n",
    "conanfile.txt": "[requires]\n",
    "conan.lock": "{}\n",
    "Makefile": "all: codec\n\ncodec: main.o\n\tcc -o $@ $^\n\n%.o: %.c\n\tcc -c $<\n\nclean::\n\trm -f *.o\n\nCFLAGS ?= -O2\nOUT := a\nOTHER ::= b\n",
    ".clang-format": "BasedOnStyle: LLVM\n",
    "src/codec.cpp": "",
    "src/codec.hpp": "",
    "src/tables.c": "",
    "include/codec.h": "",
}

SWIFT_PACKAGE = {
    "Package.swift": '// swift-tools-version: 5.10\nlet package = Package(name: "Grid", targets: [\n    .executableTarget(name: "grid"),\n    .testTarget(name: "GridTests"),\n])\n',
    "Package.resolved": "{}\n",
    ".swiftlint.yml": "disabled_rules: []\n",
    "Sources/grid/main.swift": "",
    "Sources/GridKit/Grid.swift": "",
    "Tests/GridTests/GridTests.swift": "",
}

TWO_HALVES = {
    "README.md": "# Two halves\n",
    "Taskfile.yml": "version: '3'\n\nvars:\n  X: 1\n\ntasks:\n  up:\n    cmds:\n      - docker compose up\n  'db:reset':\n    cmds: [echo]\n",
    "backend/pyproject.toml": '[tool.poetry.dependencies]\npython = "^3.12"\n\n[tool.poetry.group.dev.dependencies]\npytest = "*"\n\n[tool.poetry.scripts]\nserve = "backend.app:run"\n\n[tool.poe.tasks]\nmigrate = "alembic upgrade head"\nseed = { cmd = "python seed.py" }\n',
    "backend/poetry.lock": "",
    "backend/backend/app.py": "",
    "frontend/package.json": '{"scripts": {"dev": "vite", "test": "jest"}, "jest": {}, "prettier": {}, "dependencies": {"react": "18"}}\n',
    "frontend/yarn.lock": "",
    "frontend/src/App.jsx": "",
    "examples/old/package-lock.json": "{}\n",
}

CONTRADICTORY = {
    "package.json": '{"packageManager": "yarn@4.5.0", "scripts": {"test": "node --test"}, "volta": {"node": "22.9.0"}}\n',
    "package-lock.json": "{}\n",
    "pnpm-lock.yaml": "\n",
    ".nvmrc": "v20\n",
    "requirements.txt": "flask\n",
    "requirements-dev.txt": "pytest==8.3\n",
    "uv.lock": "",
    "poetry.lock": "",
    "tox.ini": "[tox]\nenvlist =\n    py{311,312}, lint\n    docs\n\n[testenv]\ncommands = pytest\n\n[pytest]\naddopts = -q\n",
    "index.js": "",
}

DOCUMENTS_ONLY = {
    "README.md": "# Notes\n",
    "chapters/one.md": "One\n",
    "chapters/two.md": "Two\n",
    "chapters/pictures.txt": "none\n",
}


def make_project(path: Path, files: Mapping[str, str | bytes]) -> Repo:
    """A repository with these files committed."""
    repo = make_repo(path, commit=False)
    for name, text in files.items():
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
    repo.git("add", "--force", "--all")
    repo.git("commit", "-q", "--allow-empty", "-m", "the project")
    return repo
