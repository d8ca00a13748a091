//! Tests in Rust.

use std::fmt::Write as _;

use labrys_float::{Flags, Float};
use labrys_program::{Access, FloatType, Pointee, ScalarType, Signature};

use super::shape::{NaturalCall, Passing, Step, Tree, Variable};
use super::{CallSuite, CallTest, CodeUnderTest, Expectation, TestKind, TestLanguage};

const CHECKS: &str = include_str!("checks.rs.txt");

/// What is said of floats that are not to be had.
const LACKS: &str = "Rust has no";

/// The file; or the function that cannot be called, and why.
pub(super) fn text(suite: &CallSuite<'_>) -> Result<String, (String, String)> {
    suite.must_be_seen()?;
    let head = suite.head(TestKind::Rust);
    let mut text = TestLanguage::Rust.comment(head.iter().map(String::as_str));
    text.push_str(
        "#![allow(dead_code, non_snake_case, non_camel_case_types, improper_ctypes, unused_mut, unused_variables)]\n\n",
    );
    text.push_str(CHECKS);
    for (number, test) in suite.functions().into_iter().enumerate() {
        declare(&mut text, &NaturalCall::of(test, number, LACKS)?, test.signature);
    }
    if let Some(init) = &suite.init {
        let _ = writeln!(text, "\nunsafe extern \"C\" {{\n    #[link_name = {init:?}]\n    fn labrys_init();\n}}");
    }
    if let CodeUnderTest::Crate { module, .. } = &suite.code {
        let _ = writeln!(
            text,
            "\n/// The call of the crate, as the test makes it.\n#[allow(warnings)]\nmod labrys_glue {{"
        );
        for line in module.lines() {
            let _ = writeln!(text, "{}", if line.is_empty() { String::new() } else { format!("    {line}") });
        }
        text.push_str("}\n");
    }
    for test in &suite.tests {
        let call = NaturalCall::of(test, suite.number(test), LACKS)?;
        text.push('\n');
        text.push_str(&TestLanguage::Rust.comment(test.why.iter().map(String::as_str)));
        let _ = writeln!(text, "#[test]\nfn {}() {{", test.name);
        body(&mut text, suite, &call, test);
        text.push_str("}\n");
    }
    Ok(text)
}

fn scalar_name(scalar: ScalarType) -> String {
    match scalar {
        ScalarType::Float(FloatType::F32) => "f32".to_owned(),
        ScalarType::Float(_) => "f64".to_owned(),
        ScalarType::Int { bits, signed } => format!("{}{bits}", if signed { 'i' } else { 'u' }),
        ScalarType::Bool => "bool".to_owned(),
    }
}

/// The name of a type.
fn type_name(call: &NaturalCall<'_>, pointee: &Pointee) -> String {
    match pointee {
        Pointee::Scalar(scalar) => scalar_name(*scalar),
        Pointee::Struct(of) => call.struct_name(of),
    }
}

