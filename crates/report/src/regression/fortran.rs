//! Tests in Fortran: a program that stops with 1 where a test fails.

use std::fmt::Write as _;

use labrys_float::{Flags, Float};
use labrys_program::{FloatType, Pointee, ScalarType, Signature};

use super::shape::{NaturalCall, Passing, Step, Tree};
use super::{CallSuite, CallTest, Expectation, TestKind, TestLanguage};

const CHECKS: &str = include_str!("checks.f90");

/// What is said of floats that are not to be had.
const LACKS: &str = "not every Fortran has a";

/// The file; or the function that cannot be called, and why.
pub(super) fn text(suite: &CallSuite<'_>) -> Result<String, (String, String)> {
    suite.must_be_seen()?;
    let head = suite.head(TestKind::Fortran);
    let mut text = TestLanguage::Fortran.comment(head.iter().map(String::as_str));
    let mut calls = Vec::new();
    for (number, test) in suite.functions().into_iter().enumerate() {
        calls.push((NaturalCall::of(test, number, LACKS)?, test.signature));
    }
    // Interfaces see types of a module only.
    let _ = writeln!(text, "module {}_types\n  use iso_c_binding\n  implicit none", suite.stem);
    calls.iter().for_each(|(call, _)| types(&mut text, call));
    let _ = writeln!(text, "end module\n\nprogram {}", suite.stem);
    let _ = writeln!(text, "  use iso_c_binding\n  use ieee_exceptions\n  use {}_types\n  implicit none", suite.stem);
    let _ = writeln!(text, "  interface");
    calls.iter().for_each(|(call, signature)| interface(&mut text, suite, call, signature));
    if let Some(init) = &suite.init {
        let _ = writeln!(text, "    subroutine labrys_init() bind(C, name={init:?})\n    end subroutine");
    }
    let _ = writeln!(text, "  end interface\n  integer :: failures = 0");
    for name in labrys_float::Flags::all().names() {
        let _ = writeln!(text, "  logical :: labrys_raised_{name}");
    }
    text.push('\n');
    for test in &suite.tests {
        let _ = writeln!(text, "  if (labrys_is_wanted({0:?})) call {0}()", test.name);
    }
    text.push_str("  if (failures > 0) error stop 1\n\ncontains\n\n");
    text.push_str(CHECKS);
    for test in &suite.tests {
        text.push('\n');
        let why = TestLanguage::Fortran.comment(test.why.iter().map(String::as_str));
        why.lines().for_each(|line| text.push_str(&format!("  {line}\n")));
        let _ = writeln!(text, "  subroutine {}()", test.name);
        body(&mut text, suite, &NaturalCall::of(test, suite.number(test), LACKS)?, test);
        let _ = writeln!(text, "  end subroutine");
    }
    let _ = writeln!(text, "end program");
    Ok(text)
}

fn kind(scalar: ScalarType) -> String {
    match scalar {
        ScalarType::Float(FloatType::F32) => "c_float".to_owned(),
        ScalarType::Float(_) => "c_double".to_owned(),
        ScalarType::Int { bits, .. } => format!("c_int{bits}_t"),
        ScalarType::Bool => "c_bool".to_owned(),
    }
}

/// The name of a type.
fn type_name(call: &NaturalCall<'_>, pointee: &Pointee) -> String {
    match pointee {
        Pointee::Scalar(scalar @ ScalarType::Float(_)) => format!("real({})", kind(*scalar)),
        Pointee::Scalar(ScalarType::Bool) => "logical(c_bool)".to_owned(),
        Pointee::Scalar(scalar) => format!("integer({})", kind(*scalar)),
        Pointee::Struct(of) => format!("type({})", call.struct_name(of)),
    }
}

/// Assignments of a value to a place.
fn assign(text: &mut String, place: &str, tree: &Tree<'_>) {
    match tree {
        Tree::Scalar(scalar, bits) => {
            let comment = match scalar {
                ScalarType::Float(float) => format!("  ! {}", Float::from_bits(float.format(), *bits).to_hex()),
                _ => String::new(),
            };
            let _ = writeln!(text, "    {place} = {}{comment}", value(*scalar, *bits));
        }
        Tree::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                assign(text, &format!("{place}({})", index + 1), element);
            }
        }
        Tree::Struct(_, members) => {
            for (k, member) in members.iter().enumerate() {
                assign(text, &format!("{place}%m{k}"), member);
            }
        }
    }
}

/// A scalar's expression; floats by their bits.
fn value(scalar: ScalarType, bits: u128) -> String {
    let integer = |width: u32| {
        let unused = 128 - width;
        let number = ((bits << unused) as i128) >> unused;
        let kind = format!("c_int{width}_t");
        // The most negative number has no literal of its own type.
        match number == -(1 << (width - 1)) {
            true => format!("(-{}_{kind} - 1_{kind})", -(number + 1)),
            false if number < 0 => format!("({number}_{kind})"),
            false => format!("{number}_{kind}"),
        }
    };
    match scalar {
        ScalarType::Float(FloatType::F32) => format!("transfer({}, 0.0_c_float)", integer(32)),
        ScalarType::Float(_) => format!("transfer({}, 0.0_c_double)", integer(64)),
        ScalarType::Int { bits: width, .. } => integer(width),
        ScalarType::Bool => format!("logical(.{}., c_bool)", bits != 0),
    }
}

