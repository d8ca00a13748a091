//! The comparisons of floats that a run makes on an input, with what they compare.

use std::rc::Rc;
use std::time::Instant;

use labrys_float::Format;
use labrys_program::{BlockId, FunctionId, Program};
use labrys_term::Store;
use labrys_testcase::TestInput;

use crate::Options;
use crate::coverage::{Features, Recorder};
use crate::covering::RUN;
use crate::driver::Driver;
use crate::inputs::Source;

/// The most comparisons that are told of one run.
pub(crate) const MOST_COMPARISONS: usize = 1 << 16;

/// A comparison of two floats, as one run made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The function.
    pub function: FunctionId,
    /// Its block.
    pub block: BlockId,
    /// The instruction's position in the block.
    pub instruction: u32,
    /// The floats' format.
    pub format: Format,
    /// The left operand's encoding.
    pub left: u128,
    /// The right operand's encoding.
    pub right: u128,
}

/// The comparisons of floats in a run on an input, in their order; 2^16 of them at most. It takes two seconds at most. Comparisons of
/// vectors and of what is not concrete are left out.
pub fn comparisons(program: &Program, options: &Options, input: &TestInput) -> Vec<Comparison> {
    let mut store = Store::new();
    let watch = options.watch.as_ref().map(|watch| watch.quiet());
    let options = Options { deadline: Some(Instant::now() + RUN), watch, ..options.on(&input.arguments) };
    let mut run = Driver::new(program, &options, Source::Fixed(input.clone()), &mut store);
    let mut recorder = Recorder::new(Rc::new(Features::default()));
    recorder.comparisons = Some(Vec::new());
    run.machine.domain.recorder = Some(recorder);
    run.follow_all();
    run.machine.domain.recorder.take().and_then(|recorder| recorder.comparisons).unwrap_or_default()
}
