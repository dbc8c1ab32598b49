"""`octavo rerun`: the same again, or nearly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.calling import Octavo

pytestmark = pytest.mark.kernel


def record(result: Any) -> Any:
    return json.loads(Path(result["record_path"]).read_text())


def test_parameters_and_options_are_kept_unless_given(octavo: Octavo) -> None:
    first = octavo(
        "run", "nb.py", "-p", "n", "2", "--cell-timeout", "50", "--env", "A=1", "--json"
    ).json
    again = octavo("rerun", "last", "--json").json
    assert again["scraps"]["n"] == 2
    assert again["run_id"] != first["run_id"]
    assert record(again)["parent_run"] == first["run_id"]
    assert record(again)["options"] == record(first)["options"]
    changed = octavo("rerun", again["run_id"], "-p", "n", "3", "--cell-timeout", "9", "--json").json
    assert changed["scraps"]["n"] == 3
    assert record(changed)["options"]["cell_timeout"] == 9
    assert record(changed)["parent_run"] == again["run_id"]


def test_a_failing_rerun_exits_like_a_run(octavo: Octavo) -> None:
    octavo("run", "nb.py", "-q")
    code, out, _ = octavo("rerun", "-p", "n", "8")
    assert code == 1
    assert "nb.py:16  ValueError: too many: 8" in out


def test_a_changed_source_is_told_and_the_recorded_one_can_be_run(octavo: Octavo) -> None:
    first = octavo("run", "nb.py", "--json").json
    source = Path("nb.py")
    source.write_text(source.read_text().replace('glue("n", n)', 'glue("n", "changed")'))
    code, out, err = octavo("rerun", first["run_id"])
    assert code == 0
    assert "has changed since that run; --recorded runs it as it was" in err
    assert "changed" in out
    again = octavo("rerun", first["run_id"], "--recorded", "--json").json
    assert again["scraps"]["n"] == 1
    assert record(again)["source"] == record(first)["source"]
    source.unlink()
    assert octavo("rerun", first["run_id"], "--json").json["error"]["kind"] == "notebook-not-found"
    assert octavo("rerun", first["run_id"], "--recorded", "-q").code == 0


def test_a_secret_must_be_given_again(octavo: Octavo) -> None:
    Path("secret.py").write_text('# %% tags=["parameters"]\napi_token: str = ""\n# %%\n1\n')
    octavo("run", "secret.py", "-p", "api_token", "hunter2hunter2", "-q")
    code, _, err = octavo("rerun")
    assert code == 2
    assert err == (
        "octavo: api_token: secret, so the record does not hold the value\n"
        "  hint: -p api_token VALUE\n"
    )
    assert octavo("rerun", "-p", "api_token", "other-value", "-q").code == 0


def test_a_secret_variable_must_be_given_again(octavo: Octavo) -> None:
    octavo("run", "nb.py", "--env", "API_TOKEN=hunter2hunter2", "-q")
    assert octavo("rerun").err == (
        "octavo: --env API_TOKEN: secret, so the record does not hold the value\n"
        "  hint: --env API_TOKEN=VALUE\n"
    )
    assert octavo("rerun", "--env", "API_TOKEN=hunter2hunter2", "-q").code == 0
