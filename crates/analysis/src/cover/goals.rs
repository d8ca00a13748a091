//! What is to be covered, and what is known of it.
//!
//! **Claim.** `infeasible` is said only of what no input does, as far as the program is modelled. **Argument.** llvm-cov says which of the outcomes
//! at a place native runs did not show; symbolic execution says of everything that can happen at that place whether a test does it, or no
//! input does ([`Standing::Never`]). Which edge of the code is which outcome is not asked: where nothing at the place is open, and runs and execution
//! agree on how many of its outcomes are shown, those that are left over are the ones that no input does. Where they disagree nothing is said.

use std::collections::BTreeMap;

use labrys_executor::{CoverOutcome, FeatureKind, Features, Standing};
use labrys_program::{BlockId, FunctionId, Program, Terminator};
use labrys_report::{CoverageGoal, Criterion, GoalStatus, SourcePlace};

use super::leaving::Leaving;
use super::measured::{Branch, Measured, MeasuredFunction, Span};
use super::points::{Code, Point, PointKind, code};
use crate::run::record::from_here;

/// A condition that the compiler decided, or joined with another.
const NO_BRANCH: &str = "the compiler's code has no branch at this place";

/// Native runs show what was proved impossible, or the other way round.
const DISAGREE: &str = "native runs and symbolic execution disagree on what is covered here";

/// A count is too large.
const LEFT: &str =
    "a call here may not return: llvm-cov counts outcomes then that there were not, and execution has not seen them";

/// A count is too small.
const TWICE: &str = "setjmp returns here more than once: what llvm-cov has not counted may have been";

/// What judges goals.
pub(super) struct Judge<'a> {
    pub(super) program: &'a Program,
    pub(super) features: &'a Features,
    pub(super) outcome: &'a CoverOutcome,
    /// Whether rustc counts: of `match` nothing, so that what switches stand for is only told where they stand in a condition.
    pub(super) is_of_rustc: bool,
    /// Functions whose counts may be wrong.
    pub(super) leaving: Leaving,
    /// Goals that native runs reached though they were proved impossible.
    pub(super) contradicted: Vec<String>,
}

/// What is known of some features together.
enum Known {
    /// Of each: so many are covered, the others never.
    All(usize),
    /// Of one it is open.
    Open(String),
}

