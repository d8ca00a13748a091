//! The sites of a program, without executing it.
//!
//! Operators are named exactly as executions name them ([`crate::explore`]), so that a site that was executed is
//! found in the list. What the list leaves out is code that control cannot reach: blocks without a way from their
//! function's entry, functions without a chain of calls from the one asked for ([`CallGraph`]).
//!
//! Code that nobody knows is a site, too, and may raise anything there ([`LibraryOperator::Unknown`]): functions that are neither
//! defined nor modelled, computed calls that may lead to such ones, assembly, the processor's own operations, instructions that are not
//! understood.
//!
//! **What it takes for granted.** A function that nobody knows raises nothing if it is given neither floats nor memory that may hold
//! some, and gives none ([`taken_as_silent`] names these). What memory may hold its type says, where it is a variable's.

use std::collections::BTreeSet;

use labrys_elementary::Function as Elementary;
use labrys_interp::FloatOperation;
use labrys_program::{
    CallGraph, Callee, Cast, Constant, FloatCall, Function, FunctionId, Instruction, InstructionKind, IntrinsicKind,
    KnownFunction, Operand, Program, Terminator, Type, ValueId, is_silent_symbol,
};

use crate::loops::reachable_blocks;
use crate::{LibraryOperator, Site, SiteOperator};

/// Every floating-point site that a call of `function` can execute: in the function itself and in all that it can call.
///
/// Functions come in the order of [`CallGraph::reachable`], sites in program order.
///
/// ```
/// use labrys_program::Program;
///
/// let ir = "define double @inverse(double %x) { %r = fdiv double 1.0, %x ret double %r }";
/// let program = Program::from_bytes(ir.as_bytes(), "inverse.ll").unwrap();
/// let sites = labrys_symex::static_sites(&program, program.function("inverse").unwrap());
/// assert_eq!(sites[0].operator.to_string(), "fdiv");
/// ```
pub fn static_sites(program: &Program, function: FunctionId) -> Vec<Site> {
    static_sites_in(program, &CallGraph::new(program).reachable(function))
}

/// The sites of these functions alone, in their order. Functions of a library that is linked to be executed
/// ([`Function::is_library`]) have none of their own: a call of one that computes is a site of code that nobody knows.
pub fn static_sites_in(program: &Program, functions: &[FunctionId]) -> Vec<Site> {
    let mut sites = Vec::new();
    for function in functions {
        let function = &program.functions[function.index()];
        if function.is_library {
            continue;
        }
        let is_reachable = reachable_blocks(function);
        for (block_index, block) in function.blocks.iter().enumerate() {
            if !is_reachable[block_index] {
                continue;
            }
            for (index, instruction) in block.instructions.iter().enumerate() {
                for (lane, operator) in site_operators(program, function, instruction) {
                    sites.push(Site {
                        function: function.name.clone(),
                        location: instruction.location,
                        block: block_index as u32,
                        instruction: index as u32,
                        lane,
                        operator,
                    });
                }
            }
        }
    }
    sites
}

/// The sites of one instruction of `function`, as lanes and operators, each once.
pub fn site_operators(program: &Program, function: &Function, instruction: &Instruction) -> Vec<(u32, SiteOperator)> {
    let (operators, width) = match &instruction.kind {
        InstructionKind::FloatBinary(op, a, _) => {
            (of_operation((*op).into(), &float_type(function, a)), lanes(&instruction.ty))
        }
        InstructionKind::FloatCompare(_, a, _) => {
            (vec![SiteOperator::Compare { signaling: false }], lanes(&operand_type(function, a)))
        }
        InstructionKind::Cast(cast, operand) => {
            let from = operand_type(function, operand);
            (of_cast(*cast, &from, &instruction.ty), lanes(&from))
        }
        InstructionKind::Call(callee, operands) => return of_call(program, function, instruction, callee, operands),
        InstructionKind::Unsupported(text) => return of_unsupported(text, &instruction.ty),
        _ => return Vec::new(),
    };
    each_lane(operators, width)
}

/// The functions without code that these functions call and that are taken to raise nothing though nothing is known of them, ascending.
pub fn taken_as_silent<'p>(program: &'p Program, functions: &[FunctionId]) -> BTreeSet<&'p str> {
    let mut found = BTreeSet::new();
    for function in functions {
        let function = &program.functions[function.index()];
        // A library's own helpers are the library's.
        if function.is_library {
            continue;
        }
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            if let InstructionKind::Call(Callee::Function(id), operands) = &instruction.kind
                && let callee = &program.functions[id.index()]
                && is_unknown(callee)
                && !may_compute(program, function, instruction, operands)
            {
                found.insert(callee.name.as_str());
            }
        }
    }
    found
}

