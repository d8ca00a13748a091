use labrys_float::{Float, Format, RoundingMode};
use labrys_formulas::{FLOAT_CLASSES, Random};
use labrys_term::{Evaluator, Model, Op, Sort, Store, TermId, Value};

use crate::bitblast::{BitBlaster, IncrementalBitBlaster, IncrementalVerdict};
use crate::domain::{Domain, Facts, FloatDomain};
use crate::{Budget, Engine, Query, Verdict};

/// Two floats of a tiny format, a rounding mode, and terms made of them.
struct Floats {
    store: Store,
    format: Format,
    variables: Vec<TermId>,
    numbers: Vec<TermId>,
    bools: Vec<TermId>,
}

impl Floats {
    fn new(random: &mut Random, format: Format, steps: usize) -> Floats {
        let mut store = Store::new();
        let (x, y) = (store.variable("x", Sort::Float(format)), store.variable("y", Sort::Float(format)));
        let mode = store.variable("m", Sort::RoundingMode);
        let literal = Float::from_bits(format, random.below(1 << format.width()) as u64);
        let literal = store.float_const(literal);
        let order = store.mk(Op::FpLt, &[x, y]);
        let mut floats =
            Floats { store, format, variables: vec![x, y, mode], numbers: vec![x, y, literal], bools: vec![order] };
        for _ in 0..steps {
            floats.grow(random);
        }
        floats
    }

    fn grow(&mut self, random: &mut Random) {
        let [a, b, c] = [0; 3].map(|_| random.pick(&self.numbers));
        let condition = random.pick(&self.bools);
        let store = &mut self.store;
        let fixed = store.rounding_mode(random.pick(&RoundingMode::ALL));
        let mode = random.pick(&[self.variables[2], fixed]);
        if random.below(3) == 0 {
            let relations = [Op::FpLt, Op::FpLe, Op::FpEq, Op::Eq, Op::Distinct];
            let made = match random.below(4) {
                0 => store.mk(random.pick(&FLOAT_CLASSES), &[a]),
                1 => store.mk(Op::Not, &[condition]),
                _ => store.mk(random.pick(&relations), &[a, b]),
            };
            return self.bools.push(made);
        }
        let wide = Format::new(4, 6);
        let made = match random.below(14) {
            0 => store.mk(Op::FpFma, &[mode, a, b, c]),
            1 => store.mk(Op::FpSqrt, &[mode, a]),
            2 => store.mk(Op::FpRem, &[a, b]),
            3 => store.mk(Op::FpFmod, &[a, b]),
            4 => store.mk(Op::FpRoundToIntegral, &[mode, a]),
            5 => store.mk(random.pick(&[Op::FpNeg, Op::FpAbs]), &[a]),
            6 => store.mk(Op::Ite, &[condition, a, b]),
            7 => {
                let wider = store.mk(Op::FpFromFloat(wide), &[mode, a]);
                let square = store.mk(Op::FpMul, &[mode, wider, wider]);
                store.mk(Op::FpFromFloat(self.format), &[mode, square])
            }
            8 => {
                let bits = store.mk(Op::FpToBits, &[a]);
                let integer = store.mk(Op::Extract { high: 3, low: 1 }, &[bits]);
                let from = [Op::FpFromSigned(self.format), Op::FpFromUnsigned(self.format)];
                store.mk(random.pick(&from), &[mode, integer])
            }
            9 => {
                let bits = [store.mk(Op::FpToBits, &[a]), store.mk(Op::FpToBits, &[b])];
                let sum = store.mk(Op::BvAdd, &bits);
                store.mk(Op::FpFromBits(self.format), &[sum])
            }
            _ => store.mk(random.pick(&[Op::FpAdd, Op::FpSub, Op::FpMul, Op::FpDiv]), &[mode, a, b]),
        };
        self.numbers.push(made);
    }

    fn models(&self) -> impl Iterator<Item = Model> {
        let count = 1u64 << self.format.width();
        let all =
            (0..count).flat_map(move |x| (0..count).flat_map(move |y| RoundingMode::ALL.map(|mode| (x, y, mode))));
        all.map(|(x, y, mode)| {
            let float = |bits: u64| Value::float(Float::from_bits(self.format, bits));
            let mut model = Model::new();
            for (variable, value) in self.variables.iter().zip([float(x), float(y), Value::RoundingMode(mode)]) {
                model.set_term(&self.store, *variable, value);
            }
            model
        })
    }

    fn holds(&self, model: &Model, terms: &[TermId]) -> bool {
        let mut model = model.clone();
        model.complete(&self.store, terms);
        let mut evaluator = Evaluator::new(&self.store, &model);
        terms.iter().all(|term| evaluator.holds(*term) == Ok(true))
    }

