#!/usr/bin/env bash
# Every test. Tells at its end how long each part took. Everything is in the release profile, so that heavy dependencies compile once.
set -euo pipefail
cd "$(dirname "$0")/.."

times=()

report() {
    local status=$?
    echo
    echo "test: seconds of each part"
    printf '  %6s  %s\n' ${times[@]+"${times[@]}"}
    if [ -s "$log.times" ]; then
        echo "test: seconds of the slowest end-to-end tests, which run in parallel"
        sort -rn "$log.times" | head -n 20 | sed 's/^/  /' || true
    fi
    rm -f "$log" "$log.parts" "$log.times"
    [ "$status" -eq 0 ] || echo "test: failed in: $part" >&2
}
trap report EXIT

# Runs a command as a part of the tests; its failure ends them.
run() {
    part=$1
    shift
    local begun=$SECONDS
    echo "test: $part"
    local status=0
    "$@" || status=$?
    times+=($((SECONDS - begun)) "$part")
    if [ -s "$log.parts" ]; then
        while IFS= read -r line; do times+=("$line"); done <"$log.parts"
        rm "$log.parts"
    fi
    return $status
}

rustdoc() { RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps; }

# All tests in one go, for with fewer packages cargo would choose other features and compile dependencies twice. Those of a crate that
# take ten seconds or more are parts of their own at the end.
tests() {
    LABRYS_TEST_TIMES=$log.times cargo test --release --workspace --no-fail-fast 2>&1 | tee "$log"
    local status=${PIPESTATUS[0]}
    awk '
        $1 == "Running" { file = $NF; sub(/.*\//, "", file); sub(/-[0-9a-f]+\)$/, "", file); name = (/unittests/ ? "unit tests of " : "tests of ") file }
        $1 == "Doc-tests" { name = "examples in the documentation of " $2 }
        /^test result: / && match($0, /finished in [0-9.]+/) {
            seconds = int(substr($0, RSTART + 12, RLENGTH - 12) + 0.5)
            if (seconds >= 10) printf "%d\n  %s\n", seconds, name
        }' "$log" >"$log.parts"
    return "$status"
}

log=$(mktemp)
part=start
run "formatting" cargo fmt --all --check
run "clippy" cargo clippy --release --workspace --all-targets -- -D warnings
run "clippy, as on other processors" cargo clippy --release --package labrys-native --all-targets --features portable -- -D warnings
run "documentation" rustdoc
run "building tests" cargo test --release --workspace --no-run
run "tests" tests
run "the Python package and the recipes" scripts/test-python.sh
run "the package in a clean Debian" scripts/package/test.sh
