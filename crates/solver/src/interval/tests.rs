//! The whole engine against enumeration: random formulas over all operators and tiny formats.

mod planted;
mod two_forms;

use labrys_float::{Float, Format, RoundingMode};
use labrys_formulas::{Formula, Random, Shape};
use labrys_term::{Evaluator, Model, Op, Sort, Store, TermId, Value};

use super::places::value_at;
use super::{IntervalConfig, IntervalEngine, Order, Propagation, propagate, search};
use crate::domain::{BoolDomain, Domain, Facts};
use crate::{Budget, Engine, Query, Verdict};

const SMALL: Format = Format::new(2, 3);
const LARGE: Format = Format::new(3, 3);

fn sorts() -> [Sort; 6] {
    [Sort::Bool, Sort::BitVec(3), Sort::BitVec(5), Sort::Float(SMALL), Sort::Float(LARGE), Sort::RoundingMode]
}

/// The operators that give a sort, with their arguments' sorts.
fn operators(sort: &Sort) -> Vec<(Op, Vec<Sort>)> {
    let mode = Sort::RoundingMode;
    let mut found = vec![(Op::Ite, vec![Sort::Bool, sort.clone(), sort.clone()])];
    match sort {
        Sort::Bool => {
            for op in [Op::And, Op::Or, Op::Xor, Op::Implies, Op::Eq] {
                found.push((op, vec![Sort::Bool; 2]));
            }
            found.push((Op::Not, vec![Sort::Bool]));
            found.push((Op::Or, vec![Sort::Bool; 3]));
            for sort in [Sort::BitVec(3), Sort::BitVec(5)] {
                for op in [Op::Eq, Op::Distinct, Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle] {
                    found.push((op, vec![sort.clone(); 2]));
                }
                found.push((Op::Distinct, vec![sort; 3]));
            }
            for sort in [Sort::Float(SMALL), Sort::Float(LARGE)] {
                for op in [Op::Eq, Op::FpEq, Op::FpLt, Op::FpLe, Op::FpLt, Op::FpLe] {
                    found.push((op, vec![sort.clone(); 2]));
                }
                for op in [Op::FpIsNan, Op::FpIsZero, Op::FpIsInfinite, Op::FpIsNormal, Op::FpIsSubnormal] {
                    found.push((op, vec![sort.clone()]));
                }
                found.push((Op::FpIsNegative, vec![sort.clone()]));
                found.push((Op::FpIsPositive, vec![sort]));
            }
        }
        Sort::BitVec(width) => {
            use Op::{BvAdd, BvAnd, BvAshr, BvLshr, BvMul, BvOr, BvSdiv, BvShl, BvSmod, BvSrem, BvSub, BvUdiv, BvUrem};
            for op in [BvAdd, BvAnd, BvAshr, BvLshr, BvMul, BvOr, BvSdiv, BvShl, BvSmod, BvSrem, BvSub, BvUdiv, BvUrem]
            {
                found.push((op, vec![sort.clone(); 2]));
            }
            found.push((Op::BvXor, vec![sort.clone(); 2]));
            found.push((Op::BvNot, vec![sort.clone()]));
            found.push((Op::BvNeg, vec![sort.clone()]));
            for format in [SMALL, LARGE] {
                found.push((Op::FpToSigned(*width), vec![mode.clone(), Sort::Float(format)]));
                found.push((Op::FpToUnsigned(*width), vec![mode.clone(), Sort::Float(format)]));
            }
            if *width == 5 {
                found.push((Op::ZeroExtend(2), vec![Sort::BitVec(3)]));
                found.push((Op::SignExtend(2), vec![Sort::BitVec(3)]));
                found.push((Op::FpToBits, vec![Sort::Float(SMALL)]));
            } else {
                found.push((Op::Extract { high: 3, low: 1 }, vec![Sort::BitVec(5)]));
                found.push((Op::Extract { high: 4, low: 2 }, vec![Sort::BitVec(5)]));
            }
        }
        Sort::Float(format) => {
            let float = || Sort::Float(*format);
            for op in [Op::FpAdd, Op::FpSub, Op::FpMul, Op::FpDiv, Op::FpAdd, Op::FpMul] {
                found.push((op, vec![mode.clone(), float(), float()]));
            }
            found.push((Op::FpFma, vec![mode.clone(), float(), float(), float()]));
            found.push((Op::FpSqrt, vec![mode.clone(), float()]));
            found.push((Op::FpRoundToIntegral, vec![mode.clone(), float()]));
            for op in [Op::FpRem, Op::FpFmod, Op::FpMin, Op::FpMax] {
                found.push((op, vec![float(), float()]));
            }
            found.push((Op::FpNeg, vec![float()]));
            found.push((Op::FpAbs, vec![float()]));
            let other = if *format == SMALL { LARGE } else { SMALL };
            found.push((Op::FpFromFloat(*format), vec![mode.clone(), Sort::Float(other)]));
            for width in [3, 5] {
                found.push((Op::FpFromSigned(*format), vec![mode.clone(), Sort::BitVec(width)]));
                found.push((Op::FpFromUnsigned(*format), vec![mode.clone(), Sort::BitVec(width)]));
            }
            if *format == SMALL {
                found.push((Op::FpFromBits(SMALL), vec![Sort::BitVec(5)]));
            }
        }
        _ => {}
    }
    found
}

