//! What is searched, and how much.

use std::time::Duration;

use labrys_fuzz::Space;
use labrys_program::InputLayout;

use crate::Progress;
use crate::inputs::domain::{Domain, at_most};
use crate::observation::start::call_limit;
use crate::run::clock::Clock;
use crate::run::options::RunOptions;

/// How many inputs are run at a time, unless they are large.
const BATCH: usize = 512;

/// How long an analysis goes on where nothing new turns up, and how closely it looks around what a solver proposes.
#[derive(Clone, Copy, Debug)]
pub struct Persistence {
    /// The guided search ends after so many rounds without anything new.
    pub fruitless_rounds: u32,
    /// How many neighbours of one candidate are run at most.
    pub neighbours: usize,
    /// What the search is for.
    pub emphasis: Emphasis,
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emphasis {
    /// All that is new.
    Novelty,
    /// What scores highest: climbing goes on while it leads higher, and begins anew, from other inputs, where it comes to its end.
    Scores,
}

/// What is searched, and how much.
#[derive(Clone, Copy)]
pub struct SearchSettings<'a> {
    /// Where inputs come from.
    pub space: &'a Space,
    /// How inputs lie in records.
    pub inputs: &'a InputLayout,
    /// How long a call may take, as long as some calls end in that time.
    pub call_limit: Duration,
    /// The seed of every random choice.
    pub seed: u64,
    /// How many inputs may be run.
    pub max_inputs: u64,
    /// How long it goes on.
    pub persistence: Persistence,
    /// Who listens.
    pub progress: &'a dyn Progress,
}

impl<'a> SearchSettings<'a> {
    /// How many inputs are drawn and run at a time.
    pub fn batch(&self) -> usize {
        at_most(BATCH, self.inputs)
    }

    /// Those of a function's analysis, which may take as long as `clock` says.
    pub fn new(
        run: &RunOptions,
        domain: &'a Domain,
        persistence: Persistence,
        clock: &Clock,
        progress: &'a dyn Progress,
    ) -> SearchSettings<'a> {
        SearchSettings {
            space: &domain.space,
            inputs: &domain.inputs,
            call_limit: call_limit(clock),
            seed: run.seed,
            max_inputs: run.max_work,
            persistence,
            progress,
        }
    }
}
