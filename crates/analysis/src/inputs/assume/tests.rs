use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_fuzz::{InputClass, Space};
use labrys_term::{Model, Sort, Store, Value};
use num_bigint::BigInt;
use num_traits::One;
use rand::{RngExt, SeedableRng};

use super::syntax::Number;
use super::*;
use labrys_program::{FloatType, InputLayout, Parameter, ParameterType, Pointee, ResultType, ScalarType, Signature};

fn layout() -> InputLayout {
    let parameter = |name: &str| Parameter {
        name: name.to_owned(),
        ty: ParameterType::Value(Pointee::Scalar(ScalarType::Float(FloatType::F64))),
    };
    let parameters = vec![parameter("v"), parameter("w")];
    Signature { name: "f".to_owned(), symbol: "f".to_owned(), parameters, result: ResultType::Void }.input_layout()
}

fn holds(text: &str, v: f64, w: f64) -> bool {
    let layout = layout();
    let mut record = vec![0; layout.size];
    layout.leaves[0].write(&mut record, v.to_bits().into());
    layout.leaves[1].write(&mut record, w.to_bits().into());
    let assumption = Assumption::parse(text, &layout).unwrap_or_else(|error| panic!("{error}"));
    // The term must say the same as the evaluator.
    let mut store = Store::new();
    let term = assumption.term(&layout, &mut store);
    let mut model = labrys_term::Model::new();
    for (leaf, value) in layout.leaves.iter().zip([v, w]) {
        let variable = store.variable(&leaf.path, Sort::Float(Format::BINARY64));
        model.set_term(&store, variable, labrys_term::Value::float(Float::from_f64(value)));
    }
    let by_term = labrys_term::eval(&store, term, &model).expect("all variables have values");
    let by_record = assumption.holds(&layout, &record);
    assert_eq!(by_term, labrys_term::Value::Bool(by_record), "{text}");
    by_record
}

#[test]
fn comparisons_chain_and_connect() {
    assert!(holds("v>=-4.5 && v<=-0.3", -1.0, 0.0));
    assert!(!holds("v>=-4.5 && v<=-0.3", 0.0, 0.0));
    assert!(holds("-4.5 <= v < w", -1.0, 0.0) && !holds("-4.5 <= v < w", 1.0, 0.0));
    assert!(holds("v > 1 || !(w > 1)", 0.0, 0.0));
    assert!(holds("(v + 1) * 2 == 4 && (v > 0)", 1.0, 0.0));
    assert!(holds("((v)) > 0 && -v < 0 && abs(-v) == v && v - 1 == 0 / 1", 1.0, 0.0));
    assert!(holds("v == 0x1.8p+1 && w == 1e-3", 3.0, 1e-3));
}

#[test]
fn nan_compares_as_ieee_says() {
    assert!(!holds("v == v", f64::NAN, 0.0) && holds("v != v", f64::NAN, 0.0));
    assert!(!holds("finite(v)", f64::INFINITY, 0.0) && holds("finite(v) && finite(v*w)", 1e300, 1.0));
}

#[test]
fn errors_name_column_and_expectation() {
    let error = |text: &str| Assumption::parse(text, &layout()).expect_err(text).to_string();
    assert!(error("v >= ").contains("column 6: expected a number or an input"), "{}", error("v >= "));
    assert!(error("v").contains("expected a comparison"));
    assert!(error("z > 1").contains("`z` is none (inputs: v, w)"));
    assert!(error("v > 1 )").contains("an operator or the end"));
    assert!(error(&"(".repeat(5000)).contains("less nesting"));
    assert!(error(&"-".repeat(5000)).contains("less nesting"));
    assert!(error("v > 1e").contains("a number"));
}

#[test]
fn ranges_are_closed_intervals() {
    let layout = layout();
    let range = Assumption::parse_range("v=-1e3..1e3", &layout).expect("a range");
    let within = |v: f64| {
        let mut record = vec![0; layout.size];
        layout.leaves[0].write(&mut record, v.to_bits().into());
        range.holds(&layout, &record)
    };
    assert!(within(-1e3) && within(1e3) && !within(1001.0) && !within(f64::NAN));
    let wrong = [
        ("v", 1),
        ("v=1", 3),
        ("v=..", 3),
        ("z=1..2", 1),
        ("v=1..x", 6),
        ("v=nan..1", 3),
        ("v=2..1", 3),
        ("v+=1..2", 2),
    ];
    for (wrong, column) in wrong {
        let error = Assumption::parse_range(wrong, &layout).expect_err(wrong).to_string();
        assert!(error.starts_with(&format!("--range \"{wrong}\": column {column}:")), "{error}");
    }
}

