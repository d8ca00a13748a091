//! From terms to flat programs.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::ExtendedReal;
use crate::{Op, Sort, Store, TermId, VariableId};

/// A term that is not made of Real terms and connectives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("term {} is not over the reals", .0.index())]
pub struct CompileError(pub TermId);

/// What an instruction does; registers of reals and of truth values are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opcode {
    /// real ← real, real
    Add,
    Sub,
    Mul,
    Div,
    /// real ← real
    Neg,
    Abs,
    /// real ← truth (in `c`), real, real
    Choose,
    /// truth ← real, real
    Less,
    AtMost,
    Equal,
    /// truth ← truth, truth
    And,
    Or,
    Xor,
    Implies,
    /// truth ← truth
    Not,
    /// truth ← truth (in `c`), truth, truth
    ChooseTruth,
}

/// One instruction: registers written and read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction {
    pub opcode: Opcode,
    pub target: u32,
    pub a: u32,
    pub b: u32,
    pub c: u32,
}

/// Where a term's value is while it is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Real(u32),
    Truth(u32),
}

/// Terms compiled for fast evaluation; immutable, to be shared between threads.
///
/// ```
/// use labrys_term::approx::{ExtendedReal, RealEvaluator, RealProgram};
/// use labrys_term::{Op, Sort, Store, Truth};
///
/// let mut store = Store::new();
/// let x = store.variable("x", Sort::Real);
/// let square = store.mk(Op::RealMul, &[x, x]);
/// let limit = store.real_const(num_rational::BigRational::from_float(f64::MAX).unwrap());
/// let overflows = store.mk(Op::RealLt, &[limit, square]);
/// let program = RealProgram::compile(&store, &[overflows]).unwrap();
/// let mut evaluator = RealEvaluator::new(&program);
/// assert_eq!(evaluator.run(&[ExtendedReal::from_f64(1e200)]), [Truth::True]);
/// assert_eq!(evaluator.run(&[ExtendedReal::from_f64(-1e154)]), [Truth::False]);
/// ```
#[derive(Clone, Debug)]
pub struct RealProgram {
    pub(super) code: Vec<Instruction>,
    variables: Vec<VariableId>,
    /// Registers and what they hold before the program runs, the variables' in order and first.
    pub(super) constants: Vec<(u32, ExtendedReal)>,
    pub(super) truth_constants: Vec<(u32, bool)>,
    /// Registers of reals; the variables' are the first.
    pub(super) reals: usize,
    /// Registers of truth values.
    pub(super) truths: usize,
    /// Registers of the Bool roots and of the Real roots. Never reused, nor are the constants'.
    pub(super) truth_roots: Vec<u32>,
    pub(super) real_roots: Vec<u32>,
}

impl RealProgram {
    /// Compiles roots of sort Bool or Real.
    ///
    /// # Errors
    ///
    /// If anything but Real variables, real arithmetic, comparisons and connectives is among them.
    pub fn compile(store: &Store, roots: &[TermId]) -> Result<RealProgram, CompileError> {
        Compiler::new(store, roots).compile(roots)
    }

    /// The variables, in the order in which a run wants their values: the store's.
    pub fn variables(&self) -> &[VariableId] {
        &self.variables
    }

    /// How many instructions there are.
    pub fn len(&self) -> usize {
        self.code.len()
    }

    /// Whether there is no instruction.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
    }
}

/// Registers of one kind, those no longer needed given out again: a small working set stays in the cache.
#[derive(Default)]
struct Registers {
    count: u32,
    free: Vec<u32>,
}

impl Registers {
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        })
    }
}

struct Compiler<'a> {
    store: &'a Store,
    terms: Vec<TermId>,
    /// How many uses of a term's register are still to come; roots and leaves have one that never comes.
    uses: FxHashMap<TermId, usize>,
    places: FxHashMap<TermId, Place>,
    reals: Registers,
    truths: Registers,
    program: RealProgram,
}

