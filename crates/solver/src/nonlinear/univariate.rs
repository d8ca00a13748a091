//! Constraints in one variable: the intervals between their real roots, and the numbers in them (Barr, Vo, Le, Su, POPL
//! 2013, sections 3.5 and 3.6).
//!
//! **Claim.** Where [`Solutions::is_complete`], the ranges are exactly the numbers of the variable's grid that satisfy the
//! literals.
//!
//! **Argument.** [`Sections`] gives polynomials between whose roots every literal keeps its truth. For each root the
//! greatest number of the grid not above it and the next one are places of their own (and the number before, where the
//! root is a number itself). Between two neighbouring such places lies no root, so that one number there speaks for all. This
//! does what the paper does with a linear solver, and its search for floats next to a solution, at once: it needs neither,
//! and misses no float.
//!
//! Where a test stays undecided (two irrational numbers that may be equal), its numbers are left out and nothing is claimed.
//!
//! Functions of the caller that hang on the variable have no polynomial. Then the literals are sampled over all orders of
//! magnitude, and where a comparison changes between two samples the place is found by bisection: numbers found that way
//! are solutions, and finding none says nothing.

use labrys_term::algebraic::isolate;
use num_bigint::BigInt;

use super::assignment::Assignment;
use super::context::Context;
use super::grid::Grid;
use super::judge::Judge;
use super::line::Line;
use super::problem::{Definition, Input};
use super::rational::Sections;
use super::sampling;
use crate::Why;
use crate::conjuncts::Literal;

/// The numbers that satisfy literals in one variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Solutions {
    /// Places, from and to, ascending and disjoint.
    pub ranges: Vec<(BigInt, BigInt)>,
    /// Whether there are no others.
    pub is_complete: bool,
    /// Whether places were sampled, there being no polynomials.
    pub is_sampled: bool,
    /// Whether all polynomials are linear.
    pub is_linear: bool,
    /// The place where the most literals hold, as far as was looked.
    pub best: Option<BigInt>,
}

/// The numbers of an input that satisfy `literals`, all other inputs below them being bound.
///
/// # Errors
///
/// Where the effort is spent.
pub(super) fn solve(
    context: &mut Context<'_, '_>,
    assignment: &mut Assignment,
    input: usize,
    literals: &[Literal],
) -> Result<Solutions, Why> {
    let problem = context.problem;
    let grid = &problem.inputs[input].grid;
    let (first, last) = grid.ends();
    if first > last {
        return Ok(Solutions { is_complete: true, ..Solutions::default() });
    }
    let definitions = assignment.following(problem, input);
    // The root of a negative number has no value, so that literals are not all that matters.
    if literals.is_empty() && definitions.is_empty() {
        return Ok(Solutions {
            ranges: vec![(first, last)],
            is_complete: true,
            is_linear: true,
            ..Solutions::default()
        });
    }
    assignment.release(problem, input);
    let mut cuts = Cuts { places: Vec::new(), is_complete: true, is_linear: true };
    cuts.collect(context, assignment, input, literals, &definitions)?;

    let judge = Judge::new(problem, literals);
    let (size, is_sampled, is_linear) = (judge.len(), !cuts.is_complete, cuts.is_linear);
    let tester = judge.tester();
    let mut line = Line { context, assignment, input, grid, definitions, tester, size, best: None, is_decided: true };
    let places = if is_sampled { sampling::places(&mut line, literals, cuts.sorted(grid))? } else { cuts.sorted(grid) };
    let ranges = line.ranges(&places, !is_sampled)?;
    let is_complete = !is_sampled && line.is_decided;
    let best = line.best.take().map(|(_, place)| place);
    line.assignment.release(problem, input);
    Ok(Solutions { ranges, is_complete, is_sampled, is_linear, best })
}

/// Places on both sides of every root.
struct Cuts {
    places: Vec<BigInt>,
    is_complete: bool,
    is_linear: bool,
}

impl Cuts {
    fn collect(
        &mut self,
        context: &mut Context<'_, '_>,
        assignment: &Assignment,
        input: usize,
        literals: &[Literal],
        definitions: &[&Definition],
    ) -> Result<(), Why> {
        let Input { variable, grid } = &context.problem.inputs[input];
        let mut sections = Sections::new(context.problem, assignment, *variable, definitions);
        self.is_complete = sections.is_complete();
        for literal in literals {
            self.is_complete &= sections.visit(&[literal.term]).is_ok();
        }
        for polynomial in sections.into_cuts() {
            self.is_linear &= polynomial.degree() <= 1;
            for root in isolate(&polynomial, &mut |shifted| context.effort.spend(shifted))? {
                context.steps.roots += 1;
                let (place, is_equal) = grid.floor_of_root(&root);
                if is_equal {
                    self.places.push(&place - 1);
                }
                self.places.push(&place + 1);
                self.places.push(place);
            }
        }
        Ok(())
    }

    /// The places within the grid and its ends, ascending.
    fn sorted(mut self, grid: &Grid) -> Vec<BigInt> {
        let (first, last) = grid.ends();
        self.places.retain(|place| first <= *place && *place <= last);
        self.places.extend([first, last]);
        self.places.sort_unstable();
        self.places.dedup();
        self.places
    }
}
