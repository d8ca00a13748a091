use std::path::Path;

use gimli::constants as dw;

use super::debug_info::{DebugInfo, Node};
use super::from_ir::scalar_signature;
use super::functions::{Described, describe_functions};
use super::length::{DEFAULT_CAPACITY, LengthOptions, likely_length};
use super::types::{Plain, TypeError, Types};
use super::{FunctionInfo, SignatureError, access, choose_function};

use crate::{
    Access, Language, Length, Parameter, ParameterType, Pointee, Program, ResultType, ScalarType, Signature, Type,
};

/// The signature of the function `name` in the shared object `library`: see the module's text. With the IR of the same
/// source, directions are narrower and Fortran's values are told from references.
///
/// # Errors
///
/// No such function, no debug information for it, a parameter or result that cannot be driven, or a length option that
/// does not fit.
pub fn signature(
    library: &Path,
    name: &str,
    lengths: &LengthOptions,
    ir: Option<&Program>,
) -> Result<Signature, SignatureError> {
    signature_with_guesses(library, name, lengths, ir).map(|(signature, _)| signature)
}

/// As [`signature`], and the pointer parameters whose length nothing says, so that it was guessed
/// ([`Signature::remark_on_length`] has the words).
///
/// # Errors
///
/// As [`signature`].
pub fn signature_with_guesses(
    library: &Path,
    name: &str,
    lengths: &LengthOptions,
    ir: Option<&Program>,
) -> Result<(Signature, Vec<usize>), SignatureError> {
    let debug = DebugInfo::load(library)?;
    let functions = describe_functions(&debug)?;
    let infos: Vec<FunctionInfo> = functions.iter().map(|function| function.info.clone()).collect();
    let chosen = match choose_function(&infos, Some(name)) {
        // A function of a part without debug information.
        Err(SignatureError::Unknown { .. }) if debug.symbols.iter().any(|symbol| symbol.name == name) => None,
        chosen => {
            let chosen = chosen?;
            functions.iter().find(|function| function.info == *chosen)
        }
    };
    let Some((Described { info, .. }, node)) = chosen.and_then(|function| Some((function, function.node?))) else {
        let in_ir = ir.and_then(|program| program.functions.get(program.function(name)?.index()));
        if let Some(signature) = in_ir.and_then(scalar_signature) {
            return Ok((signature, Vec::new()));
        }
        return Err(SignatureError::NoDebugInformation { function: name.to_owned(), path: library.to_owned() });
    };
    let (mut signature, guessed) = read(&debug, info, node, lengths, ir)?;
    if let Some(program) = ir {
        access::refine(&mut signature, program);
    }
    Ok((signature, guessed))
}

/// The signature of a function that was found; of IR it knows which parameters of Fortran's are values.
pub(super) fn signature_of(
    debug: &DebugInfo,
    info: &FunctionInfo,
    node: Node,
    lengths: &LengthOptions,
    ir: &Program,
) -> Result<(Signature, Vec<usize>), SignatureError> {
    read(debug, info, node, lengths, Some(ir))
}

fn read(
    debug: &DebugInfo,
    info: &FunctionInfo,
    node: Node,
    lengths: &LengthOptions,
    ir: Option<&Program>,
) -> Result<(Signature, Vec<usize>), SignatureError> {
    info.callable()?;
    Reader { types: Types { debug, language: info.language }, info, ir }.read(node, lengths)
}

/// Where a pointer's length comes from, before names and options have their say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// The type says it, or it is one object.
    Known,
    /// Nothing says it: a C pointer, or a Fortran array of variable shape.
    Open,
}

/// Reads one function.
struct Reader<'d> {
    types: Types<'d>,
    info: &'d FunctionInfo,
    ir: Option<&'d Program>,
}