impl Judge<'_> {
    /// The goals of a criterion in a function.
    pub(super) fn goals(
        &mut self,
        criterion: Criterion,
        (id, function): (FunctionId, &MeasuredFunction),
        measured: &Measured,
    ) -> Vec<CoverageGoal> {
        let code = code(self.program, self.features, id);
        let source_name = self.program.functions[id.index()].source_name.clone();
        let name = source_name.unwrap_or_else(|| self.program.functions[id.index()].name.clone());
        let goal = |place: (u32, u32), outcome: String, status| CoverageGoal {
            criterion,
            function: name.clone(),
            place: SourcePlace::new(Some(from_here(function.file.clone())), place.0, place.1),
            outcome,
            status,
        };
        match criterion {
            Criterion::Lines => {
                let lines = measured.lines.get(&function.file);
                let own = lines
                    .into_iter()
                    .flatten()
                    .filter(|(line, _)| (function.span.start.0..=function.span.end.0).contains(*line));
                own.map(|(&line, &count)| goal((line, 0), String::new(), self.line(id, function, &code, line, count)))
                    .collect()
            }
            Criterion::Branches => {
                let groups = evaluated(groups(function), &code);
                let mut goals = Vec::new();
                for (span, branches) in &groups {
                    let statuses = self.condition((id, function), &code, (&groups, *span), branches);
                    let is_right = self.is_seen(id, &code, (&groups, *span), branches);
                    for branch in branches {
                        for (index, word) in branch.outcomes.iter().enumerate() {
                            if branch.is_folded[index] {
                                continue;
                            }
                            let status = match (branch.counts[index] > 0, &statuses[index]) {
                                (true, _) if is_right(branch, index) => GoalStatus::Covered,
                                (true, _) => GoalStatus::Unknown { why: LEFT.to_owned() },
                                (false, GoalStatus::Infeasible) if self.leaving.may_be_too_small(id) => {
                                    GoalStatus::Unknown { why: TWICE.to_owned() }
                                }
                                (false, status) => status.clone(),
                            };
                            goals.push(goal(branch.own.start, word.clone(), status));
                        }
                    }
                }
                goals
            }
            Criterion::Mcdc => {
                let mut goals = Vec::new();
                for decision in &function.decisions {
                    let status = self.decision((id, function), &code, decision.span, decision.vectors);
                    let count = decision.covered.len();
                    for (index, is_covered) in decision.covered.iter().enumerate() {
                        let status = if *is_covered { GoalStatus::Covered } else { status.clone() };
                        goals.push(goal(decision.span.start, format!("condition {} of {count}", index + 1), status));
                    }
                }
                goals
            }
            // Each has judges of its own.
            Criterion::Paths | Criterion::Boundaries => Vec::new(),
        }
    }

    /// What is known of features.
    fn known(&self, features: impl IntoIterator<Item = usize>) -> Known {
        let mut covered = 0;
        for number in features {
            match self.outcome.standing(number) {
                Standing::Covered => covered += 1,
                Standing::Never => {}
                Standing::Open(why) => return Known::Open(why.to_string()),
            }
        }
        Known::All(covered)
    }

    /// Which of the outcomes at one place that llvm-cov has counted there were: all, unless a call of the function may not return and execution has
    /// seen fewer.
    fn is_seen<'j>(
        &self,
        id: FunctionId,
        code: &Code,
        (groups, span): (&BTreeMap<Span, Vec<&Branch>>, Span),
        branches: &[&'j Branch],
    ) -> impl Fn(&Branch, usize) -> bool + use<'j> {
        let is_counted = |branch: &Branch| [0, 1].map(|index| branch.counts[index] > 0 && !branch.is_folded[index]);
        let shown = branches.iter().flat_map(|branch| is_counted(branch)).filter(|is_counted| *is_counted).count();
        let is_here = |point: &&Point| point.kind != PointKind::Vectors && innermost(groups, point.place) == Some(span);
        let is_sure = !self.leaving.may_be_too_large(id);
        // rustc's own checks part the way, too, and count nothing.
        let points = code.points.iter().filter(is_here).filter(|point| !self.is_check(id, point));
        let features = points.filter(|_| !is_sure).flat_map(|point| point.features.iter().copied());
        let seen = features.filter(|number| matches!(self.outcome.standing(*number), Standing::Covered)).count();
        // Clang counts where a condition is true, and takes the rest for the others.
        let is_counter = !self.is_of_rustc && branches.len() == 1 && seen > 0;
        // A case was not taken where another one was.
        let cases = groups.values().flatten().filter(|branch| branch.is_case && branch.counts[0] > 0);
        let taken: Vec<Span> = cases.map(|branch| branch.own).collect();
        move |branch, outcome| match branch.is_case {
            _ if is_sure => true,
            false => seen >= shown || (outcome == 0 && is_counter),
            true => outcome == 0 || taken.iter().any(|other| *other != branch.own),
        }
    }

    /// Whether one way of a point leads to where the function does not go on.
    fn is_check(&self, id: FunctionId, point: &Point) -> bool {
        let function = &self.program.functions[id.index()];
        point.features.iter().any(|number| match self.features.get(*number).map(|feature| feature.kind) {
            Some(FeatureKind::Edge(to)) => matches!(function.blocks[to.index()].terminator, Terminator::Unreachable),
            _ => false,
        })
    }

    /// What is known of the outcomes of conditions at one place, true and false, that no native run showed.
    fn condition(
        &mut self,
        (id, function): (FunctionId, &MeasuredFunction),
        code: &Code,
        (groups, span): (&BTreeMap<Span, Vec<&Branch>>, Span),
        branches: &[&Branch],
    ) -> [GoalStatus; 2] {
        let is_here = |point: &&Point| point.kind != PointKind::Vectors && innermost(groups, point.place) == Some(span);
        let points: Vec<&Point> = code.points.iter().filter(is_here).collect();
        let conditions: Vec<&&Point> = points.iter().filter(|point| point.kind == PointKind::Condition).collect();
        let shown = || {
            let counts = branches.iter().flat_map(|branch| branch.counts.into_iter().zip(branch.is_folded));
            counts.filter(|(count, is_folded)| *count > 0 && !is_folded).count()
        };
        // Of conditions without code counters say nothing: clang makes `a && 1` of `a`, and counts the second condition never.
        let outcomes: usize = branches.iter().map(|branch| branch.outcomes_in_code()).sum();
        let has_fewer = |points: &[&Point]| points.iter().map(|point| point.features.len()).sum::<usize>() < outcomes;
        let status = if has_fewer(&points) && !branches.iter().all(|branch| branch.is_case) {
            GoalStatus::Unknown { why: NO_BRANCH.to_owned() }
        } else if self.is_of_rustc {
            self.pattern((id, function, span), &points, shown())
        } else if !conditions.is_empty() {
            let shown = shown();
            let features: Vec<usize> = conditions.iter().flat_map(|point| point.features.iter().copied()).collect();
            self.compare((id, function, span), &features, shown)
        } else if let ([point], [_]) = (points.as_slice(), branches) {
            return self.value_of_switch(point);
        } else {
            self.case(function, code, groups)
        };
        [status.clone(), status]
    }

    /// What is known of a condition of Rust's, which may be a pattern: its code may part at several places, by switches too.
    fn pattern(&mut self, at: (FunctionId, &MeasuredFunction, Span), points: &[&Point], shown: usize) -> GoalStatus {
        let features: Vec<usize> = points.iter().flat_map(|point| point.features.iter().copied()).collect();
        match points {
            [] => GoalStatus::Unknown { why: NO_BRANCH.to_owned() },
            [point] if point.kind == PointKind::Condition => self.compare(at, &features, shown),
            _ => match self.known(features) {
                Known::Open(why) => GoalStatus::Unknown { why },
                Known::All(covered) if covered == shown => GoalStatus::Infeasible,
                Known::All(_) => GoalStatus::Unknown { why: DISAGREE.to_owned() },
            },
        }
    }

    /// What is known of the value of a switch that has no default: llvm-cov counts whether some case was taken.
    fn value_of_switch(&self, switch: &Point) -> [GoalStatus; 2] {
        let is_default =
            |number: usize| matches!(switch.kind, PointKind::Switch { default, .. } if default == Some(number));
        [false, true].map(|of_default| {
            match self.known(switch.features.iter().copied().filter(|number| is_default(*number) == of_default)) {
                Known::Open(why) => GoalStatus::Unknown { why },
                Known::All(0) => GoalStatus::Infeasible,
                Known::All(_) => GoalStatus::Unknown { why: DISAGREE.to_owned() },
            }
        })
    }

    /// The same, where what native runs show of it is counted.
    fn compare(
        &mut self,
        (id, function, span): (FunctionId, &MeasuredFunction, Span),
        features: &[usize],
        shown: usize,
    ) -> GoalStatus {
        match self.known(features.iter().copied()) {
            Known::Open(why) => GoalStatus::Unknown { why },
            Known::All(covered) if covered == shown => GoalStatus::Infeasible,
            Known::All(_) if self.leaving.may_be_too_large(id) => GoalStatus::Unknown { why: LEFT.to_owned() },
            Known::All(covered) => {
                if covered < shown && shown <= features.len() {
                    let (line, column) = span.start;
                    self.contradicted.push(format!("{}:{line}:{column}", from_here(function.file.clone())));
                }
                GoalStatus::Unknown { why: DISAGREE.to_owned() }
            }
        }
    }

    /// What is known of a case of a switch that no native run showed.
    fn case(&self, function: &MeasuredFunction, code: &Code, groups: &BTreeMap<Span, Vec<&Branch>>) -> GoalStatus {
        let unknown = |why: &str| GoalStatus::Unknown { why: why.to_owned() };
        let switches: Vec<&Point> =
            code.points.iter().filter(|point| matches!(point.kind, PointKind::Switch { .. })).collect();
        if switches.is_empty() {
            return unknown(NO_BRANCH);
        }
        // A switch without a default has one way more than it has cases; its value stands for it.
        let is_case = |switch: &Point, number: usize| {
            let is_counted = innermost(groups, switch.place).is_none();
            !matches!(switch.kind, PointKind::Switch { default, .. } if default == Some(number) && !is_counted)
        };
        let features = switches
            .iter()
            .flat_map(|switch| switch.features.iter().copied().filter(move |number| is_case(switch, *number)));
        let covered = match self.known(features) {
            Known::Open(why) => return GoalStatus::Unknown { why },
            Known::All(covered) => covered,
        };
        if function.count == 0 && covered == 0 {
            return GoalStatus::Infeasible;
        }
        if switches.iter().any(|point| !matches!(point.kind, PointKind::Switch { is_distinct: true, .. })) {
            return unknown("several cases lead to one place: which of them are taken is not told apart");
        }
        let parts = |point: &&Point| point.kind != PointKind::Vectors;
        let holds_point =
            |span: &Span| code.points.iter().filter(parts).any(|point| innermost(groups, point.place) == Some(*span));
        let cases = groups.iter().filter(|(span, _)| !holds_point(span)).flat_map(|(_, branches)| branches);
        let shown = cases.filter(|branch| branch.is_case && branch.counts[0] > 0).count();
        if covered == shown { GoalStatus::Infeasible } else { unknown(DISAGREE) }
    }

    /// What is known of the conditions of a decision that were not seen to decide alone.
    fn decision(
        &mut self,
        (id, function): (FunctionId, &MeasuredFunction),
        code: &Code,
        span: Span,
        shown: usize,
    ) -> GoalStatus {
        let innermost = |place: (u32, u32)| {
            let spans = function.decisions.iter().map(|decision| decision.span);
            spans.filter(|span| span.contains(place)).min_by_key(Span::size)
        };
        let is_here = |point: &&Point| point.kind == PointKind::Vectors && innermost(point.place) == Some(span);
        let points: Vec<&Point> = code.points.iter().filter(is_here).collect();
        let [point] = points.as_slice() else {
            return GoalStatus::Unknown {
                why: "the compiler's code does not count this decision at one place".to_owned(),
            };
        };
        self.compare((id, function, span), &point.features, shown)
    }

    /// What is known of a line.
    fn line(&self, id: FunctionId, function: &MeasuredFunction, code: &Code, line: u32, count: u64) -> GoalStatus {
        let may_be_too_large = self.leaving.may_be_too_large(id);
        if count > 0 && !may_be_too_large {
            return GoalStatus::Covered;
        }
        let of_line = |span: &Span| (span.start.0..=span.end.0).contains(&line);
        let regions =
            function.regions.iter().filter(|(span, entered)| (*entered == 0) == (count == 0) && of_line(span));
        let Some((region, _)) = regions.min_by_key(|(span, _)| span.size()) else {
            if count > 0 {
                return GoalStatus::Covered;
            }
            return GoalStatus::Unknown { why: "llvm-cov does not say to what the line belongs".to_owned() };
        };
        let is_on_line = |places: &[(u32, u32)]| places.iter().any(|place| place.0 == line);
        // A region goes on behind a call that may not return. Failed checks have lines that are not theirs.
        let blocks = &self.program.functions[id.index()].blocks;
        let goes_on =
            |block: BlockId| count == 0 || !matches!(blocks[block.index()].terminator, Terminator::Unreachable);
        let has_code = count > 0 && code.places.iter().any(|(block, places)| goes_on(*block) && is_on_line(places));
        let is_inside = |places: &[(u32, u32)]| match has_code {
            true => is_on_line(places),
            false => places.iter().any(|place| region.contains(*place)),
        };
        let blocks: Vec<_> =
            code.places.iter().filter(|(of, places)| goes_on(*of) && is_inside(places)).map(|(of, _)| *of).collect();
        if blocks.is_empty() && count > 0 {
            return GoalStatus::Covered;
        }
        if blocks.is_empty() {
            return GoalStatus::Unknown { why: "the compiler made no code of it".to_owned() };
        }
        let features = || blocks.iter().flat_map(|block| self.features.into_block(id, *block));
        if count > 0 {
            let is_seen = features().any(|number| matches!(self.outcome.standing(number), Standing::Covered));
            return if is_seen { GoalStatus::Covered } else { GoalStatus::Unknown { why: LEFT.to_owned() } };
        }
        match self.known(features()) {
            Known::Open(why) => GoalStatus::Unknown { why },
            Known::All(0) => GoalStatus::Infeasible,
            Known::All(_) => GoalStatus::Unknown { why: DISAGREE.to_owned() },
        }
    }
}

