//! Solvers' models, read.

use rustc_hash::FxHashMap;

use super::literal::{ModelValue, read};
use super::symbol::symbols;
use crate::sexpr::{Document, Position, Sexpr, SexprError};
use crate::{Store, VariableId};

/// Why a reply is not a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Not s-expressions.
    #[error(transparent)]
    Syntax(#[from] SexprError),
    /// Not the shape of a model or of a list of values.
    #[error("{0}: not a model")]
    Shape(Position),
    /// A value that is not understood, or not of its variable's sort.
    #[error("{position}: {value} is no value for {name}")]
    Value {
        /// Where the value stands.
        position: Position,
        /// The variable's name.
        name: String,
        /// The value as the solver wrote it, shortened.
        value: String,
    },
}

/// Values of variables, in the order in which the solver gives them.
pub type ModelValues = Vec<(VariableId, ModelValue)>;

/// Reads the reply to `(get-model)`. Definitions of other symbols than the store's variables are passed over.
///
/// ```
/// use labrys_term::{ModelValue, Sort, Store, Value, smtlib};
///
/// let mut store = Store::new();
/// let x = store.variable("x[0]", Sort::Real);
/// let values = smtlib::parse_model("((define-fun |x[0]| () Real (- (/ 1.0 3.0))))", &store).unwrap();
/// let third = num_rational::BigRational::new((-1).into(), 3.into());
/// assert_eq!(values, [(store.as_variable(x).unwrap(), ModelValue::Value(Value::Real(third)))]);
/// ```
pub fn parse_model(text: &str, store: &Store) -> Result<ModelValues, ModelError> {
    let document = Document::parse(text)?;
    let names = symbols(store);
    let mut values = Vec::new();
    for root in document.roots() {
        if !root.is_list() {
            return Err(ModelError::Shape(root.position()));
        }
        // Older solvers begin the list with the word `model`.
        let definitions = root.items().filter(|item| !item.is_symbol("model"));
        for definition in definitions {
            let parts: Vec<Sexpr<'_>> = definition.items().collect();
            let [keyword, name, parameters, _, value] = parts[..] else {
                // Solvers also declare and define auxiliary functions; anything else is no model.
                if definition.item(0).and_then(Sexpr::symbol).is_some_and(|word| word != "error") {
                    continue;
                }
                return Err(ModelError::Shape(definition.position()));
            };
            if keyword.is_symbol("define-fun") && parameters.items().len() == 0 {
                values.extend(read_pair(name, value, store, &names)?);
            }
        }
    }
    Ok(values)
}

/// Reads the reply to `(get-value (…))`. Terms other than the store's variables are passed over.
pub fn parse_values(text: &str, store: &Store) -> Result<ModelValues, ModelError> {
    let document = Document::parse(text)?;
    let names = symbols(store);
    let mut values = Vec::new();
    for pair in document.roots().flat_map(Sexpr::items) {
        let parts: Vec<Sexpr<'_>> = pair.items().collect();
        let [term, value] = parts[..] else { return Err(ModelError::Shape(pair.position())) };
        values.extend(read_pair(term, value, store, &names)?);
    }
    Ok(values)
}

fn read_pair(
    name: Sexpr<'_>,
    value: Sexpr<'_>,
    store: &Store,
    names: &FxHashMap<String, VariableId>,
) -> Result<Option<(VariableId, ModelValue)>, ModelError> {
    let Some(&variable) = name.symbol().and_then(|name| names.get(name)) else { return Ok(None) };
    let (name, sort) = store.variable_info(variable);
    match read(value, sort) {
        Some(value) => Ok(Some((variable, value))),
        None => Err(ModelError::Value {
            position: value.position(),
            name: name.to_owned(),
            value: value.to_string().chars().take(120).collect(),
        }),
    }
}
