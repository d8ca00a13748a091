#!/usr/bin/env bash
# What scripts/package/test.sh does in the clean root.
set -euo pipefail
export LANG=C.UTF-8

step() { echo "package test: $*"; }

fail() {
    echo "package test: $*" >&2
    exit 1
}

# Runs a command that has to end with the given code and to say the given words.
expect() {
    local code=$1 words=$2 ended=0
    shift 2
    "$@" >/tmp/said 2>&1 || ended=$?
    [ "$ended" -eq "$code" ] || { cat /tmp/said; fail "$* ended with $ended and not with $code"; }
    grep -q -e "$words" /tmp/said || { cat /tmp/said; fail "$* does not say: $words"; }
}

step "$(labrys --version)"
expect 0 "LLVM 22" labrys --version
expect 0 "cargo labrys" cargo-labrys labrys --help
expect 0 "/usr/lib/labrys/z3" labrys doctor
expect 0 "/usr/lib/labrys/libc.bc" labrys doctor

step "labrys diff on an example"
expect 1 "raises overflow where baseline is clean" labrys diff /usr/share/doc/labrys/examples/carbongas.c -o /tmp/out
[ -s /tmp/out/report.html ] || fail "no page was written"

step "labrys verify with the C library"
cat >/tmp/program.c <<'EOF'
#include <assert.h>
#include <stdlib.h>
#include <verifier.h>

int main(void) {
    int digit = __VERIFIER_nondet_int();
    __VERIFIER_assume(digit >= 0 && digit <= 9);
    char text[2] = {(char)('0' + digit), 0};
    assert(atoi(text) == digit);
    return 0;
}
EOF
expect 0 holds labrys verify /tmp/program.c

step "manual pages, completions, headers"
for page in labrys labrys-diff labrys-exceptions labrys-accuracy labrys-verify labrys-cover labrys-solve labrys-replay labrys-test labrys-cc labrys-cxx labrys-fc labrys-doctor; do
    file=/usr/share/man/man1/$page.1.gz
    [ -s "$file" ] || fail "$file is missing"
    zcat "$file" | grep -q '^\.TH' || fail "$file is no manual page"
done
bash -c 'source /usr/share/bash-completion/completions/labrys; complete -p labrys' | grep -q labrys || fail "bash does not complete labrys"
[ -s /usr/share/zsh/vendor-completions/_labrys ] && [ -s /usr/share/fish/vendor_completions.d/labrys.fish ] || fail "completions are missing"
[ -s /usr/include/labrys/verifier.h ] && [ -s /usr/include/labrys/klee/klee.h ] || fail "headers are missing"

step "links of the README"
doc=/usr/share/doc/labrys
grep -oE '\]\([^)]+\)' "$doc/README.md" | sed -E 's/^\]\(//; s/\)$//; s/#.*//' | grep -vE '^$|^[a-z]+:' | sort -u >/tmp/links
[ -s /tmp/links ] || fail "no link was found in the README"
while read -r link; do
    [ -s "$doc/$link" ] || fail "the README has a link to $link, and $doc/$link is missing"
done </tmp/links
# The files that its commands name.
grep -E '^(\$ )?(labrys|clang-22) ' "$doc/README.md" | grep -oE '\bexamples/[A-Za-z0-9_./-]+' | sort -u >/tmp/named
[ -s /tmp/named ] || fail "no example was found in the README"
while read -r example; do
    [ -s "$doc/$example" ] || fail "a command of the README names $example, and $doc/$example is missing"
done </tmp/named
for file in cargo/Cargo.toml cmake/CMakeLists.txt; do
    [ -s "$doc/examples/$file" ] || fail "$doc/examples/$file is missing"
done

step "the CMake module"
for file in LabrysConfig LabrysConfigVersion LabrysCommands; do
    [ -s "/usr/lib/cmake/Labrys/$file.cmake" ] || fail "$file.cmake is missing"
done
apt-get install -y -qq --no-install-recommends cmake make >/dev/null 2>&1 || fail "cmake cannot be installed"
mkdir /tmp/project
cat >/tmp/project/CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.20)
project(p C)
find_package(Labrys 0.1 REQUIRED)
enable_testing()
add_library(halves halves.c)
labrys_add_check(NAME middle TARGET halves FUNCTION middle OPTIONS --only overflow --inputs finite --max-work 5000)
labrys_add_check(NAME half TARGET halves FUNCTION half OPTIONS --only overflow --inputs finite --max-work 5000)
EOF
echo 'double middle(double a, double b) { return (a + b) / 2; } double half(double a) { return a / 2; }' >/tmp/project/halves.c
expect 0 "Generating done" env CC=clang-22 cmake -S /tmp/project -B /tmp/project/build
expect 8 "middle (Failed)" ctest --test-dir /tmp/project/build
expect 0 "100% tests passed" ctest --test-dir /tmp/project/build -R half
rm -r /tmp/project

step "removed without a trace"
dpkg -L labrys | while read -r path; do [ -d "$path" ] || echo "$path"; done >/tmp/files
dpkg --purge labrys >/dev/null
while read -r path; do
    if [ -e "$path" ]; then fail "$path stays behind"; fi
done </tmp/files
