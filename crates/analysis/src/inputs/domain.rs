//! The search domain of a request: which inputs count, and the first ones.

use std::sync::Arc;
use std::time::Duration;

use labrys_float::{Float, Format};
use labrys_fuzz::{InputClass, Sampler, Space};
use labrys_program::{FloatType, InputLayout, OutputLayout, ScalarType, Signature};

use labrys_solver::{FloatOutcome, FloatSolver, Limits, Portfolio, PortfolioConfig};
use labrys_symex::{float_terms, leaf_variable};
use labrys_term::{Model, Store, TermId, Value};

use crate::AnalysisError;
use crate::inputs::assume::Assumption;
use crate::target::analysed::{Analysed, literals};

/// Conflicts that finding a first input may cost.
const SEED_WORK: u64 = 20_000;
/// The longest that it may take.
const SEED_LIMIT: Duration = Duration::from_secs(20);

/// Numbers of an input, elements of arrays and members of structs included, with which a search still gets somewhere: what is known of each,
/// and the inputs that are kept, have some gigabytes then.
const MOST_NUMBERS: usize = 1 << 16;

/// Of the first inputs so many have one with a special value: NaN, an infinity, a zero, an end of the format.
const SPECIAL_SHARE: usize = 8;
/// So many literals of the programs are drawn at.
const MOST_LITERALS: usize = 256;

/// Of inputs that are made at a time so many bytes are enough: no limit on time is looked at in between.
const BATCH_BYTES: usize = 4 << 20;

/// So many inputs, or fewer where they are large.
pub fn at_most(count: usize, inputs: &InputLayout) -> usize {
    count.min(BATCH_BYTES / inputs.size.max(1)).max(1)
}

/// What a user says of the inputs that count.
#[derive(Clone, Copy, Debug)]
pub struct DomainRequest<'a> {
    /// Which values inputs take.
    pub inputs: InputClass,
    /// `--range` intervals.
    pub ranges: &'a [String],
    /// `--assume` expressions.
    pub assumptions: &'a [String],
    /// The type whose numbers floats are, where it is a narrower one than their own.
    pub grid: Option<FloatType>,
}

/// The search domain.
pub struct Domain {
    /// The inputs that count.
    pub space: Space,
    /// How inputs lie in records.
    pub inputs: InputLayout,
    /// How outputs lie in records.
    pub outputs: OutputLayout,
    /// The assumptions, ranges included.
    pub assumptions: Vec<Assumption>,
}

impl Domain {
    /// The domain that a request asks for.
    ///
    /// # Errors
    ///
    /// A malformed assumption or range, or inputs of more than [`MOST_NUMBERS`].
    pub fn new(request: &DomainRequest<'_>, signature: &Signature) -> Result<Domain, AnalysisError> {
        let (inputs, outputs) = (signature.input_layout(), signature.output_layout());
        if inputs.leaves.len() > MOST_NUMBERS {
            return Err(AnalysisError::Usage(format!(
                "an input of `{}` has {} numbers, and {MOST_NUMBERS} are the most: give less with --length, or --range of the length",
                signature.name,
                inputs.leaves.len()
            )));
        }
        let mut space = Space::new(signature, request.inputs);
        request.grid.into_iter().for_each(|grid| space.set_grid(grid));
        let mut assumptions = Vec::new();
        for text in request.ranges {
            let ranges = Assumption::parse_ranges(text, &inputs)?;
            ranges.iter().for_each(|range| range.restrict(&mut space));
            assumptions.extend(ranges);
        }
        for text in request.assumptions {
            let assumption = Assumption::parse(text, &inputs)?;
            assumption.restrict(&mut space);
            assumptions.push(assumption);
        }
        if !assumptions.is_empty() {
            let (conditions, layout) = (assumptions.clone(), Arc::new(inputs.clone()));
            space.assume(move |record| conditions.iter().all(|condition| condition.holds(&layout, record)));
        }
        Ok(Domain { space, inputs, outputs, assumptions })
    }

