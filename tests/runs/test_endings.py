"""How runs end: the result and the record say what happened, and nothing else."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import nbformat
import pytest

from octavo.records.result import RunResult
from octavo.runs.context import Happened
from octavo.runs.operation import run
from octavo.runs.request import RunRequest

pytestmark = pytest.mark.kernel


def _statuses(project: Any, result: RunResult) -> list[str]:
    return [cell.status for cell in project.record(result).cells if cell.kind == "code"]


def _outputs(result: RunResult) -> list[Any]:
    notebook = nbformat.read(result.notebook_path, as_version=4)
    nbformat.validate(notebook)
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def test_a_successful_run(project: Any) -> None:
    result = project.run('# %% tags=["parameters"]\na = 1\n\n# %%\nprint(a)\na + 1\n',
                         parameters=(("a", "5"),))  # fmt: skip
    assert (result.status, result.reason, result.failed_cell) == ("success", None, None)
    assert result.cells_executed == 3
    assert _statuses(project, result) == ["succeeded"] * 3
    outputs = _outputs(result)
    assert outputs[0].text == "5\n"
    assert outputs[1].data["text/plain"] == "6"


def test_a_failing_cell_ends_the_run(project: Any) -> None:
    source = "# %%\nx = 1\n\n# %%\ny = 2\nprint(y)\n1 / 0\n\n# %%\nprint('never')\n"
    result = project.run(source)
    assert (result.status, result.reason) == ("error", "cell-error")
    failed = result.failed_cell
    assert failed is not None
    assert (failed.index, failed.ename, failed.evalue) == (
        1,
        "ZeroDivisionError",
        "division by zero",
    )
    assert failed.line == 7, "the line of the author's file"
    assert _statuses(project, result) == ["succeeded", "failed", "not-run"]
    assert result.cells_executed == 2


def test_the_failed_line_is_the_authors_with_injected_parameters(project: Any) -> None:
    source = '# %% tags=["parameters"]\na = 1\n\n# %%\n1 / a\n'
    result = project.run(source, parameters=(("a", "0"),))
    assert result.failed_cell is not None
    assert (result.failed_cell.index, result.failed_cell.line) == (1, 5)


def test_the_traceback_names_the_authors_lines(project: Any) -> None:
    source = "# %%\ndef divide(a):\n    return 1 / a\n\n# %%\nprint(1)\ndivide(0)\n"
    failed = project.run(source).failed_cell
    assert failed is not None
    text = "\n".join(failed.traceback)
    assert "(nb.py:7)" in text, "the call"
    assert "(nb.py:3)" in text, "the function, defined in an earlier cell"


def test_raise_for_status(project: Any) -> None:
    from octavo.errors import NotebookFailed

    result = project.run("# %%\n1 / 0\n")
    with pytest.raises(NotebookFailed, match="ZeroDivisionError"):
        result.raise_for_status()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"cell_timeout": 0.2}, "cell-timeout"),
        ({"timeout": 0.2}, "run-timeout"),
        ({"silence_timeout": 0.2}, "silence-timeout"),
    ],
)
def test_a_timeout_interrupts_the_cell(project: Any, options: Any, reason: str) -> None:
    source = "# %%\nprint('before')\nimport time\ntime.sleep(600)\n\n# %%\n1\n"
    result = project.run(source, **options)
    assert (result.status, result.reason) == ("error", reason)
    assert _statuses(project, result) == ["timed-out", "not-run"]
    assert _outputs(result)[0].text == "before\n"


def test_a_cell_that_ignores_interrupts_is_killed(project: Any) -> None:
    source = (
        "# %%\nimport signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "print('deaf', flush=True)\nwhile True:\n    time.sleep(1)\n"
    )
    result = project.run(source, cell_timeout=0.2)
    assert result.reason == "cell-timeout"
    assert _statuses(project, result) == ["timed-out"]
    assert _outputs(result)[0].text == "deaf\n"


def test_output_keeps_a_silent_run_alive(project: Any) -> None:
    source = "# %%\nimport time\nfor step in range(8):\n    time.sleep(0.1)\n    print(step)\n"
    assert project.run(source, silence_timeout=30.0).ok


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import os; os._exit(3)", "exit code 3"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
    ],
)
def test_a_dying_kernel(project: Any, code: str, message: str) -> None:
    result = project.run(f"# %%\nprint('last words')\n{code}\n\n# %%\n1\n")
    assert (result.status, result.reason) == ("error", "kernel-died")
    assert message in result.message
    assert _statuses(project, result) == ["kernel-died", "not-run"]
    assert _outputs(result)[0].text.startswith("last words\n")
    assert _outputs(result)[-1].ename == "KernelDied"
    assert message in _outputs(result)[-1].evalue


def test_the_memory_limit_names_limit_and_use(project: Any) -> None:
    source = "# %%\nimport time\nblock = bytearray(400_000_000)\ntime.sleep(60)\n"
    result = project.run(source, memory=200_000_000)
    assert result.reason == "out-of-memory"
    assert "200 MB allowed" in result.message


def test_the_process_limit(project: Any) -> None:
    source = (
        "# %%\nimport subprocess, time\n"
        "running = [subprocess.Popen(['sleep', '60']) for _ in range(8)]\ntime.sleep(60)\n"
    )
    result = project.run(source, processes=4)
    assert result.reason == "limit-exceeded"
    assert "processes" in result.message


def test_an_early_exit_is_a_success(project: Any) -> None:
    source = "# %%\nimport octavo_runtime\noctavo_runtime.exit({'done': 3})\n\n# %%\n1 / 0\n"
    result = project.run(source)
    assert (result.status, result.reason, result.value) == ("success", "exited-early", {"done": 3})
    assert _statuses(project, result) == ["succeeded", "not-run"]


def test_skipped_cells(project: Any) -> None:
    source = (
        '# %% tags=["parameters"]\nquick = True\n\n# %% tags=["skip"]\n1 / 0\n\n'
        '# %% tags=["skip-if: quick"]\n1 / 0\n\n# %%\nprint("end")\n'
    )
    result = project.run(source)
    assert result.ok
    assert _statuses(project, result) == ["succeeded", "skipped", "skipped", "succeeded"]
    again = project.run(source, parameters=(("quick", "false"),))
    assert again.reason == "cell-error"


def test_an_expected_exception_does_not_end_the_run(project: Any) -> None:
    result = project.run('# %% tags=["raises-exception"]\n1 / 0\n\n# %%\nprint("on")\n')
    assert result.ok
    assert result.cells_executed == 2


def test_scraps_are_in_the_result(project: Any) -> None:
    source = (
        "# %%\nfrom octavo_runtime import glue\nglue('score', 0.5)\nglue('text', 'hello')\n"
        "glue('rows', [{'a': 1}])\n"
    )
    result = project.run(source)
    assert result.scraps == {"score": 0.5, "text": "hello", "rows": [{"a": 1}]}


def test_stopping_finishes_the_record(project: Any) -> None:
    """Ctrl-C and SIGTERM ask the run to stop; the running cell is interrupted, not lost."""
    project.write("# %%\nprint('begun', flush=True)\nimport time\ntime.sleep(600)\n\n# %%\n1\n")

    async def stopped() -> RunResult:
        context = project.context()

        def on_event(event: Any) -> None:
            if isinstance(event, Happened) and event.event.type == "stream":
                context.stop.request("SIGINT")

        context.emit = on_event
        try:
            report = await run(RunRequest(paths=("nb.py",)), context)
        finally:
            await context.close()
        assert report.exit_code == 130
        return report.results[0]

    result = asyncio.run(stopped())
    assert (result.status, result.reason) == ("error", "interrupted")
    assert _statuses(project, result) == ["interrupted", "not-run"]
    assert _outputs(result)[0].text == "begun\n"


def test_a_cancelled_task_finishes_the_record(project: Any) -> None:
    project.write("# %%\nprint('begun', flush=True)\nimport time\ntime.sleep(600)\n")

    async def cancelled() -> None:
        context = project.context()
        begun = asyncio.Event()

        def on_event(event: Any) -> None:
            if isinstance(event, Happened) and event.event.type == "stream":
                begun.set()

        context.emit = on_event
        task = asyncio.ensure_future(run(RunRequest(paths=("nb.py",)), context))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await context.close()

    asyncio.run(cancelled())
    context = project.context()
    runs = list(context.store(str(project.root)).runs())
    record = runs[0].record()
    assert (record.status, record.reason) == ("error", "interrupted")
    assert [cell.status for cell in record.cells] == ["interrupted"]


def test_a_secret_reaches_no_file_of_the_record(project: Any) -> None:
    project.environ["FORGE_TOKEN"] = "s3cr3t-value-0815"
    source = (
        "# %%\nimport os, sys\nsecret = os.environ['FORGE_TOKEN']\nprint(secret)\n"
        "sys.stdout.write(secret[:5]); sys.stdout.flush(); sys.stdout.write(secret[5:] + '\\n')\n"
        "print(secret, file=sys.stderr)\nsecret\n\n"
        "# %%\nraise ValueError(secret)\n"
    )
    result = project.run(source, env=("FORGE_TOKEN",))
    folder = Path(result.record_path).parent
    for file in folder.rglob("*"):
        if file.is_file():
            assert b"s3cr3t-value-0815" not in file.read_bytes(), file
    assert "[redacted" in json.dumps(_outputs(result))


def test_variables_are_passed_only_when_named(project: Any) -> None:
    project.environ["MY_SETTING"] = "visible"
    source = "# %%\nimport os\nprint(os.environ.get('MY_SETTING'))\n"
    assert _outputs(project.run(source))[0].text == "None\n"
    assert _outputs(project.run(source, env=("MY_SETTING",)))[0].text == "visible\n"


def test_a_variable_that_was_not_passed_is_named(project: Any) -> None:
    project.environ["MY_SETTING"] = "here"
    result = project.run("# %%\nimport os\nos.environ['MY_SETTING']\n")
    assert result.reason == "cell-error"
    assert "--env MY_SETTING" in result.message


def test_many_outputs_go_to_a_file(project: Any) -> None:
    source = "# %%\nfor number in range(20000):\n    print('line', number)\n"
    result = project.run(source, output_cap=20_000)
    text = "".join(output.text for output in _outputs(result))
    assert text.startswith("line 0\n")
    assert text.endswith("line 19999\n")
    assert len(text) < 40_000
    whole = list((Path(result.record_path).parent / "files").iterdir())
    assert whole[0].read_text() == "".join(f"line {number}\n" for number in range(20000))
    assert whole[0].name in text


def test_a_broken_notebook_runs_nothing(project: Any) -> None:
    from octavo.errors import NotebookError

    with pytest.raises(NotebookError) as refused:
        project.run("# %%\nopen('side-effect', 'w')\n\n# %%\nx = = 1\n")
    assert refused.value.kind == "notebook-syntax"
    assert refused.value.place.endswith("nb.py:5")
    assert not (project.root / "side-effect").exists()
    assert not (project.root / ".octavo").exists()


def test_several_notebooks_share_a_zygote(project: Any) -> None:
    for number in range(4):
        project.write(f"# %%\nimport os\nprint(os.getppid(), {number})\n", f"n{number}.py")
    results = project.run_paths("n0.py", "n1.py", "n2.py", "n3.py", jobs=2)
    assert [result.ok for result in results] == [True] * 4
    texts = [_outputs(result)[0].text for result in results]
    assert [text.split()[1] for text in texts] == ["0", "1", "2", "3"]


def test_nothing_runs_when_one_of_several_is_wrong(project: Any) -> None:
    from octavo.errors import OctavoError

    project.write("# %%\nopen('ran', 'w')\n", "good.py")
    with pytest.raises(OctavoError):
        project.run_paths("good.py", "missing.py")
    assert not (project.root / "ran").exists()


def test_the_record_names_the_commit(project: Any) -> None:
    import subprocess

    def git(*words: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
        return subprocess.run(
            command, cwd=project.root, check=True, capture_output=True, text=True
        ).stdout.strip()

    project.write("# %%\n1\n")
    git("init", "-q")
    git("add", "nb.py")
    git("commit", "-qm", "first")
    result = project.run_paths("nb.py")[0]
    assert project.record(result).git["commit"] == git("rev-parse", "HEAD")
    assert project.record(result).git["dirty"] is False
    changed = project.run("# %%\n2\n")
    assert project.record(changed).git["dirty"] is True


def test_the_working_folder(project: Any) -> None:
    (project.root / "sub").mkdir()
    source = "# %%\nimport os\nprint(os.getcwd())\n"
    project.write(source, "sub/nb.py")
    assert _outputs(project.run_paths("sub/nb.py")[0])[0].text == f"{project.root / 'sub'}\n"
    elsewhere = project.run_paths("sub/nb.py", cwd=".")[0]
    assert os.path.samefile(_outputs(elsewhere)[0].text.strip(), project.root)


def test_the_named_output_is_written_also_on_failure(project: Any) -> None:
    result = project.run("# %%\nprint(1)\n\n# %%\n1 / 0\n", output="out.ipynb")
    written = nbformat.read(project.root / "out.ipynb", as_version=4)
    assert written.cells[0].outputs[0].text == "1\n"
    assert result.notebook_path == str(project.root / "out.ipynb")


def test_prepare_only_runs_nothing(project: Any) -> None:
    project.write('# %% tags=["parameters"]\na = 1\n\n# %%\nopen("ran", "w")\n')

    async def prepared() -> Any:
        context = project.context()
        request = RunRequest(
            paths=("nb.py",), parameters=(("a", "2"),), output="p.ipynb", prepare_only=True
        )
        return await run(request, context)

    assert asyncio.run(prepared()).prepared == (str(project.root / "p.ipynb"),)
    notebook = nbformat.read(project.root / "p.ipynb", as_version=4)
    assert "a = 2" in notebook.cells[1].source
    assert not (project.root / "ran").exists()
    assert not (project.root / ".octavo").exists()


def test_an_interrupt_before_anybody_knows_of_the_run(project: Any) -> None:
    """A signal between the first line of the journal and the moment that it is shown."""
    project.write("# %%\nprint(1)\n")
    context = project.context()

    def interrupted(event: Any) -> None:
        context.emit = project.events.append
        raise KeyboardInterrupt

    context.emit = interrupted

    async def attempt() -> None:
        await run(RunRequest(paths=("nb.py",)), context)

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(attempt())
    [path] = project.root.glob(".octavo/runs/*/*/record.json")
    record = json.loads(path.read_text())
    assert (record["status"], record["reason"]) == ("error", "interrupted")
    assert [cell["status"] for cell in record["cells"]] == ["not-run"]
    assert os.listdir(project.root / ".octavo/live") == []


def test_a_mistake_of_the_engine_is_not_the_kernels_death(
    project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from octavo.kernels.fork.kernel import ForkKernel

    async def mistaken(self: object, code: object) -> None:
        raise LookupError("nobody thought of this")

    monkeypatch.setattr(ForkKernel, "execute", mistaken)
    result = project.run("# %%\n1\n")
    assert (result.status, result.reason) == ("error", "infrastructure")
    assert "LookupError: nobody thought of this" in result.message
