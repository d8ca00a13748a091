//! The pairs of a site and an exception that its operator can raise, and what is known of each.
//!
//! A site is an operation of the source. Several operations of the IR may be one (lanes, macros): the pair is reachable if
//! it is at any of them, and unreachable only if it is at all.

mod placing;

use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use labrys_float::Flags;
use labrys_native::Observation;
use labrys_program::Program;
use labrys_report::{FoundBy, Opinion, SiteKey, SourcePlace, grouped};
use labrys_symex::{LibraryOperator, Site, SiteOperator};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::doubling::{Doubling, doubling};
use super::moved::Moved;
use super::reason::Reason;
use super::speculated::speculated;
use crate::run::record::place_of_location;
use crate::target::names::FunctionNames;
pub use placing::Placed;

/// Inputs kept for one pair: one for each way in which its results come out, so that the worst effect can be told.
const WITNESSES: usize = 6;

/// The operator of the site that stands for all operations of a function without IR.
const UNLISTED: &str = "unlisted";

/// Why nothing is proved of what a runtime's function raises.
const STAND_IN: &str = "a library's function, whose own code runs: what it raises is only seen";

/// Why a pair stays open that an analysis is not to decide.
pub const ELSEWHERE: &str = "decided in the analysis of its own function";

/// An input that raises an exception at a site, as observed.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The input.
    pub record: Vec<u8>,
    /// Who found it.
    pub found_by: FoundBy,
    /// How the results came out: what tells witnesses apart.
    pub classes: u64,
    /// Whether the pair's exception is the first of the run, so that what became of the result is its doing.
    pub is_first: bool,
}

/// What a proof is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The IR, read strictly.
    #[default]
    Ir,
    /// The build that ran, on this machine: so many inputs, all there are.
    Native {
        /// How many.
        inputs: u64,
    },
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scope::Ir => f.write_str("ir"),
            Scope::Native { inputs } => write!(f, "native: all {} inputs were run", grouped(*inputs)),
        }
    }
}

/// A proof that an exception cannot occur.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// What proved it.
    pub engine: &'static str,
    /// What it is about.
    pub scope: Scope,
    /// What it rests on.
    pub assumptions: Vec<String>,
    /// The loop bound that was in force, if paths were cut by it.
    pub loop_bound: Option<u32>,
}

/// What is known of one pair.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    /// Inputs that raise it; the first one first.
    pub witnesses: Vec<Witness>,
    /// Inputs seen to raise it.
    pub count: u64,
    /// The proof that there are none.
    pub proof: Option<Proof>,
    /// Whether anybody else says what the proof says.
    pub opinion: Option<Opinion>,
    /// A proof that there are none, from before one was seen: it is wrong, or the code does something that is not in the IR.
    pub refuted: Option<Proof>,
    /// Why it is not decided, as far as anybody tried: the last reason counts.
    pub why: Option<Reason>,
    /// Whether it was seen only where code generation moved the operation, on inputs of which nobody knows whether the source does it: it goes on being
    /// looked for, for what it does to the result there says nothing of what it does where it is needed.
    is_moved: bool,
}

impl Pair {
    /// The proof that what was seen contradicts. What is proved of few rounds of a loop says nothing of what many come to.
    pub fn contradicted(&self) -> Option<&Proof> {
        self.refuted.as_ref().filter(|proof| proof.loop_bound.is_none())
    }

    /// Whether neither a witness nor a proof for all inputs is there.
    pub fn is_open(&self) -> bool {
        (self.witnesses.is_empty() || self.is_moved) && self.proof.is_none()
    }

    /// Keeps a witness that is new in its kind; one whose exception is the first of its run takes another's place.
    fn keep(&mut self, witness: &Witness) {
        let kind = |witness: &Witness| (witness.classes, witness.is_first);
        if self.witnesses.iter().any(|known| kind(known) == kind(witness)) {
            return;
        }
        if self.witnesses.len() < WITNESSES {
            self.witnesses.push(witness.clone());
        } else if let Some(other) = self.witnesses.iter_mut().rfind(|known| witness.is_first && !known.is_first) {
            *other = witness.clone();
        }
    }
}

