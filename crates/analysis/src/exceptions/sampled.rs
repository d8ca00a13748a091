//! Second opinions on proofs by value ranges: inputs of the search domain are run, and what they raise is looked at.
//!
//! Abstract interpretation has no second implementation to compare it with; the machine is one. A proof by ranges covers the whole
//! search domain, also where it was found part by part, so inputs are drawn from all of it: mostly corners (ends of ranges, zeros,
//! subnormals, powers of two, the largest numbers, and what lies beside these), where a bound that is one float off shows, and some
//! from everywhere. Calls that raise an exception of which some proof says that a site does not raise it are traced: at that site, the
//! proof is contradicted, and withdrawn ([`super::pairs::Pair::refuted`]).
//!
//! **What it says.** A proof that is not contradicted is no better for it than the inputs are: this finds errors of labrys, it proves
//! nothing. The search before the proofs ran other inputs, and looked at what was open then.

use labrys_float::Flags;
use labrys_fuzz::Sampler;
use labrys_report::FoundBy;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rustc_hash::FxHashSet;

use super::pairs::PairKey;
use super::search::ExceptionSearch;
use crate::inputs::domain::Domain;
use crate::run::clock::Clock;
use crate::{AnalysisError, Progress};

/// Proofs that are doubted, of all.
const SAMPLE: usize = 64;
/// Inputs run: a few milliseconds of most functions.
const INPUTS: usize = 4096;
/// Inputs run at a time.
const BATCH: usize = 512;
/// Of the inputs of a batch that raise a doubted exception, so many are traced.
const TRACED: usize = 48;
/// Of ten inputs so many are corners.
const CORNERS: u32 = 8;

/// The search for inputs that contradict proofs.
pub struct Sampled<'a> {
    /// Where inputs come from.
    pub domain: &'a Domain,
    /// The exceptions that are asked about.
    pub watched: Flags,
    /// The seed of every random choice.
    pub seed: u64,
    /// Inputs run at most.
    pub most: u64,
    /// When to stop.
    pub clock: &'a Clock,
    /// Who may interrupt.
    pub progress: &'a dyn Progress,
}

impl Sampled<'_> {
    /// Looks for inputs that raise what some of these pairs' proofs exclude. What is seen is entered, and withdraws proofs; how many
    /// inputs of the search domain were run.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn doubt(&self, search: &mut ExceptionSearch<'_>, proved: &[PairKey]) -> Result<usize, AnalysisError> {
        let mut random = Pcg64::seed_from_u64(self.seed ^ 0x6475_6f62_7473);
        let sample: Vec<&PairKey> = proved.sample(&mut random, SAMPLE).collect();
        let doubted = sample.iter().fold(Flags::empty(), |flags, (_, exception)| flags | *exception);
        let mut sampler = Sampler::new(&self.domain.space, self.seed ^ 0x5361_6d70_6c65);
        let mut seen: FxHashSet<Vec<u8>> = FxHashSet::default();
        let mut left = INPUTS.min(usize::try_from(self.most).unwrap_or(INPUTS));
        search.judge.observer.set_deadline(self.clock.limit());
        while left > 0 && !doubted.is_empty() && self.clock.stop(self.progress).is_none() {
            let size = left.min(BATCH);
            left -= size;
            let drawn = (0..size).map(|_| match random.random_range(0..10) < CORNERS {
                true => sampler.corner(),
                false => sampler.sample(),
            });
            let batch: Vec<Vec<u8>> =
                drawn.filter(|record| self.domain.space.admits(record) && seen.insert(record.clone())).collect();
            match self.run_batch(search, &batch, doubted) {
                Err(error) if error.is_time_up() => break,
                run => run?,
            }
        }
        Ok(seen.len())
    }

    fn run_batch(
        &self,
        search: &mut ExceptionSearch<'_>,
        batch: &[Vec<u8>],
        doubted: Flags,
    ) -> Result<(), AnalysisError> {
        let observations = search.judge.observer.run(batch, self.watched)?;
        search.inputs += observations.len() as u64;
        let raising: Vec<&Vec<u8>> = batch
            .iter()
            .zip(&observations)
            .filter(|(_, observation)| observation.flags.intersects(doubted))
            .map(|(record, _)| record)
            .collect();
        let stride = raising.len().div_ceil(TRACED).max(1);
        let traced: Vec<Vec<u8>> = raising.into_iter().step_by(stride).cloned().collect();
        let (corpus, judge) = search.corpus_and_judge();
        judge.trace(&traced, FoundBy::Random, corpus)?;
        Ok(())
    }
}
