//! The backward error of several outputs at once: the least relative change of the inputs that makes all of them exact, to first order.
//!
//! With a slope xᵢ ∂fⱼ/∂xᵢ in column i and row j of A, and what outputs are off by in r, it is the least t for which some d has A d = r and
//! |dᵢ| ≤ t: a linear programme (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 7.1, has backward errors;
//! Cadzow, "A finite algorithm for the minimum l∞ solution to a system of consistent linear equations", SIAM Journal on Numerical Analysis
//! 1973, this programme). For one output it is |r| / Σ|aᵢ|.
//!
//! **Claim.** What [`least_change`] gives was checked on A and r themselves, however it was found: some d of that size has A d = r, and some y
//! proves that no smaller one has, for |rᵀy| = |dᵀAᵀy| ≤ t Σ|(Aᵀy)ᵢ|. That there is none rests on elimination with a running bound of what
//! slopes and residuals are not known to: a combination of rows vanishes within it, and that of the residuals does not.
//!
//! The programme is solved as the greatest λ with A e = λ r and |eᵢ| ≤ 1, so that t = 1/λ: e = 0 and λ = 0 are feasible once the rows are
//! independent, and there is no first phase. Bounded-variable simplex with the rule of least indices (Bland, "New finite pivoting rules for
//! the simplex method", Mathematics of Operations Research 1977), which does not cycle; variables that are still between their bounds move
//! once. Numbers have 512 bits and MPFR's exponents, and rows are divided by their largest entries: what is 10^-300 of something else counts.

use labrys_elementary::rug::Float;
use labrys_elementary::rug::float::Special;
use labrys_elementary::to_precise;
use labrys_program::{Leaf, ScalarType};
use labrys_report::JointBackwardError;

use self::tableau::Tableau;
use super::judge::errors;
use crate::truth::{Oracle, Slopes};

mod tableau;

/// Bits of the numbers here.
const PRECISION: u32 = 512;
/// Slopes are differences over 2^-320 of an input: they are off by about as much of themselves.
const SLOPES_KNOWN: i32 = 280;
/// Bits to which both proofs must agree with each other, and d with its equations.
const AGREES: i32 = 40;
/// Entries of the tableau times steps: what takes more is not asked.
const WORK: usize = 4_000_000;

/// Of more outputs it is not asked.
const MOST_OUTPUTS: usize = 256;

/// The least change of all inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LeastChange {
    /// So much, relative.
    Relative(f64),
    /// No change of the inputs makes all outputs exact.
    Impossible,
}

/// What an output is off by, and to what that is known.
#[derive(Clone, Debug)]
pub struct Residual {
    /// r − t.
    pub value: Float,
    /// The true residual is at most so far from it.
    pub radius: Float,
}

/// The backward error of all floats of an output record at once; none where it has no two, or it is not known.
pub fn joint(oracle: &mut Oracle<'_>, record: &[u8], output: &[u8], leaves: &[Leaf]) -> Option<JointBackwardError> {
    let floats = leaves.iter().filter(|leaf| matches!(leaf.scalar, ScalarType::Float(_))).count();
    if !(2..=MOST_OUTPUTS).contains(&floats) {
        return None;
    }
    let truth = oracle.certified(record).ok()?;
    let (mut of_outputs, mut residuals) = (Vec::new(), Vec::new());
    for (leaf, (_, result, truth)) in errors(leaves, output, &truth) {
        let value = Float::with_val(PRECISION, to_precise(&result) - truth.value());
        of_outputs.push(leaf);
        residuals.push(Residual { value, radius: truth.radius().to_precise() });
    }
    if residuals.len() != floats {
        return None;
    }
    let of_input =
        |(_, slopes): (usize, Vec<Float>)| of_outputs.iter().map(|leaf| slopes.get(*leaf).cloned()).collect();
    let slopes = oracle.derivatives(record, Slopes::fine(truth.precision)).ok()?;
    let slopes: Vec<Vec<Float>> = slopes.into_iter().map(of_input).collect::<Option<_>>()?;
    let change = match least_change(&slopes, &residuals)? {
        LeastChange::Relative(change) => Some(change).filter(|change| change.is_finite()),
        LeastChange::Impossible => None,
    };
    Some(JointBackwardError { outputs: u32::try_from(floats).ok()?, change })
}

