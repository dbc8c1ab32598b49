from __future__ import annotations

from pathlib import Path

import pytest

from octavo.environments.secrets import NOT_SECRET, PATTERNS, secret_values, url_password

LONG = "0123456789abcdef"


@pytest.mark.parametrize(
    "name",
    [
        *("GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "mysql_passwd", "OPENAI_API_KEY"),
        *("X_APIKEY_Y", "DEPLOY_PRIVATE_KEY", "GIT_CREDENTIALS", "SENTRY_DSN", "GPG_PASSPHRASE"),
    ],
)
def test_names_that_look_secret_are(name: str) -> None:
    assert secret_values({name: LONG}) == {name: LONG}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HOME", LONG),
        ("MAX_TOKENS_PER_MINUTE", "100000000"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/home/ada/key.json"),
        ("TOKEN_FILE", "/run/secrets/token"),
        ("USE_TOKEN", "true"),
        ("API_KEY", ""),
    ],
)
def test_what_only_looks_like_one_is_not(name: str, value: str) -> None:
    assert secret_values({name: value}) == {}


def test_declared_names_and_patterns_are_secret_though_short() -> None:
    found = secret_values(
        {"PIN": "1234", "ACME_A": "abcd", "OTHER": LONG}, declared=["pin", "ACME_*"]
    )
    assert found == {"PIN": "1234", "ACME_A": "abcd"}


def test_the_kernels_and_the_callers_values_are_both_kept_out() -> None:
    kernel, caller = {"TOKEN": "kernel-value"}, {"TOKEN": "caller-value", "X_TOKEN": LONG}
    found = secret_values(kernel, caller)
    assert found == {"TOKEN": "kernel-value", "TOKEN#2": "caller-value", "X_TOKEN": LONG}


def test_a_password_in_a_url_is_secret_whatever_the_name() -> None:
    url = "postgresql+psycopg://ada:s3cr3t:p@ss@db.example/main"
    assert secret_values({"DATABASE_URL": url}) == {"DATABASE_URL": "s3cr3t:p@ss"}


@pytest.mark.parametrize(
    ("value", "password"),
    [
        ("https://host/path", ""),
        ("https://user@host", ""),
        ("https://user:pw@host/a@b", "pw"),
        ("no url: a@b", ""),
        ("", ""),
    ],
)
def test_the_password_of_a_url(value: str, password: str) -> None:
    assert url_password(value) == password


def test_the_patterns_are_documented() -> None:
    text = Path(__file__, "../../../docs/environments.md").resolve().read_text()
    assert [name for name in (*PATTERNS, *NOT_SECRET) if f"`{name}`" not in text] == []
