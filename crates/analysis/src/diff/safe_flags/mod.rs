//! The largest parts of a variant's flags under which the search finds nothing.
//!
//! **Claim.** Of each set that is told, the builds that it makes were searched as the variant was, and no divergence of the chosen severity or worse was seen, on
//! the variant's witnesses neither. Adding any flag of the others makes a set with which some witness shows one.
//! **Argument.** Both were run. A set is taken to be spoilt where a part of it is, so that its supersets are not built; this is how "adding any" is meant. Of
//! each least spoilt set that is run with one flag more, whichever: sets that have it and a flag with which it shows nothing are tried as others are.
//! Sets without the variant's level of optimisation are not told where the baseline's optimises nothing.
//! **What is left open.** A search proves nothing: what is said is "none found". Sets in which only several flags together undo what others spoil are passed
//! over; what the limits of work and time left is said. What the solver proves of exceptions over the IR stands with a set.
//!
//! The largest set that no known spoilt set is part of, and that is part of no good one, is the next that is tried: first on the known witnesses, which costs a build, then by a
//! search, which may find new witnesses. One that is spoilt is cut down to a set that is not without any one of its flags. After M. H. Liffiton,
//! A. Previti, A. Malik, J. Marques-Silva, "Fast, flexible MUS enumeration", Constraints 2016, whose map of subsets is a list of all masks here: there are a dozen flags.

mod masks;
mod search;
mod speed;

use std::path::{Path, PathBuf};

use labrys_program::{BuildSpec, Compiler, CompilerKind, FlagElement, FlagText, Language, parse_build};
use labrys_report::{SafeFlags, SafeSet, SetVerdict, Severity, SnippetCompiler};

use super::builds::{self, BUILD_LIMIT, Prepared};
use super::compared::Compared;
use super::request::{Request, Subject};
use crate::AnalysisError;
use crate::run::clock::Clock;
use crate::run::progress::Progress;
use masks::{Mask, Masks};
use search::Search;

/// Of more parts than these umbrella flags are left whole.
const MOST_PARTS: usize = 16;
/// How many sets are searched.
const MOST_SEARCHES: usize = 24;
/// How many builds are made to run known witnesses.
const MOST_BUILDS: usize = 256;

/// The parts of a variant's flags.
struct Parts {
    text: FlagText,
    language: Language,
    source: PathBuf,
    /// The variant's compiler.
    compiler: Compiler,
    /// The baseline's level of optimisation, where that optimises nothing.
    lowest: Option<String>,
    /// The elements that a user can say or leave: all but start-up code.
    varied: Vec<usize>,
}

/// The source and its language, where parts of its variant's flags can be tried.
///
/// # Errors
///
/// Where nothing, or several things, are built with a variant's flags.
pub fn check(request: &Request) -> Result<(&Path, Language), AnalysisError> {
    let refused = |why: &str| Err(AnalysisError::Usage(why.to_owned()));
    let Subject::Source(source) = &request.subject else {
        return refused("--safe-flags is of one source, built several ways");
    };
    if request.variants.len() > 1 {
        return refused("--safe-flags is of one --variant");
    }
    match Language::of(source)? {
        Language::Ir => refused("--safe-flags is of source code, not of IR"),
        language => Ok((source, language)),
    }
}

