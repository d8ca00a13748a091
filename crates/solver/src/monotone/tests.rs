use labrys_float::{Environment, Flags, Float, Format, Rounded, RoundingMode};
use labrys_term::smtlib::{Options, print_script};
use labrys_term::{EvalError, Evaluator, Model, Op, Sort, Store, TermId, Value};
use smallvec::SmallVec;

use super::lemmas::{Operation, all};

/// Operations on variables, with the lemmas about them.
struct Sample {
    store: Store,
    variables: Vec<TermId>,
    operations: Vec<Operation>,
    lemmas: Vec<TermId>,
}

impl Sample {
    fn new(format: Format, names: &[&str]) -> Sample {
        let mut store = Store::new();
        let variables = names.iter().map(|name| store.variable(name, Sort::Float(format))).collect();
        Sample { store, variables, operations: Vec::new(), lemmas: Vec::new() }
    }

    fn add(&mut self, op: Op, mode: Option<RoundingMode>, operands: &[TermId]) -> TermId {
        let mut args: SmallVec<[TermId; 4]> = mode.map(|mode| self.store.rounding_mode(mode)).into_iter().collect();
        args.extend_from_slice(operands);
        let result = self.store.mk(op.clone(), &args);
        let exact = self.store.variable(&format!("exact{}", self.operations.len()), Sort::Bool);
        self.operations.push(Operation { op, args, result, exact });
        result
    }

    fn finish(mut self) -> Sample {
        self.lemmas = all(&mut self.store, &self.operations, true);
        self
    }

    /// All lemmas under values of the variables; how many operations were exact.
    fn check(&self, values: &[Float]) -> usize {
        let mut model = Model::new();
        for (variable, value) in self.variables.iter().zip(values) {
            model.set_term(&self.store, *variable, Value::float(value.clone()));
        }
        let mut count = 0;
        for operation in self.operations.iter().filter(|operation| !matches!(operation.op, Op::FpToSigned(_))) {
            let is_exact = self.is_exact(&model, operation);
            count += usize::from(is_exact);
            model.set_term(&self.store, operation.exact, Value::Bool(is_exact));
        }
        let mut evaluator = Evaluator::new(&self.store, &model);
        for lemma in &self.lemmas {
            // Integers that do not fit are open, but for lemmas that do not hang on them.
            let holds = evaluator.holds(*lemma);
            if matches!(holds, Err(EvalError::Open(_))) {
                continue;
            }
            let text = || print_script(&self.store, &[*lemma], &Options::default());
            assert!(holds == Ok(true), "{values:?} {}", text());
        }
        count
    }

    fn is_exact(&self, model: &Model, operation: &Operation) -> bool {
        let mut evaluator = Evaluator::new(&self.store, model);
        let mut mode = None;
        let mut operands = Vec::new();
        for arg in &operation.args {
            match evaluator.value(*arg) {
                Ok(Value::RoundingMode(value)) => mode = Some(value),
                Ok(Value::Float(value)) => operands.push(value.clone()),
                other => panic!("{other:?}"),
            }
        }
        let env = Environment::with_rounding(mode.unwrap_or_default());
        let Rounded { value, flags } = match (&operation.op, &operands[..]) {
            (Op::FpAdd, [x, y]) => env.add(x, y),
            (Op::FpSub, [x, y]) => env.sub(x, y),
            (Op::FpMul, [x, y]) => env.mul(x, y),
            (Op::FpDiv, [x, y]) => env.div(x, y),
            (Op::FpFma, [x, y, z]) => env.fma(x, y, z),
            (Op::FpSqrt, [x]) => env.sqrt(x),
            (Op::FpFromFloat(to), [x]) => env.convert(x, *to),
            (Op::FpRoundToIntegral, [x]) => env.round_to_integral(x, mode.unwrap(), true),
            (Op::FpFmod | Op::FpRem, [x, _]) => Rounded { value: x.clone(), flags: Flags::empty() },
            other => panic!("{other:?}"),
        };
        value.is_finite() && !flags.contains(Flags::INEXACT)
    }
}

/// Numbers that look random.
struct Random(u128);

impl Random {
    fn below(&mut self, bound: u128) -> u128 {
        self.0 = self.0.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(0x5851_f42d_4c95_7f2d);
        (self.0 >> 70) % bound
    }

    /// Values of which many lie near each other, or are each other's opposites.
    fn values(&mut self, format: Format, count: usize) -> Vec<Float> {
        let width = format.width();
        let mut near = self.below(1 << width);
        let mut value = |random: &mut Random| {
            near = match random.below(4) {
                0 => random.below(1 << width),
                1 => near,
                2 => near ^ 1 << (width - 1),
                _ => near.wrapping_add(random.below(3)).wrapping_sub(1) & ((1 << width) - 1),
            };
            Float::from_bits(format, near)
        };
        (0..count).map(|_| value(self)).collect()
    }
}

/// Two operations of every kind on four variables, alike or such that a lemma is about both.
fn alike(format: Format, mode: RoundingMode) -> Sample {
    let mut sample = Sample::new(format, &["x", "y", "u", "v"]);
    let [x, y, u, v] = sample.variables[..] else { unreachable!() };
    let mode = Some(mode);
    for op in [Op::FpAdd, Op::FpSub, Op::FpMul, Op::FpDiv] {
        sample.add(op.clone(), mode, &[x, y]);
        sample.add(op.clone(), mode, &[u, v]);
        sample.add(op, mode, &[u, y]);
    }
    // y + v with v − y; v − u with v − y.
    sample.add(Op::FpAdd, mode, &[y, u]);
    sample.add(Op::FpSub, mode, &[v, y]);
    sample.add(Op::FpSub, mode, &[v, u]);
    sample.add(Op::FpMul, mode, &[x, x]);
    sample.add(Op::FpFma, mode, &[x, y, v]);
    sample.add(Op::FpFma, mode, &[u, v, y]);
    for operand in [x, u] {
        sample.add(Op::FpSqrt, mode, &[operand]);
        sample.add(Op::FpRoundToIntegral, mode, &[operand]);
        let narrower = Format::new(format.exponent_bits(), format.precision() - 1);
        sample.add(Op::FpFromFloat(narrower), mode, &[operand]);
    }
    for operand in [x, u] {
        sample.add(Op::FpToSigned(3), Some(RoundingMode::TowardZero), &[operand]);
    }
    for op in [Op::FpFmod, Op::FpRem] {
        sample.add(op.clone(), None, &[x, y]);
        sample.add(op, None, &[u, v]);
    }
    sample.finish()
}

