//! `labrys solve`: answers, values, cores, limits, bad scripts.

use std::time::{Duration, Instant};

use crate::harness::{Bench, Run};

/// A script in a folder.
fn solve(script: &str, options: &[&str]) -> Run {
    let bench = Bench::new(&[("q.smt2", script)]);
    bench.labrys(&[&["solve", "q.smt2"], options].concat())
}

fn expect(run: &Run, code: i32, stdout: &str) {
    run.expect_code(code);
    if run.stdout != stdout {
        run.fail(&format!("expected on stdout:\n{stdout}"));
    }
}

/// The product of two primes of 60 bits: nobody factors it in the seconds that these tests have.
const HARD: &str = "(declare-const x (_ BitVec 128)) (declare-const y (_ BitVec 128))
    (assert (= (bvmul x y) (_ bv808325507393834260672327528743294287 128)))
    (assert (bvult (_ bv1 128) x (_ bv2305843009213693952 128))) (assert (bvult (_ bv1 128) y (_ bv2305843009213693952 128)))";

#[test]
fn answers_values_and_exit_codes() {
    let sat = "(set-logic QF_FP) (declare-const x Float16) (assert (fp.eq x ((_ to_fp 5 11) RNE 1.5)))
        (check-sat) (get-value (x (fp.add RNE x x))) (get-model)";
    let three = "(fp #b0 #b10000 #b1000000000)";
    let x = "(fp #b0 #b01111 #b1000000000)";
    let model = format!("(\n  (define-fun x () (_ FloatingPoint 5 11) {x})\n)");
    expect(&solve(sat, &[]), 10, &format!("sat\n((x {x})\n ((fp.add RNE x x) {three}))\n{model}\n"));
    let unsat = "(declare-const x Float32) (assert (fp.lt x x)) (check-sat)";
    for engine in ["portfolio", "interval", "bitblast"] {
        expect(&solve(unsat, &["--engine", engine]), 20, "unsat\n");
    }
    expect(&solve("(set-info :status sat)", &[]), 0, "");
}

