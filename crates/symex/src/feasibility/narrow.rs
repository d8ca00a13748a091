//! Narrowing sets of floats by conditions, a few steps deep.

use labrys_float::{Format, RoundingMode};
use labrys_solver::domain::project::{classify, compare, elementary, forward, inverse};
use labrys_solver::domain::{BitVecDomain, BoolDomain, FloatDomain, ModeDomain};
use labrys_term::{Op, Sort, Store, TermId};
use num_traits::ToPrimitive;
use rustc_hash::FxHashMap;

use super::known::{Call, Known};

/// How much is looked at for one condition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// How deep terms are evaluated: loops make them as deep as they run long.
    pub depth: u32,
    /// How deep conditions are narrowed into operands.
    pub narrowing: u32,
    /// Terms evaluated; further ones may be anything.
    pub terms: usize,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { depth: 12, narrowing: 3, terms: 48 }
    }
}

/// One condition's narrowing.
pub(super) struct Narrowing<'a> {
    store: &'a Store,
    calls: &'a FxHashMap<TermId, Call>,
    effort: Effort,
    known: &'a mut Known,
    /// Terms evaluated since something was narrowed.
    evaluated: FxHashMap<TermId, FloatDomain>,
    /// Terms evaluated so far.
    count: usize,
}

impl<'a> Narrowing<'a> {
    pub(super) fn new(
        store: &'a Store,
        calls: &'a FxHashMap<TermId, Call>,
        effort: Effort,
        known: &'a mut Known,
    ) -> Narrowing<'a> {
        Narrowing { store, calls, effort, known, evaluated: FxHashMap::default(), count: 0 }
    }

    /// Narrows by a condition's truth; `false` if nothing is left.
    pub(super) fn assume(&mut self, condition: TermId, truth: bool) -> bool {
        let store = self.store;
        let mut pending = vec![(condition, truth)];
        while let Some((condition, truth)) = pending.pop() {
            let node = store.node(condition);
            match (&node.op, truth) {
                (Op::BoolConst(value), truth) if *value != truth => return false,
                (Op::Not, truth) => pending.push((node.args[0], !truth)),
                (Op::And, true) | (Op::Or, false) => pending.extend(node.args.iter().map(|&part| (part, truth))),
                (Op::And, false) | (Op::Or, true) => {
                    // All parts but one are decided the other way: that one is not.
                    let open: Vec<TermId> =
                        node.args.iter().copied().filter(|&part| self.may_be(part, truth, self.effort.depth)).collect();
                    match open.as_slice() {
                        [] => return false,
                        [one] => pending.push((*one, truth)),
                        _ => {}
                    }
                }
                _ => {
                    if !self.assume_atom(condition, truth) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn assume_atom(&mut self, condition: TermId, truth: bool) -> bool {
        let node = self.store.node(condition);
        let narrow = match &node.op {
            Op::FpLt => compare::less,
            Op::FpLe => compare::less_equal,
            Op::FpEq => compare::ieee_equal,
            Op::Eq => compare::same,
            Op::BvSlt | Op::BvSle | Op::BvUlt | Op::BvUle => return self.may_be(condition, truth, self.effort.depth),
            op => {
                let Some(&argument) = node.args.first() else { return true };
                let Some(domain) = self.domain(argument, self.effort.depth) else { return true };
                return self.restrict(argument, classify::classify(op, &domain, truth));
            }
        };
        let &[a, b] = node.args.as_slice() else { return true };
        let (Some(x), Some(y)) = (self.domain(a, self.effort.depth), self.domain(b, self.effort.depth)) else {
            return true;
        };
        let (x, y) = narrow(&x, &y, truth);
        self.restrict(a, x) && self.restrict(b, y)
    }

    /// Whether a condition can have a truth value.
    fn may_be(&mut self, condition: TermId, truth: bool, depth: u32) -> bool {
        match self.truth(condition, depth) {
            BoolDomain::Any => true,
            BoolDomain::True => truth,
            BoolDomain::False => !truth,
            BoolDomain::Empty => false,
        }
    }

    fn truth(&mut self, condition: TermId, depth: u32) -> BoolDomain {
        let node = self.store.node(condition);
        if depth == 0 {
            return BoolDomain::Any;
        }
        let decide = match &node.op {
            Op::BoolConst(value) => return BoolDomain::of(*value, !*value),
            Op::Not => {
                let inner = node.args[0];
                let (yes, no) = (self.may_be(inner, true, depth - 1), self.may_be(inner, false, depth - 1));
                return BoolDomain::of(no, yes);
            }
            Op::And => {
                let yes = node.args.iter().all(|&part| self.may_be(part, true, depth - 1));
                let no = node.args.iter().any(|&part| self.may_be(part, false, depth - 1));
                return BoolDomain::of(yes, no);
            }
            Op::Or => {
                let yes = node.args.iter().any(|&part| self.may_be(part, true, depth - 1));
                let no = node.args.iter().all(|&part| self.may_be(part, false, depth - 1));
                return BoolDomain::of(yes, no);
            }
            Op::BvSlt | Op::BvSle | Op::BvUlt | Op::BvUle => return self.integers(condition, depth - 1),
            Op::FpLt => compare::decide_less,
            Op::FpLe => compare::decide_less_equal,
            Op::FpEq => compare::decide_ieee_equal,
            Op::Eq => compare::decide_same,
            op => {
                let domain = node.args.first().and_then(|&argument| self.domain(argument, depth - 1));
                return domain.map_or(BoolDomain::Any, |domain| {
                    let may_be = |truth| !classify::classify(op, &domain, truth).is_empty();
                    BoolDomain::of(may_be(true), may_be(false))
                });
            }
        };
        let &[a, b] = node.args.as_slice() else { return BoolDomain::Any };
        match (self.domain(a, depth - 1), self.domain(b, depth - 1)) {
            (Some(a), Some(b)) => decide(&a, &b),
            _ => BoolDomain::Any,
        }
    }

    /// The values of a Float term; `None` for other sorts and formats that the domains do not hold.
    fn domain(&mut self, term: TermId, depth: u32) -> Option<FloatDomain> {
        let format = self.store.float_format(term).filter(|format| FloatDomain::supports(*format))?;
        if let Op::FloatConst(value) = &self.store.node(term).op {
            return Some(FloatDomain::only(value));
        }
        if let Some(domain) = self.evaluated.get(&term) {
            return Some(*domain);
        }
        let known = self.known.get(&term).copied().unwrap_or_else(|| FloatDomain::top(format));
        if depth == 0 || self.count >= self.effort.terms {
            return Some(known);
        }
        self.count += 1;
        let domain = match self.computed(term, format, depth - 1) {
            Some(computed) => known.intersect(&computed),
            None => known,
        };
        let domain = match self.store.node(term).op {
            Op::FpRoundToIntegral => integral(&domain),
            _ => domain,
        };
        self.evaluated.insert(term, domain);
        Some(domain)
    }

    /// The values of an operation by its operands'.
    fn computed(&mut self, term: TermId, format: Format, depth: u32) -> Option<FloatDomain> {
        let store = self.store;
        let node = store.node(term);
        let args = node.args.as_slice();
        let modes = self.modes(args.first().copied());
        Some(match (&node.op, args) {
            (Op::FpNeg, &[a]) => forward::neg(&self.domain(a, depth)?),
            (Op::FpAbs, &[a]) => forward::abs(&self.domain(a, depth)?),
            (Op::FpAdd, &[_, a, b]) => forward::add(modes?, &self.domain(a, depth)?, &self.domain(b, depth)?),
            (Op::FpSub, &[_, a, b]) => forward::sub(modes?, &self.domain(a, depth)?, &self.domain(b, depth)?),
            (Op::FpMul, &[_, a, b]) if a == b => {
                // A square is that of the magnitude: no negative number.
                let size = forward::abs(&self.domain(a, depth)?);
                forward::mul(modes?, &size, &size)
            }
            (Op::FpMul, &[_, a, b]) => forward::mul(modes?, &self.domain(a, depth)?, &self.domain(b, depth)?),
            (Op::FpDiv, &[_, a, b]) => forward::div(modes?, &self.domain(a, depth)?, &self.domain(b, depth)?),
            (Op::FpSqrt, &[_, a]) => forward::sqrt(modes?, &self.domain(a, depth)?),
            (Op::FpRoundToIntegral, &[_, a]) => forward::round_to_integral(modes?, &self.domain(a, depth)?),
            (Op::FpFromFloat(to), &[_, a]) => forward::from_float(modes?, &self.domain(a, depth)?, *to),
            (Op::FpFromSigned(to), &[_, a]) => forward::from_signed(modes?, &self.integer(a, depth)?, *to),
            (Op::FpFromUnsigned(to), &[_, a]) => forward::from_unsigned(modes?, &self.integer(a, depth)?, *to),
            (Op::Ite, &[c, a, b]) => match self.truth(c, depth) {
                BoolDomain::True => self.domain(a, depth)?,
                BoolDomain::False => self.domain(b, depth)?,
                _ => self.domain(a, depth)?.hull(&self.domain(b, depth)?),
            },
            (Op::Variable(_), _) => {
                let call = self.calls.get(&term)?;
                let operands: Option<Vec<FloatDomain>> =
                    call.operands.iter().map(|&operand| self.domain(operand, depth)).collect();
                let operands = operands?;
                if operands.iter().any(|operand| operand.format != format) {
                    return None;
                }
                elementary::forward(call.function, &operands, call.ulps)
            }
            _ => return None,
        })
    }

    /// The rounding mode, where it is a literal.
    fn modes(&self, term: Option<TermId>) -> Option<ModeDomain> {
        match &self.store.node(term?).op {
            Op::RoundingModeConst(mode) => Some(ModeDomain::only(*mode)),
            _ => None,
        }
    }

    /// The truth of a comparison of integers.
    fn integers(&mut self, condition: TermId, depth: u32) -> BoolDomain {
        let node = self.store.node(condition);
        let &[a, b] = node.args.as_slice() else { return BoolDomain::Any };
        let is_signed = matches!(node.op, Op::BvSlt | Op::BvSle);
        let (Some(x), Some(y)) = (self.integer(a, depth), self.integer(b, depth)) else { return BoolDomain::Any };
        let (x, y) = (bounds(&x, is_signed), bounds(&y, is_signed));
        let (may_hold, may_fail) = match node.op {
            Op::BvSlt | Op::BvUlt => (x.0 < y.1, x.1 >= y.0),
            _ => (x.0 <= y.1, x.1 > y.0),
        };
        BoolDomain::of(may_hold, may_fail)
    }

    /// The values of a BitVec term: literals, converted floats, their sums and choices between them; otherwise all.
    fn integer(&mut self, term: TermId, depth: u32) -> Option<BitVecDomain> {
        let width = match self.store.sort(term) {
            Sort::BitVec(width) if *width <= 64 => *width,
            _ => return None,
        };
        let store = self.store;
        let node = store.node(term);
        let all = BitVecDomain::top(width);
        if depth == 0 {
            return Some(all);
        }
        let modes = self.modes(node.args.first().copied());
        Some(match (&node.op, node.args.as_slice(), modes) {
            (Op::BitVecConst(value), ..) => BitVecDomain::only(width, value.to_u128().unwrap_or_default()),
            (Op::FpToSigned(_), &[_, a], Some(modes)) => match self.domain(a, depth - 1) {
                Some(a) => forward::to_signed(modes, &a, width),
                None => all,
            },
            (Op::FpToUnsigned(_), &[_, a], Some(modes)) => match self.domain(a, depth - 1) {
                Some(a) => forward::to_unsigned(modes, &a, width),
                None => all,
            },
            (op @ (Op::BvAdd | Op::BvSub), &[a, b], _) => {
                let (a, b) = (self.integer(a, depth - 1)?, self.integer(b, depth - 1)?);
                sum(&a, &b, *op == Op::BvSub)
            }
            (Op::Ite, &[c, a, b], _) => match self.truth(c, depth - 1) {
                BoolDomain::True => self.integer(a, depth - 1)?,
                BoolDomain::False => self.integer(b, depth - 1)?,
                _ => self.integer(a, depth - 1)?.hull(&self.integer(b, depth - 1)?),
            },
            _ => all,
        })
    }

    /// Restricts a term to a set, and its operands to what gives results in it; `false` if nothing is left.
    fn restrict(&mut self, term: TermId, to: FloatDomain) -> bool {
        let mut pending = vec![(term, to, self.effort.narrowing)];
        while let Some((term, to, depth)) = pending.pop() {
            let Some(before) = self.domain(term, self.effort.depth) else { continue };
            let after = before.intersect(&to);
            if after.is_empty() {
                return false;
            }
            if after == before || matches!(self.store.node(term).op, Op::FloatConst(_)) {
                continue;
            }
            self.known.insert(term, after);
            // What was evaluated before may be too wide now.
            self.evaluated.clear();
            self.evaluated.insert(term, after);
            if depth > 0 {
                self.operands(term, &after, depth - 1, &mut pending);
            }
        }
        true
    }

    /// What a result's set says of the operands.
    fn operands(&mut self, term: TermId, result: &FloatDomain, depth: u32, out: &mut Vec<(TermId, FloatDomain, u32)>) {
        let store = self.store;
        let node = store.node(term);
        let args = node.args.as_slice();
        let modes = self.modes(args.first().copied()).unwrap_or(ModeDomain::only(RoundingMode::NearestEven));
        match (&node.op, args) {
            (Op::FpNeg, &[a]) => {
                let Some(x) = self.domain(a, self.effort.depth) else { return };
                out.push((a, inverse::neg(result, &x), depth));
            }
            (Op::FpAbs, &[a]) => {
                let Some(x) = self.domain(a, self.effort.depth) else { return };
                out.push((a, inverse::abs(result, &x), depth));
            }
            (Op::FpSqrt, &[_, a]) => {
                let Some(x) = self.domain(a, self.effort.depth) else { return };
                out.push((a, inverse::sqrt(modes, result, &x), depth));
            }
            (Op::FpFromFloat(_), &[_, a]) => {
                let Some(x) = self.domain(a, self.effort.depth) else { return };
                out.push((a, inverse::from_float(modes, result, &x), depth));
            }
            (op @ (Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv), &[_, a, b]) => {
                let (Some(x), Some(y)) = (self.domain(a, self.effort.depth), self.domain(b, self.effort.depth)) else {
                    return;
                };
                let (x, y) = match op {
                    Op::FpAdd => inverse::add(modes, result, &x, &y),
                    Op::FpSub => inverse::sub(modes, result, &x, &y),
                    Op::FpMul => inverse::mul(modes, result, &x, &y),
                    _ => inverse::div(modes, result, &x, &y),
                };
                out.push((a, x, depth));
                out.push((b, y, depth));
            }
            _ => {}
        }
    }
}

/// A set of integral floats without what lies outside its least and greatest integral members.
fn integral(domain: &FloatDomain) -> FloatDomain {
    let rounded = |mode| forward::round_to_integral(ModeDomain::only(mode), domain);
    let (up, down) = (rounded(RoundingMode::TowardPositive), rounded(RoundingMode::TowardNegative));
    match (up.min_rank(), down.max_rank()) {
        (Some(low), Some(high)) => domain.at_least(low).at_most(high),
        _ => *domain,
    }
}

/// The signed sums or differences of members, where none wraps and all have one sign; otherwise anything.
fn sum(a: &BitVecDomain, b: &BitVecDomain, is_difference: bool) -> BitVecDomain {
    let all = BitVecDomain::top(a.width);
    let (x, y) = (bounds(a, true), bounds(b, true));
    let (low, high) = if is_difference { (x.0 - y.1, x.1 - y.0) } else { (x.0 + y.0, x.1 + y.1) };
    let (least, most) = bounds(&all, true);
    if low < least || high > most || (low < 0) != (high < 0) {
        return all;
    }
    let modulus = if low < 0 { 1i128 << a.width } else { 0 };
    BitVecDomain::between(a.width, (low + modulus) as u128, (high + modulus) as u128)
}

/// Bounds of a set's members as numbers.
fn bounds(domain: &BitVecDomain, is_signed: bool) -> (i128, i128) {
    let sign = 1u128 << (domain.width - 1);
    let (low, high) = (domain.low as i128, domain.high as i128);
    match (is_signed, domain.low & sign != 0, domain.high & sign != 0) {
        (false, ..) | (true, false, false) => (low, high),
        (true, true, true) => (low - 2 * sign as i128, high - 2 * sign as i128),
        (true, ..) => (-(sign as i128), sign as i128 - 1),
    }
}
