//! Straight-line programs over numbered slots: their IR text, and their execution on a domain.

use std::fmt::Write;

use labrys_float::{Format, RoundingMode};
use labrys_interp::{
    ClassMask, Domain, FloatComparison, FloatOperation, Int, IntOperation, Place, Stop, ToInteger, evaluate,
};
use labrys_program::{BlockId, FloatPredicate, FunctionId, IntBinary, IntPredicate};

/// Bytes of a slot.
pub const SLOT: usize = 16;

/// A slot's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Int(u32),
    Float(Format),
}

impl Kind {
    pub fn bits(self) -> u32 {
        match self {
            Kind::Int(bits) => bits,
            Kind::Float(format) => format.width(),
        }
    }

    fn name(self) -> String {
        match self {
            Kind::Int(bits) => format!("i{bits}"),
            Kind::Float(Format::BINARY16) => "half".into(),
            Kind::Float(Format::BINARY32) => "float".into(),
            Kind::Float(Format::BINARY64) => "double".into(),
            Kind::Float(Format::X87) => "x86_fp80".into(),
            Kind::Float(other) => panic!("{other:?}"),
        }
    }

    /// The suffix of intrinsics.
    fn suffix(self) -> &'static str {
        match self {
            Kind::Float(Format::BINARY16) => "f16",
            Kind::Float(Format::BINARY32) => "f32",
            Kind::Float(Format::BINARY64) => "f64",
            _ => "f80",
        }
    }

    /// The suffix of C's functions.
    fn c(self) -> &'static str {
        match self {
            Kind::Float(Format::BINARY32) => "f",
            Kind::Float(Format::X87) => "l",
            _ => "",
        }
    }
}

/// One instruction; its result goes to the next slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    Float(FloatOperation, [usize; 3]),
    Compare(FloatPredicate, usize, usize),
    Class(ClassMask, usize),
    ToInt(u32, bool, usize),
    /// Rust's `as`.
    Saturate(u32, bool, usize),
    /// lrint: 64 bits in the current mode.
    Round(usize),
    FromInt(Format, bool, usize),
    Bits(usize),
    FromBits(Format, usize),
    Select(usize, usize, usize),
    Int(IntBinary, usize, usize),
    IntCompare(IntPredicate, usize, usize),
    Extend(u32, bool, usize),
    Truncate(u32, usize),
    Scale(usize, usize),
    Fraction(usize),
    Exponent(usize),
    /// nextafter.
    Next(usize, usize),
    Logb(usize),
    Ilogb(usize),
    SetRounding(u32),
    TestFlags(u32),
    ClearFlags(u32),
    RaiseFlags(u32),
}

/// A program: the kinds of its inputs, and its steps with their results' kinds.
#[derive(Clone, Debug, Default)]
pub struct StraightLine {
    pub inputs: usize,
    pub kinds: Vec<Kind>,
    pub steps: Vec<Step>,
}

fn predicate_name(predicate: FloatPredicate) -> &'static str {
    let FloatPredicate { less, equal, greater, unordered } = predicate;
    match (unordered, less, equal, greater) {
        (false, false, false, false) => "false",
        (false, false, true, false) => "oeq",
        (false, false, false, true) => "ogt",
        (false, false, true, true) => "oge",
        (false, true, false, false) => "olt",
        (false, true, true, false) => "ole",
        (false, true, false, true) => "one",
        (false, true, true, true) => "ord",
        (true, false, false, false) => "uno",
        (true, false, true, false) => "ueq",
        (true, false, false, true) => "ugt",
        (true, false, true, true) => "uge",
        (true, true, false, false) => "ult",
        (true, true, true, false) => "ule",
        (true, true, false, true) => "une",
        (true, true, true, true) => "true",
    }
}

