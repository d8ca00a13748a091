//! Files come back as they were written, readers take any bytes, and what C there is compiles.

use std::process::Command;

use labrys_testcase::{
    ExpectedEnding, FileComment, InputObject, Ktest, KtestError, RegressionTest, SuiteInput, SuiteMetadata, TestInput,
    Waypoint, WaypointKind, Witness, WitnessContent, WitnessError, WitnessLocation, WitnessMetadata, input_of_suite,
    read_test_xml, regression_file, runtime, suite_inputs, test_xml, write_headers,
};
use proptest::prelude::*;

fn object() -> impl Strategy<Value = InputObject> {
    (".{0,12}", prop::collection::vec(any::<u8>(), 0..40)).prop_map(|(name, bytes)| InputObject { name, bytes })
}

fn ktest() -> impl Strategy<Value = Ktest> {
    let arguments = prop::collection::vec(prop::collection::vec(any::<u8>(), 0..12), 0..4);
    (arguments, any::<u32>(), any::<u32>(), prop::collection::vec(object(), 0..6)).prop_map(
        |(arguments, symbolic_arguments, symbolic_argument_length, objects)| Ktest {
            arguments,
            symbolic_arguments,
            symbolic_argument_length,
            objects,
        },
    )
}

fn waypoint() -> impl Strategy<Value = Waypoint> {
    let kinds = prop::sample::select(vec![
        WaypointKind::Assumption,
        WaypointKind::Branching,
        WaypointKind::FunctionEnter,
        WaypointKind::FunctionReturn,
        WaypointKind::Target,
    ]);
    (kinds, any::<bool>(), ".{0,20}", any::<u32>(), any::<Option<u32>>(), prop::option::of(".{0,20}")).prop_map(
        |(kind, is_followed, file, line, column, constraint)| Waypoint {
            kind,
            is_followed,
            location: WitnessLocation { file, line, column, function: None },
            constraint,
        },
    )
}

/// Text of any characters, or of those that mean something in YAML.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,20}", r##"[\"':#,&*!|>%@?\[\]{}~a 	-]{0,9}"##]
}

fn witness() -> impl Strategy<Value = Witness> {
    let content = prop::collection::vec(prop::collection::vec(waypoint(), 1..3), 0..4);
    (content, text(), prop::collection::vec((text(), "[0-9a-f]{8}"), 0..3)).prop_map(
        |(segments, specification, mut files)| {
            files.sort();
            files.dedup_by(|a, b| a.0 == b.0);
            let metadata = WitnessMetadata { specification, files, ..WitnessMetadata::default() };
            Witness { metadata, content: WitnessContent::Violation(segments) }
        },
    )
}

