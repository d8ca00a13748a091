//! Preparation against evaluation on random formulas over tiny sorts.
//!
//! A formula is made true under a random assignment by negating its parts where needed. Then the prepared formula must
//! be satisfiable, which enumeration of the variables that preparation added shows, and the model found must lead
//! back to one of the original.

use labrys_float::{Float, Format, RoundingMode};
use labrys_formulas::{FLOAT_CLASSES, Random, VECTOR_OPERATORS};
use labrys_term::{EvalError, Evaluator, Model, Op, Sort, Store, TermId, Value, VariableId, eval};
use num_rational::BigRational;

use super::*;

const TINY: Format = Format::new(2, 3);
const SMALL: Format = Format::new(3, 3);
const BITS: u32 = 2;

fn value(random: &mut Random, sort: &Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(random.below(2) == 1),
        Sort::BitVec(width) => Value::bit_vector(*width, random.below(1 << width) as u32),
        Sort::Float(format) if format.width() < 16 => {
            Value::float(Float::from_bits(*format, random.below(1 << format.width()) as u32))
        }
        Sort::Float(format) => {
            Value::float(Float::from_rational(*format, &rational(random), RoundingMode::NearestEven))
        }
        Sort::RoundingMode => Value::RoundingMode(random.pick(&RoundingMode::ALL)),
        Sort::Real => Value::Real(rational(random)),
        Sort::Array(sorts) => {
            let mut array = labrys_term::ArrayValue::constant(sorts.0.clone(), value(random, &sorts.1));
            for _ in 0..random.below(4) {
                array.set(value(random, &sorts.0), value(random, &sorts.1));
            }
            Value::Array(Box::new(array))
        }
    }
}

fn rational(random: &mut Random) -> BigRational {
    BigRational::new((random.below(33) as i64 - 16).into(), 8.into())
}

/// Terms by sort, grown at random.
struct Terms {
    sorts: Vec<Sort>,
    terms: Vec<Vec<TermId>>,
    /// Whether reals and arrays are among them.
    rich: bool,
}

impl Terms {
    fn leaves(store: &mut Store, random: &mut Random, rich: bool) -> Terms {
        let array = Sort::Array(std::sync::Arc::new((Sort::BitVec(BITS), Sort::BitVec(BITS))));
        let mut sorts = vec![Sort::Bool, Sort::BitVec(BITS), Sort::Float(TINY), Sort::Float(SMALL), Sort::RoundingMode];
        if rich {
            sorts.extend([array, Sort::Real]);
        }
        let mut terms = Vec::new();
        for (i, sort) in sorts.iter().enumerate() {
            let mut leaves = Vec::new();
            if *sort != Sort::Real {
                leaves.extend((0..2).map(|j| store.variable(&format!("v{i}{j}"), sort.clone())));
            }
            if !matches!(sort, Sort::Array(_)) {
                for _ in 0..2 {
                    let value = value(random, sort);
                    leaves.push(literal(store, value));
                }
            }
            terms.push(leaves);
        }
        Terms { sorts, terms, rich }
    }

    fn of(&self, random: &mut Random, sort: &Sort) -> TermId {
        let position = self.sorts.iter().position(|other| other == sort).unwrap();
        let terms = &self.terms[position];
        // Late terms are large ones.
        if random.below(3) == 0 {
            random.pick(terms)
        } else {
            terms[terms.len() - 1 - random.below(terms.len().min(3))]
        }
    }

