//! Equality, `distinct` and if-then-else of any sort.

use super::cells::{Cells, Narrow};
use crate::domain::BoolDomain;
use crate::interval::places::{self, Set};

/// result ⇔ first = second.
pub(super) fn equal(cells: &mut Cells<'_>) -> Narrow {
    if cells.same_variable(1, 2) {
        return cells.meet_truth(0, BoolDomain::True);
    }
    let (a, b) = (*cells.get(1), *cells.get(2));
    match cells.truth(0) {
        Some(true) => {
            cells.meet(1, &b)?;
            let a = *cells.get(1);
            cells.meet(2, &a)
        }
        Some(false) => {
            separate(cells, 1, 2)?;
            separate(cells, 2, 1)
        }
        None => {
            if a.intersect(&b).is_empty() {
                return cells.meet_truth(0, BoolDomain::False);
            }
            match (places::single(&a), places::single(&b)) {
                (Some(a), Some(b)) if a == b => cells.meet_truth(0, BoolDomain::True),
                _ => Ok(()),
            }
        }
    }
}

/// Removes the value of one slot, if it has only one, from another.
fn separate(cells: &mut Cells<'_>, from: usize, other: usize) -> Narrow {
    match places::single(cells.get(other)) {
        Some(place) => {
            let rest = places::without(cells.get(from), Set::Within { low: place, high: place });
            cells.meet(from, &rest)
        }
        None => Ok(()),
    }
}

/// result ⇔ no two arguments are equal.
pub(super) fn distinct(cells: &mut Cells<'_>) -> Narrow {
    let count = cells.arity();
    let mut apart = true;
    for i in 1..=count {
        for j in 1..i {
            if cells.same_variable(i, j) {
                return cells.meet_truth(0, BoolDomain::False);
            }
            let (a, b) = (cells.get(i), cells.get(j));
            if a.intersect(b).is_empty() {
                continue;
            }
            apart = false;
            if places::single(a).is_some() && places::single(b).is_some() {
                return cells.meet_truth(0, BoolDomain::False);
            }
        }
    }
    if apart {
        return cells.meet_truth(0, BoolDomain::True);
    }
    match cells.truth(0) {
        Some(true) => {
            for i in 1..=count {
                for j in (1..=count).filter(|j| *j != i) {
                    separate(cells, i, j)?;
                }
            }
            Ok(())
        }
        Some(false) if count == 2 => {
            let b = *cells.get(2);
            cells.meet(1, &b)?;
            let a = *cells.get(1);
            cells.meet(2, &a)
        }
        _ => Ok(()),
    }
}

/// result = if first then second else third.
pub(super) fn choose(cells: &mut Cells<'_>) -> Narrow {
    if cells.same_variable(2, 3) {
        let (value, result) = (*cells.get(2), *cells.get(0));
        cells.meet(0, &value)?;
        return cells.meet(2, &result);
    }
    if cells.truth(1).is_none() {
        let disjoint = |cells: &Cells<'_>, slot| cells.get(0).intersect(cells.get(slot)).is_empty();
        if disjoint(cells, 2) {
            cells.meet_truth(1, BoolDomain::False)?;
        }
        if disjoint(cells, 3) {
            cells.meet_truth(1, BoolDomain::True)?;
        }
    }
    match cells.truth(1) {
        Some(condition) => {
            let slot = if condition { 2 } else { 3 };
            let value = *cells.get(slot);
            cells.meet(0, &value)?;
            let result = *cells.get(0);
            cells.meet(slot, &result)
        }
        None => {
            let either = cells.get(2).hull(cells.get(3));
            cells.meet(0, &either)
        }
    }
}