const I64: ScalarType = ScalarType::Int { bits: 64, signed: true };
const U64: ScalarType = ScalarType::Int { bits: 64, signed: false };
const I32: ScalarType = ScalarType::Int { bits: 32, signed: true };
const DOUBLE: ScalarType = ScalarType::Float(FloatType::F64);
const X87: ScalarType = ScalarType::Float(FloatType::X87);

fn signature(inputs: &[(&str, ScalarType)]) -> Signature {
    let value = |(name, scalar): &(&str, ScalarType)| Parameter {
        name: (*name).to_owned(),
        ty: ParameterType::Value(Pointee::Scalar(*scalar)),
    };
    let parameters = inputs.iter().map(value).collect();
    Signature { name: "f".to_owned(), symbol: "f".to_owned(), parameters, result: ResultType::Void }
}

fn wide(text: &str) -> u128 {
    Float::parse_decimal(Format::X87, text).and_then(|value| value.to_u128()).expect(text)
}

/// Whether an assumption holds of inputs and whether its bounds admit them; its term must say what it says.
fn meanings(assumption: &Assumption, signature: &Signature, bits: &[u128]) -> (bool, bool) {
    let layout = signature.input_layout();
    let mut record = vec![0; layout.size];
    let (mut store, mut model) = (Store::new(), Model::new());
    let term = assumption.term(&layout, &mut store);
    for (leaf, bits) in layout.leaves.iter().zip(bits) {
        leaf.write(&mut record, *bits);
        // The variables of symbolic execution.
        let variable = labrys_symex::leaf_variable(&mut store, leaf);
        let value = match leaf.float(&record) {
            Some(float) => Value::float(float),
            None if leaf.scalar == ScalarType::Bool => Value::Bool(*bits == 1),
            None => Value::bit_vector(8 * leaf.scalar.size() as u32, leaf.read(&record)),
        };
        model.set_term(&store, variable, value);
    }
    let holds = assumption.holds(&layout, &record);
    assert_eq!(labrys_term::eval(&store, term, &model), Ok(Value::Bool(holds)), "{assumption:?} {bits:x?}");
    let mut space = Space::new(signature, InputClass::All);
    assumption.restrict(&mut space);
    (holds, space.admits(&record))
}

/// Bounds and literals went through binary64: the one input of the first range was excluded, the second range was
/// contradictory, the others were empty, refused or everything.
#[test]
fn inputs_that_binary64_does_not_hold_are_compared_exactly() {
    let max = u128::from(u64::MAX);
    let (tiny, huge) = ("1e-4500", "1e4500");
    let above = wide("1") + 1;
    let ranges: [(ScalarType, &str, Vec<u128>, Vec<u128>); 7] = [
        (I64, "9007199254740993..9007199254740993", vec![(1 << 53) + 1], vec![1 << 53, (1 << 53) + 2]),
        (I64, "-9007199254740993..-9007199254740993", vec![-9007199254740993i64 as u64 as u128], vec![0]),
        (I64, "..-9223372036854775807", vec![1 << 63, (1 << 63) + 1], vec![(1 << 63) + 2, max, 0]),
        (U64, "18446744073709551614..18446744073709551615", vec![max - 1, max], vec![max - 2, 0]),
        (X87, "1e4000..1e4900", vec![wide(huge)], vec![wide("inf"), wide("1e308"), wide("nan")]),
        (X87, "1e-4900..1e-4000", vec![wide(tiny)], vec![0, wide("1e-308")]),
        (X87, "1..1.0000000000000000002", vec![wide("1"), above], vec![wide("1") - 1, above + 1]),
    ];
    for (scalar, range, inside, outside) in ranges {
        let signature = signature(&[("x", scalar)]);
        let layout = signature.input_layout();
        let range = format!("x={range}");
        let range = Assumption::parse_range(&range, &layout).unwrap_or_else(|error| panic!("{error}"));
        for (bits, expected) in [(inside, true), (outside, false)] {
            for bits in bits {
                assert_eq!(meanings(&range, &signature, &[bits]), (expected, expected), "{range:?} {bits:x}");
            }
        }
    }
    let conditions = [
        (U64, "x > 18446744073709551000", vec![max, max - 1, max - 614], vec![max - 615, 0]),
        (U64, "18446744073709551614 < x", vec![max], vec![max - 1]),
        (U64, "x * x != 340282366920938463463374607431768211456", vec![max, 0], vec![]),
        (I64, "x != 9007199254740992 && x + 1 != 9007199254740992", vec![(1 << 53) + 1], vec![1 << 53, (1 << 53) - 1]),
        (X87, "x > 1e400 && x < 1e4900", vec![wide(huge)], vec![wide("1e399"), wide("1.1e4900"), wide("inf")]),
        (X87, "finite(x) && !finite(x * x)", vec![wide(huge)], vec![wide("1e400"), wide("inf"), wide("nan")]),
        (X87, "-x <= -1e4000 && abs(x) < 1e4001", vec![wide("1e4000") + 1], vec![wide(huge), wide("-1e4000")]),
    ];
    for (scalar, condition, inside, outside) in conditions {
        let signature = signature(&[("x", scalar)]);
        let assumption = Assumption::parse(condition, &signature.input_layout()).expect(condition);
        for bits in inside {
            assert_eq!(meanings(&assumption, &signature, &[bits]), (true, true), "{condition} {bits:x}");
        }
        for bits in outside {
            assert!(!meanings(&assumption, &signature, &[bits]).0, "{condition} {bits:x}");
        }
    }
}

