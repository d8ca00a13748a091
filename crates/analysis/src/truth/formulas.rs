//! A function's own formulas in arbitrary precision: what it would return if it never rounded.

use labrys_interp::precise::{Executed, PreciseExecution, PreciseFloat, Rounding, Twin};
use labrys_interp::{Datum, Limits};
use labrys_program::{FunctionId, InputLayout, Signature};

use super::classifier::reason;
use super::outputs::value_of;
use super::true_call::{Input, TrueCall, TrueFunction, is_settled};
use crate::target::analysed::Analysed;

/// A function's own formulas.
pub struct Formulas<'p> {
    twin: Twin<'p>,
    analysed: &'p Analysed,
    signature: &'p Signature,
}

impl<'p> Formulas<'p> {
    /// The formulas of a function; `init` is called once before everything else.
    pub fn new(
        analysed: &'p Analysed,
        signature: &'p Signature,
        init: Option<FunctionId>,
        limits: Limits,
    ) -> Formulas<'p> {
        let mut twin = Twin::new(&analysed.program, init, limits);
        twin.keep_purposeful_rounding(analysed.function);
        Formulas { twin, analysed, signature }
    }

    /// From now on rounds these operations as the program does.
    pub fn set_rounding(&mut self, rounding: Rounding) {
        self.twin.set_rounding(rounding);
    }

    /// From now on keeps what operations a call executes.
    pub fn keep_executions(&mut self) {
        self.twin.keep_executions();
    }

    /// What the last call executed, where that was to be kept.
    pub fn take_executions(&mut self) -> Vec<Executed> {
        self.twin.take_executions()
    }
}

impl TrueFunction for Formulas<'_> {
    fn inputs(&self) -> InputLayout {
        self.signature.input_layout()
    }

    fn call_on(&mut self, precision: u32, input: &mut Input<'_>) -> Result<TrueCall, String> {
        let Analysed { function, binding, .. } = self.analysed;
        let run = self.twin.call_on(*function, binding, self.signature, precision, input);
        true_call(run, precision)
    }
}

fn true_call(run: PreciseExecution, precision: u32) -> Result<TrueCall, String> {
    let PreciseExecution { outputs, marks, control, signs, .. } = run;
    let outputs = outputs.map_err(|stop| reason(&stop))?;
    if marks.rounded_encoding {
        return Err("the code makes a number of bits of another one's encoding".to_owned());
    }
    let float = |scalar: &labrys_interp::ScalarOf<labrys_interp::precise::Precise>| match &scalar.datum {
        Datum::Float(float) if !scalar.tainted => Some(float.clone()),
        _ => None,
    };
    let floats: Vec<Option<PreciseFloat>> = outputs.iter().map(float).collect();
    let is_decided = !marks.undecided && !marks.beyond_exponents;
    let integer = |scalar: &labrys_interp::ScalarOf<labrys_interp::precise::Precise>| match &scalar.datum {
        Datum::Int(int) if !scalar.tainted && is_decided => value_of(int),
        _ => None,
    };
    let integers = outputs.iter().map(integer).collect();
    let is_certified = is_decided && floats.iter().flatten().all(is_settled);
    Ok(TrueCall { floats, integers, control, signs, precision, confirmed: None, is_certified, is_decided })
}
