//! Operands as operations read them.

use num_bigint::BigUint;

use crate::unpacked::{Finite, Unpacked};
use crate::{Environment, Float, Format, Rounded};

impl Environment {
    /// Takes an operand apart; under DAZ subnormals read as zeros.
    pub(crate) fn operand(&self, float: &Float) -> Unpacked {
        let unpacked = float.unpack();
        match unpacked {
            Unpacked::Finite(finite) if self.denormals_are_zero && finite.top() < float.format().min_exponent() => {
                Unpacked::Finite(Finite { significand: BigUint::ZERO, ..finite })
            }
            other => other,
        }
    }
}

/// The result in `format` if any operand is a NaN: a quiet NaN, invalid if any of them signals.
pub(crate) fn propagate_nan(format: Format, operands: &[&Unpacked]) -> Option<Rounded> {
    if operands.iter().any(|operand| matches!(operand, Unpacked::Nan { signaling: true })) {
        Some(Rounded::invalid(format))
    } else if operands.iter().any(|operand| matches!(operand, Unpacked::Nan { .. })) {
        Some(Rounded::exact(Float::nan(format)))
    } else {
        None
    }
}