impl StraightLine {
    /// The kind of a step's result.
    pub fn result(&self, step: &Step) -> Kind {
        let kind = |slot: usize| self.kinds[slot];
        match *step {
            Step::Float(FloatOperation::Convert(to), _) => Kind::Float(to),
            Step::Float(_, [a, ..]) => kind(a),
            Step::Compare(..) | Step::Class(..) | Step::IntCompare(..) => Kind::Int(8),
            Step::ToInt(bits, ..) | Step::Saturate(bits, ..) => Kind::Int(bits),
            Step::Round(_) => Kind::Int(64),
            Step::FromInt(format, ..) | Step::FromBits(format, _) => Kind::Float(format),
            Step::Bits(a) => Kind::Int(kind(a).bits()),
            Step::Select(_, a, _) | Step::Int(_, a, _) | Step::Scale(a, _) | Step::Fraction(a) => kind(a),
            Step::Next(a, _) | Step::Logb(a) => kind(a),
            Step::Ilogb(_) => Kind::Int(32),
            Step::Extend(bits, ..) | Step::Truncate(bits, _) => Kind::Int(bits),
            Step::Exponent(_) | Step::TestFlags(_) => Kind::Int(32),
            Step::SetRounding(_) | Step::ClearFlags(_) | Step::RaiseFlags(_) => Kind::Int(8),
        }
    }

    pub fn push(&mut self, step: Step) {
        let kind = self.result(&step);
        self.steps.push(step);
        self.kinds.push(kind);
    }

    /// Takes the last step back.
    pub fn pop(&mut self) {
        self.steps.pop();
        self.kinds.pop();
    }

    /// The text of a function `name` that works on slots in memory. Volatile accesses keep every step in its place.
    pub fn text(&self, name: &str) -> String {
        let mut text = format!("define void @{name}(ptr %m) {{\n%e = alloca i32\n");
        for slot in 0..self.kinds.len() {
            let _ = writeln!(text, "%p{slot} = getelementptr i8, ptr %m, i64 {}", slot * SLOT);
        }
        let mut writer = Writer { program: self, text, loads: 0 };
        for (index, step) in self.steps.iter().enumerate() {
            let slot = self.inputs + index;
            let line = writer.float_step(slot, step).unwrap_or_else(|| writer.other_step(slot, step));
            let ty = self.kinds[slot].name();
            let _ = writeln!(writer.text, "%r{slot} = {line}\nstore volatile {ty} %r{slot}, ptr %p{slot}");
        }
        writer.text + "ret void\n}\n"
    }
}

/// Writes a program's steps.
struct Writer<'a> {
    program: &'a StraightLine,
    text: String,
    loads: usize,
}

