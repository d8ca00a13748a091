//! What is asked: an expression, ranges of its inputs, paths; and how hard to try.

use std::time::Duration;

use labrys_elementary::Function;
use labrys_term::{Store, TermId};

/// A variable and its range: every float of its format, or for bit vectors every signed integer, from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Input {
    /// A Float or BitVec variable.
    pub variable: TermId,
    /// The least value, finite.
    pub low: f64,
    /// The greatest value, finite.
    pub high: f64,
}

/// A call of one of libm's functions: its result is a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The result, a Float variable.
    pub variable: TermId,
    /// The function.
    pub function: Function,
    /// Its operands, Float terms of the result's format; results of other calls may occur in them.
    pub operands: Vec<TermId>,
}

/// A way through the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Bool terms that all hold of the computed values where the program takes the path.
    pub guards: Vec<TermId>,
    /// What it returns: a Float term.
    pub result: TermId,
}

/// What is bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// |computed − exact|, in the result's own unit.
    #[default]
    Absolute,
    /// |computed − exact| / |exact|, a pure number.
    Relative,
}

/// What to bound the error of.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Where the terms are.
    pub store: &'a Store,
    /// The variables' ranges.
    pub inputs: &'a [Input],
    /// The calls whose results occur as variables.
    pub calls: &'a [Call],
    /// The paths. For each, program and truth are taken to follow it alike; [`Options::unstable`] asks for more.
    pub paths: &'a [Path],
}

/// How to try and how hard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// What is bounded; absolute errors if nothing is said.
    pub measure: Measure,
    /// How many floats libm's results lie at most from the correctly rounded ones, as for `labrys_elementary::image`: 0 means a
    /// correctly rounding libm, otherwise the function's own number holds where it is more. 4 if nothing is said.
    pub floats: u32,
    /// Whether a function's own number of floats (`labrys_elementary::Function::ulps`) holds where it is more. True if nothing is said; without it
    /// bounds are of a better libm than is known to exist, for comparisons with the literature.
    pub own_floats: bool,
    /// The search ends where the bound exceeds the largest sum found by at most this part of it. 0.01 if nothing is said; less takes longer.
    pub gap: f64,
    /// How many boxes may be looked at for each path; what is proved by then is the answer. 200,000 if nothing is said.
    pub boxes: u64,
    /// How long to search in all, as a backstop: answers that it cut depend on the machine. 60 seconds if nothing is said.
    pub time: Duration,
    /// Whether a constant of more than 26 significant bits stands for some real number that it is a rounding of, as 0.1 does in a source, so that its
    /// rounding counts as an error. False if nothing is said: the program's doubles are the truth's.
    pub rounded_constants: bool,
    /// Whether the program may take one path where the truth takes another: then each ordered pair of paths is bounded too, by the error
    /// on the path taken and the exact difference of the two. Paths that meet at their boundary are bounded well with one input; with more, by the size of the
    /// boxes that cover the boundary. False if nothing is said.
    pub unstable: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            measure: Measure::Absolute,
            floats: 4,
            own_floats: true,
            gap: 0.01,
            boxes: 200_000,
            time: Duration::from_secs(60),
            rounded_constants: false,
            unstable: false,
        }
    }
}
