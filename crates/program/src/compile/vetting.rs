//! Which words of a build are harmless whoever wrote them.
//!
//! A report and a `compile_commands.json` hold compilers' flags, and may come from a stranger. Compilers load plugins, run other
//! programs, and write files where flags say so.
//!
//! **Claim.** Words that pass make a known compiler load and run nothing but what belongs to it, read no further flags, link
//! nothing but the system's libraries, and write nothing but its product. **Argument.** What passes is listed; what is not known
//! is refused. A value is made of letters, digits and a few signs, without a slash, except behind flags whose value is no file
//! (macros, prefixes of names) or a folder of headers. **What it may miss.** A listed flag that means something else to another
//! version of a compiler. What the compiled program does is another matter: macros and headers can make anything of it, and it
//! runs where all code under test runs, in `labrys_native`'s workers.

use super::Language;
use super::weakening::is_fast;

/// Who wrote the words of flags, as far as files that they name are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Author {
    /// A report's.
    Report,
    /// A project's `compile_commands.json`: headers that every source begins with are the project's own.
    Project,
}

/// A flag that does not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The flag, with its argument.
    pub(super) flag: String,
    /// What it does, as the end of a sentence that begins with the flag.
    pub(super) why: &'static str,
}

/// What stands behind a flag, joined to it or as the next word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Argument {
    /// Text that is no file's name.
    Text,
    /// A folder of headers.
    Folder,
    /// A header.
    Header,
    /// A name or number.
    Plain,
    /// A source language.
    Language,
    /// A word for clang's front end.
    Cc1,
}

/// Flags of C, C++, Fortran and IR that take an argument, as the next word or joined.
const WITH_ARGUMENT: [(&str, Argument); 12] = [
    ("-D", Argument::Text),
    ("-U", Argument::Text),
    ("-I", Argument::Folder),
    ("-isystem", Argument::Folder),
    ("-iquote", Argument::Folder),
    ("-idirafter", Argument::Folder),
    ("-include", Argument::Header),
    ("-imacros", Argument::Header),
    ("-x", Argument::Language),
    ("-l", Argument::Plain),
    ("--param", Argument::Plain),
    ("-Xclang", Argument::Cc1),
];

/// Words for clang's front end that pass.
const CC1: [&str; 3] = ["-disable-llvm-passes", "-menable-unsafe-fp-math", "-fnative-half-type"];

/// Source languages that pass behind `-x`.
const LANGUAGES: [&str; 6] = ["c", "c++", "f77", "f77-cpp-input", "f95", "f95-cpp-input"];

/// Flags that pass as they are.
const WHOLE: &str = "\
    -w -v -ansi -cpp -nocpp -pedantic -pedantic-errors -pipe -pthread -nostdinc -nostdinc++ -undef -trigraphs \
    -traditional-cpp -static-libgcc -static-libstdc++ -stdlib=libc++ -stdlib=libstdc++ -Qunused-arguments -O -Og -Os \
    -Oz -Ofast -g -gline-tables-only";

/// What stands behind `-f` or `-fno-`, with or without a value: semantics, code generation, the language.
const F_NAMES: &str = "\
    rounding-math signaling-nans float-store excess-precision single-precision-constant fp-model fp-eval-method \
    fp-exception-behavior builtin freestanding hosted wrapv wrapv-pointer trapv strict-overflow strict-aliasing \
    strict-enums strict-return delete-null-pointer-checks pic PIC pie PIE plt common omit-frame-pointer \
    optimize-sibling-calls inline inline-functions inline-limit inline-small-functions inline-functions-called-once \
    inline-hint-functions gnu89-inline keep-inline-functions keep-static-functions vectorize slp-vectorize \
    unroll-loops unroll-all-loops peel-loops reroll-loops finite-loops prefetch-loop-arrays unswitch-loops \
    move-loop-invariants thread-jumps crossjumping dce dse cprop-registers cse-follow-jumps rerun-cse-after-loop \
    expensive-optimizations code-hoisting hoist-adjacent-loads store-merging reorder-blocks reorder-functions \
    reorder-blocks-and-partition schedule-insns schedule-insns2 modulo-sched web ree tracer caller-saves \
    combine-stack-adjustments compare-elim defer-pop forward-propagate guess-branch-probability merge-constants \
    partial-inlining devirtualize semantic-interposition toplevel-reorder section-anchors function-sections \
    data-sections align-functions align-loops align-jumps align-labels simd-cost-model vect-cost-model lto openmp \
    openmp-simd openacc visibility visibility-inlines-hidden exceptions asynchronous-unwind-tables unwind-tables \
    non-call-exceptions rtti char8_t signed-char unsigned-char short-enums short-wchar pack-struct permissive \
    ms-extensions tls-model threadsafe-statics stack-protector stack-protector-strong stack-protector-all \
    stack-clash-protection cf-protection trivial-auto-var-init zero-call-used-regs sanitize sanitize-recover \
    sanitize-trap diagnostics-color color-diagnostics diagnostics-show-option max-errors message-length \
    template-depth constexpr-depth abi-version standalone-debug eliminate-unused-debug-types new-infallible";

