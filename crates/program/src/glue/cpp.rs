//! Functions of C++ that make the arguments of another: vectors and spans of memory, objects by their constructors.

use std::fmt::Write as _;
use std::path::Path;

use super::{Glue, outer_parts};
use crate::FunctionInfo;
use crate::dwarf::{cpp_call, scoped_name};

/// The namespace of what is made.
const NAMESPACE: &str = "labrys_call";

/// Elements of a vector that a function returns which are observed.
const OBSERVED: u64 = 8;

/// What is written once in each file.
const PROLOGUE: &str = "\
#include <cstddef>
#include <tuple>
#include <utility>

namespace labrys_call {
template <class T> struct without { using type = T; };
template <class T> struct without<const T> { using type = T; };
template <class T> struct without<T &> : without<T> {};
template <class T> struct without<T &&> : without<T> {};
template <class T> using object = typename without<T>::type;

/* What the function left in a vector goes back to the caller's memory. */
template <class V, class T> struct returned {
    const V &from;
    T *to;
    std::size_t room;
    ~returned() {
        for (std::size_t i = 0; i < room && i < from.size(); i++) to[i] = from[i];
    }
};
";

/// The source with an instance of a template that it does not make itself: `scale<double>`, `n::Stack<float>::top`; or with an inline function, or one that is
/// defined in its class, that nothing in the source uses.
///
/// # Errors
///
/// A sentence why there is none.
pub fn cpp_instance(source: &Path, name: &str) -> Result<Glue, String> {
    let path = includable(source)?;
    // It may be that of a stranger's report, and becomes a part of a source: a name is all that it can be.
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || "_:<>, *&.-()".contains(c)) {
        return Err(format!("{name} is no name of an instance"));
    }
    if let Some(fault) = fault_of_name(name) {
        return Err(format!("{name} is no name: {fault}"));
    }
    let text = format!(
        "/* Made by labrys: uses what the source does not. */\n#include \"{path}\"\n\n\
         namespace {NAMESPACE} {{\n__attribute__((used)) static const auto instance = &::{name};\n}}\n"
    );
    let remark = match name.contains('<') {
        true => format!("{name} is an instance that was made for it: the source makes none"),
        false => format!("{name} is compiled because it was asked for: nothing in the source uses it"),
    };
    Ok(Glue { text, suffix: "cpp", includes_source: true, symbol: name.to_owned(), lengths: Vec::new(), remark })
}

/// What is wrong with the name of a function that a user wrote, so that a compiler would find it in code that the user did not write. Words
/// before the name and a list of parameters are a declaration's.
fn fault_of_name(name: &str) -> Option<&'static str> {
    // An operator is written of what else are brackets, and of words: `operator<`, `operator()`, `operator double`.
    if name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == "operator") {
        return None;
    }
    let name = name.replace("(anonymous namespace)", "");
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut open, mut before) = (Vec::new(), ' ');
    let (mut is_declaration, mut is_unmatched) = (false, false);
    for (at, c) in name.char_indices() {
        match c {
            // In parentheses they compare numbers.
            '<' | '>' if open.last() == Some(&'(') => {}
            '<' => open.push(c),
            '(' => {
                is_declaration |= open.is_empty();
                open.push(c);
            }
            '>' => is_unmatched |= open.pop() != Some('<'),
            ')' => is_unmatched |= open.pop() != Some('('),
            c if is_of_word(c) && open.is_empty() => {
                let is_behind_space = name[..at].ends_with(' ');
                is_declaration |= is_behind_space && (is_of_word(before) || ">*&".contains(before));
            }
            _ => {}
        }
        before = if c == ' ' { before } else { c };
    }
    if is_unmatched || !open.is_empty() {
        Some("its brackets do not match")
    } else if is_declaration {
        Some("it is the name alone that is asked for, without the result's type and parameters")
    } else {
        None
    }
}

