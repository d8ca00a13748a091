//! Values in the glue: made of the glue's parameters, and taken apart into its outputs.

use std::fmt::Write as _;

use super::shape::{MOST_ELEMENTS, Shape, Variant};

/// The glue's parameters, and what its body does with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Body {
    /// Names and types of the glue's parameters.
    pub(super) parameters: Vec<(String, String)>,
    /// `x=x_len` for slices.
    pub(super) lengths: Vec<String>,
    /// Aliases of structs' types.
    pub(super) aliases: String,
    /// Statements before the call.
    pub(super) before: String,
    /// Arguments of the call.
    pub(super) arguments: Vec<String>,
    /// Names and types of outputs.
    pub(super) outputs: Vec<(String, String)>,
    /// Statements behind the call that fill `out`.
    pub(super) after: String,
    /// Whether some inputs make no argument.
    pub(super) refuses: bool,
    /// What the user says of lengths: the parameter, and what.
    said: Vec<(String, String)>,
    structs: usize,
    locals: usize,
}

/// A name and the name of a part of it; of the whole result's parts the part's alone.
fn join(name: &str, part: &str) -> String {
    match (name.is_empty(), part.starts_with(|c: char| c.is_ascii_digit())) {
        (true, true) => format!("_{part}"),
        (true, false) => part.to_owned(),
        (false, _) => format!("{name}_{part}"),
    }
}

/// Arrays in a slice of such, where the user says nothing.
const MOST_ARRAYS: u64 = 4;

/// How many scalars an element has: `[[f64; 2]; 3]` has six.
fn scalars_of(element: &str) -> u64 {
    let counts = element.split(';').skip(1).map(|part| part.trim().trim_end_matches(']').trim());
    counts.filter_map(|count| count.trim_end_matches(']').parse::<u64>().ok()).product()
}

/// A length as a user says it: a number or a parameter, and elements beyond.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Length {
    base: String,
    beyond: u64,
}

impl Length {
    /// `None` where the text is no length: whoever reads it after the glue is there says so.
    fn parse(text: &str) -> Option<Length> {
        let text = text.split(':').next()?;
        let (base, beyond) = text.split_once('+').unwrap_or((text, "0"));
        let base = base.trim();
        let is_word = !base.is_empty() && base.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        Some(Length { base: is_word.then(|| base.to_owned())?, beyond: beyond.trim().parse().ok()? })
    }
}

impl Body {
    pub(super) fn new(lengths: &[String]) -> Body {
        let said = lengths.iter().filter_map(|text| text.split_once('='));
        let said = said.map(|(name, length)| (name.trim().to_owned(), length.trim().to_owned()));
        Body { said: said.collect(), ..Body::default() }
    }

    /// Adds an argument of the call.
    pub(super) fn argument(&mut self, name: &str, shape: &Shape) {
        let expression = self.value(name, shape);
        self.arguments.push(expression);
    }

    /// Adds the call's result, which is in the variable `value`.
    pub(super) fn result(&mut self, shape: &Shape) {
        let mut after = String::new();
        self.take_apart("", shape, "value", &mut after);
        self.after.push_str(&after);
    }

    /// What a length is said to be that is neither a number nor a parameter.
    pub(super) fn unknown_length(&self) -> Option<String> {
        let is_number = |base: &str| base.parse::<u64>().is_ok();
        let is_known = |base: &str| self.parameters.iter().any(|(name, _)| name == base);
        let bases = self.said.iter().filter_map(|(_, said)| Length::parse(said)).map(|length| length.base);
        bases.into_iter().find(|base| !is_number(base) && !is_known(base))
    }

    fn parameter(&mut self, name: &str, ty: String) -> String {
        // Parts of it are `self_x`.
        let mut name = if name == "self" { "this".to_owned() } else { name.to_owned() };
        while self.parameters.iter().any(|(known, _)| *known == name) {
            name.push('_');
        }
        self.parameters.push((name.clone(), ty));
        name
    }

