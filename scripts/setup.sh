#!/usr/bin/env bash
# Installs what labrys needs on Debian 12 and is missing: compilers and LLVM, the z3 executable, a Rust toolchain.
# Idempotent; needs root or sudo only where packages are missing.
set -euo pipefail
cd "$(dirname "$0")/.."

z3_version=5.4.0.0
z3_wheel_sha256=0549ffad554178a59480ba41b5279cfbb27053ed5a2da269ae1a48214d5db34b

packages=(clang-22 flang-22 llvm-22-dev libpolly-22-dev libclang-rt-22-dev gcc g++ make curl ca-certificates python3
    python3-pip zlib1g-dev libzstd-dev libxml2-dev)

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else
        echo "setup: root is needed for: $*" >&2
        exit 2
    fi
}

install_packages() {
    local missing=() package
    for package in "${packages[@]}"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    echo "setup: installing Debian packages: ${missing[*]}"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Debian's z3 is from 2021; PyPI's wheel carries the executable of the current one.
install_z3() {
    [ -x tools/z3 ] && tools/z3 --version 2>/dev/null | grep -q "${z3_version%.*}" && return
    echo "setup: fetching the z3 executable from PyPI (z3-solver $z3_version)"
    local folder
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' RETURN
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --platform manylinux_2_27_x86_64 --dest "$folder" "z3-solver==$z3_version"
    echo "$z3_wheel_sha256  $(ls "$folder"/*.whl)" | sha256sum --check --quiet
    python3 - "$folder" <<'PYTHON'
import glob, os, sys, zipfile
wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + "/*.whl")[0])
[name] = [name for name in wheel.namelist() if name.endswith("/bin/z3")]
os.makedirs("tools", exist_ok=True)
with open("tools/z3.new", "wb") as file:
    file.write(wheel.read(name))
os.chmod("tools/z3.new", 0o755)
os.rename("tools/z3.new", "tools/z3")
PYTHON
}

install_rust() {
    command -v cargo >/dev/null || [ -x "$HOME/.cargo/bin/cargo" ] && return
    echo "setup: no cargo found: running the official rustup installer from https://sh.rustup.rs into $HOME/.cargo"
    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal -c rustfmt -c clippy
}

install_packages
install_z3
install_rust
