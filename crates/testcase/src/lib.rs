//! What a whole program is run on, and the files in which others keep such inputs.
//!
//! A program asks for its inputs while it runs (`klee_make_symbolic`, `__VERIFIER_nondet_double`, …); a [`TestInput`] answers
//! in the order in which it asks. Files are KLEE's `.ktest` ([`Ktest`]), Test-Comp's suites ([`test_xml`]), SV-COMP's
//! witnesses ([`Witness`]) and a C file for a suite ([`regression_file`]). What programs include and are linked with is here
//! too: [`headers`] and [`runtime`].
//!
//! Readers take any bytes: what is wrong with them is an error.
//!
//! ```
//! use labrys_testcase::{InputObject, Ktest, TestInput};
//!
//! let x = InputObject { name: "x".to_owned(), bytes: 1.5f64.to_le_bytes().to_vec() };
//! let input = TestInput { arguments: Vec::new(), objects: vec![x] };
//! let bytes = Ktest::of("prog", &input).to_bytes();
//! assert_eq!(Ktest::from_bytes(&bytes).unwrap().into_input(), input);
//! ```

mod input;
mod ktest;
mod nondet;
mod regression;
mod runtime;
mod scalar;
mod standard_input;
mod test_comp;
mod witness;

pub use input::{InputObject, TestInput};
pub use ktest::{KTEST_VERSION, Ktest, KtestError};
pub use nondet::{NONDET, NONDET_PREFIX, Nondet, ScalarKind};
pub use regression::{ExpectedEnding, FileComment, RegressionTest, regression_file};
pub use runtime::{headers, runtime, sanitizer_options, write_headers};
pub use scalar::{float_constant, scalar_bytes, scalar_text};
pub use standard_input::{STANDARD_INPUT, STANDARD_INPUT_STATE, standard_input_objects};
pub use test_comp::{SuiteInput, SuiteMetadata, XmlError, input_of_suite, read_test_xml, suite_inputs, test_xml};
pub use witness::{
    Invariant, InvariantKind, Waypoint, WaypointKind, Witness, WitnessContent, WitnessError, WitnessLocation,
    WitnessMetadata, YamlError,
};
