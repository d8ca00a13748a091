//! Conditions over the floats under which one program raises an exception and the other does not: exact.
//!
//! **Claim.** A model of [`ExactDifference::term`] is an input on which the IR of one program, read strictly, raises the
//! exception somewhere on an explored path, and no modelled operation of the other does. Where [`ExactDifference::is_whole`] holds and
//! both explorations are complete, an Unsat proves that there is no such input.
//!
//! **Argument.** The term is ⋁ c ∧ ¬⋁ d, with c the exact conditions ([`float_condition`]) of the one program's
//! executions and d the other's. Operations of the other program that are not modelled (library functions) only make
//! the set of inputs too large, which does not harm an Unsat; of the one program they make it too small.

use labrys_float::Flags;
use labrys_term::{Store, TermId};

use super::float_condition;
use crate::SiteExecution;

/// The exceptions that a caller can see, the severe ones first.
const EXCEPTIONS: [Flags; 4] = [Flags::OVERFLOW, Flags::INVALID, Flags::DIVBYZERO, Flags::UNDERFLOW];

/// An exception that one program raises and the other does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactDifference {
    /// The exception.
    pub exception: Flags,
    /// Whether the variant raises it, and the baseline does not; or the other way round.
    pub in_variant: bool,
    /// The condition, over the inputs' terms.
    pub term: TermId,
    /// Whether every operation of the raising program that could raise the exception is in it, with operands that are
    /// no poison.
    pub is_whole: bool,
}

/// What one program raises.
struct Raised {
    term: TermId,
    is_whole: bool,
}

/// The exact differences of two programs, given as the site executions of baseline and variant over the same input
/// variables. Those that are plainly impossible (no operation of the program can raise the exception) are left out.
pub fn exact_differences(
    store: &mut Store,
    baseline: &[SiteExecution],
    variant: &[SiteExecution],
) -> Vec<ExactDifference> {
    let mut differences = Vec::new();
    for exception in EXCEPTIONS {
        let sides = [raised(store, variant, exception), raised(store, baseline, exception)];
        for (in_variant, raising, quiet) in [(true, &sides[0], &sides[1]), (false, &sides[1], &sides[0])] {
            let clean = store.not(quiet.term);
            let term = store.and(&[raising.term, clean]);
            if raising.term != store.bool_const(false) && raising.term != quiet.term {
                differences.push(ExactDifference { exception, in_variant, term, is_whole: raising.is_whole });
            }
        }
    }
    differences
}

fn raised(store: &mut Store, executions: &[SiteExecution], exception: Flags) -> Raised {
    let mut terms = Vec::new();
    let mut is_whole = true;
    for execution in executions {
        match float_condition(store, execution, exception) {
            None => {}
            Some(Ok(term)) => {
                is_whole &= !execution.reached_by_poison;
                terms.push(term);
            }
            Some(Err(_)) => is_whole = false,
        }
    }
    terms.sort_unstable();
    terms.dedup();
    Raised { term: store.or(&terms), is_whole }
}

#[cfg(test)]
mod tests {
    use labrys_float::{Environment, Float, Format, RoundingMode};
    use labrys_term::{Evaluator, Model, Op, Sort, Value};

    use super::*;
    use crate::SiteOperator;

    const SMALL: Format = Format::new(3, 3);

    fn site(operator: SiteOperator, operands: &[TermId], result: TermId, store: &mut Store) -> SiteExecution {
        let path = store.bool_const(true);
        SiteExecution::anywhere(operator, path, operands, result, SMALL)
    }

    /// (a·b)·c against a·(b·c), on every input of a tiny format.
    #[test]
    fn terms_hold_exactly_where_the_flags_differ() {
        let mut store = Store::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| store.variable(name, Sort::Float(SMALL)));
        let mode = store.rounding_mode(RoundingMode::NearestEven);
        let mut product = |x, y| store.mk(Op::FpMul, &[mode, x, y]);
        let (left, right) = (product(a, b), product(b, c));
        let (left_whole, right_whole) = (product(left, c), product(a, right));
        let mut chain = |first: [TermId; 3], second: [TermId; 3]| {
            [first, second].map(|[x, y, r]| site(SiteOperator::Mul, &[x, y], r, &mut store))
        };
        let baseline = chain([a, b, left], [left, c, left_whole]);
        let variant = chain([b, c, right], [a, right, right_whole]);
        let differences = exact_differences(&mut store, &baseline, &variant);
        assert_eq!(differences.len(), 6, "products do not divide by zero");
        let environment = Environment::default();
        let data: Vec<Float> = (0..1u32 << SMALL.width()).map(|bits| Float::from_bits(SMALL, bits)).collect();
        let data: Vec<Float> = data.into_iter().filter(|datum| !datum.is_signaling_nan()).collect();
        let mut met = 0;
        for (i, x) in data.iter().enumerate().step_by(3) {
            for (y, z) in data.iter().zip(data.iter().cycle().skip(7 * i)) {
                let (first, second) = (environment.mul(x, y), environment.mul(y, z));
                let in_baseline = first.flags | environment.mul(&first.value, z).flags;
                let in_variant = second.flags | environment.mul(x, &second.value).flags;
                let mut model = Model::new();
                for (variable, value) in [(a, x), (b, y), (c, z)] {
                    model.set_term(&store, variable, Value::float(value.clone()));
                }
                let mut evaluator = Evaluator::new(&store, &model);
                for difference in &differences {
                    let (raising, quiet) =
                        if difference.in_variant { (in_variant, in_baseline) } else { (in_baseline, in_variant) };
                    let expected = raising.contains(difference.exception) && !quiet.contains(difference.exception);
                    assert_eq!(evaluator.holds(difference.term), Ok(expected), "{x:?} {y:?} {z:?} {difference:?}");
                    met += usize::from(expected);
                }
            }
        }
        assert!(met > 20, "{met}");
    }
}
