//! Conditions under which one program raises an exception and the other does not, over the reals.
//!
//! Two kinds, for the two ways in which programs that are equal over the reals differ over the floats:
//!
//! - *Range*: an intermediate result of one program leaves the range of floats, and every intermediate result of the
//!   other stays inside. Both with a margin (`real`, the tight form), and no division by zero anywhere below. This finds
//!   overflows that reassociation or reciprocals introduce: carbongas at v ≈ 6e-152, where (n/v)² overflows and
//!   a·(n/v)·(n/v) does not.
//! - *Cancellation*: a sum A + B is exactly zero, so that one program goes on with zero, while the factors that it is
//!   multiplied by are so large that the rounding error of A + B, 2^-p·|A| at precision p, would overflow:
//!   |A·d·…| > 2^(p+3)·Ω. The other program, which adds in another order, need not cancel exactly. This finds jetengine
//!   on the curve x2 = −x1³. Because of rounding only some points of such a set show the difference (one in six there,
//!   three in four with their neighbours an ulp away), and none on which the arithmetic is exact, such as the powers of
//!   two that solvers choose; [`super::Rescaling`] gives as many others as wanted.
//!
//! Measured with z3 5.4 on two cores: 0.05 s for carbongas' range condition and 0.25 s for a point of jetengine's curve.
//! The negative part is what costs: it is a conjunction over the other program's sites, bounded by
//! [`DifferentialOptions::max_clean`]. Written as −c ≤ r ≤ c, not with |r|, and without y ≠ 0 where y is plainly positive:
//! this decided three quarters of jetengine's conditions that had met their limit. Linear arithmetic over the
//! magnitudes' logarithms, with sums as maxima, was tried and rejected: it answers in 20 ms, but excludes the
//! cancellations, and nlsat finds the rest as well.
//!
//! What this misses: differences that need an earlier exception (reals have no infinities), and everything about paths
//! whose conditions have no reading over the reals.

use labrys_float::Flags;
use labrys_term::reals::Abstraction;
use labrys_term::{Op, Store, TermId};
use num_bigint::BigInt;
use num_rational::BigRational;
use rustc_hash::FxHashSet;

use super::cancellation::amplified_cancellations;
use super::guards::{divisors_not_zero, sums_do_not_cancel};
use super::number::{constant, is_zero, largest, smallest_normal};
use super::real::{self, Form, RealOperation, widening, with_path};
use crate::{SiteExecution, SiteOperator};

/// How the two programs come to differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DifferentialKind {
    /// A result leaves the range in one program only.
    Range,
    /// A sum cancels exactly in one program only, and its rounding error would be amplified beyond the range.
    Cancellation,
}

/// A condition under which one program raises an exception and the other does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferentialCondition {
    /// The condition, a Bool term over Real variables; inputs' ranges are to be added.
    pub term: TermId,
    /// The exception.
    pub exception: Flags,
    /// Whether the variant raises it, and the baseline does not; or the other way round.
    pub in_variant: bool,
    /// Whether `site` is one of the variant's executions.
    pub site_in_variant: bool,
    /// Index of the execution where it is raised (range) or where the sum is amplified (cancellation).
    pub site: usize,
    /// How they differ.
    pub kind: DifferentialKind,
    /// What makes a model survive rounding better; to be asked for where the condition alone has a model.
    pub preferences: Vec<TermId>,
}

/// How many conditions, of what size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferentialOptions {
    /// The exceptions of interest.
    pub exceptions: Flags,
    /// At most so many conditions, the most promising ones.
    pub max_conditions: usize,
    /// At most so many sites of the other program are kept clean in one condition: those with the smallest terms.
    pub max_clean: usize,
    /// Sites whose terms are larger than so many nodes are passed over.
    pub max_nodes: usize,
    /// How many further points of the conditions' sets are asked for, all conditions together.
    pub max_points: usize,
    /// Work limit of each query that suits these bounds ([`labrys_solver::Limits::work`]).
    pub work: u64,
}

impl Default for DifferentialOptions {
    /// Severe exceptions, 96 conditions, 16 clean sites, 400 nodes, 24 points, 40,000 units of work: jetengine's 96
    /// conditions, the hardest of the examples', then take z3 about six seconds of processor time, and its curve is found
    /// among them. More clean sites make models truer and queries harder: with 48, the curve takes 70,000 units.
    fn default() -> DifferentialOptions {
        DifferentialOptions {
            exceptions: Flags::SEVERE,
            max_conditions: 96,
            max_clean: 16,
            max_nodes: 400,
            max_points: 24,
            work: 40_000,
        }
    }
}

