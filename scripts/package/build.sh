#!/usr/bin/env bash
# Builds target/package/labrys_VERSION_amd64.deb: the program, z3, the C library's bitcode, headers, manual pages, completions and
# the CMake module. What goes where is in crates/labrys/Cargo.toml, [package.metadata.deb].
set -euo pipefail
cd "$(dirname "$0")/../.."

cargo_deb_version=3.8.0
cargo_deb=$PWD/tools/cargo-deb/bin/cargo-deb
generated=target/package/generated

if ! "$cargo_deb" --version 2>/dev/null | grep -qx "$cargo_deb_version"; then
    echo "package: building cargo-deb $cargo_deb_version"
    cargo install cargo-deb --version "$cargo_deb_version" --locked --force --quiet --root tools/cargo-deb
fi

# The same features and profile as `make build`, so that nothing is compiled twice.
cargo build --release --workspace

# What people download stays small.
most=30000000
size=$(stat -c %s target/release/labrys)
[ "$size" -lt "$most" ] || { echo "package: target/release/labrys has $size bytes, $most or more" >&2 && exit 1; }

rm -rf "$generated"
mkdir -p "$generated/man"
target/release/labrys __manual "$generated/man"
for shell in bash zsh fish; do
    target/release/labrys completions "$shell" >"$generated/labrys.$shell"
done

"$cargo_deb" --package labrys --no-build --quiet --output target/package/ >/dev/null
ls target/package/labrys_*_amd64.deb
