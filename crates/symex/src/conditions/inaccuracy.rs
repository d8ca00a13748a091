//! Conditions under which a program loses digits.
//!
//! Two kinds, of two papers:
//!
//! - *Cancellation* (H. Guo, C. Rubio-González, "Efficient Generation of Error-Inducing Floating-Point Inputs via Symbolic Execution",
//!   ICSE 2020, section 3): a sum loses bits of its smaller operand, and a later one, which depends on it, cancels. Exponents Δ apart are
//!   here |x| ≥ 2^Δ |y|, and a result ∇ exponents lower |x + y| ≤ 2^-∇ |x|.
//! - *Amplification* (D. Zou, M. Zeng, Y. Xiong, Z. Fu, L. Zhang, Z. Su, "Detecting Floating-Point Errors via Atomic Conditions", POPL 2020,
//!   section 3): an operation whose condition number |x f′(x)/f(x)| is at least 2^∇ has an operand that was rounded. Sums that cancel
//!   are such, and functions near their zeros and poles; what is as large as the operand itself (exp, sinh, pow) is large nowhere
//!   that it does not overflow.
//!
//! A condition is a Bool term over the inputs' Float terms, and has a reading over the reals ([`labrys_term::reals::Abstraction`]) where its
//! operations have. What the reals cannot say stands beside it: that the operand in question *was* rounded, by the exact error of the
//! operation that made it (x·y − fl(x·y) by fma; of a sum by Fast2Sum, which is exact where the larger operand is known). Without that
//! solvers like to give powers of two, on which all is exact.
//!
//! A condition is a guess: inputs that satisfy it are run and judged as all others.

use labrys_elementary::Function;
use labrys_float::{Float, Format, RoundingMode};
use labrys_term::{Op, Store, TermId};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{LibraryOperator, Site, SiteExecution, SiteOperator};

/// A sum is looked for among so many operations before the one that depends on it.
const FURTHEST: usize = 1000;

/// By which paper's condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InaccuracyKind {
    /// Precision loss, and cancellation at a later sum.
    Cancellation,
    /// A large condition number of an operation on what was rounded.
    Amplification,
}

/// When a program loses digits at an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InaccuracyCondition {
    /// Whose condition it is.
    pub kind: InaccuracyKind,
    /// Index of the execution that amplifies.
    pub site: usize,
    /// The condition with that of the path, without what only floats know.
    pub term: TermId,
    /// That what is amplified was rounded.
    pub rounded: TermId,
}

/// How much is lost, and how many conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InaccuracyOptions {
    /// Δ, in hundredths of the precision.
    pub lost: u32,
    /// ∇, in hundredths of the precision.
    pub cancelled: u32,
    /// At most so many conditions of each kind.
    pub max_conditions: usize,
    /// Executions of one operation that are asked about.
    pub max_executions: usize,
    /// Operations whose operands, or whose paths, are larger than so many nodes are passed over.
    pub max_nodes: usize,
}

impl Default for InaccuracyOptions {
    /// 28 and 40 bits of 53, 24 conditions of each kind, three executions of an operation, 400 nodes.
    fn default() -> InaccuracyOptions {
        InaccuracyOptions { lost: 53, cancelled: 76, max_conditions: 24, max_executions: 3, max_nodes: 400 }
    }
}

/// The conditions of a program's executions: operations in turn, of each the executions with the smallest terms first.
pub fn inaccuracy_conditions(
    store: &mut Store,
    executions: &[SiteExecution],
    options: &InaccuracyOptions,
) -> Vec<InaccuracyCondition> {
    let mut made = Made { executions, by_result: FxHashMap::default(), options };
    for (index, execution) in executions.iter().enumerate() {
        made.by_result.entry(execution.result).or_insert(index);
    }
    let mut conditions = Vec::new();
    for (kind, candidates) in [
        (InaccuracyKind::Cancellation, made.losses_and_cancellations(store)),
        (InaccuracyKind::Amplification, made.amplifications(store)),
    ] {
        let chosen = in_turn(store, executions, candidates, options);
        let mut seen = FxHashSet::default();
        for Candidate { site, condition, rounded } in chosen {
            let term = store.and(&[executions[site].path, condition]);
            if seen.len() < options.max_conditions && seen.insert((term, rounded)) {
                conditions.push(InaccuracyCondition { kind, site, term, rounded });
            }
        }
    }
    conditions
}

