//! The pairs of a site and an exception that its operator can raise, and what is known of each.
//!
//! A site is an operation of the source. Several operations of the IR may be one (lanes, macros): the pair is reachable if
//! it is at any of them, and unreachable only if it is at all.

use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use labrys_elementary::Function;
use labrys_float::Flags;
use labrys_native::{Observation, SourceFrame};
use labrys_program::{KnownFunction, Program};
use labrys_report::{FoundBy, Opinion, SiteKey, SourcePlace, grouped};
use labrys_symex::{LibraryOperator, Site, SiteOperator};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::doubling::{Doubling, doubling, of_unknown};
use super::moved::Moved;
use super::reason::Reason;
use super::speculated::speculated;
use crate::run::record::{place_of_frame, place_of_location};
use crate::target::names::FunctionNames;

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

/// The site that an event belongs to, as far as its instruction tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placed {
    /// This one.
    At(SiteKey),
    /// One of these: what they are computed of must tell ([`Pairs::choose`]).
    OneOf(Vec<SiteKey>),
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

    /// The site that an event belongs to: the operation that stands there by its debug information. The sum of a register with itself is what
    /// doubles a number there, whatever its operator ([`Doubling`]). Where code generation made something else of the operation (an unsigned
    /// conversion is sums and shuffles, a sum with a product by −2 a difference), one that could raise this; of several, one that nobody proved
    /// unable to. Where there is none, the only operation of its kind that there is ([`Moved`]), unless that was proved unable to; else a site of its own.
    pub fn place(&mut self, frame: &SourceFrame, exception: Flags) -> Placed {
        let function = self.names.of_frame(frame);
        let operator = operator_of(frame);
        let here = place_of_frame(frame);
        let place = (function.clone(), frame.line, frame.column);
        if let Some(key) = self.moved(&place, &operator, (&here, exception)) {
            return Placed::At(key);
        }
        if let Some(there) = self.places.get(&place) {
            let there = in_file(there, here.file.as_deref());
            let able = |(_, possible): &&(SiteKey, Flags)| possible.contains(exception);
            let of = |operator: &str| there.iter().copied().find(|(key, _)| key.operator == operator);
            if frame.doubles {
                let mut doubling = self.doubling_most(there.iter().copied().filter(able).map(|(key, _)| key));
                match doubling.len() {
                    0 => {}
                    1 => return Placed::At(doubling.remove(0)),
                    _ => return Placed::OneOf(doubling),
                }
            }
            if let Some((key, _)) = of(&operator) {
                return Placed::At(key.clone());
            }
            let sibling = match operator.as_str() {
                "fsub" => of("fadd"),
                "fadd" => of("fsub"),
                _ => None,
            };
            let mut likely = sibling.into_iter().chain(there.iter().copied()).filter(able);
            let first = likely.clone().next();
            let unproved = |(key, _): &&(SiteKey, Flags)| {
                self.pairs.get(&(key.clone(), exception)).is_none_or(|pair| pair.proof.is_none())
            };
            if let Some((key, _)) = likely.find(unproved).or(first) {
                return Placed::At(key.clone());
            }
        }
        Placed::At(self.own(SiteKey { place: here, function, operator }))
    }

    /// Which of several sites an event belongs to, by what the IR raises on the same input: the first that raises it there and that no other event of
    /// the call was placed at, else the first that raises it. Where none is known to, a site of its own, of which nothing is known but that it is one of
    /// them.
    pub fn choose(
        &mut self,
        among: &[SiteKey],
        exception: Flags,
        (raised, placed): (&FxHashSet<PairKey>, &FxHashSet<PairKey>),
    ) -> SiteKey {
        let pairs = || among.iter().map(|key| (key.clone(), exception)).filter(|pair| raised.contains(pair));
        if let Some((key, _)) = pairs().find(|pair| !placed.contains(pair)).or_else(|| pairs().next()) {
            return key;
        }
        let operators: Vec<&str> = among.iter().map(|key| key.operator.as_str()).collect();
        let of = among.first().cloned().unwrap_or_default();
        let operator = operators.join(" or ");
        self.own(SiteKey { operator, ..of })
    }

    /// The site that an event belongs to where its instruction alone is known.
    pub fn site_of(&mut self, frame: &SourceFrame, exception: Flags) -> SiteKey {
        match self.place(frame, exception) {
            Placed::At(key) => key,
            Placed::OneOf(among) => {
                let nothing = FxHashSet::default();
                self.choose(&among, exception, (&nothing, &nothing))
            }
        }
    }

    /// A site that the IR has not.
    fn own(&mut self, key: SiteKey) -> SiteKey {
        self.add(key.clone(), Flags::empty());
        key
    }

    /// The site whose operation was moved to a place, where the IR has none of this operator. One that was proved unable to is none: what is executed
    /// before it is needed is not what the proof is of.
    fn moved(&mut self, place: &Place, operator: &str, (here, exception): (&SourcePlace, Flags)) -> Option<SiteKey> {
        let there = self.places.get(place).map(|there| in_file(there, here.file.as_deref())).unwrap_or_default();
        // Those of observations alone are said to be able to nothing.
        if there.iter().any(|(key, possible)| key.operator == operator && !possible.is_empty()) {
            return None;
        }
        let key = self.moved.only(&place.0, operator)?.clone();
        let pair = self.pairs.get(&(key.clone(), exception))?;
        if pair.proof.is_some() || pair.refuted.is_some() {
            return None;
        }
        self.moved.note(&key, here.clone());
        Some(key)
    }

    /// Those of some sites that double a number, if that is certain of any, else those that may.
    fn doubling_most<'k>(&self, sites: impl Iterator<Item = &'k SiteKey>) -> Vec<SiteKey> {
        let doubling = |key: &SiteKey| self.doubling.get(key).copied().unwrap_or_else(|| of_unknown(&key.operator));
        let sites: Vec<(&SiteKey, Doubling)> = sites.map(|key| (key, doubling(key))).collect();
        let most = sites.iter().map(|(_, doubling)| *doubling).max().filter(|most| *most > Doubling::No);
        sites.into_iter().filter(|(_, doubling)| Some(*doubling) == most).map(|(key, _)| key.clone()).collect()
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

/// Those of some sites that are in a file: files have functions of one name, most of all closures, at the same line and column. Where no
/// path is the same one, compilers wrote it in different ways, and its last part tells.
fn in_file<'p>(sites: &'p [(SiteKey, Flags)], file: Option<&str>) -> Vec<&'p (SiteKey, Flags)> {
    let Some(file) = file else { return sites.iter().collect() };
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let of = |same: &dyn Fn(&str) -> bool| -> Vec<&'p (SiteKey, Flags)> {
        sites.iter().filter(|(key, _)| key.place.file.as_deref().is_none_or(same)).collect()
    };
    let here = of(&|path| path == file);
    if here.is_empty() { of(&|path| last(path) == last(file)) } else { here }
}

