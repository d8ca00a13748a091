//! Variables that preparation adds.

use labrys_term::{Sort, Store, TermId};

/// A variable that no text can name.
pub(super) fn fresh(store: &mut Store, count: &mut usize, what: &str, sort: Sort) -> TermId {
    loop {
        *count += 1;
        // SMT-LIB's symbols hold no bar.
        let name = format!("{what}|{count}");
        if store.find_variable(&name).is_none() {
            return store.variable(&name, sort);
        }
    }
}
