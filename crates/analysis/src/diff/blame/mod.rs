//! What a divergence takes of its variant's making: which flags, and which optimisation pass.
//!
//! **Claim.** With the flags that are named, and those that both builds have, the variant's compiler makes code that on the witness differs
//! from the baseline as the variant does, and without any one of them it does not. The variant itself, with all optimisation passes up to
//! the one that is named, does, and with those before it alone does not.
//! **Argument.** Each of these builds was made, and run on the witness. What could not be made shows nothing.
//! **What is left open.** Another set of flags may do it, too; a smaller one, where flags work only together.
//!
//! The pass is LLVM's, by `-opt-bisect-limit`. After A. Zeller, R. Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE 2002, whose
//! circumstances are flags and passes here.

mod flags;
mod passes;
mod trials;

use labrys_program::{Compiler, CompilerKind, FlagText, Language, parse_build};
use labrys_report::Blame;

use super::builds::Prepared;
use super::findings::Distilled;
use super::judge::Scene;
use super::observers::Observers;
use super::request::{Request, Subject};
use crate::error::AnalysisError;
use crate::run::clock::Clock;
use crate::run::progress::Progress;
use trials::{Trials, Witness};

/// What all of it knows.
pub(super) struct Blaming<'a> {
    /// What was asked for.
    pub request: &'a Request,
    /// What was built.
    pub prepared: &'a Prepared,
    /// What was searched.
    pub scene: &'a Scene<'a>,
    /// When to stop.
    pub clock: &'a Clock,
    /// Who may interrupt.
    pub progress: &'a dyn Progress,
}

impl Blaming<'_> {
    /// Finds out for each finding, worst first, as long as there is time. Those that nothing is found out of keep none.
    ///
    /// # Errors
    ///
    /// Where workers of the builds that were compared cannot be kept running.
    pub(super) fn blame(&self, found: &mut [Distilled], observers: &mut Observers) -> Result<(), AnalysisError> {
        let Subject::Source(source) = &self.request.subject else { return Ok(()) };
        if !self.request.blames {
            return Ok(());
        }
        let language = Language::of(source)?;
        for variant in 1..=self.prepared.variants {
            let mut order: Vec<usize> = (0..found.len()).collect();
            order.retain(|index| found[*index].variant == variant);
            order.sort_by_cached_key(|index| found[*index].finding.rank());
            let mut asked: Vec<(usize, Witness)> = Vec::new();
            for index in order {
                if let Some(witness) = Witness::of(self, &found[index], observers)? {
                    asked.push((index, witness));
                }
            }
            if asked.is_empty() || self.is_over() {
                continue;
            }
            let (indices, witnesses): (Vec<usize>, Vec<Witness>) = asked.into_iter().unzip();
            for (index, blame) in indices.into_iter().zip(self.of_variant(variant, language, witnesses)) {
                if let (Some(details), Some(blame)) = (found[index].finding.difference_mut(), blame) {
                    details.blame = Some(blame);
                }
            }
        }
        Ok(())
    }

    /// What is found out of a variant's witnesses, in their order.
    fn of_variant(&self, variant: usize, language: Language, witnesses: Vec<Witness>) -> Vec<Option<Blame>> {
        let count = witnesses.len();
        let mut trials = Trials::new(self, variant, witnesses);
        let Some(texts) = self.texts(variant, language) else { return vec![None; count] };
        let has_passes = texts.kind != CompilerKind::Gcc && language != Language::Ir;
        let mut blames = Vec::with_capacity(count);
        for witness in 0..count {
            let blame = flags::smallest(&mut trials, &texts.of, witness).map(|(text, said)| {
                let mut named = text.elements.iter().zip(&said).filter(|(_, said)| **said).map(|(element, _)| element);
                Blame {
                    flags: text.words(&said),
                    level: named.find(|element| element.is_level).map(|element| element.name.clone()),
                    pass: if has_passes { passes::first(&mut trials, &texts.of[1], language, witness) } else { None },
                }
            });
            blames.push(blame);
        }
        blames
    }

    /// The variant's flags, taken apart and as they are.
    fn texts(&self, variant: usize, language: Language) -> Option<Texts> {
        let text = |given: Option<&String>, default: &str| parse_build(given.map_or(default, String::as_str), language);
        let baseline = text(self.request.baseline.as_ref(), language.default_baseline()).ok()?;
        let variant = text(self.request.variants.get(variant - 1), language.default_variant()).ok()?;
        let kind = match language {
            Language::Ir => CompilerKind::Clang,
            _ => {
                Compiler::find(&variant.compiler, language, self.clock.deadline(super::builds::BUILD_LIMIT)).ok()?.kind
            }
        };
        let of = [true, false].map(|expands| FlagText::new(&variant, &baseline, kind, expands));
        Some(Texts { kind, of })
    }

    fn is_over(&self) -> bool {
        self.clock.stop(self.progress).is_some()
    }
}

/// A variant's words.
struct Texts {
    kind: CompilerKind,
    /// With umbrella flags taken apart, and as they are: for where the parts together do less than the umbrella.
    of: [FlagText; 2],
}
