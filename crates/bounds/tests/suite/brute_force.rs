//! Every input of tiny formats against exact rationals: absolute and relative errors, subnormals, overflow, division near zero, guards, several
//! paths, choices, remainders, integers. A bound is wrong if one input's error is larger, or if an input on some path has no value.
//!
//! `LABRYS_BOUNDS_CASES` and `LABRYS_BOUNDS_SEED` ask for more; `cargo xtask agree --bounds` does.

use labrys_bounds::{Input, Measure, Options, Outcome, Path, Request, bound};
use labrys_float::{Float, Format, RoundingMode};
use labrys_formulas::Random;
use labrys_term::{Op, Sort, Store, TermId, Value};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use rustc_hash::FxHashMap;

/// Bits of exponent and precision: of 4 to 7 bits.
const FORMATS: [Format; 6] =
    [Format::new(2, 2), Format::new(2, 3), Format::new(3, 3), Format::new(2, 4), Format::new(3, 4), Format::new(4, 3)];

/// What the same operations give without rounding.
#[derive(Clone, Debug, PartialEq)]
enum Exact {
    Number(BigRational),
    /// A number known to within 2^−[`CLOSE`] of itself, or so: made of a root that is no rational number. It is not compared.
    Near(BigRational),
    Truth(bool),
    /// A quotient by zero, a root of a negative number.
    Undefined,
    /// A comparison of what is undefined or not known closely enough, or what jumps there: not compared.
    Unknown,
    Mode,
}

/// Bits to which roots are had.
const CLOSE: u64 = 400;
/// What roots are not known closely enough for, and their distance from bounds: far less than the formats' numbers are apart.
const FAR: i32 = -200;

struct Case {
    store: Store,
    inputs: Vec<TermId>,
    /// Values of each input.
    values: Vec<Vec<f64>>,
    paths: Vec<Path>,
    measure: Measure,
}