    /// An expression of a value, of parameters that are added.
    fn value(&mut self, name: &str, shape: &Shape) -> String {
        match shape {
            Shape::Scalar(ty) => self.parameter(name, ty.clone()),
            Shape::Array(ty) => format!("*{}", self.parameter(name, format!("&{ty}"))),
            Shape::Slice { element, is_mutable: false } => {
                let (name, count) = self.memory(name, "*const", element);
                format!("&*std::ptr::slice_from_raw_parts({name}, {count})")
            }
            Shape::Slice { element, is_mutable: true } => {
                let (name, count) = self.memory(name, "*mut", element);
                format!("&mut *std::ptr::slice_from_raw_parts_mut({name}, {count})")
            }
            Shape::Vector(element) => {
                let (name, count) = self.memory(name, "*const", element);
                format!("(&*std::ptr::slice_from_raw_parts({name}, {count})).to_vec()")
            }
            Shape::Reference { is_mutable, target } => self.reference(name, *is_mutable, target),
            Shape::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                let parts: Vec<String> =
                    parts.map(|(index, of)| self.value(&join(name, &index.to_string()), of)).collect();
                format!("({}{})", parts.join(", "), if parts.len() == 1 { "," } else { "" })
            }
            Shape::Optional(of) => {
                let is_some = self.parameter(&join(name, "is_some"), "bool".to_owned());
                format!("(if {is_some} {{ Some({}) }} else {{ None }})", self.value(name, of))
            }
            Shape::Fallible(of, error) => {
                let is_ok = self.parameter(&join(name, "is_ok"), "bool".to_owned());
                let ok = self.value(name, of);
                let error = error.as_ref().map_or_else(|| "()".to_owned(), |of| self.value(&join(name, "error"), of));
                format!("(if {is_ok} {{ Ok({ok}) }} else {{ Err({error}) }})")
            }
            Shape::Struct { path, fields } => {
                let alias = self.alias(path);
                let fields =
                    fields.iter().map(|(field, of)| format!("{field}: {}", self.value(&join(name, field), of)));
                format!("{alias} {{ {} }}", fields.collect::<Vec<_>>().join(", "))
            }
            Shape::Enum { path, variants } => {
                let alias = self.alias(path);
                let variant = self.parameter(&join(name, "variant"), "u8".to_owned());
                let last = variants.len().saturating_sub(1);
                let mut text = format!("(match {variant} {{ ");
                for (index, (of, parts)) in variants.iter().enumerate() {
                    let number = if index == last { "_".to_owned() } else { index.to_string() };
                    let parts = parts.iter().flatten().enumerate();
                    let parts: Vec<String> =
                        parts.map(|(at, part)| self.value(&join(name, &part_name(of, at)), part)).collect();
                    let parts = if parts.is_empty() { String::new() } else { format!("({})", parts.join(", ")) };
                    let _ = write!(text, "{number} => {alias}::{of}{parts}, ");
                }
                text + "})"
            }
            Shape::Made { constructor, parameters, fails } => {
                let own = |part: &str| {
                    if name == "self" && !part.starts_with(|c: char| c.is_ascii_digit()) {
                        part.to_owned()
                    } else {
                        join(name, part)
                    }
                };
                let arguments: Vec<String> = parameters.iter().map(|(part, of)| self.value(&own(part), of)).collect();
                let call = format!("{constructor}({})", arguments.join(", "));
                match fails {
                    None => call,
                    Some(words) => {
                        self.refuses = true;
                        format!("(match {call}{words} {{ Some(value) => value, None => return None }})")
                    }
                }
            }
        }
    }

    fn reference(&mut self, name: &str, is_mutable: bool, target: &Shape) -> String {
        match (is_mutable, target) {
            (false, Shape::Scalar(ty) | Shape::Array(ty)) => self.parameter(name, format!("&{ty}")),
            (true, Shape::Scalar(ty) | Shape::Array(ty)) => self.parameter(name, format!("&mut {ty}")),
            (false, target) => format!("&{}", self.value(name, target)),
            (true, target) => {
                let made = self.value(name, target);
                let local = format!("labrys_{}", self.arguments.len());
                let _ = writeln!(self.before, "    let mut {local} = {made};");
                let mut after = String::new();
                self.take_apart(name, target, &local, &mut after);
                self.after.push_str(&after);
                format!("&mut {local}")
            }
        }
    }

    /// A pointer parameter and the expression of its length in elements. Lengths that are said and lengths that are parameters count scalars,
    /// as everywhere in labrys.
    fn memory(&mut self, name: &str, pointer: &str, element: &str) -> (String, String) {
        let name = self.parameter(name, format!("{pointer} {element}"));
        let scalars = scalars_of(element);
        let said = self.said.iter().find(|(of, _)| *of == name).and_then(|(_, said)| Length::parse(said));
        let count = match said {
            Some(Length { base, beyond }) => format!("({base} as usize + {beyond})"),
            None => {
                let count = self.parameter(&join(&name, "len"), "usize".to_owned());
                let room = if scalars == 1 { String::new() } else { format!(":{}", MOST_ARRAYS * scalars) };
                self.lengths.push(format!("{name}={count}{room}"));
                count
            }
        };
        (name, if scalars == 1 { count } else { format!("({count} / {scalars})") })
    }

    fn alias(&mut self, path: &str) -> String {
        let alias = format!("LabrysType{}", self.structs);
        self.structs += 1;
        let _ = writeln!(self.aliases, "type {alias} = {path};");
        alias
    }

    fn output(&mut self, name: &str, ty: String) -> String {
        let mut name = if name.is_empty() { "value".to_owned() } else { name.to_owned() };
        while self.outputs.iter().any(|(known, _)| *known == name) {
            name.push('_');
        }
        self.outputs.push((name.clone(), ty));
        name
    }

    /// Statements that store the scalars of what is at a place, which is not moved from.
    fn take_apart(&mut self, name: &str, shape: &Shape, place: &str, text: &mut String) {
        match shape {
            Shape::Scalar(ty) | Shape::Array(ty) => {
                let output = self.output(name, ty.clone());
                let _ = writeln!(text, "    out.{output} = {place};");
            }
            Shape::Slice { element, .. } | Shape::Vector(element) => {
                let length = self.output(&join(name, "len"), "usize".to_owned());
                let elements = self.output(name, format!("[{element}; {MOST_ELEMENTS}]"));
                let _ = writeln!(text, "    out.{length} = {place}.len();");
                let _ = writeln!(
                    text,
                    "    for (to, from) in out.{elements}.iter_mut().zip({place}.iter()) {{ *to = *from; }}"
                );
            }
            // A slice's place is its reference.
            Shape::Reference { target, .. } if matches!(**target, Shape::Slice { .. }) => {
                self.take_apart(name, target, place, text);
            }
            Shape::Reference { target, .. } => self.take_apart(name, target, &format!("(*{place})"), text),
            Shape::Tuple(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    self.take_apart(&join(name, &index.to_string()), part, &format!("{place}.{index}"), text);
                }
            }
            Shape::Optional(of) => {
                let is_some = self.output(&join(name, "is_some"), "bool".to_owned());
                let inner = self.local();
                let _ = writeln!(text, "    if let Some({inner}) = &{place} {{\n    out.{is_some} = true;");
                self.take_apart(name, of, &format!("(*{inner})"), text);
                text.push_str("    }\n");
            }
            Shape::Fallible(of, error) => {
                let is_ok = self.output(&join(name, "is_ok"), "bool".to_owned());
                let (ok, wrong) = (self.local(), self.local());
                let _ = writeln!(text, "    match &{place} {{\n    Ok({ok}) => {{\n    out.{is_ok} = true;");
                self.take_apart(name, of, &format!("(*{ok})"), text);
                let _ = writeln!(text, "    }}\n    Err({wrong}) => {{");
                if let Some(error) = error {
                    self.take_apart(&join(name, "error"), error, &format!("(*{wrong})"), text);
                }
                text.push_str("    }\n    }\n");
            }
            Shape::Struct { fields, .. } => {
                for (field, of) in fields {
                    self.take_apart(&join(name, field), of, &format!("{place}.{field}"), text);
                }
            }
            Shape::Enum { path, variants } => self.take_variants_apart(name, (path, variants), place, text),
            Shape::Made { .. } => {}
        }
    }

    fn take_variants_apart(
        &mut self,
        name: &str,
        (path, variants): (&str, &[Variant]),
        place: &str,
        text: &mut String,
    ) {
        let alias = self.alias(path);
        let variant = self.output(&join(name, "variant"), "u8".to_owned());
        let _ = writeln!(text, "    match &{place} {{");
        for (index, (of, parts)) in variants.iter().enumerate() {
            let parts = parts.as_deref().unwrap_or_default();
            let locals: Vec<String> = parts.iter().map(|_| self.local()).collect();
            let pattern = if parts.is_empty() { " { .. }".to_owned() } else { format!("({})", locals.join(", ")) };
            let _ = writeln!(text, "    {alias}::{of}{pattern} => {{\n    out.{variant} = {index};");
            for (at, (part, local)) in parts.iter().zip(&locals).enumerate() {
                if part.is_output() {
                    self.take_apart(&join(name, &part_name(of, at)), part, &format!("(*{local})"), text);
                }
            }
            text.push_str("    }\n");
        }
        // What has more variants in another version of its crate.
        let _ = writeln!(text, "    _ => out.{variant} = u8::MAX,\n    }}");
    }

    /// A name for what is bound in a pattern.
    fn local(&mut self) -> String {
        self.locals += 1;
        format!("labrys_part_{}", self.locals)
    }
}

