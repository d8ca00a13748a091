//! Which outputs depend on what an operation computed when it raised an exception.

use labrys_float::{Environment, Flags};
use labrys_interp::{Cause, Dependence, Dependences, Limits, Stop};
use labrys_program::{
    BlockId, Callee, FloatBinary, FloatType, FunctionId, InstructionKind, LengthOptions, Pointee, Program, ResultType,
    ScalarType, Signature, StructField, StructType, map_parameters, parse_signature,
};
use proptest::prelude::*;

/// Follows what every instruction of a kind computed in a call of `f` that raises `exception`.
fn follow_in(
    ir: &str,
    signature: &Signature,
    floats: &[f64],
    is_followed: impl Fn(&InstructionKind) -> bool,
    exception: Flags,
) -> Dependence {
    let program = Program::from_bytes(ir.as_bytes(), "f.ll").unwrap();
    let function = program.function("f").unwrap();
    let binding = map_parameters(signature, &program, function).unwrap();
    let mut places = Vec::new();
    for (id, function) in program.functions.iter().enumerate() {
        for (block, content) in function.blocks.iter().enumerate() {
            for (index, instruction) in content.instructions.iter().enumerate() {
                if is_followed(&instruction.kind) {
                    places.push((FunctionId(id as u32), BlockId(block as u32), index as u32));
                }
            }
        }
    }
    let layout = signature.input_layout();
    let mut record = vec![0; layout.size];
    for (leaf, value) in layout.leaves.iter().zip(floats) {
        leaf.write(&mut record, u128::from(value.to_bits()));
    }
    let mut runs = Dependences::new(&program, None, Environment::default(), Limits::default());
    runs.follow(function, &binding, signature, &record, &Cause { places, exception })
}

/// The same where `f` has a prototype in C.
fn follow(
    ir: &str,
    prototype: &str,
    floats: &[f64],
    is_followed: impl Fn(&InstructionKind) -> bool,
    exception: Flags,
) -> Dependence {
    let signature = parse_signature(prototype, &LengthOptions::default()).unwrap();
    follow_in(ir, &signature, floats, is_followed, exception)
}

fn is_product(kind: &InstructionKind) -> bool {
    matches!(kind, InstructionKind::FloatBinary(FloatBinary::Mul, ..))
}

fn is_call(kind: &InstructionKind) -> bool {
    matches!(kind, InstructionKind::Call(Callee::Function(_), _))
}

const TWO_OUTPUTS: &str = "void f(double x, double y, double *p, double *q)";

/// What a call with [`TWO_OUTPUTS`] wrote.
fn two_outputs(run: &Dependence) -> Vec<f64> {
    let layout = parse_signature(TWO_OUTPUTS, &LengthOptions::default()).unwrap().output_layout();
    let output = run.output.as_ref().unwrap();
    layout.leaves.iter().map(|leaf| f64::from_bits(leaf.read(output) as u64)).collect()
}

#[test]
fn memory_carries_marks_to_the_output_that_depends() {
    let ir = "
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @f(double %x, double %y, ptr %p, ptr %q) {
  %both = alloca [2 x double], align 8
  %second = getelementptr [2 x double], ptr %both, i64 0, i64 1
  %square = fmul double %x, %x
  %sum = fadd double %y, 1.0
  store double %sum, ptr %both
  store double %square, ptr %second
  %copied = load double, ptr %both
  store double %copied, ptr %q
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %second, i64 8, i1 false)
  ret void
}";
    let run = follow(ir, TWO_OUTPUTS, &[1e200, 1.0], is_product, Flags::OVERFLOW);
    assert_eq!(two_outputs(&run), [f64::INFINITY, 2.0]);
    assert_eq!((run.marked, run.is_dependent), (1, vec![true, false]));
    // The product is there, but raises nothing, or something else.
    for (x, exception) in [(2.0, Flags::OVERFLOW), (1e200, Flags::INVALID)] {
        let run = follow(ir, TWO_OUTPUTS, &[x, 1.0], is_product, exception);
        assert_eq!((run.marked, run.is_dependent), (0, vec![false, false]));
    }
}

#[test]
fn members_of_a_struct_are_told_apart() {
    let double = Pointee::Scalar(ScalarType::Float(FloatType::F64));
    let field = |name: &str, offset| StructField {
        name: name.to_owned(),
        offset,
        ty: double.clone(),
        count: 1,
        is_array: false,
    };
    let pair = StructType { name: "pair".to_owned(), size: 16, align: 8, fields: vec![field("a", 0), field("b", 8)] };
    let mut signature = parse_signature("double f(double x, double y)", &LengthOptions::default()).unwrap();
    signature.result = ResultType::Value(Pointee::Struct(pair));
    let ir = "
define { double, double } @f(double %x, double %y) {
  %square = fmul double %x, %x
  %first = insertvalue { double, double } poison, double %y, 0
  %both = insertvalue { double, double } %first, double %square, 1
  ret { double, double } %both
}";
    let run = follow_in(ir, &signature, &[1e200, 1.0], is_product, Flags::OVERFLOW);
    assert_eq!((run.marked, run.is_dependent), (1, vec![false, true]));
}

