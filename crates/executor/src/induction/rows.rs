//! Values that are listed: rows of what some variables are together, and which lists are no lists but counts.

use labrys_term::Value;
use num_traits::ToPrimitive;
use rustc_hash::FxHashSet;

/// Values that a condition lists at most.
pub(super) const MOST_VALUES: usize = 12;

/// Values of a list from which on it is looked whether they are counted, one after the other: of them bounds say as much, at once.
const LEAST_COUNTED: usize = 4;

const MOST_ROWS: usize = 64;

/// Leaves columns out of rows until no variable has too many values, and there are not too many rows.
pub(super) fn leave_out_many_valued(
    of: &mut Vec<usize>,
    rows: &mut Vec<Vec<Value>>,
    many_valued: &mut FxHashSet<usize>,
) {
    while !of.is_empty() {
        let distinct = |column: usize| {
            let mut values: Vec<&Value> = Vec::new();
            for row in rows.iter() {
                if !values.contains(&&row[column]) {
                    values.push(&row[column]);
                }
            }
            values.len()
        };
        let worst = (0..of.len()).map(|column| (distinct(column), column)).max();
        let worst = worst.filter(|(count, _)| *count > MOST_VALUES || rows.len() > MOST_ROWS);
        let counted = || (0..of.len()).find(|&column| is_counted(&integers(rows, column)));
        let Some(column) = worst.map(|(_, column)| column).or_else(counted) else { return };
        many_valued.insert(of.remove(column));
        let mut fewer: Vec<Vec<Value>> = Vec::new();
        for mut row in rows.drain(..) {
            row.remove(column);
            if !fewer.contains(&row) {
                fewer.push(row);
            }
        }
        *rows = fewer;
    }
}

/// The distinct integers in a column of rows, in their order; none where there are others than integers.
fn integers(rows: &[Vec<Value>], column: usize) -> Vec<i128> {
    let mut all = Vec::new();
    for row in rows {
        let Some(value) = (match &row[column] {
            Value::BitVec { bits, .. } => bits.to_i128(),
            _ => None,
        }) else {
            return Vec::new();
        };
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

/// Whether values have come one after the other, each the next integer.
pub(super) fn is_counted(values: &[i128]) -> bool {
    values.len() > LEAST_COUNTED
        && [1, -1].iter().any(|step| values.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(*step)))
}
