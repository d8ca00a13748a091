//! Proofs by the solver over the floats, asked again from others: z3, Bitwuzla, and the solver's own branch and prune, which refutes
//! what others are too slow for and shares little with the engines that proved it.
//!
//! **Order.** Least certain first: queries with calls of libm's functions, then what search with learnt clauses and affine forms
//! refuted, then circuits, at last what propagation alone did; among equals the largest formulas. In rounds: every proof gets a
//! short turn before any gets a longer one, so that those that are too hard for the other solver cost little of the budget. Who has
//! confirmed the largest share of what it was asked is asked first; in the beginning z3.
//!
//! **Budget.** z3 tells its work (`rlimit`), which depends on the query alone. So which proofs are asked is the same in every run, unless
//! the backstop on time strikes, which is told.
//!
//! **Models.** A model of the other solver was evaluated exactly on the query before it comes here (`labrys_solver::Validate`). One
//! that is none contradicts nothing; one that cannot be evaluated leaves open who is wrong, and the proof is withdrawn.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use labrys_report::Opinion;
use labrys_solver::elementary::{CallTerm, Decided, decide_with_calls};
use labrys_solver::prune::Refuter;
use labrys_solver::{
    EngineChoice, FloatOutcome, FloatSolver, Limits, Portfolio, PortfolioConfig, ProcessConfig, StackConfig, Why,
    float_stack, z3_version,
};
use labrys_term::{Model, Store, TermId, VariableId};
use rustc_hash::FxHashSet;

use super::{Budget, OpinionChoice, SECOND, files};

/// Work of one query and wall-clock time of it, a backstop, in each round. What z3 refutes easily takes less than 50,000 units.
const ROUNDS: [(u64, Duration); 3] = [
    (SECOND / 40, Duration::from_secs(3)),
    (SECOND / 5, Duration::from_secs(6)),
    (SECOND * 2, Duration::from_secs(20)),
];
/// Evaluations of branch and prune that take about as long as a unit of z3's: 5 to 10 million took a second.
const EVALUATIONS_OF_UNIT: u64 = 4;
/// Less work than this is no use to a query.
const SHORTEST: u64 = SECOND / 200;
/// After so many failures in a row another solver is not asked any more.
const MOST_FAILURES: u32 = 3;
/// Memory of another solver in mebibytes.
const MEMORY: u64 = 2048;
/// What finding facts about libm's functions again may cost, for what intervals refuted: work of the interval engine, wall-clock
/// time, and rounds of refinement.
const AGAIN: (u64, Duration, usize) = (4_000, Duration::from_millis(200), 2);

/// How a query was refuted, the most certain way first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Means {
    /// Preparation, propagation.
    Propagation,
    /// Circuits and CDCL.
    Circuits,
    /// Search with explanations and affine forms.
    Search,
    /// With lemmas about libm's functions.
    Calls,
}

/// How a solver refuted its last query, by its statistics.
pub(crate) fn means_of(solver: &dyn FloatSolver) -> Means {
    let decided_by = solver.statistics().into_iter().find(|(name, _)| name == "decided by");
    match decided_by.as_ref().map(|(_, engine)| engine.as_str()) {
        Some("preparation") => Means::Propagation,
        Some("bitblast") => Means::Circuits,
        _ => Means::Search,
    }
}

/// A conjunction without a model, on which a proof rests.
#[derive(Clone, Debug)]
pub(crate) struct Refutation {
    /// The conjuncts, as they were before any preparation.
    pub terms: Vec<TermId>,
    /// What was used of libm's functions ([`Decided::lemmas`]); `None` where nobody said.
    pub lemmas: Option<Vec<TermId>>,
    /// How it was refuted.
    pub means: Means,
}

/// A proof: none of these has a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Claim {
    /// The queries.
    pub refutations: Vec<Refutation>,
    /// Why some are missing, if so: the proof cannot be confirmed.
    pub missing: Option<String>,
}

/// A solver that says otherwise.
#[derive(Clone, Debug)]
pub(crate) struct Dissent {
    /// Who.
    pub by: String,
    /// The query, lemmas included.
    pub terms: Vec<TermId>,
    /// Its model, where it satisfies the query.
    pub model: Option<Model>,
    /// Why there is none.
    pub doubt: Option<String>,
    /// How the query was refuted.
    pub means: Means,
}

/// What became of a claim.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// It stands.
    Opinion(Opinion),
    /// It does not.
    Contradicted(Box<Dissent>),
}

/// What asking came to: the answers in the order of the claims.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The answers.
    pub answers: Vec<Answer>,
    /// Whether a limit on time, which another run may not meet, had a part in it.
    pub time_limited: bool,
    /// What went wrong beside, for the report.
    pub notes: Vec<String>,
}