    /// Has inputs at and beside the literals of these programs drawn, too.
    pub fn know_literals<'p>(&mut self, programs: impl Iterator<Item = &'p Analysed>) {
        let mut known: Vec<f64> = Vec::new();
        for analysed in programs {
            let found = literals(&analysed.program, analysed.function);
            known.extend(found.into_iter().take(MOST_LITERALS.saturating_sub(known.len())));
        }
        self.space.know_literals(known);
    }

    /// Inputs drawn from the whole domain.
    ///
    /// # Errors
    ///
    /// [`AnalysisError::NoInput`] where none can be found.
    pub fn seeds(&self, seed: u64, count: usize) -> Result<Vec<Vec<u8>>, AnalysisError> {
        let mut sampler = Sampler::new(&self.space, seed);
        let mut seeds: Vec<Vec<u8>> = std::iter::once(self.space.origin()).collect();
        seeds.extend((0..at_most(count, &self.inputs)).map(|_| sampler.sample()));
        seeds.extend(sampler.specials().take(at_most(count / SPECIAL_SHARE, &self.inputs)));
        seeds.retain(|record| self.space.admits(record));
        if seeds.is_empty() {
            seeds.extend(self.solved(seed));
        }
        if seeds.is_empty() { Err(AnalysisError::NoInput) } else { Ok(seeds) }
    }

    /// Inputs of all kinds in turn: ends and corners of ranges, any, and those whose numbers have to do with each other.
    pub fn mixed(&self, seed: u64, count: usize) -> Vec<Vec<u8>> {
        let mut sampler = Sampler::new(&self.space, seed);
        let mut draw = |turn: usize| match turn % 3 {
            0 => sampler.corner(),
            1 => sampler.sample(),
            _ => sampler.related(),
        };
        let mut records = vec![self.space.origin()];
        records.extend((0..at_most(count, &self.inputs)).map(&mut draw));
        records.retain(|record| self.space.admits(record));
        records
    }

    /// Inputs of the domain as people use them: at most so many, fewer where conditions leave them out.
    pub fn ordinary(&self, seed: u64, count: usize) -> Vec<Vec<u8>> {
        let mut sampler = Sampler::new(&self.space, seed);
        let drawn = (0..at_most(count, &self.inputs)).map(|_| sampler.ordinary());
        drawn.filter(|record| self.space.admits(record)).collect()
    }

    /// Inputs of the domain whose numbers have to do with each other ([`Sampler::related`]).
    pub fn related(&self, seed: u64, count: usize) -> Vec<Vec<u8>> {
        let mut sampler = Sampler::new(&self.space, seed);
        (0..at_most(count, &self.inputs)).map(|_| sampler.related()).collect()
    }

    /// An input that satisfies the assumptions, by the solver over the floats: they may leave few.
    fn solved(&self, seed: u64) -> Option<Vec<u8>> {
        let mut store = Store::new();
        let query: Vec<TermId> =
            self.assumptions.iter().map(|assumption| assumption.term(&self.inputs, &mut store)).collect();
        let limits = Limits { work: SEED_WORK, wall: SEED_LIMIT, ..Limits::default() };
        match Portfolio::new(PortfolioConfig::reproducible(seed)).check_once(&store, &query, &limits) {
            FloatOutcome::Sat(model) => {
                Some(self.record_of(&mut store, &model)).filter(|record| self.space.admits(record))
            }
            _ => None,
        }
    }

    /// The input that a model describes; what it leaves open is zero.
    pub fn record_of(&self, store: &mut Store, model: &Model) -> Vec<u8> {
        let mut record = self.space.origin();
        for leaf in &self.inputs.leaves {
            let variable = leaf_variable(store, leaf);
            let value = |store: &Store, term| store.as_variable(term).and_then(|variable| model.get(variable).cloned());
            let bits = match &value(store, variable) {
                Some(Value::Float(value_of)) if value_of.is_nan() => {
                    let nan = float_terms::nan_variable(store, variable);
                    let own = value(store, nan).and_then(|value| num_traits::ToPrimitive::to_u128(value.as_bits()?));
                    value_of.to_u128().map(|bits| bits | own.unwrap_or(0))
                }
                Some(Value::Float(value)) => value.to_u128(),
                Some(Value::BitVec { bits, .. }) => num_traits::ToPrimitive::to_u128(bits),
                Some(Value::Bool(value)) => Some(u128::from(*value)),
                _ => None,
            };
            if let Some(bits) = bits {
                leaf.write(&mut record, bits);
            }
        }
        record
    }

    /// The inputs that a user gives as `v=1, x[0]=0x1p3`; what is not named is zero, or as near to it as can be.
    ///
    /// # Errors
    ///
    /// What is no input, no number, or outside the search domain.
    pub fn given(&self, texts: &[String]) -> Result<Vec<Vec<u8>>, AnalysisError> {
        texts.iter().map(|text| self.given_one(text)).collect()
    }

    fn given_one(&self, text: &str) -> Result<Vec<u8>, AnalysisError> {
        let usage = |reason: String| AnalysisError::Usage(format!("--input \"{text}\": {reason}"));
        let mut record = self.space.origin();
        let mut given: Vec<&str> = Vec::new();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            let (name, value) = part.split_once('=').ok_or_else(|| usage(format!("`{part}` is not NAME=VALUE")))?;
            let (name, value) = (name.trim(), value.trim());
            let leaf = self.inputs.leaves.iter().find(|leaf| leaf.path == name);
            let leaf = leaf.ok_or_else(|| usage(format!("there is no input `{name}`")))?;
            if given.contains(&name) {
                return Err(usage(format!("`{name}` is given twice")));
            }
            given.push(name);
            let bits =
                read_value(leaf.scalar, value).ok_or_else(|| usage(format!("`{value}` is no value of {name}")))?;
            leaf.write(&mut record, bits);
        }
        if self.space.admits(&record) { Ok(record) } else { Err(usage("it is outside the search domain".to_owned())) }
    }
}

