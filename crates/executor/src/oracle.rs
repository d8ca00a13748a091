//! Whether a path can go on under one more condition, asked of what is cheapest first.
//!
//! **Claim.** [`Feasible::No`] is a proof that no input satisfies the path's condition and the new one; [`Feasible::Yes`]
//! carries inputs that do, or where the path itself has none, only says that the conjuncts which share variables with the new
//! condition, directly or through others, are satisfied together with it.
//!
//! **Argument.** Conjuncts without common variables are satisfied one by one: a witness of the path whose values on the
//! question's slice are replaced by those of a model of the slice satisfies the whole. In order: the path's witness is evaluated;
//! recent witnesses are, on the slice; a stored contradiction that is part of the slice; the solver. Models are evaluated
//! before they are used.
//!
//! A variable of a call of libm depends on those of the call's operands ([`crate::supports`]), so that a slice has all that is known of
//! them; what calls can give is [`crate::library_calls`]'.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use labrys_solver::domain::Facts;
use labrys_solver::{
    Answer, Core, FloatOutcome, FloatSolver, Limits, Portfolio, PortfolioConfig, Relaxation, Relaxing, Session, Why,
    as_integers, error_free, refutes_by_order, relaxed, stopping_at,
};
use labrys_term::{Model, Op, Store, TermId, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::assignments::FewAssignments;
use crate::groups::Groups;
use crate::kept::{Keeper, Question};
use crate::library_calls::{self, Turns};
use crate::supports::{Supports, meet};
use crate::witness::{Witness, Witnesses};
use crate::{Options, Values, fractions, integral, signed_bounds, squeezed};

/// Witnesses that are tried on a slice before the solver is asked.
const RECENT: usize = 12;

/// How long the solver may take for a question whether a path can go on: a twentieth of the time that is left, within bounds.
/// What is not decided is not lost: the path goes on, and its end is asked about once more.
const PATIENCE: Patience = Patience { share: 20, least: Duration::from_millis(500), most: Duration::from_secs(5) };

/// The same where many paths are to be looked at, and none matters much.
const HURRY: Patience = Patience { share: 60, least: Duration::from_millis(150), most: Duration::from_secs(2) };

/// The same where a proof hangs on it.
const LEISURE: Patience = Patience { share: 8, least: Duration::from_millis(1500), most: Duration::from_secs(10) };

/// How long one question may take, of the run's own time.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// So many questions of the longest kind fit in the time that is left.
    share: u32,
    least: Duration,
    most: Duration,
}

/// The solver's first turn, before order alone is looked at, and that look: at most so long, and at most a part of a question's time. Where the last
/// question that took longer was not the solver's in the end, the next like it is not either: then a short turn. Real arithmetic, which starts a process, comes last.
const FIRST_TURN: Duration = Duration::from_millis(400);
const SHORT_TURN: Duration = Duration::from_millis(40);
const ORDER_TURN: Duration = Duration::from_secs(5);
const RELAXATION_TURN: Duration = Duration::from_secs(2);
const FIRST_SHARE: u32 = 4;
const RELAXATION_SHARE: u32 = 2;

/// Variables that the session may know beside those of the question, and how many more for each of these: a model has all that it knows, and
/// what it has learnt of others is of no use.
const OTHERS: usize = 256;
const OTHERS_EACH: usize = 4;
/// The part of the memory, in hundredths, at which the solver gives a question up: paths go on without its answer. What a question begins with, the
/// solver's own tables of all clauses, comes at once, before it asks whether it may.
const SOLVER_MEMORY: u64 = 65;

/// Contradictions that are kept for each of their last terms.
const CORES: usize = 16;

/// Whether a path can go on.
#[derive(Debug)]
pub(crate) enum Feasible {
    /// It can: with inputs, unless the path itself has none.
    Yes(Option<Rc<Witness>>),
    /// No input leads there.
    No,
    /// Not decided.
    Unknown(Why),
}

/// Conjuncts that are satisfied, or not, whatever the others are.
struct Slice {
    /// Ascending.
    conjuncts: Vec<TermId>,
    /// What they depend on, ascending.
    variables: Vec<VariableId>,
}