/// One program's sites as the reals see them.
struct Side<'a> {
    executions: &'a [SiteExecution],
    /// Sites with a real reading, ascending.
    sites: Vec<RealSite>,
    is_variant: bool,
}

struct RealSite {
    index: usize,
    operation: RealOperation,
    /// Nodes of its terms.
    size: usize,
}

impl<'a> Side<'a> {
    fn read(
        store: &mut Store,
        abstraction: &mut Abstraction,
        executions: &'a [SiteExecution],
        is_variant: bool,
        options: &DifferentialOptions,
    ) -> Side<'a> {
        let mut sites = Vec::new();
        for (index, execution) in executions.iter().enumerate() {
            let size = store.reachable(&execution.operands).len();
            if size > options.max_nodes {
                continue;
            }
            if let Ok(Some(operation)) = real::operation(store, abstraction, execution) {
                sites.push(RealSite { index, operation, size });
            }
        }
        Side { executions, sites, is_variant }
    }

    /// Terms that say that this program raises nothing of `exception`'s class.
    fn clean(
        &self,
        store: &mut Store,
        abstraction: &mut Abstraction,
        exception: Flags,
        options: &DifferentialOptions,
    ) -> Vec<TermId> {
        let mut order: Vec<&RealSite> = self.sites.iter().collect();
        order.sort_by_key(|site| (site.size, site.index));
        let (mut clean, mut seen) = (Vec::new(), FxHashSet::default());
        for site in order {
            if clean.len() >= options.max_clean {
                break;
            }
            let execution = &self.executions[site.index];
            let Some(term) = site.stays_clean(store, execution, exception) else { continue };
            // A path that cannot be read is left out: the condition then promises less, which a candidate may.
            let Ok(path) = abstraction.term(store, execution.path) else { continue };
            let term = match store.node(path).op {
                Op::BoolConst(true) => term,
                _ => store.mk(Op::Implies, &[path, term]),
            };
            if seen.insert(term) {
                clean.push(term);
            }
        }
        clean
    }
}

impl RealSite {
    fn stays_clean(&self, store: &mut Store, execution: &SiteExecution, exception: Flags) -> Option<TermId> {
        let severe = exception.intersects(Flags::SEVERE);
        let mut parts = Vec::new();
        match &self.operation {
            RealOperation::Quotient { y, .. } | RealOperation::Remainder { y } => {
                let zero = is_zero(store, *y);
                parts.push(store.not(zero));
            }
            RealOperation::SquareRoot { x } if severe => {
                let zero = constant(store, BigRational::from_integer(BigInt::from(0)));
                parts.push(store.mk(Op::RealLe, &[zero, *x]));
            }
            _ => {}
        }
        if let Some(result) = self.operation.result(store) {
            let format = match execution.site.operator {
                SiteOperator::Convert { to, .. } => to,
                _ => execution.format,
            };
            if severe {
                let bound = largest(format) / widening();
                let (low, high) = (constant(store, -bound.clone()), constant(store, bound));
                parts.push(store.mk(Op::RealLe, &[low, result]));
                parts.push(store.mk(Op::RealLe, &[result, high]));
            } else {
                let bound = smallest_normal(format) * widening();
                let (low, high) = (constant(store, -bound.clone()), constant(store, bound));
                let sides = [
                    store.mk(Op::RealLe, &[result, low]),
                    store.mk(Op::RealLe, &[high, result]),
                    is_zero(store, result),
                ];
                parts.push(store.or(&sides));
            }
        }
        (!parts.is_empty()).then(|| store.and(&parts))
    }
}