#[test]
fn a_callee_is_followed_and_only_where_it_raises() {
    let ir = "
define double @square(double %x) {
  %square = fmul double %x, %x
  ret double %square
}
define void @f(double %x, double %y, ptr %p, ptr %q) {
  %a = call double @square(double %x)
  %b = call double @square(double %y)
  store double %a, ptr %p
  store double %b, ptr %q
  ret void
}";
    let run = follow(ir, TWO_OUTPUTS, &[3.0, 1e200], is_product, Flags::OVERFLOW);
    assert_eq!((run.marked, run.is_dependent), (1, vec![false, true]));
}

#[test]
fn control_that_depends_ends_the_run() {
    let ir = "
define void @f(double %x, double %y, ptr %p, ptr %q) {
  %square = fmul double %x, %x
  store double %square, ptr %p
  store double %y, ptr %q
  %large = fcmp ogt double %square, 1.0
  br i1 %large, label %then, label %end
then:
  store double 0.0, ptr %q
  br label %end
end:
  ret void
}";
    let run = follow(ir, TWO_OUTPUTS, &[1e200, 1.0], is_product, Flags::OVERFLOW);
    assert_eq!((run.output, run.marked), (Err(Stop::Undefined), 1));
    assert!(follow(ir, TWO_OUTPUTS, &[2.0, 1.0], is_product, Flags::OVERFLOW).output.is_ok());
}

/// Like ERFA's eraAnp, which eraTpors calls for one of its results.
const ANGLE: &str = "
declare double @fmod(double, double)
define double @angle(double %a) {
  %w = call double @fmod(double %a, double 6.25)
  %negative = fcmp olt double %w, 0.0
  br i1 %negative, label %then, label %end
then:
  %above = fadd double %w, 6.25
  br label %end
end:
  %result = phi double [ %above, %then ], [ %w, %0 ]
  ret double %result
}
define void @f(double %x, double %y, ptr %p, ptr %q) {
  %a = call double @angle(double %x)
  %b = fadd double %y, 1.0
  store double %a, ptr %p
  store double %b, ptr %q
  ret void
}";

#[test]
fn a_library_function_is_one_instruction() {
    let run = follow(ANGLE, TWO_OUTPUTS, &[f64::NEG_INFINITY, 1.0], is_call, Flags::INVALID);
    assert_eq!((run.marked, run.is_dependent), (1, vec![true, false]));
}

#[test]
fn a_branch_that_chooses_a_value_marks_that_value() {
    // Where only the comparison is followed, its result reaches the output through the phi alone.
    let is_comparison = |kind: &InstructionKind| matches!(kind, InstructionKind::FloatCompare(..));
    let signaling = f64::from_bits(0x7ff0_0000_0000_0001);
    let ir = ANGLE.replace("%negative = fcmp olt double %w, 0.0", "%negative = fcmp olt double %a, 0.0");
    let run = follow(&ir, TWO_OUTPUTS, &[signaling, 1.0], is_comparison, Flags::INVALID);
    assert!(run.output.is_ok());
    assert_eq!((run.marked, run.is_dependent), (1, vec![true, false]));
    // A chain of conditions meets only behind the last one.
    let ir = "
define void @f(double %x, double %y, ptr %p, ptr %q) {
  %square = fmul double %x, %x
  %large = fcmp ogt double %square, 1.0
  br i1 %large, label %more, label %end
more:
  %negative = fcmp olt double %y, 0.0
  br i1 %negative, label %then, label %end
then:
  br label %end
end:
  %r = phi double [ 1.0, %0 ], [ 2.0, %more ], [ 3.0, %then ]
  store double %r, ptr %p
  store double %y, ptr %q
  ret void
}";
    let run = follow(ir, TWO_OUTPUTS, &[1e200, 1.0], is_product, Flags::OVERFLOW);
    assert_eq!(two_outputs(&run), [2.0, 1.0]);
    assert_eq!(run.is_dependent, [true, false]);
    // The condition itself is no less marked behind the branch.
    let ir = ir.replace("  store double %y", "  %z = select i1 %large, double 4.0, double 5.0\n  store double %z");
    assert_eq!(follow(&ir, TWO_OUTPUTS, &[1e200, 1.0], is_product, Flags::OVERFLOW).is_dependent, [true, true]);
}

#[test]
fn a_loop_that_depends_ends_the_run() {
    let ir = "
define void @f(double %x, double %y, ptr %p, ptr %q) {
entry:
  %square = fmul double %x, %x
  br label %head
head:
  %n = phi double [ 0.0, %entry ], [ %next, %body ]
  %more = fcmp olt double %n, %square
  br i1 %more, label %body, label %end
body:
  %next = fadd double %n, 0x7FE0000000000000
  br label %head
end:
  store double %n, ptr %p
  store double %y, ptr %q
  ret void
}";
    let run = follow(ir, TWO_OUTPUTS, &[1e200, 1.0], is_product, Flags::OVERFLOW);
    assert_eq!(run.output, Err(Stop::Undefined));
}

