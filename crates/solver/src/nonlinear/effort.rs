//! What one query may still cost.

use std::time::Instant;

use labrys_term::algebraic::Polynomial;

use crate::{Limits, Why};

/// Units of work: about as many operations on machine words, in thousands.
const UNIT: u64 = 1000;

/// Counts work down. Deterministic but for the deadline.
#[derive(Clone, Debug)]
pub(super) struct Effort {
    /// What is left; `None` is no limit.
    left: Option<u64>,
    deadline: Instant,
}

impl Effort {
    pub fn new(limits: &Limits) -> Effort {
        let left = (limits.work > 0).then_some(limits.work);
        // A wall limit beyond the clock's range is none that matters.
        let now = Instant::now();
        Effort { left, deadline: now.checked_add(limits.wall).unwrap_or(now) }
    }

    /// Pays for a Taylor shift of a polynomial, the unit of root isolation.
    pub fn spend(&mut self, polynomial: &Polynomial) -> Result<(), Why> {
        let length = polynomial.coefficients().len() as u64;
        self.pay(length * length * (1 + polynomial.bits() / 64) / UNIT + 1)
    }

    /// Pays for refining a root of a polynomial to so many bits.
    pub fn refine(&mut self, polynomial: &Polynomial, bits: u32) -> Result<(), Why> {
        let length = polynomial.coefficients().len() as u64 + 1;
        self.pay(u64::from(bits) * length * (1 + polynomial.bits() / 64) / UNIT + 1)
    }

    /// Pays for evaluating so many terms.
    pub fn evaluate(&mut self, terms: usize) -> Result<(), Why> {
        self.pay(terms as u64 / 8 + 1)
    }

    fn pay(&mut self, units: u64) -> Result<(), Why> {
        if let Some(left) = &mut self.left {
            *left = left.checked_sub(units).ok_or(Why::Work)?;
        }
        if Instant::now() >= self.deadline { Err(Why::Wall) } else { Ok(()) }
    }
}
