//! Parameters in the user's words.

use serde::{Deserialize, Serialize};

/// A parameter of the function under test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParameterInfo {
    /// Its name.
    pub name: String,
    /// Its type, in C's words: `double`, `const double[8]`, `complex_t *`.
    #[serde(rename = "type")]
    pub type_name: String,
}
