//! Tests at the boundaries of float comparisons: for each comparison of the code that is covered an input on which its operands are equal,
//! one on which the left one is the float below the right one, and one on which it is the float above.
//!
//! Runs are executed concretely, bit for bit, and tell what each comparison compares. Between an input whose left operand is below and one
//! whose is above lies a boundary: bisection over the inputs' ordinals comes to it, first along one number that alone turns the order
//! around, then along all. From the nearest input, steps of powers of two along each number come to what is left. For numbers that are compared
//! as they are given that is always enough; for what is computed of them it is a search, and what it does not find is unknown.
//!
//! **Claim.** `covered` is said only where a test's execution compared such operands, and the test ran natively to its end; `infeasible` only where
//! no input comes to the comparison ([`Standing::Never`]). **Argument.** Native code does not tell operands; what execution computes is what the
//! processor computes, bit for bit, or the path ends: that is tested on random programs. Both are looked at again for every test that is kept.

use std::collections::BTreeMap;

use labrys_executor::{Comparison, CoverOutcome, Features, Options, Standing, comparisons};
use labrys_float::Float;
use labrys_fuzz::{Space, midpoint};
use labrys_program::{BlockId, FunctionId, InstructionKind, Program};
use labrys_report::{CoverageGoal, Criterion, GoalStatus};
use labrys_testcase::TestInput;
use num_traits::ToPrimitive;

use super::subject::{Driven, SubjectProgram};
use crate::Progress;
use crate::run::clock::Clock;
use crate::run::record::place_of_location;

/// Runs that are made for one comparison.
const RUNS: usize = 1500;
/// Inputs of the search domain that are run first.
const DRAWN: usize = 400;
/// Pairs of inputs that are bisected for one comparison.
const PAIRS: usize = 8;
/// Where the left operand lies: in floats from the right one.
const TARGETS: [(i64, &str); 3] = [(0, "equal"), (-1, "just below"), (1, "just above")];

/// A comparison in the code.
type Site = (FunctionId, BlockId, u32);

/// What is known of a comparison's boundary.
#[derive(Clone, Debug, Default)]
struct Boundary {
    /// For each of [`TARGETS`] the input that shows it.
    shown: [Option<usize>; 3],
    /// Inputs with their distances, the nearest first: left below right, equal, above.
    near: Vec<(i128, Vec<u8>)>,
    /// How many runs were made for it.
    runs: usize,
}

/// The comparisons, and the inputs that were found.
pub(super) struct Boundaries {
    sites: BTreeMap<Site, Boundary>,
    /// Inputs that show something, in the order in which they were found.
    pub(super) inputs: Vec<TestInput>,
    /// Whether there was a domain to search.
    is_searched: bool,
    is_cut_short: bool,
}

/// The comparisons of floats in the code that is to be covered. What only asks whether there are NaNs has no boundary.
fn sites(subject: &SubjectProgram) -> Vec<Site> {
    let program = &subject.whole.program;
    let mut found = Vec::new();
    for id in &subject.scope {
        for (block, of) in program.functions[id.index()].blocks.iter().enumerate() {
            for (at, instruction) in of.instructions.iter().enumerate() {
                if let InstructionKind::FloatCompare(predicate, left, right) = &instruction.kind
                    && !(predicate.less == predicate.equal && predicate.equal == predicate.greater)
                    && left != right
                    && instruction.location.is_some()
                {
                    found.push((*id, BlockId(block as u32), at as u32));
                }
            }
        }
    }
    found
}

/// How many floats the left operand is above the right one; `None` for NaNs.
fn distance(of: &Comparison) -> Option<i128> {
    let ordinal = |bits| Float::from_bits(of.format, bits).ordinal().and_then(|ordinal| ordinal.to_i128());
    Some(ordinal(of.left)? - ordinal(of.right)?)
}

struct Search<'a> {
    program: &'a Program,
    driven: &'a Driven,
    options: &'a Options,
    found: Boundaries,
}

