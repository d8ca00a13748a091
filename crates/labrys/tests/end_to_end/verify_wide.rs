//! `labrys verify` on `_BitInt(256)`: errors that UndefinedBehaviorSanitizer cannot print, and a proof.

use crate::harness::Bench;

const WIDE: &str = "\
#include <assert.h>
#include <verifier.h>
typedef _BitInt(256) s256;
typedef unsigned _BitInt(256) u256;
int main(void) {
  s256 a = __VERIFIER_nondet_int();
  s256 b = a * 3;
  assert(b - a == a + a);
  if (a == 77) return (int)(((s256)1 << 254) + ((s256)1 << 253) + (b << 246));
  if (a == 78) return (int)((u256)5 / (u256)(a - 78));
  if (a == 79) return (int)((u256)5 << (b + 100));
  return 0;
}
";

#[test]
fn errors_of_wide_integers_are_shown_at_their_lines() {
    let right = WIDE.replace("a == 77", "a == 17").replace("a - 78", "a + 78").replace("+ 100", "+ 1");
    let bench = Bench::new(&[("wrong.c", WIDE), ("right.c", &right)]);
    let properties = ["--property", "assertions,division,shift,overflow", "--format", "json"];
    let run = bench.labrys(&[&["verify", "wrong.c"], &properties[..]].concat());
    run.expect_code(1);
    for (kind, line) in [("overflow", 9), ("division-by-zero", 10), ("shift", 11)] {
        let finding = run.finding(kind, |finding| finding["kind"] == kind);
        assert_eq!(finding["line"], line, "{finding:#}");
    }
    bench.labrys(&[&["verify", "right.c"], &properties[..]].concat()).expect_code(0);
}
