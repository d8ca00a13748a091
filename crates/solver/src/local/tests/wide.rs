//! Vectors of more than 64 bits: models by every family of operators, inverse values, and what is forgotten.

use labrys_float::{Format, RoundingMode};
use labrys_formulas::{Terms as Grown, VECTOR_OPERATORS};
use labrys_term::{Evaluator, Op, Sort, Store, TermId, eval};

use super::super::compile::{Compiled, compile};
use super::super::invert;
use super::super::model::{model, value};
use super::super::program::Kind;
use super::super::random::Random;
use super::super::state::State;
use super::random_terms::wide_shape;
use crate::domain::{BitVecDomain, Domain, Facts};
use crate::local::allowed::Allowed;
use crate::{Budget, Engine, LocalSearch, Query, Verdict};

/// Solves with a million instructions for each of some seeds; the models are evaluated.
#[track_caller]
fn solve_all(store: &Store, assertions: &[TermId], facts: &Facts) {
    for seed in 0..5 {
        let budget = Budget { work: 1_000_000, seed, ..Budget::unlimited() };
        let query = Query { store, assertions, facts };
        let verdict = LocalSearch::default().check(&query, &budget);
        let Verdict::Sat(model) = &verdict else { panic!("seed {seed}: {verdict:?}") };
        for assertion in assertions {
            assert_eq!(eval(store, *assertion, model).map(|value| value.as_bool()), Ok(Some(true)));
        }
    }
}

/// 0 ≥ −1 / x in 128 bits, the quotient unsigned and the order signed: only 1 and 0 will do, and 0 is excluded. Every
/// other engine found it while local search had no vectors of more than 64 bits.
#[test]
fn a_division_of_128_bits() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::BitVec(128));
    let zero = store.bv_const(128, 0u8);
    let ones = store.mk(Op::BvNot, &[zero]);
    let quotient = store.mk(Op::BvUdiv, &[ones, x]);
    let atom = store.mk(Op::BvSle, &[quotient, zero]);
    let equal = store.mk(Op::Eq, &[x, zero]);
    let different = store.not(equal);
    solve_all(&store, &[atom, different], &Facts::default());
}

/// Each operator of two vectors, with the values that one planted pair gives it: 67 bits are odd, 192 are three registers.
#[test]
fn every_operator_of_two_wide_vectors() {
    for width in [67, 128, 192] {
        for op in &VECTOR_OPERATORS {
            let mut store = Store::new();
            let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::BitVec(width)));
            let top = store.bv_const(width, num_bigint::BigUint::from(0xb5u8) << (width - 8));
            let odd = store.bv_const(width, 0x1_2345u32);
            let (a, b) = (store.mk(Op::BvXor, &[top, odd]), store.bv_const(width, 29u8));
            let planted = store.mk(op.clone(), &[a, b]);
            let term = store.mk(op.clone(), &[x, y]);
            let equal = store.mk(Op::Eq, &[term, planted]);
            let (least, most) = (store.bv_const(width, 3u8), store.bv_const(width, 0xffff_ffffu32));
            let above = store.mk(Op::BvUlt, &[least, y]);
            let below = store.mk(Op::BvSlt, &[y, most]);
            solve_all(&store, &[equal, above, below], &Facts::default());
        }
    }
}

/// Words put together, taken apart, negated and widened, and the orders.
#[test]
fn wide_vectors_of_narrow_ones() {
    let mut store = Store::new();
    let [high, low] = ["high", "low"].map(|name| store.variable(name, Sort::BitVec(64)));
    let joined = store.mk(Op::Concat, &[high, low]);
    let negated = store.mk(Op::BvNeg, &[joined]);
    let inverted = store.mk(Op::BvNot, &[negated]);
    let middle = store.mk(Op::Extract { high: 95, low: 32 }, &[inverted]);
    let wanted = store.bv_const(64, 0x0123_4567_89ab_cdefu64);
    let equal = store.mk(Op::Eq, &[middle, wanted]);
    let signed = store.mk(Op::SignExtend(64), &[low]);
    let unsigned = store.mk(Op::ZeroExtend(64), &[high]);
    let negative = store.mk(Op::BvSlt, &[signed, unsigned]);
    let large = store.mk(Op::BvUle, &[joined, signed]);
    solve_all(&store, &[equal, negative, large], &Facts::default());
}

#[test]
fn choices_differences_and_conversions_of_wide_vectors() {
    let mut store = Store::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| store.variable(name, Sort::BitVec(100)));
    let choice = store.variable("choice", Sort::Bool);
    let either = store.mk(Op::Ite, &[choice, x, y]);
    let distinct = store.mk(Op::Distinct, &[x, y, z]);
    let mode = store.rounding_mode(RoundingMode::TowardZero);
    let number = store.mk(Op::FpFromSigned(Format::BINARY64), &[mode, either]);
    let bound = store.float_const(labrys_float::Float::from_f64(-1e20));
    let below = store.mk(Op::FpLt, &[number, bound]);
    let back = store.mk(Op::FpToSigned(100), &[mode, number]);
    let same = store.mk(Op::Eq, &[back, z]);
    let float = store.variable("float", Sort::Float(Format::BINARY64));
    let far = store.mk(Op::FpToUnsigned(100), &[mode, float]);
    let power = store.bv_const(100, 1u128 << 90);
    let reached = store.mk(Op::Eq, &[far, power]);
    solve_all(&store, &[distinct, below, same, reached], &Facts::default());
}

