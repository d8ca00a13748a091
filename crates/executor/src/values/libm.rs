//! Calls of libm's functions on operands that are not known: the results of any libm near the correctly rounded values.
//!
//! **Claim.** What is proved with the terms of these calls holds for every libm of `labrys_elementary::image`'s assumptions that gives
//! the same result for the same operands.
//!
//! **Argument.** A call's result is a Float variable, one for each function and operands' terms: equal terms have equal values, NaNs'
//! payloads included, and so such a libm has one result for them. Nothing else is said of the variable here;
//! [`crate::oracle`] asks `labrys_solver::elementary`, which takes it for any result of any such libm. The payload of a NaN
//! result is a variable, too: any that is quiet. Whether a tiny result is reported in `errno`, libms decide: one more.
//!
//! In another rounding mode than to nearest a result is any float at most [`DIRECTED`] floats from the one to nearest, and any exception may be raised; it
//! is a NaN where that is one.
//!
//! Witnesses have the values of the libm of this machine, as far as one can find them ([`Libm::host`]): a program that is run natively has
//! no others.

use labrys_elementary::{Function, Sense, evaluate};
use labrys_float::{Flags, Float, Format, RoundingMode};
use labrys_interp::{Int, Stop, call_host, host_error};
use labrys_solver::elementary::CallTerm;
use labrys_symex::int_terms::ite;
use labrys_symex::{ElementaryCall, library_condition};
use labrys_term::{Evaluator, Model, Op, Sort, Store, TermId, Value, VariableId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::environment::{FloatEnvironment, Happened, Raising};
use super::nan::{Encoding, refuse_odd};
use super::{FloatValue, Values, encoding};

/// How many floats results may lie from the correctly rounded ones, at least; more where glibc's manual knows of more
/// ([`Function::ulps`]).
pub(crate) const ULPS: u32 = 4;

/// How many floats results in other rounding modes than to nearest may lie from those to nearest. glibc 2.36's lie up to 7 away, but for Bessel's functions
/// near their zeros, in millions of calls; tests of glibc's own accept 9 ulps.
const DIRECTED: i32 = 16;

/// What a proof takes for granted of functions of libm whose operands are not known, in words.
pub(crate) const LIBM_ASSUMPTIONS: [&str; 2] = [
    "functions of libm that are not one operation give, for equal operands, equal results that lie within 4 floats of the correctly \
     rounded ones (more where glibc's manual knows of larger errors), keep the functions' bounds (exp's of 1 on either side of 0, too) and C's special values, and give quiet NaNs, \
     of signaling ones too",
    "errno is set by functions of libm as glibc 2.36 sets it",
];

/// The same of calls in other rounding modes.
pub(crate) const DIRECTED_ASSUMPTION: &str =
    "in other rounding modes than to nearest results of functions of libm lie within 16 floats of those to nearest";

/// The same of those whose operands are known.
pub(crate) const HOST_ASSUMPTION: &str =
    "functions of libm that are not one operation give, for operands that are known, what this machine's libm gives";

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// The result of a call.
    Result,
    /// The encoding of its result in a rounding mode, where that is a NaN.
    Payload(RoundingMode),
    /// Whether it raises an exception that libms may raise.
    Raises(Flags, RoundingMode),
    /// How many floats its result in a rounding mode lies above the one to nearest.
    Steps(RoundingMode),
    /// Whether it reports a tiny result in `errno`.
    SetsErrno,
}

/// The calls that paths have made so far.
#[derive(Debug, Default)]
pub(crate) struct Libm {
    calls: Vec<CallTerm>,
    by_call: FxHashMap<(Function, SmallVec<[TermId; 2]>), usize>,
    by_variable: FxHashMap<VariableId, (usize, Role)>,
    /// Whether calls were made in another rounding mode than to nearest.
    pub(crate) is_directed: bool,
    /// Whether this machine's libm was called on known operands.
    pub(crate) has_called_host: bool,
}