/// The operator that a site of the IR has for what the machine does there.
fn operator_of(frame: &SourceFrame) -> String {
    let Some(library) = &frame.library else { return frame.operator.clone() };
    // Functions that compute one operation are that operation; others have one name for all formats.
    match KnownFunction::named(library) {
        Some(KnownFunction::Float(call)) => call.operator().to_owned(),
        Some(KnownFunction::LogGammaWithSign) => Function::Lgamma.name().to_owned(),
        _ => library.clone(),
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
            assert_eq!((pair.proof.as_ref(), pair.refuted.as_ref()), (None, Some(&proof)));
        }
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

    /// Two functions of one name, inlined into what calls a function of a crate; optimised code knows them by their symbols alone.
    const INLINED: &str = r#"
        define double @labrys_call(double %x) !dbg !4 {
          %a = fdiv double 1.0, %x, !dbg !9
          %b = fdiv double 2.0, %a, !dbg !10
          ret double %b
        }
        !llvm.dbg.cu = !{!0}
        !llvm.module.flags = !{!11}
        !0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, emissionKind: FullDebug)
        !1 = !DIFile(filename: "glue.rs", directory: "/crate")
        !2 = !DIFile(filename: "src/a.rs", directory: "/crate")
        !3 = !DIFile(filename: "src/b.rs", directory: "/crate")
        !4 = distinct !DISubprogram(name: "mode", linkageName: "labrys_call", file: !1, type: !5, spFlags: DISPFlagDefinition, unit: !0)
        !5 = !DISubroutineType(types: !12)
        !6 = distinct !DISubprogram(name: "{closure#0}", linkageName: "_ZN1a4mode7closureE", file: !2, type: !5, spFlags: DISPFlagDefinition, unit: !0)
        !7 = distinct !DISubprogram(name: "{closure#0}", linkageName: "_ZN1b4mode7closureE", file: !3, type: !5, spFlags: DISPFlagDefinition, unit: !0)
        !8 = !DILocation(line: 5, column: 1, scope: !4)
        !9 = !DILocation(line: 14, column: 37, scope: !6, inlinedAt: !8)
        !10 = !DILocation(line: 14, column: 37, scope: !7, inlinedAt: !8)
        !11 = !{i32 2, !"Debug Info Version", i32 3}
        !12 = !{}"#;

    /// Sites of functions that the optimiser had inlined were those of the function around them in the IR and the inlined one's in the
    /// machine's code: each was counted twice, and what was seen decided nothing.
    #[test]
    fn inlined_functions_have_one_name_on_both_sides() {
        let program = Program::from_bytes(INLINED.as_bytes(), "inlined.ll").unwrap();
        let sites = labrys_symex::static_sites(&program, program.function("labrys_call").unwrap());
        let names = FunctionNames::new([("labrys_call".to_owned(), "mode".to_owned())], Some(&program));
        let mut pairs = Pairs::new(&program, &sites, Arc::new(names), Flags::DIVBYZERO);
        assert_eq!(pairs.iter().count(), 2);
        let witness = Witness { record: vec![0; 8], found_by: FoundBy::Random, classes: 0, is_first: true };
        for (file, symbol, left) in
            [("/crate/src/b.rs", "_ZN1b4mode7closureE", 1), ("/crate/src/a.rs", "_ZN1a4mode7closureE", 0)]
        {
            let frame = SourceFrame {
                file: Some(file.to_owned()),
                function: "a::mode::{{closure}}".to_owned(),
                symbol: symbol.to_owned(),
                line: 14,
                column: 37,
                operator: "fdiv".to_owned(),
                ..SourceFrame::default()
            };
            let site = pairs.site_of(&frame, Flags::DIVBYZERO);
            assert!(pairs.observe((site.clone(), Flags::DIVBYZERO), 0, &witness));
            assert_eq!((pairs.iter().count(), pairs.open().len()), (2, left), "{symbol}");
            assert_eq!((site.function.as_str(), site.place.file.as_deref()), ("{closure#0}", Some(file)));
        }
        // The same file as another compiler writes it.
        let frame = SourceFrame {
            file: Some("./src/b.rs".to_owned()),
            symbol: "_ZN1b4mode7closureE".to_owned(),
            line: 14,
            column: 37,
            operator: "fdiv".to_owned(),
            ..SourceFrame::default()
        };
        assert_eq!(pairs.site_of(&frame, Flags::DIVBYZERO).place.file.as_deref(), Some("/crate/src/b.rs"));
    }

    /// The pairs of a function of `%x` and `%y` whose operations stand at one place, and the sum there of a register with itself or not.
    fn at_one_place(operations: &[&str]) -> (Pairs, impl Fn(&str, bool) -> SourceFrame) {
        let lines: Vec<String> = operations.iter().map(|operation| format!("{operation}, !dbg !4\n")).collect();
        let text = format!(
            r#"define void @f(double %x, double %y) !dbg !2 {{
                {}
                ret void
            }}
            !llvm.dbg.cu = !{{!0}}
            !llvm.module.flags = !{{!5}}
            !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
            !1 = !DIFile(filename: "f.c", directory: "/")
            !2 = distinct !DISubprogram(name: "f", file: !1, type: !3, spFlags: DISPFlagDefinition, unit: !0)
            !3 = !DISubroutineType(types: !6)
            !4 = !DILocation(line: 1, column: 2, scope: !2)
            !5 = !{{i32 2, !"Debug Info Version", i32 3}}
            !6 = !{{}}"#,
            lines.concat()
        );
        let program = Program::from_bytes(text.as_bytes(), "f.ll").expect("IR");
        let sites = labrys_symex::static_sites(&program, program.function("f").expect("f"));
        let frame = |operator: &str, doubles: bool| SourceFrame {
            function: "f".to_owned(),
            symbol: "f".to_owned(),
            line: 1,
            column: 2,
            operator: operator.to_owned(),
            doubles,
            ..SourceFrame::default()
        };
        (Pairs::new(&program, &sites, Arc::default(), Flags::NOTABLE), frame)
    }

    /// `1.0 + 2.0 * y` has its sum and its product at one place, and the product is made as a sum.
    #[test]
    fn doubling_belongs_to_the_product() {
        let (mut pairs, frame) = at_one_place(&["%p = fmul double 2.0, %y", "%s = fadd double 1.0, %p"]);
        let proof = || Proof { engine: "ranges", scope: Scope::Ir, assumptions: Vec::new(), loop_bound: None };
        let site = |pairs: &mut Pairs, frame: SourceFrame, exception| pairs.site_of(&frame, exception);
        let sum = site(&mut pairs, frame("fadd", false), Flags::OVERFLOW);
        let product = site(&mut pairs, frame("fadd", true), Flags::OVERFLOW);
        assert_eq!((sum.operator.as_str(), product.operator.as_str()), ("fadd", "fmul"));
        pairs.prove(&(product.clone(), Flags::INVALID), proof());
        // −2 · y + z is z − (y + y): the difference is the sum.
        assert_eq!(site(&mut pairs, frame("fsub", false), Flags::INVALID), sum);
        // What all that could have raised it were proved unable to is a contradiction.
        pairs.prove(&(sum.clone(), Flags::INVALID), proof());
        assert_eq!(site(&mut pairs, frame("fsub", false), Flags::INVALID), sum);
    }

    /// `a*b + b*a` of Fortran is `p = a*b; p + p` at one place: the sum's overflow was told of the product, which cannot.
    #[test]
    fn a_sum_of_a_product_with_itself_is_no_product_by_two() {
        let (mut pairs, frame) = at_one_place(&["%p = fmul double %x, %y", "%s = fadd double %p, %p"]);
        assert_eq!(pairs.site_of(&frame("fadd", true), Flags::OVERFLOW).operator, "fadd");
        assert_eq!(pairs.site_of(&frame("fmul", false), Flags::OVERFLOW).operator, "fmul");
        // (a + a) * (b * 0.5)
        let operations = ["%s = fadd double %x, %x", "%h = fmul double %y, 0.5", "%p = fmul double %s, %h"];
        let (mut pairs, frame) = at_one_place(&operations);
        assert_eq!(pairs.site_of(&frame("fadd", true), Flags::OVERFLOW).operator, "fadd");
    }

    /// 2·y + 2·y is two sums of a register with itself: what the IR computes tells which of them overflows.
    #[test]
    fn what_doubles_is_told_by_values_where_both_may() {
        let (mut pairs, frame) = at_one_place(&["%p = fmul double 2.0, %y", "%s = fadd double %p, %p"]);
        let Placed::OneOf(among) = pairs.place(&frame("fadd", true), Flags::OVERFLOW) else {
            panic!("one of them by its operands");
        };
        assert_eq!(among.iter().map(|key| key.operator.as_str()).collect::<Vec<_>>(), ["fmul", "fadd"]);
        let nothing = FxHashSet::default();
        let both: FxHashSet<PairKey> = among.iter().map(|key| (key.clone(), Flags::OVERFLOW)).collect();
        for of in &among {
            let one = FxHashSet::from_iter([(of.clone(), Flags::OVERFLOW)]);
            assert_eq!(pairs.choose(&among, Flags::OVERFLOW, (&one, &nothing)), *of);
            // Where both are raised, that which no other instruction raised.
            assert_ne!(pairs.choose(&among, Flags::OVERFLOW, (&both, &one)), *of);
        }
        // Neither is blamed for what may be the other's.
        let own = pairs.choose(&among, Flags::OVERFLOW, (&nothing, &nothing));
        assert_eq!(own.operator, "fmul or fadd");
        assert!(pairs.open().iter().all(|(key, _)| *key != own));
    }

    /// Only six functions were known to be operations here, while the sites of the IR know all: what was seen in scalbn was
    /// nobody's ldexp.
    #[test]
    fn libraries_functions_are_the_operators_of_the_ir() {
        let of =
            |library: &str| operator_of(&SourceFrame { library: Some(library.to_owned()), ..SourceFrame::default() });
        for (library, operator) in [
            ("sqrtf", "fsqrt"),
            ("__fmod_finite", "frem"),
            ("drem", "remainder"),
            ("fmaxl", "fmax"),
            ("scalbn", "ldexp"),
            ("scalblnf", "ldexp"),
            ("fdim", "fsub"),
            ("lrint", "fconvert"),
            ("nearbyint", "fround"),
            ("_FortranAModReal8", "frem"),
            ("__powidf2", "powi"),
            ("lgamma_r", "lgamma"),
            ("gamma", "lgamma"),
            ("__logf_finite", "log"),
            ("__divdc3", "__divdc3"),
            ("strtod", "strtod"),
        ] {
            assert_eq!(of(library), operator, "{library}");
        }
    }

    /// A quotient that the compiler does before its guard was one site in the IR and another in the machine's code: the first stayed unknown.
    #[test]
    fn what_the_compiler_moves_is_the_only_operation_of_its_kind() {
        let program = Program::from_bytes(
            INLINED.replace("%b = fdiv double 2.0, %a", "%b = fmul double 2.0, %a").as_bytes(),
            "moved.ll",
        )
        .unwrap();
        let sites = labrys_symex::static_sites(&program, program.function("labrys_call").unwrap());
        let names = FunctionNames::new([("labrys_call".to_owned(), "mode".to_owned())], Some(&program));
        let mut pairs = Pairs::new(&program, &sites, Arc::new(names), Flags::DIVBYZERO | Flags::INVALID);
        let frame = |symbol: &str, operator: &str| SourceFrame {
            file: Some("/crate/glue.rs".to_owned()),
            symbol: symbol.to_owned(),
            line: 9,
            column: 12,
            operator: operator.to_owned(),
            ..SourceFrame::default()
        };
        let division = sites
            .iter()
            .find(|site| site.operator.to_string() == "fdiv")
            .and_then(|site| pairs.key_of(site))
            .cloned()
            .unwrap();
        pairs.prove(
            &(division.clone(), Flags::DIVBYZERO),
            Proof { engine: "ranges", scope: Scope::Ir, assumptions: Vec::new(), loop_bound: None },
        );
        // What was proved is not what the machine does there, which leaves the proof as it is.
        let own = pairs.site_of(&frame("labrys_call", "fdiv"), Flags::DIVBYZERO);
        assert_eq!((own.place.line, pairs.moved_to(&division)), (Some(9), None));
        assert_eq!(pairs.site_of(&frame("labrys_call", "fdiv"), Flags::INVALID), division);
        assert_eq!(pairs.moved_to(&division).and_then(|place| place.line), Some(9));
        // On an input of which nobody knows whether the source divides it is seen, and looked for all the same.
        let key = (division.clone(), Flags::INVALID);
        let mut witness = Witness { record: vec![0; 8], found_by: FoundBy::Random, classes: 0, is_first: true };
        assert!(!pairs.observe(key.clone(), 9, &witness) && pairs.is_open(&key));
        witness.found_by = FoundBy::Solver;
        assert!(pairs.observe(key.clone(), 9, &witness) && !pairs.is_open(&key));
        // Others can come of anything, and functions without IR have their own.
        assert_eq!(pairs.site_of(&frame("labrys_call", "fmul"), Flags::INVALID).place.line, Some(9));
        assert_eq!(pairs.site_of(&frame("elsewhere", "fdiv"), Flags::INVALID).place.line, Some(9));
    }

    #[test]
    fn scopes_are_named() {
        assert_eq!(Scope::Ir.to_string(), "ir");
        assert_eq!(Scope::Native { inputs: 65_536 }.to_string(), "native: all 65,536 inputs were run");
    }
}
