//! How many elements an array of Fortran has whose bounds are expressions: those of a module's file, in flang's own form.
//!
//! They are computed for numbers of elements of the arguments. That a result has `n` elements is what they come to for each `n` that a driver tries, which is
//! what the driver needs to know: it asks for no other `n`.

use crate::dwarf::MOST_BEYOND;

/// What is known where bounds are computed.
pub(super) struct Known<'a> {
    /// The dimensions of an argument, by its name.
    pub(super) shape: &'a dyn Fn(&str) -> Option<String>,
    /// An integer and its value.
    pub(super) variable: (&'a str, i64),
}

/// How many elements a result has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// Always as many.
    Fixed(u64),
    /// As many as the variable says, and these more.
    Variable(u64),
}

/// How many elements an array of these dimensions has, as the variable of this name says, which is at most `greatest`; `None` where that cannot be said.
pub(super) fn count(shape: &str, of: &dyn Fn(&str) -> Option<String>, (name, greatest): (&str, u64)) -> Option<Count> {
    let at = |value: u64| elements(shape, &Known { shape: of, variable: (name, i64::try_from(value).ok()?) });
    let counts: Vec<u64> = (0..=greatest).map(at).collect::<Option<_>>()?;
    let first = *counts.first()?;
    match counts.iter().all(|count| *count == first) {
        true => Some(Count::Fixed(first)),
        false => {
            let grows = counts.iter().zip(0..).all(|(count, value): (&u64, u64)| *count == value + first);
            (grows && first <= MOST_BEYOND).then_some(Count::Variable(first))
        }
    }
}

/// The product of the extents.
fn elements(shape: &str, known: &Known<'_>) -> Option<u64> {
    super::outer_parts(shape, ['('], [')']).iter().try_fold(1_u64, |product, dimension| {
        let (lower, upper) = bounds(dimension, known)?;
        product.checked_mul(u64::try_from(upper.checked_sub(lower)?.checked_add(1)?.max(0)).ok()?)
    })
}

/// The bounds of a dimension: `4`, `0_8:n`.
fn bounds(dimension: &str, known: &Known<'_>) -> Option<(i64, i64)> {
    let mut depth = 0;
    let colon = dimension.char_indices().find(|(_, c)| {
        depth += i32::from(*c == '(') - i32::from(*c == ')');
        *c == ':' && depth == 0
    });
    let (lower, upper) = colon.map_or((None, dimension), |(at, _)| (Some(&dimension[..at]), &dimension[at + 1..]));
    let lower = lower.filter(|lower| !lower.is_empty()).map_or(Some(1), |lower| value(lower, known))?;
    Some((lower, value(upper, known)?))
}

fn value(text: &str, known: &Known<'_>) -> Option<i64> {
    let mut expression = Expression { rest: text.trim(), known, depth: 0 };
    let value = expression.sum()?;
    expression.rest.is_empty().then_some(value)
}

/// Parentheses and calls within each other that are followed.
const DEEPEST: usize = 100;

/// What is left of an expression.
struct Expression<'a> {
    rest: &'a str,
    known: &'a Known<'a>,
    depth: usize,
}

