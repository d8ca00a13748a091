//! Simplifying an input while it keeps a property.
//!
//! Greedy descent on [`Cost`]: groups of leaves to zero (by halves, after Zeller and Hildebrandt, "Simplifying and
//! Isolating Failure-Inducing Input", TSE 2002), all floats to few digits at once, then each leaf by itself, then pairs,
//! until nothing simpler keeps the property. Every accepted step lowers the cost, so the descent ends; the oracle is
//! asked in batches, of which the simplest success is taken.

use labrys_float::{Class, Float, Format};
use rustc_hash::FxHashSet;

use crate::domain::Variable;
use crate::simplicity::{Cost, leaf_cost};
use crate::space::Space;

/// How many inputs the oracle is asked about at most, unless the caller says otherwise.
pub const DEFAULT_ORACLE_INPUTS: usize = 4096;

/// How many inputs the oracle gets at a time.
const BATCH: usize = 32;
/// Pairs are simplified together only among so many leaves: 28 pairs.
const PAIRED_LEAVES: usize = 8;

/// Answers for each of a batch of inputs whether it has the property.
type Oracle<'o> = dyn FnMut(&[Vec<u8>]) -> Vec<bool> + 'o;

/// New encodings for some leaves, by index.
type Edit = Vec<(usize, u128)>;

/// The simplest input found that has the property, `record` itself if none. `record` is taken to have it. The result is
/// in the space, if `record` is, and never costs more.
pub fn shrink(space: &Space, record: &[u8], oracle: &mut Oracle<'_>) -> Vec<u8> {
    shrink_within(space, record, DEFAULT_ORACLE_INPUTS, oracle)
}

/// As [`shrink`], asking the oracle about at most `max_inputs` inputs.
pub fn shrink_within(space: &Space, record: &[u8], max_inputs: usize, oracle: &mut Oracle<'_>) -> Vec<u8> {
    if record.len() != space.record_size() {
        return record.to_vec();
    }
    let mut descent = Descent::new(space, record, max_inputs, oracle);
    loop {
        let before = descent.cost;
        descent.groups_to_zero();
        descent.all_to_few_digits();
        for leaf in 0..space.variables.len() {
            while descent.take_simplest(descent.single(leaf)) {}
        }
        descent.pairs();
        if descent.cost == before || descent.left == 0 {
            return descent.record;
        }
    }
}

struct Descent<'d, 'o> {
    space: &'d Space,
    oracle: &'d mut Oracle<'o>,
    record: Vec<u8>,
    /// Cost of each leaf of `record`.
    costs: Vec<Cost>,
    /// Their sum.
    cost: Cost,
    /// Inputs the oracle may still be asked about.
    left: usize,
    /// Records the oracle refused.
    refused: FxHashSet<Vec<u8>>,
}

impl<'d, 'o> Descent<'d, 'o> {
    fn new(space: &'d Space, record: &[u8], left: usize, oracle: &'d mut Oracle<'o>) -> Descent<'d, 'o> {
        let costs: Vec<Cost> = space.variables.iter().map(|v| leaf_cost(v, v.leaf.read(record))).collect();
        let cost = Cost::of(space, record);
        Descent { space, oracle, record: record.to_vec(), costs, cost, left, refused: FxHashSet::default() }
    }

    fn cost_after(&self, edit: &Edit) -> Cost {
        edit.iter().fold(self.cost, |cost, (leaf, bits)| {
            cost - self.costs[*leaf] + leaf_cost(&self.space.variables[*leaf], *bits)
        })
    }

    fn apply(&self, edit: &Edit) -> Vec<u8> {
        let mut record = self.record.clone();
        for (leaf, bits) in edit {
            self.space.variables[*leaf].leaf.write(&mut record, *bits);
        }
        record
    }

