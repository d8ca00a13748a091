//! From a path to the shapes of a function's parameters and result.

use super::CrateError;
use super::path::FunctionPath;
use super::question::{Answer, Asker, Complaint};
use super::rust_type::RustType;
use super::shape::{SCALARS, Shape, Variant};
use super::sources::{self, SourceFunction};

/// How a function is called.
#[derive(Clone, Debug)]
pub(super) struct Callable {
    /// `use` items that its path needs: traits.
    pub(super) uses: String,
    /// Its parameters.
    pub(super) parameters: Vec<(String, Shape)>,
    /// Its result; `None`: the unit.
    pub(super) result: Option<Shape>,
}

/// Who finds out.
pub(super) struct Resolver<'a> {
    pub(super) asker: Asker<'a>,
    pub(super) path: &'a FunctionPath,
    /// The crate's name in paths.
    pub(super) library: &'a str,
    pub(super) sources: &'a [SourceFunction],
    /// The method's own type: its name, and how the path writes it.
    own: Option<(String, String)>,
}

/// Types in types, no deeper.
const DEEPEST: usize = 6;

/// Variants of an enum.
const MOST_VARIANTS: usize = 32;

/// Why a type has no shape, with the type's text.
type Unshaped = (String, String);

enum Failure {
    Type(Unshaped),
    Error(CrateError),
}

impl From<CrateError> for Failure {
    fn from(error: CrateError) -> Failure {
        Failure::Error(error)
    }
}

fn unshaped<T>(ty: &str, reason: &str) -> Result<T, Failure> {
    Err(Failure::Type((ty.to_owned(), reason.to_owned())))
}

