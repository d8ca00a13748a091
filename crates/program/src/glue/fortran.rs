//! A procedure that calls a module procedure of Fortran: arrays of assumed shape become arrays of explicit shape, results that are no
//! scalars an output.
//!
//! What the procedure takes stands in the module's file, which flang writes: Fortran in a form of its own, a declaration a line, with kinds as numbers.

use std::fmt::Write as _;
use std::path::Path;

use super::{Glue, outer_parts};
use crate::FunctionInfo;

/// The extent of arrays of several dimensions, and of those beside them.
const EXTENT: u64 = 3;

/// Names for the parameter that says how long arrays of one dimension are.
const LENGTHS: [&str; 5] = ["n", "nelem", "nelems", "num", "dim"];

/// A variable's declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Declaration {
    /// `real(8)`, `type(point)`.
    ty: String,
    /// `intent(in)`, `value`.
    attributes: Vec<String>,
    /// What stands between the parentheses behind the name: the dimensions.
    shape: Option<String>,
}

/// A procedure's interface.
#[derive(Debug)]
struct Interface {
    is_function: bool,
    arguments: Vec<String>,
    /// The result's name.
    result: String,
    declarations: Vec<(String, Declaration)>,
}

/// The caller of a module procedure whose module's file is in `folder`; `said` is what `--length` says, so far.
///
/// # Errors
///
/// A sentence why there is none.
pub fn fortran_caller(folder: &Path, function: &FunctionInfo, said: &[String]) -> Result<Glue, String> {
    let mut path = function.qualified.split('%');
    let (Some(module), Some(name), None) = (path.next(), path.next(), path.next()) else {
        return Err("it is no procedure of a module, whose interface could be read".to_owned());
    };
    let file = folder.join(format!("{module}.mod"));
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{module}.mod cannot be read: {error}"))?;
    let interface = interface(&text, name).ok_or_else(|| format!("{module}.mod does not say what {name} takes"))?;
    caller(&interface, module, name, said)
}

fn caller(interface: &Interface, module: &str, name: &str, said: &[String]) -> Result<Glue, String> {
    let of = |name: &str| interface.declarations.iter().find(|(known, _)| known == name).map(|(_, of)| of);
    let has_matrix = interface.declarations.iter().any(|(_, of)| of.assumed().is_some_and(|rank| rank > 1));
    let length = LENGTHS.iter().find(|name| of(name).is_none()).ok_or("all names for a length are taken")?;
    let (mut declared, mut types, mut lengths) = (String::new(), Vec::new(), Vec::new());
    let mut needs_length = false;
    for argument in &interface.arguments {
        let declaration = of(argument).ok_or_else(|| format!("{argument} is not declared"))?;
        declaration.must_be_drivable(argument)?;
        types.extend(declaration.derived());
        let shape = match declaration.assumed() {
            None => declaration.shape.clone(),
            Some(rank) => {
                let said =
                    said.iter().find_map(|text| text.split_once('=').filter(|(name, _)| name.trim() == argument));
                let fixed = said.and_then(|(_, length)| length.trim().parse::<u64>().ok());
                let extent = match fixed {
                    Some(count) => root(count, rank)
                        .ok_or_else(|| format!("{argument} has {rank} equal dimensions, which do not make {count}"))?
                        .to_string(),
                    None if has_matrix => EXTENT.to_string(),
                    None => {
                        needs_length = true;
                        if said.is_none() {
                            lengths.push(format!("{argument}={length}"));
                        }
                        (*length).to_owned()
                    }
                };
                Some(declaration.dimensions(&extent))
            }
        };
        declared.push_str(&declaration.text(argument, shape.as_deref()));
    }
    let mut arguments = interface.arguments.clone();
    if needs_length {
        arguments.push((*length).to_owned());
        declared.insert_str(0, &format!("  integer(4), intent(in) :: {length}\n"));
    }
    let call = format!("labrys_target({})", interface.arguments.join(", "));
    let result = of(&interface.result).filter(|_| interface.is_function);
    let (kind, call) = match result {
        None => ("subroutine", format!("call {call}")),
        Some(result) => {
            result.must_be_drivable("the result")?;
            types.extend(result.derived());
            let is_value = result.shape.is_none() && result.derived().is_none();
            if !is_value {
                arguments.push("labrys_result".to_owned());
            }
            let attributes = if is_value { Vec::new() } else { vec!["intent(out)".to_owned()] };
            let as_declared = Declaration { attributes, ..result.clone() };
            declared.push_str(&as_declared.text("labrys_result", result.shape.as_deref()));
            (if is_value { "function" } else { "subroutine" }, format!("labrys_result = {call}"))
        }
    };
    types.sort_unstable();
    types.dedup();
    let only: String = types.iter().map(|ty| format!(", {ty}")).collect();
    let ending = if kind == "function" { " result(labrys_result)" } else { "" };
    let mut text = String::new();
    let _ = write!(
        text,
        "! Made by labrys: calls {name} of the module {module} with arrays of explicit shape.\n\
         {kind} {name}({}){ending}\n  use {module}, only: labrys_target => {name}{only}\n  implicit none\n{declared}  {call}\nend {kind}\n",
        arguments.join(", &\n    ")
    );
    let what = match (needs_length, has_matrix) {
        (true, _) => format!("arrays of assumed shape have {length} elements"),
        (false, true) => format!(
            "arrays of assumed shape have {EXTENT} elements in each dimension where --length does not say otherwise"
        ),
        (false, false) => "its result is an output".to_owned(),
    };
    let remark = format!(
        "{name} of the module {module} is called by a procedure that was made for it, with its own compiler: {what}"
    );
    Ok(Glue { text, suffix: "f90", includes_source: false, symbol: format!("{name}_"), lengths, remark })
}

