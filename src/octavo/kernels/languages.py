"""Names of languages, and how to get a kernel for each."""

from __future__ import annotations

#: Names that stand for the same language in kernelspecs and in notebooks.
ALIASES = {
    "sh": "bash",
    "shell": "bash",
    "shellscript": "bash",
    "js": "javascript",
    "node": "javascript",
    "ts": "typescript",
    "ir": "r",
    "jl": "julia",
    "cpp": "c++",
    "csharp": "c#",
    "fsharp": "f#",
    "golang": "go",
    "rs": "rust",
    "rb": "ruby",
    "pwsh": "powershell",
}
#: Languages whose kernel also runs another one.
ALSO = {"javascript": ("typescript",)}

INSTALL = {
    "python": "pip install ipykernel",
    "bash": "pip install bash_kernel && python -m bash_kernel.install --sys-prefix",
    "typescript": "npm install -g deno && deno jupyter --install",
    "javascript": "npm install -g deno && deno jupyter --install",
    "r": "R -e 'install.packages(\"IRkernel\"); IRkernel::installspec()'",
    "julia": "julia -e 'using Pkg; Pkg.add(\"IJulia\")'",
    "ruby": "gem install iruby && iruby register",
    "go": "go install github.com/janpfeifer/gonb@latest && gonb --install",
    "rust": "cargo install evcxr_jupyter && evcxr_jupyter --install",
    "c#": "dotnet tool install -g Microsoft.dotnet-interactive",
    "scala": "coursier launch almond -- --install",
    "octave": "pip install octave_kernel",
    "c++": "conda install -c conda-forge xeus-cpp",
    "sql": "conda install -c conda-forge xeus-sqlite",
}


def plain_name(language: str) -> str:
    """The usual name of a language, in small letters."""
    name = language.strip().lower()
    return ALIASES.get(name, name)


def same_language(spoken: str, asked: str) -> bool:
    """Whether a kernel that speaks one runs notebooks of the other."""
    spoken, asked = plain_name(spoken), plain_name(asked)
    return spoken == asked or spoken in ALSO.get(asked, ())


def install_hint(language: str) -> str:
    """The command that installs a kernel for a language, as far as we know one."""
    command = INSTALL.get(plain_name(language))
    if command is None:
        return f"install a Jupyter kernel for {language}, then look at `octavo kernels`"
    return f"install one with: {command}"