/// The same for Fortran.
const F_NAMES_FORTRAN: &str = "\
    free-form fixed-form default-real-8 default-real-10 default-real-16 default-integer-8 default-double-8 \
    real-4-real-8 real-8-real-4 implicit-none backslash cray-pointer dollar-ok automatic recursive bounds-check \
    check init-real init-integer init-logical init-local-zero convert pe-trap max-stack-var-size second-underscore \
    underscoring";

/// Beginnings of such names: families of optimisations.
const F_FAMILIES: &str = "\
    tree- ipa- loop- sched- ira- gcse split- if-conversion builtin- unroll- aggressive-loop- fixed-line-length- \
    free-line-length-";

/// Flags whose value is a prefix of names in debug information and macros: text, though it looks like paths.
const PREFIX_MAPS: [&str; 4] =
    ["-fdebug-prefix-map=", "-ffile-prefix-map=", "-fmacro-prefix-map=", "-fdebug-compilation-dir="];

/// Options of rustc's `-C` that pass, with or without a value.
const CODEGEN: &str = "\
    opt-level target-cpu target-feature debuginfo debug-assertions overflow-checks lto codegen-units panic \
    inline-threshold no-vectorize-loops no-vectorize-slp force-frame-pointers relocation-model code-model \
    embed-bitcode";

/// Other options of rustc that pass, with their argument as the next word or behind `=`.
const RUSTC: [&str; 8] =
    ["--edition", "--cfg", "--check-cfg", "--cap-lints", "--allow", "--warn", "--deny", "--forbid"];

/// What flags do that are known not to pass, and how those begin; the longest beginning counts.
const HARMFUL: [(&str, &str); 12] = [
    ("reads more flags from a file", "@ --config"),
    ("loads code into the compiler", "-fplugin -fpass-plugin -load --extern"),
    ("can load code into the compiler", "-Xclang -Xflang -fc1 -cc1 -mllvm -mmlir -Z -Cllvm-args"),
    ("links what is in a folder, or loads it into the compiler", "-L"),
    (
        "chooses a program that the compiler runs",
        "-Clinker -wrapper -fuse-ld --ld-path -ccc- -fno-integrated-as -no-integrated-as",
    ),
    ("steers the linker", "-Clink -Wl, -Xlinker -T -z -u"),
    ("chooses the programs that the compiler runs", "-B -specs --specs --gcc- -gcc- -target --target"),
    ("chooses what is linked", "--sysroot -isysroot -resource-dir"),
    ("steers the assembler", "-Wa, -Xassembler"),
    ("can write files", "-Wp, -Xpreprocessor"),
    ("writes a file", "-o -M"),
    ("writes files", "-save-temps -dump -fdump -J"),
];

/// Flags that do not pass and that take the next word with them, which would otherwise be looked at for itself.
const TAKES_NEXT: &str = "\
    -Xflang -mllvm -mmlir -load -Z --extern -L -wrapper -B -specs --specs -ccc-gcc-name -target --config --sysroot \
    -isysroot -resource-dir -Xlinker -T -z -u -Xassembler -Xpreprocessor -o";

/// The first flag that does not pass.
pub(super) fn first_refusal(words: &[String], language: Language, author: Author) -> Option<Refusal> {
    sorted(words, language, author).1.into_iter().next()
}

/// The words that pass, and the flags that do not.
pub(super) fn sorted(words: &[String], language: Language, author: Author) -> (Vec<String>, Vec<Refusal>) {
    let (mut kept, mut refused) = (Vec::new(), Vec::new());
    let mut rest = words;
    while !rest.is_empty() {
        let (count, passes) = match language {
            Language::Rust => rust_flag(rest),
            _ => flag(rest, language, author),
        };
        let (here, after) = rest.split_at(count.clamp(1, rest.len()));
        // A flag at the end that lacks its argument would take a word of ours. Compilers replace `@file` wherever it stands.
        match passes && count <= rest.len() && !here.iter().any(|word| word.starts_with('@')) {
            true => kept.extend_from_slice(here),
            _ => refused.push(Refusal { flag: here.join(" "), why: why(here) }),
        }
        rest = after;
    }
    (kept, refused)
}

