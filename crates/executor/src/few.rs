//! All values of something that has only a few: of a number that becomes a text, and of what must be known for a path to go on.
//!
//! **Claim.** [`Driver::few`] gives a symbol and values of which it has one on the path, for every input; or nothing.
//!
//! **Argument.** Where what the symbol hangs on is one integer whose range the path knows, that integer is the symbol and the range its values. Else
//! the values are those of inputs that the solver found, each different from those before, and that there is none beside them was refuted.

use std::time::{Duration, Instant};

use labrys_interp::{Datum, Domain, Halt, Int, Scalar, Split, Stop};
use labrys_symex::{int_facts, int_terms};
use labrys_term::{Evaluator, Model, Op, Sort, TermId, Value};
use num_traits::ToPrimitive;
use smallvec::smallvec;

use crate::answers::{Value as Answered, argument};
use crate::driver::Driver;
use crate::oracle::Feasible;
use crate::state::Execution;
use crate::values::FloatValue;

/// Values that an integer of the program's may have, and a path be parted over.
const MOST: u128 = 1024;
/// Values that the solver is asked for.
const MOST_ASKED: usize = 64;
/// How long it may take to find them; their number is what ends most searches.
const PATIENCE: Duration = Duration::from_secs(4);
/// Values that a path may be parted over where many paths are to be looked at.
const MOST_LED: u128 = 32;

impl<'s> Driver<'_, 's> {
    /// What a path has to part over for a symbol to be known, where that has few values.
    pub(crate) fn few(&mut self, execution: &Execution<'s>, symbol: TermId, bits: u32) -> Option<Split<TermId>> {
        let most = if self.guide.is_some() { MOST_LED } else { MOST };
        if self.machine.domain.has_undefined_bits(symbol) {
            return None;
        }
        if let Some(value) = self.value_by_inputs(execution, symbol) {
            return Some(among(symbol, bits, vec![value]));
        }
        if let Some(split) = self.few_inputs(execution, symbol, most) {
            return Some(split);
        }
        let asked = (symbol, execution.state.path.choices.condition);
        if self.many.contains(&asked) {
            return None;
        }
        let found = self.few_values(execution, symbol, bits, MOST_ASKED.min(most as usize));
        if found.is_none() {
            self.many.insert(asked);
        }
        found.map(|candidates| among(symbol, bits, candidates))
    }

    /// The one integer that a symbol hangs on.
    fn few_inputs(&mut self, execution: &Execution<'s>, symbol: TermId, most: u128) -> Option<Split<TermId>> {
        let [variable] = self.oracle.variables_of(&self.machine.domain, symbol)[..] else { return None };
        let store = self.store();
        let Sort::BitVec(bits @ 2..=64) = *store.variable_info(variable).1 else { return None };
        let input = store.variable_term(variable);
        if execution.state.path.choices.value_of(input).is_some() {
            return None;
        }
        let values = int_facts::range_under(store, &execution.state.path.choices, input, most)?;
        Some(among(input, bits, values))
    }

    /// All values of a symbol, as the solver finds them, ascending.
    fn few_values(&mut self, execution: &Execution<'s>, symbol: TermId, bits: u32, most: usize) -> Option<Vec<u128>> {
        let mut witness = execution.witness.clone()?;
        let (mut values, mut others) = (Vec::new(), Vec::new());
        let end = Instant::now() + PATIENCE;
        loop {
            let value = self.oracle.witnesses.value(&self.machine.domain, &witness, symbol);
            let value = value.as_ref().and_then(number)?;
            if values.len() == most || values.contains(&value) || Instant::now() > end {
                return None;
            }
            values.push(value);
            let store = self.store();
            let is_here = match bits {
                1 if value != 0 => symbol,
                1 => int_terms::not(store, symbol),
                _ => {
                    let value = store.bv_const(bits, value);
                    store.mk(Op::Eq, &[symbol, value])
                }
            };
            others.push(int_terms::not(store, is_here));
            let others = store.and(&others);
            match self.ask(execution, others) {
                Feasible::No => break,
                Feasible::Yes(Some(next)) => witness = next,
                Feasible::Yes(None) | Feasible::Unknown(_) => return None,
            }
        }
        values.sort_unstable();
        Some(values)
    }

    /// The value of a symbol that hangs on inputs alone that the path knows.
    fn value_by_inputs(&mut self, execution: &Execution<'s>, symbol: TermId) -> Option<u128> {
        let variables = self.oracle.variables_of(&self.machine.domain, symbol);
        let mut model = Model::default();
        for variable in variables {
            let store = self.store();
            let Sort::BitVec(bits) = *store.variable_info(variable).1 else { return None };
            let term = store.variable_term(variable);
            let known = execution.state.path.choices.value_of(term)?;
            model.set(variable, Value::bit_vector(bits, known));
        }
        number(&Evaluator::new(self.store(), &model).value(symbol).ok()?)
    }

    /// The same number, one of few where it has only a few: the path then parts.
    pub(crate) fn one_of_few(
        &mut self,
        execution: &Execution<'s>,
        arguments: &[Answered],
    ) -> Result<Answered, Halt<TermId>> {
        let given = argument(arguments, 0)?;
        if given.tainted {
            return Err(Stop::Undefined.into());
        }
        let (int, format) = match &given.datum {
            Datum::Int(int) => (int.clone(), None),
            Datum::Float(FloatValue::Symbolic(term)) => {
                let value = FloatValue::Symbolic(*term);
                let format = self.machine.domain.format_of(&value);
                (self.machine.domain.float_to_bits(&value), Some(format))
            }
            _ => return Ok(smallvec![given.clone()]),
        };
        let known = match (self.machine.known(&execution.state, &int), int.symbol()) {
            (Some(known), _) => known,
            (None, None) => return Ok(smallvec![given.clone()]),
            (None, Some(&symbol)) => match self.value_by_inputs(execution, symbol) {
                Some(known) => known,
                None => match self.few(execution, symbol, int.bits()) {
                    Some(split) => return Err(Halt::Split(Box::new(split))),
                    None => return Ok(smallvec![given.clone()]),
                },
            },
        };
        Ok(smallvec![match format {
            None => Scalar::int(Int::new(int.bits(), known)),
            Some(format) =>
                Scalar { datum: Datum::Float(FloatValue::Concrete { format, bits: known }), tainted: false },
        }])
    }
}

/// A choice among all values of a symbol.
fn among(symbol: TermId, bits: u32, candidates: Vec<u128>) -> Split<TermId> {
    Split { symbol, bits, candidates, is_exhaustive: true, otherwise: Stop::SymbolicValue }
}

/// A Bool's or a BitVec's value as a number.
fn number(value: &Value) -> Option<u128> {
    match value.as_bool() {
        Some(truth) => Some(u128::from(truth)),
        None => value.as_bits()?.to_u128(),
    }
}
