//! Answers of the solver that outlive a run, so that one which was killed goes on where it was.
//!
//! **Claim.** A kept answer is an answer to the question that it is recalled for. **Argument.** A question's fingerprint is a SHA-256 of its
//! conjuncts, each by its operator with everything in it, its sort, its arguments' fingerprints, and of a variable its name: conjunctions with
//! one fingerprint are one formula but for the order of conjuncts. Whether a formula has a model does not depend on who asks. A variable of a call of libm has
//! the call's operands in its fingerprint, too, which what is known of its values comes from. Models are evaluated by whoever recalls them,
//! as any model is.
//!
//! What was not decided is no fact; it is recalled only where no more time is offered than was spent on it.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use labrys_float::Float;
use labrys_solver::{Core, FloatOutcome, Why};
use labrys_term::{Model, Op, Sort, Store, TermId, Value};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

use crate::Values;

/// A SHA-256.
pub type Fingerprint = [u8; 32];

/// Where answers are kept.
pub trait Answers: Debug + Send + Sync {
    /// What was kept for a question.
    fn recall(&self, question: &Fingerprint) -> Option<Vec<u8>>;

    /// Keeps an answer. `is_fact`: it does not depend on how long was tried.
    fn keep(&self, question: &Fingerprint, answer: Vec<u8>, is_fact: bool);
}

/// A question by its fingerprint.
pub(crate) struct Question {
    fingerprint: Fingerprint,
    /// The places of the slice's conjuncts, in the order of their fingerprints.
    order: Vec<usize>,
}

/// Looks up answers, and has them kept.
#[derive(Debug)]
pub(crate) struct Keeper {
    answers: Arc<dyn Answers>,
    /// Of terms.
    fingerprints: FxHashMap<TermId, Fingerprint>,
}

/// How answers begin.
const SAT: u8 = b's';
const UNSAT: u8 = b'u';
const UNKNOWN: u8 = b'?';

/// A kept answer of that many tenths of the time that is offered stands for one with all of it.
const ENOUGH: u32 = 9;

impl Keeper {
    pub(crate) fn new(answers: Arc<dyn Answers>) -> Keeper {
        Keeper { answers, fingerprints: FxHashMap::default() }
    }

    /// The question whether a slice has a model.
    pub(crate) fn question(&mut self, values: &Values<'_>, slice: &[TermId]) -> Question {
        let of_terms: Vec<Fingerprint> = slice.iter().map(|&term| self.fingerprint(values, term)).collect();
        let mut order: Vec<usize> = (0..slice.len()).collect();
        order.sort_by_key(|place| of_terms[*place]);
        let mut hash = Sha256::new();
        order.iter().for_each(|place| hash.update(of_terms[*place]));
        Question { fingerprint: hash.finalize().into(), order }
    }

    /// A term's fingerprint; those of all that it consists of are made first.
    fn fingerprint(&mut self, values: &Values<'_>, term: TermId) -> Fingerprint {
        let mut pending = vec![term];
        while let Some(&next) = pending.last() {
            if self.fingerprints.contains_key(&next) {
                pending.pop();
                continue;
            }
            let node = values.store.node(next);
            let operands = match node.op {
                Op::Variable(variable) => values.libm.operands(variable),
                _ => &[],
            };
            let parts = || node.args.iter().chain(operands);
            let before = pending.len();
            pending.extend(parts().filter(|part| !self.fingerprints.contains_key(part)));
            if pending.len() > before {
                continue;
            }
            let mut hash = Sha256::new();
            let head = match node.op {
                Op::Variable(variable) => {
                    let (name, sort) = values.store.variable_info(variable);
                    format!("variable {name:?} {sort:?}")
                }
                ref op => format!("{op:?} {:?}", node.sort),
            };
            hash.update((head.len() as u64).to_le_bytes());
            hash.update(head.as_bytes());
            parts().for_each(|part| hash.update(self.fingerprints[part]));
            self.fingerprints.insert(next, hash.finalize().into());
            pending.pop();
        }
        self.fingerprints[&term]
    }