    /// Takes the simplest of the edits that lowers the cost and keeps the property, if there is one.
    fn take_simplest(&mut self, edits: Vec<Edit>) -> bool {
        let mut ranked: Vec<(Cost, Edit)> = edits
            .into_iter()
            .map(|edit| (self.cost_after(&edit), edit))
            .filter(|(cost, _)| *cost < self.cost)
            .collect();
        // Stable: among equals the order in which they were thought of.
        ranked.sort_by_key(|(cost, _)| *cost);
        let mut batch: Vec<(Edit, Vec<u8>)> = Vec::with_capacity(BATCH);
        let mut queued: FxHashSet<Vec<u8>> = FxHashSet::default();
        let mut rest = ranked.into_iter();
        loop {
            batch.clear();
            for (_, edit) in rest.by_ref() {
                let record = self.apply(&edit);
                if !self.refused.contains(&record) && self.space.admits(&record) && queued.insert(record.clone()) {
                    batch.push((edit, record));
                }
                if batch.len() >= BATCH.min(self.left) {
                    break;
                }
            }
            batch.truncate(self.left);
            if batch.is_empty() {
                return false;
            }
            let records: Vec<Vec<u8>> = batch.iter().map(|(_, record)| record.clone()).collect();
            self.left -= records.len();
            let verdicts = (self.oracle)(&records);
            let success = verdicts.iter().position(|holds| *holds).filter(|index| *index < batch.len());
            match success {
                Some(index) => {
                    self.refused.extend(records.into_iter().take(index));
                    let (edit, record) = batch.swap_remove(index);
                    for (leaf, bits) in &edit {
                        let cost = leaf_cost(&self.space.variables[*leaf], *bits);
                        self.cost = self.cost - self.costs[*leaf] + cost;
                        self.costs[*leaf] = cost;
                    }
                    self.record = record;
                    return true;
                }
                None => self.refused.extend(records),
            }
        }
    }

    /// Runs of leaves to their simplest values: all, halves, quarters, down to two.
    fn groups_to_zero(&mut self) {
        let count = self.space.variables.len();
        let mut size = count;
        while size >= 2 {
            for start in (0..count).step_by(size) {
                let run = start..(start + size).min(count);
                let edit = run.map(|leaf| (leaf, self.space.variables[leaf].domain.simplest())).collect();
                self.take_simplest(vec![edit]);
            }
            size = size.div_ceil(2);
            if size == 1 {
                break;
            }
        }
    }

    /// All floats to the same number of digits.
    fn all_to_few_digits(&mut self) {
        let floats: Vec<(usize, Vec<Vec<u128>>)> = (0..self.space.variables.len())
            .filter_map(|leaf| Some((leaf, self.float(leaf)?)))
            .map(|(leaf, float)| (leaf, roundings(&float)))
            .collect();
        if floats.len() < 2 {
            return;
        }
        let longest = floats.iter().map(|(_, roundings)| roundings.len()).max().unwrap_or(0);
        let mut edits = Vec::new();
        for digits in 0..longest {
            for side in 0..2 {
                let edit: Edit = floats
                    .iter()
                    .filter_map(|(leaf, roundings)| Some((*leaf, *roundings.get(digits)?.get(side)?)))
                    .collect();
                edits.push(edit);
            }
        }
        self.take_simplest(edits);
    }

    /// A float leaf's value.
    fn float(&self, leaf: usize) -> Option<Float> {
        self.space.variables[leaf].leaf.float(&self.record)
    }

    /// Simpler values of one leaf.
    fn single(&self, leaf: usize) -> Vec<Edit> {
        let variable = &self.space.variables[leaf];
        let values = match self.float(leaf) {
            Some(float) => float_candidates(variable, &float),
            None => int_candidates(variable, variable.leaf.read(&self.record)),
        };
        values.into_iter().map(|bits| vec![(leaf, bits)]).collect()
    }

    /// Two leaves at once, to values of one digit or trivial ones: what depends on their ratio or difference.
    fn pairs(&mut self) {
        let nontrivial: Vec<usize> = (0..self.space.variables.len())
            .filter(|leaf| self.costs[*leaf] > Cost::default())
            .take(PAIRED_LEAVES)
            .collect();
        for (i, &first) in nontrivial.iter().enumerate() {
            for &second in &nontrivial[i + 1..] {
                let (left, right) = (self.few(first), self.few(second));
                let mut edits: Vec<Edit> =
                    left.iter().flat_map(|a| right.iter().map(|b| vec![(first, *a), (second, *b)])).collect();
                edits.extend(self.scaled_together(first, second));
                self.take_simplest(edits);
            }
        }
    }

    /// Two floats times powers of ten that keep their quotient or their product and leave one of them a plain decimal.
    fn scaled_together(&self, first: usize, second: usize) -> Vec<Edit> {
        let (Some(a), Some(b)) = (self.float(first), self.float(second)) else { return Vec::new() };
        let (Some((_, x)), Some((_, y))) = (a.shortest_digits(), b.shortest_digits()) else { return Vec::new() };
        let moves = [(-x, -x), (-y, -y), (-x, x), (y, -y)];
        let edit = |(i, j)| Some(vec![(first, times_ten_to(&a, i)?), (second, times_ten_to(&b, j)?)]);
        moves.into_iter().filter_map(edit).collect()
    }

