//! Which operations made most of the errors of a run.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::{ErrorCause, SourcePlace};

/// The errors of a run that are certain, by the operations that made them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ErrorOperations {
    /// Errors that operations have parts in: an output of a function on an input each.
    pub errors: u64,
    /// Errors that no operation's rounding alone has a part in: overflows, and branches that several roundings take together.
    #[serde(default)]
    pub others: u64,
    /// Bits that these lost together: log2(1 + ulps) each, and at most as many as its format has.
    pub bits: f64,
    /// What made them, worst first.
    pub worst: Vec<OperationErrors>,
}

/// An operation's part in all errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationErrors {
    /// Where it is.
    #[serde(flatten)]
    pub place: SourcePlace,
    /// The operation, as sites name it.
    pub operator: String,
    /// How many errors it has a part in.
    pub errors: u64,
    /// Its bits: those of each error times its share of it.
    pub bits: f64,
    /// The most leading bits that a sum of it cancelled.
    #[serde(default)]
    pub cancelled_bits: u32,
    /// In how many errors a sum of it lost an operand whole.
    #[serde(default)]
    pub absorbing: u64,
}

impl ErrorOperations {
    /// Adds an error of so many bits.
    pub fn add(&mut self, bits: f64, causes: &[ErrorCause]) {
        if causes.is_empty() {
            self.others += 1;
            return;
        }
        self.errors += 1;
        self.bits += bits;
        for cause in causes {
            self.add_operation(OperationErrors {
                place: cause.place.clone(),
                operator: cause.operator.clone(),
                errors: 1,
                bits: bits * cause.share,
                cancelled_bits: cause.cancelled_bits,
                absorbing: u64::from(cause.absorbed > 0),
            });
        }
    }

    /// Adds what another function's errors are made of.
    pub fn merge(&mut self, other: ErrorOperations) {
        self.errors += other.errors;
        self.others += other.others;
        self.bits += other.bits;
        other.worst.into_iter().for_each(|operation| self.add_operation(operation));
    }

    fn add_operation(&mut self, of: OperationErrors) {
        match self.worst.iter_mut().find(|known| known.place == of.place && known.operator == of.operator) {
            None => self.worst.push(of),
            Some(known) => {
                known.errors += of.errors;
                known.bits += of.bits;
                known.cancelled_bits = known.cancelled_bits.max(of.cancelled_bits);
                known.absorbing += of.absorbing;
            }
        }
    }

    /// How many operations a report has.
    pub const TOLD: usize = 10;

    /// The same with so many operations, the worst first.
    pub fn ranked(mut self, most: usize) -> ErrorOperations {
        let key = |of: &OperationErrors| (of.place.clone(), of.operator.clone());
        self.worst.sort_by(|a, b| match b.bits.total_cmp(&a.bits) {
            Ordering::Equal => key(a).cmp(&key(b)),
            order => order,
        });
        self.worst.truncate(most);
        self
    }

    /// The part of all bits that an operation has, from 0 to 1.
    pub fn share(&self, of: &OperationErrors) -> f64 {
        if self.bits > 0.0 { of.bits / self.bits } else { 0.0 }
    }

    /// A line for each operation: `38 %  fsub at f.c:3:18, in 12 errors, cancels up to 52 bits`.
    pub fn words(&self) -> Vec<String> {
        let words = |of: &OperationErrors| {
            let mut words =
                format!("{:>3.0} %  {} at {}", 100.0 * self.share(of), of.operator, of.place.words_or_unknown());
            words.push_str(&format!(", in {}", errors_in_words(of.errors)));
            if of.cancelled_bits > 1 {
                words.push_str(&format!(", cancels up to {} bits", of.cancelled_bits));
            }
            if of.absorbing > 0 {
                words.push_str(&format!(", loses operands whole in {}", of.absorbing));
            }
            words
        };
        self.worst.iter().map(words).collect()
    }
}

fn errors_in_words(count: u64) -> String {
    if count == 1 { "1 error".to_owned() } else { format!("{count} errors") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(line: u32, share: f64) -> ErrorCause {
        let place = SourcePlace::new(Some("f.c".to_owned()), line, 5);
        ErrorCause { place, operator: "fsub".to_owned(), share, cancelled_bits: line, ..ErrorCause::default() }
    }

    #[test]
    fn parts_add_up_over_errors_and_functions() {
        let mut of = ErrorOperations::default();
        of.add(40.0, &[cause(3, 0.75), cause(4, 0.25)]);
        of.add(10.0, &[cause(4, 1.0)]);
        let mut other = ErrorOperations::default();
        other.add(50.0, &[cause(4, 0.5), cause(9, 0.5)]);
        other.add(64.0, &[]);
        of.merge(other);
        let of = of.ranked(2);
        let told: Vec<_> = of.worst.iter().map(|of| (of.place.line, of.errors, of.bits, of.cancelled_bits)).collect();
        assert_eq!(told, [(Some(4), 3, 45.0, 4), (Some(3), 1, 30.0, 3)]);
        assert_eq!((of.errors, of.others, of.bits, of.share(&of.worst[0])), (3, 1, 100.0, 0.45));
        assert_eq!(of.words()[0], " 45 %  fsub at f.c:4:5, in 3 errors, cancels up to 4 bits");
    }
}
