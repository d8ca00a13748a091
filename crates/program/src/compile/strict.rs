//! The control: the same compiler at the same level, without the licence to change floating-point results.
//!
//! A divergence that the control shows too is the optimiser's doing, not fast-math's. So everything that makes
//! floating-point semantics weaker goes, x87's or another wider arithmetic too, contraction is switched off, and everything else stays: the
//! level, `-march`, definitions, include paths. What stays and the baseline has not, a definition say, may be what makes a divergence: then the
//! control says nothing of it.

use super::weakening::is_fast;
use super::{BuildSpec, Language};

/// Words that hand the next word to another stage: both stay or go together.
pub(super) const PREFIX_WORDS: [&str; 5] = ["-Xclang", "-mllvm", "-Xflang", "-Xlinker", "-Xassembler"];

/// The strict control of a build: the same compiler, level and target, without fast-math flags, and with
/// `-ffp-contract=off`. Its role is `control`.
///
/// Rust has no fast-math flags: its control is the same build without `-C target-cpu` and `-C target-feature`, and without the options that change
/// what a program means, `-C overflow-checks` and `-C debug-assertions`.
///
/// ```
/// use labrys_program::{Language, control_spec, parse_build};
/// let variant = parse_build("-Ofast -march=native", Language::C).unwrap();
/// assert_eq!(control_spec(&variant, Language::C).flags, ["-O3", "-march=native", "-ffp-contract=off"]);
/// ```
pub fn control_spec(of: &BuildSpec, language: Language) -> BuildSpec {
    let filter = if language == Language::Rust { rust_control } else { strict_flags };
    let mut flags = filter(&of.flags);
    if !matches!(language, Language::Rust | Language::SharedObject) {
        flags.push("-ffp-contract=off".to_owned());
    }
    BuildSpec {
        role: "control".to_owned(),
        compiler: of.compiler.clone(),
        flags,
        common_flags: filter(&of.common_flags),
        link: of.link.clone(),
        origin: of.origin,
        of_crate: of.of_crate.clone(),
    }
}

fn strict_flags(flags: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        if PREFIX_WORDS.contains(&flag.as_str()) {
            if let Some(argument) = rest.next()
                && !is_fast(argument)
            {
                kept.extend([flag.clone(), argument.clone()]);
            }
        } else if flag == "-Ofast" {
            kept.push("-O3".to_owned());
        } else if !is_fast(flag) {
            kept.push(flag.clone());
        }
    }
    kept
}

fn rust_control(flags: &[String]) -> Vec<String> {
    let goes = |option: &str| {
        let name = option.split_once('=').map_or(option, |(name, _)| name);
        ["target-cpu", "target-feature", "overflow-checks", "debug-assertions"].contains(&name)
    };
    let mut kept = Vec::new();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        if flag == "-C" || flag == "--codegen" {
            match rest.next() {
                Some(option) if goes(option) => {}
                Some(option) => kept.extend([flag.clone(), option.clone()]),
                None => kept.push(flag.clone()),
            }
        } else {
            let option = flag.strip_prefix("-C").or_else(|| flag.strip_prefix("--codegen="));
            if !option.is_some_and(goes) {
                kept.push(flag.clone());
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_build;

    fn control(text: &str, language: Language) -> String {
        control_spec(&parse_build(text, language).unwrap(), language).flags.join(" ")
    }

    #[test]
    fn fast_math_goes_and_the_rest_stays() {
        assert_eq!(control("-O3 -ffast-math", Language::C), "-O3 -ffp-contract=off");
        assert_eq!(
            control("gcc -O2 -march=native -funsafe-math-optimizations -fcx-limited-range -DN=8 -I inc", Language::C),
            "-O2 -march=native -DN=8 -I inc -ffp-contract=off"
        );
        assert_eq!(
            control(
                "-O1 -fassociative-math -freciprocal-math -ffinite-math-only -fno-signed-zeros -fno-trapping-math \
                 -fno-honor-nans -fno-honor-infinities -fno-math-errno -ffp-model=fast -ffp-contract=fast -mrecip=all \
                 -mdaz-ftz -funsafe-fp-math -fapprox-func",
                Language::Cpp
            ),
            "-O1 -ffp-contract=off"
        );
    }

    #[test]
    fn fast_flags_behind_another_word_go_with_it() {
        assert_eq!(
            control("-O3 -Xclang -menable-unsafe-fp-math -mllvm -inline-threshold=5", Language::C),
            "-O3 -mllvm -inline-threshold=5 -ffp-contract=off"
        );
    }

    #[test]
    fn strict_requests_stay() {
        assert_eq!(
            control("-O2 -frounding-math -ffp-model=strict", Language::C),
            "-O2 -frounding-math -ffp-model=strict -ffp-contract=off"
        );
    }

    #[test]
    fn precision_between_operations_is_the_types() {
        let flags = "gcc -O2 -mfpmath=387 -mpc64 -fexcess-precision=fast -mavx2 -fexcess-precision=standard";
        assert_eq!(control(flags, Language::C), "-O2 -mavx2 -fexcess-precision=standard -ffp-contract=off");
        assert_eq!(control("-O2 -ffp-eval-method=double", Language::C), "-O2 -ffp-contract=off");
    }

    #[test]
    fn rust_keeps_its_level() {
        assert_eq!(
            control("-C opt-level=3 -C target-cpu=native -Ctarget-feature=+fma -g", Language::Rust),
            "-C opt-level=3 -g"
        );
    }
}
