//! A variant's flags, taken apart: what each of them says that the baseline's do not.
//!
//! Flags such as `-ffast-math` stand for several, each of which allows something else. To find out which of them makes a difference they are
//! switched one by one, as a user could on a command line. What an umbrella flag stands for is in the compilers' manuals (gcc 15, section 3.12; clang 22,
//! "Controlling Floating Point Behavior"); that the parts together do what the umbrella does is for whoever uses them to try.

use super::strict::PREFIX_WORDS;
use super::{BuildSpec, CompilerKind, Language};

/// One thing that a variant's flags say and the baseline's do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlagElement {
    /// The flag by which users know it.
    pub name: String,
    /// The words that say it: the flag, and flags without which compilers ignore it.
    pub on: Vec<String>,
    /// The words in its place where it is not said.
    pub off: Vec<String>,
    /// Whether it is the level of optimisation.
    pub is_level: bool,
    /// Whether it is no word but what gcc's umbrella flags link: start-up code that has subnormal numbers flushed to zero.
    pub flushes: bool,
    /// Whether it is what is left of an umbrella flag whose parts are elements, too, and says all of them.
    pub is_umbrella: bool,
}

impl FlagElement {
    /// A flag like any other.
    fn of(name: String, on: Vec<String>, off: Vec<String>) -> FlagElement {
        FlagElement { name, on, off, is_level: false, flushes: false, is_umbrella: false }
    }

    /// The flags that its own one brings along, because there are compilers that ignore it without them.
    pub fn companions(&self) -> &[String] {
        let are_flags = self.on.len() > 1 && self.on.iter().all(|word| word.starts_with("-f"));
        if are_flags { &self.on[1..] } else { &[] }
    }
}

/// The words of a variant: those that stay, and its elements, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlagText {
    /// The compiler, as the user wrote it.
    compiler: String,
    /// What both builds say.
    shared: Vec<String>,
    /// What only the variant says, or only the baseline.
    pub elements: Vec<FlagElement>,
    /// Whether code never starts flushing to zero, whatever the flags link.
    never_flushes: bool,
}

/// Flags with an argument in the next word, that is no word of its own.
const WITH_ARGUMENT: [&str; 12] =
    ["-I", "-D", "-U", "-L", "-l", "-include", "-isystem", "-iquote", "-idirafter", "--param", "-C", "--codegen"];

/// What gcc ignores `-fassociative-math` without; clang 22 asks for the first of them alone, and others may for both.
const ASSOCIATIVE: [&str; 3] = ["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"];

/// What `-ffast-math` stands for, by compiler; in the order in which they are tried: what is needed by others first.
const FAST_CLANG: [&str; 10] = [
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fcomplex-arithmetic=basic",
    "-fno-signed-zeros",
    "-fno-honor-nans",
    "-fno-honor-infinities",
    CONTRACTS,
    "-freciprocal-math",
    "-fapprox-func",
    "-fassociative-math",
];
/// The part that the baseline's `-ffp-contract=off` takes back.
const CONTRACTS: &str = "-ffp-contract=fast";
const FAST_GCC: [&str; 8] = [
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-signed-zeros",
    "-ffinite-math-only",
    "-fcx-limited-range",
    "-fexcess-precision=fast",
    "-freciprocal-math",
    "-fassociative-math",
];

/// What `-funsafe-math-optimizations` stands for, of those.
const UNSAFE: [&str; 6] =
    ["-fno-trapping-math", "-fno-signed-zeros", CONTRACTS, "-freciprocal-math", "-fapprox-func", "-fassociative-math"];

/// What `-Ofast` says of Fortran beyond `-O3 -ffast-math` (gfortran 12's manual, section 2.8). Without the first of them gfortran reorders nothing across parentheses.
fn ofast_of_fortran(kind: CompilerKind, language: Language) -> &'static [&'static str] {
    match kind {
        CompilerKind::Gcc if language == Language::Fortran => &["-fno-protect-parens", "-fstack-arrays"],
        CompilerKind::Flang => &["-fstack-arrays"],
        _ => &[],
    }
}