    /// Checks a verdict on assertions, by enumeration where it is Unsat.
    fn judge(&self, seed: u64, assertions: &[TermId], verdict: &Verdict) -> bool {
        match verdict {
            Verdict::Sat(model) => assert!(self.holds(model, assertions), "seed {seed}: {model:?}"),
            Verdict::Unsat => assert!(!self.models().any(|model| self.holds(&model, assertions)), "seed {seed}"),
            Verdict::Unknown(why) => panic!("seed {seed}: {why}"),
        }
        matches!(verdict, Verdict::Sat(_))
    }
}

/// Three assertions, of which the first two relate the newest terms.
fn assertions(random: &mut Random, floats: &mut Floats) -> Vec<TermId> {
    let last = floats.numbers.len() - 1;
    let (a, b) = (floats.numbers[last], floats.numbers[last - 1]);
    let relation = random.pick(&[Op::FpLt, Op::FpLe, Op::FpEq]);
    vec![floats.store.mk(relation, &[a, b]), random.pick(&floats.bools), random.pick(&floats.bools)]
}

#[test]
fn answers_are_those_of_enumeration() {
    let mut sat = 0;
    for seed in 0..120 {
        let mut random = Random::new(seed);
        let format = random.pick(&[Format::new(2, 3), Format::new(3, 2)]);
        let mut floats = Floats::new(&mut random, format, 12);
        let assertions = assertions(&mut random, &mut floats);
        let query = Query { store: &floats.store, assertions: &assertions, facts: &Facts::default() };
        let verdict = BitBlaster::new().check(&query, &Budget::unlimited());
        sat += u32::from(floats.judge(seed, &assertions, &verdict));
    }
    assert!((30..90).contains(&sat), "{sat} of 120");
}

#[test]
fn facts_about_floats_change_no_answer() {
    let mut checked = 0;
    for seed in 500..560 {
        let mut random = Random::new(seed);
        let format = Format::new(2, 3);
        let mut floats = Floats::new(&mut random, format, 12);
        let assertions = assertions(&mut random, &mut floats);
        let models: Vec<Model> = floats.models().filter(|model| floats.holds(model, &assertions)).collect();
        if models.is_empty() {
            continue;
        }
        let mut facts = Facts::default();
        for term in floats.store.reachable(&assertions) {
            let Sort::Float(format) = *floats.store.sort(term) else { continue };
            let mut hull = FloatDomain::empty(format);
            for model in &models {
                if let Ok(Value::Float(value)) = labrys_term::eval(&floats.store, term, model) {
                    hull = hull.hull(&FloatDomain::only(&value));
                }
            }
            facts.domains.insert(term, Domain::Float(hull));
        }
        let query = Query { store: &floats.store, assertions: &assertions, facts: &facts };
        let verdict = BitBlaster::new().check(&query, &Budget::unlimited());
        assert!(floats.judge(seed, &assertions, &verdict), "seed {seed}");
        checked += 1;
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn levels_of_assertions_over_floats() {
    for seed in 0..8 {
        let mut random = Random::new(seed);
        let mut floats = Floats::new(&mut random, Format::new(2, 3), 15);
        let base = assertions(&mut random, &mut floats);
        let mut solver = IncrementalBitBlaster::new(0);
        for round in 0..6 {
            let term = random.pick(&floats.bools);
            let asserted = if round % 2 == 0 { vec![base[0], base[1]] } else { vec![base[2]] };
            solver.push();
            asserted.iter().for_each(|term| solver.assert(*term));
            let verdict = match solver.check(&floats.store, &[term], &Budget::unlimited()) {
                IncrementalVerdict::Sat(model) => Verdict::Sat(model),
                IncrementalVerdict::Unsat { .. } => Verdict::Unsat,
                IncrementalVerdict::Unknown(why) => Verdict::Unknown(why),
            };
            floats.judge(seed, &[asserted, vec![term]].concat(), &verdict);
            assert!(solver.pop());
        }
    }
}

/// The papers' first example (Botella, Gotlieb, Michel, STVR 2006): no float below 10,000 changes 10¹² by addition,
/// though doubles do.
#[test]
fn absorption_is_decided_in_both_formats() {
    for (format, wanted) in [(Format::BINARY32, false), (Format::BINARY64, true)] {
        let mut store = Store::new();
        let x = store.variable("x", Sort::Float(format));
        let mode = store.rounding_mode(RoundingMode::NearestEven);
        let convert = |value: f64| labrys_float::Environment::default().convert(&Float::from_f64(value), format).value;
        let (most, large) = (store.float_const(convert(1e4)), store.float_const(convert(1e12)));
        let sum = store.mk(Op::FpAdd, &[mode, x, large]);
        let assertions = [store.mk(Op::FpLt, &[x, most]), store.mk(Op::FpLt, &[large, sum])];
        let query = Query { store: &store, assertions: &assertions, facts: &Facts::default() };
        let verdict = BitBlaster::new().check(&query, &Budget::unlimited());
        assert_eq!(matches!(verdict, Verdict::Sat(_)), wanted, "{verdict:?}");
        assert!(!matches!(verdict, Verdict::Unknown(_)));
    }
}
