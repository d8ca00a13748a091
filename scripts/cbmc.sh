#!/usr/bin/env bash
# Gets CBMC into tools/cbmc, for `cargo xtask table verify`. Bookworm has no package of it: trixie's is unpacked there beside
# trixie's C library, which it needs, and nothing is installed. Idempotent.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(cbmc minisat zlib1g libc6 libstdc++6 libgcc-s1)
folder=$PWD/tools/cbmc

if [ -x "$folder/cbmc" ] && "$folder/cbmc" --version >/dev/null; then
    exit 0
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# apt with lists and a cache of its own: the system's sources stay as they are.
mkdir -p "$scratch/state/lists/partial" "$scratch/cache/archives/partial" "$scratch/debs" "$scratch/root"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main" >"$scratch/sources.list"
cat >"$scratch/apt.conf" <<EOF
Dir::Etc::SourceList "$scratch/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State "$scratch/state";
Dir::Cache "$scratch/cache";
APT::Sandbox::User "root";
Acquire::Retries "3";
EOF
export APT_CONFIG=$scratch/apt.conf
echo "cbmc.sh: fetching ${packages[*]} of trixie"
apt-get update -qq
(cd "$scratch/debs" && apt-get download -qq "${packages[@]}")
for package in "$scratch"/debs/*.deb; do
    dpkg-deb --extract "$package" "$scratch/root"
done

cat >"$scratch/root/cbmc" <<'EOF'
#!/bin/sh
root=$(dirname "$(readlink -f "$0")")
library=$root/usr/lib/x86_64-linux-gnu
exec "$library/ld-linux-x86-64.so.2" --library-path "$library:$root/usr/lib" "$root/usr/bin/cbmc" "$@"
EOF
chmod +x "$scratch/root/cbmc"
"$scratch/root/cbmc" --version >/dev/null || { echo "cbmc.sh: the program does not run" >&2; exit 2; }
mkdir -p tools
rm -rf "$folder"
mv "$scratch/root" "$folder"
echo "cbmc.sh: tools/cbmc/cbmc $("$folder/cbmc" --version)"