/// Answers, and what was learnt from earlier ones.
pub(crate) struct Oracle {
    session: Session,
    /// The variables that it knows.
    in_session: FxHashSet<VariableId>,
    /// For questions with calls of libm.
    portfolio: Portfolio,
    relaxation: Relaxation,
    supports: Supports,
    few: FewAssignments,
    pub(crate) witnesses: Witnesses,
    /// Witnesses made last, the latest at the end.
    recent: VecDeque<Rc<Witness>>,
    /// Contradictions by their youngest term: their terms, ascending.
    cores: FxHashMap<TermId, Vec<Box<[TermId]>>>,
    deadline: Option<Instant>,
    /// Set when whoever looks on has had enough.
    cancelled: Arc<AtomicBool>,
    memory_mib: u64,
    patience: Patience,
    /// How long the solver's first turn is.
    first_turn: Duration,
    slowdown: f64,
    /// Where answers are kept, if they are.
    keeper: Option<Keeper>,
    /// How long the solver took.
    pub(crate) solving: Duration,
    /// How often it was asked.
    pub(crate) questions: u64,
}

impl Oracle {
    pub(crate) fn new(options: &Options) -> Oracle {
        let cancelled = options.watch.as_ref().map(|watch| watch.signal()).unwrap_or_default();
        let config =
            PortfolioConfig { seed: options.seed, cancelled: Arc::clone(&cancelled), ..PortfolioConfig::default() };
        Oracle {
            session: Session::new(Portfolio::new(config.clone())),
            in_session: FxHashSet::default(),
            portfolio: Portfolio::new(config),
            relaxation: Relaxation::new(options.seed as u32),
            supports: Supports::default(),
            few: FewAssignments::default(),
            witnesses: Witnesses::default(),
            recent: VecDeque::new(),
            cores: FxHashMap::default(),
            deadline: options.deadline,
            cancelled,
            memory_mib: options.memory_mib * SOLVER_MEMORY / 100,
            patience: PATIENCE,
            first_turn: FIRST_TURN,
            slowdown: options.slowdown,
            keeper: options.answers.clone().map(Keeper::new),
            solving: Duration::ZERO,
            questions: 0,
        }
    }

    /// The variables on which a term depends, ascending.
    pub(crate) fn variables_of(&mut self, values: &Values<'_>, term: TermId) -> Vec<VariableId> {
        self.supports.variables_of(values.store, &values.libm, term).to_vec()
    }

    /// Adds a condition to those of a path.
    pub(crate) fn add(&mut self, values: &Values<'_>, path: &mut Groups, condition: TermId) {
        for conjunct in conjuncts(values.store, condition) {
            path.add(conjunct, self.supports.variables_of(values.store, &values.libm, conjunct));
        }
    }

    /// Whether `condition` can hold where `path` does, of which `witness` is a model.
    pub(crate) fn ask(
        &mut self,
        values: &mut Values<'_>,
        path: &Groups,
        witness: Option<&Rc<Witness>>,
        condition: TermId,
    ) -> Feasible {
        match values.store.node(condition).op {
            Op::BoolConst(true) => return Feasible::Yes(witness.cloned()),
            Op::BoolConst(false) => return Feasible::No,
            _ => {}
        }
        if let Some(witness) = witness
            && self.witnesses.holds(values, witness, condition) == Some(true)
        {
            return Feasible::Yes(Some(witness.clone()));
        }
        let slice = self.slice(values, path, condition);
        if self.contradicts(&slice.conjuncts) {
            return Feasible::No;
        }
        match self.recall(values, &slice, witness) {
            Some(found) => found,
            None => self.solve(values, &slice, witness, self.patience()),
        }
    }

