//! Tests in Python, for pytest.

use std::fmt::Write as _;

use labrys_float::Float;
use labrys_program::{FloatType, Pointee, ScalarType, Signature};

use super::shape::{NaturalCall, Passing, Step, Tree};
use super::{CallSuite, CallTest, Expectation, TestKind, TestLanguage};

const CHECKS: &str = include_str!("checks.py");

/// What is said of floats that are not to be had.
const LACKS: &str = "Python's numbers do not hold a";

/// The file; or the function that cannot be called, and why.
pub(super) fn text(suite: &CallSuite<'_>) -> Result<String, (String, String)> {
    suite.must_be_seen()?;
    let head = suite.head(TestKind::Pytest);
    let mut text = TestLanguage::Python.comment(head.iter().map(String::as_str));
    let library = suite.library().unwrap_or_default();
    let _ = writeln!(text, "import ctypes\nimport os\nimport platform\nimport struct\n");
    let _ = writeln!(text, "HERE = os.path.dirname(os.path.abspath(__file__))");
    let _ = writeln!(text, "LIBRARY = os.path.join(HERE, {})", string(&library));
    text.push_str(
        "if not os.path.exists(LIBRARY):\n    \
         raise FileNotFoundError(f\"{LIBRARY} is missing: build it first, as the head of {os.path.basename(__file__)} says\")\n",
    );
    text.push_str("CODE = ctypes.CDLL(LIBRARY)\n\n");
    text.push_str(CHECKS);
    for (number, test) in suite.functions().into_iter().enumerate() {
        declare(&mut text, &NaturalCall::of(test, number, LACKS)?, test.signature);
    }
    for test in &suite.tests {
        let _ = writeln!(text, "\n\ndef test_{}():", test.name);
        let why = TestLanguage::Python.comment(test.why.iter().map(String::as_str));
        why.lines().for_each(|line| text.push_str(&format!("    {line}\n")));
        body(&mut text, suite, &NaturalCall::of(test, suite.number(test), LACKS)?, test);
    }
    Ok(text)
}

fn string(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04x}", c as u32),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

fn scalar_name(scalar: ScalarType) -> String {
    match scalar {
        ScalarType::Float(FloatType::F32) => "ctypes.c_float".to_owned(),
        ScalarType::Float(_) => "ctypes.c_double".to_owned(),
        ScalarType::Int { bits, signed } => format!("ctypes.c_{}int{bits}", if signed { "" } else { "u" }),
        ScalarType::Bool => "ctypes.c_bool".to_owned(),
    }
}

/// The name of a type.
fn type_name(call: &NaturalCall<'_>, pointee: &Pointee) -> String {
    match pointee {
        Pointee::Scalar(scalar) => scalar_name(*scalar),
        Pointee::Struct(of) => call.struct_name(of),
    }
}

