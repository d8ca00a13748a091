//! Lemmas are held against all numbers of tiny formats, formulas against planted models; and what should be refuted is.

use std::time::Duration;

use labrys_float::{Environment, Float, Format, Rounded, RoundingMode};
use labrys_formulas::{Formula, Random, Shape};
use labrys_term::{Evaluator, Model, Op, Sort, TermId, Value};
use num_rational::BigRational;

use super::rounding::Rounding;
use super::unknowns::{Bounds, Polynomial, Unknowns};
use super::{Relaxation, products};
use crate::test_query::Query;
use crate::{Limits, Portfolio, PortfolioConfig};

pub(super) fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn number(numerator: i64, denominator: i64) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

/// All lemmas hold where the unknowns have these values.
fn hold(unknowns: &Unknowns, values: &[BigRational], lemmas: &[TermId]) {
    let mut model = Model::new();
    for (unknown, value) in values.iter().enumerate() {
        model.set_term(&unknowns.store, unknowns.variable(unknown as u32), Value::Real(value.clone()));
    }
    let mut evaluator = Evaluator::new(&unknowns.store, &model);
    for lemma in lemmas {
        assert_eq!(evaluator.holds(*lemma), Ok(true), "{values:?} {:?}", unknowns.store.node(*lemma));
    }
}

/// The sum or the product of all pairs of numbers of tiny formats in all modes: lemmas that other values violate hold for theirs.
#[test]
fn lemmas_about_rounding_hold_for_all_numbers_of_tiny_formats() {
    let modes = [
        RoundingMode::NearestEven,
        RoundingMode::NearestAway,
        RoundingMode::TowardPositive,
        RoundingMode::TowardNegative,
        RoundingMode::TowardZero,
    ];
    let mut random = Random::new(7);
    let mut said = 0;
    for format in [Format::new(3, 2), Format::new(3, 3), Format::new(2, 4), Format::new(4, 2)] {
        let all: Vec<Float> = (0..1u32 << format.width()).map(|bits| Float::from_bits(format, bits)).collect();
        let numbers: Vec<Float> = all.into_iter().filter(|value| value.to_rational().is_some()).collect();
        let greatest = Float::max_finite(format);
        for mode in modes {
            for (x, y) in numbers.iter().flat_map(|x| numbers.iter().map(move |y| (x, y))) {
                for is_sum in [true, false] {
                    let env = Environment::with_rounding(mode);
                    let Rounded { value: result, .. } = if is_sum { env.add(x, y) } else { env.mul(x, y) };
                    let is_nearest = matches!(mode, RoundingMode::NearestEven | RoundingMode::NearestAway);
                    if result.to_rational().is_none() || (!is_nearest && result.abs() == greatest.abs()) {
                        continue;
                    }
                    let [x, y, result] = [x, y, &result].map(|value| value.to_rational().unwrap_or_default());
                    let (float, other) = (random.pick(&numbers), random.pick(&numbers));
                    let Rounded { value: second, .. } = env.add(&float, &other);
                    let Some(second) = second.to_rational() else { continue };
                    let [float, other] = [float, other].map(|value| value.to_rational().unwrap_or_default());
                    let mut unknowns = Unknowns::default();
                    let [of_x, of_y, of_result, of_float, of_second, of_exact] =
                        [0; 6].map(|_| unknowns.atom(Bounds::default()));
                    let one = BigRational::from_integer(1.into());
                    let exact = if is_sum { of_x.plus(&of_y, &one) } else { Some(of_exact.clone()) };
                    let Some(exact) = exact else { continue };
                    let operands = is_sum.then_some([of_x, of_y]);
                    let rounding = Rounding {
                        result: of_result,
                        exact,
                        format,
                        mode: Some(mode),
                        on_grid: is_sum,
                        operands,
                        premise: None,
                    };
                    let second_exact = of_float.plus(&Polynomial::constant(other.clone()), &one);
                    let Some(second_exact) = second_exact else { continue };
                    let operands = Some([of_float.clone(), Polynomial::constant(other)]);
                    let next = Rounding {
                        result: of_second,
                        exact: second_exact,
                        format,
                        mode: Some(mode),
                        on_grid: true,
                        premise: None,
                        operands,
                    };
                    let product = &x * &y;
                    let values = [x, y, result.clone(), float, second, product];
                    let mut lemmas = rounding.directed(&mut unknowns);
                    for shift in [-9, -2, -1, 1, 3, 17] {
                        let mut wrong = values.clone();
                        wrong[2] = &result + number(shift, 1 << random.below(9));
                        wrong[4] = &wrong[4] + number(random.below(17) as i64 - 8, 4);
                        lemmas.extend(rounding.violated(&mut unknowns, &wrong));
                        lemmas.extend(rounding.crossing(&mut unknowns, &of_float, &wrong));
                        lemmas.extend(rounding.order(&next, &mut unknowns, &wrong));
                    }
                    let is_second_finite = is_nearest || values[4].clone() < greatest.to_rational().unwrap_or_default();
                    if is_second_finite {
                        said += lemmas.len();
                        hold(&unknowns, &values, &lemmas);
                    }
                }
            }
        }
    }
    assert!(said > 100_000, "{said}");
}

