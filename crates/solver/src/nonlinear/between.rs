//! Real solutions between floats: what is left where no float solves a constraint.
//!
//! Rounding can make the floats next to such a solution raise what only it does over the reals. The paper gives these up;
//! here they are candidates after all else. Constraints that are equalities, or not strict, count as
//! holding at an irrational root where 256 bits do not tell.

use labrys_term::{AlgebraicNumber, Op, VariableId};
use num_bigint::BigInt;
use num_rational::BigRational;

use super::assignment::Assignment;
use super::point::big;
use super::polynomial::Polynomial;
use super::problem::{Literal, Problem};
use super::rational::Sections;
use super::roots;
use super::univariate::Context;
use crate::{RealModel, RealValue, Why};

/// Bits of roots, relative to their size: enough to tell the roots of e and of e ± ω apart, for e of any size a double has.
const BITS: u32 = 2200;

/// Polynomials of a higher degree, or longer coefficients, do not become algebraic numbers: their Sturm chains take
/// seconds. The model then has a number within 2^-2200.
const GREATEST: (usize, u64) = (8, 4000);

/// A point of the line.
struct Real {
    low: BigRational,
    high: BigRational,
    /// The polynomial and the number of its root, for roots.
    root: Option<(Polynomial, usize)>,
}

/// A real number for an input that satisfies `literals`, all other inputs being bound.
///
/// # Errors
///
/// Where the effort is spent.
pub(super) fn solve(
    context: &mut Context<'_, '_>,
    assignment: &mut Assignment,
    input: usize,
    literals: &[Literal],
) -> Result<Option<RealModel>, Why> {
    let problem = context.problem;
    let variable = problem.inputs[input].variable;
    let definitions = assignment.following(problem, input);
    assignment.release(problem, input);
    for point in points(context, assignment, variable, literals)? {
        context.effort.evaluate(literals.len())?;
        let (low, high) = (point.low.clone(), point.high.clone());
        let is_defined = assignment.bind_between(problem, input, (low, high), &definitions, context.evaluate);
        if is_defined && literals.iter().all(|literal| holds(problem, assignment, *literal)) {
            let mut model = assignment.model(problem);
            if let Some(number) = point.root.and_then(algebraic) {
                model.values.insert(variable, RealValue::Algebraic(number));
            }
            return Ok(Some(model));
        }
    }
    Ok(None)
}

/// The roots, and a number between each two.
fn points(
    context: &mut Context<'_, '_>,
    assignment: &Assignment,
    variable: VariableId,
    literals: &[Literal],
) -> Result<Vec<Real>, Why> {
    let definitions = context.problem.definitions.iter().filter(|definition| {
        context.problem.hangs_on(definition.variable, variable) && !assignment.contains(definition.variable)
    });
    let mut sections = Sections::new(context.problem, assignment, variable, &definitions.collect::<Vec<_>>());
    for literal in literals {
        // What cannot be taken apart has no roots to give.
        let _ = sections.visit(&[literal.term]);
    }
    let mut found = Vec::new();
    for polynomial in sections.into_cuts() {
        for (i, root) in roots::isolate(&polynomial, &mut context.effort)?.iter().enumerate() {
            let (low, high) = root.refined(BITS);
            let (low, high) = (low.to_rational(), high.to_rational());
            found.push(Real { low, high, root: Some((polynomial.clone(), i + 1)) });
        }
    }
    found.sort_by(|a, b| a.low.cmp(&b.low));
    let between = found.windows(2).filter(|pair| pair[0].high < pair[1].low).map(|pair| {
        let middle = (&pair[0].high + &pair[1].low) / BigInt::from(2);
        Real { low: middle.clone(), high: middle, root: None }
    });
    let between: Vec<Real> = between.collect();
    Ok(between.into_iter().chain(found).collect())
}

fn holds(problem: &Problem<'_>, assignment: &Assignment, literal: Literal) -> bool {
    assignment.holds(problem, &[literal])
        || (assignment.allows(problem, &[literal])
            && matches!(
                (&problem.store.node(literal.term).op, literal.holds),
                (Op::Eq | Op::RealLe, true) | (Op::RealLt, false)
            ))
}

fn algebraic((polynomial, index): (Polynomial, usize)) -> Option<AlgebraicNumber> {
    let is_small = polynomial.degree() <= GREATEST.0 && polynomial.bits() <= GREATEST.1;
    let coefficients = || polynomial.coefficients().iter().map(big).collect();
    is_small.then(|| AlgebraicNumber::new(coefficients(), index).ok()).flatten()
}
