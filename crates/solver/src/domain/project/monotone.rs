//! Direct and inverse projections of any [`Operation`].
//!
//! **Claim.** Neither loses a member: for members aᵢ of the operands' sets and a mode m of the modes, op(m, a₁ … a_N) is in
//! [`forward`]'s set; and if it is in the result's set, each aᵢ is in its set of [`inverse`].
//!
//! **Argument.** Cut each operand's set into pieces of one sign and one class. On a combination of pieces the operation
//! is NaN everywhere or nowhere, and monotone in the rank of each operand, since rounding is monotone and a zero result's sign
//! is that of the exact result, or, where that is zero, the same for all zeros of the combination and so between those of
//! negative and positive underflows. Hence its image lies between the values at two corners. For the inverse take
//! one run r₁ … r₂ of consecutive ranks of the result and suppose the operation grows with operand i. If op(a) is
//! in the run then, all other operands moved to where they make the result greatest, it is still at least r₁: a property that
//! stays true as aᵢ grows, so the least aᵢ that has it bounds all. Likewise the greatest aᵢ for which
//! the result, made least by the others, is at most r₂. Bounds are found by bisection with the operation itself, in
//! every mode, so no reasoning about halves of ulps is needed (compare the mid() of Michel, CP 2002, and the tables of Botella,
//! Gotlieb, Michel, STVR 2006, section 4, for infinities and zeros: here they are pieces like others). Other
//! operands' bounds may be used already narrowed, since members outside them have no partners.
//!
//! The bounds found are the best for the hull of the operation's image; an image with gaps inside a run may leave end points
//! without partners.

use labrys_float::{Format, RoundingMode};

use super::operation::{Operation, Piece};
use super::search::{greatest, least};
use crate::domain::{FloatDomain, ModeDomain};

/// The corner of a box where the operation is greatest, or least.
fn corner<const N: usize>(
    operation: &impl Operation<N>,
    pieces: &[Piece; N],
    negative: [bool; N],
    greatest: bool,
) -> [i128; N] {
    std::array::from_fn(|place| {
        let (low, high) = pieces[place];
        if operation.increases(place, negative) == greatest { high } else { low }
    })
}

fn signs<const N: usize>(pieces: &[Piece; N]) -> [bool; N] {
    pieces.map(|(low, _)| low < 0)
}

/// Calls `visit` with every combination of the operands' pieces.
fn combinations<const N: usize>(args: [&FloatDomain; N], mut visit: impl FnMut([Piece; N])) {
    let pieces = args.map(FloatDomain::pieces);
    let mut digits = [0; N];
    if pieces.iter().any(|pieces| pieces.as_slice().is_empty()) {
        return;
    }
    loop {
        visit(std::array::from_fn(|place| pieces[place].as_slice()[digits[place]]));
        let Some(place) = (0..N).find(|&place| digits[place] + 1 < pieces[place].as_slice().len()) else {
            return;
        };
        digits[place] += 1;
        digits[..place].fill(0);
    }
}

/// The results of an operation on members of the operands' sets.
pub(super) fn forward<const N: usize>(
    operation: &impl Operation<N>,
    modes: ModeDomain,
    format: Format,
    args: [&FloatDomain; N],
) -> FloatDomain {
    let mut results = FloatDomain::empty(format);
    if modes.0 == 0 || args.iter().any(|arg| arg.is_empty()) {
        return results;
    }
    results.nan = args.iter().any(|arg| arg.nan);
    combinations(args, |pieces| {
        let negative = signs(&pieces);
        for mode in modes.modes() {
            let low = operation.apply(mode, corner(operation, &pieces, negative, false));
            let high = operation.apply(mode, corner(operation, &pieces, negative, true));
            match (low, high) {
                (Some(low), Some(high)) => operation.insert(mode, &pieces, (low, high), &mut results),
                _ => results.nan = true,
            }
        }
    });
    results
}