/// Whether a report may name this compiler: a known one, without a path.
pub(super) fn is_known_compiler(name: &str) -> bool {
    const KNOWN: [&str; 10] =
        ["clang", "clang++", "gcc", "g++", "cc", "c++", "gfortran", "flang", "flang-new", "rustc"];
    let version = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    KNOWN.iter().any(|known| {
        name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.strip_prefix('-').is_some_and(version))
    })
}

/// How many words the first flag has, and whether it passes.
fn flag(words: &[String], language: Language, author: Author) -> (usize, bool) {
    let word = words[0].as_str();
    for (name, argument) in WITH_ARGUMENT {
        if word == name {
            return (2, words.get(1).is_some_and(|value| fits(argument, value, author)));
        }
        // What these two take is the next word, or stands behind a sign.
        let joined = match name {
            "-Xclang" => None,
            "--param" => word.strip_prefix("--param="),
            _ => word.strip_prefix(name),
        };
        if let Some(value) = joined {
            return (1, fits(argument, value, author));
        }
    }
    if listed(TAKES_NEXT, word) {
        return (2, word == "-mllvm" && words.get(1).is_some_and(|next| counts_passes(next)));
    }
    let passes = listed(WHOLE, word)
        || PREFIX_MAPS.iter().any(|prefix| word.starts_with(prefix))
        || (plain(word) && (is_fast(word) || by_family(word, language)));
    (1, passes)
}

/// Whether a word for LLVM says how many passes run and nothing else: with such words passes are blamed.
fn counts_passes(word: &str) -> bool {
    let limit = word.strip_prefix("-opt-bisect-limit=");
    limit.is_some_and(|limit| !limit.is_empty() && limit.chars().all(|c| c.is_ascii_digit()))
}

/// Flags that pass by how they begin; `word` is plain.
fn by_family(word: &str, language: Language) -> bool {
    let behind = |prefix: &str| word.strip_prefix(prefix);
    if let Some(level) = behind("-O") {
        return !level.is_empty() && level.chars().all(|c| c.is_ascii_digit());
    }
    if let Some(kind) = behind("-g") {
        let number = kind.trim_start_matches("gdb").trim_start_matches("dwarf").trim_start_matches('-');
        return number.len() <= 1 && number.chars().all(|c| c.is_ascii_digit());
    }
    if let Some(warning) = behind("-W") {
        return !warning.contains(',');
    }
    if behind("-m").is_some() {
        return !["-mllvm", "-mmlir", "-module"].iter().any(|other| word.starts_with(other));
    }
    if behind("-std=").is_some() {
        return true;
    }
    let Some(name) = behind("-fno-").or_else(|| behind("-f")) else { return false };
    let name = name.split('=').next().unwrap_or_default();
    listed(F_NAMES, name)
        || F_FAMILIES.split(' ').any(|family| name.starts_with(family))
        || (language == Language::Fortran && listed(F_NAMES_FORTRAN, name))
}

/// How many words the first flag of rustc has, and whether it passes.
fn rust_flag(words: &[String]) -> (usize, bool) {
    let word = words[0].as_str();
    let codegen = |option: &str| listed(CODEGEN, option.split('=').next().unwrap_or_default()) && plain(option);
    if word == "-C" || word == "--codegen" {
        let bisects = |option: &str| option.strip_prefix("llvm-args=").is_some_and(counts_passes);
        return (2, words.get(1).is_some_and(|option| codegen(option) || bisects(option)));
    }
    if let Some(option) = word.strip_prefix("--codegen=").or_else(|| word.strip_prefix("-C")) {
        return (1, codegen(option));
    }
    if RUSTC.contains(&word) || ["-A", "-W", "-D", "-F"].contains(&word) {
        return (2, words.get(1).is_some_and(|value| !value.starts_with(['-', '@'])));
    }
    if listed(TAKES_NEXT, word) {
        return (2, false);
    }
    let named = word.split_once('=').is_some_and(|(name, _)| RUSTC.contains(&name));
    let lint = ["-A", "-W", "-D", "-F"].iter().any(|prefix| word.starts_with(prefix)) && plain(word);
    (1, named || lint || ["-O", "-g", "-v", "--verbose"].contains(&word))
}

