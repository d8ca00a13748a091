//! Values in the glue: made of the glue's parameters, and taken apart into its outputs.

use std::fmt::Write as _;

use super::shape::Shape;

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
}

/// A name and the name of a part of it; of the whole result's parts the part's alone.
fn join(name: &str, part: &str) -> String {
    match (name.is_empty(), part.starts_with(|c: char| c.is_ascii_digit())) {
        (true, true) => format!("_{part}"),
        (true, false) => part.to_owned(),
        (false, _) => format!("{name}_{part}"),
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
                let (name, count) = self.memory(name, &format!("*const {element}"));
                format!("&*std::ptr::slice_from_raw_parts({name}, {count})")
            }
            Shape::Slice { element, is_mutable: true } => {
                let (name, count) = self.memory(name, &format!("*mut {element}"));
                format!("&mut *std::ptr::slice_from_raw_parts_mut({name}, {count})")
            }
            Shape::Vector(element) => {
                let (name, count) = self.memory(name, &format!("*const {element}"));
                format!("(&*std::ptr::slice_from_raw_parts({name}, {count})).to_vec()")
            }
            Shape::Reference { is_mutable, target } => self.reference(name, *is_mutable, target),
            Shape::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                let parts: Vec<String> = parts.map(|(index, of)| self.value(&join(name, &index.to_string()), of)).collect();
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
                let fields = fields.iter().map(|(field, of)| format!("{field}: {}", self.value(&join(name, field), of)));
                format!("{alias} {{ {} }}", fields.collect::<Vec<_>>().join(", "))
            }
            Shape::Made { constructor, parameters, fails } => {
                let own = |part: &str| if name == "self" && !part.starts_with(|c: char| c.is_ascii_digit()) { part.to_owned() } else { join(name, part) };
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

    /// A pointer parameter and the expression of its length.
    fn memory(&mut self, name: &str, ty: &str) -> (String, String) {
        let name = self.parameter(name, ty.to_owned());
        let count = match self.said.iter().find(|(of, _)| *of == name) {
            Some((_, said)) => {
                let length = said.split(':').next().unwrap_or_default();
                let (base, beyond) = length.split_once('+').unwrap_or((length, ""));
                let beyond = if beyond.is_empty() { String::new() } else { format!(" + {}", beyond.trim()) };
                format!("{} as usize{beyond}", base.trim())
            }
            None => {
                let count = self.parameter(&join(&name, "len"), "usize".to_owned());
                self.lengths.push(format!("{name}={count}"));
                count
            }
        };
        (name, count)
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

    /// Statements that store a value's scalars.
    fn take_apart(&mut self, name: &str, shape: &Shape, value: &str, text: &mut String) {
        let variable = |part: &str| format!("{value}_{part}");
        match shape {
            Shape::Scalar(ty) | Shape::Array(ty) => {
                let output = self.output(name, ty.clone());
                let _ = writeln!(text, "    out.{output} = {value};");
            }
            Shape::Reference { target, .. } => {
                let inner = variable("of");
                let _ = writeln!(text, "    let {inner} = *{value};");
                self.take_apart(name, target, &inner, text);
            }
            Shape::Tuple(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    let inner = variable(&index.to_string());
                    let _ = writeln!(text, "    let {inner} = {value}.{index};");
                    self.take_apart(&join(name, &index.to_string()), part, &inner, text);
                }
            }
            Shape::Optional(of) => {
                let is_some = self.output(&join(name, "is_some"), "bool".to_owned());
                let inner = variable("some");
                let _ = writeln!(text, "    if let Some({inner}) = {value} {{\n    out.{is_some} = true;");
                self.take_apart(name, of, &inner, text);
                text.push_str("    }\n");
            }
            Shape::Fallible(of, error) => {
                let is_ok = self.output(&join(name, "is_ok"), "bool".to_owned());
                let (ok, wrong) = (variable("ok"), variable("error"));
                let _ = writeln!(text, "    match {value} {{\n    Ok({ok}) => {{\n    out.{is_ok} = true;");
                self.take_apart(name, of, &ok, text);
                let _ = writeln!(text, "    }}\n    Err({wrong}) => {{");
                if let Some(error) = error {
                    self.take_apart(&join(name, "error"), error, &wrong, text);
                }
                text.push_str("    }\n    }\n");
            }
            Shape::Struct { fields, .. } => {
                for (field, of) in fields {
                    let inner = variable(field);
                    let _ = writeln!(text, "    let {inner} = {value}.{field};");
                    self.take_apart(&join(name, field), of, &inner, text);
                }
            }
            Shape::Slice { .. } | Shape::Vector(_) | Shape::Made { .. } => {}
        }
    }
}