impl Writer<'_> {
    /// Loads a slot: its type and the value's name.
    fn load(&mut self, from: usize) -> (String, String) {
        self.loads += 1;
        let (ty, value) = (self.program.kinds[from].name(), format!("%l{}", self.loads));
        let _ = writeln!(self.text, "{value} = load volatile {ty}, ptr %p{from}");
        (ty, value)
    }

    /// Writes an instruction with a result of one bit; the one that makes a byte of it.
    fn byte(&mut self, slot: usize, instruction: &str) -> String {
        let _ = writeln!(self.text, "%c{slot} = {instruction}");
        format!("zext i1 %c{slot} to i8")
    }

    /// The instruction of a step on a float; those before it are written.
    fn float_step(&mut self, slot: usize, step: &Step) -> Option<String> {
        let kinds = &self.program.kinds;
        let ty = kinds[slot].name();
        Some(match *step {
            Step::Float(operation, slots) => {
                let operands: Vec<String> = slots[..operation.arity()].iter().map(|&from| self.load(from).1).collect();
                operation_text(operation, kinds[slots[0]], &ty, &operands)
            }
            Step::Compare(predicate, a, b) => {
                let ((of, x), (_, y)) = (self.load(a), self.load(b));
                self.byte(slot, &format!("fcmp {} {of} {x}, {y}", predicate_name(predicate)))
            }
            Step::Class(mask, a) => {
                let (of, x) = self.load(a);
                let (suffix, bits) = (kinds[a].suffix(), mask.bits());
                self.byte(slot, &format!("call i1 @llvm.is.fpclass.{suffix}({of} {x}, i32 {bits})"))
            }
            Step::ToInt(_, signed, a) => {
                let (of, x) = self.load(a);
                format!("fpto{} {of} {x} to {ty}", if signed { "si" } else { "ui" })
            }
            Step::Saturate(_, signed, a) => {
                let (of, x) = self.load(a);
                let sign = if signed { 's' } else { 'u' };
                format!("call {ty} @llvm.fpto{sign}i.sat.{ty}.{}({of} {x})", kinds[a].suffix())
            }
            Step::Round(a) => {
                let (of, x) = self.load(a);
                format!("call i64 @lrint{}({of} {x})", kinds[a].c())
            }
            Step::Scale(a, n) => {
                let ((_, x), (_, n)) = (self.load(a), self.load(n));
                format!("call {ty} @ldexp{}({ty} {x}, i32 {n})", kinds[a].c())
            }
            Step::Next(a, b) => {
                let ((_, x), (_, y)) = (self.load(a), self.load(b));
                format!("call {ty} @nextafter{}({ty} {x}, {ty} {y})", kinds[a].c())
            }
            Step::Logb(a) => {
                let (of, x) = self.load(a);
                format!("call {of} @logb{}({of} {x})", kinds[a].c())
            }
            Step::Ilogb(a) => {
                let (of, x) = self.load(a);
                format!("call i32 @ilogb{}({of} {x})", kinds[a].c())
            }
            Step::Fraction(a) | Step::Exponent(a) => {
                let (of, x) = self.load(a);
                let call = format!("call {of} @frexp{}({of} {x}, ptr %e)", kinds[a].c());
                if let Step::Fraction(_) = step {
                    return Some(call);
                }
                let _ = writeln!(self.text, "%c{slot} = {call}");
                "load volatile i32, ptr %e".to_owned()
            }
            _ => return None,
        })
    }

    /// The instruction of any other step.
    fn other_step(&mut self, slot: usize, step: &Step) -> String {
        let ty = self.program.kinds[slot].name();
        match *step {
            Step::FromInt(_, signed, a) => {
                let (of, x) = self.load(a);
                format!("{}itofp {of} {x} to {ty}", if signed { 's' } else { 'u' })
            }
            Step::Bits(a) | Step::FromBits(_, a) => {
                let (of, x) = self.load(a);
                format!("bitcast {of} {x} to {ty}")
            }
            Step::Select(c, a, b) => {
                let ((_, c), (_, x), (_, y)) = (self.load(c), self.load(a), self.load(b));
                let _ = writeln!(self.text, "%c{slot} = trunc i8 {c} to i1");
                format!("select i1 %c{slot}, {ty} {x}, {ty} {y}")
            }
            Step::Int(op, a, b) => {
                let ((_, x), (_, y)) = (self.load(a), self.load(b));
                format!("{} {ty} {x}, {y}", format!("{op:?}").to_lowercase())
            }
            Step::IntCompare(predicate, a, b) => {
                let ((of, x), (_, y)) = (self.load(a), self.load(b));
                let name = format!("{predicate:?}").to_lowercase();
                self.byte(slot, &format!("icmp {name} {of} {x}, {y}"))
            }
            Step::Extend(_, signed, a) => {
                let (of, x) = self.load(a);
                format!("{}ext {of} {x} to {ty}", if signed { 's' } else { 'z' })
            }
            Step::Truncate(_, a) => {
                let (of, x) = self.load(a);
                format!("trunc {of} {x} to {ty}")
            }
            Step::TestFlags(mask) => format!("call i32 @fetestexcept(i32 {mask})"),
            Step::SetRounding(mode) => call_environment(&mut self.text, slot, "fesetround", mode),
            Step::ClearFlags(mask) => call_environment(&mut self.text, slot, "feclearexcept", mask),
            Step::RaiseFlags(mask) => call_environment(&mut self.text, slot, "feraiseexcept", mask),
            ref other => unreachable!("{other:?} is a step on a float"),
        }
    }
}