/// Which pairs an analysis is to decide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    /// All.
    #[default]
    All,
    /// Those at sites in these functions, by the names that users know.
    Functions(FxHashSet<String>),
    /// These; of all others it is told if they are seen.
    Part(FxHashSet<PairKey>),
    /// The first ones; of the others it is told if they are seen. All else is no matter.
    Asked {
        /// What is to be decided.
        sought: FxHashSet<PairKey>,
        /// What is told.
        noticed: FxHashSet<PairKey>,
    },
}

/// One pair's place: its site and its exception.
pub type PairKey = (SiteKey, Flags);

/// A place in the source: function, line, column.
type Place = (String, u32, u32);

/// All pairs of a function and of what it calls.
#[derive(Default)]
pub struct Pairs {
    pairs: IndexMap<PairKey, Pair, FxBuildHasher>,
    /// Sites and the exceptions that their operators can raise, by place.
    places: FxHashMap<Place, Vec<(SiteKey, Flags)>>,
    /// The key of each of the IR's sites.
    keys: FxHashMap<Site, SiteKey>,
    /// Sites all of whose operations the IR does before they are known to be needed.
    speculated: FxHashSet<SiteKey>,
    /// How far the IR's sites double a number: of several operations the one that most does.
    doubling: FxHashMap<SiteKey, Doubling>,
    /// What functions are called.
    names: Arc<FunctionNames>,
    watched: Flags,
    /// Which pairs are to be decided.
    focus: Focus,
    /// What every proof rests on beside its own assumptions.
    assumptions: Vec<String>,
    /// Exceptions that no reading of the IR excludes, and why.
    unprovable: Option<(Flags, &'static str)>,
    /// Calls of functions whose IR is a library's in the place of what runs.
    stand_ins: FxHashSet<SiteKey>,
    /// Where code generation may have moved operations.
    moved: Moved,
}

impl Pairs {
    /// The pairs of all `sites` for the exceptions `watched`.
    pub fn new(program: &Program, sites: &[Site], names: Arc<FunctionNames>, watched: Flags) -> Pairs {
        let mut pairs = Pairs { names, watched, ..Pairs::default() };
        for site in sites {
            pairs.add_site(program, site);
        }
        let speculated = speculated(program, sites);
        let needed: FxHashSet<&SiteKey> =
            sites.iter().filter(|site| !speculated.contains(site)).filter_map(|site| pairs.keys.get(site)).collect();
        pairs.speculated = pairs.keys.values().filter(|key| !needed.contains(key)).cloned().collect();
        pairs.moved = Moved::new(pairs.keys.values(), pairs.names.of_program(program));
        pairs
    }

    /// No pairs yet: they come with what is observed.
    pub fn of_observations(names: Arc<FunctionNames>, watched: Flags) -> Pairs {
        Pairs { names, watched, ..Pairs::default() }
    }

    /// As [`Pairs::of_observations`], of a `function` that has no IR, and `why`. Nobody knows its operations, so that one site stands for all of them,
    /// which is at none of the places where something is observed: what is watched is looked for to the end, and is never said to be decided.
    pub fn without_ir(
        names: Arc<FunctionNames>,
        watched: Flags,
        (function, place): (String, SourcePlace),
        why: &str,
    ) -> Pairs {
        let mut pairs = Pairs::of_observations(names, watched);
        let site = SiteKey { place, function, operator: UNLISTED.to_owned() };
        for exception in watched.iter() {
            let why = Some(Reason::from(format!("no IR says which operations could raise it: {why}")));
            pairs.pairs.insert((site.clone(), exception), Pair { why, ..Pair::default() });
        }
        pairs
    }

    /// Adds a pair that is known from elsewhere.
    pub fn add_known(&mut self, site: SiteKey, exception: Flags) {
        self.add(site, exception);
    }

    /// Every proof rests on these, too.
    pub fn rest_on(&mut self, assumptions: &[String]) {
        self.assumptions.extend_from_slice(assumptions);
    }

    /// The IR says of an exception nowhere that it is not raised.
    pub fn refuse_proofs(&mut self, exception: Flags, why: &'static str) {
        self.unprovable = Some((exception, why));
    }

    /// Only these pairs are to be decided here. Others are observed all the same.
    pub fn focus_on(&mut self, focus: Focus) {
        self.focus = focus;
        let elsewhere: Vec<PairKey> = self.pairs.keys().filter(|key| !self.is_wanted(key)).cloned().collect();
        for key in elsewhere {
            self.leave(&key, ELSEWHERE);
        }
    }