/// A fact leaves one value, which no step of the search would lead to.
#[test]
fn facts_bound_wide_vectors() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::BitVec(128));
    let square = store.mk(Op::BvMul, &[x, x]);
    let only = 0x0123_4567_89ab_cdef_0011_2233_4455_6677u128;
    let wanted = store.bv_const(128, only.wrapping_mul(only));
    let equal = store.mk(Op::Eq, &[square, wanted]);
    let mut facts = Facts::default();
    facts.domains.insert(x, Domain::BitVec(BitVecDomain::between(128, only, only + 1)));
    solve_all(&store, &[equal], &facts);
}

/// Where a value of the argument gives the target, inverses of these operators find one.
#[test]
fn inverse_values_give_the_target() {
    let (mut tried, mut random) = (0u32, Random::new(7));
    for seed in 0..400 {
        let grown = Grown::grown(seed, &wide_shape(60));
        let Compiled { program, registers } = compile(&grown.store, &grown.terms).unwrap();
        let mut state = State::new(&program);
        for input in 0..program.inputs.len() {
            let kind = program.kinds[program.inputs[input].1 as usize];
            let sample = Allowed::top(&kind).sample(&mut state.table, &mut random);
            state.set(input, sample);
        }
        for register in registers.values() {
            let Some(exact) = program.exact.get(register) else { continue };
            let arguments = program.arguments(*register).to_vec();
            let approximate = matches!(
                exact.op,
                Op::BvUrem | Op::BvSdiv | Op::BvSrem | Op::BvSmod | Op::FpFromSigned(_) | Op::FpFromUnsigned(_)
            );
            if approximate || (arguments.len() == 2 && arguments[0] == arguments[1]) {
                continue;
            }
            let target = state.values[*register as usize];
            for (index, &argument) in arguments.iter().enumerate() {
                let table = &mut state.table;
                let kind = program.kinds[argument as usize];
                if !matches!(kind, Kind::Bits(_) | Kind::Wide(_)) {
                    continue;
                }
                let found = invert::argument(&program, &state.values, *register, index, target, table, &mut random);
                let found = found.unwrap_or_else(|| panic!("seed {seed}: {:?} at {index}", exact.op));
                let now = std::mem::replace(&mut state.values[argument as usize], found);
                let reached = program.compute_exact(*register, &state.values, table);
                assert_eq!(reached, target, "seed {seed}: {:?} at {index}", exact.op);
                state.values[argument as usize] = now;
                tried += 1;
            }
        }
    }
    assert!(tried > 4_000, "{tried}");
}

/// The table does not grow with the search, and what registers hold is still right.
#[test]
fn vectors_that_no_register_holds_are_forgotten() {
    let mut grown = Grown::grown(11, &wide_shape(60));
    let wide = grown.store.variable("wide", Sort::BitVec(192));
    let square = grown.store.mk(Op::BvMul, &[wide, wide]);
    let terms: Vec<TermId> = grown.terms.iter().copied().chain([square]).collect();
    let Compiled { program, registers } = compile(&grown.store, &terms).unwrap();
    let (mut state, mut random, mut longest) = (State::new(&program), Random::new(1), 0);
    for _ in 0..30_000 {
        let input = random.index(program.inputs.len());
        let kind = program.kinds[program.inputs[input].1 as usize];
        let sample = Allowed::top(&kind).sample(&mut state.table, &mut random);
        state.set(input, sample);
        state.commit();
        state.tidy();
        longest = longest.max(state.table.len());
    }
    assert!(state.table.len() < longest && longest < 20_000, "{} of {longest}", state.table.len());
    let values: Vec<u64> = program.inputs.iter().map(|(_, register)| state.values[*register as usize]).collect();
    let model = model(&program, &values, &state.table);
    let mut evaluator = Evaluator::new(&grown.store, &model);
    for (term, register) in &registers {
        let Ok(expected) = evaluator.value(*term) else { continue };
        let place = *register as usize;
        assert_eq!(value(&program.kinds[place], state.values[place], &state.table), expected);
    }
}

#[test]
fn planted_models_of_random_conjunctions_of_wide_vectors_are_found() {
    let (mut found, mut asked) = (0, 0);
    for seed in 0..150 {
        let mut grown = Grown::grown(seed, &wide_shape(100));
        let mut assertions = Vec::new();
        for term in grown.of_sort(&Sort::Bool).into_iter().rev() {
            let Ok(value) = eval(&grown.store, term, &grown.model) else { continue };
            assertions.push(if value.as_bool() == Some(true) { term } else { grown.store.not(term) });
            if assertions.len() == 6 {
                break;
            }
        }
        let compiled = compile(&grown.store, &assertions).unwrap();
        if !compiled.program.is_wide() {
            continue;
        }
        asked += 1;
        let budget = Budget { work: 1_000_000, ..Budget::unlimited() };
        let facts = Facts::default();
        let query = Query { store: &grown.store, assertions: &assertions, facts: &facts };
        found += usize::from(matches!(LocalSearch::default().check(&query, &budget), Verdict::Sat(_)));
    }
    assert!(asked > 60 && found * 20 >= asked * 19, "{found} of {asked}");
}
