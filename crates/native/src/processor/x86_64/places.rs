//! Where the code that traces tell apart lies in memory.

use std::path::Path;

use object::{Object, ObjectSection};

use crate::symbol::mapped_range;

/// Where a loaded library's own code begins and ends in memory: its `.text`, without linkage stubs; all that is executable
/// where there are no section headers.
pub fn code_range(library: &Path, base: u64) -> Option<(u64, u64)> {
    let text = || {
        let bytes = std::fs::read(library).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        let section = file.section_by_name(".text")?;
        let first = base.wrapping_add(section.address());
        Some((first, first + section.size()))
    };
    let mapped = || {
        let path = library.canonicalize().ok()?;
        mapped_range(|permissions, mapped| permissions.contains('x') && Path::new(mapped) == path)
    };
    text().or_else(mapped)
}

/// The end of the main thread's stack; 0 where it is not known.
pub fn stack_end() -> u64 {
    mapped_range(|_, mapped| mapped == "[stack]").map_or(0, |(_, end)| end)
}