/// Another solver.
struct Peer {
    name: String,
    /// None where it is part of this program.
    executable: Option<PathBuf>,
    solver: Box<dyn FloatSolver>,
    /// What its queries took, where it tells, in its own units.
    spent: Arc<AtomicU64>,
    /// So many of its units are one of z3's.
    units: u64,
    /// Queries that it was asked, and of these those that it confirmed.
    asked: u64,
    confirmed: u64,
    /// Terms of the smallest query that it left open in this round, where it is another program.
    smallest_open: Option<usize>,
    /// Failures in a row.
    failures: u32,
    /// Why it is not asked any more.
    gone: Option<String>,
}

/// How one query ended.
enum Verdict {
    Confirmed(String),
    Open(String),
    Dissent(Box<Dissent>),
}

/// How far a claim has come.
#[derive(Default)]
struct Progress {
    confirmed: usize,
    by: Vec<String>,
    why: Option<String>,
    dissent: Option<Box<Dissent>>,
}

/// Asks for second opinions about queries of one store.
pub(crate) struct SecondOpinion<'a> {
    choice: OpinionChoice,
    budget: Budget,
    peers: Vec<Peer>,
    /// Calls of libm's functions whose results are variables of the store.
    calls: &'a [CallTerm],
    results: FxHashSet<VariableId>,
    ulps: u32,
    /// Whether the user has had enough.
    interrupted: &'a dyn Fn() -> bool,
    /// Work that no solver told.
    charged: u64,
    time_limited: bool,
    notes: Vec<String>,
}

impl Peer {
    fn new(name: &str, config: ProcessConfig) -> Peer {
        let (executable, spent) = (Some(config.executable.clone()), Arc::clone(&config.spent));
        let solver = float_stack(&StackConfig::new(config));
        Peer { executable, ..Peer::of(name, solver, spent) }
    }

    fn of(name: &str, solver: Box<dyn FloatSolver>, spent: Arc<AtomicU64>) -> Peer {
        Peer {
            name: name.to_owned(),
            executable: None,
            solver,
            spent,
            units: 1,
            asked: 0,
            confirmed: 0,
            smallest_open: None,
            failures: 0,
            gone: None,
        }
    }

    fn branch_and_prune() -> Peer {
        let refuter = Refuter::default();
        let spent = refuter.spent();
        Peer { units: EVALUATIONS_OF_UNIT, ..Peer::of("branch and prune", Box::new(refuter), spent) }
    }

    /// Its name with its version, once it has answered something.
    fn full_name(&self) -> String {
        static VERSIONS: OnceLock<Mutex<HashMap<PathBuf, Option<String>>>> = OnceLock::new();
        let Some(executable) = self.executable.as_ref().filter(|_| self.name == "z3") else {
            return self.name.clone();
        };
        let mut known = VERSIONS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        let version = known.entry(executable.clone()).or_insert_with(|| z3_version(executable).ok());
        version.as_ref().map_or(self.name.clone(), |version| format!("{} {version}", self.name))
    }

    /// Why a query of so many terms is not worth asking, if so. Translating one into circuits takes time before any limit on work
    /// strikes: whoever left one open is asked about those of half its size at most.
    fn is_spared(&self, size: usize) -> Option<String> {
        let too_large = |open: &usize| size > open / 2;
        let open = self.smallest_open.filter(too_large);
        let too_large = open.map(|open| format!("{} was not asked after leaving open one of {open} terms", self.name));
        self.gone.clone().or(too_large)
    }

    /// Learns from a failure; what to say of it.
    fn failed(&mut self, why: &Why) -> String {
        let is_failure = matches!(why, Why::Crash(_) | Why::Garbage(_) | Why::Wall | Why::Missing(_));
        self.failures = if is_failure { self.failures + 1 } else { 0 };
        let words = match why {
            Why::WrongModel => format!("{} said sat, with a model that does not satisfy the query", self.name),
            why => format!("{}: {why}", self.name),
        };
        if matches!(why, Why::Missing(_)) || self.failures >= MOST_FAILURES {
            self.gone = Some(words.clone());
        }
        words
    }
}

impl<'a> SecondOpinion<'a> {
    /// Asks whom the user chose.
    pub fn new(
        choice: &OpinionChoice,
        seed: u64,
        budget: Budget,
        (calls, ulps): (&'a [CallTerm], u32),
        interrupted: &'a dyn Fn() -> bool,
    ) -> SecondOpinion<'a> {
        let z3 = choice.z3.then(|| Peer::new("z3", ProcessConfig::z3(seed as u32)));
        let bitwuzla = choice.executable().map(Path::to_owned).map(ProcessConfig::bitwuzla);
        let bitwuzla = bitwuzla.map(|config| Peer::new("bitwuzla", config));
        SecondOpinion {
            choice: choice.clone(),
            budget,
            peers: z3.into_iter().chain(choice.prune.then(Peer::branch_and_prune)).chain(bitwuzla).collect(),
            calls,
            results: FxHashSet::default(),
            ulps,
            interrupted,
            charged: 0,
            time_limited: false,
            notes: Vec::new(),
        }
    }

