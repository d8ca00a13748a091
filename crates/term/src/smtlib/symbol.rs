//! Names: which need quoting, and what variables are called in a script.

use rustc_hash::FxHashMap;

use crate::sexpr::written;
use crate::{Store, VariableId};

/// Words that SMT-LIB 2.6 reserves (section 3.1). Between bars they are symbols, but not to z3.
const RESERVED: [&str; 29] = [
    "!",
    "_",
    "as",
    "BINARY",
    "DECIMAL",
    "exists",
    "HEXADECIMAL",
    "forall",
    "let",
    "match",
    "NUMERAL",
    "par",
    "STRING",
    "assert",
    "check-sat",
    "declare-const",
    "declare-fun",
    "define-fun",
    "define-sort",
    "echo",
    "exit",
    "get-model",
    "get-value",
    "pop",
    "push",
    "reset",
    "set-info",
    "set-logic",
    "set-option",
];

/// Functions and constants of the theories, and z3's own: taken, with and without bars.
const TAKEN: [&str; 81] = [
    "true",
    "false",
    "not",
    "and",
    "or",
    "xor",
    "=>",
    "=",
    "distinct",
    "ite",
    "concat",
    "extract",
    "bvnot",
    "bvneg",
    "bvand",
    "bvor",
    "bvxor",
    "bvnand",
    "bvnor",
    "bvxnor",
    "bvadd",
    "bvsub",
    "bvmul",
    "bvudiv",
    "bvurem",
    "bvsdiv",
    "bvsrem",
    "bvsmod",
    "bvshl",
    "bvlshr",
    "bvashr",
    "bvult",
    "bvule",
    "bvslt",
    "bvsle",
    "bvcomp",
    "repeat",
    "rotate_left",
    "rotate_right",
    "zero_extend",
    "sign_extend",
    "fp",
    "NaN",
    "RNE",
    "RNA",
    "RTP",
    "RTN",
    "RTZ",
    "to_fp",
    "to_fp_unsigned",
    "+",
    "-",
    "*",
    "/",
    "<",
    "<=",
    ">",
    ">=",
    "^",
    "abs",
    "div",
    "mod",
    "rem",
    "to_real",
    "to_int",
    "is_int",
    "select",
    "store",
    "const",
    "pi",
    "euler",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "if",
    "iff",
    "implies",
    "map",
];

/// A variable's name in scripts, unquoted: its own where that is free and can be quoted.
///
/// Names that begin with `k!` are replaced, those being the replacements', and those with `t!`, the subterms'.
pub(super) fn plain_symbol(store: &Store, variable: VariableId) -> String {
    let (name, _) = store.variable_info(variable);
    let unquotable =
        name.is_empty() || name.contains(['|', '\\']) || name.chars().any(|c| !c.is_ascii() || c.is_ascii_control());
    let reserved = ["k!", "t!", "fp.", "."].iter().any(|prefix| name.starts_with(prefix)) || name.starts_with('@');
    if unquotable || reserved || TAKEN.contains(&name) || RESERVED.contains(&name) {
        format!("k!{}", variable.index())
    } else {
        name.to_owned()
    }
}

/// A variable's name in scripts, quoted where it must be.
pub fn symbol(store: &Store, variable: VariableId) -> String {
    written(&plain_symbol(store, variable))
}

/// The variables by their unquoted names in scripts.
pub(super) fn symbols(store: &Store) -> FxHashMap<String, VariableId> {
    store.variables().map(|variable| (plain_symbol(store, variable), variable)).collect()
}