impl Libm {
    /// Whether any call was made.
    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// What a variable depends on: the operands of the call that it is about; none for other variables.
    pub(crate) fn operands(&self, variable: VariableId) -> &[TermId] {
        self.by_variable.get(&variable).map_or(&[], |(call, _)| &self.calls[*call].operands)
    }

    /// All variables that are about calls.
    pub(crate) fn variables(&self) -> impl Iterator<Item = VariableId> {
        self.by_variable.keys().copied()
    }

    /// The calls of which some of the variables are results, in the order in which they were first made.
    pub(crate) fn among(&self, variables: &[VariableId]) -> Vec<CallTerm> {
        let mut found: Vec<usize> =
            variables.iter().filter_map(|variable| self.by_variable.get(variable)).map(|(call, _)| *call).collect();
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|call| self.calls[call].clone()).collect()
    }

    /// The value that a variable of a call has with the libm of this machine, under a model that has the operands' variables; `None` for
    /// other variables.
    pub(crate) fn host(&self, store: &Store, model: &Model, variable: VariableId) -> Option<Value> {
        let (call, role) = *self.by_variable.get(&variable)?;
        let CallTerm { function, operands, .. } = &self.calls[call];
        let mut evaluator = Evaluator::new(store, model);
        let operands: Option<Vec<Float>> = operands
            .iter()
            .map(|operand| match evaluator.value(*operand) {
                Ok(Value::Float(value)) => Some(value),
                _ => None,
            })
            .collect();
        let operands = operands?;
        if role == Role::SetsErrno {
            return host_error(*function, &operands).ok().map(|number| Value::Bool(number == ERANGE));
        }
        let called = |mode: RoundingMode| {
            call_host(*function, &operands, mode).unwrap_or_else(|_| evaluate(*function, &operands))
        };
        let nearest = RoundingMode::NearestEven;
        Some(match role {
            Role::Raises(flag, mode) => Value::Bool(called(mode).flags.contains(flag)),
            Role::Payload(mode) => {
                let result = called(mode).value;
                Value::bit_vector(result.format().width(), result.bits().clone())
            }
            Role::Steps(mode) => {
                let (there, here) = (called(mode).value, called(nearest).value);
                let steps = rank(&there).zip(rank(&here)).map_or(0, |(there, here)| there - here);
                let width = here.format().width();
                Value::bit_vector(width, steps as u128 & (u128::MAX >> (128 - width)))
            }
            _ => Value::float(called(nearest).value),
        })
    }

    /// The variables that decide results of some calls in other rounding modes.
    pub(crate) fn steps(&self, calls: &[CallTerm]) -> Vec<VariableId> {
        let is_asked = |call: usize| calls.iter().any(|asked| asked.variable == self.calls[call].variable);
        let of = |(variable, (call, role)): (&VariableId, &(usize, Role))| {
            (matches!(role, Role::Steps(_)) && is_asked(*call)).then_some(*variable)
        };
        self.by_variable.iter().filter_map(of).collect()
    }
}