/// Whether a signaling NaN stands in these functions, or in what the program's globals begin with: which NaN is which nobody follows.
pub fn holds_signaling_nan(program: &Program, functions: &[FunctionId]) -> bool {
    let in_globals = program.globals.iter().filter_map(|global| global.initializer.as_ref()).any(is_signaling);
    in_globals
        || functions.iter().flat_map(|function| &program.functions[function.index()].blocks).any(|block| {
            let mut found = false;
            let mut look = |operand: &Operand| found |= matches!(operand, Operand::Constant(of) if is_signaling(of));
            block.instructions.iter().for_each(|instruction| instruction.kind.for_each_operand(&mut look));
            if let Terminator::Return(Some(operand)) = &block.terminator {
                look(operand);
            }
            found
        })
}

fn is_signaling(constant: &Constant) -> bool {
    match constant {
        Constant::Float(value) => value.is_signaling_nan(),
        Constant::Aggregate(_, members) => members.iter().any(is_signaling),
        _ => false,
    }
}

fn each_lane(operators: Vec<SiteOperator>, width: u32) -> Vec<(u32, SiteOperator)> {
    (0..width).flat_map(|lane| operators.iter().map(move |operator| (lane, operator.clone()))).collect()
}

/// A site that may raise anything.
fn anything(name: &str) -> Vec<(u32, SiteOperator)> {
    vec![(0, SiteOperator::Library(LibraryOperator::Unknown(name.into())))]
}

/// The site of an instruction that is not understood: addresses and integers apart, it may compute with floats, and so may what it calls.
fn of_unsupported(text: &str, ty: &Type) -> Vec<(u32, SiteOperator)> {
    let mut words = text.split_whitespace().skip_while(|word| word.starts_with('%') || *word == "=");
    let is_call = text.split_whitespace().any(|word| word == "call" || word == "invoke");
    if ty.has_floats() || is_call { anything(words.next().unwrap_or("unsupported")) } else { Vec::new() }
}

/// Whether nothing is known of what a function does, not even that it has nothing to do with floats.
fn is_unknown(function: &Function) -> bool {
    function.blocks.is_empty() && function.known.is_none() && !is_silent_symbol(&function.name)
}

/// Beginnings of the names of functions of flang's runtime and C's library that move values and compute none; what they call of the program's
/// own, such as assignments and comparisons that it defines, has sites there.
const MOVING: [&str; 15] = [
    "_FortranAAllocatable",
    "_FortranAAssign",
    "_FortranACopyInAssign",
    "_FortranACopyOutAssign",
    "_FortranACshift",
    "_FortranADestroy",
    "_FortranAEoshift",
    "_FortranAInit",
    "_FortranAPack",
    "_FortranAPointer",
    "_FortranAPush",
    "_FortranAReshape",
    "_FortranATranspose",
    "bsearch",
    "qsort",
];

/// Whether a function calls one of a library that is linked to be executed, and that may compute.
fn is_librarys(caller: &Function, callee: &Function) -> bool {
    let moves = || MOVING.iter().any(|beginning| callee.name.starts_with(beginning));
    callee.is_library && !caller.is_library && !is_silent_symbol(&callee.name) && !moves()
}

/// Whether a call hands floats to code or has some from it.
fn exchanges_floats(function: &Function, instruction: &Instruction, operands: &[Operand]) -> bool {
    instruction.ty.has_floats() || operands.iter().any(|operand| operand_type(function, operand).has_floats())
}

/// Whether code that is called may compute with floats: it gets some, gives some, or is given memory that may hold some or leads to
/// such memory. A text is none, and neither is a variable of integers.
fn may_compute(program: &Program, function: &Function, instruction: &Instruction, operands: &[Operand]) -> bool {
    let may_hold_floats = |ty: &Type| ty.has_floats() || ty.has_addresses();
    let may_lead_to_floats = |operand: &Operand| match operand {
        // What is called back is listed by itself.
        Operand::Constant(Constant::Null | Constant::Function(_)) => false,
        Operand::Constant(Constant::Global(id, _)) => may_hold_floats(&program.globals[id.index()].ty),
        _ if !operand_type(function, operand).has_addresses() => false,
        Operand::Value(value) => local_variable(function, *value).is_none_or(may_hold_floats),
        Operand::Constant(_) => true,
    };
    exchanges_floats(function, instruction, operands) || operands.iter().any(may_lead_to_floats)
}

/// The type of the local variable whose address a value is.
fn local_variable(function: &Function, value: ValueId) -> Option<&Type> {
    let is_it = |instruction: &&Instruction| instruction.result == Some(value);
    match &function.blocks.first()?.instructions.iter().find(is_it)?.kind {
        InstructionKind::Alloca(ty, ..) => Some(ty),
        _ => None,
    }
}

/// Whether the program may call code that nobody knows by an address that such code has made.
fn has_foreign_addresses(program: &Program) -> bool {
    program.functions.iter().any(is_unknown) || program.globals.iter().any(|global| global.initializer.is_none())
}

