//! The IR that is analysed: the same source and flags through a compiler that shows its IR.
//!
//! gcc's IR is not LLVM's, so clang stands in for it, and flang for gfortran. Flags that only gcc knows are dropped, one
//! at a time as clang rejects them, and each is noted: the analysed program is then not exactly the one that runs, which
//! is harmless for finding inputs (the machine has the last word) and is why proofs are of the IR only.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::object::among_modules;
use super::shared::{absolute, check_product, check_source, no_flag, output_file, rust_arguments};
use super::{BuildError, BuildSpec, Compiler, CompilerKind, Language};

/// The bitcode of one source in a file `out_dir/NAME.bc`, and notes; for a `.bc` the file itself. clang gets `own_flags` beside the user's.
pub(crate) fn emit_one(
    name: &str,
    spec: &BuildSpec,
    own_flags: &[&str],
    source: &Path,
    out_dir: &Path,
    deadline: Instant,
) -> Result<(PathBuf, Vec<String>), BuildError> {
    let language = Language::of(source)?;
    check_source(source)?;
    // flang runs in the folder of its modules.
    let is_fortran = language == Language::Fortran;
    let (source, out_dir) =
        if is_fortran { (absolute(source), absolute(out_dir)) } else { (source.to_owned(), out_dir.to_owned()) };
    let (source, out_dir) = (source.as_path(), out_dir.as_path());
    if source.extension().is_some_and(|suffix| suffix == "bc") {
        return Ok((source.to_owned(), Vec::new()));
    }
    let named = spec.find_compiler(language, deadline)?;
    let mut notes = Vec::new();
    let compiler = if named.kind == CompilerKind::Gcc {
        let stand_in = Compiler::find(language.default_compiler(), language, deadline)?;
        notes.push(format!(
            "{}: the analysed IR is that of {} with the flags of {}",
            spec.role, stand_in.version, named.version
        ));
        stand_in
    } else {
        named
    };
    let product = output_file(out_dir, name, "bc")?;
    if compiler.kind == CompilerKind::Rustc {
        let mut command = Command::new(&compiler.executable);
        command
            .args(rust_arguments(spec, &mut Vec::new()))
            .arg("--emit=llvm-bc")
            .arg(no_flag(source))
            .arg("-o")
            .arg(&product);
        let finished = spec.run(&mut command, &compiler.name, deadline)?;
        check_product(&finished, &product, spec, &compiler, source)?;
        return Ok((product, notes));
    }
    let stands_in = !notes.is_empty();
    let mut flags = spec.user_flags();
    // A warning that only the stand-in has, or that comes of not linking, must not end the build.
    flags.retain(|flag| flag != "-Werror");
    loop {
        let mut command = Command::new(&compiler.executable);
        command.args(["-c", "-emit-llvm", "-fPIC"]);
        if language == Language::Ir {
            command.args(["-Xclang", "-disable-llvm-passes", "-Wno-override-module"]);
        }
        if compiler.kind == CompilerKind::Flang {
            command.arg("-I").arg(out_dir);
            let own = among_modules(&mut command, out_dir, &[source, &product], flags.clone());
            command.args(own);
        } else {
            command.args(&flags);
        }
        if compiler.kind == CompilerKind::Clang {
            command.args(own_flags);
        }
        if !stands_in && compiler.kind == CompilerKind::Clang {
            command.arg("-Wno-unused-command-line-argument");
        }
        command.args(compiler.debug_flags(language)).arg(no_flag(source)).arg("-o").arg(&product);
        if compiler.kind == CompilerKind::Flang {
            command.arg("-module-dir").arg(out_dir);
        }
        let finished = spec.run(&mut command, &compiler.name, deadline)?;
        let failed = !finished.status.success();
        if stands_in && failed {
            // Each turn drops at least one flag, so this ends.
            let dropped = rejected(&finished.stderr, &flags);
            if !dropped.is_empty() {
                for flag in dropped {
                    notes.push(format!(
                        "{}: {} does not know {flag}: left out of the analysed IR",
                        spec.role, compiler.version
                    ));
                    flags.retain(|other| *other != flag);
                }
                continue;
            }
        }
        check_product(&finished, &product, spec, &compiler, source)?;
        if stands_in {
            for flag in ignored(&finished.stderr, &flags) {
                notes.push(format!("{}: {} ignores {flag} in the analysed IR", spec.role, compiler.version));
            }
        }
        return Ok((product, notes));
    }
}

/// The flags that a driver's errors name. A driver's error, unlike one about the source, has no file and line.
fn rejected(words: &str, flags: &[String]) -> Vec<String> {
    let errors = words.lines().filter(|line| {
        line.starts_with("error: ") || line.split_once(": error: ").is_some_and(|(before, _)| !before.contains(':'))
    });
    let mut found: Vec<String> = Vec::new();
    for line in errors {
        // Between quotation marks stands the flag, its value, or both.
        for quoted in line.split('\'').skip(1).step_by(2).filter(|quoted| !quoted.is_empty()) {
            let named = flags.iter().find(|flag| {
                let value = flag.split_once('=').map(|(_, value)| value);
                flag.as_str() == quoted || value == Some(quoted) || (quoted.ends_with('=') && flag.starts_with(quoted))
            });
            if let Some(flag) = named
                && !found.contains(flag)
            {
                found.push(flag.clone());
            }
        }
    }
    found
}

/// The flags that a driver's warnings say have no effect.
fn ignored(words: &str, flags: &[String]) -> Vec<String> {
    let warnings = words.lines().filter(|line| {
        line.contains("[-Wignored-optimization-argument]") || line.contains("[-Wunused-command-line-argument]")
    });
    let quoted: Vec<&str> = warnings.filter_map(|line| line.split('\'').nth(1)).collect();
    flags.iter().filter(|flag| quoted.contains(&flag.as_str())).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejected_flags_are_read_from_the_drivers_errors() {
        let flags: Vec<String> =
            ["-O3", "-fopt-info", "-mfpmath=387", "-std=gnu77", "-fexcess-precision=bad", "-march=foo"]
                .map(str::to_owned)
                .to_vec();
        for (line, flag) in [
            ("clang-22: error: unknown argument: '-fopt-info'", "-fopt-info"),
            ("clang-22: error: unknown argument '-fopt-info'; did you mean '-fno-info'?", "-fopt-info"),
            ("error: the '387' unit is not supported with this instruction set", "-mfpmath=387"),
            ("error: invalid value 'gnu77' in '-std=gnu77'", "-std=gnu77"),
            ("clang-22: error: unsupported argument 'bad' to option '-fexcess-precision='", "-fexcess-precision=bad"),
            ("error: unknown target CPU 'foo'", "-march=foo"),
        ] {
            assert_eq!(rejected(line, &flags), [flag], "{line}");
        }
        assert!(rejected("f.c:3:4: error: use of undeclared identifier '387'", &flags).is_empty());
    }
}
