//! Splitting the inputs: what no run of any part raises, no run raises.
//!
//! The box of all inputs is analysed first; then the box that may raise most is split in one input, and its parts are
//! analysed. A part's exceptions are those found for it that were also found for the box that it comes from, since
//! both are supersets of what its runs raise.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use labrys_float::Flags;
use labrys_program::{CallGraph, FunctionId, Program};
use labrys_solver::domain::FloatDomain;
use labrys_symex::Site;
use rustc_hash::FxHashMap;

use crate::analyse::{RangeOptions, share};
use crate::entry::{Input, Subject};
use crate::graph::Domain;
use crate::integer::IntDomain;
use crate::library::Library;
use crate::machine::{Effort, Machine, SiteKey};
use crate::stop::Stop;

/// What all parts together may execute and raise.
#[derive(Default)]
pub(crate) struct Found {
    pub sites: FxHashMap<Site, Flags>,
    pub assumptions: BTreeSet<&'static str>,
    pub opaque: BTreeMap<FunctionId, String>,
    pub boxes: usize,
}

type Sites = FxHashMap<SiteKey, Flags>;

/// A part of the inputs and what its runs may do.
struct Part {
    inputs: Vec<Input>,
    sites: Sites,
    /// Exceptions that splitting might still exclude.
    open: usize,
    /// Where to look first for an input to split.
    next: usize,
    /// How often it was split.
    depth: u32,
}

struct Search<'s, 'p> {
    program: &'p Program,
    calls: Rc<CallGraph>,
    library: Library,
    subject: &'s Subject<'s>,
    options: &'s RangeOptions<'s>,
    found: Found,
    /// What is settled of each site.
    settled: FxHashMap<SiteKey, Flags>,
}

/// How carefully a run goes about, and which part of the time it may take.
#[derive(Clone, Copy)]
struct Care {
    disjuncts: usize,
    unroll: u32,
    decided: u32,
    part: f64,
    is_shared: bool,
}

/// Splits are this deep at most.
const MAX_DEPTH: u32 = 24;