    /// Whether the pair is to be decided here.
    pub fn is_wanted(&self, key: &PairKey) -> bool {
        match &self.focus {
            Focus::All => true,
            Focus::Functions(functions) => functions.contains(&key.0.function),
            Focus::Part(pairs) => pairs.contains(key),
            Focus::Asked { sought, .. } => sought.contains(key),
        }
    }

    /// Whether the pair is told of where it was seen.
    pub fn is_told(&self, key: &PairKey) -> bool {
        match &self.focus {
            Focus::All | Focus::Functions(_) | Focus::Part(_) => true,
            Focus::Asked { sought, noticed } => sought.contains(key) || noticed.contains(key),
        }
    }

    fn add_site(&mut self, program: &Program, site: &Site) {
        if self.keys.contains_key(site) {
            return;
        }
        let function = self.names.of_site(program, site);
        let key =
            SiteKey { place: place_of_location(program, site.location), function, operator: site.operator.to_string() };
        self.keys.insert(site.clone(), key.clone());
        let doubles = self.doubling.entry(key.clone()).or_insert(Doubling::No);
        *doubles = doubling(program, site).max(*doubles);
        if let SiteOperator::Library(LibraryOperator::Unknown(name)) = &site.operator
            && program.function(name).is_some_and(|id| program.functions[id.index()].is_library)
        {
            self.stand_ins.insert(key.clone());
        }
        let possible = site.operator.possible() & self.watched;
        self.add(key, possible);
    }

    fn add(&mut self, key: SiteKey, possible: Flags) {
        for exception in possible.iter() {
            self.pairs.entry((key.clone(), exception)).or_default();
        }
        let place = (key.function.clone(), key.place.line.unwrap_or(0), key.place.column.unwrap_or(0));
        let there = self.places.entry(place).or_default();
        match there.iter_mut().find(|(known, _)| *known == key) {
            Some((_, flags)) => *flags |= possible,
            None => there.push((key, possible)),
        }
    }

    /// The site of the source behind one of the IR.
    pub fn key_of(&self, site: &Site) -> Option<&SiteKey> {
        self.keys.get(site)
    }

    /// The sites of the IR that are one site of the source.
    pub fn sites_of(&self, key: &SiteKey) -> impl Iterator<Item = &Site> {
        self.keys.iter().filter(move |(_, known)| *known == key).map(|(site, _)| site)
    }

    /// Whether the IR does a site's operations before they are known to be needed ([`speculated`]).
    pub fn is_speculated(&self, site: &SiteKey) -> bool {
        self.speculated.contains(site)
    }

    /// Where the machine's code has a site's operation that is elsewhere in the source.
    pub fn moved_to(&self, site: &SiteKey) -> Option<&SourcePlace> {
        self.moved.places.get(site)
    }

    /// The pairs of the IR's sites.
    pub fn of_ir(&self) -> FxHashSet<PairKey> {
        let sites: FxHashSet<&SiteKey> = self.keys.values().collect();
        self.pairs.keys().filter(|(site, _)| sites.contains(site)).cloned().collect()
    }

    /// All pairs in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (&PairKey, &Pair)> {
        self.pairs.iter()
    }

    /// The pairs that are to be decided and neither witnessed nor proved.
    pub fn open(&self) -> Vec<PairKey> {
        let open = self.pairs.iter().filter(|(key, pair)| pair.is_open() && self.is_wanted(key));
        open.map(|(key, _)| key.clone()).collect()
    }

    /// All pairs that are neither witnessed nor proved, those that are decided elsewhere too.
    pub fn unproved(&self) -> Vec<PairKey> {
        self.pairs.iter().filter(|(_, pair)| pair.is_open()).map(|(key, _)| key.clone()).collect()
    }

    /// How many pairs were observed.
    pub fn witnessed(&self) -> usize {
        self.pairs.values().filter(|pair| !pair.witnesses.is_empty()).count()
    }

    /// Whether the pair is to be decided and neither witnessed nor proved.
    pub fn is_open(&self, key: &PairKey) -> bool {
        self.pairs.get(key).is_some_and(Pair::is_open) && self.is_wanted(key)
    }

