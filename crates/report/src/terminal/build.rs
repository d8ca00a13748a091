//! Builds in words.

use crate::BuildInfo;

/// Names, flags and start-up of a build in one line: `clang 22.1.8 -O3 -ffast-math (flush-to-zero)`.
pub(super) fn build_words(build: &BuildInfo) -> String {
    let mut words = Vec::new();
    if build.compiler.is_empty() {
        words.push(build.source.clone());
    } else {
        words.push(build.compiler.clone());
    }
    words.extend(build.flags.iter().cloned());
    if build.startup == crate::Startup::Ftz {
        words.push("(starts with flush-to-zero)".to_owned());
    }
    words.join(" ")
}
