//! A `main` for a program that is entered elsewhere: it asks for the arguments as inputs and makes the call.

use labrys_float::Format;
use labrys_program::{Function, Type};
use thiserror::Error;

/// Why a function cannot be called with inputs for arguments.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("parameter {number} of {function} is {what}: only integers and floats are given natively")]
pub struct EntryError {
    /// The function.
    pub function: String,
    /// The parameter's number, from 1.
    pub number: usize,
    /// What it is.
    pub what: &'static str,
}

/// C that defines `main` as a call of the function, its arguments inputs in their order.
///
/// # Errors
///
/// [`EntryError`], where an argument is no number.
pub fn entry_main(function: &Function) -> Result<String, EntryError> {
    let mut types = Vec::new();
    for (index, parameter) in function.parameters.iter().enumerate() {
        let refused = |what| EntryError { function: function.name.clone(), number: index + 1, what };
        if parameter.by_value.is_some() || parameter.is_struct_return {
            return Err(refused("a struct in memory"));
        }
        types.push(c_type(&parameter.ty).ok_or_else(|| refused("no number"))?);
    }
    let parameters = if types.is_empty() { "void".to_owned() } else { types.join(", ") };
    let mut text = format!(
        "\nextern void labrys_entry({parameters}) __asm__(\"{}\");\nint main(void) {{\n",
        function.name.replace(['"', '\\', '\n'], "")
    );
    for (index, (ty, parameter)) in types.iter().zip(&function.parameters).enumerate() {
        let size = parameter.ty.alloc_size();
        let other = parameter.ty.store_size();
        let name = parameter.name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "_");
        text.push_str(&format!(
            "    {ty} a{index};\n    memset(&a{index}, 0, sizeof a{index});\n    labrys_input(&a{index}, {size}, {other}, \"{name}\", 0);\n"
        ));
    }
    let arguments: Vec<String> = (0..types.len()).map(|index| format!("a{index}")).collect();
    text.push_str(&format!("    labrys_entry({});\n    return 0;\n}}\n", arguments.join(", ")));
    Ok(text)
}

/// The C type of a number. The result is not looked at, so that its type does not matter to the call.
fn c_type(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Int(1) => "_Bool",
        Type::Int(8) => "signed char",
        Type::Int(16) => "short",
        Type::Int(32) => "int",
        Type::Int(64) => "long",
        Type::Int(128) => "__int128",
        Type::Float(format) if *format == Format::BINARY32 => "float",
        Type::Float(format) if *format == Format::BINARY64 => "double",
        Type::Float(format) if *format == Format::X87 => "long double",
        _ => return None,
    })
}
