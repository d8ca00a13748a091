//! Whether a Rust program can look at the order of hash maps.
//!
//! Hash maps have random keys of their hash function, new ones in each run. They are executed with a pair of keys of ours.
//!
//! **Claim.** Where [`hash_order`] says nothing, what a program gets of its hash maps does not hang on the keys, if maps are right under all keys:
//! equal keys have equal hashes, and what is looked up, put in or taken out is what the keys say. **Argument.** Without optimisation each function
//! of the library is there by its name. Those of maps and sets that the program has are all among [`SILENT`], which give nothing of the order; elements are
//! dropped in it, but no type of the program's does something then; which keys are compared and when they are hashed hangs on hashes, but comparing and
//! hashing does nothing else; and nobody but maps and sets makes or uses what hashes.

use super::rust_path;
use crate::{Callee, InstructionKind, Operand, Program};

/// Where keys come from.
pub const HASH_KEYS: &str = "std::sys::random::linux::hashmap_random_keys";

/// Functions of maps, sets and entries that do not show in which order elements are, by their names.
const SILENT: [&str; 35] = [
    "new",
    "with_capacity",
    "default",
    "reserve",
    "insert",
    "get",
    "get_mut",
    "get_key_value",
    "contains_key",
    "contains",
    "remove",
    "remove_entry",
    "take",
    "replace",
    "len",
    "is_empty",
    "clear",
    "entry",
    "or_insert",
    "or_insert_with",
    "or_insert_with_key",
    "or_insert_entry",
    "or_default",
    "and_modify",
    "key",
    "into_mut",
    "into_key",
    "insert_entry",
    "index",
    "extend",
    "extend_one",
    "extend_reserve",
    "from",
    "from_iter",
    "map_entry",
];

/// Whether a path begins with one of the standard library's crates.
fn is_of_library(path: &str) -> bool {
    let names = ["std::", "core::", "alloc::", "hashbrown::"];
    names.iter().any(|name| path.starts_with(name))
}

/// Whether a path is of the standard library, and not of a program's.
fn is_standard(path: &str) -> bool {
    is_of_library(path.trim_start_matches(['<', '&']).trim_start_matches("mut ")) || is_for_plain_type(path)
}

/// Whether a path is of a trait of the library's for a type without a path (`<str as core::cmp::PartialEq>::eq`): a program may have such an implementation only
/// where the trait has one of its types as an argument, as in `<f64 as core::ops::Mul<mine::Point>>::mul`.
fn is_for_plain_type(path: &str) -> bool {
    let Some(inner) = path.strip_prefix('<') else { return false };
    let inner = &inner[..outside(inner, ">").unwrap_or(inner.len())];
    let Some(at) = outside(inner, " as ") else { return false };
    let (ty, implementation) = (&inner[..at], &inner[at + " as ".len()..]);
    let is_part = |c: char| c.is_alphanumeric() || "_:".contains(c);
    let words = |text: &str| text.split(|c| !is_part(c)).all(|word| !word.contains("::") || is_of_library(word));
    is_of_library(implementation) && words(ty) && words(implementation)
}

/// Where something first stands in a text outside of all brackets that are opened there.
fn outside(text: &str, wanted: &str) -> Option<usize> {
    let (mut depth, mut last) = (0_u32, ' ');
    for (at, c) in text.char_indices() {
        // The arrow of a function's type ends nothing.
        let is_arrow = c == '>' && last == '-';
        match c {
            _ if depth == 0 && !is_arrow && text[at..].starts_with(wanted) => return Some(at),
            '<' => depth += 1,
            '>' if !is_arrow => depth = depth.saturating_sub(1),
            _ => {}
        }
        last = c;
    }
    None
}