/// The source as `#include` takes it.
fn includable(source: &Path) -> Result<&str, String> {
    let path = source.to_str().filter(|path| !path.contains(['"', '\\', '\n', '\r']));
    path.ok_or_else(|| format!("{} has a name that cannot be included", source.display()))
}

/// How a parameter of the function becomes one of its caller.
enum Argument {
    /// As it is.
    Same,
    /// A `std::vector`: a pointer and the common length; whether what it holds afterwards is an output.
    Vector { is_output: bool },
    /// A `std::span`; its extent where that is fixed.
    Span { extent: Option<u64> },
}

/// The caller of a function of `source`, which was built as `library`. `needs_object` says that its object cannot be driven.
///
/// # Errors
///
/// A sentence why there is none.
pub fn cpp_caller(
    source: &Path,
    library: &Path,
    function: &FunctionInfo,
    said: &[String],
    needs_object: bool,
) -> Result<Glue, String> {
    let call = cpp_call(library, &function.symbol).map_err(|error| error.to_string())?;
    let call = call.ok_or("nothing says what it takes")?;
    let path = scoped_name(&function.qualified);
    if path.starts_with(&format!("{NAMESPACE}::")) {
        return Err("a caller hands over numbers, and objects, vectors and spans of such; results are taken out of vectors, pairs, tuples and optionals".to_owned());
    }
    let (scope, last) = path.rsplit_once("::").map_or(("", path), |(scope, last)| (scope, last));
    let name = last.split('<').next().unwrap_or_default();
    let is_identifier = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_identifier || path.contains('(') || last.contains("::") {
        return Err(format!("{path} cannot be called by that name"));
    }
    let types = parameter_types(&function.qualified, path).ok_or("its parameters' types are not known")?;
    if types.len() != call.parameters.len() {
        return Err("its parameters' types are not known".to_owned());
    }
    let mut made = Made { said, parameters: Vec::new(), body: String::new(), lengths: Vec::new(), needs_length: false };
    let mut arguments = Vec::new();
    let mut callee = format!("::{path}");
    let mut declared = format!("::{path}");
    if call.is_method {
        let object = match needs_object {
            true => {
                let constructor = call.constructors.iter().max_by_key(|parameters| parameters.len());
                let constructor = constructor.ok_or("its object has no public constructor that takes numbers alone")?;
                made.construct(scope, constructor);
                "labrys_object"
            }
            false => {
                made.parameters.push(format!("::{scope} &self"));
                "self"
            }
        };
        let template = if last.contains('<') { "template " } else { "" };
        callee = format!("{object}.{template}{last}");
        declared = format!("std::declval<::{scope} &>().{template}{last}");
    }
    for (index, (ty, name)) in types.iter().zip(&call.parameters).enumerate() {
        made.parameter(index, ty, name);
        arguments.push(format!("static_cast<A{index} &&>({})", value(ty, name)));
    }
    if made.needs_length {
        made.parameters.push("int n".to_owned());
    }
    let aliases: String = types.iter().enumerate().map(|(index, ty)| format!("using A{index} = {ty};\n")).collect();
    let values: Vec<String> = (0..types.len()).map(|index| format!("std::declval<A{index}>()")).collect();
    let called = format!("{callee}({})", arguments.join(", "));
    let parts = Parts::of(&call.result);
    let (result, last_statement) = if let Some(parts) = &parts {
        (parts.name.as_str(), format!("    R made = {called};\n    return {};\n", parts.value))
    } else if call.result.starts_with("vector<") {
        made.parameters.push("typename object<R>::value_type *labrys_result".to_owned());
        made.lengths.push(format!("labrys_result={OBSERVED}"));
        (
            "std::size_t",
            format!(
                "    R made = {called};\n    returned<R, typename object<R>::value_type> back{{made, labrys_result, {OBSERVED}}};\n    return made.size();\n"
            ),
        )
    } else {
        // Inlined it would be another function's code.
        ("R", format!("    [[clang::noinline]] return {called};\n"))
    };
    let mut text = format!("/* Made by labrys: calls {path}. */\n#include \"{}\"\n", includable(source)?);
    let _ = write!(
        text,
        "{PROLOGUE}\n{aliases}using R = {}\n{}\n__attribute__((noinline)) {result} {name}({}) {{\n{}{last_statement}}}\n}}\n",
        format_args!("decltype({declared}({}));", values.join(", ")),
        parts.as_ref().map_or("", |parts| &parts.structs),
        made.parameters.join(", "),
        made.body,
    );
    let remark = format!(
        "{path} is called by a function that was made for it, with its own compiler{}",
        if made.needs_length { ": vectors and spans have n elements" } else { "" }
    );
    let symbol = format!("{NAMESPACE}::{name}");
    Ok(Glue { text, suffix: "cpp", includes_source: true, symbol, lengths: made.lengths, remark })
}

