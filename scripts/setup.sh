#!/usr/bin/env bash
# Installs what labrys needs on Debian 12 and is missing: compilers and LLVM, the z3 executable, a Rust toolchain.
# Idempotent, and quick where nothing is missing. Needs root or sudo only to install Debian packages.
set -euo pipefail
cd "$(dirname "$0")/.."

# What rust-version in Cargo.toml says.
rust_minor=95
z3_version=5.4.0.0
z3_wheel_sha256=0549ffad554178a59480ba41b5279cfbb27053ed5a2da269ae1a48214d5db34b

# clang makes builds under test; llvm-22 has llvm-cov, which says what tests cover; llvm-22-dev and libpolly-22-dev are what the bitcode
# loader links; gcc and g++ are the other compilers under test, and compile native parts of crates.
packages=(m4 clang-22 llvm-22 llvm-22-dev libpolly-22-dev libclang-rt-22-dev gcc g++ libc6-dev make curl ca-certificates pkgconf
    python3 zlib1g-dev libzstd-dev libxml2-dev libffi-dev)

# For tests alone (`scripts/setup.sh tests`): flang and gfortran, for Fortran; cmake, catch2 and python3-pytest build and run the regression tests that
# labrys writes; python3-yaml reads its witnesses; python3-venv is for what tests the Python package; mmdebstrap makes the clean Debian
# that the package is tried in; Slurm, munge and parallel run campaigns; the headless browser (62 MiB to fetch, 220 MiB on disk) opens HTML pages; zstd unpacks reports.
test_packages=(flang-22 gfortran cmake catch2 mmdebstrap python3-pytest python3-yaml python3-venv chromium-headless-shell
    slurmctld slurmd slurm-client munge parallel zstd)
case ${1:-} in
'') ;;
tests) packages+=("${test_packages[@]}") ;;
*)
    echo "setup: usage: scripts/setup.sh [tests]" >&2
    exit 2
    ;;
esac

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

say() { echo "setup: $*"; }

fail() {
    echo "setup: $*" >&2
    exit 2
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        fail "root is needed for: $*"
    fi
}

# Installs those of the given Debian packages that are missing.
install_packages() {
    local missing=() package
    command -v dpkg-query >/dev/null || fail "this is no Debian; install the equivalents of: $*"
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    if [ ${#missing[@]} -eq 0 ]; then return; fi
    say "installing Debian packages: ${missing[*]}"
    # A third party's source may be out of reach: whether the packages are there is for apt-get install to say.
    as_root apt-get update -qq -o Acquire::Retries=3 || say "apt-get update had errors"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 "${missing[@]}" >"$scratch/apt.log" ||
        { cat "$scratch/apt.log" >&2 && fail "apt-get install failed"; }
}

# A python3 that has pip: the user's own, else Debian's.
python_with_pip() {
    local python
    for python in python3 /usr/bin/python3; do
        if "$python" -m pip --version >/dev/null 2>&1; then
            echo "$python"
            return
        fi
    done
    install_packages python3-pip >&2
    echo /usr/bin/python3
}

# Debian's z3 is from 2021; PyPI's wheel carries the executable of the current one.
install_z3() {
    if [ -x tools/z3 ] && tools/z3 --version 2>/dev/null | grep -qF "version ${z3_version%.*} "; then return; fi
    if [ "$(uname -m)" != x86_64 ]; then
        say "no z3 executable is pinned for $(uname -m): labrys searches without a solver until LABRYS_Z3 names one"
        return
    fi
    say "fetching the z3 executable from PyPI (z3-solver $z3_version)"
    local python
    python=$(python_with_pip)
    "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --platform manylinux_2_27_x86_64 --dest "$scratch" "z3-solver==$z3_version" ||
        fail "pip could not fetch z3-solver $z3_version"
    echo "$z3_wheel_sha256  $(ls "$scratch"/z3_solver-*.whl)" | sha256sum --check --quiet ||
        fail "the wheel of z3-solver $z3_version is not the one that was pinned"
    "$python" - "$scratch" <<'PYTHON'
import glob, os, sys, zipfile

wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + "/z3_solver-*.whl")[0])
[name] = [name for name in wheel.namelist() if name.endswith("/bin/z3")]
os.makedirs("tools", exist_ok=True)
with open("tools/z3.new", "wb") as file:
    file.write(wheel.read(name))
os.chmod("tools/z3.new", 0o755)
# A rename, so that an interrupted set-up leaves no half of it.
os.rename("tools/z3.new", "tools/z3")
PYTHON
    tools/z3 --version >/dev/null || fail "the z3 executable does not run"
}

# Whether the cargo in reach is new enough, and can format and lint.
rust_is_ready() {
    local minor
    minor=$(rustc --version 2>/dev/null | sed -nE 's/^rustc 1\.([0-9]+)\..*/\1/p')
    [ -n "$minor" ] && [ "$minor" -ge "$rust_minor" ] && cargo fmt --version >/dev/null 2>&1 &&
        cargo clippy --version >/dev/null 2>&1
}

install_rust() {
    export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
    if rust_is_ready; then return; fi
    if command -v rustup >/dev/null; then
        say "updating the Rust toolchain with rustup: 1.$rust_minor or newer, with rustfmt and clippy"
        rustup toolchain install stable --profile minimal -c rustfmt -c clippy
    else
        say "no Rust 1.$rust_minor found: running the official rustup installer, https://sh.rustup.rs, into ${CARGO_HOME:-$HOME/.cargo}"
        curl --proto '=https' --tlsv1.2 --retry 3 -sSf -o "$scratch/rustup-init.sh" https://sh.rustup.rs ||
            fail "curl could not fetch the rustup installer"
        sh "$scratch/rustup-init.sh" -y --no-modify-path --profile minimal -c rustfmt -c clippy
    fi
    rust_is_ready || fail "Rust 1.$rust_minor with rustfmt and clippy is needed; rustc says: $(rustc --version 2>&1 | head -n 1)"
}

install_packages "${packages[@]}"
install_z3
# C library functions that labrys verify and labrys cover execute; without them they are not known there.
scripts/libc/build.sh || say "tools/libc.bc was not built"
install_rust
