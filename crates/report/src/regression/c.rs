//! Tests in C, and in C++ with Catch2.

use std::fmt::Write as _;

use labrys_program::{CStructs, Pointee, ScalarType, Signature};

use super::name::is_name;
use super::shape::{Passing, Shape, Step, Tree};
use super::{CallSuite, CallTest, CodeUnderTest, Expectation, TestKind, TestLanguage};
use crate::reproducer::witness::literal;

const CHECKS: &str = include_str!("checks.c");

/// A function of the tests: how it is declared.
struct Declared<'a> {
    shape: Shape<'a>,
    structs: CStructs<'a>,
    /// What its structs are called before their numbers.
    prefix: String,
}

/// The file; or the function that cannot be called, and why.
pub(super) fn text(suite: &CallSuite<'_>, is_catch: bool) -> Result<String, (String, String)> {
    let kind = if is_catch { TestKind::Catch2 } else { TestKind::Ctest };
    if is_catch {
        suite.must_be_seen()?;
    }
    let head = suite.head(kind);
    let mut text = TestLanguage::C.comment(head.iter().map(String::as_str));
    if let CodeUnderTest::Included { source, .. } = &suite.code {
        let path = source.display().to_string();
        if path.contains(['"', '\n', '\\']) {
            let name = suite.tests.first().map(|test| test.signature.name.clone()).unwrap_or_default();
            return Err((name, format!("C cannot include {path}")));
        }
        let _ = writeln!(text, "#define main labrys_unused_main\n#include \"{path}\"\n#undef main\n");
    }
    if is_catch {
        text.push_str(CATCH);
    }
    text.push_str(CHECKS);
    text.push_str(if is_catch {
        "#define EXPECT(holds, words) do { INFO(words); CHECK((holds)); } while (0)\n\n"
    } else {
        EXPECT
    });
    if is_catch {
        text.push_str("#define _Bool bool\n#define _Static_assert static_assert\nextern \"C\" {\n");
    }
    for (number, test) in suite.functions().into_iter().enumerate() {
        declare(&mut text, suite, test, number);
    }
    if let Some(init) = &suite.init {
        let _ = writeln!(text, "extern void labrys_init(void) __asm__(\"{}\");", escaped(init));
    }
    if is_catch {
        text.push_str("}\n");
    }
    for test in &suite.tests {
        let number = suite.number(test);
        text.push('\n');
        text.push_str(&TestLanguage::C.comment(test.why.iter().map(String::as_str)));
        match is_catch {
            true => {
                let _ = writeln!(text, "TEST_CASE(\"{}\") {{", escaped(&test.name));
            }
            false => {
                let _ = writeln!(text, "static void {}(void) {{", test.name);
            }
        }
        body(&mut text, suite, test, number);
        text.push_str("}\n");
    }
    if !is_catch {
        text.push_str("\nstatic const struct { const char *name; void (*run)(void); } tests[] = {\n");
        for test in &suite.tests {
            let _ = writeln!(text, "    {{\"{0}\", {0}}},", test.name);
        }
        text.push_str("};\n");
        text.push_str(MAIN);
    }
    Ok(text)
}

const CATCH: &str = "\
#if defined __has_include && __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
/* Catch2 2. Where another file has main, define LABRYS_NO_MAIN. */
#ifndef LABRYS_NO_MAIN
#define CATCH_CONFIG_MAIN
#endif
#include <catch2/catch.hpp>
#endif

";

const EXPECT: &str = "\
static int failures;
#define EXPECT(holds, words) \\
    do { \\
        if (!(holds)) { \\
            printf(\"%s:%d: NOT so: %s\\n\", __FILE__, __LINE__, words); \\
            failures++; \\
        } \\
    } while (0)

";

const MAIN: &str = "
/* Runs the tests that are named, or all. */
int main(int argument_count, char **arguments) {
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        int wanted = argument_count < 2;
        for (int k = 1; k < argument_count; k++) wanted |= strcmp(arguments[k], tests[i].name) == 0;
        if (wanted) tests[i].run();
    }
    return failures > 0;
}
";

fn declared<'a>(test: &CallTest<'a>, number: usize) -> Declared<'a> {
    Declared {
        shape: Shape::of(test.signature, &test.input, number),
        structs: CStructs::of(test.signature),
        prefix: format!("struct labrys_f{number}_s"),
    }
}

impl Declared<'_> {
    /// A type. Functions have structs of their own.
    fn name(&self, pointee: &Pointee) -> String {
        self.renamed(&self.structs.name(pointee))
    }

    fn renamed(&self, text: &str) -> String {
        text.replace("struct labrys_s", &self.prefix)
    }
}

/// The function's prototype, and its structs.
fn declare(text: &mut String, suite: &CallSuite<'_>, test: &CallTest<'_>, number: usize) {
    let of = declared(test, number);
    text.push_str(&of.renamed(&of.structs.declare()));
    let Signature { symbol, .. } = test.signature;
    if matches!(suite.code, CodeUnderTest::Included { .. }) {
        return;
    }
    let name = &of.shape.function;
    let label = if name == symbol { String::new() } else { format!(" __asm__(\"{}\")", escaped(symbol)) };
    let _ = writeln!(text, "extern {}{label};", prototype(&of, name));
}

fn prototype(of: &Declared<'_>, name: &str) -> String {
    let types: Vec<String> = of
        .shape
        .variables
        .iter()
        .map(|variable| match variable.passing {
            Passing::Value => of.name(variable.pointee),
            Passing::Memory(_) => format!("{} *", of.name(variable.pointee)),
        })
        .collect();
    let types = if types.is_empty() { "void".to_owned() } else { types.join(", ") };
    let result = of.shape.result.map_or_else(|| "void".to_owned(), |result| of.name(result));
    format!("{result} {name}({types})")
}