/// The least relative change of inputs after which the outputs are off by nothing, to first order. `slopes` has x·∂f/∂x of each
/// output, in the order of `residuals`, for each input. None where it is not known: a number is not finite, it would take too long, or
/// rounding leaves it open.
pub fn least_change(slopes: &[Vec<Float>], residuals: &[Residual]) -> Option<LeastChange> {
    let numbers = || slopes.iter().flatten().chain(residuals.iter().flat_map(|of| [&of.value, &of.radius]));
    if numbers().any(|number| !number.is_finite()) || slopes.iter().any(|of_input| of_input.len() != residuals.len()) {
        return None;
    }
    let system = System::new(slopes, residuals);
    if system.residuals.iter().all(Float::is_zero) {
        return Some(LeastChange::Relative(0.0));
    }
    let entries = system.residuals.len() * (system.residuals.len() + slopes.len() + 1);
    let mut steps = WORK / entries.max(1);
    let mut tableau = match system.eliminated(&mut steps)? {
        Eliminated::Independent(tableau) => tableau,
        Eliminated::Contradictory => return Some(LeastChange::Impossible),
    };
    tableau.maximise(&mut steps)?;
    system.checked(&tableau).map(|change| LeastChange::Relative(change.to_f64()))
}

/// A d = r, each row over a power of two that makes its largest slope about one.
struct System {
    /// By rows.
    slopes: Vec<Vec<Float>>,
    residuals: Vec<Float>,
    radii: Vec<Float>,
}

/// What elimination came to.
enum Eliminated {
    /// The rows that are left are independent, and solved for one variable each.
    Independent(Tableau),
    /// No d satisfies all rows.
    Contradictory,
}

impl System {
    fn new(slopes: &[Vec<Float>], residuals: &[Residual]) -> System {
        let mut system = System { slopes: Vec::new(), residuals: Vec::new(), radii: Vec::new() };
        for (row, residual) in residuals.iter().enumerate() {
            let of_row = slopes.iter().map(|of_input| Float::with_val(PRECISION, &of_input[row]));
            let of_row: Vec<Float> = of_row.collect();
            let largest = of_row.iter().filter_map(Float::get_exp).max().unwrap_or_default();
            system.slopes.push(of_row.into_iter().map(|slope| slope >> largest).collect());
            system.residuals.push(Float::with_val(PRECISION, &residual.value) >> largest);
            system.radii.push(Float::with_val(PRECISION, &residual.radius) >> largest);
        }
        system
    }

    /// Gauss and Jordan's elimination, the largest entry first. Beside each number stands a bound of what it may be off by; what is
    /// not larger than that is zero. None where that leaves a contradiction open, or it takes too long.
    fn eliminated(&self, steps: &mut usize) -> Option<Eliminated> {
        let rows = self.residuals.len();
        let inputs = self.slopes.first().map_or(0, Vec::len);
        let mut tableau = Tableau::new(&self.slopes, &self.residuals);
        let mut noise: Vec<Vec<Float>> = self.slopes.iter().zip(&self.radii).map(|row| noise(row.0, row.1)).collect();
        let mut open: Vec<usize> = (0..rows).collect();
        loop {
            let entries = open.iter().flat_map(|&row| (0..inputs).map(move |input| (row, input)));
            let candidates =
                entries.filter(|&(row, input)| tableau.entry(row, input).clone().abs() > noise[row][input]);
            let largest = candidates.max_by(|a, b| {
                let [a, b] = [a, b].map(|&(row, input)| tableau.entry(row, input));
                a.cmp_abs(b).unwrap_or(std::cmp::Ordering::Equal)
            });
            let Some((row, input)) = largest else { break };
            *steps = steps.checked_sub(1)?;
            spread(&tableau, &mut noise, row, input);
            tableau.pivot(row, input);
            open.retain(|of| *of != row);
        }
        let largest = self.residuals.iter().map(|of| of.clone().abs()).fold(zero(), |a, b| a.max(&b));
        for &row in &open {
            if tableau.residual(row).clone().abs() > noise[row][inputs] {
                return Some(Eliminated::Contradictory);
            }
            // Nothing is known of a row whose residuals are not.
            if noise[row][inputs] > Float::with_val(PRECISION, &largest >> AGREES) {
                return None;
            }
        }
        tableau.forget(&open);
        Some(Eliminated::Independent(tableau))
    }

