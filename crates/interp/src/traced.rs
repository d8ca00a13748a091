//! The concrete domain whose floats know what computed them.
//!
//! **What it may miss.** A float that is made of bits is taken for the last one of the same width that was taken apart into these bits; of one of which nothing
//! like that is known, as of what integers make, nothing is known but its value.

use labrys_elementary::Function;
use labrys_float::{Class, Flags, Float, Format};
use labrys_program::{FloatCall, LocationId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::interpret::{datum_of, record_of, stop_of};
use crate::machine::ScalarOf;
use crate::{
    ClassMask, Datum, Domain, FloatComparison, FloatOperation, Int, IntOperation, Limits, Machine, Never, Place,
    RecordCall, Scalar, Soft, SoftPath, Stop, ToInteger,
};

/// Of an operation so many operands are kept.
const OPERANDS: usize = 3;

/// Where a float comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The leaf of the input record at this offset, in bytes.
    Input(usize),
    /// The operation with this index.
    Operation(usize),
    /// A literal, or what nothing is known of but its value.
    Value,
}

/// A float and where it comes from.
#[derive(Clone, Debug)]
pub struct TracedFloat {
    /// The float.
    pub value: Float,
    /// What computed it.
    pub origin: Origin,
}

/// An operand of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracedOperand {
    /// Its encoding, every NaN the same.
    pub bits: u128,
    /// Where it comes from.
    pub origin: Origin,
}

/// What one operation on floats computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedOperation {
    /// Where it stands in the source.
    pub location: Option<LocationId>,
    /// Which of the operations that the instruction stands for; see [`Place::part`].
    pub part: u32,
    /// The operation, as in [`crate::SoftEvent`].
    pub operator: &'static str,
    /// The encoding of the result, every NaN the same; of a comparison the order of its operands: 0 less, 1 equal, 2 greater, 3 unordered.
    pub bits: u128,
    /// How many bits the result's encoding has; 0 where it is no float.
    pub width: u32,
    /// Its first operands that are floats.
    pub operands: SmallVec<[TracedOperand; OPERANDS]>,
    /// Whether it is x · 1, x / 1, x + 0 or x - 0, and x: without it the same is computed.
    pub is_identity: bool,
    /// What it raised.
    pub flags: Flags,
}

/// What one concrete call computed.
#[derive(Clone, Debug)]
pub struct TracedExecution {
    /// The output record, or why the call stopped.
    pub output: Result<Vec<u8>, Stop>,
    /// Where each leaf of the output record comes from, as far as it is a float.
    pub origins: Vec<Origin>,
    /// Every exception raised.
    pub flags: Flags,
    /// The operations on floats, in order: all, or as many as were asked for.
    pub operations: Vec<TracedOperation>,
}

/// Results that operations of a run get instead of their own.
pub struct Substitution<'s> {
    /// The run.
    pub operations: &'s [TracedOperation],
    /// The results, as in [`TracedOperation::bits`], by the operations' indices.
    pub results: FxHashMap<usize, u128>,
}

impl Substitution<'_> {
    /// What the operation with this index gets, if it is that of the run: where control parts there are none any more.
    fn result(&self, index: usize, operator: &str, place: &Place) -> Option<u128> {
        let of = self.operations.get(index)?;
        let is_it = (of.operator, of.location, of.part) == (operator, place.location, place.part);
        self.results.get(&index).copied().filter(|_| is_it)
    }
}

/// [`Soft`], with origins.
struct Traced<'s> {
    soft: Soft,
    /// How many operations are kept.
    most: usize,
    /// What some of them get for results.
    substitution: Option<&'s Substitution<'s>>,
    /// Where encodings of a width come from, as far as floats were taken apart.
    encodings: FxHashMap<(u32, u128), Origin>,
}

/// What a path computed.
#[derive(Clone, Debug, Default)]
struct TracedPath {
    soft: SoftPath,
    operations: Vec<TracedOperation>,
}

