//! Proofs by induction over the rounds of loops.
//!
//! A path that comes to a loop which is to be proved begins its rounds in a state that stands for those of all rounds: what rounds change are
//! variables of any value ([`variables`]) that satisfy conditions ([`conditions`]). Its paths are followed through one round. Where one comes
//! back to the header with a change that the state does not stand for the state is made to, and the round followed anew; else it is done. What leaves the
//! loop goes on behind it.
//!
//! States that differ by more than numbers (pointers into one buffer or another, the function that is called next, the rounding mode) have no one form: the
//! rounds of a loop begin in one of several abstract states ([`Abstract`]), and all of what follows is of each.
//!
//! **Claim.** Where [`Driver::prove`] gives a proof, no run of the program does what is checked, under the assumptions that are listed.
//!
//! **Argument.** By induction over the times that a run comes to headers. The state at the first time is one of those that the first abstract state stands for: it
//! differs by variables, whose conditions were asked about it. If the state at one time is one that an abstract state stands for, then the run follows one of that
//! state's paths to the round's end, as every run follows one of the paths of [`crate::execute`]; there the state is one that an abstract state stands for
//! again, since all that differs was compared, and the conditions asked. An abstract state that was made of a path's end keeps nothing of that path: of the
//! state it began in only what the two have in common, which are values from before the loop and variables. Of the members of a sequence
//! ([`recurrences`]) a condition says what holds of all of them, and is asked about whether a round goes from one to the next. On none of the paths something goes wrong, or is left open. A path that
//! cannot be shown to be one that no run takes counts as one that a run takes. The values of registers that rounds compute are not compared: at the
//! header only its phis are read before they are computed anew. Objects that a round makes must be over when it ends.
//!
//! Which loops are proved so is found out: those whose rounds part paths again and again, or are many. All others are followed round by
//! round. Nothing that is found here is a violation: the state that a path begins with may be one that no run has.

mod asked;
mod cases;
mod checked;
mod combinations;
mod conditions;
mod ends;
mod guesses;
mod loops;
mod recurrences;
mod rows;
mod thresholds;
mod variables;
mod weakening;

use std::rc::Rc;
use std::sync::Arc;

use labrys_interp::Datum;
use labrys_program::{BlockId, FunctionId};
use labrys_term::{Model, TermId, Value};
use num_traits::ToPrimitive;
use rustc_hash::{FxHashMap, FxHashSet};
use tracing::debug;

use crate::constants::double;
use crate::diamonds::phis;
use crate::driver::Driver;
use crate::oracle::conjuncts;
use crate::state::Execution;
use crate::witness::Witness;
use crate::{CallSite, Outcome, PathCounts};
use asked::Asked;
pub(crate) use asked::Left;
use checked::Violated;
use conditions::{Bounds, Conditions};
pub(crate) use loops::Loops;
use recurrences::Moment;
use variables::{Variables, bits_of};

/// Times that a loop's states are made to stand for more at most.
const MOST_ROUNDS: u32 = 200;

/// States that rounds of one loop begin in at most: pointers that point into other objects, and rounding modes, make others.
const MOST_STATES: usize = 8;

/// How long a loop is followed round by round: rounds on one path that have parted it, in which ways were merged, and rounds at all. First
/// the few, then, where that has not led to a proof, the many.
const PATIENCES: [Rounds; 2] =
    [Rounds { parting: 1, merging: 12, all: 400 }, Rounds { parting: 12, merging: 20_000, all: 20_000 }];

/// Rounds of a loop on a path.
#[derive(Clone, Copy, Debug, Default)]
struct Rounds {
    /// That have parted it.
    parting: u32,
    /// In which ways met again.
    merging: u32,
    all: u32,
}

impl Rounds {
    /// Whether some are more than these.
    fn exceed(self, most: Rounds) -> bool {
        self.parting > most.parting || self.merging > most.merging || self.all > most.all
    }
}