/// The whole number whose power of that rank is the count.
fn root(count: u64, rank: u32) -> Option<u64> {
    (1..=count.min(1 << 20))
        .take_while(|side| side.checked_pow(rank).is_some_and(|power| power <= count))
        .find(|side| side.pow(rank) == count)
}

impl Declaration {
    /// How many dimensions an array of assumed shape has.
    fn assumed(&self) -> Option<u32> {
        let dimensions: Vec<&str> = self.shape.as_deref()?.split(',').collect();
        let is_open = dimensions.iter().all(|dimension| dimension.ends_with(':'));
        is_open.then_some(dimensions.len() as u32)
    }

    /// The dimensions with an extent each, from the lower bounds that are declared.
    fn dimensions(&self, extent: &str) -> String {
        let lower = |dimension: &str| match dimension.strip_suffix(':') {
            Some("") | None => extent.to_owned(),
            Some(bound) => format!("{bound}:{bound} + {extent} - 1"),
        };
        self.shape.as_deref().unwrap_or_default().split(',').map(lower).collect::<Vec<_>>().join(", ")
    }

    /// The name of a derived type.
    fn derived(&self) -> Option<&str> {
        self.ty.strip_prefix("type(").and_then(|rest| rest.strip_suffix(')'))
    }

    fn must_be_drivable(&self, name: &str) -> Result<(), String> {
        let known = ["real(", "integer(", "logical(", "complex(", "type("];
        let other = ["allocatable", "pointer", "dimension", "codimension"];
        if !known.iter().any(|beginning| self.ty.starts_with(beginning)) || self.ty.matches('(').count() > 1 {
            return Err(format!("{name} is {}", self.ty));
        }
        match self.attributes.iter().find(|attribute| other.iter().any(|other| attribute.starts_with(other))) {
            Some(attribute) => Err(format!("{name} is {attribute}")),
            None if self.shape.as_deref().is_some_and(|shape| shape.contains("..")) => {
                Err(format!("{name} is of any rank"))
            }
            None => Ok(()),
        }
    }

    /// The declaration of a name, of this shape.
    fn text(&self, name: &str, shape: Option<&str>) -> String {
        // The caller gives every argument.
        let kept = self
            .attributes
            .iter()
            .filter(|attribute| *attribute != "optional" && *attribute != "contiguous" && *attribute != "target");
        let attributes: String = kept.map(|attribute| format!(", {attribute}")).collect();
        let shape = shape.map(|shape| format!("({shape})")).unwrap_or_default();
        format!("  {}{attributes} :: {name}{shape}\n", self.ty)
    }
}

