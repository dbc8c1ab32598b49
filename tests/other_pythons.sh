#!/usr/bin/env bash
# Unit and conformance tests on the supported Pythons other than the one of .venv.
set -euo pipefail
cd "$(dirname "$0")/.."
ours=$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
for version in 3.11 3.12 3.13; do
  [ "$version" = "$ours" ] && continue
  if ! .venv/bin/uv python find --no-python-downloads "$version" >/dev/null 2>&1; then
    echo "Python $version: not found, left out"
    continue
  fi
  environment=.venv/others/$version
  if [ ! -e "$environment/.ready" ] || [ pyproject.toml -nt "$environment/.ready" ]; then
    .venv/bin/uv venv -q --no-python-downloads --python "$version" "$environment" --allow-existing
    UV_COMPILE_BYTECODE=1 .venv/bin/uv pip install -q --python "$environment/bin/python" \
      -e '.[all]' --group dev --group reference
    touch "$environment/.ready"
  fi
  echo "Python $version:"
  "$environment/bin/python" -m pytest -n auto -m "not network and not slow and not fault" \
    tests/notebook tests/events tests/records tests/kernels tests/runs -p no:cacheprovider
done
