//! In which order reductions of vectors take their lanes.

/// The steps of `llvm.vector.reduce.*` on a start, if there is one, and so many lanes behind it: positions in this list of two operands, whose result then stands in the
/// place of the first. The last result stands in place 0.
///
/// Without reassociation lanes are taken one by one. With it every order is right; this one is that of code generation for x86-64, which adds the upper half of the lanes
/// to the lower one until one is left, and that to the start.
///
/// ```
/// use labrys_program::reduction_steps;
///
/// assert_eq!(reduction_steps(3, true, false), [(0, 1), (0, 2), (0, 3)]);
/// assert_eq!(reduction_steps(4, true, true), [(1, 3), (2, 4), (1, 2), (0, 1)]);
/// assert_eq!(reduction_steps(3, false, true), [(0, 2), (0, 1)]);
/// ```
pub fn reduction_steps(lanes: usize, has_start: bool, may_reassociate: bool) -> Vec<(usize, usize)> {
    let first = usize::from(has_start);
    if !may_reassociate {
        return (1..first + lanes).map(|next| (0, next)).collect();
    }
    let mut steps = Vec::new();
    let mut half = lanes.next_power_of_two() / 2;
    while half > 0 {
        let pairs = (0..half).filter(|lane| lane + half < lanes);
        steps.extend(pairs.map(|lane| (first + lane, first + lane + half)));
        half /= 2;
    }
    steps.extend((has_start && lanes > 0).then_some((0, 1)));
    steps
}
