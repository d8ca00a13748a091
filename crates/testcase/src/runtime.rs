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

/// What all sanitizers are told where a run is to show errors, as the value of `ASAN_OPTIONS`, `UBSAN_OPTIONS`, `MSAN_OPTIONS` and `LSAN_OPTIONS`
/// alike, for names of one are read over by the others: the first error ends the program with `exit_code`, whatever the program
/// does with signals. Only whether leaks are errors (`detect_leaks`) is not said. Their defaults in the program (`__asan_default_options`) would
/// not do: which definition a linker takes is its own choice.
pub fn sanitizer_options(exit_code: u8) -> String {
    format!(
        "exitcode={exit_code}:abort_on_error=0:halt_on_error=1:print_stacktrace=1:handle_segv=2:handle_abort=2:\
         handle_sigbus=2:handle_sigill=2:handle_sigfpe=2:handle_sigtrap=2:detect_stack_use_after_return=1:\
         allocator_may_return_null=1"
    )
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

/// Writes the headers into a folder, which is made. Each is there whole all the time: another run's compiler may be reading it.
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
        if std::fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
            continue;
        }
        let whole = path.with_extension(format!("{}.new", std::process::id()));
        let written = std::fs::write(&whole, text).and_then(|()| std::fs::rename(&whole, &path));
        if written.is_err() {
            let _ = std::fs::remove_file(&whole);
        }
        written?;
    }
    Ok(())
}