fn call_environment(text: &mut String, slot: usize, name: &str, argument: u32) -> String {
    let _ = writeln!(text, "%c{slot} = call i32 @{name}(i32 {argument})");
    format!("trunc i32 %c{slot} to i8")
}

fn operation_text(operation: FloatOperation, kind: Kind, ty: &str, operands: &[String]) -> String {
    let of = kind.name();
    let typed: Vec<String> = operands.iter().map(|operand| format!("{of} {operand}")).collect();
    let typed = typed.join(", ");
    let plain = |name: &str| format!("{name} {of} {}", operands.join(", "));
    let intrinsic = |name: &str| format!("call {of} @llvm.{name}.{}({typed})", kind.suffix());
    let c = |name: &str| format!("call {of} @{name}{}({typed})", kind.c());
    match operation {
        FloatOperation::Add => plain("fadd"),
        FloatOperation::Sub => plain("fsub"),
        FloatOperation::Mul => plain("fmul"),
        FloatOperation::Div => plain("fdiv"),
        FloatOperation::Rem => plain("frem"),
        FloatOperation::Neg => plain("fneg"),
        FloatOperation::IeeeRemainder => c("remainder"),
        FloatOperation::Fma => intrinsic("fma"),
        FloatOperation::Sqrt => intrinsic("sqrt"),
        FloatOperation::Abs => intrinsic("fabs"),
        FloatOperation::CopySign => intrinsic("copysign"),
        FloatOperation::MinNum => intrinsic("minnum"),
        FloatOperation::MaxNum => intrinsic("maxnum"),
        FloatOperation::Minimum => intrinsic("minimum"),
        FloatOperation::Maximum => intrinsic("maximum"),
        FloatOperation::MinimumNumber => intrinsic("minimumnum"),
        FloatOperation::MaximumNumber => intrinsic("maximumnum"),
        FloatOperation::Canonicalize => intrinsic("canonicalize"),
        FloatOperation::RoundToIntegral { mode, inexact } => match (mode, inexact) {
            (None, true) => c("rint"),
            (None, false) => c("nearbyint"),
            (Some(RoundingMode::TowardPositive), _) => c("ceil"),
            (Some(RoundingMode::TowardNegative), _) => c("floor"),
            (Some(RoundingMode::TowardZero), _) => c("trunc"),
            (Some(RoundingMode::NearestAway), _) => c("round"),
            (Some(RoundingMode::NearestEven), _) => c("roundeven"),
        },
        FloatOperation::Convert(to) if to.width() < kind.bits() => format!("fptrunc {of} {} to {ty}", operands[0]),
        FloatOperation::Convert(_) => format!("fpext {of} {} to {ty}", operands[0]),
        other => panic!("{other:?}"),
    }
}

/// Declarations of what texts call.
pub fn declarations() -> String {
    let mut text = String::from(
        "target triple = \"x86_64-unknown-linux-gnu\"\ndeclare i32 @fesetround(i32)\ndeclare i32 @fetestexcept(i32)\n\
         declare i32 @feclearexcept(i32)\ndeclare i32 @feraiseexcept(i32)\n",
    );
    for (ty, c, suffix) in [("float", "f", "f32"), ("double", "", "f64"), ("x86_fp80", "l", "f80"), ("half", "", "f16")]
    {
        for name in ["sqrt", "fabs", "canonicalize"] {
            let _ = writeln!(text, "declare {ty} @llvm.{name}.{suffix}({ty})");
        }
        for name in ["copysign", "minnum", "maxnum", "minimum", "maximum", "minimumnum", "maximumnum"] {
            let _ = writeln!(text, "declare {ty} @llvm.{name}.{suffix}({ty}, {ty})");
        }
        let _ = writeln!(text, "declare {ty} @llvm.fma.{suffix}({ty}, {ty}, {ty})");
        let _ = writeln!(text, "declare i1 @llvm.is.fpclass.{suffix}({ty}, i32)");
        if suffix == "f16" {
            continue;
        }
        for name in ["rint", "nearbyint", "ceil", "floor", "trunc", "round", "roundeven"] {
            let _ = writeln!(text, "declare {ty} @{name}{c}({ty})");
        }
        let _ = writeln!(text, "declare {ty} @remainder{c}({ty}, {ty})");
        let _ = writeln!(text, "declare i64 @lrint{c}({ty})");
        let _ = writeln!(
            text,
            "declare {ty} @nextafter{c}({ty}, {ty})\ndeclare {ty} @logb{c}({ty})\ndeclare i32 @ilogb{c}({ty})"
        );
        let _ = writeln!(text, "declare {ty} @ldexp{c}({ty}, i32)\ndeclare {ty} @frexp{c}({ty}, ptr)");
    }
    text
}