/// The differential conditions of two programs, given as the site executions of baseline and variant over the same
/// input variables: most promising first.
///
/// Introduced severe exceptions come before masked ones, and these before underflows; ranges before cancellations,
/// smaller terms before larger ones. The abstraction's side conditions are included where a term needs them.
pub fn differential_conditions(
    store: &mut Store,
    abstraction: &mut Abstraction,
    baseline: &[SiteExecution],
    variant: &[SiteExecution],
    options: &DifferentialOptions,
) -> Vec<DifferentialCondition> {
    let baseline = Side::read(store, abstraction, baseline, false, options);
    let variant = Side::read(store, abstraction, variant, true, options);
    let mut ranked = Vec::new();
    for (raising, quiet) in [(&variant, &baseline), (&baseline, &variant)] {
        for exception in [Flags::OVERFLOW, Flags::DIVBYZERO, Flags::INVALID, Flags::UNDERFLOW] {
            if !options.exceptions.contains(exception) {
                continue;
            }
            let clean = quiet.clean(store, abstraction, exception, options);
            range_conditions(store, abstraction, raising, quiet, exception, &clean, &mut ranked);
            if exception == Flags::OVERFLOW {
                for side in [&baseline, &variant] {
                    cancellation_conditions(store, abstraction, side, raising.is_variant, &clean, &mut ranked);
                }
            }
        }
    }
    ranked.sort_by_key(|(size, condition)| {
        let underflow = condition.exception == Flags::UNDERFLOW;
        (underflow, !condition.in_variant, condition.kind, *size, condition.site)
    });
    let mut seen = FxHashSet::default();
    let mut conditions: Vec<DifferentialCondition> = ranked.into_iter().map(|(_, condition)| condition).collect();
    conditions.retain(|condition| seen.insert(condition.term));
    conditions.truncate(options.max_conditions);
    conditions
}

/// Conditions with the size by which they are ranked.
type Ranked = Vec<(usize, DifferentialCondition)>;

fn range_conditions(
    store: &mut Store,
    abstraction: &mut Abstraction,
    raising: &Side<'_>,
    quiet: &Side<'_>,
    exception: Flags,
    clean: &[TermId],
    ranked: &mut Ranked,
) {
    let raised = |store: &mut Store, abstraction: &mut Abstraction, side: &Side<'_>, site: &RealSite| {
        let raises = site.operation.raises(store, exception, Form::Tight).ok()??;
        with_path(store, abstraction, side.executions[site.index].path, raises).ok()
    };
    // A condition that the other program has too cannot hold in one of them only.
    let mut shared: FxHashSet<TermId> = FxHashSet::default();
    for site in &quiet.sites {
        shared.extend(raised(store, abstraction, quiet, site));
    }
    for site in &raising.sites {
        let execution = &raising.executions[site.index];
        if !real::in_table(&execution.operation).contains(exception) {
            continue;
        }
        let Some(raises) = raised(store, abstraction, raising, site) else { continue };
        if !shared.insert(raises) {
            continue;
        }
        let condition = Condition { raises, clean, exception, kind: DifferentialKind::Range };
        ranked.push((site.size, condition.finish(store, abstraction, raising, site.index, raising.is_variant)));
    }
}

/// A condition in the making.
struct Condition<'a> {
    raises: TermId,
    clean: &'a [TermId],
    exception: Flags,
    kind: DifferentialKind,
}

impl Condition<'_> {
    fn finish(
        &self,
        store: &mut Store,
        abstraction: &Abstraction,
        side: &Side<'_>,
        site: usize,
        in_variant: bool,
    ) -> DifferentialCondition {
        let mut parts = vec![self.raises];
        parts.extend_from_slice(self.clean);
        parts.extend(divisors_not_zero(store, &parts.clone()));
        let needed = abstraction.side_conditions_of(store, &parts);
        parts.extend(needed);
        let preferences = match self.kind {
            DifferentialKind::Range => sums_do_not_cancel(store, self.raises),
            DifferentialKind::Cancellation => Vec::new(),
        };
        DifferentialCondition {
            term: store.and(&parts),
            exception: self.exception,
            in_variant,
            site_in_variant: side.is_variant,
            site,
            kind: self.kind,
            preferences,
        }
    }
}

fn cancellation_conditions(
    store: &mut Store,
    abstraction: &mut Abstraction,
    side: &Side<'_>,
    in_variant: bool,
    clean: &[TermId],
    ranked: &mut Ranked,
) {
    for site in &side.sites {
        let execution = &side.executions[site.index];
        if !matches!(execution.operation, SiteOperator::Mul | SiteOperator::Div) {
            continue;
        }
        let Some(result) = site.operation.result(store) else { continue };
        for raises in amplified_cancellations(store, result, execution.format) {
            let Ok(raises) = with_path(store, abstraction, execution.path, raises) else { continue };
            let kind = DifferentialKind::Cancellation;
            let condition = Condition { raises, clean, exception: Flags::OVERFLOW, kind };
            ranked.push((site.size, condition.finish(store, abstraction, side, site.index, in_variant)));
        }
    }
}