    /// Whether a condition cannot hold where `path` does for reasons of real arithmetic and bounded errors, which is asked at once and of nobody else.
    pub(crate) fn refutes_relaxed(&mut self, values: &mut Values<'_>, path: &Groups, condition: TermId) -> bool {
        let slice = self.slice(values, path, condition);
        let longest = self.on_the_wall(RELAXATION_TURN);
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let wall = left.map_or(longest, |left| left.min(longest));
        let limits = Limits { work: 0, wall, memory_mib: self.memory_mib };
        let begun = Instant::now();
        let cancelled = Arc::clone(&self.cancelled);
        let (relaxation, portfolio) = (&mut self.relaxation, &mut self.portfolio);
        let refutes =
            stopping_at(&cancelled, || relaxation.refutes(values.store, &slice.conjuncts, portfolio, &limits));
        self.solving += begun.elapsed();
        self.questions += 1;
        refutes
    }

    /// What propagation alone knows of a conjunction's terms.
    ///
    /// # Errors
    ///
    /// As [`Portfolio::domains`].
    pub(crate) fn domains(
        &self,
        values: &Values<'_>,
        conjuncts: &[TermId],
        limits: &Limits,
    ) -> Result<Option<Facts>, Why> {
        self.portfolio.domains(values.store, conjuncts, limits)
    }

    /// Has questions of paths take less time.
    pub(crate) fn hurry(&mut self) {
        self.patience = HURRY;
    }

    /// Has them take more.
    pub(crate) fn take_time(&mut self) {
        self.patience = LEISURE;
    }

    fn patience(&self) -> Duration {
        let Patience { share, least, most } = self.patience;
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        let [least, most] = [least, most].map(|time| self.on_the_wall(time));
        self.deadline.map_or(most, |deadline| (left(deadline) / share).clamp(least, most))
    }

    /// A time of the run's own as the wall has it.
    fn on_the_wall(&self, time: Duration) -> Duration {
        time.mul_f64(self.slowdown)
    }

    /// A model of a whole path, looked for as long as the deadline allows, at most `patience` of the run's own time.
    pub(crate) fn model(&mut self, values: &mut Values<'_>, path: TermId, patience: Duration) -> Feasible {
        let empty = self.witnesses.make(Default::default(), 0);
        let slice = self.whole(values, conjuncts(values.store, path));
        self.solve(values, &slice, Some(&empty), self.on_the_wall(patience))
    }

    /// The condition with the conjuncts that share variables with it, directly or through others.
    fn slice(&mut self, values: &Values<'_>, path: &Groups, condition: TermId) -> Slice {
        let mut all = conjuncts(values.store, condition);
        let own = self.supports.variables_of(values.store, &values.libm, condition);
        all.extend(path.conjuncts(own));
        self.whole(values, all)
    }

    /// Conjuncts as a slice of their own.
    fn whole(&mut self, values: &Values<'_>, mut conjuncts: Vec<TermId>) -> Slice {
        conjuncts.sort_unstable();
        conjuncts.dedup();
        let mut variables = Vec::new();
        for &conjunct in &conjuncts {
            variables.extend_from_slice(self.supports.variables_of(values.store, &values.libm, conjunct));
        }
        variables.sort_unstable();
        variables.dedup();
        Slice { conjuncts, variables }
    }

    /// Whether a stored contradiction is part of the slice.
    fn contradicts(&self, slice: &[TermId]) -> bool {
        let is_part = |core: &[TermId]| core.iter().all(|term| slice.binary_search(term).is_ok());
        slice.iter().any(|term| self.cores.get(term).is_some_and(|cores| cores.iter().any(|core| is_part(core))))
    }

    /// The values of a recent witness on the slice, if they satisfy it.
    fn recall(&mut self, values: &Values<'_>, slice: &Slice, witness: Option<&Rc<Witness>>) -> Option<Feasible> {
        let fits = |witnesses: &mut Witnesses, other: &Witness| {
            slice.conjuncts.iter().all(|&term| witnesses.holds(values, other, term) == Some(true))
        };
        let found = self.recent.iter().rev().find(|other| fits(&mut self.witnesses, other))?.clone();
        let Some(witness) = witness else { return Some(Feasible::Yes(None)) };
        let stale = self.stale(values, &slice.variables);
        let model = witness.updated(&found.model(), &slice.variables, &stale);
        Some(self.confirmed(values, slice, model))
    }

