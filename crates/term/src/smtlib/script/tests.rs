use super::*;
use crate::smtlib::{Options, print_script};
use crate::{Model, Op, Sort, TermId, Value, eval};

/// All commands of a text, or what is wrong with it.
fn commands(text: &str) -> Result<(Store, Vec<Command>), ScriptError> {
    let (mut store, mut script) = (Store::new(), Script::new());
    let mut source = Source::new(text.as_bytes());
    let mut commands = Vec::new();
    while let Some(command) = script.next(&mut store, &mut source)? {
        commands.push(command);
    }
    Ok((store, commands))
}

fn error(text: &str) -> String {
    match commands(text) {
        Ok((_, commands)) => format!("{commands:?}"),
        Err(error) => error.to_string(),
    }
}

fn asserted(commands: &[Command]) -> Vec<TermId> {
    let term = |command: &Command| match command {
        Command::Assert { term, .. } => Some(*term),
        _ => None,
    };
    commands.iter().filter_map(term).collect()
}

/// The value of a term without variables.
fn value(term: &str) -> Value {
    let (store, commands) =
        commands(&format!("(get-value ({term}))")).unwrap_or_else(|error| panic!("{term}: {error}"));
    match &commands[..] {
        [Command::GetValue(terms)] => eval(&store, terms[0].term, &Model::new()).unwrap(),
        other => panic!("{term}: {other:?}"),
    }
}

/// Whether two terms without variables have the same value.
fn same(a: &str, b: &str) {
    assert_eq!(value(a), value(b), "{a} and {b}");
}

#[test]
fn sugar_means_what_the_standard_says() {
    same("(bvnand #b1100 #b1010)", "#b0111");
    same("(bvnor #xc #xa)", "#b0001");
    same("(bvxnor #b1100 #b1010)", "(_ bv9 4)");
    same("(bvadd #x1 #x2 #x3)", "#x6");
    same("(bvcomp #x1 #x1)", "#b1");
    same("((_ rotate_left 5) #b0011)", "#b0110");
    same("((_ rotate_right 1) #b0011)", "#b1001");
    same("((_ repeat 3) #b10)", "#b101010");
    same("((_ zero_extend 0) #b10)", "#b10");
    same("((_ sign_extend 2) #b10)", "#b1110");
    same("(bvrol #b0011 #b0110)", "#b1100");
    same("(bvror #b0011 #b1000)", "#b0011");
    same("(concat #b1 #x0 #b11)", "#b1000011");
    same("(bvredxor #b0111)", "#b1");
    same("(and (bvuge #x2 #x1) (bvugt #x2 #x1) (bvsgt #x0 #xf) (bvsge #x0 #xf))", "true");
    same("(=> true false true)", "true");
    same("(=> true (=> true false))", "false");
    same("(= #x1 #x1 #x2)", "false");
    same("(distinct #x1 #x2 #x1)", "false");
    same("(xor true true true)", "true");
    same("(fp #b0 #xff #b00000000000000000000001)", "(_ NaN 8 24)");
    same("(fp.gt (_ +oo 5 11) (_ +zero 5 11) (_ -oo 5 11))", "true");
    same("(fp.geq (_ -zero 5 11) (_ +zero 5 11))", "true");
    same("((_ to_fp 8 24) RNE (/ 1 3))", "(fp #b0 #b01111101 #b01010101010101010101011)");
    same("((_ to_fp 8 24) roundTowardZero (- 0.1))", "((_ to_fp 8 24) #xbdcccccc)");
    same("((_ to_fp 8 24) RNE (/ (- 1) 3 2.0))", "((_ to_fp 8 24) RNE (- (/ 1.0 6.0)))");
    same("((_ to_fp 5 11) RTP #xff)", "((_ to_fp 5 11) RTP (- 1.0))");
    same("((_ to_fp_unsigned 5 11) RTP #xff)", "((_ to_fp 5 11) RNE 255)");
    same("(fp.to_ieee_bv ((_ to_fp 11 53) RNE 1))", "#x3ff0000000000000");
    same("(select ((as const (Array (_ BitVec 2) Bool)) true) #b01)", "true");
    same("(let ((x #x1) (y #x2)) (let ((x y) (y x)) (bvsub x y)))", "#x1");
    same("(let ((|let| true)) |let|)", "true");
    same("(! (! true :named a) :weight 3 :pattern (x (y)) :b)", "true");
    same("(> 3 2.5 (- 1))", "true");
}