/// What gcc links under its umbrella flags, in words.
pub const START_UP: &str = "start-up code that flushes to zero";

impl FlagText {
    /// The words of `variant`, those that `baseline` does not say taken apart; umbrella flags too, where `expands`. What the `project` says before both is
    /// taken apart where the baseline takes it back.
    pub fn new(
        variant: &BuildSpec,
        baseline: &BuildSpec,
        project: &[String],
        (kind, language): (CompilerKind, Language),
        expands: bool,
    ) -> FlagText {
        let (ours, theirs) = (grouped(&variant.flags), grouped(&baseline.flags));
        let projects = grouped(project);
        let project_umbrella = projects.iter().flatten().rev().find_map(|word| match word.as_str() {
            "-ffast-math" | "-Ofast" => Some(Some("-ffast-math")),
            of @ ("-ffp-model=fast" | "-ffp-model=aggressive" | "-funsafe-math-optimizations") => Some(Some(of)),
            "-fno-fast-math" => Some(None),
            _ => None,
        });
        let project_umbrella = project_umbrella.flatten().filter(|_| expands);
        let level = |words: &[Vec<String>]| words.iter().rfind(|of| is_level(of)).cloned();
        let (level_on, level_off) = (level(&ours), level(&theirs));
        let mut text = FlagText {
            compiler: variant.compiler.clone(),
            shared: Vec::new(),
            elements: Vec::new(),
            never_flushes: false,
        };
        if level_on != level_off {
            let mut on = level_on.clone().unwrap_or_default();
            let is_umbrella = on.iter().any(|word| word == "-Ofast") && expands;
            if is_umbrella {
                on = vec!["-O3".to_owned()];
            }
            let own = level(&projects).map_or("the default level".to_owned(), |level| level.join(" "));
            let name = if on.is_empty() { own } else { on.join(" ") };
            let off = level_off.clone().unwrap_or_default();
            text.elements.push(FlagElement { is_level: true, ..FlagElement::of(name, on, off) });
            if is_umbrella {
                ofast_of_fortran(kind, language)
                    .iter()
                    .for_each(|flag| text.add((*flag).to_owned(), vec![(*flag).to_owned()], Vec::new()));
                text.expand("-ffast-math", kind);
            }
        } else {
            text.shared.extend(level_on.into_iter().flatten());
        }
        for words in ours.iter().filter(|words| !is_level(words)) {
            // What stands behind an umbrella flag and says otherwise is what counts.
            text.elements.retain(|element| element.is_level || !words.iter().any(|word| denies(word, &element.name)));
            match words {
                words if theirs.contains(words) => text.shared.extend(words.iter().cloned()),
                words if expands && text.expand(&words[0], kind) => {}
                words => text.add(words.join(" "), words.clone(), Vec::new()),
            }
        }
        for words in theirs.iter().filter(|words| !is_level(words) && !ours.contains(words)) {
            if words[0] == "-fno-fast-math" && project_umbrella.is_some_and(|umbrella| text.expand(umbrella, kind)) {
                text.elements.retain(|element| !projects.iter().flatten().any(|word| denies(word, &element.name)));
                // Its parts are said behind that it is not.
                text.shared.extend(words.iter().cloned());
                continue;
            }
            let contracts = |element: &&mut FlagElement| element.on == [CONTRACTS] && element.off.is_empty();
            if *words == ["-ffp-contract=off"]
                && let Some(element) = text.elements.iter_mut().find(contracts)
            {
                element.off.clone_from(words);
                continue;
            }
            text.add(format!("no {}", words.join(" ")), Vec::new(), words.clone());
        }
        text
    }

