//! What a call of a C++ function needs beyond a signature that can be driven.

use std::path::Path;

use gimli::constants as dw;

use super::SignatureError;
use super::debug_info::{DebugInfo, Node};
use super::functions::describe_functions;
use super::types::Types;
use crate::Language;

/// A C++ function as its callers see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CppCall {
    /// The parameters' names, without the object of a method.
    pub(crate) parameters: Vec<String>,
    /// The result's type, without scopes: `vector<double, std::allocator<double> >`.
    pub(crate) result: String,
    /// Whether it is called on an object.
    pub(crate) is_method: bool,
    /// Of a method: the object's public constructors that take numbers alone, each with the types of its parameters.
    pub(crate) constructors: Vec<Vec<String>>,
}

/// How the function with this symbol is called; `None` where debug information does not say.
///
/// # Errors
///
/// The file cannot be read, or its debug information is damaged.
pub(crate) fn cpp_call(library: &Path, symbol: &str) -> Result<Option<CppCall>, SignatureError> {
    let debug = DebugInfo::load(library)?;
    let described = describe_functions(&debug)?;
    let found = described.iter().find(|function| function.info.symbol == symbol).and_then(|function| function.node);
    let Some(node) = found else { return Ok(None) };
    let types = Types { debug: &debug, language: Some(Language::Cpp) };
    let mut call = CppCall { result: types.spell(node)?, ..CppCall::default() };
    for child in debug.children(node)? {
        if debug.tag(child)? != dw::DW_TAG_formal_parameter {
            continue;
        }
        if debug.is_set(child, dw::DW_AT_artificial)? {
            call.is_method = true;
            if let Some(pointer) = types.plain(child)?.node
                && let Some(class) = types.plain(pointer)?.node
            {
                call.constructors = constructors(&types, class)?;
            }
            continue;
        }
        let index = call.parameters.len() + 1;
        let name = debug.name(child)?.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("arg{index}"));
        call.parameters.push(name);
    }
    Ok(Some(call))
}

fn constructors(types: &Types<'_>, class: Node) -> Result<Vec<Vec<String>>, SignatureError> {
    let debug = types.debug;
    let name = debug.name(class)?.unwrap_or_default();
    let plain = name.split('<').next().unwrap_or_default();
    let is_class = debug.tag(class)? == dw::DW_TAG_class_type;
    let (public, private) = (u64::from(dw::DW_ACCESS_public.0), u64::from(dw::DW_ACCESS_private.0));
    let (mut found, mut any) = (Vec::new(), false);
    for member in debug.children(class)? {
        if debug.tag(member)? != dw::DW_TAG_subprogram || debug.name(member)?.as_deref() != Some(plain) {
            continue;
        }
        any = true;
        let access =
            debug.unsigned(member, dw::DW_AT_accessibility)?.unwrap_or(if is_class { private } else { public });
        if access != public || debug.is_set(member, dw::DW_AT_deleted)? {
            continue;
        }
        let mut taken = Some(Vec::new());
        for parameter in debug.children(member)? {
            if debug.tag(parameter)? != dw::DW_TAG_formal_parameter || debug.is_set(parameter, dw::DW_AT_artificial)? {
                continue;
            }
            let of = types.plain(parameter)?.node;
            let number = match of {
                Some(node) if debug.tag(node)? == dw::DW_TAG_base_type => debug.name(node)?,
                _ => None,
            };
            taken = taken.zip(number).map(|(mut taken, number)| {
                taken.push(number);
                taken
            });
        }
        found.extend(taken);
    }
    // A class that declares none has that of no arguments.
    if !any {
        found.push(Vec::new());
    }
    Ok(found)
}
