//! Counts and permutations of bits of inputs are terms, equal to what the processor computes.

use std::process::Command;

use labrys_executor::ViolationKind;

use crate::support::run;

/// Each builtin beside a loop that looks at every bit. `check` is 0 where they agree.
const CHECK: &str = "
typedef unsigned long u64;
static int ones(u64 x) { int n = 0; for (int i = 0; i < 64; i++) n += x >> i & 1; return n; }
static int below(u64 x, int width) { int n = 0, on = 1; for (int i = 0; i < width; i++) { on &= !(x >> i & 1); n += on; } return n; }
static int above(u64 x, int width) { int n = 0, on = 1; for (int i = width - 1; i >= 0; i--) { on &= !(x >> i & 1); n += on; } return n; }
static u64 turned(u64 x, int width, int part) {
  u64 y = 0, mask = part == 8 ? 255 : 1;
  for (int i = 0; i < width; i += part) y |= (x >> i & mask) << (width - part - i);
  return y;
}
static int check(u64 x, unsigned by) {
  unsigned w = (unsigned)x;
  unsigned short h = (unsigned short)x;
  unsigned char b = (unsigned char)x;
  int bad = 0;
  bad |= __builtin_popcountl(x) != ones(x);
  bad |= (__builtin_popcount(w) != ones(w)) << 1;
  bad |= (__builtin_popcount(b) != ones(b)) << 2;
  bad |= (__builtin_parity(w) != ones(w) % 2) << 3;
  bad |= (__builtin_bitreverse8(b) != turned(b, 8, 1)) << 4;
  bad |= (__builtin_bitreverse16(h) != turned(h, 16, 1)) << 5;
  bad |= (__builtin_bitreverse32(w) != turned(w, 32, 1)) << 6;
  bad |= (__builtin_bitreverse64(x) != turned(x, 64, 1)) << 7;
  bad |= (__builtin_bswap16(h) != turned(h, 16, 8)) << 8;
  bad |= (__builtin_bswap32(w) != turned(w, 32, 8)) << 9;
  bad |= (__builtin_bswap64(x) != turned(x, 64, 8)) << 10;
  by &= 31;
  bad |= (__builtin_rotateleft32(w, by) != (w << by | w >> ((32 - by) & 31))) << 11;
  bad |= (__builtin_rotateright32(w, by) != (w >> by | w << ((32 - by) & 31))) << 12;
  if (w != 0) {
    bad |= (__builtin_ctz(w) != below(w, 32)) << 13;
    bad |= (__builtin_clz(w) != above(w, 32)) << 14;
    bad |= (__builtin_ctzl(x) != below(x, 64)) << 15;
    bad |= (__builtin_clzl(x) != above(x, 64)) << 16;
  }
  bad |= (__builtin_ffs(w) != (w ? below(w, 32) + 1 : 0)) << 17;
  return bad;
}
";

/// Terms that are for every one of 2^12 numbers what the loops are. Of all 2^64 sums of bits in different orders are hard to compare.
#[test]
fn counts_of_bits_are_terms_for_every_small_input() {
    for shift in [0, 26] {
        let outcome = run(&format!(
            "{CHECK}
int main(void) {{
  u64 x = (__VERIFIER_nondet_ulong() & 0xfff) << {shift};
  assert(check(x, __VERIFIER_nondet_uint()) == 0);
  return 0;
}}"
        ));
        assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{shift}: {outcome:?}");
        assert!(outcome.paths.completed > 0);
    }
}

/// The same of single large inputs, which the path's condition decides and not the program's text.
#[test]
fn counts_of_bits_are_terms_for_large_inputs() {
    for x in
        [u64::MAX, 1 << 63, 0x8000_0001_0000_0000, 0x0123_4567_89ab_cdef, 0xdead_beef_8000_0000, 0x5555_aaaa_0ff0_1001]
    {
        let outcome = run(&format!(
            "{CHECK}
int main(void) {{
  u64 x = __VERIFIER_nondet_ulong();
  unsigned by = __VERIFIER_nondet_uint();
  if (x != {x}ul || by != {}u) return 0;
  assert(check(x, by) == 0);
  return 0;
}}",
            x % 32
        ));
        assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{x:#x}: {outcome:?}");
    }
}

/// The loops, that the terms are compared with, are what the processor computes.
#[test]
fn counts_of_bits_are_the_processors() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("f.c");
    let text = format!(
        "{CHECK}
int main(void) {{
  u64 x = 88172645463325252ul;
  for (int i = 0; i < 200000; i++) {{
    x ^= x << 13; x ^= x >> 7; x ^= x << 17;
    u64 few = i % 3 == 0 ? 1ul << (i / 3 % 64) : i % 3 == 1 ? x & -x : x;
    if (check(few, i) || check(~few, i) || check(x >> (i % 64), i)) return 1;
  }}
  return check(0, 0) || check(~0ul, 31);
}}"
    );
    std::fs::write(&source, text).expect("a file");
    let program = folder.path().join("f");
    for level in ["-O0", "-O2"] {
        let built = Command::new("clang-22").args([level, "-w", "-o"]).arg(&program).arg(&source).status();
        assert!(built.expect("clang runs").success());
        assert!(Command::new(&program).status().expect("it runs").success(), "{level}");
    }
}

#[test]
fn an_input_with_so_many_bits_is_found() {
    let outcome = run("int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  if (__builtin_popcount(x) == 13 && __builtin_ctz(x) == 5 && __builtin_clz(x) == 9) reach_error();
  return 0;
}");
    let [violation] = outcome.violations.as_slice() else { panic!("{outcome:?}") };
    assert!(matches!(violation.kind, ViolationKind::ErrorReached(_)));
    let bytes: [u8; 4] = violation.input.objects[0].bytes.clone().try_into().expect("four bytes");
    let x = u32::from_le_bytes(bytes);
    assert_eq!((x.count_ones(), x.trailing_zeros(), x.leading_zeros()), (13, 5, 9));
}

/// The count of zeros of 0 is not defined, and processors differ: nothing is proved of what hangs on it.
#[test]
fn zeros_of_zero_are_not_defined() {
    let text = |guard: &str| {
        format!(
            "int main(void) {{
  unsigned x = __VERIFIER_nondet_uint();
  {guard}
  if (__builtin_ctz(x) < 32) return 0;
  return 1;
}}"
        )
    };
    let outcome = run(&text(""));
    assert!(!outcome.violations.is_empty() || !outcome.unexplored.is_empty(), "{outcome:?}");
    let outcome = run(&text("if (x == 0) return 0;"));
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{outcome:?}");
}