    /// A witness of the slice, evaluated once more: a model, and how many of the store's first variables have values in it.
    fn confirmed(&mut self, values: &Values<'_>, slice: &Slice, (model, completed): (Model, usize)) -> Feasible {
        let witness = self.witnesses.make(model, completed);
        if slice.conjuncts.iter().any(|&term| self.witnesses.holds(values, &witness, term) != Some(true)) {
            return Feasible::Unknown(Why::WrongModel);
        }
        if self.recent.len() >= RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(witness.clone());
        Feasible::Yes(Some(witness))
    }

    fn solve(
        &mut self,
        values: &mut Values<'_>,
        slice: &Slice,
        witness: Option<&Rc<Witness>>,
        patience: Duration,
    ) -> Feasible {
        let outcome = self.answer(values, slice, patience);
        match outcome {
            FloatOutcome::Unsat(Core(core)) => {
                self.remember(core.into_iter().filter_map(|place| slice.conjuncts.get(place).copied()).collect());
                Feasible::No
            }
            FloatOutcome::Unknown(why) => Feasible::Unknown(why),
            FloatOutcome::Sat(mut model) => match witness {
                None => Feasible::Yes(None),
                Some(witness) => {
                    model.complete(values.store, &slice.conjuncts);
                    let stale = self.stale(values, &slice.variables);
                    let model = witness.updated(&model, &slice.variables, &stale);
                    self.confirmed(values, slice, model)
                }
            },
        }
    }

    /// The kept answer, or else the solver's.
    fn answer(&mut self, values: &mut Values<'_>, slice: &Slice, patience: Duration) -> FloatOutcome {
        let begun = Instant::now();
        let left = self.deadline.map_or(patience, |deadline| deadline.saturating_duration_since(begun).min(patience));
        let question: Option<Question> = self.keeper.as_mut().map(|keeper| keeper.question(values, &slice.conjuncts));
        let kept = self.keeper.as_ref().zip(question.as_ref());
        if let Some(answer) = kept.and_then(|(keeper, question)| keeper.recall(values.store, question, left)) {
            return answer;
        }
        // To prepare a question takes time, too, and a path may have a thousand of them where it parts.
        if left.is_zero() || self.cancelled.load(Ordering::Relaxed) {
            return FloatOutcome::Unknown(Why::Wall);
        }
        let limits = Limits { work: 0, wall: left, memory_mib: self.memory_mib };
        let cancelled = Arc::clone(&self.cancelled);
        let outcome = stopping_at(&cancelled, || self.tried_or_decided(values, slice, &limits));
        self.solving += begun.elapsed();
        self.questions += 1;
        if outcome == FloatOutcome::Unknown(Why::Memory) {
            // What it has written and learnt is of less use than the memory.
            self.session.reset();
            labrys_solver::bitblast::give_back();
        }
        if let Some((keeper, question)) = self.keeper.as_ref().zip(question.as_ref()) {
            keeper.keep(values.store, question, &outcome, left);
        }
        outcome
    }

    /// By all assignments where that is known to be cheap, else by the solver, and by all assignments where it gives up.
    fn tried_or_decided(&mut self, values: &mut Values<'_>, slice: &Slice, limits: &Limits) -> FloatOutcome {
        if !values.libm.among(&slice.variables).is_empty() {
            return self.decide(values, slice, limits);
        }
        let begun = Instant::now();
        let of_slice = (&slice.conjuncts[..], &slice.variables[..]);
        if let Some(outcome) = self.few.decide(values.store, &mut self.portfolio, of_slice, limits) {
            return outcome;
        }
        let outcome =
            self.decide(values, slice, &Limits { wall: limits.wall.saturating_sub(begun.elapsed()), ..*limits });
        self.few.note(&slice.variables, begun.elapsed());
        let FloatOutcome::Unknown(why) = outcome else { return outcome };
        let now = Instant::now();
        let left = self.deadline.map_or(limits.wall, |deadline| deadline.saturating_duration_since(now));
        let last = Limits { wall: left.min(limits.wall / FIRST_SHARE), ..*limits };
        let tried = self.few.decide(values.store, &mut self.portfolio, of_slice, &last);
        tried.unwrap_or(FloatOutcome::Unknown(why))
    }