fn types(text: &mut String, call: &NaturalCall<'_>) {
    for of in &call.structs {
        let _ =
            writeln!(text, "  ! {}\n  type, bind(C) :: {}", crate::visible::visible(&of.name), call.struct_name(of));
        for (k, field) in of.fields.iter().enumerate() {
            let array = if field.is_array { format!("({})", field.count) } else { String::new() };
            let name = crate::visible::visible(&field.name);
            let _ = writeln!(text, "    {} :: m{k}{array}  ! {name}", type_name(call, &field.ty));
        }
        let _ = writeln!(text, "  end type");
    }
}

fn interface(text: &mut String, suite: &CallSuite<'_>, call: &NaturalCall<'_>, signature: &Signature) {
    let names: Vec<&str> = call.shape.variables.iter().map(|variable| variable.name.as_str()).collect();
    let (word, result) = match call.shape.result {
        Some(_) => ("function", " result(labrys_result)"),
        None => ("subroutine", ""),
    };
    let function = &call.shape.function;
    let _ = writeln!(
        text,
        "    {word} {function}({}) &\n        bind(C, name={:?}){result}",
        names.join(", &\n        "),
        signature.symbol
    );
    let _ = writeln!(text, "      use iso_c_binding\n      use {}_types", suite.stem);
    for variable in &call.shape.variables {
        let ty = type_name(call, variable.pointee);
        let array = if variable.count.is_some() { "(*)" } else { "" };
        let attribute = if variable.passing == Passing::Value { ", value" } else { "" };
        let _ = writeln!(text, "      {ty}{attribute} :: {}{array}", variable.name);
    }
    if let Some(result) = call.shape.result {
        let _ = writeln!(text, "      {} :: labrys_result", type_name(call, result));
    }
    let _ = writeln!(text, "    end {word}");
}

fn body(text: &mut String, suite: &CallSuite<'_>, call: &NaturalCall<'_>, test: &CallTest<'_>) {
    for variable in &call.shape.variables {
        let array = variable.count.map(|count| format!("({count})")).unwrap_or_default();
        let _ = writeln!(text, "    {} :: {}{array}", type_name(call, variable.pointee), variable.name);
    }
    if let Some(result) = call.shape.result {
        let _ = writeln!(text, "    {} :: labrys_result", type_name(call, result));
    }
    for variable in &call.shape.variables {
        assign(text, &variable.name, &variable.value);
    }
    if suite.init.is_some() {
        text.push_str("    call labrys_init()\n");
    }
    let names: Vec<&str> = call.shape.variables.iter().map(|variable| variable.name.as_str()).collect();
    let word = if call.shape.result.is_some() { "labrys_result =" } else { "call" };
    text.push_str("    call ieee_set_flag(ieee_all, .false.)\n");
    let _ = writeln!(text, "    {word} {}({})", call.shape.function, names.join(", &\n      "));
    // A procedure that uses ieee_exceptions begins with quiet flags: they are looked at here, in no procedure of their own.
    for (name, flag) in [
        ("invalid", "invalid"),
        ("divbyzero", "divide_by_zero"),
        ("overflow", "overflow"),
        ("underflow", "underflow"),
        ("inexact", "inexact"),
    ] {
        let _ = writeln!(text, "    call ieee_get_flag(ieee_{flag}, labrys_raised_{name})");
    }
    let layout = test.signature.output_layout();
    for expectation in &test.expectations {
        let words = expectation.words(&layout).replace('"', "'");
        for condition in conditions(call, test.signature, expectation) {
            let _ = writeln!(text, "    call labrys_expect({condition}, &\n      \"{}: {words}\")", test.name);
        }
    }
}

/// What holds where it is met, all of it.
fn conditions(call: &NaturalCall<'_>, signature: &Signature, expectation: &Expectation) -> Vec<String> {
    let layout = signature.output_layout();
    let leaf = expectation.output().and_then(|output| layout.leaves.get(output));
    let place = leaf.and_then(|leaf| call.shape.place(signature, leaf)).map(|(variable, steps)| {
        let mut text = variable.map_or("labrys_result", |variable| variable.name.as_str()).to_owned();
        for step in steps {
            let _ = match step {
                Step::Index(index) => write!(text, "({})", index + 1),
                Step::Member(index) => write!(text, "%m{index}"),
            };
        }
        text
    });
    let raised = |flags: Flags| flags.names().iter().map(|name| format!("labrys_raised_{name}")).collect::<Vec<_>>();
    let (Some(place), Some(scalar)) = (place, leaf.map(|leaf| leaf.scalar)) else {
        return match expectation {
            Expectation::NotRaised(flags) => raised(*flags).iter().map(|of| format!(".not. {of}")).collect(),
            _ => Vec::new(),
        };
    };
    let suffix = if scalar.value_bytes() == 4 { "float" } else { "double" };
    vec![match expectation {
        Expectation::Finite(_) => format!("labrys_is_finite_{suffix}({place})"),
        Expectation::Nan(_) => format!("labrys_is_nan_{suffix}({place})"),
        Expectation::Equal(_, bits) => match scalar {
            ScalarType::Float(_) => {
                format!("labrys_is_within_{suffix}({place}, {}, 0_c_int64_t)", value(scalar, *bits))
            }
            ScalarType::Bool => format!("{place} .eqv. {}", value(scalar, *bits)),
            _ => format!("{place} == {}", value(scalar, *bits)),
        },
        Expectation::Within(_, bits, ulps) => {
            let ulps = (*ulps).min(i64::MAX as u64);
            format!(
                "labrys_is_finite_{suffix}({place}) .and. &\n      labrys_is_within_{suffix}({place}, {}, {ulps}_c_int64_t)",
                value(scalar, *bits)
            )
        }
        Expectation::NotRaised(_) => return Vec::new(),
    }]
}
