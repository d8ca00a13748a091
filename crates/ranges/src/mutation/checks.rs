//! Transfer functions against the operations themselves, on all members of small sets; and the same while they are wrong.

use labrys_float::{Environment, Flags, Float, Format};
use labrys_formulas::Random;
use labrys_interp::{ClassMask, FloatOperation, Soft};
use labrys_program::{FloatPredicate, IntBinary, IntPredicate};
use labrys_solver::domain::FloatDomain;

use super::fault::{Direction, Fault};
use super::planted::with_fault;
use super::sample::{BITS, SMALL, Value, concrete, has, members, operations, some_floats, some_ints};
use super::{of_op, of_operation};
use crate::float::{operate, truncation_flags};
use crate::float_calls::{fraction_and_exponent, scaled};
use crate::graph::{Domain, Graph, NodeId, Op};
use crate::integer::IntDomain;
use crate::library::Library;
use crate::state::State;
use crate::transfer::{backward, forward};

/// What an argument is.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Float(Format),
    Int(u32),
}

/// An operation on arguments, with the shape of its result.
#[derive(Clone, Debug)]
struct Subject {
    op: Op,
    kinds: Vec<Kind>,
    shape: Domain,
    /// Whether the first two arguments are one.
    same: bool,
    rounds: u64,
}

impl Subject {
    fn new(op: Op, kinds: &[Kind], shape: Domain) -> Subject {
        Subject { op, kinds: kinds.to_vec(), shape, same: false, rounds: 60 }
    }

    fn of_one_value(&self) -> Subject {
        Subject { same: true, ..self.clone() }
    }

    /// Whether every result of members is one of the set's, everything raised may be, and no argument is lost from which a
    /// result comes.
    fn check(&self) -> Result<(), String> {
        for seed in 0..self.rounds {
            self.check_one(&mut Random::new(seed)).map_err(|why| format!("{:?} seed {seed}: {why}", self.op))?;
        }
        Ok(())
    }

    fn check_one(&self, random: &mut Random) -> Result<(), String> {
        let mut domains: Vec<Domain> = self.kinds.iter().map(|kind| kind.any(random)).collect();
        if self.same {
            domains[1] = domains[0].clone();
        }
        let mut graph = Graph::new(Library::new(0));
        let state = State::new(graph.fork(Graph::ROOT));
        let mut nodes: Vec<NodeId> = domains.iter().map(|domain| state.opaque(&mut graph, domain.clone())).collect();
        if self.same {
            nodes[1] = nodes[0];
        }
        let result = forward(&graph, &state, self.op, &nodes, &self.shape);
        let may_raise = self.may_raise(&domains);
        let tuples = self.tuples(&domains);
        for tuple in &tuples {
            let Some((value, raised)) = concrete(self.op, tuple, &self.shape) else { continue };
            let is_open = matches!(value, Value::Int(0, _));
            if !is_open && !has(&result, &value) {
                return Err(format!("{tuple:?} gives {value:?}, not in {result:?} of {domains:?}"));
            }
            if !may_raise.contains(raised) {
                return Err(format!("{tuple:?} raises {:?}, not in {:?}", raised.names(), may_raise.names()));
            }
        }
        let wanted = match &self.shape {
            Domain::Float(set) => Kind::Float(set.format).any(random),
            Domain::Int(set) => Kind::Int(set.bits).any(random),
            Domain::Pointer(_) => return Ok(()),
        };
        let Some(wanted) = result.intersect(&wanted) else { return Ok(()) };
        let node = graph.push(state.branch, self.op, &nodes, wanted.clone());
        for (of, left) in backward(&graph, &state, node) {
            for tuple in &tuples {
                let Some((value, _)) = concrete(self.op, tuple, &self.shape) else { continue };
                let places = (0..nodes.len()).filter(|place| nodes[*place] == of);
                let lost = places.into_iter().find(|place| has(&wanted, &value) && !has(&left, &tuple[*place]));
                if let Some(place) = lost {
                    return Err(format!("{:?} of {tuple:?} gives {value:?} of {wanted:?}: {left:?}", tuple[place]));
                }
            }
        }
        Ok(())
    }

    /// What the transfer function says that may be raised.
    fn may_raise(&self, domains: &[Domain]) -> Flags {
        let sets: Option<Vec<FloatDomain>> = domains.iter().map(crate::graph::float_of).collect();
        match (self.op, sets, &self.shape) {
            (Op::Float(operation), Some(sets), _) => operate(operation, &sets, self.same).1,
            (Op::FloatToInt { signed }, Some(sets), Domain::Int(shape)) => {
                truncation_flags(&sets[0], shape.bits, signed)
            }
            _ => Flags::all(),
        }
    }