fn of_call(
    program: &Program,
    function: &Function,
    instruction: &Instruction,
    callee: &Callee,
    operands: &[Operand],
) -> Vec<(u32, SiteOperator)> {
    let call = match callee {
        Callee::Intrinsic(called) => match called.kind() {
            IntrinsicKind::Float(call) => call,
            _ if called.is_silent() => return Vec::new(),
            IntrinsicKind::Unknown if may_compute(program, function, instruction, operands) => {
                return anything(called.plain_name());
            }
            _ if exchanges_floats(function, instruction, operands) => return anything(called.plain_name()),
            _ => return Vec::new(),
        },
        Callee::Function(id) => {
            let callee = &program.functions[id.index()];
            match callee.known {
                Some(KnownFunction::Float(call)) => call,
                Some(KnownFunction::LogGammaWithSign) => FloatCall::Elementary(Elementary::Lgamma),
                Some(known) if known.is_silent() => return Vec::new(),
                // Nobody knows more of what it raises.
                Some(_) => return anything(&callee.name),
                // What a library does natively is its own: it is run, and its IR says what becomes of values.
                None if (is_unknown(callee) || is_librarys(function, callee))
                    && may_compute(program, function, instruction, operands) =>
                {
                    return anything(&callee.name);
                }
                None => return Vec::new(),
            }
        }
        Callee::InlineAsm(text) if text.is_empty() => return Vec::new(),
        Callee::InlineAsm(_) => return anything("asm"),
        Callee::Indirect(_) => {
            let may_leave = has_foreign_addresses(program) && may_compute(program, function, instruction, operands);
            return if may_leave { anything("call") } else { Vec::new() };
        }
    };
    let first = operands.first().map_or(Type::Void, |operand| operand_type(function, operand));
    let scalar = scalar_of(&first);
    let operators = match call {
        FloatCall::Operation(operation) => of_operation(operation, &scalar),
        FloatCall::Elementary(called) => vec![elementary(called)],
        FloatCall::SineCosine => vec![elementary(Elementary::Sin), elementary(Elementary::Cos)],
        FloatCall::MultiplyAdd if function.features.fma => vec![SiteOperator::Fma],
        FloatCall::MultiplyAdd => vec![SiteOperator::Mul, SiteOperator::Add],
        FloatCall::IntegerPower => vec![SiteOperator::Library(LibraryOperator::IntegerPower)],
        FloatCall::Scale => vec![SiteOperator::Library(LibraryOperator::Scale)],
        FloatCall::FractionExponent | FloatCall::FractionIntegral => Vec::new(),
        FloatCall::PositiveDifference => vec![SiteOperator::Sub],
        FloatCall::Convert => of_cast(Cast::FpExt, &first, &instruction.ty),
        FloatCall::ToInteger { signed, .. } => {
            of_cast(if signed { Cast::FpToSi } else { Cast::FpToUi }, &first, &instruction.ty)
        }
        FloatCall::FromInteger { signed } => {
            of_cast(if signed { Cast::SiToFp } else { Cast::UiToFp }, &first, &instruction.ty)
        }
        FloatCall::Reduction(operation) => {
            let vector = operands.last().map_or(Type::Void, |operand| operand_type(function, operand));
            return each_lane(of_operation(operation, &scalar_of(&vector)), 1);
        }
    };
    each_lane(operators, lanes(&first))
}

fn elementary(function: Elementary) -> SiteOperator {
    SiteOperator::Library(LibraryOperator::Elementary(function))
}

/// The operator of an operation on floats of a type.
fn of_operation(operation: FloatOperation, operand: &Type) -> Vec<SiteOperator> {
    let Type::Float(format) = operand else { return Vec::new() };
    SiteOperator::of(operation, *format).into_iter().collect()
}

fn of_cast(cast: Cast, from: &Type, to: &Type) -> Vec<SiteOperator> {
    let operator = match (cast, scalar_of(from), scalar_of(to)) {
        (Cast::FpTrunc | Cast::FpExt, Type::Float(from), Type::Float(to)) => SiteOperator::Convert { from, to },
        (Cast::FpToSi | Cast::FpToUi, _, Type::Int(bits)) => {
            SiteOperator::FloatToInt { bits, signed: cast == Cast::FpToSi }
        }
        (Cast::SiToFp | Cast::UiToFp, Type::Int(bits), Type::Float(to)) => {
            SiteOperator::IntToFloat { bits, signed: cast == Cast::SiToFp, to }
        }
        _ => return Vec::new(),
    };
    vec![operator]
}

fn scalar_of(ty: &Type) -> Type {
    match ty {
        Type::Vector(element, _) => (**element).clone(),
        other => other.clone(),
    }
}

fn lanes(ty: &Type) -> u32 {
    match ty {
        Type::Vector(_, count) => *count,
        _ => 1,
    }
}

fn float_type(function: &Function, operand: &Operand) -> Type {
    scalar_of(&operand_type(function, operand))
}

fn operand_type(function: &Function, operand: &Operand) -> Type {
    function.type_of(operand).unwrap_or(Type::Void)
}
