//! What gcc makes of a program otherwise than clang, which executes it in gcc's place: then nothing that is proved of the one holds of the other.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::compile::process;
use crate::namesakes::first_of;
use crate::passes::is_optimised;
use crate::{BuildSpec, Compiler, CompilerKind, Language, Program};

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

/// What gcc calls functions for and clang has instructions for, which do otherwise with signaling NaNs.
pub(super) const CALLED: [&str; 6] = [
    "-fno-builtin-fmax",
    "-fno-builtin-fmaxf",
    "-fno-builtin-fmaxl",
    "-fno-builtin-fmin",
    "-fno-builtin-fminf",
    "-fno-builtin-fminl",
];

/// What asks which compiler it is, or what that one knows and can.
const ASKS: [&str; 15] = [
    "__builtin_constant_p",
    "__GNUC",
    "__GNUG",
    "__clang",
    "__has_",
    "__VERSION__",
    "__COUNTER__",
    "__INCLUDE_LEVEL__",
    "__OPTIMIZE",
    "__FP_FAST_",
    "__GCC_",
    "__STDC_IEC",
    "_EVAL_METHOD",
    "__FMA__",
    "__AVX",
];

/// Functions of the program's own with names of C's library: gcc calls some of them where clang does not, and computes others itself.
pub(super) fn namesakes(program: &Program) -> Option<String> {
    let name = first_of(program)?;
    Some(format!(
        "the program defines {name} itself, which gcc may compute where clang, which executes it in gcc's place, calls it, and the other way round"
    ))
}

/// Why nothing is proved of a source that this compiler compiles; `said` are the remarks on what clang made of the flags.
pub(super) fn doubts(
    (compiler, build): (&Compiler, &BuildSpec),
    (source, language): (&Path, Language),
    said: &[String],
    deadline: Instant,
) -> Vec<String> {
    if compiler.kind != CompilerKind::Gcc {
        return Vec::new();
    }
    let flags = build.user_flags();
    let files = own_files(compiler, &flags, source, deadline);
    let text = preprocessed(compiler, &flags, source, deadline) + &files + &flags.join(" ");
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
    if let Some(word) = ASKS.into_iter().find(|word| files.contains(word)) {
        found.push(format!("{shown}, or a header of the program's, asks by {word}… which compiler it is: clang executes it in gcc's place"));
    }
    if has(&["scalar_storage_order"]) {
        found.push(format!(
            "{shown} has structs in an order of bytes that clang, which executes it in gcc's place, does not know"
        ));
    }
    if has_wide_bit_field(&text) {
        found.push(format!("{shown} has bit-fields wider than an int, which gcc computes with in their own width"));
    }
    if has(&["GCC optimize", "optimize(", "optimize (", "__optimize__"]) {
        found.push(format!("{shown} has options for gcc's optimiser in it, which clang, which executes it in gcc's place, does not read"));
    }
    let is_target = |flag: &String| ["-march=", "-mcpu=", "-mfma", "-mavx512"].iter().any(|of| flag.starts_with(of));
    let may_fuse = flags.iter().any(is_target) || has(&["GCC target", "target(", "target (", "__target__"]);
    if has(&["fpmath=387"]) {
        found.push(format!(
            "{shown} computes in x87's registers by gcc, which clang, which executes it in gcc's place, does not"
        ));
    }
    if may_fuse && is_optimised(&flags) && contracts(&flags, language) {
        found.push("gcc may make one operation of a product and a sum (-ffp-contract=fast, its default, where the processor has such)".to_owned());
    }
    found
}

/// What gcc's preprocessor makes of the program's own files, without the text of system headers; empty where it fails, and the compiler says why.
fn preprocessed(compiler: &Compiler, flags: &[String], source: &Path, deadline: Instant) -> String {
    let mut command = Command::new(&compiler.executable);
    command.arg("-E").args(flags).arg(source);
    let Ok(finished) = process::run(&mut command, &compiler.name, deadline) else { return String::new() };
    let mut is_own = true;
    let mut own = String::new();
    for line in finished.stdout.lines() {
        // `# LINE "FILE" FLAGS`, 3 among them in a system header.
        match line.strip_prefix("# ").filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            Some(marker) => {
                let flags = marker.rsplit('"').next().unwrap_or_default();
                is_own = !flags.split_whitespace().any(|flag| flag == "3");
            }
            None if is_own => own.extend([line, "\n"]),
            None => {}
        }
    }
    own
}