    /// Asks about all claims, within the budget.
    pub fn ask(mut self, store: &mut Store, claims: &[Claim]) -> Asked {
        self.results = self.calls.iter().filter_map(|call| store.as_variable(call.variable)).collect();
        let mut order: Vec<usize> = (0..claims.len()).collect();
        order.sort_by_key(|index| Reverse(uncertainty(&claims[*index])));
        let mut progress: Vec<Progress> = claims.iter().map(|_| Progress::default()).collect();
        let rounds = if self.peers.is_empty() { &ROUNDS[..0] } else { &ROUNDS[..] };
        for (work, wall) in rounds {
            self.peers.iter_mut().for_each(|peer| peer.smallest_open = None);
            for &index in &order {
                self.turn(store, &claims[index], &mut progress[index], *work, *wall);
            }
        }
        self.write_files(store, claims);
        let answers = claims.iter().zip(progress).map(|(claim, progress)| self.answer(claim, progress)).collect();
        Asked { answers, time_limited: self.time_limited, notes: self.notes }
    }

    /// One claim's turn: until a query of it stays open.
    fn turn(&mut self, store: &mut Store, claim: &Claim, progress: &mut Progress, work: u64, wall: Duration) {
        if progress.dissent.is_some() {
            return;
        }
        while let Some(refutation) = claim.refutations.get(progress.confirmed) {
            match self.query(store, refutation, work, wall) {
                Verdict::Confirmed(by) => {
                    progress.confirmed += 1;
                    if !progress.by.contains(&by) {
                        progress.by.push(by);
                    }
                }
                Verdict::Open(why) => {
                    // What was said of it in its first turn tells more than that there was no time for another.
                    progress.why.get_or_insert(why);
                    return;
                }
                Verdict::Dissent(dissent) => {
                    progress.dissent = Some(dissent);
                    return;
                }
            }
        }
    }

    /// Asks about one query.
    fn query(&mut self, store: &mut Store, refutation: &Refutation, work: u64, wall: Duration) -> Verdict {
        if let Some(why) = self.is_over() {
            return Verdict::Open(why.to_owned());
        }
        let lemmas = match &refutation.lemmas {
            Some(lemmas) => lemmas.clone(),
            None => match self.facts(store, &refutation.terms) {
                Ok(lemmas) => lemmas,
                Err(verdict) => return verdict,
            },
        };
        let terms = [&refutation.terms[..], &lemmas].concat();
        let size = store.reachable(&terms).len();
        let mut whys = Vec::new();
        for place in self.most_successful_first() {
            if let Some(why) = self.peers[place].is_spared(size) {
                whys.push(why);
                continue;
            }
            let left = self.budget.work.saturating_sub(self.spent());
            let time = self.budget.deadline.saturating_duration_since(Instant::now());
            let work = work.min(left.max(1)) * self.peers[place].units;
            let limits = Limits { work, wall: wall.min(time), memory_mib: MEMORY };
            let (before, begun) = (self.spent(), Instant::now());
            let outcome = self.peers[place].solver.check_once(store, &terms, &limits);
            if self.spent() == before {
                // Whoever does not tell is charged for the time: nothing else is known.
                let seconds = begun.elapsed().as_secs_f64();
                self.charged += (seconds * SECOND as f64) as u64;
            }
            let peer = &mut self.peers[place];
            peer.asked += 1;
            match outcome {
                FloatOutcome::Unsat(_) => {
                    peer.confirmed += 1;
                    peer.failures = 0;
                    return Verdict::Confirmed(peer.full_name());
                }
                FloatOutcome::Sat(model) => {
                    let (by, means) = (peer.full_name(), refutation.means);
                    return Verdict::Dissent(Box::new(Dissent { by, terms, model: Some(model), doubt: None, means }));
                }
                // Another program said sat; branch and prune never does.
                FloatOutcome::Unknown(Why::Unsupported(what)) if peer.executable.is_some() => {
                    let (by, means) = (peer.full_name(), refutation.means);
                    let doubt = Some(format!("whose model cannot be evaluated ({what})"));
                    return Verdict::Dissent(Box::new(Dissent { by, terms, model: None, doubt, means }));
                }
                FloatOutcome::Unknown(why) => {
                    self.time_limited |= why == Why::Wall;
                    if peer.executable.is_some() {
                        peer.smallest_open = Some(peer.smallest_open.map_or(size, |smallest| smallest.min(size)));
                    }
                    whys.push(peer.failed(&why));
                }
            }
        }
        Verdict::Open(whys.join("; "))
    }