#[test]
fn overflow_is_a_result_that_differs_from_the_exact_one() {
    let signed = |bits: i32| if bits < 4 { bits } else { bits - 8 };
    for a in 0..8 {
        for b in 0..8 {
            let holds = |name: &str| value(&format!("({name} #b{a:03b} #b{b:03b})")) == Value::Bool(true);
            let (s, t) = (signed(a), signed(b));
            let beyond = |exact: i32| !(-4..4).contains(&exact);
            assert_eq!(holds("bvuaddo"), a + b > 7);
            assert_eq!(holds("bvusubo"), a < b);
            assert_eq!(holds("bvumulo"), a * b > 7);
            assert_eq!(holds("bvsaddo"), beyond(s + t));
            assert_eq!(holds("bvssubo"), beyond(s - t));
            assert_eq!(holds("bvsmulo"), beyond(s * t));
            assert_eq!(holds("bvsdivo"), s == -4 && t == -1);
        }
        assert_eq!(value(&format!("(bvnego #b{a:03b})")), Value::Bool(a == 4));
        assert_eq!(value(&format!("(bvredand #b{a:03b})")), Value::bit_vector(1, u8::from(a == 7)));
        assert_eq!(value(&format!("(bvredor #b{a:03b})")), Value::bit_vector(1, u8::from(a > 0)));
    }
}

#[test]
fn products_overflow_at_every_width() {
    for width in 1..=5u32 {
        let signed = |bits: i32| if bits < 1 << (width - 1) { bits } else { bits - (1 << width) };
        for (a, b) in (0..1 << width).flat_map(|a| (0..1 << width).map(move |b| (a, b))) {
            let holds =
                |name: &str| value(&format!("({name} (_ bv{a} {width}) (_ bv{b} {width}))")) == Value::Bool(true);
            assert_eq!(holds("bvumulo"), a * b >= 1 << width, "{a} {b} {width}");
            let exact = signed(a) * signed(b);
            assert_eq!(holds("bvsmulo"), signed(exact & ((1 << width) - 1)) != exact, "{a} {b} {width}");
        }
    }
}

#[test]
fn overflow_of_products_takes_one_bit_more() {
    for name in ["bvumulo", "bvsmulo"] {
        let text = format!("(declare-const x (_ BitVec 84)) (declare-const y (_ BitVec 84)) (assert ({name} x y))");
        let (store, commands) = commands(&text).unwrap();
        let terms = store.reachable(&asserted(&commands));
        let products = terms.iter().filter(|&&term| store.node(term).op == Op::BvMul);
        let sorts: Vec<_> = products.map(|&term| store.sort(term).clone()).collect();
        assert_eq!(sorts, [Sort::BitVec(85)]);
    }
}