    /// Variables of calls that are not among a slice's, whose operands are: nothing is asked of them yet, and their values follow the operands'.
    fn stale(&mut self, values: &Values<'_>, variables: &[VariableId]) -> Vec<VariableId> {
        if values.libm.is_empty() {
            return Vec::new();
        }
        let mut stale = Vec::new();
        for variable in values.libm.variables() {
            let is_asked = variables.binary_search(&variable).is_ok();
            let mut operands = values.libm.operands(variable).iter();
            let mut depends =
                |operand: &TermId| meet(self.supports.variables_of(values.store, &values.libm, *operand), variables);
            if !is_asked && operands.any(&mut depends) {
                stale.push(variable);
            }
        }
        stale
    }

    /// Asks the solver; where calls of libm are among what the slice depends on, for any libm.
    fn decide(&mut self, values: &mut Values<'_>, slice: &Slice, limits: &Limits) -> FloatOutcome {
        let Slice { conjuncts: slice, variables } = slice;
        let calls = match values.libm.is_empty() {
            true => Vec::new(),
            false => values.libm.among(variables),
        };
        if !calls.is_empty() {
            let [first, relaxation] = [FIRST_TURN, RELAXATION_TURN].map(|turn| self.on_the_wall(turn));
            let solvers = (&mut self.portfolio, &mut self.relaxation, Turns { first, relaxation });
            return library_calls::decide(values, solvers, slice, &calls, limits);
        }
        self.in_session.extend(variables);
        if self.in_session.len() > OTHERS + (OTHERS_EACH + 1) * variables.len() {
            self.session.renew();
            self.in_session = variables.iter().copied().collect();
        }
        let mut query = slice.to_vec();
        query.extend(squeezed::consequences(values.store, slice));
        query.extend(signed_bounds::consequences(values.store, slice));
        query.extend(fractions::consequences(values.store, slice));
        let begun = Instant::now();
        // Most questions are answered in no time; of the others some are about order alone.
        let first = Limits { wall: (limits.wall / FIRST_SHARE).min(self.on_the_wall(self.first_turn)), ..*limits };
        let mut answer = self.session.check(values.store, &query, &first);
        let is_over = |begun: Instant| begun.elapsed() >= limits.wall || self.cancelled.load(Ordering::Relaxed);
        if matches!(answer, Answer::Unknown(_)) && !is_over(begun) {
            self.first_turn = SHORT_TURN;
            let second = Limits { wall: (limits.wall / FIRST_SHARE).min(self.on_the_wall(ORDER_TURN)), ..*limits };
            let exact = integral::rewritten(values.store, slice);
            let has_rounded = exact.as_ref().is_some_and(|exact| integral::rounds(values.store, exact));
            if let Some(exact) = exact.as_ref().filter(|_| !has_rounded)
                && let Some(outcome) =
                    self.by_rewriting(values, slice, &[exact, &query[slice.len()..]].concat(), &second)
            {
                return outcome;
            }
            if let Some(outcome) = self.by_integers(values, slice, &query, &second) {
                return outcome;
            }
            let relaxing = relaxed(values.store, &query, &self.portfolio, &second);
            let is_refuted = matches!(relaxing, Relaxing::Contradiction)
                || refutes_by_order(values.store, &query, &mut self.portfolio, &second);
            if is_refuted {
                return contradiction(slice);
            }
            let turn = |share: u32, longest: Duration| {
                let left = limits.wall.saturating_sub(begun.elapsed());
                Limits { wall: (left / share).min(longest), ..*limits }
            };
            let third = turn(FIRST_SHARE, self.on_the_wall(ORDER_TURN));
            if self.refutes_by_errors(values.store, &query, &third) {
                return contradiction(slice);
            }
            let fourth = turn(RELAXATION_SHARE, self.on_the_wall(RELAXATION_TURN));
            let question = (&*values.store, &query[..]);
            if self.relaxation.refutes_relaxed(relaxing, question, &mut self.portfolio, &fourth) {
                return contradiction(slice);
            }
            if let Some(mut exact) = exact {
                exact.extend(&query[slice.len()..]);
                let third = Limits { wall: limits.wall.saturating_sub(begun.elapsed()) / 2, ..*limits };
                if let Some(outcome) = self.by_rewriting(values, slice, &exact, &third) {
                    return outcome;
                }
            }
            let left = Limits { wall: limits.wall.saturating_sub(begun.elapsed()), ..*limits };
            answer = self.session.check(values.store, &query, &left);
            self.first_turn = FIRST_TURN;
        }
        match answer {
            Answer::Unsat => {
                // What follows from the slice is none of its conjuncts: what it follows from is then part of the contradiction.
                let core = self.session.failed_assumptions();
                let core = core.filter(|core| core.iter().all(|place| *place < slice.len()));
                FloatOutcome::Unsat(Core(core.unwrap_or_else(|| (0..slice.len()).collect())))
            }
            Answer::Unknown(why) => FloatOutcome::Unknown(why),
            Answer::Sat => match self.session.model() {
                Some(model) => FloatOutcome::Sat(model.clone()),
                None => FloatOutcome::Unknown(Why::WrongModel),
            },
        }
    }