/// Formulas of few enough bits to try all assignments, whose values may be open.
fn shape() -> Shape {
    Shape { open: true, variable_bits: 10, ..Shape::tiny() }
}

/// A random formula. In half of them floats are finite, which is what affine forms need.
fn formula(seed: u64) -> Formula {
    let mut formula = Formula::free(seed, &shape());
    for x in formula.variables.clone() {
        if let (true, Some(format)) = (seed.is_multiple_of(2), formula.store.float_format(x)) {
            let (most, size) =
                (formula.store.float_const(Float::max_finite(format)), formula.store.mk(Op::FpAbs, &[x]));
            formula.assertions.push(formula.store.mk(Op::FpLe, &[size, most]));
        }
    }
    formula
}

fn values(sort: &Sort) -> Vec<Value> {
    let domain = super::graph::top(sort).expect("tiny sorts have domains");
    (0..=super::places::last_place(&domain)).map(|place| value_at(&domain, place)).collect()
}

/// All models of the formula, and whether some assignment's truth is left open.
fn models(formula: &Formula) -> (Vec<Model>, bool) {
    let mut assignments = vec![Model::new()];
    for variable in &formula.variables {
        let mut longer = Vec::new();
        for model in &assignments {
            for value in values(formula.store.sort(*variable)) {
                let mut model = model.clone();
                model.set_term(&formula.store, *variable, value);
                longer.push(model);
            }
        }
        assignments = longer;
    }
    let mut open = false;
    let holds = |model: &Model| {
        let mut evaluator = Evaluator::new(&formula.store, model);
        let results: Vec<_> = formula.assertions.iter().map(|assertion| evaluator.holds(*assertion)).collect();
        if results.contains(&Ok(false)) {
            return false;
        }
        open |= results.iter().any(Result::is_err);
        results.iter().all(|result| *result == Ok(true))
    };
    (assignments.into_iter().filter(holds).collect(), open)
}

/// Whether a value is in a domain.
fn member(domain: &Domain, value: &Value) -> bool {
    let place = super::places::place_of(value).expect("tiny values have places");
    super::places::meets(domain, super::places::Set::Within { low: place, high: place })
}