    /// The places of the others, by the share of their queries that they confirmed.
    fn most_successful_first(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.peers.len()).collect();
        let share = |place: &usize| (self.peers[*place].confirmed + 1) as f64 / (self.peers[*place].asked + 1) as f64;
        places.sort_by(|a, b| share(b).total_cmp(&share(a)));
        places
    }

    /// What libm's functions have to do with a query that intervals refuted: the solver over the floats says it again.
    fn facts(&mut self, store: &mut Store, terms: &[TermId]) -> Result<Vec<TermId>, Verdict> {
        if !store.free_variables(terms).iter().any(|variable| self.results.contains(variable)) {
            return Ok(Vec::new());
        }
        let (work, wall, rounds) = AGAIN;
        let engines = EngineChoice::Interval;
        let mut solver = Portfolio::new(PortfolioConfig { engines, ..PortfolioConfig::reproducible(0) });
        let limits = Limits { work, wall, ..Limits::default() };
        let Decided { outcome, lemmas } =
            decide_with_calls(store, terms, self.calls, self.ulps, &mut solver, &limits, rounds);
        match outcome {
            FloatOutcome::Unsat(_) => Ok(lemmas),
            FloatOutcome::Sat(model) => Err(Verdict::Dissent(Box::new(Dissent {
                by: "the solver over the floats".to_owned(),
                terms: terms.to_vec(),
                model: Some(model),
                doubt: None,
                means: Means::Propagation,
            }))),
            FloatOutcome::Unknown(_) => Err(Verdict::Open(
                "intervals used facts about libm's functions which the solver did not find again".to_owned(),
            )),
        }
    }

    /// Work so far.
    fn spent(&self) -> u64 {
        self.charged + self.peers.iter().map(|peer| peer.spent.load(Ordering::Relaxed) / peer.units).sum::<u64>()
    }

    /// Why nothing more is asked, if so.
    fn is_over(&mut self) -> Option<&'static str> {
        if (self.interrupted)() {
            return Some("not asked: the run was interrupted");
        }
        if Instant::now() >= self.budget.deadline {
            self.time_limited = true;
            return Some("not asked: the time for second opinions was over");
        }
        (self.spent() + SHORTEST > self.budget.work).then_some("not asked: the work for second opinions was used up")
    }

    /// Writes all queries for somebody who is asked elsewhere, if that is wanted.
    fn write_files(&mut self, store: &mut Store, claims: &[Claim]) {
        let Some(folder) = self.choice.folder().map(Path::to_owned) else { return };
        for refutation in claims.iter().flat_map(|claim| &claim.refutations) {
            let lemmas = match &refutation.lemmas {
                Some(lemmas) => lemmas.clone(),
                None => match self.facts(store, &refutation.terms) {
                    Ok(lemmas) => lemmas,
                    // Without facts about its calls it would be another query.
                    Err(_) => continue,
                },
            };
            let terms = [&refutation.terms[..], &lemmas].concat();
            if let Err(error) = files::write_proof(&folder, store, &terms) {
                self.notes.push(format!("the queries of proofs are not all written: {error}"));
                return;
            }
        }
    }

    /// What became of a claim.
    fn answer(&self, claim: &Claim, progress: Progress) -> Answer {
        if let Some(dissent) = progress.dissent {
            return Answer::Contradicted(dissent);
        }
        let all = claim.refutations.len();
        let why = match (&claim.missing, progress.why) {
            (Some(why), _) => why.clone(),
            (None, _) if all == 0 => "there is no query: on no explored path can the operation raise it".to_owned(),
            (None, _) if self.choice.is_off() => "second opinions are off".to_owned(),
            (None, _) if progress.confirmed == all => {
                return Answer::Opinion(Opinion::Confirmed { by: progress.by.join(", ") });
            }
            (None, None) => match self.choice.folder() {
                Some(folder) => format!("its queries were written into {}", folder.display()),
                None => "nobody was asked".to_owned(),
            },
            (None, Some(why)) if progress.confirmed > 0 => {
                format!("{} of {all} queries confirmed by {}; then {why}", progress.confirmed, progress.by.join(", "))
            }
            (None, Some(why)) => why,
        };
        Answer::Opinion(Opinion::Alone { why })
    }
}

/// How uncertain a claim is, for the order of asking.
fn uncertainty(claim: &Claim) -> (Option<Means>, usize) {
    let means = claim.refutations.iter().map(|refutation| refutation.means).max();
    // Terms of long paths are made late.
    let size = claim.refutations.iter().flat_map(|of| &of.terms).map(|term| term.index()).max();
    (means, size.unwrap_or(0))
}

#[cfg(test)]
mod tests;