#[test]
fn what_a_call_writes_through_a_pointer_is_not_followed() {
    let ir = "
declare double @frexp(double, ptr)
define void @f(double %x, double %y, ptr %p, ptr %q) {
  %exponent = alloca i32
  %fraction = call double @frexp(double %x, ptr %exponent)
  %n = load i32, ptr %exponent
  %b = sitofp i32 %n to double
  store double %fraction, ptr %p
  store double %b, ptr %q
  ret void
}";
    let signaling = f64::from_bits(0x7ff0_0000_0000_0001);
    let run = follow(ir, TWO_OUTPUTS, &[signaling, 1.0], is_call, Flags::INVALID);
    assert!(matches!(run.output, Err(Stop::Unsupported(_))), "{run:?}");
}

#[test]
fn undefined_values_count_as_dependent() {
    let ir = "
define void @f(double %x, double %y, ptr %p, ptr %q) {
  %nothing = alloca double
  %any = load double, ptr %nothing
  %square = fmul double %x, %x
  store double %square, ptr %p
  store double %any, ptr %q
  ret void
}";
    let run = follow(ir, TWO_OUTPUTS, &[1e200, 1.0], is_product, Flags::OVERFLOW);
    assert_eq!(run.is_dependent, [true, true]);
}

/// A step of a made-up function: which, on which two values, on which of three slots of memory.
type Recipe = (u8, usize, usize, usize);

/// A function of `%x` and `%y` whose value `%v2` is `first`, with sums, memory, branches that only choose and branches that
/// do more. The three slots are its outputs.
fn made_up(first: &str, recipes: &[Recipe]) -> String {
    let mut text = format!("  %v0 = fadd double %x, 0.0\n  %v1 = fadd double %y, 0.0\n  %v2 = {first}\n");
    let mut values = 3;
    for (number, (kind, a, b, slot)) in recipes.iter().enumerate() {
        let (a, b, n, slot) = (format!("%v{}", a % values), format!("%v{}", b % values), number, slot % 3);
        let new = format!("%v{values}");
        let compare = format!("%c{n} = fcmp olt double {a}, {b}\n");
        let (lines, defines) = match kind % 7 {
            0 => (format!("{new} = fadd double {a}, {b}\n"), true),
            1 => (format!("store double {a}, ptr %s{slot}\n"), false),
            2 => (format!("{new} = load double, ptr %s{slot}\n"), true),
            3 => (format!("{compare}{new} = select i1 %c{n}, double {a}, double 3.0\n"), true),
            4 | 5 => {
                let effect = if kind % 7 == 5 { format!("store double {b}, ptr %s{slot}\n") } else { String::new() };
                let lines = format!(
                    "br label %b{n}\nb{n}:\n{compare}br i1 %c{n}, label %t{n}, label %e{n}\n\
                     t{n}:\n%w{n} = fadd double {a}, 5.0\n{effect}br label %e{n}\n\
                     e{n}:\n{new} = phi double [ %w{n}, %t{n} ], [ {b}, %b{n} ]\n"
                );
                (lines, true)
            }
            _ => {
                let lines = format!(
                    "br label %b{n}\nb{n}:\n{compare}br i1 %c{n}, label %m{n}, label %e{n}\n\
                     m{n}:\n%d{n} = fcmp ogt double {b}, 0.5\nbr i1 %d{n}, label %t{n}, label %f{n}\n\
                     t{n}:\n%w{n} = fadd double {a}, 7.0\nbr label %e{n}\nf{n}:\nbr label %e{n}\n\
                     e{n}:\n{new} = phi double [ %w{n}, %t{n} ], [ {b}, %b{n} ], [ 9.0, %f{n} ]\n"
                );
                (lines, true)
            }
        };
        text += &lines;
        values += usize::from(defines);
    }
    let parameters = "double %x, double %y, ptr %s0, ptr %s1, ptr %s2";
    let zeros: String = (0..3).map(|slot| format!("  store double 0.0, ptr %s{slot}\n")).collect();
    format!("define void @f({parameters}) {{\n{zeros}{text}  ret void\n}}\n")
}

proptest! {
    /// What the marked operation computed is replaced: an output that does not depend on it stays as it was.
    #[test]
    fn what_does_not_depend_stays(recipes in prop::collection::vec(any::<Recipe>(), 1..16)) {
        let prototype = "void f(double x, double y, double *s0, double *s1, double *s2)";
        let run = |first: &str| follow(&made_up(first, &recipes), prototype, &[1e200, 1.0], is_product, Flags::OVERFLOW);
        let marked = run("fmul double %x, %x");
        prop_assert_eq!(marked.marked, 1);
        let Ok(output) = marked.output else { return Ok(()) };
        let layout = parse_signature(prototype, &LengthOptions::default()).unwrap().output_layout();
        for first in ["fadd double %y, 1.0", "fsub double 0.0, %y", "fsub double 0x7FF8000000000000, %y"] {
            let other = run(first).output.unwrap();
            for (leaf, is_dependent) in layout.leaves.iter().zip(&marked.is_dependent) {
                prop_assert!(*is_dependent || leaf.read(&output) == leaf.read(&other), "{}", leaf.path);
            }
        }
    }
}