impl<'a> Expression<'a> {
    fn takes(&mut self, word: &str) -> bool {
        let rest = self.rest.strip_prefix(word).map(str::trim_start);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn sum(&mut self) -> Option<i64> {
        let mut value = if self.takes("-") { self.product()?.checked_neg()? } else { self.product()? };
        loop {
            if self.takes("+") {
                value = value.checked_add(self.product()?)?;
            } else if self.takes("-") {
                value = value.checked_sub(self.product()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<i64> {
        let mut value = self.factor()?;
        loop {
            // A power is none of these.
            if self.rest.starts_with("**") {
                return None;
            } else if self.takes("*") {
                value = value.checked_mul(self.factor()?)?;
            } else if self.takes("/") {
                value = value.checked_div(self.factor()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn factor(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let value = self.operand();
        self.depth -= 1;
        value
    }

    fn operand(&mut self) -> Option<i64> {
        if self.takes("(") {
            let value = self.sum()?;
            return self.takes(")").then_some(value);
        }
        let word = self.word();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            // Behind `_` stands the kind.
            return word.split('_').next()?.parse().ok();
        }
        if word.is_empty() {
            return None;
        }
        if !self.takes("(") {
            return (word == self.known.variable.0).then_some(self.known.variable.1);
        }
        match word {
            "size" | "lbound" | "ubound" => self.inquiry(word),
            "int" | "max" | "min" => {
                let mut values = vec![self.sum()?];
                while self.takes(",") {
                    // The result's kind holds all lengths.
                    if !self.takes("kind=") {
                        values.push(self.sum()?);
                    } else {
                        self.sum()?;
                    }
                }
                let value = match word {
                    "min" => values.into_iter().min(),
                    "max" => values.into_iter().max(),
                    _ => values.first().copied(),
                };
                self.takes(")").then_some(value).flatten()
            }
            _ => None,
        }
    }

    fn word(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    /// `size(a,dim=1,kind=8)`, `ubound(a,1_4)`: the parenthesis is open.
    fn inquiry(&mut self, what: &str) -> Option<i64> {
        let shape = (self.known.shape)(self.word())?;
        let mut dimension = None;
        while self.takes(",") {
            if self.takes("kind=") {
                self.sum()?;
            } else {
                self.takes("dim=");
                dimension = Some(usize::try_from(self.sum()?).ok()?);
            }
        }
        if !self.takes(")") {
            return None;
        }
        let parts = super::outer_parts(&shape, ['('], [')']);
        // Bounds of arguments in terms of each other come to an end, or do not compile.
        let known = Known { shape: &|_| None, variable: self.known.variable };
        match (what, dimension) {
            ("size", None) => i64::try_from(elements(&shape, &known)?).ok(),
            (_, Some(dimension)) => {
                let (lower, upper) = bounds(parts.get(dimension.checked_sub(1)?)?, &known)?;
                let extent = (upper - lower + 1).max(0);
                // An empty dimension has the bounds 1 and 0.
                Some(match (what, extent) {
                    ("size", _) => extent,
                    ("lbound", 0) => 1,
                    ("ubound", 0) => 0,
                    ("lbound", _) => lower,
                    _ => upper,
                })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(shape: &str) -> Option<Count> {
        let of = |name: &str| match name {
            "a" => Some("n".to_owned()),
            "z" => Some("0_8:0_8 + n - 1".to_owned()),
            "m" => Some("3, 2".to_owned()),
            _ => None,
        };
        count(shape, &of, ("n", 8))
    }

    #[test]
    fn extents_are_what_their_expressions_come_to() {
        let cases = [
            ("1_8:size(a,dim=1,kind=8)", Some(Count::Variable(0))),
            ("1_8:size(a,kind=8)", Some(Count::Variable(0))),
            ("1_8:int(n,kind=8)", Some(Count::Variable(0))),
            ("0_8:int(n,kind=8)", Some(Count::Variable(1))),
            // Without elements it has the upper bound 0, and the result one element.
            ("0_8:int(ubound(z,1_4),kind=8)", None),
            ("1_8:int(ubound(z,1_4)+1_4,kind=8)", None),
            (
                "lbound(a,dim=1,kind=8):int(int(size(a,dim=1,kind=8)+lbound(a,dim=1,kind=8)-1_8,kind=4),kind=8)",
                Some(Count::Variable(0)),
            ),
            ("1_8:size(m,dim=1,kind=8),1_8:size(m,dim=2,kind=8)", Some(Count::Fixed(6))),
            ("1_8:int(max(2_4*2_4-1_4,(1_4)),kind=8)", Some(Count::Fixed(3))),
            ("1_8:int(2_4*n,kind=8)", None),
            ("1_8:int(n,kind=8),1_8:int(n,kind=8)", None),
            ("1_8:int(n**2_4,kind=8)", None),
            ("1_8:int(n-1_4,kind=8)", None),
            ("1_8:int(other,kind=8)", None),
            ("1_8:f(n)", None),
            ("1_8:size(a,dim=2,kind=8)", None),
            ("1_8:8_8/0_8", None),
            (":", None),
        ];
        for (shape, expected) in cases {
            assert_eq!(counted(shape), expected, "{shape}");
        }
        assert_eq!(counted(&format!("{}1", "(".repeat(100_000))), None);
    }
}