    /// Adds the parts of an umbrella flag; whether it is one.
    fn expand(&mut self, flag: &str, kind: CompilerKind) -> bool {
        let fast: &[&str] = match kind {
            CompilerKind::Clang => &FAST_CLANG,
            // Fortran has no errno, and flang no flags about traps and complex numbers.
            CompilerKind::Flang => &FAST_CLANG[3..],
            CompilerKind::Gcc => &FAST_GCC,
            CompilerKind::Rustc => return false,
        };
        let parts: Vec<&str> = match flag {
            "-ffast-math" => fast.to_vec(),
            "-ffp-model=aggressive" if kind == CompilerKind::Clang => fast.to_vec(),
            "-ffp-model=fast" if kind == CompilerKind::Clang => {
                fast.iter().copied().filter(|part| !part.starts_with("-fno-honor-")).collect()
            }
            "-funsafe-math-optimizations" => fast.iter().copied().filter(|part| UNSAFE.contains(part)).collect(),
            "-ffinite-math-only" if kind == CompilerKind::Clang => vec!["-fno-honor-nans", "-fno-honor-infinities"],
            "-fassociative-math" => vec!["-fassociative-math"],
            _ => return false,
        };
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        for part in parts {
            let on = match (part, kind) {
                ("-fassociative-math", CompilerKind::Flang) => owned(&ASSOCIATIVE[..2]),
                ("-fassociative-math", _) => owned(&ASSOCIATIVE),
                _ => owned(&[part]),
            };
            self.add(part.to_owned(), on, Vec::new());
        }
        if kind == CompilerKind::Gcc && flag != "-ffinite-math-only" && flag != "-fassociative-math" {
            // Some of gcc's patterns ask for the umbrella itself.
            let none = FlagElement::of(START_UP.to_owned(), Vec::new(), Vec::new());
            self.elements.push(FlagElement { flushes: true, ..none });
            let umbrella = "-funsafe-math-optimizations".to_owned();
            let element = FlagElement::of(umbrella.clone(), vec![umbrella], Vec::new());
            self.push(FlagElement { is_umbrella: true, ..element });
        }
        true
    }

    fn add(&mut self, name: String, on: Vec<String>, off: Vec<String>) {
        self.push(FlagElement::of(name, on, off));
    }

    fn push(&mut self, element: FlagElement) {
        if !self.elements.contains(&element) {
            self.elements.push(element);
        }
    }

    /// The command line, for `--variant`, with these elements said and the others not.
    pub fn with(&self, said: &[bool]) -> String {
        let chosen = self.elements.iter().zip(said);
        let mut words: Vec<&str> = std::iter::once(&self.compiler).chain(&self.shared).map(String::as_str).collect();
        for (element, said) in chosen {
            let own = if *said { &element.on } else { &element.off };
            // What a flag comes with may stand there already.
            let brings_others = *said && !element.companions().is_empty();
            for word in own.iter().map(String::as_str) {
                if !(brings_others && words.contains(&word)) {
                    words.push(word);
                }
            }
        }
        shlex::try_join(words).unwrap_or_default()
    }

    /// The same words with an element that does not bring this companion along.
    pub fn without(&self, element: usize, companion: &str) -> FlagText {
        let mut text = self.clone();
        text.elements[element].on.retain(|word| word != companion);
        text
    }

    /// The same without start-up code that flushes to zero, where its flags link some; a project's umbrella flags need not stand where it links.
    pub fn without_start_up(&self) -> Option<FlagText> {
        let mut text = FlagText { never_flushes: true, ..self.clone() };
        text.elements.retain(|element| !element.flushes);
        (text.elements.len() < self.elements.len()).then_some(text)
    }

    /// Whether code built with these elements is to start flushing to zero; `None` where that is left to what the compiler links.
    pub fn flushes(&self, said: &[bool]) -> Option<bool> {
        if self.never_flushes {
            return Some(false);
        }
        let mut chosen = self.elements.iter().zip(said);
        chosen.find(|(element, _)| element.flushes).map(|(_, said)| *said)
    }