    /// The answer by arithmetic of integers ([`as_integers`]), if that has one.
    fn by_integers(
        &mut self,
        values: &mut Values<'_>,
        slice: &[TermId],
        query: &[TermId],
        limits: &Limits,
    ) -> Option<FloatOutcome> {
        let mut rewritten = as_integers(values.store, slice)?;
        rewritten.extend(&query[slice.len()..]);
        self.by_rewriting(values, slice, &rewritten, limits)
    }

    /// The answer of rewritten conjuncts; a model that is none of the slice's is no answer.
    fn by_rewriting(
        &mut self,
        values: &Values<'_>,
        slice: &[TermId],
        rewritten: &[TermId],
        limits: &Limits,
    ) -> Option<FloatOutcome> {
        match self.portfolio.check_once(values.store, rewritten, limits) {
            FloatOutcome::Unsat(_) => Some(contradiction(slice)),
            FloatOutcome::Sat(model) if library_calls::holds(values, slice, &model) => Some(FloatOutcome::Sat(model)),
            FloatOutcome::Sat(_) | FloatOutcome::Unknown(_) => None,
        }
    }

    /// Whether there is no model by what sums and their errors are together ([`error_free`]).
    fn refutes_by_errors(&mut self, store: &mut Store, query: &[TermId], limits: &Limits) -> bool {
        let Some((rewritten, conditions)) = error_free::rewritten(store, query) else { return false };
        if !matches!(self.portfolio.check_once(store, &rewritten, limits), FloatOutcome::Unsat(_)) {
            return false;
        }
        let all = store.and(&conditions);
        let mut outside = query.to_vec();
        outside.push(store.not(all));
        matches!(self.portfolio.check_once(store, &outside, limits), FloatOutcome::Unsat(_))
    }

    /// Keeps a contradiction.
    fn remember(&mut self, mut terms: Vec<TermId>) {
        terms.sort_unstable();
        if let Some(&last) = terms.last() {
            let cores = self.cores.entry(last).or_default();
            if cores.len() < CORES {
                cores.push(terms.into());
            }
        }
    }
}

/// That conjuncts contradict each other, all of them for all that is known.
fn contradiction(conjuncts: &[TermId]) -> FloatOutcome {
    FloatOutcome::Unsat(Core((0..conjuncts.len()).collect()))
}

/// The conjuncts of a condition, nested conjunctions taken apart.
pub(crate) fn conjuncts(store: &Store, condition: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut pending = vec![condition];
    while let Some(term) = pending.pop() {
        let node = store.node(term);
        match node.op {
            Op::And => pending.extend(node.args.iter().copied()),
            Op::BoolConst(true) => {}
            _ => found.push(term),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_have_longer_where_others_use_the_processors() {
        let patience = |slowdown| Oracle::new(&Options { slowdown, ..Options::default() }).patience();
        assert_eq!(patience(1.0), PATIENCE.most);
        assert_eq!(patience(4.0), 4 * PATIENCE.most);
    }
}