/// A loop that a path is in.
#[derive(Clone, Debug)]
pub(crate) struct Round {
    depth: usize,
    function: FunctionId,
    header: BlockId,
    /// Choices of the path when the round began.
    choices: u32,
    /// Ways of it that were merged by then.
    merged: u32,
    /// The rounds so far.
    so_far: Rounds,
}

/// A proof.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// Where the loops are that it goes by induction over, in no order that says anything.
    pub loops: Vec<CallSite>,
    /// Paths that ended, and those that came to a loop again.
    pub paths: PathCounts,
    /// Where assumptions ended paths: some of the places.
    pub exclusions: Vec<CallSite>,
    /// What it takes for granted, in words.
    pub assumptions: Vec<String>,
    /// Instructions executed.
    pub instructions: u64,
}

/// Why there is no proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoProof {
    /// In words.
    pub why: Arc<str>,
    /// Whether there was a loop to prove; else all of them are short, and were followed round by round.
    pub is_of_loops: bool,
}

/// What an induction has found out.
pub(crate) struct Induction<'s> {
    loops: Rc<Loops>,
    /// The loops to prove, by their headers.
    general: FxHashSet<(FunctionId, BlockId)>,
    patience: Rounds,
    /// A path that is to be looked at.
    shown: Option<Execution<'s>>,
    /// Why there is no proof.
    failed: Option<Arc<str>>,
    /// What goes wrong in rounds that begin as far as is known, unless more is.
    violated: Option<Violated>,
    /// What is asked of loops because of what goes wrong behind them.
    asked: Asked,
    /// Bounds that held of loops, as they are proved, and those of the time before all was proved anew.
    bounds: [FxHashMap<(FunctionId, BlockId), Bounds>; 2],
    /// More is asked of one than there was, and has not been guessed.
    is_asked: bool,
    /// All is to be proved anew.
    begins_anew: bool,
    /// The number of the last variable's name.
    named: u64,
}

/// Why a part of the proof ended.
enum Failure {
    /// There is one more loop to prove.
    More,
    /// There is no proof.
    Because(Arc<str>),
}

/// What has become of an abstract state.
struct Change {
    /// It stands for more.
    has_changed: bool,
    /// More is asked of it.
    is_stronger: bool,
}

/// Where a path is that is looked at.
enum Place {
    /// Behind the loop whose rounds are followed.
    Behind,
    /// At its header again.
    Again,
    /// At that of a loop that is to be proved.
    New,
    /// Elsewhere.
    Other,
}

/// The execution's state.
type State<'s> = labrys_interp::State<crate::Values<'s>>;

/// States in which rounds of a loop begin.
struct Abstract<'s> {
    /// With variables of any value that satisfies the conditions. Its path is that by which the loop is entered, but for rounding mode and flags.
    state: State<'s>,
    /// An input by which one of them is come to, the variables' first values in it.
    witness: Option<Rc<Witness>>,
    /// The condition of the path on which the variables have their first values.
    before: TermId,
    variables: Variables,
    conditions: Conditions,
    /// Whether any exception flags may be raised.
    has_any_flags: bool,
}

/// The paths of a round.
#[derive(Default)]
struct Followed<'s> {
    /// Those that have come to the header again.
    again: Vec<Execution<'s>>,
    /// Those that have left the loop.
    behind: Vec<Execution<'s>>,
}

