#!/usr/bin/env bash
# Installs the package in a clean Debian 12 and uses it there: `labrys diff` finds its finding, verify executes the C library, manual
# pages and completions are there, and the package leaves nothing behind. Fails where no such root can be made.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
    echo "package test: $*" >&2
    exit 1
}

[ "$(id -u)" -eq 0 ] || fail "root is needed to make a clean Debian and to enter it; run it as root, or with sudo"
command -v mmdebstrap >/dev/null || fail "mmdebstrap is missing: scripts/setup.sh installs it"

package=$(scripts/package/build.sh | tail -1)
[ -f "$package" ] || fail "scripts/package/build.sh made no package"

root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT
chmod 755 "$root"

# mmdebstrap enters the root with a /proc of its own, and takes it away again.
echo "package test: a clean Debian 12 with $package"
mmdebstrap --quiet --variant=minbase --components=main \
    --customize-hook="cp '$package' \"\$1/labrys.deb\"" \
    --customize-hook='chroot "$1" apt-get install -y -qq --no-install-recommends /labrys.deb >"$1/install.log" 2>&1 || { cat "$1/install.log" >&2; exit 1; }' \
    --customize-hook="cp scripts/package/inside.sh \"\$1/inside.sh\"" \
    --customize-hook='chroot "$1" bash /inside.sh' \
    bookworm "$root" \
    "deb http://deb.debian.org/debian bookworm main" \
    "deb http://deb.debian.org/debian-security bookworm-security main" ||
    fail "no clean Debian could be made, or labrys failed in it: the messages are above"
echo "package test: passed"
