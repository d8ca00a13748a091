//! What clang's code and libm do in one way or another: whatever is done natively is among what is modelled.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

use labrys_executor::{Path, Values};
use labrys_float::{Format, RoundingMode};
use labrys_interp::{Domain, FloatOperation, Int, Place, Stop, ToInteger};
use labrys_term::{Model, Sort, Store, TermId, Value as TermValue};

use crate::assigned;
use crate::program::place;

/// What all C files begin with. `SHOW` prints a result's encoding and the flags that were raised for it.
const PRELUDE: &str = r#"
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#define SHOW(T, SIZE, E) do { T r; feclearexcept(61); r = (E); int f = fetestexcept(61); unsigned long w[2] = {0, 0}; \
    memcpy(w, &r, SIZE); printf("%lx %lx %x\n", w[1], w[0], f); } while (0)
"#;

/// Runs a C file; the results and flags that it prints, one a line.
fn natively(text: &str) -> Vec<(u128, u128)> {
    let folder = tempfile::tempdir().unwrap();
    let (source, executable) = (folder.path().join("open.c"), folder.path().join("open"));
    std::fs::write(&source, text).unwrap();
    let mut command = Command::new("clang-22");
    command.args(["-w", "-O0", "-o"]).arg(&executable).arg(&source).arg("-lm");
    assert!(command.status().unwrap().success(), "{text}");
    let shown = Command::new(&executable).output().unwrap();
    assert!(shown.status.success(), "{:?}", shown.status);
    let lines = String::from_utf8(shown.stdout).unwrap();
    lines
        .lines()
        .map(|line| {
            let words: Vec<u128> = line.split(' ').map(|word| u128::from_str_radix(word, 16).unwrap()).collect();
            (words[0] << 64 | words[1], words[2])
        })
        .collect()
}

/// Results and flags on a store.
type Computed = (Store, Vec<Int<TermId>>);