    /// The exceptions that some open pair asks about.
    pub fn open_exceptions(&self) -> Flags {
        let open = self.pairs.iter().filter(|(key, pair)| pair.is_open() && self.is_wanted(key));
        open.fold(Flags::empty(), |flags, ((_, exception), _)| flags | *exception)
    }

    /// The exceptions at a site of the IR that nobody asks for any more.
    pub fn settled(&self, site: &Site) -> Flags {
        let Some(key) = self.keys.get(site) else { return Flags::all() };
        let possible = site.operator.possible().iter();
        let open = possible.filter(|exception| self.is_open(&(key.clone(), *exception)));
        open.fold(Flags::all(), |settled, exception| settled - exception)
    }

    /// The exceptions that are looked for.
    pub fn watched(&self) -> Flags {
        self.watched
    }

    /// The sites of the IR at which something is still to be decided.
    pub fn open_sites(&self) -> Vec<Site> {
        let sites = self.keys.keys().filter(|site| !self.settled(site).contains(site.operator.possible()));
        sites.cloned().collect()
    }

    /// Enters what was seen on a line of the source; a proof that says otherwise is withdrawn ([`Pair::refuted`]). Whether a pair was open and is
    /// not any more.
    pub fn observe(&mut self, key: PairKey, line: u32, witness: &Witness) -> bool {
        // A solver's inputs are on paths of the IR that do the operation.
        let is_moved = self.moved.is_at(&key.0, line) && witness.found_by != FoundBy::Solver;
        let pair = self.pairs.entry(key).or_default();
        let was_open = pair.is_open();
        pair.is_moved = is_moved && (pair.is_moved || pair.witnesses.is_empty());
        // What was seen stands, and the proof does not.
        pair.refuted = pair.proof.take().or(pair.refuted.take());
        pair.count += 1;
        pair.keep(witness);
        was_open && !pair.is_open()
    }

    /// Enters a proof that a pair is unreachable.
    pub fn prove(&mut self, key: &PairKey, mut proof: Proof) {
        if let Some((exceptions, why)) = self.unprovable
            && exceptions.contains(key.1)
            && proof.scope == Scope::Ir
        {
            return self.leave(key, why);
        }
        if self.stand_ins.contains(&key.0) && proof.scope == Scope::Ir {
            return self.leave(key, STAND_IN);
        }
        if let Some(pair) = self.pairs.get_mut(key)
            && pair.is_open()
        {
            // Of what was seen, the proof says that the source does not do it there.
            if !pair.witnesses.is_empty() {
                pair.is_moved = false;
                return;
            }
            proof.assumptions.extend_from_slice(&self.assumptions);
            pair.proof = Some(proof);
        }
    }

    /// Says why a pair stays open that nobody said anything about yet.
    pub fn leave_unexplained(&mut self, key: &PairKey, why: impl Into<Reason>) {
        if self.pairs.get(key).is_some_and(|pair| pair.why.is_none()) {
            self.leave(key, why);
        }
    }

    /// Enters what somebody else says of a pair's proof.
    pub fn second(&mut self, key: &PairKey, opinion: Opinion) {
        if let Some(pair) = self.pairs.get_mut(key).filter(|pair| pair.proof.is_some()) {
            pair.opinion = Some(opinion);
        }
    }

    /// Takes a proof back that somebody contradicts, and says why. What it was.
    pub fn withdraw(&mut self, key: &PairKey, why: impl Into<Reason>) -> Option<Proof> {
        let pair = self.pairs.get_mut(key)?;
        let proof = pair.proof.take()?;
        pair.why = Some(why.into());
        Some(proof)
    }

    /// Takes an observation back that did not hold, and says why.
    pub fn reopen(&mut self, key: &PairKey, why: impl Into<Reason>) {
        if let Some(pair) = self.pairs.get_mut(key) {
            pair.witnesses.clear();
            pair.is_moved = false;
            pair.why = Some(why.into());
        }
    }

    /// Says of a pair that stays open that time kept it from being asked about to the end, whatever the reason is so far.
    pub fn cut(&mut self, key: &PairKey) {
        if let Some(pair) = self.pairs.get_mut(key) {
            pair.why = pair.why.take().map(Reason::cut);
        }
    }

    /// Whether time kept a pair that is to be decided from being so.
    pub fn is_cut_short(&self) -> bool {
        let is_cut = |pair: &Pair| pair.is_open() && pair.why.as_ref().is_some_and(|why| why.is_time);
        self.pairs.iter().any(|(key, pair)| is_cut(pair) && self.is_wanted(key))
    }

