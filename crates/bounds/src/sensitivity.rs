//! How much the error of each operation counts in the result, and how their sum changes over a box.
//!
//! **Claims**, for the facts of a pass over a box X ([`crate::evaluation`]):
//!
//! 1. For each input x of X there are D_i in `adjoints[i]` with c(x) − F(x) = Σ D_i·δ_i, δ_i the own error of node i: the mean value theorem for
//!    θ ↦ F̃(x, θδ), whose derivative is Σ D_i(x, θδ)·δ_i; `adjoints` are derivatives of the result by each node over all x of X and all
//!    perturbations, by the chain rule backwards. So the error is at most Σ |D_i|·own_i, the first-order sum of
//!    symbolic Taylor forms (Solovyev et al., FM 2015); there is no remainder, since D_i stands at perturbed values.
//! 2. Where X is smooth and w_i are constants, [`Sensitivity::slopes`] holds the gradient in x of S(x) = Σ w_i·|D_i(x, δ)| for every fixed δ, where the
//!    D_i have a sign, and its generalised gradients where they have none: S is then Lipschitz. For t = Σ w_i·σ_i·D_i is the derivative of the
//!    result in the direction w·σ of perturbations (forward), and its gradient is had backwards.

use crate::Interval;
use crate::evaluation::Facts;
use crate::expression::{Expression, NodeIndex, Operation};

/// Adjoints of a pass; reused from box to box.
#[derive(Debug, Default)]
pub(crate) struct Sensitivity {
    pub adjoints: Vec<Interval>,
    tangents: Vec<Interval>,
    /// Derivatives of the tangent of the result by each node.
    curvatures: Vec<Interval>,
}

/// derivative·adjoint, without a product where the derivative is ±1.
fn passed(derivative: Interval, adjoint: Interval) -> Interval {
    if derivative == Interval::ONE {
        adjoint
    } else if derivative == -Interval::ONE {
        -adjoint
    } else {
        derivative * adjoint
    }
}

fn add_to(sum: &mut Interval, term: Interval) {
    if term != Interval::ZERO {
        *sum = if *sum == Interval::ZERO { term } else { *sum + term };
    }
}

impl Sensitivity {
    /// The derivatives of a node, the result as a rule, by each node.
    pub(crate) fn differentiate(&mut self, expression: &Expression, facts: &[Facts], root: NodeIndex) {
        self.adjoints.clear();
        self.adjoints.resize(facts.len(), Interval::ZERO);
        self.adjoints[root as usize] = Interval::ONE;
        for place in (0..=root as usize).rev() {
            let adjoint = self.adjoints[place];
            if adjoint == Interval::ZERO {
                continue;
            }
            let (a, b) = expression.nodes[place].operation.operands();
            let [by_a, by_b] = facts[place].first;
            if let Some(a) = a {
                add_to(&mut self.adjoints[a as usize], passed(by_a, adjoint));
            }
            if let Some(b) = b {
                add_to(&mut self.adjoints[b as usize], passed(by_b, adjoint));
            }
        }
    }

    /// Puts the gradient of Σ `weights`[i]·|D_i| by each input into `slopes`, and that of the result into `gradient`: claim 2.
    pub(crate) fn slopes(
        &mut self,
        expression: &Expression,
        facts: &[Facts],
        weights: impl Fn(usize) -> f64,
        slopes: &mut [Interval],
        gradient: &mut [Interval],
    ) {
        self.tangents.clear();
        for (place, facts) in facts.iter().enumerate() {
            let (a, b) = expression.nodes[place].operation.operands();
            let mut tangent = signed(weights(place), self.adjoints[place]);
            for (operand, derivative) in [a, b].into_iter().zip(facts.first) {
                if let Some(operand) = operand {
                    add_to(&mut tangent, passed(derivative, self.tangents[operand as usize]));
                }
            }
            self.tangents.push(tangent);
        }
        self.curvatures.clear();
        self.curvatures.resize(facts.len(), Interval::ZERO);
        for (place, facts) in facts.iter().enumerate().rev() {
            let (curvature, adjoint) = (self.curvatures[place], self.adjoints[place]);
            if curvature == Interval::ZERO && adjoint == Interval::ZERO {
                continue;
            }
            match (expression.nodes[place].operation, expression.nodes[place].operation.operands()) {
                (Operation::Input(input), _) => {
                    add_to(&mut slopes[input as usize], curvature);
                    add_to(&mut gradient[input as usize], adjoint);
                }
                (_, (Some(a), b)) => {
                    let b = b.unwrap_or(a);
                    let (along_a, along_b) = (self.tangents[a as usize], self.tangents[b as usize]);
                    let [aa, ab, bb] = facts.second;
                    let (mut by_a, mut by_b) = (Interval::ZERO, Interval::ZERO);
                    add_to(&mut by_a, passed(aa, along_a));
                    add_to(&mut by_a, passed(ab, along_b));
                    add_to(&mut by_b, passed(ab, along_a));
                    add_to(&mut by_b, passed(bb, along_b));
                    let bend = |by: Interval, first: Interval| {
                        let mut sum = passed(first, curvature);
                        add_to(&mut sum, passed(by, adjoint));
                        sum
                    };
                    let (to_a, to_b) = (bend(by_a, facts.first[0]), bend(by_b, facts.first[1]));
                    add_to(&mut self.curvatures[a as usize], to_a);
                    add_to(&mut self.curvatures[b as usize], to_b);
                }
                _ => {}
            }
        }
    }
}

/// weight·σ for the sign σ of an interval: any between −1 and 1 where it has none.
fn signed(weight: f64, sign: Interval) -> Interval {
    if weight == 0.0 || sign == Interval::ZERO {
        Interval::ZERO
    } else if sign.low() >= 0.0 {
        Interval::point(weight)
    } else if sign.high() <= 0.0 {
        Interval::point(-weight)
    } else {
        Interval::symmetric(weight)
    }
}
