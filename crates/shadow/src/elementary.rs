//! Shadows of libm's elementary functions: glibc's functions on binary128, and exp on double words ([`crate::exponential`]).
//!
//! **Claim.** Where neither operand nor result is near the limits of doubles, the shadow of f(x) is within 2^−95 of f at the
//! shadow of x, relative to it. **Argument.** A double word converts to binary128 with an error of 2^−113 at most, and mostly
//! none; glibc's functions have errors of a few ulps there (its manual, "Known Maximum Errors in Math Functions"), and a
//! binary128 number is a double word but for seven bits at most. Every function is tested against MPFR. **What it may
//! miss.** Where a function multiplies its operand's relative error (sin near multiples of π, tan, lgamma and the Bessel
//! functions near their zeros), what the operand's shadow was off shows in the result as anywhere else, and glibc's Bessel
//! functions and lgamma are themselves exact only absolutely near their zeros.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use labrys_elementary::Function;

use crate::exponential;

/// The definitions of the shadows of functions.
pub(crate) fn text(functions: &BTreeSet<Function>) -> String {
    let mut text = String::new();
    for &function in functions {
        let name = function.name();
        // lgamma writes the sign of gamma to a global, which is the program's.
        let (symbol, more, argument) = match function {
            Function::Lgamma => ("lgammaf128_r".to_owned(), ", int *", ", &sign"),
            _ => (format!("{name}f128"), "", ""),
        };
        let sign = if more.is_empty() { "" } else { "int sign; " };
        let (parameters, formal, actual) = match function.arity() {
            1 => ("Q", "W a", "quad_of(a)"),
            _ => ("Q, Q", "W a, W b", "quad_of(a), quad_of(b)"),
        };
        let _ = writeln!(text, "extern Q quad_{name}({parameters}{more}) __asm__({symbol:?});");
        if function == Function::Exp {
            text.push_str(&exponential::text());
            continue;
        }
        let _ = writeln!(
            text,
            "APART W word_{name}({formal}) {{ {sign}return word_of_quad(quad_{name}({actual}{argument})); }}"
        );
    }
    text
}
