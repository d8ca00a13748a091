//! `labrys verify` on programs in Fortran, Rust, C++ and C: each holds, and its twin, which differs in one line, is wrong there or where that line
//! leads.

use crate::harness::{Bench, Run};

/// The files of a program; of its twin, the line of the finding, and what is observed there.
type Row = (&'static [(&'static str, &'static str)], &'static str, u64, &'static str);

/// A program and the twin that its marked line makes: `//BUG:` or `!BUG:` begin what stands in the line's place.
fn twins(text: &str) -> (String, String) {
    let mark = |line: &str| {
        let (line, bug) = line.split_once("//BUG:").or_else(|| line.split_once("!BUG:"))?;
        Some((line.trim_end().to_owned(), bug.to_owned()))
    };
    let both = |line: &str| mark(line).unwrap_or_else(|| (line.to_owned(), line.to_owned()));
    let (right, wrong): (Vec<String>, Vec<String>) = text.lines().map(both).unzip();
    (right.join("\n") + "\n", wrong.join("\n") + "\n")
}

fn verify(files: &[(&str, &str)], wrong: bool) -> Run {
    let texts: Vec<(&str, String)> = files
        .iter()
        .map(|(name, text)| {
            let (right, bug) = twins(text);
            (*name, if wrong { bug } else { right })
        })
        .collect();
    assert!(!wrong || texts.iter().zip(files).any(|((_, text), file)| *text != twins(file.1).0), "no line is marked");
    let written: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let bench = Bench::new(&written);
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    bench.labrys(&[&["verify", "--time", "120s", "--format", "json"], names.as_slice()].concat())
}

fn check(rows: &[Row]) {
    for (files, file, line, observed) in rows {
        let run = verify(files, false);
        run.expect_code(0);
        assert_eq!(run.json()["verdict"], "holds", "{}", run.stdout);
        let run = verify(files, true);
        run.expect_code(1);
        let finding = run.finding(observed, |_| true);
        let says = finding["observed"].as_str().unwrap_or_default();
        let is_there = finding["line"] == *line && finding["file"].as_str().is_some_and(|of| of.ends_with(file));
        if !is_there || !says.contains(observed) {
            run.fail(&format!("expected `{observed}` at {file}:{line}"));
        }
    }
}

macro_rules! program {
    ($($name:literal),+) => { &[$(($name, include_str!(concat!("programs/", $name)))),+] };
}

#[test]
fn programs_in_fortran() {
    check(&[
        (program!("mean.f90"), "mean.f90", 22, "error stop is reached"),
        (program!("bounds.f90"), "bounds.f90", 11, "an access outside an object's bounds"),
        (program!("matrix.f90"), "matrix.f90", 38, "__VERIFIER_assert is called"),
        (program!("components.f90"), "components.f90", 27, "an access outside an object's bounds"),
        (program!("classes.f90"), "classes.f90", 201, "error stop is reached"),
        (program!("reading.f90"), "reading.f90", 23, "error stop is reached"),
        (program!("fortran_uses_c.f90", "fortran_uses_c.c"), "fortran_uses_c.f90", 14, "error stop is reached"),
    ]);
}

/// What a read statement finds in standard input, and that it ends the program where nothing is there.
#[test]
fn fortran_reads_standard_input() {
    let program = |statement: &str| {
        format!("program p\n  integer :: n, status\n  {statement}\n  if (n == 42) error stop \"found\"\nend program\n")
    };
    let run = |statement: &str| {
        let bench = Bench::new(&[("p.f90", &program(statement))]);
        bench.labrys(&["verify", "--stdin", "3", "--time", "120s", "--format", "json", "p.f90"])
    };
    let found = run("n = 0; read(*, *, iostat=status) n");
    found.expect_code(1);
    let finding = found.finding("error stop", |_| true);
    assert_eq!(finding["line"], 4, "{}", found.stdout);
    let ended = run("n = 0; read(*, *) n; n = 0");
    ended.expect_code(1);
    assert_eq!(ended.finding("", |_| true)["line"], 3, "{}", ended.stdout);
}

#[test]
fn programs_in_rust() {
    check(&[
        (program!("mean.rs"), "mean.rs", 38, "the program panics: the mean is"),
        (program!("index.rs"), "index.rs", 10, "the program panics: index out of bounds"),
        (program!("overflow.rs"), "overflow.rs", 6, "the program panics: attempt to add with overflow"),
        (program!("numbers.rs"), "numbers.rs", 14, "the program panics: assertion failed: text !="),
        (program!("caught.rs"), "caught.rs", 41, "the program panics: assertion failed: index > 3"),
        (program!("sorting.rs"), "sorting.rs", 28, "the program panics: assertion failed"),
        (program!("hash_map.rs"), "hash_map.rs", 21, "the program panics"),
        (program!("arguments.rs"), "arguments.rs", 3, "the program panics: assertion failed: arguments.len() == 0"),
        (program!("unsafe_read.rs"), "unsafe_read.rs", 6, "an access outside an object's bounds"),
    ]);
}

/// `black_box` ended every path: "not supported: inline assembly", of an empty text.
#[test]
fn black_boxes_of_rust_are_the_identity() {
    let text = |most: f64| {
        format!(
            "use std::hint::black_box;\nextern \"C\" {{ fn __VERIFIER_nondet_double() -> f64; }}\nfn main() {{\n    \
             let x = black_box(unsafe {{ __VERIFIER_nondet_double() }});\n    if x >= 0.0 && x <= 3.0 {{\n        \
             assert!(black_box(x * 0.5) <= {most:?});\n    }}\n}}\n"
        )
    };
    verify(&[("box.rs", &text(1.5))], false).expect_code(0);
    verify(&[("box.rs", &text(1.25))], false).expect_code(1);
}

/// Hash maps are executed with one pair of keys, natively each run has its own.
#[test]
fn what_hangs_on_the_order_of_hash_maps_does_not_hold() {
    let text = "use std::collections::HashMap;\nfn main() {\n    let m: HashMap<u8, u8> = [(1, 1), (2, 2)].into_iter().collect();\n    \
                let first = m.keys().next();\n    assert!(first.is_some());\n}\n";
    let run = verify(&[("order.rs", text)], false);
    run.expect_code(3);
    assert!(run.stdout.contains("the order of hash maps is random"), "{}", run.stdout);
}

/// Which keys are compared hangs on their hashes: a derived comparison tells nobody, one that panics does.
#[test]
fn keys_of_hash_maps_that_do_more_than_compare_are_unknown() {
    let text = |derived: &str, own: &str| {
        format!(
            "use std::collections::HashMap;\n#[derive(Hash{derived})]\nstruct K(u32);\n{own}impl Eq for K {{}}\nfn main() {{\n    \
             let mut m = HashMap::new();\n    m.insert(K(1), 1);\n    m.insert(K(2), 2);\n    assert_eq!(m.len(), 2);\n}}\n"
        )
    };
    let own = "impl PartialEq for K {\n    fn eq(&self, other: &K) -> bool {\n        assert!(self.0 == other.0);\n        true\n    }\n}\n";
    verify(&[("keys.rs", &text(", PartialEq", ""))], false).expect_code(0);
    let run = verify(&[("keys.rs", &text("", own))], false);
    run.expect_code(3);
    assert!(run.stdout.contains("does more than compare or hash"), "{}", run.stdout);
}

#[test]
fn programs_in_cpp() {
    check(&[
        (program!("shapes.cpp"), "shapes.cpp", 50, "__VERIFIER_assert is called"),
        (program!("exceptions.cpp"), "exceptions.cpp", 21, "abort is called"),
        (program!("streams.cpp"), "streams.cpp", 20, "the assertion `text != \"..1.75\"` fails"),
        (program!("leaving.cpp"), "leaving.cpp", 16, "abort is called"),
    ]);
}

/// What C++20 adds to streams of texts was nowhere defined.
#[test]
fn streams_of_texts_in_cpp20() {
    let text = r#"
#include <cassert>
#include <sstream>
int main() {
  std::stringstream s(std::string("3 4"));
  int a, b;
  s >> a >> b;
  assert(a == 3 && b == 4);
  s.str(std::string("17"));
  s.clear();
  s >> a;
  assert(a == 17 && s.str() == "17");
  std::ostringstream o(std::string("x"), std::ios::ate);
  o << 1.5;
  assert(std::move(o).str() == "x1.5");
  std::stringstream moved(std::move(s));
  assert(moved.view() == "17");
}
"#;
    let bench = Bench::new(&[("f.cpp", text)]);
    bench.labrys(&["verify", "f.cpp", "--", "-std=c++20"]).expect_code(0);
}

#[test]
fn programs_in_c_that_leave_functions() {
    check(&[(program!("leaving.c"), "leaving.c", 44, "the assertion `code > 4` fails")]);
}