/// Whether an argument is of its kind.
fn fits(argument: Argument, value: &str, author: Author) -> bool {
    // Drivers hand it to the compiler proper as a word of its own, which reads more flags from what an `@` names.
    if value.starts_with('@') {
        return false;
    }
    match argument {
        Argument::Text => !value.is_empty(),
        Argument::Folder => !value.is_empty(),
        Argument::Header => !value.is_empty() && author == Author::Project,
        Argument::Plain => plain(value) && !value.starts_with(':'),
        Argument::Language => LANGUAGES.contains(&value),
        Argument::Cc1 => CC1.contains(&value),
    }
}

/// Whether a list separated by blanks has a word.
fn listed(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// Whether a text can be no path and no list for another program.
fn plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_.,:+=-".contains(c))
}

/// What a flag that does not pass does.
fn why(words: &[String]) -> &'static str {
    let first = words.first().map(String::as_str).unwrap_or_default();
    // rustc's `-C linker=x` is its `-Clinker=x`.
    let joined =
        if first == "-C" || first == "--codegen" { format!("-C{}", words[1..].concat()) } else { first.to_owned() };
    let of =
        |beginnings: &str| beginnings.split(' ').filter(|beginning| joined.starts_with(beginning)).map(str::len).max();
    let known = HARMFUL.iter().filter_map(|(does, beginnings)| Some((of(beginnings)?, does))).max();
    match known {
        Some((_, does)) => does,
        None if words.iter().any(|word| word.starts_with('@')) => "reads more flags from a file",
        None if ["-include", "-imacros"].iter().any(|flag| first.starts_with(flag)) => "reads a file",
        None if !first.starts_with('-') => "is a file for the compiler or the linker",
        None => "is not known to be harmless",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        shlex::split(text).expect("words")
    }

    fn refused(text: &str, language: Language) -> Option<String> {
        first_refusal(&words(text), language, Author::Report).map(|refusal| refusal.flag)
    }

    #[test]
    fn what_builds_of_numerical_code_have_passes() {
        for text in [
            "-O3 -ffast-math -march=native -mtune=znver4 -mfpmath=387 -mrecip=all -ffp-contract=fast -fveclib=libmvec",
            "-Ofast -fno-math-errno -funsafe-math-optimizations -fdenormal-fp-math=preserve-sign,preserve-sign -mavx2 -m32",
            "-D N=8 -DNAME='a b' -UX -Iinc -I inc -isystem /usr/include -std=gnu++17 -Wall -Wno-error=format -w -g -g3 -ggdb3",
            "-fno-strict-aliasing -fPIC -fvisibility=hidden -funroll-loops -ftree-vectorize -fno-tree-vectorize -O2 -gdwarf-4",
            "-fno-builtin-sin -lm -l gsl --param max-unroll-times=4 -x c -Xclang -disable-llvm-passes -pthread -fopenmp",
            "-frounding-math -fsignaling-nans -ffp-model=strict -ffp-exception-behavior=strict -fexcess-precision=standard",
            "-fdebug-prefix-map=/build/x=.",
        ] {
            assert_eq!(refused(text, Language::C), None, "{text}");
        }
        assert_eq!(
            refused("-O2 -ffree-form -fdefault-real-8 -fcheck=all -ffree-line-length-none", Language::Fortran),
            None
        );
        let rust = "-C opt-level=3 -Ctarget-cpu=native -C target-feature=+fma --edition=2024 --cfg 'feature=\"x\"' -A warnings -O";
        assert_eq!(refused(rust, Language::Rust), None);
    }

    /// Each of these loads or runs code, reads flags, links or writes something that its author chose.
    #[test]
    fn what_reaches_beyond_the_compiler_is_refused() {
        for text in "\
             -fplugin=x.so; -fplugin-arg-x-y=z; -fpass-plugin=x.so; -Xclang -load; -Xclang -add-plugin; -Xclang \
             -fplugin=x; -mllvm -load=x.so; -mllvm=-load; -Bdir; -B dir; -specs=x; --specs=x; -specs x; -wrapper x; \
             @file; -Wl,-plugin,x.so; -Wl,-rpath; -fuse-ld=/x; -fuse-ld=evil; --ld-path=x; -no-integrated-as; \
             -fno-integrated-as; -Xassembler -x; -Wa,-x; -Wp,-MD,f; -T x.ld; -Tx.ld; --sysroot=/x; --sysroot x; -isysroot \
             /x; -resource-dir /x; -resource-dir=x; --gcc-toolchain=x; --gcc-install-dir=x; --config=x; --config x; \
             -ccc-gcc-name x; -include /etc/passwd; -include/etc/passwd; -imacros x.h; -o x; -ox; -MF x; -MD; -MMD; -MFx; \
             -save-temps; -save-temps=obj; -dumpdir x; -fdump-tree-all; -L.; -L dir; -l:x.a; -lx/../y; evil.o; ./evil.c; \
             -x assembler; -x ir; -xnone; --target=x; -target x; -Xlinker x; -z x; -fprofile-generate; -fprofile-use=x; \
             -ftest-coverage; --coverage; -fsanitize-ignorelist=x; -fmodules; -fmodule-file=x; -fstack-usage; \
             -fcallgraph-info; -ftime-trace; -fsave-optimization-record; -gsplit-dwarf; -pg; -module-dir x; -Jx; -mmlir \
             -x; -fopt-info=x; -iplugindir=x; -fveclib=/x; -mrecip=/x; -march=a/b; -Xflang -load; -fc1; -cc1; -cc1as; \
             -###; -fembed-offload-object=x; -ftls-model=a/b; -shared; -nostdlib; -print-search-dirs; -undefined; -D; -I; \
             -x; -O3 -U; -D @file; -I @file; -D@file; -U@file; -I@file; -isystem@file".split("; ") {
            let all = words(text);
            assert!(refused(text, Language::C).is_some(), "{text}");
            assert!(refused(&format!("-O2 {text}"), Language::Cpp).is_some(), "{text}");
            let (kept, _) = sorted(&all, Language::C, Author::Report);
            assert!(kept.iter().all(|word| word == "-O3"), "{text}: {kept:?}");
        }
        for text in "\
             -C linker=x; -Clinker=x; --codegen linker=x; --codegen=linker=x; -C link-arg=x; -C link-args=x; -C \
             linker-flavor=gcc; -C llvm-args=-load=x; -C save-temps; -C incremental=x; -C target-cpu=a/b; -C \
             profile-use=x; -Z codegen-backend=x; -Zcodegen-backend=x; --extern a=b; --extern=a; -L dir; -Ldir; --sysroot \
             x; --sysroot=x; @file; -lfoo; -l foo; --emit=asm; -o x; --out-dir x; evil.rs; --target x; -C; --cfg @file; \
             --env-set A=b; -C codegen-backend=x".split("; ") {
            assert!(refused(text, Language::Rust).is_some(), "{text}");
        }
    }

    #[test]
    fn refusals_name_flag_and_reason() {
        let why = |text: &str, language| {
            let refusal = first_refusal(&words(text), language, Author::Report).expect("a refusal");
            (refusal.flag, refusal.why)
        };
        assert_eq!(why("-O2 -fplugin=x.so", Language::C), ("-fplugin=x.so".to_owned(), "loads code into the compiler"));
        assert_eq!(why("-Xclang -load", Language::C).0, "-Xclang -load");
        assert_eq!(why("-C linker=x", Language::Rust).1, "chooses a program that the compiler runs");
        assert_eq!(why("x.o", Language::C).1, "is a file for the compiler or the linker");
        assert_eq!(why("-fmodules", Language::C).1, "is not known to be harmless");
    }

    #[test]
    fn a_projects_own_headers_pass() {
        let (kept, refused) =
            sorted(&words("-include config.h -fplugin=x -mllvm -O3 -DN"), Language::C, Author::Project);
        assert_eq!(kept, ["-include", "config.h", "-DN"]);
        assert_eq!(
            refused.iter().map(|refusal| refusal.flag.as_str()).collect::<Vec<_>>(),
            ["-fplugin=x", "-mllvm -O3"]
        );
    }

    #[test]
    fn known_compilers_are_names_alone() {
        let mut known = "clang clang-22 clang++-22 gcc gcc-12 g++ gfortran-13 flang-22 rustc cc c++".split(' ');
        assert!(known.all(is_known_compiler));
        let mut unknown =
            " ./gcc /usr/bin/gcc gcc/x ccache distcc sh gcc- gcc-evil evil-gcc clang-22x tcc -O2".split(' ');
        assert!(!unknown.any(is_known_compiler));
    }
}