    /// All combinations of members.
    fn tuples(&self, domains: &[Domain]) -> Vec<Vec<Value>> {
        let mut tuples: Vec<Vec<Value>> = vec![Vec::new()];
        for (place, domain) in domains.iter().enumerate() {
            let values = members(domain);
            let mut longer = Vec::new();
            for tuple in &tuples {
                if self.same && place == 1 {
                    longer.push([tuple.clone(), vec![tuple[0].clone()]].concat());
                } else {
                    longer.extend(values.iter().map(|value| [tuple.clone(), vec![value.clone()]].concat()));
                }
            }
            tuples = longer;
        }
        tuples
    }

    /// Under which names it is known to [`super::planted`].
    fn name(&self) -> String {
        match self.op {
            Op::Float(operation) => of_operation(operation, self.same),
            op => of_op(op),
        }
    }
}

impl Kind {
    fn any(self, random: &mut Random) -> Domain {
        match self {
            Kind::Float(format) => some_floats(random, format),
            Kind::Int(bits) => some_ints(random, bits),
        }
    }
}

fn float_shape(format: Format) -> Domain {
    Domain::Float(FloatDomain::top(format))
}

fn int_shape(bits: u32) -> Domain {
    Domain::Int(IntDomain::top(bits))
}

/// Operations on floats.
fn on_floats() -> Vec<Subject> {
    let mut all = Vec::new();
    for (operation, count) in operations() {
        let (argument, result) = match operation {
            FloatOperation::Convert(to) => (SMALL, to),
            FloatOperation::Fma => (Format::new(2, 3), Format::new(2, 3)),
            _ => (SMALL, SMALL),
        };
        let kinds = vec![Kind::Float(argument); count];
        let subject = Subject::new(Op::Float(operation), &kinds, float_shape(result));
        if count == 2 {
            all.push(subject.of_one_value());
        }
        all.push(subject);
    }
    all
}

/// Comparisons, classifications and conversions.
fn on_both() -> Vec<Subject> {
    let (float, int, bit) = (Kind::Float(SMALL), Kind::Int(BITS), int_shape(1));
    let mut all = Vec::new();
    for code in 0..16u32 {
        let subject = Subject::new(Op::FloatCompare(predicate(code)), &[float; 2], bit.clone());
        all.extend([subject.of_one_value(), Subject { rounds: 30, ..subject }]);
    }
    for mask in [3, 516, 264, 96, 144, 504, 60, 240, 1020] {
        let op = Op::Class(ClassMask::from_bits_truncate(mask));
        all.push(Subject::new(op, &[float], bit.clone()));
    }
    for signed in [false, true] {
        all.push(Subject::new(Op::FloatToInt { signed }, &[float], int_shape(4)));
        all.push(Subject::new(Op::IntToFloat { signed }, &[int], float_shape(SMALL)));
        all.push(Subject::new(Op::Resize { signed }, &[int], int_shape(3)));
        all.push(Subject::new(Op::Resize { signed }, &[int], int_shape(8)));
    }
    all.push(Subject::new(Op::ToBits, &[float], int_shape(SMALL.width())));
    all.push(Subject::new(Op::FromBits, &[Kind::Int(SMALL.width())], float_shape(SMALL)));
    all.push(Subject { rounds: 60, ..Subject::new(Op::Select, &[Kind::Int(1), float, float], float_shape(SMALL)) });
    all
}

/// Operations on integers.
fn on_integers() -> Vec<Subject> {
    use IntBinary as B;
    use IntPredicate as P;
    let mut all = Vec::new();
    for bits in [1, BITS] {
        let binary = |op| Subject::new(Op::IntBinary(op), &[Kind::Int(bits); 2], int_shape(bits));
        let arithmetic = [B::Add, B::Sub, B::Mul, B::UDiv, B::SDiv, B::URem, B::SRem];
        let bitwise = [B::Shl, B::LShr, B::AShr, B::And, B::Or, B::Xor];
        all.extend(arithmetic.into_iter().chain(bitwise).map(binary));
        for predicate in [P::Eq, P::Ne, P::Ugt, P::Uge, P::Ult, P::Ule, P::Sgt, P::Sge, P::Slt, P::Sle] {
            all.push(Subject::new(Op::IntCompare(predicate), &[Kind::Int(bits); 2], int_shape(1)));
        }
    }
    let same: Vec<Subject> = all.iter().map(Subject::of_one_value).collect();
    all.extend(same);
    all
}