#[test]
fn lemmas_hold_for_all_operands_of_a_small_format_and_samples_of_others() {
    let mut random = Random(7);
    for mode in RoundingMode::ALL {
        for format in [Format::new(2, 3), Format::new(3, 4), Format::BINARY32] {
            let sample = alike(format, mode);
            assert!(sample.lemmas.len() > 200, "{}", sample.lemmas.len());
            // All operands of 5 bits would be a million quadruples for each mode; a part of them is drawn anew for each.
            let mut exact = 0;
            for _ in 0..if format.width() < 8 { 1_500 } else { 300 } {
                exact += sample.check(&random.values(format, 4));
            }
            assert!(exact > 1_000, "{exact}");
        }
    }
}

/// All pairs of operands of a tiny format and samples of others, in each two modes: sums, differences in both directions and what undoes them,
/// products with powers of two, and the same in a format that is wider.
#[test]
fn lemmas_about_modes_and_exact_results_hold_for_all_operands_of_a_tiny_format() {
    use RoundingMode::*;
    let pairs = [(NearestEven, TowardPositive), (NearestAway, TowardNegative), (TowardNegative, TowardPositive)];
    for (one, other) in pairs.into_iter().chain([(TowardZero, TowardNegative), (TowardPositive, TowardZero)]) {
        let tiny = Format::new(2, 3);
        let sample = modes(tiny, one, other);
        let mut numbers: Vec<Float> = (0..1u32 << tiny.width()).map(|bits| Float::from_bits(tiny, bits)).collect();
        // SMT-LIB has one NaN.
        numbers.retain(|number| !number.is_nan());
        numbers.push(Float::nan(tiny));
        let pairs = numbers.iter().flat_map(|x| numbers.iter().map(move |y| [x.clone(), y.clone()]));
        let exact: usize = pairs.map(|pair| sample.check(&pair)).sum();
        assert!(exact > 1_000, "{exact}");
        let mut random = Random(11);
        for format in [Format::new(3, 4), Format::BINARY16] {
            let sample = modes(format, one, other);
            (0..200).for_each(|_| _ = sample.check(&random.values(format, 2)));
        }
    }
}

fn modes(format: Format, one: RoundingMode, other: RoundingMode) -> Sample {
    let wide = Format::new(format.exponent_bits() + 1, 2 * format.precision());
    let mut sample = Sample::new(format, &["x", "y"]);
    let [x, y] = sample.variables[..] else { unreachable!() };
    let nearest = Some(RoundingMode::NearestEven);
    let [long_x, long_y] = [x, y].map(|term| sample.add(Op::FpFromFloat(wide), nearest, &[term]));
    for mode in [Some(one), Some(other)] {
        let difference = sample.add(Op::FpSub, mode, &[x, y]);
        sample.add(Op::FpSub, mode, &[y, x]);
        sample.add(Op::FpAdd, mode, &[x, y]);
        sample.add(Op::FpMul, mode, &[x, y]);
        sample.add(Op::FpDiv, mode, &[x, y]);
        sample.add(Op::FpAdd, mode, &[difference, y]);
        let integer = sample.add(Op::FpRoundToIntegral, mode, &[x]);
        sample.add(Op::FpSub, Some(one), &[integer, x]);
        sample.add(Op::FpSub, Some(one), &[x, integer]);
        sample.add(Op::FpSub, mode, &[x, difference]);
        sample.add(Op::FpAdd, mode, &[long_x, long_y]);
        sample.add(Op::FpSub, mode, &[long_x, long_y]);
        sample.add(Op::FpMul, mode, &[long_x, long_y]);
        for power in [0.5, 2.0] {
            let power = Environment::default().convert(&Float::from_f64(power), format).value;
            let power = sample.store.float_const(power);
            let [scaled, other] = [x, y].map(|operand| sample.add(Op::FpMul, mode, &[operand, power]));
            sample.add(Op::FpMul, mode, &[y, scaled]);
            sample.add(Op::FpDiv, mode, &[scaled, y]);
            sample.add(Op::FpDiv, mode, &[x, other]);
            let sum = sample.add(Op::FpAdd, mode, &[scaled, other]);
            sample.add(Op::FpMul, mode, &[sum, power]);
            let sum = sample.add(Op::FpAdd, mode, &[x, y]);
            sample.add(Op::FpMul, Some(RoundingMode::NearestEven), &[sum, power]);
            sample.add(Op::FpMul, Some(RoundingMode::NearestEven), &[y, power]);
        }
    }
    sample.finish()
}

/// The root of the rounded square, of every significand.
#[test]
fn roots_of_squares_are_sizes() {
    for bits in (0x3f80_0000u32..0x4080_0000).step_by(7) {
        let x = f32::from_bits(bits);
        assert_eq!((x * x).sqrt(), x);
    }
    // Below the normal numbers they are not.
    let x = f32::from_bits(0x1b80_0001);
    assert!((x * x).sqrt() != x);
}