impl Values<'_> {
    /// A call of a function of libm on operands of which some are not known.
    pub(super) fn call(
        &mut self,
        environment: &mut FloatEnvironment,
        function: Function,
        operands: &[FloatValue],
    ) -> Result<FloatValue, Stop> {
        let format = operands.first().map_or(Format::BINARY64, |operand| self.format_of(operand));
        if !matches!(format, Format::BINARY32 | Format::BINARY64 | Format::X87) {
            return Err(Stop::unsupported(format!("{} of an input in this format", function.name())));
        }
        let terms: SmallVec<[TermId; 2]> = operands.iter().map(|operand| self.term(operand)).collect();
        if terms.iter().any(|&term| self.encodings.may_be_odd(self.store, term)) {
            return Err(refuse_odd());
        }
        let mode = environment.rounding;
        let is_known = mode == RoundingMode::NearestEven || (format != Format::X87 && keeps_near(function));
        if !is_known {
            return Err(Stop::unsupported(format!("{} of an input in this rounding mode", function.name())));
        }
        let call = self.call_term(function, format, operands);
        self.note_call(environment, call);
        let result = match mode {
            RoundingMode::NearestEven => FloatValue::Symbolic(self.libm.calls[call].variable),
            mode => self.in_mode(call, mode),
        };
        Ok(if may_ignore_nan(function) { self.unless_signaling(call, &terms, &result) } else { result })
    }

    /// The result of a function that does not look at a quiet NaN where the other operand decides: of a signaling one glibc 2.36 gives NaN.
    fn unless_signaling(&mut self, call: usize, operands: &[TermId], result: &FloatValue) -> FloatValue {
        let signaling: Vec<TermId> =
            operands.iter().map(|&operand| self.encodings.is_signaling(self.store, operand)).collect();
        let is_signaling = self.store.or(&signaling);
        if !self.store.has_variables(is_signaling) {
            return *result;
        }
        let encoding = Encoding::of(encoding::format(self.store, operands[0]));
        let payload = self.libm.calls[call].variable;
        let payload = self.encodings.bits(self.store, payload);
        let quiet = self.store.bv_const(encoding.format.width(), encoding.infinity() | encoding.quiet);
        let nan = self.store.mk(Op::BvOr, &[payload, quiet]);
        let nan = self.store.mk(Op::FpFromBits(encoding.format), &[nan]);
        let result = self.term(result);
        FloatValue::Symbolic(ite(self.store, is_signaling, nan, result))
    }

    /// The result of a call in another rounding mode than to nearest.
    fn in_mode(&mut self, call: usize, mode: RoundingMode) -> FloatValue {
        self.libm.is_directed = true;
        let nearest = self.libm.calls[call].variable;
        let encoding = Encoding::of(encoding::format(self.store, nearest));
        let width = encoding.format.width();
        let [steps, payload] = [("steps", Role::Steps(mode)), ("nan", Role::Payload(mode))].map(|(what, role)| {
            let name = format!("{}#{call}:{mode:?}:{what}", self.libm.calls[call].function.name());
            let variable = self.store.variable(&name, Sort::BitVec(width));
            if let Some(id) = self.store.as_variable(variable) {
                self.libm.by_variable.insert(id, (call, role));
            }
            variable
        });
        let most = self.store.bv_const(width, DIRECTED as u32);
        let least = self.store.mk(Op::BvNeg, &[most]);
        let steps = self.limited(steps, least, most);
        // Places in the order of numbers: of two zeros the negative one lies below.
        let bits = self.store.mk(Op::FpToBits, &[nearest]);
        let magnitude = self.store.bv_const(width, encoding.magnitude());
        let magnitude = self.store.mk(Op::BvAnd, &[bits, magnitude]);
        let below = self.store.mk(Op::BvNot, &[magnitude]);
        let negative = self.store.mk(Op::FpIsNegative, &[nearest]);
        let place = ite(self.store, negative, below, magnitude);
        let place = self.store.mk(Op::BvAdd, &[place, steps]);
        let highest = self.store.bv_const(width, encoding.infinity());
        let lowest = self.store.mk(Op::BvNot, &[highest]);
        let place = self.limited(place, lowest, highest);
        let (none, sign) = (self.store.bv_const(width, 0u8), self.store.bv_const(width, encoding.sign));
        let is_below = self.store.mk(Op::BvSlt, &[place, none]);
        let size = self.store.mk(Op::BvNot, &[place]);
        let signed = self.store.mk(Op::BvOr, &[size, sign]);
        let number = ite(self.store, is_below, signed, place);
        let quiet = self.store.bv_const(width, encoding.infinity() | encoding.quiet);
        let nan = self.store.mk(Op::BvOr, &[payload, quiet]);
        let is_nan = self.store.mk(Op::FpIsNan, &[nearest]);
        let bits = ite(self.store, is_nan, nan, number);
        FloatValue::Symbolic(self.store.mk(Op::FpFromBits(encoding.format), &[bits]))
    }

    /// The signed integer of two others that is nearest to a third.
    fn limited(&mut self, value: TermId, least: TermId, most: TermId) -> TermId {
        let is_less = self.store.mk(Op::BvSlt, &[value, least]);
        let is_more = self.store.mk(Op::BvSlt, &[most, value]);
        let limited = ite(self.store, is_more, most, value);
        ite(self.store, is_less, least, limited)
    }

    /// The place of a call among all, which is made where it is not there yet.
    fn call_term(&mut self, function: Function, format: Format, operands: &[FloatValue]) -> usize {
        let terms: SmallVec<[TermId; 2]> = operands
            .iter()
            .map(|operand| {
                let term = self.term(operand);
                self.encodings.regular(self.store, term).map_or(term, |(_, regular)| regular)
            })
            .collect();
        if let Some(&known) = self.libm.by_call.get(&(function, terms.clone())) {
            return known;
        }
        let call = self.libm.calls.len();
        let variable = self.store.variable(&format!("{}#{call}", function.name()), Sort::Float(format));
        let payload = self.store.variable(&format!("{}#{call}:nan", function.name()), Sort::BitVec(format.width()));
        self.encodings.set_payload(variable, payload);
        for (term, role) in [(variable, Role::Result), (payload, Role::Payload(RoundingMode::NearestEven))] {
            if let Some(id) = self.store.as_variable(term) {
                self.libm.by_variable.insert(id, (call, role));
            }
        }
        self.libm.calls.push(CallTerm { variable, function, operands: terms.to_vec() });
        self.libm.by_call.insert((function, terms), call);
        call
    }

    /// What some libm may do at this call, and others not: one bit of that name.
    fn choice(&mut self, call: usize, what: &str, role: Role) -> TermId {
        let name = format!("{}#{call}:{what}", self.libm.calls[call].function.name());
        let bit = self.store.variable(&name, Sort::Bool);
        if let Some(id) = self.store.as_variable(bit) {
            self.libm.by_variable.insert(id, (call, role));
        }
        bit
    }

    /// The exceptions of a call: those that every libm raises, and those that some may.
    fn note_call(&mut self, environment: &mut FloatEnvironment, call: usize) {
        if !self.reads_flags {
            return;
        }
        let CallTerm { variable, function, operands } = self.libm.calls[call].clone();
        let format = encoding::format(self.store, variable);
        let asked = ElementaryCall { function, operands: &operands, result: variable, format };
        let mode = environment.rounding;
        let is_directed = mode != RoundingMode::NearestEven;
        // What a libm rounds it may report, and need not.
        let possible = if is_directed { Flags::all() } else { function.possible() | Flags::INEXACT };
        for flag in (possible - environment.raised).iter() {
            let name = if is_directed { format!("{mode:?}:{}", flag_name(flag)) } else { flag_name(flag).to_owned() };
            let bit = self.choice(call, &name, Role::Raises(flag, mode));
            let condition = if flag == Flags::INEXACT || is_directed {
                bit
            } else {
                let [may, must] =
                    [Sense::May, Sense::Must].map(|sense| library_condition(self.store, &asked, flag, ULPS, sense));
                let never = self.store.bool_const(false);
                let (may, must) = (may.unwrap_or(never), must.unwrap_or(never));
                let perhaps = self.store.and(&[may, bit]);
                self.store.or(&[must, perhaps])
            };
            environment.push(Happened::Raised(Raising::Perhaps(flag, condition)));
        }
        for operand in operands {
            self.note(environment, Raising::Signaling(operand, operand));
        }
    }

    /// Whether a function reports a result below the normal numbers in `errno`: one bit. With known operands, what the libm of this
    /// machine does.
    pub(super) fn tiny_result_is_reported(
        &mut self,
        function: Function,
        operands: &[FloatValue],
    ) -> Result<Int<TermId>, Stop> {
        if let Some(known) = known(operands)? {
            return host_error(function, &known).map(|errno| Int::bool(errno == ERANGE));
        }
        let format = operands.first().map_or(Format::BINARY64, |operand| self.format_of(operand));
        let call = self.call_term(function, format, operands);
        let bit = self.choice(call, "errno", Role::SetsErrno);
        Ok(labrys_symex::int_terms::as_int(self.store, 1, bit))
    }
}