fn check(seed: u64, config: IntervalConfig) -> &'static str {
    let formula = formula(seed);
    let (models, open) = models(&formula);
    let facts = Facts::default();
    let query = Query { store: &formula.store, assertions: &formula.assertions, facts: &facts };
    let budget = Budget { seed, work: 400_000, ..Budget::unlimited() };
    let text = || labrys_term::smtlib::print_script(&formula.store, &formula.assertions, &Default::default());
    match propagate(&query, &budget, &config) {
        Propagation::Contradiction => assert!(models.is_empty(), "seed {seed}: contradiction, but sat:\n{}", text()),
        Propagation::Facts(facts) => {
            for model in &models {
                let mut evaluator = Evaluator::new(&formula.store, model);
                for (term, domain) in &facts.domains {
                    if let Ok(value) = evaluator.value(*term) {
                        let node = formula.store.node(*term);
                        assert!(
                            member(domain, &value),
                            "seed {seed}: {node:?} = {value:?} not in {domain:?}\n{}",
                            text()
                        );
                    }
                }
            }
        }
    }
    let clauses = search::learnt_clauses(&query, &budget, config);
    for model in &models {
        let mut evaluator = Evaluator::new(&formula.store, model);
        for clause in &clauses {
            let holds = clause.iter().any(|(term, set)| match evaluator.value(*term) {
                Ok(value) => {
                    let domain = super::graph::top(formula.store.sort(*term)).expect("variables have domains");
                    let place = super::places::place_of(&value).expect("tiny values have places");
                    let only = super::places::Set::Within { low: place, high: place };
                    super::places::meets(&super::places::restricted(&domain, only), *set)
                }
                Err(_) => true,
            });
            assert!(holds, "seed {seed}: learnt {clause:?} excludes {model:?}:\n{}", text());
        }
    }
    let mut engine = IntervalEngine::new(config);
    match engine.check(&query, &budget) {
        Verdict::Sat(model) => {
            let mut evaluator = Evaluator::new(&formula.store, &model);
            assert!(formula.assertions.iter().all(|assertion| evaluator.holds(*assertion) == Ok(true)));
            "sat"
        }
        Verdict::Unsat => {
            assert!(models.is_empty(), "seed {seed}: unsat, but {:?}:\n{}", models[0], text());
            "unsat"
        }
        Verdict::Unknown(why) => {
            // The evaluator decides minima and maxima of the two zeros; here they are open.
            let terms = formula.store.reachable(&formula.assertions);
            let zeros = terms.iter().any(|term| matches!(formula.store.node(*term).op, Op::FpMin | Op::FpMax));
            assert!(open || zeros, "seed {seed}: {why}, {} models:\n{}", models.len(), text());
            "open"
        }
    }
}