impl<'s> Driver<'_, 's> {
    /// Shows that nothing goes wrong on any path.
    pub(crate) fn prove(mut self) -> Result<Proof, NoProof> {
        let loops = Rc::new(Loops::of(self.program));
        self.machine.domain.marks = Some(loops.clone());
        self.oracle.hurry();
        let mut last = NoProof { why: Arc::from("there is no loop"), is_of_loops: false };
        let (mut named, mut asked) = (0, Asked::default());
        for patience in PATIENCES {
            self.induction = Some(Box::new(Induction {
                loops: loops.clone(),
                general: FxHashSet::default(),
                patience,
                shown: None,
                failed: None,
                violated: None,
                asked: std::mem::take(&mut asked),
                bounds: Default::default(),
                is_asked: false,
                begins_anew: false,
                named,
            }));
            debug!(target: "executor", rounds = patience.all, "induction");
            match self.prove_all() {
                Ok(loops) => {
                    self.induction = None;
                    let Outcome { paths, exclusions, assumptions, instructions, .. } = self.conclude();
                    return Ok(Proof { loops, paths, exclusions, assumptions, instructions });
                }
                Err(why) => last.why = why,
            }
            if let Some(induction) = self.induction.take() {
                (named, asked) = (induction.named, induction.asked);
                last.is_of_loops = !induction.general.is_empty();
            }
        }
        Err(last)
    }

    fn prove_all(&mut self) -> Result<Vec<CallSite>, Arc<str>> {
        loop {
            self.outcome = Outcome::default();
            self.take_violated();
            let any = self.options.any_arguments;
            let mut result = Ok(());
            for count in (any.least..=any.most).rev() {
                let execution = self.enter(count)?;
                result = self.follow_part(execution, None).map(drop);
                // What goes wrong is a loop's matter, or ends the proof.
                if let Some(violated) = self.take_violated() {
                    result = result.and(Err(Failure::Because(violated.why)));
                }
                if result.is_err() {
                    break;
                }
            }
            match result {
                Ok(()) => return Ok(self.proved_loops()),
                Err(Failure::More) => {}
                Err(Failure::Because(why)) => return Err(why),
            }
        }
    }

    fn take_violated(&mut self) -> Option<Violated> {
        self.induction.as_mut()?.violated.take()
    }

    fn proved_loops(&self) -> Vec<CallSite> {
        let Some(induction) = &self.induction else { return Vec::new() };
        let mut all: Vec<(FunctionId, BlockId)> = induction.general.iter().copied().collect();
        all.sort_unstable();
        let place = |(function, header): (FunctionId, BlockId)| {
            let definition = &self.program.functions[function.index()];
            let source = definition.loops.iter().find(|of| of.head == header).map(|of| of.location);
            let block = definition.blocks.get(header.index());
            let first = block.and_then(|block| block.instructions.iter().find_map(|instruction| instruction.location));
            CallSite { function, location: source.or(first) }
        };
        all.into_iter().map(place).collect()
    }

    /// Follows a path, and all that it parts into, up to where they come to the header of the loop `of`, which is their innermost one, or leave it.
    fn follow_part(&mut self, start: Execution<'s>, of: Option<usize>) -> Result<Followed<'s>, Failure> {
        let outer = std::mem::take(&mut self.schedule);
        self.schedule.push(start, None);
        let followed = self.follow_waiting(of);
        self.schedule = outer;
        followed
    }

    fn follow_waiting(&mut self, of: Option<usize>) -> Result<Followed<'s>, Failure> {
        let mut followed = Followed::default();
        while let Some(execution) = self.schedule.next() {
            if let Some(why) = self.limit_reached() {
                return Err(Failure::Because(why.into()));
            }
            self.follow(execution);
            let Some(induction) = &mut self.induction else { continue };
            if let Some(why) = induction.failed.take() {
                return Err(Failure::Because(why));
            }
            if std::mem::take(&mut induction.begins_anew) {
                induction.is_asked = false;
                induction.bounds[1] = std::mem::take(&mut induction.bounds[0]);
                return Err(Failure::More);
            }
            let mut shown = Vec::from_iter(induction.shown.take());
            while let Some(mut execution) = shown.pop() {
                match self.place_of(&mut execution, of)? {
                    Place::Behind => followed.behind.push(execution),
                    Place::Again => followed.again.push(execution),
                    // What has left that loop may have left others, too.
                    Place::New => shown.extend(self.prove_loop(execution)?),
                    Place::Other => self.schedule.push(execution, None),
                }
            }
        }
        Ok(followed)
    }

    /// Whether a path stands where an induction looks, and has not been looked at there.
    pub(crate) fn is_to_be_looked_at(&self, execution: &Execution<'s>) -> bool {
        let (Some(induction), Some(frame)) = (&self.induction, execution.state.frame()) else { return false };
        execution.state.instructions != execution.looked_at
            && induction.loops.is_marked(frame.function, frame.block)
            && frame.instruction == phis(&self.program.functions[frame.function.index()].blocks[frame.block.index()])
    }

    /// Has a path be looked at.
    pub(crate) fn show(&mut self, execution: Execution<'s>) {
        if let Some(induction) = &mut self.induction {
            induction.shown = Some(execution);
        }
    }

    /// Where a path is, whose loops are brought up to date.
    fn place_of(&mut self, execution: &mut Execution<'s>, of: Option<usize>) -> Result<Place, Failure> {
        let Some(induction) = &mut self.induction else { return Ok(Place::Other) };
        execution.looked_at = execution.state.instructions;
        let Some(frame) = execution.state.frame() else { return Ok(Place::Other) };
        let (function, block, depth) = (frame.function, frame.block, execution.state.depth());
        let loops = &induction.loops;
        let is_in = |round: &Round| match round.depth.cmp(&depth) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => round.function == function && loops.is_in(function, round.header, block),
            std::cmp::Ordering::Greater => false,
        };
        while execution.rounds.last().is_some_and(|round| !is_in(round)) {
            execution.rounds.drop_last();
        }
        if of.is_some_and(|level| execution.rounds.len() < level) {
            return Ok(Place::Behind);
        }
        if !loops.is_header(function, block) {
            return Ok(Place::Other);
        }
        let choices = execution.state.path.choices.choices;
        let is_same = |round: &Round| (round.depth, round.function, round.header) == (depth, function, block);
        match execution.rounds.last().filter(|round| is_same(round)).cloned() {
            Some(_) if of == Some(execution.rounds.len()) => Ok(Place::Again),
            Some(mut round) => {
                round.so_far.all += 1;
                round.so_far.parting += u32::from(round.choices != choices);
                round.so_far.merging += u32::from(round.merged != execution.merged);
                (round.choices, round.merged) = (choices, execution.merged);
                if round.so_far.exceed(induction.patience) {
                    induction.general.insert((function, block));
                    return Err(Failure::More);
                }
                execution.rounds.drop_last();
                execution.rounds.push(round);
                Ok(Place::Other)
            }
            None => {
                let (merged, so_far) = (execution.merged, Rounds::default());
                execution.rounds.push(Round { depth, function, header: block, choices, merged, so_far });
                let is_general = induction.general.contains(&(function, block));
                Ok(if is_general { Place::New } else { Place::Other })
            }
        }
    }

    /// Proves the loop at whose header a path stands for the first time: what leaves it.
    fn prove_loop(&mut self, first: Execution<'s>) -> Result<Vec<Execution<'s>>, Failure> {
        let of = first.rounds.last().map_or((FunctionId(0), BlockId(0)), |round| (round.function, round.header));
        let header = of.1;
        let functions = first.state.call_stack().map(|(function, _)| function);
        let fixed = first.state.local_scalars().filter_map(|scalar| match &scalar.datum {
            Datum::Int(int) if !scalar.tainted => Some(int.clone()),
            _ => None,
        });
        let store = &self.machine.domain.store;
        let on_path = store.reachable(&[first.state.path.choices.condition]);
        let known = on_path.into_iter().filter(|term| store.as_variable(*term).is_some()).collect();
        let mut conditions = Conditions::new(self.program, functions, fixed, known);
        if let Some(held) = self.induction.as_ref().and_then(|induction| induction.bounds[1].get(&of)) {
            conditions.begin_with(held.clone());
        }
        // Where the few rounds of the first attempt have led to nothing, all is guessed at once.
        if self.induction.as_ref().is_some_and(|induction| induction.patience.parting > PATIENCES[0].parting) {
            conditions.allow_cases();
        }
        let mut all = vec![Abstract {
            state: first.state.clone(),
            witness: first.witness.clone(),
            before: first.state.path.choices.condition,
            variables: Variables::new(self.machine.domain.reads_flags()),
            conditions,
            has_any_flags: false,
        }];
        for _ in 0..MOST_ROUNDS {
            let (mut has_changed, mut rounds, mut behind) = (false, 0, Vec::new());
            // Where something goes wrong, more must be known of what rounds begin with than was.
            let (mut has_new, mut wrong) = (false, None);
            let mut index = 0;
            while let Some(abstracted) = all.get(index) {
                debug!(target: "executor", index, conditions = ?abstracted.conditions.all(), "a round");
                let start = self.generalised(&first, abstracted);
                let level = start.rounds.len();
                let followed = self.follow_part(start, Some(level))?;
                if let Some(violated) = self.take_violated() {
                    has_new |= self.guess_against(&first, &mut all[index], index == 0, &violated);
                    wrong.get_or_insert(violated.why);
                }
                rounds += followed.again.len() as u64;
                let variables = all[index].variables.all.iter().map(|variable| variable.any.clone()).collect();
                let left = Rc::new(Left { of, variables, firsts: all[index].variables.firsts() });
                for mut execution in followed.behind {
                    execution.left.push(left.clone());
                    behind.push(execution);
                }
                for back in followed.again {
                    if !self.is_in_same_activation(&first, &back) {
                        return Err(self.failure(&back, "the loop is left and entered again"));
                    }
                    let Change { has_changed: has, is_stronger } =
                        self.cover_back((&first, header), &mut all, index, &back)?;
                    has_changed |= has;
                    has_new |= is_stronger;
                }
                index += 1;
            }
            has_changed |= has_new;
            if let Some(why) = wrong {
                // More is guessed, and the rounds followed again.
                let allowed = all.iter_mut().filter_map(|of| of.conditions.allow_cases().then_some(())).count();
                if !has_new && allowed == 0 {
                    let is_asked = self.induction.as_mut().is_some_and(|of| std::mem::take(&mut of.is_asked));
                    return Err(if is_asked { Failure::More } else { Failure::Because(why) });
                }
                debug!(target: "executor", %why, "conditions are asked for");
                has_changed = true;
            }
            if !has_changed {
                if let (Some(induction), Some(abstracted)) = (&mut self.induction, all.first()) {
                    induction.bounds[0].insert(of, abstracted.conditions.bounds());
                }
                self.outcome.paths.completed += rounds;
                return Ok(behind);
            }
        }
        Err(self.failure(&first, "what holds of its rounds was not found"))
    }

    /// Has one of the abstract states stand for where a path has come to after a round that began in the one at `from`; whether one of them stands for
    /// more now.
    fn cover_back(
        &mut self,
        (first, header): (&Execution<'s>, BlockId),
        all: &mut Vec<Abstract<'s>>,
        from: usize,
        back: &Execution<'s>,
    ) -> Result<Change, Failure> {
        let named = self.induction.as_ref().map_or(0, |of| of.named);
        let in_order = std::iter::once(from).chain((0..all.len()).filter(|to| *to != from));
        for to in in_order {
            if all[to].state.path.environment.rounding() != back.state.path.environment.rounding() {
                continue;
            }
            let mut variables = all[to].variables.clone();
            variables.begin(named);
            let path = all[to].state.path.clone();
            if let Some(joined) = self.machine.join(&mut variables, (&all[to].state, &back.state), header, path) {
                all[to].variables = variables;
                // To where others begin it is come as to a loop.
                let moment = if to == from { Moment::Ends } else { Moment::Begins };
                return Ok(self.widen(&mut all[to], joined, (to == 0).then_some(first), (back, moment)));
            }
        }
        let is_last = all.len() == MOST_STATES;
        let new = if is_last { None } else { self.another(&all[from], back, header, named) };
        match new {
            Some(new) => all.push(new),
            None => return Err(self.failure(back, "what a round changes has no one form")),
        }
        Ok(Change { has_changed: true, is_stronger: false })
    }

    /// Guesses that what went wrong is asked for by a condition on what the round began with, which holds; whether that is new.
    fn guess_against(
        &mut self,
        first: &Execution<'s>,
        of: &mut Abstract<'s>,
        is_first: bool,
        violated: &Violated,
    ) -> bool {
        let domain = &mut self.machine.domain;
        let terms: Vec<TermId> = of.variables.all.iter().map(|of| variables::term_of(domain, &of.any)).collect();
        let asked = violated.asked_for(domain.store, &terms);
        let is_new = of.conditions.guess_asked(domain, &of.variables, &asked);
        if is_new && is_first {
            of.conditions.guess_again(domain, &of.variables);
            self.weaken(first, &mut of.conditions, (&of.variables.firsts(), Moment::Begins));
        }
        is_new
    }

    /// Widens an abstract state to one that it was joined to, so that it stands for where a path is, and, of the first one, for where the loop
    /// begins; whether it was not so.
    fn widen(
        &mut self,
        of: &mut Abstract<'s>,
        mut joined: State<'s>,
        first: Option<&Execution<'s>>,
        (back, moment): (&Execution<'s>, Moment),
    ) -> Change {
        let Abstract { state, before, variables, conditions, has_any_flags, .. } = of;
        let domain = &mut self.machine.domain;
        if !*has_any_flags && domain.tells_apart(&state.path.environment, &back.state.path.environment) {
            *has_any_flags = true;
            variables.named += 1;
            domain.any_flags(&mut joined.path.environment, &format!("any flag {}", variables.named));
            variables.has_grown = true;
        }
        if let Some(induction) = &mut self.induction {
            induction.named = variables.named;
        }
        let has_grown = variables.has_grown;
        if has_grown {
            *state = joined;
            conditions.guess(domain, variables);
            let round = back.rounds.last().map(|round| (round.function, round.header));
            if let (Some(induction), Some(round)) = (&self.induction, round) {
                let asked = induction.asked.of(domain, round, variables);
                conditions.guess_asked(domain, variables, &asked);
            }
            self.guess_steps(back, variables, conditions);
        }
        let domain = &mut self.machine.domain;
        let conjuncts = conjuncts(domain.store, back.state.path.choices.condition);
        let is_new = conditions.guess_checked(domain, variables, &conjuncts);
        // A round that began with fewer variables does not tell how those that are new hang together.
        let has_others = moment == Moment::Ends
            && !has_grown
            && self.guess_recurrences(&conjuncts, *before, (conditions, &*variables));
        if let Some(first) = first.filter(|_| has_grown || is_new || has_others) {
            self.weaken(first, conditions, (&variables.firsts(), Moment::Begins));
        }
        let is_weaker = self.weaken_by_cases(first, (back, moment), (conditions, &*variables));
        let has_changed = is_weaker || has_grown || has_others;
        Change { has_changed, is_stronger: is_new }
    }

    /// One more abstract state, for where a path has come to after a round that began in one with other pointers or another rounding mode.
    fn another(
        &mut self,
        from: &Abstract<'s>,
        back: &Execution<'s>,
        header: BlockId,
        named: u64,
    ) -> Option<Abstract<'s>> {
        let mut variables = from.variables.clone();
        variables.begin(named);
        variables.takes_second = true;
        let mut path = from.state.path.clone();
        path.environment = back.state.path.environment.clone();
        let mut state = self.machine.join(&mut variables, (&from.state, &back.state), header, path)?;
        variables.takes_second = false;
        let domain = &mut self.machine.domain;
        let has_any_flags = from.has_any_flags || domain.reads_flags();
        if has_any_flags {
            variables.named += 1;
            domain.any_flags(&mut state.path.environment, &format!("any flag {}", variables.named));
        }
        let nexts = variables.nexts();
        for (variable, next) in variables.all.iter_mut().zip(&nexts) {
            variable.first = next.clone();
        }
        let mut conditions = from.conditions.anew();
        conditions.guess(domain, &variables);
        if let Some(induction) = &mut self.induction {
            induction.named = variables.named;
        }
        self.weaken(back, &mut conditions, (&nexts, Moment::Begins));
        let (witness, before) = (back.witness.clone(), back.state.path.choices.condition);
        Some(Abstract { state, witness, before, variables, conditions, has_any_flags })
    }

    /// Whether two paths stand in one activation of a function, with what was computed there before the loop.
    fn is_in_same_activation(&self, first: &Execution<'s>, back: &Execution<'s>) -> bool {
        let (Some(induction), Some(round)) = (&self.induction, first.rounds.last()) else { return false };
        let (Some(a), Some(b)) = (first.state.frame(), back.state.frame()) else { return false };
        let is_inside = |block| induction.loops.is_in(round.function, round.header, block);
        let mut outside = loops::values_outside(&self.program.functions[round.function.index()], is_inside);
        a.function == b.function && outside.all(|value| a.value(value) == b.value(value))
    }

    /// Guesses from what a round has done on the path's own input.
    fn guess_steps(&mut self, back: &Execution<'s>, variables: &Variables, conditions: &mut Conditions) {
        let Some(witness) = &back.witness else { return };
        let Driver { machine, oracle, .. } = self;
        let domain = &mut machine.domain;
        let mut terms = Vec::new();
        for (place, of) in variables.all.iter().enumerate() {
            // What has just become a variable had its first value.
            let before = if place < variables.old { &of.any } else { &of.first };
            let next = of.next.as_ref().unwrap_or(before);
            terms.push([before, next].map(|datum| variables::term_of(domain, datum)));
        }
        conditions.guess_steps(domain, variables, |domain, of| {
            let mut value = |term| match oracle.witnesses.value(domain, witness, term)? {
                Value::BitVec { bits, .. } => bits.to_i128(),
                Value::Float(float) => double(&float).filter(|float| float.fract() == 0.0).map(|float| float as i128),
                _ => None,
            };
            let [before, next] = terms[of];
            Some(value(next)?.wrapping_sub(value(before)?))
        });
    }

    /// The path that stands for all rounds that an abstract state stands for.
    fn generalised(&mut self, first: &Execution<'s>, of: &Abstract<'s>) -> Execution<'s> {
        let mut start = first.clone();
        start.looked_at = of.state.instructions;
        let environment = of.state.path.environment.clone();
        start.state = of.state.clone();
        start.state.path = first.state.path.clone();
        start.state.path.environment = environment;
        start.witness = of.witness.as_ref().and_then(|witness| self.first_round(witness, &of.variables));
        let all: Vec<_> = of.variables.all.iter().map(|variable| variable.any.clone()).collect();
        for condition in of.conditions.terms(&mut self.machine.domain, &all, Moment::Round) {
            self.choose(&mut start, condition, 1, condition);
        }
        start
    }

    /// A witness on which the variables are what they were when they became variables.
    fn first_round(&mut self, witness: &Witness, variables: &Variables) -> Option<Rc<Witness>> {
        let mut model: Model = witness.model();
        for variable in &variables.all {
            let domain = &mut self.machine.domain;
            let [any, first] = [&variable.any, &variable.first].map(|datum| bits_of(domain, datum));
            let first = domain.as_term(&first);
            let value = self.oracle.witnesses.value(domain, witness, first)?;
            let any = *any.symbol()?;
            model.set_term(self.machine.domain.store, any, value).then_some(())?;
        }
        Some(self.oracle.witnesses.make(model, 0))
    }
}