    /// The size of the tableau's solution, if it solves these equations and its multipliers prove that none is smaller.
    fn checked(&self, tableau: &Tableau) -> Option<Float> {
        let change = tableau.solution()?;
        let size = change.iter().map(|of| of.clone().abs()).fold(zero(), |a, b| a.max(&b));
        for ((row, residual), radius) in self.slopes.iter().zip(&self.residuals).zip(&self.radii) {
            let (mut left, mut terms) = (-residual.clone(), residual.clone().abs());
            for (slope, change) in row.iter().zip(&change) {
                let product = Float::with_val(PRECISION, slope * change);
                left += &product;
                terms += product.abs();
            }
            if left.abs() > (terms >> AGREES) + radius {
                return None;
            }
        }
        let multipliers = tableau.multipliers();
        let mut sum = zero();
        for input in 0..change.len() {
            let mut of_input = zero();
            for (row, multiplier) in self.slopes.iter().zip(&multipliers) {
                of_input += Float::with_val(PRECISION, &row[input] * multiplier);
            }
            sum += of_input.abs();
        }
        let mut least = zero();
        for (residual, multiplier) in self.residuals.iter().zip(&multipliers) {
            least += Float::with_val(PRECISION, residual * multiplier);
        }
        let least = least.abs() / sum;
        let apart = Float::with_val(PRECISION, &size - &least).abs();
        (least.is_finite() && apart <= size.clone() >> AGREES).then_some(size)
    }
}

/// What the numbers of a row may be off by, the residual last.
fn noise(slopes: &[Float], radius: &Float) -> Vec<Float> {
    let of_slope = |slope: &Float| slope.clone().abs() >> SLOPES_KNOWN;
    slopes.iter().map(of_slope).chain([radius.clone()]).collect()
}

/// What a pivot makes of what numbers may be off by: a − (b/p) c is off by a's own, and by the relative ones of b, p and c.
fn spread(tableau: &Tableau, noise: &mut [Vec<Float>], row: usize, input: usize) {
    let pivot = tableau.entry(row, input).clone().abs();
    let of_pivot = noise[row].clone();
    for (other, of_other) in noise.iter_mut().enumerate().filter(|(other, _)| *other != row) {
        let factor = Float::with_val(PRECISION, tableau.entry(other, input).clone().abs() / &pivot);
        if factor.is_zero() && of_other[input].is_zero() {
            continue;
        }
        let of_factor = (Float::with_val(PRECISION, &factor * &of_pivot[input]) + &of_other[input]) / &pivot;
        for (column, of_entry) in of_other.iter_mut().enumerate() {
            let entry = tableau.column(row, column).clone().abs();
            *of_entry += Float::with_val(PRECISION, &factor * &of_pivot[column]) + entry * &of_factor;
        }
    }
    for of_entry in &mut noise[row] {
        *of_entry /= &pivot;
    }
    // Relative to the row that the pivot makes one of: its own doubt goes to all of it.
    let doubt = of_pivot[input].clone() / &pivot;
    for (column, of_entry) in noise[row].iter_mut().enumerate() {
        *of_entry += tableau.column(row, column).clone().abs() / &pivot * &doubt;
    }
}

fn zero() -> Float {
    Float::with_val(PRECISION, Special::Zero)
}

#[cfg(test)]
mod tests;