impl RecordCall<'_> {
    /// Calls it with an input record and keeps its first operations, at most so many.
    pub fn trace(&self, soft: Soft, input: &[u8], limits: &Limits, most: usize) -> TracedExecution {
        self.trace_with(soft, input, limits, (most, None))
    }

    /// The output record if some operations had other results, and what hangs on them were computed from these. Of operations without a counterpart in the run
    /// that is given, because control has parted before, none has another result.
    ///
    /// # Errors
    ///
    /// Why the call stopped.
    pub fn substituted(
        &self,
        soft: Soft,
        input: &[u8],
        limits: &Limits,
        substitution: &Substitution<'_>,
    ) -> Result<Vec<u8>, Stop> {
        self.trace_with(soft, input, limits, (substitution.operations.len(), Some(substitution))).output
    }

    fn trace_with(
        &self,
        soft: Soft,
        input: &[u8],
        limits: &Limits,
        (most, substitution): (usize, Option<&Substitution<'_>>),
    ) -> TracedExecution {
        let domain = Traced { soft, most, substitution, encodings: FxHashMap::default() };
        let mut machine = Machine::new(self.program, domain, *limits);
        let mut state = machine.state(TracedPath::default());
        let leaves = (|| {
            if let Some(init) = self.init {
                machine.prepare(&mut state, init)?;
            }
            let entry =
                machine.enter_call(&mut state, self.function, self.binding, self.signature, &mut |_, leaf| {
                    match datum_of(leaf, input) {
                        Datum::Float(value) => Datum::Float(TracedFloat { value, origin: Origin::Input(leaf.offset) }),
                        Datum::Int(int) => Datum::Int(int),
                        Datum::Pointer(pointer) => Datum::Pointer(pointer),
                    }
                })?;
            let value = machine.run(&mut state).map_err(stop_of)?;
            machine.outputs(&state, &entry, &value)
        })();
        let origin = |leaf: &ScalarOf<Traced<'_>>| match &leaf.datum {
            Datum::Float(float) => float.origin,
            _ => Origin::Value,
        };
        let TracedPath { soft, operations } = state.path;
        TracedExecution {
            origins: leaves.iter().flatten().map(origin).collect(),
            output: leaves.map(|leaves| {
                let untraced: Vec<ScalarOf<Soft>> = leaves.into_iter().map(untraced).collect();
                record_of(self.signature, &untraced)
            }),
            flags: soft.flags,
            operations,
        }
    }
}

fn untraced(scalar: ScalarOf<Traced<'_>>) -> ScalarOf<Soft> {
    let datum = match scalar.datum {
        Datum::Float(float) => Datum::Float(float.value),
        Datum::Int(int) => Datum::Int(int),
        Datum::Pointer(pointer) => Datum::Pointer(pointer),
    };
    Scalar { datum, tainted: scalar.tainted }
}

/// Floats without their origins.
fn values(floats: &[TracedFloat]) -> SmallVec<[Float; OPERANDS]> {
    floats.iter().map(|float| float.value.clone()).collect()
}

impl Traced<'_> {
    /// Computes something by [`Soft`]; with what it raised, which is kept with the rest.
    fn compute<T>(
        &mut self,
        path: &mut TracedPath,
        compute: impl FnOnce(&mut Soft, &mut SoftPath) -> Result<T, Stop>,
    ) -> Result<(T, Flags), Stop> {
        let before = std::mem::take(&mut path.soft.flags);
        let computed = compute(&mut self.soft, &mut path.soft);
        let raised = path.soft.flags;
        path.soft.flags |= before;
        Ok((computed?, raised))
    }

    /// What the next operation gets for its result instead of its own.
    fn substitute(&self, path: &TracedPath, place: &Place, operator: &'static str) -> Option<u128> {
        self.substitution?.result(path.operations.len(), named(place, operator), place)
    }

    /// Keeps an operation; its origin.
    fn keep(
        &self,
        path: &mut TracedPath,
        place: &Place,
        operator: &'static str,
        (operands, flags): (&[TracedFloat], Flags),
        (bits, width): (u128, u32),
    ) -> Origin {
        if path.operations.len() >= self.most {
            return Origin::Value;
        }
        let operand = |of: &TracedFloat| TracedOperand { bits: encoding(&of.value), origin: of.origin };
        path.operations.push(TracedOperation {
            location: place.location,
            part: place.part,
            operator: named(place, operator),
            bits,
            width,
            operands: operands.iter().take(OPERANDS).map(operand).collect(),
            is_identity: is_identity(operator, operands, bits),
            flags,
        });
        Origin::Operation(path.operations.len() - 1)
    }

    /// The same of one whose result is a float.
    fn keep_float(
        &self,
        path: &mut TracedPath,
        place: &Place,
        operator: &'static str,
        of: (&[TracedFloat], Flags),
        value: Float,
    ) -> TracedFloat {
        let substituted = self.substitute(path, place, operator).map(|bits| decoded(bits, value.format()));
        let value = substituted.unwrap_or(value);
        let origin = self.keep(path, place, operator, of, (encoding(&value), value.format().width()));
        TracedFloat { value, origin }
    }
}