    /// The words that say these elements, each once: flags, and those without which compilers ignore them.
    pub fn words(&self, said: &[bool]) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for (element, _) in self.elements.iter().zip(said).filter(|(_, said)| **said) {
            let own = if element.on.is_empty() { std::slice::from_ref(&element.name) } else { &element.on };
            let own = if own.len() > 1 && !own[1].starts_with('-') { vec![own.join(" ")] } else { own.to_vec() };
            own.into_iter().for_each(|word| {
                if !words.contains(&word) {
                    words.push(word);
                }
            });
        }
        words
    }

    /// The same, telling an LLVM compiler to run no more optimisation passes than `limit`, and to name those that it comes to.
    pub fn bisected(&self, said: &[bool], language: Language, limit: u32) -> String {
        let option = format!("-opt-bisect-limit={limit}");
        match language {
            Language::Rust => format!("{} -C llvm-args={option}", self.with(said)),
            _ => format!("{} -mllvm {option}", self.with(said)),
        }
    }
}

/// Whether a word takes back what a part of an umbrella flag says.
fn denies(word: &str, part: &str) -> bool {
    if word == "-fno-fast-math" {
        let others = [START_UP, "-funsafe-math-optimizations"];
        return [&FAST_CLANG[..], &FAST_GCC, &others].concat().contains(&part);
    }
    match part.strip_prefix("-fno-") {
        Some(name) => word.strip_prefix("-f") == Some(name),
        None if part == CONTRACTS => word.starts_with("-ffp-contract=") && word != part,
        None => word.strip_prefix("-fno-").zip(part.strip_prefix("-f")).is_some_and(|(word, part)| word == part),
    }
}

/// Whether words say the level of optimisation.
fn is_level(words: &[String]) -> bool {
    match words {
        [word] => word.starts_with("-O") || word.starts_with("-Copt-level="),
        [first, second] => matches!(first.as_str(), "-C" | "--codegen") && second.starts_with("opt-level="),
        _ => false,
    }
}

