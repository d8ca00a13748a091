//! Concrete execution of one call.

use labrys_float::{Environment, Flags};
use labrys_program::{FunctionId, Program};

use crate::machine::ValueOf;
use crate::{Halt, Limits, Machine, Soft, SoftEvent, SoftPath, Stop};

/// What one concrete call did.
#[derive(Clone, Debug)]
pub struct Execution {
    /// What it returned, or why it stopped.
    pub result: Result<ValueOf<Soft>, Stop>,
    /// Every exception raised.
    pub flags: Flags,
    /// The operations that raised a notable one, in order.
    pub events: Vec<SoftEvent>,
    /// Instructions executed.
    pub instructions: u64,
    /// Memory afterwards.
    pub memory: crate::Memory<labrys_float::Float, crate::Never>,
}

/// Calls a function with scalar arguments.
pub fn interpret(
    program: &Program,
    function: FunctionId,
    arguments: Vec<ValueOf<Soft>>,
    environment: &Environment,
    limits: &Limits,
) -> Execution {
    let mut machine = Machine::new(program, Soft::new(*environment), *limits);
    let mut state = machine.state(SoftPath::default());
    let result = match machine.push_frame(&mut state, function, arguments, None) {
        Ok(()) => machine.run(&mut state).map_err(|halt| match halt {
            Halt::Stop(stop) => stop,
            Halt::Split(split) => match split.symbol {},
        }),
        Err(stop) => Err(stop),
    };
    Execution {
        result,
        flags: state.path.flags,
        events: state.path.events,
        instructions: state.instructions,
        memory: state.memory,
    }
}