/// An expression of what ctypes takes in an initialiser.
fn written(call: &NaturalCall<'_>, tree: &Tree<'_>) -> String {
    let list = |of: &[Tree<'_>]| of.iter().map(|of| written(call, of)).collect::<Vec<_>>().join(", ");
    match tree {
        Tree::Scalar(scalar, bits) => value(*scalar, *bits),
        Tree::Array(elements) => format!("({},)", list(elements)),
        Tree::Struct(of, members) => {
            let members: Vec<String> = of
                .fields
                .iter()
                .zip(members)
                .map(|(field, member)| match field.is_array {
                    true => {
                        let list = written(call, member);
                        format!("({} * {})(*{list})", type_name(call, &field.ty), field.count)
                    }
                    false => written(call, member),
                })
                .collect();
            format!("{}({})", call.struct_name(of), members.join(", "))
        }
    }
}

/// A scalar's expression. A NaN's payload is in its bits alone.
fn value(scalar: ScalarType, bits: u128) -> String {
    match scalar {
        ScalarType::Float(float) => {
            let number = Float::from_bits(float.format(), bits);
            let is_float = float == FloatType::F32;
            if number.is_nan() || number.is_infinite() {
                let (code, integer) = if is_float { ("f", "I") } else { ("d", "Q") };
                return format!("struct.unpack(\"<{code}\", struct.pack(\"<{integer}\", {bits:#x}))[0]");
            }
            format!("float.fromhex(\"{}\")", number.to_hex())
        }
        ScalarType::Int { bits: width, signed: true } => {
            let unused = 128 - width;
            (((bits << unused) as i128) >> unused).to_string()
        }
        ScalarType::Int { .. } => bits.to_string(),
        ScalarType::Bool => if bits == 0 { "False" } else { "True" }.to_owned(),
    }
}

fn declare(text: &mut String, call: &NaturalCall<'_>, signature: &Signature) {
    for of in &call.structs {
        let _ = writeln!(text, "\n\nclass {}(ctypes.Structure):", call.struct_name(of));
        let name = crate::visible::visible(&of.name).into_owned();
        let _ = writeln!(text, "    # {}\n    _fields_ = [", name);
        for (k, field) in of.fields.iter().enumerate() {
            let ty = type_name(call, &field.ty);
            let ty = if field.is_array { format!("{ty} * {}", field.count) } else { ty };
            let _ = writeln!(text, "        (\"m{k}\", {ty}),  # {}", crate::visible::visible(&field.name));
        }
        text.push_str("    ]\n");
    }
    let parameters: Vec<String> = call
        .shape
        .variables
        .iter()
        .map(|variable| match variable.passing {
            Passing::Value => type_name(call, variable.pointee),
            Passing::Memory(_) => format!("ctypes.POINTER({})", type_name(call, variable.pointee)),
        })
        .collect();
    let result = match call.shape.result {
        None => "None".to_owned(),
        // A subclass is not made a number of Python's on the way, which may raise what is looked for.
        Some(Pointee::Scalar(ScalarType::Float(FloatType::F32))) => "Float".to_owned(),
        Some(Pointee::Scalar(ScalarType::Float(_))) => "Double".to_owned(),
        Some(other) => type_name(call, other),
    };
    let function = &call.shape.function;
    let _ = writeln!(text, "\n\n{function} = getattr(CODE, {})", string(&signature.symbol));
    let _ = writeln!(text, "{function}.argtypes = [{}]", parameters.join(", "));
    let _ = writeln!(text, "{function}.restype = {result}");
}

fn body(text: &mut String, suite: &CallSuite<'_>, call: &NaturalCall<'_>, test: &CallTest<'_>) {
    for variable in &call.shape.variables {
        let ty = type_name(call, variable.pointee);
        let value = match (&variable.value, variable.count) {
            (value, Some(count)) => format!("({ty} * {count})(*{})", written(call, value)),
            (value @ Tree::Scalar(..), None) => format!("{ty}({})", written(call, value)),
            (value, None) => written(call, value),
        };
        let _ = writeln!(text, "    {} = {value}", variable.name);
    }
    if let Some(init) = &suite.init {
        let _ = writeln!(text, "    getattr(CODE, {})()", string(init));
    }
    let arguments: Vec<String> = call
        .shape
        .variables
        .iter()
        .map(|variable| match (variable.passing, variable.count) {
            (Passing::Memory(_), None) => format!("ctypes.byref({})", variable.name),
            _ => variable.name.clone(),
        })
        .collect();
    let function = &call.shape.function;
    text.push_str("    LIBM.feclearexcept(ALL)\n");
    let _ = writeln!(text, "    result = {function}({})", arguments.join(", "));
    text.push_str("    raised = LIBM.fetestexcept(ALL)\n");
    let layout = test.signature.output_layout();
    for expectation in &test.expectations {
        if let Some(condition) = condition(call, test.signature, expectation) {
            let words = string(&format!("not so: {}", expectation.words(&layout)));
            let _ = writeln!(text, "    assert {condition}, {words}");
        }
    }
    // What expects nothing of results does not name them.
    text.push_str("    del result, raised\n");
}

fn condition(call: &NaturalCall<'_>, signature: &Signature, expectation: &Expectation) -> Option<String> {
    let constants = |flags: labrys_float::Flags| {
        flags.names().iter().map(|name| name.to_uppercase()).collect::<Vec<_>>().join(" | ")
    };
    let layout = signature.output_layout();
    let leaf = expectation.output().and_then(|output| layout.leaves.get(output));
    let place = leaf.and_then(|leaf| call.shape.place(signature, leaf)).map(|(variable, steps)| {
        let is_plain = steps.is_empty();
        let mut text = variable.map_or("result", |variable| variable.name.as_str()).to_owned();
        for step in steps {
            let _ = match step {
                Step::Index(index) => write!(text, "[{index}]"),
                Step::Member(index) => write!(text, ".m{index}"),
            };
        }
        // A variable is an object of ctypes', what it holds a number. Integers that are returned are numbers at once.
        let is_float = matches!(leaf.map(|leaf| leaf.scalar), Some(ScalarType::Float(_)));
        if is_plain && (variable.is_some() || is_float) { format!("{text}.value") } else { text }
    });
    let scalar = leaf.map(|leaf| leaf.scalar);
    let code = if scalar.map(ScalarType::value_bytes) == Some(4) { "f" } else { "d" };
    Some(match expectation {
        Expectation::NotRaised(flags) => format!("not raised & ({})", constants(*flags)),
        Expectation::Finite(_) => format!("is_finite({})", place?),
        Expectation::Nan(_) => format!("{0} != {0}", place?),
        Expectation::Equal(_, bits) => match scalar? {
            float @ ScalarType::Float(_) => format!("apart({}, {}, \"{code}\") == 0", place?, value(float, *bits)),
            other => format!("{} == {}", place?, value(other, *bits)),
        },
        Expectation::Within(_, bits, ulps) => {
            let (place, wanted) = (place?, value(scalar?, *bits));
            format!("is_finite({place}) and apart({place}, {wanted}, \"{code}\") <= {ulps}")
        }
    })
}
