use std::path::{Path, PathBuf};

use gimli::constants as dw;

use super::debug_info::DebugInfo;
use super::functions::{Described, describe_functions};
use super::parameters::signature_of;
use super::{FunctionInfo, LengthOptions, SignatureError};
use crate::{Program, Signature};

/// A function of a library, and the source that it was compiled from.
pub(crate) struct Declared {
    pub(crate) info: FunctionInfo,
    /// The compiled source, which is not the file it stands in where that was included.
    pub(crate) unit: PathBuf,
    /// Its signature and the parameters whose lengths were guessed, or why it cannot be driven.
    pub(crate) signature: Result<(Signature, Vec<usize>), SignatureError>,
}

/// All functions that debug information describes in a library, by address.
///
/// # Errors
///
/// The file cannot be read, or its debug information is damaged.
pub(crate) fn declared_functions(
    library: &Path,
    lengths: &LengthOptions,
    ir: &Program,
) -> Result<Vec<Declared>, SignatureError> {
    let debug = DebugInfo::load(library)?;
    let mut functions = Vec::new();
    for described in describe_functions(&debug)? {
        let Described { info, node: Some(node) } = &described else { continue };
        let root = debug.root_of(*node);
        let folder = debug.string(root, dw::DW_AT_comp_dir)?.unwrap_or_default();
        let unit = Path::new(&folder).join(debug.name(root)?.unwrap_or_default());
        let signature = signature_of(&debug, info, *node, lengths, ir);
        functions.push(Declared { info: info.clone(), unit, signature });
    }
    Ok(functions)
}
