//! What a public function is asked for: exceptions that were observed at sites of functions that it calls.
//!
//! A finding of a called function comes with arguments on which it occurs. A call with these arguments, or with some near them, is a
//! place to go: it is often easier to come to than it is to follow the called function's loops symbolically.

use labrys_program::{FunctionId, LibraryFunction};
use labrys_report::Value;

use super::pairs::{Focus, PairKey};
use crate::callers::{Argument, arguments};

/// What the analysis of one function is to decide.
#[derive(Clone, Debug, Default)]
pub struct Assignment {
    /// Which pairs.
    pub focus: Focus,
    /// What is looked for besides, where the function is asked for what others were seen to raise.
    pub goal: CallerGoal,
}

/// What is looked for in the analysis of a caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallerGoal {
    /// Inputs of the caller that lead far into it, as other findings showed.
    pub known: Vec<Vec<u8>>,
    /// Calls that would raise what is looked for.
    pub calls: Vec<WantedCall>,
}

/// A call on whose arguments exceptions were observed, in an analysis of the called function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedCall {
    /// The called function.
    pub function: FunctionId,
    /// Its arguments, as far as they are numbers passed by value.
    pub arguments: Vec<Argument>,
    /// What was observed on them and is looked for.
    pub pairs: Vec<PairKey>,
}

impl CallerGoal {
    /// Adds a call of `function` with the arguments `inputs`, on which `pair` was observed.
    pub fn add_call(&mut self, function: &LibraryFunction, inputs: &[Value], pair: &PairKey) {
        let Some(arguments) = arguments(function, inputs) else { return };
        let known =
            self.calls.iter_mut().find(|call| call.function == function.function && call.arguments == arguments);
        match known {
            Some(call) if call.pairs.contains(pair) => {}
            Some(call) => call.pairs.push(pair.clone()),
            None => {
                let pairs = vec![pair.clone()];
                self.calls.push(WantedCall { function: function.function, arguments, pairs });
            }
        }
    }
}