impl Domain for Traced<'_> {
    type Float = TracedFloat;
    type Symbol = Never;
    type Path = TracedPath;

    fn float_constant(&mut self, value: &Float) -> TracedFloat {
        TracedFloat { value: value.clone(), origin: Origin::Value }
    }

    fn float_format(&self, value: &TracedFloat) -> Format {
        value.value.format()
    }

    fn float_operation(
        &mut self,
        path: &mut TracedPath,
        place: &Place,
        operation: FloatOperation,
        operands: &[TracedFloat],
    ) -> Result<TracedFloat, Stop> {
        let floats = values(operands);
        let (value, raised) = self.compute(path, |soft, path| soft.float_operation(path, place, operation, &floats))?;
        Ok(self.keep_float(path, place, operation.operator(), (operands, raised), value))
    }

    fn float_compare(
        &mut self,
        path: &mut TracedPath,
        place: &Place,
        comparison: FloatComparison,
        lhs: &TracedFloat,
        rhs: &TracedFloat,
    ) -> Result<Int<Never>, Stop> {
        let (holds, raised) =
            self.compute(path, |soft, path| soft.float_compare(path, place, comparison, &lhs.value, &rhs.value))?;
        let (order, _) = self.soft.environment.compare_quiet(&lhs.value, &rhs.value);
        let order = order.map_or(3, |order| (order as i8 + 1) as u128);
        let substituted = self.substitute(path, place, "fcmp");
        let holds = match substituted {
            Some(order) => {
                let (lhs, rhs) = in_order(order);
                self.soft.float_compare(&mut SoftPath::default(), place, comparison, &lhs, &rhs)?
            }
            None => holds,
        };
        let order = substituted.unwrap_or(order);
        self.keep(path, place, "fcmp", (&[lhs.clone(), rhs.clone()], raised), (order, 0));
        Ok(holds)
    }

    fn float_class(&mut self, value: &TracedFloat, mask: ClassMask) -> Int<Never> {
        self.soft.float_class(&value.value, mask)
    }

    fn float_to_int(
        &mut self,
        path: &mut TracedPath,
        place: &Place,
        conversion: ToInteger,
        value: &TracedFloat,
    ) -> Result<(Int<Never>, bool), Stop> {
        let (converted, raised) =
            self.compute(path, |soft, path| soft.float_to_int(path, place, conversion, &value.value))?;
        let substituted = self.substitute(path, place, "fconvert").filter(|_| converted.0.bits() <= u128::BITS);
        let converted = match substituted {
            Some(bits) => (Int::new(converted.0.bits(), bits), false),
            None => converted,
        };
        let bits = told_apart(&converted.0);
        self.keep(path, place, "fconvert", (std::slice::from_ref(value), raised), (bits, 0));
        Ok(converted)
    }

    fn int_to_float(
        &mut self,
        path: &mut TracedPath,
        place: &Place,
        value: &Int<Never>,
        signed: bool,
        format: Format,
    ) -> Result<TracedFloat, Stop> {
        let (float, raised) = self.compute(path, |soft, path| soft.int_to_float(path, place, value, signed, format))?;
        Ok(self.keep_float(path, place, "fconvert", (&[], raised), float))
    }

    fn float_scale(
        &mut self,
        path: &mut TracedPath,
        place: &Place,
        value: &TracedFloat,
        exponent: &Int<Never>,
    ) -> Result<TracedFloat, Stop> {
        let (scaled, raised) =
            self.compute(path, |soft, path| soft.float_scale(path, place, &value.value, exponent))?;
        Ok(self.keep_float(path, place, FloatCall::Scale.operator(), (std::slice::from_ref(value), raised), scaled))
    }

    fn fraction_exponent(
        &mut self,
        path: &mut TracedPath,
        place: &Place,
        value: &TracedFloat,
    ) -> Result<(TracedFloat, Int<Never>), Stop> {
        let ((fraction, exponent), raised) =
            self.compute(path, |soft, path| soft.fraction_exponent(path, place, &value.value))?;
        let operator = FloatCall::FractionExponent.operator();
        let fraction = self.keep_float(path, place, operator, (std::slice::from_ref(value), raised), fraction);
        Ok((fraction, exponent))
    }

    fn elementary(
        &mut self,
        path: &mut TracedPath,
        place: &Place,
        function: Function,
        operands: &[TracedFloat],
    ) -> Result<TracedFloat, Stop> {
        let floats = values(operands);
        let (value, raised) = self.compute(path, |soft, path| soft.elementary(path, place, function, &floats))?;
        Ok(self.keep_float(path, place, function.name(), (operands, raised), value))
    }

    fn float_to_bits(&mut self, value: &TracedFloat) -> Int<Never> {
        let bits = self.soft.float_to_bits(&value.value);
        if let Some(encoding) = bits.concrete().filter(|_| value.origin != Origin::Value) {
            self.encodings.insert((bits.bits(), encoding), value.origin);
        }
        bits
    }

    fn float_from_bits(&mut self, bits: &Int<Never>, format: Format) -> TracedFloat {
        let known = bits.concrete().and_then(|encoding| self.encodings.get(&(bits.bits(), encoding)).copied());
        TracedFloat { value: self.soft.float_from_bits(bits, format), origin: known.unwrap_or(Origin::Value) }
    }

    fn float_select(&mut self, condition: &Never, _: &TracedFloat, _: &TracedFloat) -> TracedFloat {
        match *condition {}
    }

    fn int_operation(&mut self, symbol: &Never, _: IntOperation, _: &[Int<Never>]) -> Int<Never> {
        match *symbol {}
    }

    fn known_value(&self, _: &TracedPath, symbol: &Never) -> Option<u128> {
        match *symbol {}
    }

    fn stride(&self, symbol: &Never) -> (u64, u64) {
        match *symbol {}
    }
}