/// Words that belong together.
fn grouped(words: &[String]) -> Vec<Vec<String>> {
    let mut groups = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let takes_next = PREFIX_WORDS.contains(&word.as_str()) || WITH_ARGUMENT.contains(&word.as_str());
        let next = if takes_next { rest.next() } else { None };
        groups.push(std::iter::once(word).chain(next).cloned().collect());
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_build;

    fn text(variant: &str, baseline: &str, kind: CompilerKind, expands: bool) -> FlagText {
        let language = match kind {
            CompilerKind::Rustc => Language::Rust,
            CompilerKind::Flang => Language::Fortran,
            _ => Language::C,
        };
        text_in(language, variant, baseline, kind, expands)
    }

    fn text_in(language: Language, variant: &str, baseline: &str, kind: CompilerKind, expands: bool) -> FlagText {
        let build = |text: &str| parse_build(text, language).expect("a build");
        FlagText::new(&build(variant), &build(baseline), &[], (kind, language), expands)
    }

    fn names(text: &FlagText) -> Vec<&str> {
        text.elements.iter().map(|element| element.name.as_str()).collect()
    }

    #[test]
    fn umbrellas_are_taken_apart() {
        let of = text("-O3 -ffast-math -DN=8", "-O0 -DN=8", CompilerKind::Clang, true);
        assert_eq!(names(&of)[0], "-O3");
        assert_eq!(names(&of)[1..], FAST_CLANG);
        assert_eq!(of.flushes(&[true; 11]), None);
        let none = vec![false; of.elements.len()];
        assert_eq!(of.with(&none), "clang '-DN=8' -O0");
        let mut one = none.clone();
        one[0] = true;
        one[10] = true;
        assert_eq!(of.with(&one), "clang '-DN=8' -O3 -fassociative-math -fno-signed-zeros -fno-trapping-math");
        assert_eq!(of.words(&one), ["-O3", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"]);
        assert_eq!(of.elements[10].companions(), ["-fno-signed-zeros", "-fno-trapping-math"]);
        let fewer = of.without(10, "-fno-trapping-math");
        assert_eq!(fewer.with(&one), "clang '-DN=8' -O3 -fassociative-math -fno-signed-zeros");
        assert_eq!(fewer.words(&one), ["-O3", "-fassociative-math", "-fno-signed-zeros"]);
        assert!(of.elements[..10].iter().all(|element| element.companions().is_empty()));
        let unexpanded = text("-O3 -ffast-math", "-O0", CompilerKind::Clang, false);
        assert_eq!(names(&unexpanded), ["-O3", "-ffast-math"]);
    }

    #[test]
    fn what_stands_behind_an_umbrella_counts() {
        let of = text("-O3 -ffast-math -ffp-contract=off", "-O3", CompilerKind::Clang, true);
        assert!(!names(&of).contains(&CONTRACTS) && names(&of).last() == Some(&"-ffp-contract=off"), "{of:?}");
        let shared = text("-O3 -ffast-math -ffp-contract=off", "-O3 -ffp-contract=off", CompilerKind::Clang, true);
        assert_eq!(names(&shared).len(), FAST_CLANG.len() - 1);
        let of = text("-O2 -Ofast -fno-fast-math -ffp-contract=on", "-O2", CompilerKind::Clang, true);
        assert_eq!(names(&of), ["-O3", "-fno-fast-math", "-ffp-contract=on"]);
        let of = text("-O2 -ffast-math -fsigned-zeros -fno-signed-zeros", "-O2", CompilerKind::Clang, true);
        assert_eq!(names(&of).last(), Some(&"-fno-signed-zeros"));
        let before = text("-O3 -ffp-contract=off -ffast-math", "-O3", CompilerKind::Clang, true);
        assert!(names(&before).contains(&CONTRACTS));
    }

    /// A project's -ffast-math did not stand where the library was linked, so that all parts together flushed to zero and the variant did not.
    #[test]
    fn parts_may_be_tried_without_start_up_code() {
        let of = text("gcc -O3 -ffast-math", "gcc -O0", CompilerKind::Gcc, true);
        let without = of.without_start_up().expect("gcc links some");
        assert_eq!(without.elements.len() + 1, of.elements.len());
        assert_eq!(of.flushes(&vec![true; of.elements.len()]), Some(true));
        assert_eq!(without.flushes(&vec![true; without.elements.len()]), Some(false));
        assert_eq!(without.without_start_up(), None);
        assert_eq!(text("-O3 -ffast-math", "-O0", CompilerKind::Clang, true).without_start_up(), None);
    }

    #[test]
    fn a_level_that_is_an_umbrella_is_both() {
        let of = text("gcc -Ofast -march=native", "gcc -O2", CompilerKind::Gcc, true);
        assert_eq!(names(&of)[0], "-O3");
        assert!(names(&of).contains(&"-ffinite-math-only") && names(&of).contains(&START_UP));
        assert_eq!(names(&of).last(), Some(&"-march=native"));
        let only = |wanted: &str| -> Vec<bool> { names(&of).iter().map(|name| *name == wanted).collect() };
        assert_eq!(of.flushes(&only(START_UP)), Some(true));
        assert_eq!(of.flushes(&only("-O3")), Some(false));
        assert_eq!(of.words(&only(START_UP)), [START_UP]);
    }

    /// The parts of -ffast-math alone do not do what gfortran's -Ofast does to `(a + b) - a`.
    #[test]
    fn fortran_s_ofast_says_more_than_fast_math() {
        let of = |compiler: &str, language, kind| {
            text_in(language, &format!("{compiler} -Ofast"), &format!("{compiler} -O0"), kind, true)
        };
        let gfortran = of("gfortran", Language::Fortran, CompilerKind::Gcc);
        assert_eq!(names(&gfortran)[..3], ["-O3", "-fno-protect-parens", "-fstack-arrays"]);
        assert!(names(&gfortran).contains(&"-fassociative-math"));
        let fast_math = text_in(Language::Fortran, "gfortran -O3 -ffast-math", "gfortran -O0", CompilerKind::Gcc, true);
        assert!(!names(&fast_math).contains(&"-fno-protect-parens"));
        assert!(!names(&of("gcc", Language::C, CompilerKind::Gcc)).contains(&"-fno-protect-parens"));
        assert_eq!(
            names(&of("flang", Language::Fortran, CompilerKind::Flang))[1..3],
            ["-fstack-arrays", "-fno-signed-zeros"]
        );
    }

    #[test]
    fn what_only_the_baseline_says_is_an_element_too() {
        let of = text("-O2", "-O2 -frounding-math -Xclang -w", CompilerKind::Clang, true);
        assert_eq!(names(&of), ["no -frounding-math", "no -Xclang -w"]);
        assert_eq!(of.with(&[true, true]), "clang -O2");
        assert_eq!(of.with(&[true, false]), "clang -O2 -Xclang -w");
    }

    /// As the CMake module compares a target with itself.
    #[test]
    fn what_the_project_says_and_the_baseline_takes_back_is_taken_apart() {
        let build = |text: &str| parse_build(text, Language::C).expect("a build");
        let project = ["-O2", "-DN=8", "-ffast-math"].map(str::to_owned);
        let (variant, baseline) = (build("clang"), build("clang -O0 -fno-fast-math -ffp-contract=off"));
        let of = FlagText::new(&variant, &baseline, &project, (CompilerKind::Clang, Language::C), true);
        assert_eq!(names(&of)[0], "-O2");
        assert_eq!(names(&of)[1..], FAST_CLANG);
        let mut said = vec![false; 11];
        assert_eq!(of.with(&said), "clang -fno-fast-math -O0 '-ffp-contract=off'");
        (said[0], said[8]) = (true, true);
        assert_eq!(of.with(&said), "clang -fno-fast-math '-ffp-contract=off' -freciprocal-math");
        assert_eq!(of.words(&said), ["-O2", "-freciprocal-math"]);
        let slow = FlagText::new(&variant, &baseline, &project[..2], (CompilerKind::Clang, Language::C), true);
        assert_eq!(names(&slow), ["-O2", "no -fno-fast-math", "no -ffp-contract=off"]);
        let of_project = |flags: &[&str]| {
            let project: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
            let of = FlagText::new(&variant, &baseline, &project, (CompilerKind::Clang, Language::C), true);
            names(&of).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(of_project(&["-O2", "-funsafe-math-optimizations"])[1..], UNSAFE);
        assert!(!of_project(&["-O2", "-ffp-model=fast"]).contains(&"-fno-honor-nans".to_owned()));
        let parts = of_project(&["-O2", "-ffast-math", "-fno-associative-math", "-ffp-contract=off"]);
        assert!(parts.contains(&"-freciprocal-math".to_owned()) && !parts.contains(&"-fassociative-math".to_owned()));
        assert!(!parts.contains(&CONTRACTS.to_owned()), "{parts:?}");
        let model = text("-O2 -ffp-model=fast", "-O2", CompilerKind::Clang, true);
        assert!(names(&model).contains(&"-fassociative-math") && !names(&model).contains(&"-fno-honor-nans"));
    }

    #[test]
    fn options_of_rustc_stay_together() {
        let of = text("-C opt-level=3 -C target-cpu=native", "-C opt-level=0", CompilerKind::Rustc, true);
        assert_eq!(names(&of), ["-C opt-level=3", "-C target-cpu=native"]);
        assert_eq!(of.with(&[true, false]), "rustc -C 'opt-level=3'");
        assert_eq!(
            of.bisected(&[true, false], Language::Rust, 7),
            "rustc -C 'opt-level=3' -C llvm-args=-opt-bisect-limit=7"
        );
    }
}