    fn grow(&mut self, store: &mut Store, random: &mut Random) {
        let floats = [Sort::Float(TINY), Sort::Float(SMALL)];
        let (from, to) = if random.below(2) == 0 { (0, 1) } else { (1, 0) };
        let format = [TINY, SMALL][to];
        let bv = Sort::BitVec(BITS);
        let any = random.below(5);
        let any = self.sorts[any].clone();
        let [p, q, r] = [(); 3].map(|()| self.of(random, &Sort::Bool));
        let [u, v, w] = [(); 3].map(|()| self.of(random, &bv));
        let [a, b, c] = [(); 3].map(|()| self.of(random, &floats[to]));
        let other = self.of(random, &floats[from]);
        let mode = self.of(random, &Sort::RoundingMode);
        let [x, y, z] = [(); 3].map(|()| self.of(random, &any));
        let bv_op = random.below(17);
        let bv_ops = [&VECTOR_OPERATORS[..], &[Op::BvAnd, Op::BvAdd, Op::BvMul]].concat();
        let compare = [Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle];
        let float_compare = [Op::FpEq, Op::FpLt, Op::FpLe, Op::Eq];
        let rounded = [Op::FpAdd, Op::FpSub, Op::FpMul, Op::FpDiv];
        let plain = [Op::FpRem, Op::FpFmod, Op::FpMin, Op::FpMax];
        let kinds = if self.rich { 34 } else { 26 };
        let term = match random.below(kinds) {
            0 => store.mk(Op::Not, &[p]),
            1 => store.mk(Op::And, &[p, q, r]),
            2 => store.mk(Op::Or, &[p, q]),
            3 => store.mk(Op::Xor, &[p, q, r]),
            4 => store.mk(Op::Implies, &[p, q]),
            5 => store.mk(Op::Eq, &[x, y]),
            6 => store.mk(Op::Distinct, &[x, y, z]),
            7 => store.mk(Op::Ite, &[p, x, y]),
            8 | 9 => store.mk(bv_ops[bv_op].clone(), &[u, v]),
            10 => store.mk(compare[random.below(4)].clone(), &[u, w]),
            11 => {
                let wide = store.mk(Op::Concat, &[u, v]);
                let low = random.below(3) as u32;
                store.mk(Op::Extract { high: low + 1, low }, &[wide])
            }
            12 => {
                let op = if random.below(2) == 0 { Op::ZeroExtend(1) } else { Op::SignExtend(1) };
                let wide = store.mk(op, &[u]);
                store.mk(Op::Extract { high: 2, low: 1 }, &[wide])
            }
            13 => store.mk(if random.below(2) == 0 { Op::BvNot } else { Op::BvNeg }, &[u]),
            14 => store.mk(if random.below(2) == 0 { Op::FpAbs } else { Op::FpNeg }, &[a]),
            15 | 16 => store.mk(rounded[random.below(4)].clone(), &[mode, a, b]),
            17 => store.mk(Op::FpFma, &[mode, a, b, c]),
            18 => store.mk(if random.below(2) == 0 { Op::FpSqrt } else { Op::FpRoundToIntegral }, &[mode, a]),
            19 => store.mk(plain[random.below(4)].clone(), &[a, b]),
            20 => store.mk(float_compare[random.below(4)].clone(), &[a, b]),
            21 => store.mk(FLOAT_CLASSES[random.below(7)].clone(), &[a]),
            22 => store.mk(Op::FpFromFloat(format), &[mode, other]),
            23 => {
                let op = if random.below(2) == 0 { Op::FpFromSigned(format) } else { Op::FpFromUnsigned(format) };
                store.mk(op, &[mode, u])
            }
            24 => {
                store.mk(if random.below(2) == 0 { Op::FpToSigned(BITS) } else { Op::FpToUnsigned(BITS) }, &[mode, a])
            }
            25 => {
                let bits = store.mk(Op::FpToBits, &[a]);
                let flipped = store.mk(Op::BvNot, &[bits]);
                store.mk(Op::FpFromBits(format), &[flipped])
            }
            kind => self.rich_term(store, random, kind, (p, u, a, mode)),
        };
        let sort = store.sort(term).clone();
        if let Some(position) = self.sorts.iter().position(|other| *other == sort) {
            self.terms[position].push(term);
        }
    }

    fn rich_term(
        &self,
        store: &mut Store,
        random: &mut Random,
        kind: usize,
        (p, u, a, mode): (TermId, TermId, TermId, TermId),
    ) -> TermId {
        let (bv, format) = (Sort::BitVec(BITS), store.float_format(a).unwrap());
        let array = self.sorts[5].clone();
        let [f, g] = [(); 2].map(|()| self.of(random, &array));
        let [x, y] = [(); 2].map(|()| self.of(random, &Sort::Real));
        match kind {
            26 => store.mk(Op::Select, &[f, u]),
            27 => {
                let element = self.of(random, &bv);
                store.mk(Op::StoreAt, &[f, u, element])
            }
            28 => store.mk(Op::Eq, &[f, g]),
            29 => store.mk(Op::Ite, &[p, f, g]),
            30 => store.mk(Op::ConstArray(bv), &[u]),
            31 => store.mk(Op::FpToReal, &[a]),
            32 => store.mk([Op::RealLt, Op::RealLe, Op::Eq][random.below(3)].clone(), &[x, y]),
            _ => store.mk(Op::FpFromReal(format), &[mode, x]),
        }
    }
}

