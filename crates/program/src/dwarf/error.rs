use std::path::PathBuf;

/// Why a function cannot be driven.
#[derive(Debug, thiserror::Error)]
pub enum SignatureError {
    /// The file cannot be read or is no object file.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The debug information is damaged.
    #[error("damaged debug information: {0}")]
    Damaged(#[from] gimli::Error),
    /// The function has no debug information.
    #[error(
        "{function} has no debug information in {}: say its prototype, as in --signature \"double(double v, double w[n], int n)\"",
        path.display()
    )]
    NoDebugInformation {
        /// The function.
        function: String,
        /// The file.
        path: PathBuf,
    },
    /// The file defines no function.
    #[error("{} defines no function", path.display())]
    NoFunctions {
        /// The file.
        path: PathBuf,
    },
    /// No function of the file has code of its own.
    #[error("there is no function to run: a static one that nothing calls is not compiled")]
    NoneToRun,
    /// No function has that name.
    #[error("there is no function {name}{}", near_names(near))]
    Unknown {
        /// The name asked for.
        name: String,
        /// Names like it, best first.
        near: Vec<String>,
    },
    /// There is more than one function and none was named.
    #[error("there are several functions, choose one with -f: {}", names.join(", "))]
    Several {
        /// Their names.
        names: Vec<String>,
    },
    /// The name means more than one function.
    #[error("{name} means several functions, write one of: {}", candidates.join(", "))]
    Ambiguous {
        /// The name asked for.
        name: String,
        /// What it may mean.
        candidates: Vec<String>,
    },
    /// The compiler made a copy with other parameters of a static function and dropped the original.
    #[error("{function} is there only as {symbol}, a copy whose parameters the compiler changed: make it external")]
    Changed {
        /// The function.
        function: String,
        /// Its symbol.
        symbol: String,
    },
    /// The compiler inlined the function wherever it is called and kept no copy that could be called from outside.
    #[error(
        "{function} cannot be called in this build: the compiler inlined it everywhere; make it external, or ask for a build at -O0"
    )]
    Inlined {
        /// The function.
        function: String,
    },
    /// A parameter's type cannot be driven.
    #[error("{function}: parameter {parameter} of type {ty} cannot be driven: {reason}")]
    Parameter {
        /// The function.
        function: String,
        /// The parameter's name.
        parameter: String,
        /// Its type as the source has it.
        ty: String,
        /// Why.
        reason: String,
    },
    /// The result's type cannot be observed.
    #[error("{function}: the result of type {ty} cannot be observed: {reason}")]
    Result {
        /// The function.
        function: String,
        /// Its type as the source has it.
        ty: String,
        /// Why.
        reason: String,
    },
    /// Debug information leaves an argument out.
    #[error("{function} has an argument that debug information does not describe, such as a character string")]
    Undescribed {
        /// The function.
        function: String,
    },
    /// The function takes further arguments.
    #[error("{function} takes a variable number of arguments (...), which cannot be driven")]
    Variadic {
        /// The function.
        function: String,
    },
    /// A `--length` that cannot be used.
    #[error("--length {text}: {reason}")]
    Length {
        /// The option's value.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A malformed prototype.
    #[error("--signature \"{text}\", column {column}: {reason}")]
    Prototype {
        /// The prototype.
        text: String,
        /// Where it goes wrong, in characters from 1.
        column: usize,
        /// What is wrong.
        reason: String,
    },
}

fn near_names(near: &[String]) -> String {
    match near {
        [] => String::new(),
        _ => format!("; there is {}", near.join(", ")),
    }
}