/// A scalar's encoding: decimal, hexadecimal float, inf, nan, or bits as `bits:0x7ff0000000000000`. `None`: it is none,
/// or does not fit the type.
fn read_value(scalar: ScalarType, text: &str) -> Option<u128> {
    if let Some(bits) = text.strip_prefix("bits:0x") {
        let bits = u128::from_str_radix(bits, 16).ok()?;
        let width = u32::try_from(8 * scalar.size()).ok()?;
        return (width == u128::BITS || bits >> width == 0).then_some(bits);
    }
    match scalar {
        ScalarType::Float(float) => {
            let format: Format = float.format();
            Float::parse_decimal(format, text)?.to_u128()
        }
        ScalarType::Int { bits, signed } => {
            let value: i128 = text.parse().ok()?;
            let (low, high) = if signed { (-(1 << (bits - 1)), 1 << (bits - 1)) } else { (0, 1i128 << bits) };
            ((low..high).contains(&value)).then_some(value as u128)
        }
        ScalarType::Bool => matches!(text, "0" | "1").then(|| u128::from(text == "1")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_program::FloatType;

    #[test]
    fn given_values_fit_their_type() {
        let byte = |signed| ScalarType::Int { bits: 8, signed };
        assert_eq!(read_value(byte(false), "255"), Some(255));
        assert_eq!(read_value(byte(true), "-128").map(|bits| bits as u8), Some(0x80));
        for (scalar, wrong) in [(byte(false), "256"), (byte(false), "-1"), (byte(true), "128"), (byte(true), "1.5")] {
            assert_eq!(read_value(scalar, wrong), None, "{wrong}");
        }
        let double = ScalarType::Float(FloatType::F64);
        assert_eq!(read_value(double, "0x1p-3"), Some(0.125f64.to_bits().into()));
        assert_eq!(read_value(double, "bits:0x7ff0000000000000"), Some(f64::INFINITY.to_bits().into()));
        assert_eq!(read_value(double, "bits:0x17ff0000000000000"), None);
        assert_eq!(read_value(ScalarType::Bool, "2"), None);
    }
}