/// A condition without its path.
struct Candidate {
    site: usize,
    condition: TermId,
    rounded: TermId,
}

/// The first execution of each operation, then the second of each; in each turn the smallest terms first.
fn in_turn(
    store: &Store,
    executions: &[SiteExecution],
    candidates: Vec<Candidate>,
    options: &InaccuracyOptions,
) -> Vec<Candidate> {
    let sized = |of: Candidate| {
        let execution = &executions[of.site];
        let size = reachable_within(store, &execution.operands, options.max_nodes)?.len();
        reachable_within(store, &[execution.path], options.max_nodes)?;
        Some((size, of))
    };
    let mut ranked: Vec<(usize, Candidate)> = candidates.into_iter().filter_map(sized).collect();
    ranked.sort_by_key(|(size, of)| (*size, of.site));
    let mut turns: FxHashMap<&Site, usize> = FxHashMap::default();
    let mut keyed = Vec::new();
    for (size, of) in ranked {
        let turn = turns.entry(&executions[of.site].site).or_default();
        if *turn < options.max_executions {
            keyed.push((*turn, size, of));
        }
        *turn += 1;
    }
    keyed.sort_by_key(|(turn, size, of)| (*turn, *size, of.site));
    keyed.into_iter().map(|(_, _, of)| of).collect()
}

/// What is executed, by results.
struct Made<'a> {
    executions: &'a [SiteExecution],
    by_result: FxHashMap<TermId, usize>,
    options: &'a InaccuracyOptions,
}

impl Made<'_> {
    /// Each sum after the last one that it depends on and that may lose bits.
    fn losses_and_cancellations(&self, store: &mut Store) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for (site, execution) in self.executions.iter().enumerate().filter(|(_, execution)| is_sum(execution)) {
            let below = reachable_within(store, &execution.operands, self.options.max_nodes);
            let Some(below) = below else { continue };
            let is_before = |earlier: &&SiteExecution| is_sum(earlier) && below.contains(&earlier.result);
            let Some(loss) = self.executions[..site].iter().rev().take(FURTHEST).find(is_before) else { continue };
            let Some(cancels) = cancels(store, execution, self.options) else { continue };
            let Some((lost, rounded)) = loses(store, loss, self.options) else { continue };
            let condition = store.and(&[lost, cancels]);
            candidates.push(Candidate { site, condition, rounded });
        }
        candidates
    }

    /// Sums of what was rounded that cancel, and functions of it near their zeros and poles.
    fn amplifications(&self, store: &mut Store) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for (site, execution) in self.executions.iter().enumerate() {
            let rounded: Vec<TermId> =
                execution.operands.iter().filter_map(|operand| self.was_rounded(store, *operand)).collect();
            if rounded.is_empty() {
                continue;
            }
            let rounded = store.or(&rounded);
            let conditions = match &execution.operation {
                SiteOperator::Add | SiteOperator::Sub => cancels(store, execution, self.options).into_iter().collect(),
                SiteOperator::Library(LibraryOperator::Elementary(function)) => {
                    near_zeros_and_poles(store, *function, execution, self.options)
                }
                _ => Vec::new(),
            };
            candidates.extend(conditions.into_iter().map(|condition| Candidate { site, condition, rounded }));
        }
        candidates
    }

    /// When a value was rounded; `None` where it is an input, a constant, or their negation.
    fn was_rounded(&self, store: &mut Store, value: TermId) -> Option<TermId> {
        let mut value = value;
        while let (Op::FpNeg | Op::FpAbs, &[inner]) = (&store.node(value).op, store.node(value).args.as_slice()) {
            value = inner;
        }
        let execution = &self.executions[*self.by_result.get(&value)?];
        let (operands, result) = (&execution.operands, execution.result);
        let nearest = store.rounding_mode(RoundingMode::NearestEven);
        let exact = |store: &mut Store, a, b, c| {
            let (negated, zero) = (store.mk(Op::FpNeg, &[c]), store.float_const(Float::zero(execution.format, false)));
            let error = store.mk(Op::FpFma, &[nearest, a, b, negated]);
            store.mk(Op::FpEq, &[error, zero])
        };
        let is_exact = match (&execution.operation, operands.as_slice()) {
            (SiteOperator::Mul, &[x, y]) => exact(store, x, y, result),
            (SiteOperator::Div, &[x, y]) => exact(store, result, y, x),
            (SiteOperator::Sqrt, &[x]) => exact(store, result, result, x),
            (SiteOperator::Add | SiteOperator::Sub, &[x, y]) => {
                let [of_x, of_y] = [(x, y, false), (y, x, true)]
                    .map(|(large, small, swapped)| is_whole(store, execution, large, small, swapped));
                // Whichever is the larger operand, the test with it is exact.
                store.and(&[of_x, of_y])
            }
            // Values of functions are seldom floats.
            (SiteOperator::Library(_) | SiteOperator::Fma, _) => store.bool_const(false),
            _ => return None,
        };
        Some(store.not(is_exact))
    }
}

