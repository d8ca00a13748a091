//! One of MPFR's functions as the truth of a function.
//!
//! **Claim.** MPFR rounds correctly, so that the value at a precision is the true one to within half a unit in its last place.

use labrys_elementary::{MpfrFunction, rug};
use labrys_float::Format;
use labrys_interp::Datum;
use labrys_interp::precise::PreciseFloat;
use labrys_program::{InputLayout, Leaf, ScalarType};

use super::true_call::{Input, TrueCall, TrueFunction, is_settled};

/// An argument of the call.
#[derive(Clone, Debug)]
pub enum Argument {
    /// The same number always.
    Constant(rug::Float),
    /// What the input record has there.
    Input(Leaf),
}

/// A call of one of MPFR's functions.
#[derive(Clone, Debug)]
pub struct MpfrCall {
    /// The function.
    pub function: MpfrFunction,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// How inputs lie in records.
    pub inputs: InputLayout,
    /// Of the output record's leaves the float that is compared, and how many there are.
    pub output: (usize, usize),
    /// Its format.
    pub format: Format,
}

impl TrueFunction for MpfrCall {
    fn inputs(&self) -> InputLayout {
        self.inputs.clone()
    }

    fn call_on(&mut self, precision: u32, input: &mut Input<'_>) -> Result<TrueCall, String> {
        let name = self.function.name();
        let mut values = Vec::with_capacity(self.arguments.len());
        for argument in &self.arguments {
            values.push(match argument {
                Argument::Constant(value) => value.clone(),
                Argument::Input(leaf) => match (input(leaf), leaf.scalar) {
                    (Datum::Float(float), _) => float.value().clone(),
                    (Datum::Int(int), ScalarType::Int { signed: true, .. }) => {
                        rug::Float::with_val(128, int.signed().unwrap_or_default())
                    }
                    (Datum::Int(int), _) => rug::Float::with_val(128, int.concrete().unwrap_or_default()),
                    (Datum::Pointer(_), _) => return Err("an argument is a pointer".to_owned()),
                },
            });
        }
        let (value, order) = self
            .function
            .value(&values, precision)
            .ok_or_else(|| format!("mpfr_{name} takes too long, or is not defined, for such arguments"))?;
        let float = PreciseFloat::rounded(value, order.is_eq(), self.format);
        let is_certified = is_settled(&float);
        let value = float.value();
        // Between values of different signs lies a root or a pole.
        let signs = u64::from(value.is_sign_negative()) + 2 * u64::from(value.is_nan());
        let (at, count) = self.output;
        let mut floats = vec![None; count];
        floats[at] = Some(float);
        let integers = vec![None; floats.len()];
        Ok(TrueCall { floats, integers, control: 0, signs, precision, confirmed: None, is_certified, is_decided: true })
    }
}
