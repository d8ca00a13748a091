//! Splitting the inputs: what no run of any part raises, no run raises.
//!
//! The box of all inputs is analysed first; then boxes with open exceptions are split in one input, and their parts analysed. A part's
//! exceptions are those found for it that were also found for the box that it comes from, since both are supersets of what
//! its runs raise.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use labrys_float::Flags;
use labrys_program::{CallGraph, FunctionId, Program};
use labrys_symex::Site;
use rustc_hash::FxHashMap;

use crate::care::{Care, cares};
use crate::entry::{Input, Subject, leaf_top};
use crate::library::Library;
use crate::machine::{Effort, Machine};
use crate::options::RangeOptions;
use crate::part::{Gains, Part, best};
use crate::record::SiteKey;
use crate::stop::Stop;
use crate::summary::Summaries;

/// What all parts together may execute and raise.
#[derive(Default)]
pub(crate) struct Found {
    pub sites: FxHashMap<Site, Flags>,
    pub assumptions: BTreeSet<&'static str>,
    pub opaque: BTreeMap<FunctionId, String>,
    pub boxes: usize,
}

type Sites = FxHashMap<SiteKey, Flags>;

struct Search<'s, 'p> {
    program: &'p Program,
    calls: Rc<CallGraph>,
    library: Library,
    subject: &'s Subject<'s>,
    options: &'s RangeOptions<'s>,
    found: Found,
    /// What is executed at all, with the exceptions for which nothing is split.
    settled: Sites,
    /// Sites with open exceptions; their places are their numbers.
    open: Vec<SiteKey>,
    gains: Gains,
    /// Whether the inputs are all that there are.
    has_all_inputs: bool,
    /// What calls came to in the boxes analysed so far.
    summaries: Summaries,
}

/// Boxes that are chosen at a time.
const ROUND: usize = 8;

/// Analyses a call for a box of inputs, then for its parts, as long as there is something to win.
pub(crate) fn search(
    program: &Program,
    calls: Rc<CallGraph>,
    subject: &Subject<'_>,
    inputs: Vec<Input>,
    options: &RangeOptions<'_>,
) -> Result<Found, Stop> {
    let mut search = Search {
        program,
        calls,
        library: Library::new(options.ulps),
        subject,
        options,
        found: Found::default(),
        settled: FxHashMap::default(),
        open: Vec::new(),
        gains: Gains::new(inputs.len()),
        has_all_inputs: inputs.iter().all(|input| input.domain == leaf_top(&input.leaf)),
        summaries: Summaries::default(),
    };
    let (whole, care) = search.whole(inputs)?;
    let (lost, boxes) = search.split_all(whole, care);
    let mut sites = std::mem::take(&mut search.settled);
    for (key, flags) in search.open.into_iter().zip(lost) {
        *sites.entry(key).or_insert(Flags::empty()) |= flags;
    }
    let mut found = search.found;
    found.boxes = boxes;
    found.sites = sites.into_iter().map(|(key, flags)| (site(program, &key), flags)).collect();
    Ok(found)
}

/// A key as symbolic execution names it.
fn site(program: &Program, (function, block, instruction, lane, operator): &SiteKey) -> Site {
    let of = &program.functions[function.index()];
    let location = of.blocks[*block as usize].instructions[*instruction as usize].location;
    Site {
        function: of.name.clone(),
        location,
        block: *block,
        instruction: *instruction,
        lane: *lane,
        operator: operator.clone(),
    }
}

/// Adds what is open in some parts.
fn lose(lost: &mut [Flags], parts: &[Part]) {
    for (number, flags) in parts.iter().flat_map(|part| &part.open) {
        lost[*number] |= *flags;
    }
}

impl Search<'_, '_> {
    fn is_late(&self) -> bool {
        self.options.deadline.is_some_and(|deadline| std::time::Instant::now() >= deadline)
    }

    /// The first runs: with most care, and if that takes too long, with less. The care that did it goes on to the parts.
    fn whole(&mut self, inputs: Vec<Input>) -> Result<(Part, Care), Stop> {
        let mut last = Stop::Budget("no run".into());
        for care in cares(self.options) {
            match self.run(&inputs, care.effort(self.options), &Summaries::default()) {
                Ok(sites) => {
                    let open = self.open(&sites);
                    let care = Care { disjuncts: care.disjuncts.min(4), part: 0.3, ..care };
                    return Ok((Part { inputs, open, next: 0, depth: 0, vain: 0 }, care));
                }
                Err(stop @ Stop::Unsupported(_)) => return Err(stop),
                Err(stop) => last = stop,
            }
        }
        Err(last)
    }