/// The terms below some, unless they are more than so many.
fn reachable_within(store: &Store, roots: &[TermId], most: usize) -> Option<FxHashSet<TermId>> {
    let (mut found, mut pending) = (FxHashSet::default(), roots.to_vec());
    while let Some(term) = pending.pop() {
        if found.insert(term) {
            if found.len() > most {
                return None;
            }
            pending.extend(&store.node(term).args);
        }
    }
    Some(found)
}

fn is_sum(execution: &SiteExecution) -> bool {
    matches!(execution.operation, SiteOperator::Add | SiteOperator::Sub) && execution.operands.len() == 2
}

/// 2^-bits of a part of the precision, as a float.
fn power(store: &mut Store, format: Format, hundredths: u32, is_small: bool) -> TermId {
    let bits = format.precision() * hundredths / 100;
    let power = BigInt::one() << bits;
    let value = if is_small { BigRational::new(BigInt::one(), power) } else { BigRational::from_integer(power) };
    store.float_const(Float::from_rational(format, &value, RoundingMode::NearestEven))
}

/// |result| ≤ 2^-∇ |x| where x is an operand that is not zero. By cases, not with absolute values: solvers are faster on these.
fn cancels(store: &mut Store, execution: &SiteExecution, options: &InaccuracyOptions) -> Option<TermId> {
    let &[x, y] = execution.operands.as_slice() else { return None };
    // What cancels with a constant is as good, with the other operand in its place.
    let x = if store.has_variables(x) { x } else { y };
    store.has_variables(x).then(|| is_within(store, execution.result, x, execution.format, options.cancelled))
}

/// |small| ≤ 2^-bits |large|, where large is not zero.
fn is_within(store: &mut Store, small: TermId, large: TermId, format: Format, hundredths: u32) -> TermId {
    let (nearest, factor) = (store.rounding_mode(RoundingMode::NearestEven), power(store, format, hundredths, true));
    let zero = store.float_const(Float::zero(format, false));
    let bound = store.mk(Op::FpMul, &[nearest, factor, large]);
    let opposite = store.mk(Op::FpNeg, &[bound]);
    let mut case = |first: TermId, second: TermId, low: TermId, high: TermId| {
        let parts = [
            store.mk(Op::FpLt, &[first, second]),
            store.mk(Op::FpLe, &[low, small]),
            store.mk(Op::FpLe, &[small, high]),
        ];
        store.and(&parts)
    };
    let (positive, negative) = (case(zero, large, opposite, bound), case(large, zero, bound, opposite));
    store.or(&[positive, negative])
}

