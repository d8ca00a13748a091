//! Inputs of the paths that came to their ends.
//!
//! Paths that read many inputs are many, and have most of them in common. What a path read is kept as the list that it shares with others, what
//! it had for its inputs as the model that it shares with others; the bytes are put together when somebody wants them.

use labrys_interp::List;
use labrys_term::Model;
use labrys_testcase::TestInput;

use crate::inputs::{InputRecord, test_input};

/// The inputs, one for each path, in the order in which paths ended.
#[derive(Clone, Debug, Default)]
pub struct Tests {
    all: Vec<Test>,
}

#[derive(Clone, Debug)]
struct Test {
    arguments: Vec<Vec<u8>>,
    inputs: List<InputRecord>,
    model: Model,
}

impl Tests {
    pub(crate) fn push(&mut self, arguments: &[Vec<u8>], inputs: List<InputRecord>, model: Model) {
        self.all.push(Test { arguments: arguments.to_vec(), inputs, model });
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The inputs of a path, by its place among those that came to their ends.
    pub fn get(&self, index: usize) -> Option<TestInput> {
        self.all.get(index).map(Test::input)
    }

    /// All, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = TestInput> {
        self.all.iter().map(Test::input)
    }
}

impl Test {
    fn input(&self) -> TestInput {
        test_input(&self.arguments, &self.inputs, &self.model)
    }
}

impl PartialEq for Tests {
    fn eq(&self, other: &Tests) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Tests {}