#[test]
fn levels_assumptions_and_cores() {
    let script = "(set-option :produce-unsat-cores true) (set-option :produce-unsat-assumptions true)
        (declare-const x (_ BitVec 8)) (declare-const y (_ BitVec 8))
        (assert (! (bvult x #x10) :named low)) (assert (! (= y x) :named same)) (check-sat) (get-unsat-core)
        (push 1) (assert (! (bvugt x #x20) :named high)) (check-sat) (get-unsat-core) (pop 1)
        (check-sat-assuming ((= x #x01) (not (= y #x01)) (= y #x00))) (get-unsat-assumptions) (check-sat)";
    let error = "(error \"there is no core: the last command that could have changed it was not answered unsat\")";
    let run = solve(script, &[]);
    run.expect_code(10);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let expected = ["sat", error, "unsat", "(low high)", "unsat", lines[5], "sat"];
    if lines != expected {
        run.fail("answers, cores");
    }
    // Either of the last two contradicts the first, and no single one does.
    assert!(["((= x #x01) (not (= y #x01)))", "((= x #x01) (= y #x00))"].contains(&lines[5]), "{}", lines[5]);
}

#[test]
fn standard_forms() {
    let script = "(set-option :print-success true) (set-logic QF_BV) (get-info :name) (get-option :produce-models)
        (echo \"say \"\"so\"\"\") (set-option :no-such true) (get-info :no-such) (declare-const p Bool)
        (assert p) (get-model) (set-option :produce-assertions 7) (reset) (push) (exit) (check-sat)";
    let no_model = "(error \"there is no model: the last command that could have changed it was not answered sat\")";
    let wrong = "(error \"option :produce-assertions takes true or false, not `7`\")";
    let expected = format!(
        "success\nsuccess\n(:name \"labrys\")\ntrue\n\"say \"\"so\"\"\"\nunsupported\nunsupported\nsuccess\nsuccess\n\
         {no_model}\n{wrong}\n"
    );
    expect(&solve(script, &[]), 0, &expected);
}

#[test]
fn unsupported_parts_make_answers_unknown() {
    let script =
        "(set-logic QF_LIA) (declare-const i Int) (push) (assert (= i i)) (check-sat) (get-info :reason-unknown)
        (reset) (declare-const p Bool) (assert p) (check-sat)";
    let reason = "(:reason-unknown \"not supported: `i`\")";
    expect(&solve(script, &[]), 10, &format!("unsupported\nunsupported\nunsupported\nunknown\n{reason}\nsat\n"));
}

#[test]
fn malformed_scripts_end_with_a_place() {
    let run = solve("(declare-const x Float32)\n(check-sat)\n(assert (fp.lt x #x00))\n(check-sat)", &[]);
    expect(&run, 2, "sat\n");
    let expected = "labrys: q.smt2:3:9: expected 2 floating-point, of one format, arguments for `fp.lt`, found \
                    (_ FloatingPoint 8 24), (_ BitVec 8)\n";
    if run.stderr != expected {
        run.fail("the place and what was expected");
    }
    let run = Bench::new(&[]).labrys(&["solve", "missing.smt2"]);
    run.expect_code(2);
    assert!(run.stdout.is_empty() && run.stderr.lines().count() == 1, "{}", run.stderr);
    solve("(check-sat)", &["--memory", "4"]).expect_code(2);
}

#[test]
fn status_is_checked_when_asked() {
    let script = "(declare-const p Bool) (set-info :status unsat) (assert p) (check-sat) (check-sat)";
    expect(&solve(script, &[]), 10, "sat\nsat\n");
    let run = solve(script, &["--check-status"]);
    expect(&run, 1, "sat\nsat\n");
    assert_eq!(run.stderr, "labrys: check 1 is answered sat, but :status is unsat\n");
}

#[test]
fn time_is_a_hard_limit() {
    let script = format!("{HARD} (check-sat) (get-info :reason-unknown) (echo \"next\") (check-sat)");
    for engine in ["portfolio", "interval", "bitblast"] {
        let begun = Instant::now();
        let run = solve(&script, &["--time", "600ms", "--engine", engine]);
        let took = begun.elapsed();
        expect(&run, 0, "unknown\n(:reason-unknown timeout)\n\"next\"\nunknown\n");
        // Starting and ending take their time where other tests run beside.
        if took > Duration::from_millis(2600) {
            run.fail(&format!("it took {took:?}"));
        }
    }
    let script = format!("(set-option :timeout 300) (check-sat) {HARD} (check-sat)");
    expect(&solve(&script, &["--time", "60s"]), 0, "sat\nunknown\n");
}

#[test]
fn memory_is_a_hard_limit() {
    let copies: Vec<String> = (0..40)
        .map(|index| format!("(declare-const z{index} (_ BitVec 999)) (assert (= (bvmul x z{index}) #b{index:0999b}))"))
        .collect();
    let script = format!(
        "(check-sat) (declare-const x (_ BitVec 999)) (assert (distinct x #b{:0999b})) {} (check-sat) (get-info :reason-unknown)",
        0,
        copies.join("\n").replace("(= (bvmul x", "(distinct (bvurem x")
    );
    let run = solve(&script, &["--memory", "40m", "--time", "60s"]);
    expect(&run, 0, "sat\nunknown\n(:reason-unknown memout)\n");
}

#[test]
fn commands_over_a_pipe_are_answered_one_by_one() {
    use std::io::{BufRead, BufReader, Write};
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_labrys"))
        .args(["solve", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("labrys");
    let (mut input, mut output) =
        (child.stdin.take().expect("a pipe"), BufReader::new(child.stdout.take().expect("a pipe")));
    let mut ask = |command: &str| {
        input.write_all(command.as_bytes()).expect("somebody listens");
        let mut line = String::new();
        output.read_line(&mut line).expect("an answer");
        line
    };
    assert_eq!(ask("(declare-const x Bool) (assert x)\n(check-sat)"), "sat\n");
    assert_eq!(ask("(assert\ny)"), "(error \"standard input:3:1: expected a declared symbol, found `y`\")\n");
    assert_eq!(ask("(check-sat-assuming ((not x)))\n"), "unsat\n");
    drop(input);
    assert_eq!(child.wait().expect("an end").code(), Some(2));
}

#[test]
fn a_pipe_may_end_anywhere() {
    let bench = Bench::new(&[]);
    expect(&bench.labrys_fed(&["solve", "-"], "(check-sat) ; done"), 10, "sat\n");
    let error = "(error \"standard input:1:20: expected a term, found the end of the file\")\n";
    expect(&bench.labrys_fed(&["solve", "-"], "(check-sat)(assert "), 2, &format!("sat\n{error}"));
    expect(&bench.labrys_fed(&["solve", "-"], "(exit) garbage"), 0, "");
}

#[test]
fn queries_are_written_where_wanted() {
    let bench = Bench::new(&[("q.smt2", "(declare-const x Float32) (assert (fp.isNaN x)) (check-sat)")]);
    bench.labrys(&["solve", "q.smt2", "--dump-queries", "out"]).expect_code(10);
    let query = std::fs::read_to_string(bench.path().join("out/check-0001.smt2")).expect("a query");
    assert!(query.contains("(assert (fp.isNaN x))"), "{query}");
    expect(&bench.labrys(&["solve", "out/check-0001.smt2"]), 10, "sat\n");
}

/// The examples of Botella, Gotlieb and Michel (STVR 2006), by propagation alone.
#[test]
fn domains_are_those_of_the_papers() {
    let query = |sort: &str, format: &str, first: &str, second: &str| {
        format!(
            "(declare-const x {sort}) (define-const big {sort} ((_ to_fp {format}) RNE 1e12))
             (assert ({first})) (assert ({second})) (check-sat)"
        )
        .replace("1e12", "1000000000000")
        .replace("SUM", "(fp.add RNE x big)")
        .replace("ZERO", &format!("(_ +zero {format})"))
        .replace("LIMIT", &format!("((_ to_fp {format}) RNE 10000)"))
    };
    let domain = |script: String| solve(&script, &["--engine", "interval", "--show-domains"]);
    let above = |sort, format| query(sort, format, "fp.lt x LIMIT", "fp.gt SUM big");
    let equal = |sort, format| query(sort, format, "fp.gt x ZERO", "fp.eq SUM big");
    expect(&domain(above("Float32", "8 24")), 20, "; propagation finds a contradiction\nunsat\n");
    expect(&domain(above("Float64", "11 53")), 10, "; x in [0.00006103515625000001, 9999.999999999998]\nsat\n");
    expect(&domain(equal("Float32", "8 24")), 10, "; x in [1e-45, 32767.998]\nsat\n");
    expect(&domain(equal("Float64", "11 53")), 10, "; x in [5e-324, 0.00006103515625]\nsat\n");
}

/// `:regular-output-channel` with a file's name was answered by an error, and answers went to standard output whatever it said.
#[test]
fn answers_go_to_the_channels_that_a_script_names() {
    let script = "(set-option :regular-output-channel \"a.out\") (set-option :print-success true)
        (declare-const p Bool) (assert p) (check-sat) (get-value (p)) (get-option :regular-output-channel)
        (set-option :regular-output-channel \"stdout\") (echo \"here\")
        (set-option :regular-output-channel \"a.out\") (echo \"there\")
        (set-option :diagnostic-output-channel \"b.log\") (check-sat) (reset) (check-sat)";
    let bench = Bench::new(&[("q.smt2", script)]);
    let run = bench.labrys(&["solve", "q.smt2", "--stats"]);
    expect(&run, 10, "success\n\"here\"\nsat\n");
    let read = |name: &str| std::fs::read_to_string(bench.path().join(name)).expect("a channel's file");
    assert_eq!(
        read("a.out"),
        "success\nsuccess\nsuccess\nsat\n((p true))\n\"a.out\"\nsuccess\n\"there\"\nsuccess\nsat\n"
    );
    assert!(read("b.log").starts_with("; ") && run.stderr.matches("; ").count() > 0);
    // A second run finds the file there.
    let again = "(set-option :regular-output-channel \"a.out\") (check-sat)";
    std::fs::write(bench.path().join("again.smt2"), again).expect("a file");
    let refused = bench.labrys(&["solve", "again.smt2"]);
    refused.expect_code(10);
    if !refused.stdout.starts_with("(error \"option :regular-output-channel: 'a.out' is there already") {
        refused.fail("expected an error and the answer on stdout");
    }
    expect(&bench.labrys(&["solve", "again.smt2", "--trust"]), 10, "");
    assert!(read("a.out").ends_with("sat\nsat\n"));
    // What a child that ran out of time still owed goes there too.
    let hard = format!("(set-option :regular-output-channel \"c.out\") {HARD} (check-sat) (echo \"end\")");
    std::fs::write(bench.path().join("hard.smt2"), hard).expect("a file");
    expect(&bench.labrys(&["solve", "hard.smt2", "--time", "2s"]), 0, "");
    assert_eq!(read("c.out"), "unknown\n\"end\"\n");
}

/// A stranger's script could append lines to any file that the user can write.
#[test]
fn a_script_writes_no_files_but_new_texts_below_the_current_folder() {
    let bench = Bench::new(&[("there.txt", "mine\n")]);
    std::os::unix::fs::symlink("/tmp", bench.path().join("link")).expect("a link");
    std::os::unix::fs::symlink("new.txt", bench.path().join("dangling.txt")).expect("a link");
    let names = [
        "/tmp/labrys-channel.txt",
        "../x.txt",
        ".bashrc",
        ".hidden.txt",
        "Makefile",
        "x.sh",
        "there.txt",
        "link/x.txt",
        "dangling.txt",
    ];
    for name in names {
        let script = format!("(set-option :regular-output-channel \"{name}\") (echo \"x\")");
        let run = bench.labrys_fed(&["solve", "-"], &script);
        run.expect_code(0);
        let refusal = format!("(error \"option :regular-output-channel: '{name}' ");
        if !run.stdout.starts_with(&refusal) || !run.stdout.ends_with("\n\"x\"\n") {
            run.fail("expected a refusal");
        }
    }
    assert_eq!(std::fs::read_to_string(bench.path().join("there.txt")).expect("a file"), "mine\n");
    assert!(!bench.path().join("new.txt").exists() && !bench.path().join("Makefile").exists());
}

/// Scripts of SMT-LIB 2.0: its options, its names, and its strings, in which a backslash quotes.
#[test]
fn scripts_of_the_first_standard_are_read() {
    let script = r#"(set-info :smt-lib-version 2.0) (set-option :print-success false) (set-option :expand-definitions false)
        (set-option :interactive-mode true) (set-option :produce-proofs false) (set-info :notes "a \" ( quote and \\")
        (set-option :expand-definitions true) (set-option :produce-proofs true) (set-option :anything 1)
        (set-logic QF_BV) (declare-fun x () (_ BitVec 8)) (assert (= x (_ bv3 8))) (check-sat) (get-assertions)
        (get-info :version) (get-info :name) (get-option :interactive-mode) (get-option :anything) (get-info :anything) (get-proof)"#;
    let version = env!("CARGO_PKG_VERSION");
    let answers = format!(
        "unsupported\nunsupported\nunsupported\nsat\n((= x (_ bv3 8)))\n(:version \"{version}\")\n(:name \"labrys\")\ntrue\n\
         unsupported\nunsupported\nunsupported\n"
    );
    expect(&solve(script, &[]), 10, &answers);
    expect(&Bench::new(&[]).labrys_fed(&["solve", "-"], script), 10, &answers);
}

#[test]
fn a_resource_limit_bounds_each_check() {
    let script = format!(
        "(set-option :reproducible-resource-limit 10) {HARD} (check-sat) (get-option :reproducible-resource-limit)"
    );
    expect(&solve(&script, &["--time", "60s"]), 0, "unknown\n10\n");
}

#[test]
fn control_characters_of_scripts_are_not_repeated() {
    for script in [
        "(declare-const |a\x1b[2J| Bool)",
        "(echo \"\x1b[2J\")",
        "(assert \x1b)",
        "(set-logic |\u{202e}|) (assert |\u{202e}|)",
    ] {
        let bench = Bench::new(&[("q.smt2", script)]);
        let run = bench.labrys(&["solve", "q.smt2"]);
        run.expect_code(2);
        let fed = bench.labrys_fed(&["solve", "-"], script);
        for text in [&run.stdout, &run.stderr, &fed.stdout, &fed.stderr] {
            assert!(!text.contains('\x1b') && !text.contains('\u{202e}'), "{text}");
        }
    }
}

/// What an unsat by branch and prune rests on.
const BOXES: &str = "certified: trusts the parser, the preparation that replaces arrays, reals and open values, images of boxes \
                     under the operators\n";
/// What an unsat with a proof about the circuits rests on.
const TRUSTED: &str = "certified: trusts the parser, the preparation that replaces arrays, reals and open values, the circuits \
                       with their clauses, and the checker of their proof\n";
const EVALUATED: &str = "certified: the model was evaluated\n";

/// Products that do not commute, in so many bits: nothing but circuits decides that there are none.
fn commuted(width: u32) -> String {
    format!(
        "(declare-const x (_ BitVec {width})) (declare-const y (_ BitVec {width}))
         (assert (distinct (bvmul x y) (bvmul y (bvadd x (bvxor y y)))))"
    )
}

#[test]
fn answers_are_certified() {
    let unsat = "(declare-const x Float32) (assert (fp.lt (fp.mul RNE x x) (_ -zero 8 24))) (check-sat)";
    for engine in ["portfolio", "interval", "bitblast"] {
        let run = solve(unsat, &["--certify", "--engine", engine]);
        expect(&run, 20, "unsat\n");
        assert_eq!(run.stderr, BOXES, "{engine}");
    }
    let run = solve("(declare-const x Float32) (assert (fp.lt x (fp.mul RNE x x))) (check-sat)", &["--certify"]);
    expect(&run, 10, "sat\n");
    assert_eq!(run.stderr, EVALUATED);
    assert_eq!(solve(unsat, &[]).stderr, "");
    solve(unsat, &["--proof", "proofs"]).expect_code(2);
}

#[test]
fn every_check_of_a_script_is_certified_by_itself() {
    let script = format!(
        "(set-option :produce-unsat-cores true) {} (push) (assert (! (= x x) :named same)) (check-sat) (get-unsat-core) (pop)
         (reset-assertions) (declare-const p Bool) (declare-const q Bool) (assert (or p q)) (check-sat)
         (check-sat-assuming ((not p) (not q))) (push) (assert (and p (not p))) (check-sat) (pop) (check-sat)",
        commuted(5)
    );
    let bench = Bench::new(&[("q.smt2", &script)]);
    let run = bench.labrys(&["solve", "q.smt2", "--certify", "--proof", "proofs"]);
    expect(&run, 10, "unsat\n()\nsat\nunsat\nunsat\nsat\n");
    assert_eq!(run.stderr, [TRUSTED, EVALUATED, TRUSTED, TRUSTED, EVALUATED].concat());
    for check in [1, 3, 4] {
        let clauses = bench.path().join(format!("proofs/check-{check:04}.cnf"));
        assert!(std::fs::read_to_string(clauses).expect("clauses").starts_with("p cnf "), "check {check}");
        let proof = std::fs::read(bench.path().join(format!("proofs/check-{check:04}.lrat"))).expect("a proof");
        // The last step adds the empty clause: its number, no literals, the clauses that contradict each other.
        assert!(proof.first() == Some(&b'a') && proof.last() == Some(&0), "check {check}");
    }
    assert_eq!(std::fs::read_dir(bench.path().join("proofs")).expect("a folder").count(), 6);
}

#[test]
fn what_has_no_proof_is_unknown() {
    // The proof of this has four megabytes.
    let script = format!("{} (check-sat) (get-info :reason-unknown)", commuted(8));
    expect(&solve(&script, &[]), 20, "unsat\n(error \"the last answer was not unknown\")\n");
    let run = solve(&script, &["--certify", "--proof-limit", "1m"]);
    let reason = "not certified: the proof is larger than 1048576 bytes";
    expect(&run, 0, &format!("unknown\n(:reason-unknown \"{reason}\")\n"));
    assert_eq!(run.stderr, format!("{reason}\n"));
}

/// A file that never ends, and a pipe to which nobody writes, were read before any limit held.
#[test]
fn limits_hold_while_files_that_are_none_on_a_disk_are_read() {
    let bench = Bench::new(&[]);
    assert!(
        std::process::Command::new("mkfifo").arg(bench.path().join("pipe")).status().is_ok_and(|made| made.success())
    );
    for file in ["pipe", "/dev/zero"] {
        let begun = Instant::now();
        bench.labrys(&["solve", file, "--time", "1s", "--memory", "300"]);
        assert!(begun.elapsed() < Duration::from_secs(30), "{file}");
    }
    let pipe = bench.path().join("pipe");
    let writer = std::thread::spawn(move || std::fs::write(pipe, "(declare-const p Bool) (assert p) (check-sat)"));
    let run = bench.labrys(&["solve", "pipe", "--time", "60s"]);
    expect(&run, 10, "sat\n");
    writer.join().expect("a thread").expect("writes");
    let folder = bench.labrys(&["solve", "."]);
    folder.expect_code(2);
    assert!(folder.stderr.contains("directory"), "{}", folder.stderr);
}