/// A path without the arguments of generic types and functions, which only some ways of mangling tell: `<A<T> as B<U>>::f::<V>` is `<A as B>::f`.
fn without_arguments(path: &str) -> String {
    let (mut kept, mut depth, mut last) = (String::with_capacity(path.len()), 0u32, ' ');
    for c in path.chars() {
        // Behind a name or `::` arguments begin; elsewhere a type that something belongs to.
        let begins = c == '<' && (depth > 0 || last == ':' || last == '_' || last.is_alphanumeric());
        match c {
            '<' if begins => {
                depth += 1;
                if depth == 1 && kept.ends_with("::") {
                    kept.truncate(kept.len() - 2);
                }
            }
            // The arrow of a function's type ends nothing.
            '>' if depth > 0 && last != '-' => depth -= 1,
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
        last = c;
    }
    kept
}

/// The function's own name, closures in it left out.
fn own_name(path: &str) -> &str {
    path.trim_end_matches("::{{closure}}").trim_end_matches("::{closure#0}").rsplit("::").next().unwrap_or_default()
}

/// Whether a function of the library's shows the order of a map. Those of the map behind the standard library's are called by these alone.
fn shows_order(path: &str) -> bool {
    let of_maps = path.contains("std::collections::hash::") || path.contains("std::collections::hash_");
    of_maps && !path.starts_with("core::") && !SILENT.contains(&own_name(path))
}

/// Whether a function compares or hashes.
fn compares_or_hashes(path: &str) -> bool {
    ["core::cmp::", "core::hash::", "core::mem::discriminant", "core::intrinsics::"].iter().any(|of| path.contains(of))
}

/// Whether a function of the program's is called by maps for their keys.
fn is_of_keys(path: &str) -> bool {
    path.ends_with("::eq") && path.contains(" as core::cmp::PartialEq") || path.ends_with(" as core::hash::Hash>::hash")
}

/// Why what hash maps do is not known: the functions that may look at their order. Nothing of programs without hash maps.
pub(super) fn hash_order(program: &Program, is_unoptimised: bool) -> Option<String> {
    let whole: Vec<Option<String>> = program.functions.iter().map(|function| rust_path(&function.name)).collect();
    let paths: Vec<Option<String>> = whole.iter().map(|path| path.as_deref().map(without_arguments)).collect();
    if !paths.iter().flatten().any(|path| path == HASH_KEYS) {
        return None;
    }
    let random = |what: &str| Some(format!("the order of hash maps is random, and {what}"));
    if !is_unoptimised {
        return random("optimised code does not show whether somebody looks at it");
    }
    for ((function, path), whole) in program.functions.iter().zip(&paths).zip(&whole) {
        let (Some(path), Some(whole)) = (path, whole) else { continue };
        if is_standard(whole) {
            if shows_order(path) {
                return random(&format!("{path} shows it"));
            }
            continue;
        }
        if path.ends_with(" as core::ops::drop::Drop>::drop") {
            return random(&format!("{path} may be called in it"));
        }
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let called = match &instruction.kind {
                InstructionKind::Call(Callee::Function(called), _) => *called,
                InstructionKind::Call(Callee::Indirect(_) | Callee::InlineAsm(_), _)
                | InstructionKind::Store { pointer: Operand::Constant(_), .. }
                    if is_of_keys(path) =>
                {
                    return random(&format!("{path} does more than compare or hash"));
                }
                _ => continue,
            };
            let called = paths.get(called.index()).and_then(Option::as_deref).unwrap_or_default();
            if called.contains("std::hash::random::RandomState") || called.contains("core::hash::BuildHasher") {
                return random(&format!("{path} calls what hashes itself"));
            }
            if is_of_keys(path) && !compares_or_hashes(called) {
                return random(&format!("{path} does more than compare or hash"));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shows_the_order_is_told_by_its_name() {
        for path in [
            "<std::collections::hash::map::Iter<K,V> as core::iter::traits::iterator::Iterator>::next",
            "std::collections::hash::map::HashMap<K,V,S>::retain",
            "std::collections::hash::map::HashMap<K,V,S,A>::keys",
            "<std::collections::hash::set::HashSet<T,S> as core::clone::Clone>::clone",
            "<&std::collections::hash::map::HashMap<K,V,S> as core::iter::traits::collect::IntoIterator>::into_iter",
            "std::collections::hash::set::HashSet<T,S>::capacity",
        ] {
            let path = without_arguments(path);
            assert!(shows_order(&path) && is_standard(&path), "{path}");
        }
        for path in [
            "std::collections::hash::map::HashMap<K,V,S,A>::insert",
            "<std::collections::hash::map::HashMap<K,V,S,A> as core::ops::index::Index<&Q>>::index",
            "std::collections::hash::map::Entry<K,V,A>::or_insert",
            "core::ptr::drop_in_place<std::collections::hash::map::HashMap<u32,f64>>",
            "<alloc::vec::Vec<T> as core::clone::Clone>::clone",
            // As nightly compilers mangle.
            "<core::array::iter::IntoIter<&str, 2> as core::iter::traits::iterator::Iterator>::collect::<std::collections::hash::set::HashSet<&str>>",
            "<std::collections::hash::set::HashSet<&str> as core::iter::traits::collect::FromIterator<&str>>::from_iter::<core::array::iter::IntoIter<&str, 2>>",
            "core::ptr::drop_in_place::<std::collections::hash::map::HashMap<u32, f64>>",
        ] {
            let path = without_arguments(path);
            assert!(!shows_order(&path), "{path}");
        }
        for path in [
            "<mine::T as core::ops::drop::Drop>::drop",
            "<f64 as core::ops::arith::Mul<mine::Point>>::mul",
            "<[mine::T] as core::cmp::PartialEq>::eq",
            "<str as mine::Length>::length",
            "<str as core::cmp::PartialEq<fn(u8) -> mine::T>>::eq",
            "<<str as core::str::pattern::Pattern>::Searcher as mine::Length>::length",
        ] {
            assert!(!is_standard(path), "{path}");
        }
        for path in [
            "<str as core::cmp::PartialEq>::eq",
            "<(u8, alloc::string::String) as core::hash::Hash>::hash::<std::hash::random::DefaultHasher>",
            "<[&str] as core::cmp::PartialEq<[&str]>>::eq",
            "<fn(u8) -> u8 as core::ops::function::FnOnce<(u8,)>>::call_once::<mine::f>",
        ] {
            assert!(is_standard(path), "{path}");
        }
        assert_eq!(own_name(&without_arguments("std::a::B<K>::or_insert_with::<F>::{closure#0}")), "or_insert_with");
        let hash =
            without_arguments("<mine::K<fn(u8) -> u8> as core::hash::Hash>::hash::<std::hash::random::DefaultHasher>");
        assert!(hash == "<mine::K as core::hash::Hash>::hash" && is_of_keys(&hash), "{hash}");
    }
}