/// What a caller makes of a pair, a tuple or an optional: a struct of what is in it.
struct Parts {
    /// The structs' definitions, those within others first.
    structs: String,
    /// The struct's name.
    name: String,
    /// It, of the result `made`.
    value: String,
}

/// Pairs within pairs that are taken apart.
const DEEPEST: usize = 4;

impl Parts {
    /// Of a result, as debug information spells it; `None` where it is none of these.
    fn of(spelled: &str) -> Option<Parts> {
        let mut structs = String::new();
        let (name, value) = Parts::add(&mut structs, spelled, ("object<R>", "made"), "labrys_result")?;
        Some(Parts { structs, name, value })
    }

    /// The struct of an object of this type, and how it is made of `value`.
    fn add(structs: &mut String, spelled: &str, (ty, value): (&str, &str), name: &str) -> Option<(String, String)> {
        let spelled = spelled.trim();
        let spelled = spelled.strip_prefix("const ").unwrap_or(spelled);
        let spelled = spelled.strip_prefix("std::").unwrap_or(spelled);
        let (template, inside) = spelled.strip_suffix('>')?.split_once('<')?;
        if name.matches("_of_").count() >= DEEPEST {
            return None;
        }
        let (mut members, mut values) = (String::new(), Vec::new());
        let mut member = |called: &str, spelled: &str, ty: String, value: String| {
            let (ty, value) = Parts::add(structs, spelled, (&ty, &value), &format!("{called}_of_{name}"))
                .unwrap_or_else(|| (ty.clone(), value));
            let _ = writeln!(members, "    {ty} {called};");
            values.push(value);
        };
        match template {
            "optional" => members_of_optional(&mut member, inside, ty, value),
            "pair" | "tuple" => {
                for (index, spelled) in split(inside).iter().enumerate() {
                    let called = match (template, index) {
                        ("pair", 0) => "first".to_owned(),
                        ("pair", _) => "second".to_owned(),
                        _ => format!("value_{}", index + 1),
                    };
                    let ty = format!("object<std::tuple_element_t<{index}, {ty}>>");
                    member(&called, spelled, ty, format!("std::get<{index}>({value})"));
                }
            }
            _ => return None,
        }
        let _ = write!(structs, "struct {name} {{\n{members}}};\n");
        Some((name.to_owned(), format!("{name}{{{}}}", values.join(", "))))
    }
}

/// Whether an optional has a value, and it, or the type's zero.
fn members_of_optional(member: &mut impl FnMut(&str, &str, String, String), inside: &str, ty: &str, value: &str) {
    member("has_value", "bool", "bool".to_owned(), format!("{value}.has_value()"));
    let of = format!("typename {ty}::value_type");
    member("value", inside, of.clone(), format!("({value}.has_value() ? *{value} : object<{of}>())"));
}

/// The caller as it grows.
struct Made<'a> {
    said: &'a [String],
    parameters: Vec<String>,
    body: String,
    lengths: Vec<String>,
    needs_length: bool,
}

