//! What a divergence takes of its variant's making: which flags, and which optimisation pass.
//!
//! **Claim.** With the flags that are named, and those that both builds have, the variant's compiler makes code that on the witness differs
//! from the baseline as the variant does, and without any one of them it does not. That build, with all optimisation passes up to
//! the one that is named, does, and with those before it alone does not. Of a library that is said of the sources that are named, the others made as the baseline is.
//! **Argument.** Each of these builds was made, and run on the witness. What could not be made shows nothing.
//! **What is left open.** Further sets of flags may do it, too: two are looked for among the flags that are left. A smaller one may, where flags work only together. Flags that a compiler ignores
//! another one without are tried like any other.
//!
//! The pass is LLVM's, by `-opt-bisect-limit`. Of a crate's function it is one of those of the crate, compiled as one unit, or of what calls the function, the other
//! compiled as the variant is. After A. Zeller, R. Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE 2002, whose
//! circumstances are flags and passes here.
//!
//! `source` makes builds of a file, `units` those of a library; `library` is a library run's stage, `later` one finding of a report.

mod flags;
mod later;
mod library;
mod passes;
mod places;
mod source;
mod trials;
mod units;

use std::path::Path;

use labrys_float::Flags;
use labrys_program::{
    Compiler, CompilerKind, FlagText, InputLayout, Language, OperationPlace, OutputLayout, START_UP, demangled,
    may_change_results, parse_build,
};
use labrys_report::{Blame, Cause, CauseKind, Finding, Severity, has_finite_math, input_record};

use super::builds::Prepared;
use super::compare::Policy;
use super::observers::Observers;
use super::request::Request;
use crate::error::AnalysisError;
use crate::run::clock::Clock;
use crate::run::progress::Progress;
use crate::whole::user_words::user_words_with;
use passes::Counted;
use trials::{Trials, Witness};

pub use later::blame;
pub(super) use library::Stage;
pub(super) use source::OfSource;
pub(super) use trials::{Maker, Making, TrialBuild, start_trial};

/// What is found out of a finding, or why nothing is.
pub type Answer = Result<Blame, String>;

/// An answer, and what differs first: as the finding says, or where that is looked for again, in the code as it is now.
pub(super) struct Answered {
    /// What differs first.
    pub cause: Option<Cause>,
    /// What makes it.
    pub answer: Answer,
}

/// What all of it knows.
pub(super) struct Blaming<'a> {
    /// What was asked for.
    pub request: &'a Request,
    /// What was built.
    pub prepared: &'a Prepared,
    /// What counts as a difference.
    pub policy: Policy,
    /// How inputs lie in records.
    pub inputs: &'a InputLayout,
    /// How outputs lie in records.
    pub outputs: &'a OutputLayout,
    /// Who makes builds to be tried.
    pub maker: &'a dyn Maker,
    /// Where they are made.
    pub folder: &'a Path,
    /// Whether what differs first is looked for again: since the findings were told, lines of the source may have moved.
    pub locates: bool,
    /// When to stop.
    pub clock: &'a Clock,
    /// Who may interrupt.
    pub progress: &'a dyn Progress,
}

/// A divergence whose making is asked for.
pub(super) struct Asked {
    /// The build that differs from the baseline.
    pub variant: usize,
    /// The witness.
    pub record: Vec<u8>,
    /// The exceptions that were compared.
    pub compared: Flags,
    /// What differs first.
    pub cause: Option<Cause>,
    /// Whether the order of exceptions is all that differs.
    pub is_of_trace: bool,
    /// Whether results are compared.
    pub results: bool,
}

impl Asked {
    /// A finding with its variant and witness; `None` of another analysis.
    pub(super) fn of(finding: &Finding, variant: usize, record: Vec<u8>) -> Option<Asked> {
        let details = finding.difference()?;
        let is_of_trace = finding.severity == Severity::Trace;
        let (compared, results) = (details.compared, details.compares_results());
        Some(Asked { variant, record, compared, cause: details.cause.clone(), is_of_trace, results })
    }
}

/// Findings of a report with their records and variants.
fn asked(prepared: &Prepared, inputs: &InputLayout, findings: &[&Finding]) -> Result<Vec<Asked>, AnalysisError> {
    let one = |finding: &&Finding| {
        let other = || AnalysisError::other_analysis("diff");
        let role = finding.difference().ok_or_else(other)?.between.last();
        let variant = role.and_then(|role| prepared.builds.iter().position(|made| made.build.role == *role));
        let gone = || AnalysisError::Usage("the finding names a build that its command does not make".to_owned());
        let record = input_record(inputs, &finding.inputs)?;
        Asked::of(finding, variant.ok_or_else(gone)?, record).ok_or_else(other)
    };
    findings.iter().map(one).collect()
}