fn literal(store: &mut Store, value: Value) -> TermId {
    store.literal(&value).expect("no literals of arrays are made")
}

/// The value of a term, where what theories leave open is chosen at random when it is met.
fn evaluate(store: &Store, term: TermId, model: &mut Model, random: &mut Random) -> Value {
    loop {
        match eval(store, term, model) {
            Ok(value) => return value,
            Err(EvalError::Open(open)) => {
                let node = store.node(open);
                let args = node.args.iter().map(|&arg| evaluate(store, arg, model, random)).collect();
                let value = value(random, &node.sort);
                model.set_open(node.op.clone(), args, value);
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Says what minima and maxima of zeros are.
fn choose_zeros(model: &mut Model, random: &mut Random) {
    for format in [TINY, SMALL] {
        for op in [Op::FpMin, Op::FpMax] {
            for first in [false, true] {
                let args = [first, !first].map(|negative| Value::Float(Float::zero(format, negative)));
                let value = Value::Float(Float::zero(format, random.below(2) == 0));
                model.set_open(op.clone(), args.to_vec(), value);
            }
        }
    }
}

/// How many values a sort has, up to some number.
fn count(sort: &Sort) -> u64 {
    match sort {
        Sort::Bool => 2,
        Sort::BitVec(width) => 1u64.checked_shl(*width).unwrap_or(u64::MAX),
        Sort::Float(format) => 1u64.checked_shl(format.width()).unwrap_or(u64::MAX),
        Sort::RoundingMode => 5,
        Sort::Real | Sort::Array(_) => u64::MAX,
    }
}

fn nth(sort: &Sort, n: u64) -> Value {
    match sort {
        Sort::Bool => Value::Bool(n == 1),
        Sort::BitVec(width) => Value::bit_vector(*width, n),
        Sort::Float(format) => Value::float(Float::from_bits(*format, n)),
        Sort::RoundingMode => Value::RoundingMode(RoundingMode::ALL[n as usize]),
        Sort::Real | Sort::Array(_) => unreachable!("prepared terms have neither"),
    }
}

fn holds(store: &Store, terms: &[TermId], model: &Model) -> bool {
    let mut evaluator = Evaluator::new(store, model);
    terms.iter().all(|&term| evaluator.holds(term).unwrap_or_else(|error| panic!("{error}")))
}

/// A model of the prepared terms that extends `base`: by search over the variables that it lacks, which are few.
/// `None` if there are too many.
fn extension(store: &Store, terms: &[TermId], base: &Model) -> Option<Option<Model>> {
    let free: Vec<VariableId> =
        store.free_variables(terms).into_iter().filter(|variable| base.get(*variable).is_none()).collect();
    let sizes: Vec<u64> = free.iter().map(|variable| count(store.variable_info(*variable).1)).collect();
    let total = sizes.iter().try_fold(1u64, |total, size| total.checked_mul(*size))?;
    if total > 1 << 11 {
        return None;
    }
    let found = (0..total).find_map(|mut code| {
        let mut model = base.clone();
        for (variable, size) in free.iter().zip(&sizes) {
            model.set(*variable, nth(store.variable_info(*variable).1, code % size));
            code /= size;
        }
        holds(store, terms, &model).then_some(model)
    });
    Some(found)
}

/// How many of the formulas could be judged.
fn check_random_formulas(seed: u64, formulas: usize, rich: bool) -> usize {
    let mut random = Random::new(seed);
    let mut judged = 0;
    for formula in 0..formulas {
        let mut store = Store::new();
        let mut terms = Terms::leaves(&mut store, &mut random, rich);
        for _ in 0..6 + random.below(24) {
            terms.grow(&mut store, &mut random);
        }
        let mut model = Model::new();
        for variable in store.variables() {
            model.set(variable, value(&mut random, store.variable_info(variable).1));
        }
        choose_zeros(&mut model, &mut random);
        let mut assertions = Vec::new();
        for _ in 0..1 + random.below(4) {
            let term = terms.of(&mut random, &Sort::Bool);
            let is_true = evaluate(&store, term, &mut model, &mut random) == Value::Bool(true);
            assertions.push(if is_true { term } else { store.not(term) });
        }
        let before = store.variable_count();
        let prepared = prepare(&mut store, &assertions, &PrepareConfig::default());
        if prepared.unsupported.is_some() {
            continue;
        }
        assert_ne!(prepared.decided, Some(false), "formula {formula} of seed {seed} is satisfiable");
        let mut base: Model = model.iter().map(|(variable, value)| (variable, value.clone())).collect();
        // Prepared formulas hold, or not, whatever minima of zeros are.
        choose_zeros(&mut base, &mut random);
        assert!(base.iter().all(|(variable, _)| variable.index() < before));
        let Some(found) = extension(&store, &prepared.assertions, &base) else { continue };
        let found = found.unwrap_or_else(|| panic!("formula {formula} of seed {seed}: the prepared one has no model"));
        let mut back = prepared.reconstruction.model(&store, found);
        back.complete(&store, &assertions);
        assert!(holds(&store, &assertions, &back), "formula {formula} of seed {seed}: not a model of the original");
        judged += 1;
    }
    judged
}

#[test]
fn random_formulas_keep_their_models() {
    let judged = check_random_formulas(0x9e37_79b9_7f4a_7c15, 6000, false);
    assert!(judged > 1500, "{judged}");
}

#[test]
fn random_formulas_with_arrays_and_reals_keep_their_models() {
    let judged = check_random_formulas(0x2545_f491_4f6c_dd1d, 4000, true);
    assert!(judged > 1000, "{judged}");
}

fn prepared(store: &mut Store, assertions: &[TermId]) -> Prepared {
    prepare(store, assertions, &PrepareConfig::default())
}

/// Preparation alone decides that the assertions hold, and what it gives back is a model of them.
fn assert_decided_by_a_model(store: &mut Store, assertions: &[TermId]) {
    let result = prepared(store, assertions);
    assert_eq!(result.decided, Some(true));
    let mut back = result.reconstruction.model(store, Model::new());
    back.complete(store, assertions);
    assert!(holds(store, assertions, &back));
}

#[test]
fn definitions_that_lead_back_to_themselves_stay() {
    let mut store = Store::new();
    let byte = Sort::BitVec(8);
    let [x, y, z] = ["x", "y", "z"].map(|name| store.variable(name, byte.clone()));
    let one = store.bv_const(8, 1u8);
    let square = store.mk(Op::BvMul, &[y, y]);
    let shifted = store.mk(Op::BvLshr, &[x, one]);
    let sum = store.mk(Op::BvMul, &[x, z]);
    let assertions = [(x, square), (y, shifted), (z, sum)].map(|(variable, term)| store.mk(Op::Eq, &[variable, term]));
    let result = prepared(&mut store, &assertions);
    assert_eq!(result.decided, None);
    // x = y·y and y = x/2 cannot both be replaced, but one is; x·z = z stays.
    let free = store.free_variables(&result.assertions);
    assert!(free.contains(&store.as_variable(z).unwrap()) && free.len() == 2, "{free:?}");
    let found = extension(&store, &result.assertions, &Model::new());
    assert!(found.is_none(), "two bytes are more than the search takes");
    let mut model = Model::new();
    for variable in free {
        model.set(variable, Value::bit_vector(8, 0u8));
    }
    assert!(holds(&store, &result.assertions, &model));
    let back = result.reconstruction.model(&store, model);
    assert!(holds(&store, &assertions, &back));
}

/// The bisection of a path prefix is all equations and comparisons of one variable each: nothing is left to solve.
#[test]
fn equations_and_single_comparisons_leave_nothing() {
    let mut store = Store::new();
    let double = Sort::Float(Format::BINARY64);
    let [a, b, c] = ["a", "b", "c"].map(|name| store.variable(name, double.clone()));
    let mode = store.variable("mode", Sort::RoundingMode);
    let half = store.float_const(Float::from_f64(0.5));
    let sum = store.mk(Op::FpAdd, &[mode, a, b]);
    let middle = store.mk(Op::FpMul, &[mode, sum, half]);
    let assertions = [store.mk(Op::Eq, &[c, middle]), store.mk(Op::FpLt, &[half, a])];
    assert_decided_by_a_model(&mut store, &assertions);
}

/// A contradiction that is one of the theory of arrays, and a large query: rewriting must not be quadratic.
#[test]
fn arrays_written_twice_and_long_chains() {
    let mut store = Store::new();
    let array = Sort::Array(std::sync::Arc::new((Sort::BitVec(32), Sort::BitVec(8))));
    let f = store.variable("f", array.clone());
    let [i, j] = ["i", "j"].map(|name| store.variable(name, Sort::BitVec(32)));
    let [u, v] = ["u", "v"].map(|name| store.variable(name, Sort::BitVec(8)));
    let once = store.mk(Op::StoreAt, &[f, i, u]);
    let one_way = store.mk(Op::StoreAt, &[once, j, v]);
    let other = store.mk(Op::StoreAt, &[f, j, v]);
    let other_way = store.mk(Op::StoreAt, &[other, i, u]);
    let same = store.mk(Op::Eq, &[one_way, other_way]);
    let equal_index = store.mk(Op::Eq, &[i, j]);
    let assertions = [store.not(same), equal_index, store.mk(Op::Eq, &[u, v])];
    assert_eq!(prepared(&mut store, &assertions).decided, Some(false));

    let mut store = Store::new();
    let word = Sort::BitVec(32);
    let mut last = store.variable("x", word.clone());
    let mut assertions = Vec::new();
    for i in 0..60_000 {
        let next = store.variable(&format!("x{i}"), word.clone());
        let three = store.bv_const(32, 3u8);
        let product = store.mk(Op::BvMul, &[last, last]);
        let sum = store.mk(Op::BvUdiv, &[product, three]);
        assertions.push(store.mk(Op::Eq, &[next, sum]));
        last = next;
    }
    let seven = store.bv_const(32, 7u8);
    assertions.push(store.mk(Op::BvUlt, &[last, seven]));
    let result = prepared(&mut store, &assertions);
    assert_eq!(result.assertions.len(), 1);
    let back = result.reconstruction.model(&store, Model::new());
    assert_eq!(back.len(), 60_001);
}

/// Arrays that agree at each of few indices are one, and agree at any index.
#[test]
fn arrays_with_few_indices_are_compared_at_each() {
    for index in [Sort::Bool, Sort::RoundingMode, Sort::BitVec(2)] {
        let mut store = Store::new();
        let array = Sort::Array(std::sync::Arc::new((index.clone(), Sort::BitVec(8))));
        let [f, g] = ["f", "g"].map(|name| store.variable(name, array.clone()));
        let i = store.variable("i", index.clone());
        let mut assertions: Vec<TermId> = Vec::new();
        for n in 0..count(&index) {
            let value = literal(&mut store, nth(&index, n));
            let elements = [f, g].map(|array| store.mk(Op::Select, &[array, value]));
            assertions.push(store.mk(Op::Eq, &elements));
        }
        let one = store.mk(Op::Eq, &[f, g]);
        let elements = [f, g].map(|array| store.mk(Op::Select, &[array, i]));
        let alike = store.mk(Op::Eq, &elements);
        for wrong in [one, alike] {
            let denied = [assertions.clone(), vec![store.not(wrong)]].concat();
            assert_eq!(prepared(&mut store, &denied).decided, Some(false), "{index:?}");
            // Without one of the values, they may differ there.
            assert_ne!(prepared(&mut store, &denied[1..]).decided, Some(false), "{index:?}");
        }
    }
}

/// A definition may hold an application that is open and that nothing else of the query contains: then any value will do, but
/// the model must say which.
#[test]
fn open_values_of_definitions_are_chosen() {
    let mut store = Store::new();
    let mode = store.rounding_mode(RoundingMode::TowardZero);
    let (x, y) = (store.variable("x", Sort::Float(SMALL)), store.variable("y", Sort::BitVec(BITS)));
    let infinity = store.float_const(Float::infinity(SMALL, true));
    let converted = store.mk(Op::FpToUnsigned(BITS), &[mode, infinity]);
    let assertions = [store.mk(Op::Eq, &[y, converted]), store.mk(Op::FpIsInfinite, &[x])];
    assert_decided_by_a_model(&mut store, &assertions);
}

/// A word of one bit may fix which arrays are one: then they need no comparing.
#[test]
fn arrays_that_bits_equate_become_one() {
    let mut store = Store::new();
    let array = Sort::Array(std::sync::Arc::new((Sort::BitVec(32), Sort::BitVec(8))));
    let [f, g] = ["f", "g"].map(|name| store.variable(name, array.clone()));
    let [i, j] = ["i", "j"].map(|name| store.variable(name, Sort::BitVec(32)));
    let [b, c] = ["b", "c"].map(|name| store.variable(name, Sort::BitVec(1)));
    let [zero, one] = [0u8, 1].map(|value| store.bv_const(1, value));
    let five = store.bv_const(8, 5u8);
    let written = store.mk(Op::StoreAt, &[f, i, five]);
    let same = store.mk(Op::Eq, &[g, written]);
    let as_bit = store.mk(Op::Ite, &[same, one, zero]);
    let both = store.mk(Op::BvAnd, &[b, c]);
    let defined = store.mk(Op::Eq, &[b, as_bit]);
    let denied = store.mk(Op::Eq, &[both, zero]);
    let read = store.mk(Op::Select, &[g, j]);
    let small = store.mk(Op::BvUlt, &[read, five]);
    let assertions = [defined, store.not(denied), small];
    let result = prepared(&mut store, &assertions);
    // What is left is about j ≠ i and one element of f.
    assert!(store.reachable(&result.assertions).len() < 10, "{:?}", result.assertions);
    let mut model = Model::new();
    model.set_term(&store, j, Value::bit_vector(32, 7u8));
    for variable in store.free_variables(&result.assertions) {
        if model.get(variable).is_none() {
            model.set(variable, Value::zero(store.variable_info(variable).1));
        }
    }
    assert!(holds(&store, &result.assertions, &model));
    let mut back = result.reconstruction.model(&store, model);
    back.complete(&store, &assertions);
    assert!(holds(&store, &assertions, &back));
}

/// Conversions out of range, more than are compared with each other: what is equal has equal values, and a model without that is none.
#[test]
fn open_values_of_many_conversions_make_no_wrong_model() {
    let mut store = Store::new();
    let mode = store.rounding_mode(RoundingMode::TowardZero);
    let numbers: Vec<TermId> =
        (0..60).map(|place| store.variable(&format!("x{place}"), Sort::Float(Format::BINARY32))).collect();
    let integers: Vec<TermId> = numbers.iter().map(|x| store.mk(Op::FpToSigned(32), &[mode, *x])).collect();
    let mut terms: Vec<TermId> = numbers.iter().map(|x| store.mk(Op::FpIsNan, &[*x])).collect();
    let five = store.bv_const(32, 5u8);
    terms.extend(integers.iter().map(|integer| store.mk(Op::BvUle, &[*integer, five])));
    for (one, other, is_compared) in [(0, 59, false), (0, 20, true)] {
        let same = store.mk(Op::Eq, &[integers[one], integers[other]]);
        let query = [&terms[..], &[store.not(same)]].concat();
        let limits = crate::Limits { wall: std::time::Duration::from_secs(20), ..crate::Limits::default() };
        let outcome = crate::FloatSolver::check_once(
            &mut crate::Portfolio::new(crate::PortfolioConfig::default()),
            &store,
            &query,
            &limits,
        );
        assert!(!matches!(outcome, crate::FloatOutcome::Sat(_)), "{outcome:?}");
        assert!(!is_compared || matches!(outcome, crate::FloatOutcome::Unsat(_)), "{outcome:?}");
    }
}
