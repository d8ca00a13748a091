//! Runs of programs in software, instruction by instruction on random inputs, beside what is said of all of them.

use labrys_float::{Environment, Float, Format};
use labrys_formulas::Random;
use labrys_interp::{
    Checks, Datum, Facts, Halt, Int, Limits, Machine, Never, Scalar, Soft, SoftPath, State, Step, Stop, Value,
};
use labrys_program::{Callee, FunctionId, Instruction, InstructionKind, Program, Type, VerifierCall};

use crate::verifier_call;

/// What runs came to, up to the first thing that went wrong in them.
#[derive(Default)]
pub struct Seen {
    /// Instructions that are said to go wrong in no run, and did not.
    pub safe: u64,
    /// What a run did that none is said to do.
    pub wrong: Option<String>,
}

/// Runs a program so many times.
pub fn observe(program: &Program, entry: FunctionId, facts: &Facts, random: &mut Random, runs: u32) -> Seen {
    let mut seen = Seen::default();
    let checks = Checks { accesses: true, shifts: true, signed_overflow: false };
    let limits = Limits { instructions: 5_000, ..Limits::default() };
    let mut machine = Machine::with_checks(program, Soft::new(Environment::default()), limits, checks);
    machine.answers(|function| verifier_call(function).is_some());
    for _ in 0..runs {
        let mut state = machine.state(SoftPath::default());
        machine.push_frame(&mut state, entry, Vec::new(), None).expect("an entry without parameters");
        while step(program, &mut machine, &mut state, facts, random, &mut seen) {}
    }
    seen
}

/// One instruction; `false` at the end of the run.
fn step(
    program: &Program,
    machine: &mut Machine<'_, Soft>,
    state: &mut State<Soft>,
    facts: &Facts,
    random: &mut Random,
    seen: &mut Seen,
) -> bool {
    let place = machine.place(state);
    let is_safe = facts.safe.contains(&(place.function, place.block, place.instruction));
    if facts.unreached.contains(&(place.function, place.block)) {
        seen.wrong.get_or_insert(format!("{place:?} is reached"));
        return false;
    }
    match machine.step(state) {
        Ok(Step::Returned(_)) => false,
        Ok(_) => {
            seen.safe += u64::from(is_safe);
            true
        }
        Err(Halt::Call(_)) => answer(program, machine, state, random),
        Err(Halt::Stop(stop)) => {
            if is_safe && !matches!(stop, Stop::InstructionLimit) {
                seen.wrong.get_or_insert(format!("{place:?}: {stop}"));
            }
            false
        }
        Err(Halt::Split(split)) => match split.symbol {},
    }
}

/// Answers the call that comes next; `false` where that ends the run.
fn answer(program: &Program, machine: &mut Machine<'_, Soft>, state: &mut State<Soft>, random: &mut Random) -> bool {
    let Some(Instruction { kind: InstructionKind::Call(Callee::Function(id), _), ty, .. }) = machine.instruction(state)
    else {
        return false;
    };
    let call = verifier_call(&program.functions[id.index()]).expect("one that is answered");
    let arguments = machine.call_arguments(state).expect("arguments");
    let first = arguments.first().and_then(|value| value.first());
    let is_zero = first.is_some_and(|scalar| matches!(&scalar.datum, Datum::Int(int) if int.concrete() == Some(0)));
    let result = match call {
        VerifierCall::Value => std::iter::once(input(ty, random)).collect(),
        VerifierCall::Nothing => Value::new(),
        VerifierCall::Assume | VerifierCall::Assert if !is_zero => Value::new(),
        _ => return false,
    };
    machine.answer(state, result);
    true
}

fn input(ty: &Type, random: &mut Random) -> Scalar<Float, Never> {
    match ty {
        Type::Int(bits) => Scalar::int(Int::new(*bits, u128::from(integer(random)))),
        Type::Float(Format::BINARY32) => Scalar::float(Float::from_f32(float(random) as f32)),
        Type::Float(_) => Scalar::float(Float::from_f64(float(random))),
        _ => unreachable!("inputs are numbers"),
    }
}

fn integer(random: &mut Random) -> u64 {
    let small = random.below(24) as u64;
    match random.below(4) {
        0 => small,
        1 => small.wrapping_neg(),
        2 => random.bits(),
        _ => (random.below(3) as u64) << random.below(64),
    }
}

fn float(random: &mut Random) -> f64 {
    const SPECIAL: [f64; 12] =
        [0.0, -0.0, 1.0, 5.0, 20.0, 100.0, 1e300, -1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324];
    match random.below(4) {
        0 => random.below(21) as f64,
        1 => random.below(2000) as f64 / 100.0,
        2 => f64::from_bits(random.bits()),
        _ => random.pick(&SPECIAL),
    }
}