#[test]
fn a_comparison_is_as_precise_as_its_inputs_need() {
    let signature = signature(&[("d", DOUBLE), ("i", I32), ("l", I64)]);
    let holds = |text: &str, d: f64, i: i32, l: i64| {
        let assumption = Assumption::parse(text, &signature.input_layout()).expect(text);
        meanings(&assumption, &signature, &[d.to_bits().into(), i as u32 as u128, l as u64 as u128]).0
    };
    // In binary64 1 − 1e-30 is 1, in binary128 it is less.
    assert!(!holds("d - 1e-30 < i", 1.0, 1, 0) && holds("d - 1e-30 < l", 1.0, 0, 1));
    // The literal is 2^53 in binary64.
    assert!(holds("d == 9007199254740993", 2f64.powi(53), 0, 0) && !holds("d < l", 2f64.powi(53), 0, 1 << 53));
    assert!(holds("d < l", 2f64.powi(53), 0, (1 << 53) + 1) && holds("d < i < l", -1.0, 0, 1));
    assert!(!holds("d == 0 * l", f64::NAN, 0, 1) && holds("-l == 9223372036854775808", 0.0, 0, i64::MIN));
}

#[test]
fn range_bounds_are_ordered_by_their_exact_values() {
    let signature = signature(&[("l", I64), ("x", X87)]);
    let parse = |text: &str| Assumption::parse_range(text, &signature.input_layout());
    for reversed in ["l=9007199254740993..9007199254740992", "x=1e4001..1e4000", "x=1e-4000..1e-4001", "l=1..-1"] {
        assert!(parse(reversed).expect_err(reversed).to_string().contains("the lower bound first"));
    }
    assert!(parse("l=-9007199254740993..-9007199254740992").is_ok() && parse("x=nan..1").is_err());
}

#[test]
fn holding_term_and_bounds_agree_near_bounds() {
    let mut random = rand_pcg::Pcg64::seed_from_u64(7);
    let relations = ["<", "<=", ">", ">=", "==", "!="];
    for round in 0..3000 {
        let scalar = [I64, U64, X87][round % 3];
        let signature = signature(&[("x", scalar)]);
        let mut bits = u128::from(random.random::<u64>() >> random.random_range(0..64));
        let near = if scalar == X87 {
            // A random exponent with a random significand, or a number near to one.
            let ordinal = BigInt::from(bits) + (BigInt::from(random.random_range(0..0x7fffi64)) << 63u32);
            let number = Float::from_ordinal(Format::X87, &ordinal);
            let number = if random.random() { number.neg() } else { number };
            bits = number.to_u128().expect("80 bits");
            Environment::with_rounding(RoundingMode::TowardZero).convert(&number, Format::BINARY128).value
        } else {
            let signed = scalar == I64;
            let value = if signed { BigInt::from(bits as u64 as i64) } else { BigInt::from(bits) };
            Environment::default().from_integer(&value, Format::BINARY128).value
        };
        // The literal is the input, a neighbour of it in binary128, or further away.
        let step = BigInt::one() << [0, 40, 48, 49, 50, 112][random.random_range(0..6)];
        let step = step * random.random_range(-1..=1);
        let literal = Float::from_ordinal(Format::BINARY128, &(near.ordinal().expect("a number") + step));
        if literal.is_infinite() {
            continue;
        }
        let (sign, magnitude) = (if literal.is_negative() { "-" } else { "" }, literal.abs());
        let relation = relations[random.random_range(0..6)];
        for magnitude in [magnitude.to_hex(), magnitude.to_shortest_decimal()] {
            let text = format!("x {relation} {sign}{magnitude}");
            let assumption = Assumption::parse(&text, &signature.input_layout()).expect(&text);
            let (holds, admitted) = meanings(&assumption, &signature, &[bits]);
            let exact = near.to_rational().partial_cmp(&literal.to_rational()).expect("numbers");
            let expected = match relation {
                "<" => exact.is_lt(),
                "<=" => exact.is_le(),
                ">" => exact.is_gt(),
                ">=" => exact.is_ge(),
                "==" => exact.is_eq(),
                _ => exact.is_ne(),
            };
            assert_eq!(holds, expected, "{text} {bits:x}");
            // Bounds are closed: equality is left to the condition.
            assert_eq!(admitted, expected || relation == "!=" || exact.is_eq(), "{text} {bits:x}");
        }
    }
}

