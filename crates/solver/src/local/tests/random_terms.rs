//! The program, its distances and its changes against the exact evaluator, on random terms over all operators.

use labrys_float::{Float, Format, RoundingMode};
use labrys_term::{Evaluator, Op, Sort, Store, TermId};

use super::super::compile::{Compiled, compile};
use super::super::program::Kind;
use super::super::random::Random;
use super::super::state::State;
use super::super::{model, run};

const FORMATS: [Format; 4] = [Format::new(3, 4), Format::BINARY16, Format::BINARY32, Format::BINARY64];
const WIDTHS: [u32; 5] = [1, 7, 16, 32, 64];

/// Terms by sort, grown at random.
pub(super) struct Forest {
    pub store: Store,
    terms: Vec<TermId>,
    pub random: Random,
}

impl Forest {
    pub fn new(seed: u64) -> Forest {
        let mut forest = Forest { store: Store::new(), terms: Vec::new(), random: Random::new(seed) };
        for (index, format) in FORMATS.into_iter().enumerate() {
            for copy in 0..2 {
                let variable = forest.store.variable(&format!("f{index}{copy}"), Sort::Float(format));
                forest.terms.push(variable);
            }
        }
        for width in WIDTHS {
            let variable = forest.store.variable(&format!("v{width}"), Sort::BitVec(width));
            let literal = forest.store.bv_const(width, 5u8);
            forest.terms.extend([variable, literal]);
        }
        for name in ["p", "q"] {
            let variable = forest.store.variable(name, Sort::Bool);
            forest.terms.push(variable);
        }
        for name in ["m", "n"] {
            let variable = forest.store.variable(name, Sort::RoundingMode);
            forest.terms.push(variable);
        }
        let mode = forest.store.rounding_mode(RoundingMode::TowardNegative);
        forest.terms.push(mode);
        forest
    }

    /// Two variables of few values and what grows from them with `grow_small`.
    pub fn small(seed: u64) -> Forest {
        let mut forest = Forest { store: Store::new(), terms: Vec::new(), random: Random::new(seed) };
        let format = FORMATS[0];
        let x = forest.store.variable("x", Sort::Float(format));
        let other = match seed % 4 {
            0 => Sort::Float(Format::new(2, 3)),
            1 => Sort::BitVec(5),
            2 => Sort::RoundingMode,
            _ => Sort::Bool,
        };
        let y = forest.store.variable("y", other.clone());
        let mode = match other {
            Sort::RoundingMode => y,
            _ => forest.store.rounding_mode(run::mode(seed / 4)),
        };
        let from_y = match other {
            Sort::Float(_) => forest.store.mk(Op::FpFromFloat(format), &[mode, y]),
            Sort::BitVec(_) => forest.store.mk(Op::FpFromSigned(format), &[mode, y]),
            Sort::Bool => {
                let negative = forest.store.mk(Op::FpNeg, &[x]);
                forest.store.mk(Op::Ite, &[y, x, negative])
            }
            _ => x,
        };
        let literals = [0x1du8, 0x2a, 0x51, 0x34].map(|bits| forest.store.float_const(Float::from_bits(format, bits)));
        forest.terms.extend([x, from_y, mode]);
        forest.terms.extend(literals);
        forest
    }

    /// Adds a term of a random operator on floats of the small format.
    pub fn grow_small(&mut self) {
        let float = Sort::Float(FORMATS[0]);
        let [mode, a, b, c] = [Sort::RoundingMode, float.clone(), float.clone(), float].map(|sort| self.any(&sort));
        let term = match self.random.below(12) {
            0 => self.store.mk(Op::FpAdd, &[mode, a, b]),
            1 => self.store.mk(Op::FpMul, &[mode, a, b]),
            2 => self.store.mk(Op::FpDiv, &[mode, a, b]),
            3 => self.store.mk(Op::FpFma, &[mode, a, b, c]),
            4 => self.store.mk(Op::FpSub, &[mode, a, b]),
            5 => self.store.mk(Op::FpRem, &[a, b]),
            6 => self.store.mk(Op::FpSqrt, &[mode, a]),
            7 => self.store.mk(Op::FpRoundToIntegral, &[mode, a]),
            8 | 9 => self.store.mk(Op::FpLt, &[a, b]),
            10 => self.store.mk(Op::FpLe, &[a, b]),
            _ => self.store.mk(Op::Eq, &[a, b]),
        };
        self.terms.push(term);
    }

    /// The Bool terms.
    pub fn bools(&self) -> Vec<TermId> {
        self.terms.iter().copied().filter(|term| *self.store.sort(*term) == Sort::Bool).collect()
    }

    /// Some Bool terms, each as it is or negated; fewer if there are not so many.
    pub fn asserted(&mut self, count: usize) -> Vec<TermId> {
        let mut chosen = Vec::new();
        for term in self.bools().into_iter().rev().take(count) {
            chosen.push(if self.random.once_in(2) { term } else { self.store.not(term) });
        }
        chosen
    }