/// Executes something on a domain that reads flags, and reads them.
fn computed(run: impl FnOnce(&mut Values<'_>, &mut Path) -> Result<Int<TermId>, Stop>) -> Result<Computed, Stop> {
    let mut store = Store::new();
    let mut path = Path::new(store.bool_const(true));
    let mut values = Values::new(&mut store, true);
    let result = run(&mut values, &mut path)?;
    let flags = values.test_exceptions(&path.environment, &Int::new(32, 0x3d))?;
    Ok((store, vec![result, flags]))
}

/// Whether a result and flags are among what is modelled. Open bits are tried in all ways; an open payload is what was shown.
fn may_be((store, terms): &Computed, inputs: &[(&str, u128)], shown: (u128, u128)) -> bool {
    let symbols: Vec<TermId> = terms.iter().filter_map(|int| int.symbol().copied()).collect();
    let mut model = Model::new();
    let mut bits = Vec::new();
    for variable in store.free_variables(&symbols) {
        let (name, sort) = store.variable_info(variable);
        match (inputs.iter().find(|(input, _)| *input == name), sort) {
            (Some((_, value)), Sort::BitVec(width)) => model.set(variable, TermValue::bit_vector(*width, *value)),
            // A NaN of _Float16 is one of binary32 whose payload is cut.
            (None, Sort::BitVec(32)) if shown.0 >> 16 == 0 => {
                model.set(variable, TermValue::bit_vector(32, (shown.0 & 0x8000) << 16 | (shown.0 & 0x3ff) << 13));
            }
            (None, Sort::BitVec(width)) => model.set(variable, TermValue::bit_vector(*width, shown.0)),
            _ => bits.push(variable),
        }
    }
    assert!(bits.len() < 12, "{} bits are open", bits.len());
    (0..1u32 << bits.len()).any(|way| {
        let mut model = model.clone();
        for (index, bit) in bits.iter().enumerate() {
            model.set(*bit, TermValue::Bool(way >> index & 1 != 0));
        }
        assigned(store, model, terms) == [shown.0, shown.1]
    })
}

/// A format: C's type and suffix, and how many bytes an encoding has.
const TYPES: [(Format, &str, &str, u32); 4] = [
    (Format::BINARY64, "double", "", 8),
    (Format::BINARY32, "float", "f", 4),
    (Format::X87, "long double", "l", 10),
    (Format::BINARY16, "_Float16", "f16", 2),
];

/// The encodings that operands have, as C has them.
fn operands(format: Format, suffix: &str) -> Vec<(u128, String)> {
    let stored = format.stored_significand_bits();
    let fraction = format.precision() - 1;
    let leading = if format.has_explicit_leading_bit() { 1u128 << fraction } else { 0 };
    let sign = 1u128 << (format.width() - 1);
    let top = ((1u128 << format.exponent_bits()) - 1) << stored | leading;
    let one = ((1u128 << (format.exponent_bits() - 1)) - 1) << stored | leading;
    let quiet = 1u128 << (fraction - 1);
    let nan = |kind: &str, payload: u32| format!("__builtin_nan{kind}{suffix}(\"{payload}\")");
    vec![
        (0, "(T)0.0".into()),
        (sign, "(T)-0.0".into()),
        (one, "(T)1.0".into()),
        (sign | one, "(T)-1.0".into()),
        (top | quiet | 5, nan("", 5)),
        (top | quiet | 9, nan("", 9)),
        (top | 3, nan("s", 3)),
    ]
}

#[test]
fn minima_of_constants_and_by_functions_are_among_those_modelled() {
    let (mut wrong, mut seen) = (Vec::new(), BTreeMap::<&str, usize>::new());
    for (format, ty, suffix, size) in TYPES {
        let all = operands(format, suffix);
        for (name, operation) in [("fmin", FloatOperation::MinNum), ("fmax", FloatOperation::MaxNum)] {
            let function = format!("__builtin_{name}{suffix}");
            let mut text = format!("{PRELUDE}\ntypedef {ty} T;\n");
            let pointer = if format == Format::BINARY16 { None } else { Some(format!("{name}{suffix}")) };
            if let Some(function) = &pointer {
                let _ = writeln!(text, "static T (*volatile pointer)(T, T) = {function};");
            }
            let mut ways: Vec<(&str, usize, usize)> = Vec::new();
            let mut calls = [String::new(), String::new()];
            for (i, (_, a)) in all.iter().enumerate() {
                for (j, (_, b)) in all.iter().enumerate() {
                    for (strict, text) in calls.iter_mut().enumerate() {
                        let _ = writeln!(text, "{{ static volatile T x = {a}, y = {b};");
                        for (p, q) in [("x", "y"), (a.as_str(), "y"), ("x", b.as_str())] {
                            let _ = writeln!(text, "SHOW(T, {size}, {function}({p}, {q}));");
                        }
                        if pointer.is_some() && strict == 0 {
                            let _ = writeln!(text, "SHOW(T, {size}, pointer(x, y));");
                        }
                        text.push_str("}\n");
                    }
                    ways.extend(["variables", "first", "second"].map(|way| (way, i, j)));
                    if pointer.is_some() {
                        ways.push(("pointer", i, j));
                    }
                }
            }
            for (i, j) in (0..all.len()).flat_map(|i| (0..all.len()).map(move |j| (i, j))) {
                ways.extend(["strict"; 3].map(|way| (way, i, j)));
            }
            // clang 22 has no code for constrained minima of _Float16.
            let strict = if format == Format::BINARY16 { "" } else { calls[1].as_str() };
            let _ = write!(
                text,
                "static void usual(void) {{ {} }}\nstatic void strict(void) {{\n#pragma STDC FENV_ACCESS ON\n{strict} }}\n\
                 int main(void) {{ usual(); strict(); return 0; }}",
                calls[0]
            );
            let shown = natively(&text);
            assert!(shown.len() == ways.len() || strict.is_empty(), "{} of {}", shown.len(), ways.len());
            for ((way, i, j), shown) in ways.into_iter().zip(shown) {
                let inside = matches!(way, "pointer" | "strict");
                let of = |known: [bool; 2]| {
                    computed(|values, path| {
                        let operands = [(0, i), (1, j)].map(|(slot, index)| {
                            let bits = match known[slot] {
                                true => Int::new(format.width(), all[index].0),
                                false => values.input(["a", "b"][slot], format.width()),
                            };
                            values.float_from_bits(&bits, format)
                        });
                        let place = Place { in_library: inside, ..place() };
                        let result = values.float_operation(path, &place, operation, &operands)?;
                        Ok(values.float_to_bits(&result))
                    })
                };
                // What is a constant of the source is known.
                let known = match way {
                    "first" => vec![[true, true], [true, false]],
                    "second" => vec![[true, true], [false, true]],
                    _ => vec![[true, true], [true, false], [false, true], [false, false]],
                };
                for known in known {
                    *seen.entry(way).or_default() += 1;
                    let computed = match of(known) {
                        Ok(computed) => computed,
                        // A NaN may be a constant.
                        Err(_) if format == Format::BINARY16 && (i >= 4 || j >= 4) => continue,
                        Err(stop) => panic!("{stop:?}"),
                    };
                    if !may_be(&computed, &[("a", all[i].0), ("b", all[j].0)], shown) {
                        let (p, q) = (&all[i].1, &all[j].1);
                        wrong.push(format!("{function}({p}, {q}) {way} known {known:?}: {shown:x?}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
    assert!(seen.len() == 5, "{seen:?}");
}

/// Of numbers that are no zeros nothing is open, nor is whether the result is a NaN where no NaN is a constant.
#[test]
fn little_is_open() {
    for (format, _, suffix, _) in TYPES {
        let all = operands(format, suffix);
        for operation in [FloatOperation::MinNum, FloatOperation::MaxNum] {
            for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
                let (_, terms) = computed(|values, path| {
                    let operands =
                        [i, j].map(|index| values.float_from_bits(&Int::new(format.width(), all[index].0), format));
                    let result = values.float_operation(path, &place(), operation, &operands)?;
                    Ok(values.float_to_bits(&result))
                })
                .unwrap();
                let differ = (i, j) == (0, 1) || (i, j) == (1, 0);
                assert_eq!(terms[0].concrete().is_none(), differ, "{i} {j} {operation:?}");
            }
        }
    }
}

#[test]
fn conversions_where_the_environment_is_accessed_are_among_those_modelled() {
    const MODES: [(u32, RoundingMode); 4] = [
        (0, RoundingMode::NearestEven),
        (0x400, RoundingMode::TowardNegative),
        (0x800, RoundingMode::TowardPositive),
        (0xc00, RoundingMode::TowardZero),
    ];
    let numbers =
        ["0", "-0.0", "1", "1.5", "-1", "-1.5", "0x1p-149", "0x1p62", "0x1p63", "0x1.8p63", "0x1p64", "0x1p100"];
    let numbers: Vec<&str> = numbers
        .into_iter()
        .chain(["-0x1p63", "-0x1.8p63", "__builtin_inff()", "-__builtin_inff()", "__builtin_nanf(\"\")"])
        .collect();
    let integers = [
        0u64,
        1,
        3,
        1 << 63,
        (1 << 63) + 1,
        (1 << 63) + 1024,
        (1 << 63) + 1025,
        u64::MAX,
        u64::MAX >> 1,
        (1 << 53) + 1,
        (1 << 24) + 1,
    ];
    for strict in ["", "#pragma STDC FENV_ACCESS ON\n"] {
        let mut text = format!("{PRELUDE}\n{strict}int main(void) {{\n");
        for (mode, _) in MODES {
            for (_, ty, _, size) in &TYPES[..3] {
                for number in &numbers {
                    let _ = writeln!(
                        text,
                        "{{ static volatile {ty} x = {number}; fesetround({mode}); SHOW(unsigned long, 8, (unsigned long)x); \
                         fesetround(0); {ty} y = x; \
                         unsigned long w[2] = {{0, 0}}; memcpy(w, &y, {size}); printf(\"%lx %lx 0\\n\", w[1], w[0]); }}"
                    );
                }
                for integer in integers {
                    let _ = writeln!(
                        text,
                        "{{ static volatile unsigned long x = {integer}ul; fesetround({mode}); SHOW({ty}, {size}, ({ty})x); fesetround(0); }}"
                    );
                }
            }
        }
        let mut shown = natively(&(text + "return 0; }")).into_iter();
        let mut wrong = Vec::new();
        for (mode, name) in MODES {
            for (format, ty, ..) in &TYPES[..3] {
                for number in &numbers {
                    let (result, operand) = (shown.next().unwrap(), shown.next().unwrap().0);
                    for known in [false, true] {
                        let computed = computed(|values, path| {
                            assert!(path.environment.set_rounding(mode));
                            let bits = match known {
                                true => Int::new(format.width(), operand),
                                false => values.input("a", format.width()),
                            };
                            let value = values.float_from_bits(&bits, *format);
                            let mode = Some(RoundingMode::TowardZero);
                            let conversion = ToInteger { bits: 64, signed: false, mode, saturating: false };
                            values.float_to_int(path, &place(), conversion, &value).map(|(int, _)| int)
                        });
                        if !may_be(&computed.unwrap(), &[("a", operand)], result) {
                            wrong.push(format!("(unsigned long)({ty}){number} {name:?} known {known}: {result:x?}"));
                        }
                    }
                }
                for integer in integers {
                    let result = shown.next().unwrap();
                    for known in [false, true] {
                        let computed = computed(|values, path| {
                            assert!(path.environment.set_rounding(mode));
                            let int = match known {
                                true => Int::new(64, integer.into()),
                                false => values.input("a", 64),
                            };
                            let float = values.int_to_float(path, &place(), &int, false, *format)?;
                            Ok(values.float_to_bits(&float))
                        });
                        if !may_be(&computed.unwrap(), &[("a", integer.into())], result) {
                            wrong.push(format!("({ty}){integer:#x} {name:?} known {known}: {result:x?}"));
                        }
                    }
                }
            }
        }
        assert!(shown.next().is_none());
        assert!(wrong.is_empty(), "{strict}{} wrong\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
    }
}