/// The interface of a procedure, as a module's file has it.
fn interface(text: &str, name: &str) -> Option<Interface> {
    let joined = text.replace("&\r\n&", "").replace("&\n&", "");
    let mut lines = joined.lines().map(str::trim);
    let (is_function, head) = lines.by_ref().find_map(|line| {
        let (kind, rest) = ["function ", "subroutine "].iter().find_map(|kind| {
            let at = line.find(kind)?;
            let before = &line[..at];
            (before.is_empty() || before.ends_with(' ')).then(|| (*kind, &line[at + kind.len()..]))
        })?;
        let of = rest.split(['(', ' ']).next()?;
        (of == name).then(|| (kind == "function ", rest.to_owned()))
    })?;
    let (listed, after) = head.split_once('(').and_then(|(_, rest)| rest.split_once(')')).unwrap_or(("", ""));
    let arguments =
        listed.split(',').map(str::trim).filter(|argument| !argument.is_empty()).map(str::to_owned).collect();
    let result = after.split_once("result(").and_then(|(_, rest)| rest.split(')').next()).unwrap_or(name).to_owned();
    let declarations =
        lines.take_while(|line| *line != "end" && !line.starts_with("end ")).filter_map(declaration).collect();
    Some(Interface { is_function, arguments, result, declarations })
}

/// A line `real(8),intent(in)::v(:)`.
fn declaration(line: &str) -> Option<(String, Declaration)> {
    let (left, right) = line.split_once("::")?;
    let mut parts = outer_parts(left, ['('], [')']).into_iter();
    let ty = parts.next()?;
    let entity = right.split('=').next()?.trim();
    let (name, shape) = match entity.split_once('(') {
        Some((name, rest)) => (name, Some(rest.strip_suffix(')')?.to_owned())),
        None => (entity, None),
    };
    Some((name.to_owned(), Declaration { ty, attributes: parts.collect(), shape }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "\u{feff}!mod$ v1 sum:0\nmodule stats\ntype::point\nreal(8)::x\nend type\ncontains\n\
        pure function mean(v,&\n&k)\nreal(8),intent(in)::v(:)\ninteger(4),intent(in),optional::k\nreal(8)::mean\nend\n\
        function mid(p) result(r)\ntype(point),intent(in)::p\ntype(point)::r\nend\n\
        subroutine apply(a,v)\nreal(8),intent(in)::a(:,:)\nreal(8),intent(inout)::v(0_8:)\nend\n\
        subroutine named(s)\ncharacter(*,1)::s\nend\nsubroutine held(a)\nreal(8),allocatable::a(:)\nend\nend\n";

    fn made(name: &str, said: &[&str]) -> Result<Glue, String> {
        let said: Vec<String> = said.iter().map(|text| (*text).to_owned()).collect();
        caller(&interface(MODULE, name).expect("an interface"), "stats", name, &said)
    }

    #[test]
    fn arrays_and_results_get_what_a_caller_has() {
        let glue = made("mean", &[]).unwrap();
        assert_eq!(glue.lengths, ["v=n"]);
        assert!(glue.text.contains("function mean(v, &\n    k, &\n    n) result(labrys_result)"), "{}", glue.text);
        assert!(glue.text.contains("  real(8), intent(in) :: v(n)\n  integer(4), intent(in) :: k\n"), "{}", glue.text);
        let glue = made("mean", &["v=5"]).unwrap();
        assert!(glue.lengths.is_empty() && glue.text.contains("v(5)"), "{}", glue.text);
        let glue = made("mid", &[]).unwrap();
        assert!(glue.text.contains("only: labrys_target => mid, point\n"), "{}", glue.text);
        assert!(glue.text.contains("type(point), intent(out) :: labrys_result\n"), "{}", glue.text);
        let glue = made("apply", &["a=4"]).unwrap();
        assert!(glue.text.contains("a(2, 2)") && glue.text.contains("v(0_8:0_8 + 3 - 1)"), "{}", glue.text);
    }

    #[test]
    fn what_no_caller_can_make_is_told() {
        assert_eq!(made("named", &[]).unwrap_err(), "s is character(*,1)");
        assert_eq!(made("held", &[]).unwrap_err(), "a is allocatable");
        assert!(made("apply", &["a=5"]).unwrap_err().contains("do not make 5"));
        assert!(interface(MODULE, "nothing").is_none());
    }
}