/// The text of the source and of the headers that are none of the system's, as written; lines that go on in the next one are one.
fn own_files(compiler: &Compiler, flags: &[String], source: &Path, deadline: Instant) -> String {
    let mut command = Command::new(&compiler.executable);
    command.arg("-MM").args(flags).arg(source);
    let listed =
        process::run(&mut command, &compiler.name, deadline).map(|finished| finished.stdout).unwrap_or_default();
    let listed = listed.split_once(':').map(|(_, files)| files.replace("\\\n", " ")).unwrap_or_default();
    let is_labrys = |file: &str| file.ends_with("/verifier.h") || file.ends_with("/klee.h");
    let mut text = std::fs::read_to_string(source).unwrap_or_default();
    for file in listed.split_whitespace().filter(|file| Path::new(file) != source && !is_labrys(file)) {
        text.push_str(&std::fs::read_to_string(file).unwrap_or_default());
    }
    text.replace("\\\n", "")
}

/// Whether a text has `: 33;` or more, as a bit-field's width stands.
fn has_wide_bit_field(text: &str) -> bool {
    let is_declaration = |before: &str| {
        let start = before.rfind([';', '{', '}', ',']).map_or(0, |at| at + 1);
        let words = before[start..].trim();
        words.chars().all(|c| c.is_alphanumeric() || c == '_' || c.is_whitespace()) && !words.starts_with("case ")
    };
    text.match_indices(':').any(|(at, _)| {
        let behind = text[at + 1..].trim_start();
        if !is_declaration(&text[..at]) {
            return false;
        }
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let width: u32 = behind[..digits].parse().unwrap_or(0);
        (33..=64).contains(&width) && behind[digits..].trim_start().starts_with([';', ','])
    })
}

/// Whether a flag that clang does not know may change what is computed.
fn changes_results(flag: &str) -> bool {
    let is_machine_or_language = flag.starts_with("-f") || flag.starts_with("-m");
    is_machine_or_language && !HARMLESS.iter().any(|harmless| flag.starts_with(harmless))
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
        std::fs::write(folder.path().join("own.h"), "#pragma GCC optimize(\"Ofast\")\n").expect("a file");
        std::fs::write(folder.path().join("asks.h"), "#if __GNUC__ >= 7\n#define N 8\n#endif\n").expect("a file");
        let notes: Vec<String> = notes.iter().map(|note| (*note).to_owned()).collect();
        let deadline = Instant::now() + std::time::Duration::from_secs(60);
        let compiler = build.find_compiler(language, deadline).expect("gcc");
        doubts((&compiler, &build), (&file, language), &notes, deadline).len()
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
            ("gcc -O0", "#include \"own.h\"\nint x;", &[], 1),
            ("gcc -O0", "#define A(w) __attribute__((opti##w(\"fast-math\")))\nA(mize) int f(void);", &[], 1),
            ("gcc -O0", "__attribute__((opti\\\nmize(\"fast-math\"))) int f(void);", &[], 1),
            ("gcc -O0", "#include \"asks.h\"\nint x;", &[], 1),
            ("gcc -O0", "#include <math.h>\n#include <float.h>\n#include <assert.h>\nint x;", &[], 0),
            ("gcc -O0", "struct s { unsigned long a : 40; };", &[], 1),
            ("gcc -O0", "struct s { unsigned long a : 4; }; int f(int c) { return c ? 40 : 50; }", &[], 0),
            ("gcc -O0", "struct __attribute__((scalar_storage_order(\"big-endian\"))) s { int a; };", &[], 1),
            ("gcc -O0", "__attribute__((target(\"fpmath=387\"))) double f(double);", &[], 1),
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