proptest! {
    #[test]
    fn ktest_files_come_back(ktest in ktest()) {
        prop_assert_eq!(Ktest::from_bytes(&ktest.to_bytes()), Ok(ktest));
    }

    #[test]
    fn no_bytes_confuse_the_reader_of_ktest_files(
        mut bytes in ktest().prop_map(|ktest| ktest.to_bytes()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        length in any::<prop::sample::Index>(),
    ) {
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let _ = Ktest::from_bytes(&bytes);
        let _ = Ktest::from_bytes(&bytes[..length.index(bytes.len())]);
    }

    #[test]
    fn suites_come_back(values in prop::collection::vec(("[ -~]{0,10}", prop::option::of("[ -~]{1,8}")), 0..5)) {
        let inputs: Vec<SuiteInput> =
            values.into_iter().map(|(value, variable)| SuiteInput { c_type: None, variable, value }).collect();
        prop_assert_eq!(read_test_xml(&test_xml(&inputs)), Ok(inputs));
    }

    #[test]
    fn no_text_confuses_the_reader_of_suites(text in "[<>/!?a-c&;#x0-9\"'=\\-\\[\\] ]{0,60}") {
        let _ = read_test_xml(&text);
        let _ = read_test_xml(&format!("<testcase>{text}</testcase>"));
    }

    #[test]
    fn witnesses_come_back(witness in witness()) {
        prop_assert_eq!(Witness::from_yaml(&witness.to_yaml()), Ok(witness));
    }

    #[test]
    fn no_text_confuses_the_reader_of_witnesses(text in "([-a-c:#'\"\\[\\],{}\\\\ ]|\n){0,80}") {
        let _ = Witness::from_yaml(&text);
        let _ = Witness::from_yaml(&format!("- entry_type: \"violation_sequence\"\n  metadata:\n{text}"));
    }
}

/// The bytes that KLEE's documentation of the format leads to, written by hand.
#[test]
fn a_file_of_klees_is_read_and_written() {
    let mut bytes =
        b"KTEST\0\0\0\x03\0\0\0\x01\0\0\0\x06a.bc -\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x01x\0\0\0\x04".to_vec();
    bytes.extend([1, 2, 3, 4]);
    let read = Ktest::from_bytes(&bytes).expect("a file");
    assert_eq!(read.objects, [InputObject { name: "x".to_owned(), bytes: vec![1, 2, 3, 4] }]);
    assert_eq!(read.to_bytes(), bytes);
    // Version 1 has no symbolic arguments.
    let old = b"BOUT\n\0\0\0\x01\0\0\0\0\0\0\0\0";
    assert_eq!(Ktest::from_bytes(old), Ok(Ktest::default()));
    assert_eq!(Ktest::from_bytes(b"KTEST\0\0\0\x04"), Err(KtestError::Version(4)));
    assert_eq!(Ktest::from_bytes(&[&bytes[..], b"x"].concat()), Err(KtestError::Trailing(1)));
}

/// Aliases would make a large tree of a short text, deep nesting an overflow of the stack where it is dropped.
#[test]
fn what_no_witness_has_is_refused() {
    for text in
        ["- &a [1]\n- *a\n", "- !!str 1\n", "? [1]\n: 2\n", "- \"a", &"[".repeat(100_000), &"- ".repeat(100_000)]
    {
        let error = Witness::from_yaml(text).expect_err("no witness");
        assert!(matches!(error, WitnessError::Yaml(_)), "{error}");
    }
    for text in ["<a>", "<input>1</inputs>", "<input>&a;</input>", "</input>", "<input type=1/>", "<!--"] {
        assert!(read_test_xml(text).is_err(), "{text}");
    }
    assert_eq!(read_test_xml("<input type='int' variable=\"a&#9;&lt;\"/>").map(|inputs| inputs.len()), Ok(1));
}

/// A witness as its format's examples have it: other indentation, quotation marks left out, comments.
#[test]
fn a_witness_of_others_is_read() {
    let text = "\
# a comment
- entry_type: violation_sequence
  metadata:
    format_version: '2.0'
    uuid:
    producer: # nobody
      name: \"x\"
      version: 1
    task:
      input_files: [\"f.c\"]
      input_file_hashes:
        f.c: 00ff
      specification: \"G ! call(reach_error())\"
      data_model: LP64
      language: C
  content:
    - segment:
        - waypoint:
            type: function_return
            action: follow
            constraint:
              value: \"\\\\result == 10\"
              format: acsl_expression
            location:
              file_name: f.c
              line: 41
              column: 35
    - segment:
        - waypoint: {}
";
    assert!(Witness::from_yaml(text).is_err());
    let text = text.trim_end().trim_end_matches("    - segment:\n        - waypoint: {}");
    let witness = Witness::from_yaml(text).expect("a witness");
    assert_eq!(witness.metadata.files, [("f.c".to_owned(), "00ff".to_owned())]);
    let WitnessContent::Violation(segments) = witness.content else { panic!("no violation") };
    let location = WitnessLocation { file: "f.c".to_owned(), line: 41, column: Some(35), function: None };
    let constraint = Some("\\result == 10".to_owned());
    let kind = WaypointKind::FunctionReturn;
    assert_eq!(segments, [[Waypoint { kind, is_followed: true, location, constraint }]]);
}

#[test]
fn suites_have_the_inputs_in_order_with_their_types() {
    let objects =
        [("__VERIFIER_nondet_int", &(-5i32).to_le_bytes()[..]), ("__VERIFIER_nondet_double", &0.1f64.to_le_bytes())];
    let objects = objects.map(|(name, bytes)| InputObject { name: name.to_owned(), bytes: bytes.to_vec() });
    let input = TestInput { arguments: Vec::new(), objects: objects.to_vec() };
    let text = test_xml(&suite_inputs(&input));
    assert!(
        text.contains("<input type=\"int\">-5</input>") && text.contains("<input type=\"double\">0.1</input>"),
        "{text}"
    );
    assert_eq!(input_of_suite(&read_test_xml(&text).expect("XML")), Some(input));
    let metadata = SuiteMetadata { specification: "a < b & c".to_owned(), ..SuiteMetadata::default() };
    assert!(metadata.to_xml().contains("<specification>a &lt; b &amp; c</specification>"));
}

fn compiled(compiler: &str, words: &[&str], folder: &std::path::Path) {
    let output = Command::new(compiler).args(words).current_dir(folder).output().expect("a compiler");
    assert!(output.status.success(), "{compiler} {words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn headers_and_runtime_compile() {
    let folder = tempfile::tempdir().expect("a folder");
    write_headers(folder.path()).expect("headers");
    std::fs::write(folder.path().join("runtime.c"), runtime()).expect("a file");
    let source = "#include <klee/klee.h>\n#include <verifier.h>\nint main(void) { return __VERIFIER_nondet_int(); }\n";
    for (compiler, name) in [("gcc", "main.c"), ("g++", "main.cpp"), ("clang-22", "main.c")] {
        std::fs::write(folder.path().join(name), source).expect("a file");
        compiled(compiler, &["-Wall", "-Werror", "-I.", "-c", name], folder.path());
    }
    for compiler in ["gcc", "clang-22"] {
        compiled(compiler, &["-Wall", "-Wextra", "-Werror", "-O1", "-c", "runtime.c"], folder.path());
    }
}

#[test]
fn a_regression_file_tells_which_tests_end_as_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "#include <stdlib.h>\nint __VERIFIER_nondet_int(void);\n\
        int main(int n, char **v) { int x = __VERIFIER_nondet_int(); if (x == 3) abort(); return n > 1 ? atoi(v[1]) : x; }\n";
    std::fs::write(folder.path().join("program.c"), program).expect("a file");
    let test = |name: &str, x: i32, argument: Option<&str>, ending| RegressionTest {
        name: name.to_owned(),
        input: TestInput {
            arguments: argument.map(|text| text.as_bytes().to_vec()).into_iter().collect(),
            objects: vec![InputObject { name: "__VERIFIER_nondet_int".to_owned(), bytes: x.to_le_bytes().to_vec() }],
        },
        ending,
        outputs: Vec::new(),
    };
    let tests = [
        test("returns", 7, None, ExpectedEnding::Exit(7)),
        test("aborts", 3, None, ExpectedEnding::Error),
        test("wrong", 7, None, ExpectedEnding::Exit(8)),
        test("argument", 0, Some("41"), ExpectedEnding::Exit(41)),
        test("mended", 7, None, ExpectedEnding::NoError),
        test("still_aborts", 3, None, ExpectedEnding::NoError),
    ];
    std::fs::write(
        folder.path().join("tests.c"),
        regression_file(&tests, FileComment { about: &[], commands: &[], executable: "tests" }),
    )
    .expect("a file");
    compiled("cc", &["-Dmain=labrys_program_main", "-c", "program.c"], folder.path());
    compiled("cc", &["-Wall", "-Werror", "tests.c", "program.o", "-o", "tests"], folder.path());
    let output = Command::new(folder.path().join("tests")).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        said,
        "\
        returns: as recorded\naborts: as recorded\nwrong: NOT as recorded\nargument: as recorded\n\
        mended: without an error\nstill_aborts: NOT without an error\n"
    );
    assert_eq!(output.status.code(), Some(2));
}
