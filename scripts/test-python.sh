#!/usr/bin/env bash
# Tests the Python package and the recipes: lints, types, the wheel as it is installed, and tests that run labrys (LABRYS_BIN, or
# target/release/labrys). Arguments go to pytest. Tools come from PyPI into tools/python, as python/requirements-dev.txt pins them.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$PWD/tools/python/bin

# What was installed, with the interpreter: an installation that was cut short has no such file.
install_tools() {
    local wanted
    wanted="$(/usr/bin/python3 --version) $(cat python/requirements-dev.txt)"
    if [ "$(cat tools/python/installed 2>/dev/null)" = "$wanted" ]; then return; fi
    echo "test-python: installing tools for tests from PyPI into tools/python"
    /usr/bin/python3 -m venv --clear tools/python
    "$bin/pip" install --quiet --disable-pip-version-check -r python/requirements-dev.txt
    echo "$wanted" >tools/python/installed
}

# The wheel takes the place of whatever is installed, so that tests see what users get.
install_wheel() {
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    "$bin/python" -m build --no-isolation --outdir "$scratch" python >"$scratch/build.log" 2>&1 ||
        { cat "$scratch/build.log" >&2 && exit 1; }
    "$bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$scratch"/labrys-*.whl
}

install_tools
"$bin/ruff" check python scripts/schema tests
"$bin/ruff" format --check python scripts/schema tests
(cd python && "$bin/mypy")
install_wheel
"$bin/mypy" --config-file= --strict scripts/schema/*.py
"$bin/mypy" --config-file= --strict tests/*.py
export LABRYS_BIN=${LABRYS_BIN:-$PWD/target/release/labrys} LABRYS_Z3=${LABRYS_Z3:-$PWD/tools/z3}
if [ $# -gt 0 ]; then
    exec "$bin/pytest" -c python/pyproject.toml --rootdir . "$@"
fi
"$bin/pytest" -c python/pyproject.toml --rootdir . --durations=5 python/tests tests
