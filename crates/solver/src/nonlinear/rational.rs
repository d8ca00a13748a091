//! What terms are as functions of one variable, and where they change sign.
//!
//! **Claim.** Between two neighbouring roots of the polynomials that [`Sections::into_cuts`] gives, every comparison below the
//! given terms keeps its truth, and every definition whether it has a value.
//!
//! **Argument.** Under the bindings each Real term equals one of its *pieces* wherever it is defined: quotients of
//! polynomials, or (a + b·√r)/d with one radicand r throughout. |u| is u or −u, an if-then-else one of its branches, √(p/q)
//! is ±√(p·q)/q. A comparison of two pieces changes its truth only where their difference is zero or undefined: at roots of
//! the numerator a + b·√r, which are roots of a² − b²·r, of r, and of the denominators. All pairs of pieces are cut at,
//! whether or not both occur: more cuts than needed do no harm.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use labrys_term::algebraic::Polynomial;
use labrys_term::{Op, Sort, Store, TermId, VariableId};
use rug::Integer;
use rustc_hash::FxHashMap;

use super::assignment::Assignment;
use super::problem::{Definition, Kind, Problem};
use super::scaled::{Scaled, TooLarge};

/// Terms with more pieces are refused.
const MOST_PIECES: usize = 8;

/// (a + b·√r)/d.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    a: Scaled,
    b: Scaled,
    /// Not zero.
    d: Scaled,
}

/// Why terms are not of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotRational {
    /// A function hangs on the variable, or a second square root.
    Function,
    /// Degrees or coefficients are too large.
    Large,
    /// An operator of another theory.
    Operator,
}

impl From<TooLarge> for NotRational {
    fn from(_: TooLarge) -> NotRational {
        NotRational::Large
    }
}

/// The pieces of all terms below some roots.
pub(super) struct Sections<'a> {
    problem: &'a Problem<'a>,
    assignment: &'a Assignment,
    /// The variable that is left free.
    free: VariableId,
    pieces: FxHashMap<TermId, Vec<Piece>>,
    /// Pieces of the definitions that hang on the free variable.
    defined: FxHashMap<VariableId, Vec<Piece>>,
    radicand: Option<Scaled>,
    cuts: BTreeSet<Vec<Integer>>,
    is_complete: bool,
}

fn one() -> Scaled {
    Scaled::constant(Integer::from(1))
}

fn zero() -> Scaled {
    Scaled::constant(Integer::new())
}

