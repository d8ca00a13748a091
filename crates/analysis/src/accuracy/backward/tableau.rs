//! The tableau of the programme: A e = λ r, |eᵢ| ≤ 1, λ to be as large as it can be.

use std::cmp::Ordering;

use labrys_elementary::rug::Float;

use super::{PRECISION, zero};

/// Numbers smaller than 2 to this, of the largest of their row, are zero when a variable is chosen; what that overlooks the check of the
/// result sees.
const NOTHING: i32 = -200;

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Variable {
    /// The e of an input, between −1 and 1.
    Input(usize),
    /// λ.
    Lambda,
}

/// Rows that say x_basic + Σ entries · others = 0, and beside each what it was combined of.
pub struct Tableau {
    /// Over the inputs; then that of λ; then what of each equation is in it.
    rows: Vec<Vec<Float>>,
    /// The variable that each row is solved for; none before elimination.
    basis: Vec<Option<Variable>>,
    /// What variables of inputs that no row is solved for have.
    values: Vec<Float>,
    inputs: usize,
}

impl Tableau {
    /// The equations as they are.
    pub fn new(slopes: &[Vec<Float>], residuals: &[Float]) -> Tableau {
        let inputs = slopes.first().map_or(0, Vec::len);
        let of_row = |(row, (slopes, residual)): (usize, (&Vec<Float>, &Float))| {
            let unit = |column: usize| Float::with_val(PRECISION, u32::from(row == column));
            let combined = (0..residuals.len()).map(unit);
            slopes.iter().cloned().chain([-residual.clone()]).chain(combined).collect()
        };
        let rows: Vec<Vec<Float>> = slopes.iter().zip(residuals).enumerate().map(of_row).collect();
        Tableau { basis: vec![None; rows.len()], rows, values: vec![zero(); inputs], inputs }
    }

    /// An entry of an input's column.
    pub fn entry(&self, row: usize, input: usize) -> &Float {
        &self.rows[row][input]
    }

    /// The residual's part of a row, but for its sign.
    pub fn residual(&self, row: usize) -> &Float {
        &self.rows[row][self.inputs]
    }

    /// An entry of an input's column, or the residual's part behind them.
    pub fn column(&self, row: usize, column: usize) -> &Float {
        &self.rows[row][column]
    }

    /// Solves a row for an input's variable.
    pub fn pivot(&mut self, row: usize, input: usize) {
        self.solve(row, Variable::Input(input));
    }

    /// Leaves rows out that say nothing.
    pub fn forget(&mut self, rows: &[usize]) {
        let kept: Vec<usize> = (0..self.rows.len()).filter(|row| !rows.contains(row)).collect();
        self.rows = kept.iter().map(|row| std::mem::take(&mut self.rows[*row])).collect();
        self.basis = kept.iter().map(|row| self.basis[*row]).collect();
    }

    /// Moves to the greatest λ, every row being solved for some input. None where that takes more than so many steps.
    pub fn maximise(&mut self, steps: &mut usize) -> Option<()> {
        // From e = 0 and λ = 0 the residuals' variables grow with λ, and the first at its bound makes room for it.
        let largest = (0..self.rows.len()).max_by(|&a, &b| compare(self.residual(a), self.residual(b)))?;
        if self.residual(largest).is_zero() {
            return None;
        }
        let grows = self.residual(largest).is_sign_negative();
        self.leave(largest, Variable::Lambda, if grows { 1 } else { -1 });
        while let Some((input, direction)) = self.entering() {
            *steps = steps.checked_sub(1)?;
            self.step(input, direction)?;
        }
        Some(())
    }

    /// λ's row.
    fn objective(&self) -> Option<usize> {
        self.basis.iter().position(|basic| *basic == Some(Variable::Lambda))
    }

    /// The first variable whose change makes λ larger, and its direction: λ is minus the sum of its row.
    fn entering(&self) -> Option<(usize, i32)> {
        let row = &self.rows[self.objective()?];
        let least = row[..self.inputs].iter().filter_map(Float::get_exp).max()? + NOTHING;
        (0..self.inputs).find_map(|input| {
            let is_basic = self.basis.contains(&Some(Variable::Input(input)));
            let slope = &row[input];
            if is_basic || slope.get_exp().is_none_or(|exponent| exponent < least) {
                return None;
            }
            let direction = if slope.is_sign_negative() { 1 } else { -1 };
            (self.room(&self.values[input], direction) > 0).then_some((input, direction))
        })
    }

