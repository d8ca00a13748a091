//! How much of the memory behind its pointer parameters a call touches.

use labrys_float::Environment;
use labrys_program::{FunctionId, IrBinding, Program, Signature};

use crate::interpret::datum_of;
use crate::{Limits, Machine, Soft, SoftPath, State, Stop};

/// Concrete trial runs of a program's functions. Globals are made once, and every run starts from them.
#[derive(Debug)]
pub struct Trials<'p> {
    machine: Machine<'p, Soft>,
    /// Memory after the initialiser; no activation.
    start: State<Soft>,
}

impl<'p> Trials<'p> {
    /// Trials of a program; `init` is called once before everything else ([`Machine::prepare`]).
    ///
    /// # Errors
    ///
    /// Why the initialiser did not return.
    pub fn new(program: &'p Program, init: Option<FunctionId>, limits: Limits) -> Result<Trials<'p>, Stop> {
        let mut machine = Machine::new(program, Soft::new(Environment::default()), limits);
        let mut start = machine.state(SoftPath::default());
        if let Some(init) = init {
            machine.prepare(&mut start, init)?;
        }
        Ok(Trials { machine, start })
    }

    /// For each parameter of the source how far its memory was read or written, in bytes from its start: 0 where it has none
    /// or none was touched, more than there is where the call ended by that. However the call ends, what was touched before
    /// counts.
    ///
    /// # Errors
    ///
    /// [`Stop::Unsupported`] if the binding does not fit the function.
    pub fn touched(
        &mut self,
        function: FunctionId,
        binding: &IrBinding,
        signature: &Signature,
        input: &[u8],
    ) -> Result<Vec<u64>, Stop> {
        let mut state = self.start.clone();
        self.machine.touched = Some(Default::default());
        let mut leaf = |_: &mut Soft, leaf: &_| datum_of(leaf, input);
        let entry = self.machine.enter_call(&mut state, function, binding, signature, &mut leaf)?;
        let _ = self.machine.run(&mut state);
        let touched = self.machine.touched.take().unwrap_or_default();
        let of = |block: &Option<_>| block.and_then(|block| touched.get(&block).copied()).unwrap_or(0);
        Ok(entry.blocks().iter().map(of).collect())
    }
}