    /// Says why a pair stays open.
    pub fn leave(&mut self, key: &PairKey, why: impl Into<Reason>) {
        if let Some(pair) = self.pairs.get_mut(key)
            && pair.is_open()
        {
            pair.why = Some(why.into());
        }
    }
}

/// Whether a run raises something worse than underflow: what became of the result is then hardly an underflow's doing, even of
/// one before.
pub fn runs_into_worse(observation: &Observation, watched: Flags) -> bool {
    let events = observation.trace.iter().flat_map(|trace| &trace.events);
    events.fold(Flags::empty(), |raised, event| raised | event.exceptions & watched) - Flags::UNDERFLOW - Flags::INEXACT
        != Flags::empty()
}

#[cfg(test)]
mod tests {
    use labrys_native::SourceFrame;

    use super::*;

    /// The finding was reported and the proof was forgotten, so that nobody heard of a wrong one.
    #[test]
    fn what_is_seen_withdraws_a_proof_that_says_otherwise() {
        let mut pairs = Pairs::of_observations(Arc::default(), Flags::NOTABLE);
        let site =
            SiteKey { place: SourcePlace::new(None, 1, 2), function: "f".to_owned(), operator: "fdiv".to_owned() };
        let key = (site.clone(), Flags::DIVBYZERO);
        pairs.add_known(site, Flags::DIVBYZERO);
        let proof = Proof { engine: "ranges", scope: Scope::Ir, assumptions: Vec::new(), loop_bound: None };
        pairs.prove(&key, proof.clone());
        assert!(pairs.unproved().is_empty());
        let frame = SourceFrame {
            function: "f".to_owned(),
            symbol: "f".to_owned(),
            line: 1,
            column: 2,
            operator: "fdiv".to_owned(),
            ..SourceFrame::default()
        };
        let witness = Witness { record: vec![0; 8], found_by: FoundBy::Random, classes: 0, is_first: true };
        for _ in 0..2 {
            let seen = pairs.site_of(&frame, Flags::DIVBYZERO);
            pairs.observe((seen, Flags::DIVBYZERO), 0, &witness);
            let (_, pair) = pairs.iter().next().expect("one pair");
            assert_eq!((pair.proof.as_ref(), pair.contradicted()), (None, Some(&proof)));
        }
        let bounded = Pair { refuted: Some(Proof { loop_bound: Some(16), ..proof.clone() }), ..Pair::default() };
        assert_eq!(bounded.contradicted(), None);
        // An observation that did not hold leaves nothing decided.
        pairs.reopen(&key, "it did not hold");
        assert_eq!(pairs.unproved(), [key]);
    }

    /// Time ended the solver's only question, the run was complete, and its exit code 0: continuous integration took it for done.
    #[test]
    fn what_time_left_undecided_cuts_the_run_short() {
        let mut pairs = Pairs::of_observations(Arc::default(), Flags::NOTABLE);
        let site = SiteKey { function: "f".to_owned(), operator: "fsqrt".to_owned(), ..SiteKey::default() };
        let key = (site.clone(), Flags::INVALID);
        pairs.add_known(site, Flags::INVALID);
        pairs.leave(&key, "the float solver: work limit");
        assert!(!pairs.is_cut_short());
        // It was to be asked about once more.
        pairs.cut(&key);
        assert!(pairs.is_cut_short());
        pairs.leave(&key, "the float solver: work limit");
        pairs.leave(&key, Reason::time("the float solver: wall limit"));
        assert!(pairs.is_cut_short());
        pairs.focus_on(Focus::Functions(FxHashSet::default()));
        assert!(!pairs.is_cut_short(), "it is decided elsewhere");
        pairs.focus_on(Focus::All);
        pairs.leave(&key, Reason::time("the float solver: wall limit"));
        pairs.prove(&key, Proof { engine: "ranges", scope: Scope::Ir, assumptions: Vec::new(), loop_bound: None });
        assert!(!pairs.is_cut_short());
    }

    #[test]
    fn scopes_are_named() {
        assert_eq!(Scope::Ir.to_string(), "ir");
        assert_eq!(Scope::Native { inputs: 65_536 }.to_string(), "native: all 65,536 inputs were run");
    }
}