    /// How far a value is from its bound in a direction.
    fn room(&self, value: &Float, direction: i32) -> Float {
        Float::with_val(PRECISION, 1 - Float::with_val(PRECISION, value * direction))
    }

    /// Moves a variable as far as its own bound and those of the rows let it.
    fn step(&mut self, input: usize, direction: i32) -> Option<()> {
        let basic = self.basic_values()?;
        let mut most = self.room(&self.values[input], direction);
        let mut leaving: Option<(usize, usize, i32)> = None;
        for (row, (variable, value)) in self.basis.iter().zip(&basic).enumerate() {
            let (Some(Variable::Input(of)), entry) = (variable, &self.rows[row][input]) else { continue };
            // It moves against its entry.
            let towards = if entry.is_sign_negative() { direction } else { -direction };
            if entry.is_zero() {
                continue;
            }
            let reach = self.room(value, towards).max(&zero()) / entry.clone().abs();
            let is_first = match compare_exactly(&reach, &most) {
                Ordering::Less => true,
                Ordering::Equal => leaving.is_some_and(|(_, other, _)| *of < other),
                Ordering::Greater => false,
            };
            if is_first {
                most = reach;
                leaving = Some((row, *of, towards));
            }
        }
        match leaving {
            None => self.values[input] = Float::with_val(PRECISION, direction),
            Some((row, _, bound)) => self.leave(row, Variable::Input(input), bound),
        }
        Some(())
    }

    /// A row's variable goes to its bound, another takes its place.
    fn leave(&mut self, row: usize, entering: Variable, bound: i32) {
        if let Some(Variable::Input(leaving)) = self.basis[row] {
            self.values[leaving] = Float::with_val(PRECISION, bound);
        }
        self.solve(row, entering);
    }

    /// Solves a row for a variable, and takes that out of all others.
    fn solve(&mut self, row: usize, variable: Variable) {
        let column = match variable {
            Variable::Input(input) => input,
            Variable::Lambda => self.inputs,
        };
        let pivot = self.rows[row][column].clone();
        self.rows[row].iter_mut().for_each(|entry| *entry /= &pivot);
        let of_pivot = self.rows[row].clone();
        for (_, other) in self.rows.iter_mut().enumerate().filter(|(other, _)| *other != row) {
            let factor = other[column].clone();
            if factor.is_zero() {
                continue;
            }
            for (entry, of_pivot) in other.iter_mut().zip(&of_pivot) {
                *entry -= Float::with_val(PRECISION, &factor * of_pivot);
            }
            other[column] = zero();
        }
        self.basis[row] = Some(variable);
    }

    /// What the rows' variables have.
    fn basic_values(&self) -> Option<Vec<Float>> {
        // λ is in some row, or zero.
        let of_row = |row: &Vec<Float>| {
            let others = (0..self.inputs).filter(|input| !self.basis.contains(&Some(Variable::Input(*input))));
            let mut sum = zero();
            others.for_each(|input| sum -= Float::with_val(PRECISION, &row[input] * &self.values[input]));
            sum
        };
        let values: Vec<Float> = self.rows.iter().map(of_row).collect();
        values.iter().all(Float::is_finite).then_some(values)
    }

    /// d = e/λ.
    pub fn solution(&self) -> Option<Vec<Float>> {
        let basic = self.basic_values()?;
        let lambda = basic.get(self.objective()?)?.clone();
        let mut values = self.values.clone();
        for (variable, value) in self.basis.iter().zip(basic) {
            if let Some(Variable::Input(input)) = variable {
                values[*input] = value;
            }
        }
        Some(values.into_iter().map(|value| value / &lambda).collect())
    }

    /// How the equations were combined to λ's row.
    pub fn multipliers(&self) -> Vec<Float> {
        let row = self.objective().and_then(|row| self.rows.get(row));
        row.map(|row| row[self.inputs + 1..].to_vec()).unwrap_or_default()
    }
}

/// By size.
fn compare(a: &Float, b: &Float) -> Ordering {
    a.cmp_abs(b).unwrap_or(Ordering::Equal)
}

/// Of positive numbers, equal where they are so but for rounding.
fn compare_exactly(a: &Float, b: &Float) -> Ordering {
    let apart = Float::with_val(PRECISION, a - b).abs();
    let size = Float::with_val(PRECISION, a.clone().max(b));
    if apart <= size >> (-NOTHING) { Ordering::Equal } else { a.partial_cmp(b).unwrap_or(Ordering::Equal) }
}
