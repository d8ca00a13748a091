//! A suite of tests as one C file that needs nothing of labrys: the program is linked to it and run once for each test.

use std::fmt::Write as _;

use crate::{InputObject, TestInput, runtime, sanitizer_options};

/// A test and what the program did on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RegressionTest {
    /// Its name: letters, digits, `-` and `_`.
    pub name: String,
    /// The inputs.
    pub input: TestInput,
    /// How the program is expected to end.
    pub ending: ExpectedEnding,
    /// What it computed, as far as it says so (`labrys_output`), in its order.
    pub outputs: Vec<InputObject>,
}

/// How a program is expected to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExpectedEnding {
    /// With this exit code, as it was observed.
    Exit(i32),
    /// By an error, as it was observed.
    Error,
    /// By no error, whatever its exit code: a finding's mend. Sanitizers' findings are errors.
    NoError,
}

impl ExpectedEnding {
    /// What stands for it in the table of tests.
    fn code(self) -> i32 {
        match self {
            ExpectedEnding::Exit(code) => code,
            ExpectedEnding::Error => -1,
            ExpectedEnding::NoError => -2,
        }
    }
}

/// What the first comment of a file of tests says.
#[derive(Clone, Copy, Debug)]
pub struct FileComment<'a> {
    /// What the tests are of, in lines; none where each says so itself.
    pub about: &'a [String],
    /// The commands that build and run them.
    pub commands: &'a [String],
    /// The executable that they build.
    pub executable: &'a str,
}

/// The text of a C file with these tests. The program is linked with it: in C its
/// sources are compiled with `-Dmain=labrys_program_main`, or, whatever they are, the linker changes the two places (`-Wl,--wrap=main`, the file compiled with
/// `-Dmain=__wrap_main -Dlabrys_program_main=__real_main`).
/// Without arguments the file's `main` runs all tests, each in a process of its own, and returns how many did not end as
/// recorded. Arguments name tests to run. What tests say that they compute must be as
/// recorded, too: bit for bit, or, compiled with `-DLABRYS_ULPS=N`, floats and doubles within N units in the last place. With `-DLABRYS_LEAKS`
/// memory that is lost is an error where address sanitizer looks for it.
pub fn regression_file(tests: &[RegressionTest], comment: FileComment<'_>) -> String {
    // A comment's end in a path or a text would end the comment.
    let inside = |line: &str| line.replace("*/", "*\\/");
    let mut text = String::from("/* ");
    for line in comment.about {
        let _ = writeln!(text, "{}{}", if text.len() > 3 { "   " } else { "" }, inside(line));
    }
    let indent = if comment.about.is_empty() { "" } else { "   " };
    let exit = match tests {
        [one] if one.ending == ExpectedEnding::Error => {
            "0 where the program ends by an error, as it was recorded, and 1 where it does not, once it is mended"
        }
        _ => "the number of tests on which the program did not do what it should, at most 100",
    };
    let _ = writeln!(text, "{indent}Made by labrys. The exit code is {exit}.\n   To build and run it:");
    for line in comment.commands {
        let _ = writeln!(text, "     $ {}", inside(line));
    }
    text.push_str("   CTest:\n");
    for test in tests {
        let _ = writeln!(text, "     add_test(NAME {0} COMMAND {1} {0})", test.name, comment.executable);
    }
    text.push_str("*/\n#define LABRYS_SUITE\n");
    text.push_str(&runtime());
    text.push_str("\n#include <sys/wait.h>\n\n");
    for (index, test) in tests.iter().enumerate() {
        table(&mut text, index, test);
    }
    let _ = writeln!(text, "static const struct labrys_test labrys_tests[] = {{");
    for (index, test) in tests.iter().enumerate() {
        let expected = test.ending.code();
        let count = test.input.objects.len();
        let _ = writeln!(
            text,
            "    {{{}, {expected}, {}, labrys_arguments_{index}, {count}, labrys_objects_{index}, {}, labrys_outputs_{index}}},",
            c_string(test.name.as_bytes()),
            test.input.arguments.len() + 1,
            test.outputs.len()
        );
    }
    text.push_str("    {0, 0, 0, 0, 0, 0, 0, 0},\n};\n");
    let options = sanitizer_options(SANITIZER_EXIT);
    let _ = writeln!(
        text,
        "#define LABRYS_EXIT_SANITIZER {SANITIZER_EXIT}\n#define LABRYS_SANITIZER_OPTIONS \"{options}\""
    );
    text.replace("#define LABRYS_SUITE\n", &format!("#define LABRYS_SUITE\n{TEST_TYPE}")) + DRIVER
}

const TEST_TYPE: &str = "\
#include <stdint.h>
struct labrys_object;
struct labrys_test {
    const char *name;
    int exit_code; /* -1: ends by an error; -2: ends by none */
    int argument_count;
    char **arguments;
    uint32_t count;
    const struct labrys_object *objects;
    uint32_t output_count;
    const struct labrys_object *outputs;
};
";

/// What sanitizers end a program with: none of the runtime's codes, which `runtime.c` and `driver.c` define.
const SANITIZER_EXIT: u8 = 94;

/// Runs the tests.
const DRIVER: &str = include_str!("driver.c");

/// The tables of a test.
fn table(text: &mut String, index: usize, test: &RegressionTest) {
    objects(text, index, ("bytes", "objects"), &test.input.objects);
    objects(text, index, ("output", "outputs"), &test.outputs);
    let mut words = vec!["(char *)\"program\"".to_owned()];
    words.extend(test.input.arguments.iter().map(|argument| format!("(char *){}", c_string(argument))));
    let _ = writeln!(text, "static char *labrys_arguments_{index}[] = {{{}, 0}};\n", words.join(", "));
}

/// A table of objects, and one of the bytes of each.
fn objects(text: &mut String, index: usize, (part, whole): (&str, &str), objects: &[InputObject]) {
    for (number, object) in objects.iter().enumerate() {
        // C has no empty arrays.
        let bytes = if object.bytes.is_empty() { &[0][..] } else { &object.bytes };
        let list: Vec<String> = bytes.iter().map(|byte| format!("{byte:#04x}")).collect();
        let lines: Vec<String> = list.chunks(20).map(|line| format!("    {},\n", line.join(", "))).collect();
        let _ =
            writeln!(text, "static const unsigned char labrys_{part}_{index}_{number}[] = {{\n{}}};", lines.concat());
    }
    let _ = writeln!(text, "static const struct labrys_object labrys_{whole}_{index}[] = {{");
    for (number, object) in objects.iter().enumerate() {
        let name = c_string(object.name.as_bytes());
        let _ = writeln!(text, "    {{{name}, {}, labrys_{part}_{index}_{number}}},", object.bytes.len());
    }
    text.push_str("    {0, 0, 0},\n};\n");
}

/// Bytes as a string of C's: what is not a plain character is octal, which no digit behind it can lengthen.
fn c_string(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for byte in bytes {
        match byte {
            b'"' | b'\\' | b'?' => text.push_str(&format!("\\{}", char::from(*byte))),
            b' '..=b'~' => text.push(char::from(*byte)),
            byte => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}