impl Made<'_> {
    /// The object of a method, made of numbers.
    fn construct(&mut self, class: &str, constructor: &[String]) {
        let mut names = Vec::new();
        for (index, ty) in constructor.iter().enumerate() {
            let name = format!("object_{}", index + 1);
            self.parameters.push(format!("{ty} {name}"));
            names.push(name);
        }
        let arguments = if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) };
        let _ = writeln!(self.body, "    ::{class} labrys_object{arguments};");
    }

    fn parameter(&mut self, index: usize, ty: &str, name: &str) {
        match argument(ty) {
            Argument::Same => self.parameters.push(format!("A{index} {name}")),
            Argument::Vector { is_output } => {
                let constness = if is_output { "" } else { "const " };
                self.parameters.push(format!("{constness}typename object<A{index}>::value_type *{name}"));
                let length = self.length(name, None);
                let _ = writeln!(self.body, "    object<A{index}> labrys_{name}({name}, {name} + {length});");
                if is_output {
                    let _ = writeln!(
                        self.body,
                        "    returned<object<A{index}>, typename object<A{index}>::value_type> back_{name}{{labrys_{name}, {name}, static_cast<std::size_t>({length})}};"
                    );
                }
            }
            Argument::Span { extent } => {
                self.parameters.push(format!("typename object<A{index}>::element_type *{name}"));
                let length = self.length(name, extent);
                let _ = writeln!(
                    self.body,
                    "    object<A{index}> labrys_{name}({name}, static_cast<std::size_t>({length}));"
                );
            }
        }
    }

    /// The length of a parameter's memory: what its type says, or the user, else the common one.
    fn length(&mut self, name: &str, extent: Option<u64>) -> String {
        let said = self.said.iter().find_map(|text| text.split_once('=').filter(|(known, _)| known.trim() == name));
        let fixed = said.and_then(|(_, length)| length.trim().parse::<u64>().ok());
        match (extent, fixed) {
            (Some(extent), _) => {
                if said.is_none() {
                    self.lengths.push(format!("{name}={extent}"));
                }
                extent.to_string()
            }
            (None, Some(fixed)) => fixed.to_string(),
            (None, None) => {
                self.needs_length = true;
                if said.is_none() {
                    self.lengths.push(format!("{name}=n"));
                }
                "n".to_owned()
            }
        }
    }
}

/// What is handed over for a parameter.
fn value(ty: &str, name: &str) -> String {
    match argument(ty) {
        Argument::Same => name.to_owned(),
        Argument::Vector { .. } | Argument::Span { .. } => format!("labrys_{name}"),
    }
}

/// What a type, as demanglers write it, is to a caller.
fn argument(ty: &str) -> Argument {
    let plain = ty.trim_end_matches(['&', ' ']).trim_end_matches(" const").trim();
    let is_const = ty.trim_end_matches(['&', ' ']).ends_with(" const");
    let is_reference = ty.ends_with('&') && !ty.ends_with("&&");
    if plain.starts_with("std::vector<") && plain.ends_with('>') {
        return Argument::Vector { is_output: is_reference && !is_const };
    }
    if let Some(inside) = plain.strip_prefix("std::span<").and_then(|rest| rest.strip_suffix('>')) {
        // `3ul`, or `(unsigned long)3`.
        let number = |text: &str| text.rsplit(')').next()?.trim().trim_end_matches(['u', 'l']).parse::<u64>().ok();
        let extent = split(inside).last().and_then(|last| number(last));
        return Argument::Span { extent: extent.filter(|extent| *extent != u64::MAX) };
    }
    Argument::Same
}

/// The types of a function's parameters, of its demangled name, which begins with its result or its path.
fn parameter_types(qualified: &str, path: &str) -> Option<Vec<String>> {
    let (_, rest) = qualified.split_once(path)?;
    let rest = rest.strip_prefix('(')?;
    let inside = &rest[..rest.rfind(')')?];
    Some(if inside.is_empty() { Vec::new() } else { split(inside) })
}

/// The parts between commas that neither brackets nor parentheses enclose.
fn split(text: &str) -> Vec<String> {
    outer_parts(text, ['<', '('], ['>', ')'])
}