/// When a sum loses Δ bits of its smaller operand, and that these were not zeros.
fn loses(store: &mut Store, execution: &SiteExecution, options: &InaccuracyOptions) -> Option<(TermId, TermId)> {
    let &[x, y] = execution.operands.as_slice() else { return None };
    let zero = store.float_const(Float::zero(execution.format, false));
    let (mut lost, mut rounded) = (Vec::new(), Vec::new());
    for (large, small, swapped) in [(x, y, false), (y, x, true)] {
        if !store.has_variables(large) && !store.has_variables(small) {
            continue;
        }
        let far = is_within(store, small, large, execution.format, options.lost);
        let is_zero = store.mk(Op::FpEq, &[small, zero]);
        let is_not_zero = store.not(is_zero);
        lost.push(store.and(&[far, is_not_zero]));
        // Of a sum that lost nothing both tests say so, of another at least that with its larger operand.
        let whole = is_whole(store, execution, large, small, swapped);
        rounded.push(store.not(whole));
    }
    (!lost.is_empty()).then(|| (store.or(&lost), store.or(&rounded)))
}

/// Whether a sum lost nothing of its smaller operand: result − large = small, up to the signs of a difference (Dekker's Fast2Sum).
fn is_whole(store: &mut Store, execution: &SiteExecution, large: TermId, small: TermId, swapped: bool) -> TermId {
    let nearest = store.rounding_mode(RoundingMode::NearestEven);
    let is_difference = execution.operation == SiteOperator::Sub;
    let (result, mut small) = (execution.result, small);
    let rest = if is_difference && swapped {
        // x − y with y the larger: result + y = x.
        store.mk(Op::FpAdd, &[nearest, result, large])
    } else {
        if is_difference {
            small = store.mk(Op::FpNeg, &[small]);
        }
        store.mk(Op::FpSub, &[nearest, result, large])
    };
    store.mk(Op::FpEq, &[rest, small])
}

/// Where a function's condition number is large and its value is no overflow.
fn near_zeros_and_poles(
    store: &mut Store,
    function: Function,
    execution: &SiteExecution,
    options: &InaccuracyOptions,
) -> Vec<TermId> {
    use std::f64::consts::{FRAC_PI_2, PI};
    let &[x] = execution.operands.as_slice() else { return Vec::new() };
    let points: &[f64] = match function {
        Function::Log | Function::Log2 | Function::Log10 | Function::Acosh => &[1.0],
        Function::Asin | Function::Acos | Function::Atanh => &[1.0, -1.0],
        Function::Log1p => &[-1.0],
        Function::Sin => &[PI, -PI, 2.0 * PI, 100.0 * PI],
        Function::Cos => &[FRAC_PI_2, -FRAC_PI_2, 3.0 * FRAC_PI_2, 101.0 * FRAC_PI_2],
        Function::Tan => &[FRAC_PI_2, -FRAC_PI_2, PI, 101.0 * FRAC_PI_2],
        // Their zeros, and the poles and zeros of Γ and ln Γ next to zero.
        Function::Lgamma => &[1.0, 2.0, -1.0, -2.457_024_738_220_800_6],
        Function::Tgamma => &[-1.0, -2.0],
        Function::J0 => &[2.404_825_557_695_773, 5.520_078_110_286_311],
        Function::J1 => &[3.831_705_970_207_512_3, 7.015_586_669_815_619],
        Function::Y0 => &[0.893_576_966_279_167_5, 3.957_678_419_314_858],
        Function::Y1 => &[2.197_141_326_031_017, 5.429_681_040_794_135],
        _ => &[],
    };
    let nearest = store.rounding_mode(RoundingMode::NearestEven);
    let mut near = |point: &f64| {
        let value = Float::from_f64(*point).to_rational()?;
        let point = store.float_const(Float::from_rational(execution.format, &value, RoundingMode::NearestEven));
        let apart = store.mk(Op::FpSub, &[nearest, x, point]);
        Some(is_within(store, apart, point, execution.format, options.lost))
    };
    points.iter().filter_map(&mut near).collect()
}

#[cfg(test)]
mod tests {
    use labrys_term::reals::Abstraction;
    use labrys_term::{Evaluator, Model, Sort, Value};

    use super::*;