/// Whether the other operand may decide alone beside a quiet NaN: pow(x, 0) and pow(1, y) are 1, hypot of an infinity is infinite.
fn may_ignore_nan(function: Function) -> bool {
    matches!(function, Function::Pow | Function::Hypot)
}

/// Whether results in other rounding modes lie near those to nearest: not of Bessel's functions, whose errors near their zeros are absolute.
fn keeps_near(function: Function) -> bool {
    !matches!(function, Function::J0 | Function::J1 | Function::Y0 | Function::Y1)
}

/// A number's place in the order of the format, −0 below +0; `None` for NaNs.
fn rank(value: &Float) -> Option<i128> {
    let magnitude = i128::try_from(value.ordinal()?.magnitude()).ok()?;
    Some(if value.is_negative() { !magnitude } else { magnitude })
}

/// The operands of a call if all are known.
///
/// # Errors
///
/// x87's odd encodings, with which functions of libm do as they like.
pub(super) fn known(operands: &[FloatValue]) -> Result<Option<Vec<Float>>, Stop> {
    let is_odd = |value: &FloatValue| matches!(*value, FloatValue::Concrete { format, bits } if Encoding::of(format).is_odd(bits));
    if operands.iter().any(is_odd) {
        return Err(refuse_odd());
    }
    Ok(operands.iter().map(FloatValue::known).collect())
}