/// The largest sets of the variant's flags under which no divergence of `severity` or worse is found, and how fast the code is: names and ratios for the report's
/// timing.
///
/// # Errors
///
/// Where the baseline cannot be built any more, or its workers not be kept running.
pub fn safe_flags(
    request: &Request,
    (prepared, compared): (&Prepared, &Compared),
    severity: Severity,
    clock: &Clock,
    progress: &dyn Progress,
) -> Result<(SafeFlags, Vec<(String, f64)>), AnalysisError> {
    let parts = Parts::new(request, clock)?;
    let mut search = Search::new(request, prepared, severity, clock, progress)?;
    search.learn(&compared.findings)?;
    let mut masks = Masks::new(parts.count());
    let mut found = SafeFlags { severity, ..SafeFlags::default() };
    let mut sets: Vec<(Mask, SafeSet)> = Vec::new();
    let mut searched = None;
    let mut checked = 0;
    loop {
        if found.unfinished.is_none()
            && let Some(mask) = masks.largest_open()
        {
            if let Some(stop) = search.stop() {
                found.unfinished = Some(stop);
                continue;
            }
            match search.is_spoilt(&parts, mask)? {
                Some(true) => {
                    let least = search.least(&parts, mask)?;
                    masks.spoil(mask, least);
                    continue;
                }
                // What its search found did not show again: it is no set to recommend, and another search of it would say no more.
                Some(false) if searched == Some(mask) => {
                    masks.pass_over(mask);
                    continue;
                }
                Some(false) => {}
                // What cannot be built is no set to recommend.
                None => {
                    masks.pass_over(mask);
                    continue;
                }
            }
            match search.of_set(&parts, mask)? {
                search::Found::New => searched = Some(mask),
                search::Found::Nothing { inputs, is_whole, proofs } => {
                    masks.accept(mask);
                    sets.retain(|(known, _)| !known.is_part_of(mask));
                    let verdict = if is_whole { SetVerdict::NoneFound } else { SetVerdict::CutShort };
                    sets.push((mask, SafeSet { proofs, ..parts.set(mask, verdict, inputs) }));
                }
            }
            continue;
        }
        if let Some(stop) = search.stop() {
            let is_left = masks.unexamined().is_some() || (!sets.is_empty() && checked != search.witnesses());
            found.unfinished = found.unfinished.or(is_left.then_some(stop));
            break;
        }
        // A witness that came later may spoil a set that was taken before: parts of it may be none the worse.
        let before = sets.len();
        let is_checked = std::mem::replace(&mut checked, search.witnesses()) == search.witnesses();
        let to_check = if is_checked { Vec::new() } else { std::mem::take(&mut sets) };
        for (mask, set) in to_check {
            if search.is_spoilt(&parts, mask)? == Some(true) {
                let least = search.least(&parts, mask)?;
                masks.spoil(mask, least);
            } else {
                sets.push((mask, set));
            }
        }
        if sets.len() < before {
            continue;
        }
        let Some(set) = masks.unexamined().filter(|_| found.unfinished.is_none()) else { break };
        let undoing = search.undoing(&parts, set)?;
        masks.undo(set, undoing.into_iter());
        found.unfinished = search.stop();
    }
    sets.sort_by_key(|(mask, _)| std::cmp::Reverse(mask.count()));
    found.spoilt = masks.spoilt().iter().map(|mask| parts.words(*mask)).collect();
    found.notes = parts.notes();
    let count = sets.len();
    sets.retain(|(mask, _)| !parts.is_unoptimised(*mask));
    if let Some(lowest) = parts.lowest.as_ref().filter(|_| sets.is_empty() && count > 0) {
        found.notes.push(format!("sets at the baseline's {lowest} are not listed: they make the code no faster"));
    }
    found.builds = search.builds() as u64;
    let made: Vec<String> = sets.iter().map(|(mask, _)| parts.build(*mask)).collect();
    let ratios = speed::ratios(request, prepared, &made, clock)?;
    let named = ratios.into_iter().enumerate();
    let timing = named.filter_map(|(index, ratio)| Some((SafeFlags::timing_key(index), ratio?))).collect();
    found.sets = sets.into_iter().map(|(_, set)| set).collect();
    Ok((found, timing))
}

