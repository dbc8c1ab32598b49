"""`octavo create`: notebooks from templates; what people write in a description never runs."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cli.calling import variables
from octavo.authoring.creating.choosing import BUILT_IN, Template, read_template
from octavo.authoring.creating.filling import filled
from octavo.authoring.creating.naming import plain_text, slug_of, title_of
from octavo.authoring.creating.operation import create
from octavo.authoring.creating.request import CreateRequest, CreateResult
from octavo.authoring.inspect import InspectRequest, inspect
from octavo.errors import NotebookError, OctavoError, UsageError
from octavo.notebook import formats
from octavo.notebook.handouts import declared_handouts
from octavo.notebook.model import Notebook
from octavo.notebook.parameters import declared
from octavo.sources import read_source

NAMES = sorted(path.stem for path in BUILT_IN.iterdir())
FORMATS = ("py", "md", "ipynb")
#: What somebody might try.
HOSTILE = (
    "# %%\nimport os; os.system('x')",
    '"""\nimport os\n"""',
    "'''\nimport os",
    "```python\nimport os\n```",
    "~~~\n```\n~~~python\nos\n",
    "<!-- #endregion -->\n\n```python\nimport os\n```\n\n<!-- #region -->",
    "{{title}} {{description}} {{date}}",
    "\\\\\\n \\\" ' \\N{DASH} \\u0022",
    '" + __import__("os").system("x") + "',
    "!rm -rf x\n%cd /\n?x\nx?",
    "\r# %%\rimport os",
    "a\u2028# %%\u2028import os\x0b# %%\x0cimport os\x85import os",
    "---\ntitle: x\n---\n# %% [markdown]",
    "\x00\x1b[31m\ud800\u202e",
    "$(rm -rf x) `rm` ${HOME}",
    "# In[3]:\n# <codecell>",
    "漢字 " * 50_000,
)


class Settings:
    notebooks: tuple[str, ...] = ("notebooks",)
    templates: tuple[str, ...] = ("notebook_templates",)


class Project:
    """A project folder, and the context that the operation gets."""

    def __init__(self, root: Path) -> None:
        self.project = root
        self.cwd = str(root)
        self.settings = Settings()

    def create(self, *words: str, **options: Any) -> CreateResult:
        return asyncio.run(create(CreateRequest(*words, **options), self))

    def template(self, name: str, text: str) -> None:
        folder = self.project / "notebook_templates"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text)

    def text(self, path: str) -> str:
        return (self.project / path).read_text()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def call(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "octavo", *words],
        cwd=folder, env=variables(folder), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.kernel
@pytest.mark.slow
def test_every_template_runs_green_in_every_format(tmp_path: Path) -> None:
    (tmp_path / "octavo.toml").write_text("")
    project = Project(tmp_path)
    description = 'It\'s "new" \\ # %%\n```python\nimport os'
    paths = [
        project.create(description, f"{suffix}/{name}.{suffix}", template=name).path
        for name in NAMES
        for suffix in FORMATS
    ]
    done = call(tmp_path, "run", *paths, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads(done.stdout)["runs"]
    assert [result["status"] for result in results] == ["success"] * len(paths)
    assert all(result["scraps"] for result in results)


@pytest.mark.parametrize("name", NAMES)
def test_a_template_has_all_the_parts(name: str, project: Project) -> None:
    path = project.create("Count the hosts", template=name).path
    assert path == "notebooks/count_the_hosts.py"
    notebook = read_source(project.project / path).notebook
    assert notebook.cells[0].source.startswith("# Count the hosts\n\n> Count the hosts\n")
    assert notebook.cells[-1].name == "check" and "assert " in notebook.cells[-1].source
    parameters = declared(notebook)
    assert parameters and all(each.help and each.annotation for each in parameters)
    handouts = declared_handouts(notebook)
    assert handouts and all(each.help for each in handouts)
    glued = " ".join(cell.source for cell in notebook.cells if "glue(" in cell.source)
    assert all(f'glue("{each.name}"' in glued for each in handouts)
    seen = asyncio.run(inspect(InspectRequest(path), project))
    assert (seen.title, seen.problems) == ("Count the hosts", ())
    assert "{{" not in project.text(path).replace("{{}}", "")


def test_a_document_is_taken_by_sync_and_a_jupyter_notebook_is_valid(project: Project) -> None:
    from octavo.authoring.sync import SyncRequest, sync

    document = project.create("One", format="md").path
    assert document == "notebooks/one.md"
    context: Any = project
    context.emit = lambda event: None
    asyncio.run(sync(SyncRequest(("notebooks",)), context))
    nbformat.validate(nbformat.read(project.project / "notebooks/one.ipynb", as_version=4))
    made = project.create("Two", format="ipynb").path
    document = nbformat.read(project.project / made, as_version=4)
    nbformat.validate(document)
    assert document.metadata.kernelspec.name == "python3"


def test_names_are_never_taken_twice(project: Project) -> None:
    found = [project.create("Same name").path for _ in range(3)]
    assert found == [f"notebooks/same_name{n}.py" for n in ("", "-2", "-3")]
    (project.project / "notebooks" / "other.ipynb").write_text("{}")
    assert project.create("Other").path == "notebooks/other-2.py"


def test_a_file_that_is_there_is_not_touched(project: Project) -> None:
    (project.project / "mine.py").write_text("mine")
    (project.project / "link.py").symlink_to("nowhere.py")
    for name in ("mine.py", "link.py"):
        with pytest.raises(OctavoError) as caught:
            project.create("Text", name)
        assert caught.value.kind == "output-exists"
    assert project.text("mine.py") == "mine"
    assert sorted(os.listdir(project.project)) == ["link.py", "mine.py"]


def test_where_it_goes(project: Project) -> None:
    project.settings.notebooks = ("single.py", "work")
    assert project.create("A task").path == "work/a_task.py"
    assert project.create("A task", "deep/er/").path == "deep/er/a_task.py"
    assert project.create("A task", "deep").path == "deep/a_task.py"
    assert project.create("A task", "new/name.md").path == "new/name.md"
    project.cwd = str(project.project / "deep")
    assert project.create("Another").path == "../work/another.py"
    mode = (project.project / "new" / "name.md").stat().st_mode
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(mode) == 0o666 & ~umask


def test_standard_output_makes_no_file(project: Project) -> None:
    result = project.create("A task", "-", format="md")
    assert result.text is not None and result.text.startswith("---\njupyter:")
    assert os.listdir(project.project) == []


def test_the_jupyter_notebook_comes_with_it_where_others_have_theirs(project: Project) -> None:
    assert project.create("First").beside is None
    (project.project / "notebooks" / "first.ipynb").write_text("{}")
    second = project.create("Second")
    assert second.beside == "notebooks/second.ipynb"
    nbformat.validate(nbformat.read(project.project / "notebooks/second.ipynb", as_version=4))


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Prüfe die Größe", "prufe_die_grosse"),
        ("  Compare A/B: 10% (now!) ", "compare_a_b_10_now"),
        ("漢字", "new_notebook"),
        ("../../etc/passwd", "etc_passwd"),
        ("json", "json_notebook"),
        ("Pandas", "pandas_notebook"),
        ("x" * 500, "x" * 60),
        ("word " * 100, "word_word_word_word_word_word_word_word_word_word_word_word"),
    ],
)
def test_names_of_files(text: str, slug: str) -> None:
    assert slug_of(text) == slug


def test_texts_are_bounded() -> None:
    text = plain_text("line of text\n\n\n\n\n" * 100_000)
    assert len(text) < 4010 and "\n\n\n" not in text
    assert len(title_of(text)) < 90 and title_of("# > - ") == "Notebook"


@pytest.mark.parametrize("text", ["", "  \n ", "\x00\x1b"])
def test_no_description(text: str, project: Project) -> None:
    with pytest.raises(UsageError, match="no description") as caught:
        project.create(text)
    assert caught.value.hint and os.listdir(project.project) == []


def test_a_format_and_a_name_that_contradict_each_other(project: Project) -> None:
    with pytest.raises(UsageError, match="do not agree"):
        project.create("Text", "a.py", format="md")
    with pytest.raises(NotebookError, match="no notebook format"):
        project.create("Text", "a.txt")
    assert os.listdir(project.project) == []


def test_a_folder_that_cannot_be_made(project: Project) -> None:
    (project.project / "file").write_text("")
    with pytest.raises(OctavoError) as caught:
        project.create("Text", "file/a.py")
    assert caught.value.kind == "output-unwritable"


def test_templates_of_a_project(project: Project) -> None:
    project.template(
        "own.py", '# %% [markdown]\n# # {{title}}\n# {{ date }}\n\n# %%\nt = "{{slug}}"\n'
    )
    project.template("task.md", "---\ntemplate: ours\nother: 1\n---\n\n# {{title}}\n")
    project.template("README.md", "Not a template.")
    listed = {each.name: each for each in project.create(list=True).templates}
    assert sorted(listed) == sorted({*NAMES, "own"})
    assert (listed["task"].about, listed["task"].where) == ("ours", "notebook_templates/task.md")
    assert listed["data"].where == "built in" and listed["data"].about
    text = project.text(project.create("It's mine", template="own").path)
    assert text.startswith("# %% [markdown]\n# # It's mine\n# 2")
    assert text.endswith('\n\n# %%\nt = "it_s_mine"\n')
    made = project.create("Ours", "ours.md").path
    assert "template" not in project.text(made) and "other: 1" in project.text(made)


def test_a_template_may_be_a_file_of_any_format(project: Project) -> None:
    cells = [nbformat.v4.new_code_cell('name = "{{title}}"  # {{title}}')]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), project.project / "t.ipynb")
    text = project.text(project.create('A "B"', template="t.ipynb").path)
    assert 'name = "A \\"B\\""  # A "B"\n' in text


def test_a_template_that_is_not_there(project: Project) -> None:
    with pytest.raises(UsageError) as caught:
        project.create("Text", template="tsak")
    assert (caught.value.kind, caught.value.hint) == ("template-not-found", "did you mean task?")
    with pytest.raises(UsageError) as caught:
        project.create("Text", template="../secret")
    assert "task" in caught.value.hint


@pytest.mark.parametrize(
    ("cell", "place"),
    [
        ("x = {{title}}", "bad.py:3"),
        ('x = 1\ny = f"{{title}}"', "bad.py:4"),
        ('x = b"{{title}}"', "bad.py:3"),
        ("# %%bash\n# echo '{{title}}'", "bad.py:4"),
        ("!echo '{{description}}'", "bad.py:3"),
        ("if x = '{{title}}'", "bad.py:3"),
    ],
)
def test_a_template_in_which_text_could_run_is_refused(
    cell: str, place: str, project: Project
) -> None:
    project.template("bad.py", f"# %% [markdown]\n# %%\n{cell}\n")
    with pytest.raises(NotebookError) as caught:
        project.create("Text", template="bad")
    assert caught.value.kind == "notebook-invalid" and caught.value.place.endswith(place)
    assert os.listdir(project.project) == ["notebook_templates"]


def test_other_languages_take_only_what_is_harmless(project: Project) -> None:
    project.template("sh.md", "# {{title}}\n\n```bash\necho {{slug}} {{date}}\n```\n")
    assert "echo $(x)" not in project.text(project.create("$(x) y", "a.md", template="sh").path)
    project.template("sh.md", "```bash\necho '{{title}}'\n```\n")
    with pytest.raises(NotebookError):
        project.create("Text", "b.md", template="sh")


def test_a_template_that_is_broken_is_named(project: Project) -> None:
    project.template("bad.ipynb", "{")
    with pytest.raises(NotebookError) as caught:
        project.create("Text", template="bad")
    assert "notebook_templates/bad.ipynb" in caught.value.place
    (listed,) = (each for each in project.create(list=True).templates if each.name == "bad")
    assert listed.about.startswith("cannot be read")


TRICKY = Notebook(
    formats.read(
        "# %% [markdown]\n# # {{title}}\n#\n# {{description}}\n#\n# - {{description}}\n\n"
        '# %%\na = "{{description}}"  # {{title}}\n# {{description}}\n'
        'b = """{{title}}\n{{description}}"""\n\n# %% [raw]\n# k: "{{description}}"\n',
        "t.py",
    ).cells
)


def skeleton(notebook: Notebook) -> list[tuple[str, str]]:
    """Kinds, tags and code without its texts: what a description must not change."""
    shape = []
    for cell in notebook.cells:
        code = ""
        if cell.kind == "code":
            tree = ast.parse(cell.source)
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    node.value = ""
            code = ast.dump(tree)
        shape.append((f"{cell.kind} {cell.tags} {cell.name}", code))
    return shape


def check_harmless(description: str, template: Notebook, suffix: str) -> None:
    from octavo.authoring.creating.operation import _text

    text = plain_text(description) or "x"
    title = title_of(text)
    values = {
        "title": title, "description": text, "slug": slug_of(title), "date": "2026-01-01",
    }  # fmt: skip
    plain = dict.fromkeys(values, "x")
    notebook = filled(template, values, "t.py")
    back = formats.read(_text(notebook, f".{suffix}", "t.py"), f"a.{suffix}")
    expected = filled(template, plain, "t.py")
    assert skeleton(back) == skeleton(expected)
    if template is TRICKY:
        found: dict[str, Any] = {}
        exec(back.cells[1].source, found)
        assert found["a"] == text and found["b"] == f"{title}\n{text}"


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("description", HOSTILE)
def test_hostile_descriptions_stay_text(description: str, suffix: str) -> None:
    for name in NAMES:
        template = read_template(Template(name, str(BUILT_IN / f"{name}.md"), ""))
        check_harmless(description, template, suffix)
    check_harmless(description, TRICKY, suffix)


_lines = st.one_of(
    st.sampled_from([line for text in HOSTILE[:-1] for line in text.split("\n")]),
    st.text(max_size=30),
)


@settings(deadline=None, max_examples=75)
@given(st.lists(_lines, min_size=1, max_size=8).map("\n".join), st.sampled_from(FORMATS))
@example("```", "md")
def test_any_description_stays_text(description: str, suffix: str) -> None:
    task = read_template(Template("task", str(BUILT_IN / "task.md"), ""))
    check_harmless(description, task, suffix)
    check_harmless(description, TRICKY, suffix)


@pytest.mark.slow
def test_many_at_once_get_names_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "octavo.toml").write_text("")
    program = (
        "import sys; from octavo import notebook_create; print('ready', flush=True)\n"
        "sys.stdin.readline(); print(*(notebook_create('The same') for _ in range(4)), sep='\\n')"
    )
    makers = [
        subprocess.Popen(
            [sys.executable, "-c", program], cwd=tmp_path, env=variables(tmp_path),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(4)
    ]  # fmt: skip
    for maker in makers:
        assert maker.stdout is not None and maker.stdout.readline() == "ready\n"
    outputs = []
    for maker in makers:
        assert maker.stdin is not None
        maker.stdin.write("\n")
        maker.stdin.flush()
    for maker in makers:
        outputs += maker.communicate(timeout=120)[0].split()
    assert len(set(outputs)) == 16
    assert sorted(os.listdir(tmp_path / "notebooks")) == sorted(Path(p).name for p in outputs)


@pytest.mark.parametrize(
    ("name", "text", "kind", "told"),
    [
        ("broken.py", "# %%\nx = 1\n\n# %%\ny =\n", "notebook-syntax", "broken.py:5"),
        ("braces.py", "# %%\nx = {{title}} 1\n", "notebook-invalid", "into a plain string"),
        ("only.md", "---\ntemplate: about it\n---\n", "notebook-empty", "no cells"),
        ("yaml.md", "---\ntemplate: [1\n---\n\nText.\n", "notebook-invalid", "yaml.md:2"),
        ("typo.md", "# {{titel}}\n\nOn {{Date}}.\n", "notebook-invalid", "mean {{title}}?"),
        ("magic.py", '# %%\n%time x\ny = "{{title}}"\n', "notebook-invalid", "no magics"),
    ],
)
def test_a_template_with_a_mistake_makes_no_notebook(
    project: Project, name: str, text: str, kind: str, told: str
) -> None:
    project.template(name, text)
    with pytest.raises(OctavoError) as caught:
        project.create("Text", "new.py", template=name.partition(".")[0])
    error = caught.value
    assert told in f"{error.place} {error.message} {error.hint}" and error.kind == kind
    assert not (project.project / "new.py").exists()


def test_braces_of_others_stay_in_a_template(project: Project) -> None:
    project.template("own.md", '# {{title}}\n\nAsk {{somebody}}.\n\n```python\nf"{{dates}}"\n```\n')
    text = project.text(project.create("Text", template="own").path)
    assert "Ask {{somebody}}." in text and 'f"{{dates}}"' in text
