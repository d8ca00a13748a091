//! Which labrys this is.

use std::sync::LazyLock;

/// What `labrys --version` says behind the name: `0.1.0 (commit 4e928cc0a1b2, LLVM 22.1.8)`. The commit is that of the source's
/// repository, if it was built in one; LLVM's version is that of the library which is loaded.
pub static VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("LABRYS_COMMIT").map(|commit| format!("commit {commit}, ")).unwrap_or_default();
    format!("{} ({commit}LLVM {})", env!("CARGO_PKG_VERSION"), labrys_program::llvm_version())
});
