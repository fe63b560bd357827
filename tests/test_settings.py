"""Every setting: its default, what it takes, and the one warning for what it does not."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitstate.settings import Settings, load
from gitstate.workspace import Workspace
from tests.support import Repo, gitstate

DEFAULTS = {
    "dir": ".agent-state",
    "branch": "agent-state",
    "quietMs": 300,
    "maxWaitMs": 2000,
    "scanSeconds": 30,
    "durable": True,
    "maxFileSize": 1 << 20,
    "secrets": "hold",
    "timezone": None,
    "squash": True,
    "squashAt": "00:05",
    "squashPushed": False,
    "archiveKeep": "forever",
    "messageCommand": None,
    "gate": "warn",
    "gateExempt": (),
    "gatePush": "warn",
    "push": False,
    "repairHooks": True,
    "freshnessInterval": 600,
    "freshnessThreshold": 600,
    "notify": False,
    "briefBudget": 9000,
    "refreshTurns": 10,
    "probe": "auto",
    "probeTurns": 5,
    "verifyAfterBrief": True,
    "compactionWarn": 0.75,
    "contextWindow": None,
    "logKeepTurns": 50,
    "logKeepDays": 7,
    "lang": "en",
}


def by_key(settings: Settings) -> dict[str, object]:
    return {
        item.metadata["key"]: getattr(settings, item.name) for item in fields(Settings)
    }


def read(key: str, *values: str) -> tuple[object, tuple[str, ...]]:
    """What one key comes to, and the warnings."""
    settings, warnings = load({f"gitstate.{key.lower()}": list(values)})
    found = by_key(settings)
    return found[key], tuple(warnings)


def test_the_defaults_are_those_of_the_contract() -> None:
    settings, warnings = load({})

    assert by_key(settings) == DEFAULTS
    assert tuple(warnings) == ()


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("dir", "a/b/.state", "a/b/.state"),
        ("dir", "x/", "x"),
        ("branch", "agents/memory", "agents/memory"),
        ("quietMs", "0", 0),
        ("durable", "off", False),
        ("durable", "", False),
        ("durable", "YES", True),
        ("maxFileSize", "512k", 512 << 10),
        ("maxFileSize", "2 MiB", 2 << 20),
        ("maxFileSize", "10", 10),
        ("secrets", "ALLOW", "allow"),
        ("timezone", "Europe/Berlin", "Europe/Berlin"),
        ("squashAt", "23:59", "23:59"),
        ("archiveKeep", "30 days", "30d"),
        ("freshnessInterval", "90s", 90),
        ("freshnessThreshold", "2h", 7200),
        ("compactionWarn", "1", 1.0),
        ("gate", "Block", "block"),
        ("lang", "zh", "zh"),
    ],
)
def test_what_a_key_takes(key: str, value: str, expected: object) -> None:
    assert read(key, value) == (expected, ())


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("dir", "../outside"),
        ("dir", "/absolute"),
        ("dir", "~/home"),
        ("dir", ".git"),
        ("dir", "a/.GIT/b"),
        ("dir", "a//b"),
        ("dir", "."),
        ("dir", "new\nline"),
        ("dir", ""),
        ("branch", "-x"),
        ("branch", "a..b"),
        ("branch", "a b"),
        ("branch", "a.lock"),
        ("branch", "@"),
        ("branch", ""),
        ("branch", "a/"),
        ("quietMs", "-1"),
        ("quietMs", "1.5"),
        ("quietMs", "99999999999"),
        ("quietMs", "\u0661"),
        ("durable", "maybe"),
        ("maxFileSize", "0"),
        ("maxFileSize", "1 elephant"),
        ("secrets", "banana"),
        ("timezone", "Mars/Olympus"),
        ("timezone", "../../etc/passwd"),
        ("squashAt", "24:00"),
        ("archiveKeep", "soon"),
        ("freshnessInterval", "0"),
        ("compactionWarn", "nan"),
        ("compactionWarn", "2"),
        ("lang", "de"),
    ],
)
def test_a_bad_value_is_one_warning_and_the_default(key: str, value: str) -> None:
    found, warnings = read(key, value)

    assert found == DEFAULTS[key]
    (warning,) = warnings
    assert f"gitstate.{key}" in warning
    assert warning.isprintable()


@given(value=st.text(max_size=20))
def test_no_value_breaks_a_key(value: str) -> None:
    for key in DEFAULTS:
        _, warnings = read(key, value)
        assert all(warning.isprintable() for warning in warnings)


def test_an_unknown_key_is_one_warning() -> None:
    settings, warnings = load({"gitstate.banana": ["1", "2"], "other.key": ["x"]})

    assert by_key(settings) == DEFAULTS
    (warning,) = warnings
    assert "gitstate.banana" in warning


def test_the_last_value_counts_and_repeatable_ones_add_up() -> None:
    assert read("quietMs", "1", "2") == (2, ())
    assert read("gateExempt", "docs/*", "*.md") == (("docs/*", "*.md"), ())


def test_the_environment_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITSTATE_QUIET_MS", "7")
    monkeypatch.setenv("GITSTATE_DIR", "elsewhere")
    monkeypatch.setenv("GITSTATE_MAX_FILE_SIZE", "banana")

    settings, warnings = load(
        {"gitstate.quietms": ["1"], "gitstate.maxfilesize": ["2k"]}
    )

    assert (settings.quiet_ms, settings.dir) == (7, "elsewhere")
    assert len(warnings) == 1
    assert "GITSTATE_MAX_FILE_SIZE" in warnings[0]


def test_every_scope_of_git_config_counts(repo: Repo, home: object) -> None:
    repo.git("config", "--global", "gitstate.quietMs", "1")
    assert Workspace.open(repo.path).settings.quiet_ms == 1
    repo.git("config", "gitstate.quietMs", "2")
    assert Workspace.open(repo.path).settings.quiet_ms == 2
    repo.git("config", "extensions.worktreeConfig", "true")
    repo.git("config", "--worktree", "gitstate.quietMs", "3")
    assert Workspace.open(repo.path).settings.quiet_ms == 3
    (repo.path / "included").write_text("[gitstate]\n\tmaxWaitMs = 4\n")
    repo.git("config", "include.path", "../included")
    assert Workspace.open(repo.path).settings.max_wait_ms == 4
    assert home


def test_a_key_without_a_value_is_true(repo: Repo) -> None:
    with (repo.path / ".git" / "config").open("a") as file:
        file.write("[gitstate]\n\tsquashPushed\n")

    assert Workspace.open(repo.path).settings.squash_pushed


def test_the_command_warns_once_and_goes_on(repo: Repo) -> None:
    repo.write_six()
    gitstate("init", "--no-hooks", "--no-daemon", cwd=repo.path)
    repo.git("config", "gitstate.maxFileSize", "huge")
    repo.git("config", "gitstate.banana", "1")

    done = gitstate("log", cwd=repo.path)

    assert done.stdout.startswith("v1  ")
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("gitstate: warning: ") for line in lines)
    assert {"gitstate.maxFileSize" in line for line in lines} == {True, False}
