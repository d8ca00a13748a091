//! Which flags give a compiler licence to change floating-point results.

/// Flags that weaken floating-point semantics in clang, gcc or flang, spelled without `-f` or `-fno-`. Both forms go: the
/// default without them is the strict one.
const FAST: [&str; 24] = [
    "fast-math",
    "unsafe-math-optimizations",
    "associative-math",
    "reciprocal-math",
    "finite-math-only",
    "signed-zeros",
    "trapping-math",
    "honor-nans",
    "honor-infinities",
    "honor-nans-and-infinities",
    "math-errno",
    "approx-func",
    "cx-limited-range",
    "cx-fortran-rules",
    "rounding-math",
    "signaling-nans",
    "reassociate",
    "strict-float-cast-overflow",
    "fp-int-builtin-inexact",
    "protect-parens",
    "unsafe-fp-math",
    "fp-reciprocal",
    "relaxed-math",
    "daz-ftz",
];

/// Flags with a value that weaken floating-point semantics.
const FAST_PREFIXES: [&str; 13] = [
    "-ffp-model=",
    "-ffp-contract=",
    "-mrecip",
    "-fdenormal-fp-math",
    "-fveclib=",
    "-mveclibabi=",
    "-fcomplex-arithmetic=",
    "-ffp-accuracy=",
    // The precision of what is between operations.
    "-ffp-eval-method=",
    "-fexcess-precision=",
    "-mfpmath=",
    "-mpc32",
    "-mpc64",
];

/// Whether a C, C++ or Fortran flag weakens floating-point semantics.
pub(super) fn is_fast(flag: &str) -> bool {
    if FAST_PREFIXES.iter().any(|prefix| flag.starts_with(prefix)) {
        // Strict models are not weakenings; the control's -ffp-contract=off comes after them.
        return !matches!(flag, "-ffp-model=strict" | "-fexcess-precision=standard");
    }
    // `-frounding-math` and `-fsignaling-nans` are the strict forms of their flags.
    if matches!(flag, "-frounding-math" | "-fsignaling-nans") {
        return false;
    }
    let name = ["-fno-", "-f", "-mno-", "-m", "-menable-", "-enable-", "--enable-"].iter().find_map(|prefix| {
        flag.strip_prefix(prefix).filter(|name| FAST.contains(&name.split('=').next().unwrap_or("")))
    });
    name.is_some() || flag == "-cl-fast-relaxed-math"
}
