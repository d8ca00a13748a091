//! No finding hangs on what callers leave in unused vector lanes: each one holds in an ordinary program whose caller leaves
//! subnormals, huge numbers or NaNs there.

use crate::harness::{Bench, flags};
use serde_json::Value;

/// Squares of four floats are what compilers make of a struct of three, of which x86-64 passes two in a register of four.
const VEC3: &str = "#include <math.h>
typedef struct { float x, y, z; } vec3;
static float dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
vec3 normalize(vec3 v) {
    float length = sqrtf(dot(v, v));
    vec3 unit = { v.x / length, v.y / length, v.z / length };
    return unit;
}
";

/// Calls a library's function on a vector that comes straight from another call, which has left its own numbers behind; for each
/// kind of numbers a line with the result's bits and the exceptions.
const CALLER: &str = r#"#include <dlfcn.h>
#include <fenv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { float x, y, z; } vec3;
uint32_t left[4] __attribute__((aligned(16)));
vec3 leave(vec3 v);
__asm__(".text\n.globl leave\nleave:\n"
    "\tmovhps left(%rip), %xmm0\n\tunpcklps left(%rip), %xmm1\n\tmovhps left(%rip), %xmm1\n"
    ".irp n,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\tmovaps left(%rip), %xmm\\n\n.endr\n\tret\n");
int main(int count, char **words) {
    void *library = dlopen(words[1], RTLD_NOW);
    vec3 (*normalize)(vec3) = (vec3 (*)(vec3))dlsym(library, "normalize");
    vec3 v;
    for (int i = 0; i < 3; i++) {
        uint32_t bits = strtoul(words[2 + i], 0, 16);
        memcpy((char *)&v + 4 * i, &bits, 4);
    }
    const uint32_t kinds[][2] = {{0, 0}, {0x3f800000, 0x3f800000}, {1, 1}, {0x7f7fffff, 0x7f7fffff}, {0x7fa00000, 0x7fa00000},
        {0x12345678, 0x70000001}, {0x80000001, 0xff7fffff}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (int i = 0; i < 4; i++) left[i] = kinds[k][i % 2];
        feclearexcept(FE_ALL_EXCEPT);
        vec3 unit = normalize(leave(v));
        int raised = fetestexcept(FE_ALL_EXCEPT);
        uint32_t bits[3];
        memcpy(bits, &unit, 12);
        printf("0x%08x 0x%08x 0x%08x%s%s%s%s\n", bits[0], bits[1], bits[2], raised & FE_INVALID ? " invalid" : "",
            raised & FE_DIVBYZERO ? " divbyzero" : "", raised & FE_OVERFLOW ? " overflow" : "",
            raised & FE_UNDERFLOW ? " underflow" : "");
    }
    return 0;
}
"#;

/// The bits of a struct's members.
fn bits(value: &Value) -> Vec<String> {
    let elements = value["elements"].as_array().cloned().unwrap_or_default();
    elements.iter().filter_map(|element| element["bits"].as_str().map(str::to_owned)).collect()
}

/// The exceptions of one build of which a finding says that they hang on leftovers.
fn not_compared(finding: &Value, role: &str) -> String {
    let notes = finding["notes"].as_array().cloned().unwrap_or_default();
    let notes = notes.iter().filter_map(Value::as_str).filter(|note| note.starts_with("Whether "));
    notes.filter(|note| note.contains(role)).collect()
}

#[test]
fn every_finding_holds_whatever_callers_leave_in_unused_lanes() {
    let bench = Bench::new(&[("vec3.c", VEC3), ("caller.c", CALLER)]);
    let compile = "clang-22 -g -shared -fPIC -O0 -o baseline.so vec3.c -lm && \
                   clang-22 -g -shared -fPIC -O3 -ffast-math -o variant.so vec3.c -lm && \
                   clang-22 -O2 -o caller caller.c -ldl -lm";
    bench.program("sh", &["-c", compile]).expect_code(0);
    // Libraries, because solvers take ten seconds for what search finds at once.
    let builds = ["diff", "baseline.so", "variant.so", "-f", "normalize"];
    let run = bench.labrys(&[&builds[..], &["--inputs", "finite", "--max-work", "20000", "--format", "json"]].concat());
    run.expect_code(1);
    let report = run.json();
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    assert!(!findings.is_empty(), "something holds");
    let mut arrived = false;
    for finding in &findings {
        let vector = bits(&finding["inputs"][0]);
        for observation in finding["observations"].as_array().into_iter().flatten().take(2) {
            let role = observation["role"].as_str().expect("a role");
            let (claimed, uncertain) = (flags(finding, role), not_compared(finding, role));
            let library = format!("./{role}.so");
            let seen = bench.program("./caller", &[&library, &vector[0], &vector[1], &vector[2]]);
            seen.expect_code(0);
            for line in seen.stdout.lines() {
                let words: Vec<&str> = line.split(' ').collect();
                let (result, raised) = words.split_at(3);
                let is_nan = |bits: &str| {
                    u32::from_str_radix(bits.trim_start_matches("0x"), 16)
                        .is_ok_and(|bits| f32::from_bits(bits).is_nan())
                };
                let alike = |(ours, theirs): (&&str, &String)| ours == theirs || is_nan(ours) && is_nan(theirs);
                if !result.iter().zip(&bits(&observation["result"])).all(alike) {
                    seen.fail(&format!("another result of {role}: {finding:#}"));
                }
                for exception in ["invalid", "divbyzero", "overflow", "underflow"] {
                    let (is_claimed, is_raised) =
                        (claimed.iter().any(|of| of == exception), raised.contains(&exception));
                    if is_claimed != is_raised && !uncertain.contains(exception) {
                        seen.fail(&format!("{role} and {exception}: {finding:#}"));
                    }
                    arrived |= is_claimed != is_raised;
                }
            }
        }
    }
    assert!(arrived, "the caller's numbers reach the function");
    let notes = report["notes"].to_string();
    assert!(notes.contains("left out, not the same on every run: "), "{notes}");
    assert!(notes.contains("subnormal numbers change the exceptions of"), "{notes}");
}
