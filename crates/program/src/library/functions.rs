use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::first_use::FirstUses;
use super::merge::{Selection, internal_name};
use crate::dwarf::declared_functions;
use crate::ir::flang_symbol;
use crate::{
    Access, FunctionId, IrBinding, IrParameter, Length, LengthOptions, ParameterType, Program, Signature,
    SignatureError, map_parameters,
};

/// A function of a library, in its shared object and in its IR.
#[derive(Clone, Debug)]
pub struct LibraryFunction {
    /// The name that tells it from all others of the library: its name in the source, and before it, with a colon, the
    /// source file where several have a static function of that name.
    pub name: String,
    /// Its name in the source.
    pub source_name: String,
    /// Its symbol in the shared object. Several static functions may share one: the address tells them apart.
    pub symbol: String,
    /// Its address in the shared object.
    pub address: u64,
    /// The file in which it stands, as debug information names it.
    pub file: String,
    /// The line of its declaration, from 1.
    pub line: Option<u32>,
    /// Whether other libraries can call it.
    pub is_public: bool,
    /// The place of its source in [`super::LibraryBuild::units`].
    pub unit: Option<usize>,
    /// Its place in [`super::LibraryBuild::program`].
    pub function: FunctionId,
    /// How it is called, or why it cannot be driven.
    pub signature: Result<Signature, String>,
    /// How the signature maps to the IR; `None` where there is no signature.
    pub binding: Option<IrBinding>,
    /// The pointer parameters whose lengths were guessed.
    pub guessed: Vec<usize>,
}

/// The functions that the shared object and the IR both define, by file and line.
///
/// # Errors
///
/// The shared object's debug information cannot be read.
pub(super) fn collect(
    library: &Path,
    program: &Program,
    selection: &Selection,
    lengths: &LengthOptions,
) -> Result<Vec<LibraryFunction>, SignatureError> {
    let units: HashMap<PathBuf, (usize, &str)> = selection
        .units
        .iter()
        .enumerate()
        .map(|(index, compiled)| (compiled.unit.source.clone(), (index, compiled.unit.label.as_str())))
        .collect();
    let ids: HashMap<&str, FunctionId> = program
        .functions
        .iter()
        .enumerate()
        .filter(|(_, function)| !function.blocks.is_empty())
        .map(|(index, function)| (function.name.as_str(), FunctionId(index as u32)))
        .collect();
    let mut uses = FirstUses::new(program);
    let mut functions = Vec::new();
    let mut seen = BTreeSet::new();
    for declared in declared_functions(library, lengths, program)? {
        let info = declared.info;
        // A program's `main` is no function of a library: a call of it runs the program.
        if !info.has_code || (info.external && info.qualified == "main") {
            continue;
        }
        let unit = declared.unit.canonicalize().unwrap_or(declared.unit);
        let of_unit = units.get(&unit).copied();
        let label = of_unit.map(|(_, label)| label).unwrap_or_default();
        let own = |name: &str| internal_name(&selection.shared_names, label, name).filter(|_| !info.external);
        let ir_name = own(&info.symbol).unwrap_or_else(|| info.symbol.clone());
        let by_flang = || flang_symbol(&ir_name).and_then(|name| ids.get(name.as_str()).copied());
        let Some(function) = ids.get(ir_name.as_str()).copied().or_else(by_flang) else { continue };
        let name = own(&info.symbol).map_or_else(|| info.qualified.clone(), |_| format!("{label}:{}", info.qualified));
        // A function that the debug information describes more than once.
        if !seen.insert((info.address, name.clone())) {
            continue;
        }
        let guessed = declared.signature.as_ref().map_or_else(|_| Vec::new(), |(_, guessed)| guessed.clone());
        let drivable = match declared.signature {
            Ok((signature, _)) => drivable(signature, program, function, &mut uses),
            Err(error) => Err(error.to_string()),
        };
        let (signature, binding) = match drivable {
            Ok((signature, binding)) => (Ok(signature), Some(binding)),
            Err(why) => (Err(why), None),
        };
        functions.push(LibraryFunction {
            name,
            source_name: info.name,
            symbol: info.symbol,
            address: info.address,
            file: info.file.unwrap_or_default(),
            line: info.line,
            is_public: info.external || program.aliases.iter().any(|(_, of)| *of == function),
            unit: of_unit.map(|(index, _)| index),
            function,
            signature,
            binding,
            guessed,
        });
    }
    functions.sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
    Ok(functions)
}

/// The signature of one function with directions as the IR shows them: what is written before it is read is an output, what is never
/// written an input. A signature that does not fit the IR stays as it is.
pub fn with_directions(signature: Signature, program: &Program, function: FunctionId) -> Signature {
    let directed = drivable(signature.clone(), program, function, &mut FirstUses::new(program));
    directed.map_or(signature, |(directed, _)| directed)
}

/// The signature with directions as the IR shows them, and its binding; or why there is none.
fn drivable(
    mut signature: Signature,
    program: &Program,
    function: FunctionId,
    uses: &mut FirstUses<'_>,
) -> Result<(Signature, IrBinding), String> {
    let binding =
        |signature: &Signature| map_parameters(signature, program, function).map_err(|error| error.to_string());
    for (index, carried) in binding(&signature)?.parameters.iter().enumerate() {
        let IrParameter::PointerTo { parameter } = carried else { continue };
        let ParameterType::Pointer { pointee, length, access } = &mut signature.parameters[*parameter].ty else {
            continue;
        };
        let Length::Fixed(count) = *length else { continue };
        if *access == Access::InOut {
            let used = uses.of(function, index);
            if used.is_output(pointee.size().saturating_mul(count)) {
                *access = Access::Out;
            } else if used.is_input() {
                *access = Access::In;
            }
        }
    }
    // Directions do not change what carries what, but offsets in the records follow them.
    let binding = binding(&signature)?;
    Ok((signature, binding))
}
