//! What gcc makes of a program otherwise than clang, which executes it in gcc's place: then nothing that is proved of the one holds of the other.

use std::path::Path;

use crate::{BuildSpec, CompilerKind, Language};

/// Flags that clang takes, or ignores, without a word.
const SILENT: [&str; 1] = ["-funsigned-bitfields"];

/// Flags of gcc's that change no result, though clang does not know them: warnings and what the optimiser tries, which keeps to the language.
const HARMLESS: [&str; 8] = [
    "-fdiagnostics",
    "-fno-diagnostics",
    "-ftree-",
    "-fno-tree-",
    "-fipa-",
    "-fno-ipa-",
    "-mtune=",
    "-fno-semantic-interposition",
];

/// Why nothing is proved of a source that a compiler of this kind compiles; `said` are the remarks on what clang made of the flags.
pub(super) fn doubts(
    (kind, build): (CompilerKind, &BuildSpec),
    (source, language): (&Path, Language),
    said: &[String],
) -> Vec<String> {
    if kind != CompilerKind::Gcc {
        return Vec::new();
    }
    let flags = build.user_flags();
    let text = std::fs::read_to_string(source).unwrap_or_default();
    let shown = source.display();
    let unknown = |note: &String| {
        let flag = note.split_whitespace().map(|word| word.trim_end_matches(':')).find(|word| changes_results(word))?;
        Some(format!("clang, which executes it in gcc's place, knows no {flag}"))
    };
    let mut found: Vec<String> = said.iter().filter_map(unknown).collect();
    found.extend(
        SILENT
            .into_iter()
            .filter(|flag| flags.iter().any(|given| given == flag))
            .map(|flag| format!("clang, which executes it in gcc's place, does not do as {flag} says")),
    );
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if has(&["GCC optimize", "optimize(", "optimize (", "__optimize__"]) {
        found.push(format!("{shown} has options for gcc's optimiser in it, which clang, which executes it in gcc's place, does not read"));
    }
    let is_target = |flag: &String| ["-march=", "-mcpu=", "-mfma", "-mavx512"].iter().any(|of| flag.starts_with(of));
    let may_fuse = flags.iter().any(is_target) || has(&["GCC target", "target(", "target (", "__target__"]);
    if may_fuse && is_optimised(&flags) && contracts(&flags, language) {
        found.push("gcc may make one operation of a product and a sum (-ffp-contract=fast, its default, where the processor has such)".to_owned());
    }
    found
}

/// Whether a flag that clang does not know may change what is computed.
fn changes_results(flag: &str) -> bool {
    let is_machine_or_language = flag.starts_with("-f") || flag.starts_with("-m");
    is_machine_or_language && !HARMLESS.iter().any(|harmless| flag.starts_with(harmless))
}

/// Whether the last level is one.
fn is_optimised(flags: &[String]) -> bool {
    let level = flags.iter().rev().find_map(|flag| flag.strip_prefix("-O"));
    level.is_some_and(|level| level != "0")
}

/// Whether products and sums across statements may be contracted: ISO C's standards say no, GNU's and no standard yes; in other languages no standard
/// keeps gcc from it.
fn contracts(flags: &[String], language: Language) -> bool {
    let said = flags.iter().rev().find_map(|flag| flag.strip_prefix("-ffp-contract="));
    let standard = flags.iter().rev().find_map(|flag| flag.strip_prefix("-std="));
    match said {
        Some(said) => said == "fast",
        None => {
            let is_iso = standard.is_some_and(|name| name.starts_with('c') || name.starts_with("iso"));
            language != Language::C || !(is_iso || flags.iter().any(|flag| flag == "-ansi"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_build;

    fn said((text, language): (&str, Language), source: &str, notes: &[&str]) -> usize {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("f.c");
        std::fs::write(&file, source).expect("a file");
        let build = parse_build(text, language).expect("flags");
        let notes: Vec<String> = notes.iter().map(|note| (*note).to_owned()).collect();
        doubts((CompilerKind::Gcc, &build), (&file, language), &notes).len()
    }

    #[test]
    fn what_gcc_does_otherwise_is_told() {
        let plain = "int main(void) { return 0; }";
        for (text, source, notes, count) in [
            ("gcc -O2", plain, &[][..], 0),
            ("gcc -O2 -mfma", plain, &[], 1),
            ("gcc -O0 -march=native", plain, &[], 0),
            ("gcc -O3 -march=native -ffp-contract=off", plain, &[], 0),
            ("gcc -O3 -march=native -std=c11", plain, &[], 0),
            ("gcc -O3 -march=native -std=gnu11", plain, &[], 1),
            ("gcc -funsigned-bitfields", plain, &[], 1),
            ("gcc -O0", "#pragma GCC optimize(\"fast-math\")\nint x;", &[], 1),
            ("gcc -O2", "__attribute__((target(\"fma\"))) int f(void);", &[], 1),
            ("gcc -O0", plain, &["program: clang 22 does not know -mfpmath=387: left out of the analysed IR"], 1),
            ("gcc -O0", plain, &["program: clang 22 ignores -fsingle-precision-constant in the analysed IR"], 1),
            ("gcc -O0", plain, &["program: clang 22 ignores -fno-tree-vectorize in the analysed IR"], 0),
            ("gcc -O0", plain, &["program: clang 22 does not know -Wlogical-op: left out of the analysed IR"], 0),
        ] {
            assert_eq!(said((text, Language::C), source, notes), count, "{text}");
        }
        // Of C++ no standard does what C's do.
        assert_eq!(said(("g++ -O2 -mfma -std=c++17", Language::Cpp), plain, &[]), 1);
        assert_eq!(said(("g++ -O2 -mfma -ffp-contract=off", Language::Cpp), plain, &[]), 0);
    }
}