/// Enters what was found out, or why nothing was.
pub fn enter(finding: &mut Finding, answer: Answer) {
    let Some(details) = finding.difference_mut() else { return };
    if let Ok(blame) = &answer
        && details.cause.as_ref().is_some_and(|cause| cause.kind == CauseKind::Flushing)
        && !blame.flags.iter().any(|flag| flag == START_UP)
    {
        // Flushing would do the same, and is not needed for it.
        details.set_cause(None);
    }
    match answer {
        Ok(blame) => (details.blame, details.unblamed) = (Some(blame), None),
        Err(why) => (details.blame, details.unblamed) = (None, Some(why)),
    }
}

/// The same, and what differs first by what was found out.
pub(super) fn enter_answered(finding: &mut Finding, Answered { cause, answer }: Answered) {
    if let Some(details) = finding.difference_mut()
        && details.cause != cause
    {
        details.set_cause(cause);
    }
    enter(finding, answer);
}

/// Whether a cause is a flag's promise.
fn is_promise(cause: Option<&Cause>) -> bool {
    cause.is_some_and(|cause| cause.kind == CauseKind::Licence)
}

impl Texts {
    /// Whether a compiler of LLVM's makes the variant of a source in C, C++ or Fortran.
    fn is_of_llvm(&self) -> bool {
        matches!(self.passes_of, Some(Counted::Compiler(Language::C | Language::Cpp | Language::Fortran)))
    }
}

