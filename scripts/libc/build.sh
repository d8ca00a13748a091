#!/usr/bin/env bash
# Builds tools/libc.bc: C library functions as bitcode, which labrys verify and labrys cover execute. The functions are those of musl's
# source package that only work on memory, and those of the C and C++ files beside this script. Needs clang-22, llvm-22, curl or Debian's apt; as setup.sh does
# it is quick where nothing has changed.
set -euo pipefail
cd "$(dirname "$0")/../.."

archive=musl_1.2.3.orig.tar.gz
archive_sha256=7d5b0b6062521e4627e099e4c9dc8248d32a30285e959b7eecaa780cf8cfd4a4
sources=scripts/libc
product=tools/libc.bc

# Functions of memory alone that the executor does not answer itself.
musl_files=(
    string/{bcopy,bzero,explicit_bzero,index,memccpy,memmem,mempcpy,memrchr,rindex,stpncpy,strcasecmp,strchrnul}
    string/{strcspn,strncasecmp,strndup,strpbrk,strsep,strspn,strstr,strtok,strtok_r,strverscmp,swab}
    stdlib/{imaxabs,imaxdiv,strtod}
    stdio/{vfprintf,vsnprintf,snprintf,fwrite,__towrite,__toread,__uflow}
    internal/{floatscan,shgetc}
    math/{__fpclassifyl,__signbitl}
)
own_files=(numbers formatting number_texts scanning memory sorting random streams printing world calendar texts options exits complex complex_functions floats narrowing mathematics environment cxx cxx_exceptions rust rust_panics
    fortran_{program,output,input,listed,formatted,characters,memory,objects,assignment,reductions,arrays,numbers})
cxx_files=(cxx_types cxx_errors cxx_strings cxx_containers cxx_locale cxx_streams cxx20_streams)

fail() {
    echo "libc: $*" >&2
    exit 2
}

stamp=$(cat "$sources"/* <(clang-22 --version) <(echo "$archive_sha256") | sha256sum | cut -d' ' -f1)
if [ -f "$product" ] && [ "$(cat "$product.stamp" 2>/dev/null)" = "$stamp" ]; then exit 0; fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# musl's archive: as cargo xtask corpus keeps it, else by apt into folders of its own, so that the system's lists stay as they are.
fetch() {
    local kept="target/corpus/$archive" apt="$scratch/apt" key=/usr/share/keyrings/debian-archive-keyring.gpg signed=
    if [ -f "$kept" ]; then
        cp "$kept" "$scratch/$archive"
    else
        echo "libc: fetching musl's source package from Debian"
        mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
        if [ -f "$key" ]; then signed="[signed-by=$key] "; fi
        echo "deb-src ${signed}http://deb.debian.org/debian bookworm main" >"$apt/sources.list"
        local options=(-q -o Acquire::Retries=3 -o APT::Sandbox::User=root -o "Dir::Etc::sourcelist=$apt/sources.list"
            -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache")
        (cd "$scratch" && apt-get "${options[@]}" update && apt-get "${options[@]}" source --download-only --tar-only \
            --only-source musl) >"$scratch/apt.log" 2>&1 || { cat "$scratch/apt.log" >&2 &&
            fail "apt cannot fetch musl's source package: put $archive into target/corpus"; }
    fi
    echo "$archive_sha256  $scratch/$archive" | sha256sum --check --quiet || fail "$archive is not the one that was pinned"
    mkdir "$scratch/musl"
    tar -xzf "$scratch/$archive" --strip-components=1 -C "$scratch/musl"
}

# Vectors and unrolled loops would only be more to execute. Without __GNUC__ musl reads texts byte by byte, not by words that reach
# beyond them.
common=(-c -emit-llvm -O1 -w -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fno-stack-protector -fno-pic
    -fno-unwind-tables -fno-asynchronous-unwind-tables -D__errno_location=labrys_errno
    -D___errno_location=labrys_errno)
musl_flags=(-std=c99 -nostdinc -ffreestanding -D_XOPEN_SOURCE=700 -U__GNUC__)

fetch
musl="$scratch/musl"
mkdir -p "$scratch/include/bits" "$scratch/bitcode" tools
sed -f "$musl/tools/mkalltypes.sed" "$musl/arch/x86_64/bits/alltypes.h.in" "$musl/include/alltypes.h.in" \
    >"$scratch/include/bits/alltypes.h"
cp "$musl/arch/x86_64/bits/syscall.h.in" "$scratch/include/bits/syscall.h"
for file in "${musl_files[@]}"; do
    clang-22 "${common[@]}" "${musl_flags[@]}" -include "$sources/musl.h" -I"$musl/arch/x86_64" -I"$musl/arch/generic" -I"$musl/src/include" \
        -I"$musl/src/internal" -I"$scratch/include" -I"$musl/include" "$musl/src/$file.c" -o "$scratch/bitcode/musl-${file//\//-}.bc"
done
for file in "${own_files[@]}"; do
    clang-22 "${common[@]}" -std=gnu11 -D_GNU_SOURCE -fno-builtin -ffp-contract=off "$sources/$file.c" -o "$scratch/bitcode/$file.bc"
done
for file in "${cxx_files[@]}"; do
    case $file in cxx20_*) standard=gnu++20 ;; *) standard=gnu++17 ;; esac
    clang++-22 "${common[@]}" "-std=$standard" -fno-builtin -fno-access-control "$sources/$file.cpp" -o "$scratch/bitcode/$file.bc"
done
llvm-link-22 "$scratch"/bitcode/*.bc -o "$product.new"
mv "$product.new" "$product"
echo "$stamp" >"$product.stamp"
echo "libc: built $product"
