//! Values of the Core theory's operators.

use super::error::Argument;
use crate::{EvalError, Op, Sort, Value};

pub(crate) fn not(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    Some(Value::Bool(!args[0].as_bool()?))
}

pub(crate) fn xor(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    let parity = args.iter().try_fold(false, |parity, arg| Some(parity ^ arg.as_bool()?))?;
    Some(Value::Bool(parity))
}

pub(crate) fn equal(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    Some(Value::Bool(args[0].same(args[1])))
}

pub(crate) fn distinct(_: &Op, _: &Sort, args: &[&Value]) -> Option<Value> {
    let clash = |i: usize| args[..i].iter().any(|earlier| earlier.same(args[i]));
    Some(Value::Bool(!(0..args.len()).any(clash)))
}

type Arguments<'a> = [Argument<'a>];

fn truth(arg: &Result<&Value, EvalError>) -> Result<Option<bool>, EvalError> {
    arg.map(Value::as_bool)
}

/// A conjunction (of `absorbing` false) or disjunction (of `absorbing` true).
fn connect(args: &Arguments<'_>, absorbing: bool) -> Result<Value, EvalError> {
    let mut error = None;
    for arg in args {
        match truth(arg) {
            Ok(value) if value == Some(absorbing) => return Ok(Value::Bool(absorbing)),
            Ok(_) => {}
            Err(open) => error = error.or(Some(open)),
        }
    }
    error.map_or(Ok(Value::Bool(!absorbing)), Err)
}

pub(crate) fn and(args: &Arguments<'_>) -> Result<Value, EvalError> {
    connect(args, false)
}

pub(crate) fn or(args: &Arguments<'_>) -> Result<Value, EvalError> {
    connect(args, true)
}

pub(crate) fn implies(args: &Arguments<'_>) -> Result<Value, EvalError> {
    let (premise, conclusion) = (truth(&args[0]), truth(&args[1]));
    if premise == Ok(Some(false)) || conclusion == Ok(Some(true)) {
        return Ok(Value::Bool(true));
    }
    premise?;
    conclusion?;
    Ok(Value::Bool(false))
}

pub(crate) fn ite(args: &Arguments<'_>) -> Result<Value, EvalError> {
    let condition = args[0]?;
    let taken = if *condition == Value::Bool(true) { args[1] } else { args[2] };
    taken.cloned()
}