impl<'a> Sections<'a> {
    /// With the definitions that hang on `free`, each after those it hangs on.
    pub fn new(
        problem: &'a Problem<'a>,
        assignment: &'a Assignment,
        free: VariableId,
        definitions: &[&Definition],
    ) -> Sections<'a> {
        let mut sections = Sections {
            problem,
            assignment,
            free,
            pieces: FxHashMap::default(),
            defined: FxHashMap::default(),
            radicand: None,
            cuts: BTreeSet::new(),
            is_complete: true,
        };
        for definition in definitions {
            sections.is_complete &= sections.define(definition).is_ok();
        }
        sections
    }

    /// Whether all definitions have pieces.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The polynomials at whose roots something that was visited changes; none is constant.
    pub fn into_cuts(self) -> impl Iterator<Item = Polynomial> {
        self.cuts.into_iter().map(Polynomial::new)
    }

    fn store(&self) -> &'a Store {
        self.problem.store
    }

    /// Cuts at what changes below some terms, as far as the first that has no pieces.
    pub fn visit(&mut self, roots: &[TermId]) -> Result<(), NotRational> {
        for term in self.store().reachable(roots) {
            if self.pieces.contains_key(&term) {
                continue;
            }
            if self.store().node(term).sort == Sort::Real {
                let pieces = self.real(term)?;
                if pieces.len() > MOST_PIECES {
                    return Err(NotRational::Large);
                }
                self.pieces.insert(term, pieces);
            } else {
                self.truth(term)?;
            }
        }
        Ok(())
    }

    fn define(&mut self, definition: &Definition) -> Result<(), NotRational> {
        self.visit(&definition.operands)?;
        let operand = definition.operands.first().map(|operand| self.pieces[operand].clone()).unwrap_or_default();
        let pieces = match definition.kind {
            Kind::Same => operand,
            Kind::Call(_) => return Err(NotRational::Function),
            Kind::SquareRoot => {
                let [Piece { a, b, d }] = operand.as_slice() else { return Err(NotRational::Function) };
                if !b.is_zero() {
                    return Err(NotRational::Function);
                }
                let radicand = a.mul(d)?;
                self.cut(&radicand);
                self.cut(d);
                if self.radicand.get_or_insert_with(|| radicand.clone()) != &radicand {
                    return Err(NotRational::Function);
                }
                let root = Piece { a: zero(), b: one(), d: d.clone() };
                if d.constant_sign().is_some_and(Ordering::is_gt) { vec![root] } else { vec![root.neg(), root] }
            }
        };
        self.defined.insert(definition.variable, pieces);
        Ok(())
    }

    fn real(&mut self, term: TermId) -> Result<Vec<Piece>, NotRational> {
        let store = self.store();
        let node = store.node(term);
        let constant = |value| {
            let (a, d) = Scaled::ratio(value);
            vec![Piece { a, b: zero(), d }]
        };
        match &node.op {
            Op::RealConst(value) => Ok(constant(value)),
            Op::Variable(variable) if *variable == self.free => {
                Ok(vec![Piece { a: Scaled::variable(), b: zero(), d: one() }])
            }
            Op::Variable(variable) => match (self.defined.get(variable), self.assignment.rational(*variable)) {
                (Some(pieces), _) => Ok(pieces.clone()),
                (None, Some(value)) => Ok(constant(value)),
                (None, None) => Err(NotRational::Function),
            },
            Op::RealAdd => self.fold(&node.args, Sections::sum),
            Op::RealSub => self.fold(&node.args, |sections, x, y| sections.sum(x, &y.neg())),
            Op::RealMul => self.fold(&node.args, Sections::product),
            Op::RealDiv => self.fold(&node.args, Sections::quotient),
            Op::RealNeg => Ok(self.pieces[&node.args[0]].iter().map(Piece::neg).collect()),
            Op::RealAbs => {
                let mut found = Vec::new();
                for piece in self.pieces[&node.args[0]].clone() {
                    self.cut_numerator(&piece.a, &piece.b)?;
                    found.extend([piece.neg(), piece]);
                }
                Ok(deduplicated(found))
            }
            Op::Ite => {
                let branches = [&self.pieces[&node.args[1]], &self.pieces[&node.args[2]]];
                Ok(deduplicated(branches.into_iter().flatten().cloned().collect()))
            }
            _ => Err(NotRational::Operator),
        }
    }

    /// Cuts at a comparison.
    fn truth(&mut self, term: TermId) -> Result<(), NotRational> {
        let node = self.store().node(term);
        let compares_reals = node.args.first().is_some_and(|arg| *self.store().sort(*arg) == Sort::Real);
        match &node.op {
            Op::RealLt | Op::RealLe | Op::Eq | Op::Distinct if compares_reals => {}
            Op::Not | Op::And | Op::Or | Op::Xor | Op::Implies | Op::Eq | Op::Distinct | Op::Ite => return Ok(()),
            Op::BoolConst(_) => return Ok(()),
            _ => return Err(NotRational::Operator),
        }
        for (i, left) in node.args.iter().enumerate() {
            for right in &node.args[i + 1..] {
                let (left, right) = (self.pieces[left].clone(), self.pieces[right].clone());
                for (x, y) in left.iter().flat_map(|x| right.iter().map(move |y| (x, y))) {
                    let difference = self.sum(x, &y.neg())?;
                    self.cut_numerator(&difference.a, &difference.b)?;
                    self.cut(&difference.d);
                }
            }
        }
        Ok(())
    }

    fn cut_numerator(&mut self, a: &Scaled, b: &Scaled) -> Result<(), NotRational> {
        let norm = self.norm(a, b)?;
        self.cut(&norm);
        Ok(())
    }

    /// a² − b²·r, or a where b = 0.
    fn norm(&self, a: &Scaled, b: &Scaled) -> Result<Scaled, NotRational> {
        if b.is_zero() {
            return Ok(a.clone());
        }
        let radicand = self.radicand.as_ref().ok_or(NotRational::Function)?;
        if a.is_zero() {
            return Ok(b.mul(radicand)?);
        }
        Ok(a.mul(a)?.sub(&b.mul(b)?.mul(radicand)?)?)
    }

    fn cut(&mut self, polynomial: &Scaled) {
        if !polynomial.is_constant() {
            self.cuts.insert(polynomial.polynomial().coefficients().to_vec());
        }
    }

    fn fold(
        &mut self,
        args: &[TermId],
        operation: impl Fn(&mut Sections<'a>, &Piece, &Piece) -> Result<Piece, NotRational>,
    ) -> Result<Vec<Piece>, NotRational> {
        let mut total = self.pieces[&args[0]].clone();
        for arg in &args[1..] {
            let other = self.pieces[arg].clone();
            if total.len() * other.len() > MOST_PIECES * MOST_PIECES {
                return Err(NotRational::Large);
            }
            let mut next = Vec::with_capacity(total.len() * other.len());
            for (x, y) in total.iter().flat_map(|x| other.iter().map(move |y| (x, y))) {
                next.push(operation(self, x, y)?);
            }
            total = deduplicated(next);
        }
        Ok(total)
    }

    fn sum(&mut self, x: &Piece, y: &Piece) -> Result<Piece, NotRational> {
        let (m, n) = x.d.cofactors(&y.d);
        let a = x.a.mul(&m)?.add(&y.a.mul(&n)?)?;
        let b = x.b.mul(&m)?.add(&y.b.mul(&n)?)?;
        Ok(Piece { a, b, d: x.d.mul(&m)? })
    }

    fn product(&mut self, x: &Piece, y: &Piece) -> Result<Piece, NotRational> {
        let mut a = x.a.mul(&y.a)?;
        if !x.b.is_zero() && !y.b.is_zero() {
            let radicand = self.radicand.clone().ok_or(NotRational::Function)?;
            a = a.add(&x.b.mul(&y.b)?.mul(&radicand)?)?;
        }
        let b = x.a.mul(&y.b)?.add(&x.b.mul(&y.a)?)?;
        Ok(Piece { a, b, d: x.d.mul(&y.d)? })
    }

    /// Undefined where the divisor is zero, which is cut at.
    fn quotient(&mut self, x: &Piece, y: &Piece) -> Result<Piece, NotRational> {
        let norm = self.norm(&y.a, &y.b)?;
        self.cut(&norm);
        self.cut(&y.d);
        if norm.is_zero() {
            // Nowhere defined: no value of it is ever looked at.
            return Ok(Piece { a: zero(), b: zero(), d: one() });
        }
        let inverse = if y.b.is_zero() {
            Piece { a: y.d.clone(), b: zero(), d: y.a.clone() }
        } else if y.a.is_zero() {
            // 1/(b·√r) = b·√r/(b²·r).
            let d = y.b.mul(&norm)?;
            Piece { a: zero(), b: y.d.mul(&y.b)?, d }
        } else {
            Piece { a: y.d.mul(&y.a)?, b: y.d.mul(&y.b)?.neg(), d: norm }
        };
        self.product(x, &inverse)
    }
}

impl Piece {
    fn neg(&self) -> Piece {
        Piece { a: self.a.neg(), b: self.b.neg(), d: self.d.clone() }
    }
}

fn deduplicated(mut pieces: Vec<Piece>) -> Vec<Piece> {
    let mut kept: Vec<Piece> = Vec::new();
    for piece in pieces.drain(..) {
        if !kept.contains(&piece) {
            kept.push(piece);
        }
    }
    kept
}
