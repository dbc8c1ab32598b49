#!/usr/bin/env bash
# Unit and conformance tests on the supported Pythons other than the one of .venv.
set -euo pipefail
cd "$(dirname "$0")/.."
workers=$(($(nproc) * 2))
ours=$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')

# What is the same on every Python is asked of one: how work grows, laws that are tried with many
# examples, and most of the way to Jupyter's kernels.
differing="not growth and (not conformance_jupyter or (ipykernel and (port or interrupts)))"
marked="not network and not slow and not fault and (not hypothesis or every_python)"
everything=(tests/notebook tests/events tests/records tests/runs
  tests/kernels/test_conformance_{fork,jupyter}.py tests/sessions/test_{live,sleep}.py)
# Without the packages that bring notebooks of their own.
executing=(tests/notebook/test_{names,names_laws,names_running,syntax}.py
  tests/kernels/test_conformance_fork.py --deselect
  tests/notebook/test_syntax.py::test_shipped_notebooks_are_judged_as_ipython_judges_them)

interpreter() { # the path of a Python of some version: on the system, or pyenv's
  .venv/bin/uv python find --no-python-downloads --system "$1" 2>/dev/null && return
  ls -d "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python 2>/dev/null | tail -n 1
}

check() { # the version of a Python, what is installed beside Octavo, the tests
  local environment=.venv/others/$1 installed=$2
  shift 2
  if [ ! -e "$environment/.ready" ] || [ pyproject.toml -nt "$environment/.ready" ]; then
    .venv/bin/uv venv -q --allow-existing --python "$(interpreter "${environment##*/}")" "$environment"
    # shellcheck disable=SC2086
    .venv/bin/uv pip install -q --python "$environment/bin/python" $installed
    .venv/bin/uv pip uninstall -q --python "$environment/bin/python" rfc3987-syntax # see Makefile
    touch "$environment/.ready"
  fi
  # Those that fail in the crowd are asked once more alone.
  tests() { "$environment/bin/python" -m pytest -o cache_dir="$environment/cache" "$@"; }
  tests -n "$workers" --dist worksteal -m "$marked" -k "$differing" "$@" ||
    tests -n 0 --last-failed --last-failed-no-failures none
}

found=()
for version in 3.11 3.12 3.13; do
  if [ "$version" = "$ours" ]; then continue; fi
  if [ -n "$(interpreter "$version" || true)" ]; then
    found+=("$version")
  else
    echo "Python $version: not found, left out"
  fi
done

# The newest is asked everything; one between two that were asked, how code is read and executed.
for version in "${found[@]}"; do
  echo "Python $version:"
  if [ "$version" = "${found[-1]}" ]; then
    check "$version" "-e .[all] --group dev --group reference" "${everything[@]}"
  else
    check "$version" "-e . --group dev" "${executing[@]}"
  fi
done