fn must_hold(subjects: &[Subject]) {
    let wrong: Vec<String> = subjects.iter().filter_map(|subject| subject.check().err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether nothing is wrong with what a fault leaves.
fn is_equal(name: &str, direction: Direction, fault: Fault) -> bool {
    match direction {
        // x rem x is zero: other members of the result are none of anything.
        Direction::Forward => {
            name.contains("Rem") && name.ends_with("of one value") && matches!(fault, Fault::Least | Fault::Greatest)
        }
        // What has no integer gives poison, which nobody may ask for.
        Direction::Backward => name.starts_with("FloatToInt") && matches!(fault, Fault::Nan | Fault::Infinities),
    }
}

/// Breaks each function in each way. What changes something on some sample must be noticed; each function must have been broken in
/// some way in each direction in which it works.
fn must_notice(subjects: &[Subject]) {
    let mut names: Vec<String> = subjects.iter().map(Subject::name).collect();
    names.sort();
    names.dedup();
    let mut unnoticed = Vec::new();
    for name in names {
        let of_name: Vec<&Subject> = subjects.iter().filter(|subject| subject.name() == name).collect();
        let mut broken = 0;
        for direction in [Direction::Forward, Direction::Backward] {
            for fault in Fault::RESULT.into_iter().chain(Fault::EXCEPTIONS) {
                let check = || of_name.iter().try_for_each(|subject| subject.check());
                let (outcome, changed) = with_fault(&name, direction, fault, check);
                broken += u64::from(changed > 0);
                if changed > 0 && outcome.is_ok() && !is_equal(&name, direction, fault) {
                    unnoticed.push(format!("{name} {direction:?} {fault:?}, {changed} times"));
                }
            }
        }
        assert!(broken >= 2, "{name} was broken in {broken} ways");
    }
    assert!(unnoticed.is_empty(), "nobody notices:\n{}", unnoticed.join("\n"));
}

#[test]
fn operations_on_floats_lose_nothing() {
    must_hold(&on_floats());
}

#[test]
fn comparisons_and_conversions_lose_nothing() {
    must_hold(&on_both());
}

#[test]
fn operations_on_integers_lose_nothing() {
    must_hold(&on_integers());
}

#[test]
fn broken_operations_on_floats_are_noticed() {
    must_notice(&on_floats());
}

#[test]
fn broken_comparisons_and_conversions_are_noticed() {
    must_notice(&on_both());
}

#[test]
fn broken_operations_on_integers_are_noticed() {
    must_notice(&on_integers());
}

/// The relations of two numbers that a code has a bit for.
fn predicate(code: u32) -> FloatPredicate {
    let is = |place: u32| code >> place & 1 == 1;
    FloatPredicate { less: is(0), equal: is(1), greater: is(2), unordered: is(3) }
}

/// The finite members that are not negative, and zero.
fn not_negative(domain: &Domain) -> Domain {
    let set = crate::graph::float_of(domain).unwrap_or(FloatDomain::empty(SMALL));
    Domain::Float(FloatDomain { plus_zero: true, plus_infinity: false, ..set.clip(0, i128::MAX) })
}

/// Differences of numbers whose relation is known, and x + (y − x)/2, on all members of small sets.
fn check_relations() -> Result<(), String> {
    let environment = Environment::default();
    let shape = float_shape(SMALL);
    let half = Float::from_bits(SMALL, 1u128 << 3);
    assert_eq!(environment.add(&half, &half).value, Float::one(SMALL));
    for seed in 0..250 {
        let random = &mut Random::new(seed);
        let relation = predicate(1 + random.below(15) as u32);
        let (mut a, mut b) = (some_floats(random, SMALL), some_floats(random, SMALL));
        if seed % 2 == 0 {
            // What is said of midpoints is said of these alone.
            (a, b) = (not_negative(&a), not_negative(&b));
        }
        let mut graph = Graph::new(Library::new(0));
        let mut state = State::new(graph.fork(Graph::ROOT));
        let (x, y) = (state.opaque(&mut graph, a.clone()), state.opaque(&mut graph, b.clone()));
        let sub = Op::Float(FloatOperation::Sub);
        let difference = state.compute(&mut graph, sub, &[y, x], &shape);
        let by = graph.float(&half);
        let halved = state.compute(&mut graph, Op::Float(FloatOperation::Mul), &[difference, by], &shape);
        let middle = forward(&graph, &state, Op::Float(FloatOperation::Add), &[x, halved], &shape);
        state.relate(y, x, relation);
        let related = forward(&graph, &state, sub, &[y, x], &shape);
        for x in members(&a) {
            for y in members(&b) {
                let (Value::Float(x), Value::Float(y)) = (&x, &y) else { continue };
                let difference = environment.sub(y, x).value;
                let middle_of = environment.add(x, &environment.mul(&difference, &half).value).value;
                if !has(&middle, &Value::Float(middle_of.clone())) {
                    return Err(format!("midpoint of {x:?} and {y:?}: {middle_of:?} not in {middle:?} of {a:?} {b:?}"));
                }
                let holds = match environment.compare_quiet(y, x).0 {
                    Some(std::cmp::Ordering::Less) => relation.less,
                    Some(std::cmp::Ordering::Equal) => relation.equal,
                    Some(std::cmp::Ordering::Greater) => relation.greater,
                    None => relation.unordered,
                };
                if holds && !has(&related, &Value::Float(difference)) {
                    return Err(format!("{y:?} - {x:?}, {relation:?}: not in {related:?}"));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn related_numbers_lose_nothing_and_faults_are_noticed() {
    check_relations().unwrap_or_else(|why| panic!("{why}"));
    for name in ["difference", "midpoint"] {
        for fault in [Fault::Least, Fault::Greatest, Fault::Zeros] {
            let (outcome, changed) = with_fault(name, Direction::Forward, fault, check_relations);
            assert!(changed > 0 && outcome.is_err(), "{name} {fault:?}: nobody notices, {changed} times");
        }
    }
}

/// ldexp and frexp on all members of small sets.
fn check_parts() -> Result<(), String> {
    let environment = Environment::default();
    for seed in 0..300 {
        let random = &mut Random::new(seed);
        let (domain, powers) = (some_floats(random, SMALL), some_ints(random, 5));
        let (Domain::Float(set), Domain::Int(by)) = (&domain, &powers) else { continue };
        let (result, flags) = scaled(set, by);
        let (fraction, exponent) = fraction_and_exponent(set);
        for value in members(&domain) {
            let Value::Float(value) = value else { continue };
            for power in members(&powers) {
                let Value::Int(_, power) = power else { continue };
                let rounded = environment.scale(&value, power as i64);
                if !result.contains(&rounded.value) || !flags.contains(rounded.flags & Flags::NOTABLE) {
                    return Err(format!("{value:?} by {power}: {rounded:?} not in {result:?} {flags:?}"));
                }
            }
            let (part, power) = Soft::new(environment).fraction_and_exponent(&value);
            let is_open = value.is_nan() || value.is_infinite();
            if !fraction.contains(&part) || !(is_open || exponent.contains(i128::from(power))) {
                return Err(format!("{value:?} is {part:?} by {power}: not in {fraction:?} {exponent:?}"));
            }
        }
    }
    Ok(())
}

#[test]
fn scaling_and_its_inverse_lose_nothing_and_faults_are_noticed() {
    check_parts().unwrap_or_else(|why| panic!("{why}"));
    for name in ["ldexp", "frexp"] {
        let mut broken = 0;
        for fault in Fault::RESULT.into_iter().chain(Fault::EXCEPTIONS) {
            let (outcome, changed) = with_fault(name, Direction::Forward, fault, check_parts);
            broken += u64::from(changed > 0);
            assert!(changed == 0 || outcome.is_err(), "{name} {fault:?}: nobody notices");
        }
        assert!(broken >= 4, "{name} was broken in {broken} ways");
    }
}

/// The flags of conversions to integers have a name of their own.
#[test]
fn forgotten_exceptions_of_conversions_are_noticed() {
    let subject = Subject::new(Op::FloatToInt { signed: true }, &[Kind::Float(SMALL)], int_shape(4));
    let fault = Fault::Exception(Flags::INVALID);
    let (outcome, changed) = with_fault("FloatToInt flags", Direction::Forward, fault, || subject.check());
    assert!(changed > 0 && outcome.is_err());
}

/// −10^6 fits 64 signed bits, and x86-64 converts it to 64 unsigned ones through signed ones; it raises invalid all the same, in
/// hardware as in IEEE 754.
#[test]
fn negative_numbers_fit_no_unsigned_integer() {
    let only = |value: f64| FloatDomain::only(&Float::from_f64(value));
    for (value, raises) in [(-1e6, true), (-1.0, true), (-0.5, false), (9e18, false), (1e19, true), (1e20, true)] {
        assert_eq!(!truncation_flags(&only(value), 64, false).is_empty(), raises, "{value}");
    }
}
