//! Calls of functions without shadows: C's types for those of the IR, where calling conventions make them the same.
//!
//! Scalars are themselves. A pair of words (doubles, integers of 64 bits, addresses) is a struct of two members as a result, as
//! LLVM and C both return it in two registers. A vector of two floats or doubles is one. Everything else is refused.

use labrys_program::Type;

use crate::error::Reason;
use crate::kind::{Kind, Own, Place};

/// A value that code without shadows made.
pub(crate) fn taken(kind: Kind, value: &str, is_known: bool) -> String {
    match kind {
        Kind::Float(own) if is_known => format!("{}({value})", own.function("exact")),
        Kind::Float(own) => format!("{}({value})", own.function("foreign")),
        Kind::Int(bits) => format!("(u{bits})({value})"),
        Kind::Pointer => value.to_owned(),
    }
}

/// How a function without shadows is called: C's types for those of the IR, where calling conventions make them the same.
pub(crate) struct Foreign {
    pub(crate) result: String,
    pub(crate) parameters: String,
    /// The scalars of the result.
    pub(crate) results: Vec<Place>,
    is_vector: bool,
    /// Kinds of each argument's scalars, and its C type where it is a vector.
    pub(crate) arguments: Vec<(Vec<Kind>, Option<String>)>,
}

impl Foreign {
    pub(crate) fn of(types: &[Type], result: &Type, fixed: Option<usize>) -> Result<Foreign, Reason> {
        let mut arguments = Vec::new();
        let mut formal: Vec<String> = Vec::new();
        for (index, ty) in types.iter().enumerate() {
            let kinds: Vec<Kind> = crate::kind::scalars(ty)?.iter().map(|place| place.kind).collect();
            let vector = vector_type(ty)?;
            if fixed.is_none_or(|fixed| index < fixed) {
                match &vector {
                    Some(vector) => formal.push(vector.clone()),
                    None => {
                        for kind in &kinds {
                            formal.push(kind.c_abi()?.to_owned());
                        }
                    }
                }
            }
            arguments.push((kinds, vector));
        }
        if fixed.is_some() {
            formal.push("...".to_owned());
        }
        let parameters = if formal.is_empty() { "void".to_owned() } else { formal.join(", ") };
        let results = crate::kind::scalars(result)?;
        let vector = vector_type(result)?;
        let is_vector = vector.is_some();
        let text = match (vector, results.as_slice()) {
            (Some(vector), _) => vector,
            (None, []) => "void".to_owned(),
            (None, [place]) => place.kind.c_abi()?.to_owned(),
            (None, [a, b]) if [a, b].iter().all(|place| is_word(place.kind)) => {
                // A struct without a tag would be another type in each declaration.
                format!("struct S_{}_{}", short(a.kind), short(b.kind))
            }
            _ => return Err("a call with a struct as its result".into()),
        };
        Ok(Foreign { result: text, parameters, results, is_vector, arguments })
    }

    /// The arguments as the function takes them.
    pub(crate) fn actual(&self, variables: &[Vec<String>]) -> String {
        let mut actual = Vec::new();
        for ((kinds, vector), scalars) in self.arguments.iter().zip(variables) {
            let values: Vec<String> = kinds.iter().zip(scalars).map(|(kind, scalar)| kind.to_abi(scalar)).collect();
            match vector {
                Some(vector) => actual.push(format!("({vector}){{ {} }}", values.join(", "))),
                // Variable arguments have no type that would convert them.
                None => actual.extend(kinds.iter().zip(values).map(|(kind, value)| match kind {
                    Kind::Int(_) => format!("({}){value}", kind.c_abi().unwrap_or("uint64_t")),
                    _ => value,
                })),
            }
        }
        actual.join(", ")
    }

    /// The scalars of a result in a variable.
    pub(crate) fn members(&self, variable: &str) -> Vec<(Kind, String)> {
        let name = |i: usize| if self.is_vector { format!("{variable}[{i}]") } else { format!("{variable}.m{i}") };
        self.results.iter().enumerate().map(|(i, place)| (place.kind, name(i))).collect()
    }
}

/// The C type of vectors that travel in one register.
fn vector_type(ty: &Type) -> Result<Option<String>, Reason> {
    let Type::Vector(element, count) = ty else { return Ok(None) };
    match (Kind::of(element)?, count) {
        (Kind::Float(Own::Single), 2) => Ok(Some("V2F".to_owned())),
        (Kind::Float(Own::Double), 2) => Ok(Some("V2D".to_owned())),
        _ => Err("a call with a vector".into()),
    }
}

/// Whether a member of a struct of two travels in a register of its own.
fn is_word(kind: Kind) -> bool {
    matches!(kind, Kind::Float(Own::Double) | Kind::Int(64) | Kind::Pointer)
}

fn short(kind: Kind) -> &'static str {
    match kind {
        Kind::Float(_) => "d",
        Kind::Int(_) => "l",
        Kind::Pointer => "p",
    }
}

/// The types of results of two members and of vectors.
pub(crate) fn types() -> String {
    let types = [("double", "d"), ("uint64_t", "l"), ("P", "p")];
    let mut text = String::from(
        "typedef float V2F __attribute__((vector_size(8)));\ntypedef double V2D __attribute__((vector_size(16)));\n",
    );
    for (first, a) in types {
        for (second, b) in types {
            text.push_str(&format!("struct S_{a}_{b} {{ {first} m0; {second} m1; }};\n"));
        }
    }
    text
}