    fn run(&mut self, inputs: &[Input], effort: Effort, summaries: &Summaries) -> Result<Sites, Stop> {
        let (calls, library) = (self.calls.clone(), self.library.clone());
        let mut machine = Machine::new(self.program, calls, library, summaries.for_another_run(), effort);
        machine.covered = self.has_all_inputs.then_some(self.subject.function);
        machine.run(self.subject, inputs)?;
        self.found.assumptions.extend(machine.assumptions);
        self.found.opaque.extend(machine.record.opaque);
        Ok(machine.record.sites)
    }

    /// What is open of the first run's exceptions; the rest is settled.
    fn open(&mut self, sites: &Sites) -> Vec<(usize, Flags)> {
        // In an order that is the same in every run.
        let mut keys: Vec<(&SiteKey, Flags)> = sites.iter().map(|(key, flags)| (key, *flags)).collect();
        keys.sort_by_cached_key(|(key, _)| (key.0, key.1, key.2, key.3, key.4.to_string()));
        let mut all = Vec::new();
        for (key, flags) in keys {
            let settled = self.options.settled.map_or(Flags::empty(), |ask| ask(&site(self.program, key)));
            self.settled.insert(key.clone(), flags & settled);
            let open = flags - settled;
            if !open.is_empty() {
                all.push((self.open.len(), open));
                self.open.push(key.clone());
            }
        }
        all
    }

    /// Splits the whole into parts until nothing is open, or time or boxes are used up; what is open then, and the number of parts.
    ///
    /// What is open in a part that is not split any more cannot be excluded, so that nobody looks for it elsewhere.
    fn split_all(&mut self, whole: Part, care: Care) -> (Vec<Flags>, usize) {
        let mut lost = vec![Flags::empty(); self.open.len()];
        let mut finished = 0;
        let mut parts = vec![whole];
        while !parts.is_empty() {
            let (divisible, rest): (Vec<Part>, Vec<Part>) = parts.into_iter().partition(Part::is_divisible);
            finished += rest.len();
            lose(&mut lost, &rest);
            parts = divisible.into_iter().map(|part| part.without(&lost)).collect();
            let mut chosen = best(&parts, ROUND);
            // From the last place on, so that the others stay where they are.
            chosen.sort_unstable_by_key(|place| std::cmp::Reverse(*place));
            for place in chosen {
                if parts.len() + finished >= self.options.max_boxes || self.is_late() {
                    lose(&mut lost, &parts);
                    return (lost, parts.len() + finished);
                }
                let part = parts.swap_remove(place);
                match self.split(&part, care) {
                    Some(halves) => parts.extend(halves),
                    None => {
                        finished += 1;
                        lose(&mut lost, std::slice::from_ref(&part));
                    }
                }
            }
        }
        (lost, finished)
    }

    /// Two parts of a part; `None` if no input can be split.
    fn split(&mut self, part: &Part, care: Care) -> Option<[Part; 2]> {
        let (index, halves) = self.gains.choose(part)?;
        let summaries = self.summaries.clone();
        let mut made = halves.map(|domain| {
            let mut inputs = part.inputs.clone();
            inputs[index].domain = domain;
            let open = match self.run(&inputs, care.effort(self.options), &summaries) {
                Ok(sites) => self.still_open(part, &sites),
                Err(_) => part.open.clone(),
            };
            Part { inputs, open, next: index + 1, depth: part.depth + 1, vain: part.vain }
        });
        self.gains.note(index, part, &made);
        for half in &mut made {
            half.vain = if half.count() < part.count() { 0 } else { part.vain + 1 };
        }
        Some(made)
    }

    /// What is open of a part in a run for a half of it.
    fn still_open(&self, part: &Part, sites: &Sites) -> Vec<(usize, Flags)> {
        let found = |(number, flags): &(usize, Flags)| {
            let flags = *flags & *sites.get(&self.open[*number])?;
            (!flags.is_empty()).then_some((*number, flags))
        };
        part.open.iter().filter_map(found).collect()
    }
}
