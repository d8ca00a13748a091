//! The headers that programs include, and the C that answers them when they run.

use std::path::{Path, PathBuf};

use crate::nondet::NONDET;

const RUNTIME: &str = include_str!("runtime.c");
const KLEE_HEADER: &str = include_str!("include/klee/klee.h");
const VERIFIER_HEADER: &str = include_str!("include/verifier.h");
const VERIFIER_MODULE: &str = include_str!("include/verifier.f90");

/// C that defines the functions of [`headers`]. A program that is linked with it gets its inputs from the `.ktest` file that the
/// variable `LABRYS_REPLAY` names; the file's first comment says what it reports and where.
pub fn runtime() -> String {
    let mut text = RUNTIME.to_owned();
    text.push('\n');
    for nondet in &NONDET {
        // x87's numbers have ten bytes in sixteen.
        let other = if nondet.c_type == "long double" { 10 } else { nondet.bytes };
        text.push_str(&format!(
            "LABRYS_NONDET({}{}, {}, {other})\n",
            crate::NONDET_PREFIX,
            nondet.suffix,
            nondet.c_type
        ));
    }
    text
}

/// The headers, by their paths below the folder that programs include from: `klee/klee.h` and `verifier.h`; and the Fortran module
/// `verifier.f90`.
pub fn headers() -> Vec<(PathBuf, String)> {
    let mut verifier = VERIFIER_HEADER.to_owned();
    NONDET.iter().for_each(|nondet| verifier.push_str(&format!("{};\n", nondet.prototype())));
    verifier.push_str("\n#ifdef __cplusplus\n#undef _Bool\n}\n#endif\n#endif\n");
    vec![
        (PathBuf::from("klee/klee.h"), KLEE_HEADER.to_owned()),
        (PathBuf::from("verifier.h"), verifier),
        (PathBuf::from("verifier.f90"), VERIFIER_MODULE.to_owned()),
    ]
}

/// Writes the headers into a folder, which is made.
///
/// # Errors
///
/// Where the folder cannot be written.
pub fn write_headers(folder: &Path) -> std::io::Result<()> {
    for (path, text) in headers() {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}