#[test]
fn what_is_printed_is_read_as_itself() {
    let text = "(declare-fun x () (_ FloatingPoint 3 4)) (declare-const |y z| (_ FloatingPoint 3 4)) (declare-const r RoundingMode)
        (declare-const b (_ BitVec 7)) (declare-const a (Array (_ BitVec 7) (_ BitVec 3)))
        (assert (fp.lt (fp.add r x |y z|) (fp.fma RTP x x (fp.sqrt RNA |y z|))))
        (assert (= (fp.rem x |y z|) (fp.min x (fp.max |y z| (fp.roundToIntegral RTN x))) ((_ to_fp 3 4) b)))
        (assert (or (fp.isNaN x) (fp.isSubnormal x) (not (fp.isPositive (fp.neg (fp.abs x))))))
        (assert (= ((_ fp.to_sbv 7) r x) (bvmul b ((_ fp.to_ubv 7) RTZ x) (bvneg b))))
        (assert (= ((_ to_fp 3 4) r ((_ to_fp 5 11) r x)) ((_ to_fp 3 4) r b) ((_ to_fp_unsigned 3 4) r b)))
        (assert (= (store a b ((_ extract 4 2) b)) a ((as const (Array (_ BitVec 7) (_ BitVec 3))) #b101)))
        (assert (< (fp.to_real x) 0.5))
        (assert (= ((_ to_fp 3 4) r (fp.to_real x)) x))
        (assert (ite (bvslt b (bvsmod b b)) (= r RNE) (distinct x |y z| (_ -oo 3 4))))";
    let (mut store, first) = commands(text).unwrap();
    let terms = asserted(&first);
    let printed = print_script(&store, &terms, &Options { logic: None, produce_models: true, check_sat: true });
    let (mut script, mut source) = (Script::new(), Source::new(printed.as_bytes()));
    let mut again = Vec::new();
    while let Some(command) = script.next(&mut store, &mut source).unwrap() {
        again.push(command);
    }
    assert_eq!(asserted(&again), terms, "{printed}");
}

#[test]
fn commands_are_read() {
    let (_, read) = commands(
        "(set-logic QF_BVFP) ; comment\n(set-info :status sat)(set-info :source |a\nb|)(set-option :produce-models true)
        (declare-const p Bool)(push 2)(assert (! p :named |a b|))(check-sat-assuming (p (not p)))(get-value (p (and p\np)))
        (pop)(echo \"a \"\"b\"\"\")(get-info :name)(get-unsat-core)(reset)(exit)",
    )
    .unwrap();
    let text = |text: &str| text.to_owned();
    assert_eq!(read[0], Command::SetLogic(text("QF_BVFP")));
    assert_eq!(read[1], Command::SetInfo(text("status"), text("sat")));
    assert_eq!(read[2], Command::SetInfo(text("source"), text("|a\nb|")));
    assert_eq!(read[3], Command::SetOption(text("produce-models"), text("true")));
    assert_eq!(read[5], Command::Push(2));
    assert!(matches!(&read[6], Command::Assert { name: Some(name), .. } if name == "|a b|"));
    assert!(matches!(&read[7], Command::CheckSatAssuming(terms) if terms[1].text == "(not p)" && terms.len() == 2));
    assert!(matches!(&read[8], Command::GetValue(terms) if terms[1].text == "(and p\np)"));
    assert_eq!(read[9], Command::Pop(1));
    assert_eq!(read[10], Command::Echo(text("\"a \"\"b\"\"\"")));
    assert_eq!(read[13], Command::Reset);
}

#[test]
fn functions_and_sorts_are_expanded() {
    let text = "(define-sort W () (_ BitVec 8)) (define-sort Pair (X Y) (Array X Y)) (declare-const x W)
        (declare-const m (Pair W Bool)) (define-const c W #x05)
        (define-fun twice ((x W)) W (bvadd x x)) (define-fun f ((y W) (x W)) W (bvsub (twice y) (bvadd x c)))
        (assert (= (f x #x01) (bvsub (bvadd x x) (bvadd #x01 #x05)))) (assert (select m (twice c)))
        (define-fun same ((p Bool)) Bool p) (assert (same (= x x)))";
    let (store, read) = commands(text).unwrap();
    let terms = asserted(&read);
    let sides = &store.node(terms[0]).args;
    assert_eq!(sides[0], sides[1]);
    assert_eq!(store.node(terms[2]).op, Op::Eq);
}

#[test]
fn levels_end_declarations() {
    let text = "(declare-const x Bool)(push)(declare-const y Bool)(define-fun x1 () Bool y)(pop 1)(declare-const y (_ BitVec 3))
        (assert (= y #b101)) (assert x)";
    let (store, read) = commands(text).unwrap();
    assert_eq!(asserted(&read).len(), 2);
    assert_eq!(store.variable_count(), 3);
    assert_eq!(error("(push)(declare-const y Bool)(pop)(assert y)"), "1:42: expected a declared symbol, found `y`");
    assert!(commands("(set-option :global-declarations true)(push)(declare-const y Bool)(pop)(assert y)").is_ok());
    assert_eq!(error("(push 2)(pop 3)"), "1:14: expected at most 2 (the levels that are open), found 3");
}

#[test]
fn parameters_are_not_captured() {
    // g's body holds the global x, which f's parameter x must not touch.
    let text =
        "(declare-const x Bool)(define-fun g ((y Bool)) Bool (and x y))(define-fun f ((x Bool)) Bool (g (not x)))
        (assert (= (f true) (and x (not true))))";
    let (store, read) = commands(text).unwrap();
    let sides = &store.node(asserted(&read)[0]).args;
    assert_eq!(sides[0], sides[1]);
}

#[test]
fn errors_say_where_and_what_was_expected() {
    let cases = [
        ("(assert", "1:8: expected a term, found the end of the file"),
        ("(assert (and true", "1:18: expected a term or `)`, found the end of the file"),
        ("(assert true", "1:13: expected `)` at the end of `assert`, found the end of the file"),
        (")", "1:1: expected `(` before a command, found `)`"),
        ("(assert\n  x)", "2:3: expected a declared symbol, found `x`"),
        ("(assert #x0)", "1:9: expected a term of sort Bool, found one of sort (_ BitVec 4)"),
        (
            "(assert (bvult #x0 #b0))",
            "1:9: expected 2 bit-vector, of one width, arguments for `bvult`, found \
          (_ BitVec 4), (_ BitVec 1)",
        ),
        ("(declare-const x (_ BitVec 0))", "1:28: expected a width of 1 or more, found 0"),
        ("(declare-const x Foo)", "1:18: expected a declared sort, found `Foo`"),
        ("(declare-const true Bool)", "1:16: expected a new name, found `true`, which is declared already"),
        (
            "(declare-const é Bool)(assert (let ((é 1)) é))",
            "1:31: expected a term of sort Bool, found one of sort Real",
        ),
        ("(assert (let ((x true) x))", "1:24: expected `(` before a binding, or `)` behind the last one, found `x`"),
        ("(assert (let () true))", "1:15: expected `(` before a binding, or `)` behind the last one, found `)`"),
        ("(echo \"abc)", "1:7: expected `\"` at the end of this string, found the end of the file"),
        ("(assert |x)", "1:9: expected `|` at the end of this symbol, found the end of the file"),
        ("(assert #b012)", "1:9: expected binary digits behind `#b`, found `012`"),
        ("(assert (= 1.x 1))", "1:14: expected a digit behind the point, found none"),
        ("(assert ((_ extract 4) #x00))", "1:22: expected an index, found `)`"),
        ("(assert (_ bv9 3))", "1:12: expected a number of at most 3 bits, found a larger one"),
        ("(set-logic)", "1:11: expected a logic, found `)`"),
        ("(assert to_fp)", "1:9: expected `(_ ` before a name with indices, found `to_fp`"),
        ("(assert (! true))", "1:16: expected an attribute such as `:named`, found `)`"),
        ("[", "1:1: expected a token, found `[`"),
        ("(assert (= x", "1:12: expected a declared symbol, found `x`"),
    ];
    for (text, message) in cases {
        assert_eq!(error(text), message, "{text}");
    }
}

#[test]
fn what_is_not_supported_is_passed_over() {
    let text = "(set-logic QF_LIA)(declare-fun f (Bool) Bool)(declare-const i Int)(assert (f true))(assert (forall ((x Bool)) x))
        (simplify (a (b)))(declare-sort S 0)(declare-const s S)(assert (= s s))(declare-const x (_ BitVec 9999999999))(check-sat)";
    let (_, read) = commands(text).unwrap();
    let matters = |command: &Command| match command {
        Command::Unsupported { matters, .. } => Some(*matters),
        _ => None,
    };
    let expected = [false, true, true, true, true, false, true, true, true, true].map(Some);
    assert_eq!(read[..10].iter().map(matters).collect::<Vec<_>>(), expected);
    assert_eq!(read[10], Command::CheckSat);
}

#[test]
fn depth_is_limited_by_memory_alone() {
    let depth = 100_000;
    let mut text = String::from("(declare-const x0 Bool)(assert ");
    for index in 0..depth {
        text.push_str(&format!("(let ((x{} (not x{index}))) ", index + 1));
    }
    text.push_str(&format!("x{depth}{})", ")".repeat(depth)));
    text.push_str(&format!("(assert {}x0{})", "(not ".repeat(depth), ")".repeat(depth)));
    text.push_str(&format!("(set-info :x {}{})", "(".repeat(depth), ")".repeat(depth)));
    let (_, read) = commands(&text).unwrap();
    let terms = asserted(&read);
    assert_eq!(terms[0], terms[1]);
    assert!(error(&"(".repeat(depth)).starts_with("1:2: expected a command"));
    assert!(error(&format!("(assert {}", "(not ".repeat(depth))).contains("expected a term"));
    let arrays = format!("(declare-const x {}Bool{})", "(Array Bool ".repeat(depth), ")".repeat(depth));
    assert!(commands(&arrays).is_ok_and(|(_, read)| matches!(read[0], Command::Unsupported { .. })));
}

/// Definitions that double a sort or a number each time stay bounded.
#[test]
fn definitions_that_grow_exponentially_end() {
    let mut text = String::from("(define-sort S0 (X) (Array X X))");
    for index in 1..100 {
        text.push_str(&format!("(define-sort S{index} (X) (S{} (S{} X)))", index - 1, index - 1));
    }
    text.push_str("(declare-const x (S99 Bool))");
    let (_, read) = commands(&text).unwrap();
    assert!(matches!(read.last(), Some(Command::Unsupported { .. })));
    let mut text = String::from("(define-const r0 Real 1.5)");
    for index in 1..60 {
        text.push_str(&format!("(define-const r{index} Real (* r{} r{}))", index - 1, index - 1));
    }
    let (_, read) = commands(&text).unwrap();
    assert!(matches!(read.last(), Some(Command::Unsupported { .. })));
    let digits = "7".repeat(9_990);
    assert!(matches!(value(&format!("(/ {digits}.{digits} 0.{digits})")), Value::Real(_)));
}

/// The texts of `corpus/`.
fn corpus() -> Vec<Vec<u8>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn every_text_is_read_or_refused() {
    let corpus = corpus();
    for text in &corpus {
        assert_eq!(fuzz_once(text), Ok(()));
        // Every beginning of a script.
        for length in 0..text.len() {
            assert_eq!(fuzz_once(&text[..length]), Ok(()), "the first {length} bytes");
        }
    }
    for seed in 0..5_000 {
        let mut random = labrys_formulas::Random::new(seed);
        let text = mutated(&corpus, &mut |bound| random.below(bound));
        assert_eq!(fuzz_once(&text), Ok(()), "seed {seed}: {}", String::from_utf8_lossy(&text));
    }
}

/// SMT-LIB 2.0, section 3.1: in strings a backslash quotes a quotation mark or a backslash; later versions double the mark.
#[test]
fn strings_of_the_first_standard_have_backslashes() {
    let old =
        r#"(set-info :smt-lib-version 2.0) (set-info :notes "a \" ) b \\") (check-sat) (reset) (set-info :notes "a\")"#;
    let (_, read) = commands(old).unwrap();
    assert_eq!(read.len(), 5);
    assert_eq!(read[1], Command::SetInfo("notes".to_owned(), r#""a \" ) b \\""#.to_owned()));
    assert_eq!(read[4], Command::SetInfo("notes".to_owned(), r#""a\""#.to_owned()), "a reset forgets the version");
    assert_eq!(commands(r#"(set-info :smt-lib-version 2.6) (echo "a\")"#).unwrap().1.len(), 2);
    assert!(error(r#"(set-info :smt-lib-version 2.0) (echo "a\")"#).contains("at the end of this string"));
}

/// Section 3.1: what is quoted holds printable characters and white space.
#[test]
fn control_characters_are_no_characters_of_a_script() {
    assert!(
        error("(declare-const |a\x1bb| Bool)")
            .contains("1:18: expected a printable character in this symbol, found `\\x1b`")
    );
    assert!(error("(echo \"a\x07\")").contains("expected a printable character in this string"));
    assert!(commands("(declare-const |a\t\n\r ∞ b| Bool) (echo \"a\n\tb\")").is_ok());
}