/// The name of a part of a variant: the variant's, and which part it is but for the first.
fn part_name(variant: &str, at: usize) -> String {
    let name = variant.to_lowercase();
    if at == 0 { name } else { format!("{name}_{at}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(lengths: &[&str], parameters: &[(&str, Shape)]) -> Body {
        let lengths: Vec<String> = lengths.iter().map(|text| (*text).to_owned()).collect();
        let mut body = Body::new(&lengths);
        parameters.iter().for_each(|(name, shape)| body.argument(name, shape));
        body
    }

    fn slice(element: &str) -> Shape {
        Shape::Slice { element: element.to_owned(), is_mutable: false }
    }

    /// A slice of pairs had as many pairs as its memory had numbers.
    #[test]
    fn lengths_count_scalars() {
        assert_eq!(["f64", "[f64; 2]", "[[f64; 2]; 3]"].map(scalars_of), [1, 2, 6]);
        let plain = body(&[], &[("x", slice("f64"))]);
        assert_eq!(
            (plain.lengths, plain.arguments),
            (vec!["x=x_len".to_owned()], vec!["&*std::ptr::slice_from_raw_parts(x, x_len)".to_owned()])
        );
        let pairs = body(&[], &[("x", slice("[f64; 2]"))]);
        assert_eq!(pairs.lengths, ["x=x_len:8"]);
        assert_eq!(pairs.arguments, ["&*std::ptr::slice_from_raw_parts(x, (x_len / 2))"]);
        let said = body(&["x=6", "y=n+1:4"], &[("x", slice("[f64; 2]")), ("y", slice("f64"))]);
        assert!(said.lengths.is_empty());
        assert_eq!(said.arguments[0], "&*std::ptr::slice_from_raw_parts(x, ((6 as usize + 0) / 2))");
        assert_eq!(said.unknown_length().as_deref(), Some("n"));
    }

    /// What a user says becomes part of a source.
    #[test]
    fn what_is_no_length_is_not_put_into_the_glue() {
        for text in ["{ evil() }", "n; evil()", "", "n+m", "-1"] {
            assert_eq!(Length::parse(text), None, "{text}");
        }
    }

    #[test]
    fn composites_are_parameters_of_scalars() {
        let scalar = || Shape::Scalar("f64".to_owned());
        let pair = Shape::Tuple(vec![scalar(), Shape::Optional(Box::new(scalar()))]);
        let made = body(&[], &[("p", pair)]);
        let names: Vec<&str> = made.parameters.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["p_0", "p_1_is_some", "p_1"]);
        assert_eq!(made.arguments, ["(p_0, (if p_1_is_some { Some(p_1) } else { None }))"]);
        let fields = vec![("x".to_owned(), scalar())];
        let point = Shape::Struct { path: "a::P".to_owned(), fields };
        let changed = Shape::Reference { is_mutable: true, target: Box::new(point) };
        let of_self = body(&[], &[("self", changed)]);
        assert_eq!(of_self.parameters, [("self_x".to_owned(), "f64".to_owned())]);
        assert_eq!(of_self.outputs, [("self_x".to_owned(), "f64".to_owned())]);
    }
}
