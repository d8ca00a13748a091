//! Tests in Rust.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use labrys_float::{Flags, Float};
use labrys_program::{Access, FloatType, Pointee, ScalarType, Signature, StructType};

use super::shape::{Passing, Shape, Step, Tree, Variable, natural_structs};
use super::{CallSuite, CallTest, Expectation, TestKind, TestLanguage};

const CHECKS: &str = include_str!("checks.rs.txt");

/// A call in Rust.
struct Call<'a> {
    shape: Shape<'a>,
    structs: Vec<&'a StructType>,
    number: usize,
}

/// The file; or the function that cannot be called, and why.
pub(super) fn text(suite: &CallSuite<'_>) -> Result<String, (String, String)> {
    suite.must_be_seen()?;
    let head = suite.head(TestKind::Rust);
    let mut text = TestLanguage::Rust.comment(head.iter().map(String::as_str));
    text.push_str(
        "#![allow(dead_code, non_snake_case, non_camel_case_types, improper_ctypes, unused_mut, unused_variables)]\n\n",
    );
    text.push_str(CHECKS);
    let mut symbols: Vec<&str> = Vec::new();
    for test in &suite.tests {
        if !symbols.contains(&test.signature.symbol.as_str()) {
            symbols.push(&test.signature.symbol);
            let call = call(test, symbols.len() - 1)?;
            declare(&mut text, &call, test.signature);
        }
    }
    if let Some(init) = &suite.init {
        let _ = writeln!(text, "\nunsafe extern \"C\" {{\n    #[link_name = {init:?}]\n    fn labrys_init();\n}}");
    }
    let mut names = BTreeSet::new();
    for test in &suite.tests {
        names.insert(&test.name);
        let number = symbols.iter().position(|symbol| *symbol == test.signature.symbol).unwrap_or_default();
        let call = call(test, number)?;
        text.push('\n');
        text.push_str(&TestLanguage::Rust.comment(test.why.iter().map(String::as_str)));
        let _ = writeln!(text, "#[test]\nfn {}() {{", test.name);
        body(&mut text, suite, &call, test);
        text.push_str("}\n");
    }
    Ok(text)
}

fn call<'a>(test: &CallTest<'a>, number: usize) -> Result<Call<'a>, (String, String)> {
    let shape = Shape::of(test.signature, &test.input, number);
    let refused = |why: String| (test.signature.name.clone(), why);
    let structs = natural_structs(&shape).map_err(refused)?;
    let layouts = (test.signature.input_layout().leaves, test.signature.output_layout().leaves);
    let scalars = layouts.0.iter().chain(&layouts.1).map(|leaf| leaf.scalar);
    for scalar in scalars {
        if let ScalarType::Float(FloatType::X87 | FloatType::F16) = scalar {
            return Err(refused(format!("Rust has no {}; take ctest", scalar.name())));
        }
    }
    Ok(Call { shape, structs, number })
}

fn scalar_name(scalar: ScalarType) -> String {
    match scalar {
        ScalarType::Float(FloatType::F32) => "f32".to_owned(),
        ScalarType::Float(_) => "f64".to_owned(),
        ScalarType::Int { bits, signed } => format!("{}{bits}", if signed { 'i' } else { 'u' }),
        ScalarType::Bool => "bool".to_owned(),
    }
}

impl Call<'_> {
    fn name(&self, pointee: &Pointee) -> String {
        match pointee {
            Pointee::Scalar(scalar) => scalar_name(*scalar),
            Pointee::Struct(of) => {
                let index = self.structs.iter().position(|known| *known == of).unwrap_or_default();
                format!("LabrysF{}S{index}", self.number)
            }
        }
    }

    fn value(&self, tree: &Tree<'_>) -> String {
        let list = |of: &[Tree<'_>]| of.iter().map(|of| self.value(of)).collect::<Vec<_>>().join(", ");
        match tree {
            Tree::Scalar(scalar, bits) => value(*scalar, *bits),
            Tree::Array(elements) => format!("[{}]", list(elements)),
            Tree::Struct(of, members) => {
                let index = self.structs.iter().position(|known| known == of).unwrap_or_default();
                let members = members.iter().enumerate().map(|(k, member)| format!("m{k}: {}", self.value(member)));
                format!("LabrysF{}S{index} {{ {} }}", self.number, members.collect::<Vec<_>>().join(", "))
            }
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

fn declare(text: &mut String, call: &Call<'_>, signature: &Signature) {
    for of in &call.structs {
        let _ = writeln!(text, "\n/// {}", crate::visible::visible(&of.name).trim());
        let name = call.name(&Pointee::Struct((*of).clone()));
        let _ = writeln!(text, "#[repr(C)]\n#[derive(Clone, Copy)]\nstruct {name} {{");
        for (k, field) in of.fields.iter().enumerate() {
            let ty = call.name(&field.ty);
            let ty = if field.is_array { format!("[{ty}; {}]", field.count) } else { ty };
            let _ = writeln!(text, "    m{k}: {ty}, // {}", crate::visible::visible(&field.name));
        }
        text.push_str("}\n");
    }
    let parameters: Vec<String> = call
        .shape
        .variables
        .iter()
        .map(|variable| {
            let ty = call.name(variable.pointee);
            match variable.passing {
                Passing::Value => format!("{}: {ty}", variable.name),
                Passing::Memory(Access::In) => format!("{}: *const {ty}", variable.name),
                Passing::Memory(_) => format!("{}: *mut {ty}", variable.name),
            }
        })
        .collect();
    let result = call.shape.result.map(|result| format!(" -> {}", call.name(result))).unwrap_or_default();
    let label = match call.shape.function == signature.symbol {
        true => String::new(),
        false => format!("    #[link_name = {:?}]\n", signature.symbol),
    };
    let (function, parameters) = (&call.shape.function, parameters.join(", "));
    let _ = writeln!(text, "\nunsafe extern \"C\" {{\n{label}    fn {function}({parameters}){result};\n}}");
}

fn body(text: &mut String, suite: &CallSuite<'_>, call: &Call<'_>, test: &CallTest<'_>) {
    for variable in &call.shape.variables {
        let ty = call.name(variable.pointee);
        let ty = variable.count.map_or_else(|| ty.clone(), |count| format!("[{ty}; {count}]"));
        let _ = writeln!(text, "    let mut {}: {ty} = {};", variable.name, call.value(&variable.value));
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
    let (function, arguments) = (&call.shape.function, arguments.join(", "));
    let _ = writeln!(text, "    let (result, raised) = unsafe {{ labrys_observed(|| {function}({arguments})) }};");
    let layout = test.signature.output_layout();
    for expectation in &test.expectations {
        let words = expectation.words(&layout);
        if let Some(condition) = condition(call, test.signature, expectation) {
            let _ = writeln!(text, "    assert!({condition}, \"{{}}\", {:?});", format!("not so: {words}"));
        }
    }
}

fn condition(call: &Call<'_>, signature: &Signature, expectation: &Expectation) -> Option<String> {
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
        Expectation::Raised(flags) => format!("raised & ({0}) == ({0})", constants(*flags)),
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
