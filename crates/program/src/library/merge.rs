//! The units of a library as one: which of them go together, and their IR in one module.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use object::{Object, ObjectSymbol, SymbolKind};

use super::unit::Compiled;
use crate::LoadError;
use crate::llvm::{Module, ParseError, on_large_stack};

/// The functions that an object defines.
#[derive(Debug, Default)]
struct Symbols {
    /// Visible to other objects, and not weak.
    global: BTreeSet<String>,
    /// Static functions.
    local: BTreeSet<String>,
}

/// Units that can be linked together.
pub(super) struct Selection {
    pub(super) units: Vec<Compiled>,
    /// Names that several units give to static functions of their own, or one unit to a static and another to an external one.
    pub(super) shared_names: BTreeSet<String>,
    /// The units that were left out, and why.
    pub(super) notes: Vec<String>,
}

/// Leaves out units that define again what an earlier one defines, as the programs of a project do with `main`.
pub(super) fn select(units: Vec<Compiled>) -> Selection {
    let mut owners: HashMap<String, String> = HashMap::new();
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    let (mut kept, mut notes) = (Vec::new(), Vec::new());
    for compiled in units {
        let symbols = symbols(&compiled.object);
        let again = symbols.global.iter().find_map(|name| Some((name, owners.get(name)?)));
        if let Some((name, owner)) = again {
            notes.push(format!("{} is left out: it defines {name}, as {owner} does", compiled.unit.label));
            continue;
        }
        for name in symbols.global.iter().chain(&symbols.local) {
            *uses.entry(name.clone()).or_default() += 1;
        }
        owners.extend(symbols.global.into_iter().map(|name| (name, compiled.unit.label.clone())));
        kept.push(compiled);
    }
    let shared_names = uses.into_iter().filter(|(_, count)| *count > 1).map(|(name, _)| name).collect();
    Selection { units: kept, shared_names, notes }
}

/// Of an object that cannot be read: none, and the linker will say why.
fn symbols(object: &Path) -> Symbols {
    let mut symbols = Symbols::default();
    let Ok(bytes) = fs::read(object) else { return symbols };
    let Ok(file) = object::File::parse(&*bytes) else { return symbols };
    for symbol in file.symbols().filter(|symbol| symbol.is_definition() && !symbol.is_weak()) {
        let Ok(name) = symbol.name() else { continue };
        match (symbol.kind(), symbol.is_global()) {
            (SymbolKind::Text | SymbolKind::Data, true) => drop(symbols.global.insert(name.to_owned())),
            (SymbolKind::Text, false) => drop(symbols.local.insert(name.to_owned())),
            _ => {}
        }
    }
    symbols
}

/// The name in the linked IR of a function that `label`'s unit keeps to itself.
pub(super) fn internal_name(shared_names: &BTreeSet<String>, label: &str, name: &str) -> Option<String> {
    shared_names.contains(name).then(|| format!("{label}:{name}"))
}

/// Writes the IR of all units, linked, to `product`. Returns notes on units that LLVM could not link.
pub(super) fn link_bitcode(selection: &Selection, product: &Path) -> Result<Vec<String>, LoadError> {
    let linked = on_large_stack(|| link(selection, product));
    linked.unwrap_or_else(|source| Err(LoadError::Read { name: product.display().to_string(), source }))
}

fn link(selection: &Selection, product: &Path) -> Result<Vec<String>, LoadError> {
    let mut notes = Vec::new();
    let mut linked: Option<Module> = None;
    for Compiled { unit, bitcode, .. } in &selection.units {
        let name = bitcode.display().to_string();
        let bytes = fs::read(bitcode).map_err(|source| LoadError::Read { name: name.clone(), source })?;
        let rename = |function: &str| internal_name(&selection.shared_names, &unit.label, function);
        let added = match &mut linked {
            Some(module) => module.link(&bytes, &name, &rename),
            None => Module::parse(&bytes, &name).map(|mut module| {
                module.rename_internal(&rename);
                linked = Some(module);
            }),
        };
        if let Err(ParseError::Malformed(why) | ParseError::Invalid(why)) = added {
            notes.push(format!("the IR of {} is left out: {why}", unit.label));
        }
    }
    let name = product.display().to_string();
    let module = linked.ok_or(LoadError::Empty { name: name.clone() })?;
    module.verify().map_err(|message| LoadError::Invalid { name: name.clone(), message })?;
    let path = std::ffi::CString::new(name.as_str()).unwrap_or_default();
    if module.write_bitcode(&path) {
        Ok(notes)
    } else {
        Err(LoadError::Read { name, source: std::io::Error::other("it cannot be written") })
    }
}