    /// The kept answer to a question, for which `wall` is offered.
    pub(crate) fn recall(&self, store: &Store, question: &Question, wall: Duration) -> Option<FloatOutcome> {
        let answer = self.answers.recall(&question.fingerprint)?;
        let mut reader = Reader(&answer);
        match reader.byte()? {
            SAT => {
                let mut model = Model::new();
                while !reader.0.is_empty() {
                    let name = String::from_utf8(reader.part()?.to_vec()).ok()?;
                    let bits = BigUint::from_bytes_le(reader.part()?);
                    // What only the solver asked of is not there.
                    let Some(variable) = store.find_variable(&name) else { continue };
                    model.set(variable, value_of(store.variable_info(variable).1, bits)?);
                }
                Some(FloatOutcome::Sat(model))
            }
            UNSAT => {
                let mut core = Vec::new();
                while !reader.0.is_empty() {
                    core.push(*question.order.get(reader.number()? as usize)?);
                }
                core.sort_unstable();
                Some(FloatOutcome::Unsat(Core(core)))
            }
            UNKNOWN => {
                let spent = Duration::from_millis(reader.number()?);
                let why = why_of(reader.byte()?, reader.part()?)?;
                (spent >= wall * ENOUGH / 10).then_some(FloatOutcome::Unknown(why))
            }
            _ => None,
        }
    }

    /// Keeps the answer to a question, for which `wall` was offered, if it can be kept.
    pub(crate) fn keep(&self, store: &Store, question: &Question, outcome: &FloatOutcome, wall: Duration) {
        let Some(answer) = written(store, question, outcome, wall) else { return };
        self.answers.keep(&question.fingerprint, answer, !matches!(outcome, FloatOutcome::Unknown(_)));
    }
}

/// An answer in bytes; `None` for what is no answer, and for models with more in them than numbers.
fn written(store: &Store, question: &Question, outcome: &FloatOutcome, wall: Duration) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    match outcome {
        FloatOutcome::Sat(model) => {
            bytes.push(SAT);
            if model.open_values().next().is_some() {
                return None;
            }
            for (variable, value) in model.iter() {
                let bits = match value {
                    Value::Bool(bit) => BigUint::from(u8::from(*bit)),
                    Value::BitVec { bits, .. } => bits.clone(),
                    Value::Float(float) => float.bits().clone(),
                    Value::RoundingMode(_) | Value::Real(_) | Value::Array(_) => return None,
                };
                write_part(&mut bytes, store.variable_info(variable).0.as_bytes());
                write_part(&mut bytes, &bits.to_bytes_le());
            }
        }
        FloatOutcome::Unsat(Core(core)) => {
            bytes.push(UNSAT);
            for place in core {
                let place = question.order.iter().position(|other| other == place)?;
                bytes.extend((place as u64).to_le_bytes());
            }
        }
        FloatOutcome::Unknown(why) => {
            let (tag, words) = match why {
                Why::Work => (b'n', ""),
                Why::Wall => (b'w', ""),
                Why::Incomplete(words) => (b'i', words.as_str()),
                Why::Unsupported(part) => (b'p', part.as_str()),
                _ => return None,
            };
            bytes.push(UNKNOWN);
            bytes.extend((wall.as_millis() as u64).to_le_bytes());
            bytes.push(tag);
            write_part(&mut bytes, words.as_bytes());
        }
    }
    Some(bytes)
}

fn why_of(tag: u8, words: &[u8]) -> Option<Why> {
    let words = || String::from_utf8_lossy(words).into_owned();
    Some(match tag {
        b'n' => Why::Work,
        b'w' => Why::Wall,
        b'i' => Why::Incomplete(words()),
        b'p' => Why::Unsupported(words()),
        _ => return None,
    })
}

/// The value of a sort with these bits; `None` where it has no such value.
fn value_of(sort: &Sort, bits: BigUint) -> Option<Value> {
    match sort {
        Sort::Bool if bits.bits() <= 1 => Some(Value::Bool(bits == BigUint::from(1u8))),
        Sort::BitVec(width) if bits.bits() <= u64::from(*width) => Some(Value::bit_vector(*width, bits)),
        Sort::Float(format) if bits.bits() <= u64::from(format.width()) => {
            Some(Value::float(Float::from_bits(*format, bits)))
        }
        _ => None,
    }
}

/// A part with its length before it.
fn write_part(bytes: &mut Vec<u8>, part: &[u8]) {
    bytes.extend((part.len() as u64).to_le_bytes());
    bytes.extend(part);
}