    /// Any term of a sort; there is one.
    pub fn any(&mut self, wanted: &Sort) -> TermId {
        let fitting: Vec<TermId> = self.terms.iter().copied().filter(|term| self.store.sort(*term) == wanted).collect();
        // Half the time a recent one, so that terms grow deep.
        let recent = &fitting[fitting.len() * 2 / 3..];
        let from = if self.random.once_in(2) && !recent.is_empty() { recent } else { &fitting };
        self.random.pick(from).unwrap()
    }

    fn any_sort(&mut self) -> Sort {
        match self.random.below(4) {
            0 => Sort::Bool,
            1 => Sort::BitVec(self.random.pick(&WIDTHS).unwrap()),
            _ => Sort::Float(self.random.pick(&FORMATS).unwrap()),
        }
    }

    /// Adds a term of a random operator.
    pub fn grow(&mut self) {
        let format = self.random.pick(&FORMATS).unwrap();
        let width = self.random.pick(&WIDTHS).unwrap();
        let (float, bits) = (Sort::Float(format), Sort::BitVec(width));
        let (mode, truth) = (Sort::RoundingMode, Sort::Bool);
        let any = self.any_sort();
        let other = self.random.pick(&FORMATS).unwrap();
        let low = self.random.below(width.into()) as u32;
        let pick = |random: &mut Random, ops: &[Op]| ops[random.index(ops.len())].clone();
        let random = &mut self.random;
        let (op, sorts) = match random.below(16) {
            0 => (pick(random, &[Op::FpAdd, Op::FpSub, Op::FpMul, Op::FpDiv]), vec![&mode, &float, &float]),
            1 => (Op::FpFma, vec![&mode, &float, &float, &float]),
            2 => (pick(random, &[Op::FpSqrt, Op::FpRoundToIntegral, Op::FpFromFloat(other)]), vec![&mode, &float]),
            3 => (pick(random, &[Op::FpRem, Op::FpFmod, Op::FpMin, Op::FpMax]), vec![&float, &float]),
            4 => (pick(random, &[Op::FpAbs, Op::FpNeg]), vec![&float]),
            5 => (pick(random, &[Op::FpEq, Op::FpLt, Op::FpLe]), vec![&float, &float]),
            6 => (
                pick(
                    random,
                    &[
                        Op::FpIsNormal,
                        Op::FpIsSubnormal,
                        Op::FpIsZero,
                        Op::FpIsInfinite,
                        Op::FpIsNan,
                        Op::FpIsNegative,
                        Op::FpIsPositive,
                    ],
                ),
                vec![&float],
            ),
            7 => (
                pick(random, &[Op::FpToUnsigned(16), Op::FpToSigned(7), Op::FpToSigned(64), Op::FpToUnsigned(32)]),
                vec![&mode, &float],
            ),
            8 => (pick(random, &[Op::FpFromSigned(format), Op::FpFromUnsigned(format)]), vec![&mode, &bits]),
            9 => (
                pick(
                    random,
                    &[
                        Op::BvAdd,
                        Op::BvSub,
                        Op::BvMul,
                        Op::BvAnd,
                        Op::BvOr,
                        Op::BvXor,
                        Op::BvUdiv,
                        Op::BvUrem,
                        Op::BvSdiv,
                        Op::BvSrem,
                        Op::BvSmod,
                        Op::BvShl,
                        Op::BvLshr,
                        Op::BvAshr,
                    ],
                ),
                vec![&bits, &bits],
            ),
            10 => (pick(random, &[Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle]), vec![&bits, &bits]),
            11 => (
                pick(
                    random,
                    &[
                        Op::BvNot,
                        Op::BvNeg,
                        Op::Extract { high: width - 1, low },
                        Op::ZeroExtend(64 - width),
                        Op::SignExtend(64 - width),
                    ],
                ),
                vec![&bits],
            ),
            12 => (pick(random, &[Op::And, Op::Or, Op::Xor]), vec![&truth, &truth, &truth]),
            13 => (pick(random, &[Op::Not, Op::Implies, Op::Xor]), vec![&truth, &truth]),
            14 => (Op::Ite, vec![&truth, &any, &any]),
            _ => (pick(random, &[Op::Eq, Op::Distinct]), vec![&any, &any]),
        };
        let sorts = if op == Op::Not { sorts[..1].to_vec() } else { sorts };
        let mut arguments = Vec::new();
        for sort in sorts {
            arguments.push(self.any(sort));
        }
        let term = self.store.mk(op, &arguments);
        self.terms.push(term);
        match self.store.float_format(term) {
            Some(format) if self.random.once_in(3) => {
                let bits = self.store.mk(Op::FpToBits, &[term]);
                let back = self.store.mk(Op::FpFromBits(format), &[bits]);
                let vectors = [self.any(&Sort::BitVec(7)), self.any(&Sort::BitVec(1)), self.any(&Sort::BitVec(7))];
                let joined = self.store.mk(Op::Concat, &vectors);
                self.terms.extend([bits, back, joined]);
            }
            _ => {}
        }
    }
}

