//! Every prefix of a path through `dichotomic()`-style bisection, twelve iterations unrolled: Bagnara, Carlier, Gori, Gotlieb, "Symbolic
//! Path-Oriented Test Data Generation for Floating-Point Programs", ICST 2013. Each is decided within two seconds, and
//! so is each prefix that leaves the path at its last branch.
//!
//! ```c
//! for (i = 0; high - low > 1e-12 && i < 100; i++) {
//!     middle = (low + high) / 2;
//!     value = middle * middle - root;
//!     if (fabs(value) <= 1e-12) break;
//!     if (value > 0) high = middle; else low = middle;
//! }
//! ```

use std::time::Duration;

use labrys_float::{Float, Format, RoundingMode};
use labrys_solver::{FloatOutcome, FloatSolver, Limits, Portfolio, PortfolioConfig};
use labrys_term::{Op, Sort, Store, TermId};

const ITERATIONS: usize = 12;

/// A path's constraints, in the order in which the program meets them.
struct Path {
    store: Store,
    constraints: Vec<TermId>,
    /// Of the constraints, those that a branch on the sign makes.
    branches: Vec<usize>,
    /// Assignments so far.
    assigned: usize,
}

impl Path {
    fn number(&mut self, value: f64) -> TermId {
        self.store.float_const(Float::from_f64(value))
    }

    fn rounded(&mut self, op: Op, left: TermId, right: TermId) -> TermId {
        let mode = self.store.rounding_mode(RoundingMode::NearestEven);
        self.store.mk(op, &[mode, left, right])
    }

    fn constrain(&mut self, op: Op, left: TermId, right: TermId) {
        let constraint = self.store.mk(op, &[left, right]);
        self.constraints.push(constraint);
    }

    /// A variable that an assignment gives this value.
    fn assign(&mut self, value: TermId) -> TermId {
        self.assigned += 1;
        let variable = self.store.variable(&format!("v{}", self.assigned), Sort::Float(Format::BINARY64));
        self.constrain(Op::Eq, variable, value);
        variable
    }

    /// The path of the witness √2, with the bounds and the root as inputs.
    fn new() -> Path {
        let mut path = Path { store: Store::new(), constraints: Vec::new(), branches: Vec::new(), assigned: 0 };
        let double = Sort::Float(Format::BINARY64);
        let [mut low, mut high, root] = ["low", "high", "root"].map(|name| path.store.variable(name, double.clone()));
        let (zero, two, one) = (path.number(0.0), path.number(2.0), path.number(1.0));
        let (tolerance, most) = (path.number(1e-12), path.number(100.0));
        let mut i = path.assign(zero);
        let (mut witness_low, mut witness_high) = (0.0f64, 2.0f64);
        for _ in 0..ITERATIONS {
            let width = path.rounded(Op::FpSub, high, low);
            let width = path.assign(width);
            path.constrain(Op::FpLt, tolerance, width);
            path.constrain(Op::FpLt, i, most);
            let sum = path.rounded(Op::FpAdd, low, high);
            let sum = path.assign(sum);
            let half = path.rounded(Op::FpDiv, sum, two);
            let middle = path.assign(half);
            let square = path.rounded(Op::FpMul, middle, middle);
            let square = path.assign(square);
            let difference = path.rounded(Op::FpSub, square, root);
            let value = path.assign(difference);
            let magnitude = path.store.mk(Op::FpAbs, &[value]);
            let magnitude = path.assign(magnitude);
            path.constrain(Op::FpLt, tolerance, magnitude);
            let witness = (witness_low + witness_high) / 2.0;
            let goes_down = witness * witness - 2.0 > 0.0;
            path.branches.push(path.constraints.len());
            if goes_down {
                path.constrain(Op::FpLt, zero, value);
                witness_high = witness;
            } else {
                path.constrain(Op::FpLe, value, zero);
                witness_low = witness;
            }
            (low, high) = if goes_down { (low, middle) } else { (middle, high) };
            low = path.assign(low);
            high = path.assign(high);
            let next = path.rounded(Op::FpAdd, i, one);
            i = path.assign(next);
        }
        path
    }

    fn decide(&self, terms: &[TermId]) -> FloatOutcome {
        let limits = Limits { wall: Duration::from_secs(2), ..Limits::default() };
        Portfolio::new(PortfolioConfig::default()).check_once(&self.store, terms, &limits)
    }
}

#[test]
fn every_prefix_of_a_bisection_is_decided_in_two_seconds() {
    let path = Path::new();
    assert_eq!(path.constraints.len(), 157);
    for length in 1..=path.constraints.len() {
        let outcome = path.decide(&path.constraints[..length]);
        assert!(matches!(outcome, FloatOutcome::Sat(_)), "the first {length} constraints: {outcome:?}");
    }
}

#[test]
fn every_way_off_a_bisection_is_decided_in_two_seconds() {
    let mut path = Path::new();
    for place in path.branches.clone() {
        let mut terms = path.constraints[..=place].to_vec();
        let taken = terms[place];
        terms[place] = path.store.not(taken);
        let outcome = path.decide(&terms);
        assert!(!matches!(outcome, FloatOutcome::Unknown(_)), "off the path at constraint {place}: {outcome:?}");
    }
}
