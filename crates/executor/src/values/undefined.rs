//! Bits of memory that was never written, where masks tell them from others: bit-fields.
//!
//! The machine marks a whole scalar undefined. `x.a = 1` reads the word of a bit-field, masks the field out and puts the new
//! bits in; the other bits stay undefined, and must not make the field so. So a mask of an undefined integer gives a variable of
//! its own, which stands for bits of any value; a term that contains one is undefined, once masks and shifts have dropped
//! what they remove.

use labrys_interp::{Int, IntOperation};
use labrys_program::IntBinary;
use labrys_symex::int_facts::possible_ones;
use labrys_symex::int_terms;
use labrys_term::{Op, Sort, Store, TermId};
use rustc_hash::FxHashSet;

/// The variables that stand for undefined bits.
#[derive(Debug, Default)]
pub(super) struct Undefined {
    variables: FxHashSet<TermId>,
    /// Terms that are known to contain none of them.
    clean: FxHashSet<TermId>,
}

impl Undefined {
    /// An integer of undefined bits.
    pub(super) fn integer(&mut self, store: &mut Store, bits: u32) -> Int<TermId> {
        let sort = if bits == 1 { Sort::Bool } else { Sort::BitVec(bits) };
        let variable = store.variable(&format!("undefined#{}:{bits}", self.variables.len()), sort);
        self.variables.insert(variable);
        Int::symbolic(bits, variable)
    }

    /// Whether one of the variables occurs in a term.
    pub(super) fn is_in(&mut self, store: &Store, term: TermId) -> bool {
        if self.variables.is_empty() {
            return false;
        }
        let mut pending = vec![term];
        let mut seen = Vec::new();
        while let Some(term) = pending.pop() {
            if self.variables.contains(&term) {
                seen.iter().for_each(|term| {
                    self.clean.remove(term);
                });
                return true;
            }
            if store.has_variables(term) && self.clean.insert(term) {
                seen.push(term);
                pending.extend_from_slice(&store.node(term).args);
            }
        }
        false
    }
}

/// The operands without the parts of a disjunction that a mask, shift or cut removes; `None` where it removes none.
pub(super) fn without_masked_parts(
    store: &mut Store,
    operation: IntOperation,
    operands: &[Int<TermId>],
) -> Option<Vec<Int<TermId>>> {
    let whole = operands.first()?;
    let (index, kept) = match (operation, operands) {
        (IntOperation::Binary(IntBinary::And), [_, mask]) if mask.concrete().is_some() => (0, mask.concrete()?),
        (IntOperation::Binary(IntBinary::And), [mask, _]) if mask.concrete().is_some() => (1, mask.concrete()?),
        (IntOperation::Extract { high, low }, _) => (0, (u128::MAX >> (127 - (high - low).min(127))) << low),
        (IntOperation::Binary(IntBinary::LShr | IntBinary::AShr), [_, by]) => {
            let by = u32::try_from(by.concrete()?).ok().filter(|by| *by < whole.bits())?;
            (0, u128::MAX << by)
        }
        (IntOperation::Binary(IntBinary::Shl), [_, by]) => {
            let by = u32::try_from(by.concrete()?).ok().filter(|by| *by < whole.bits())?;
            (0, u128::MAX >> (128 - (whole.bits() - by)))
        }
        _ => return None,
    };
    let operand = &operands[index];
    let term = *operand.symbol()?;
    let mut parts = Vec::new();
    let mut pending = vec![term];
    let mut is_shorter = false;
    while let Some(part) = pending.pop() {
        let node = store.node(part);
        if node.op == Op::BvOr {
            pending.extend(node.args.iter().rev().copied());
        } else if possible_ones(store, part) & kept == 0 {
            is_shorter = true;
        } else {
            parts.push(part);
        }
        // Longer disjunctions are no bit-fields.
        if parts.len() + pending.len() > 64 {
            return None;
        }
    }
    if !is_shorter {
        return None;
    }
    let mut parts = parts.into_iter();
    let left = match parts.next() {
        Some(first) => {
            let left = parts.fold(first, |left, part| store.mk(Op::BvOr, &[left, part]));
            int_terms::as_int(store, operand.bits(), left)
        }
        None => Int::new(operand.bits(), 0),
    };
    let mut fewer = operands.to_vec();
    fewer[index] = left;
    Some(fewer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_drops_the_undefined_part() {
        let mut store = Store::new();
        let mut undefined = Undefined::default();
        let junk = undefined.integer(&mut store, 8);
        let field = Int::symbolic(8, store.variable("field", Sort::BitVec(8)));
        let and = IntOperation::Binary(IntBinary::And);
        let high = int_terms::operation(&mut store, and, &[junk, Int::new(8, 0xf8)]);
        let low = int_terms::operation(&mut store, and, &[field, Int::new(8, 7)]);
        let word = int_terms::operation(&mut store, IntOperation::Binary(IntBinary::Or), &[high, low.clone()]);
        assert!(undefined.is_in(&store, *word.symbol().unwrap()));
        let read = [word.clone(), Int::new(8, 7)];
        assert_eq!(without_masked_parts(&mut store, and, &read).unwrap()[0], low);
        assert!(!undefined.is_in(&store, *low.symbol().unwrap()));
        let other = [word, Int::new(8, 0x0f)];
        assert_eq!(without_masked_parts(&mut store, and, &other), None);
    }
}
