//! Finding a function in a library: by the dynamic linker where it is exported, else in `.symtab`.

use std::path::Path;

use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};

use crate::NativeError;
use crate::sandbox::page_size;

/// The function's address relative to the library's first byte, from its symbol tables.
pub fn offset_of(library: &Path, symbol: &str) -> Result<u64, NativeError> {
    let unreadable = |reason: String| NativeError::Object { library: library.to_owned(), reason };
    let bytes = std::fs::read(library).map_err(|error| unreadable(error.to_string()))?;
    let file = object::File::parse(&*bytes).map_err(|error| unreadable(error.to_string()))?;
    let named = |candidate: &object::Symbol<'_, '_>| {
        candidate.name() == Ok(symbol) && candidate.is_definition() && candidate.kind() == SymbolKind::Text
    };
    let found = file.symbols().find(named).or_else(|| file.dynamic_symbols().find(named));
    found
        .map(|found| found.address())
        .ok_or_else(|| NativeError::NoSymbol { library: library.to_owned(), symbol: symbol.to_owned() })
}

/// A part of this process' address space.
pub struct Mapping {
    /// Its first address and the one after its last.
    pub range: (u64, u64),
    /// As in /proc/self/maps: `r-xp`.
    pub permissions: String,
    /// The file behind it, a name in brackets, or nothing.
    pub path: String,
}

/// All parts of this process' address space; none where the system does not tell.
pub fn mappings() -> Vec<Mapping> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.lines().filter_map(mapping).collect()
}

fn mapping(line: &str) -> Option<Mapping> {
    let mut words = line.split_ascii_whitespace();
    let (first, last) = words.next()?.split_once('-')?;
    let range = (u64::from_str_radix(first, 16).ok()?, u64::from_str_radix(last, 16).ok()?);
    let path = line.find(['/', '[']).map_or("", |at| &line[at..]);
    Some(Mapping { range, permissions: words.next()?.to_owned(), path: path.to_owned() })
}

/// The addresses of this process' mappings that `wanted` accepts, by permissions and path, as one range.
pub fn mapped_range(wanted: impl Fn(&str, &str) -> bool) -> Option<(u64, u64)> {
    let wanted = mappings().into_iter().filter(|mapping| wanted(&mapping.permissions, &mapping.path));
    wanted.map(|mapping| mapping.range).reduce(|(low, high), (first, last)| (low.min(first), high.max(last)))
}

/// Where a loaded library begins and ends in memory.
pub fn loaded_range(library: &Path) -> Option<(u64, u64)> {
    let path = library.canonicalize().ok()?;
    mapped_range(|_, mapped| Path::new(mapped) == path)
}

/// What is added to a library's own addresses, given where it was loaded.
pub fn base(library: &Path, range: (u64, u64)) -> Result<u64, NativeError> {
    let unreadable = |reason: String| NativeError::Object { library: library.to_owned(), reason };
    let bytes = std::fs::read(library).map_err(|error| unreadable(error.to_string()))?;
    let file = object::File::parse(&*bytes).map_err(|error| unreadable(error.to_string()))?;
    let lowest = file.segments().map(|segment| segment.address()).min().unwrap_or(0);
    Ok(range.0.wrapping_sub(lowest / page_size() * page_size()))
}
