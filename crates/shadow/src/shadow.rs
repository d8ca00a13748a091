//! A function's shadow as text, and the record of one of its calls.

use std::path::{Path, PathBuf};
use std::time::Instant;

use labrys_program::{
    BlockId, Build, BuildSpec, FloatType, FunctionId, Leaf, LocationId, Origin, Pointee, Program, ScalarType,
    Signature, build_shared,
};

use crate::error::ShadowError;

/// Doubles of a record before the shadows of outputs.
pub(crate) const HEADER: usize = 6;

/// The symbol of the function in the shared object.
pub(crate) const SYMBOL: &str = "labrys_shadow";

/// The symbol of the initialiser.
pub(crate) const INIT: &str = "labrys_shadow_init";

/// The name of the parameter that is added.
pub(crate) const PARAMETER: &str = "labrys_block";

/// An operation that a record may point to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The function of the program.
    pub function: FunctionId,
    /// The block.
    pub block: BlockId,
    /// The instruction's position in the block.
    pub instruction: u32,
    /// Where it stands in the source.
    pub location: Option<LocationId>,
    /// The operation, as in traces: `fadd`, `fcmp`, `fconvert`, …
    pub operator: &'static str,
}

/// A function over double words as C text.
#[derive(Clone, Debug)]
pub struct Shadow {
    /// The text.
    pub text: String,
    /// The symbol of the function in the shared object.
    pub symbol: String,
    /// The symbol of the initialiser, to be called once when the object has been loaded; `None` where there is none.
    pub init: Option<String>,
    /// The original's signature with the shadow's symbol and, behind the other parameters, the block.
    pub signature: Signature,
    /// The operations that records point to by index.
    pub sites: Vec<Site>,
    /// The floats among the scalars of the original's output record, in its order: those whose shadows a record has.
    pub outputs: Vec<Leaf>,
    /// Operations on floats, loads and stores that the text has: what compiling it costs.
    pub operations: usize,
    /// Where the block begins in an output record: behind the original's own part.
    pub(crate) block: usize,
    /// The symbol of the original, for errors.
    pub(crate) function: String,
}

/// A shadow: an unevaluated sum of two doubles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DoubleWord {
    /// The sum, rounded to nearest.
    pub high: f64,
    /// The rest.
    pub low: f64,
}

/// What makes shadows doubtful.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShadowMarks {
    /// Somewhere a value or its shadow was no finite number, and the value became its own shadow.
    pub not_finite: bool,
    /// A shadow was so small (below 2^−959) that its lower half may have lost bits.
    pub subnormal: bool,
    /// Memory's table of shadows had no place for one, and a value in memory may have become its own shadow.
    pub forgotten: bool,
    /// A float came from a function that nothing is known of or from an integer's bits, and is its own shadow.
    pub opaque: bool,
}

/// What one call showed.
#[derive(Clone, Debug, PartialEq)]
pub struct ShadowRecord {
    /// The shadows of [`Shadow::outputs`].
    pub outputs: Vec<DoubleWord>,
    /// What makes them doubtful.
    pub marks: ShadowMarks,
    /// Whether a sum was zero, its shadow, too, and no operand: either it is zero, or more was cancelled than shadows have digits.
    pub vanished: bool,
    /// The bits that the worst sum or difference lost to cancellation: the exponent of the greater operand less that of the
    /// result, of shadows; 2047 where the shadows cancel wholly and the values do not. 0 if none lost any.
    pub cancelled_bits: u32,
    /// Where that was, an index into [`Shadow::sites`].
    pub cancelled_at: Option<usize>,
    /// Operands of sums, not zero, of which nothing is left in the result as the program rounds it.
    pub absorbed: u64,
    /// The first comparison, rounding to an integral value, conversion to an integer or remainder that comes out otherwise for
    /// shadows: from there on they are shadows of another path or branch of the function. An index into [`Shadow::sites`].
    pub parted_at: Option<usize>,
    /// A hash of the signs of the shadows' sums and of how the program's comparisons of floats came out, in order: between two inputs on
    /// which it differs lies one on which a sum of shadows cancels wholly, or at which the program changes its way.
    pub course: u64,
}