/// One operator on variables of its own: every solution within random domains stays in the narrowed ones, and failure
/// means that there is none.
fn check_contract(op: &Op, sorts: &[Sort], result: &Sort, random: &mut Random) {
    use super::{contract, graph::Propagator, places};
    let mut store = Store::new();
    let same = sorts.len() > 1 && sorts[sorts.len() - 1] == sorts[sorts.len() - 2] && random.below(4) == 0;
    let args: Vec<TermId> = (0..sorts.len())
        .map(|i| if same && i + 1 == sorts.len() { i - 1 } else { i })
        .map(|i| store.variable(&format!("x{i}"), sorts[i].clone()))
        .collect();
    let term = store.mk(op.clone(), &args);
    let mut scope = vec![result.clone()];
    scope.extend(sorts.iter().take(sorts.len() - usize::from(same)).cloned());
    let mut slots: smallvec::SmallVec<[u8; 5]> = (0..=sorts.len() as u8).collect();
    if same {
        slots[sorts.len()] -= 1;
    }
    let propagator = Propagator { op: op.clone(), scope: (0..scope.len() as u32).collect(), slots };
    let domains: Vec<Domain> = scope
        .iter()
        .map(|sort| {
            let top = super::graph::top(sort).expect("tiny sorts have domains");
            let mut domain = top;
            for _ in 0..random.below(4) {
                let last = places::last_place(&top);
                let (a, b) = (random.below(last as usize + 1) as u128, random.below(last as usize + 1) as u128);
                let set = places::Set::Within { low: a.min(b), high: a.max(b) };
                let cut =
                    if random.below(2) == 0 { places::without(&domain, set) } else { places::restricted(&domain, set) };
                if !cut.is_empty() {
                    domain = cut;
                }
            }
            if let Domain::BitVec(vector) = &domain {
                let set =
                    places::Set::Bit { place: random.below(vector.width as usize) as u32, value: random.below(2) == 1 };
                let cut = places::restricted(&domain, set);
                if random.below(3) == 0 && !cut.is_empty() {
                    domain = cut;
                }
            }
            domain
        })
        .collect();
    let mut narrowed = domains.clone();
    let outcome = contract::contract(&propagator, &mut narrowed, random.below(2) == 0);
    let mut assignments = vec![(Model::new(), Vec::new())];
    for (i, sort) in scope.iter().enumerate().skip(1) {
        assignments = assignments
            .into_iter()
            .flat_map(|(model, chosen)| {
                let members = values(sort).into_iter().filter(|value| member(&domains[i], value));
                let (store, variable) = (&store, args[i - 1]);
                members
                    .map(move |value| {
                        let mut longer = (model.clone(), chosen.clone());
                        longer.0.set_term(store, variable, value.clone());
                        longer.1.push(value);
                        longer
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    for (model, chosen) in assignments {
        let Ok(value) = labrys_term::eval(&store, term, &model) else { continue };
        if !member(&domains[0], &value) {
            continue;
        }
        assert!(outcome.is_ok(), "{op:?}{domains:?}: failed, but {chosen:?} gives {value:?}");
        for (i, value) in std::iter::once(&value).chain(&chosen).enumerate() {
            assert!(member(&narrowed[i], value), "{op:?}: slot {i} lost {value:?}\nof {domains:?}\nin {narrowed:?}");
        }
    }
}

#[test]
fn every_operator_keeps_its_solutions() {
    let mut random = Random::new(1);
    let rounds: usize = std::env::var("LABRYS_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    for sort in sorts() {
        for (op, sorts) in operators(&sort) {
            let bits: u32 = sorts
                .iter()
                .map(|sort| match sort {
                    Sort::Float(format) => format.width(),
                    Sort::BitVec(width) => *width,
                    _ => 2,
                })
                .sum();
            // fma on the larger format has 2^18 triples: fewer rounds.
            let rounds = if bits > 14 {
                1
            } else if bits > 11 {
                rounds
            } else {
                rounds * 10
            };
            for _ in 0..rounds {
                check_contract(&op, &sorts, &sort, &mut random);
            }
        }
    }
}

#[test]
fn random_formulas_agree_with_enumeration() {
    let mut counts = std::collections::BTreeMap::new();
    let count: u64 = std::env::var("LABRYS_FORMULAS").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    let orders =
        [Order::Conflicts, Order::LargestDomain, Order::SmallestDomain, Order::MostConstrained, Order::Declared];
    for seed in 0..count {
        let config = IntervalConfig { ulp_max: seed.is_multiple_of(2), order: orders[seed as usize % 5] };
        *counts.entry(check(seed, config)).or_insert(0) += 1;
    }
    assert!(counts["sat"] > count / 5 && counts["unsat"] > count / 20, "one-sided formulas: {counts:?}");
    assert!(counts.get("open").copied().unwrap_or(0) < count / 6, "too many undecided: {counts:?}");
}

#[test]
fn bool_facts_are_found() {
    let mut store = Store::new();
    let (p, q) = (store.variable("p", Sort::Bool), store.variable("q", Sort::Bool));
    let implies = store.mk(Op::Implies, &[p, q]);
    let facts = Facts::default();
    let assertions = [p, implies];
    let query = Query { store: &store, assertions: &assertions, facts: &facts };
    let Propagation::Facts(facts) = propagate(&query, &Budget::unlimited(), &IntervalConfig::default()) else {
        panic!("p and q can be true")
    };
    assert_eq!(facts.domains.get(&q), Some(&Domain::Bool(BoolDomain::True)));
}

/// What propagation alone leaves of x in `x OP1 bound ∧ x + 1e12 OP2 1e12`; `None` if nothing.
fn absorbed(format: Format, below: bool) -> Option<(Float, Float)> {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Float(format));
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    let number = |store: &mut Store, text: &str| {
        store.float_const(Float::parse_decimal(format, text).expect("a decimal number"))
    };
    let (big, small, zero) = (number(&mut store, "1e12"), number(&mut store, "10000"), number(&mut store, "0"));
    let sum = store.mk(Op::FpAdd, &[mode, x, big]);
    let assertions = match below {
        true => [store.mk(Op::FpLt, &[x, small]), store.mk(Op::FpLt, &[big, sum])],
        false => [store.mk(Op::FpLt, &[zero, x]), store.mk(Op::FpEq, &[sum, big])],
    };
    let facts = Facts::default();
    let query = Query { store: &store, assertions: &assertions, facts: &facts };
    match propagate(&query, &Budget::unlimited(), &IntervalConfig::default()) {
        Propagation::Contradiction => None,
        Propagation::Facts(facts) => {
            let domain = facts.float(x).expect("x is bounded");
            assert!(!domain.nan && !domain.plus_infinity && domain.negative.is_none());
            Some((domain.min_member().expect("not empty"), domain.max_member().expect("not empty")))
        }
    }
}

/// Bagnara, Carlier, Gori, Gotlieb, ICST 2013: the examples of the introduction, by propagation alone.
#[test]
fn the_papers_absorbing_sums_are_propagated_to_their_intervals() {
    let decimal = |format, text| Float::parse_decimal(format, text).expect("a decimal number");
    assert_eq!(absorbed(Format::BINARY32, true), None);
    let (low, high) = absorbed(Format::BINARY64, true).expect("satisfiable");
    assert!(low.to_f64() > Some(6.1035e-5) && low.to_f64() < Some(6.1036e-5), "{low:?}");
    assert_eq!(high, decimal(Format::BINARY64, "10000").next_down());
    let (low, high) = absorbed(Format::BINARY32, false).expect("satisfiable");
    assert_eq!(low, Float::min_subnormal(Format::BINARY32));
    assert!(high.to_f32() >= Some(32767.996) && high.to_f32() <= Some(32768.0), "{high:?}");
    let (low, high) = absorbed(Format::BINARY64, false).expect("satisfiable");
    assert_eq!(low, Float::min_subnormal(Format::BINARY64));
    assert_eq!(high, decimal(Format::BINARY64, "6.103515625e-05"));
}

/// Reasons were no work: a search that learns much took a minute where half a second was meant.
#[test]
fn looking_for_reasons_is_work() {
    // 2xy <= x² + y² of doubles, by a margin that no rounding makes: many boxes have to be looked at.
    let mut store = Store::new();
    let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::Float(Format::BINARY64)));
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    let mut op = |op, a, b| store.mk(op, &[mode, a, b]);
    let (squares, product) = ((op(Op::FpMul, x, x), op(Op::FpMul, y, y)), op(Op::FpMul, x, y));
    let sum = op(Op::FpAdd, squares.0, squares.1);
    let [three, most] = [3.0, 1.625].map(|value| store.float_const(Float::from_f64(value)));
    let assertions = [store.mk(Op::FpLe, &[sum, three]), store.mk(Op::FpLe, &[most, product])];
    let query = Query { store: &store, assertions: &assertions, facts: &Facts::default() };
    let mut engine = IntervalEngine::new(IntervalConfig::default());
    let verdict = engine.check(&query, &Budget { work: 2000, ..Budget::unlimited() });
    let counted: std::collections::HashMap<_, _> = engine.statistics().into_iter().collect();
    assert!(matches!(verdict, Verdict::Unknown(crate::Why::Work)), "{verdict:?} {counted:?}");
    let (propagations, reasons) = (counted["propagations"], counted["propagations-for-reasons"]);
    assert!(reasons > 100 && propagations < 1900, "{counted:?}");
    assert!((2000..4000).contains(&(propagations + reasons)), "{counted:?}");
}
