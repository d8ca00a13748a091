//! A procedure that calls a module procedure of Fortran: arrays of assumed shape become arrays of explicit shape, results that are no
//! scalars an output.
//!
//! What the procedure takes stands in the module's file, which flang writes: Fortran in a form of its own, a declaration a line, with kinds as numbers.

use std::fmt::Write as _;
use std::path::Path;

use super::extents::{Count, count};
use super::{Glue, outer_parts};
use crate::FunctionInfo;
use crate::dwarf::{DEFAULT_CAPACITY, MAX_LENGTH};

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
    let length = LENGTHS.iter().find(|name| !interface.mentions(name)).ok_or("all names for a length are taken")?;
    let has_matrix = interface.declarations.iter().any(|(_, of)| of.assumed().is_some_and(|rank| rank > 1));
    let mut shapes = interface.shapes(said, if has_matrix { None } else { Some(*length) })?;
    let (result, mut lengths) = (interface.result(), Vec::new());
    if let Some((result, shape)) = result.and_then(|result| Some((result, result.shape.as_deref()?))) {
        result.must_be_drivable("the result")?;
        let counted = interface.result_length(shape, (&shapes, length), said).or_else(|| {
            shapes = interface.shapes(said, None).ok()?;
            interface.result_length(shape, (&shapes, length), said)
        });
        lengths.push(counted.ok_or_else(|| {
            format!(
                "its result has the dimensions {shape}, which are not as many elements as one of its arguments says"
            )
        })?);
    }
    let needs_length = shapes.iter().any(|shape| shape.follows);
    let (mut declared, mut types) = (String::new(), Vec::new());
    for (argument, shape) in interface.arguments.iter().zip(&shapes) {
        let declaration = interface.of(argument).ok_or_else(|| format!("{argument} is not declared"))?;
        declaration.must_be_drivable(argument)?;
        types.extend(declaration.derived());
        if shape.follows && length_of(said, argument).is_none() {
            lengths.push(format!("{argument}={length}"));
        }
        declared.push_str(&declaration.text(argument, shape.dimensions.as_deref()));
    }
    let mut arguments = interface.arguments.clone();
    if needs_length {
        arguments.push((*length).to_owned());
        declared.insert_str(0, &format!("  integer(4), intent(in) :: {length}\n"));
    }
    let call = format!("labrys_target({})", interface.arguments.join(", "));
    let (kind, call) = match result {
        None if interface.is_function => return Err("its result is not declared".to_owned()),
        None => ("subroutine", format!("call {call}")),
        Some(result) => {
            result.must_be_drivable("the result")?;
            types.extend(result.derived());
            let is_value = result.shape.is_none() && result.derived().is_none();
            if !is_value {
                arguments.push(RESULT.to_owned());
            }
            let attributes = if is_value { Vec::new() } else { vec!["intent(out)".to_owned()] };
            let as_declared = Declaration { attributes, ..result.clone() };
            declared.push_str(&as_declared.text(RESULT, result.shape.as_deref()));
            (if is_value { "function" } else { "subroutine" }, format!("{RESULT} = {call}"))
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
    let has_assumed = interface.arguments.iter().filter_map(|name| interface.of(name)).any(|of| of.assumed().is_some());
    let what = match (needs_length, has_assumed) {
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

/// What a caller calls a result that is an output.
const RESULT: &str = "labrys_result";

/// The dimensions of an argument in its caller.
struct Shape {
    dimensions: Option<String>,
    /// Whether it has as many elements as the common length says.
    follows: bool,
}

/// What `--length` says of an argument.
fn length_of<'s>(said: &'s [String], argument: &str) -> Option<&'s str> {
    said.iter()
        .find_map(|text| text.split_once('=').filter(|(name, _)| name.trim() == argument))
        .map(|(_, of)| of.trim())
}

impl Interface {
    fn of(&self, name: &str) -> Option<&Declaration> {
        self.declarations.iter().find(|(known, _)| known == name).map(|(_, of)| of)
    }

    /// Whether a name is declared, or stands in an array's bounds, where it may be a variable of the module.
    fn mentions(&self, name: &str) -> bool {
        let is_word =
            |shape: &str| shape.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name);
        self.declarations.iter().any(|(known, of)| known == name || of.shape.as_deref().is_some_and(is_word))
    }

    fn result(&self) -> Option<&Declaration> {
        self.of(&self.result).filter(|_| self.is_function)
    }

    /// The dimensions of the arguments: those of assumed shape have the common length, if there is one, where `--length` says nothing else.
    fn shapes(&self, said: &[String], common: Option<&str>) -> Result<Vec<Shape>, String> {
        let of = |argument: &String| {
            let declaration = self.of(argument).ok_or_else(|| format!("{argument} is not declared"))?;
            let Some(rank) = declaration.assumed() else {
                return Ok(Shape { dimensions: declaration.shape.clone(), follows: false });
            };
            let fixed = length_of(said, argument).and_then(|length| length.parse::<u64>().ok());
            let extent = match (fixed, common) {
                (Some(count), _) => root(count, rank)
                    .ok_or_else(|| format!("{argument} has {rank} equal dimensions, which do not make {count}"))?
                    .to_string(),
                (None, Some(common)) => common.to_owned(),
                (None, None) => EXTENT.to_string(),
            };
            let follows = fixed.is_none() && common.is_some();
            Ok(Shape { dimensions: Some(declaration.dimensions(&extent)), follows })
        };
        self.arguments.iter().map(of).collect()
    }

    /// How long a result of these dimensions is, as `--length` takes it; `None` where no single integer says so.
    fn result_length(&self, shape: &str, (shapes, length): (&[Shape], &str), said: &[String]) -> Option<String> {
        let dimensions = |name: &str| {
            let index = self.arguments.iter().position(|argument| argument == name)?;
            shapes[index].dimensions.clone()
        };
        // What is said of arguments is how great their length becomes.
        let greatest = |of: &str| of.split_once(':').and_then(|(_, max)| max.trim().parse().ok());
        let greatest = self.arguments.iter().filter_map(|name| length_of(said, name)).filter_map(greatest).max();
        let max = greatest.map(|max: u64| format!(":{max}")).unwrap_or_default();
        let greatest = greatest.unwrap_or(DEFAULT_CAPACITY).min(MAX_LENGTH);
        let integer = |name: &&String| {
            self.of(name.as_str()).is_some_and(|of| of.ty.starts_with("integer(") && of.shape.is_none())
        };
        let integers = self.arguments.iter().filter(integer).map(String::as_str);
        integers.chain([length]).find_map(|name| {
            Some(match count(shape, &dimensions, (name, greatest))? {
                Count::Fixed(0) => return None,
                Count::Fixed(count) => format!("{RESULT}={count}"),
                Count::Variable(0) => format!("{RESULT}={name}{max}"),
                Count::Variable(beyond) => format!("{RESULT}={name}+{beyond}{max}"),
            })
        })
    }
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
    // Behind `=` a value is given; bounds name arguments of functions so, within parentheses.
    let mut depth = 0;
    let end = right.char_indices().find(|(_, c)| {
        depth += i32::from(*c == '(') - i32::from(*c == ')');
        *c == '=' && depth == 0
    });
    let entity = right[..end.map_or(right.len(), |(at, _)| at)].trim();
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
        function solved(a,b) result(x)\nreal(8),intent(in)::a(:)\nreal(8),intent(in)::b(:)\n\
        real(8)::x(1_8:size(b,dim=1,kind=8))\nend\n\
        function twice(v) result(x)\nreal(8),intent(in)::v(:)\n\
        real(8)::x(1_8:int(2_4*int(size(v,dim=1,kind=8),kind=4)+1_4,kind=8))\nend\n\
        function product(a,b) result(x)\nreal(8),intent(in)::a(:,:)\nreal(8),intent(in)::b(:,:)\n\
        real(8)::x(1_8:size(a,dim=1,kind=8),1_8:size(b,dim=2,kind=8))\nend\n\
        function filled(k,v) result(x)\ninteger(4),intent(in)::k\nreal(8),intent(in)::v\nreal(8)::x(0_8:int(k,kind=8))\nend\n\
        function global(v) result(x)\nreal(8),intent(in)::v(:)\nreal(8)::x(1_8:int(n,kind=8))\nend\n\
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
    fn results_have_as_many_elements_as_their_bounds_say() {
        let of = |name: &str, said: &[&str]| made(name, said).unwrap();
        let glue = of("solved", &[]);
        assert_eq!(glue.lengths, ["labrys_result=n", "a=n", "b=n"]);
        let shape =
            "real(8), intent(out) :: labrys_result(1_8:size(b,dim=1,kind=8))\n  labrys_result = labrys_target(a, b)\n";
        assert!(glue.text.starts_with("! Made") && glue.text.contains(shape), "{}", glue.text);
        assert_eq!(of("solved", &["b=5"]).lengths, ["labrys_result=5", "a=n"]);
        assert_eq!(of("solved", &["b=n:32"]).lengths, ["labrys_result=n:32", "a=n"]);
        // No length of the driver's is twice another: all are fixed.
        let glue = of("twice", &[]);
        assert_eq!(glue.lengths, ["labrys_result=7"]);
        assert!(glue.text.contains(":: v(3)") && glue.remark.contains("3 elements"), "{}", glue.text);
        assert_eq!(of("product", &["a=4"]).lengths, ["labrys_result=6"]);
        assert_eq!(of("filled", &[]).lengths, ["labrys_result=k+1"]);
        let refused = made("global", &[]).unwrap_err();
        assert_eq!(
            refused,
            "its result has the dimensions 1_8:int(n,kind=8), which are not as many elements as one of its arguments says"
        );
    }

    #[test]
    fn what_no_caller_can_make_is_told() {
        assert_eq!(made("named", &[]).unwrap_err(), "s is character(*,1)");
        assert_eq!(made("held", &[]).unwrap_err(), "a is allocatable");
        assert!(made("apply", &["a=5"]).unwrap_err().contains("do not make 5"));
        assert!(interface(MODULE, "nothing").is_none());
    }
}