impl Search<'_> {
    fn space(&self) -> &Space {
        &self.driven.domain.space
    }

    /// How many numbers an input has.
    fn numbers(&self) -> usize {
        self.space().leaves().len()
    }

    /// Runs a record, notes what it shows of every comparison, and says how far the operands of one are apart: where it is made several times,
    /// those that are nearest to `target`.
    fn run(&mut self, record: &[u8], wanted: Option<(Site, i128)>) -> Option<i128> {
        if !self.space().admits(record) {
            return None;
        }
        let input = self.driven.harness().input(record);
        let made = comparisons(self.program, self.options, &input);
        let mut best: Option<i128> = None;
        let mut is_new = false;
        let next = self.found.inputs.len();
        for of in &made {
            let site = (of.function, of.block, of.instruction);
            let Some(boundary) = self.found.sites.get_mut(&site) else { continue };
            let Some(apart) = distance(of) else { continue };
            if let Some((looked_for, target)) = wanted
                && looked_for == site
                && best.is_none_or(|best| (apart - target).unsigned_abs() < (best - target).unsigned_abs())
            {
                best = Some(apart);
            }
            if let Some(index) = TARGETS.iter().position(|(target, _)| i128::from(*target) == apart)
                && boundary.shown[index].is_none()
            {
                boundary.shown[index] = Some(next);
                is_new = true;
            }
            boundary.keep(apart, record);
        }
        if is_new {
            self.found.inputs.push(input);
        }
        best
    }

    /// As [`Search::run`], while runs are left for the comparison.
    fn spend(&mut self, record: &[u8], site: Site, target: i128) -> Option<i128> {
        let boundary = self.found.sites.get_mut(&site)?;
        boundary.runs += 1;
        self.run(record, Some((site, target)))
    }

    fn is_done(&self, site: Site) -> bool {
        self.found.sites.get(&site).is_none_or(|of| of.runs >= RUNS || of.shown.iter().all(Option::is_some))
    }

    /// Looks for what is not shown of a comparison.
    fn search(&mut self, site: Site) {
        let ends = |below: bool, boundary: &Boundary| -> Vec<Vec<u8>> {
            let of = boundary.near.iter().filter(|(apart, _)| if below { *apart < 0 } else { *apart > 0 });
            of.take(PAIRS).map(|(_, record)| record.clone()).collect()
        };
        let Some(boundary) = self.found.sites.get(&site) else { return };
        let (low, high) = (ends(true, boundary), ends(false, boundary));
        for (low, high) in low.iter().zip(high.iter().cycle()).take(PAIRS) {
            if self.is_done(site) {
                return;
            }
            self.between(site, low.clone(), high.clone());
        }
        for (target, _) in TARGETS {
            if self.is_done(site) {
                return;
            }
            self.approach(site, i128::from(target));
        }
    }

    /// Bisects between an input whose left operand is below and one whose is above.
    fn between(&mut self, site: Site, mut low: Vec<u8>, high: Vec<u8>) {
        // One number after the other is taken from the other end: the one that turns the order around is the only one that is bisected.
        let mut high_end = high.clone();
        for index in 0..self.numbers() {
            if self.is_done(site) {
                return;
            }
            let mut next = low.clone();
            let Some(place) = self.space().place(index, &high) else { continue };
            self.space().put(index, &mut next, place);
            match self.spend(&next, site, 0) {
                Some(apart) if apart < 0 => low = next,
                Some(apart) if apart > 0 => {
                    high_end = next;
                    break;
                }
                Some(_) => return,
                None => {}
            }
        }
        let mut high = high_end;
        for _ in 0..200 {
            if self.is_done(site) {
                return;
            }
            let Some(middle) = midpoint(self.space(), &low, &high) else { return };
            match self.spend(&middle, site, 0) {
                Some(apart) if apart < 0 => low = middle,
                Some(apart) if apart > 0 => high = middle,
                // Equal: its neighbours are looked for by steps.
                Some(_) => return,
                None => return,
            }
        }
    }

    /// Goes by steps of powers of two along each number from the nearest input to one at a distance.
    fn approach(&mut self, site: Site, target: i128) {
        let Some(boundary) = self.found.sites.get(&site) else { return };
        let index = TARGETS.iter().position(|(of, _)| i128::from(*of) == target).unwrap_or_default();
        if boundary.shown[index].is_some() {
            return;
        }
        let mut starts: Vec<(i128, Vec<u8>)> = boundary.near.clone();
        starts.sort_by_key(|(apart, _)| (apart - target).unsigned_abs());
        for (apart, record) in starts.into_iter().take(3) {
            let (mut best, mut record) = ((apart - target).unsigned_abs(), record);
            let mut improves = true;
            while improves && best > 0 {
                improves = false;
                // From a step as large as what is missing: where the operand is the number itself that is the one.
                let first = 127 - best.leading_zeros();
                for exponent in (0..=first.min(62)).rev() {
                    for (variable, sign) in (0..self.numbers()).flat_map(|of| [(of, 1), (of, -1)]) {
                        if self.is_done(site) {
                            return;
                        }
                        let Some(next) = stepped(self.space(), &record, variable, sign * (1i128 << exponent)) else {
                            continue;
                        };
                        if let Some(apart) = self.spend(&next, site, target)
                            && (apart - target).unsigned_abs() < best
                        {
                            best = (apart - target).unsigned_abs();
                            record = next;
                            improves = true;
                        }
                        if best == 0 {
                            return;
                        }
                    }
                }
            }
        }
    }
}