/// Lemmas about products and squares hold at all points of a grid, whichever point was violated.
#[test]
fn lemmas_about_products_hold() {
    let mut random = Random::new(3);
    let mut said = 0;
    for round in 0..300 {
        let is_square = round % 3 == 0;
        let mut unknowns = Unknowns::default();
        let bounds = |random: &mut Random| {
            let low = random.below(9) as i64 - 4;
            Bounds { low: Some(number(low, 2)), high: Some(number(low + random.below(9) as i64, 2)) }
        };
        let a = unknowns.atom(bounds(&mut random));
        let b = if is_square { a.clone() } else { unknowns.atom(bounds(&mut random)) };
        let Some(product) = a.times(&b) else { continue };
        unknowns.linear(&product);
        let product = unknowns.products[0];
        let mut lemmas = products::envelopes(&mut unknowns, &product);
        for _ in 0..5 {
            let wrong: Vec<BigRational> =
                (0..3).map(|_| number(random.below(33) as i64 - 16, 1 + random.below(5) as i64)).collect();
            lemmas.extend(products::violated(&mut unknowns, &product, &wrong));
        }
        said += lemmas.len();
        let [first, second] = product.factors.map(|factor| unknowns.bounds_of(factor).clone());
        for (x, y) in grid(&first).into_iter().flat_map(|x| grid(&second).into_iter().map(move |y| (x.clone(), y))) {
            if !is_square {
                hold(&unknowns, &[x.clone(), y.clone(), x * y], &lemmas);
            } else if x == y {
                hold(&unknowns, &[x.clone(), &x * &x], &lemmas);
            }
        }
    }
    assert!(said > 1_000, "{said}");
}

/// Two products with a common factor: what other values violate holds at all points of a grid.
#[test]
fn lemmas_about_products_with_a_common_factor_hold() {
    let mut random = Random::new(5);
    let mut said = 0;
    for _ in 0..200 {
        let mut unknowns = Unknowns::default();
        let [a, p, q] = [0; 3].map(|_| {
            let low = random.below(9) as i64 - 6;
            let bounds = Bounds { low: Some(number(low, 2)), high: Some(number(low + random.below(9) as i64, 2)) };
            unknowns.atom(bounds)
        });
        for factor in [&p, &q] {
            if let Some(product) = a.times(factor) {
                unknowns.linear(&product);
            }
        }
        let [first, second] = [unknowns.products[0], unknowns.products[1]];
        let mut lemmas = Vec::new();
        for _ in 0..8 {
            let wrong: Vec<BigRational> = (0..5).map(|_| number(random.below(33) as i64 - 16, 4)).collect();
            lemmas.extend(products::shared(&mut unknowns, [&first, &second], &wrong));
        }
        said += lemmas.len();
        let ranges = [0, 1, 2].map(|unknown| grid(unknowns.bounds_of(unknown)));
        let [of_a, of_p, of_q] = &ranges;
        for (x, y, z) in of_a
            .iter()
            .flat_map(|x| of_p.iter().flat_map(move |y| of_q.iter().map(move |z| (x.clone(), y.clone(), z.clone()))))
        {
            let products = [&x * &y, &x * &z];
            let [first, second] = products;
            hold(&unknowns, &[x, y, z, first, second], &lemmas);
        }
    }
    assert!(said > 300, "{said}");
}