impl Reader<'_> {
    fn read(&self, node: Node, lengths: &LengthOptions) -> Result<(Signature, Vec<usize>), SignatureError> {
        let debug = self.types.debug;
        // An abstract instance has all parameters in order; a concrete one may lack those that were optimised away.
        // A declaration in a class, which a definition completes, may lack their names.
        let declared = match debug.reference(node, dw::DW_AT_abstract_origin)? {
            Some(origin) if self.has_parameters(origin)? => origin,
            _ => node,
        };
        let mut entries = Vec::new();
        for child in debug.children(declared)? {
            match debug.tag(child)? {
                dw::DW_TAG_formal_parameter => entries.push(child),
                dw::DW_TAG_unspecified_parameters => {
                    return Err(SignatureError::Variadic { function: self.info.name.clone() });
                }
                _ => {}
            }
        }
        let result = self.result(node)?;
        let by_value = self.fortran_values(entries.len(), &result);
        let mut parameters = Vec::new();
        let mut extents = Vec::new();
        for (index, entry) in entries.into_iter().enumerate() {
            let name =
                debug.name(entry)?.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("arg{}", index + 1));
            let is_value = by_value.get(index).copied().unwrap_or(false);
            let (ty, extent) = self.parameter(entry, is_value).map_err(|error| match error {
                TypeError::Failed(error) => error,
                TypeError::Unsupported(reason) => SignatureError::Parameter {
                    function: self.info.name.clone(),
                    parameter: name.clone(),
                    ty: self.types.spell(entry).unwrap_or_default(),
                    reason,
                },
            })?;
            parameters.push(Parameter { name, ty });
            extents.push(extent);
        }
        self.must_not_be_hidden(parameters.len(), &result)?;
        let guessed = self.settle_lengths(&mut parameters, &extents, lengths)?;
        let (name, symbol) = (self.info.name.clone(), self.info.symbol.clone());
        Ok((Signature { name, symbol, parameters, result }, guessed))
    }

    fn has_parameters(&self, node: Node) -> Result<bool, SignatureError> {
        for child in self.types.debug.children(node)? {
            if self.types.debug.tag(child)? == dw::DW_TAG_formal_parameter {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Which parameters of a Fortran function the IR takes by value.
    fn fortran_values(&self, count: usize, result: &ResultType) -> Vec<bool> {
        let function = match (self.info.language, self.ir) {
            (Some(Language::Fortran), Some(program)) => {
                access::find(program, &self.info.symbol, &self.info.name).map(|id| &program.functions[id.index()])
            }
            _ => None,
        };
        match function {
            Some(function)
                if function.parameters.len() == count && !matches!(result, ResultType::Value(Pointee::Struct(_))) =>
            {
                function.parameters.iter().map(|parameter| parameter.ty != Type::Pointer).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Refuses a Fortran function whose result is handed over in memory of the caller's, by an address in front of all arguments: debug information
    /// describes it as a subroutine. Of one that has a `result` there, it leaves out arguments, such as
    /// character strings.
    fn must_not_be_hidden(&self, count: usize, result: &ResultType) -> Result<(), SignatureError> {
        let (Some(Language::Fortran), Some(program)) = (self.info.language, self.ir) else { return Ok(()) };
        let function =
            access::find(program, &self.info.symbol, &self.info.name).map(|id| &program.functions[id.index()]);
        let in_ir =
            function.map_or(count, |function| function.parameters.iter().filter(|of| !of.is_struct_return).count());
        if in_ir <= count {
            return Ok(());
        }
        if matches!(result, ResultType::Value(Pointee::Scalar(_))) {
            return Err(SignatureError::Undescribed { function: self.info.name.clone() });
        }
        Err(SignatureError::Result {
            function: self.info.name.clone(),
            ty: "array or derived type".to_owned(),
            reason: "it is handed over in a way that debug information does not describe".to_owned(),
        })
    }

    fn parameter(&self, entry: Node, by_value: bool) -> Result<(ParameterType, Extent), TypeError> {
        let debug = self.types.debug;
        let plain = self.types.plain(entry)?;
        let tag = match plain.node {
            Some(node) => Some(debug.tag(node)?),
            None => None,
        };
        let fortran = self.info.language == Some(Language::Fortran);
        // flang describes a dummy argument by its type alone, and so does gfortran, older versions of which describe a reference.
        let is_reference = matches!(tag, Some(dw::DW_TAG_reference_type | dw::DW_TAG_rvalue_reference_type));
        if fortran && !by_value && !is_reference {
            if matches!(tag, Some(dw::DW_TAG_pointer_type)) {
                return Err(TypeError::Unsupported("pointers and allocatables are not supported".to_owned()));
            }
            return self.memory(plain, false, Extent::Known);
        }
        match (tag, plain.node) {
            (Some(dw::DW_TAG_pointer_type), Some(node)) => {
                let target = self.types.plain(node)?;
                let name = debug.name(node)?.unwrap_or_default();
                // Rust names its pointer types: &f64, &mut f64, *const f64, *mut f64.
                let shared = name.starts_with("*const ") || (name.starts_with('&') && !name.starts_with("&mut "));
                let one = name.starts_with('&') || fortran;
                self.memory(target, shared, if one { Extent::Known } else { Extent::Open })
            }
            (Some(dw::DW_TAG_reference_type | dw::DW_TAG_rvalue_reference_type), Some(node)) => {
                self.memory(self.types.plain(node)?, false, Extent::Known)
            }
            _ => {
                let value = self.by_value(plain)?;
                Ok((ParameterType::Value(value), Extent::Known))
            }
        }
    }

    /// Memory behind a pointer or reference to `target`; `extent` says whether it is one of these.
    fn memory(&self, target: Plain, read_only: bool, extent: Extent) -> Result<(ParameterType, Extent), TypeError> {
        let debug = self.types.debug;
        let Some(node) = target.node else {
            return Err(TypeError::Unsupported("void* says nothing about its memory".to_owned()));
        };
        let (pointee, count, is_const) = match self.types.as_array(target)? {
            Some(_) if debug.own(node, dw::DW_AT_data_location)?.is_some() => {
                return Err(TypeError::Unsupported(
                    "assumed-shape and allocatable arrays are descriptors; give an explicit shape, as in x(n)"
                        .to_owned(),
                ));
            }
            Some(array) => {
                let elements = self.types.elements(array, 0)?;
                (elements.element, elements.count, elements.is_const)
            }
            None => (self.types.value(Some(node), 0)?, Some(1), false),
        };
        if count == Some(0) {
            return Err(TypeError::Unsupported("the array is empty".to_owned()));
        }
        let extent = if count.is_none() { Extent::Open } else { extent };
        let access = if read_only || is_const || target.is_const { Access::In } else { Access::InOut };
        let length = Length::Fixed(count.unwrap_or(1));
        Ok((ParameterType::Pointer { pointee, length, access }, extent))
    }

    fn by_value(&self, plain: Plain) -> Result<Pointee, TypeError> {
        let value = self.types.value(plain.node, 0)?;
        if let (Pointee::Struct(of), Some(node)) = (&value, plain.node) {
            let convention = self.types.debug.unsigned(node, dw::DW_AT_calling_convention)?;
            if convention == Some(u64::from(dw::DW_CC_pass_by_reference.0)) {
                return Err(TypeError::Unsupported("objects with constructors are not supported by value".to_owned()));
            }
            if self.has_rust_convention() && !is_pair(&value) {
                return Err(TypeError::Unsupported(format!(
                    "Rust's own calling convention passes {} in its own way; make the function extern \"C\"",
                    of.name
                )));
            }
        }
        Ok(value)
    }

    /// Whether the function may follow Rust's own convention: names of `extern "C"` functions are mangled, too, unless
    /// they say `no_mangle`.
    fn has_rust_convention(&self) -> bool {
        let symbol = &self.info.symbol;
        self.info.language == Some(Language::Rust) && (symbol.starts_with("_ZN") || symbol.starts_with("_R"))
    }

    fn result(&self, node: Node) -> Result<ResultType, SignatureError> {
        let plain = self.types.plain(node)?;
        let Some(at) = plain.node else { return Ok(ResultType::Void) };
        // Rust's unit.
        if self.types.debug.name(at)?.as_deref() == Some("()") {
            return Ok(ResultType::Void);
        }
        let fail = |reason: String| SignatureError::Result {
            function: self.info.name.clone(),
            ty: self.types.spell(node).unwrap_or_default(),
            reason,
        };
        let value = self.by_value(plain).map_err(|error| match error {
            TypeError::Failed(error) => error,
            TypeError::Unsupported(reason) => fail(reason),
        })?;
        let is_complex = self.types.debug.tag(at)? == dw::DW_TAG_base_type;
        if self.info.language == Some(Language::Fortran) && matches!(value, Pointee::Struct(_)) && !is_complex {
            return Err(fail("derived types are returned in a way that is not supported".to_owned()));
        }
        Ok(ResultType::Value(value))
    }

    /// Fills in the lengths that types leave open; those that no option says are guesses.
    fn settle_lengths(
        &self,
        parameters: &mut [Parameter],
        extents: &[Extent],
        options: &LengthOptions,
    ) -> Result<Vec<usize>, SignatureError> {
        let mut guessed = Vec::new();
        let by_reference = self.info.language == Some(Language::Fortran);
        for index in 0..parameters.len() {
            let name = parameters[index].name.clone();
            if extents[index] == Extent::Known || options.names(&name) {
                continue;
            }
            let ParameterType::Pointer { pointee, length: least, access } = &parameters[index].ty else { continue };
            // Rows are not counted in elements. A struct that is read beside a length is an array until trial runs say otherwise: where it is
            // taken for one object, calls with greater lengths read behind it. One that is written is a result far more often.
            let is_read = *access == Access::In && name != "this";
            let may_be_array = *least == Length::Fixed(1) && (is_read || matches!(pointee, Pointee::Scalar(_)));
            let least = *least;
            let likely = Some(())
                .filter(|()| may_be_array)
                .and_then(|()| likely_length(&name, parameters, by_reference))
                .filter(|length| *length != index);
            guessed.push(index);
            let wanted =
                likely.map_or(least, |length| Length::Parameter { index: length, max: DEFAULT_CAPACITY, beyond: 0 });
            if let ParameterType::Pointer { length, .. } = &mut parameters[index].ty {
                *length = wanted;
            }
        }
        options.apply(parameters)?;
        Ok(guessed)
    }
}

/// Whether C's and Rust's conventions on x86-64 pass a struct in the same registers: one or two scalars of 8 bytes, or
/// one scalar.
fn is_pair(value: &Pointee) -> bool {
    fn scalars(value: &Pointee, found: &mut Vec<ScalarType>) {
        match value {
            Pointee::Scalar(scalar) => found.push(*scalar),
            Pointee::Struct(of) => {
                for field in &of.fields {
                    // An array is never a scalar pair to Rust: two marks exclude it.
                    let copies = if field.is_array { 3 } else { 1 };
                    (0..copies).for_each(|_| scalars(&field.ty, found));
                }
            }
        }
    }
    let mut found = Vec::new();
    scalars(value, &mut found);
    match &found[..] {
        [one] => one.size() == value.size(),
        [first, second] => first.size() == 8 && second.size() == 8,
        _ => false,
    }
}