impl<'a> Resolver<'a> {
    pub(super) fn new(
        asker: Asker<'a>,
        path: &'a FunctionPath,
        library: &'a str,
        sources: &'a [SourceFunction],
    ) -> Resolver<'a> {
        Resolver { asker, path, library, sources, own: None }
    }

    /// How the function is called.
    pub(super) fn callable(&mut self) -> Result<Callable, CrateError> {
        let mut uses = String::new();
        let lines = match self.asker.types_of(&self.path.text, &uses)? {
            Answer::Lines(lines) => lines,
            Answer::Errors(errors) => {
                // A method of a trait that is not in scope: the compiler says which.
                let suggested = errors.iter().flat_map(|error| &error.suggestions);
                let Some(import) = suggested.map(|text| text.trim()).find(|text| text.starts_with("use ")) else {
                    return Err(self.refusal(&errors));
                };
                uses = import.lines().next().unwrap_or_default().to_owned();
                match self.asker.types_of(&self.path.text, &uses)? {
                    Answer::Lines(lines) => lines,
                    Answer::Errors(errors) => return Err(self.refusal(&errors)),
                }
            }
        };
        let Some((result, parameters)) = lines.split_last() else {
            return Err(CrateError::Callable {
                path: self.path.text.clone(),
                words: "its types are not known".to_owned(),
            });
        };
        let names = self.parameter_names(parameters.len());
        if self.own.is_none() && parameters.iter().any(|ty| ty.contains("::")) {
            let parent = self.path.parent().trim_start_matches('<').split(" as ").next().unwrap_or_default();
            let parent = parent.to_owned();
            self.own = self.asker.name_of(&parent)?.map(|name| (name, parent));
        }
        let mut shapes = Vec::with_capacity(parameters.len());
        for (name, ty) in names.into_iter().zip(parameters) {
            let shape = self
                .shape(&RustType::parse(ty), ty, 0)
                .and_then(|shape| if shape.is_input() { Ok(shape) } else { unshaped(ty, "cannot be made of numbers") })
                .map_err(|failure| self.unsupported(failure, &format!("parameter {name}")))?;
            shapes.push((name, shape));
        }
        let result = match result.as_str() {
            "()" => None,
            "!" => None,
            ty => {
                let shape = self.shape(&RustType::parse(ty), ty, 0);
                let shape = shape.and_then(|shape| match shape.is_output() {
                    true => Ok(shape),
                    false => unshaped(ty, "cannot be taken apart into numbers"),
                });
                Some(shape.map_err(|failure| self.unsupported(failure, "the result"))?)
            }
        };
        Ok(Callable { uses, parameters: shapes, result })
    }

    fn unsupported(&self, failure: Failure, what: &str) -> CrateError {
        match failure {
            Failure::Error(error) => error,
            Failure::Type((ty, reason)) => {
                CrateError::Unsupported { path: self.path.text.clone(), what: what.to_owned(), ty, reason }
            }
        }
    }

    fn parameter_names(&self, count: usize) -> Vec<String> {
        let names = self.path.names();
        let known = sources::of_name(self.sources, (self.path.name(), &names), Some(count));
        let name = |index: usize| known.map(|of| of.parameters[index].clone()).filter(|name| !name.is_empty());
        let mut taken: Vec<String> = Vec::new();
        for index in 0..count {
            let mut name = name(index).unwrap_or_else(|| format!("x{index}"));
            while taken.contains(&name) {
                name.push('_');
            }
            taken.push(name);
        }
        taken
    }

    fn shape(&self, ty: &RustType, text: &str, depth: usize) -> Result<Shape, Failure> {
        if depth > DEEPEST {
            return unshaped(text, "is too deep");
        }
        let inner = |ty: &RustType| self.shape(ty, &written(ty), depth + 1);
        match ty {
            RustType::Named { path, arguments } => self.named(path, arguments, text, depth),
            RustType::Reference { is_mutable, target } => match &**target {
                RustType::Slice(element) => match plain(element) {
                    Some(element) => Ok(Shape::Slice { element, is_mutable: *is_mutable }),
                    None => unshaped(text, "is a slice of other things than numbers"),
                },
                target => {
                    let target = inner(target)?;
                    if *is_mutable && !target.is_output() {
                        return unshaped(text, "can be changed, and what it then is cannot be seen");
                    }
                    Ok(Shape::Reference { is_mutable: *is_mutable, target: Box::new(target) })
                }
            },
            RustType::Array(element, count) if *count > 0 => match plain(element) {
                Some(element) => Ok(Shape::Array(format!("[{element}; {count}]"))),
                None => unshaped(text, "is an array of other things than numbers"),
            },
            RustType::Array(..) => unshaped(text, "has no elements"),
            RustType::Tuple(parts) => Ok(Shape::Tuple(parts.iter().map(inner).collect::<Result<_, _>>()?)),
            RustType::Slice(_) => unshaped(text, "has no size"),
            RustType::Other(_) => unshaped(text, "is not made of numbers"),
        }
    }

    fn named(&self, path: &str, arguments: &[RustType], text: &str, depth: usize) -> Result<Shape, Failure> {
        let inner = |ty: &RustType| self.shape(ty, &written(ty), depth + 1);
        match (path, arguments) {
            (scalar, []) if SCALARS.contains(&scalar) => Ok(Shape::Scalar(scalar.to_owned())),
            ("core::option::Option", [of]) => Ok(Shape::Optional(Box::new(inner(of)?))),
            ("core::result::Result", [of, error]) => {
                let error = match error {
                    RustType::Tuple(parts) if parts.is_empty() => None,
                    error => match inner(error) {
                        Err(Failure::Error(error)) => return Err(Failure::Error(error)),
                        shape => shape.ok().filter(Shape::is_output),
                    },
                };
                Ok(Shape::Fallible(Box::new(inner(of)?), error.map(Box::new)))
            }
            ("alloc::vec::Vec", [of]) => match plain(of) {
                Some(element) => Ok(Shape::Vector(element)),
                None => unshaped(text, "is a vector of other things than numbers"),
            },
            ("i128" | "u128" | "char" | "str" | "f16" | "f128", []) => unshaped(text, "is not supported"),
            ("alloc::string::String", []) => unshaped(text, "is a text"),
            _ => self.structure(&RustType::Named { path: path.to_owned(), arguments: arguments.to_vec() }, depth),
        }
    }

    /// A struct of the crate's, or of one that it uses.
    fn structure(&self, ty: &RustType, depth: usize) -> Result<Shape, Failure> {
        let name = written(ty);
        let mut path = match &self.own {
            Some((own, path)) if *own == name => path.clone(),
            _ => name.clone(),
        };
        let mut answer = self.asker.pattern_of(&path)?;
        if let Answer::Errors(errors) = &answer
            && errors.iter().any(is_inaccessible)
            && let Some(public) = self.public_path(ty)?
        {
            answer = self.asker.pattern_of(&public)?;
            path = public;
        }
        let errors = match answer {
            // A struct without fields.
            Answer::Lines(_) => return Ok(Shape::Struct { path, fields: Vec::new() }),
            Answer::Errors(errors) => errors,
        };
        if let Some(fields) = errors.iter().find_map(public_fields)
            && let Answer::Lines(types) = self.asker.fields_of(&path, &fields)?
        {
            let mut shapes = Vec::with_capacity(fields.len());
            for (field, ty) in fields.into_iter().zip(&types) {
                shapes.push((field, self.shape(&RustType::parse(ty), ty, depth + 1)?));
            }
            return Ok(Shape::Struct { path, fields: shapes });
        }
        let is_enum = errors.iter().any(|error| error.code == "E0071");
        if is_enum && let Some(shape) = self.enumeration(&path, depth)? {
            return Ok(shape);
        }
        if errors.iter().any(is_inaccessible) {
            return unshaped(&name, "has no public path that labrys knows");
        }
        self.made(&path, &name, depth)?.map_or_else(
            || {
                let reason = match is_enum {
                    true => "has more variants than can be told, and no `new` of numbers",
                    false => "has private fields, and no `new` of numbers",
                };
                unshaped(&name, reason)
            },
            Ok,
        )
    }

    /// Where a type of a private module is public: it has the same name above its module, or beside the function. The compiler says whether that is the same type.
    fn public_path(&self, ty: &RustType) -> Result<Option<String>, CrateError> {
        let RustType::Named { path, arguments } = ty else { return Ok(None) };
        let wanted = written(ty);
        for path in public_paths(path, self.path.parent()) {
            let candidate = written(&RustType::Named { path, arguments: arguments.clone() });
            if self.asker.name_of(&candidate)?.as_ref() == Some(&wanted) {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
    }

    /// An enum: its variants are those that the compiler misses; `None` for none, and for too many.
    fn enumeration(&self, path: &str, depth: usize) -> Result<Option<Shape>, Failure> {
        let mut variants: Vec<Variant> = Vec::new();
        loop {
            let known: Vec<String> = variants.iter().map(|(name, _)| name.clone()).collect();
            let Answer::Errors(errors) = self.asker.missing_of(path, &known)? else { break };
            let missing: Vec<(String, Option<usize>)> = errors.iter().flat_map(missing_variants).collect();
            if missing.is_empty() {
                // All are there; of an enum that may grow a `_` is missing.
                let is_open = errors.iter().any(|error| error.code == "E0004" && error.message.contains("`_`"));
                match is_open && !variants.is_empty() {
                    true => break,
                    false => return Ok(None),
                }
            }
            for (name, count) in missing {
                if variants.len() == MOST_VARIANTS || variants.iter().any(|(known, _)| *known == name) {
                    return Ok(None);
                }
                let parts = match count {
                    None => None,
                    Some(0) => Some(Vec::new()),
                    Some(count) => self.parts(path, (&name, count), depth)?,
                };
                variants.push((name, parts));
            }
        }
        Ok((!variants.is_empty()).then(|| Shape::Enum { path: path.to_owned(), variants }))
    }

    /// What is in a variant, where that is made of numbers.
    fn parts(&self, path: &str, (variant, count): (&str, usize), depth: usize) -> Result<Option<Vec<Shape>>, Failure> {
        let Answer::Lines(types) = self.asker.parts_of(path, variant, count)? else { return Ok(None) };
        let mut parts = Vec::with_capacity(count);
        for ty in &types {
            match self.shape(&RustType::parse(ty), ty, depth + 1) {
                Ok(shape) => parts.push(shape),
                Err(Failure::Type(_)) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(parts))
    }

    /// A value that the type's `new` makes.
    fn made(&self, path: &str, name: &str, depth: usize) -> Result<Option<Shape>, Failure> {
        let constructor = match path.ends_with('>') && !path.contains("::<") {
            true => format!("<{path}>::new"),
            false => format!("{path}::new"),
        };
        let Answer::Lines(lines) = self.asker.types_of(&constructor, "")? else { return Ok(None) };
        let Some((result, parameters)) = lines.split_last() else { return Ok(None) };
        let fails = match RustType::parse(result) {
            RustType::Named { path, arguments } if written_as(&arguments, name) => match path.as_str() {
                "core::option::Option" => Some(""),
                "core::result::Result" => Some(".ok()"),
                _ => return Ok(None),
            },
            ty if written(&ty) == name => None,
            _ => return Ok(None),
        };
        let type_name = name.split('<').next().unwrap_or_default().rsplit("::").next().unwrap_or_default();
        let known = self.constructor_names(type_name, parameters.len());
        let mut shapes = Vec::new();
        for (index, ty) in parameters.iter().enumerate() {
            let shape = match self.shape(&RustType::parse(ty), ty, depth + 1) {
                Err(Failure::Type(_)) => return Ok(None),
                shape => shape?,
            };
            let own = known.as_ref().map(|names| names[index].clone()).filter(|name| !name.is_empty());
            shapes.push((own.unwrap_or_else(|| format!("{index}")), shape));
        }
        Ok(Some(Shape::Made { constructor, parameters: shapes, fails: fails.map(str::to_owned) }))
    }

    fn constructor_names(&self, type_name: &str, count: usize) -> Option<Vec<String>> {
        let module = type_name.to_lowercase();
        // Another type's `new` may have as many parameters.
        let around = [module.as_str(), type_name];
        let found = sources::of_name(self.sources, ("new", &around), Some(count)).filter(|of| of.is_in(&around))?;
        Some(found.parameters.clone())
    }

    /// Why a path cannot be called, by the compiler's errors.
    fn refusal(&self, errors: &[Complaint]) -> CrateError {
        let path = self.path.text.clone();
        let error = &errors[0];
        let words = error.message.clone();
        let missing: Vec<String> = errors
            .iter()
            .filter(|error| ["E0282", "E0283", "E0284", "E0790"].contains(&error.code.as_str()))
            .flat_map(|error| {
                error
                    .labels
                    .iter()
                    .chain([&error.message])
                    .filter(|label| !label.contains("`ask`"))
                    .filter_map(|label| missing_parameter(label))
            })
            .collect();
        match error.code.as_str() {
            "E0425" | "E0433" | "E0432" | "E0599" | "E0576" | "E0573" | "E0405" | "E0412" => {
                let name = self.path.crate_name();
                let is_unknown_crate = words.contains(&format!("crate `{name}` in this scope"));
                let words = match is_unknown_crate {
                    true => format!(
                        "{name} is neither this package's library ({}) nor a crate that it depends on",
                        self.library
                    ),
                    false => words,
                };
                let near = if is_unknown_crate { Vec::new() } else { sources::near(self.sources, self.path.name()) };
                CrateError::NoFunction { path, words, near }
            }
            "E0152" => CrateError::Callable {
                path,
                words: format!(
                    "{words}: what calls functions of a crate has the standard library, beside which no crate has such an item; leave it out here, by a \
                     feature or a `cfg`"
                ),
            },
            "E0603" | "E0624" | "E0616" => CrateError::Private { path, words },
            "E0282" | "E0283" | "E0284" | "E0790" => {
                let names = self.path.names();
                let known = sources::of_name(self.sources, (self.path.name(), &names), None);
                let all = known.map(|of| of.generics.clone()).filter(|generics| !generics.is_empty());
                let missing = all.unwrap_or(missing);
                let is_count = |name: &String| name.len() == 1 && "NMKLD".contains(name.as_str());
                let example = missing.iter().map(|name| if is_count(name) { "3" } else { "f64" });
                let example = example.collect::<Vec<_>>().join(", ");
                let path = self.path.without_arguments().to_owned();
                match missing.is_empty() {
                    true => CrateError::Callable {
                        path,
                        words: format!(
                            "{words}: it takes something whose type only a call says, such as a closure; write a function that calls it with one, and \
                             name that"
                        ),
                    },
                    false => CrateError::Generic { path, missing, example },
                }
            }
            "E0277"
                if errors.iter().any(|error| {
                    error.message.contains("unsafe fn") || error.labels.iter().any(|label| label.contains("unsafe"))
                }) =>
            {
                CrateError::Callable { path, words: "it is an unsafe function".to_owned() }
            }
            "E0277" if words.contains("Asked<") => {
                let words = "it is no function of at most 16 parameters".to_owned();
                CrateError::Callable { path, words }
            }
            _ => CrateError::Callable { path, words },
        }
    }
}

/// Whether an error is of a path that leads through what is private, or that is none.
fn is_inaccessible(error: &Complaint) -> bool {
    ["E0603", "E0433", "E0412", "E0425"].contains(&error.code.as_str())
}

/// Paths by which a type of a private module may be reached: with the first of its modules, from none to all but the last, and beside a function.
fn public_paths(path: &str, beside: &str) -> Vec<String> {
    let names: Vec<&str> = path.split("::").collect();
    let Some((name, modules)) = names.split_last() else { return Vec::new() };
    let mut paths: Vec<String> =
        (1..modules.len()).map(|count| [&modules[..count], &[*name]].concat().join("::")).collect();
    let own = format!("{beside}::{name}");
    if !beside.is_empty() && !beside.contains(['<', ' ']) && own != path && !paths.contains(&own) {
        paths.push(own);
    }
    paths
}

/// The generic parameter that the compiler misses: "cannot infer type of the type parameter `T` declared on …".
fn missing_parameter(label: &str) -> Option<String> {
    let at = label.find("parameter `")? + "parameter `".len();
    Some(label[at..].split('`').next()?.to_owned())
}

/// The variants that an error misses, and how many parts each has; `None`: they have names. `patterns `E::A`, `E::B(_)`, `E::C { .. }` and 3 more not covered`.
fn missing_variants(error: &Complaint) -> Vec<(String, Option<usize>)> {
    let is_of_patterns = error.code == "E0004" && error.message.contains("not covered");
    let quoted = error.message.split('`').skip(1).step_by(2).filter(|_| is_of_patterns);
    let variant = |pattern: &str| {
        let end = pattern.find(['(', ' ', '{']).unwrap_or(pattern.len());
        let (path, parts) = pattern.split_at(end);
        let (_, name) = path.rsplit_once("::")?;
        let count = (!parts.contains('{')).then(|| parts.matches('_').count());
        Some((name.to_owned(), count))
    };
    quoted.filter_map(variant).collect()
}

/// The fields of a struct without private ones, by the compiler's suggestion for a pattern that mentions none.
fn public_fields(error: &Complaint) -> Option<Vec<String>> {
    let is_plain = |text: &&String| !text.contains("..") && !text.contains(": _");
    match error.code.as_str() {
        "E0027" if !error.message.contains("inaccessible") => {
            let text = error.suggestions.iter().filter(is_plain).find(|text| text.contains('{'))?;
            let inner = text.trim().trim_start_matches('{').trim_end_matches('}');
            Some(inner.split(',').map(|field| field.trim().to_owned()).filter(|field| !field.is_empty()).collect())
        }
        "E0769" => {
            let text = error.suggestions.iter().find(|text| text.trim().starts_with('('))?;
            let count = text.matches('_').count();
            Some((0..count).map(|index| index.to_string()).collect())
        }
        _ => None,
    }
}

/// The text of a scalar, or of arrays of one.
fn plain(ty: &RustType) -> Option<String> {
    match ty {
        RustType::Named { path, arguments } if arguments.is_empty() && SCALARS.contains(&path.as_str()) => {
            Some(path.clone())
        }
        RustType::Array(element, count) if *count > 0 => Some(format!("[{}; {count}]", plain(element)?)),
        _ => None,
    }
}

fn written_as(arguments: &[RustType], name: &str) -> bool {
    arguments.first().is_some_and(|first| written(first) == name)
}

/// A type's text, as the compiler writes it.
fn written(ty: &RustType) -> String {
    let list = |types: &[RustType]| types.iter().map(written).collect::<Vec<_>>().join(", ");
    match ty {
        RustType::Named { path, arguments } if arguments.is_empty() => path.clone(),
        RustType::Named { path, arguments } => format!("{path}<{}>", list(arguments)),
        RustType::Reference { is_mutable, target } => {
            format!("&{}{}", if *is_mutable { "mut " } else { "" }, written(target))
        }
        RustType::Slice(element) => format!("[{}]", written(element)),
        RustType::Array(element, count) => format!("[{}; {count}]", written(element)),
        RustType::Tuple(parts) if parts.len() == 1 => format!("({},)", list(parts)),
        RustType::Tuple(parts) => format!("({})", list(parts)),
        RustType::Other(text) => text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_of_a_private_module_may_be_above_it() {
        let paths = public_paths("roots::analytical::roots::Roots", "roots::extra");
        assert_eq!(paths, ["roots::Roots", "roots::analytical::Roots", "roots::extra::Roots"]);
        assert_eq!(public_paths("a::T", "a"), [""; 0]);
        assert_eq!(public_paths("a::inner::T", "<a::P as a::Q>"), ["a::T"]);
    }
}