    /// (x + y) − x and log(x · y), each with its conditions.
    struct Subject {
        store: Store,
        x: TermId,
        y: TermId,
        conditions: Vec<InaccuracyCondition>,
    }

    fn subject() -> Subject {
        let mut store = Store::new();
        let double = || Sort::Float(Format::BINARY64);
        let [x, y, log] = ["x", "y", "log"].map(|name| store.variable(name, double()));
        let (truth, nearest) = (store.bool_const(true), store.rounding_mode(RoundingMode::NearestEven));
        let sum = store.mk(Op::FpAdd, &[nearest, x, y]);
        let rest = store.mk(Op::FpSub, &[nearest, sum, x]);
        let product = store.mk(Op::FpMul, &[nearest, x, y]);
        let function = SiteOperator::Library(LibraryOperator::Elementary(Function::Log));
        let at = |operator, operands: &[TermId], result| {
            SiteExecution::anywhere(operator, truth, operands, result, Format::BINARY64)
        };
        let executions = [
            at(SiteOperator::Add, &[x, y], sum),
            at(SiteOperator::Sub, &[sum, x], rest),
            at(SiteOperator::Mul, &[x, y], product),
            at(function, &[product], log),
        ];
        let conditions = inaccuracy_conditions(&mut store, &executions, &InaccuracyOptions::default());
        Subject { store, x, y, conditions }
    }

    impl Subject {
        /// Whether a condition holds, and whether what it amplifies was rounded.
        fn holds(&self, condition: &InaccuracyCondition, x: f64, y: f64) -> (bool, bool) {
            let mut model = Model::default();
            for (term, value) in [(self.x, x), (self.y, y)] {
                model.set(self.store.as_variable(term).unwrap(), Value::Float(Float::from_f64(value)));
            }
            let mut evaluator = Evaluator::new(&self.store, &model);
            let mut is = |term| evaluator.holds(term) == Ok(true);
            (is(condition.term), is(condition.rounded))
        }
    }

    #[test]
    fn a_loss_before_a_cancellation_is_told_from_all_else() {
        let subject = subject();
        let [loss] =
            subject.conditions.iter().filter(|of| of.kind == InaccuracyKind::Cancellation).collect::<Vec<_>>()[..]
        else {
            panic!("{:?}", subject.conditions)
        };
        assert_eq!(loss.site, 1);
        // 2^-60 is lost whole, 2^-45 is not; 2^-20 cancels by too little.
        assert_eq!(subject.holds(loss, 1.0, 1e-18), (true, true));
        assert_eq!(subject.holds(loss, -1.0, 1e-18), (true, true));
        assert_eq!(subject.holds(loss, 1.0, 2f64.powi(-45)), (true, false));
        assert_eq!(subject.holds(loss, 1.0, 2f64.powi(-45) * 1.0001), (true, true));
        assert!(
            !subject.holds(loss, 1.0, 1e-6).0 && !subject.holds(loss, 1.0, 0.0).0 && !subject.holds(loss, 0.0, 1.0).0
        );
    }

    #[test]
    fn functions_near_their_zeros_amplify_what_was_rounded() {
        let subject = subject();
        let [log] = subject.conditions.iter().filter(|of| of.site == 3).collect::<Vec<_>>()[..] else {
            panic!("{:?}", subject.conditions)
        };
        assert_eq!(log.kind, InaccuracyKind::Amplification);
        // 3 · fl(1/3) is rounded to 1; 2 · 1/2 is not rounded.
        assert_eq!(subject.holds(log, 3.0, 1.0 / 3.0), (true, true));
        assert_eq!(subject.holds(log, 2.0, 0.5), (true, false));
        assert!(!subject.holds(log, 3.0, 0.334).0);
    }

    #[test]
    fn conditions_have_readings_over_the_reals() {
        let mut subject = subject();
        let mut abstraction = Abstraction::new();
        for condition in subject.conditions.clone() {
            assert!(abstraction.term(&mut subject.store, condition.term).is_ok(), "{condition:?}");
        }
        assert_eq!(subject.conditions.len(), 3);
    }
}