/// The call and what is expected.
fn body(text: &mut String, suite: &CallSuite<'_>, test: &CallTest<'_>, number: usize) {
    let of = declared(test, number);
    let inputs = test.signature.input_layout();
    for (index, variable) in of.shape.variables.iter().enumerate() {
        let array = variable.count.map(|count| format!("[{count}]")).unwrap_or_default();
        let value = if inputs.parameters[index].is_some() { initialiser(&variable.value) } else { "{0}".to_owned() };
        let comment = match &variable.value {
            Tree::Scalar(scalar, bits) => decimal(*scalar, *bits),
            _ => String::new(),
        };
        let _ = writeln!(text, "    {} {}{array} = {value};{comment}", of.name(variable.pointee), variable.name);
    }
    // Where compilers see the callee they compute its results beforehand, and what it raises is never raised.
    let pointer = prototype(&of, "(*volatile function)");
    let _ = match suite.code {
        CodeUnderTest::Included { .. } => {
            // The source's own types stand for others of the same layout.
            let cast = prototype(&of, "(*)");
            let own = if is_name(&test.signature.name) { &test.signature.name } else { &test.signature.symbol };
            writeln!(text, "    {pointer} = ({cast}){own};")
        }
        _ => writeln!(text, "    {pointer} = {};", of.shape.function),
    };
    if suite.init.is_some() {
        text.push_str("    labrys_init();\n");
    }
    text.push_str("    feclearexcept(FE_ALL_EXCEPT);\n");
    let result = of.shape.result.map(|result| format!("{} result = ", of.name(result))).unwrap_or_default();
    let arguments: Vec<String> = of
        .shape
        .variables
        .iter()
        .map(|variable| match (variable.passing, variable.count) {
            (Passing::Memory(_), None) => format!("&{}", variable.name),
            _ => variable.name.clone(),
        })
        .collect();
    let _ = writeln!(text, "    {result}function({});", arguments.join(", "));
    text.push_str("    int raised = fetestexcept(FE_ALL_EXCEPT);\n    (void)raised;\n");
    if of.shape.result.is_some() {
        text.push_str("    (void)result;\n");
    }
    let layout = test.signature.output_layout();
    for expectation in &test.expectations {
        let words = escaped(&expectation.words(&layout));
        let Some(condition) = condition(&of, test.signature, expectation) else { continue };
        let _ = writeln!(text, "    EXPECT({condition}, \"{words}\");");
    }
}

fn condition(of: &Declared<'_>, signature: &Signature, expectation: &Expectation) -> Option<String> {
    let macros = |flags: labrys_float::Flags| {
        let names: Vec<String> = flags.names().iter().map(|name| format!("FE_{}", name.to_uppercase())).collect();
        names.join(" | ")
    };
    let layout = signature.output_layout();
    let leaf = expectation.output().and_then(|output| layout.leaves.get(output));
    let place = leaf.and_then(|leaf| of.shape.place(signature, leaf));
    let place = place.map(|(variable, steps)| {
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
    let bytes = scalar.map_or(0, ScalarType::value_bytes);
    Some(match expectation {
        Expectation::NotRaised(flags) => format!("!(raised & ({}))", macros(*flags)),
        Expectation::Finite(_) => format!("labrys_is_finite(&{}, {bytes})", place?),
        Expectation::Nan(_) => format!("labrys_is_nan(&{}, {bytes})", place?),
        Expectation::Equal(_, bits) => match scalar? {
            ScalarType::Float(_) => format!("labrys_apart(&{}, {}, {bytes}) == 0", place?, labelled(scalar?, *bits)),
            other => format!("{} == {}", place?, literal(other, *bits)),
        },
        Expectation::Within(_, bits, ulps) => {
            let (place, wanted) = (place?, labelled(scalar?, *bits));
            format!("labrys_is_finite(&{place}, {bytes}) && labrys_apart(&{place}, {wanted}, {bytes}) <= {ulps}u")
        }
    })
}

/// The address of a number: `number_of(0x1p+0)`.
fn labelled(scalar: ScalarType, bits: u128) -> String {
    let number = literal(scalar, bits);
    match scalar {
        ScalarType::Float(labrys_program::FloatType::F32) => format!("LABRYS_FLOAT({number})"),
        ScalarType::Float(labrys_program::FloatType::F64) => format!("LABRYS_DOUBLE({number})"),
        ScalarType::Float(labrys_program::FloatType::F16) => format!("LABRYS_HALF({number})"),
        _ => format!("LABRYS_LONG_DOUBLE({number})"),
    }
}

fn initialiser(tree: &Tree<'_>) -> String {
    match tree {
        Tree::Scalar(scalar, bits) => literal(*scalar, *bits),
        Tree::Array(elements) => format!("{{{}}}", elements.iter().map(initialiser).collect::<Vec<_>>().join(", ")),
        Tree::Struct(_, members) => {
            let members = members.iter().enumerate().map(|(k, member)| format!(".m{k} = {}", initialiser(member)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A float's decimal as a comment.
fn decimal(scalar: ScalarType, bits: u128) -> String {
    match scalar {
        ScalarType::Float(_) => {
            format!(" /* {} */", crate::Value::scalar(None, scalar, bits).decimal.unwrap_or_default())
        }
        _ => String::new(),
    }
}

/// A text inside quotation marks.
fn escaped(text: &str) -> String {
    let shown = crate::visible::visible(text);
    shown.chars().map(|c| if matches!(c, '"' | '\\' | '?') { format!("\\{c}") } else { c.to_string() }).collect()
}