/// The members of the operands' sets that have partners with which the result may be a member of its set, narrowed in
/// the order of the operands.
pub(super) fn inverse<const N: usize>(
    operation: &impl Operation<N>,
    modes: ModeDomain,
    result: &FloatDomain,
    args: [&FloatDomain; N],
) -> [FloatDomain; N] {
    let mut kept = args.map(|arg| FloatDomain::empty(arg.format));
    if modes.0 == 0 || result.is_empty() || args.iter().any(|arg| arg.is_empty()) {
        return kept;
    }
    if result.nan {
        for place in 0..N {
            // A NaN suits every partner.
            kept[place].nan = args[place].nan;
            if (0..N).any(|other| other != place && args[other].nan) {
                kept[place] = *args[place];
            }
        }
    }
    let runs = result.runs();
    combinations(args, |pieces| {
        // Most combinations with zeros and infinities say nothing new.
        if (0..N).all(|place| kept[place].contains_rank(pieces[place].0) && kept[place].contains_rank(pieces[place].1))
        {
            return;
        }
        let negative = signs(&pieces);
        for mode in modes.modes() {
            let bottom = operation.apply(mode, corner(operation, &pieces, negative, false));
            let top = operation.apply(mode, corner(operation, &pieces, negative, true));
            let (Some(bottom), Some(top)) = (bottom, top) else {
                if result.nan {
                    insert(&mut kept, &pieces);
                }
                // NaN in one mode is NaN in all.
                break;
            };
            for &(low, high) in runs.as_slice() {
                if high < bottom || top < low {
                    continue;
                }
                if low <= bottom && top <= high {
                    insert(&mut kept, &pieces);
                } else if let Some(narrow) = narrowed(operation, mode, (low, high), pieces, negative) {
                    insert(&mut kept, &narrow);
                }
            }
        }
    });
    kept
}

fn insert<const N: usize>(domains: &mut [FloatDomain; N], pieces: &[Piece; N]) {
    for (domain, piece) in domains.iter_mut().zip(pieces) {
        domain.insert(piece.0, piece.1);
    }
}

/// One combination's pieces cut to what one run of results leaves; `None` if nothing.
fn narrowed<const N: usize>(
    operation: &impl Operation<N>,
    mode: RoundingMode,
    (low, high): Piece,
    mut pieces: [Piece; N],
    negative: [bool; N],
) -> Option<[Piece; N]> {
    for place in 0..N {
        if pieces[place].0 == pieces[place].1 {
            continue;
        }
        let most = corner(operation, &pieces, negative, true);
        let fewest = corner(operation, &pieces, negative, false);
        let with = |mut args: [i128; N], x: i128| {
            args[place] = x;
            args
        };
        let reaches = |x: i128| operation.apply(mode, with(most, x)).is_some_and(|result| result >= low);
        let stays = |x: i128| operation.apply(mode, with(fewest, x)).is_some_and(|result| result <= high);
        let guess = |below: i128, args: [i128; N]| move || boundary(operation, mode, place, below, args);
        let (first, last) = pieces[place];
        pieces[place] = if operation.increases(place, negative) {
            let first = least(first, last, guess(low - 1, most), reaches)?;
            (first, greatest(first, last, guess(high, fewest), stays)?)
        } else {
            let first = least(first, last, guess(high, fewest), stays)?;
            (first, greatest(first, last, guess(low - 1, most), reaches)?)
        };
    }
    Some(pieces)
}

/// About where operand `place` makes the result step from the rank `below` to the next.
fn boundary<const N: usize>(
    operation: &impl Operation<N>,
    mode: RoundingMode,
    place: usize,
    below: i128,
    args: [i128; N],
) -> i128 {
    let solve = |target: i128| operation.solve(place, target, args);
    let nearer = if below >= 0 { below } else { below + 1 };
    let guess = match mode {
        RoundingMode::TowardPositive => solve(below),
        RoundingMode::TowardNegative => solve(below + 1),
        RoundingMode::TowardZero => solve(if below >= 0 { below + 1 } else { below }),
        RoundingMode::NearestEven | RoundingMode::NearestAway => match (solve(below), solve(below + 1)) {
            (Some(first), Some(second)) => operation.arithmetic().mean(first, second),
            _ => None,
        },
    };
    guess.or_else(|| solve(nearer)).unwrap_or(args[place])
}