/// Analyses a call for a box of inputs, then for its parts, as long as there is something to win.
pub(crate) fn search(
    program: &Program,
    calls: Rc<CallGraph>,
    subject: &Subject<'_>,
    inputs: Vec<Input>,
    options: &RangeOptions<'_>,
) -> Result<Found, Stop> {
    let library = Library::new(options.ulps);
    let mut search =
        Search { program, calls, library, subject, options, found: Found::default(), settled: FxHashMap::default() };
    let mut parts = vec![search.whole(inputs)?];
    let mut finished = Vec::new();
    while parts.len() + finished.len() < options.max_boxes && !search.is_late() {
        let Some(best) = (0..parts.len()).max_by_key(|i| (parts[*i].open, std::cmp::Reverse(parts[*i].depth))) else {
            break;
        };
        let part = parts.swap_remove(best);
        match search.split(&part) {
            Some(halves) if part.open > 0 => parts.extend(halves),
            _ => finished.push(part),
        }
    }
    finished.extend(parts);
    let mut found = search.found;
    found.boxes = finished.len();
    for part in &finished {
        for (key, flags) in &part.sites {
            let site = site(program, key);
            *found.sites.entry(site).or_insert(Flags::empty()) |= *flags;
        }
    }
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

impl Search<'_, '_> {
    fn is_late(&self) -> bool {
        self.options.deadline.is_some_and(|deadline| std::time::Instant::now() >= deadline)
    }

    fn effort(&self, Care { disjuncts, unroll, decided, part, is_shared }: Care) -> Effort {
        Effort {
            disjuncts,
            unroll,
            decided,
            depth: self.options.call_depth,
            steps: self.options.max_steps,
            deadline: share(self.options.deadline, part),
            is_shared,
        }
    }

    /// The first runs: with most care, and if that takes too long, with less.
    fn whole(&mut self, inputs: Vec<Input>) -> Result<Part, Stop> {
        let unroll = self.options.loop_unroll;
        let cares = [
            Care { disjuncts: 6, unroll, decided: 1 << 16, part: 0.3, is_shared: false },
            Care { disjuncts: 2, unroll: unroll.min(4), decided: 1 << 10, part: 0.3, is_shared: false },
            Care { disjuncts: 2, unroll: unroll.min(2), decided: 1 << 8, part: 0.5, is_shared: true },
            Care { disjuncts: 1, unroll: unroll.min(1), decided: 1 << 6, part: 0.9, is_shared: true },
        ];
        let mut last = Stop::Budget("no run".into());
        for care in cares {
            match self.run(&inputs, self.effort(care)) {
                Ok(sites) => return Ok(self.part(inputs, sites, 0, 0)),
                Err(stop @ Stop::Unsupported(_)) => return Err(stop),
                Err(stop) => last = stop,
            }
        }
        Err(last)
    }

    fn run(&mut self, inputs: &[Input], effort: Effort) -> Result<Sites, Stop> {
        let mut machine = Machine::new(self.program, self.calls.clone(), self.library.clone(), effort);
        machine.run(self.subject, inputs)?;
        self.found.assumptions.extend(machine.assumptions);
        self.found.opaque.extend(machine.opaque);
        Ok(machine.sites)
    }

    fn part(&mut self, inputs: Vec<Input>, sites: Sites, next: usize, depth: u32) -> Part {
        let mut open = 0;
        for (key, flags) in &sites {
            let settled = match (self.settled.get(key), self.options.settled) {
                (Some(settled), _) => *settled,
                (None, Some(ask)) => {
                    let settled = ask(&site(self.program, key));
                    self.settled.insert(key.clone(), settled);
                    settled
                }
                (None, None) => Flags::empty(),
            };
            open += (*flags - settled).bits().count_ones() as usize;
        }
        Part { inputs, sites, open, next, depth }
    }

    /// Two parts of a part; `None` if no input can be split, or a part cannot be analysed better than the whole.
    fn split(&mut self, part: &Part) -> Option<[Part; 2]> {
        if part.depth >= MAX_DEPTH {
            return None;
        }
        let count = part.inputs.len();
        let (index, halves) = (0..count).find_map(|i| {
            let index = (part.next + i) % count;
            Some((index, halves(&part.inputs[index])?))
        })?;
        let care =
            Care { disjuncts: 4, unroll: self.options.loop_unroll, decided: 1 << 16, part: 0.3, is_shared: false };
        let made = halves.map(|domain| {
            let mut inputs = part.inputs.clone();
            inputs[index].domain = domain;
            let sites = match self.run(&inputs, self.effort(care)) {
                Ok(sites) => meet(&part.sites, &sites),
                Err(_) => part.sites.clone(),
            };
            self.part(inputs, sites, index + 1, part.depth + 1)
        });
        Some(made)
    }
}

/// What both runs found.
fn meet(a: &Sites, b: &Sites) -> Sites {
    let both = |(key, flags): (&SiteKey, &Flags)| Some((key.clone(), *flags & *b.get(key)?));
    a.iter().filter_map(both).collect()
}

/// The parts of an input's domain.
fn halves(input: &Input) -> Option<[Domain; 2]> {
    match &input.domain {
        Domain::Float(set) => {
            let nan = FloatDomain { nan: true, ..FloatDomain::empty(set.format) };
            if set.nan && set.has_numbers() {
                return Some([Domain::Float(set.without_nan()), Domain::Float(nan)]);
            }
            let rank = set.split()?;
            Some([Domain::Float(set.at_most(rank)), Domain::Float(set.at_least(rank + 1))])
        }
        Domain::Int(set) => {
            let middle = match (set.low, set.high) {
                (low, high) if low == high => return None,
                (low, high) if low < 0 && high >= 0 => -1,
                // By magnitude, so that small numbers are told apart first.
                (low, high) if low >= 0 => {
                    let (a, b) = ((low as f64 + 1.0).ln(), (high as f64 + 1.0).ln());
                    ((((a + b) / 2.0).exp() - 1.0) as i128).clamp(low, high - 1)
                }
                (low, high) => {
                    let (a, b) = ((-low as f64).ln(), (-high as f64).ln());
                    (-((a + b) / 2.0).exp() as i128).clamp(low, high - 1)
                }
            };
            let (low, high): (Option<IntDomain>, Option<IntDomain>) =
                (set.clip(set.low, middle), set.clip(middle + 1, set.high));
            Some([Domain::Int(low?), Domain::Int(high?)])
        }
        Domain::Pointer(_) => None,
    }
}
