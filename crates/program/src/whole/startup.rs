//! What a program's start-up code does to arithmetic.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use super::WholeSpec;
use crate::compile::no_flag;
use crate::{BuildError, Language};

/// The object that compilers link where flags ask for it (`-ffast-math`, `-mdaz-ftz`): before `main` it has subnormal numbers flushed to zero.
const FLUSHING: &str = "crtfastmath.o";

/// Why what is executed without start-up code is not the program, if flags have it linked: the compiler's driver is asked what it would link.
///
/// # Errors
///
/// The compiler is missing, or the deadline passed.
pub(super) fn flushing(spec: &WholeSpec, source: &Path, deadline: Instant) -> Result<Option<String>, BuildError> {
    if spec.flags.is_empty() {
        return Ok(None);
    }
    let linked = match Language::of(source)? {
        // rustc does not say what it would have linked; what it hands on to the linker's driver is in its flags.
        Language::Rust => {
            let asks =
                |flag: &String| ["fast-math", "-mdaz-ftz", "-Ofast", "unsafe-math"].iter().any(|of| flag.contains(of));
            spec.flags.iter().any(asks)
        }
        language => {
            let language = if language == Language::Ir { Language::C } else { language };
            let build = spec.of(language);
            let compiler = build.find_compiler(language, deadline)?;
            let mut command = Command::new(&compiler.executable);
            command.args(build.user_flags()).arg("-###").arg(no_flag(source));
            build.run(&mut command, &compiler.name, deadline)?.stderr.contains(FLUSHING)
        }
    };
    Ok(linked.then(|| "by its flags the program's start-up code has subnormal numbers flushed to zero".to_owned()))
}