/// The record with one number moved by so many places, if there is room.
fn stepped(space: &Space, record: &[u8], leaf: usize, by: i128) -> Option<Vec<u8>> {
    let mut next = record.to_vec();
    space.put(leaf, &mut next, space.place(leaf, record)?.saturating_add(by));
    (next != record).then_some(next)
}

impl Boundary {
    /// Keeps an input if it is among the nearest of its side.
    fn keep(&mut self, apart: i128, record: &[u8]) {
        let of_side = |of: &i128| of.signum() == apart.signum();
        let is_far = |of: &(i128, Vec<u8>)| of.0.unsigned_abs() > apart.unsigned_abs();
        let count = self.near.iter().filter(|(of, _)| of_side(of)).count();
        if count >= PAIRS {
            let farthest = (0..self.near.len())
                .filter(|index| of_side(&self.near[*index].0))
                .max_by_key(|index| self.near[*index].0.unsigned_abs());
            match farthest.filter(|index| is_far(&self.near[*index])) {
                Some(index) => drop(self.near.remove(index)),
                None => return,
            }
        }
        let at = self.near.partition_point(|(of, _)| of.unsigned_abs() <= apart.unsigned_abs());
        self.near.insert(at, (apart, record.to_vec()));
    }
}

/// Looks for inputs at the boundaries of all comparisons, from `tests` on.
pub(super) fn find(
    subject: &SubjectProgram,
    options: &Options,
    (tests, seed): (&[TestInput], u64),
    (clock, progress): (&Clock, &dyn Progress),
) -> Boundaries {
    let sites: Vec<Site> = sites(subject);
    let known = sites.iter().map(|site| (*site, Boundary::default())).collect();
    let found = Boundaries { sites: known, inputs: Vec::new(), is_searched: false, is_cut_short: false };
    let Some(driven) = &subject.driven else { return found };
    let mut search = Search { program: &subject.whole.program, driven, options, found };
    search.found.is_searched = true;
    let harness = driven.harness();
    let records: Vec<Vec<u8>> =
        tests.iter().map(|test| harness.record(test)).chain(driven.domain.mixed(seed, DRAWN)).collect();
    let is_over = || clock.is_over() || progress.interrupted();
    for record in &records {
        if is_over() {
            search.found.is_cut_short = true;
            return search.found;
        }
        search.run(record, None);
    }
    for site in sites {
        if is_over() {
            search.found.is_cut_short = true;
            break;
        }
        search.search(site);
    }
    search.found
}

impl Boundaries {
    /// What is known of each boundary; `ran` has the inputs that ran natively to their end.
    pub(super) fn goals(
        &self,
        subject: &SubjectProgram,
        (features, outcome): (&Features, &CoverOutcome),
        ran: &dyn Fn(&TestInput) -> bool,
    ) -> Vec<CoverageGoal> {
        let program = &subject.whole.program;
        let mut goals = Vec::new();
        for ((id, block, at), boundary) in &self.sites {
            let function = &program.functions[id.index()];
            let name = function.source_name.clone().unwrap_or_else(|| function.name.clone());
            let location = function.blocks[block.index()].instructions[*at as usize].location;
            let never = || {
                let mut ways = features.into_block(*id, *block).peekable();
                ways.peek().is_some() && ways.all(|number| outcome.standing(number) == Standing::Never)
            };
            for (index, (_, word)) in TARGETS.iter().enumerate() {
                let status = match boundary.shown[index].and_then(|input| self.inputs.get(input)) {
                    Some(input) if ran(input) => GoalStatus::Covered,
                    Some(_) => GoalStatus::Unknown { why: "the test did not end when it ran natively".to_owned() },
                    None if never() => GoalStatus::Infeasible,
                    None => GoalStatus::Unknown { why: self.why(boundary, index) },
                };
                goals.push(CoverageGoal {
                    criterion: Criterion::Boundaries,
                    function: name.clone(),
                    place: place_of_location(program, location),
                    outcome: (*word).to_owned(),
                    status,
                });
            }
        }
        goals.sort_by_key(|goal| (goal.place.file.clone(), goal.place.line, goal.place.column));
        goals
    }

    /// Why one is not shown.
    fn why(&self, boundary: &Boundary, index: usize) -> String {
        if !self.is_searched {
            return "the inputs of a whole program are not searched".to_owned();
        }
        let target = i128::from(TARGETS[index].0);
        let nearest = boundary.near.iter().map(|(apart, _)| (apart - target).unsigned_abs()).min();
        match nearest {
            _ if self.is_cut_short => "the time was over".to_owned(),
            None => "no run came to the comparison with numbers".to_owned(),
            Some(1) => format!("{} runs came to within 1 float of it", boundary.runs),
            Some(apart) => format!("{} runs came to within {apart} floats of it", boundary.runs),
        }
    }
}