/// A slot's value in a domain.
#[derive(Clone, Debug)]
pub enum Value<F, S> {
    Int(Int<S>),
    Float(F),
}

/// A domain's value.
type ValueOf<D> = Value<<D as Domain>::Float, <D as Domain>::Symbol>;

/// What a domain adds for steps that the machine leaves to calls.
pub trait Flags: Domain {
    fn set_rounding(&mut self, path: &mut Self::Path, mode: u32);
    fn test(&mut self, path: &mut Self::Path, mask: u32) -> Result<Int<Self::Symbol>, Stop>;
    fn clear(&mut self, path: &mut Self::Path, mask: u32) -> Result<(), Stop>;
    fn raise(&mut self, path: &mut Self::Path, mask: u32) -> Result<(), Stop>;
    fn next(&mut self, path: &mut Self::Path, x: &Self::Float, y: &Self::Float) -> Result<Self::Float, Stop>;
    fn logb(&mut self, path: &mut Self::Path, x: &Self::Float) -> Result<Self::Float, Stop>;
    fn ilogb(&mut self, path: &mut Self::Path, x: &Self::Float) -> Result<Int<Self::Symbol>, Stop>;
}

/// Anywhere.
pub fn place() -> Place {
    Place {
        function: FunctionId(0),
        block: BlockId(0),
        instruction: 0,
        lane: 0,
        part: 0,
        location: None,
        fast_math: Default::default(),
        tainted: false,
        in_library: false,
        is_power: false,
        is_vector: false,
    }
}

/// Executes a program on a domain: all slots.
pub fn execute<D: Flags>(
    domain: &mut D,
    path: &mut D::Path,
    program: &StraightLine,
    inputs: &[Int<D::Symbol>],
) -> Result<Vec<ValueOf<D>>, Stop> {
    let mut slots: Vec<ValueOf<D>> = Vec::new();
    for (input, kind) in inputs.iter().zip(&program.kinds) {
        slots.push(match kind {
            Kind::Int(_) => Value::Int(input.clone()),
            Kind::Float(format) => Value::Float(domain.float_from_bits(input, *format)),
        });
    }
    for step in &program.steps {
        let value = execute_step(domain, path, &slots, step)?;
        slots.push(value);
    }
    Ok(slots)
}

fn integer<D: Domain>(domain: &mut D, operation: IntOperation, operands: &[Int<D::Symbol>]) -> Int<D::Symbol> {
    match operands.iter().find_map(|operand| operand.symbol()) {
        None => evaluate(operation, operands).unwrap(),
        Some(symbol) => domain.int_operation(&symbol.clone(), operation, operands),
    }
}

