//! The C library that programs are linked with to be executed: bitcode that `make setup` builds (`scripts/libc/build.sh`).

use std::path::{Path, PathBuf};

use labrys_solver::find_tool;

/// How to get it, for who is without.
pub const ADVICE: &str = "`make setup` builds tools/libc.bc, with C library functions to execute";

/// The library, if there is one: `$LABRYS_LIBC`, then `tools/libc.bc` in a folder above the running executable, then `lib/labrys/libc.bc` beside the
/// folder that it is in, then `labrys/libc.bc` in `$XDG_DATA_HOME` (default `~/.local/share`).
pub fn find_library() -> Option<PathBuf> {
    find_tool("LABRYS_LIBC", "libc.bc", Path::is_file)
}