/// Points between the ends, both among them.
fn grid(bounds: &Bounds) -> Vec<BigRational> {
    let (Some(low), Some(high)) = (&bounds.low, &bounds.high) else { return Vec::new() };
    (0..=6).map(|place| low + (high - low) * number(place, 6)).collect()
}

/// What is finite under the planted model is said to be, so that it is read; the formula stays true.
fn bounded(formula: &mut Formula) {
    let Some(model) = &formula.model else { return };
    let mut evaluator = Evaluator::new(&formula.store, model);
    let terms = formula.store.reachable(&formula.assertions);
    let values: Vec<(TermId, Float)> = terms
        .into_iter()
        .filter_map(|term| match evaluator.value(term) {
            Ok(Value::Float(value)) if value.to_rational().is_some() => Some((term, value)),
            _ => None,
        })
        .collect();
    drop(evaluator);
    for (place, (term, value)) in values.into_iter().enumerate() {
        let greatest = Float::max_finite(value.format());
        let ends = match place % 3 {
            0 => [greatest.neg(), greatest],
            1 => [value.next_down(), value.next_up()],
            _ if value.is_negative() => [value.clone(), Float::zero(value.format(), true)],
            _ => [Float::zero(value.format(), false), value.clone()],
        };
        let [low, high] = ends.map(|end| formula.store.float_const(end));
        formula.assertions.push(formula.store.mk(Op::FpLe, &[low, term]));
        formula.assertions.push(formula.store.mk(Op::FpLe, &[term, high]));
    }
}

/// No formula with a model is refuted. `LABRYS_AGREEMENT_COUNT` says how many formulas, one for each ten; `LABRYS_AGREEMENT_SEED` is the
/// first one's seed.
#[test]
fn planted_formulas_are_not_refuted() {
    let first = setting("LABRYS_AGREEMENT_SEED", 0);
    let count = setting("LABRYS_AGREEMENT_COUNT", 7_500).div_ceil(10);
    let mut relaxation = Relaxation::new(0);
    let mut read = 0;
    // Of the last ones one rounds what is infinite then to an integer, one has a sum that a directed mode rounds to the greatest float.
    for seed in (first..first + count).chain([1_008_097, 6_200_342]) {
        let shape = match seed % 4 {
            0 => Shape::guarded(),
            1 => Shape::tiny(),
            2 => Shape::common(),
            _ => Shape::full(),
        };
        let mut formula = Formula::planted(seed, &shape);
        // Others may be infinite, or no number.
        if seed % 3 != 0 {
            bounded(&mut formula);
        }
        let mut solver = Portfolio::new(PortfolioConfig::default());
        let limits = Limits { wall: Duration::from_millis(300), ..Limits::default() };
        if let super::Relaxing::Done(_) = super::relaxed(&formula.store, &formula.assertions, &solver, &limits) {
            read += 1;
        }
        assert!(!relaxation.refutes(&formula.store, &formula.assertions, &mut solver, &limits), "seed {seed}");
    }
    assert!(read * 8 > count, "{read} of {count} were read");
}

/// Whether real arithmetic refutes it.
fn is_refuted(query: &Query) -> bool {
    let mut solver = Portfolio::new(PortfolioConfig::default());
    let limits = Limits { work: 0, ..Limits::default() };
    Relaxation::new(0).refutes(&query.store, &query.terms, &mut solver, &limits)
}