/// A truth value had one sort here and another in symbolic execution, which ended the run with a panic.
#[test]
fn truth_values_and_half_precision_numbers_are_what_they_are() {
    let signature = signature(&[("b", ScalarType::Bool), ("h", ScalarType::Float(FloatType::F16))]);
    for (text, bits, expected) in [
        ("b == 1", [1, 0], true),
        ("b == 1", [0, 0], false),
        ("b < h", [0, 1], true),
        ("b < h", [1, 0x3c00], false),
        // 1.5 and its neighbours, the smallest subnormal number, the largest one, an infinity.
        ("h > 1.5", [0, 0x3e01], true),
        ("h > 1.5", [0, 0x3e00], false),
        ("h == 0x1p-24", [0, 1], true),
        ("h >= 65504", [0, 0x7bff], true),
        ("h > 65504 && finite(h)", [0, 0x7c00], false),
        ("h < -1", [0, 0xbc01], true),
    ] {
        let assumption = Assumption::parse(text, &signature.input_layout()).expect(text);
        assert_eq!(meanings(&assumption, &signature, &bits).0, expected, "{text}");
    }
}

#[test]
fn ordinals_are_binary128_ones() {
    let mut random = rand_pcg::Pcg64::seed_from_u64(8);
    let floats = [FloatType::F16, FloatType::F32, FloatType::F64, FloatType::X87].map(ScalarType::Float);
    for scalar in [I32, I64, U64, ScalarType::Bool].into_iter().chain(floats) {
        let layout = signature(&[("x", scalar)]).input_layout();
        let leaf = &layout.leaves[0];
        let mut record = vec![0; layout.size];
        for round in 0..4000 {
            // Plain encodings, short ones, and exponents at both ends of x87's range with any leading bit.
            let bits = random.random::<u128>() >> random.random_range(0..128);
            let field = [0, 1, 2, 0x7ffe, 0x7fff, 0x8000, 0xffff][random.random_range(0..7)];
            let bits = if round % 2 == 0 { bits } else { bits << 48 >> 64 | field << 64 };
            let bits = if round % 8 == 1 { bits >> 63 << 63 } else { bits };
            leaf.write(&mut record, bits);
            let expected = ordinal::of_float(&leaf::quadruple(leaf, &record));
            assert_eq!(Number::Leaf(0).ordinal(&layout, &record), expected, "{scalar:?} {bits:x}");
        }
    }
}