impl Parts {
    fn new(request: &Request, clock: &Clock) -> Result<Parts, AnalysisError> {
        let (source, language) = check(request)?;
        let text = |given: Option<&String>, default: &str| parse_build(given.map_or(default, String::as_str), language);
        let baseline: BuildSpec = text(request.baseline.as_ref(), language.default_baseline())?;
        let variant: BuildSpec = text(request.variants.first(), language.default_variant())?;
        let compiler = Compiler::find(&variant.compiler, language, clock.deadline(BUILD_LIMIT))?;
        let kind: CompilerKind = compiler.kind;
        let project = builds::project_flags(request);
        let taken_apart = FlagText::new(&variant, &baseline, &project, (kind, language), true);
        let can_be_said = |text: &FlagText| -> Vec<usize> {
            (0..text.elements.len()).filter(|index| !text.elements[*index].flushes).collect()
        };
        let is_few = can_be_said(&taken_apart).len() <= MOST_PARTS;
        let text =
            if is_few { taken_apart } else { FlagText::new(&variant, &baseline, &project, (kind, language), false) };
        let varied = can_be_said(&text);
        if varied.len() > MOST_PARTS {
            let count = varied.len();
            return Err(AnalysisError::Usage(format!("--safe-flags takes at most {MOST_PARTS} flags, not {count}")));
        }
        let is_level = |word: &&String| word.starts_with("-O") || word.contains("opt-level=");
        let level = project.iter().chain(&baseline.flags).rfind(is_level);
        let lowest = level.map_or(Some("-O0"), |level| level.ends_with('0').then_some(level)).map(str::to_owned);
        Ok(Parts { text, language, source: source.to_owned(), compiler, lowest, varied })
    }

    fn count(&self) -> usize {
        self.varied.len()
    }

    fn said(&self, mask: Mask) -> Vec<bool> {
        let mut said = vec![false; self.text.elements.len()];
        self.varied.iter().enumerate().for_each(|(index, element)| said[*element] = mask.has(index));
        said
    }

    /// Compiler and flags, as for `--variant`.
    fn build(&self, mask: Mask) -> String {
        self.text.with(&self.said(mask))
    }

    fn words(&self, mask: Mask) -> Vec<String> {
        self.text.words(&self.said(mask))
    }

    /// Whether a set leaves out the variant's level where the baseline's optimises nothing: what else it says makes the code hardly faster.
    fn is_unoptimised(&self, mask: Mask) -> bool {
        let is_level = |element: usize| self.text.elements[element].is_level;
        let mut levels = self.varied.iter().enumerate().filter(|(_, element)| is_level(**element));
        self.lowest.is_some() && levels.any(|(index, _)| !mask.has(index))
    }

    /// What the compiler of a snippet is called; nothing where that is rustc.
    fn snippet_compiler(&self) -> Option<SnippetCompiler<'_>> {
        let family = match self.compiler.kind {
            CompilerKind::Clang => "Clang",
            CompilerKind::Gcc => "GNU",
            CompilerKind::Flang => "LLVMFlang",
            CompilerKind::Rustc => return None,
        };
        let language = match self.language {
            Language::Cpp => "CXX",
            Language::Fortran => "Fortran",
            _ => "C",
        };
        Some(SnippetCompiler { name: &self.compiler.name, language, family })
    }

    /// Which flags are never said alone.
    fn notes(&self) -> Vec<String> {
        let elements = self.varied.iter().map(|index| &self.text.elements[*index]);
        let with_others = elements.filter(|of| !of.companions().is_empty());
        let note = |of: &FlagElement| {
            let companions = of.companions().join(" and ");
            format!("{} is tried with {companions}, without which there are compilers that ignore it", of.name)
        };
        with_others.map(note).collect()
    }

    fn set(&self, mask: Mask, verdict: SetVerdict, inputs: u64) -> SafeSet {
        let build = self.build(mask);
        let words = shlex::split(&build).unwrap_or_default();
        let flags: Vec<String> = words.into_iter().skip(1).collect();
        let left_out = self.varied.iter().enumerate().filter(|(index, _)| !mask.has(*index));
        // A flag that another one brings along is there.
        let left_out = left_out.filter(|(_, element)| !flags.contains(&self.text.elements[**element].name));
        let source = self.source.as_path();
        let compiler = self.snippet_compiler();
        SafeSet {
            left_out: left_out.map(|(_, element)| self.text.elements[*element].name.clone()).collect(),
            cmake: labrys_report::cmake_snippet(source, &flags, compiler),
            cargo: labrys_report::cargo_snippet(source, &flags, compiler),
            flags,
            verdict,
            inputs,
            proofs: Vec::new(),
        }
    }
}