/// The smallest of some spans that contains a place.
fn innermost(groups: &BTreeMap<Span, Vec<&Branch>>, place: (u32, u32)) -> Option<Span> {
    groups.keys().filter(|span| span.contains(place)).min_by_key(|span| span.size()).copied()
}

/// The conditions without those that are not evaluated. glibc's `assert` has its condition twice, first as the operand of `sizeof`, of which clang counts
/// outcomes all the same. They stand at one empty span, as many again as the code has conditions there, and the first half are never true.
fn evaluated<'m>(mut groups: BTreeMap<Span, Vec<&'m Branch>>, code: &Code) -> BTreeMap<Span, Vec<&'m Branch>> {
    let mut conditions: BTreeMap<Span, usize> = BTreeMap::new();
    for point in code.points.iter().filter(|point| point.kind == PointKind::Condition) {
        if let Some(span) = innermost(&groups, point.place) {
            *conditions.entry(span).or_default() += 1;
        }
    }
    for (span, branches) in &mut groups {
        let half = conditions.get(span).copied().unwrap_or(0);
        let is_doubled = half > 0 && branches.len() == 2 * half && branches.iter().all(|of| of.is_of_system);
        if is_doubled && branches[..half].iter().all(|of| of.counts[0] == 0) {
            branches.drain(..half);
        }
    }
    groups
}

/// A function's conditions by where they stand in its file: those in one use of a macro stand at one place.
fn groups(function: &MeasuredFunction) -> BTreeMap<Span, Vec<&Branch>> {
    let mut groups: BTreeMap<Span, Vec<&Branch>> = BTreeMap::new();
    for branch in &function.branches {
        groups.entry(branch.span).or_default().push(branch);
    }
    groups
}
