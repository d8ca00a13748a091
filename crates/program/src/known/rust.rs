//! What compiled code calls of Rust's runtime, by the paths behind mangled names.
//!
//! Parts of names were looked for once: `std::panicking::panic_count::is_zero_slow_path`, which returns, passed for a panic, and
//! the handler of failed allocations for an allocation.

use super::{Allocation, Ending, Freed, HeapFamily, KnownFunction};

/// The function of Rust's runtime that a symbol is.
pub(super) fn named(symbol: &str) -> Option<KnownFunction> {
    if let Some(known) = allocator(symbol) {
        return Some(known);
    }
    // The alternate form leaves hashes out.
    let path = format!("{:#}", rustc_demangle::try_demangle(symbol).ok()?);
    allocator(path.strip_prefix("__rustc::").unwrap_or(&path)).or_else(|| ending(&path))
}

/// Symbols of the allocator, which newer compilers mangle.
fn allocator(name: &str) -> Option<KnownFunction> {
    let allocate = |is_zero| {
        KnownFunction::Allocate(Allocation { size: 0, count: None, align: Some(1), is_zero, family: HeapFamily::Rust })
    };
    Some(match name {
        "__rust_alloc" => allocate(false),
        "__rust_alloc_zeroed" => allocate(true),
        "__rust_dealloc" => KnownFunction::Free(Freed { family: HeapFamily::Rust, size: Some(1) }),
        "__rust_realloc" => KnownFunction::Reallocate { size: 3, family: HeapFamily::Rust },
        "__rust_alloc_error_handler" => KnownFunction::End(Ending::Panic),
        "__rust_no_alloc_shim_is_unstable" | "__rust_no_alloc_shim_is_unstable_v2" => KnownFunction::Nothing,
        _ => return None,
    })
}

/// Functions of type `!`.
fn ending(path: &str) -> Option<KnownFunction> {
    let panics = match path {
        "core::option::unwrap_failed"
        | "core::option::expect_failed"
        | "core::result::unwrap_failed"
        | "core::cell::panic_already_borrowed"
        | "core::cell::panic_already_mutably_borrowed"
        | "core::str::slice_error_fail"
        | "alloc::alloc::handle_alloc_error"
        | "alloc::raw_vec::handle_error"
        | "alloc::raw_vec::capacity_overflow"
        | "std::panicking::begin_panic" => true,
        _ => {
            let bounds = path.strip_prefix("core::slice::index::slice_");
            path.starts_with("core::panicking::") || bounds.is_some_and(|rest| rest.contains("_fail"))
        }
    };
    match path {
        "std::process::exit" => Some(KnownFunction::End(Ending::Exit)),
        "std::process::abort" => Some(KnownFunction::End(Ending::Abort)),
        _ => panics.then_some(KnownFunction::End(Ending::Panic)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_told_from_what_returns() {
        for symbol in [
            "_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE",
            "_RNvNtCs5QSdWC790r4_4core9panicking5panic",
            "_ZN4core6option13unwrap_failed17h0123456789abcdefE",
            "_ZN4core5slice5index26slice_start_index_len_fail17h0123456789abcdefE",
            "_ZN4core5slice5index16slice_index_fail17h0123456789abcdefE",
            "__rust_alloc_error_handler",
        ] {
            assert_eq!(named(symbol), Some(KnownFunction::End(Ending::Panic)), "{symbol}");
        }
        for symbol in [
            "_ZN3std9panicking11panic_count17is_zero_slow_path17h0123456789abcdefE",
            "_ZN3std6thread9panicking17h0123456789abcdefE",
            "is_panicking",
            "no_index_fail",
            "my__rust_alloc_counter",
        ] {
            assert_eq!(named(symbol), None, "{symbol}");
        }
    }

    #[test]
    fn allocations_have_mangled_names_too() {
        let plain = named("__rust_alloc");
        assert!(matches!(plain, Some(KnownFunction::Allocate(Allocation { is_zero: false, .. }))));
        assert_eq!(named("_RNvCsdBezzDwma51_7___rustc12___rust_alloc"), plain);
        let realloc = KnownFunction::Reallocate { size: 3, family: HeapFamily::Rust };
        assert_eq!(named("_RNvCsdBezzDwma51_7___rustc14___rust_realloc"), Some(realloc));
    }
}
