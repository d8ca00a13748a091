//! How values of types are made of scalars.

/// A variant's name and what is in it; `None` where that is not made of numbers, or has names.
pub(super) type Variant = (String, Option<Vec<Shape>>);

/// A value's shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `f64`, `i32`, `bool`: the type's name.
    Scalar(String),
    /// `[T; N]` of scalars or arrays of such: the type's text.
    Array(String),
    /// A slice's element type, behind a reference.
    Slice { element: String, is_mutable: bool },
    /// `Vec<T>`: the element's type.
    Vector(String),
    /// `&T`, `&mut T`.
    Reference { is_mutable: bool, target: Box<Shape> },
    /// `(A, B)`.
    Tuple(Vec<Shape>),
    /// `Option<T>`.
    Optional(Box<Shape>),
    /// `Result<T, E>`; no shape of errors that are not made of scalars: only that there is one is seen.
    Fallible(Box<Shape>, Option<Box<Shape>>),
    /// A struct whose fields are public: how it is written, and its fields with their names.
    Struct { path: String, fields: Vec<(String, Shape)> },
    /// An enum: how it is written, and its variants.
    Enum { path: String, variants: Vec<Variant> },
    /// A type with private fields: what makes a value of it, and the parameters of that. `fails`: it gives an option behind these words.
    Made { constructor: String, parameters: Vec<(String, Shape)>, fails: Option<String> },
}

impl Shape {
    /// Whether a value of it can be taken apart again.
    pub(super) fn is_output(&self) -> bool {
        match self {
            Shape::Scalar(_) | Shape::Array(_) | Shape::Slice { .. } | Shape::Vector(_) | Shape::Enum { .. } => true,
            Shape::Made { .. } => false,
            Shape::Reference { target, .. } => target.is_output(),
            Shape::Tuple(parts) => parts.iter().all(Shape::is_output),
            Shape::Optional(of) | Shape::Fallible(of, _) => of.is_output(),
            Shape::Struct { fields, .. } => fields.iter().all(|(_, field)| field.is_output()),
        }
    }

    /// Whether a value of it can be made.
    pub(super) fn is_input(&self) -> bool {
        match self {
            Shape::Scalar(_) | Shape::Array(_) | Shape::Slice { .. } | Shape::Vector(_) => true,
            Shape::Reference { target, .. } => target.is_input(),
            Shape::Tuple(parts) => parts.iter().all(Shape::is_input),
            Shape::Optional(of) => of.is_input(),
            Shape::Fallible(of, error) => of.is_input() && error.as_ref().is_none_or(|error| error.is_input()),
            Shape::Struct { fields, .. } => fields.iter().all(|(_, field)| field.is_input()),
            Shape::Enum { variants, .. } => {
                variants.iter().all(|(_, parts)| parts.as_ref().is_some_and(|parts| parts.iter().all(Shape::is_input)))
            }
            Shape::Made { parameters, .. } => parameters.iter().all(|(_, of)| of.is_input()),
        }
    }
}

/// Elements of a vector or slice among the outputs: those behind are not seen, but in its length.
pub(super) const MOST_ELEMENTS: usize = 16;

/// The scalars that records hold.
pub(super) const SCALARS: [&str; 13] =
    ["f64", "f32", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "bool"];