/// Sums of numbers with few bits in different orders are equal; with one bit more they need not be.
#[test]
fn sums_of_numbers_with_few_bits_are_exact() {
    for (least, refuted) in [(2f64.powi(-10), true), (2f64.powi(-60), false)] {
        let mut query = Query::new();
        let format = Format::BINARY32;
        let mut wide = Vec::new();
        for name in ["a", "b", "c"] {
            let variable = query.store.variable(name, Sort::Float(format));
            let [low, high, zero] =
                [least, 100.0, 0.0].map(|end: f64| query.store.float_const(Float::from_f32(end as f32)));
            let size = query.store.mk(Op::FpAbs, &[variable]);
            query.le(size, high);
            let cases = [query.store.mk(Op::FpEq, &[variable, zero]), query.store.mk(Op::FpLe, &[low, size])];
            let either = query.store.or(&cases);
            query.terms.push(either);
            wide.push(query.op(Op::FpFromFloat(Format::BINARY64), &[variable]));
        }
        let first = query.op(Op::FpAdd, &[wide[0], wide[1]]);
        let left = query.op(Op::FpAdd, &[first, wide[2]]);
        let last = query.op(Op::FpAdd, &[wide[2], wide[1]]);
        let right = query.op(Op::FpAdd, &[last, wide[0]]);
        query.lt(left, right);
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// A filter for the sign of a·d − b·c: above four units of rounding of what is subtracted it is that of the real numbers.
#[test]
fn signs_beyond_the_error_are_right() {
    for (is_right, refuted) in [(false, true), (true, false)] {
        let mut query = Query::new();
        let margin = 2f64.powi(-50);
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| query.between(name, 1.0, 2.0));
        let products = [[a, d], [b, c]].map(|pair| query.op(Op::FpMul, &pair));
        let difference = query.op(Op::FpSub, &products);
        let sum = query.op(Op::FpAdd, &products);
        let margin = query.number(margin);
        let bound = query.op(Op::FpMul, &[sum, margin]);
        query.lt(bound, difference);
        // In the format that holds products.
        let exact = Format::new(15, 107);
        let wide = [a, b, c, d].map(|part| query.op(Op::FpFromFloat(exact), &[part]));
        let products = [[wide[0], wide[3]], [wide[1], wide[2]]].map(|pair| query.op(Op::FpMul, &pair));
        let [small, large] = if is_right { [products[1], products[0]] } else { products };
        query.le(small, large);
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// Halves of a vector between 0 and 1000: their difference is exact in a float, and no more than 1000.
#[test]
fn parts_of_vectors_have_bounds() {
    for (limit, refuted) in [(1000.0, true), (999.0, false)] {
        let mut query = Query::new();
        let vector = query.store.variable("v", Sort::BitVec(64));
        let [low, high] = [0u32, 1000].map(|end| query.store.bv_const(32, end));
        let parts = [(31, 0), (63, 32)].map(|(high, low)| query.store.mk(Op::Extract { high, low }, &[vector]));
        for part in parts {
            for (a, b) in [(low, part), (part, high)] {
                query.terms.push(query.store.mk(Op::BvSle, &[a, b]));
            }
        }
        let difference = query.store.mk(Op::BvSub, &parts);
        let float = query.op(Op::FpFromSigned(Format::BINARY32), &[difference]);
        let square = query.op(Op::FpMul, &[float, float]);
        let limit = query.store.float_const(Float::from_f32(limit * limit));
        query.lt(limit, square);
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// A table of five values, interpolated: between the entries' ends, and not below the first entry's half.
#[test]
fn interpolation_in_a_table_stays_within_it() {
    for (limit, refuted) in [(7.76, true), (7.74, false)] {
        let mut query = Query::new();
        let x = query.between("x", 0.0, 5.0);
        let mode = query.store.rounding_mode(RoundingMode::TowardNegative);
        let floor = query.store.mk(Op::FpRoundToIntegral, &[mode, x]);
        let table = [-3.5, -1.25, 0.0, 0.1, 2.0, 7.75, 7.75].map(|entry| query.number(entry));
        let mut entries = [table[5], table[6]];
        for (place, entry) in entries.iter_mut().enumerate() {
            for key in (0..5).rev() {
                let key_value = query.number(key as f64);
                let is_key = query.store.mk(Op::FpEq, &[floor, key_value]);
                *entry = query.store.mk(Op::Ite, &[is_key, table[key + place], *entry]);
            }
        }
        let part = query.op(Op::FpSub, &[x, floor]);
        let slope = query.op(Op::FpSub, &[entries[1], entries[0]]);
        let step = query.op(Op::FpMul, &[part, slope]);
        let value = query.op(Op::FpAdd, &[entries[0], step]);
        let limit = query.number(limit);
        query.lt(limit, value);
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// A product that could be zero: a model of the linear terms alone is none.
#[test]
fn nothing_follows_where_nothing_is_known() {
    let mut query = Query::new();
    let [a, b] = ["a", "b"].map(|name| query.between(name, -1.0, 1.0));
    let product = query.op(Op::FpMul, &[a, b]);
    let one = query.number(0.9);
    query.le(one, product);
    assert!(!is_refuted(&query));
    query.lt(a, b);
    let zero = query.number(0.0);
    query.le(b, zero);
    let limit = query.number(-0.95);
    query.le(limit, a);
    assert!(!is_refuted(&query));
    query.le(product, zero);
    assert!(is_refuted(&query));
}

/// Doubles hold products of two floats, however small or large they are; floats do not.
#[test]
fn products_of_few_bits_are_exact() {
    for (format, refuted) in [(Format::BINARY64, true), (Format::new(11, 40), false)] {
        let mut query = Query::new();
        let [a, b] = ["a", "b"].map(|name| query.store.variable(name, Sort::Float(Format::BINARY32)));
        let sides = [(a, 1e9f32), (b, 1e9)].map(|(float, end)| {
            let size = query.store.mk(Op::FpAbs, &[float]);
            let end = query.store.float_const(Float::from_f32(end));
            query.le(size, end);
            query.op(Op::FpFromFloat(format), &[float])
        });
        let product = query.op(Op::FpMul, &sides);
        let above = query.op_in(RoundingMode::TowardPositive, Op::FpMul, &sides);
        query.lt(product, above);
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// What a clamp leaves of a quotient that may be anything, and a quotient behind a guard.
#[test]
fn what_may_be_no_number_is_known_where_it_is_one() {
    for (is_clamped, limit, refuted) in
        [(true, 2.0, true), (true, 1.5, false), (false, 1e-13, true), (false, 1e-18, false)]
    {
        let mut query = Query::new();
        let a = query.between("a", 0.0, 10.0);
        let b = query.between("b", -10.0, 10.0);
        let quotient = query.op(Op::FpDiv, &[a, b]);
        if is_clamped {
            let [low, high, limit] = [0.0, 2.0, limit].map(|end| query.number(end));
            let (is_low, is_high) =
                (query.store.mk(Op::FpLt, &[quotient, low]), query.store.mk(Op::FpLt, &[high, quotient]));
            let below = query.store.mk(Op::Ite, &[is_high, high, quotient]);
            let clamped = query.store.mk(Op::Ite, &[is_low, low, below]);
            query.lt(limit, clamped);
            let large = query.number(1e9);
            query.le(clamped, large);
        } else {
            let [least, zero, limit] = [0.1, 0.0, limit].map(|end| query.number(end));
            let is_there = query.store.mk(Op::FpLe, &[least, b]);
            let guarded = query.store.mk(Op::Ite, &[is_there, quotient, zero]);
            let back = query.op(Op::FpMul, &[guarded, b]);
            let most = query.op(Op::FpAdd, &[a, limit]);
            query.lt(most, back);
        }
        assert_eq!(is_refuted(&query), refuted, "{is_clamped} {limit}");
    }
}

/// The error of a sum by five operations, and Kahan's by two where the first operand is larger: added to the sum it does not change it.
#[test]
fn errors_of_sums_are_known() {
    for (is_fast, is_ordered, refuted) in [(false, false, true), (true, true, true), (true, false, false)] {
        let mut query = Query::new();
        let [a, b] = ["a", "b"].map(|name| query.between(name, -1e100, 1e100));
        let sum = query.op(Op::FpAdd, &[a, b]);
        let part = query.op(Op::FpSub, &[sum, a]);
        let mut error = query.op(Op::FpSub, &[b, part]);
        if !is_fast {
            let rest = query.op(Op::FpSub, &[sum, part]);
            let of_a = query.op(Op::FpSub, &[a, rest]);
            error = query.op(Op::FpAdd, &[of_a, error]);
        }
        if is_ordered {
            let sizes = [b, a].map(|operand| query.store.mk(Op::FpAbs, &[operand]));
            query.le(sizes[0], sizes[1]);
        }
        let again = query.op(Op::FpAdd, &[sum, error]);
        query.differ([again, sum]);
        assert_eq!(is_refuted(&query), refuted, "{is_fast} {is_ordered}");
    }
}

/// A part of a sum of numbers that are not negative, by the sum, and what is subtracted from the greater one of two.
#[test]
fn orders_bound_quotients_and_differences() {
    for (limit, refuted) in [(1.0, true), (0.5, false)] {
        let mut query = Query::new();
        let [a, b, c] = [("a", 0.0), ("b", 0.0), ("c", 0.5)].map(|(name, low)| query.between(name, low, 1.0));
        let sum = query.op(Op::FpAdd, &[b, c]);
        let whole = query.op(Op::FpAdd, &[a, sum]);
        let part = query.op(Op::FpDiv, &[b, whole]);
        let limit = query.number(limit);
        query.lt(limit, part);
        assert_eq!(is_refuted(&query), refuted);
    }
    for (is_least, refuted) in [(false, true), (true, false)] {
        let mut query = Query::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| query.between(name, -1e3, 1e3));
        let mut greatest = a;
        for other in [b, c] {
            let is_greater = query.store.mk(Op::FpLt, &[greatest, other]);
            let parts = if is_least { [greatest, other] } else { [other, greatest] };
            greatest = query.store.mk(Op::Ite, &[is_greater, parts[0], parts[1]]);
        }
        let difference = query.op(Op::FpSub, &[b, greatest]);
        let zero = query.number(0.0);
        query.lt(zero, difference);
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// A product of vectors that does not wrap, shifted: at most a unit from what it is without.
#[test]
fn shifts_are_divisions() {
    for (limit, refuted) in [(1.0, true), (0.9, false)] {
        let mut query = Query::new();
        let factors = ["v", "w"].map(|name| {
            let factor = query.store.variable(name, Sort::BitVec(32));
            let [low, high] = [-1000, 1000i32].map(|end| query.store.bv_const(32, end as u32));
            for (a, b) in [(low, factor), (factor, high)] {
                query.terms.push(query.store.mk(Op::BvSle, &[a, b]));
            }
            factor
        });
        let product = query.store.mk(Op::BvMul, &factors);
        let by = query.store.bv_const(32, 4u32);
        let shifted = query.store.mk(Op::BvAshr, &[product, by]);
        let [whole, part] = [product, shifted].map(|of| query.op(Op::FpFromSigned(Format::BINARY64), &[of]));
        let [sixteenth, limit] = [1.0 / 16.0, limit].map(|number| query.number(number));
        let exact = query.op(Op::FpMul, &[whole, sixteenth]);
        let rest = query.op(Op::FpSub, &[exact, part]);
        query.le(limit, rest);
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// Each of six numbers is in one of six bins, but need not be in one of the first five.
#[test]
fn counts_of_places_add_up() {
    for (bins, refuted) in [(6u32, true), (5, false)] {
        let mut query = Query::new();
        let [zero, one, six] = [0u32, 1, 6].map(|number| query.store.bv_const(32, number));
        let mut counts = vec![zero; bins as usize];
        for name in ["a", "b", "c", "d", "e", "f"] {
            let (x, five) = (query.between(name, 0.0, 1.0), query.number(5.0));
            let scaled = query.op(Op::FpMul, &[x, five]);
            let mode = query.store.rounding_mode(RoundingMode::TowardZero);
            let place = query.store.mk(Op::FpToSigned(32), &[mode, scaled]);
            for (bin, count) in (0..).zip(&mut counts) {
                let bin = query.store.bv_const(32, bin as u32);
                let is_here = query.store.mk(Op::Eq, &[place, bin]);
                let more = query.store.mk(Op::BvAdd, &[*count, one]);
                *count = query.store.mk(Op::Ite, &[is_here, more, *count]);
            }
        }
        let all = counts.into_iter().reduce(|all, count| query.store.mk(Op::BvAdd, &[all, count]));
        let is_right = query.store.mk(Op::Eq, &[all.unwrap_or(zero), six]);
        let is_wrong = query.store.not(is_right);
        query.terms.push(is_wrong);
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// A mean with weights is no less than the least of two numbers, but for its roundings.
#[test]
fn weighted_means_lie_between_their_numbers() {
    for (margin, refuted) in [(1e-9, true), (-1.0, false)] {
        let mut query = Query::new();
        let [x, y] = ["x", "y"].map(|name| query.between(name, -100.0, 100.0));
        let [v, w] = ["v", "w"].map(|name| query.between(name, 0.25, 1.0));
        let [first, second] = [[v, x], [w, y]].map(|factors| query.op(Op::FpMul, &factors));
        let [sum, weights] = [[first, second], [v, w]].map(|parts| query.op(Op::FpAdd, &parts));
        let mean = query.op(Op::FpDiv, &[sum, weights]);
        let is_less = query.store.mk(Op::FpLt, &[x, y]);
        let least = query.store.mk(Op::Ite, &[is_less, x, y]);
        let margin = query.number(margin);
        let below = query.op(Op::FpSub, &[least, margin]);
        query.lt(mean, below);
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// What Newton's method leaves of a root's square: small by cancellation, for each of the numbers.
#[test]
fn residuals_of_iterations_are_small() {
    for (steps, refuted) in [(4, true), (3, false)] {
        let mut query = Query::new();
        let a = query.between("a", 1.0, 4.0);
        let [half, one, most] = [0.5, 1.0, 1e-10].map(|number| query.number(number));
        let sum = query.op(Op::FpAdd, &[a, one]);
        let mut root = query.op(Op::FpMul, &[sum, half]);
        for _ in 0..steps {
            let quotient = query.op(Op::FpDiv, &[a, root]);
            let sum = query.op(Op::FpAdd, &[root, quotient]);
            root = query.op(Op::FpMul, &[half, sum]);
        }
        let square = query.op(Op::FpMul, &[root, root]);
        let rest = query.op(Op::FpSub, &[square, a]);
        let size = query.store.mk(Op::FpAbs, &[rest]);
        query.lt(most, size);
        assert_eq!(is_refuted(&query), refuted);
    }
}

/// Kahan's sum of floats beside that of doubles: each error is added to what it is the error of, so that all of them cancel but for the last ones.
#[test]
fn compensated_sums_are_near_to_those_of_doubles() {
    for (limit, refuted) in [(4e-6, true), (1e-7, false)] {
        let mut query = Query::new();
        let [zero, one] = [0.0, 1.0].map(|end| query.store.float_const(Float::from_f32(end)));
        let (mut sum, mut lost, mut wide) = (zero, zero, query.number(0.0));
        for place in 0..6 {
            let x = query.store.variable(&format!("x{place}"), Sort::Float(Format::BINARY32));
            query.le(zero, x);
            query.le(x, one);
            let next = query.op(Op::FpSub, &[x, lost]);
            let total = query.op(Op::FpAdd, &[sum, next]);
            let gained = query.op(Op::FpSub, &[total, sum]);
            lost = query.op(Op::FpSub, &[gained, next]);
            sum = total;
            let double = query.op(Op::FpFromFloat(Format::BINARY64), &[x]);
            wide = query.op(Op::FpAdd, &[wide, double]);
        }
        let sum = query.op(Op::FpFromFloat(Format::BINARY64), &[sum]);
        let difference = query.op(Op::FpSub, &[sum, wide]);
        let (size, limit) = (query.store.mk(Op::FpAbs, &[difference]), query.number(limit));
        query.lt(limit, size);
        assert_eq!(is_refuted(&query), refuted);
    }
}