fn written(call: &NaturalCall<'_>, tree: &Tree<'_>) -> String {
    let list = |of: &[Tree<'_>]| of.iter().map(|of| written(call, of)).collect::<Vec<_>>().join(", ");
    match tree {
        Tree::Scalar(scalar, bits) => value(*scalar, *bits),
        Tree::Array(elements) => format!("[{}]", list(elements)),
        Tree::Struct(of, members) => {
            let members = members.iter().enumerate().map(|(k, member)| format!("m{k}: {}", written(call, member)));
            format!("{} {{ {} }}", call.struct_name(of), members.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A scalar's expression; floats by their bits, with C's hexadecimal notation beside them.
fn value(scalar: ScalarType, bits: u128) -> String {
    match scalar {
        ScalarType::Float(float) => {
            let number = Float::from_bits(float.format(), bits);
            format!("{}::from_bits({bits:#x}) /* {} */", scalar_name(scalar), number.to_hex())
        }
        ScalarType::Int { bits: width, signed: true } => {
            let unused = 128 - width;
            (((bits << unused) as i128) >> unused).to_string()
        }
        ScalarType::Int { .. } => bits.to_string(),
        ScalarType::Bool => (bits != 0).to_string(),
    }
}

fn declare(text: &mut String, call: &NaturalCall<'_>, signature: &Signature) {
    for of in &call.structs {
        let _ = writeln!(text, "\n/// {}", crate::visible::visible(&of.name).trim());
        let name = type_name(call, &Pointee::Struct((*of).clone()));
        let _ = writeln!(text, "#[repr(C)]\n#[derive(Clone, Copy)]\nstruct {name} {{");
        for (k, field) in of.fields.iter().enumerate() {
            let ty = type_name(call, &field.ty);
            let ty = if field.is_array { format!("[{ty}; {}]", field.count) } else { ty };
            let _ = writeln!(text, "    m{k}: {ty}, // {}", crate::visible::visible(&field.name));
        }
        text.push_str("}\n");
    }
    let names = call.shape.variables.iter().map(|variable| &variable.name);
    let (types, result) = types(call);
    let parameters: Vec<String> = names.zip(types).map(|(name, ty)| format!("{name}: {ty}")).collect();
    let label = match call.shape.function == signature.symbol {
        true => String::new(),
        false => format!("    #[link_name = {:?}]\n", signature.symbol),
    };
    let (function, parameters) = (&call.shape.function, parameters.join(", "));
    let _ = writeln!(text, "\nunsafe extern \"C\" {{\n{label}    fn {function}({parameters}){result};\n}}");
}

/// The types of the function's parameters, and what stands behind them for its result.
fn types(call: &NaturalCall<'_>) -> (Vec<String>, String) {
    let parameters = call.shape.variables.iter().map(|variable| {
        let ty = type_name(call, variable.pointee);
        match variable.passing {
            Passing::Value => ty,
            Passing::Memory(Access::In) => format!("*const {ty}"),
            Passing::Memory(_) => format!("*mut {ty}"),
        }
    });
    let result = call.shape.result.map(|result| format!(" -> {}", type_name(call, result))).unwrap_or_default();
    (parameters.collect(), result)
}

fn body(text: &mut String, suite: &CallSuite<'_>, call: &NaturalCall<'_>, test: &CallTest<'_>) {
    for variable in &call.shape.variables {
        let ty = type_name(call, variable.pointee);
        let ty = variable.count.map_or_else(|| ty.clone(), |count| format!("[{ty}; {count}]"));
        let _ = writeln!(text, "    let mut {}: {ty} = {};", variable.name, written(call, &variable.value));
    }
    if suite.init.is_some() {
        text.push_str("    unsafe { labrys_init() };\n");
    }
    let argument = |variable: &Variable<'_>| match (variable.passing, variable.count) {
        (Passing::Value, _) => variable.name.clone(),
        (Passing::Memory(Access::In), None) => format!("&raw const {}", variable.name),
        (Passing::Memory(_), None) => format!("&raw mut {}", variable.name),
        (Passing::Memory(Access::In), Some(_)) => format!("{}.as_ptr()", variable.name),
        (Passing::Memory(_), Some(_)) => format!("{}.as_mut_ptr()", variable.name),
    };
    let arguments: Vec<String> = call.shape.variables.iter().map(argument).collect();
    let (types, result) = types(call);
    let (function, types, arguments) = (&call.shape.function, types.join(", "), arguments.join(", "));
    // Where the compiler sees the callee it computes its results beforehand, and what it raises is never raised.
    let _ = writeln!(
        text,
        "    let function = std::hint::black_box({function} as unsafe extern \"C\" fn({types}){result});\n    \
         let (result, raised) = unsafe {{ labrys_observed(|| function({arguments})) }};"
    );
    let layout = test.signature.output_layout();
    for expectation in &test.expectations {
        let words = expectation.words(&layout);
        if let Some(condition) = condition(call, test.signature, expectation) {
            let _ = writeln!(text, "    assert!({condition}, \"{{}}\", {:?});", format!("not so: {words}"));
        }
    }
}

fn condition(call: &NaturalCall<'_>, signature: &Signature, expectation: &Expectation) -> Option<String> {
    let constants = |flags: Flags| flags.names().iter().map(|name| name.to_uppercase()).collect::<Vec<_>>().join(" | ");
    let layout = signature.output_layout();
    let leaf = expectation.output().and_then(|output| layout.leaves.get(output));
    let place = leaf.and_then(|leaf| call.shape.place(signature, leaf)).map(|(variable, steps)| {
        let mut text = variable.map_or("result", |variable| variable.name.as_str()).to_owned();
        for step in steps {
            let _ = match step {
                Step::Index(index) => write!(text, "[{index}]"),
                Step::Member(index) => write!(text, ".m{index}"),
            };
        }
        text
    });
    let scalar = leaf.map(|leaf| leaf.scalar);
    Some(match expectation {
        Expectation::NotRaised(flags) => format!("raised & ({}) == 0", constants(*flags)),
        Expectation::Finite(_) => format!("{}.is_finite()", place?),
        Expectation::Nan(_) => format!("{}.is_nan()", place?),
        Expectation::Equal(_, bits) => match scalar? {
            float @ ScalarType::Float(_) => format!("{}.to_bits() == {}.to_bits()", place?, value(float, *bits)),
            other => format!("{} == {}", place?, value(other, *bits)),
        },
        Expectation::Within(_, bits, ulps) => {
            let (place, wanted) = (place?, value(scalar?, *bits));
            format!("{place}.is_finite() && labrys_apart({place}.to_bits(), {wanted}.to_bits()) <= {ulps}")
        }
    })
}