impl Blaming<'_> {
    /// What is found out of each divergence, in the order in which they are asked, as long as there is time.
    ///
    /// # Errors
    ///
    /// Where workers of the builds that were compared cannot be kept running.
    pub(super) fn answers(&self, asked: &[Asked], observers: &mut Observers) -> Result<Vec<Answered>, AnalysisError> {
        let unanswered = |of: &Asked| Answered { cause: of.cause.clone(), answer: Err(String::new()) };
        let mut answers: Vec<Answered> = asked.iter().map(unanswered).collect();
        for variant in 1..=self.prepared.variants {
            let (mut places, mut witnesses) = (Vec::new(), Vec::new());
            for (place, of) in asked.iter().enumerate().filter(|(_, of)| of.variant == variant) {
                match Witness::of(self, of, observers)? {
                    Ok(witness) => {
                        answers[place].cause.clone_from(&witness.cause);
                        places.push(place);
                        witnesses.push(witness);
                    }
                    Err(why) => answers[place].answer = Err(why),
                }
            }
            if witnesses.is_empty() {
                continue;
            }
            let Some(texts) = self.texts(variant) else {
                places.into_iter().for_each(|place| answers[place].answer = Err("its flags cannot be read".to_owned()));
                continue;
            };
            let mut trials = Trials::new(self, variant, witnesses);
            let (mut unpromised, mut shown) = (Vec::new(), Vec::new());
            for (witness, place) in places.into_iter().enumerate() {
                let of = &mut answers[place];
                of.answer = self.of_witness(&mut trials, &texts, witness, of.cause.as_ref()).map(|(blame, found)| {
                    shown.push((witness, place, found));
                    blame
                });
                if is_promise(of.cause.as_ref()) && of.answer.as_ref().is_ok_and(|of| !has_finite_math(&of.flags)) {
                    unpromised.push((witness, place));
                }
            }
            // The input breaks a promise that it does not take: what differs first is what happens.
            for (witness, place) in unpromised {
                let cause = self.cause(&asked[place], trials.witness(witness), observers)?;
                if let Ok(blame) = &mut answers[place].answer {
                    blame.place = cause.as_ref().map(|of| of.place.clone()).filter(|place| place.line.is_some());
                }
                answers[place].cause = cause;
            }
            for (witness, place, found) in shown.iter().filter(|_| texts.is_of_llvm()) {
                let of = &mut answers[*place];
                let mended = self.mended(&mut trials, found, *witness, of.cause.as_ref(), observers);
                if let (Ok(blame), Some((cause, is_of_several))) = (&mut of.answer, mended) {
                    blame.place = Some(cause.place.clone());
                    (blame.place_is_tried, blame.place_is_of_several) = (true, is_of_several);
                    of.cause = Some(cause);
                }
            }
            // What else would do it is looked at when each divergence has its answer.
            for (witness, place, found) in shown {
                if let Ok(blame) = &mut answers[place].answer {
                    let others = flags::others(&mut trials, &found, witness);
                    blame.also = others.iter().map(|of| of.text.words(&of.said)).collect();
                }
            }
        }
        Ok(answers)
    }

    /// What is found out of one witness, and the set of flags that shows it.
    fn of_witness(
        &self,
        trials: &mut Trials<'_>,
        texts: &Texts,
        witness: usize,
        cause: Option<&Cause>,
    ) -> Result<(Blame, flags::Shown), String> {
        let mut why = String::new();
        for units in self.maker.candidates(cause) {
            let shown = match flags::smallest(trials, &texts.of, witness, units) {
                Ok(found) => flags::exact(trials, found, witness),
                Err(reason) => {
                    // What the first candidate came to says most.
                    why = if why.is_empty() { reason } else { why };
                    continue;
                }
            };
            let flags::Shown { text, units, said, .. } = &shown;
            let mut named = text.elements.iter().zip(said).filter(|(_, said)| **said).map(|(element, _)| element);
            let level = named.find(|element| element.is_level).map(|element| element.name.clone());
            let flags = text.words(said);
            let takes_none = flags.iter().all(|flag| Some(flag) == level.as_ref());
            let blame = Blame {
                flags,
                level,
                pass: texts
                    .passes_of
                    .and_then(|counted| passes::first(trials, &shown, counted, witness))
                    .map(|pass| self.in_user_words(&pass)),
                sources: self.maker.names(units),
                place: cause.map(|cause| cause.place.clone()).filter(|place| place.line.is_some()),
                place_is_tried: false,
                place_is_of_several: false,
                also: Vec::new(),
                own: if takes_none { self.own_flags() } else { Vec::new() },
            };
            return Ok((blame, shown));
        }
        Err(why)
    }

    /// What differs where a divergence is mended, and whether that takes several places.
    fn mended(
        &self,
        trials: &mut Trials<'_>,
        shown: &flags::Shown,
        witness: usize,
        cause: Option<&Cause>,
        observers: &mut Observers,
    ) -> Option<(Cause, bool)> {
        // A promise that is broken and flushing have no place.
        let is_of_place = |of: &Cause| of.place.line.is_some() || matches!(of.kind, CauseKind::CodeGeneration);
        if !cause.is_none_or(is_of_place) {
            return None;
        }
        let (places, mut causes): (Vec<OperationPlace>, Vec<Cause>) =
            self.operations(trials.witness(witness), observers).into_iter().unzip();
        let told = cause.and_then(|cause| causes.iter().position(|of| of.place == cause.place));
        let places::Needed { place, is_of_several } = places::mended(trials, shown, &places, told, witness)?;
        if let Some(cause) = cause.filter(|_| Some(place) == told) {
            return Some((cause.clone(), is_of_several));
        }
        let found = causes.swap_remove(place);
        // What is promised of an operation's value decides what tests of it come to; the value is the same.
        let mut flags = shown.said_flags();
        let promise = flags.pop().filter(|flag| {
            let is_promise = has_finite_math(std::slice::from_ref(flag));
            flags.is_empty() && is_promise && !trials.witness(witness).is_clean()
        });
        let cause = match promise {
            Some(flag) => Cause { place: found.place, ..Cause::licence(&flag) },
            None => found,
        };
        Some((cause, is_of_several))
    }

    /// What of the flags that all builds have may change results; their levels do not, for a build's own comes later.
    fn own_flags(&self) -> Vec<String> {
        let project = self.maker.project_flags();
        project.into_iter().filter(|flag| may_change_results(flag) && !flag.starts_with("-O")).collect()
    }

    /// A pass that ran on a function as users call it: on a crate's where it ran on what calls that.
    fn in_user_words(&self, pass: &str) -> String {
        let of_crate = self.request.run.of_crate.as_ref();
        user_words_with(pass, &|name| of_crate.and_then(|of| of.named(name)).or_else(|| demangled(name)))
    }

    /// The variant's flags, taken apart and as they are.
    fn texts(&self, variant: usize) -> Option<Texts> {
        let language = self.maker.language();
        let text = |given: Option<&String>, default: &str| parse_build(given.map_or(default, String::as_str), language);
        let baseline = text(self.request.baseline.as_ref(), language.default_baseline()).ok()?;
        let variant = text(self.request.variants.get(variant - 1), language.default_variant()).ok()?;
        let kind = match language {
            Language::Ir => CompilerKind::Clang,
            // It is the only one, and where a stranger's report is blamed it must not be asked in this folder.
            Language::Rust => CompilerKind::Rustc,
            _ => {
                Compiler::find(&variant.compiler, language, self.clock.deadline(super::builds::BUILD_LIMIT)).ok()?.kind
            }
        };
        let kind = self.maker.kind(kind);
        let project = self.maker.project_flags();
        let of = (kind, self.maker.compiled_language());
        let [parts, as_is] = [true, false].map(|expands| FlagText::new(&variant, &baseline, &project, of, expands));
        let without = parts.without_start_up();
        let counted = if self.request.run.of_crate.is_some() { Counted::Crate } else { Counted::Compiler(language) };
        let has_passes = kind != CompilerKind::Gcc && language != Language::Ir;
        let of = std::iter::once(parts).chain(without).chain([as_is]).collect();
        Some(Texts { passes_of: has_passes.then_some(counted), of })
    }

    fn is_over(&self) -> bool {
        self.clock.stop(self.progress).is_some()
    }
}

/// A variant's words.
struct Texts {
    /// Whose passes are counted, where they are told.
    passes_of: Option<Counted>,
    /// With umbrella flags taken apart, without what they link, and as they are: for where the parts together do less than the umbrella.
    of: Vec<FlagText>,
}