/// Whether a text may define a function of that name: its last part stands before a parenthesis.
pub fn may_define(text: &str, name: &str) -> bool {
    let last = name.rsplit("::").next().unwrap_or(name);
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !last.is_empty()
        && text.match_indices(last).any(|(at, _)| {
            let behind = &text[at + last.len()..];
            !text[..at].ends_with(is_part) && behind.trim_start().starts_with('(')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_defined_stands_before_a_parenthesis() {
        let text = "struct I { double mid () const { return lo; } double mid_; };\n";
        assert!(may_define(text, "I::mid") && may_define(text, "mid"));
        assert!(
            !may_define(text, "mi") && !may_define(text, "id") && !may_define(text, "mid_") && !may_define(text, "")
        );
    }

    /// The compiler's errors stood there, in code that the user did not write.
    #[test]
    fn what_is_no_name_is_said_in_one_line() {
        let fault = |name: &str| cpp_instance(Path::new("/f.cpp"), name).err();
        let names = [
            "dotn<float,3>",
            "n::Stack<std::vector<float> >::top",
            "clip<>",
            "clip <unsigned int>",
            "f<(3>2)>",
            "S::operator()",
            "operator<",
            "V::operator double",
            "(anonymous namespace)::clip<float>",
        ];
        for name in names {
            assert_eq!(fault(name), None, "{name}");
        }
        for (name, why) in [
            ("clip<float", "its brackets do not match"),
            ("clip float>", "its brackets do not match"),
            ("f<(3>", "its brackets do not match"),
            ("float clip<float>", "it is the name alone that is asked for, without the result's type and parameters"),
            ("clip<float>(float)", "it is the name alone that is asked for, without the result's type and parameters"),
        ] {
            assert_eq!(fault(name), Some(format!("{name} is no name: {why}")));
        }
    }

    #[test]
    fn pairs_tuples_and_optionals_are_taken_apart() {
        let parts = Parts::of("pair<double, double>").unwrap();
        assert_eq!(
            (parts.name.as_str(), parts.value.as_str()),
            ("labrys_result", "labrys_result{std::get<0>(made), std::get<1>(made)}")
        );
        let parts = Parts::of("optional<std::tuple<float, std::pair<int, double> > >").unwrap();
        assert_eq!(parts.structs.matches("struct ").count(), 3, "{}", parts.structs);
        assert!(
            parts.structs.contains("    bool has_value;\n    value_of_labrys_result value;\n"),
            "{}",
            parts.structs
        );
        assert!(["double", "vector<double>", "array<double, 3>"].iter().all(|ty| Parts::of(ty).is_none()));
    }

    #[test]
    fn types_as_demanglers_write_them() {
        let name = "double n::mean<double>(std::vector<double, std::allocator<double> > const&, int (*)(double, int), std::span<double, 3ul>)";
        let types = parameter_types(name, "n::mean<double>").unwrap();
        assert_eq!(types.len(), 3, "{types:?}");
        assert!(matches!(argument(&types[0]), Argument::Vector { is_output: false }));
        assert!(matches!(argument(&types[1]), Argument::Same));
        assert!(matches!(argument(&types[2]), Argument::Span { extent: Some(3) }));
        assert!(matches!(
            argument("std::vector<float, std::allocator<float> >&"),
            Argument::Vector { is_output: true }
        ));
        assert!(matches!(
            argument("std::vector<float, std::allocator<float> >&&"),
            Argument::Vector { is_output: false }
        ));
        assert!(matches!(argument("std::span<double const, 18446744073709551615ul>"), Argument::Span { extent: None }));
        assert!(matches!(argument("std::span<double, (unsigned long)3>"), Argument::Span { extent: Some(3) }));
        assert_eq!(parameter_types("f()", "f"), Some(Vec::new()));
        assert_eq!(parameter_types("K::mean() const", "K::mean"), Some(Vec::new()));
    }
}