/// Linux's number of "result out of range".
const ERANGE: i32 = 34;

fn flag_name(flag: Flags) -> &'static str {
    match flag {
        Flags::INVALID => "invalid",
        Flags::DIVBYZERO => "divbyzero",
        Flags::OVERFLOW => "overflow",
        Flags::UNDERFLOW => "underflow",
        _ => "inexact",
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    use super::*;

    /// Numbers of all sizes, and near what functions do.
    fn some(random: &mut Pcg64, is_double: bool) -> Float {
        let (bits, any): (u64, u64) = (random.random(), random.random());
        let unit = (any >> 11) as f64 / (1u64 << 53) as f64;
        let size = match bits >> 1 & 7 {
            0 => (bits >> 8 & 7) as f64,
            1 => f64::from_bits(any >> 1),
            2 => f64::from_bits(bits >> 8 & 3),
            3 | 4 => unit * 10.0,
            5 => unit * 800.0,
            _ => unit.powi(3),
        };
        let value = if bits & 1 == 0 { size } else { -size };
        if is_double { Float::from_f64(value) } else { Float::from_f32(value as f32) }
    }

    /// The assumption of other rounding modes, of this machine's libm.
    #[test]
    fn results_in_other_modes_are_near() {
        let mut random = Pcg64::seed_from_u64(17);
        let modes = [RoundingMode::TowardNegative, RoundingMode::TowardPositive, RoundingMode::TowardZero];
        for function in Function::all().filter(|function| keeps_near(*function)) {
            for round in 0..900 {
                let operands: Vec<Float> = (0..function.arity()).map(|_| some(&mut random, round % 2 == 0)).collect();
                let at = |mode| rank(&call_host(function, &operands, mode).unwrap().value);
                let (near, other) = (at(RoundingMode::NearestEven), at(modes[round % 3]));
                let shown = || operands.iter().map(Float::to_shortest_decimal).collect::<Vec<_>>().join(", ");
                let is_near = match near.zip(other) {
                    Some((near, other)) => (near - other).abs() <= i128::from(DIRECTED),
                    None => near == other,
                };
                assert!(is_near, "{}({}): {near:?}, {other:?}", function.name(), shown());
            }
        }
    }
}