#[test]
fn every_register_has_the_exact_evaluator_s_value() {
    let mut compared = 0u32;
    for seed in 0..60 {
        let mut forest = Forest::new(seed);
        (0..120).for_each(|_| forest.grow());
        let roots = forest.bools();
        let Compiled { program, registers } = compile(&forest.store, &roots).unwrap();
        let mut state = State::new(&program);
        for round in 0..40 {
            // The last of a few changes is taken back, so that both ways are compared.
            for turn in 0..4 {
                let input = forest.random.index(program.inputs.len());
                let kind = program.kinds[program.inputs[input].1 as usize];
                let value = super::super::bounds::Bounds::top(&kind).sample(&mut forest.random);
                let mark = state.mark();
                state.set(input, value);
                if turn == 3 {
                    state.undo(mark);
                }
            }
            let values: Vec<u64> =
                program.inputs.iter().map(|(_, register)| state.values[*register as usize]).collect();
            let model = model(&program, &values);
            let mut evaluator = Evaluator::new(&forest.store, &model);
            for (term, register) in &registers {
                // Open values are the program's business.
                let Ok(expected) = evaluator.value(*term) else { continue };
                let bits = state.values[*register as usize];
                let ours = match program.kinds[*register as usize] {
                    Kind::Bool => labrys_term::Value::Bool(bits != 0),
                    Kind::Bits(width) => labrys_term::Value::bit_vector(width, bits),
                    Kind::Float(packed) => labrys_term::Value::Float(packed.decode(bits)),
                    Kind::Mode => labrys_term::Value::RoundingMode(run::mode(bits)),
                };
                let node = forest.store.node(*term);
                assert!(
                    ours == expected,
                    "seed {seed} round {round}: {:?} of {:?}: {ours:?}, {expected:?}",
                    node.op,
                    node.args
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 100_000, "{compared}");
}

#[test]
fn distances_are_zero_exactly_at_the_truth_and_costs_are_their_sum() {
    for seed in 100..130 {
        let mut forest = Forest::new(seed);
        (0..100).for_each(|_| forest.grow());
        let roots = forest.bools();
        let Compiled { program, .. } = compile(&forest.store, &roots).unwrap();
        let mut state = State::new(&program);
        for weight in &mut state.weights {
            *weight = 1.0 + forest.random.below(5) as f64;
        }
        state.weigh();
        for _ in 0..200 {
            let input = forest.random.index(program.inputs.len());
            let kind = program.kinds[program.inputs[input].1 as usize];
            let value = super::super::bounds::Bounds::top(&kind).sample(&mut forest.random);
            let mark = state.mark();
            state.set(input, value);
            for (register, kind) in program.kinds.iter().enumerate() {
                let [to_true, to_false] = state.distances[register];
                if *kind == Kind::Bool {
                    let truth = state.values[register] != 0;
                    assert_eq!(
                        (to_true == 0.0, to_false == 0.0),
                        (truth, !truth),
                        "{:?}",
                        program.instructions[register]
                    );
                    assert!(to_true >= 0.0 && to_false >= 0.0);
                }
            }
            if forest.random.once_in(3) {
                state.undo(mark);
            }
            let cost = state.cost;
            state.weigh();
            assert!((cost - state.cost).abs() <= 1e-9 * (1.0 + cost), "{cost} {}", state.cost);
            let wrong: Vec<usize> = (0..program.assertions.len())
                .filter(|assertion| state.values[program.assertions[*assertion] as usize] == 0)
                .collect();
            let mut listed: Vec<usize> = state.violated().iter().map(|assertion| *assertion as usize).collect();
            listed.sort_unstable();
            assert_eq!(wrong, listed);
            if forest.random.once_in(2) {
                let values = state.values.clone();
                state.refresh();
                assert_eq!(values, state.values);
            }
        }
    }
}

impl Forest {
    /// The latest Bool terms, or their negations, that hold under a random assignment.
    pub fn planted(&mut self, count: usize) -> Vec<TermId> {
        let bools = self.bools();
        let mut model = labrys_term::Model::new();
        for variable in self.store.free_variables(&bools) {
            let sort = self.store.variable_info(variable).1.clone();
            let value = self.value(&sort);
            model.set(variable, value);
        }
        let mut chosen = Vec::new();
        for term in bools.into_iter().rev() {
            let Ok(value) = labrys_term::eval(&self.store, term, &model) else { continue };
            let holds = value.as_bool() == Some(true);
            chosen.push(if holds { term } else { self.store.not(term) });
            if chosen.len() == count {
                break;
            }
        }
        chosen
    }

    fn value(&mut self, sort: &Sort) -> labrys_term::Value {
        use super::super::bounds::Bounds;
        use labrys_float::Packed;
        use labrys_term::Value;
        let mut sample = |kind: Kind| Bounds::top(&kind).sample(&mut self.random);
        match sort {
            Sort::BitVec(width) => Value::bit_vector(*width, sample(Kind::Bits(*width))),
            Sort::Float(format) => {
                let packed = Packed::new(*format).unwrap();
                Value::float(packed.decode(sample(Kind::Float(packed))))
            }
            Sort::RoundingMode => Value::RoundingMode(run::mode(sample(Kind::Mode))),
            _ => Value::Bool(sample(Kind::Bool) != 0),
        }
    }
}