/// Every finite number of a format, in order.
fn numbers(format: Format) -> Vec<f64> {
    let all = (0..1u32 << format.width()).map(|bits| Float::from_bits(format, bits)).filter(Float::is_finite);
    let mut all: Vec<f64> = all.map(|float| double(&float)).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

fn double(value: &Float) -> f64 {
    labrys_elementary::to_precise(value).to_f64()
}

fn rational(value: f64) -> BigRational {
    BigRational::from_float(value).expect("a finite number")
}

/// What cases there are.
#[derive(Clone, Copy)]
enum Kind {
    Any,
    GuardedRoot,
}

impl Case {
    fn new(random: &mut Random, kind: Kind) -> Case {
        let mut store = Store::new();
        let format = random.pick(&FORMATS);
        let all = numbers(format);
        let (mut inputs, mut values, mut pool) = (Vec::new(), Vec::new(), Vec::new());
        for place in 0..1 + random.below(2) {
            if random.once_in(6) {
                let variable = store.variable(&format!("n{place}"), Sort::BitVec(4));
                let (a, b): (i32, i32) = (random.within(-8..=7), random.within(-8..=7));
                values.push((a.min(b)..=a.max(b)).map(f64::from).collect());
                inputs.push(variable);
                let mode = store.rounding_mode(RoundingMode::NearestEven);
                let offset = store.bv_const(4, random.below(16) as u32);
                let sum = store.mk(Op::BvAdd, &[variable, offset]);
                let integer = if random.once_in(2) { sum } else { variable };
                pool.push(store.mk(Op::FpFromSigned(format), &[mode, integer]));
                continue;
            }
            let variable = store.variable(&format!("x{place}"), Sort::Float(format));
            let scale = random.pick(&[1.0, 1.0, 0.25]);
            let (a, b) = (random.pick(&all) * scale, random.pick(&all) * scale);
            values.push(all.iter().copied().filter(|x| a.min(b) <= *x && *x <= a.max(b)).collect::<Vec<f64>>());
            inputs.push(variable);
            pool.push(variable);
        }
        for _ in 0..1 + random.below(4) {
            let term = operation(random, &mut store, format, &pool);
            pool.push(term);
        }
        let paths = match kind {
            Kind::Any => paths(random, &mut store, &pool),
            Kind::GuardedRoot => guarded_root(random, &mut store, format, &pool),
        };
        let measure = if random.likely(0.6) { Measure::Absolute } else { Measure::Relative };
        Case { store, inputs, values, paths, measure }
    }

    /// The bound, if there is one, and what is wrong with it; how many inputs it was compared with.
    fn check(&self, tally: &mut Tally) {
        if self.values.iter().any(Vec::is_empty) {
            return;
        }
        let ends = |values: &Vec<f64>| (values[0], values[values.len() - 1]);
        let input = |(variable, values): (&TermId, &Vec<f64>)| {
            let (low, high) = ends(values);
            Input { variable: *variable, low, high }
        };
        let inputs: Vec<Input> = self.inputs.iter().zip(&self.values).map(input).collect();
        let request = Request { store: &self.store, inputs: &inputs, calls: &[], paths: &self.paths };
        let options = Options { measure: self.measure, gap: 0.01, boxes: 300, unstable: true, ..Options::default() };
        let Outcome::Proved(found) = bound(&request, &options).expect("a valid request") else {
            tally.unknown += 1;
            return;
        };
        tally.proved += 1;
        let upper = rational(found.upper);
        let count: usize = self.values.iter().map(Vec::len).product();
        let mut largest = BigRational::zero();
        for number in 0..count {
            let mut rest = number;
            let point: Vec<f64> =
                (self.values.iter()).map(|values| (values[rest % values.len()], rest /= values.len()).0).collect();
            match self.error(&point) {
                Some(Ok(error)) => {
                    tally.inputs += 1;
                    if error > upper {
                        tally.violations.push(format!("{error} > {} at {point:?}: {}", found.upper, self.text()));
                    }
                    largest = largest.max(error);
                }
                Some(Err(why)) => tally.violations.push(format!("{why} at {point:?}: {}", self.text())),
                None => tally.skipped += 1,
            }
        }
        tally.near += usize::from(largest * BigInt::from(3) >= upper);
    }

    fn text(&self) -> String {
        let path = |path: &Path| {
            let terms: Vec<TermId> = path.guards.iter().copied().chain([path.result]).collect();
            let nodes = self.store.reachable(&terms).into_iter();
            let lines = nodes.map(|term| {
                let node = self.store.node(term);
                let args: Vec<usize> = node.args.iter().map(|arg| arg.index()).collect();
                format!("{}: {:?} {args:?}", term.index(), node.op)
            });
            format!("{:?} -> {}\n{}", path.guards, path.result.index(), lines.collect::<Vec<_>>().join("\n"))
        };
        let paths: Vec<String> = self.paths.iter().map(path).collect();
        format!("{:?}, {:?}\n{}", self.measure, self.values, paths.join("\n"))
    }

    /// The measured error at an input; none where it takes no path or the truth is not rational.
    fn error(&self, point: &[f64]) -> Option<Result<BigRational, String>> {
        let terms: Vec<TermId> =
            self.paths.iter().flat_map(|path| path.guards.iter().copied().chain([path.result])).collect();
        let mut computed: FxHashMap<TermId, Value> = FxHashMap::default();
        let mut exact: FxHashMap<TermId, Exact> = FxHashMap::default();
        for term in self.store.reachable(&terms) {
            let input = self.inputs.iter().position(|input| *input == term).map(|place| point[place]);
            computed.insert(term, self.computed(term, input, &computed));
            exact.insert(term, self.exact(term, input, &exact));
        }
        let is_true = |guard: &TermId| computed[guard] == Value::Bool(true);
        let taken = self.paths.iter().find(|path| path.guards.iter().all(is_true))?;
        let mut truth = None;
        for path in &self.paths {
            let guards: Vec<&Exact> = path.guards.iter().map(|guard| &exact[guard]).collect();
            if guards.contains(&&Exact::Unknown) {
                return None;
            }
            if guards.iter().all(|guard| **guard == Exact::Truth(true)) {
                truth = Some(&exact[&path.result]);
            }
        }
        let Value::Float(result) = &computed[&taken.result] else { panic!("no float") };
        let truth_term = truth;
        let truth = match truth_term? {
            Exact::Number(truth) => truth.clone(),
            Exact::Near(truth) => truth.clone(),
            Exact::Unknown => return None,
            other => return Some(Err(format!("the truth is {other:?}"))),
        };
        let is_near = matches!(truth_term, Some(Exact::Near(_)));
        if !result.is_finite() {
            return Some(Err(format!("the result is {result:?}")));
        }
        let error = (rational(double(result)) - &truth).abs();
        // A violation must be one whatever the root's further digits are.
        let error = if is_near { (error - power_of_two(FAR)).max(BigRational::zero()) } else { error };
        match self.measure {
            Measure::Absolute => Some(Ok(error)),
            Measure::Relative if is_near && truth.abs() < power_of_two(FAR / 2) => None,
            Measure::Relative if truth.is_zero() => Some(Err("the truth is zero".to_owned())),
            Measure::Relative => Some(Ok(error / truth.abs())),
        }
    }

    fn computed(&self, term: TermId, input: Option<f64>, known: &FxHashMap<TermId, Value>) -> Value {
        let node = self.store.node(term);
        match (&node.op, input) {
            (Op::RoundingModeConst(mode), _) => Value::RoundingMode(*mode),
            (Op::FloatConst(value), _) => Value::Float(value.clone()),
            (Op::BitVecConst(bits), _) => Value::BitVec { width: 4, bits: bits.clone() },
            (_, Some(value)) => match node.sort {
                Sort::Float(format) => {
                    let environment = labrys_float::Environment::default();
                    Value::Float(environment.convert(&Float::from_f64(value), format).value)
                }
                _ => Value::BitVec { width: 4, bits: ((value as i64 & 15) as u32).into() },
            },
            (Op::Ite, _) => {
                let chosen = if known[&node.args[0]] == Value::Bool(true) { 1 } else { 2 };
                known[&node.args[chosen]].clone()
            }
            (Op::And, _) => Value::Bool(node.args.iter().all(|arg| known[arg] == Value::Bool(true))),
            (Op::Not, _) => Value::Bool(known[&node.args[0]] != Value::Bool(true)),
            _ => {
                let args: Vec<&Value> = node.args.iter().map(|arg| &known[arg]).collect();
                node.op.strict_value(&node.sort, &args).unwrap_or_else(|| panic!("{:?}", node.op))
            }
        }
    }

    fn exact(&self, term: TermId, input: Option<f64>, known: &FxHashMap<TermId, Exact>) -> Exact {
        let node = self.store.node(term);
        if let Some(value) = input {
            return Exact::Number(rational(value));
        }
        let args: Vec<&Exact> = node.args.iter().map(|arg| &known[arg]).collect();
        let truth = |place: usize| match args[place] {
            Exact::Truth(truth) => Ok(*truth),
            other => Err(other.clone()),
        };
        let mut numbers = Vec::new();
        match &node.op {
            Op::RoundingModeConst(_) => return Exact::Mode,
            Op::FloatConst(value) => return Exact::Number(rational(double(value))),
            // As a signed number: wherever a sum is read, it fits.
            Op::BitVecConst(value) => {
                let value = i64::try_from(value).expect("four bits");
                return Exact::Number(BigRational::from_integer((if value > 7 { value - 16 } else { value }).into()));
            }
            Op::Not => return truth(0).map_or_else(|other| other, |truth| Exact::Truth(!truth)),
            Op::And | Op::Or => {
                let all: Result<Vec<bool>, Exact> = (0..args.len()).map(truth).collect();
                let is_and = node.op == Op::And;
                return all.map_or_else(
                    |other| other,
                    |all| Exact::Truth(if is_and { all.iter().all(|x| *x) } else { all.iter().any(|x| *x) }),
                );
            }
            Op::Ite => return truth(0).map_or_else(|other| other, |truth| args[if truth { 1 } else { 2 }].clone()),
            _ => {}
        }
        let is_comparison = matches!(node.op, Op::FpLt | Op::FpLe | Op::FpEq);
        let mut is_near = false;
        for arg in args {
            match arg {
                Exact::Undefined | Exact::Near(_) if is_comparison => return Exact::Unknown,
                Exact::Number(number) => numbers.push(number),
                Exact::Near(number) => {
                    is_near = true;
                    numbers.push(number);
                }
                Exact::Mode => {}
                other => return other.clone(),
            }
        }
        let mode = node.args.first().and_then(|mode| match self.store.node(*mode).op {
            Op::RoundingModeConst(mode) => Some(mode),
            _ => None,
        });
        if !is_near {
            return operate(&node.op, mode, &numbers);
        }
        let is_small = |number: &&BigRational| number.abs() < power_of_two(FAR / 2);
        match node.op {
            // What is near zero may be on either side of it, and what jumps may have jumped.
            Op::FpFmod | Op::FpRem | Op::FpRoundToIntegral => Exact::Unknown,
            Op::FpDiv | Op::FpSqrt if numbers.last().is_none_or(is_small) => Exact::Unknown,
            _ => match operate(&node.op, mode, &numbers) {
                Exact::Number(number) => Exact::Near(number),
                other => other,
            },
        }
    }
}

fn power_of_two(exponent: i32) -> BigRational {
    let power = BigRational::from_integer(BigInt::from(1) << exponent.unsigned_abs());
    if exponent < 0 { power.recip() } else { power }
}

fn operate(op: &Op, mode: Option<RoundingMode>, numbers: &[&BigRational]) -> Exact {
    let x = numbers[0];
    let y = numbers.get(1).copied().unwrap_or(x);
    let number = Exact::Number;
    match op {
        Op::FpAdd | Op::BvAdd => number(x + y),
        Op::FpSub => number(x - y),
        Op::FpMul => number(x * y),
        Op::FpDiv | Op::FpFmod | Op::FpRem if y.is_zero() => Exact::Undefined,
        Op::FpDiv => number(x / y),
        Op::FpFmod => number(x - y * (x / y).trunc()),
        Op::FpRem => number(x - y * integral(RoundingMode::NearestEven, &(x / y))),
        Op::FpFma => number(x * y + numbers[2]),
        Op::FpSqrt if x.is_negative() => Exact::Undefined,
        Op::FpSqrt => {
            let (numerator, denominator) = (x.numer().sqrt(), x.denom().sqrt());
            let root = BigRational::new(numerator, denominator);
            if &root * &root == *x {
                return number(root);
            }
            let scaled: BigInt = (x.numer() << (2 * CLOSE)) / x.denom();
            Exact::Near(BigRational::new(scaled.sqrt(), BigInt::from(1) << CLOSE))
        }
        Op::FpNeg => number(-x),
        Op::FpAbs => number(x.abs()),
        Op::FpMin => number(x.min(y).clone()),
        Op::FpMax => number(x.max(y).clone()),
        Op::FpRoundToIntegral => number(integral(mode.unwrap_or_default(), x)),
        Op::FpFromFloat(_) | Op::FpFromSigned(_) => number(x.clone()),
        Op::FpLt => Exact::Truth(x < y),
        Op::FpLe => Exact::Truth(x <= y),
        Op::FpEq => Exact::Truth(x == y),
        _ => panic!("{op:?}"),
    }
}

fn integral(mode: RoundingMode, x: &BigRational) -> BigRational {
    match mode {
        RoundingMode::TowardNegative => x.floor(),
        RoundingMode::TowardPositive => x.ceil(),
        RoundingMode::TowardZero => x.trunc(),
        RoundingMode::NearestAway => x.round(),
        RoundingMode::NearestEven => {
            let rounded = x.round();
            let half = BigRational::new(1.into(), 2.into());
            let is_odd = (rounded.numer() % BigInt::from(2)) != BigInt::zero();
            let is_tie = (&rounded - x).abs() == half;
            if is_tie && is_odd {
                if rounded.is_positive() { rounded - BigInt::from(1) } else { rounded + BigInt::from(1) }
            } else {
                rounded
            }
        }
    }
}

/// A term over a pool of one format.
fn operation(random: &mut Random, store: &mut Store, format: Format, pool: &[TermId]) -> TermId {
    let nearest = RoundingMode::NearestEven;
    let modes =
        [nearest, nearest, nearest, RoundingMode::NearestAway, RoundingMode::TowardPositive, RoundingMode::TowardZero];
    let mode = store.rounding_mode(random.pick(&modes));
    let (x, z) = (random.pick(pool), random.pick(pool));
    let y = if random.once_in(3) { store.float_const(constant(random, format)) } else { random.pick(pool) };
    let (x, y) = if random.once_in(2) { (x, y) } else { (y, x) };
    match random.below(18) {
        0..=2 => store.mk(Op::FpAdd, &[mode, x, y]),
        3..=5 => store.mk(Op::FpSub, &[mode, x, y]),
        6..=8 => store.mk(Op::FpMul, &[mode, x, y]),
        9 | 10 => store.mk(Op::FpDiv, &[mode, x, y]),
        11 => store.mk(Op::FpSqrt, &[mode, x]),
        12 => store.mk(Op::FpFma, &[mode, x, y, z]),
        13 => store.mk(random.pick(&[Op::FpMin, Op::FpMax]), &[x, y]),
        14 => store.mk(random.pick(&[Op::FpNeg, Op::FpAbs]), &[x]),
        15 => {
            let condition = comparison(random, store, x, y);
            store.mk(Op::Ite, &[condition, z, x])
        }
        16 => {
            let other = random.pick(&FORMATS);
            let narrowed = store.mk(Op::FpFromFloat(other), &[mode, x]);
            let back = store.rounding_mode(nearest);
            store.mk(Op::FpFromFloat(format), &[back, narrowed])
        }
        _ => match random.below(3) {
            0 => store.mk(Op::FpFmod, &[x, y]),
            1 => store.mk(Op::FpRem, &[x, y]),
            _ => store.mk(Op::FpRoundToIntegral, &[mode, x]),
        },
    }
}

fn constant(random: &mut Random, format: Format) -> Float {
    loop {
        let constant = Float::from_bits(format, random.below(1 << format.width()) as u32);
        // Zeros have a sign, which no rational has.
        if constant.is_finite() && !(constant.is_zero() && constant.is_negative()) {
            return constant;
        }
    }
}

fn comparison(random: &mut Random, store: &mut Store, x: TermId, y: TermId) -> TermId {
    let op = random.pick(&[Op::FpLt, Op::FpLe, Op::FpEq, Op::FpLt]);
    let comparison = store.mk(op, &[x, y]);
    if random.once_in(3) { store.not(comparison) } else { comparison }
}

/// A root that is taken only where a comparison says that there is one, and something else, which may also be about it.
fn guarded_root(random: &mut Random, store: &mut Store, format: Format, pool: &[TermId]) -> Vec<Path> {
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    let late = |random: &mut Random| pool[pool.len() - 1 - random.below(pool.len().min(2))];
    let zero = store.float_const(Float::zero(format, false));
    let limit = if random.once_in(3) { store.float_const(constant(random, format)) } else { zero };
    // A number beside a constant, or two numbers beside each other.
    let (operand, low, high) = if random.likely(0.7) {
        let operand = late(random);
        (operand, limit, operand)
    } else {
        let (a, b) = (random.pick(pool), late(random));
        (store.mk(Op::FpSub, &[mode, b, a]), a, b)
    };
    let order = random.pick(&[Op::FpLt, Op::FpLe]);
    let is_taken = match random.below(3) {
        0 => {
            let other = if order == Op::FpLt { Op::FpLe } else { Op::FpLt };
            let below = store.mk(other, &[high, low]);
            store.not(below)
        }
        _ => store.mk(order, &[low, high]),
    };
    let root = store.mk(Op::FpSqrt, &[mode, operand]);
    let mut with_root = root;
    if random.once_in(2) {
        let other = random.pick(pool);
        let op = random.pick(&[Op::FpAdd, Op::FpSub, Op::FpMul, Op::FpDiv]);
        with_root = store.mk(op, &[mode, other, root]);
    }
    let without = if random.once_in(2) { zero } else { random.pick(pool) };
    let is_not = store.not(is_taken);
    if random.once_in(3) {
        // Paths that part once more where the root is known, by it or by something else.
        let by = if random.once_in(2) { root } else { random.pick(pool) };
        let number = store.float_const(constant(random, format));
        let second = store.mk(Op::FpLt, &[by, number]);
        let is_not_second = store.not(second);
        let third = random.pick(pool);
        return vec![
            Path { guards: vec![is_taken, second], result: with_root },
            Path { guards: vec![is_taken, is_not_second], result: third },
            Path { guards: vec![is_not], result: without },
        ];
    }
    vec![Path { guards: vec![is_taken], result: with_root }, Path { guards: vec![is_not], result: without }]
}

/// One to three paths, which part by comparisons.
fn paths(random: &mut Random, store: &mut Store, pool: &[TermId]) -> Vec<Path> {
    let result = |random: &mut Random| pool[pool.len() - 1 - random.below(pool.len().min(3))];
    let last = *pool.last().expect("terms");
    let mut guards = Vec::new();
    let mut paths = Vec::new();
    for _ in 0..random.below(3) {
        let (x, y) = (random.pick(pool), random.pick(pool));
        let guard = comparison(random, store, x, y);
        let mut taken = guards.clone();
        taken.push(guard);
        // As a path's condition mostly is, one conjunction.
        let taken = if random.once_in(2) { vec![store.and(&taken)] } else { taken };
        paths.push(Path { guards: taken, result: result(random) });
        guards.push(store.not(guard));
    }
    paths.push(Path { guards, result: last });
    paths
}

#[derive(Debug, Default)]
struct Tally {
    proved: usize,
    unknown: usize,
    inputs: usize,
    skipped: usize,
    /// Bounds of at most three times the largest error.
    near: usize,
    violations: Vec<String>,
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn cases() -> (u64, u64) {
    (number("LABRYS_BOUNDS_CASES").unwrap_or(1500), number("LABRYS_BOUNDS_SEED").unwrap_or(0))
}

/// Cases of a kind; none has an input with a larger error than its bound.
fn look(kind: Kind) -> Tally {
    let (cases, first) = cases();
    let mut tally = Tally::default();
    for seed in first..first + cases {
        let before = tally.violations.len();
        Case::new(&mut Random::new(seed), kind).check(&mut tally);
        if let Some(violation) = tally.violations.get(before) {
            println!("seed {seed}: {violation}");
        }
    }
    let Tally { proved, unknown, inputs, skipped, near, ref violations } = tally;
    println!(
        "{cases} cases: {proved} proved, {near} within a factor of three, {unknown} unknown, {inputs} inputs compared, {skipped} not"
    );
    assert!(violations.is_empty(), "{} violations", violations.len());
    tally
}

#[test]
fn no_input_of_tiny_formats_exceeds_a_bound() {
    let Tally { proved, near, .. } = look(Kind::Any);
    assert!(cases().0 < 1000 || (proved * 5 > cases().0 as usize * 2 && near * 3 > proved), "{proved} {near}");
}

#[test]
fn no_input_of_tiny_formats_exceeds_a_bound_of_a_guarded_root() {
    let Tally { proved, near, .. } = look(Kind::GuardedRoot);
    assert!(cases().0 < 1000 || (proved * 3 > cases().0 as usize && near * 2 > proved), "{proved} {near}");
}