/// What an operation at a place is called.
fn named(place: &Place, operator: &'static str) -> &'static str {
    if place.is_power { FloatCall::IntegerPower.operator() } else { operator }
}

/// Two floats in an order of [`TracedOperation::bits`].
fn in_order(order: u128) -> (Float, Float) {
    let (zero, one) = (Float::zero(Format::BINARY64, false), Float::one(Format::BINARY64));
    match order {
        0 => (zero, one),
        1 => (one.clone(), one),
        2 => (one, zero),
        _ => (Float::nan(Format::BINARY64), one),
    }
}

/// The float of an encoding as [`encoding`] gives it.
fn decoded(bits: u128, format: Format) -> Float {
    if bits == u128::MAX { Float::nan(format) } else { Float::from_bits(format, bits) }
}

/// A float's encoding, every NaN the same.
fn encoding(value: &Float) -> u128 {
    if value.is_nan() { u128::MAX } else { value.to_u128().unwrap_or_default() }
}

/// Whether an operation with this result is its one operand whatever that is.
fn is_identity(operator: &str, operands: &[TracedFloat], bits: u128) -> bool {
    let [a, b] = operands else { return false };
    let (a, b) = (&a.value, &b.value);
    let is_one = |of: &Float| *of == Float::one(of.format());
    let is_zero = |of: &Float| of.class() == Class::Zero;
    let (keeps_b, keeps_a) = match operator {
        "fmul" => (is_one(a), is_one(b)),
        "fdiv" => (false, is_one(b)),
        "fadd" => (is_zero(a), is_zero(b)),
        "fsub" => (false, is_zero(b)),
        _ => return false,
    };
    keeps_b && bits == encoding(b) || keeps_a && bits == encoding(a)
}

/// What tells an integer from others of its width.
fn told_apart(int: &Int<Never>) -> u128 {
    int.concrete().unwrap_or_else(|| {
        let words = int.known_number().map(|number| number.to_u64_digits()).unwrap_or_default();
        words.into_iter().fold(0, |all, word| all.rotate_left(71) ^ u128::from(word))
    })
}