impl ShadowRecord {
    /// Whether nothing speaks against the shadows: no mark is set, control did not part, and no sum lost more than `bits`.
    pub fn is_plain(&self, bits: u32) -> bool {
        self.marks == ShadowMarks::default() && self.parted_at.is_none() && self.cancelled_bits <= bits
    }
}

impl Shadow {
    /// Compiles the text in a folder that exists: what workers load, with [`Shadow::signature`].
    ///
    /// `link` are the objects and libraries that the program is linked with, where it calls their functions.
    ///
    /// Run it with no watched exceptions: what the shadows' arithmetic raises says nothing of the program.
    ///
    /// # Errors
    ///
    /// The folder cannot be written, or clang is missing, refuses the text or does not end by `deadline`.
    pub fn compile(&self, folder: &Path, link: &[PathBuf], deadline: Instant) -> Result<Build, ShadowError> {
        let source = folder.join("labrys-shadow.c");
        std::fs::write(&source, &self.text)
            .map_err(|error| ShadowError::Write { path: source.clone(), source: error })?;
        let spec = BuildSpec {
            role: "labrys-shadow".to_owned(),
            compiler: "clang".to_owned(),
            flags: flags(),
            common_flags: Vec::new(),
            link: link.to_vec(),
            origin: Origin::User,
            of_crate: None,
        };
        build_shared(&spec, &source, folder, deadline)
            .map_err(|source| ShadowError::Build { function: self.function.clone(), source })
    }

    /// Reads the output record of a call of the shadow; zeros where it is too short.
    pub fn read(&self, output: &[u8]) -> ShadowRecord {
        let at = |index: usize| {
            let start = self.block + 8 * index;
            let bytes = output.get(start..start + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0.0, f64::from_le_bytes)
        };
        let marks = at(0) as u64;
        let site = |index: f64| (index >= 0.0).then_some(index as usize).filter(|site| *site < self.sites.len());
        let outputs = (0..self.outputs.len())
            .map(|index| DoubleWord { high: at(HEADER + 2 * index), low: at(HEADER + 2 * index + 1) })
            .collect();
        ShadowRecord {
            outputs,
            marks: ShadowMarks {
                not_finite: marks & 1 != 0,
                subnormal: marks & 2 != 0,
                forgotten: marks & 4 != 0,
                opaque: marks & 8 != 0,
            },
            vanished: marks & 16 != 0,
            cancelled_bits: at(1) as u32,
            cancelled_at: site(at(2)),
            absorbed: at(3) as u64,
            parted_at: site(at(4)),
            course: at(5) as u64,
        }
    }

    /// The part of an output record that is the original's own.
    pub fn own<'o>(&self, output: &'o [u8]) -> &'o [u8] {
        output.get(..self.block).unwrap_or(output)
    }
}

impl Site {
    /// `file:line:column` of the source, where it is known.
    pub fn place(&self, program: &Program) -> Option<String> {
        let location = program.locations.get(self.location?.index())?;
        let file = program.files.get(location.file as usize)?;
        Some(format!("{file}:{}:{}", location.line, location.column))
    }
}

/// How the text is compiled: values must be what the program's own arithmetic gives, whatever the optimiser knows of libm and of
/// C's undefined behaviour. The instruction for a fused product is used where this processor has it.
fn flags() -> Vec<String> {
    let mut flags = vec![
        "-std=gnu2x",
        "-O2",
        "-w",
        "-ffp-contract=off",
        "-fno-fast-math",
        "-fno-math-errno",
        "-fno-builtin",
        "-fno-strict-aliasing",
        "-fno-strict-overflow",
        "-fno-delete-null-pointer-checks",
        "-fno-stack-protector",
    ];
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("fma") {
        flags.push("-mfma");
    }
    flags.into_iter().map(str::to_owned).collect()
}

/// The element type of the block.
pub(crate) fn block_element() -> Pointee {
    Pointee::Scalar(ScalarType::Float(FloatType::F64))
}