impl<'a> Compiler<'a> {
    fn new(store: &'a Store, roots: &[TermId]) -> Compiler<'a> {
        let terms = store.reachable(roots);
        let mut uses: FxHashMap<TermId, usize> = FxHashMap::default();
        for &term in &terms {
            let node = store.node(term);
            for &arg in &node.args {
                *uses.entry(arg).or_default() += 1;
            }
            if node.args.is_empty() {
                *uses.entry(term).or_default() += 1;
            }
        }
        for &root in roots {
            *uses.entry(root).or_default() += 1;
        }
        let program = RealProgram {
            code: Vec::new(),
            variables: Vec::new(),
            constants: Vec::new(),
            truth_constants: Vec::new(),
            reals: 0,
            truths: 0,
            truth_roots: Vec::new(),
            real_roots: Vec::new(),
        };
        let (reals, truths) = (Registers::default(), Registers::default());
        Compiler { store, terms, uses, places: FxHashMap::default(), reals, truths, program }
    }

    fn compile(mut self, roots: &[TermId]) -> Result<RealProgram, CompileError> {
        self.leaves()?;
        for term in std::mem::take(&mut self.terms) {
            if !self.places.contains_key(&term) {
                self.term(term)?;
            }
        }
        for root in roots {
            match self.places.get(root) {
                Some(Place::Truth(register)) => self.program.truth_roots.push(*register),
                Some(Place::Real(register)) => self.program.real_roots.push(*register),
                None => return Err(CompileError(*root)),
            }
        }
        self.program.reals = self.reals.count as usize;
        self.program.truths = self.truths.count as usize;
        Ok(self.program)
    }

    /// Gives the variables the first registers, in the store's order, and the constants the next: what they hold
    /// before the program runs must be there when it runs again.
    fn leaves(&mut self) -> Result<(), CompileError> {
        let mut variables = BTreeMap::new();
        let mut constants = Vec::new();
        for &term in &self.terms {
            let node = self.store.node(term);
            match &node.op {
                Op::Variable(variable) if node.sort == Sort::Real => _ = variables.insert(*variable, term),
                Op::RealConst(_) | Op::BoolConst(_) => constants.push((term, &node.op)),
                _ if node.args.is_empty() => return Err(CompileError(term)),
                _ => {}
            }
        }
        for (variable, term) in variables {
            let register = self.reals.take();
            self.places.insert(term, Place::Real(register));
            self.program.variables.push(variable);
        }
        for (term, op) in constants {
            let place = match op {
                Op::RealConst(value) => {
                    let register = self.reals.take();
                    self.program.constants.push((register, ExtendedReal::from_rational(value)));
                    Place::Real(register)
                }
                op => {
                    let register = self.truths.take();
                    self.program.truth_constants.push((register, *op == Op::BoolConst(true)));
                    Place::Truth(register)
                }
            };
            self.places.insert(term, place);
        }
        Ok(())
    }

    fn term(&mut self, term: TermId) -> Result<(), CompileError> {
        let store = self.store;
        let node = store.node(term);
        let args: Vec<Place> = node
            .args
            .iter()
            .map(|arg| self.places.get(arg).copied().ok_or(CompileError(*arg)))
            .collect::<Result<_, _>>()?;
        let on_truths = args.first().is_some_and(|place| matches!(place, Place::Truth(_)));
        let place = match &node.op {
            Op::RealAdd => self.chain(Opcode::Add, &args),
            Op::RealMul => self.chain(Opcode::Mul, &args),
            Op::RealSub => self.chain(Opcode::Sub, &args),
            Op::RealDiv => self.chain(Opcode::Div, &args),
            Op::RealNeg => self.emit(Opcode::Neg, args[0], args[0], None),
            Op::RealAbs => self.emit(Opcode::Abs, args[0], args[0], None),
            Op::RealLt => self.emit(Opcode::Less, args[0], args[1], None),
            Op::RealLe => self.emit(Opcode::AtMost, args[0], args[1], None),
            Op::And => self.chain(Opcode::And, &args),
            Op::Or => self.chain(Opcode::Or, &args),
            Op::Xor => self.chain(Opcode::Xor, &args),
            Op::Implies => self.emit(Opcode::Implies, args[0], args[1], None),
            Op::Not => self.emit(Opcode::Not, args[0], args[0], None),
            Op::Eq => self.equal(&args, on_truths),
            Op::Distinct => self.distinct(&args, on_truths),
            Op::Ite => {
                let opcode = if matches!(args[1], Place::Truth(_)) { Opcode::ChooseTruth } else { Opcode::Choose };
                self.emit(opcode, args[1], args[2], Some(args[0]))
            }
            _ => return Err(CompileError(term)),
        };
        self.places.insert(term, place);
        self.release(&node.args, place);
        Ok(())
    }

    /// Frees the registers of arguments that are not needed again, but for one that the term itself keeps.
    fn release(&mut self, args: &[TermId], kept: Place) {
        for arg in args {
            let Some(uses) = self.uses.get_mut(arg) else { continue };
            *uses -= 1;
            if *uses > 0 {
                continue;
            }
            match self.places.get(arg) {
                Some(&place) if place == kept => {}
                Some(Place::Real(register)) => self.reals.free.push(*register),
                Some(Place::Truth(register)) => self.truths.free.push(*register),
                None => {}
            }
        }
    }

    /// Appends an instruction whose target is a register that none of its operands occupies.
    fn emit(&mut self, opcode: Opcode, a: Place, b: Place, c: Option<Place>) -> Place {
        let register = |place| match place {
            Place::Real(register) | Place::Truth(register) => register,
        };
        let is_real = matches!(
            opcode,
            Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Div | Opcode::Neg | Opcode::Abs | Opcode::Choose
        );
        let target = if is_real { Place::Real(self.reals.take()) } else { Place::Truth(self.truths.take()) };
        let (a, b, c) = (register(a), register(b), c.map_or(0, register));
        self.program.code.push(Instruction { opcode, target: register(target), a, b, c });
        target
    }

    /// A left-associative chain; its intermediate registers are free at once.
    fn chain(&mut self, opcode: Opcode, args: &[Place]) -> Place {
        let Some((&first, rest)) = args.split_first() else { return Place::Truth(0) };
        if rest.is_empty() {
            return self.copy(first);
        }
        let mut result = first;
        for (i, &arg) in rest.iter().enumerate() {
            let next = self.emit(opcode, result, arg, None);
            if i > 0 {
                self.free(result);
            }
            result = next;
        }
        result
    }

    fn free(&mut self, place: Place) {
        match place {
            Place::Real(register) => self.reals.free.push(register),
            Place::Truth(register) => self.truths.free.push(register),
        }
    }

    /// The same value in a register of its own: registers belong to one term each.
    fn copy(&mut self, place: Place) -> Place {
        match place {
            Place::Truth(_) => self.emit(Opcode::And, place, place, None),
            Place::Real(_) => {
                let negated = self.emit(Opcode::Neg, place, place, None);
                let copy = self.emit(Opcode::Neg, negated, negated, None);
                self.free(negated);
                copy
            }
        }
    }

    fn equal(&mut self, args: &[Place], on_truths: bool) -> Place {
        if !on_truths {
            return self.emit(Opcode::Equal, args[0], args[1], None);
        }
        let differ = self.emit(Opcode::Xor, args[0], args[1], None);
        let equal = self.emit(Opcode::Not, differ, differ, None);
        self.free(differ);
        equal
    }

    /// The conjunction of all pairs' differing.
    fn distinct(&mut self, args: &[Place], on_truths: bool) -> Place {
        let mut result: Option<Place> = None;
        for (i, &a) in args.iter().enumerate() {
            for &b in &args[i + 1..] {
                let equal = self.equal(&[a, b], on_truths);
                let differ = self.emit(Opcode::Not, equal, equal, None);
                self.free(equal);
                result = Some(match result {
                    None => differ,
                    Some(others) => {
                        let both = self.emit(Opcode::And, others, differ, None);
                        self.free(others);
                        self.free(differ);
                        both
                    }
                });
            }
        }
        // The table of operators wants two arguments or more.
        result.unwrap_or(Place::Truth(0))
    }
}
