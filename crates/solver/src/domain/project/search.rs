//! The least and the greatest member of an interval with a monotone property, in few evaluations when the guess is good.

/// The least x in `low..=high` with `holds(x)`, which stays true once it is: `None` if it is nowhere.
pub(super) fn least(low: i128, high: i128, guess: impl FnOnce() -> i128, holds: impl Fn(i128) -> bool) -> Option<i128> {
    if holds(low) {
        return Some(low);
    }
    if low == high || !holds(high) {
        return None;
    }
    // From here on `holds(fails)` is false, `holds(found)` is true, and they approach each other.
    let (mut fails, mut found) = (low, high);
    if found - fails > 1 {
        // A guess outside is near the end on its side.
        let guess = guess().clamp(fails + 1, found - 1);
        let mut step = 1;
        if holds(guess) {
            found = guess;
            while found - fails > step {
                let next = found - step;
                if !holds(next) {
                    fails = next;
                    break;
                }
                (found, step) = (next, (step << 1).max(step));
            }
        } else {
            fails = guess;
            while found - fails > step {
                let next = fails + step;
                if holds(next) {
                    found = next;
                    break;
                }
                (fails, step) = (next, (step << 1).max(step));
            }
        }
    }
    while found - fails > 1 {
        let middle = fails + (found - fails) / 2;
        if holds(middle) {
            found = middle;
        } else {
            fails = middle;
        }
    }
    Some(found)
}

/// The greatest x in `low..=high` with `holds(x)`, which stays false once it is: `None` if it is nowhere.
pub(super) fn greatest(
    low: i128,
    high: i128,
    guess: impl FnOnce() -> i128,
    holds: impl Fn(i128) -> bool,
) -> Option<i128> {
    // Complements reverse the order without overflow.
    least(!high, !low, || !guess(), |x| holds(!x)).map(|x| !x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_threshold_is_found_from_every_guess() {
        for threshold in -9..=9i128 {
            for guess in -9..=9 {
                let expected = (threshold <= 7).then(|| threshold.max(-7));
                assert_eq!(least(-7, 7, || guess, |x| x >= threshold), expected);
                let expected = (threshold >= -7).then(|| threshold.min(7));
                assert_eq!(greatest(-7, 7, || guess, |x| x <= threshold), expected);
            }
        }
    }

    #[test]
    fn a_good_guess_costs_few_evaluations() {
        let evaluations = std::cell::Cell::new(0);
        let found = least(
            0,
            1 << 100,
            || (1 << 70) + 2,
            |x| {
                evaluations.set(evaluations.get() + 1);
                x >= 1 << 70
            },
        );
        assert_eq!((found, evaluations.get()), (Some(1 << 70), 6));
    }
}
