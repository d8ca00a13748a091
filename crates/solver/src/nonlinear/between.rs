//! Real solutions between floats: what is left where no float solves a constraint.
//!
//! Rounding can make the floats next to such a solution raise what only it does over the reals. The paper gives these up;
//! here they are candidates after all else.
//!
//! **Claim.** A point that is returned satisfies the literals, if roots of two polynomials that are less than 2^-300 of
//! their size apart are one.
//!
//! **Argument.** A root is known as an interval. A literal none of whose polynomials changes its sign there keeps its truth,
//! and is evaluated at one end. Where one changes, its root is taken for the point; the literal must then be an equality or not
//! strict, and not be refuted by interval arithmetic. Numbers between two roots are rational and evaluated exactly.

use labrys_term::algebraic::{Dyadic, Polynomial, Root, from_gmp, isolate};
use labrys_term::{AlgebraicNumber, Op, Truth};

use super::assignment::Assignment;
use super::context::Context;
use super::problem::Problem;
use super::rational::Sections;
use crate::conjuncts::Literal;
use crate::{RealModel, RealValue, Why};

/// Bits of roots, relative to their size.
const BITS: u32 = 300;

/// Bits at which neighbouring roots are told apart: enough for those of e and of e ± ω, for e of any size a double has.
const SEPARATED: u32 = 2200;

/// Polynomials of a higher degree, or longer coefficients, do not become algebraic numbers, whose roots are isolated once
/// more. The model then has a number within 2^-300.
const GREATEST: (usize, u64) = (8, 4000);

/// A point of the line.
struct Real {
    low: Dyadic,
    /// Equal to `low` for numbers that are known exactly.
    high: Dyadic,
    /// The polynomial and the number of its root, for roots.
    root: Option<(Polynomial, usize)>,
}

/// A literal and the polynomials at whose roots it changes.
type Cut = (Literal, Vec<Polynomial>);

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
    let mut cuts: Vec<Cut> = Vec::with_capacity(literals.len());
    for literal in literals {
        let mut sections = Sections::new(problem, assignment, variable, &definitions);
        if sections.visit(&[literal.term]).is_err() {
            return Ok(None);
        }
        cuts.push((*literal, sections.into_cuts().collect()));
    }
    for point in points(context, &cuts)? {
        context.effort.evaluate(literals.len())?;
        let ends = [&point.low, &point.high].map(Dyadic::to_rational);
        let mut is_solution = true;
        for (literal, polynomials) in &cuts {
            let changes = |polynomial: &Polynomial| {
                let (low, high) = (polynomial.sign_at(&point.low), polynomial.sign_at(&point.high));
                low != high || low.is_eq()
            };
            let is_at_root = point.low != point.high && polynomials.iter().any(changes);
            let high = if is_at_root { ends[1].clone() } else { ends[0].clone() };
            let bounds = (ends[0].clone(), high);
            is_solution = assignment.bind_between(problem, input, bounds, &definitions, context.evaluate)
                && if is_at_root {
                    may_touch(problem, assignment, *literal)
                } else {
                    assignment.holds(problem, &[*literal])
                };
            if !is_solution {
                break;
            }
        }
        if is_solution {
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
fn points(context: &mut Context<'_, '_>, cuts: &[Cut]) -> Result<Vec<Real>, Why> {
    let mut polynomials: Vec<&Polynomial> = Vec::new();
    for polynomial in cuts.iter().flat_map(|(_, polynomials)| polynomials) {
        if !polynomials.contains(&polynomial) {
            polynomials.push(polynomial);
        }
    }
    let mut found: Vec<(Root, Real)> = Vec::new();
    for polynomial in polynomials {
        let roots = isolate(polynomial, &mut |shifted| context.effort.spend(shifted))?;
        for (i, root) in roots.into_iter().enumerate() {
            context.effort.refine(polynomial, BITS)?;
            let (low, high) = root.refined(BITS);
            found.push((root, Real { low, high, root: Some((polynomial.clone(), i + 1)) }));
        }
    }
    found.sort_by(|(_, a), (_, b)| a.low.cmp(&b.low));
    let mut points = Vec::new();
    for pair in found.windows(2) {
        let [(first, a), (second, b)] = pair else { continue };
        let (mut below, mut above) = (a.high.clone(), b.low.clone());
        if below >= above {
            context.effort.refine(&Polynomial::new(Vec::new()), SEPARATED)?;
            (below, above) = (first.refined(SEPARATED).1, second.refined(SEPARATED).0);
        }
        if below < above {
            let middle = between(&below, &above);
            points.push(Real { low: middle.clone(), high: middle, root: None });
        }
    }
    points.extend(found.into_iter().map(|(_, real)| real));
    Ok(points)
}

/// A number between two, neither included.
fn between(low: &Dyadic, high: &Dyadic) -> Dyadic {
    let zero = Dyadic::zero();
    if *low < zero && *high > zero { zero } else { low.middle(high) }
}

/// Whether a literal may hold at a root of its own: it is no strict comparison, and not false for certain.
fn may_touch(problem: &Problem<'_>, assignment: &Assignment, literal: Literal) -> bool {
    let op = &problem.store.node(literal.term).op;
    let is_closed = matches!((op, literal.holds), (Op::Eq | Op::RealLe, true) | (Op::RealLt, false));
    is_closed && assignment.truth(problem, &[literal]) != Truth::False
}

fn algebraic((polynomial, index): (Polynomial, usize)) -> Option<AlgebraicNumber> {
    let is_small = polynomial.degree() <= GREATEST.0 && polynomial.bits() <= GREATEST.1;
    let coefficients = || polynomial.coefficients().iter().map(from_gmp).collect();
    is_small.then(|| AlgebraicNumber::new(coefficients(), index).ok()).flatten()
}
