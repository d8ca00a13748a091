//! Streams of C++ against libstdc++'s.

use rand::RngExt;
use rand_pcg::Pcg64;

use crate::calls::any_double;
use crate::{calls, compare_in, compare_reads_in, random, setting};

/// What the calls use.
const EXTRA: &str = "#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
template <typename S> static void mix_state(S &s) { mix(s.rdstate()); mix((unsigned long)s.precision()); mix((unsigned long)s.width()); mix((unsigned long)s.fill()); }
";

fn pick<'t>(random: &mut Pcg64, all: &[&'t str]) -> &'t str {
    all[random.random_range(0..all.len())]
}

/// What changes how things are written or read.
fn manipulators(random: &mut Pcg64) -> String {
    let mut text = String::new();
    for _ in 0..random.random_range(0..4) {
        let number = random.random_range(0..14);
        let one = match random.random_range(0..4) {
            0 => format!("std::setw({number})"),
            1 => format!("std::setprecision({number})"),
            2 => format!("std::setfill('{}')", pick(random, &["*", "0", " "])),
            _ => pick(
                random,
                &[
                    "fixed",
                    "scientific",
                    "hexfloat",
                    "defaultfloat",
                    "hex",
                    "oct",
                    "dec",
                    "showbase",
                    "showpos",
                    "showpoint",
                    "uppercase",
                    "left",
                    "right",
                    "internal",
                    "boolalpha",
                ],
            )
            .to_owned(),
        };
        let one = if one.starts_with("std::") { one } else { format!("std::{one}") };
        text += &format!(" << {one}");
    }
    text
}

fn integer(random: &mut Pcg64) -> i64 {
    random.random::<i64>() >> random.random_range(0..64)
}

fn writing(random: &mut Pcg64) -> String {
    let mut text = "std::ostringstream o; o".to_owned();
    for _ in 0..random.random_range(1..4) {
        text += &manipulators(random);
        let value = match random.random_range(0..8) {
            0 => format!("(int){}l", integer(random)),
            1 => format!("(unsigned long){}l", integer(random)),
            2 => format!("(short){}l", integer(random)),
            3 => format!("{}l", integer(random)),
            4 => pick(random, &["true", "false", "'x'", "(unsigned char)65"]).to_owned(),
            5 => pick(random, &["\"text\"", "std::string(\"abc\")", "\"\"", "(const void *)0"]).to_owned(),
            6 => format!("(float)({})", any_double(random)),
            _ => format!("({})", any_double(random)),
        };
        text += &format!(" << {value}");
    }
    text + "; mix_text(o.str().c_str()); mix((unsigned long)o.tellp()); mix_state(o);"
}

/// What is read: numbers, or nearly, and words.
const WORDS: [&str; 21] = [
    "12",
    "-7",
    "+3",
    "0x1f",
    "077",
    "99999999999999999999",
    "2.5",
    "1e3",
    "-1e400",
    ".",
    "abc",
    "true",
    "1",
    "0",
    "nan",
    "3.",
    "1e-320",
    "-0",
    "70000",
    "ff",
    "x",
];

/// The types of numbers that are read.
const INTEGERS: [&str; 8] =
    ["int", "unsigned", "short", "unsigned short", "long", "unsigned long", "bool", "long long"];

/// What changes how the stream `i` reads.
const MODES: [&str; 7] = [
    "",
    "",
    "i >> std::hex;",
    "i >> std::boolalpha;",
    "i.unsetf(std::ios::dec);",
    "i >> std::noskipws;",
    "i >> std::setw(2);",
];

/// Reads of texts and characters, and what may be done to any stream.
const READS: [&str; 14] = [
    "i >> s;",
    "i >> c;",
    "std::getline(i, s);",
    "std::getline(i, s, ',');",
    "i.getline(w, 4);",
    "i >> w;",
    "i.ignore(2);",
    "i.ignore(5, '2');",
    "c = i.get();",
    "c = i.peek();",
    "i >> std::ws;",
    "i.clear();",
    "i.unget();",
    "i.read(w, 3);",
];

fn input(random: &mut Pcg64) -> String {
    (0..random.random_range(0..5))
        .map(|_| pick(random, &[" ", "\t", "\n", ",", "", ""]).to_owned() + pick(random, &WORDS))
        .collect()
}

/// Reads from the stream `i`.
fn reads(random: &mut Pcg64) -> String {
    let mut text = "std::string s = \"old\"; char c = 'q', w[160] = \"w\";".to_owned();
    for _ in 0..random.random_range(1..4) {
        text += pick(random, &MODES);
        text += &match random.random_range(0..3) {
            0 => format!("{{ {} v = 9; i >> v; mix((unsigned long)v); }}", pick(random, &INTEGERS)),
            1 => format!("{{ {} v = 9; i >> v; mix_double(v); }}", pick(random, &["double", "float"])),
            _ => pick(random, &READS).to_owned(),
        };
        text += " mix_state(i); mix((unsigned long)i.gcount());";
    }
    text + " mix_text(s.c_str()); mix((unsigned long)c); mix_text(w);"
}

fn reading(random: &mut Pcg64) -> String {
    let input = input(random).escape_default().to_string();
    let (before, after) = (reads(random), reads(random));
    let write = pick(random, &["", "i << 12; mix_text(i.str().c_str());"]);
    format!("std::stringstream i(\"{input}\"); {{ {before} }} {write} {{ {after} }} mix((unsigned long)i.tellg());")
}

/// Reads of standard input.
fn reading_input(random: &mut Pcg64) -> (String, String) {
    let apart = pick(random, &["", "std::ios::sync_with_stdio(false);", "std::cin.tie(nullptr);"]);
    let end = pick(random, &["", "mix((unsigned long)getchar());"]);
    (format!("{apart} std::istream &i = std::cin; {} {end}", reads(random)), input(random))
}

#[test]
fn streams_are_libstdcxxs() {
    let file = ("calls.cpp", "clang++-22");
    // The programs are large.
    let count = setting("LABRYS_LIBRARY_CALLS", 150) as usize / 4;
    for make in [writing, reading] {
        compare_in(file, &calls(make)[..count], EXTRA);
    }
    let mut random = random();
    let reads: Vec<(String, String)> = (0..count).map(|_| reading_input(&mut random)).collect();
    compare_reads_in(file, &reads, EXTRA);
}