/// The C text, compiled natively, says what the evaluator says: for numbers around each literal, special ones and any.
#[test]
fn c_says_the_same() {
    let signature = signature(&[("d", DOUBLE), ("i", I32), ("l", I64), ("u", U64), ("x", X87)]);
    let layout = signature.input_layout();
    let conditions = [
        "d < 0.1",
        "i >= -5 && i != 7",
        "d - 1e-30 < i",
        "d * i + 1 > abs(d)",
        "finite(d) && !finite(d / i)",
        "l > 9007199254740993",
        "l <= -9007199254740993.5",
        "l == 0.5",
        "l != 0.5",
        "l != -3",
        "-l < 9223372036854775808",
        "u >= 18446744073709551614.5",
        "u < 1e30",
        "u > -1e-30",
        "u == 1e400",
        "0.1 <= u",
        "u <= l",
        "l < d",
        "x < l",
        "x >= u",
        "x > 0.1",
        "x >= 0.1",
        "x < 0.1",
        "x <= 0.1",
        "x == 0.1",
        "x != 0.1",
        "0.1 < x",
        "0.1 >= x",
        "x < 1e5000",
        "x >= -1e4931",
        "x <= 1e-4940",
        "finite(x)",
        "!finite(x) || abs(x) > 1e4000",
        "-x <= -1e-4000",
        "x == x",
        "l == l + 0",
        "x * 2 > d",
    ];
    let mut random = rand_pcg::Pcg64::seed_from_u64(1);
    let specials = |width: u32, random: &mut rand_pcg::Pcg64| -> u128 {
        let near = random.random_range(0..3u128);
        let base = match random.random_range(0..5) {
            0 => 0,
            1 => 1 << (width - 1),
            2 => 1 << random.random_range(0..width),
            3 => (1 << 53) + 1,
            _ => random.random::<u128>(),
        };
        base.wrapping_add(near).wrapping_sub(1) & ((1 << width) - 1)
    };
    let float = |format: Format, random: &mut rand_pcg::Pcg64| -> u128 {
        let texts = [
            "0.1",
            "-0.1",
            "0",
            "-0",
            "inf",
            "-inf",
            "nan",
            "1e-4950",
            "9007199254740993",
            "18446744073709551615",
            "0.5",
            "7",
            "1e300",
        ];
        let bits = Float::parse_decimal(format, texts[random.random_range(0..texts.len())]).and_then(|of| of.to_u128());
        let bits = bits.expect("a number of 128 bits at most");
        let magnitude = bits & (u128::MAX >> (129 - format.width()));
        // A neighbour is one of the format's own numbers where the significand does not overflow.
        if magnitude > 0 && random.random() && magnitude & 0xffff != 0xffff && magnitude & 0xffff != 0 {
            bits + 1 - 2 * random.random_range(0..2u128)
        } else {
            bits
        }
    };
    let records: Vec<Vec<u8>> = (0..400)
        .map(|_| {
            let mut record = vec![0; layout.size];
            for leaf in &layout.leaves {
                let bits = match leaf.scalar {
                    ScalarType::Float(FloatType::X87) => float(Format::X87, &mut random),
                    ScalarType::Float(_) => float(Format::BINARY64, &mut random),
                    of => specials(8 * of.size() as u32, &mut random),
                };
                leaf.write(&mut record, bits);
            }
            record
        })
        .collect();
    let assumptions = conditions.map(|text| Assumption::parse(text, &layout).unwrap_or_else(|error| panic!("{error}")));
    let leaf_text = |index: usize| {
        let leaf = &layout.leaves[index];
        format!("*({} *)(record + {})", leaf.scalar.c_name(), leaf.offset)
    };
    let mut text = "#include <stdio.h>\n#include <stdint.h>\n".to_owned();
    text.push_str(&format!("static _Alignas(16) unsigned char records[][{}] = {{\n", layout.size));
    for record in &records {
        let bytes: Vec<String> = record.iter().map(u8::to_string).collect();
        text.push_str(&format!("{{{}}},\n", bytes.join(",")));
    }
    text.push_str("};\nint main(void) {\nfor (size_t i = 0; i < sizeof records / sizeof *records; i++) {\nunsigned char *record = records[i];\n");
    for assumption in &assumptions {
        text.push_str(&format!("putchar('0' + ({}));\n", assumption.c_text(&leaf_text)));
    }
    text.push_str("}\nreturn 0;\n}\n");
    let folder = tempfile::tempdir().expect("a folder");
    let (source, program) = (folder.path().join("t.c"), folder.path().join("t"));
    std::fs::write(&source, &text).expect("a file");
    let compiled = std::process::Command::new("clang-22").arg(&source).arg("-o").arg(&program).output();
    let compiled = compiled.expect("clang-22 runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let said = std::process::Command::new(&program).output().expect("it runs").stdout;
    assert_eq!(said.len(), records.len() * conditions.len());
    let mut held = vec![0; conditions.len()];
    for (index, (said, (record, at))) in
        said.iter().zip(records.iter().flat_map(|record| (0..conditions.len()).map(move |at| (record, at)))).enumerate()
    {
        let holds = assumptions[at].holds(&layout, record);
        held[at] += usize::from(holds);
        assert_eq!(*said == b'1', holds, "{} of record {}: {record:02x?}", conditions[at], index / conditions.len());
    }
    assert!(held.iter().filter(|count| (1..records.len()).contains(*count)).count() > 25, "{held:?}");
}