/// What of an answer is still to be read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn part(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (part, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(part)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use labrys_term::VariableId;

    use super::*;

    #[derive(Debug, Default)]
    struct Memory(Mutex<FxHashMap<Fingerprint, Vec<u8>>>);

    impl Answers for Memory {
        fn recall(&self, question: &Fingerprint) -> Option<Vec<u8>> {
            self.0.lock().ok()?.get(question).cloned()
        }

        fn keep(&self, question: &Fingerprint, answer: Vec<u8>, _is_fact: bool) {
            self.0.lock().expect("nothing panics").insert(*question, answer);
        }
    }

    /// x < c and c < y, made in one of two orders beside other terms: ids differ, the question does not.
    fn asked(store: &mut Store, first: bool, constant: u8) -> ([TermId; 2], [VariableId; 2]) {
        let names = if first { ["x", "y"] } else { ["y", "x"] };
        if !first {
            store.variable("other", Sort::BitVec(3));
        }
        for name in names {
            store.variable(name, Sort::BitVec(8));
        }
        let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::BitVec(8)));
        let constant = store.bv_const(8, constant);
        let below = store.mk(Op::BvUlt, &[x, constant]);
        let above = store.mk(Op::BvUlt, &[constant, y]);
        let ids = [x, y].map(|term| store.as_variable(term).expect("a variable"));
        (if first { [below, above] } else { [above, below] }, ids)
    }

    #[test]
    fn answers_are_those_of_one_formula_whatever_its_terms_are_called() {
        let memory: Arc<dyn Answers> = Arc::new(Memory::default());
        let second = Duration::from_secs(1);
        let (mut one, mut two) = (Store::new(), Store::new());
        let (terms, [x, y]) = asked(&mut one, true, 7);
        let mut model = Model::new();
        model.set(x, Value::bit_vector(8, 3u8));
        model.set(y, Value::bit_vector(8, 200u8));
        let mut keeper = Keeper::new(memory.clone());
        let values = Values::new(&mut one, false);
        let question = keeper.question(&values, &terms);
        assert_eq!(keeper.recall(values.store, &question, second), None);
        keeper.keep(values.store, &question, &FloatOutcome::Sat(model), second);

        let (again, [x, y]) = asked(&mut two, false, 7);
        let (other, _) = asked(&mut two, false, 8);
        let mut keeper = Keeper::new(memory);
        let values = Values::new(&mut two, false);
        let question = keeper.question(&values, &again);
        let Some(FloatOutcome::Sat(model)) = keeper.recall(values.store, &question, second) else {
            panic!("a kept model")
        };
        assert_eq!(model.get(x), Some(&Value::bit_vector(8, 3u8)));
        assert_eq!(model.get(y), Some(&Value::bit_vector(8, 200u8)));
        let question = keeper.question(&values, &other);
        assert_eq!(keeper.recall(values.store, &question, second), None);
        // The core is of the conjunct, not of its place.
        keeper.keep(values.store, &question, &FloatOutcome::Unsat(Core(vec![1])), second);
        let turned = keeper.question(&values, &[other[1], other[0]]);
        assert_eq!(keeper.recall(values.store, &turned, second), Some(FloatOutcome::Unsat(Core(vec![0]))));
    }

    #[test]
    fn what_was_not_decided_is_asked_again_where_there_is_more_time() {
        let mut store = Store::new();
        let (terms, _) = asked(&mut store, true, 7);
        let mut keeper = Keeper::new(Arc::new(Memory::default()));
        let values = Values::new(&mut store, false);
        let question = keeper.question(&values, &terms);
        let unknown = FloatOutcome::Unknown(Why::Wall);
        keeper.keep(values.store, &question, &unknown, Duration::from_secs(1));
        assert_eq!(keeper.recall(values.store, &question, Duration::from_secs(1)), Some(unknown));
        assert_eq!(keeper.recall(values.store, &question, Duration::from_secs(2)), None);
        // Somebody's interrupt is no answer.
        let other = keeper.question(&values, &terms[..1]);
        keeper.keep(values.store, &other, &FloatOutcome::Unknown(Why::Cancelled), Duration::from_secs(1));
        assert_eq!(keeper.recall(values.store, &other, Duration::ZERO), None);
    }
}
