"""Secrets in sources and outputs. Those below are put together here and open nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from octavo.errors import NotebookError
from octavo.gate.preflight.examine import examine
from octavo.gate.preflight.structure import unreadable
from octavo.gate.verdicts import Finding
from octavo.gate.wording import refused
from octavo.notebook.formats import read
from octavo.sources import SourceFile

LETTERS = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC2eF4hJ6kL8nP0rS2"
HEX = "0123456789abcdef0123456789abcdef01234567"
SECRETS = {
    "AWS access key": "AKIA" + "QWERTYUIOP234567",
    "AWS secret": "aws_secret_access_key = '" + LETTERS[:40] + "'",
    "GitHub": "ghp_" + LETTERS[:36],
    "GitHub, fine-grained": "github_pat_" + LETTERS[:30],
    "GitLab": "glpat-" + LETTERS[:20],
    "Slack": "xoxb-" + "123456789012-" + LETTERS[:24],
    "Google": "AIza" + LETTERS[:35],
    "JWT": "eyJ" + LETTERS[:20] + ".eyJ" + LETTERS[:20] + "." + LETTERS[:20],
    "private key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "Gitea": "gitea_token: " + HEX,
    "authorization": "Authorization: token " + HEX,
    "address": "postgres://admin:" + "hunter22" + "@db.internal/x",
    "address without a user": "redis://:" + "hunter22" + "@db.internal/0",
    "address with an at": "mysql://root:" + "hu@nter22" + "@db.internal/0",
    "connection": "Server=x;User Id=sa;Password=" + "hunter22;",
    "model": "sk-" + LETTERS[:32],
    "model, of a project": "sk-proj-" + LETTERS[:20] + "-" + LETTERS[:20],
    "Azure": "AccountKey=" + (LETTERS * 2)[:86] + "==",
    "Databricks": "dapi" + HEX[:32],
    "SendGrid": "SG." + LETTERS[:22] + "." + LETTERS[:43],
}


def findings(text: str, name: str = "nb.py") -> list[Finding]:
    source = SourceFile(f"/nowhere/{name}", text, read(text, name))
    return [found for found in examine(source, name, None) if found.rule == "secret"]


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_known_shapes_are_found_in_code_and_prose_and_never_shown(secret: str) -> None:
    for text in (f"# %%\nx = 1\n# {secret}\n", f"# %% [markdown]\n# Some text\n# {secret}\n"):
        (found,) = findings(text)
        assert (found.severity, found.cell) == ("error", 0)
        assert found.line == 3
        assert secret not in str(found.to_json())
        assert secret[-12:] not in str(found.to_json())


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_known_shapes_are_found_in_outputs(secret: str) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": ["hello\n", f"{secret}\n"]}
    assert [found.cell for found in findings(executed(output), "nb.ipynb")] == [0]


def executed(output: Mapping[str, object]) -> str:
    cell = {
        "cell_type": "code", "id": "a", "metadata": {}, "execution_count": 1, "source": "print(1)",
        "outputs": [output],
    }  # fmt: skip
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})


def test_letters_of_an_image_are_no_secret() -> None:
    data = {"image/png": f"/{SECRETS['AWS access key']}/", "text/plain": "<Figure>"}
    output = {"output_type": "display_data", "metadata": {}, "data": data}
    assert findings(executed(output), "nb.ipynb") == []


@pytest.mark.parametrize(
    "line",
    [
        'password = "hunter22"',
        'db_password: str = "hunter22"',
        'connect(password="hunter22")',
        'settings = {"api_key": "k3y-0f-s0meb0dy"}',
        'os.environ["AUTH_TOKEN"] = "k3y0fs0meb0dy"',
        'client.secret = "k3y0fs0meb0dy"',
        'os.environ.setdefault("DB_PASSWORD", "hunter22")',
        'os.getenv("DB_PASS", "hunter22")',
    ],
)
def test_texts_that_are_given_to_something_secret(line: str) -> None:
    (found,) = findings(f"# %%\n{line}  # octavo: ignore[undefined-name]\n")
    assert found.line == 2
    assert "hunter22" not in found.message
    assert "k3y" not in found.message


@pytest.mark.parametrize(
    "line",
    [
        'password = ""',
        'password = "***"',
        'password = "<your password>"',
        'token = "${TOKEN}"',
        'token = "changeme"',
        'api_key = "YOUR_API_KEY_123"',
        'token = "hello"',
        'tokenizer = "bert-base-uncased-123"',
        'token_url = "https://example.org/oauth2/token1"',
        "password = getpass()",
        'password = os.environ["DB_PASSWORD_2"]',
        'url = "postgres://user:{password}@host/db"',
        'url = "postgres://user:$PASSWORD@host/db"',
        'key = "a1b2c3d4e5f6"',
        "sha = '" + HEX + "'",
        'html = \'<div id="sk-b4ce6a29-9ae5-4cd6-9f4f-0d2b1ea1b4b3" class="sk-top">\'',
        "style = '.sk-toggleable__content-with-a-very-long-name-indeed-here'",
        'url = "https://user:pass@example.com"',
        'url = "https://user:password@host.internal"',
        'url = "http://localhost:8888?mail=a@example.org"',
        'types = {"user": "object", "password": "object", "pwd": "varchar"}',
        'names = {"password": "password_hash", "pwd": "DB_PASSWORD"}',
        'model(eos_token="<|im_end|>12", mask_token="##MASK12345##")',
        'secret = "projects/p1/secrets/db/versions/1"',
        'credentials = "service_account_2.json"',
        'private_key = "~/.ssh/id_ed25519"',
        'passwd = "/etc/passwd"',
        r'password = r"^(?=.*\d)[a-z]{8,}$"',
        'token = os.environ.get("GITHUB_TOKEN", "")',
    ],
)
def test_what_is_no_secret(line: str) -> None:
    assert findings(f"# %%\n{line}\n") == []


def test_a_tag_silences_the_outputs_of_a_cell() -> None:
    text = executed({"output_type": "stream", "name": "stdout", "text": SECRETS["GitHub"]})
    document = json.loads(text)
    document["cells"][0]["metadata"]["tags"] = ["octavo-ignore-secret"]
    assert findings(json.dumps(document), "nb.ipynb") == []


def test_colours_of_a_traceback_hide_no_secret() -> None:
    coloured = f"\x1b[38;5;124m'\x1b[39m\x1b[38;5;124m{SECRETS['AWS access key']}\x1b[39m'"
    output = {"output_type": "error", "ename": "E", "evalue": "", "traceback": [coloured]}
    assert [found.cell for found in findings(executed(output), "nb.ipynb")] == [0]


def test_what_quotes_a_notebook_leaves_secrets_out() -> None:
    secret = SECRETS["GitHub"]
    output = {"output_type": "stream", "name": "stdout", "text": "", secret: 1}
    text = executed(output)
    source = SourceFile("/nowhere/nb.ipynb", text, read(text, "nb.ipynb"))
    (found,) = examine(source, "nb.ipynb", None)
    error = NotebookError("notebook-syntax", "bad", hint=f"correct this line: {secret} = =")
    told = (found.to_json(), unreadable(error, "nb.py").to_json(), refused("nb.py", "", error).hint)
    assert found.rule == "invalid-notebook"
    for each in told:
        assert secret not in str(each)
        assert "[a GitHub token]" in str(each)


@pytest.mark.parametrize("word", ["password=", "gitea", "eyJ-", "a.", "https://a:", "aws secret "])
def test_texts_that_almost_hold_secrets_are_read_through(word: str) -> None:
    # Each of these took minutes where a shape began anew at every word of the line.
    assert findings(f"# %%\n# {word * 100_000}token\n") == []