    /// At most ten of a leaf's simpler values.
    fn few(&self, leaf: usize) -> Vec<u128> {
        let variable = &self.space.variables[leaf];
        match self.float(leaf) {
            Some(float) => {
                let format = float.format();
                let mut values: Vec<u128> = ["0", "1", "-1"].iter().filter_map(|text| read(format, text)).collect();
                values.extend(roundings(&float).into_iter().take(3).flatten());
                values.extend(powers_of_ten(&float));
                values.extend(float.abs().to_u128());
                values.truncate(10);
                values
            }
            None => int_candidates(variable, variable.leaf.read(&self.record)).into_iter().take(6).collect(),
        }
    }
}

/// Reads a numeral as an encoding.
fn read(format: Format, text: &str) -> Option<u128> {
    Float::parse_decimal(format, text)?.to_u128()
}

/// A finite number with another decimal exponent, its shortest digits kept.
fn times_ten_to(float: &Float, power: i64) -> Option<u128> {
    let (digits, exponent) = float.shortest_digits()?;
    let sign = if float.is_negative() { "-" } else { "" };
    let digits: String = digits.iter().map(|digit| char::from(b'0' + digit)).collect();
    let (first, rest) = digits.split_at(1);
    read(float.format(), &format!("{sign}{first}.{rest}e{}", exponent + power))
}

/// For each number of digits below its own, 1 upward, the two decimals around a finite number.
fn roundings(float: &Float) -> Vec<Vec<u128>> {
    let Some((digits, exponent)) = float.shortest_digits() else { return Vec::new() };
    let sign = if float.is_negative() { "-" } else { "" };
    let mut leading = 0u128;
    let mut list = Vec::new();
    for (count, digit) in digits.iter().enumerate().take(digits.len() - 1) {
        // 36 digits, binary128's longest shortest decimal, fit into 127 bits.
        leading = leading * 10 + u128::from(*digit);
        let power = exponent - count as i64;
        let around = [leading, leading + 1];
        list.push(around.iter().filter_map(|n| read(float.format(), &format!("{sign}{n}e{power}"))).collect());
    }
    list
}

/// Powers of ten near a finite number, those with short exponents included, of its sign.
fn powers_of_ten(float: &Float) -> Vec<u128> {
    let Some((digits, exponent)) = float.shortest_digits() else { return Vec::new() };
    let sign = if float.is_negative() { "-" } else { "" };
    let mut exponents = vec![exponent, exponent + 1];
    for unit in [10, 100, 1000] {
        let below = exponent.div_euclid(unit) * unit;
        // The round exponents around it, and one step further toward zero.
        exponents.extend([below, below + unit, below - unit * exponent.signum()]);
    }
    let mut list: Vec<u128> =
        exponents.iter().filter_map(|power| read(float.format(), &format!("{sign}1e{power}"))).collect();
    // The leading digit with a shorter exponent.
    list.extend(
        exponents[2..].iter().filter_map(|power| read(float.format(), &format!("{sign}{}e{power}", digits[0]))),
    );
    list
}

/// Values a float might be simplified to; costs decide which of them are simpler.
fn float_candidates(variable: &Variable, float: &Float) -> Vec<u128> {
    let format = float.format();
    let mut values = vec![variable.domain.simplest()];
    let plain =
        ["0", "1", "-1", "2", "-2", "3", "-3", "4", "-4", "5", "-5", "8", "10", "-10", "0.5", "-0.5", "0.1", "100"];
    values.extend(plain.iter().filter_map(|text| read(format, text)));
    values.extend(float.abs().to_u128());
    values.extend(powers_of_ten(float));
    values.extend(roundings(float).into_iter().flatten());
    if float.class() == Class::Infinite {
        values.extend(read(format, if float.is_negative() { "-1e300" } else { "1e300" }));
        values.extend(Float::max_finite(format).copysign(float).to_u128());
    }
    // The ends of a bounded range may be the only short decimals in it.
    let (low, high) = variable.domain.bounds();
    values.extend([variable.domain.at(low), variable.domain.at(high)]);
    values
}

/// Values an integer might be simplified to, toward zero.
fn int_candidates(variable: &Variable, bits: u128) -> Vec<u128> {
    let Some(value) = variable.domain.place(bits) else { return Vec::new() };
    let mut places = vec![0, 1, -1, value.abs()];
    // Halves by bisection: the largest step toward zero first.
    let mut step = value;
    while step != 0 {
        places.push(value - step);
        step /= 2;
    }
    let mut ten = 1;
    while ten < value.abs() {
        places.push(ten * value.signum());
        places.push(value / ten * ten);
        ten *= 10;
    }
    places.push(variable.domain.place(variable.domain.simplest()).unwrap_or(0));
    let (low, high) = variable.domain.bounds();
    places.into_iter().filter(|place| (low..=high).contains(place)).map(|place| variable.domain.at(place)).collect()
}