fn execute_step<D: Flags>(
    domain: &mut D,
    path: &mut D::Path,
    slots: &[ValueOf<D>],
    step: &Step,
) -> Result<ValueOf<D>, Stop> {
    let float = |slot: usize| match &slots[slot] {
        Value::Float(float) => float.clone(),
        other => panic!("{other:?}"),
    };
    let int = |slot: usize| match &slots[slot] {
        Value::Int(int) => int.clone(),
        other => panic!("{other:?}"),
    };
    let byte = |domain: &mut D, bit: Int<D::Symbol>| integer(domain, IntOperation::ZeroExtend(8), &[bit]);
    let place = place();
    Ok(match *step {
        Step::Float(operation, from) => {
            let operands: Vec<D::Float> = from[..operation.arity()].iter().map(|&slot| float(slot)).collect();
            Value::Float(domain.float_operation(path, &place, operation, &operands)?)
        }
        Step::Compare(predicate, a, b) => {
            let comparison = FloatComparison { predicate, signaling: false };
            let bit = domain.float_compare(path, &place, comparison, &float(a), &float(b))?;
            Value::Int(byte(domain, bit))
        }
        Step::Class(mask, a) => {
            let bit = domain.float_class(&float(a), mask);
            Value::Int(byte(domain, bit))
        }
        Step::ToInt(bits, signed, a) | Step::Saturate(bits, signed, a) => {
            let saturating = matches!(step, Step::Saturate(..));
            let conversion = ToInteger { bits, signed, mode: Some(RoundingMode::TowardZero), saturating };
            Value::Int(domain.float_to_int(path, &place, conversion, &float(a))?.0)
        }
        Step::Round(a) => {
            let conversion = ToInteger { bits: 64, signed: true, mode: None, saturating: false };
            Value::Int(domain.float_to_int(path, &place, conversion, &float(a))?.0)
        }
        Step::FromInt(format, signed, a) => Value::Float(domain.int_to_float(path, &place, &int(a), signed, format)?),
        Step::Bits(a) => Value::Int(domain.float_to_bits(&float(a))),
        Step::FromBits(format, a) => Value::Float(domain.float_from_bits(&int(a), format)),
        Step::Select(c, a, b) => {
            let c = integer(domain, IntOperation::Extract { high: 0, low: 0 }, &[int(c)]);
            match (c.concrete(), c.symbol(), &slots[a], &slots[b]) {
                (Some(value), ..) => slots[if value != 0 { a } else { b }].clone(),
                (None, Some(symbol), Value::Float(x), Value::Float(y)) => {
                    Value::Float(domain.float_select(symbol, x, y))
                }
                _ => Value::Int(integer(domain, IntOperation::Select, &[c, int(a), int(b)])),
            }
        }
        Step::Int(op, a, b) => Value::Int(integer(domain, IntOperation::Binary(op), &[int(a), int(b)])),
        Step::IntCompare(predicate, a, b) => {
            let bit = integer(domain, IntOperation::Compare(predicate), &[int(a), int(b)]);
            Value::Int(byte(domain, bit))
        }
        Step::Extend(bits, signed, a) => {
            let operation = if signed { IntOperation::SignExtend(bits) } else { IntOperation::ZeroExtend(bits) };
            Value::Int(integer(domain, operation, &[int(a)]))
        }
        Step::Truncate(bits, a) => {
            Value::Int(integer(domain, IntOperation::Extract { high: bits - 1, low: 0 }, &[int(a)]))
        }
        Step::Scale(a, n) => Value::Float(domain.float_scale(path, &place, &float(a), &int(n))?),
        Step::Fraction(a) => Value::Float(domain.fraction_exponent(path, &place, &float(a))?.0),
        Step::Exponent(a) => Value::Int(domain.fraction_exponent(path, &place, &float(a))?.1),
        Step::Next(a, b) => Value::Float(domain.next(path, &float(a), &float(b))?),
        Step::Logb(a) => Value::Float(domain.logb(path, &float(a))?),
        Step::Ilogb(a) => Value::Int(domain.ilogb(path, &float(a))?),
        Step::SetRounding(mode) => {
            domain.set_rounding(path, mode);
            Value::Int(Int::new(8, 0))
        }
        Step::TestFlags(mask) => Value::Int(domain.test(path, mask)?),
        Step::ClearFlags(mask) => {
            domain.clear(path, mask)?;
            Value::Int(Int::new(8, 0))
        }
        Step::RaiseFlags(mask) => {
            domain.raise(path, mask)?;
            Value::Int(Int::new(8, 0))
        }
    })
}
